#!/usr/bin/env python3
"""Says how far a build by ninja is, and how long it will still take: one line, on a terminal in place.

    ninja … 2>&1 | tools/show_progress.py NAME [--after SHARE]

NAME is what is built, as people read it. SHARE: what follows takes this part of the time of the build, and is added to the
estimate. Lines of ninja that are no steps (errors, above all) are printed as they are.

Steps are counted, and the time is taken as it passes. How much of the work is done after a part of the steps is known from
the last whole build on this machine, which is remembered in the user's cache; on a new machine every step counts the same.
Only the shape comes from there. How fast this machine is shows as it works.
"""

import json
import os
import pathlib
import re
import select
import sys
import time

STEP = re.compile(r"^\[(\d+)/(\d+)\] ")
# The part of the time that has passed when 0, 1/10, … 1 of the steps are done, where nothing is remembered.
CURVE = [0, 0.10, 0.20, 0.30, 0.40, 0.50, 0.60, 0.70, 0.80, 0.90, 1]
WHOLE = 50      # steps: with fewer it is no whole build, and has another shape
EVERY = 30      # [s] between lines where there is no terminal


def cache():
    home = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    return pathlib.Path(home) / "tenon/builds.json"


def remembered(path):
    try:
        builds = json.loads(path.read_text(encoding="utf-8"))
        return builds if isinstance(builds, dict) else {}
    except (OSError, ValueError):
        return {}


def usable(last):
    """What is remembered of a build: {"seconds": 310, "curve": [0, …, 1]}."""
    curve = last.get("curve") if isinstance(last, dict) else None
    return (isinstance(curve, list) and len(curve) == len(CURVE) and isinstance(last.get("seconds"), (int, float)) and
            all(isinstance(x, (int, float)) and 0 <= x <= 1 for x in curve))


def at(curve, part):
    """The curve between its points."""
    place = min(max(part, 0), 1) * (len(curve) - 1)
    low = min(int(place), len(curve) - 2)
    return curve[low] + (place - low) * (curve[low + 1] - curve[low])


def estimate(elapsed, done, steps, last, after):
    """Seconds left, or None if nobody knows yet."""
    curve = last["curve"] if last else CURVE
    share = at(curve, done / steps) if steps >= WHOLE else done / steps
    expected = last["seconds"] if last and steps >= WHOLE else None
    if share < 0.03:  # too little to judge by
        total = expected
    elif expected and share < 0.2:  # from what it was to what it seems to be
        weight = share / 0.2
        total = weight * elapsed / share + (1 - weight) * expected
    else:
        total = elapsed / share
    return None if total is None else max(total * (1 + after) - elapsed, 0)


def words(seconds):
    if seconds is None:
        return ""
    if seconds < 50:
        return f", about {max(10, round(seconds / 10) * 10)} s left"
    return f", about {max(1, round(seconds / 60))} min left"


def main():
    name, after = sys.argv[1], 0.0
    if sys.argv[2:3] == ["--after"]:
        after = float(sys.argv[3])
    path = cache()
    builds = remembered(path)
    last = builds.get(name) if usable(builds.get(name)) else None
    terminal = sys.stdout.isatty()
    start = time.monotonic()
    done, steps, shown, spoke = 0, 0, False, None
    passed = []  # (part of the steps, seconds)
    waiting = b""

    def wipe():
        nonlocal shown
        if shown:
            sys.stdout.write("\r\033[K")
            shown = False

    def show():
        nonlocal shown, spoke
        if steps == 0:
            return
        now = time.monotonic()
        if not terminal and spoke is not None and now - spoke < EVERY and done < steps:
            return
        spoke = now
        line = f"{name}: {done} of {steps} steps{words(estimate(now - start, done, steps, last, after))}"
        sys.stdout.write(f"\r\033[K{line}" if terminal else line + "\n")
        shown = terminal
        sys.stdout.flush()

    open_ = True
    while open_:
        ready, _, _ = select.select([0], [], [], 1)
        if ready:
            piece = os.read(0, 1 << 16)
            open_ = bool(piece)
            waiting += piece
            if not open_ and waiting:
                waiting += b"\n"
        *lines, waiting = waiting.split(b"\n")
        for line in lines:
            line = line.decode(errors="replace")
            step = STEP.match(line)
            if step and "Re-checking" not in line and "Re-running" not in line:
                done, steps = int(step[1]), int(step[2])
                passed.append((done / steps, time.monotonic() - start))
            elif line and not step and line != "ninja: no work to do." and not line.startswith("-- "):
                wipe()
                print(line, flush=True)
        if open_:
            show()
    show()
    if shown:
        print()
    if steps >= WHOLE and done == steps:
        seconds = max(passed[-1][1], 1e-3)
        curve = [0.0] + [max((t for part, t in passed if part <= k / 10 + 1e-9), default=0) / seconds for k in range(1, 11)]
        builds[name] = {"seconds": round(seconds, 1), "curve": [round(x, 3) for x in curve]}
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(json.dumps(builds, indent=1) + "\n", encoding="utf-8")
        except OSError:
            pass  # then it is not remembered


if __name__ == "__main__":
    main()
