#!/usr/bin/env python3
"""The program as people and scripts meet it: words, exit codes, JSON, files, Ctrl-C."""

import json
import os
import pty
import re
import select
import shutil
import signal
import subprocess
import tempfile
import time
import unittest
import xml.etree.ElementTree
from pathlib import Path

ROOT = Path(os.environ.get("TENON_SOURCE_DIR", Path(__file__).parent.parent.parent))
TENON = os.environ.get("TENON_PROGRAM", str(ROOT / "build/release/tenon"))
FOUR_BAR = str(ROOT / "scenes/linkages/four-bar.tenon")
COMMANDS = ["info", "check", "format", "print", "assemble", "simulate", "compare", "bench", "reproduce", "replay",
            "draw", "joints", "studio"]
SCENES = sorted(str(path) for path in (ROOT / "scenes").rglob("*.tenon"))

PENDULUM = """solid bob
  sphere 5cm;
  at 1 0 0;
end
joint ball hook
  object2 bob;
  at 0 0 0;
end
"""


def tenon(*arguments, text=None, env=None, cwd=ROOT):
    return subprocess.run([TENON, *arguments], input=text, capture_output=True, text=True,
                          encoding="utf-8", timeout=600, cwd=cwd,
                          env={**os.environ, **(env or {})})


class Case(unittest.TestCase):
    def setUp(self):
        self.folder = Path(tempfile.mkdtemp(prefix="tenon-test-"))
        self.addCleanup(shutil.rmtree, self.folder)

    def write(self, name, text):
        path = self.folder / name
        path.write_text(text, encoding="utf-8")
        return str(path)

    def ok(self, *arguments, **options):
        result = tenon(*arguments, **options)
        self.assertEqual(result.returncode, 0, f"{arguments}: {result.stdout}{result.stderr}")
        return result

    def fails(self, code, *arguments, **options):
        result = tenon(*arguments, **options)
        self.assertEqual(result.returncode, code, f"{arguments}: {result.stdout}{result.stderr}")
        return result


class Usage(Case):
    def test_every_command_explains_itself_with_an_example(self):
        self.assertIn("tenon info", self.ok("--help").stdout)
        for command in COMMANDS:
            text = self.ok(command, "--help").stdout
            self.assertIn("Example:\n  tenon " + command, text)
            self.assertIn("Usage: tenon " + command, text)
            self.assertIn("--json", text)
            self.assertIn(command, self.ok("--help").stdout)

    def test_version(self):
        text = self.ok("--version").stdout
        self.assertRegex(text, r"^tenon \d+\.\d+\.\d+\n$")
        self.assertEqual("tenon " + json.loads(self.ok("--version", "--json").stdout)["version"],
                         text.strip())

    def test_wrong_usage_is_2_and_says_where_help_is(self):
        for arguments in (["info"], ["check"], ["format"], ["nonsense"], ["info", "a", "b"],
                          ["info", FOUR_BAR, "--nonsense"], ["info", FOUR_BAR, "--set"],
                          ["info", FOUR_BAR, "--set", "angle"], ["info", FOUR_BAR, "--set", "=3"],
                          ["format", "--check", "--write", FOUR_BAR], ["format", "--write", "-"],
                          ["draw"], ["draw", FOUR_BAR, "--view", "above"],
                          ["draw", FOUR_BAR, "--size", "100"], ["draw", FOUR_BAR, "--size", "0", "9"],
                          ["draw", FOUR_BAR, "--pitch", "100"], ["draw", FOUR_BAR, "--yaw", "x"]):
            result = self.fails(2, *arguments)
            self.assertEqual(result.stdout, "")
            self.assertRegex(result.stderr, r"error: .*\ntry: tenon( \w+)? --help")

    def test_wrong_usage_is_json_if_that_is_asked_for(self):
        for command in COMMANDS:
            report = json.loads(self.fails(2, command, "--nonsense", "--json").stdout)
            self.assertEqual((report["ok"], len(report["problems"])), (False, 1))
            problem = report["problems"][0]
            self.assertEqual(problem["severity"], "error")
            self.assertNotEqual(problem["what"], "")
            self.assertEqual(problem["remedy"], f"try: tenon {command} --help")
        for arguments, what in ((["--json", "fromat"], "did you mean 'format'?"), (["--json"], "no command"),
                                (["info", "--json"], "SCENE"), (["simulate", FOUR_BAR, "--json", "--dt", "0"], "greater than 0")):
            result = self.fails(2, *arguments)
            self.assertEqual(result.stderr, "")
            self.assertIn(what, json.loads(result.stdout)["problems"][0]["what"])

    def test_numbers_as_people_write_them(self):
        def simulated(*arguments):
            return json.loads(self.ok("simulate", FOUR_BAR, *arguments, "--json").stdout)

        for dt, time_, seconds, steps in (("1/60", "0.1", 1 / 60, 6), ("10ms", "1/10", 0.01, 10), ("500us", "5 ms", 5e-4, 10),
                                          ("1/1000min", "0.6s", 0.06, 10), ("+2e-2", "1/300min", 0.02, 10)):
            report = simulated("--dt", dt, "--time", time_)
            self.assertEqual((report["dt"], report["steps"]), (seconds, steps), dt)
        for wrong in ("1/0", "10x", "ms", "1/", "/60", "1/60/2", "inf", "nan", "0x10", "1e999", "", "10 m s", "1/60deg", "0,1"):
            for option in ("--dt", "--time"):
                result = self.fails(2, "simulate", FOUR_BAR, option, wrong)
                self.assertIn(f"'{wrong}' is not a time: write 0.01, 1/60, 10ms or 2min", result.stderr)
        for wrong in ("0", "-1/60", "0ms"):
            self.assertIn("greater than 0", self.fails(2, "bench", FOUR_BAR, "--dt", wrong).stderr)
        self.ok("assemble", FOUR_BAR, "--budget-ms", "2s", "--truncation", "30deg", "--tolerance", "1/1000")
        self.assertIn("'2m' is not a time: write 50", self.fails(2, "assemble", FOUR_BAR, "--budget-ms", "2m").stderr)
        self.ok("simulate", FOUR_BAR, "--time", "10ms", "--method", "relaxation", "--largest-turn", "0.3")
        self.assertIn("is not an angle", self.fails(2, "simulate", FOUR_BAR, "--largest-turn", "x").stderr)
        self.assertEqual(self.ok("draw", FOUR_BAR, "--yaw", "45/2").stdout, self.ok("draw", FOUR_BAR, "--yaw", "22.5deg").stdout)

    def test_a_misspelt_command_is_recognised(self):
        self.assertIn("did you mean 'format'?", self.fails(2, "fromat").stderr)

    def test_no_command_shows_the_help_and_is_wrong_usage(self):
        self.assertIn("Examples:", self.fails(2).stderr)


