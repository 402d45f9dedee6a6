#!/usr/bin/env python3
"""Instructions of the main scenes, counted by callgrind, against bench/baseline.csv.

    bench/count_instructions.py PROGRAM --check      `./dev bench --check`
    bench/count_instructions.py PROGRAM --baseline   `./dev bench --baseline`

PROGRAM is build/release/counted_bench. Counts repeat from run to run, so that a change of some percent is a
change of the program. Those of the variant `lanes` depend on the machine (which registers it has), the
others only through the C library's way to copy memory."""

import argparse
import concurrent.futures
import csv
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

BASELINE = Path(__file__).parent / "baseline.csv"
FIELDS = ["scene", "method", "variant", "solids", "steps", "instructions_per_solid_step", "instructions"]
ALLOWED = 0.03  # growth

# Scene, steps. The first step is not counted.
STEPPED = [("s1-20", 60), ("s1-100", 20), ("s1-1000", 5), ("s2-100", 20), ("s3", 10), ("s4", 60),
           ("s5-10", 20), ("link-grid-10", 5), ("marionette", 20), ("strandbeest", 5)]
CASES = [(scene, method, "scalar", steps) for scene, steps in STEPPED
         for method in ("interactive", "energy")]
CASES += [("s5-10", method, "lanes", 20) for method in ("interactive", "energy")]
CASES += [(scene, method, "general", 10) for scene in ("s1-20", "s5-10")
          for method in ("interactive", "energy")]
CASES += [("s6", "track", "scalar", 1)]
# What real scenes have, on four people of S5 (bench/cases/variations.cpp), and scenes as they are written.
CASES += [(scene, method, "lanes", 20) for scene in
          ("crowd+sphere-25", "s5+limits-4", "s5+limits-reached-4", "s5+damper-4", "s5+drive-4", "s5+spring-4",
           "s5+damp-4", "s5+drag-4", "s5+animated-root-4", "s5+force-4", "s5+torque-4", "s5+prescribed-neck-4",
           "s5+prismatic-4", "s5+cylindrical-4", "s5+rope-slack-4", "r1-4")
          for method in ("interactive", "energy")]
# Slow ones, on one person.
CASES += [(scene, method, "lanes", 20) for scene in
          ("s5+friction-1", "s5+prefer-1", "s5+rope-taut-1", "s5+distance-1") for method in ("interactive", "energy")]
CASES += [("s5+hand-200", method, "lanes", 3) for method in ("interactive", "energy")]
CASES += [(f"own:{scene}", method, "scalar", 10) for scene in
          ("marionette", "hand", "chair", "monocycle", "otary", "stewart-platform", "slider-crank")
          for method in ("interactive", "energy")]


def count(program, case):
    scene, method, variant, steps = case
    with tempfile.TemporaryDirectory() as folder:
        result = subprocess.run(
            ["valgrind", "--tool=callgrind", "--collect-atstart=no", "--toggle-collect=countedSteps",
             f"--callgrind-out-file={folder}/out", program, scene, method, variant, str(steps)],
            capture_output=True, text=True, check=False)
    collected = re.search(r"Collected : (\d+)", result.stderr)
    if result.returncode != 0 or not collected or collected.group(1) == "0":
        sys.exit(f"{' '.join(map(str, case))}: {result.stdout}{result.stderr}")
    solids, instructions = int(result.stdout.split()[0]), int(collected.group(1))
    return {"scene": scene, "method": method, "variant": variant, "solids": solids, "steps": steps,
            "instructions_per_solid_step": round(instructions / solids / steps),
            "instructions": instructions}


def key(row):
    return row["scene"], row["method"], row["variant"]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("program")
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("--check", action="store_true", help=f"fail where a count grew by {ALLOWED:.0%}")
    what.add_argument("--baseline", action="store_true", help=f"write {BASELINE.name} anew")
    parser.add_argument("names", nargs="*", help="parts of `scene/method/variant`")
    options = parser.parse_intermixed_args()
    if options.baseline and options.names:
        parser.error("a baseline has all cases")
    cases = [case for case in CASES
             if not options.names or any(name in "/".join(case[:3]) for name in options.names)]
    before = {}
    if BASELINE.exists():
        with open(BASELINE, newline="", encoding="utf-8") as file:
            before = {key(row): int(row["instructions"]) / int(row["steps"])
                      for row in csv.DictReader(file)}
    rows, grown = [], []
    print(f"{'scene':22} {'method':12} {'variant':8} {'a solid and step':>16} {'all':>14}  against the baseline")
    with concurrent.futures.ThreadPoolExecutor(int(os.environ.get("JOBS", os.cpu_count()))) as pool:
        for row in pool.map(lambda case: count(options.program, case), cases):
            rows.append(row)
            old = before.get(key(row))
            change = row["instructions"] / row["steps"] / old - 1 if old else None
            verdict = "is new" if change is None else f"{change:+.2%}"
            if change is not None and change > ALLOWED:
                grown.append("/".join(key(row)))
                verdict += "  too much"
            print(f"{row['scene']:22} {row['method']:12} {row['variant']:8} "
                  f"{row['instructions_per_solid_step']:16,} {row['instructions']:14,}  {verdict}",
                  flush=True)
    if options.baseline:
        with open(BASELINE, "w", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, FIELDS, lineterminator="\n")
            writer.writeheader()
            writer.writerows(rows)
        print(f"\nwritten: bench/{BASELINE.name}")
    elif grown:
        sys.exit(f"\n{len(grown)} of {len(rows)} grew by more than {ALLOWED:.0%}: {', '.join(grown)}")
    else:
        print(f"\nnone of {len(rows)} grew by more than {ALLOWED:.0%}")


if __name__ == "__main__":
    main()
