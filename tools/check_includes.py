#!/usr/bin/env python3
"""Checks who includes whom, who touches the disk or prints, and that listed headers exist; the same of the studio's rooms.

The rules are read from the fenced lists of ARCHITECTURE.md.

    tools/check_includes.py [ROOT]

Prints one line per violation (file:line: what) and exits 1, or says how much was checked and exits 0.
"""

import re
import sys
from pathlib import Path

SUFFIXES = {".h", ".hpp", ".cpp", ".inc"}
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')
COMMENT_OR_STRING = re.compile(r'"(?:[^"\\]|\\.)*"|//.*$')
ROOM_OF_CMAKE = re.compile(r"^\s*tenon_room\(\s*(\w+)([^)]*)\)", re.M)
OUTSIDERS = ("cli", "wasm", "examples")  # live beside engine/ and see public headers only

# Of the studio: `from 'x'`, `import 'x'`, `import('x')`, `new URL('x', import.meta.url)`.
IMPORT = re.compile(r"""(?:\bfrom\s*|\bimport\s*\(?\s*|\bnew URL\(\s*(?=['"][^'"\n]+['"]\s*,\s*import\.meta))(['"])([^'"\n]+)\1""")
TEXT_OR_COMMENT = re.compile(r"""//[^\n]*|/\*.*?\*/|'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|`(?:[^`\\]|\\.)*`""", re.S)
ROOT = "root"  # the files at the root of studio/
NOT_OF_THE_PAGE = {"node_modules", "dist", "public", "scripts", "tests"}  # tests may look at everything


class RulesError(Exception):
    """ARCHITECTURE.md does not say what this script needs."""


def fenced(text, name):
    """The lines of the block ```name in the page."""
    found = re.search(rf"^```{name}\n(.*?)^```", text, re.M | re.S)
    if not found:
        raise RulesError(f"ARCHITECTURE.md: no block ```{name}")
    return [line.split("#")[0].strip() for line in found.group(1).splitlines() if line.strip()]


def arrows(lines):
    """`a -> b c` lines as {a: {b, c}}."""
    rules = {}
    for line in lines:
        left, arrow, right = line.partition("->")
        if not arrow or len(left.split()) != 1:
            raise RulesError(f"ARCHITECTURE.md: cannot read the rule '{line}'")
        if left.strip() in rules:
            raise RulesError(f"ARCHITECTURE.md: two rules for '{left.strip()}'")
        rules[left.strip()] = set(right.split())
    return rules


class Rules:
    def __init__(self, page):
        self.may_include = arrows(fenced(page, "include-rules"))
        self.restricted = arrows(fenced(page, "header-rules"))
        self.words = arrows(fenced(page, "word-rules"))
        self.room_of_header = dict(line.split() for line in fenced(page, "public-headers"))
        known = set(self.may_include) | {"tenon", "any"}
        used = set().union(*self.may_include.values(), *self.restricted.values(),
                           *self.words.values(), self.room_of_header.values())
        if used - known:
            raise RulesError(f"ARCHITECTURE.md: unknown rooms: {' '.join(sorted(used - known))}")

    def allows(self, room, other):
        """May a file of `room` include a header of `other`?"""
        return other in ("any", room) or room == "any" or other in self.may_include[room]

    def sees_engine_only_from_outside(self, room):
        return self.may_include.get(room) == {"tenon"}