class Info(Case):
    def test_four_bar(self):
        facts = json.loads(self.ok("info", FOUR_BAR, "--json").stdout)
        for key, value in {"ok": True, "solids": 4, "joints": 4, "constraints": 20, "loops": 1,
                           "dof": 1, "redundant": 3, "coordinates": 18, "rank": 17,
                           "islands": 1}.items():
            self.assertEqual(facts[key], value, key)
        self.assertEqual(facts["redundant_joints"], ["O", "A", "B", "C"])
        self.assertEqual(facts["redundant_groups"],
                         [{"redundant": 3, "joints": ["O", "A", "B", "C"]}])
        self.assertAlmostEqual(facts["mass"], 7850 * 0.04 * 0.015 * 0.97, places=9)
        self.assertEqual([set(solid) for solid in facts["masses"]], 3 * [{"name", "mass"}])
        self.assertEqual(len({solid["name"] for solid in facts["masses"]}), 3)  # no ground
        self.assertAlmostEqual(sum(solid["mass"] for solid in facts["masses"]), facts["mass"])
        self.assertEqual(facts["compliant"], 0)
        self.assertLess(facts["max_error"], 1e-12)
        self.assertEqual(facts["parameters"]["crank"], {"value": 0.15, "min": 0.05, "max": 0.17})
        self.assertEqual(facts["problems"], [])

    def test_slider_crank_with_and_without_redundancy(self):
        scene = str(ROOT / "scenes/linkages/slider-crank.tenon")
        for spherical, redundant in (("0", 3), ("1", 0)):
            facts = json.loads(
                self.ok("info", scene, "--json", "--set", "spherical=" + spherical).stdout)
            self.assertEqual((facts["dof"], facts["redundant"]), (1, redundant))

    def test_the_text_names_those_who_share_a_redundancy(self):
        text = self.ok("info", FOUR_BAR).stdout
        self.assertIn("Four-bar linkage", text)
        self.assertIn("pose as written", text)
        self.assertIn("3 redundant constraints, shared by O, A, B and C. "
                      "Any of these joints could give way.", text)

    def test_parameters_are_overridden(self):
        scene = str(ROOT / "scenes/peers/s1.tenon")
        facts = json.loads(self.ok("info", scene, "--set", "N=7", "--json").stdout)
        self.assertEqual((facts["solids"], facts["dof"]), (7, 21))
        self.assertEqual(facts["parameters"]["N"]["value"], 7)

    def test_an_override_out_of_range_or_unknown_is_a_problem(self):
        scene = str(ROOT / "scenes/peers/s1.tenon")
        for assignment in ("N=0", "M=3", "N=(", "N=word"):
            result = self.fails(1, "info", scene, "--set", assignment)
            self.assertIn("error:", result.stderr)

    def test_standard_input(self):
        facts = json.loads(self.ok("info", "-", "--json", text=PENDULUM).stdout)
        self.assertEqual((facts["solids"], facts["dof"]), (1, 3))

    def test_masses_by_name(self):
        text = "solid a\n  sphere 1;\n  mass 2;\nend\nsolid b\n  sphere 1;\n  mass 3;\nend\n"
        facts = json.loads(self.ok("info", "-", "--json", text=text).stdout)
        self.assertEqual(facts["masses"], [{"name": "a", "mass": 2}, {"name": "b", "mass": 3}])
        self.assertRegex(self.ok("info", "-", text=text).stdout, r"(?m)^  mass +5   kg$")

    def test_compliant_constraints_are_said(self):
        soft = PENDULUM.replace("  object2 bob;", "  object2 bob;\n  compliance 1e-6;")
        self.assertIn("3 of the constraints are compliant", self.ok("info", "-", text=soft).stdout)
        self.assertEqual(json.loads(self.ok("info", "-", "--json", text=soft).stdout)["compliant"], 3)
        self.assertNotIn("compliant", self.ok("info", "-", text=PENDULUM).stdout)

    def test_coordinates_outside_their_limits_are_said_with_their_unit(self):
        for kind, limit, unit, size in (("pin", "limit angle min 0.5 max 1;", "rad", "0.5"),
                                        ("prismatic", "limit slide max -0.25;", "m", "0.25")):
            text = PENDULUM.replace("joint ball", "joint " + kind).replace(
                "  object2 bob;", f"  object2 bob;\n  {limit}")
            self.assertRegex(self.ok("info", "-", text=text).stdout,
                             rf"(?m)^  outside limits +{size}   {unit}, at ")
            facts = json.loads(self.ok("info", "-", "--json", text=text).stdout)
            self.assertEqual((facts["range_error"], facts["range_error_unit"]), (float(size), unit))
            # A check warns of it, whether anything is expected or not.
            for expected in ("", "expect solids 1;\n"):
                self.assertRegex(self.ok("check", "-", text=text + expected).stderr,
                                 rf"warning: joint '.*' starts outside its limits by {size} {unit};")
        facts = json.loads(self.ok("info", "-", "--json", text=PENDULUM).stdout)
        self.assertEqual((facts["range_error"], facts["worst_range"]), (0, ""))
        self.assertNotIn("outside", self.ok("info", "-", text=PENDULUM).stdout)

    def test_bytes_that_are_no_utf8_do_not_break_json(self):
        path = os.fsencode(self.folder) + b"/caf\xe9.tenon"
        with open(path, "wb") as file:
            file.write(b'title "caf\xe9";\n' + PENDULUM.encode())
        for command in ("info", "check", "print", "format"):
            report = json.loads(self.ok(command, path, "--json").stdout)  # decodes as UTF-8
            self.assertTrue(report["ok"], command)
        facts = json.loads(self.ok("info", path, "--json").stdout)
        self.assertEqual(facts["title"], "caf\ufffd")
        self.assertTrue(facts["file"].endswith("/caf\ufffd.tenon"), facts["file"])
        missing = json.loads(self.fails(1, "info", path + b"x", "--json").stdout)
        self.assertTrue(missing["problems"][0]["file"].endswith("/caf\ufffd.tenonx"), missing)

    def test_an_empty_scene(self):
        facts = json.loads(self.ok("info", "-", "--json", text="").stdout)
        self.assertEqual((facts["solids"], facts["dof"], facts["mass"]), (0, 0, 0))
        self.assertEqual(facts["masses"], [])

    def test_missing_files_and_folders_are_problems(self):
        for path in (str(self.folder / "nothing.tenon"), str(self.folder)):
            self.assertRegex(self.fails(1, "info", path).stderr, "error: .*" + re.escape(path))
            for command in ("info", "check", "print", "format"):
                report = json.loads(self.fails(1, command, path, "--json").stdout)
                self.assertFalse(report["ok"])
                self.assertEqual(report["problems"][0]["severity"], "error")
                self.assertEqual(report["problems"][0]["file"], path)


