#!/usr/bin/env python3
"""What real scenes cost, over plain S5 and over before: `./dev bench --real`.

    bench/real_scenes.py PROGRAM              instructions, counted by callgrind: they repeat
    bench/real_scenes.py PROGRAM --time       the processor's time: all cases in turns, the least of each
                         [--before OTHER]     … beside a build from before
    bench/real_scenes.py PROGRAM --write      … and into docs/benchmarks.md, between markers
    bench/real_scenes.py PROGRAM --only damper,chair      some of the cases, by parts of their names
    bench/real_scenes.py PROGRAM --save FILE  also the plain counts, as CSV

PROGRAM is build/release/counted_bench. Each row is a case and a method. Its ratio is that of whole steps, over the
scene beside it in the same run, or over the count that a build from before had (bench/results/real-scenes-before.csv).
Beside the cost stands how good the same steps are."""

import argparse
import concurrent.futures
import csv
import json
import os
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

from count_instructions import count

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "benchmarks.md"
BEFORE = ROOT / "bench" / "results" / "real-scenes-before.csv"
METHODS = ("interactive", "energy")
STEPS = 59  # of 1/60 s: with the first, which is not counted, a second
SHORT = 30  # until then no limit of 3.1 rad is reached
PEOPLE = 4  # of S5: the lanes are full; all do the same


@dataclass
class Case:
    """`scene` over `over` (another scene of the same run), over before, or below a sum."""
    name: str
    scene: str
    must: float = None
    aim: float = None
    over: str = None
    before: bool = False      # over the count of the build from before
    parts: tuple = ()         # (factor, scene): the ratio is over their sum
    variant: str = "lanes"
    steps: int = STEPS
    methods: tuple = METHODS
    people: int = PEOPLE      # in it; costs over S5 are those of a person


def of_s5(name, what, must, aim, steps=STEPS):
    return Case(name, f"s5+{what}-{PEOPLE}", must, aim, over=f"s5-{PEOPLE}", steps=steps)


