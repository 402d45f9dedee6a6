#!/usr/bin/env python3
"""Puts a WebAssembly module into a form in which Brotli finds more that is alike.

    tools/order_functions.py MODULE.wasm [OUT.wasm]

The functions that are called most often come first (their numbers are short); the others by what they are about, each
followed by the one that has most in common with it. The local variables of a function come in one order of their types,
those that are used most first. How well a load or store is aligned is a hint that engines pass over: it is left out. Nothing
else changes. It stops at what it does not know.
"""
import collections
import pathlib
import sys

from wasm_module import function_bodies, imported_functions, read_number, sections, skip_number

OFTEN = 128  # numbers below this take one byte
PIECE = 6  # bytes that two functions have in common, or not
MANY = 60  # functions: what so many have says nothing about two of them


def number(value):
    out = bytearray()
    while value >= 128:
        out.append(value & 127 | 128)
        value >>= 7
    out.append(value)
    return bytes(out)


# Opcodes by how many numbers follow: of the rest nothing does. Others are taken one by one below.
NUMBERS = {op: 1 for op in (2, 3, 4, 6, 7, 8, 9, 0x0C, 0x0D, 0x18, *range(0x20, 0x27), 0x3F, 0x40, 0x41, 0x42, 0xD0)}
NUMBERS[0x11] = 2
PLAIN = {0, 1, 5, 0x0B, 0x0F, 0x19, 0x1A, 0x1B, 0xD1, *range(0x45, 0xC5)}
NUMBERS_FC = {**{op: 0 for op in range(8)}, 8: 2, 9: 1, 10: 2, 11: 1}


def look_through(body, at):
    """Where numbers of functions stand in a body whose instructions begin at `at`, (begin, end, function); where hints do;
    and where numbers of local variables do."""
    end = len(body)
    found, hints, variables = [], [], []
    while at < end:
        op = body[at]
        at += 1
        if op in PLAIN:
            continue
        if 0x20 <= op <= 0x22:
            variable, after = read_number(body, at)
            variables.append((at, after, variable))
            at = after
        elif op in NUMBERS:
            for _ in range(NUMBERS[op]):
                at = skip_number(body, at)
        elif 0x28 <= op < 0x3F:  # loads and stores
            hints.append(at)
            at = skip_number(body, at + 1)
        elif op in (0x10, 0xD2):
            function, after = read_number(body, at)
            found.append((at, after, function))
            at = after
        elif op == 0x0E:
            count, at = read_number(body, at)
            for _ in range(count + 1):
                at = skip_number(body, at)
        elif op == 0x43:
            at += 4
        elif op == 0x44:
            at += 8
        elif op == 0xFC:
            which, at = read_number(body, at)
            for _ in range(NUMBERS_FC[which]):
                at = skip_number(body, at)
        elif op == 0xFD:
            which, at = read_number(body, at)
            if which <= 11 or 84 <= which <= 93:  # loads and stores; of a lane
                hints.append(at)
                at = skip_number(body, at + 1) + (which in range(84, 92))
            elif which in (12, 13):
                at += 16
            elif 21 <= which <= 34:
                at += 1
            elif which > 255:
                raise ValueError(f"unknown vector instruction {which:#x}")
        else:
            raise ValueError(f"unknown instruction {op:#x}")
    if at != end or body[-1] != 0x0B:
        raise ValueError("a function that does not end where it should")
    return found, hints, variables


def parameters(section):
    """How many each type of function has."""
    count, at = read_number(section, 0)
    result = []
    for _ in range(count):
        given, at = read_number(section, at + 1)
        result.append(given)
        returned, at = read_number(section, at + given)
        at += returned
    return result


def in_order_of_types(body, given, variables):
    """A function of so many parameters with its other local variables sorted by type, by use, and by where that begins."""
    count, at = read_number(body, 0)
    types = []
    for _ in range(count):
        alike, at = read_number(body, at)
        types += [body[at]] * alike
        at += 1
    used, first = collections.Counter(), {}
    for place, _, variable in variables:
        used[variable] += 1
        first.setdefault(variable, place)
    order = sorted(range(given, given + len(types)),
                   key=lambda v: (-types[v - given], -used[v], first.get(v, len(body)), v))
    new = {variable: given + place for place, variable in enumerate(order)}
    groups = collections.Counter(types)
    parts = [number(len(groups)), *(number(groups[type_]) + bytes([type_]) for type_ in sorted(groups, reverse=True))]
    for begin, end, variable in variables:
        parts += [body[at:begin], number(new.get(variable, variable))]
        at = end
    return b"".join(parts) + body[at:]


def instructions_begin(body):
    """Behind the local variables."""
    count, at = read_number(body, 0)
    for _ in range(count):
        at = skip_number(body, at) + 1
    return at


def flavour(body):
    """Whether it computes much with lanes, with numbers, and is long. Counts bytes, of which most are what they look like."""
    lanes, numbers = body.count(0xFD), sum(body.count(op) for op in (0x2B, 0x39, 0xA0, 0xA1, 0xA2))
    return 20 * lanes > len(body), 20 * numbers > len(body), len(body) > 2000


