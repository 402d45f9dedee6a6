#!/usr/bin/env python3
"""`tenon reproduce`: the papers' experiments run, and what they show is what theory says."""

import functools
import json
import math
import os
import pty
import re
import signal
import subprocess
import tempfile
import time
import unittest
import xml.etree.ElementTree
from pathlib import Path

from test_compare import METHODS, Page
from test_tenon import ROOT, TENON, Case, tenon

ALL = [(e["paper"], e["figure"]) for e in json.loads(tenon("reproduce", "--json").stdout)]


@functools.cache
def run_paper(paper):
    """The reports of a paper's experiments, and the pages written (a folder that goes with us)."""
    folder = tempfile.TemporaryDirectory(prefix="tenon-test-")
    result = tenon("reproduce", paper, "--quick", "--json", "-o", folder.name)
    return result, folder


class Reproduce(Case):
    def reports(self, paper):
        result, _ = run_paper(paper)
        self.assertEqual(result.returncode, 0, result.stderr)
        return json.loads(result.stdout)

    def run_one(self, paper, figure):
        return next(r for r in self.reports(paper) if r["figure"] == figure)

    def table(self, report, index=0):
        """Rows of a table as dictionaries."""
        table = report["tables"][index]
        return [dict(zip(table["columns"], row)) for row in table["rows"]]

    def verdicts(self, report):
        return [finding["verdict"] for finding in report["findings"]]

    def test_all_papers_are_listed_and_every_experiment_is_in_the_docs(self):
        self.assertEqual({paper for paper, _ in ALL}, {"jeon", "faure", "forsey-wilhelms", "gascuel"})
        text = self.ok("reproduce").stdout
        page = (ROOT / "docs/paper-to-code.md").read_text(encoding="utf-8")
        for paper, figure in ALL:
            self.assertRegex(text, rf"(?m)^{paper} +{figure} ")
            self.assertIn(f"`tenon reproduce {paper} {figure}`", page)
        for command in re.findall(r"`tenon reproduce ([\w-]+) ([\w-]+)`", page):
            self.assertIn(command, ALL)

    def test_every_experiment_finds_something_and_says_so_in_all_forms(self):
        for paper in sorted({paper for paper, _ in ALL}):
            reports = self.reports(paper)
            folder = Path(run_paper(paper)[1].name)
            self.assertEqual([(r["paper"], r["figure"]) for r in reports],
                             [e for e in ALL if e[0] == paper])
            text = (folder / "index.html").read_text(encoding="utf-8")
            page = Page(text)
            self.assertEqual((page.open, page.wrong), ([], []))
            outside = set(re.findall(r"https?://[^\"'\s)]*", text))
            self.assertLessEqual(outside, {"http://www.w3.org/2000/svg"})
            for report in reports:
                self.assertGreater(len(report["findings"]), 0)
                self.assertGreater(len(report["tables"]), 0)
                for finding in report["findings"]:
                    self.assertIn(finding["verdict"], ("holds", "partly", "fails"))
                    self.assertIn(finding["claim"], page.text)
                    self.assertIn(finding["here"], page.text)
                for table in report["tables"]:
                    self.assertGreater(len(table["rows"]), 0)
                    self.assertEqual({len(row) for row in table["rows"]}, {len(table["columns"])})
            for picture in folder.glob("*.svg"):
                self.assertTrue(xml.etree.ElementTree.parse(picture).getroot().tag.endswith("svg"))

    def test_one_of_them(self):
        reports = json.loads(self.ok("reproduce", "jeon", "1", "--json").stdout)
        self.assertEqual([(r["paper"], r["figure"]) for r in reports], [("jeon", "1")])

    def test_words_on_a_terminal(self):
        text = self.ok("reproduce", "jeon", "3").stdout
        self.assertIn("jeon 3: A bead on a wire", text)
        self.assertRegex(text, r"(?m)^ +0\.1  implicit +done ")
        self.assertRegex(text, r'(?m)^holds: "At dt = 0\.1 the explicit bead blows up')

    # ------------------------------------------------------------------------------------- Jeon

    def test_feedback_follows_its_closed_form(self):
        report = self.run_one("jeon", "1")
        for row in self.table(report):
            t = row["t (s)"]
            self.assertAlmostEqual(row["(a) here"], (1 + 4 * t) * math.exp(-4 * t), places=6)
            self.assertAlmostEqual(row["(b) here"], t * math.exp(-4 * t), places=6)
        self.assertEqual(self.verdicts(report), ["holds"])

    def test_the_stability_region_is_that_of_the_pole(self):
        report = self.run_one("jeon", "2")
        for row in self.table(report):
            self.assertEqual(row["here"], "stable" if abs(1 - row["αh"]) < 1 else "unstable")
            self.assertLess(row["farthest from the closed form"], 1e-6)
        self.assertEqual(self.verdicts(report), ["holds", "holds"])

    def test_the_bead(self):
        report = self.run_one("jeon", "3")
        rows = {(row["dt (s)"], row["method"]): row for row in self.table(report)}
        self.assertEqual({dt for dt, _ in rows}, {0.01, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0})
        self.assertTrue(rows[0.1, "baumgarte, Euler"]["status"].startswith("blown up"))
        self.assertAlmostEqual(rows[0.1, "implicit"]["error at the end (m)"], 0.41, delta=0.005)
        for (dt, method), row in rows.items():
            if method == "implicit":
                self.assertEqual(row["status"], "done")
                self.assertAlmostEqual(row["error at the end (m)"], row["sag (m)"], places=6)
        self.assertEqual(self.verdicts(report), ["holds", "holds", "partly", "partly"])

    # ------------------------------------------------------------------------------------ Faure

    def test_assembly_converges_quadratically(self):
        errors = [row["largest error (m)"] for row in self.table(self.run_one("faure", "2"))]
        self.assertLess(errors[-1], 1e-8)
        self.assertLess(errors[-2], 2 * errors[-3] ** 2)
        self.assertLess(len(errors), 8)

    def test_his_budget_does_not_assemble_ours_and_newton_does(self):
        report = self.run_one("faure", "3")
        rows = {(row["method"], row["budget"]): row for row in self.table(report)}
        self.assertEqual(rows["displacement", "bicg, 6 × 30"]["linear iterations"], 180)
        self.assertLess(rows["newton", "direct"]["returned"], 1e-9)
        self.assertEqual(self.verdicts(report), ["holds", "fails"])

    def test_the_first_displacement_is_a_chord(self):
        report = self.run_one("faure", "4")
        chord = 2 * 50 * math.sin(math.atan(10 / 50) / 2)
        steps = [row["|Δq| (m)"] for row in self.table(report)]
        self.assertAlmostEqual(steps[0], chord, places=9)
        self.assertEqual(steps, sorted(steps, reverse=True))  # each takes some more
        self.assertEqual(self.verdicts(report), ["holds"])

    def test_positioning_by_budgets(self):
        report = self.run_one("faure", "5")
        rows = {row["solver"]: row for row in self.table(report)}
        self.assertGreater(rows["bicg, 2 × 5"]["mean"], rows["direct, 3"]["mean"])
        self.assertLess(rows["direct, 3"]["after 20 frames of rest"], 1e-8)
        self.assertEqual(self.verdicts(report)[0], "holds")

    def test_dynamics_by_budgets(self):
        rows = self.table(self.run_one("faure", "6"))
        at60 = {row["solver"]: row["mean"] for row in rows if row["dt (s)"] < 0.02}
        self.assertGreater(at60["direct, 1"], at60["direct, 2"])
        self.assertGreater(at60["direct, 2"], at60["direct, 4"])
        self.assertGreater(at60["bicg, 1 × 15"], at60["direct, 1"])

    def test_drift_has_its_order(self):
        report = self.run_one("faure", "drift")
        orders = {row["integrator"]: row for row in self.table(report)}
        for name, p in (("Euler", 1), ("Runge-Kutta 2", 2), ("Runge-Kutta 4", 4)):
            self.assertAlmostEqual(orders[name]["measured"], p + 1, delta=0.3)
            self.assertAlmostEqual(orders[name]["measured after"], 2 * (p + 1), delta=0.6)
        self.assertEqual(self.verdicts(report), ["holds"])

    def test_his_energy_is_not_kept_by_all_methods(self):
        report = self.run_one("faure", "energy")
        rows = {row["method"]: row for row in self.table(report)}
        self.assertEqual(list(rows), METHODS)
        self.assertLess(rows["displacement"]["energy"], -0.05)
        self.assertLess(abs(rows["shake"]["energy"]), 1e-3)
        self.assertLess(rows["displacement"]["linear momentum"], 1e-9)
        self.assertEqual(self.verdicts(report), ["fails"])

    # ------------------------------------------------------------------------------------ others

    def test_what_steps_cost(self):
        report = self.run_one("forsey-wilhelms", "table2")
        rows = self.table(report)
        self.assertEqual(len(rows), 12)
        for row in rows:
            # The paper's two columns belong to each other.
            links = {"One": 1, "Two": 2, "Five": 5, "Ten": 10, "Twen": 20}
            n = next(n for word, n in links.items() if row["links"].startswith(word))
            if "VAX" not in row["links"]:
                self.assertAlmostEqual(n * row["steps/s then"] * row["s/link/step then"], 1,
                                       delta=0.02)
                self.assertAlmostEqual(n * row["steps/s here"] * row["s/link/step here"], 1,
                                       delta=0.01)
        has = "recursive" in METHODS
        self.assertIn("`recursive`" if has else "`poststabilized`", report["setup"])
        self.assertEqual(any("no `recursive` method" in remark for remark in report["remarks"]),
                         not has)

    def test_the_star(self):
        rows = self.table(self.run_one("gascuel", "star"))
        for a, b in zip(rows, rows[1:]):
            self.assertAlmostEqual(b["weighted"] / a["weighted"], 2 / 9, places=7)  # of a gap of 1e-8, by places of 1
            self.assertAlmostEqual(b["plain sum"] / a["plain sum"], 4 / 3, places=9)

    def test_the_snakes_tail_slides_to_and_fro(self):
        report = self.run_one("gascuel", "snake")
        times = [row["here"] for row in self.table(report)]
        self.assertEqual(times, sorted(times))
        self.assertEqual(self.verdicts(report), ["holds"])

    def test_relaxation_passes_a_frame(self):
        for figure in ("otary", "monocycle"):
            rows = self.table(self.run_one("gascuel", figure))
            for coarse, fine in zip(rows, rows[1:]):
                if coarse["dt (s)"] == fine["dt (s)"]:
                    self.assertLess(coarse["median"], fine["median"])
        self.assertEqual(self.verdicts(self.run_one("gascuel", "otary")), ["holds"])

    # ------------------------------------------------------------------------------------- usage

    def test_wrong_names_are_explained(self):
        result = self.fails(2, "reproduce", "faur")
        self.assertIn("did you mean 'faure'?", result.stderr)
        result = self.fails(1, "reproduce", "jeon", "9")
        self.assertIn("there is no figure '9'; there are 1, 2 and 3", result.stderr)
        self.assertFalse(json.loads(self.fails(1, "reproduce", "jeon", "9", "--json").stdout)["ok"])
        file = self.write("file", "")
        self.assertIn("cannot be", self.fails(1, "reproduce", "jeon", "1", "-o", file).stderr)

    def test_ctrl_c_keeps_what_is_finished(self):
        master, slave = pty.openpty()
        process = subprocess.Popen([TENON, "reproduce", "gascuel", "--json"], stdout=subprocess.PIPE,
                                   stderr=slave, text=True, env={**os.environ, "TERM": "xterm"})
        os.close(slave)
        shown, began = b"", time.time()
        while b"monocycle" not in shown and time.time() - began < 600:
            shown += os.read(master, 65536)
        process.send_signal(signal.SIGINT)
        output, _ = process.communicate(timeout=600)
        os.close(master)
        self.assertEqual(process.returncode, 130)
        self.assertEqual([r["figure"] for r in json.loads(output)], ["star", "snake", "otary"])


if __name__ == "__main__":
    unittest.main()
