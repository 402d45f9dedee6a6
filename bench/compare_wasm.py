#!/usr/bin/env python3
"""The same cases natively and in WebAssembly under Node, in one run: `./dev bench --wasm`.

    bench/compare_wasm.py NATIVE WASM [--rounds N] [--time SECONDS] [PART-OF-A-NAME...]

NATIVE is build/release/plain_bench, WASM build/wasm/plain_bench.js. They take turns; of each case the
best round counts, in time of the processor. The ratio is to the native scalar time of the same scene and method."""

import argparse
import shutil
import statistics
import subprocess
import sys

# Optimised code from the beginning, as after the first moments in a browser.
NODE = [shutil.which("node") or "node", "--no-experimental-fetch", "--no-liftoff",
        "--no-wasm-lazy-compilation"]


def run(command, arguments):
    """By case: microseconds, those of a solid, error, iterations, case to compare with, failure."""
    result = subprocess.run([*command, *arguments], stdout=subprocess.PIPE, text=True, check=True)
    cases = {}
    for line in result.stdout.splitlines():
        name, *numbers, reference, failed = line.split("\t")
        cases[name] = (*map(float, numbers), reference, failed)
    return cases


def best(before, now):
    """The faster of two rounds, case by case."""
    return {name: min(now[name], before.get(name, now[name]), key=lambda case: case[0]) for name in now}


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("native")
    parser.add_argument("wasm")
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--time", type=float, default=0.2, help="seconds a case and round, at least")
    parser.add_argument("names", nargs="*", help="parts of names of cases")
    options = parser.parse_intermixed_args()
    arguments = ["--time", str(options.time), *options.names]
    native, wasm = {}, {}
    for _ in range(options.rounds):
        native = best(native, run([options.native], arguments))
        wasm = best(wasm, run([*NODE, options.wasm], arguments))
    if not native:
        sys.exit("no such case")
    width = max(map(len, native))
    print(f"{'case':{width}}  {'native µs':>11}  {'wasm µs':>11}  {'µs a solid':>10}  {'ratio':>6}  {'error':>8}")
    ratios = []
    for name, (microseconds, _, _, _, reference, failed) in native.items():
        there, a_solid, error, _, _, failed_there = wasm[name]
        ratio = there / native.get(reference, native[name])[0]
        ratios.append(ratio)
        print(f"{name:{width}}  {microseconds:11.4g}  {there:11.4g}  {a_solid:10.4g}  {ratio:6.2f}  "
              f"{'' if error != error else f'{error:.1e}':>8}  {failed or failed_there}".rstrip())
    print(f"\nratio to native scalar: median {statistics.median(ratios):.2f}, most {max(ratios):.2f}")


if __name__ == "__main__":
    main()
