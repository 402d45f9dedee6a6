#!/usr/bin/env python3
"""Draws a scene as it is written, seen along -z, as SVG: for the pages, until the studio draws.

    tools/draw_scene.py SCENE OUTPUT.svg [--program build/release/tenon]
"""

import argparse
import math
import re
import subprocess
from pathlib import Path

ROOT = Path(__file__).parent.parent
PIXELS = 640  # width of the picture
MARGIN = 0.06  # of the width


def rotate(q, v):
    x, y, z, w = q
    tx, ty, tz = (2 * (y * v[2] - z * v[1]), 2 * (z * v[0] - x * v[2]), 2 * (x * v[1] - y * v[0]))
    return (v[0] + w * tx + y * tz - z * ty, v[1] + w * ty + z * tx - x * tz,
            v[2] + w * tz + x * ty - y * tx)


def transform(pose, v):
    p, q = pose
    return tuple(a + b for a, b in zip(p, rotate(q, v)))


def numbers(words, count):
    return [float(word) for word in words[:count]]


def clause(words, keyword, count, default):
    return numbers(words[words.index(keyword) + 1:], count) if keyword in words else default


def read(flat):
    """Solids and joints of a flat text: blocks as lists of statements, each a list of words."""
    blocks = re.findall(r"^(solid|joint)((?: [^\s;]+)+)\n(.*?)^end$", flat, re.S | re.M)
    return [(kind, header.split(), [line.strip(" ;").split() for line in body.splitlines()])
            for kind, header, body in blocks]


def value(statements, keyword, default):
    return next((numbers(s[1:], len(s) - 1) for s in statements if s[0] == keyword), default)


def outline(shape):
    """Points of the solid's frame whose convex hull is the shape's picture."""
    kind, words = shape[0], shape[1:]
    circle = [(math.cos(a), math.sin(a)) for a in (2 * math.pi * i / 48 for i in range(48))]
    if kind == "box":
        x, y, z = (n / 2 for n in numbers(words, 3))
        points = [(a * x, b * y, c * z) for a in (-1, 1) for b in (-1, 1) for c in (-1, 1)]
    elif kind == "sphere":
        r = float(words[0])
        points = [(r * c, r * s, 0) for c, s in circle]
    elif kind == "cylinder":
        r, h = numbers(words, 2)
        points = [(r * c, y, r * s) for y in (-h / 2, h / 2) for c, s in circle]
    elif kind == "capsule":
        r, h = numbers(words, 2)
        points = [(r * c, r * s + y, 0) for y in (-h / 2, h / 2) for c, s in circle]
    else:
        return []
    pose = (clause(words, "at", 3, [0, 0, 0]), clause(words, "orientation", 4, [0, 0, 0, 1]))
    return [transform(pose, point) for point in points]


def hull(points):
    points = sorted(set(points))
    def half(sequence):
        chain = []
        for p in sequence:
            while len(chain) > 1 and ((chain[-1][0] - chain[-2][0]) * (p[1] - chain[-2][1]) -
                                      (chain[-1][1] - chain[-2][1]) * (p[0] - chain[-2][0])) <= 0:
                chain.pop()
            chain.append(p)
        return chain[:-1]
    return half(points) + half(points[::-1])


def hexadecimal(colour, factor=1.0):
    return "#" + "".join(f"{round(255 * min(1, c * factor)):02x}" for c in colour)


def draw(flat):
    poses, shapes, pins = {}, [], []
    for kind, header, statements in read(flat):
        if kind == "solid":
            pose = (value(statements, "at", [0, 0, 0]), value(statements, "orientation", [0, 0, 0, 1]))
            poses[header[0]] = pose
            colour = value(statements, "colour", [0.7, 0.7, 0.7])
            for statement in statements:
                points = [transform(pose, p) for p in outline(statement)]
                if points:
                    depth = sum(p[2] for p in points) / len(points)
                    shapes.append((depth, hull([p[:2] for p in points]), colour))
        else:
            solid = next((s[1] for s in statements if s[0] == "object1"), None)
            world = ([0, 0, 0], [0, 0, 0, 1])
            place = transform(poses.get(solid, world), value(statements, "point1", [0, 0, 0]))
            pins.append((header[-1], place))

    corners = [p for _, points, _ in shapes for p in points]
    left, right = min(p[0] for p in corners), max(p[0] for p in corners)
    bottom, top = min(p[1] for p in corners), max(p[1] for p in corners)
    border = MARGIN * max(right - left, top - bottom)
    scale = PIXELS / (right - left + 2 * border)
    height = (top - bottom + 2 * border) * scale

    def at(p):
        return (p[0] - left + border) * scale, (top + border - p[1]) * scale

    svg = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {PIXELS} {height:.0f}" '
           f'width="{PIXELS}" height="{height:.0f}" font-family="sans-serif" font-size="15">',
           f'<rect width="{PIXELS}" height="{height:.0f}" rx="10" fill="#f7f6f3"/>']
    for _, points, colour in sorted(shapes, key=lambda shape: shape[0]):
        path = " ".join("{:.1f},{:.1f}".format(*at(p)) for p in points)
        svg.append(f'<polygon points="{path}" fill="{hexadecimal(colour)}" '
                   f'stroke="{hexadecimal(colour, 0.6)}" stroke-width="2" stroke-linejoin="round"/>')
    for name, place in pins:
        x, y = at(place)
        svg.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="6" fill="#fff" stroke="#333" '
                   'stroke-width="2"/>')
        svg.append(f'<text x="{x + 11:.1f}" y="{y - 9:.1f}" fill="#222" stroke="#f7f6f3" '
                   f'stroke-width="3" paint-order="stroke">{name}</text>')
    return "\n".join(svg + ["</svg>"]) + "\n"


def main():
    arguments = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    arguments.add_argument("scene")
    arguments.add_argument("output")
    arguments.add_argument("--program", default=str(ROOT / "build/release/tenon"))
    given = arguments.parse_args()
    flat = subprocess.run([given.program, "print", given.scene], capture_output=True, text=True,
                          encoding="utf-8", check=True).stdout
    Path(given.output).write_text(draw(flat), encoding="utf-8")


if __name__ == "__main__":
    main()
