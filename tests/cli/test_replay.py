#!/usr/bin/env python3
"""`tenon replay`: recordings of a session, and that they end in the same bits as `tenon simulate`."""

import json
import pathlib
import tempfile
import unittest

from test_tenon import FOUR_BAR, ROOT, Case, tenon


class Replay(Case):
    def setUp(self):
        super().setUp()
        self.place = tempfile.TemporaryDirectory()
        self.addCleanup(self.place.cleanup)

    def record(self, *commands):
        path = pathlib.Path(self.place.name) / "recording.jsonl"
        path.write_text("".join(json.dumps(command) + "\n" for command in commands), encoding="utf-8")
        return str(path)

    def replay(self, *commands, code=0):
        return json.loads(self.fails(code, "replay", self.record(*commands), "--json").stdout)

    def test_a_recording_ends_in_a_hash(self):
        commands = [{"do": "open", "file": FOUR_BAR}, {"do": "step", "count": 10}, {"do": "undo"}, {"do": "redo"}]
        first, second = self.replay(*commands), self.replay(*commands)
        self.assertEqual(first, second)
        self.assertEqual(first["commands"], 4)
        self.assertRegex(first["state_hash"], "^[0-9a-f]{16}$")
        self.assertNotEqual(first["state_hash"], self.replay(*commands[:1])["state_hash"])

    def test_every_scene_moves_as_in_simulate(self):
        dt, steps = 1 / 240, 24
        for scene in sorted((ROOT / "scenes").glob("*/*.tenon")):
            with self.subTest(scene=scene.name):
                done = tenon("simulate", str(scene), "--time", str(steps * dt), "--dt", str(dt), "--json")
                if done.returncode != 0:
                    continue  # a scene that is only included, or has nothing to move
                report = json.loads(done.stdout)
                if report["steps"] != steps:
                    continue  # an event cuts a step short, or ends it
                mine = self.replay({"do": "open", "file": str(scene)}, {"do": "step", "count": steps, "dt": dt})
                self.assertEqual(mine["state_hash"], report["state_hash"])

    def test_problems_name_file_line_and_command(self):
        path = self.record({"do": "open", "file": FOUR_BAR}, {"do": "pin", "solid": "nobody"})
        done = self.fails(1, "replay", path)
        self.assertIn(f"{path}:2:1: error: there is no solid 'nobody'", done.stderr)
        pathlib.Path(path).write_text("not json\n", encoding="utf-8")
        self.assertIn(f"{path}:1:1: error: that is no JSON", self.fails(1, "replay", path).stderr)
        pathlib.Path(path).write_text("", encoding="utf-8")
        self.assertIn("it opens no scene", self.fails(1, "replay", path).stderr)
        self.assertIn("error", self.fails(1, "replay", path + ".none").stderr)

    def test_deep_nesting_is_refused(self):
        path = self.record()
        for deep in ("[" * 100_000 + "]" * 100_000, '{"do": ' * 100_000):
            pathlib.Path(path).write_text('{"do": "open", "text": ' + deep + "}\n", encoding="utf-8")
            self.assertIn(f"{path}:1:1: error: that is nested deeper than any command",
                          self.fails(1, "replay", path).stderr)

    def test_answers_are_lines_of_json(self):
        path = self.record({"do": "open", "file": FOUR_BAR}, {"ask": "verdict"})
        lines = self.fails(0, "replay", path, "--answers").stdout.splitlines()
        self.assertEqual([json.loads(line)["ok"] for line in lines], [True, True])
        self.assertEqual(json.loads(lines[1])["dof"], 1)


if __name__ == "__main__":
    unittest.main()
