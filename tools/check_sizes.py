#!/usr/bin/env python3
"""What a browser loads before the studio runs, compressed as static hosts do it (Brotli), against its limits.

    tools/check_sizes.py [MODULE.wasm [DIST]]     build/wasm/studio/tenon.wasm, studio/dist
"""
import gzip
import pathlib
import sys

from wasm_module import brotli_size

ROOT = pathlib.Path(__file__).resolve().parent.parent
LIMITS = {"module": 488_000, "scripts": 700_000}  # bytes; of all scripts of the page together


def sizes(paths):
    """Bytes of files, each compressed for itself: by Brotli, by gzip."""
    return sum(map(brotli_size, paths)), sum(len(gzip.compress(path.read_bytes(), 9, mtime=0)) for path in paths)


def main():
    module = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "build/wasm/studio/tenon.wasm"
    dist = pathlib.Path(sys.argv[2]) if len(sys.argv) > 2 else ROOT / "studio/dist"
    failed = False
    for what, paths in (("module", [module]), ("scripts", sorted(dist.rglob("*.js")))):
        if not paths or not all(path.is_file() for path in paths):
            print(f"{what}: not built")
            failed = True
            continue
        brotli, gzipped = sizes(paths)
        print(f"{what}: {brotli} bytes, at most {LIMITS[what]} (gzipped {gzipped})")
        failed |= brotli > LIMITS[what]
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