class Errors(Case):
    BROKEN = "solid bob\n  spere 5cm;\nend\njoint pim hook\n  object2 bop;\nend\n"

    def test_place_what_remedy_line_and_caret(self):
        path = self.write("broken.tenon", self.BROKEN)
        result = self.fails(1, "check", path)
        lines = result.stderr.splitlines()
        first = lines.index(next(line for line in lines if "spere" in line))
        self.assertRegex(lines[first], re.escape(path) + r":2:3: error: .*spere.*; .*sphere")
        self.assertIn("spere 5cm;", lines[first + 1])
        self.assertEqual(lines[first + 2].strip()[0], "^")
        self.assertEqual(lines[first + 2].index("^"), lines[first + 1].index("spere"))

    def test_several_problems_in_one_go(self):
        path = self.write("broken.tenon", self.BROKEN)
        report = json.loads(self.fails(1, "check", path, "--json").stdout)
        self.assertFalse(report["ok"])
        self.assertGreaterEqual(len(report["problems"]), 2)
        for problem in report["problems"]:
            self.assertEqual(set(problem), {"file", "line", "column", "severity", "what", "remedy"})
            self.assertEqual(problem["file"], path)
            self.assertGreater(problem["line"], 0)

    def test_no_colour_into_a_pipe(self):
        path = self.write("broken.tenon", self.BROKEN)
        self.assertNotIn("\033", self.fails(1, "check", path, env={"TERM": "xterm"}).stderr)


