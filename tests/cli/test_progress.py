#!/usr/bin/env python3
"""tools/show_progress.py: what it says of a build, and what it keeps of it."""

import json
import os
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

ROOT = Path(os.environ.get("TENON_SOURCE_DIR", Path(__file__).parent.parent.parent))
sys.path.insert(0, str(ROOT / "tools"))
import show_progress  # noqa: E402


class Estimate(unittest.TestCase):
    LAST = {"seconds": 100, "curve": [0, 0.3, 0.5, 0.6, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95, 1]}

    def test_a_new_machine_says_nothing_before_it_knows(self):
        self.assertIsNone(show_progress.estimate(1, 0, 100, None, 0))
        self.assertEqual(show_progress.words(None), "")

    def test_steps_alone_where_few_are_left_to_do(self):
        self.assertAlmostEqual(show_progress.estimate(30, 10, 40, None, 0), 90)

    def test_the_shape_of_the_last_build_counts(self):
        self.assertAlmostEqual(show_progress.estimate(50, 20, 100, self.LAST, 0), 50)
        self.assertAlmostEqual(show_progress.estimate(50, 50, 100, self.LAST, 0), 50 / 0.75 - 50)

    def test_at_first_the_last_duration_then_more_and_more_this_one(self):
        self.assertEqual(show_progress.estimate(0, 0, 100, self.LAST, 0), 100)
        slow = [show_progress.estimate(elapsed, done, 100, self.LAST, 0) + elapsed
                for elapsed, done in ((8, 2), (20, 5), (60, 10), (400, 90))]  # takes longer and longer
        self.assertEqual(slow, sorted(slow))
        self.assertLess(slow[0], 150)

    def test_what_follows_is_added(self):
        self.assertAlmostEqual(show_progress.estimate(50, 20, 100, self.LAST, 0.5), 100)
        self.assertAlmostEqual(show_progress.estimate(100, 100, 100, self.LAST, 0.5), 50)

    def test_the_curve_of_a_new_machine_is_one(self):
        self.assertEqual((show_progress.CURVE[0], show_progress.CURVE[-1]), (0, 1))
        self.assertEqual(show_progress.CURVE, sorted(show_progress.CURVE))


class Line(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.kept = Path(self.folder.name) / "tenon/builds.json"

    def shown(self, text, *more):
        return subprocess.run([sys.executable, ROOT / "tools/show_progress.py", "the engine", *more], input=text,
                              capture_output=True, text=True, encoding="utf-8", check=True,
                              env={**os.environ, "XDG_CACHE_HOME": self.folder.name}).stdout

    def test_errors_are_shown_and_steps_are_one_line(self):
        said = self.shown("[0/2] Re-checking globbed directories...\n[1/3] Building a\nFAILED: b\nb.cpp:1: error: no\n"
                          "[2/3] Building b\n[3/3] Linking c\n")
        self.assertIn("FAILED: b\nb.cpp:1: error: no\n", said)
        self.assertNotIn("Building", said)
        self.assertIn("the engine: 3 of 3 steps", said)
        self.assertFalse(self.kept.exists())

    def test_nothing_to_do_says_nothing(self):
        self.assertEqual(self.shown("ninja: no work to do.\n"), "")

    def test_a_whole_build_is_remembered_and_a_broken_file_is_not_believed(self):
        whole = "".join(f"[{i}/60] Building {i}\n" for i in range(1, 61))
        self.shown(whole)
        kept = json.loads(self.kept.read_text())["the engine"]
        self.assertTrue(show_progress.usable(kept))
        for broken in ("nonsense", "[]", '{"the engine": {"seconds": "x"}}', '{"the engine": 3}'):
            self.kept.write_text(broken)
            self.assertIn("60 of 60", self.shown(whole))
        self.assertTrue(show_progress.usable(json.loads(self.kept.read_text())["the engine"]))

    def test_a_slow_build_has_an_estimate(self):
        process = subprocess.Popen([sys.executable, ROOT / "tools/show_progress.py", "x", "--after", "1"], text=True,
                                   stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                   env={**os.environ, "XDG_CACHE_HOME": self.folder.name})
        time.sleep(1)
        process.stdin.write("[4/40] a\n")
        said, _ = process.communicate(timeout=100)
        self.assertRegex(said, r"^x: 4 of 40 steps, about \d+ (s|min) left\n")


if __name__ == "__main__":
    unittest.main()
