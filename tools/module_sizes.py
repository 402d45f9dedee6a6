#!/usr/bin/env python3
"""Where the bytes of the page's module are: by section, room, file and function.

    tools/module_sizes.py [--top N] [--functions WORD] [BUILD]     BUILD: build/wasm, after `--target tenon_wasm`

Links the module once more with the names of its functions (BUILD/sizes/), and asks the object files whose they are.
A function that several files have (a template, something inline) counts for the first that the linker meets.
"""
import argparse
import collections
import gzip
import os
import pathlib
import shlex
import subprocess

from wasm_module import brotli_size, function_bodies, imported_functions, read_number, sections

ROOT = pathlib.Path(__file__).resolve().parent.parent
SECTIONS = {0: "custom", 1: "types", 2: "imports", 3: "functions", 4: "table", 5: "memory", 6: "globals", 7: "exports",
            9: "elements", 10: "code", 11: "data", 12: "data count", 13: "tags"}


def functions(data):
    """Bytes of the functions by their names."""
    bodies, names, imports = [], {}, 0
    for kind, body in sections(data):
        if kind == 2:
            imports = imported_functions(body)
        elif kind == 10:
            bodies = [len(function) for function in function_bodies(body)]
        elif kind == 0:
            length, at = read_number(body, 0)
            if body[at:at + length] != b"name":
                continue
            at += length
            while at < len(body):
                part = body[at]
                length, at = read_number(body, at + 1)
                end = at + length
                if part == 1:
                    count, at = read_number(body, at)
                    for _ in range(count):
                        index, at = read_number(body, at)
                        length, at = read_number(body, at)
                        names[index] = body[at:at + length].decode()
                        at += length
                at = end
    return {names.get(imports + n, f"#{n}"): size for n, size in enumerate(bodies)}


def link_with_names(build):
    """The command that links tenon_wasm, with names and into another folder."""
    lines = subprocess.run(["ninja", "-C", build, "-t", "commands", "tenon_wasm"], capture_output=True, text=True,
                           check=True).stdout
    words = shlex.split(next(part for part in lines.replace("\n", " && ").split(" && ") if " -o studio/tenon.js" in part))
    folder = build / "sizes"
    folder.mkdir(exist_ok=True)
    words[words.index("-o") + 1] = str(folder / "tenon.js")
    subprocess.run([*words, "--profiling-funcs"], cwd=build, check=True, env=os.environ | {"NODE_PATH": "/usr/share/nodejs"})
    return folder / "tenon.wasm"


def owners(build):
    """The file that has a function, by its name."""
    own = {}
    for line in subprocess.run(["llvm-nm-14", "--defined-only", "-A", "-C", build / "libtenon.a"], capture_output=True,
                               text=True, check=True).stdout.splitlines():
        where, symbol = line.split(": ", 1)
        own.setdefault(symbol.split(maxsplit=2)[-1], where.split(":")[-1])
    folders = {}
    for path in (ROOT / "engine").rglob("*.cpp"):
        folders.setdefault(path.name + ".o", []).append(path.parent.name)
    return own, folders


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("build", nargs="?", default=ROOT / "build/wasm", type=pathlib.Path)
    arguments.add_argument("--top", type=int, default=40)
    arguments.add_argument("--functions", help="all functions of files whose name has this in it")
    asked = arguments.parse_args()
    build = asked.build.resolve()
    module = build / "studio/tenon.wasm"
    data = module.read_bytes()
    print(f"{len(data)} bytes, gzipped {len(gzip.compress(data, 9, mtime=0))}, by Brotli {brotli_size(module)}")
    for kind, body in sections(data):
        if len(body) > 1000:
            print(f"{len(body):9} {SECTIONS.get(kind, kind)}")
    sizes = functions(link_with_names(build).read_bytes())
    own, folders = owners(build)
    rooms, files = collections.Counter(), collections.Counter()
    for name, size in sizes.items():
        file = own.get(name, "libraries")
        rooms[" or ".join(folders.get(file, ["other"]))] += size
        files[file] += size
    for title, counts in (("rooms", rooms), ("files", files)):
        print(f"\n{title}")
        for name, size in counts.most_common(asked.top):
            print(f"{size:9} {name}")
    print("\nfunctions")
    chosen = [n for n in sizes if not asked.functions or asked.functions in own.get(n, "libraries")]
    for name in sorted(chosen, key=lambda n: -sizes[n])[:None if asked.functions else asked.top]:
        print(f"{sizes[name]:9} {own.get(name, 'libraries'):24} {name[:150]}")


if __name__ == "__main__":
    main()