# Small texts that once took minutes, gigabytes, or gave numbers that JSON has no word for.
class Costs(Case):
    def test_numbers_near_the_end_of_doubles_are_refused_where_they_stand(self):
        for text in ("solid a mass 1e308; inertia 1e308 1e308 1e308; velocity 1e308 0 0; end",
                     "solid a sphere 1; velocity 0 1e200 0; end",
                     "solid a sphere 1; end\njoint ball b object2 a; at 1e308 1e308 0; end"):
            scene = self.write("large.tenon", text)
            for command in ("info", "simulate", "assemble", "draw"):
                report = json.loads(self.fails(1, command, scene, "--json").stdout)
                self.assertIn("too large to compute with", report["problems"][0]["what"])
                self.assertGreater(report["problems"][0]["line"], 0)

    def test_a_crowd_of_limits_is_refused_where_it_stands(self):
        scene = self.write("limits.tenon", "solid a box 1 1 1; end\njoint pin p object2 a;\n"
                           "  repeat i 0 20000 limit angle min 0.1 max 0.1; end\nend")
        for command in ("simulate", "assemble"):
            self.assertIn(f"{scene}:2:1: error: with joint 'p' there are more than 1000 constraints",
                          self.fails(1, command, scene).stderr)

    def test_solids_in_each_other_are_drawn_with_a_warning(self):
        scene = self.write("one.tenon", "repeat i 0 500 solid s-(i) ellipsoid 1 0.6 0.4; turn 1 2 3 (i); end end")
        picture = str(self.folder / "one.svg")
        done = self.ok("draw", scene, "-o", picture, "--json")
        report = json.loads(done.stdout)
        self.assertFalse(report["exact"])
        self.assertIn("too many solids overlap", report["problems"][-1]["what"])
        self.assertEqual(report["problems"][-1]["severity"], "warning")
        report = json.loads(self.ok("draw", FOUR_BAR, "-o", picture, "--json").stdout)
        self.assertEqual((report["exact"], report["left_out"]), (True, 0))

    def test_what_a_picture_cannot_hold_is_left_out_with_a_warning(self):
        scene = self.write("spheres.tenon", "repeat i 0 5000 solid s-(i) sphere 1; end end")
        report = json.loads(self.ok("draw", scene, "-o", str(self.folder / "s.svg"), "--json").stdout)
        self.assertGreater(report["left_out"], 100)
        self.assertIn("more than a picture can hold", report["problems"][-1]["what"])

    def test_a_hull_with_tiny_coordinates_ends(self):
        scene = self.write("hull.tenon", """solid a hull
  4.5e-309 -7.3e-309 -0.58  1e-300 -6.6e-151 -6.1e-301  3e-309 0.2 0  0.46 -0.37 1.9e-306
  1.4e-306 -0.25 6.4e-201  -6.2e-151 2.9e-151 2.7e-151;
end
""")
        self.assertIn(tenon("check", scene).returncode, (0, 1))


