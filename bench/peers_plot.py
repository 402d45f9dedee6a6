"""Panels of points, both axes logarithmic: what each engine costs against how wrong it is.

Colours and the background follow the reader's preference for light or dark.
"""

import math

PANEL, TALL, GAP_X, GAP_Y, LEFT, TOP, LEGEND = 400, 300, 78, 78, 74, 76, 26
COLUMNS = 2
MARGIN = 14  # above the largest and below the smallest value
ENGINES = {  # light, dark
    "Tenon": ("#c0202f", "#ff6b6b"), "Bullet": ("#1f6fb2", "#62b0f0"), "MuJoCo": ("#1b7f4b", "#4fcf8b"),
    "ODE": ("#b06f00", "#f0b040"), "Simbody": ("#7a3fa0", "#c490ec"), "DART": ("#4d5a66", "#a8b6c4"),
    "Jolt": ("#0b7f86", "#3fd0d8"), "Rapier": ("#9a4a1c", "#e8935a")}


def style():
    light = "".join(f".{name}{{fill:{a};stroke:{a}}}" for name, (a, _) in ENGINES.items())
    dark = "".join(f".{name}{{fill:{b};stroke:{b}}}" for name, (_, b) in ENGINES.items())
    return ("<style>.page{fill:#ffffff}.ink{fill:#222222}.soft{fill:#666666}.line{stroke:#e2e2e2;fill:none}"
            f".frame{{stroke:#777777;fill:none}}{light}"
            "text{stroke:none !important}"
            "@media (prefers-color-scheme: dark){.page{fill:#0d1117}.ink{fill:#e6e6e6}.soft{fill:#a0a0a0}"
            f".line{{stroke:#2a3038}}.frame{{stroke:#8a8a8a}}{dark}}}</style>")


def power(n):
    return f'10<tspan dy="-5" font-size="9">{str(n).replace("-", "−")}</tspan>'


def mark(name, x, y, exploded):
    """Tenon is a full square, others are discs; what exploded is a cross."""
    if exploded:
        return (f'<path class="{name}" d="M{x - 4:.1f} {y - 4:.1f}l8 8m0 -8l-8 8" stroke-width="2" '
                'fill="none"/>')
    if name == "Tenon":
        return f'<rect class="{name}" x="{x - 5:.1f}" y="{y - 5:.1f}" width="10" height="10"/>'
    return f'<circle class="{name}" cx="{x:.1f}" cy="{y:.1f}" r="4.5"/>'


class Labels:
    """Puts each text where it meets no other and no mark."""

    def __init__(self, width, height):
        self.width, self.height, self.taken = width, height, []

    def block(self, x, y, w, h):
        self.taken.append((x, y, w, h))

    def free(self, box):
        x, y, w, h = box
        if x < 2 or y < 0 or x + w > self.width + 60 or y + h > self.height:
            return False
        return not any(x < a + c and a < x + w and y < b + d and b < y + h for a, b, c, d in self.taken)

    def place(self, x, y, text):
        w, h = 6.1 * len(text), 12
        for dx, dy in ((8, -6), (-8 - w, -6), (-w / 2, -19), (-w / 2, 8), (8, -19), (8, 7), (-8 - w, -19),
                       (-8 - w, 7), (8, -31), (8, 19), (-8 - w, -31), (-8 - w, 19), (-w / 2, -32),
                       (-w / 2, 21), (8, -44), (8, 32)):
            box = (x + dx, y + dy, w, h)
            if self.free(box):
                self.block(*box)
                return box[0], box[1] + 10
        return None


