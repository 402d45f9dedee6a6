#!/usr/bin/env python3
"""How assembly fares: from scattered solids, within the papers' budgets, by solver, by size.

    bench/assembly.py [--seeds N] [--only PART,…] [--dry] [PROGRAM]

Runs `tenon assemble` and writes its tables into docs/benchmarks.md, each between its two markers, and
the plot docs/plots/assembly.svg. --seeds: scattered starts of each scene (default 100; 10 to see that
it works). --only: some of the parts scatter, budgets, star, solvers, time, large, plot. --dry: print
the tables, write nothing. PROGRAM is build/release/tenon unless given.

Times are the program's own `time_ms`: assembling alone, without reading the scene and without the
diagnosis. Run it on a machine that does nothing else.
"""

import argparse
import csv
import json
import math
import random
import re
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "docs/benchmarks.md"
PLOT = ROOT / "docs/plots/assembly.svg"
SCENES = ROOT / "scenes"
FIG3 = SCENES / "faure/fig3-bound-characters.tenon"
FIG5 = SCENES / "faure/fig5-structure.tenon"
SCATTERED = ["faure/fig2-bar-and-discs", "faure/fig3-bound-characters", "faure/fig5-structure",
             "linkages/four-bar", "linkages/slider-crank", "linkages/jansen-leg",
             "linkages/stewart-platform", "linkages/bricard", "linkages/n-four-bar",
             "linkages/scissor-lift", "figures/marionette", "linkages/strandbeest"]
FREE = {"linkages/strandbeest": ["--set", "held=0"]}  # what its scene holds, for those who watch it
ITERATIVE = ["cg", "bicg", "minres", "block-cg"]
NEWTON = ["--method", "newton", "--solver", "direct"]
CLOSED = 1e-10
REPEATED = 5  # runs of which a time is the median


class Bench:
    def __init__(self, program, seeds, folder):
        self.program, self.seeds, self.folder = program, seeds, Path(folder)

    def assemble(self, scene, *options, text=None):
        """The report of one run; a run that fails to give one ends the bench."""
        result = subprocess.run([self.program, "assemble", str(scene), "--json", *options], input=text,
                                capture_output=True, text=True, encoding="utf-8", check=False)
        try:
            report = json.loads(result.stdout)
            report["status"]
        except (ValueError, KeyError):
            sys.exit(f"tenon assemble {scene} {' '.join(options)}: {result.stdout}{result.stderr}")
        return report

    def timed(self, *arguments, **options):
        """The same, with the median of several times."""
        reports = [self.assemble(*arguments, **options) for _ in range(REPEATED)]
        return {**reports[0], "time_ms": statistics.median(r["time_ms"] for r in reports)}

    def write(self, name, text):
        path = self.folder / name
        path.write_text(text, encoding="utf-8")
        return path

    def dragged_fig5(self, distance):
        """Figure 5 is closed as written. Here its hind feet stand, and its head is drawn aside by so
        many metres, as by a pointer."""
        places = self.folder / "places.csv"
        self.assemble(FIG5, "-o", str(places))
        with open(places, newline="", encoding="utf-8") as file:
            place = {row["solid"]: [float(row[axis]) for axis in "xyz"] for row in csv.DictReader(file)}
        text = FIG5.read_text(encoding="utf-8")
        for solid, move in (("hind.left.foot", (0, 0, 0)), ("hind.right.foot", (0, 0, 0)),
                            ("head", (-0.6 * distance, 0.6 * distance, 0.53 * distance))):
            target = " ".join(f"{x + d:.9f}" for x, d in zip(place[solid], move))
            text += (f"\njoint ball held-{solid.replace('.', '-')}\n  object2 {solid};\n"
                     f"  point1 {target};\n  point2 0 0 0;\nend\n")
        return self.write(f"fig5-{distance}.tenon", text)


def table(head, rows):
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    return "\n".join(lines + ["| " + " | ".join(str(cell) for cell in row) + " |" for row in rows])


def number(value, digits=2):
    return "–" if value is None else f"{value:.{digits}g}"


def milliseconds(value):
    return f"{value:.2f}" if value < 100 else f"{value:.0f}"


def median(values):
    return statistics.median(values) if values else None


def percentile(values, share):
    values = sorted(values)
    return values[min(len(values) - 1, math.ceil(share * len(values)) - 1)]


# ------------------------------------------------------------------------------------------- parts

