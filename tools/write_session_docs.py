#!/usr/bin/env python3
"""Writes what follows from the catalogue of commands that the program carries: the tables of docs/session.md, and the
page's types and traits of commands, studio/engine/commands.ts.

    tools/write_session_docs.py [PROGRAM]            write them
    tools/write_session_docs.py --check [PROGRAM]    exit 1 if they are not up to date

PROGRAM is build/release/tenon unless given.
"""

import json
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "docs/session.md"
TYPES = ROOT / "studio/engine/commands.ts"

# The type of a field in TypeScript.
TYPESCRIPT = {
    "text": "string", "truth": "boolean", "number": "number", "whole": "number", "vector": "Vec3", "turn": "Quat",
    "names": "string | string[]", "method": "string", "solver": "string", "assembly": "string",
    "files": "Record<string, string>", "save": "object",
    "values": "{ joint: string; coordinate: string; value: number }[]", "yields": "{ joint: string; weight?: number }[]",
    "problems": "Problem[]", "edits": "{ offset: number; length: number; text: string }[]",
    "yielded": "{ joint: string; coordinate?: string; metres: number; radians: number; weight: number }[]",
    "frames": "{ iteration: number; error: number | null; poses: number[] }[]",
}
# What a command is to the page. Those that are false, or empty, are not written.
TRAITS = {
    "text": ("boolean", "the scene and its text may be others"),
    "verdict": ("boolean", "the verdict is another one"),
    "past": ("boolean", "what was measured before has no more to do with what comes"),
    "pace": ("boolean", "a step, or an update of posing, may be longer or shorter"),
    "motion": ("boolean", "the motion is another one: what it was warned of may be said again"),
    "drops_hands": ("boolean", "nothing is held by hands any more"),
    "stops": ("boolean", "it stops playing: what it shows is a pose"),
    "opens": ("boolean", "another scene is there"),
    "ghosts": ("'told' | 'anew' | 'nothing' | 'steps'",
               "what those do that run beside the session: the same; begin anew where it is; nothing; as many steps"),
    "busy": ("string", "what is said while it takes long"),
}


def note(field):
    unit = f" [{field['unit']}]" if field["unit"] else ""
    return f"`{field['name']}`{unit}" + (f" ({field['says']})" if field["says"] else "")


def given(command):
    needed = [note(f) for f in command["fields"] if f["needed"]]
    free = [note(f) for f in command["fields"] if not f["needed"]]
    if command["drags"]:
        free.append("`drag`")
    return ", ".join(needed) + ("; " if needed and free else "") + (f"*{', '.join(free)}*" if free else "")


def tables(catalogue):
    commands = "| `do` | with (*may be missing*) | what it does |\n|---|---|---|\n"
    answers = "| `do` | answer |\n|---|---|\n"
    questions = "| `ask` | answer |\n|---|---|\n"
    for command in catalogue["commands"]:
        commands += f"| `{command['name']}` | {given(command)} | {command['says']} |\n"
        if command["answer"]:
            answers += f"| `{command['name']}` | {', '.join(map(note, command['answer']))} |\n"
    for question in catalogue["questions"]:
        questions += f"| `{question['name']}` | {question['says']} |\n"
    return {"commands": commands, "answers": answers, "questions": questions}


def documents(text, catalogue):
    for name, table in tables(catalogue).items():
        begin, end = f"<!-- {name}: written by tools/write_session_docs.py -->\n\n", f"\n<!-- end of {name} -->"
        head, rest = text.split(begin)
        text = head + begin + table + end + rest.split(end, 1)[1]
    return text


def key(name):
    return name if re.fullmatch(r"[a-z_]+", name) else f"'{name}'"


def members(fields, answer):
    parts = []
    for field in fields:
        kind = TYPESCRIPT[field["type"]]
        if answer and field["type"] == "number":
            kind += " | null"  # not finite
        missing = not answer and not field["needed"]
        parts.append(f"{key(field['name'])}{'?' if missing else ''}: {kind}{' | null' if missing else ''}")
    return parts


def typescript(catalogue):
    text = ("// Written by tools/write_session_docs.py from the catalogue of commands in engine/session. Do not edit.\n"
            "import type { Problem, Quat, Vec3 } from '../store/store';\n\n"
            "// What commands are given. Values with one number `drag` are one command: the last takes the place of the others.\n"
            "export interface Commands {\n")
    for command in catalogue["commands"]:
        parts = members(command["fields"], False) + (["drag?: number | null"] if command["drags"] else [])
        text += f"  {key(command['name'])}: {{ {'; '.join(parts)} }};\n" if parts else f"  {key(command['name'])}: object;\n"
    text += "}\n\n// What they answer, besides `ok`.\nexport interface Answers {\n"
    for command in catalogue["commands"]:
        parts = members(command["answer"], True)
        text += f"  {key(command['name'])}: {{ {'; '.join(parts)} }};\n" if parts else f"  {key(command['name'])}: object;\n"
    text += ("}\n\nexport type CommandName = keyof Commands;\n"
             "export type Command = { [Name in CommandName]: { do: Name } & Commands[Name] }[CommandName];\n\n"
             "// What a command is to the page.\nexport interface Traits {\n")
    for name, (kind, says) in TRAITS.items():
        text += f"  {name}{'' if name == 'ghosts' else '?'}: {kind}; // {says}\n"
    text += "}\n\nconst traits: Record<CommandName, Traits> = {\n"
    for command in catalogue["commands"]:
        parts = [f"{name}: {json.dumps(command[name]) if command[name] is True else repr(command[name])}"
                 for name in TRAITS if command[name]]
        text += f"  {key(command['name'])}: {{ {', '.join(parts)} }},\n"
    return text + ("};\n\n// Of a command that there is not: the session refuses it.\n"
                   "const nothing: Traits = { ghosts: 'nothing' };\n"
                   "export const traitsOf = (command: string): Traits => traits[command as CommandName] ?? nothing;\n")


def main():
    arguments = sys.argv[1:]
    check = "--check" in arguments
    arguments = [a for a in arguments if a != "--check"]
    program = arguments[0] if arguments else str(ROOT / "build/release/tenon")
    spoken = '{"ask": "commands"}\n{"do": "open", "name": "none", "text": ""}\n'
    answers = subprocess.run([program, "replay", "-", "--answers"], input=spoken.encode(), capture_output=True,
                             check=True).stdout
    catalogue = json.loads(answers.splitlines()[0])
    for path, text in ((PAGE, documents(PAGE.read_text(encoding="utf-8"), catalogue)), (TYPES, typescript(catalogue))):
        if not check:
            path.write_text(text, encoding="utf-8")
        elif not path.exists() or path.read_text(encoding="utf-8") != text:
            sys.exit(f"{path.relative_to(ROOT)} is not up to date: run tools/write_session_docs.py")


if __name__ == "__main__":
    main()
