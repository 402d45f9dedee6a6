#!/usr/bin/env python3
"""Checks docs/paper-to-code.md: every path that it names in `…` exists, every test that it names as
`Suite.Case` is written somewhere in tests/, and every paper that code cites as [Name §…] is in it.

    tools/check_paper_map.py
"""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "docs/paper-to-code.md"
PATH = re.compile(r"^[\w.-]+(/[\w.-]+)+/?$|^[\w-]+\.(md|py|tenon|h|cpp)$")
TEST = re.compile(r"^([A-Z]\w*)\.([A-Z]\w*)$")
CITATION = re.compile(r"\[([A-Z][A-Za-z]+(?:19|20)\d\d)\b[^\]]*\]")


def main():
    text = PAGE.read_text(encoding="utf-8")
    wrong = []
    sources = [path for folder in ("engine", "cli", "tests") for ending in ("h", "cpp")
               for path in (ROOT / folder).rglob("*." + ending)]
    contents = {path: path.read_text(encoding="utf-8") for path in sources}
    tests = {match for path, content in contents.items() if "tests" in path.relative_to(ROOT).parts
             for match in re.findall(r"TEST(?:_[FP])?\(\s*(\w+),\s*(\w+)\)", content)}
    paths = 0
    for number, line in enumerate(text.splitlines(), 1):
        for quoted in re.findall(r"`([^`]+)`", line):
            if PATH.match(quoted):
                paths += 1
                if not (ROOT / quoted).exists():
                    wrong.append(f"docs/paper-to-code.md:{number}: there is no {quoted}")
            elif TEST.match(quoted) and TEST.match(quoted).groups() not in tests:
                wrong.append(f"docs/paper-to-code.md:{number}: there is no test {quoted}")
    for path, content in contents.items():
        for paper in set(CITATION.findall(content)):
            if f"[{paper}]" not in text:
                wrong.append(f"{path.relative_to(ROOT)}: cites {paper}, which docs/paper-to-code.md "
                             "does not know")
    if wrong:
        sys.exit("\n".join(wrong))
    print(f"paper map: {paths} paths exist")


if __name__ == "__main__":
    main()