CASES = [
    Case("plain S5", f"s5-{PEOPLE}"),
    Case("plain S5, its first half second", f"s5-{PEOPLE}", steps=SHORT),
    Case("crowd of 25", "crowd-25", steps=30),
    Case("sphere on a spring, alone", "crowd+sphere-alone", steps=30),
    Case("crowd of 25 and the sphere, over 1.02 × the crowd + 1.2 × the sphere", "crowd+sphere-25", 1, 1.01 / 1.02, steps=30,
         parts=((1.02, "crowd-25"), (1.2, "crowd+sphere-alone"))),
    Case("200 figures", "s5-200", steps=10, people=200),
    Case("200 figures, one hand", "s5+hand-200", 1.3, 1.1, over="s5-200", steps=10, people=200),
    of_s5("limits of swing and twist, not reached", "limits", 1.5, 1.2, SHORT),
    of_s5("limits of rx, ry, rz, not reached", "limits-each", 1.5, 1.2, SHORT),
    of_s5("limits of swing and twist, reached", "limits-reached", 3, 2),
    of_s5("limits of rx, ry, rz, reached", "limits-each-reached", 3, 2),
    of_s5("damper", "damper", 2, 1.5),
    of_s5("drive", "drive", 2, 1.5),
    of_s5("spring", "spring", 2, 1.5),
    of_s5("`damp`", "damp", 2, 1.5),
    of_s5("drag", "drag", 2, 1.5),
    of_s5("friction", "friction", 6, 3),
    of_s5("`prefer`", "prefer", 6, 3),
    of_s5("animated root", "animated-root", 1.5, 1.2),
    of_s5("a force on each solid", "force", 1.5, 1.2),
    of_s5("a torque on each solid", "torque", 1.5, 1.2),
    of_s5("prescribed neck", "prescribed-neck", 1.5, 1.2),
    of_s5("one prismatic joint each", "prismatic", 3, 2),
    of_s5("one cylindrical joint each", "cylindrical", 3, 2),
    of_s5("rope from hand to hand, slack", "rope-slack", 3, 2),
    of_s5("rope from hand to hand, taut", "rope-taut", 3, 2),
    of_s5("distance from hand to hand", "distance", 3, 2),
    Case("the general way, S1-100", "s1-100", 1 / 3, 1 / 5, before=True, variant="general", steps=20),
    Case("marionette", "own:marionette", 1 / 5, 1 / 10, before=True, variant="scalar", steps=60),
    Case("hand", "own:hand", 1 / 5, 1 / 10, before=True, variant="scalar", steps=60),
    Case("chair", "own:chair", 1 / 5, 1 / 10, before=True, variant="scalar", steps=60),
    Case("monocycle", "own:monocycle", 1 / 5, 1 / 10, before=True, variant="scalar", steps=60),
    Case("otary", "own:otary", 1 / 5, 1 / 10, before=True, variant="scalar", steps=60),
    Case("Stewart platform", "own:stewart-platform", 1 / 5, 1 / 10, before=True, variant="scalar", steps=60),
    Case("slider-crank", "own:slider-crank", 1 / 5, 1 / 10, before=True, variant="scalar", steps=60),
    Case("strandbeest", "own:strandbeest", 1 / 5, 1 / 10, before=True, variant="scalar", steps=20),
    Case("S1-20", "s1-20", 1.03, 0.95, before=True, variant="scalar", steps=59),
    Case("S1-100", "s1-100", 1.03, 0.95, before=True, variant="scalar", steps=20),
    Case("S1-1000", "s1-1000", 1.03, 0.95, before=True, variant="scalar", steps=5),
    Case("S2-100", "s2-100", 1.03, 0.95, before=True, variant="scalar", steps=20),
    Case("S3", "s3", 1.03, 0.95, before=True, variant="lanes", steps=10),
    Case("S4", "s4", 1.03, 0.95, before=True, variant="scalar", steps=59),
    Case("S5", f"s5-{PEOPLE}", 1.03, 0.95, before=True),
    Case("S6", "s6", 1.03, 0.95, before=True, variant="scalar", steps=1, methods=("track",)),
    Case("R1", f"r1-{PEOPLE}"),
]


@dataclass
class Measured:
    case: Case
    method: str
    solids: int = 0
    cost: float = None        # instructions or microseconds, a step
    before: float = None      # the same of the build from before, if it was timed, too
    quality: dict = field(default_factory=dict)
    failed: str = ""

    @property
    def key(self):
        return self.case.scene, self.method, self.case.variant, self.case.steps


def run(program, measured, *mode):
    case = measured.case
    return subprocess.run([program, case.scene, measured.method, case.variant, str(case.steps), *mode],
                          capture_output=True, text=True, check=False)


def problem_of(result):
    """What went wrong, in short."""
    said = (result.stderr or result.stdout).strip().split("\n")[0]
    return said.split("error: ")[-1].split(" (and ")[0].split(";")[0]


def look(program, measured):
    """How good the steps are; a case that the program does not know says so."""
    if measured.method == "track":
        return
    result = run(program, measured, "report")
    if result.returncode:
        measured.failed = problem_of(result)
    else:
        measured.quality = json.loads(result.stdout)


def count_one(program, measured):
    case = measured.case
    row = count(program, (case.scene, measured.method, case.variant, case.steps))
    measured.solids, measured.cost = row["solids"], row["instructions"] / case.steps


def work_of(measured):
    """About how much there is to do: iterations of solids, many times as dear by rows."""
    q = measured.quality
    dear = 1 if q.get("fast", 0) == q.get("steps") else 20
    return dear * q.get("solids", 0) * q.get("steps", 0) * q.get("iterations", 0)