def rotated(q, v):
    x, y, z, w = q
    cross = lambda a, b: (a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2],
                          a[0] * b[1] - a[1] * b[0])
    t = [2 * c for c in cross((x, y, z), v)]
    return [v[i] + w * t[i] + cross((x, y, z), t)[i] for i in range(3)]


# Joints whose axes have to point the same way, by the axes that are checked.
AXES = {"pin": [(1, 0, 0)], "cylindrical": [(1, 0, 0)], "screw": [(1, 0, 0)],
        "prismatic": [(1, 0, 0), (0, 1, 0)], "weld": [(1, 0, 0), (0, 1, 0)]}


def axes_of(bench, scene):
    """(solid1, orientation1, solid2, orientation2, axes) of the joints of a scene, from its flat text."""
    flat = subprocess.run([bench.program, "print", str(scene)], capture_output=True, text=True,
                          encoding="utf-8", check=True).stdout
    joints = []
    for kind, block in re.findall(r"^joint (\S+) \S+\n(.*?)^end$", flat, re.M | re.S):
        words = {line.split()[0]: line.strip(" ;").split()[1:] for line in block.splitlines()}
        if kind in AXES:
            joints.append([part for n in "12" for part in
                           (words.get("object" + n, [None])[0],
                            [float(x) for x in words["orientation" + n]])] + [AXES[kind]])
    return joints


def is_upside_down(joints, places):
    """Whether an axis of a joint, at the poses of a table, points against its counterpart."""
    with open(places, newline="", encoding="utf-8") as file:
        turned = {row["solid"]: [float(row[c]) for c in ("qx", "qy", "qz", "qw")]
                  for row in csv.DictReader(file)}
    turned[None] = [0, 0, 0, 1]
    for solid1, q1, solid2, q2, axes in joints:
        for axis in axes:
            a, b = (rotated(turned[s], rotated(q, axis)) for s, q in ((solid1, q1), (solid2, q2)))
            if sum(x * y for x, y in zip(a, b)) < 0.999:
                return True
    return False


def scatter(bench):
    rows = []
    places = bench.folder / "places.csv"
    for name in SCATTERED:
        scene = SCENES / (name + ".tenon")
        joints = axes_of(bench, scene)
        reports = []
        for seed in range(1, bench.seeds + 1):
            report = bench.assemble(scene, *FREE.get(name, []), "--scatter", str(seed), "--tolerance", str(CLOSED),
                                    "-o", str(places))
            reports.append({**report, "upside_down": is_upside_down(joints, places)})
        good = [r for r in reports if r["status"] == "converged" and r["max_error"] <= CLOSED and
                not r["upside_down"]]
        failed = [str(seed) for seed, r in enumerate(reports, 1) if r not in good]
        rows.append([name, f"{len(good)} of {len(reports)}",
                     number(median([r["start_error"] for r in reports])),
                     number(median([r["iterations"] for r in good]), 4),
                     max((r["iterations"] for r in good), default="–"),
                     sum(r["restarts"] > 0 for r in good), sum(r["restarts"] for r in good),
                     milliseconds(median([r["time_ms"] for r in good]) or 0),
                     ", ".join(failed) or "–"])
        print(" ", *rows[-1], file=sys.stderr)
    return (f"Every free solid starts at a random place with a random orientation (`--scatter`, seeds 1 to "
            f"{bench.seeds}). `newton` with `direct` closes the joints to {CLOSED:g}. Here closed also means "
            "the right way round: the axes of pins, slides and welds point the same way. This script checks that "
            "in the poses that were written. Iterations include the iterations of restarts.\n\n" +
            table(["scene", "closed", "start error [m]", "iterations (median)", "most", "runs restarted",
                   "restarts", "ms (median)", "seeds that failed"], rows))


