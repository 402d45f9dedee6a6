"""Reading WebAssembly modules: what the tools that look at the page's module share."""
import subprocess

BROTLI = "process.stdout.write(String(require('zlib').brotliCompressSync(require('fs').readFileSync(process.argv[1])).length))"


def brotli_size(path):
    """Bytes of a file that Brotli has compressed as static hosts do it."""
    return int(subprocess.run(["node", "-e", BROTLI, path], capture_output=True, check=True).stdout)


def read_number(data, at):
    """An unsigned LEB128 number and where it ends."""
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            return value, at


def skip_number(data, at):
    while data[at] >= 128:
        at += 1
    return at + 1


def sections(data):
    """Kind and contents of each section."""
    at = 8
    while at < len(data):
        kind = data[at]
        length, at = read_number(data, at + 1)
        yield kind, data[at:at + length]
        at += length


def imported_functions(section):
    """How many functions are imported; they come first in the count of functions."""
    functions = 0
    count, at = read_number(section, 0)
    for _ in range(count):
        for _ in range(2):
            length, at = read_number(section, at)
            at += length
        kind = section[at]
        at += 1
        if kind == 0:  # a function
            functions += 1
            at = skip_number(section, at)
        elif kind == 2:  # a memory
            flags = section[at]
            for _ in range(2 + (flags & 1)):
                at = skip_number(section, at)
        elif kind == 3:  # a global
            at += 2
        else:
            raise ValueError(f"unknown import {kind}")
    return functions


def function_bodies(section):
    """The functions of the code section: their local variables and instructions."""
    count, at = read_number(section, 0)
    for _ in range(count):
        length, at = read_number(section, at)
        yield section[at:at + length]
        at += length
