#!/usr/bin/env python3
"""Writes the table of settings in docs/scene-language.md from engine/include/tenon/setting_list.h.

    tools/write_setting_docs.py            write it
    tools/write_setting_docs.py --check    exit 1 if it is not up to date
"""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent
HEADERS = ROOT / "engine/include/tenon"
PAGE = ROOT / "docs/scene-language.md"
BEGIN = "<!-- settings: written by tools/write_setting_docs.py from engine/include/tenon/setting_list.h -->\n"
END = "<!-- end of settings -->\n"


def entries(header, macro):
    """The arguments of each line X(…) of a list."""
    text = (HEADERS / header).read_text(encoding="utf-8")
    text = text[text.index(f"#define {macro}(X)"):].replace("\\\n", "\n")
    for start in (match.end() for match in re.finditer(r"\bX\(", text[len(f"#define {macro}(X)"):])):
        start += len(f"#define {macro}(X)")
        depth, quoted, arguments, argument = 0, False, [], ""
        for c in text[start:]:
            if c == '"':
                quoted = not quoted
            if not quoted and c == ")" and depth == 0:
                break
            if not quoted and c == "," and depth == 0:
                arguments.append(argument)
                argument = ""
                continue
            depth += (c == "(") - (c == ")") if not quoted else 0
            argument += c
        yield [" ".join(a.split()) for a in [*arguments, argument]]


def string(argument):
    return "".join(re.findall(r'"([^"]*)"', argument))


METHODS = {entry[0]: (string(entry[1]), entry[3]) for entry in entries("method_list.h", "TENON_METHODS")}
ASSEMBLY = ["Newton", "Displacement", "Relaxation"]


def takers(expression, assembly):
    if expression == "0":
        return None
    if expression == "kEvery":
        return []
    names = []
    for kind, what in re.findall(r"(with|only)\((?:\w+::)?(\w+)\)", expression):
        if assembly:
            names.append(what.lower())
        else:
            names += [name for value, (name, flags) in METHODS.items()
                      if (what == value if kind == "only" else what in flags.replace(" ", "").split("|"))]
    return names


def setting(entry):
    name, kind, unit, most = string(entry[0]), entry[1], string(entry[2]), entry[3]
    value = {"Positive": "more than 0", "NotNegative": "0 or more", "Whole": "a whole number",
             "Switch": "`on` or `off`", "Choice": "a word"}[kind]
    if kind in ("Positive", "NotNegative", "Whole") and most != "kInfinity" and float(most) < 1e9:
        value += f", at most {float(most):g}"
    if unit:
        value += f" [{unit.replace('ms', 's') if name == 'budget' else unit}]"
    words = []
    for names, assembly, where in ((takers(entry[8], False), False, "motion"),
                                   (takers(entry[9], True), True, "assembly")):
        if names is not None:
            words.append(f"{where}: {', '.join(names)}" if names else where)
    return f"| `{name}` | {value} | {'; '.join(words)} | {string(entry[10])} |"


def table():
    rows = [setting(entry) for entry in entries("setting_list.h", "TENON_SETTINGS")]
    return "\n".join(["| setting | value | for | what it does |", "|---|---|---|---|", *rows]) + "\n"


def main():
    before = PAGE.read_text(encoding="utf-8")
    begin, end = before.index(BEGIN) + len(BEGIN), before.index(END)
    text = before[:begin] + table() + before[end:]
    if "--check" not in sys.argv[1:]:
        PAGE.write_text(text, encoding="utf-8")
    elif before != text:
        sys.exit("the settings in docs/scene-language.md are not up to date: run tools/write_setting_docs.py")


if __name__ == "__main__":
    main()