class Module:
    def __init__(self, data):
        self.head = data[:8]
        self.sections = list(sections(data))
        by_kind = dict(self.sections)
        if by_kind.keys() - set(range(1, 8)) - {9, 10, 11, 12, 13}:
            raise ValueError("a section that is not known")  # names, for one, would have to go along
        self.imports = imported_functions(by_kind[2]) if 2 in by_kind else 0
        count, at = read_number(by_kind[3], 0)
        self.types = []
        for _ in range(count):
            type_, at = read_number(by_kind[3], at)
            self.types.append(type_)
        self.bodies = list(function_bodies(by_kind[10]))
        self.parameters = parameters(by_kind[1])
        self.look()

    def look(self):
        self.calls, self.hints, self.variables = zip(
            *(look_through(body, instructions_begin(body)) for body in self.bodies))

    def sort_variables(self):
        self.bodies = [in_order_of_types(body, self.parameters[type_], variables)
                       for body, type_, variables in zip(self.bodies, self.types, self.variables)]
        self.look()

    def order(self):
        """The order: numbers of functions, imported ones not counted."""
        used = [0] * len(self.bodies)
        for found in self.calls:
            for _, _, function in found:
                if function >= self.imports:
                    used[function - self.imports] += 1
        order = sorted(range(len(used)), key=lambda f: (-used[f], f))
        by_flavour = collections.defaultdict(list)
        for function in sorted(order[OFTEN:], key=lambda f: (self.bodies[f], f)):
            by_flavour[flavour(self.bodies[function])].append(function)
        pieces = [{body[at:at + PIECE] for at in range(len(body) - PIECE + 1)} for body in self.bodies]
        owners = collections.defaultdict(list)
        for function, found in enumerate(pieces):
            for piece in found:
                owners[piece].append(function)
        return sum((self.chain(by_flavour[kind], pieces, owners) for kind in sorted(by_flavour)), order[:OFTEN])

    def chain(self, functions, pieces, owners):
        """Each with the one behind it that has most pieces of its own, seldom ones above all; else as they were."""
        left, chain = dict.fromkeys(functions), []
        while left:
            common = collections.Counter()
            for piece in pieces[chain[-1]] if chain else ():
                if len(owners[piece]) <= MANY:
                    for function in owners[piece]:
                        if function in left:
                            common[function] += 720720 // len(owners[piece])
            common = {function: many for function, many in common.items() if many >= 720720}
            best = max(common, key=lambda f: (common[f] / (len(self.bodies[f]) + 100) ** 0.7, -f)) if common else next(iter(left))
            chain.append(best)
            del left[best]
        return chain

    def ordered(self, order):
        """The module with its functions in another order."""
        new = list(range(self.imports)) + [0] * len(order)
        for place, function in enumerate(order):
            new[self.imports + function] = self.imports + place
        out = bytearray(self.head)
        for kind, section in self.sections:
            if kind == 3:
                section = number(len(order)) + b"".join(number(self.types[f]) for f in order)
            elif kind == 7:
                section = self.exports(section, new)
            elif kind == 9:
                section = self.elements(section, new)
            elif kind == 10:
                section = number(len(order)) + b"".join(self.body(f, new) for f in order)
            out += bytes([kind]) + number(len(section)) + section
        return bytes(out)

    def leave_hints_out(self):
        for function, hints in enumerate(self.hints):
            body = bytearray(self.bodies[function])
            for at in hints:
                body[at] = 0
            self.bodies[function] = bytes(body)

    def body(self, function, new):
        body = self.bodies[function]
        parts, done = [], 0
        for begin, end, called in self.calls[function]:
            parts += [body[done:begin], number(new[called])]
            done = end
        made = b"".join(parts) + body[done:]
        return number(len(made)) + made

    @staticmethod
    def exports(section, new):
        count, at = read_number(section, 0)
        out = bytearray(number(count))
        for _ in range(count):
            begin = at
            length, at = read_number(section, at)
            at += length
            kind = section[at]
            out += section[begin:at + 1]
            which, at = read_number(section, at + 1)
            out += number(new[which] if kind == 0 else which)
        return bytes(out)

    @staticmethod
    def elements(section, new):
        count, at = read_number(section, 0)
        out = bytearray(number(count))
        for _ in range(count):
            if section[at] != 0 or section[at + 1] != 0x41:
                raise ValueError("a segment of the table of another kind")
            begin = at
            at = skip_number(section, at + 2) + 1
            out += section[begin:at]
            functions, at = read_number(section, at)
            out += number(functions)
            for _ in range(functions):
                which, at = read_number(section, at)
                out += number(new[which])
        return bytes(out)


def main():
    path = pathlib.Path(sys.argv[1])
    data = path.read_bytes()
    module = Module(data)
    if module.ordered(range(len(module.bodies))) != data:
        raise ValueError("the module as it is would not come out as it is")
    module.leave_hints_out()
    module.sort_variables()
    data = module.ordered(range(len(module.bodies)))
    order = module.order()
    made = module.ordered(order)
    if Module(made).ordered(sorted(range(len(order)), key=order.__getitem__)) != data:
        raise ValueError("the way back does not lead to where it came from")
    pathlib.Path(sys.argv[2] if len(sys.argv) > 2 else path).write_bytes(made)


if __name__ == "__main__":
    main()