class Check(Case):
    def test_the_papers_scenes_have_the_papers_counts(self):
        for scene, counts in {
                "faure/fig3-bound-characters": {"constraints": 758},
                "faure/fig5-structure": {"solids": 56, "constraints": 261},
                "faure/fig6-plate": {"solids": 28, "constraints": 108},
                "linkages/stewart-platform": {"dof": 6, "redundant": 0},
                "linkages/bricard": {"dof": 1, "redundant": 1},
                "linkages/n-four-bar": {"dof": 1}}.items():
            report = json.loads(self.ok("info", str(ROOT / "scenes" / (scene + ".tenon")), "--json").stdout)
            for key, value in counts.items():
                self.assertEqual(report[key], value, (scene, key))

    def test_singular_poses_are_said(self):
        scene = str(ROOT / "scenes/linkages/n-four-bar.tenon")
        report = json.loads(self.ok("info", scene, "--set", "lean=90deg", "--json").stdout)
        self.assertEqual((report["singular"], report["dof"], report["regular_dof"]), (True, 3, 1))
        self.assertIn("this pose is singular; poses nearby have 1",
                      self.ok("info", scene, "--set", "lean=90deg").stdout)
        report = json.loads(self.ok("info", scene, "--json").stdout)
        self.assertEqual((report["singular"], report["dof"], report["regular_dof"]), (False, 1, 1))

    def test_redundant_joints_are_all_named(self):
        def redundant(scene, *options):
            report = json.loads(self.ok("info", str(ROOT / "scenes" / scene), "--json", *options).stdout)
            return sorted(report["redundant_joints"])
        self.assertEqual(redundant("linkages/four-bar.tenon"), ["A", "B", "C", "O"])
        self.assertEqual(len(redundant("linkages/bricard.tenon")), 6)  # the whole loop
        lift = json.loads(self.ok("info", str(ROOT / "scenes/linkages/scissor-lift.tenon"), "--json").stdout)
        self.assertEqual(lift["redundant"], 8)
        self.assertGreater(len(lift["redundant_joints"]), 0)
        self.assertEqual(redundant("linkages/stewart-platform.tenon"), [])

    def test_all_scenes_of_the_tree_hold_what_they_promise(self):
        self.assertGreaterEqual(len(SCENES), 8)
        report = json.loads(self.ok("check", *SCENES, "--json").stdout)
        self.assertTrue(report["ok"])
        included = {str(Path(scene).parent / name) for scene in SCENES
                    for name in re.findall(r'^include "(.*)";', Path(scene).read_text(), re.M)}
        for scene in report["scenes"]:
            verdicts = [expectation["verdict"] for expectation in scene["expectations"]]
            if scene["file"] not in included:  # which need not promise anything
                self.assertIn("holds", verdicts, scene["file"])
            self.assertNotIn("fails", verdicts, scene["file"])

    def test_all_scenes_of_the_tree_hold_it_for_other_parameters(self):
        for scene, *assignments in (
                ("linkages/four-bar", "angle=200deg", "crank=0.17", "coupler=0.38"),
                ("linkages/slider-crank", "angle=0", "spherical=1"),
                ("manikin/chain", "links=1"), ("manikin/chain", "links=20", "forces=5"),
                ("manikin/bushy", "links=1"), ("manikin/bushy", "links=20"),
                ("peers/s1", "N=1"), ("peers/s1", "N=100"), ("peers/s2", "N=100"),
                ("peers/s4", "N=2"), ("jeon/bead-on-wire", "start=50", "off=0")):
            sets = [part for assignment in assignments for part in ("--set", assignment)]
            self.ok("check", str(ROOT / "scenes" / (scene + ".tenon")), *sets)

    def test_a_broken_promise_is_an_error_at_its_place(self):
        path = self.write("wrong.tenon", PENDULUM + "expect solids 1;\nexpect dof 2;\n")
        result = self.fails(1, "check", path)
        self.assertRegex(result.stderr, r"wrong\.tenon:10:1: error: dof is 3, expected 2")
        self.assertIn("1 of 2 expectations hold", result.stdout)

    def test_a_broken_promise_fails_whatever_else_is_on_its_line(self):
        for text in ("solid a sphere 1; end expect mass 3; expect foo 1;",
                     "solid a sphere 1; end expect foo 1; expect mass 3;"):
            result = self.fails(1, "check", "-", text=text)
            self.assertRegex(result.stderr, r"error: mass is [\d.]+, expected 3")
            self.assertRegex(result.stdout, "1 error, 1 warning, 0 of 1 expectations hold, "
                                            "1 cannot be checked yet")
            report = json.loads(self.fails(1, "check", "-", "--json", text=text).stdout)
            self.assertFalse(report["ok"])
            self.assertFalse(report["scenes"][0]["ok"])
            self.assertEqual(sorted(e["verdict"] for e in report["scenes"][0]["expectations"]),
                             ["fails", "not checkable yet"])

    def test_what_cannot_be_judged_yet_is_said_and_no_failure(self):
        path = self.write("later.tenon", PENDULUM + "expect period 2;\nexpect dof 3;\n")
        result = self.ok("check", path)
        self.assertIn("'period'", result.stderr)
        self.assertIn("1 of 1 expectations hold, 1 cannot be checked yet", result.stdout)

    def test_what_starts_apart_is_assembled_to_judge_it(self):
        apart = PENDULUM.replace("  at 0 0 0;", "  point1 0 0 0;\n  point2 0 0 0;")
        report = json.loads(self.ok("check", "-", "--json",
                                    text=apart + "expect assembled 1e-8;\n").stdout)
        judged = report["scenes"][0]["expectations"][0]
        self.assertEqual(judged["verdict"], "holds")
        self.assertIn("joints are open at the start (joint error 1) and assembly closes them to", judged["words"])
        self.assertLess(judged["measured"], 1e-8)
        fighting = apart + ("joint ball nail\n  object2 bob;\n  point1 0 1 0;\n  point2 0 0 0;\n"
                            "end\nexpect assembled 1e-8;\n")
        result = self.fails(1, "check", "-", text=fighting)
        self.assertRegex(result.stderr, "error: joints are open at the start .* and assembly leaves an error of "
                                        r"0\.\d+, expected at most 1e-08")
        closed = self.write("closed.tenon", PENDULUM + "expect assembled 1e-8;\n")
        self.assertIn("1 of 1 expectations hold", self.ok("check", closed).stdout)

    def test_one_bad_scene_does_not_hide_the_others(self):
        good, bad = self.write("good.tenon", PENDULUM), self.write("bad.tenon", "solid")
        result = self.fails(1, "check", good, bad, str(self.folder / "none.tenon"), good)
        self.assertEqual(result.stdout.count(good + ": ok"), 2)


