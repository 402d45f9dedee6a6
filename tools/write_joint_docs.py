#!/usr/bin/env python3
"""Writes docs/joints.md from the catalogue that the program carries.

    tools/write_joint_docs.py [PROGRAM]            write it
    tools/write_joint_docs.py --check [PROGRAM]    exit 1 if it is not up to date

PROGRAM is build/release/tenon unless given.
"""

import json
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "docs/joints.md"

HEADER = """# Joints

<!-- Written by tools/write_joint_docs.py from the catalogue in engine/joints. Do not edit. -->

A joint holds two frames in some relation, one frame on each of its solids. (A fold holds four points. A gear
holds coordinates of other joints.) Frame axes are i (the joint's `axis`), j (its `normal`) and k = i × j.

- *Locks* counts the joint's constraints and names the directions that it locks.
- *Coordinates* are what may still move. Limits, preferred ranges, springs, dampers, friction, armatures, drives and
  prescribed motions act on them (`limit angle min -90deg max 90deg;`). Coordinates in brackets are derived:
  you can limit them and see them, but they are not needed to say where the joint stands. The options of the
  joint limit the coordinates in bold.
- *In other tools* lists what URDF, MJCF, SDF, game engines and CAD programs call the joint. The language does
  not read these words, but it knows them: it answers `joint hinge` with `did you mean 'pin'?`.

[scene-language.md](scene-language.md) says how to write a joint. The pictures are drawn from
`scenes/joints/`, where each kind of joint has a scene of its own.

| joint | picture | in the papers | in other tools | locks | coordinates | options |
|---|---|---|---|---|---|---|
"""


def locks(kind):
    locked = kind["locked"]
    if kind["relates"] == "coordinates":
        return "1: a sum of coordinates"
    if locked is None:
        parts = [(kind["residuals_m"], "length"), (kind["residuals_rad"], "angle"),
                 (kind["velocities"], "velocity")]
        words = [f"{n} {word}{'s' if n > 1 else ''}".replace("velocitys", "velocities")
                 for n, word in parts if n]
        total = kind["residuals"] + kind["velocities"]
        return f"{total}: {', '.join(words)}" if total else "nothing"
    parts = [(locked["translations"], "translation"), (locked["rotations"], "rotation")]
    return f"{kind['residuals']}: " + ", ".join(f"{word} {' '.join(axes)}"
                                                for axes, word in parts if axes)


def coordinate(kind, c):
    name = f"**`{c['name']}`**" if c["name"] in kind["bounded"] else f"`{c['name']}`"
    text = f"{name} [{c['unit']}]"
    return f"({text})" if c["derived"] else text


def option(o):
    if o["count"] == 0:
        return f"`{o['name']}`"
    unit = f" [{o['unit']}]" if o["unit"] else ""
    values = "…" if o["count"] < 0 else f" × {o['count']}" if o["count"] > 1 else ""
    need = (", required" if o["required"] else "" if o["choice"] else f", default {o['default']:g}")
    return f"`{o['name']}`{values}{unit}{need}"


def options(kind):
    chosen = [o for o in kind["options"] if o["choice"]]
    texts = [option(o) for o in kind["options"] if not o["choice"]]
    if chosen:
        texts.insert(0, "one of " + ", ".join(map(option, chosen)))
    return "; ".join(texts) or "none"


def picture(kind):
    file = f"pictures/joints/{kind['name']}.svg"
    return f"![{kind['name']}]({file})" if (ROOT / "docs" / file).exists() else ""


def page(kinds):
    text = HEADER
    for kind in kinds:
        cells = [f"`{kind['name']}`: {kind['summary']}", picture(kind), kind["papers"] or "–",
                 ", ".join(kind["elsewhere"]) or "–", locks(kind),
                 ", ".join(coordinate(kind, c) for c in kind["coordinates"]) or "none",
                 options(kind)]
        text += "| " + " | ".join(cells) + " |\n"
    return text + ("\n[paper-to-code.md](paper-to-code.md) lists the papers, and where else they are in "
                   "the code.\n")


def main():
    arguments = sys.argv[1:]
    check = "--check" in arguments
    arguments = [a for a in arguments if a != "--check"]
    program = arguments[0] if arguments else str(ROOT / "build/release/tenon")
    listing = subprocess.run([program, "joints", "--json"], capture_output=True, check=True).stdout
    text = page(json.loads(listing)["joints"])
    if not check:
        PAGE.write_text(text, encoding="utf-8")
    elif not PAGE.exists() or PAGE.read_text(encoding="utf-8") != text:
        sys.exit("docs/joints.md is not up to date: run tools/write_joint_docs.py")


if __name__ == "__main__":
    main()