def check_include(rules, root, room, public, quote, target):
    """What is wrong with one #include of a file of `room`, or None."""
    if target.startswith("tenon/"):
        header = target.removeprefix("tenon/")
        owner = rules.room_of_header.get(header)
        if owner is None:
            return f"<{target}> is in no room: list it in ARCHITECTURE.md"
        if rules.sees_engine_only_from_outside(room) or rules.allows(room, owner):
            return None
        return f"{room} may not include <{target}>, which belongs to {owner}"
    if quote == '"':
        if public:
            return f'a public header may not include "{target}": public headers only'
        if ".." in target.split("/"):
            return f'"{target}": name the room instead of climbing the tree'
        first = target.split("/")[0]
        if rules.sees_engine_only_from_outside(room):
            if first == room or (root / room / target).is_file():
                return None
            return f'{room} may include only <tenon/...> and its own headers, not "{target}"'
        if "/" not in target:
            return f'"{target}": say the room, "{room}/{target}"'
        if first not in rules.may_include or first in OUTSIDERS:
            return f'"{target}": there is no room {first}'
        if not rules.allows(room, first):
            return f'{room} may not include "{target}": {room} -> {" ".join(sorted(rules.may_include[room])) or "nothing"}'
        return None
    for prefix, rooms in rules.restricted.items():
        matches = target.startswith(prefix) if prefix.endswith("/") else target == prefix
        if matches and room not in rooms:
            return f"<{target}> is for {' '.join(sorted(rooms))} only"
    if public and ("/" in target or target.endswith(".h") or target.endswith(".hpp")):
        return f"a public header may not include the third-party <{target}>"
    if target.split("/")[0] in rules.may_include and "/" in target:
        return f"<{target}>: own headers are written in quotes"
    return None


def check_words(rules, room, line):
    """What is wrong with the words of one line of a file of `room`, or None."""
    code = COMMENT_OR_STRING.sub('""', line)
    for word, rooms in rules.words.items():
        if room not in rooms and re.search(rf"(?<!\w){re.escape(word)}\b", code):
            return f"{word} is for {' '.join(sorted(rooms))} only"
    return None


class StudioRules:
    def __init__(self, page):
        self.may_import = arrows(fenced(page, "studio-rules"))
        self.packages = arrows(fenced(page, "studio-packages"))
        self.words = arrows(fenced(page, "studio-words"))
        used = set().union(*self.may_import.values(), *self.packages.values(), *self.words.values())
        if used - set(self.may_import):
            raise RulesError(f"ARCHITECTURE.md: unknown rooms of the studio: {' '.join(sorted(used - set(self.may_import)))}")


def room_of_studio(path):
    """The room of a path within studio/."""
    return path.parts[0] if len(path.parts) > 1 else ROOT


def studio_files(root):
    """The page's own files, by their place in studio/."""
    studio = root / "studio"
    for path in sorted(studio.rglob("*.ts*")) if studio.is_dir() else []:
        place = path.relative_to(studio)
        if path.suffix not in (".ts", ".tsx") or NOT_OF_THE_PAGE & set(place.parts) or ".test." in path.name:
            continue
        if place.name != "vite.config.ts":  # of Node
            yield path, place


def check_import(rules, place, target):
    """What is wrong with one import of a file of the studio, or None."""
    room = room_of_studio(place)
    if target.startswith("."):
        parts = list(place.parent.parts)
        for part in target.split("/"):
            if part == ".." and parts:
                parts.pop()
            elif part == "..":
                return f"'{target}' is not in the studio"
            elif part != ".":
                parts.append(part)
        if not parts:
            return None  # a folder, as of the page's address
        other = room_of_studio(Path(*parts))
        if other != room and other not in rules.may_import[room]:
            return f"{room} may not import '{target}': {room} -> {' '.join(sorted(rules.may_import[room])) or 'nothing'}"
        return None
    name = "/".join(target.split("/")[: 2 if target.startswith("@") else 1])
    for package, rooms in rules.packages.items():
        if (name.startswith(package) if package.endswith("/") else name == package):
            return None if room in rooms else f"'{target}' is for {' '.join(sorted(rooms))} only"
    return f"'{target}': list the package in ARCHITECTURE.md"


