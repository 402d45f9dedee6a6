#!/usr/bin/env python3
"""`tenon bench`: what it says is complete and adds up. How long things take is nobody's promise."""

import json
import unittest

from test_tenon import FOUR_BAR, PENDULUM, ROOT, Case

S3 = str(ROOT / "scenes/peers/s3.tenon")
S5 = str(ROOT / "scenes/peers/s5.tenon")
SCATTERED = str(ROOT / "scenes/faure/fig2-bar-and-discs.tenon")
MARIONETTE = str(ROOT / "scenes/figures/marionette.tenon")
KEYS = {"ok", "file", "title", "solids", "dynamic_solids", "joints", "loops", "loop_closers", "islands",
        "island_sizes", "largest_island", "same_shape", "hubs", "read_ms", "compile_ms",
        "mechanism_bytes_per_solid", "step_bytes_per_solid", "assembly", "threads", "methods", "advice",
        "problems"}
METHOD_KEYS = {"method", "status", "dt", "time", "steps", "us_per_step", "us_per_step_median",
               "us_per_step_99", "us_first_step", "us_per_solid_step", "real_time_factor",
               "iterations_per_step", "halved_steps", "halved_share", "unconverged_steps", "fast",
               "not_fast_because", "ways", "repeated_share", "wall_ms", "processor_ms", "max_error", "energy_drift", "energy_reference", "stages"}


PENDULUM_PAIR = """
solid a box 0.1 1 0.1; end  joint pin ja object2 a; point2 0 0.5 0; axis 0 0 1; end
solid b box 0.1 1 0.1; at 1 0 0; end  joint pin jb object2 b; point1 1 0.5 0; point2 0 0.5 0; axis 0 0 1; end
spring tie object1 a; object2 b; stiffness 5; rest 1; active 0 0.5; end
"""


