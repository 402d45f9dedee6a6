#!/usr/bin/env python3
"""What a step costs by the size of a cloth.

    bench/cloth.py [--dry] [PROGRAM]

Runs `tenon simulate` and writes its table into docs/benchmarks.md, between two markers, and the plot
docs/plots/cloth.svg. --dry: print the table, write nothing. PROGRAM is build/release/tenon unless given.
Times are those of the steps alone; run it on a machine that does nothing else.
"""

import argparse
import json
import math
import subprocess
import sys
import tempfile
from pathlib import Path

from assembly import COLOURS, number, table

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "docs/benchmarks.md"
PLOT = ROOT / "docs/plots/cloth.svg"
CLOTH_METHODS = ["energy", "interactive", "displacement", "implicit"]
SIDES = [25, 50, 100, 200]
REPEATED = 3  # runs of which a time is the least

# Springs along the threads and across the cells, a distance kept for every tenth particle, two corners
# held. Larger cloths have more of the same cells.
CLOTH = """
param size 25;
let step 0.02;
repeat i 0 (size - 1)
  repeat j 0 (size - 1)
    solid p-(i)-(j) point-mass; mass 0.001; at (i * step) 0 (j * step); end
    if (i < size - 1)
      spring a-(i)-(j) object1 p-(i)-(j); object2 p-(i + 1)-(j); stiffness 2; damping 0.002; end
    end
    if (j < size - 1)
      spring b-(i)-(j) object1 p-(i)-(j); object2 p-(i)-(j + 1); stiffness 2; damping 0.002; end
    end
    if (i < size - 1 and j < size - 1)
      spring c-(i)-(j) object1 p-(i)-(j); object2 p-(i + 1)-(j + 1); stiffness 0.5; damping 0.001; end
      spring d-(i)-(j) object1 p-(i + 1)-(j); object2 p-(i)-(j + 1); stiffness 0.5; damping 0.001; end
    end
    if (i < size - 1 and (i + 3 * j) % 10 == 0)
      joint distance t-(i)-(j)
        object1 p-(i)-(j); object2 p-(i + 1)-(j); point1 0 0 0; point2 0 0 0; length (step);
      end
    end
  end
end
joint ball left object2 p-0-0; point2 0 0 0; end
joint ball right object2 p-(size - 1)-0; point2 0 0 0; end
"""


def simulate(program, scene, *options):
    """The report of one run; a run that fails to give one ends the bench."""
    result = subprocess.run([program, "simulate", str(scene), "--json", *options], capture_output=True,
                            text=True, encoding="utf-8", check=False)
    try:
        report = json.loads(result.stdout)
        report["status"]
    except (ValueError, KeyError):
        sys.exit(f"tenon simulate {scene} {' '.join(options)}: {result.stdout}{result.stderr}")
    return report


def runs(program, scene, dt, steps, *options):
    """A report with the milliseconds of a step after the first, which analyses the structure too."""
    dt_option = ("--dt", repr(dt))
    first = min(simulate(program, scene, *dt_option, "--time", repr(dt), *options)["time_ms"]
                for _ in range(REPEATED))
    reports = [simulate(program, scene, *dt_option, "--time", repr(steps * dt), *options)
               for _ in range(REPEATED)]
    least = min(r["time_ms"] for r in reports)
    done = max(2, reports[0]["steps"])
    return {**reports[0], "first_ms": first, "step_ms": (least - first) / (done - 1)}


# ------------------------------------------------------------------------------------------- parts

def exponent(points):
    """p of cost = c Nᵖ, by least squares of the logarithms."""
    x, y = ([math.log(p[k]) for p in points] for k in (0, 1))
    mx, my = sum(x) / len(x), sum(y) / len(y)
    return sum((a - mx) * (b - my) for a, b in zip(x, y)) / sum((a - mx) ** 2 for a in x)


