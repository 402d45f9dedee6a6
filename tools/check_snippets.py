#!/usr/bin/env python3
"""Checks that the C++ in pages of the documentation is a piece of a program that runs.

    tools/check_snippets.py [PAGE…]        default: docs/hello.md and README.md

Each block ```cpp of a page must stand, line after line, in a file of examples/. So must each block without a
language that begins like a scene (`solid`, `joint`, …). It may be indented there. docs/hello.md names every program.
"""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.M | re.S)


def wanted(language, text):
    return language == "cpp" or (language == "" and re.match(r"(solid|joint)\b", text))


def stands_in(block, program):
    """Whether the lines of `block` follow each other in `program`, all indented by the same."""
    lines = block.rstrip("\n").split("\n")
    for first in range(len(program) - len(lines) + 1):
        indent = " " * (len(program[first]) - len(program[first].lstrip()))
        if all(theirs == (indent + ours if ours else "") for ours, theirs in zip(lines, program[first:])):
            return True
    return False


def strays(page, programs):
    """(line, first line of the block) of those that no program has; and how many blocks were looked for."""
    found, looked = [], 0
    for match in BLOCK.finditer(page):
        language, block = match.groups()
        if not wanted(language, block):
            continue
        looked += 1
        if not any(stands_in(block, program) for program in programs):
            found.append((page.count("\n", 0, match.start()) + 1, block.split("\n")[0]))
    return found, looked


def main(pages):
    programs = [path.read_text(encoding="utf-8").split("\n")
                for path in sorted((ROOT / "examples").glob("*")) if path.suffix in (".cpp", ".h", ".tenon")]
    hello = (ROOT / "docs/hello.md").read_text(encoding="utf-8")
    looked = bad = 0
    for path in sorted((ROOT / "examples").glob("*.cpp")):
        if f"../examples/{path.name}" not in hello:
            bad += 1
            print(f"docs/hello.md does not name examples/{path.name}")
    for page in pages:
        found, count = strays(Path(page).read_text(encoding="utf-8"), programs)
        looked += count
        for line, first in found:
            bad += 1
            print(f"{page}:{line}: no example has the block that begins: {first}")
    print(f"snippets: {looked} blocks, {bad} strays")
    return 1 if bad or not looked else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:] or [ROOT / "docs/hello.md", ROOT / "README.md"]))
