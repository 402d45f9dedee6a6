#!/usr/bin/env python3
"""What a browser loads before the studio runs, gzipped, against its limits.

    tools/check_sizes.py [MODULE.wasm [DIST]]     build/wasm/studio/tenon.wasm, studio/dist
"""
import gzip
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
MODULE_LIMIT = 670_000  # bytes; the goal is 500,000
SCRIPTS_LIMIT = 700_000  # of all scripts of the page together


def packed(paths):
    """Bytes of files, each compressed as it is served."""
    return sum(len(gzip.compress(path.read_bytes(), 9, mtime=0)) for path in paths)


def main():
    module = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "build/wasm/studio/tenon.wasm"
    dist = pathlib.Path(sys.argv[2]) if len(sys.argv) > 2 else ROOT / "studio/dist"
    failed = False
    for what, paths, limit in (("module", [module], MODULE_LIMIT),
                               ("scripts", sorted(dist.rglob("*.js")), SCRIPTS_LIMIT)):
        size = packed(paths) if paths and all(path.is_file() for path in paths) else None
        if size is None:
            print(f"{what}: not built")
        else:
            print(f"{what}: {size} bytes gzipped, at most {limit}")
        failed |= size is None or size > limit
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
