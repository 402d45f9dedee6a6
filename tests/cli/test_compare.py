#!/usr/bin/env python3
"""`tenon compare`: every method on one scene, as a table, JSON, CSV and a page that needs nothing."""

import csv
import json
import os
import pty
import re
import signal
import subprocess
import time
import unittest
import xml.etree.ElementTree
from html.parser import HTMLParser

from test_simulate import BEAD, KEYS, STONE
from test_tenon import FOUR_BAR, ROOT, TENON, Case

METHODS = re.search(r"there are (.*)\n", subprocess.run(
    [TENON, "compare", FOUR_BAR, "--methods", "?"], capture_output=True, text=True).stderr
).group(1).replace(" and ", ", ").split(", ")
QUICK = ["displacement", "implicit", "poststabilized"]
BLOWS_UP = ["--methods", "baumgarte,implicit", "--integrator", "euler", "--dt", "0.1", "--as-written"]
COLUMNS = ("method,time,error,range_error,kinetic,potential,energy,momentum,angular_momentum,"
           "iterations,microseconds")
SVG = "{http://www.w3.org/2000/svg}"

# Two balls on a rod in empty space: everything is kept.
DUMBBELL = """gravity 0 0 0;
solid a
  sphere 10cm;
  mass 1;
  at -0.5 0 0;
  velocity 0 -1 0;
end
solid b
  sphere 10cm;
  mass 1;
  at 0.5 0 0;
  velocity 0 1.5 0;
end
joint distance rod
  object1 a;
  object2 b;
  point1 0 0 0;
  point2 0 0 0;
  length 1;
end
"""


# A twist with a hard limit, which explicit methods are flung away by.
FLUNG = """/* Twist: one solid turns about the common axis within limits.
   Look at the pointer between the two pegs of the dial. The twist joint alone holds neither point nor
   axis; here a ball joint carries the knob, which may also lean.
   What must hold: a range locks nothing, so three degrees of freedom are left of the ball. */
// view: yaw 15 pitch 45
title "Joint: twist";

param range 60deg min 10deg max 150deg;
param turn (0.4 * range) min (-0.9 * range) max (0.9 * range);  // leaning, it twists a little farther
param lean 10deg min 0deg max 40deg;

solid dial
  immobile;
  cylinder 0.15 0.012 at 0 -0.03 0;
  sphere 0.022 at 0 -0.012 0;
  repeat i 0 1
    cylinder 0.008 0.05 at (0.12 * cos(range)) -0.005 ((2 * i - 1) * 0.12 * sin(range));
  end
  repeat i 0 12  // marks
    box 0.016 0.002 0.004 at (0.138 * cos((i / 6 - 1) * range)) -0.023
        (-0.138 * sin((i / 6 - 1) * range)) turn 0 1 0 ((i / 6 - 1) * range);
  end
  colour 0.45 0.45 0.48;
end

solid knob
  turn 0 0 1 (-lean);
  turn 0 1 0 (turn);
  cylinder 0.045 0.045 at 0 0.035 0;
  box 0.11 0.012 0.014 at 0.06 0.02 0;
  density 2700;
  colour 0.20 0.55 0.70;
end

joint ball pivot
  object1 dial;
  object2 knob;
  at 0 0 0;
end

joint twist range
  object1 dial;
  axis1 0 1 0;
  normal1 1 0 0;
  object2 knob;
  axis2 0 1 0;
  normal2 1 0 0;
  limit twist min (-range) max (range);
end

expect solids 2;
expect joints 2;
expect constraints 3;
expect dof 3;
expect redundant 0;
expect closed 1e-12;
"""

class Page(HTMLParser):
    """Checks that tags close, and gathers what there is to see."""
    VOID = {"meta", "img", "br"}

    def __init__(self, text):
        super().__init__()
        self.open, self.text, self.images, self.wrong = [], "", [], []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attributes):
        if tag == "img":
            self.images.append(dict(attributes)["src"])
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            self.wrong.append(tag)

    def handle_data(self, data):
        if self.open and self.open[-1] not in ("script", "style"):
            self.text += data


