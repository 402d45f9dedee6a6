#!/usr/bin/env python3
"""Tenon beside other engines: the same scenes, one run, interleaved.

    bench/peers.py [--quick] [--rounds N] [--minutes M] [--scene S1-20,…] [--engine tenon,…] [--dry]
                   [--from-csv]

`./dev bench-peers` builds what this runs (bench/peers/: a program for each engine) and calls it. Writes
bench/results/peers.csv with the machine's description beside it, the section of docs/benchmarks.md between
its two markers, and the plots docs/plots/peers*.svg.

--quick: one round of at most half a second of motion, to see that it works; writes nothing, as --dry.
--rounds: of short runs (default 5); long ones take part in fewer, and no further round begins after --minutes
(default 9). --scene, --engine: only these; nothing is
written either. --from-csv: no runs, page and plots from the results of the last time.

A time is the least CPU time of the stepping loop over all rounds, for every engine alike: what disturbs a
run only adds. Run it on a machine that does nothing else.
"""

import argparse
import csv
import datetime
import json
import math
import os
import platform
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from assembly import number, table
from peers_plot import svg_of

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "docs/benchmarks.md"
PLOTS = ROOT / "docs/plots"
RESULTS = ROOT / "bench/results/peers.csv"
MACHINE = ROOT / "bench/results/peers-machine.csv"
PHYSICS = ROOT / "bench/results/peers-physics.csv"
FOLDER = ROOT / "bench/peers"
PROGRAMS = {build: ROOT / f"build/{preset}/peers" for build, preset in
            (("release", "peers"), ("native", "peers-native"), ("wasm", "peers-wasm"))}
NODE = ["node", "--no-experimental-fetch", "--no-liftoff"]  # compiled by the optimising compiler at once
EXACT = 1e-8  # [m] a smaller gap is none

# ------------------------------------------------------------------------------------- what is run

TREES = ["S1-20", "S1-100", "S1-1000", "S2-100", "S4", "S5"]
MOVING = ["S1-20", "S1-100", "S1-1000", "S2-100", "S3", "S4", "S5"]
DRIVEN = "R1"  # with limits, dampers and drives
FEW = "R1-10"  # the same with 10 people: MuJoCo's steps cost less by solid where there are few
CROWDS = {"S5-10": 160, "S5": 1600, "S5-1000": 16_000, "S5-6250": 100_000}
CHAINS = ["S1-20", "S1-100", "S1-1000", "S1-10000"]

# Frames of those that would take minutes: enough for a time, and said so in the tables.
SHORTENED = {
    ("tenon", "GRID-30"): 30, ("bullet", "GRID-30"): 30,
    ("tenon", "interactive-general", "S5"): 60, ("tenon", "energy-general", "S5"): 60,
    ("mujoco", "S1-100"): 60, ("mujoco", "S3"): 20, ("mujoco", "S5"): 60, ("ode", "step", "S1-1000"): 1,
    ("ode", "step", "S1-100"): 60, ("ode", "step", "S2-100"): 60, ("ode", "step", "S3"): 60,
    ("bullet", "multibody", "S3"): 30,
    ("simbody", "S1-1000"): 30, ("simbody", "S3"): 60, ("simbody", "S5"): 60, ("dart", "S3"): 60,
    ("dart", "S5"): 60, ("mujoco-wasm", "S1-100"): 20, ("mujoco-wasm", "S3"): 5, ("mujoco-wasm", "S5"): 60,
    ("rapier-wasm", "S5"): 60, ("jolt-wasm", "S5"): 60, ("jolt-wasm", "x8", "S5"): 15,
    ("tenon", "interactive-general", "R1"): 60, ("tenon", "energy-general", "R1"): 60, ("mujoco", "R1"): 60,
    ("mujoco", "R1-10"): 60, ("simbody", "R1"): 60, ("dart", "R1"): 60, ("ode", "step", "R1"): 60,
    ("jolt-wasm", "x8", "S3"): 120, ("jolt-wasm", "x8", "S1-100"): 120,
}


class Run:
    """One engine, variant and scene, and what came of it."""

    def __init__(self, engine, variant, scene, build="release"):
        self.engine, self.variant, self.scene, self.build = engine, variant, scene, build
        self.frames = SHORTENED.get((engine, variant, scene)) or SHORTENED.get((engine, scene)) or 0
        self.result, self.rounds, self.took = None, 0, 0.0
        self.remark = ""

    key = property(lambda self: (self.engine, self.variant, self.scene, self.build))

    def command(self, data):
        if self.engine == "tenon-wasm":
            return [*NODE, str(PROGRAMS["wasm"] / "peer_tenon.js"), self.scene]
        if self.build == "wasm":
            return [*NODE, str(FOLDER / f"peer_{self.engine.split('-')[0]}.mjs"),
                    str(data / f"{self.scene}.json")]
        return [str(PROGRAMS[self.build] / f"peer_{self.engine}"), self.scene]