def time_all(program, all_measured, rounds, before):
    for turn in range(rounds):
        for measured in all_measured:
            if measured.failed:
                continue
            result = run(program, measured, "time")
            if result.returncode:
                measured.failed = problem_of(result)
                continue
            solids, microseconds = map(float, result.stdout.split())
            measured.solids = int(solids)
            cost = microseconds * solids
            measured.cost = cost if measured.cost is None else min(cost, measured.cost)
            if before and measured.case.before:
                result = run(before, measured, "time")
                if result.returncode == 0:
                    solids, microseconds = map(float, result.stdout.split())
                    measured.before = min(solids * microseconds, measured.before or float("inf"))
        print(f"round {turn + 1} of {rounds}", file=sys.stderr, flush=True)


# ------------------------------------------------------------------------------------------ table

def number(value, digits=2):
    if value is None:
        return "–"
    if value == 0:
        return "0"
    return f"{value:.{digits}g}"


def plain(value):
    """Large numbers in full, small ones to three digits."""
    if value is None:
        return "–"
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def ways_of(quality):
    """At the start and, if they differ, at the end: `8 tree kernel`."""
    def say(ways):
        return ", ".join(f"{way['islands']} {way['way']}" + (f" ({way['why']})" if way["why"] else "")
                         for way in ways) or "–"
    start, end = say(quality.get("ways_start", [])), say(quality.get("ways_end", []))
    return start if start == end else f"{start} → {end}"


def ratio_of(measured, costs, before):
    case = measured.case
    if measured.cost is None:
        return None
    if case.over:
        other = costs.get((case.over, measured.method, case.steps))
        return measured.cost / case.people / other if other else None
    if case.parts:
        parts = [costs.get((scene, measured.method, case.steps)) for _, scene in case.parts]
        return measured.cost / sum(f * c for (f, _), c in zip(case.parts, parts)) if all(parts) else None
    if case.before:
        old = measured.before or before.get(measured.key)
        return measured.cost / old if old else None
    return None


def verdict(case, ratio):
    if case.must is None:
        return ""
    if ratio is None:
        return "?"
    return "**aim reached**" if ratio <= case.aim else "**met**" if ratio <= case.must else "missed"


def rows_of(all_measured, before, timed):
    costs = {(m.case.scene, m.method, m.case.steps): m.cost / (m.case.people if m.case.scene.startswith("s5") else 1)
             for m in all_measured if m.cost and m.case.variant == "lanes"}
    rows = []
    for m in all_measured:
        case, q = m.case, m.quality
        if m.failed:
            rows.append([case.name, f"`{m.method}`", *["–"] * 11, m.failed])
            continue
        ratio = ratio_of(m, costs, before)
        steps = q.get("steps", 0)
        rows.append([
            case.name, f"`{m.method}`", plain(m.cost / m.solids) if m.cost else "–", plain(ratio),
            number(case.must, 3), number(case.aim, 3), verdict(case, ratio),
            number(q.get("error")), number(q.get("range")), number(q.get("drift")),
            number(q.get("iterations"), 3),
            f"{q['halved']} of {steps}" if q.get("halved") else "0" if q else "–",
            f"{q['unconverged']} of {steps}" if q.get("unconverged") else "0" if q else "–",
            (ways_of(q) + (f"; {q['fast']} of {steps} by kernels alone" if 0 < q.get("fast", 0) < steps else ""))
            if q else ""])
    return rows


HEAD = ["case", "method", "{}", "ratio", "must", "aim", "", "joints [m, rad]", "limits passed by", "energy drift",
        "iterations", "halved", "not converged", "islands"]

TIMED = """By time: `./dev bench --real --time` writes this table: all cases in turns, and the least time of each. A cost is µs of the
processor per dynamic solid and step."""

TEXT = """`./dev bench --real` writes this section. A cost is instructions per dynamic solid and step. A ratio compares
whole steps with plain S5 of as many people in the same run. In the rows from the general way on it compares them with the
engine as it was when the issue began. S5 has ball joints, so whatever is said of coordinates is on `rx`, `ry` and `rz` of
each joint. Its people fall for a second, in steps of 1/60 s. The scenes with names run as they are written, in their own steps.

- Joints and limits: the largest error after any step. Energy drift: what neither work nor friction explains, over the
  range of the potential energy (`interactive` damps, so it has none). A hand is a joint that gives: its error is how far.
- Iterations per step are those of the island that takes most. Halved and not converged: how many of the steps.
- Islands: which way each goes at the start (→ and at the end), and what keeps it from the kernels."""