def panel(title, points, y_name, low, high, x_range, x_name):
    first, last = x_range
    bottom, top = math.log10(low), math.log10(high)
    x_of = lambda v: (math.log10(v) - first) / (last - first) * PANEL
    y_of = lambda v: MARGIN + (top - math.log10(min(max(v, low), high))) / (top - bottom) * (TALL - 2 * MARGIN)
    out = [f'<text class="ink" x="{PANEL / 2}" y="-12" text-anchor="middle" font-size="14" '
           f'font-weight="bold">{title}</text>']
    for n in range(first, last + 1):
        x = x_of(10.0 ** n)
        out.append(f'<path class="line" d="M{x:.1f} 0V{TALL}"/>')
        out.append(f'<text class="soft" x="{x:.1f}" y="{TALL + 18}" text-anchor="middle">{power(n)}</text>')
    for n in range(math.ceil(bottom), math.floor(top) + 1, 2):
        y = y_of(10.0 ** n)
        out.append(f'<path class="line" d="M0 {y:.1f}H{PANEL}"/>')
        edge = "≤ " if n == math.ceil(bottom) else "≥ " if n == math.floor(top) else ""
        out.append(f'<text class="soft" x="-8" y="{y + 4:.1f}" text-anchor="end">{edge}{power(n)}</text>')
    out.append(f'<rect class="frame" width="{PANEL}" height="{TALL}"/>')
    out.append(f'<text class="ink" x="{PANEL / 2}" y="{TALL + 38}" text-anchor="middle">{x_name}</text>')
    out.append(f'<text class="ink" transform="translate(-56 {TALL / 2}) rotate(-90)" '
               f'text-anchor="middle">{y_name}</text>')
    placed = [(name, variant, x_of(cost), y_of(high if value is None or exploded else value), exploded)
              for name, variant, cost, value, exploded in points]
    labels = Labels(PANEL, TALL)
    for _, _, x, y, _ in placed:
        labels.block(x - 5, y - 5, 10, 10)
    for name, variant, x, y, exploded in sorted(placed, key=lambda p: p[0] != "Tenon"):
        out.append(mark(name, x, y, exploded))
        at = labels.place(x, y, variant)
        if at:
            weight = ' font-weight="bold"' if name == "Tenon" else ""
            out.append(f'<text class="{name}" x="{at[0]:.1f}" y="{at[1]:.1f}" font-size="11"{weight}>'
                       f'{variant}</text>')
    return out


def svg_of(title, panels, y_name, low, high, x_name="CPU time [µs] for each solid and frame"):
    costs = [p[2] for _, points in panels for p in points if p[2] > 0]
    x_range = (math.floor(math.log10(min(costs))), math.ceil(math.log10(max(costs)))) if costs else (-1, 3)
    rows = math.ceil(len(panels) / COLUMNS)
    width = LEFT + COLUMNS * PANEL + (COLUMNS - 1) * GAP_X + 30
    height = TOP + rows * (TALL + GAP_Y)
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
           f'viewBox="0 0 {width} {height}" font-family="sans-serif" font-size="13">',
           f"<title>{title}</title>", style(), f'<rect class="page" width="{width}" height="{height}"/>']
    there = [name for name in ENGINES if any(p[0] == name for _, points in panels for p in points)]
    x = LEFT
    for name in there:
        out.append(mark(name, x + 5, LEGEND - 5, False))
        out.append(f'<text class="ink" x="{x + 15}" y="{LEGEND}">{name}</text>')
        x += 34 + 8 * len(name)
    out.append(f'<path class="ink" d="M{x} {LEGEND - 9}l8 8m0 -8l-8 8" style="stroke:#888888;stroke-width:2"/>')
    out.append(f'<text class="ink" x="{x + 15}" y="{LEGEND}">exploded</text>')
    for index, (name, points) in enumerate(panels):
        dx = LEFT + index % COLUMNS * (PANEL + GAP_X)
        dy = TOP + index // COLUMNS * (TALL + GAP_Y)
        out.append(f'<g transform="translate({dx} {dy})">')
        out += panel(name, points, y_name, low, high, x_range, x_name)
        out.append("</g>")
    return "\n".join(out + ["</svg>"]) + "\n"
