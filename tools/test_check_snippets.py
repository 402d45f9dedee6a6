#!/usr/bin/env python3
"""check_snippets finds what has drifted."""

import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from check_snippets import strays  # noqa: E402

PROGRAM = ["int main() {", "  run(2);", "", "  if (a)", "    b();", "}"]


def page(block, language="cpp"):
    return f"Words.\n\n```{language}\n{block}\n```\n"


class CheckSnippets(unittest.TestCase):
    def test_a_piece_may_be_indented_in_the_program(self):
        self.assertEqual(strays(page("run(2);\n\nif (a)\n  b();"), [PROGRAM]), ([], 1))

    def test_a_changed_word_is_found_with_its_line(self):
        self.assertEqual(strays(page("run(3);"), [PROGRAM]), ([(3, "run(3);")], 1))

    def test_lines_must_follow_each_other(self):
        self.assertEqual(strays(page("run(2);\nif (a)"), [PROGRAM])[0], [(3, "run(2);")])

    def test_indentation_must_be_the_same_throughout(self):
        self.assertEqual(strays(page("if (a)\nb();"), [PROGRAM])[0], [(3, "if (a)")])

    def test_other_languages_are_left_alone(self):
        self.assertEqual(strays(page("x", "cmake") + page("(built):1"  , ""), [PROGRAM]), ([], 0))
        self.assertEqual(strays(page("solid a\nend", ""), [PROGRAM])[1], 1)


if __name__ == "__main__":
    unittest.main()
