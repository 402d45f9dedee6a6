#!/usr/bin/env python3
"""Objects that are compiled for newer machines than the rest keep what is in them to themselves.

    tools/check_wide_objects.py OBJECT...

A weak symbol in such an object (an inline function that was not inlined) may become the one copy of it that the
linker keeps, and then runs on machines that do not have its instructions, or is called the wrong way. Looks at
the objects whose names have `avx2` in them; fails if there is none, or one with a weak symbol.
"""

import subprocess
import sys


def weak_symbols(path):
    lines = subprocess.run(["nm", "--defined-only", "--demangle", path], capture_output=True, text=True,
                           check=True).stdout.splitlines()
    return [line for line in lines if len(line.split()) > 1 and line.split()[1] in "WVu"]


def main(paths):
    wide = [path for path in paths if "avx2" in path]
    found = [f"{path}: {symbol}" for path in wide for symbol in weak_symbols(path)]
    for line in found:
        print(line)
    print(f"wide objects: {len(wide)}, weak symbols: {len(found)}")
    return 1 if found or not wide else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
