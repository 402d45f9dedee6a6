#!/usr/bin/env python3
"""What a large scene costs: time and peak memory of `tenon info` by the number of solids.

    bench/large_scene.py [PROGRAM]      prints a table in Markdown

Two texts of the same chain: one that repeats a block, one with every solid and joint written out.
PROGRAM is build/release/tenon unless given.
"""

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).parent.parent
PROGRAM = sys.argv[1] if len(sys.argv) > 1 else str(ROOT / "build/release/tenon")


def repeated(n):
    return (f"repeat i 0 {n - 1}\n"
            "  solid link-(i)\n    box 1 0.1 0.1;\n    density 750;\n    at (i + 0.5) 0 0;\n  end\n"
            "  if (i > 0)\n    joint ball joint-(i)\n      object1 link-(i - 1);\n"
            "      object2 link-(i);\n      at (i) 0 0;\n    end\n  end\nend\n"
            "joint ball joint-0\n  object2 link-0;\nend\n")


def written(n):
    parts = ["joint ball joint-0\n  object2 link-0;\nend\n"]
    for i in range(n):
        parts.append(f"solid link-{i}\n  box 1 0.1 0.1;\n  density 750;\n  at {i}.5 0 0;\nend\n")
        if i:
            parts.append(f"joint ball joint-{i}\n  object1 link-{i - 1};\n  object2 link-{i};\n"
                         f"  at {i} 0 0;\nend\n")
    return "".join(parts)


def run(path, command):
    """Seconds and peak bytes of one run."""
    start = time.perf_counter()
    process = subprocess.Popen([PROGRAM, *command, str(path), "--json"], stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    if status != 0:
        sys.exit(f"{PROGRAM} {command} failed on {path}")
    return time.perf_counter() - start, usage.ru_maxrss * 1024


def main():
    print("| text | solids | text [MB] | `check` [s] | `info` [s] | µs a solid | peak [MB] | bytes a solid |")
    print("|---|---|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        empty = Path(folder) / "empty.tenon"
        empty.write_text("solid a\n  sphere 1;\nend\n")
        _, base = run(empty, ["info"])
        for name, make in (("repeated", repeated), ("written out", written)):
            for n in (1000, 10_000, 100_000):
                path = Path(folder) / "scene.tenon"
                path.write_text(make(n))
                check, _ = run(path, ["check"])
                info, peak = run(path, ["info"])
                print(f"| {name} | {n:,} | {path.stat().st_size / 1e6:.1f} | {check:.2f} | {info:.2f} "
                      f"| {info / n * 1e6:.1f} | {peak / 1e6:.0f} | {(peak - base) / n:,.0f} |")


main()
