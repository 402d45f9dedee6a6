#!/usr/bin/env python3
"""Writes licences/compiled.txt: the licences of what is compiled into the program and into the page's module.

    tools/write_licences.py

The texts are those of Debian's copyright files (/usr/share/doc/PACKAGE/copyright), without the parts that are not
compiled: packaging, tests, documentation. `tests/cli/test_licences.py` checks that nothing is missing. The page adds the
packages of its scripts when it is built (studio/scripts/licences.mjs).
"""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TARGET = ROOT / "licences/compiled.txt"
COMMON = Path("/usr/share/common-licenses")
RULE = "=" * 100

# Name, Debian package, the folder its headers are included from ("": none), and what of it is compiled ("": all).
PARTS = [
    ("Eigen", "libeigen3-dev", "Eigen", ""),
    ("JSON for Modern C++", "nlohmann-json3-dev", "nlohmann", ""),
    ("CLI11", "libcli11-dev", "CLI", ""),
    ("fast_float", "libfast-float-dev", "fast_float", ""),
    ("oneTBB", "libtbb-dev", "oneapi", ""),
    ("Emscripten, musl, libc++ and compiler-rt (the module)", "emscripten", "",
     r"\*$|system/lib/(libc|compiler-rt|dlmalloc|libunwind)"),
]
NOT_COMPILED = re.compile(r"(debian|tests?|bench|unsupported|docs?|blas|lapack|demos|scripts|cmake|support|examples?|third_party|"
                          r"tools|python|book|benchmarks)\b|.*/(configure|aclocal|install-sh|Makefile)")


def paragraphs(text):
    return [part.strip("\n") for part in re.split(r"\n\s*\n(?=[A-Z][\w-]*:)", text)]


def field(paragraph, name):
    found = re.search(rf"^{name}:(.*(?:\n[ \t].*)*)", paragraph, re.MULTILINE)
    return found.group(1).strip() if found else ""


def compiled(text, wanted):
    """The paragraphs about files that are compiled, and the licences that they name."""
    parts = paragraphs(text)
    about, texts = [], {}
    for part in parts:
        files = field(part, "Files").split()
        if files:
            if all(NOT_COMPILED.match(name) for name in files):
                continue
            if wanted and not any(re.match(wanted, name) for name in files):
                continue
            about.append(part)
        elif field(part, "License"):
            texts[field(part, "License").split("\n")[0].strip()] = part
    named = " ".join(field(part, "License").split("\n")[0] for part in about)
    words = set(re.split(r"\s+(?:and|or)\s+|[,\s]+", named)) | {named}
    return about + [part for name, part in texts.items() if name in words or name.split(" with ")[0] in words]


def main():
    out = ["Tenon is under the MIT licence. It is made with the work of others, whose licences follow.\n"]
    common = []
    for name, package, _, wanted in PARTS:
        source = Path("/usr/share/doc") / package / "copyright"
        if not source.is_file():
            sys.exit(f"{source} is not there: apt-get install {package}")
        text = "\n\n".join(compiled(source.read_text(encoding="utf-8"), wanted))
        common += [name for name in re.findall(r"/usr/share/common-licenses/([\w.-]*\w)", text) if name not in common]
        out.append(f"{RULE}\n{name}\n{RULE}\n\n{text}\n")
    for name in common:
        out.append(f"{RULE}\n{name}, in full\n{RULE}\n\n{(COMMON / name).read_text(encoding='utf-8').strip()}\n")
    TARGET.parent.mkdir(exist_ok=True)
    TARGET.write_text("\n".join(line.rstrip() for line in "\n".join(out).split("\n")), encoding="utf-8")
    print(f"{TARGET.relative_to(ROOT)}: {len(PARTS)} parts, {TARGET.stat().st_size} bytes")


if __name__ == "__main__":
    main()
