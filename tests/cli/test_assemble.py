#!/usr/bin/env python3
"""`tenon assemble`: closed from anywhere, honest where it cannot be, and the files it writes."""

import csv
import json
import os
import pty
import re
import subprocess
import unittest
import xml.etree.ElementTree
from pathlib import Path

from test_tenon import FOUR_BAR, PENDULUM, ROOT, TENON, Case

FIG2 = str(ROOT / "scenes/faure/fig2-bar-and-discs.tenon")
FIG3 = str(ROOT / "scenes/faure/fig3-bound-characters.tenon")
KEYS = {"start_error", "status", "max_error", "rms_error", "iterations", "linear_iterations",
        "restarts", "time_ms", "redundant_joints", "conflicts", "state_hash", "max_error_m",
        "max_error_rad", "dof", "redundant", "singular", "method", "solver", "reason"}

# A rod of 1 m that is to hang from two nails, `apart` metres from each other.
ROD = """param apart 2;
solid rod
  box 1 0.1 0.1;
end
joint ball left
  object2 rod;
  point1 0 0 0;
  point2 -0.5 0 0;
end
joint ball right
  object2 rod;
  point1 (apart) 0 0;
  point2 0.5 0 0;
end
"""

# Three links of 1 m, end to end; the first hangs from the world.
ARM = """repeat i 0 2
  solid link-(i)
    box 1 0.1 0.1;
    at (i + 0.5) 0 0;
  end
  if (i > 0)
    joint ball joint-(i)
      object1 link-(i - 1);
      object2 link-(i);
      at (i) 0 0;
    end
  end
end
joint ball joint-0
  object2 link-0;
end
"""


def scene(name):
    return str(ROOT / "scenes" / (name + ".tenon"))