class Format(Case):
    UGLY = "/* kept */ solid bob sphere 5cm;at 1 0 0; // too\nend\n\n\n\njoint ball hook object2 bob; at 0 0 0; end"

    def test_prints_keeps_comments_and_is_idempotent(self):
        once = self.ok("format", "-", text=self.UGLY).stdout
        self.assertIn("/* kept */", once)
        self.assertIn("// too", once)
        self.assertEqual(self.ok("format", "-", text=once).stdout, once)
        path = self.write("ugly.tenon", self.UGLY)
        self.assertEqual(self.ok("format", path).stdout, once)
        self.assertEqual(Path(path).read_text(), self.UGLY)

    def test_all_scenes_of_the_tree_are_formatted(self):
        self.assertEqual(self.ok("format", "--check", *SCENES).stdout, "")

    def test_check_names_what_is_not_formatted_and_changes_nothing(self):
        path = self.write("ugly.tenon", self.UGLY)
        self.assertEqual(self.fails(1, "format", "--check", path, FOUR_BAR).stdout,
                         path + ": not formatted\n")
        self.assertEqual(Path(path).read_text(), self.UGLY)
        report = json.loads(self.fails(1, "format", "--check", path, "--json").stdout)
        self.assertEqual(report["files"], [{"file": path, "ok": True, "changed": True}])

    def test_write_replaces_the_file_and_keeps_its_permissions(self):
        path = Path(self.write("ugly.tenon", self.UGLY))
        path.chmod(0o640)
        self.assertEqual(self.ok("format", "-w", str(path)).stdout, f"{path}: formatted\n")
        self.assertEqual(path.stat().st_mode & 0o7777, 0o640)
        self.assertEqual(path.read_text(), self.ok("format", "-", text=self.UGLY).stdout)
        self.assertEqual(os.listdir(self.folder), ["ugly.tenon"])
        before = path.stat().st_mtime_ns
        self.assertEqual(self.ok("format", "--write", str(path)).stdout, "")
        self.assertEqual(path.stat().st_mtime_ns, before)

    def test_write_follows_links(self):
        path = Path(self.write("ugly.tenon", self.UGLY))
        link = self.folder / "link.tenon"
        link.symlink_to(path)
        self.ok("format", "-w", str(link))
        self.assertTrue(link.is_symlink())
        self.assertNotEqual(path.read_text(), self.UGLY)

    def test_a_text_with_errors_is_left_alone(self):
        path = self.write("broken.tenon", "solid bob sphere 5cm")
        self.assertIn("error:", self.fails(1, "format", "--write", path).stderr)
        self.assertEqual(Path(path).read_text(), "solid bob sphere 5cm")
        self.assertEqual(os.listdir(self.folder), ["broken.tenon"])

    @unittest.skipIf(os.geteuid() == 0, "root may write everything")
    def test_a_file_that_may_not_be_written_is_left_alone(self):
        path = Path(self.write("ugly.tenon", self.UGLY))
        path.chmod(0o440)
        self.assertIn("nothing was written", self.fails(1, "format", "-w", str(path)).stderr)
        self.assertEqual(path.read_text(), self.UGLY)

    def test_missing_files_and_folders(self):
        for path in (str(self.folder / "none.tenon"), str(self.folder)):
            for mode in ([], ["--check"], ["--write"]):
                self.assertIn("error:", self.fails(1, "format", *mode, path).stderr)


class Print(Case):
    def test_the_flat_text_is_the_same_scene(self):
        for scene in SCENES:
            flat = self.ok("print", scene).stdout
            self.assertNotRegex(flat, r"(?m)^\s*(let|repeat|if|place|figure|include)\b")
            self.assertEqual(self.ok("print", "-", text=flat).stdout, flat)
            facts, again = (json.loads(self.ok("info", *arguments, "--json", text=flat).stdout)
                            for arguments in ([scene], ["-"]))
            for key in ("solids", "joints", "constraints", "dof", "redundant", "mass", "max_error"):
                self.assertEqual(facts[key], again[key], (scene, key))

    def test_json_and_problems(self):
        report = json.loads(self.ok("print", "-", "--json", text=PENDULUM).stdout)
        self.assertIn("solid bob", report["text"])
        self.assertFalse(json.loads(self.fails(1, "print", "-", "--json", text="solid").stdout)["ok"])


