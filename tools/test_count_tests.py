#!/usr/bin/env python3
"""count_tests.py on what the four runners write: what is skipped is neither passed nor failed, and says why."""

import contextlib
import io
import json
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import count_tests

GOOGLETEST = """<testsuites><testsuite>
  <testcase name="Holds" classname="A" status="run" result="completed"/>
  <testcase name="Fails" classname="A" status="run" result="completed"><failure message="no"/></testcase>
  <testcase name="Needs" classname="A" status="run" result="skipped">
    <skipped message="/tests/a.cpp:7&#x0A;this machine has none&#x0A;"/></testcase>
  <testcase name="DISABLED_Off" classname="A" status="notrun" result="suppressed"/>
</testsuite></testsuites>"""

SCRIPT = """import unittest
class T(unittest.TestCase):
    def test_good(self): pass
    def test_bad(self): self.fail("no")
    def test_plain(self): self.skipTest("it isn't built")
    def test_told(self):
        "It has a line of its own."
        self.skipTest("no root")
unittest.main()
"""


class CountTests(unittest.TestCase):
    def said(self, files, *arguments):
        """The lines that are printed, in a folder with these files; `@` in an argument is the folder."""
        with tempfile.TemporaryDirectory() as folder:
            for name, text in files.items():
                (Path(folder) / name).write_text(text, encoding="utf-8")
            with contextlib.redirect_stdout(io.StringIO()) as out:
                count_tests.main([argument.replace("@", folder) for argument in arguments])
            return out.getvalue().splitlines()

    def run_script(self, *arguments):
        done = subprocess.run([sys.executable, "-c", SCRIPT, *arguments], capture_output=True, text=True, check=False)
        return done.stdout + done.stderr

    def test_googletest(self):
        junit = '<testsuite><testcase name="test_a" status="fail"/><testcase name="gone" status="fail"/></testsuite>'
        self.assertEqual(self.said({"ctest.junit": junit, "test_a.xml": GOOGLETEST}, "@"),
                         ["1 2 1", "A.Needs: this machine has none"])

    def test_unittest(self):
        told = self.said({"out": self.run_script("-v")}, "--unittest", "@/out")
        self.assertEqual((told[0], sorted(told[1:])), ("1 1 2", ["test_plain: it isn't built", "test_told: no root"]))
        silent = self.said({"out": self.run_script()}, "--unittest", "@/out")
        self.assertEqual((silent[0], len(silent)), ("1 1 2", 3))
        self.assertEqual(self.said({"out": "Killed"}, "--unittest", "@/out"), ["0 1 0"])

    def test_vitest(self):
        cases = [{"fullName": "a is", "status": "passed"}, {"fullName": "a waits", "status": "skipped"}]
        report = {"numPassedTests": 1, "numFailedTests": 0, "success": True,
                  "testResults": [{"status": "passed", "assertionResults": cases}]}
        self.assertEqual(self.said({"r": json.dumps(report)}, "--vitest", "@/r"), ["1 0 1", "a waits: skipped"])
        report["testResults"].append({"status": "failed", "assertionResults": []})
        self.assertEqual(self.said({"r": json.dumps(report)}, "--vitest", "@/r")[0], "1 1 1")

    def test_tap(self):
        tap = ("    ok 1 - opens\n    ok 2 - in a headset # SKIP no headset\nnot ok 3 - ends\n"
               "# pass 1\n# fail 1\n# cancelled 1\n# skipped 1\n")
        self.assertEqual(self.said({"t": tap}, "--tap", "@/t"), ["1 2 1", "in a headset: no headset"])


if __name__ == "__main__":
    unittest.main()