def budgets(bench):
    near, far = bench.dragged_fig5(0.05), bench.dragged_fig5(0.5)
    rows = []
    for title, scene, options, geometric, linear in (
            ("fig. 3, as written", FIG3, [], 6, 30),
            ("fig. 5, head drawn 5 cm aside", near, [], 2, 5),
            ("fig. 5, head drawn 5 cm aside", near, [], 3, 50),
            ("fig. 5, head drawn 10 cm aside", bench.dragged_fig5(0.1), [], 3, 50),
            ("fig. 5, head drawn 50 cm aside", far, [], 2, 5),
            ("fig. 5, head drawn 50 cm aside", far, [], 3, 50),
            ("fig. 5, scattered", FIG5, ["--scatter", "1"], 3, 50)):
        runs = [(f"displacement, bicg, {geometric} × {linear}",
                 ["--method", "displacement", "--solver", "bicg", "--iterations", str(geometric),
                  "--linear-iterations", str(linear)])]
        if (geometric, linear) != (2, 5):
            runs += [(f"displacement, direct, {geometric}",
                      ["--method", "displacement", "--solver", "direct", "--iterations",
                       str(geometric)]), ("newton, direct", NEWTON)]
        for how, more in runs:
            report = bench.timed(scene, *options, *more, "--tolerance", str(CLOSED))
            path = bench.folder / "last.csv"
            bench.assemble(scene, *options, *more, "--tolerance", str(CLOSED), "--trace", str(path))
            with open(path, newline="", encoding="utf-8") as file:
                last = float(list(csv.DictReader(file))[-1]["error"])
            rows.append([title, how, report["iterations"], report["linear_iterations"] or "–",
                         number(report["start_error"]), number(last), number(report["max_error"]),
                         milliseconds(report["time_ms"])])
    return ("The paper's user would see the largest error after the last iteration. Tenon never returns a "
            "pose that is worse than the start.\n\n" +
            table(["scene", "method", "iterations", "linear", "start error", "after the last",
                   "returned", "ms"], rows))


def star(bench):
    scene = SCENES / "gascuel/star.tenon"
    rows = []
    for title, options in (("weights 1/max(nᵢ, nⱼ)", []), ("plain sum", ["--plain-sum"])):
        path = bench.folder / "star.csv"
        report = bench.assemble(scene, "--method", "relaxation", "--iterations", "20", "--trace",
                                str(path), *options)
        with open(path, newline="", encoding="utf-8") as file:
            errors = {int(row["iteration"]): float(row["error"]) for row in csv.DictReader(file)}
        errors[0] = report["start_error"]
        rows.append([title, *(number(errors.get(i), 3) for i in (0, 1, 2, 3, 5, 10, 20)),
                     report["status"]])
    return ("The table shows the error after each number of iterations of `relaxation`. Tenon returns the "
            "best state, even if the iterations diverge.\n\n" +
            table(["corrections", "0", "1", "2", "3", "5", "10", "20", "status"], rows))


def tree_with_loops(solids, loops, seed=1):
    """Balls at random places joined to a random tree, and `loops` more joints; then all is moved a bit.

    Consistent by construction: each joint is at the middle between its two solids."""
    random_numbers = random.Random(seed)
    draw = lambda size: [random_numbers.uniform(-size, size) for _ in range(3)]
    places = [draw(2) for _ in range(solids)]
    pairs = [(random_numbers.randrange(max(0, i - 8), i), i) for i in range(1, solids)]
    while len(pairs) < solids - 1 + loops:
        a, b = sorted(random_numbers.sample(range(solids), 2))
        if (a, b) not in pairs:
            pairs.append((a, b))
    text = "gravity 0 0 0;\n"
    words = lambda v: " ".join(f"{x:.12f}" for x in v)
    for i, place in enumerate(places):
        moved = [x + d for x, d in zip(place, draw(0.05))]
        text += (f"solid s{i}\n  box 0.4 0.3 0.2;\n  at {words(moved)};\n"
                 f"  turn {words(draw(1))} {random_numbers.uniform(-0.1, 0.1):.12f};\nend\n")
    for j, (a, b) in enumerate(pairs):
        half = [(y - x) / 2 for x, y in zip(places[a], places[b])]
        text += (f"joint ball j{j}\n  object1 s{a};\n  object2 s{b};\n  point1 {words(half)};\n"
                 f"  point2 {words([-x for x in half])};\nend\n")
    return text


def solvers(bench):
    rows = []
    solids = 100
    for loops in (0, 1, 2, 5, 10, 20, 40):
        scene = bench.write("tree.tenon", tree_with_loops(solids, loops))
        direct = bench.timed(scene, *NEWTON)
        row = [loops, 3 * (solids - 1 + loops), direct["iterations"], milliseconds(direct["time_ms"])]
        for solver in ITERATIVE:
            report = bench.timed(scene, "--method", "newton", "--solver", solver, "--linear-iterations",
                                 "10000")
            mean = report["linear_iterations"] / max(1, report["iterations"])
            closed = report["status"] == "converged"
            row.append(f"{mean:.0f} ({milliseconds(report['time_ms'])} ms)" if closed else
                       f"{mean:.0f} (left: {number(report['max_error'])})")
        rows.append(row)
    return (f"A random tree of {solids} solids and ball joints has k joints more. It is moved by 5 cm and "
            f"0.1 rad, and closed to {CLOSED:g}. For `direct` the table has the Newton iterations. For the "
            "others it has the linear iterations per Newton iteration, and in brackets the time of all of "
            "them.\n\n" +
            table(["k", "constraints", "`direct`: iterations", "ms", *(f"`{s}`" for s in ITERATIVE)],
                  rows))