class Assemble(Case):
    def report(self, *arguments, **options):
        return json.loads(self.ok("assemble", *arguments, "--json", **options).stdout)

    def failure(self, *arguments, **options):
        return json.loads(self.fails(1, "assemble", *arguments, "--json", **options).stdout)

    def place(self, path, solid):
        """Where a solid's centre of mass is, by the table that was written."""
        with open(path, newline="") as file:
            row = next(row for row in csv.DictReader(file) if row["solid"] == solid)
        return [float(row[axis]) for axis in "xyz"]

    def test_the_report_has_its_keys(self):
        report = self.report(FIG2)
        self.assertLessEqual(KEYS, set(report))
        self.assertEqual(report["status"], "converged")
        self.assertEqual((report["method"], report["solver"]), ("newton", "direct"))
        self.assertGreater(report["start_error"], 0.1)
        self.assertLess(report["max_error"], 1e-10)
        self.assertLessEqual(report["rms_error"], report["max_error"])
        self.assertEqual(report["max_error"],
                         max(report["max_error_m"], report["max_error_rad"]))
        self.assertEqual((report["dof"], report["redundant"]), (12, 0))
        self.assertEqual((report["redundant_joints"], report["conflicts"]), ([], []))
        self.assertRegex(report["state_hash"], "^[0-9a-f]{16}$")
        self.assertGreater(report["iterations"], 0)
        self.assertGreater(report["time_ms"], 0)

    def test_scattered_solids_come_together(self):
        for name in ("linkages/four-bar", "linkages/slider-crank", "linkages/stewart-platform",
                     "faure/fig2-bar-and-discs"):
            for seed in range(1, 6):
                report = self.report(scene(name), "--scatter", str(seed))
                self.assertEqual(report["status"], "converged", (name, seed))
                self.assertLess(report["max_error"], 1e-10, (name, seed))
                self.assertGreater(report["start_error"], 0.1, (name, seed))

    def test_the_same_seeds_give_the_same_bits(self):
        hashes = [self.report(FOUR_BAR, "--scatter", seed)["state_hash"] for seed in ("7", "7", "8")]
        self.assertEqual(hashes[0], hashes[1])
        self.assertNotEqual(hashes[0], hashes[2])

    def test_what_is_closed_stays_as_it_is(self):
        for name in ("linkages/four-bar", "linkages/bricard", "figures/marionette"):
            report = self.report(scene(name))
            self.assertEqual((report["status"], report["iterations"]), ("converged", 0), name)
            self.assertEqual(report["max_error"], report["start_error"])
            again = self.report(scene(name), "--iterations", "0")
            self.assertEqual(report["state_hash"], again["state_hash"])

    def test_redundancy_is_named_and_no_error(self):
        report = self.report(FOUR_BAR, "--scatter", "3")
        self.assertEqual((report["dof"], report["redundant"]), (1, 3))
        self.assertEqual(sorted(report["redundant_joints"]), ["A", "B", "C", "O"])
        self.assertEqual(report["conflicts"], [])
        text = self.ok("assemble", FOUR_BAR, "--scatter", "3").stdout
        self.assertRegex(text, r"3 redundant constraints, shared by O, A, B and C\. This is normal in closed "
                               r"loops, and not an error\.")
        self.assertRegex(text, r"Assembled: the largest joint error went from [\d.]+ to \S+ in \d+ "
                               r"iterations? and \S+ ms \(newton, direct")
        self.assertRegex(text, r"(?m)^  degrees of freedom +1$")

    def test_every_method_and_solver(self):
        for method in ("newton", "displacement", "relaxation"):
            for solver in ("direct", "cg", "bicg", "minres", "block-cg"):
                report = self.report(FIG2, "--method", method, "--solver", solver, "--tolerance",
                                     "1e-6", "--iterations", "2000")
                self.assertEqual((report["method"], report["solver"]), (method, solver))
                self.assertLess(report["max_error"], 1e-6, (method, solver))

    def test_the_papers_budget_is_counted(self):
        report = json.loads(self.fails(1, "assemble", FIG3, "--json", "--method", "displacement",
                                       "--solver", "bicg", "--iterations", "6",
                                       "--linear-iterations", "30", "--tolerance", "1e-12").stdout)
        self.assertEqual((report["status"], report["iterations"]), ("budget", 6))
        self.assertLessEqual(report["linear_iterations"], 180)
        self.assertGreater(report["linear_iterations"], 6)
        self.assertLessEqual(report["max_error"], report["start_error"])

    def test_the_budget_is_kept(self):
        for milliseconds in (1, 5, 20):
            times = []
            for _ in range(10):  # this machine may be busy: once is enough
                # A plain sum of corrections never comes to an end by itself here.
                report = self.failure(FIG3, "--scatter", "1", "--method", "displacement", "--solver",
                                      "cg", "--iterations", "1000000", "--tolerance", "1e-300",
                                      "--budget-ms", str(milliseconds))
                self.assertEqual(report["status"], "budget")
                self.assertLessEqual(report["max_error"], report["start_error"])
                times.append(report["time_ms"])
                if times[-1] < 1.1 * milliseconds + 100:  # or one linear solve
                    break
            self.assertLess(min(times), 1.1 * milliseconds + 100)

    def test_no_iterations_are_no_harm(self):
        report = self.failure(FIG2, "--iterations", "0")
        self.assertEqual((report["status"], report["iterations"]), ("budget", 0))
        self.assertEqual(report["max_error"], report["start_error"])
        self.assertIn("Not assembled", self.fails(1, "assemble", FIG2, "--iterations", "1").stdout)

    def test_the_scenes_settings_are_the_defaults(self):
        with open(FIG2) as file:
            text = file.read()
        settings = ("settings\n  method displacement;\n  solver cg;\n  norm rms;\n"
                    "  tolerance 0.001;\nend\n")
        report = self.report("-", text=text + settings)
        self.assertEqual([report[key] for key in ("method", "solver", "norm", "tolerance")],
                         ["displacement", "cg", "rms", 0.001])
        report = self.report("-", "--method", "newton", "--tolerance", "1e-9", text=text + settings)
        self.assertEqual([report[key] for key in ("method", "solver", "norm", "tolerance")],
                         ["newton", "cg", "rms", 1e-9])
        # A method that only moves things says nothing about posing them.
        report = self.report("-", text=text + "settings\n  method energy;\nend\n")
        self.assertEqual(report["method"], "newton")

    def test_the_trace_falls(self):
        path = self.folder / "trace.csv"
        report = self.report(FIG3, "--scatter", "1", "--trace", str(path))
        self.assertEqual(path.read_text().split("\n")[0], "iteration,microseconds,error,best")
        with open(path, newline="") as file:
            rows = [{key: float(value) for key, value in row.items()} for row in csv.DictReader(file)]
        self.assertGreater(len(rows), 2)
        for before, after in zip(rows, rows[1:]):
            self.assertLessEqual(after["best"], before["best"])
            self.assertGreaterEqual(after["microseconds"], before["microseconds"])
            self.assertGreaterEqual(after["iteration"], before["iteration"])
        for row in rows:
            self.assertLessEqual(row["best"], row["error"])
        self.assertLess(rows[-1]["best"], 1e-10)
        self.assertLessEqual(rows[-1]["microseconds"], 1000 * report["time_ms"] + 1)

    def test_goals_that_there_was_no_time_for_are_not_called_followed(self):
        goal = "goal reach\n  object link-2;\n  point 0.5 0 0;\n  target 1 1.5 0.5;\nend\n"
        for options in (["--budget-ms", "0.001"], ["--iterations", "1"],
                        ["--method", "relaxation", "--budget-ms", "0.001"]):
            report = self.failure("-", *options, text=ARM + goal)
            self.assertEqual(report["status"], "budget", options)
            self.assertFalse(report["ok"])
            self.assertLess(report["max_error"], 1e-10)
            self.assertGreater(report["goal_error_m"], 0.5)
            self.assertIn("all joints hold", report["reason"])
            words = self.fails(1, "assemble", "-", *options, text=ARM + goal).stdout
            self.assertIn("All joints hold", words)
            self.assertNotIn("Not assembled", words)

    def test_pins_hold_and_goals_are_met_as_far_as_the_joints_allow(self):
        path = self.folder / "pose.csv"
        pin = "pin hold\n  object link-1;\nend\n"
        goal = "goal reach\n  object link-2;\n  point 0.5 0 0;\n  target 1 1.5 0.5;\nend\n"
        report = self.report("-", "-o", str(path), text=ARM + goal)
        self.assertEqual(report["status"], "converged")
        self.assertLess(report["max_error"], 1e-10)
        self.assertLess(report["goal_error_m"], 1e-3)
        self.report("-", "-o", str(path), text=ARM + pin + goal)
        for wanted, found in zip((1.5, 0, 0), self.place(path, "link-1")):
            self.assertAlmostEqual(wanted, found, places=9)
        far = goal.replace("1 1.5 0.5", "0 9 0")
        report = self.report("-", text=ARM + far)
        self.assertLess(report["max_error"], 1e-10)
        self.assertAlmostEqual(report["goal_error_m"], 6, places=3)
        self.assertIn("from the farthest point to its target", self.ok("assemble", "-", text=ARM + far).stdout)
        # A goal that begins later is none yet.
        report = self.report("-", text=ARM + goal.replace("end", "active 1;\nend"))
        self.assertEqual(report["iterations"], 0)
        self.assertNotIn("goal_error_m", report)

    def test_pins_are_where_the_scene_was_written_even_if_it_is_scattered(self):
        path = self.folder / "pose.csv"
        text = ARM + "pin hold\n  object link-1;\n  rigid;\nend\n"
        report = self.report("-", "--scatter", "1", "-o", str(path), text=text)
        self.assertLess(report["max_error"], 1e-10)
        for wanted, found in zip((1.5, 0, 0), self.place(path, "link-1")):
            self.assertAlmostEqual(wanted, found, places=9)

    def test_pins_of_what_does_not_move(self):
        text = PENDULUM + "solid base\n  sphere 1;\n  immobile;\nend\npin p\n  object base;\nend\n"
        self.assertIn("pin 'p' has no effect", self.ok("assemble", "-", text=text).stderr)

    def test_joints_that_cannot_all_hold_are_named(self):
        report = self.failure("-", text=ROD)
        self.assertIn(report["status"], ("inconsistent", "stalled"))
        self.assertFalse(report["ok"])
        self.assertTrue(report["reason"])
        self.assertEqual([sorted(names) for names in report["conflicts"]], [["left", "right"]])
        # A metre too short, and the error is spread: no joint is farther off than that.
        self.assertLess(report["max_error"], 1)
        self.assertGreater(report["max_error"], 0.3)
        text = self.fails(1, "assemble", "-", text=ROD).stdout
        self.assertIn("These cannot all hold: left and right. If you drop any one of them, all "
                      "others close, and that one stays open: left by 1 and right by 1 (metres or "
                      "radians).", text)
        self.assertNotIn("redundant", text)
        self.assertEqual(self.report("-", "--set", "apart=1", text=ROD)["conflicts"], [])

    def test_joints_that_are_named_give_way_by_their_weights(self):
        report = self.report("-", "--yield", "left=3,right", text=ROD)
        self.assertEqual((report["ok"], report["status"], report["conflicts"]), (True, "converged", []))
        gave = {each["joint"]: each for each in report["yielded"]}
        self.assertEqual([gave[name]["weight"] for name in ("left", "right")], [3, 1])
        self.assertAlmostEqual(gave["left"]["metres"], 0.25, places=7)
        self.assertAlmostEqual(gave["right"]["metres"], 0.75, places=7)
        said = self.ok("assemble", "-", "--yield", "left=3", "--yield", "right", text=ROD).stdout
        self.assertIn("Gave way: left by 0.25 m (weight 3) and right by 0.75 m (weight 1).", said)
        alone = self.report("-", "--yield", "right", text=ROD)
        self.assertLess(alone["max_error"], 1e-10)
        self.assertAlmostEqual(alone["yielded"][0]["metres"], 1, places=7)
        # Where all can hold, nothing gives.
        self.assertLess(self.report("-", "--set", "apart=1", "--yield", "left", text=ROD)["yielded"][0]["metres"], 1e-9)
        for wrong, words in (("lift", "did you mean 'left'?"), ("left=0", "a weight is a number above 0"),
                             ("left=x", "a weight is a number above 0")):
            self.assertIn(words, self.fails(1, "assemble", "-", "--yield", wrong, text=ROD).stderr)
        # What the scene says about its method is no hindrance.
        self.ok("assemble", "-", "--yield", "left,right", text=ROD + "settings method relaxation; end\n")
        self.assertIn("newton only", self.fails(1, "assemble", "-", "--yield", "left", "--method", "relaxation",
                                                text=ROD).stderr)

    def test_soft_joints_and_preferred_ranges_find_a_compromise(self):
        text = ROD.replace("-0.5 0 0;", "-0.5 0 0; compliance 0.1;")
        report = self.report("-", text=text)
        self.assertEqual(report["status"], "converged")
        self.assertEqual([(each["joint"], each["weight"]) for each in report["yielded"]], [("left", 10)])
        self.assertAlmostEqual(report["yielded"][0]["metres"], 1, places=7)
        hinge = ("joint pin knee\n  object2 rod;\n  point2 -0.5 0 0;\n  axis1 0 0 1;\n  axis2 0 0 1;\n  normal1 1 0 0;\n"
                 "  normal2 1 0 0;\n  prefer angle min 0.5 max 1 stiffness 5;\nend\n")
        rod = ROD[:ROD.index("joint")]
        report = self.report("-", text=rod + hinge)
        self.assertEqual((report["status"], report["yielded"]), ("converged", []))
        held = hinge.replace("  prefer", "  limit angle min -1 max 0.2;\n  prefer")
        report = self.report("-", text=rod + held)
        self.assertEqual((report["yielded"][0]["joint"], report["yielded"][0]["coordinate"]), ("knee", "angle"))
        self.assertAlmostEqual(report["yielded"][0]["radians"], 0.3, places=7)

    def test_a_scene_that_is_written_reads_back_closed(self):
        for name in ("linkages/four-bar", "linkages/stewart-platform", "faure/fig2-bar-and-discs",
                     "faure/fig3-bound-characters", "linkages/slider-crank"):
            path = str(self.folder / "closed.tenon")
            self.report(scene(name), "--scatter", "2", "-o", path)
            checked = json.loads(self.ok("check", path, "--json").stdout)
            verdicts = {e["what"]: e["verdict"] for e in checked["scenes"][0]["expectations"]}
            self.assertEqual(verdicts["closed"], "holds", name)
            info = json.loads(self.ok("info", path, "--json").stdout)
            self.assertLess(info["max_error"], 1e-9, name)
            self.assertEqual(self.report(path, "--tolerance", "1e-9")["iterations"], 0)

    def test_what_a_scene_takes_from_its_pose_keeps_its_value(self):
        text = (ROD + "spring s\n  object2 rod;\n  point2 0.5 0 0;\n  point1 0 3 0;\n  stiffness 1;\n"
                "end\npin p\n  object rod;\n  point -0.5 0 0;\nend\n")
        path = self.folder / "closed.tenon"
        self.ok("assemble", "-", "--set", "apart=-1", "-o", str(path),
                text=text.replace("pin p", "pin p\n  active 1;"))
        written = path.read_text()
        self.assertRegex(written, r"rest 3\.04138")
        self.assertRegex(written, r"target -0\.5 0 0;")

    def test_tables_pictures_and_reports(self):
        table, picture, copy = (self.folder / name for name in ("pose.csv", "pose.svg", "pose.json"))
        report = self.report(FOUR_BAR, "--scatter", "1", "-o", str(table))
        with open(table, newline="") as file:
            rows = list(csv.reader(file))
        self.assertEqual(rows[0], "time solid x y z qx qy qz qw vx vy vz wx wy wz".split())
        self.assertEqual(len(rows), 5)
        for row in rows[1:]:
            self.assertAlmostEqual(sum(float(q) ** 2 for q in row[5:9]), 1, places=12)
        self.assertIn("Written: " + str(picture),
                      self.ok("assemble", FOUR_BAR, "--scatter", "1", "-o", str(picture)).stdout)
        root = xml.etree.ElementTree.fromstring(picture.read_text())
        self.assertEqual(root.tag, "{http://www.w3.org/2000/svg}svg")
        self.ok("assemble", FOUR_BAR, "--scatter", "1", "-o", str(copy))
        self.assertEqual(json.loads(copy.read_text())["state_hash"], report["state_hash"])

    def test_the_best_pose_is_written_even_if_it_is_not_closed(self):
        path = str(self.folder / "best.tenon")
        report = self.failure("-", "-o", path, text=ROD)
        self.assertAlmostEqual(json.loads(self.ok("info", path, "--json").stdout)["max_error"],
                               report["max_error"], places=12)
        self.assertNotIn("closed", Path(path).read_text())

    def test_velocities(self):
        text = PENDULUM.replace("  at 1 0 0;", "  at 1 0 0;\n  velocity 3 4 0;")
        path = self.folder / "pose.csv"
        report = self.report("-", "--velocities", "-o", str(path), text=text)
        self.assertLess(report["velocity_error"], 1e-12)
        with open(path, newline="") as file:
            row = next(csv.DictReader(file))
        self.assertAlmostEqual(float(row["vx"]), 0)  # along the arm
        self.assertAlmostEqual(float(row["vy"]), float(row["wz"]))
        self.assertGreater(float(row["vy"]), 3.9)
        self.assertNotIn("velocity_error", self.report("-", text=text))

    def test_wrong_options_are_explained(self):
        for options, words in ((["--method", "magic"], "newton"), (["--solver", "lu"], "block-cg"),
                               (["--norm", "l7"], "energy"), (["--tolerance", "0"], "greater than 0"),
                               (["--tolerance", "x"], "is not a number"), (["--tolerance", "nan"], "is not a number"),
                               (["--iterations", "-1"], "whole number"),
                               (["--iterations", "many"], "whole number"),
                               (["--linear-iterations", "1.5"], "whole number"),
                               (["--budget-ms", "-3"], "greater than 0"),
                               (["--truncation", "0"], "greater than 0"),
                               (["--scatter", "x"], "--scatter"), (["--scatter"], "--scatter"),
                               (["-o", "pose.png"], ".csv, .json, .svg and .tenon"),
                               (["-o", "pose"], ".csv, .json, .svg and .tenon"),
                               (["--nonsense"], "--nonsense")):
            result = self.fails(2, "assemble", FOUR_BAR, *options)
            self.assertEqual(result.stdout, "")
            self.assertIn("try: tenon assemble --help", result.stderr)
            self.assertIn(words, result.stderr, options)

    def test_what_cannot_be_read_or_written_is_a_problem(self):
        self.assertIn("error:", self.fails(1, "assemble", str(self.folder / "none.tenon")).stderr)
        self.assertFalse(self.failure("-", text="solid")["ok"])
        for option in ("-o", "--trace"):
            path = str(self.folder / "none/pose.csv")
            report = self.failure(FOUR_BAR, option, path)
            self.assertEqual(report["problems"][-1]["file"], path)
        text = PENDULUM + "goal g\n  object bab;\n  target 0 0 0;\nend\n"
        self.assertIn("bab", self.fails(1, "assemble", "-", text=text).stderr)

    def test_long_ones_show_how_far_they_are(self):
        master, slave = pty.openpty()
        process = subprocess.Popen(
            [TENON, "assemble", FIG3, "--scatter", "1", "--tolerance", "1e-300", "--iterations",
             "100000000", "--method", "relaxation", "--budget-ms", "2000"],
            stdout=subprocess.DEVNULL, stderr=slave, env={**os.environ, "TERM": "xterm"})
        os.close(slave)
        output = b""
        while True:
            try:
                chunk = os.read(master, 65536)
            except OSError:  # how Linux says that the other end is closed
                break
            if not chunk:
                break
            output += chunk
        os.close(master)
        self.assertEqual(process.wait(timeout=60), 1)
        self.assertTrue(re.search(r"assembling .*: \d+ iterations?, error [\d.e+-]+", output.decode()),
                        output)