class Bench(Case):
    def report(self, *arguments, code=0, **options):
        return json.loads(self.fails(code, "bench", *arguments, "--json", **options).stdout)

    def test_the_report_has_its_keys(self):
        report = self.report(FOUR_BAR, "--time", "0.2")
        self.assertEqual(set(report), KEYS)
        self.assertEqual((report["ok"], report["file"], report["dynamic_solids"], report["joints"]),
                         (True, FOUR_BAR, 3, 4))
        self.assertEqual([method["method"] for method in report["methods"]], ["energy", "interactive"])
        for method in report["methods"]:
            self.assertEqual(set(method), METHOD_KEYS)
            self.assertEqual((method["status"], method["steps"]), ("done", 48))
            self.assertLess(method["max_error"], 1e-8)
            for key in ("us_per_step", "us_per_step_median", "us_first_step", "real_time_factor"):
                self.assertGreater(method[key], 0, key)
            self.assertAlmostEqual(method["us_per_solid_step"], method["us_per_step"] / 3, 3)
        self.assertTrue(all(sentence.endswith(".") for sentence in report["advice"]))

    def test_shares_add_up(self):
        for scene in (FOUR_BAR, MARIONETTE):
            for method in self.report(scene, "--time", "0.1")["methods"]:
                stages = method["stages"]
                self.assertGreaterEqual(len(stages), 1)
                self.assertEqual(len({stage["stage"] for stage in stages}), len(stages))
                self.assertAlmostEqual(sum(stage["share"] for stage in stages), 1, 6)
                self.assertAlmostEqual(sum(stage["us_per_step"] for stage in stages) / method["us_per_step"],
                                       1, 6)

    def test_joints_that_close_loops_are_named(self):
        report = self.report(FOUR_BAR, "--time", "0.05")
        self.assertEqual((report["loops"], report["loop_closers"]), (1, ["C"]))
        self.assertEqual(report["largest_island"], {"solids": 3, "joints": 4, "loops": 1})
        report = self.report(S3, "--set", "N=4", "--time", "0.05", "--method", "interactive")
        info = json.loads(self.ok("info", S3, "--set", "N=4", "--json").stdout)
        self.assertEqual(report["loops"], info["loops"])
        closers = report["loop_closers"]
        self.assertEqual((len(closers), len(set(closers))), (report["loops"], report["loops"]))
        # Without them there is no loop left.
        text = self.ok("print", S3, "--set", "N=4").stdout
        for closer in closers:
            self.assertIn(f"joint ball {closer}\n", text)
            start = text.index(f"joint ball {closer}\n")
            text = text[:start] + text[text.index("\nend\n", start) + 5:]
        text = "\n".join(line for line in text.splitlines() if not line.startswith("expect"))
        self.assertEqual(json.loads(self.ok("info", "-", "--json", text=text).stdout)["loops"], 0)

    def test_what_the_fast_path_does_not_know_is_said(self):
        for scene in sorted((ROOT / "scenes").glob("*/*.tenon")):
            if scene.parent.name in ("peers", "joints"):
                continue
            report = self.report(str(scene), "--time", "0.02", "--method", "interactive")
            method = report["methods"][0]
            if method["fast"]:
                self.assertEqual(method["not_fast_because"], [], scene)
            else:
                self.assertNotEqual(method["not_fast_because"], [], scene)
            for way in method["ways"]:
                self.assertEqual(way["because"] != [], way["way"] == "rows", scene)
                self.assertIn(way["way"], ("tree kernel", "loop kernel", "rows"))
            if method["ways"]:
                self.assertAlmostEqual(sum(way["share"] for way in method["ways"]), 1, 9)
            # What is said agrees with what was done.
            advice = " ".join(report["advice"])
            by_rows = [way for way in method["ways"] if way["way"] == "rows"]
            self.assertEqual("by rows, because of" in advice, by_rows != [], scene)
            if "tree kernel steps several" in advice:
                self.assertGreaterEqual(max(w["islands"] for w in method["ways"] if w["way"] == "tree kernel"), 4)
        strandbeest = self.report(str(ROOT / "scenes/linkages/strandbeest.tenon"), "--set", "held=0", "--time", "0.01")
        self.assertEqual(strandbeest["methods"][0]["not_fast_because"], ["solids in loops with very many joints"])

    def test_islands_that_go_the_same_way_are_one_line(self):
        spring = "solid p sphere 0.1; at 50 0 0; end solid q sphere 0.1; at 51 0 0; end\n" \
                 "spring tie object1 p; object2 q; stiffness 5; rest 1; end\n"
        text = self.ok("print", S5, "--set", "people=6").stdout
        text = "\n".join(line for line in text.splitlines() if not line.startswith("expect")) + "\n" + spring
        method = self.report("-", "--time", "0.05", "--method", "energy", text=text)["methods"][0]
        shown = [(way["way"], way["because"], way["islands"], way["solids"]) for way in method["ways"]]
        self.assertEqual(shown, [("tree kernel", [], 6, 96), ("rows", ["springs between solids"], 1, 2)])
        self.assertEqual(method["not_fast_because"], ["springs between solids"])
        words = self.ok("bench", "-", "--time", "0.05", "--method", "energy", text=text).stdout
        self.assertIn("6 of 7 islands (96 solids) go by the tree kernel", words)
        self.assertIn("1 of 7 islands (2 solids) goes by rows, because of springs between solids.", words)
        self.assertNotIn("fast path", words)

    def test_events_that_switch_joints_are_seen(self):
        # While the spring ties them, the two are one island, which goes by rows; after it is switched off, two.
        text = PENDULUM_PAIR
        method = self.report("-", "--time", "1", "--dt", "0.01", "--method", "energy", text=text)["methods"][0]
        shown = {way["way"]: way for way in method["ways"]}
        self.assertEqual(set(shown), {"tree kernel", "rows"})
        self.assertAlmostEqual(shown["rows"]["share"], 50 / 150, 1)
        # People are told how often.
        words = " ".join(self.ok("bench", "-", "--time", "1", "--dt", "0.01", "--method", "energy", text=text).stdout.split())
        self.assertRegex(words, r"In 5\d % of the steps, 1 of 2 islands \(2 solids\) goes by rows")
        self.assertRegex(words, r"In (50|49) % of the steps, all 2 islands \(2 solids\) go by the tree kernel")

    def test_where_nothing_moves_no_way_is_named(self):
        words = self.ok("bench", "-", "--time", "0.1", text="solid wall immobile; box 1 1 1; end").stdout
        self.assertIn("  Nothing here moves.", words)
        self.assertNotIn("by rows", words)

    def test_methods_without_islands_say_so(self):
        method = self.report(FOUR_BAR, "--time", "0.05", "--method", "shake")["methods"][0]
        self.assertEqual((method["ways"], method["fast"]), ([], False))
        self.assertEqual(method["not_fast_because"], ["the method shake, which has no kernels"])

    def test_processor_and_wall(self):
        method = self.report(S5, "--set", "people=6", "--time", "0.5", "--method", "energy")["methods"][0]
        self.assertAlmostEqual(method["wall_ms"], 1e-3 * method["us_per_step"] * method["steps"], 6)
        # One thread: no more than the wall has, but for the clocks' own grain.
        self.assertGreater(method["processor_ms"], 0)
        self.assertLess(method["processor_ms"], method["wall_ms"] + 0.005 * method["steps"] + 1)

    def test_islands_and_hubs(self):
        report = self.report(S5, "--set", "people=3", "--time", "0.05", "--method", "interactive")
        self.assertEqual((report["islands"], report["same_shape"]), (3, 3))
        self.assertEqual(report["island_sizes"], [{"solids": 16, "islands": 3}])
        self.assertGreater(report["hubs"][0]["joints"], 3)
        self.assertEqual(report["loop_closers"], [])

    def test_open_joints_are_assembled_first(self):
        report = self.report(SCATTERED, "--time", "0.02")
        self.assertEqual(report["assembly"]["status"], "converged")
        self.assertGreater(report["assembly"]["start_error"], 1e-6)
        self.assertIsNone(self.report(FOUR_BAR, "--time", "0.02")["assembly"])

    def test_every_method_can_be_asked_for(self):
        methods = ["displacement", "shake", "implicit", "poststabilized", "recursive"]
        for method in methods:
            report = self.report("-", "--method", method, "--time", "0.05", text=PENDULUM)
            self.assertEqual([each["method"] for each in report["methods"]], [method])
            self.assertAlmostEqual(sum(s["share"] for s in report["methods"][0]["stages"]), 1, 6)

    def test_for_people(self):
        text = self.ok("bench", FOUR_BAR, "--time", "0.1").stdout
        for part in ("Four-bar linkage", "closed by C", "energy: 24 steps", "interactive: 24 steps",
                     "µs", "█", "Advice", "per solid and step"):
            self.assertIn(part, text)
        self.assertLess(max(map(len, text.splitlines())), 110)

    def test_what_blows_up_is_said(self):
        arguments = [FOUR_BAR, "--method", "baumgarte", "--dt", "0.5", "--time", "50"]
        report = self.report(*arguments, code=1)
        self.assertEqual((report["ok"], report["methods"][0]["status"]), (False, "blown-up"))
        self.assertIn("smaller --dt", " ".join(report["advice"]))

    def test_wrong_usage_and_missing_files(self):
        self.assertIn("nowhere.tenon", self.fails(1, "bench", "nowhere.tenon").stderr)
        report = self.report("nowhere.tenon", code=1)
        self.assertFalse(report["ok"])
        self.assertEqual(len(report["problems"]), 1)
        for arguments in ([], [FOUR_BAR, "--method", "magic"], [FOUR_BAR, "--dt", "0"],
                          [FOUR_BAR, "--threads", "-1"], [FOUR_BAR, "--time", "x"]):
            self.assertIn("try: tenon bench --help", self.fails(2, "bench", *arguments).stderr)
        self.assertIn("did you mean 'energy'", self.fails(2, "bench", FOUR_BAR, "--method", "energ").stderr)


if __name__ == "__main__":
    unittest.main()