def time_kept(bench):
    """Random starts and budgets: is the time kept, and is no state worse than it was?"""
    random_numbers = random.Random(4)
    chain = bench.write("chain.tenon", chain_text(10_000))
    cases = [(SCENES / (name + ".tenon"), name) for name in SCATTERED] + [(chain, "10,000-link chain")]
    over, worse, cut, total = {}, 0, 0, 10 * bench.seeds
    for run in range(total):
        scene, name = cases[run % len(cases)]
        budget = 10 ** random_numbers.uniform(-1, 2)
        report = bench.assemble(scene, *FREE.get(name, []), "--scatter", str(run + 1), "--budget-ms",
                                f"{budget:.4f}", "--tolerance", str(CLOSED))
        # Excess over what is allowed: 10 %; one linear solve is allowed too, and is not taken off.
        over.setdefault(name, []).append(report["time_ms"] - 1.1 * budget)
        worse += not report["max_error"] <= report["start_error"]
        cut += report["status"] == "budget"
    rows = [[name, len(excess), *(milliseconds(max(0, percentile(excess, share)))
                                  for share in (0.5, 0.9, 0.99, 1))] for name, excess in over.items()]
    return (f"{total} runs started from scattered solids, with budgets of 0.1 to 100 ms, log-uniform. The "
            f"budget ended {cut} of them. {worse} returned a larger error than they began with. The table "
            "shows by how many milliseconds runs exceeded the budget and a tenth of it (one linear solve is "
            "allowed):\n\n" +
            table(["scene", "runs", "median", "90 %", "99 %", "most"], rows))


def chain_text(links):
    random_numbers = random.Random(links)
    parts = ["gravity 0 0 0;\njoint ball j0\n  object2 link0;\n  point2 -0.5 0 0;\nend\n"]
    for i in range(links):
        x, y, z = (random_numbers.uniform(-0.1, 0.1) for _ in range(3))
        parts.append(f"solid link{i}\n  box 1 0.1 0.1;\n  at {i + 0.5 + x:.9f} {y:.9f} {z:.9f};\n"
                     f"  turn {x:.6f} {y:.6f} {z + 0.2:.6f} {3 * y:.9f};\nend\n")
        if i:
            parts.append(f"joint ball j{i}\n  object1 link{i - 1};\n  object2 link{i};\n"
                         "  point1 0.5 0 0;\n  point2 -0.5 0 0;\nend\n")
    return "".join(parts)


def grid_text(side):
    """Links of 1 m along the edges of a square net; balls tie all ends at a knot to the first of them."""
    random_numbers = random.Random(side)
    parts, knots = ["gravity 0 0 0;\n"], {}
    for i in range(side):
        for j in range(side):
            for di, dj in ((1, 0), (0, 1)):
                if i + di >= side or j + dj >= side:
                    continue
                name = f"link-{i}-{j}-{'x' if di else 'y'}"
                dx, dy, dz = (random_numbers.uniform(-0.1, 0.1) for _ in range(3))
                size = "0.96 0.04 0.04" if di else "0.04 0.96 0.04"
                parts.append(f"solid {name}\n  box {size};\n  at {i + di / 2 + dx:.9f} "
                             f"{j + dj / 2 + dy:.9f} {dz:.9f};\n  turn {dz:.6f} {dx:.6f} "
                             f"{dy + 0.2:.6f} {3 * dx:.9f};\nend\n")
                half = f"{di / 2} {dj / 2} 0"
                knots.setdefault((i, j), []).append((name, f"{-di / 2} {-dj / 2} 0"))
                knots.setdefault((i + di, j + dj), []).append((name, half))
    for (i, j), ends in knots.items():
        first, point1 = ends[0]
        for k, (other, point2) in enumerate(ends[1:]):
            parts.append(f"joint ball knot-{i}-{j}-{k}\n  object1 {first};\n  object2 {other};\n"
                         f"  point1 {point1};\n  point2 {point2};\nend\n")
    return "".join(parts)


