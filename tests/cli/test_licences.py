#!/usr/bin/env python3
"""Whether the licences of what is compiled in are shipped, all of them."""

import json
import os
import re
import subprocess
import sys
import unittest
from pathlib import Path

ROOT = Path(os.environ["TENON_SOURCE_DIR"])
TENON = os.environ["TENON_PROGRAM"]
sys.path.insert(0, str(ROOT / "tools"))
import write_licences  # noqa: E402

OURS_OR_THE_SYSTEMS = {"tenon", "arpa", "netinet", "sys"}


def printed(*options):
    return subprocess.run([TENON, "--licences", *options], capture_output=True, text=True, encoding="utf-8", check=True).stdout


class Licences(unittest.TestCase):
    def test_every_library_whose_headers_are_included_is_named(self):
        included = set()
        for room in ("engine", "cli", "wasm"):
            for path in (ROOT / room).rglob("*"):
                if path.suffix in (".h", ".cpp"):
                    included |= set(re.findall(r"^#include <(\w+)/", path.read_text(encoding="utf-8"), re.MULTILINE))
        self.assertEqual(included - OURS_OR_THE_SYSTEMS, {headers for _, _, headers, _ in write_licences.PARTS if headers})

    def test_the_program_prints_each_with_its_text(self):
        text = printed()
        for name, _, _, _ in write_licences.PARTS:
            begin = text.index(f"{write_licences.RULE}\n{name}\n{write_licences.RULE}\n")
            part = text[begin + 2 * len(write_licences.RULE):text.find(write_licences.RULE + "\n", begin + 3 * len(write_licences.RULE))]
            self.assertRegex(part, r"(?i)copyright", name)
            self.assertRegex(part, r"(?i)permission is hereby granted|redistribution and use|Apache|Mozilla Public", name)
        self.assertIn("Apache-2.0, in full", text)
        self.assertTrue(text.startswith("Tenon is under the MIT licence"))

    def test_as_json_and_spelt_otherwise(self):
        self.assertEqual(json.loads(printed("--json"))["licences"], printed())
        other = subprocess.run([TENON, "--licenses"], capture_output=True, text=True, encoding="utf-8", check=True)
        self.assertEqual(other.stdout, printed())

    def test_no_host_of_a_package_registry_is_named(self):
        self.assertNotRegex((ROOT / "licences/compiled.txt").read_text(encoding="utf-8"), r"registry\.|npmjs")


if __name__ == "__main__":
    unittest.main()