def table(head, rows):
    return "\n".join("| " + " | ".join(str(cell) for cell in row) + " |"
                     for row in [head, ["---"] * len(head), *rows])


def page_of(all_measured, before, timed):
    head = [cell.format("µs" if timed else "instructions") for cell in HEAD]
    return (TIMED if timed else TEXT) + "\n\n" + table(head, rows_of(all_measured, before, timed))


def read_before(timed):
    if timed or not BEFORE.exists():
        return {}
    with open(BEFORE, newline="", encoding="utf-8") as file:
        return {(r["scene"], r["method"], r["variant"], int(r["steps"])): float(r["instructions_per_step"])
                for r in csv.DictReader(file)}


def save(all_measured, path, timed):
    with open(path, "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        unit = "microseconds_per_step" if timed else "instructions_per_step"
        writer.writerow(["scene", "method", "variant", "steps", "solids", unit])
        for m in all_measured:
            if m.cost is not None:
                writer.writerow([*m.key, m.solids, f"{m.cost:.6g}" if timed else round(m.cost)])


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("program")
    parser.add_argument("--time", action="store_true")
    parser.add_argument("--before", help="counted_bench of a build from before, for --time")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--only", default="", help="parts of names, by commas")
    parser.add_argument("--method", default="", help="one of them")
    parser.add_argument("--write", action="store_true", help=f"into {PAGE.name}")
    parser.add_argument("--save", help="the costs, as CSV")
    parser.add_argument("--alone", default="", help="cases with one person only, by parts of names: slow ones")
    parser.add_argument("--bare", action="store_true", help="costs only")
    options = parser.parse_args()
    parts = [part.lower() for part in options.only.split(",") if part]
    chosen = [case for case in CASES
              if not parts or any(part in (case.name + " " + case.scene).lower() for part in parts)]
    alone = [part.lower() for part in options.alone.split(",") if part]
    for case in CASES:
        if case.over == f"s5-{PEOPLE}" and any(part in case.scene for part in alone):
            case.scene, case.people = case.scene.rsplit("-", 1)[0] + "-1", 1
    # What ratios are over is measured, too.
    needed = {case.over for case in chosen} | {scene for case in chosen for _, scene in case.parts}
    chosen = [case for case in CASES
              if case in chosen or (case.scene in needed and not case.before and case.variant == "lanes")]
    all_measured = [Measured(case, method) for case in chosen for method in case.methods
                    if not options.method or method == options.method]
    jobs = int(os.environ.get("JOBS", os.cpu_count()))
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        if not options.bare:
            list(pool.map(lambda m: look(options.program, m), all_measured))
        if not options.time:
            def counted(m):
                if m.failed:
                    return
                try:
                    count_one(options.program, m)
                except SystemExit as problem:
                    m.failed = str(problem).split("\n", maxsplit=1)[0]
                else:
                    print(f"{m.case.name}, {m.method}: {m.cost / m.solids:,.0f}", file=sys.stderr, flush=True)
            # The slow ones first, so that no processor waits for the last of them.
            list(pool.map(counted, sorted(all_measured, key=lambda m: -work_of(m))))
    if options.time:
        time_all(options.program, all_measured, options.rounds, options.before)
    if options.save:
        save(all_measured, options.save, options.time)
    text = page_of(all_measured, read_before(options.time), options.time)
    if not options.write:
        print(text)
        return
    page = PAGE.read_text(encoding="utf-8")
    name = "real scenes, time" if options.time else "real scenes"
    start, end = f"<!-- {name} -->", f"<!-- end of {name} -->"
    PAGE.write_text(page[:page.index(start)] + f"{start}\n{text}\n" + page[page.index(end):], encoding="utf-8")


if __name__ == "__main__":
    main()
