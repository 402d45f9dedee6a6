#!/usr/bin/env python3
"""Draws every scene of scenes/ into docs/pictures, and writes the page docs/gallery.md.

    tools/draw_pictures.py [PROGRAM]            write them
    tools/draw_pictures.py --check [PROGRAM]    exit 1 if one is not up to date

PROGRAM is build/release/tenon unless given. A scene may ask for a view by a comment of its own:
`// view: front`, or `// view: yaw 30 pitch 15`. Scenes of scenes/joints are drawn small and plain,
into docs/pictures/joints, and are not in the gallery. Scenes that make no solid have no picture.
"""

import json
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).parent.parent
SCENES = ROOT / "scenes"
PICTURES = ROOT / "docs/pictures"
PAGE = ROOT / "docs/gallery.md"
SIZE = ["--size", "720", "540"]
SMALL = ["--size", "240", "180", "--plain"]
COLUMNS = 2

HEADER = """# Gallery

<!-- Written by tools/draw_pictures.py from scenes/ with `tenon draw`. Do not edit. -->

`tenon draw` has drawn every scene of [scenes/](../scenes) at the pose as written. Where a joint is open at the
start, a dashed red line joins its two sides. Such scenes are there to be assembled.
"""


def view_of(text):
    """Options for the view that a scene asks for."""
    wish = re.search(r"^\s*// view: *(.+?) *$", text, re.M)
    if not wish:
        return []
    words = wish.group(1).split()
    if len(words) == 1:
        return ["--view", words[0]]
    return [part for name, value in zip(words[::2], words[1::2]) for part in ("--" + name, value)]


def about(text):
    """The first paragraph of a scene's opening comment."""
    comment = re.match(r"\s*/\*(.*?)\*/", text, re.S)
    paragraph = comment.group(1).strip().split("\n\n")[0] if comment else ""
    return " ".join(paragraph.split())


def title_of(text, fallback):
    title = re.search(r'^\s*title "((?:[^"\\]|\\.)*)"', text, re.M)
    return title.group(1).replace('\\"', '"') if title else fallback


def draw(program, scene):
    """(picture's path, its text) of a scene; no text: it has nothing to show."""
    folder = scene.parent.relative_to(SCENES)
    text = scene.read_text(encoding="utf-8")
    if folder.parts[:1] == ("joints",):
        path, options = PICTURES / "joints" / (scene.stem + ".svg"), SMALL
    else:
        name = "-".join([*folder.parts, scene.stem])
        path, options = PICTURES / (name + ".svg"), SIZE
    result = subprocess.run([program, "draw", str(scene), "--json", *options, *view_of(text)],
                            capture_output=True, text=True, encoding="utf-8", check=False)
    if result.returncode != 0:
        sys.exit(f"{scene}: cannot be drawn\n{result.stdout}{result.stderr}")
    report = json.loads(result.stdout)
    return path, report["svg"] if report["solids"] > 0 else None


def gallery(scenes, pictures):
    page, folder = HEADER, None
    for scene, (path, svg) in zip(scenes, pictures):
        if svg is None or path.parent != PICTURES:
            continue
        text = scene.read_text(encoding="utf-8")
        if scene.parent != folder:
            if folder is not None:
                page += "</tr></table>\n"
            folder, column = scene.parent, 0
            page += f"\n## {folder.relative_to(SCENES).as_posix()}\n\n<table><tr>\n"
        if column > 0 and column % COLUMNS == 0:
            page += "</tr><tr>\n"
        column += 1
        title = escaped(title_of(text, scene.stem))
        link = f"../{scene.relative_to(ROOT).as_posix()}"
        page += (f'<td width="50%" valign="top"><a href="{link}"><img src="pictures/{path.name}" '
                 f'alt="{title}"></a><br>\n<b><a href="{link}">{title}</a></b><br>\n'
                 f"{escaped(about(text))}</td>\n")
    return page + ("</tr></table>\n" if folder is not None else "")


def escaped(text):
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace('"', "&quot;")


def main():
    arguments = sys.argv[1:]
    check = "--check" in arguments
    arguments = [a for a in arguments if a != "--check"]
    program = arguments[0] if arguments else str(ROOT / "build/release/tenon")
    scenes = sorted(SCENES.rglob("*.tenon"))
    with ThreadPoolExecutor(max_workers=2) as pool:
        pictures = list(pool.map(lambda scene: draw(program, scene), scenes))

    files = {path: svg for path, svg in pictures if svg is not None}
    files[PAGE] = gallery(scenes, pictures)
    stale = [path for path in PICTURES.rglob("*.svg") if path not in files]
    wrong = [path for path, text in files.items()
             if not path.exists() or path.read_text(encoding="utf-8") != text]
    if check:
        if stale or wrong:
            names = ", ".join(path.relative_to(ROOT).as_posix() for path in wrong + stale)
            sys.exit(f"not up to date: {names}: run tools/draw_pictures.py")
        return
    for path in wrong:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(files[path], encoding="utf-8")
    for path in stale:
        path.unlink()


if __name__ == "__main__":
    main()
