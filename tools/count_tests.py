#!/usr/bin/env python3
"""Counts the test cases of one run of ctest, unittest, vitest or Node's own runner.

    tools/count_tests.py RESULTS
    tools/count_tests.py --unittest OUTPUT
    tools/count_tests.py --vitest REPORT.json
    tools/count_tests.py --tap OUTPUT

Prints `PASSED FAILED SKIPPED`, and then a line with name and reason for each test that was skipped.

RESULTS holds ctest.junit (one entry per program) and, for each GoogleTest program NAME, NAME.xml with
its cases. A script counts as the number in its line `Ran N tests`, or as one. A program that failed
without naming a case (a crash, a sanitizer's report, a leak at exit) counts as one failure; so does a
file of vitest that could not be loaded.
"""

import json
import re
import sys
import xml.etree.ElementTree as xml
from dataclasses import dataclass, field
from pathlib import Path


@dataclass
class Count:
    passed: int = 0
    failed: int = 0
    skipped: list[str] = field(default_factory=list)  # name: reason

    def add(self, other):
        self.passed += other.passed
        self.failed += other.failed
        self.skipped += other.skipped


def cases_of_googletest(path):
    """Of a GoogleTest report; disabled cases do not count."""
    count = Count()
    for case in xml.parse(path).getroot().iter("testcase"):
        name = f"{case.get('classname')}.{case.get('name')}"
        if case.find("failure") is not None:
            count.failed += 1
        elif case.get("result") == "skipped":
            said = case.find("skipped")
            words = (said.get("message") or said.text or "") if said is not None else ""
            # The first line is the place in the source.
            count.skipped.append(f"{name}: {' '.join(words.split(chr(10))[1:]).strip() or words.strip()}")
        elif case.get("result") == "completed":
            count.passed += 1
    return count


def cases_of_script(output):
    """As said by Python's unittest; one that passed if the output says nothing."""
    ran = sum(int(n) for n in re.findall(r"^Ran (\d+) tests?", output, re.M))
    if not ran:
        return Count(passed=1)
    failed = sum(int(n) for n in re.findall(r"\b(?:failures|errors)=(\d+)", output))
    number = sum(int(n) for n in re.findall(r"\bskipped=(\d+)", output))
    skipped = [f"{name}: {reason}" for name, reason in
               re.findall(r"^(\w+) \([^)\n]*\)(?:\n.*?)? \.\.\. skipped [\"'](.*)[\"']$", output, re.M)]
    skipped += ["a test of a script: run it with -v for the reason"] * (number - len(skipped))
    return Count(max(ran - failed - number, 0), failed, skipped)


def count_ctest(results):
    count = Count()
    for test in xml.parse(results / "ctest.junit").getroot().iter("testcase"):
        if test.get("status") == "disabled":
            continue
        good = test.get("status") == "run"
        report = results / f"{test.get('name')}.xml"
        if report.is_file() and report.stat().st_size:
            cases = cases_of_googletest(report)
        elif good or "Ran " in (test.findtext("system-out") or ""):
            cases = cases_of_script(test.findtext("system-out") or "")
        else:
            cases = Count(failed=1)
        if not good and cases.failed == 0:
            cases.failed = 1
        count.add(cases)
    return count


def count_unittest(path):
    text = path.read_text(encoding="utf-8", errors="replace")
    return cases_of_script(text) if re.search(r"^Ran \d+ tests?", text, re.M) else Count(failed=1)


def count_vitest(path):
    report = json.loads(path.read_text(encoding="utf-8"))
    files = report["testResults"]
    unloaded = sum(file["status"] == "failed" and not file["assertionResults"] for file in files)
    failed = report["numFailedTests"] + unloaded
    skipped = [f"{case['fullName']}: {case['status']}" for file in files for case in file["assertionResults"]
               if case["status"] in ("skipped", "pending", "todo", "disabled")]
    return Count(report["numPassedTests"], failed or (0 if report["success"] else 1), skipped)


def count_tap(path):
    text = path.read_text(encoding="utf-8", errors="replace")
    said = {word: int(n) for word, n in re.findall(r"^# (pass|fail|cancelled|skipped|todo) (\d+)$", text, re.M)}
    skipped = [f"{name.strip()}: {reason.strip() or 'no reason'}" for name, reason in
               re.findall(r"^ *ok \d+ - (.*?) # (?:SKIP|TODO)(.*)$", text, re.M)]
    return Count(said["pass"], said["fail"] + said["cancelled"], skipped)


COUNTERS = {"--unittest": count_unittest, "--vitest": count_vitest, "--tap": count_tap}


def main(arguments):
    if arguments[0] in COUNTERS:
        count = COUNTERS[arguments[0]](Path(arguments[1]))
    else:
        count = count_ctest(Path(arguments[0]))
    print(count.passed, count.failed, len(count.skipped))
    for line in count.skipped:
        print(line)


if __name__ == "__main__":
    main(sys.argv[1:])