class Draw(Case):
    def elements(self, svg):
        self.assertNotRegex(svg, "(?i)[^a-z](nan|inf)[^a-z]")
        root = xml.etree.ElementTree.fromstring(svg)
        self.assertEqual(root.tag, "{http://www.w3.org/2000/svg}svg")
        return root

    def test_every_scene_is_a_well_formed_picture(self):
        for scene in SCENES:
            svg = self.ok("draw", scene).stdout
            root = self.elements(svg)
            self.assertEqual((root.get("width"), root.get("height")), ("960", "720"))
            self.assertEqual(self.ok("draw", scene, "-o", "-").stdout, svg)
            self.assertLess(len(svg), 3_000_000, scene)

    def test_into_a_file_with_a_report(self):
        path = self.folder / "picture.svg"
        report = json.loads(self.ok("draw", FOUR_BAR, "-o", str(path), "--json", "--size", "320",
                                    "200", "--plain").stdout)
        self.assertEqual({key: report[key] for key in ("ok", "file", "width", "height", "solids")},
                         {"ok": True, "file": str(path), "width": 320, "height": 200, "solids": 4})
        self.assertEqual(report["polygons"], path.read_text().count("z"))
        self.assertNotIn("svg", report)
        self.assertEqual(self.elements(path.read_text()).get("viewBox"), "0 0 320 200")
        umask = os.umask(0)
        os.umask(umask)
        self.assertEqual(path.stat().st_mode & 0o777, 0o666 & ~umask)
        self.assertEqual(os.listdir(self.folder), ["picture.svg"])
        path.chmod(0o640)
        self.assertEqual(self.ok("draw", FOUR_BAR, "-o", str(path)).stdout, "")
        self.assertEqual(path.stat().st_mode & 0o777, 0o640)
        self.assertEqual(path.read_text(), self.ok("draw", FOUR_BAR).stdout)

    def test_what_is_no_svg_is_refused_by_its_name(self):
        for name in ("x.png", "x.jpg", "x.pdf", "x.csv", "picture"):
            path = self.folder / name
            result = self.fails(2, "draw", FOUR_BAR, "-o", str(path))
            self.assertIn("cannot be written: its name must end in .svg", result.stderr)
            self.assertFalse(path.exists(), name)
            report = json.loads(self.fails(2, "draw", FOUR_BAR, "-o", str(path), "--json").stdout)
            self.assertIn(f"write {path.with_suffix('.svg')}", report["problems"][0]["what"])
        self.assertIn("and let a browser turn it into a .png",
                      self.fails(2, "draw", FOUR_BAR, "-o", "x.png").stderr)
        self.assertEqual(self.ok("draw", FOUR_BAR, "-o", "/dev/null").stdout, "")

    def test_no_command_writes_a_file_that_its_name_does_not_say(self):
        for arguments in (["simulate", FOUR_BAR, "-o", "x.png"], ["assemble", FOUR_BAR, "-o", "x.png"],
                          ["compare", FOUR_BAR, "-o", "x.png"], ["assemble", FOUR_BAR, "--trace", "x.json"]):
            arguments[-1] = str(self.folder / arguments[-1])
            self.assertIn("cannot be written: its name must end in", self.fails(2, *arguments).stderr)
        for name in ("x.html", "x.svg"):
            result = self.fails(2, "reproduce", "jeon", "3", "--quick", "-o", str(self.folder / name))
            self.assertIn("must be a folder", result.stderr)
        self.assertEqual(os.listdir(self.folder), [])

    def test_without_a_file_the_report_holds_the_picture(self):
        report = json.loads(self.ok("draw", FOUR_BAR, "--json").stdout)
        self.assertIsNone(report["file"])
        self.assertEqual(report["svg"], self.ok("draw", FOUR_BAR).stdout)

    def test_options_change_what_they_say(self):
        usual = self.ok("draw", FOUR_BAR).stdout
        pictures = {usual}
        for options in (["--view", "top"], ["--view", "left"], ["--yaw", "30", "--pitch", "10"],
                        ["--no-joints"], ["--labels"], ["--plain"], ["--set", "angle=10deg"]):
            svg = self.ok("draw", FOUR_BAR, *options).stdout
            self.elements(svg)
            self.assertNotIn(svg, pictures, options)
            pictures.add(svg)
        self.assertIn(">rocker<", self.ok("draw", FOUR_BAR, "--labels").stdout)
        self.assertNotIn(">rocker<", usual)
        self.assertNotIn("<circle", self.ok("draw", FOUR_BAR, "--no-joints").stdout)
        self.assertIn("<circle", usual)
        self.assertNotIn("<rect", self.ok("draw", FOUR_BAR, "--plain").stdout)

    def test_a_huge_scene_stays_small(self):
        scene = str(ROOT / "scenes/peers/s1.tenon")
        self.assertLess(len(self.ok("draw", scene, "--set", "N=20000").stdout), 3_000_000)

    def test_an_empty_scene_and_odd_bytes(self):
        self.elements(self.ok("draw", "-", text="").stdout)
        path = self.folder / "odd.tenon"
        path.write_bytes(b'title "caf\xe9 <&>";\n' + PENDULUM.encode())
        self.assertIn("caf\ufffd <&>", self.elements(self.ok("draw", str(path)).stdout)[0].text)

    def test_what_cannot_be_read_or_written_is_a_problem(self):
        self.assertIn("error:", self.fails(1, "draw", str(self.folder / "none.tenon")).stderr)
        self.assertFalse(json.loads(self.fails(1, "draw", "-", "--json", text="solid").stdout)["ok"])
        (self.folder / "folder.svg").mkdir()
        for path in (str(self.folder / "folder.svg"), str(self.folder / "none/picture.svg")):
            result = self.fails(1, "draw", FOUR_BAR, "-o", path)
            self.assertRegex(result.stderr, "error: .*" + re.escape(path) + "|" +
                             re.escape(path) + ".*error")
            report = json.loads(self.fails(1, "draw", FOUR_BAR, "-o", path, "--json").stdout)
            self.assertEqual(report["problems"][-1]["file"], path)


class Joints(Case):
    def test_the_catalogue(self):
        kinds = {kind["name"]: kind
                 for kind in json.loads(self.ok("joints", "--json").stdout)["joints"]}
        for name, residuals in {"ball": 3, "pin": 5, "cylindrical": 4, "prismatic": 5,
                                "point-on-line": 2, "point-on-plane": 1, "planar": 3, "hooke": 4,
                                "weld": 6}.items():
            self.assertEqual(kinds[name]["residuals"], residuals, name)
            self.assertEqual(kinds[name]["residuals"] + kinds[name]["free"], 6)
            self.assertTrue(kinds[name]["summary"])
        self.assertEqual(kinds["pin"]["locked"], {"translations": "ijk", "rotations": "jk"})
        self.assertEqual([c["name"] for c in kinds["pin"]["coordinates"]], ["angle"])
        text = self.ok("joints").stdout
        for name in kinds:
            self.assertIn(name + ": ", text)


