#!/usr/bin/env python3
"""Counts the test cases of one run of ctest, vitest or Node's own runner: prints `PASSED FAILED`.

    tools/count_tests.py RESULTS
    tools/count_tests.py --vitest REPORT.json
    tools/count_tests.py --tap OUTPUT

RESULTS holds ctest.junit (one entry per program) and, for each GoogleTest program NAME, NAME.xml with
its cases. A script counts as the number in its line `Ran N tests`, or as one. A program that failed
without naming a case (a crash, a sanitizer's report, a leak at exit) counts as one failure; so does a
file of vitest that could not be loaded.
"""

import json
import re
import sys
import xml.etree.ElementTree as xml
from pathlib import Path


def cases_of_googletest(path):
    """(passed, failed) of a GoogleTest report; skipped and disabled cases do not count."""
    passed = failed = 0
    for case in xml.parse(path).getroot().iter("testcase"):
        if case.find("failure") is not None:
            failed += 1
        elif case.get("result") == "completed":
            passed += 1
    return passed, failed


def cases_of_script(output):
    """(passed, failed) as said by Python's unittest; (1, 0) if the output says nothing."""
    ran = sum(int(n) for n in re.findall(r"^Ran (\d+) tests?", output, re.M))
    failed = sum(int(n) for n in re.findall(r"\b(?:failures|errors)=(\d+)", output))
    return (max(ran - failed, 0), failed) if ran else (1, 0)


def count(results):
    passed = failed = 0
    for test in xml.parse(results / "ctest.junit").getroot().iter("testcase"):
        if test.get("status") == "disabled":
            continue
        good = test.get("status") == "run"
        report = results / f"{test.get('name')}.xml"
        if report.is_file() and report.stat().st_size:
            case_passed, case_failed = cases_of_googletest(report)
        elif good or "Ran " in (test.findtext("system-out") or ""):
            case_passed, case_failed = cases_of_script(test.findtext("system-out") or "")
        else:
            case_passed, case_failed = 0, 1
        if not good and case_failed == 0:
            case_failed = 1
        passed += case_passed
        failed += case_failed
    return passed, failed


def count_vitest(path):
    report = json.loads(path.read_text(encoding="utf-8"))
    unloaded = sum(file["status"] == "failed" and not file["assertionResults"]
                   for file in report["testResults"])
    failed = report["numFailedTests"] + unloaded
    return report["numPassedTests"], failed or (0 if report["success"] else 1)


def count_tap(path):
    text = path.read_text(encoding="utf-8", errors="replace")
    said = {word: int(n) for word, n in re.findall(r"^# (pass|fail|cancelled) (\d+)$", text, re.M)}
    return said["pass"], said["fail"] + said["cancelled"]


if __name__ == "__main__":
    if sys.argv[1] in ("--vitest", "--tap"):
        counter = count_vitest if sys.argv[1] == "--vitest" else count_tap
        print(*counter(Path(sys.argv[2])))
    else:
        print(*count(Path(sys.argv[1])))
