#!/usr/bin/env python3
"""`tenon replay`: recordings of a session, and that they end in the same bits as `tenon simulate`."""

import base64
import json
import math
import pathlib
import struct
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

    def test_what_motion_warns_of_is_said(self):
        late = ("gravity 0 0 0;\nsolid a sphere 0.1; velocity 1 0 0; end\n"
                "joint ball late object2 a; point1 0 0 0; point2 0 0 0; active 0.5; end\n")
        commands = [{"do": "open", "text": late, "name": "late.tenon"}, {"do": "step", "count": 240, "dt": 1 / 240}]
        report = self.replay(*commands)
        self.assertEqual((report["ok"], report["status"]), (True, "warned"))
        self.assertIn("becomes active at 0.5 s while it is open by 0.5 m", report["warnings"][0])
        self.fails(1, "replay", self.record(*commands), "--strict")
        # While a hand pulls, too: those steps are in a trail.
        trail = base64.b64encode(b"\x02" + struct.pack("<d", 1 / 240) + b"\xf0\x01").decode().rstrip("=")  # 240 steps
        grab = {"do": "grab", "id": 1, "solid": "b", "dynamic": True}
        pulled = self.replay({**commands[0], "text": late + "solid b sphere 0.1; at 0 1 0; end\n"}, grab,
                             {"do": "follow", "trail": trail})
        self.assertEqual(pulled["status"], "warned")
        self.assertAlmostEqual(pulled["time"], 1)
        self.assertIn("becomes active at 0.5 s while it is open by 0.5 m", pulled["warnings"][0])
        self.assertEqual(self.replay({"do": "open", "file": FOUR_BAR}, {"do": "step"})["status"], "done")

    def test_recordings_of_before_the_catalogue_end_in_the_same_bits(self):
        """recordings/ was made by the program of before there were versions; ends.json has the hashes that it printed."""
        folder = ROOT / "tests/cli/recordings"
        ends = json.loads((folder / "ends.json").read_text(encoding="utf-8"))
        self.assertEqual(sorted(ends), sorted(path.stem for path in folder.glob("*.jsonl")))
        for name, end in ends.items():
            with self.subTest(recording=name):
                report = json.loads(self.fails(0, "replay", str(folder / f"{name}.jsonl"), "--json").stdout)
                self.assertEqual(report["state_hash"], end)
                self.assertEqual(report["warnings"], [
                    "line 2: 'pin' has no 'to', so it is ignored",
                    "line 3: 'damp' has no 'joint', so it is ignored"] if name == "ignored" else [])

    def test_what_no_command_has_is_refused_in_recordings_of_today(self):
        today = {"do": "open", "version": 1, "file": FOUR_BAR}
        path = self.record(today, {"do": "damp", "value": 1, "valeu": 2})
        self.assertIn(f"{path}:2:1: error: 'damp' has no 'valeu'; did you mean 'value'?",
                      self.fails(1, "replay", path).stderr)
        self.replay({**today, "version": 2}, code=1)

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
        self.assertIn(f"{path}:1:1: error: this line is not JSON", self.fails(1, "replay", path).stderr)
        pathlib.Path(path).write_text("", encoding="utf-8")
        self.assertIn("the recording opens no scene", self.fails(1, "replay", path).stderr)
        self.assertIn("error", self.fails(1, "replay", path + ".none").stderr)

    def test_deep_nesting_is_refused(self):
        path = self.record()
        for deep in ("[" * 100_000 + "]" * 100_000, '{"do": ' * 100_000):
            pathlib.Path(path).write_text('{"do": "open", "text": ' + deep + "}\n", encoding="utf-8")
            self.assertIn(f"{path}:1:1: error: this line is nested deeper than any command",
                          self.fails(1, "replay", path).stderr)

    def test_answers_are_lines_of_json(self):
        path = self.record({"do": "open", "file": FOUR_BAR}, {"ask": "verdict"})
        lines = self.fails(0, "replay", path, "--answers").stdout.splitlines()
        self.assertEqual([json.loads(line)["ok"] for line in lines], [True, True])
        self.assertEqual(json.loads(lines[1])["dof"], 1)

    def recorded(self, *commands):
        """The last hash and the recording of these commands."""
        path = self.record(*commands, {"ask": "state"}, {"ask": "recording"})
        state, recording = [json.loads(line) for line in
                            self.fails(0, "replay", path, "--answers").stdout.splitlines()[-2:]]
        return state["hash"], recording["commands"]

    def pull(self, updates, how):
        """A hand that draws the coupler of the four-bar about, sixty times a second."""
        commands = [{"do": "open", "file": FOUR_BAR},
                    {"do": "grab", "id": 1, "solid": "coupler", "point": [0.05, 0.02, 0], "dynamic": how == "step"}]
        for i in range(updates):
            target = [0.1 * math.sin(0.037 * i) + 0.2, 0.15 + 0.09 * math.cos(0.029 * i), 0.01 * math.sin(0.3 * i)]
            commands += [{"do": "move", "id": 1, "target": target, "orientation": None},
                         {"do": "pose", "iterations": 5 + i % 7} if how == "pose" else {"do": "step", "count": 4}]
        return commands + [{"do": "release", "id": 1}, {"do": "step", "count": 5}, {"do": "undo"}]

    def test_an_hour_of_pulling_is_at_most_15_megabytes(self):
        updates = 600
        for how in ("pose", "step"):
            commands = self.pull(updates, how)
            end, recording = self.recorded(*commands)
            size = sum(len(json.dumps(command)) + 1 for command in recording[1:])
            self.assertLess(size / updates * 60 * 3600, 15e6)
            again, twice = self.recorded(*recording)
            self.assertEqual((again, twice), (end, recording))
            self.assertEqual(self.recorded(*commands, {"do": "undo"})[0],
                             self.recorded(*recording, {"do": "undo"})[0])

    def test_more_steps_than_a_command_may_have(self):
        stone = {"do": "open", "name": "stone.tenon", "text": "solid stone\n  sphere 10cm;\nend\n"}
        million = {"do": "step", "count": 1000000}
        end, recording = self.recorded(stone, million, {"do": "step", "count": 2})
        self.assertEqual(self.replay(*recording)["state_hash"], end)
        # Recordings of before have such counts.
        self.assertEqual(self.replay(stone, {"do": "step", "count": 1000002})["state_hash"], end)
        for count in (-1, 1.5, 1e300, "many"):
            self.replay(stone, {"do": "step", "count": count}, code=1)


if __name__ == "__main__":
    unittest.main()