def planned():
    """Every run, those of a scene next to each other, so that a disturbance meets all of them."""
    runs = []
    add = lambda engine, variants, scene, build="release": runs.extend(
        Run(engine, variant, scene, build) for variant in variants)
    for scene in MOVING:
        add("tenon", ["interactive", "energy", "interactive-general", "energy-general"], scene)
        if scene == "S5":
            add("tenon", ["interactive-scalar", "energy-scalar", "interactive-threads2",
                          "energy-threads2"], scene)
        if scene in ("S1-100", "S3", "S5"):
            add("tenon", ["interactive", "energy"], scene, "native")
        add("bullet", ["default", "multibody"], scene)
        add("ode", ["quick", "step"], scene)
        if scene != "S1-1000":
            add("mujoco", ["euler", "stiff"] if scene == "S3" else ["euler", "rk4", "rk4x4"], scene)
            add("dart", ["default"], scene)
        add("simbody", ["rk3", "rkm"] if scene == "S1-1000" else ["euler", "rk3", "rkm"], scene)
        add("tenon-wasm", ["interactive", "energy"], scene, "wasm")
        if scene in ("S1-100", "S3", "S5"):
            add("tenon-wasm", ["interactive-scalar"], scene, "wasm")
            if scene != "S5":
                add("tenon", ["interactive-scalar"], scene)
            add("jolt-wasm", ["default", "x8"], scene, "wasm")
            add("rapier-wasm", ["default", "iterations16"], scene, "wasm")
            add("mujoco-wasm", ["euler", "rk4"], scene, "wasm")
    add("tenon", ["interactive", "energy", "interactive-scalar", "energy-scalar", "interactive-general",
                  "energy-general"], DRIVEN)
    add("bullet", ["default", "multibody"], DRIVEN)
    add("ode", ["quick", "step"], DRIVEN)
    add("mujoco", ["euler", "stiff", "rk4", "rk4x4"], DRIVEN)
    add("simbody", ["euler", "rk3", "rkm"], DRIVEN)
    add("dart", ["default"], DRIVEN)
    add("tenon-wasm", ["interactive", "energy"], DRIVEN, "wasm")
    add("tenon", ["interactive", "energy"], FEW)
    add("mujoco", ["euler", "rk4"], FEW)
    add("tenon", ["track", "track-pinned"], "S6")
    add("mujoco", ["pgs", "newton", "cg"], "S6")
    add("bullet", ["default", "iterations50", "erp0.8"], "S6")
    add("ode", ["quick", "step"], "S6")
    add("tenon-wasm", ["track"], "S6", "wasm")
    add("jolt-wasm", ["x8"], "S6", "wasm")
    add("rapier-wasm", ["default"], "S6", "wasm")
    add("mujoco-wasm", ["pgs"], "S6", "wasm")
    for scene in (CHAINS[-1], *CROWDS):
        if scene != "S5":
            add("tenon", ["interactive", "energy"], scene)
    add("tenon", ["interactive", "energy"], "GRID-30")
    add("bullet", ["default"], "GRID-30")
    return runs


# --------------------------------------------------------------------------------------- running

def prepare(runs, folder):
    """The scenes for the engines that are called from JavaScript."""
    tenon, mujoco = PROGRAMS["release"] / "peer_tenon", PROGRAMS["release"] / "peer_mujoco"
    for run in runs:
        if run.build != "wasm" or run.engine == "tenon-wasm":
            continue
        path = folder / f"{run.scene}.json"
        if not path.exists():
            path.write_bytes(subprocess.run([tenon, "--data", run.scene], capture_output=True,
                                            check=True).stdout)
        if run.engine == "mujoco-wasm":
            path = folder / f"{run.scene}.{run.variant}.xml"
            path.write_bytes(subprocess.run([mujoco, "--mjcf", run.scene, run.variant],
                                            capture_output=True, check=True).stdout)


LONGEST = 90  # [s] that a program may take


def execute(run, folder, options):
    """The line that a program prints; what went wrong instead of it, if that did."""
    words = [*run.command(folder), run.variant, *options]
    if not Path(words[0] if run.build != "wasm" else words[len(NODE)]).exists():
        return None, "not built"
    if run.frames:
        words += ["--frames", str(run.frames)]
    try:
        done = subprocess.run(words, capture_output=True, text=True, timeout=LONGEST, check=False, cwd=FOLDER)
        return json.loads(done.stdout.strip().splitlines()[-1]), ""
    except subprocess.TimeoutExpired:
        return None, "too slow for more"
    except (ValueError, IndexError):
        return None, "ends itself"


