#!/usr/bin/env python3
"""The pages that follow from the program are up to date, and what README shows is what happens."""

import os
import re
import subprocess
import sys
import unittest
from pathlib import Path

ROOT = Path(os.environ.get("TENON_SOURCE_DIR", Path(__file__).parent.parent.parent))
TENON = os.environ.get("TENON_PROGRAM", str(ROOT / "build/release/tenon"))
README = (ROOT / "README.md").read_text(encoding="utf-8")


def run(*arguments, **options):
    return subprocess.run(arguments, capture_output=True, text=True, encoding="utf-8", cwd=ROOT,
                          timeout=120, **options)


class Docs(unittest.TestCase):
    def test_joint_page_is_up_to_date(self):
        result = run(sys.executable, "tools/write_joint_docs.py", "--check", TENON)
        self.assertEqual(result.returncode, 0, result.stderr)

    def test_paper_map_names_what_exists(self):
        result = run(sys.executable, "tools/check_paper_map.py")
        self.assertEqual(result.returncode, 0, result.stderr)

    def test_readme_shows_what_the_program_prints(self):
        shown = re.findall(r"```\n\$ build/release/tenon ([^\n]+)\n(.*?)```", README, re.S)
        self.assertGreaterEqual(len(shown), 1)
        for arguments, output in shown:
            self.assertEqual(run(TENON, *arguments.split()).stdout, output, arguments)

    def test_first_scene_of_the_readme_and_the_language_page_are_right(self):
        language = (ROOT / "docs/scene-language.md").read_text(encoding="utf-8")
        for page in (README, language):
            scene = re.search(r"```(?:tenon)?\n(/\*.*?)```", page, re.S).group(1)
            result = run(TENON, "check", "-", input=scene)
            self.assertEqual(result.returncode, 0, result.stderr)
            self.assertEqual(result.stderr, "")

    def test_links_of_the_readme_lead_somewhere(self):
        for target in re.findall(r"\]\(([^)#]+)\)|src=\"([^\"]+)\"", README):
            path = "".join(target)
            if not path.startswith("http"):
                self.assertTrue((ROOT / path).exists(), path)

    def test_pictures_and_gallery_are_up_to_date(self):
        result = run(sys.executable, "tools/draw_pictures.py", "--check", TENON)
        self.assertEqual(result.returncode, 0, result.stderr)

    def test_links_of_the_gallery_lead_somewhere(self):
        page = (ROOT / "docs/gallery.md").read_text(encoding="utf-8")
        targets = re.findall(r'(?:href|src)="([^"]+)"', page)
        self.assertGreater(len(targets), 0)
        for path in targets:
            self.assertTrue((ROOT / "docs" / path).exists(), path)


if __name__ == "__main__":
    unittest.main()