# A rod that two joints hold at points which are too far apart.
OPEN = """solid NAME
  box 1 0.1 0.1;
end
joint ball NAME-left
  object2 NAME;
  point1 0 0 0;
  point2 -0.5 0 0;
end
joint ball NAME-right
  object2 NAME;
  point1 2 0 0;
  point2 0.5 0 0;
end
"""
# The first two say the same of the solid, the third says something else.
SHARED = "solid ball\n  sphere 10cm;\nend\n" + "".join(
    f"joint ball {name}\n  object2 ball;\n  point1 {x} 0 0;\n  point2 0 0 0;\nend\n"
    for name, x in (("one", 0), ("two", 0), ("wrong", 1)))


class ConflictLists(Case):
    def report(self, text):
        return json.loads(self.fails(1, "assemble", "-", "--json", text=text).stdout)

    def test_who_is_in_all_sets_is_named(self):
        text = SHARED
        report = self.report(text)
        self.assertGreater(len(report["conflicts"]), 1)
        self.assertEqual((report["conflicts_share"], report["conflicts_complete"]), (["wrong"], True))
        said = self.fails(1, "assemble", "-", text=text).stdout
        self.assertIn("All of these conflicts share wrong. Look there first.", said)
        self.assertNotIn("This list may not be complete", said)

    def test_a_list_that_is_cut_says_so(self):
        text = "".join(OPEN.replace("NAME", f"s{i}") for i in range(10))
        report = self.report(text)
        self.assertEqual((len(report["conflicts"]), report["conflicts_complete"], report["conflicts_share"]), (8, False, []))
        said = self.fails(1, "assemble", "-", text=text).stdout
        self.assertIn("This list may not be complete: there may be more such conflicts.", said)
        self.assertNotIn("share", said)
        few = "".join(OPEN.replace("NAME", f"s{i}") for i in range(3))
        self.assertEqual([self.report(few)[key] for key in ("conflicts_complete", "conflicts_share")], [True, []])
        self.assertNotIn("This list may not be complete", self.fails(1, "assemble", "-", text=few).stdout)


if __name__ == "__main__":
    unittest.main()
