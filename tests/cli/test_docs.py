#!/usr/bin/env python3
"""The pages that follow from the program are up to date, and what README shows is what happens."""

import json
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
                          timeout=600, **options)


class Docs(unittest.TestCase):
    def test_joint_page_is_up_to_date(self):
        result = run(sys.executable, "tools/write_joint_docs.py", "--check", TENON)
        self.assertEqual(result.returncode, 0, result.stderr)

    def test_table_of_settings_is_up_to_date(self):
        result = run(sys.executable, "tools/write_setting_docs.py", "--check")
        self.assertEqual(result.returncode, 0, result.stderr)

    # Every setting of the list is an option: of the commands that move a scene if it is one of motion, of `assemble` if
    # it is one of assembly. Those of pulling are the session's: nobody pulls on the command line.
    def test_every_setting_is_an_option(self):
        names = self.settings()
        self.assertGreater(len(names), 30)
        otherwise = {"duration": "--time", "budget": "--budget-ms"}
        options = {command: run(TENON, command, "--help").stdout
                   for command in ("simulate", "compare", "bench", "assemble")}
        for name, (moving, posing) in names.items():
            option = otherwise.get(name, f"--{name}")
            if name.startswith("pull-"):
                continue
            if moving and name not in ("budget", "method"):
                for command in ("simulate", "compare", "bench"):
                    self.assertRegex(options[command], rf"{option}\b", command)
            if posing:
                self.assertRegex(options["assemble"], rf"{option}\b")

    # What an option says is what the run is done with: a report says so of these.
    def test_options_of_settings_reach_the_run(self):
        def report(*options):
            result = run(TENON, "simulate", "scenes/linkages/four-bar.tenon", "--time", "0.1", "--json", *options)
            self.assertIn(result.returncode, (0, 1, 130), result.stderr)  # 130: stopped
            return json.loads(result.stdout)
        plain = report("--method", "recursive", "--integrator", "rk45")
        fine = report("--method", "recursive", "--integrator", "rk45", "--step-tolerance", "1e-12")
        self.assertNotEqual(plain["state_hash"], fine["state_hash"])
        capped = ["--method", "relaxation", "--iterations", "1"]
        self.assertEqual(report(*capped)["steps"], 24)
        self.assertLess(report(*capped, "--on-cap", "stop")["steps"], 24)
        self.assertEqual(report(*capped, "--stop-at-cap")["steps"], report(*capped, "--on-cap", "stop")["steps"])
        self.assertIn("--guess does nothing", json.dumps(report("--guess")["warnings"] + [p["what"] for p in report("--guess")["problems"]]))

    @staticmethod
    def settings():
        text = (ROOT / "engine/include/tenon/setting_list.h").read_text(encoding="utf-8")
        text = text[text.index("#define TENON_SETTINGS(X)"):]
        found = {}
        for entry in text.split("  X(")[1:]:
            found[re.match(r'"([^"]+)"', entry).group(1)] = (
                "&run.pose" not in entry or "&run.step" in entry or "&run.budget" in entry, "&run.pose" in entry)
        return found

    def test_session_page_and_the_types_of_commands_are_up_to_date(self):
        result = run(sys.executable, "tools/write_session_docs.py", "--check", TENON)
        self.assertEqual(result.returncode, 0, result.stderr)

    def test_paper_map_names_what_exists(self):
        result = run(sys.executable, "tools/check_paper_map.py")
        self.assertEqual(result.returncode, 0, result.stderr)

    # What the session answers is what its page says: the same keys, of each command and question. Objects by name have
    # keys that are names; a save is the session's own.
    SPOKEN = """
        {"do": "open", "name": "a.tenon", "text": "%s"}
        {"do": "set", "path": "bob", "property": "mass", "values": "2"}
        {"do": "unset", "path": "bob", "property": "mass"}
        {"do": "add", "block": "solid more sphere 1; at 3 0 0; end"}
        {"do": "rename", "path": "more", "to": "other"}
        {"do": "remove", "paths": ["other"]}
        {"do": "grab", "id": 1, "solid": "bob"}
        {"do": "move", "id": 1, "target": [1.2, 0.1, 0]}
        {"do": "pose", "iterations": 5}
        {"ask": "state"}
        {"do": "follow", "trail": ""}
        {"do": "release", "id": 1}
        {"do": "pin", "solid": "bob", "point": [0, 0, 0]}
        {"do": "limit", "joint": "hinge", "coordinate": "angle", "lower": -1, "upper": 1}
        {"do": "force", "id": 1, "solid": "bob", "force": [0, 1, 0]}
        {"ask": "state"}
        {"do": "unpin"}
        {"do": "freeze", "joints": ["knee"]}
        {"do": "unfreeze"}
        {"do": "freeze-but", "joints": ["knee"]}
        {"do": "unfreeze"}
        {"do": "merge", "joints": ["knee"]}
        {"do": "unmerge"}
        {"do": "coordinate", "joint": "hinge", "coordinate": "angle", "value": 0.1}
        {"do": "coordinates", "values": [{"joint": "knee", "coordinate": "angle", "value": 0.1}]}
        {"do": "gravity", "value": [0, -9, 0]}
        {"do": "damp", "value": 0.5}
        {"do": "settings", "dt": 0.01}
        {"do": "step", "count": 3}
        {"do": "stop"}
        {"do": "scatter", "seed": 3}
        {"do": "assemble", "trace": true}
        {"do": "undo"}
        {"do": "redo"}
        {"ask": "scene"}
        {"ask": "text"}
        {"ask": "measures"}
        {"ask": "joints"}
        {"ask": "verdict"}
        {"ask": "ways"}
        {"ask": "catalogue"}
        {"ask": "commands"}
        {"ask": "save"}
        {"ask": "kept"}
        {"do": "keep"}
        {"ask": "recording"}
        {"do": "reset"}
        {"do": "edit", "text": "%s"}
    """
    SCENE = ("param N 1;\\nsolid rod box 1 0.1 0.1; at 0.5 0 0; end\\nsolid bob box 0.4 0.2 0.2; at 1.2 0 0; end\\n"
             "solid ball point-mass; mass 1; at 0 5 0; end\\n"
             "joint pin hinge object2 rod; at 0 0 0; axis 0 0 1; limit angle min -2 max 2; end\\n"
             "joint pin knee object1 rod; object2 bob; at 1 0 0; axis 0 0 1; end\\n"
             "joint distance rope object1 rod; object2 ball; length 5; end\\n"
             "spring pull object1 rod; object2 bob; stiffness 1; end\\nfloor ground normal 0 1 0; end\\n")
    BY_NAME = ("files", "options", "joints", "coordinates", "settings")

    def test_session_page_names_the_keys_of_every_answer(self):
        page = (ROOT / "docs/session.md").read_text(encoding="utf-8")
        spoken = (self.SPOKEN % (self.SCENE, self.SCENE)).strip().splitlines()
        result = run(TENON, "replay", "-", "--answers", input="".join(line.strip() + "\n" for line in spoken))
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        answers = [json.loads(line) for line in result.stdout.splitlines()]
        self.assertEqual(len(answers), len(spoken))
        commands, questions = self.table(page, "| `do` | answer |"), self.table(page, "| `ask` | answer |")
        asked, done = set(), set()
        for line, answer in zip(spoken, answers):
            request = json.loads(line)
            which = request.get("do") or request["ask"]
            (done if "do" in request else asked).add(which)
            table = commands if "do" in request else questions
            keys = set(answer) - {"ok"}
            self.assertEqual(keys, table.get(which, set()), which)
            if which not in ("save", "recording"):
                for key in self.within(answer):
                    self.assertTrue(f'"{key}"' in page or f"`{key}`" in page, f"{which}: {key}")
        self.assertEqual(asked, set(questions))
        listed = set(re.findall(r"`([a-z-]+)`", " ".join(re.findall(r"(?m)^\| (`[^|]*) \|", page.split("## Questions")[0]))))
        self.assertEqual(done | {"restore"}, listed - {"do"})

    @staticmethod
    def table(page, head):
        """Rows of a table: by each name of the first column the names of the second that stand outside brackets."""
        rows = {}
        for line in page.split(head + "\n|---|---|\n")[1].splitlines():
            if not line.startswith("|"):
                break
            first, second = line.strip("|").split("|", 1)
            second = re.sub(r"`\{[^`]*`", "", second)  # what is in lists
            while "(" in second:
                second = re.sub(r"\([^()]*\)", "", second)
            for name in re.findall(r"`([^`]+)`", first):
                rows[name] = set(re.findall(r"`([a-z_]+)`", second))
        return rows

    def within(self, value, named=False):
        """Keys of objects in it, at any depth, but for those that are names."""
        if isinstance(value, list):
            for item in value:
                yield from self.within(item)
        elif isinstance(value, dict):
            for key, item in value.items():
                if not named:
                    yield key
                yield from self.within(item, key in self.BY_NAME and isinstance(item, dict))

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
