#!/usr/bin/env python3
"""`tenon simulate`: motion that is right, measures that are honest, and the files it writes."""

import csv
import json
import math
import os
import pty
import re
import signal
import subprocess
import time
import unittest
import xml.etree.ElementTree

from test_tenon import FOUR_BAR, ROOT, TENON, Case, tenon

BEAD = str(ROOT / "scenes/jeon/bead-on-wire.tenon")
BLOWS_UP = ["--method", "baumgarte", "--integrator", "euler", "--dt", "0.1", "--as-written"]
METHODS = ["displacement", "baumgarte", "implicit", "poststabilized"]
KEYS = {"method", "status", "steps", "time_ms", "us_per_solid_step", "max_error", "rms_error",
        "energy_drift", "momentum_drift", "angular_momentum_drift", "halved_steps", "warnings",
        "state_hash", "energy_reference", "dt", "time", "file", "ok"}
COLUMNS = "time,solid,x,y,z,qx,qy,qz,qw,vx,vy,vz,wx,wy,wz"

# A point mass 1 m under a hook, `swing` radians aside.
PENDULUM = """param swing 0.02;
solid bob
  point-mass;
  mass 1;
  sphere 5cm;
  at (sin(swing)) (-cos(swing)) 0;
end
joint distance string
  object2 bob;
  point1 0 0 0;
  point2 0 0 0;
  length 1;
end
joint point-on-plane sheet
  object2 bob;
  point1 0 0 0;
  axis1 0 0 1;
  point2 0 0 0;
end
"""

STONE = """solid stone
  sphere 10cm;
  mass 2;
  velocity 3 0 0;
end
"""

# A stone that flies, and from 0.5 s on is to be where it began, at rest.
LATE_WELD = """gravity 0 0 0;
solid stone
  box 10cm 10cm 10cm;
  mass 2;
  velocity 1 0 0;
end
solid base
  immobile;
  box 1 1 1;
  at 0 -1 0;
end
// Half a metre too late.
joint ball late
  object1 base;
  object2 stone;
  point1 0 1 0;
  point2 0 0 0;
  active 0.5;
end
"""

# Two hooks too far apart for what hangs on them.
FIGHTING = """solid bar
  box 1 10cm 10cm;
end
joint ball left
  object2 bar;
  point1 -1 0 0;
  point2 -0.5 0 0;
end
joint ball right
  object2 bar;
  point1 1 0 0;
  point2 0.5 0 0;
end
"""

# A lid that is written shut, and may not be; it swings up.
OUTSIDE = """gravity 0 5 0;
solid lid
  box 1 10cm 10cm;
  at 0.5 0 0;
end
joint pin hinge
  object2 lid;
  at 0 0 0;
  axis 0 0 1;
  limit angle min 0.52 max 2;
end
"""

HANGING = """solid stone
  sphere 10cm;
end
joint weld nail
  object2 stone;
end
"""