def large(bench):
    rows = []
    for title, text in (("chain of 1,000 links", chain_text(1000)),
                        ("chain of 10,000 links", chain_text(10_000)),
                        ("grid of 10 × 10 knots", grid_text(10)),
                        ("grid of 30 × 30 knots", grid_text(30))):
        report = bench.assemble(bench.write("large.tenon", text), "--tolerance", "1e-9")
        rows.append([title, text.count("\nsolid "), text.count("joint "), report["status"],
                     report["iterations"], number(report["start_error"]), number(report["max_error"]),
                     milliseconds(report["time_ms"]),
                     milliseconds(report["time_ms"] / max(1, report["iterations"]))])
        print(" ", *rows[-1], file=sys.stderr)
    return ("Every link is moved by up to 10 cm each way and turned by up to 0.3 rad, then assembled to "
            "1e-9.\n\n" +
            table(["scene", "solids", "joints", "status", "iterations", "start error", "largest error",
                   "ms", "ms per iteration"], rows))


# -------------------------------------------------------------------------------------------- plot

COLOURS = ["#c0392b", "#2471a3", "#d68910", "#1e8449", "#7d3c98"]
SERIES = [("newton, direct", NEWTON),
          ("displacement, direct", ["--method", "displacement", "--solver", "direct"]),
          ("displacement, bicg, 50 linear", ["--method", "displacement", "--solver", "bicg",
                                             "--linear-iterations", "50"]),
          ("displacement, bicg, 5 linear", ["--method", "displacement", "--solver", "bicg",
                                            "--linear-iterations", "5"]),
          ("relaxation", ["--method", "relaxation"])]


def plot(bench):
    """Error against time, both logarithmic, a panel for each scene; returns the SVG."""
    panels = []
    for title, scene in (("Faure's figure 3, as written", FIG3),
                         ("Faure's figure 5, head drawn 50 cm aside", bench.dragged_fig5(0.5))):
        curves = []
        for name, options in SERIES:
            path = bench.folder / "trace.csv"
            report = bench.assemble(scene, *options, "--tolerance", str(CLOSED), "--iterations",
                                    "3000", "--budget-ms", "3000", "--trace", str(path))
            with open(path, newline="", encoding="utf-8") as file:
                points = [(float(row["microseconds"]) / 1000,
                           max(min(float(row["best"]), report["start_error"]), 1e-16))
                          for row in csv.DictReader(file)]
            curves.append((name, points))
        panels.append((title, curves))
    return svg_of(panels)


def svg_of(panels):
    width, height, left, top, gap = 460, 330, 70, 40, 80
    total = left + len(panels) * (width + gap) - gap + 20
    points = [p for _, curves in panels for _, curve in curves for p in curve if p[0] > 0]
    first = math.floor(math.log10(min(p[0] for p in points)))
    last = math.ceil(math.log10(max(p[0] for p in points)))
    low = math.floor(math.log10(min(p[1] for p in points)))
    high = math.ceil(math.log10(max(p[1] for p in points)))
    x_of = lambda t: (max(math.log10(max(t, 1e-9)), first) - first) / (last - first) * width
    y_of = lambda e: (high - math.log10(e)) / (high - low) * height
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{total}" height="{height + 160}" '
           f'viewBox="0 0 {total} {height + 160}" font-family="sans-serif" font-size="13">',
           "<title>Largest joint error against time</title>",
           f'<rect width="{total}" height="{height + 160}" fill="white"/>']
    superscript = lambda n: f'10<tspan dy="-5" font-size="9">{n}</tspan>'
    for index, (title, curves) in enumerate(panels):
        out.append(f'<g transform="translate({left + index * (width + gap)} {top})">')
        out.append(f'<text x="{width / 2}" y="-14" text-anchor="middle" font-size="15">{title}</text>')
        for power in range(first, last + 1):
            x = x_of(10.0 ** power)
            out.append(f'<path d="M{x:.1f} 0V{height}" stroke="#ddd"/>')
            out.append(f'<text x="{x:.1f}" y="{height + 20}" text-anchor="middle">'
                       f"{superscript(power)}</text>")
        for power in range(low, high + 1):
            y = y_of(10.0 ** power)
            out.append(f'<path d="M0 {y:.1f}H{width}" stroke="#ddd"/>')
            if (power - high) % 2 == 0:
                out.append(f'<text x="-8" y="{y + 4:.1f}" text-anchor="end">{superscript(power)}</text>')
        out.append(f'<text x="{width / 2}" y="{height + 42}" text-anchor="middle">time [ms]</text>')
        if index == 0:
            out.append(f'<text transform="translate(-48 {height / 2}) rotate(-90)" '
                       'text-anchor="middle">largest joint error [m, rad]</text>')
        for colour, (_, curve) in zip(COLOURS, curves):
            if not curve:
                continue
            path = "M" + "L".join(f"{x_of(t):.1f} {y_of(e):.1f}" for t, e in thinned(curve))
            out.append(f'<path d="{path}" fill="none" stroke="{colour}" stroke-width="2" '
                       'stroke-linejoin="round"/>')
            if len(curve) <= 40:
                out += [f'<circle cx="{x_of(t):.1f}" cy="{y_of(e):.1f}" r="2.6" fill="{colour}"/>'
                        for t, e in curve]
        out.append(f'<rect width="{width}" height="{height}" fill="none" stroke="#555"/>')
        out.append("</g>")
    for index, (name, _) in enumerate(SERIES):
        x, y = left + index % 3 * 300, top + height + 68 + index // 3 * 22
        out.append(f'<path d="M{x} {y - 4}h26" stroke="{COLOURS[index]}" stroke-width="3"/>')
        out.append(f'<text x="{x + 34}" y="{y}">{name}</text>')
    return "\n".join(out + ["</svg>"]) + "\n"