class Compare(Case):
    def report(self, *arguments, code=0, **options):
        return json.loads(self.fails(code, "compare", *arguments, "--json", **options).stdout)

    def page(self, *arguments, **options):
        path = self.folder / "report.html"
        self.ok("compare", *arguments, "-o", str(path), **options)
        return path.read_text(encoding="utf-8")

    def plots(self, page):
        """The plots of a page, by title."""
        roots = [xml.etree.ElementTree.fromstring(svg)
                 for svg in re.findall(r'<svg [^>]*class="plot".*?</svg>\n.*?</svg>', page, re.S)]
        return {root.get("aria-label"): root for root in roots}

    def points(self, plot, method):
        line = [e for e in plot.iter(SVG + "polyline") if e.get("data-name") == method][0]
        numbers = [float(n) for n in line.get("points").split()]
        return list(zip(numbers[::2], numbers[1::2]))

    def test_all_methods_have_a_row_and_the_columns_are_named(self):
        self.assertGreaterEqual(len(METHODS), 6)
        text = self.ok("compare", "-", "--time", "0.2", text=DUMBBELL).stdout
        self.assertEqual(re.findall(r"(?m)^(\S+) +(?:done|blown up) ", text), METHODS)
        head = text.split("\n")[2] + text.split("\n")[3]
        for word in ("µs per solid", "joint error", "largest", "rms", "energy", "drift",
                     "deviation", "momentum", "angular", "steps", "not closed", "iterations"):
            self.assertIn(word, head)
        self.assertIn("kinetic energy at the start", text)
        self.assertNotIn("as they should", text)  # nothing is held, driven or damped

    def test_json_is_a_list_of_what_simulate_prints(self):
        options = ["--time", "0.5", "--dt", "0.01"]
        for report, method in zip(self.report(FOUR_BAR, *options, "--methods", ",".join(QUICK)), QUICK):
            self.assertLessEqual(KEYS, set(report))
            alone = json.loads(self.ok("simulate", FOUR_BAR, *options, "--method", method,
                                       "--json").stdout)
            self.assertEqual(list(report), list(alone))
            for key in set(alone) - {"time_ms", "us_per_solid_step"}:
                self.assertEqual(report[key], alone[key], key)

    def test_methods_come_in_the_order_asked_for(self):
        for methods in (QUICK, QUICK[::-1]):
            reports = self.report(FOUR_BAR, "--time", "0.1", "--methods", ",".join(methods))
            self.assertEqual([r["method"] for r in reports], methods)

    def test_the_scenes_own_method_is_not_asked(self):
        text = STONE + "settings\n  dt 0.02;\n  duration 0.1;\n  method implicit;\nend\n"
        for report in self.report("-", "--methods", "displacement,baumgarte", text=text):
            self.assertEqual((report["steps"], report["warnings"]), (5, []))

    def test_the_table_has_a_row_per_method_and_step(self):
        path = self.folder / "steps.csv"
        reports = self.report(FOUR_BAR, "--time", "0.5", "--methods", ",".join(QUICK),
                              "-o", str(path))
        lines = path.read_text().splitlines()
        self.assertEqual(lines[0], COLUMNS)
        rows = list(csv.DictReader(lines))
        for report in reports:
            mine = [row for row in rows if row["method"] == report["method"]]
            self.assertEqual(len(mine), report["steps"] + 1)
            errors = [float(row["error"]) for row in mine]
            self.assertEqual(max(errors[1:]), report["max_error"])
            self.assertEqual((float(mine[-1]["time"]), errors[-1]),
                             (report["time"], report["end_error"]))
            for row in mine:
                self.assertAlmostEqual(float(row["kinetic"]) + float(row["potential"]),
                                       float(row["energy"]), places=12)
            self.assertEqual(float(mine[-1]["energy"]), report["end_energy"])
            self.assertEqual((mine[0]["microseconds"], mine[0]["iterations"]), ("", ""))
            spent = sum(float(row["microseconds"]) for row in mine[1:])
            self.assertAlmostEqual(spent / 1000 / report["time_ms"], 1, places=4)
            self.assertEqual(sum(int(row["iterations"]) for row in mine[1:]), report["iterations"])
        self.ok("compare", FOUR_BAR, "--time", "0.5", "--methods", "implicit", "--every", "50",
                "-o", str(path))
        self.assertEqual(len(path.read_text().splitlines()), 1 + 1 + 120 // 50)

    def test_the_momenta_of_a_free_dumbbell(self):
        path = self.folder / "steps.csv"
        self.ok("compare", "-", "--time", "1", "--methods", "poststabilized", "-o", str(path),
                text=DUMBBELL)
        for row in csv.DictReader(path.read_text().splitlines()):
            self.assertAlmostEqual(float(row["momentum"]), 0.5, places=12)
            self.assertAlmostEqual(float(row["angular_momentum"]), 1.25, places=9)
            self.assertAlmostEqual(float(row["energy"]), (1 + 2.25) / 2, places=6)

    def test_the_page_stands_alone(self):
        page = self.page("-", "--time", "0.3", text='title "Rod & <balls>";\n' + DUMBBELL)
        parsed = Page(page)
        self.assertEqual((parsed.open, parsed.wrong), ([], []))
        self.assertIn("Rod & <balls>", parsed.text)
        outside = set(re.findall(r"https?://[^\"'\s)]*|(?:src|href)=\"(?!data:)[^\"]*", page))
        self.assertEqual(outside, {"http://www.w3.org/2000/svg"})
        self.assertNotIn("@import", page)
        self.assertEqual(len(parsed.images), 1 + len(METHODS))
        plots = self.plots(page)
        self.assertEqual(list(plots), ["Joint error", "Energy", "Linear momentum",
                                       "Angular momentum", "Time per step", "Iterations per step"])
        for method in METHODS:
            self.assertIn(method, parsed.text)
            for plot in plots.values():
                self.assertGreater(len(self.points(plot, method)), 10)
        self.assertIn("prefers-color-scheme:dark", page)
        self.assertIn('class="best"', page)

    def test_curves_are_where_the_values_are(self):
        path = self.folder / "steps.csv"
        options = [BEAD, "--time", "2", "--dt", "0.1", "--as-written", "--methods", "implicit"]
        self.ok("compare", *options, "-o", str(path))
        plot = self.plots(self.page(*options))["Joint error"]
        axes = json.loads(plot.get("data-axes"))
        _, _, width, height = axes["frame"]
        self.assertEqual(axes["y"]["scale"], 1)
        points, rows = self.points(plot, "implicit"), list(csv.DictReader(path.read_text().splitlines()))
        self.assertEqual(len(points), len(rows))
        for (x, y), row in zip(points, rows):
            self.assertAlmostEqual(x, float(row["time"]) / 2 * width, delta=0.06)
            value = axes["y"]["lo"] + (1 - y / height) * (axes["y"]["hi"] - axes["y"]["lo"])
            self.assertAlmostEqual(10 ** value / float(row["error"]), 1, delta=0.05)

    def test_a_spike_of_one_step_survives_in_a_long_plot(self):
        # Gravity is another one for a single step in the middle of 20000.
        text = ("gravity 0 0 0;\nsolid stone\n  sphere 10cm;\n  mass 1;\n  velocity 1 0 0;\nend\n"
                "at 10 gravity 1e6 0 0;\nat 10.001 gravity -1e6 0 0;\n"
                "at 10.002 gravity 0 0 0;\n")
        page = self.page("-", "--time", "20", "--dt", "0.001", "--methods", "displacement", text=text)
        plot = self.plots(page)["Linear momentum"]
        self.assertLess(len(self.points(plot, "displacement")), 1000)
        bands = [e for e in plot.iter(SVG + "polygon")]
        self.assertEqual(len(bands), 1)
        heights = [float(n) for n in bands[0].get("points").split()][1::2]
        # 1000 of 1: three decades above the rest, at the top of the frame.
        self.assertLess(min(heights), 0.1 * max(heights))

    def test_what_blows_up_is_a_row_and_a_broken_curve(self):
        bad, good = self.report(BEAD, *BLOWS_UP, "--time", "100")
        self.assertEqual((bad["status"], bad["ok"], good["status"]), ("blown-up", False, "done"))
        text = self.ok("compare", BEAD, *BLOWS_UP, "--time", "100").stdout
        self.assertRegex(text, r"(?m)^baumgarte +blown up at [\d.]+ s")
        page = self.page(BEAD, *BLOWS_UP, "--time", "100")
        self.assertRegex(Page(page).text, r"blown up at [\d.]+ s")
        plot = self.plots(page)["Joint error"]
        crosses = [e for e in plot.iter(SVG + "path") if e.get("class").startswith("cross")]
        self.assertEqual([e.get("data-name") for e in crosses], ["baumgarte"])
        self.assertLess(self.points(plot, "baumgarte")[-1][0], self.points(plot, "implicit")[-1][0])

    def test_driven_and_held_scenes_have_no_best_keeper(self):
        text = self.ok("compare", FOUR_BAR, "--time", "0.1", "--methods", "implicit,shake").stdout
        self.assertIn("its momenta change, as they should", text)
        self.assertNotIn("change the energy of this scene, as they should", text)
        text = self.ok("compare", "-", "--time", "0.1", "--methods", "implicit,shake",
                       text=DUMBBELL + "drag air\n  linear 1;\nend\n").stdout
        self.assertIn("change the energy of this scene, as they should", text)
        self.assertIn("its momenta change, as they should", text)

    def test_wrong_options_are_explained(self):
        for options, words in ((["--methods", "displacment"], "did you mean 'displacement'?"),
                               (["--methods", "implicit,magic"], "there is no method 'magic'"),
                               (["-o", "a.png"], ".csv, .html and .json"),
                               (["-o", "a.svg"], ".csv, .html and .json"),
                               (["--dt", "0"], "greater than 0")):
            result = self.fails(2, "compare", FOUR_BAR, *options)
            self.assertEqual(result.stdout, "")
            self.assertIn("try: tenon compare --help", result.stderr)
            self.assertIn(words, result.stderr)

    def test_broken_scenes_and_files_are_problems(self):
        result = self.fails(1, "compare", "-", text="solid")
        self.assertRegex(result.stderr, r"^stdin:1:\d+: error: ")
        self.assertFalse(self.report("-", text="solid", code=1)["ok"])
        path = str(self.folder / "none/report.html")
        problems = self.report(FOUR_BAR, "--time", "0.1", "-o", path, code=1)["problems"]
        self.assertEqual(problems[-1]["file"], path)
        self.assertIn("too many steps", self.fails(1, "compare", FOUR_BAR, "--dt", "1e-300").stderr)

    def test_ctrl_c_keeps_what_was_measured(self):
        path = self.folder / "report.html"
        master, slave = pty.openpty()
        process = subprocess.Popen(
            [TENON, "compare", FOUR_BAR, "--time", "1e6", "--methods", "implicit,displacement",
             "-o", str(path), "--json"],
            stdout=subprocess.PIPE, stderr=slave, text=True, env={**os.environ, "TERM": "xterm"})
        os.close(slave)
        shown = b""
        began = time.time()
        while b" of 1e+06 s" not in shown and time.time() - began < 60:
            shown += os.read(master, 65536)
        process.send_signal(signal.SIGINT)
        output, _ = process.communicate(timeout=60)
        os.close(master)
        self.assertEqual(process.returncode, 130)
        reports = json.loads(output)
        self.assertEqual([(r["method"], r["status"]) for r in reports], [("implicit", "stopped"), ("displacement", "not-run")])
        self.assertIn(b"1 of 2 methods, implicit: ", shown)
        page = Page(path.read_text(encoding="utf-8"))
        self.assertIn("stopped before the end", page.text)
        self.assertIn("not run: displacement", page.text)
        self.assertEqual(list(self.folder.iterdir()), [path])

    def test_what_is_done_is_kept_when_it_is_ended(self):
        # The first one ends, the second one does not.
        scene = self.write("stone.tenon", STONE + "settings\n  duration 1e6;\n  dt 1;\nend\n")
        path = self.folder / "steps.csv"
        for by, code in ((signal.SIGTERM, 143), (signal.SIGINT, 130)):
            process = subprocess.Popen([TENON, "compare", scene, "--methods", "implicit,relaxation,shake", "--every", "1000",
                                        "-o", str(path), "--json"], stdout=subprocess.PIPE, text=True)
            began = time.time()
            while time.time() - began < 60:
                parts = [p for p in self.folder.iterdir() if p.name.startswith(".steps.csv")]
                if parts and b"relaxation" in parts[0].read_bytes():
                    break
                time.sleep(0.01)
            process.send_signal(by)
            output, _ = process.communicate(timeout=60)
            self.assertEqual(process.returncode, code)
            statuses = {r["method"]: r["status"] for r in json.loads(output)}
            self.assertEqual(statuses["implicit"], "done")
            self.assertEqual(statuses["shake"], "not-run")
            self.assertIn("implicit", path.read_text())
            path.unlink()

    def test_who_ran_away_is_the_best_at_nothing(self):
        # By far the cheapest of the three, and its energy rises by 400 times what the motion has to give.
        path = self.folder / "flung.tenon"
        path.write_text(FLUNG)
        options = [str(path), "--time", "1", "--methods", "implicit,poststabilized,recursive"]
        reports = self.report(*options)
        self.assertEqual(min(reports, key=lambda r: r["us_per_solid_step"])["method"], "implicit")
        self.assertGreater(reports[0]["energy_deviation"], 100)
        text = self.ok("compare", *options).stdout
        self.assertRegex(text, r"implicit: its energy grew without bound, by [\d.e+]+ J, so it is not marked as the best at anything\.")
        row = re.search(r'<tr data-name="implicit">.*?</tr>', self.page(*options), re.S).group()
        self.assertNotIn('class="best"', row)
        # Where energy is kept, and among two only.
        self.assertNotIn("grew without bound", self.ok("compare", "-", "--time", "1", text=DUMBBELL).stdout)


if __name__ == "__main__":
    unittest.main()