class Simulate(Case):
    def report(self, *arguments, code=0, **options):
        return json.loads(self.fails(code, "simulate", *arguments, "--json", **options).stdout)

    def rows(self, path):
        with open(path, newline="") as file:
            return [{key: value if key == "solid" else float(value) for key, value in row.items()}
                    for row in csv.DictReader(file)]

    def motion(self, text, *arguments):
        """The report and the rows of a scene given as text."""
        path = str(self.folder / "motion.csv")
        report = self.report("-", *arguments, "-o", path, text=text)
        return report, self.rows(path)

    def test_threads_change_no_bit_and_rows_only_rounding(self):
        scene = "scenes/peers/s3.tenon"
        one = self.report(scene, "--set", "N=8", "--time", "0.5", "--method", "energy")
        two = self.report(scene, "--set", "N=8", "--time", "0.5", "--method", "energy", "--threads", "2")
        rows = self.report(scene, "--set", "N=8", "--time", "0.5", "--method", "energy", "--general")
        self.assertEqual(one["state_hash"], two["state_hash"])
        self.assertNotEqual(one["state_hash"], rows["state_hash"])
        self.assertLess(max(one["max_error"], rows["max_error"]), 1e-9)

    def test_the_report_has_its_keys(self):
        report = self.report(FOUR_BAR, "--time", "1")
        self.assertLessEqual(KEYS, set(report))
        self.assertEqual((report["ok"], report["status"], report["method"], report["file"]),
                         (True, "done", "energy", FOUR_BAR))
        self.assertEqual((report["steps"], report["halved_steps"]), (240, 0))
        self.assertEqual((report["dt"], report["energy_reference"]), (1 / 240, "potential range"))
        self.assertAlmostEqual(report["time"], 1)
        self.assertLess(report["max_error"], 1e-9)
        self.assertLessEqual(report["rms_error"], report["max_error"])
        self.assertLess(abs(report["energy_drift"]), 1e-5)
        self.assertLessEqual(abs(report["energy_drift"]), report["energy_deviation"])
        self.assertRegex(report["state_hash"], "^[0-9a-f]{16}$")
        self.assertGreater(report["time_ms"], 0)
        # Three of its solids move.
        self.assertAlmostEqual(report["us_per_solid_step"],
                               1000 * report["time_ms"] / (3 * report["steps"]))

    def test_the_same_twice_and_the_words(self):
        hashes = {self.report(FOUR_BAR, "--time", "0.5")["state_hash"] for _ in range(2)}
        self.assertEqual(len(hashes), 1)
        text = self.ok("simulate", FOUR_BAR, "--time", "0.5").stdout
        self.assertRegex(text, r"Simulated: 0\.5 s in 120 steps of 0\.004167 s \(energy, direct\)")
        self.assertRegex(text, r"(?m)^  joint error +\S+ +m or rad at most")
        self.assertRegex(text, r"(?m)^  energy drift +\S+ +of the range of potential energy")

    def test_free_fall(self):
        for method in METHODS:
            report, rows = self.motion(STONE, "--method", method, "--time", "1", "--dt", "0.001")
            last = rows[-1]
            self.assertAlmostEqual(last["time"], 1)
            self.assertAlmostEqual(last["x"], 3, places=9)
            self.assertAlmostEqual(last["y"], -9.81 / 2, delta=0.006, msg=method)  # first order
            self.assertAlmostEqual(last["vy"], -9.81, delta=0.006, msg=method)
            self.assertEqual(report["max_error"], 0)
            # 2 kg fell from rest at 3 m/s: momentum 6, and 2 · 9.81 came.
            self.assertAlmostEqual(report["momentum_drift"], 9.81 / 3, delta=0.01)
        _, rows = self.motion(STONE, "--time", "1")
        self.assertAlmostEqual(rows[-1]["y"], -9.81 / 2, places=9)

    def test_without_gravity_the_energy_is_that_of_the_start(self):
        report, _ = self.motion("gravity 0 0 0;\n" + STONE, "--time", "1")
        self.assertEqual(report["energy_reference"], "initial kinetic")
        self.assertLess(abs(report["energy_drift"]), 1e-12)
        self.assertLess(report["momentum_drift"], 1e-12)

    def test_a_small_swing_has_its_period(self):
        _, rows = self.motion(PENDULUM, "--time", "10", "--every", "1")
        crossings = [a["time"] - a["x"] * (b["time"] - a["time"]) / (b["x"] - a["x"])
                     for a, b in zip(rows, rows[1:]) if a["x"] > 0 >= b["x"]]
        self.assertEqual(len(crossings), 5)
        period = (crossings[-1] - crossings[0]) / 4
        swing = 1 + 0.02 ** 2 / 16
        # The midpoint rule is slow by (ω dt)²/12.
        slow = 1 + 9.81 / 240 ** 2 / 12
        self.assertAlmostEqual(period, 2 * math.pi / math.sqrt(9.81) * swing * slow, delta=2e-6)

    def test_the_table_has_a_row_per_solid_and_frame(self):
        path = self.folder / "motion.csv"
        report = self.report(FOUR_BAR, "--time", "1", "-o", str(path))
        lines = path.read_text().splitlines()
        self.assertEqual(lines[0], COLUMNS)
        self.assertTrue(all(line.count(",") == COLUMNS.count(",") for line in lines))
        rows = self.rows(path)
        self.assertEqual(report["frames"], 61)  # 60 a second, and the first
        self.assertEqual(len(rows), 61 * 4)
        self.assertEqual((rows[0]["time"], len({row["solid"] for row in rows[:4]})), (0, 4))
        for row in rows:
            self.assertAlmostEqual(sum(row[q] ** 2 for q in ("qx", "qy", "qz", "qw")), 1)
        # The last is there, even if it is no multiple.
        report = self.report(FOUR_BAR, "--time", "1", "--every", "100", "-o", str(path))
        times = sorted({row["time"] for row in self.rows(path)})
        self.assertEqual([round(240 * t) for t in times], [0, 100, 200, 240])

    def test_a_time_that_is_no_multiple_of_the_step_is_met(self):
        report, rows = self.motion(STONE, "--time", "0.25", "--dt", "0.1")
        self.assertEqual(report["steps"], 3)
        self.assertAlmostEqual(report["time"], 0.25, places=12)
        self.assertAlmostEqual(rows[-1]["y"], -9.81 / 2 * 0.25 ** 2, places=9)

    def test_pictures_scenes_and_reports(self):
        picture = self.folder / "last.svg"
        self.report(FOUR_BAR, "--time", "0.3", "-o", str(picture))
        self.assertTrue(xml.etree.ElementTree.parse(picture).getroot().tag.endswith("svg"))
        scene = str(self.folder / "last.tenon")
        self.report(FOUR_BAR, "--time", "0.3", "-o", scene)
        self.ok("check", scene)
        # Going on from there is going on, with a method whose velocities the joints allow.
        by = ["--method", "poststabilized", "-o"]
        self.report(FOUR_BAR, "--time", "0.3", *by, scene)
        there = self.report(scene, "--time", "0.2", *by, str(self.folder / "a.csv"))
        self.report(FOUR_BAR, "--time", "0.5", *by, str(self.folder / "b.csv"))
        self.assertFalse(there["assembled"])
        for a, b in zip(self.rows(self.folder / "a.csv")[-4:], self.rows(self.folder / "b.csv")[-4:]):
            for key in ("x", "y", "z", "vx", "vy", "vz"):
                self.assertAlmostEqual(a[key], b[key], places=6)
        path = self.folder / "report.json"
        report = self.report(FOUR_BAR, "--time", "0.3", "-o", str(path))
        self.assertEqual(json.loads(path.read_text())["state_hash"], report["state_hash"])

    def test_events_are_carried_out(self):
        report, rows = self.motion(HANGING + "at 0.5 deactivate nail;\n", "--time", "1")
        self.assertEqual((report["status"], report["warnings"]), ("done", []))
        self.assertAlmostEqual(rows[30]["y"], 0)
        self.assertAlmostEqual(rows[-1]["y"], -9.81 / 8, places=6)
        report, rows = self.motion(STONE + "at 0.503 gravity 0 2 0;\n", "--time", "1")
        self.assertAlmostEqual(rows[-1]["vy"], -9.81 * 0.503 + 2 * 0.497, places=6)
        self.assertLess(abs(report["energy_drift"]), 1e-9)  # what gravity's change gave is no drift
        report, rows = self.motion(STONE + "at 0.25 finish;\n", "--time", "1")
        self.assertEqual((report["status"], report["steps"]), ("done", 60))
        self.assertAlmostEqual(report["time"], 0.25)
        self.assertIn("An event of the scene ended the run", self.ok("simulate", "-", text=STONE + "at 1 finish;\n").stdout)
        report, rows = self.motion(STONE + "at 0.5 stop;\n", "--time", "1")
        self.assertEqual(report["status"], "done")
        self.assertAlmostEqual(report["time"], 1)
        self.assertAlmostEqual(rows[-1]["x"], 1.5, places=9)
        self.assertAlmostEqual(rows[-1]["y"], -9.81 / 4, places=9)
        self.assertLess(abs(report["energy_drift"]), 1e-9)
        report, _ = self.motion(HANGING + "at 0 deactivate nail;\nat 0.5 activate nail;\n",
                                "--time", "0.4")
        self.assertEqual(report["max_error"], 0)

    def test_a_joint_that_comes_into_force_open_is_closed_first(self):
        report = self.report("-", "--time", "1", text=LATE_WELD)
        self.assertEqual((report["status"], report["ok"], report["put_right"]), ("warned", True, 1))
        self.assertIn("stdin:13: 'late' becomes active at 0.5 s while it is open by 0.5 m", report["warnings"][0])
        self.assertLess(report["max_error"], 1e-9)
        self.assertLess(abs(report["energy_drift"]), 1e-9)
        self.assertEqual(tenon("simulate", "-", "--strict", "--time", "1", text=LATE_WELD).returncode, 1)
        self.ok("simulate", "-", "--time", "1", text=LATE_WELD)

    def test_energy_from_nowhere_is_a_warning(self):
        report = self.report("-", "--time", "1", "--as-written", "--method", "displacement", text=LATE_WELD)
        self.assertEqual((report["status"], report["ok"]), ("warned", True))
        self.assertGreater(report["unexplained_steps"], 0)
        self.assertIn("energy appeared from nowhere", " ".join(report["warnings"]))
        done = tenon("simulate", "-", "--time", "1", "--as-written", "--method", "displacement", "--strict",
                              text=LATE_WELD)
        self.assertEqual(done.returncode, 1)
        self.assertIn("with warnings", done.stdout)

    def test_steps_that_do_not_converge_are_a_warning(self):
        report = self.report("-", "--time", "0.1", text=FIGHTING)
        self.assertEqual((report["status"], report["ok"]), ("warned", True))
        self.assertGreater(report["unconverged_steps"], 0)

    def test_manikin_runs_to_its_end_without_a_jump(self):
        for name, end in [("goals", 6.5), ("chair", 3)]:
            report = self.report(str(ROOT / f"scenes/manikin/{name}.tenon"))
            self.assertEqual((report["status"], report["unexplained_steps"]), ("done", 0))
            self.assertAlmostEqual(report["time"], end)
            self.assertLess(report["max_error"], 1e-9)

    def test_point_masses_alone_cannot_be_frozen(self):
        scene = ("solid a\n  point-mass;\n  mass 1;\nend\nsolid b\n  point-mass;\n  mass 1;\n  at 1 0 0;\nend\n"
                 "joint distance rod\n  object1 a;\n  object2 b;\n  length 1;\n  frozen;\nend\n")
        for command in ("check", "simulate"):
            run = tenon(command, "-", "--json", text=scene)
            self.assertEqual(run.returncode, 1, run.stdout)
            said = json.dumps(json.loads(run.stdout))
            self.assertIn("point masses", said)
            self.assertIn('"line": 10', said)

    def test_pins_hold_in_motion(self):
        report, rows = self.motion(STONE + "pin p\n  object stone;\nend\n", "--time", "1")
        self.assertEqual(report["warnings"], [])
        self.assertAlmostEqual(rows[-1]["y"], 0, places=9)

    def test_what_yields_stays_as_loaded_as_it_was_when_another_joint_becomes_active(self):
        text = ("gravity 0 -10 0;\nsolid a sphere 0.1; mass 1; end\n"
                "joint ball hand object2 a; point1 0 0 0; point2 0 0 0; compliance 0.05; end\n"
                "solid b sphere 0.1; mass 1; at 3 0 0; end\n"
                "joint ball hook object2 b; point1 3 0.2 0; point2 0 0 0; active 0.1; end\n")
        heights = []
        for when, put_right in (("0.1", 1), ("9", 0)):
            report, rows = self.motion(text.replace("active 0.1", "active " + when), "--time", "0.1", "--dt", "0.01", "--every", "1")
            self.assertEqual(report["put_right"], put_right)
            heights.append([row["y"] for row in rows if row["solid"] == "a"][-1])
        self.assertLess(heights[0], -0.04)
        self.assertAlmostEqual(*heights, places=12)

    def test_a_start_outside_of_a_limit_is_put_right_first(self):
        report = self.report("-", "--time", "0.3", text=OUTSIDE)
        self.assertTrue(report["assembled"])
        self.assertLess(abs(report["energy_drift"]), 1e-6)
        self.assertLess(report["range_error"], 1e-6)
        self.assertIn("outside its limits by 0.52", report["warnings"][0])
        self.assertIn("outside its limits by 0.52", self.ok("simulate", "-", "--time", "1", text=OUTSIDE).stdout)
        self.assertFalse(self.report("-", "--time", "0.01", "--as-written", text=OUTSIDE)["assembled"])
        report = self.report("-", "--time", "0.01", "--method", "baumgarte", text=OUTSIDE)
        self.assertFalse(report["assembled"])
        self.assertGreater(report["range_error"], 0.1)

    def test_instants_that_nearly_coincide_end(self):
        for events in ["at (0.1+0.2) damp 0;\nat 0.3 damp 0;\n", "at 1e-12 damp 0;\n"]:
            report = self.report("-", "--time", "0.5", text=STONE + events)
            self.assertAlmostEqual(report["time"], 0.5)

    def test_a_state_that_is_written_begins_there(self):
        path = self.folder / "end.tenon"
        text = (STONE + "pose kept\n  solid stone at 1 2 3;\nend\nstart kept;\n")
        report = self.report("-", "--time", "0.1", "-o", str(path), text=text)
        self.assertEqual(report["warnings"], [])
        again = self.report(str(path), "--time", "1e-9")
        first = self.motion(text, "--time", "0.1")[1][-1]
        self.assertAlmostEqual(self.motion(path.read_text(), "--time", "1e-9")[1][0]["y"], first["y"], places=12)
        self.assertTrue(again["ok"])

    def test_events_that_do_nothing_are_warned_of(self):
        text = """solid stone
  sphere 10cm;
end
joint pin nail
  object2 stone;
  drive angle 0 stiffness 1;
end
drag air
  object stone;
  linear 1;
end
at 0.1 drive nail angle 1;
at 0.2 deactivate air nail;
"""
        report = self.report("-", "--time", "0.3", text=text)
        self.assertEqual(len(report["warnings"]), 2, report["warnings"])
        self.assertIn("event 'drive' has no effect in a simulation yet", report["warnings"][0])
        self.assertIn("does not act on 'air' yet", report["warnings"][1])

    def test_the_scenes_settings_are_the_defaults(self):
        text = STONE + "settings\n  dt 0.02;\n  duration 0.1;\n  method implicit;\nend\n"
        report = self.report("-", text=text)
        self.assertEqual((report["steps"], report["dt"], report["method"], report["warnings"]),
                         (5, 0.02, "implicit", []))
        report = self.report("-", "--method", "baumgarte", "--dt", "0.05", "--time", "0.2", text=text)
        self.assertEqual((report["steps"], report["dt"], report["method"]), (4, 0.05, "baumgarte"))

    def test_a_scene_may_name_any_method(self):
        there = self.fails(2, "simulate", FOUR_BAR, "--method", "?").stderr
        for method in ("energy", "interactive", "displacement", "shake", "relaxation", "baumgarte",
                       "implicit", "poststabilized", "recursive"):
            self.assertRegex(there, rf"\b{method}\b")
            text = STONE + f"settings\n  method {method};\nend\n"
            report = self.report("-", "--time", "0.1", text=text)
            self.assertEqual((report["method"], report["warnings"]), (method, []))
        # `newton` is for posing, and says nothing about moving.
        report = self.report("-", "--time", "0.1", text=STONE + "settings\n  method newton;\nend\n")
        self.assertEqual((report["method"], report["warnings"]), ("energy", []))

    def test_recursive_takes_its_integrators(self):
        exact = None
        for name in ("rk45", "adams-moulton", "rk4", "euler"):
            report, rows = self.motion(PENDULUM, "--time", "1", "--method", "recursive",
                                       "--integrator", name, "--dt", "0.01")
            exact = exact or rows[-1]["x"]
            self.assertLess(report["max_error"], 1e-12)
            self.assertAlmostEqual(rows[-1]["x"], exact, delta=1e-2 if name == "euler" else 1e-6)
        report = self.report(FOUR_BAR, "--time", "0.1", "--method", "recursive", "--heavy-segments")
        self.assertIn("heavy segments", report["warnings"][0])

    def test_halved_steps_and_work_are_reported(self):
        text = """gravity 0 -9.81 0;
repeat i 0 9
  solid s-(i) at (i + 0.5) 0 0; box 1 0.1 0.1; end
  joint ball j-(i)
    if (i > 0) object1 s-(i - 1); end
    object2 s-(i); at (i) 0 0;
  end
end
"""
        report = self.report("-", "--time", "20", "--dt", "0.1", text=text)
        self.assertGreater(report["halved_steps"], 0)
        self.assertIn("had to be split", report["warnings"][0])
        self.assertLess(abs(report["energy_drift"]), 1e-6)
        # A brake takes what there is; the ledger knows, and nothing is left over.
        brake = """gravity 0 0 0;
solid a cylinder 0.5 0.1; spin 0 4 0; end
joint pin axle object2 a; at 0 0 0; axis 0 1 0; friction angle 100; end
"""
        report = self.report("-", "--time", "5", text=brake)
        self.assertLess(abs(report["end_energy"]), 1e-9)
        self.assertAlmostEqual(report["work"], -report["start_energy"], places=6)
        self.assertLess(abs(report["energy_drift"]), 1e-7)
        self.assertIsNone(self.report("-", "--time", "1", "--method", "implicit", text=brake)["work"])

    def test_open_joints_are_closed_first(self):
        report = self.report(BEAD, "--time", "0.1")
        self.assertTrue(report["assembled"])
        self.assertLess(report["max_error"], 1e-9)
        report = self.report(BEAD, "--time", "0.1", "--as-written", "--method", "implicit")
        self.assertFalse(report["assembled"])
        self.assertAlmostEqual(report["start_error"], 15)
        self.assertIn("Tenon closed them first", self.ok("simulate", BEAD, "--time", "0.1").stdout)

    def test_a_singular_pose_is_passed_and_warned_of(self):
        linkage = str(ROOT / "scenes/linkages/n-four-bar.tenon")
        for options in (["--method", "poststabilized", "--dt", "0.002"],
                        ["--method", "recursive", "--integrator", "rk45",
                         "--step-tolerance", "1e-10"]):
            report = self.report(linkage, *options, "--time", "0.8")
            words = [problem["what"] for problem in report["problems"]]
            found = [word for word in words if "singular" in word]
            self.assertEqual(len(found), 1, words)
            time = float(re.search(r"at ([\d.]+) s", found[0]).group(1))
            self.assertAlmostEqual(time, 0.71, delta=0.03)
            self.assertGreater(time, 0.6)
        self.assertEqual(report["unconverged_steps"], 1)
        self.assertLess(abs(report["energy_deviation"]), 1e-6)
        report = self.report(linkage, "--method", "poststabilized", "--time", "0.5")
        self.assertFalse([p for p in report["problems"] if "singular" in p["what"]])

    def test_a_step_that_cannot_be_had_ends_the_run(self):
        wheel = ("gravity 0 0 0;\nsolid wheel\n  cylinder 0.1 0.1;\n  spin 0 0 1e7;\nend\n"
                 "joint pin axle\n  object2 wheel;\n  axis 0 0 1;\nend\n")
        result = self.fails(1, "simulate", "-", "--method", "recursive", "--json", text=wheel)
        report = json.loads(result.stdout)
        self.assertEqual((report["ok"], report["status"], report["steps"]), (False, "stuck", 0))
        self.assertIn("after 0 s", report["problems"][-1]["what"])
        words = self.fails(1, "simulate", "-", "--method", "recursive", text=wheel).stdout
        self.assertIn("Stuck", words)

    def test_what_blows_up_says_so(self):
        path = self.folder / "motion.csv"
        report = self.report(BEAD, *BLOWS_UP, "--time", "100", "-o", str(path), code=1)
        self.assertEqual((report["ok"], report["status"]), (False, "blown-up"))
        self.assertLess(report["time"], 100)
        self.assertAlmostEqual(report["time"], 0.1 * report["steps"])
        self.assertEqual(self.rows(path)[-1]["time"], report["time"])
        self.assertGreater(len(self.rows(path)), 2)
        text = self.fails(1, "simulate", BEAD, *BLOWS_UP, "--time", "100").stdout
        self.assertRegex(text, r"Blown up: after [\d.]+ s, in \d+ steps? of 0\.1 s \(baumgarte, direct\)")

    def test_wrong_options_are_explained(self):
        for options, words in ((["--method", "displacment"], "did you mean 'displacement'?"),
                               (["--method", "magic"], "poststabilized"),
                               (["--solver", "lu"], "block-cg"), (["--dt", "0"], "greater than 0"),
                               (["--time", "-1"], "greater than 0"), (["--time", "x"], "is not a time"),
                               (["--every", "0"], "greater than 0"), (["--every", "1.5"], "whole"),
                               (["--iterations", "-1"], "whole number"),
                               (["-o", "a.png"], ".csv, .json, .svg and .tenon"),
                               (["--nonsense"], "--nonsense")):
            result = self.fails(2, "simulate", FOUR_BAR, *options)
            self.assertEqual(result.stdout, "")
            self.assertIn("try: tenon simulate --help", result.stderr)
            self.assertIn(words, result.stderr, options)
        report = self.report(FOUR_BAR, "--time", "0.1", "--integrator", "euler")
        self.assertIn("baumgarte", report["warnings"][0])

    def test_what_cannot_be_read_or_written_is_a_problem(self):
        self.assertFalse(self.report("-", text="solid", code=1)["ok"])
        path = str(self.folder / "none/motion.csv")
        report = self.report(FOUR_BAR, "--time", "0.1", "-o", path, code=1)
        self.assertEqual(report["problems"][-1]["file"], path)
        self.assertIn("too many steps", self.fails(1, "simulate", FOUR_BAR, "--dt", "1e-300").stderr)

    def interrupted(self, *arguments):
        """What it printed, and what it had shown on the terminal when Ctrl-C came."""
        master, slave = pty.openpty()
        process = subprocess.Popen([TENON, "simulate", FOUR_BAR, "--time", "1e6", *arguments],
                                   stdout=subprocess.PIPE, stderr=slave, text=True,
                                   env={**os.environ, "TERM": "xterm"})
        os.close(slave)
        shown = b""
        began = time.time()
        while b" of 1e+06 s" not in shown and time.time() - began < 60:
            shown += os.read(master, 65536)
        process.send_signal(signal.SIGINT)
        output, _ = process.communicate(timeout=60)
        os.close(master)
        self.assertEqual(process.returncode, 130)
        return output, shown.decode()

    def test_ctrl_c_keeps_what_was_recorded(self):
        path = self.folder / "motion.csv"
        output, _ = self.interrupted("--every", "1000", "-o", str(path), "--json")
        report = json.loads(output)
        self.assertEqual((report["status"], report["ok"]), ("stopped", False))
        self.assertGreater(report["steps"], 0)
        self.assertEqual(len(self.rows(path)), 4 * report["frames"])

    def test_long_ones_show_how_far_they_are(self):
        output, shown = self.interrupted()
        self.assertTrue(re.search(r"simulating .*: [\d.e+]+ of 1e\+06 s, error", shown), shown)
        self.assertRegex(output, r"Stopped: at \S+ s of 1e\+06 s, after \d+ steps")


class Work(Case):
    DRIVEN = ("solid bob\n  sphere 5cm;\n  at 1 0 0;\nend\njoint pin hook\n  object2 bob;\n  at 0 0 0;\n  axis 0 0 1;\n"
              "  damper angle 2;\nend\n")

    def test_a_drift_that_is_work_is_called_so(self):
        account = "does not\n  record it. So the energy drift is that work and the error of the method together.\n"
        said = self.ok("simulate", "-", "--time", "0.2", "--method", "poststabilized", text=self.DRIVEN).stdout
        self.assertIn("poststabilized " + account, said)
        kept = self.ok("simulate", "-", "--time", "0.2", "--method", "poststabilized",
                       text=self.DRIVEN.replace("  damper angle 2;\n", "")).stdout
        self.assertNotIn(account, kept)
        ledger = self.ok("simulate", "-", "--time", "0.2", "--method", "energy", text=self.DRIVEN).stdout
        self.assertNotIn(account, ledger)
        self.assertRegex(ledger, r"\n  work +-[\d.e-]+   J, done by drives, limits, friction and damping\n")


if __name__ == "__main__":
    unittest.main()