def first_round(run, folder, quick):
    """With all measures. What ends itself or takes too long is run for fewer frames."""
    if quick and (not run.frames or run.frames > 30) and run.scene != "S6":
        run.frames = 30
    options = ["--least", "20" if quick else "150"]
    result, problem = execute(run, folder, options)
    if problem == "not built":
        run.remark = problem
        return None
    while result is None and run.scene != "S6" and run.frames != 1:
        run.frames = max(1, (run.frames or 300) // (2 if problem == "ends itself" else 10))
        run.remark = problem
        result, problem = execute(run, folder, options)
    if result and run.remark == "ends itself":
        result["exploded"] = True
    return result


def conduct(runs, folder, arguments):
    rounds = 1 if arguments.quick else arguments.rounds
    began = time.monotonic()
    for round_ in range(1, rounds + 1):
        for run in runs:
            # Long runs take part in fewer rounds.
            most = rounds if run.took < 2 else 2 if run.took < 4 else 1
            late = round_ > 1 and time.monotonic() - began > 60 * arguments.minutes
            if round_ > most or late or (round_ > 1 and run.result is None):
                continue
            start = time.monotonic()
            if round_ == 1:
                run.result = first_round(run, folder, arguments.quick)
            else:
                again, _ = execute(run, folder, ["--unmeasured"])
                if again:
                    for name in ("cpu_us", "wall_us", "us_per_solid_frame"):
                        if name in again:
                            run.result[name] = min(run.result[name], again[name])
                    if again.get("state_hash") != run.result.get("state_hash"):
                        run.remark = "other bits in another round"
            run.took = time.monotonic() - start
            run.rounds = round_
            shown = run.result or {}
            print(f"[{time.monotonic() - began:5.0f} s] round {round_}: {run.scene:9} {run.engine:12} "
                  f"{run.variant:22} {run.build:8} "
                  f"{number(shown.get('us_per_solid_frame', shown.get('cpu_us')), 3):>8} µs  "
                  f"gap {number(shown.get('max_error_m'))}  energy {number(shown.get('energy_change'))}"
                  f"{'  exploded' if shown.get('exploded') else ''}  {run.remark}", file=sys.stderr)


def poses(engine, variant, scene, seconds):
    run = Run(engine, variant, scene)
    run.frames = round(60 * seconds)
    result, _ = execute(run, None, ["--poses", "--unmeasured", "--least", "1"])
    return result and result["poses"]


def check_driven(runs):
    """Where the people of R1 are after a second, of each engine: those who reach no limit against Simbody with small errors
    asked of it, the others against Tenon's `energy` with 64 steps in a frame, whose limits are hard."""
    free, limited = slice(0, 16), slice(16, 32)
    exact = poses("simbody", "rkm-fine", "R1-2", 1), poses("tenon", "energy-x64", "R1-2", 1)
    for run in runs:
        if run.scene != DRIVEN or not run.result or run.build == "wasm" or None in exact:
            continue
        ours = poses(run.engine, run.variant, "R1-2", 1)
        for name, whose, part in (("away_free_m", exact[0], free), ("away_limited_m", exact[1], limited)):
            apart = ours and [math.dist(a, b) for a, b in zip(ours[part], whose[part])]
            run.result[name] = max(apart) if apart and all(map(math.isfinite, apart)) else None


CHECKED = ["scene", "", "recursive", "energy-x16", "energy-x64", "energy", "interactive"]


def cross_check():
    """Where solids are after half a second: Tenon against Simbody with small errors asked of it."""
    rows, seconds = [], 0.5
    for scene, what in (("S1-20", "chain of ball joints"), ("S2-20", "chain of hinges"),
                        ("S3-5", "ladder of 5 rungs"), ("S4", "heavy last link"), ("S5-1", "humanoid"),
                        ("R1-1", "humanoid with drives")):
        reference = poses("simbody", "rkm-fine", scene, seconds)
        row = [scene, what]
        for variant in CHECKED[2:]:
            ours = reference and poses("tenon", variant, scene, seconds)
            row.append(number(max(math.dist(a, b) for a, b in zip(ours, reference))) if ours else "–")
        rows.append(row)
        print("  cross-check", *row, file=sys.stderr)
    return rows


# --------------------------------------------------------------------------------------- results

COLUMNS = ["engine", "variant", "scene", "build", "solids", "frames", "rounds", "cpu_us", "wall_us",
           "us_per_solid_frame", "max_error_m", "max_error_rad", "energy_change", "largest_gain", "exploded",
           "limit_passed_rad", "away_free_m", "away_limited_m", "target_m", "reached", "fast", "iterations", "halvings", "refused", "state_hash", "remark"]


def write_csv(runs, checks, machine):
    RESULTS.parent.mkdir(exist_ok=True)
    with open(RESULTS, "w", newline="", encoding="utf-8") as file:
        rows = csv.DictWriter(file, COLUMNS, extrasaction="ignore", lineterminator="\n")
        rows.writeheader()
        for run in runs:
            rows.writerow({**(run.result or {}), "engine": run.engine, "variant": run.variant,
                           "scene": run.scene, "build": run.build, "rounds": run.rounds,
                           "remark": run.remark or ("" if run.result else "no result")})
    for path, head, lines in ((MACHINE, ["item", "value"], machine.items()), (PHYSICS, CHECKED, checks)):
        with open(path, "w", newline="", encoding="utf-8") as file:
            rows = csv.writer(file, lineterminator="\n")
            rows.writerow(head)
            rows.writerows(lines)


def read_csv():
    runs = []
    with open(RESULTS, newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            run = Run(row["engine"], row["variant"], row["scene"], row["build"])
            run.rounds, run.remark = int(row["rounds"] or 0), row["remark"]
            run.result = {}
            for name in COLUMNS[4:-1]:
                text = row.get(name, "")
                if text in ("", "None"):
                    continue
                run.result[name] = (text == "True" if text in ("True", "False") else
                                    text if name == "state_hash" else float(text))
            if not run.result.get("cpu_us"):
                run.result = None
            runs.append(run)
    contents = []
    for path in (MACHINE, PHYSICS):
        with open(path, newline="", encoding="utf-8") as file:
            contents.append(list(csv.reader(file))[1:])
    return runs, contents[1], dict(contents[0])


def two_at_once():
    """What two threads could bring at best here: S5 by two programs at once, over one after the other."""
    words = [str(PROGRAMS["release"] / "peer_tenon"), "S5", "energy", "--unmeasured"]
    wall = lambda text: json.loads(text.strip().splitlines()[-1])["wall_us"]
    alone, both = math.inf, math.inf
    for _ in range(6):
        alone = min(alone, wall(subprocess.run(words, capture_output=True, text=True, check=True).stdout))
        pair = [subprocess.Popen(words, stdout=subprocess.PIPE, text=True) for _ in range(2)]
        both = min(both, max(wall(program.communicate()[0]) for program in pair))
    return 2 * alone / both


def threads_in_turns(variant):
    """S5 by one thread and by two, in turns: the least wall times. Rounds minutes apart differ by more than that."""
    def wall(name):
        words = [str(PROGRAMS["release"] / "peer_tenon"), "S5", name, "--unmeasured", "--least", "600"]
        text = subprocess.run(words, capture_output=True, text=True, check=True).stdout
        return json.loads(text.strip().splitlines()[-1])["wall_us"]
    pairs = [(wall(variant), wall(f"{variant}-threads2")) for _ in range(10)]
    ratios = sorted(one / two for one, two in pairs)
    return min(one for one, _ in pairs) / min(two for _, two in pairs), ratios[0], ratios[-1]


def machine_description():
    def output(*words):
        try:
            return subprocess.run(words, capture_output=True, text=True, check=True, cwd=ROOT).stdout.strip()
        except (OSError, subprocess.CalledProcessError):
            return "–"
    lines = Path("/proc/cpuinfo").read_text(encoding="utf-8")
    memory = int(re.search(r"MemTotal:\s+(\d+)", Path("/proc/meminfo").read_text()).group(1)) / 2**20
    release = re.search(r'PRETTY_NAME="(.*)"', Path("/etc/os-release").read_text()).group(1)
    package = lambda name: output("dpkg-query", "-W", "-f=${Version}", name)
    npm = json.loads((FOLDER / "package-lock.json").read_text(encoding="utf-8"))["packages"]
    return {
        "date": datetime.date.today().isoformat(),
        "commit": output("git", "rev-parse", "--short", "HEAD"),
        "processor": re.search(r"model name\s*:\s*(.*)", lines).group(1),
        "cores": str(os.cpu_count()), "memory": f"{memory:.0f} GiB",
        "system": f"{release}, Linux {platform.release()}",
        "compiler": output("g++", "--version").splitlines()[0],
        "emscripten": package("emscripten"), "Node": output("node", "--version"),
        "MuJoCo": package("libmujoco-dev"), "Bullet": package("libbullet-dev"),
        "ODE": package("libode-dev"), "Simbody": package("libsimbody-dev"), "DART": package("libdart-dev"),
        **{f"npm {name}": npm[f"node_modules/{name}"]["version"]
           for name in ("@mujoco/mujoco", "jolt-physics", "@dimforge/rapier3d-compat")},
    }


# ------------------------------------------------------------------------------------ the page

class Results:
    def __init__(self, runs):
        self.all = {run.key: run for run in runs}

    def __call__(self, engine, variant, scene, build=None):
        run = self.all.get((engine, variant, scene, build or ("wasm" if "wasm" in engine else "release")))
        return run.result if run else None

    def cost(self, *key, **options):
        result = self(*key, **options)
        return result and result.get("us_per_solid_frame", result["cpu_us"])

    def ratio(self, one, other):
        """Cost of one over that of the other; None if either is missing."""
        a, b = self.cost(*one), self.cost(*other)
        return a / b if a and b else None


def errors_of(*results):
    """Largest gap, and largest change of energy without its sign."""
    known = [r for r in results if r]
    return (max((r["max_error_m"] for r in known), default=None),
            max((abs(r["energy_change"]) for r in known if "energy_change" in r), default=None))


class Claims:
    """What Tenon is to reach, each line with what was measured."""

    def __init__(self, results, machine):
        self.of, self.rows, self.machine = results, [], machine

    def add(self, scene, what, value, must, aim, *, at_least=False, holds=True, shown=None, beside=""):
        better = (lambda a, b: a >= b) if at_least else (lambda a, b: a <= b)
        sign, unit = ("≥ ", " ×") if at_least else ("≤ ", "")
        verdict = "no result"
        if value is not None:
            verdict = "missed" if not holds or not better(value, must) else (
                "**aim reached**" if better(value, aim) else "**met**")
        text = "–" if value is None else shown or f"{value:.3g}{unit}"
        self.rows.append([scene, what, f"{sign}{must:g}{unit}", f"{sign}{aim:g}{unit}", text + beside, verdict])

    @staticmethod
    def beside(gap, energy=None, largest=None):
        parts = [] if gap is None else [f"gap {gap:.1e} m"]
        if largest is not None and energy is not None:
            parts.append(f"energy {energy:.1e}")
        return f" ({', '.join(parts)})" if parts else ""

    def cheaper(self, scene, variant, other, must, aim, energy=None):
        ours = self.of("tenon", variant, scene)
        gap, change = errors_of(ours)
        holds = bool(ours) and gap <= EXACT and not ours["exploded"] and (energy is None or change <= energy)
        self.add(scene, f"`{variant}`: cost over {' '.join(other)}",
                 self.of.ratio(("tenon", variant, scene), (*other, scene)), must, aim, holds=holds,
                 beside=self.beside(gap, change, energy))

    def driven(self, scene, variant, other):
        """R1, against MuJoCo: joints exact, no limit passed."""
        ours, theirs = self.of("tenon", variant, scene), self.of("mujoco", other, scene)
        holds, beside = False, ""
        if ours and theirs:
            passed = ours.get("limit_passed_rad")
            holds = ours["max_error_m"] <= EXACT and passed is not None and passed <= EXACT and not ours["exploded"]
            beside = (f" (gap {ours['max_error_m']:.1e} m; limits passed by {number(passed)} rad against "
                      f"{number(theirs.get('limit_passed_rad'))})")
        self.add(scene, f"`{variant}`: cost over mujoco {other}",
                 self.of.ratio(("tenon", variant, scene), ("mujoco", other, scene)), 1, 0.5, holds=holds,
                 beside=beside)

    def faster(self, scene, variant, others, must, aim, energy):
        ours = self.of("tenon", variant, scene)
        gap, change = errors_of(ours)
        holds = bool(ours) and gap <= EXACT and change <= energy
        for engine, theirs in others:
            self.add(scene, f"`{variant}`: times faster than {engine} {theirs}",
                     self.of.ratio((engine, theirs, scene), ("tenon", variant, scene)), must, aim,
                     at_least=True, holds=holds, beside=self.beside(gap, change, energy))

    def table(self):
        of = self.of
        for scene in ("S1-20", "S1-100", "S1-1000", "S2-100", "S5"):
            self.cheaper(scene, "interactive", ("bullet", "default"), 0.5, 0.25)
        self.cheaper("S5", "energy", ("bullet", "default"), 0.6, 0.3, 1e-4)
        self.faster("S5", "energy", [("mujoco", "rk4x4")], 10, 25, 1e-4)
        for scene in ("S1-20", "S2-100"):
            self.faster(scene, "energy", [("mujoco", "rk4"), ("simbody", "rk3"), ("simbody", "rkm")],
                        1, 4, 1e-4)
        for scene in (DRIVEN, FEW):
            self.driven(scene, "interactive", "euler")
            self.driven(scene, "energy", "rk4")
        self.cheaper("S3", "interactive", ("bullet", "default"), 1.2, 0.6)
        self.faster("S3", "energy", [("simbody", "rk3")], 10, 30, 1e-3)
        for variant in ("interactive", "energy"):
            gap, _ = errors_of(of("tenon", variant, "S4"))
            self.add("S4", f"`{variant}`: cost over its own of S1-20",
                     of.ratio(("tenon", variant, "S4"), ("tenon", variant, "S1-20")), 2, 1.2,
                     holds=gap is not None and gap <= EXACT, beside=self.beside(gap))
        for variant in ("interactive", "energy"):
            self.same_bits("S5", f"`{variant}`: lanes, times faster than scalar", variant,
                           f"{variant}-scalar", 2, 3.5, "us_per_solid_frame")
        self.posing()
        self.scaling()
        self.wasm()
        for variant in ("interactive", "energy"):
            self.same_bits("S5", f"`{variant}`: two threads, times faster (wall time)", f"{variant}-threads2",
                           variant, 1.7, 1.9, "wall_us",
                           f", two programs at once {float(self.machine['two at once']):.2f} ×"
                           if "two at once" in self.machine else "",
                           self.machine.get(f"threads {variant}"))
        return table(["scene", "claim", "must", "aim", "measured", "verdict"], self.rows)

    def same_bits(self, scene, what, fast, slow, must, aim, measure, more="", in_turns=None):
        """`in_turns`: the ratio as it was measured for itself, its least and its largest."""
        a, b = self.of("tenon", fast, scene), self.of("tenon", slow, scene)
        same = bool(a and b) and a["state_hash"] == b["state_hash"]
        ratio = b[measure] / a[measure] if a and b else None
        if in_turns and ratio:
            of_all, least, largest = in_turns.split()
            more += f"; pairs {least} to {largest} ×; in the rounds {ratio:.2f} ×"
            ratio = float(of_all)
        self.add(scene, what, ratio, must, aim, at_least=True, holds=same,
                 beside=(" (same bits" if same else " (other bits") + more + ")")

    def posing(self):
        ours = self.of("tenon", "track", "S6")
        theirs = [(self.of.cost("mujoco", v, "S6"), v) for v in ("pgs", "newton", "cg")
                  if (self.of("mujoco", v, "S6") or {}).get("reached")]
        if not ours or not theirs:
            return
        least, variant = min(theirs)
        self.add("S6", f"times faster than MuJoCo ({variant}, its fastest)", least / ours["cpu_us"], 20, 40,
                 at_least=True, holds=ours["reached"] and ours["max_error_m"] <= EXACT,
                 beside=f" (joints {ours['max_error_m']:.1e} m, target {ours['target_m']:.1e} m)")

    def scaling(self):
        costs = [self.of.cost("tenon", "interactive", scene) for scene in CHAINS]
        if all(costs):
            self.add("chains", "cost per solid, N = 10,000 over N = 20", costs[-1] / costs[0], 2, 1.3,
                     beside=f" (largest over smallest of N = 20 … 10,000: {max(costs) / min(costs):.2f})")
        self.add("30×30 grid", "`interactive`: µs per solid and step",
                 self.of.cost("tenon", "interactive", "GRID-30"), 15, 8,
                 beside=self.beside(errors_of(self.of("tenon", "interactive", "GRID-30"))[0]))
        crowd = [(n, self.of.cost("tenon", "interactive", scene)) for scene, n in CROWDS.items()]
        if all(cost for _, cost in crowd):
            self.add("crowds", "cost ~ solidsᵖ, 160 to 100,000 solids: p",
                     1 + exponent(crowd), 1.1, 1.05)

    def wasm(self):
        # The blocks of S3's loops are rows of four numbers, whatever the lanes: native is as AVX2 runs them.
        for scene, native in (("S1-100", "interactive-scalar"), ("S3", "interactive"),
                              ("S5", "interactive-scalar")):
            beside = "AVX2" if native == "interactive" else "both scalar"
            self.add(scene, f"WebAssembly: cost over native, {beside}",
                     self.of.ratio(("tenon-wasm", "interactive-scalar", scene), ("tenon", native, scene)),
                     2.2, 1.5)
        for scene in ("S1-100", "S3", "S5"):
            ours = self.of("tenon-wasm", "interactive", scene)
            for engine, variant in (("jolt-wasm", "default"), ("rapier-wasm", "default"),
                                    ("mujoco-wasm", "euler")):
                theirs = self.of(engine, variant, scene)
                if not ours or not theirs:
                    self.add(scene, f"WebAssembly: cost over {engine} {variant}", None, 1, 0.5)
                    continue
                gap = theirs["max_error_m"]
                less = ours["max_error_m"] <= (EXACT if gap is None else max(gap, EXACT))
                self.add(scene, f"WebAssembly: cost over {engine.split('-')[0]} {variant}, gap no larger",
                         self.of.ratio(("tenon-wasm", "interactive", scene), (engine, variant, scene)), 1, 0.5,
                         holds=less, beside=f" (gap {ours['max_error_m']:.1e} m against {number(gap)})")


def exponent(points):
    """p of y = c xᵖ, by least squares of the logarithms."""
    x, y = [math.log(a) for a, _ in points], [math.log(b) for _, b in points]
    mx, my = sum(x) / len(x), sum(y) / len(y)
    return sum((a - mx) * (b - my) for a, b in zip(x, y)) / sum((a - mx) ** 2 for a in x)


NAMES = {"tenon": "Tenon", "tenon-wasm": "Tenon", "mujoco": "MuJoCo", "mujoco-wasm": "MuJoCo",
         "bullet": "Bullet", "ode": "ODE", "simbody": "Simbody", "dart": "DART", "jolt-wasm": "Jolt",
         "rapier-wasm": "Rapier"}
FIRST = {"S1-1000": 120, "S5": 300, "R1": 300}  # frames of a whole run; the others: 600
# How the engines take the limits of R1.
SOFT = {"tenon": "hard, plastic impacts", "mujoco": "soft", "bullet": "corrected step by step; springs weaker than asked",
        "ode": "corrected step by step", "simbody": "soft", "dart": "corrected step by step"}


def remarks(run):
    result, words = run.result, []
    whole = FIRST.get(run.scene, 600)
    if result["exploded"]:
        words.append("exploded")
    elif result["max_error_m"] is not None and result["max_error_m"] > 1:
        words.append("torn")
    if run.scene in [*MOVING, DRIVEN] and result["frames"] < whole:
        words.append(f"first {result['frames'] / 60:.2g} s")
    if result.get("refused"):
        words.append(f"{result['refused']:.0f} steps refused")
    if run.remark:
        words.append(run.remark)
    return ", ".join(words)


def scene_table(runs, scene, wasm):
    """All engines on a scene, the cheapest first."""
    of = Results(runs)
    ours = of.cost("tenon-wasm" if wasm else "tenon", "interactive", scene)
    bullet = of.cost("bullet", "default", scene)
    rows = []
    here = [run for run in runs if run.scene == scene and (run.build == "wasm") == wasm]
    for run in sorted((r for r in here if r.result), key=lambda r: r.result["us_per_solid_frame"]):
        result, cost = run.result, run.result["us_per_solid_frame"]
        name = f"{NAMES[run.engine]} `{run.variant}`" + (" (-march=native)" if run.build == "native" else "")
        if "tenon" in run.engine:
            name = f"**{name}**"
        broken = result["exploded"]
        row = [name, f"{cost:.3g}", f"{cost / ours:.2f}" if ours else "–"]
        if not wasm:
            row.append(f"{cost / bullet:.2f}" if bullet else "–")
        rows.append(row + [number(result["max_error_m"]),
                           "–" if broken else number(result["energy_change"]), remarks(run)])
    rows += [[f"{NAMES[run.engine]} `{run.variant}`", *["–"] * (4 if wasm else 5), run.remark or "no result"]
             for run in here if not run.result]
    head = ["engine", "µs", "× Tenon", *([] if wasm else ["× Bullet"]), "gap [m]", "energy", ""]
    return table(head, rows)


def driven_table(runs):
    """R1 in all engines, the cheapest first."""
    ours = Results(runs).cost("tenon", "interactive", DRIVEN)
    rows = []
    here = [run for run in runs if run.scene == DRIVEN and run.build != "wasm"]
    for run in sorted((r for r in here if r.result), key=lambda r: r.result["us_per_solid_frame"]):
        result, cost = run.result, run.result["us_per_solid_frame"]
        name = f"{NAMES[run.engine]} `{run.variant}`"
        rows.append([f"**{name}**" if run.engine == "tenon" else name, f"{cost:.3g}",
                     f"{cost / ours:.2f}" if ours else "–", number(result["max_error_m"]),
                     number(result.get("limit_passed_rad")), number(result.get("away_free_m")),
                     number(result.get("away_limited_m")), SOFT.get(run.engine, ""), remarks(run)])
    rows += [[f"{NAMES[run.engine]} `{run.variant}`", *["–"] * 7, run.remark or "no result"]
             for run in here if not run.result]
    return table(["engine", "µs", "× Tenon", "gap [m]", "limits passed by [rad]", "away, no limit reached [m]",
                  "away, limits reached [m]", "limits", ""], rows)


def few_text(runs):
    of = Results(runs)
    costs = [(f"{NAMES[engine]} `{variant}`", of.cost(engine, variant, FEW))
             for engine, variant in (("tenon", "interactive"), ("tenon", "energy"), ("mujoco", "euler"), ("mujoco", "rk4"))]
    return "With 10 people, in µs: " + ", ".join(f"{name} {cost:.3g}" for name, cost in costs if cost) + "."


def posing_table(runs):
    of = Results(runs)
    rows = []
    for run in sorted((r for r in runs if r.scene == "S6" and r.result), key=lambda r: r.result["cpu_us"]):
        result = run.result
        name = f"{NAMES[run.engine]} `{run.variant}`" + (", WebAssembly" if run.build == "wasm" else "")
        ours = of("tenon-wasm" if run.build == "wasm" else "tenon", "track", "S6")
        rows.append([f"**{name}**" if "tenon" in run.engine else name, f"{result['cpu_us'] / 1000:.3g}",
                     f"{result['cpu_us'] / ours['cpu_us']:.1f}" if ours else "–",
                     f"{result.get('iterations', result['frames']):.0f}", number(result["max_error_m"]),
                     number(result["target_m"]), "" if result["reached"] else "not reached"])
    return table(["engine", "ms", "× Tenon", "steps", "gap [m]", "target [m]", ""], rows)


def scaling_table(runs):
    of, rows = Results(runs), []
    for scene, name in [*((c, f"chain of {int(c[3:]):,}") for c in CHAINS), ("GRID-30", "30 × 30 grid"),
                        *((c, f"crowd of {n:,} solids") for c, n in CROWDS.items())]:
        row = [name, scene]
        for variant in ("interactive", "energy"):
            result = of("tenon", variant, scene)
            row += [f"{result['us_per_solid_frame']:.3g}", number(result["max_error_m"]),
                    number(result["energy_change"])] if result else ["–"] * 3
        rows.append(row)
    return table(["", "scene", *(f"`{name}` {column}" for name in ("interactive", "energy")
                                 for column in ("µs", "gap [m]", "energy"))], rows)


TITLES = {
    "S1-20": "S1-20: chain of 20, ball joints", "S1-100": "S1-100: chain of 100, ball joints",
    "S1-1000": "S1-1000: chain of 1,000, ball joints", "S2-100": "S2-100: chain of 100, hinges",
    "S3": "S3: ladder, 150 solids, 50 loops", "S4": "S4: last link 1,000 times heavier",
    "S5": "S5: 100 humanoids of 16 boxes"}

HOW = """Machine: {processor}, {cores} cores, {memory}, {system}; {compiler}; {date}. Versions are in
[bench/results/peers-machine.csv](../bench/results/peers-machine.csv), and all numbers are in
[bench/results/peers.csv](../bench/results/peers.csv).

The scenes have boxes, ball joints and hinges. Each engine builds them from the same numbers
(bench/peers/scene_data.h): gravity 9.81 m/s², frames of 1/60 s, no collisions, no sleeping, one thread, and except in
R1 no damping.

- µs is the CPU time of the stepping loop per frame and solid. It is the least of up to {rounds} rounds in which all
  engines take turns. It does not count the building of the world, nor the first step of Tenon, which analyses the
  structure.
- Gap is the largest distance between the two sides of a joint over all frames. Energy is its change at the end,
  over the range of the potential energy (0 is right). We compute both in the same way for all engines, from poses
  and velocities in a second pass that is not timed.
- Exploded means that a number is not finite, or that energy grew by more than half of that range. Torn means a gap of
  more than a metre.
- Tenon is the release build, which runs on any x86-64, unless the row says otherwise. `general` does not use the fast
  path, and `scalar` does not use lanes.
- Bullet has single precision, as in Debian. Its `default` is sequential impulses with 10 iterations. ODE `quick` has
  20 iterations, Jolt 10 and 2, Rapier 4. Simbody runs at its own accuracy of 1e-3.
- A run that would take minutes is cut short, and its row says so. MuJoCo and DART do not run on S1-1000, because
  loading it takes them longer than that.
- WebAssembly runs in Node, whose optimising compiler compiles it at once. The npm build of Jolt has no SIMD."""


READ = """How to read this table:

- A gap below 1e-8 m counts as no gap. So if two engines are exact, neither has the larger gap.
- A crowd counts as linear in its figures if the exponent is at most 1.1 (aim 1.05).
- MuJoCo's limits are rows of one system, so its cost per solid grows with the number of people. So R1 stands here with
  100 people and with 10. MuJoCo runs for the first second, and Tenon for all five.
- On S6 the fastest of MuJoCo's solvers counts.
- Runs that are cut short in the tables below are also cut short here, while Tenon runs the whole time.
- In WebAssembly, S1-100 and S5 are compared without lanes on both sides. S3 is compared with the native kernel for
  AVX2, the faster of the two native kernels.
- The grid is held at two opposite corners. If it is held at two corners of one edge, 29 rods are pulled taut in a line.
  That pose is singular and goes by the general path, at 500 µs and more per solid.
- One thread and two threads are measured in turns, ten times, at least 0.6 s each. The number is the least wall time
  of one over the least of the other. \"Pairs\" are the single ratios. \"In the rounds\" is the same ratio from the rounds
  of the run, which are minutes apart. \"Two programs at once\" runs S5 in two copies of the program, first one after the
  other and then side by side. This ratio is what the two cores of this machine give if no thread waits and nothing is
  shared."""


def page_of(runs, checks, machine):
    of = Results(runs)
    rounds = max((run.rounds for run in runs), default=0)
    parts = [HOW.format(**machine, rounds=rounds), "#### Goals", Claims(of, machine).table(), READ]
    for scene in MOVING:
        parts += [f"#### {TITLES[scene]}", scene_table(runs, scene, False)]
    parts += ["![Joint error against time, engine by engine](plots/peers.svg)",
              "![Change of energy against time, engine by engine](plots/peers-energy.svg)",
              "#### R1: 100 humanoids of hinges with limits, dampers and drives",
              "The people of S5 with hinges instead of ball joints (scenes/peers/r1.tenon). Each hinge has a limit of "
              "±0.6 rad, a damper, and a drive that pulls its angle to a sine. One half of the people do not reach "
              "their limits. The others are pulled 0.3 rad beyond them, to both sides. \"Away\" is the largest distance "
              "after a second between a solid and where it should be: without limits by Simbody at an accuracy of 1e-9, "
              "with limits by `energy` with 64 steps in a frame. In Tenon, DART and ODE the drives act at the end of the "
              "step or at its middle. In MuJoCo, Simbody and Bullet's `multibody` they are forces (dampers of MuJoCo "
              "are implicit).", driven_table(runs),
              few_text(runs),
              "#### S6: a hand is pulled",
              "Each engine pulls until the target and the joints are within 1 mm. Velocities are set to zero after "
              "every step. Tenon makes one call of `track`, with joints to 1e-9 m. The time is the CPU time of the "
              "whole pull.", posing_table(runs),
              "#### By size", scaling_table(runs),
              "The grid is scenes/linkages/link-grid.tenon with gravity, held at two opposite corners, in its "
              "first half second.",
              "#### WebAssembly"]
    for scene in ("S1-100", "S3", "S5"):
        parts += [f"{TITLES[scene]}:", scene_table(runs, scene, True)]
    parts += ["![Joint error against time in WebAssembly](plots/peers-wasm.svg)"]
    if checks:
        parts += ["#### The same physics",
                  "The table has the largest distance [m] after 0.5 s between a solid here and the same solid in "
                  "Simbody (Runge-Kutta-Merson at an accuracy of 1e-9). `recursive` runs with a small step "
                  "tolerance. `energy` and `interactive` make steps of 1/60 s and shorter steps (x16: sixteen "
                  "steps in a frame).",
                  table([*CHECKED[:2], *(f"`{name}`" for name in CHECKED[2:])], checks)]
    return "\n\n".join(parts)


def plots_of(runs):
    def panels(scenes, wasm, value):
        made = []
        for scene in scenes:
            points = []
            for run in runs:
                if run.scene != scene or (run.build == "wasm") != wasm or not run.result:
                    continue
                if run.build == "native" or "general" in run.variant or "threads" in run.variant:
                    continue
                points.append((NAMES[run.engine], run.variant, run.result["us_per_solid_frame"],
                               value(run.result), run.result["exploded"]))
            made.append((TITLES[scene], points))
        return made
    gap = lambda r: r["max_error_m"]
    energy = lambda r: abs(r["energy_change"]) if r.get("energy_change") is not None else None
    six = ["S1-20", "S1-100", "S2-100", "S3", "S4", "S5"]
    return {"peers.svg": svg_of("Joint error against time", panels(six, False, gap), "largest gap [m]",
                                1e-13, 10),
            "peers-energy.svg": svg_of("Change of energy against time", panels(six, False, energy),
                                       "change of energy / range", 1e-9, 1),
            "peers-wasm.svg": svg_of("Joint error against time, WebAssembly",
                                     panels(["S1-100", "S3", "S5"], True, gap), "largest gap [m]", 1e-13, 10)}


# ------------------------------------------------------------------------------------------ main

def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--minutes", type=float, default=9)
    parser.add_argument("--scene", default="")
    parser.add_argument("--engine", default="")
    parser.add_argument("--dry", action="store_true")
    parser.add_argument("--from-csv", action="store_true")
    arguments = parser.parse_args()
    if arguments.from_csv:
        runs, checks, machine = read_csv()
    else:
        scenes, engines = (set(filter(None, text.split(","))) for text in (arguments.scene, arguments.engine))
        known = planned()
        for name, given, possible in (("scene", scenes, {r.scene for r in known}),
                                      ("engine", engines, {r.engine for r in known})):
            if given - possible:
                sys.exit(f"no such {name}: {', '.join(sorted(given - possible))}; "
                         f"there are {', '.join(sorted(possible))}")
        runs = [run for run in known if (not scenes or run.scene in scenes) and
                (not engines or run.engine in engines)]
        machine = machine_description()
        if not scenes and not engines and not arguments.quick:
            machine["two at once"] = f"{two_at_once():.3f}"
            for variant in ("interactive", "energy"):
                machine[f"threads {variant}"] = " ".join(f"{x:.2f}" for x in threads_in_turns(variant))
        with tempfile.TemporaryDirectory() as folder:
            prepare(runs, Path(folder))
            conduct(runs, Path(folder), arguments)
        check_driven(runs)
        checks = [] if scenes or engines else cross_check()
        if scenes or engines or arguments.quick:
            arguments.dry = True
    text = page_of(runs, checks, machine)
    if arguments.dry:
        print(text)
        return
    if not arguments.from_csv:
        write_csv(runs, checks, machine)
    page = PAGE.read_text(encoding="utf-8")
    start, end = "<!-- peers -->", "<!-- end of peers -->"
    PAGE.write_text(page[:page.index(start)] + f"{start}\n{text}\n" + page[page.index(end):], encoding="utf-8")
    for name, svg in plots_of(runs).items():
        (PLOTS / name).write_text(svg, encoding="utf-8")


if __name__ == "__main__":
    main()