def cloth(program, folder):
    scene = Path(folder) / "cloth.tenon"
    scene.write_text(CLOTH, encoding="utf-8")
    rows, curves = [], {}
    for method in CLOTH_METHODS:
        for side in SIDES:
            report = runs(program, scene, 1 / 120, 12, "--set", f"size={side}", "--method", method)
            curves.setdefault(method, []).append((side * side, report["step_ms"]))
            rows.append([method, f"{side * side:,}", f"{report['step_ms']:.3g}",
                         f"{1000 * report['step_ms'] / side ** 2:.2f}",
                         f"{report['first_ms']:.3g}", number(report["max_error"])])
            print(" ", *rows[-1], file=sys.stderr)
    powers = ", ".join(f"`{m}` N^{exponent(points):.2f}" for m, points in curves.items())
    text = ("The cloths are square, of point masses with four springs each. There is one distance joint for "
            "every ten particles, and two corners are held. A run has 12 steps of 1/120 s. The first step "
            f"also analyses the structure.\n\nCost per step for N particles: {powers}.\n\n" +
            table(["method", "particles", "ms per step", "µs per particle", "ms, first step",
                   "largest error [m]"], rows))
    return text, svg_of(curves)


# -------------------------------------------------------------------------------------------- plot

def svg_of(curves):
    """Milliseconds of a step against particles, both logarithmic."""
    width, height, left, top = 460, 330, 70, 30
    every = [p for points in curves.values() for p in points]
    ends = lambda k: (math.floor(math.log10(min(p[k] for p in every))),
                      math.ceil(math.log10(max(p[k] for p in every))))
    (first, last), (low, high) = ends(0), ends(1)
    x_of = lambda n: left + (math.log10(n) - first) / (last - first) * width
    y_of = lambda ms: top + (high - math.log10(ms)) / (high - low) * height
    power_of = lambda n: f'10<tspan dy="-5" font-size="9">{n}</tspan>'
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{left + width + 150}" '
           f'height="{top + height + 60}" font-family="sans-serif" font-size="13">',
           "<title>Time per step against the size of a cloth</title>",
           f'<rect width="{left + width + 150}" height="{top + height + 60}" fill="white"/>']
    for power in range(first, last + 1):
        out.append(f'<path d="M{x_of(10 ** power):.1f} {top}v{height}" stroke="#ddd"/>')
        out.append(f'<text x="{x_of(10 ** power):.1f}" y="{top + height + 20}" '
                   f'text-anchor="middle">{power_of(power)}</text>')
    for power in range(low, high + 1):
        out.append(f'<path d="M{left} {y_of(10.0 ** power):.1f}h{width}" stroke="#ddd"/>')
        out.append(f'<text x="{left - 8}" y="{y_of(10.0 ** power) + 4:.1f}" '
                   f'text-anchor="end">{power_of(power)}</text>')
    for colour, (name, points) in zip(COLOURS, curves.items()):
        path = "M" + "L".join(f"{x_of(n):.1f} {y_of(ms):.1f}" for n, ms in points)
        out.append(f'<path d="{path}" fill="none" stroke="{colour}" stroke-width="2"/>')
        out += [f'<circle cx="{x_of(n):.1f}" cy="{y_of(ms):.1f}" r="3" fill="{colour}"/>'
                for n, ms in points]
        out.append(f'<text x="{x_of(points[-1][0]) + 8:.1f}" y="{y_of(points[-1][1]) + 4:.1f}" '
                   f'fill="{colour}">{name} (N^{exponent(points):.2f})</text>')
    out.append(f'<rect x="{left}" y="{top}" width="{width}" height="{height}" fill="none" stroke="#555"/>')
    out.append(f'<text x="{left + width / 2}" y="{top + height + 44}" text-anchor="middle">particles</text>')
    out.append(f'<text transform="translate(22 {top + height / 2}) rotate(-90)" '
               'text-anchor="middle">ms per step</text>')
    return "\n".join(out + ["</svg>"]) + "\n"


# -------------------------------------------------------------------------------------------- page

def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("program", nargs="?", default=str(ROOT / "build/release/tenon"))
    parser.add_argument("--dry", action="store_true")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        text, svg = cloth(arguments.program, folder)
    if arguments.dry:
        print(text)
        return
    page = PAGE.read_text(encoding="utf-8")
    start, end = "<!-- cloth -->", "<!-- end of cloth -->"
    PAGE.write_text(page[:page.index(start)] + f"{start}\n{text}\n" + page[page.index(end):],
                    encoding="utf-8")
    PLOT.write_text(svg, encoding="utf-8")


if __name__ == "__main__":
    main()