def thinned(curve):
    """No more points than can be seen."""
    kept = []
    for time, error in curve:
        if kept and len(curve) > 200 and time < kept[-1][0] * 1.01 and error > kept[-1][1] * 0.9:
            continue
        kept.append((time, error))
    return kept


# -------------------------------------------------------------------------------------------- page

HEADER = """## Assembly

`bench/assembly.py --seeds 100` writes this section and its plot. An error is the largest of all
errors in metres and radians. A time is the time of the assembly alone.
"""
PARTS = [("scatter", "From scattered solids", scatter),
         ("budgets", "Faure's budgets", budgets),
         ("star", "Gascuel's star", star),
         ("solvers", "Linear solvers on trees with k loops", solvers),
         ("time", "Budgets in milliseconds", time_kept),
         ("large", "Large scenes", large)]


def marker(name, end=False):
    return f"<!-- {'end of ' if end else ''}assembly: {name} -->"


def skeleton():
    parts = [HEADER]
    for name, title, _ in PARTS:
        parts.append(f"\n### {title}\n\n{marker(name)}\n{marker(name, True)}\n")
        if name == "budgets":
            parts.append(f"\n![Error against time](plots/{PLOT.name})\n")
    return "".join(parts)


def replaced(page, name, text):
    start, end = marker(name), marker(name, True)
    if start not in page:
        sys.exit(f"{PAGE} has no {start}")
    return page[:page.index(start) + len(start)] + "\n" + text + "\n" + page[page.index(end):]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("program", nargs="?", default=str(ROOT / "build/release/tenon"))
    parser.add_argument("--seeds", type=int, default=100)
    parser.add_argument("--only", default="")
    parser.add_argument("--dry", action="store_true")
    arguments = parser.parse_args()
    names = [name for name, _, _ in PARTS] + ["plot"]
    chosen = [name for name in arguments.only.split(",") if name] or names
    unknown = [name for name in chosen if name not in names]
    if unknown:
        sys.exit(f"there is no part '{unknown[0]}'; there are {', '.join(names)}")
    page = PAGE.read_text(encoding="utf-8")
    if not re.search("^## Assembly$", page, re.M):
        before, fuzzing, after = page.partition("## Fuzzing\n")
        page = before.rstrip("\n") + "\n\n" + skeleton() + "\n" + fuzzing + after
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(arguments.program, arguments.seeds, folder)
        for name, title, part in PARTS:
            if name not in chosen:
                continue
            print(title, file=sys.stderr)
            text = part(bench)
            page = replaced(page, name, text)
            if arguments.dry:
                print(f"\n### {title}\n\n{text}")
        if "plot" in chosen:
            print("Plot", file=sys.stderr)
            svg = plot(bench)
            if not arguments.dry:
                PLOT.parent.mkdir(parents=True, exist_ok=True)
                PLOT.write_text(svg, encoding="utf-8")
    if not arguments.dry:
        PAGE.write_text(page, encoding="utf-8")


if __name__ == "__main__":
    main()