class Interrupt(Case):
    def interrupted(self, *arguments, after, **options):
        for wait in (after, 4 * after, 16 * after):
            process = subprocess.Popen([TENON, *arguments], stdin=subprocess.PIPE,
                                       stdout=subprocess.PIPE, stderr=subprocess.PIPE, **options)
            with process.stdin, process.stdout, process.stderr:
                time.sleep(wait)
                process.send_signal(signal.SIGINT)
                code = process.wait(timeout=60)
                if code == -signal.SIGINT:  # a busy machine: it had not come to its first line
                    continue
                self.assertEqual(code, 130)
                return process.stdout.read(), process.stderr.read()
        self.fail("SIGINT is not handled")

    def test_while_waiting_for_input(self):
        for command in ("info", "check", "format"):
            self.assertEqual(self.interrupted(command, "-", after=0.3), (b"", b""))

    def test_while_working(self):
        scene = str(ROOT / "scenes/peers/s1.tenon")
        self.assertEqual(self.interrupted("info", scene, "--set", "N=1000000", after=0.5), (b"", b""))


class Terminal(Case):
    def on_terminal(self, *arguments, env=None, interrupt_after=None):
        """Output, exit code of a run whose stderr is a terminal."""
        master, slave = pty.openpty()
        process = subprocess.Popen([TENON, *arguments], stdout=subprocess.DEVNULL, stderr=slave,
                                   env={**os.environ, "TERM": "xterm", **(env or {})})
        os.close(slave)
        output, start = b"", time.monotonic()
        while True:
            if interrupt_after and time.monotonic() - start > interrupt_after:
                process.send_signal(signal.SIGINT)
                interrupt_after = None
            try:
                if select.select([master], [], [], 0.1)[0]:
                    chunk = os.read(master, 65536)
                    if not chunk:
                        break
                    output += chunk
            except OSError:  # how Linux says that the other end is closed
                break
        os.close(master)
        return output.decode(), process.wait(timeout=60)

    def test_colour_unless_unwanted(self):
        path = self.write("broken.tenon", Errors.BROKEN)
        self.assertIn("\033[1;31merror:\033[0m", self.on_terminal("check", path)[0])
        for env in ({"NO_COLOR": "1"}, {"TERM": "dumb"}):
            self.assertNotIn("\033", self.on_terminal("check", path, env=env)[0])

    def test_progress_of_long_work_is_wiped(self):
        scene = str(ROOT / "scenes/peers/s1.tenon")
        output, code = self.on_terminal("info", scene, "--set", "N=1000000", interrupt_after=1.5)
        self.assertEqual(code, 130)
        self.assertIn(scene, output)
        self.assertTrue(output.endswith("\r\033[K"))


class Leftovers(Case):
    """What somebody who is killed in the middle of writing leaves behind."""

    def parts(self):
        return sorted(name for name in os.listdir(self.folder) if name.endswith(".tenon-part"))

    def killed(self, name):
        process = subprocess.Popen([TENON, "simulate", FOUR_BAR, "--time", "1e6", "-o", str(self.folder / name)],
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        began = time.time()
        while not any(other.startswith("." + name) for other in os.listdir(self.folder)) and time.time() - began < 60:
            time.sleep(0.01)
        return process

    def age(self, name, seconds=3600):
        os.utime(self.folder / name, (time.time() - seconds,) * 2, follow_symlinks=False)

    def test_old_ones_are_removed_by_who_writes_next(self):
        process = self.killed("motion.csv")
        self.addCleanup(process.kill)
        left = [name for name in os.listdir(self.folder) if name.startswith(".motion.csv.")]
        self.assertEqual(len(left), 1)
        self.assertRegex(left[0], r"^\.motion\.csv\.[a-z0-9]{6}\.tenon-part$")

        def write():
            self.ok("simulate", FOUR_BAR, "--time", "0.1", "-o", str(self.folder / "other.csv"))

        self.age(left[0])
        write()  # somebody writes it still, though it looks old
        self.assertEqual(self.parts(), left)
        process.kill()
        process.wait()
        (self.folder / left[0]).touch()
        write()  # not for long yet
        self.assertEqual(self.parts(), left)
        self.age(left[0])
        write()
        self.assertEqual(sorted(os.listdir(self.folder)), ["other.csv"])

    def test_nobody_elses_files_are_touched(self):
        others = [".motion.csv.ab12cd", ".motion.csv.swp", ".x.tenon-part", "motion.csv.ab12cd.tenon-part", ".tenon-part",
                  ".motion.csv.ab.2cd.tenon-part", ".motion.csv.ab12cd.tenon-part~"]
        for name in others:
            (self.folder / name).write_text("mine")
        (self.folder / ".folder.ab12cd.tenon-part").mkdir()
        (self.folder / ".link.ab12cd.tenon-part").symlink_to("nowhere")
        os.mkfifo(self.folder / ".pipe.ab12cd.tenon-part")
        if os.geteuid() == 0:
            (self.folder / ".foreign.ab12cd.tenon-part").touch()
            os.chown(self.folder / ".foreign.ab12cd.tenon-part", 12345, -1)
        before = sorted(os.listdir(self.folder))
        for name in before:
            self.age(name)
        path = self.write("scene.tenon", PENDULUM.replace("  ", " "))
        (self.folder / ".ours.ab12cd.tenon-part").touch()
        self.age(".ours.ab12cd.tenon-part")
        self.ok("format", "--write", str(path))
        self.assertEqual(sorted(os.listdir(self.folder)), sorted([*before, "scene.tenon"]))


if __name__ == "__main__":
    unittest.main()