def check_studio(rules, root):
    """All violations in studio/, and the number of files read."""
    problems, count = [], 0
    for path, place in studio_files(root):
        count += 1
        room = room_of_studio(place)
        text = path.read_text(encoding="utf-8")
        where = path.relative_to(root)
        if room not in rules.may_import:
            problems.append(f"{where}:1: belongs to no room: list it in ARCHITECTURE.md")
            continue
        # Comments go, and the words are looked for in what is no text either; lines keep their numbers.
        blank = lambda found: re.sub(r"[^\n]", " ", found[0])
        bare = TEXT_OR_COMMENT.sub(lambda found: blank(found) if found[0][0] == "/" else found[0], text)
        line = lambda at: text.count("\n", 0, at) + 1
        for found in IMPORT.finditer(bare):
            problem = check_import(rules, place, found[2])
            if problem:
                problems.append(f"{where}:{line(found.start(2))}: {problem}")
        code = TEXT_OR_COMMENT.sub(blank, text)
        for word, rooms in rules.words.items():
            if room in rooms:
                continue
            for found in re.finditer(rf"(?<![\w.]){re.escape(word)}(?=\.\w|\()", code):
                problems.append(f"{where}:{line(found.start())}: {word} is for {' '.join(sorted(rooms))} only")
    return problems, count


def files_with_rooms(rules, root):
    """Yields (path, room, is public header) and, for what belongs nowhere, (path, None, False)."""
    for path in sorted((root / "engine").rglob("*")) if (root / "engine").is_dir() else []:
        if path.suffix not in SUFFIXES or not path.is_file():
            continue
        parts = path.relative_to(root / "engine").parts
        if parts[:2] == ("include", "tenon"):
            yield path, rules.room_of_header.get("/".join(parts[2:])), True
        elif parts[0] in rules.may_include and parts[0] not in OUTSIDERS and len(parts) > 1:
            yield path, parts[0], False
        else:
            yield path, None, False
    for outsider in OUTSIDERS:
        if (root / outsider).is_dir():
            for path in sorted((root / outsider).rglob("*")):
                if path.suffix in SUFFIXES and path.is_file():
                    yield path, outsider, False


def check_listed_headers(rules, root):
    """The public headers that the page lists must exist."""
    folder = root / "engine/include/tenon"
    return [f"ARCHITECTURE.md: the public header {header} does not exist"
            for header in rules.room_of_header if not (folder / header).is_file()]


def check_links(rules, root):
    """The rooms that CMake links must be those that the page allows."""
    problems = []
    cmake = root / "CMakeLists.txt"
    if not cmake.is_file():
        return problems
    linked = {m[1]: set(m[2].split()) for m in ROOM_OF_CMAKE.finditer(cmake.read_text())}
    rooms = set(rules.may_include) - set(OUTSIDERS)
    for room in sorted(rooms | set(linked)):
        if room not in linked or room not in rooms:
            problems.append(f"CMakeLists.txt: room {room} is not both here and in ARCHITECTURE.md")
        elif linked[room] != rules.may_include[room]:
            problems.append(f"CMakeLists.txt: tenon_room({room}) differs from ARCHITECTURE.md")
    return problems


def check(root):
    """All violations of the tree, as lines of text, and the number of files read."""
    page = (root / "ARCHITECTURE.md").read_text(encoding="utf-8")
    rules = Rules(page)
    problems, count = check_studio(StudioRules(page), root)
    problems += check_listed_headers(rules, root) + check_links(rules, root)
    for path, room, public in files_with_rooms(rules, root):
        count += 1
        where = path.relative_to(root)
        if room is None:
            problems.append(f"{where}:1: belongs to no room: list it in ARCHITECTURE.md")
            continue
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            found = INCLUDE.match(line)
            if found:
                problem = check_include(rules, root, room, public, found[1], found[2])
            else:
                problem = check_words(rules, room, line)
            if problem:
                problems.append(f"{where}:{number}: {problem}")
    return problems, count


def main():
    root = Path(sys.argv[1] if len(sys.argv) > 1 else Path(__file__).parent.parent).resolve()
    try:
        problems, count = check(root)
    except RulesError as error:
        problems, count = [str(error)], 0
    for problem in problems:
        print(problem)
    if problems:
        sys.exit(f"{len(problems)} violations of the include rules")
    print(f"include rules: {count} files, no violation")


if __name__ == "__main__":
    main()
