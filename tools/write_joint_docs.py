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

A joint holds two frames, one on each of its solids, in some relation. Frame axes are i (the joint's
`axis`), j (its `normal`) and k = i × j. *Constraints* are the directions that it locks; *coordinates*
are what may still move and what limits, springs, dampers, drives and prescribed motions act on
(`limit angle min -90deg max 90deg;`). Coordinates in brackets are derived: they can be limited and
shown, but are not needed to say where the joint stands. How to write a joint:
[scene-language.md](scene-language.md).

| joint | constraints | locks | coordinates | options |
|---|---|---|---|---|
"""


def locks(kind):
    locked = kind["locked"]
    if locked is None:
        parts = [(kind["residuals_m"], "length"), (kind["residuals_rad"], "angle")]
        return ", ".join(f"{n} {word}{'s' if n > 1 else ''}" for n, word in parts if n) or "nothing"
    parts = [(locked["translations"], "translation"), (locked["rotations"], "rotation")]
    return ", ".join(f"{word} {' '.join(axes)}" for axes, word in parts if axes)


def coordinate(c):
    text = f"`{c['name']}` [{c['unit']}]"
    return f"({text})" if c["derived"] else text


def option(o):
    unit = f" [{o['unit']}]" if o["unit"] else ""
    values = f" × {o['count']}" if o["count"] > 1 else ""
    return f"`{o['name']}`{unit}{values}, " + ("required" if o["required"] else f"default {o['default']:g}")


def page(kinds):
    text = HEADER
    for kind in kinds:
        cells = [f"[`{kind['name']}`](#{kind['name']})", str(kind["residuals"]), locks(kind),
                 ", ".join(map(coordinate, kind["coordinates"])) or "none",
                 "; ".join(map(option, kind["options"])) or "none"]
        text += "| " + " | ".join(cells) + " |\n"
    for kind in kinds:
        text += f"\n## {kind['name']}\n\n{kind['summary'][0].upper()}{kind['summary'][1:]}.\n"
        if kind["papers"]:
            text += f"In the papers: {kind['papers']}.\n"
    return text + ("\nThe papers, and where else they are in the code: "
                   "[paper-to-code.md](paper-to-code.md).\n")


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
