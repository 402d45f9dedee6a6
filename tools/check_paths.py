#!/usr/bin/env python3
"""No file of the project may name a place outside it: a person's folder, a package registry.

    tools/check_paths.py

Looks at all files that git tracks or would track. Prints file:line of each find, and exits 1.
"""

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent

# Written in pieces, so that this file does not accuse itself.
FORBIDDEN = re.compile("|".join([
    r"\.\./" + r"shared\b",
    r"(?<![\w.~}])/" + r"(?:work|home|root|Users|mnt)/[\w.-]",
    r"\b[A-Z]:" + r"\\\\?Users\b",
    r"\bregistry\." + r"(?:npmjs|yarnpkg)\.",
    r"\bfiles\." + r"pythonhosted\.",
]))


def main():
    names = subprocess.run(["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
                           cwd=ROOT, capture_output=True, check=True).stdout.decode().split("\0")
    finds = 0
    for name in filter(None, names):
        path = ROOT / name
        if not path.is_file():
            continue
        try:
            lines = path.read_text(encoding="utf-8").splitlines()
        except UnicodeDecodeError:
            continue  # binary
        for number, line in enumerate(lines, 1):
            if FORBIDDEN.search(line):
                finds += 1
                print(f"{name}:{number}: {line.strip()[:120]}")
    if finds:
        sys.exit(f"{finds} paths or addresses from outside the project")
    print(f"stray paths: none in {len(names) - 1} files")


if __name__ == "__main__":
    main()
