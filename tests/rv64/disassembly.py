#!/usr/bin/env python3
"""Duet's decoder and disassembler against GNU objdump's.

Usage: disassembly.py --runner rv64_bare_runner [--words N] [--seed N]

Words of 32 bits: each row of the table (src/rv64/instructions.def) with random operands, and random ones; text has to be the same. All
49152 compressed instructions: what one refuses, the other does not know. objdump knows extensions that Duet has not: a word that only
objdump knows has to be of a mnemonic that is not in the table, or an access to a CSR. Exit status: 1 when anything differs, 77 without
riscv64-linux-gnu-objdump.
"""
import argparse
import pathlib
import random
import re
import shutil
import struct
import subprocess
import sys
import tempfile

import random_instructions

OBJDUMP = "riscv64-linux-gnu-objdump"
# Encodings that objdump prints though the manual reserves them.
RESERVED_COMPRESSED = ("c.unimp", "c.addi16sp sp,0")
# Fields that the manual says to ignore (fences), or that say how an exact conversion rounds: objdump wants them 0.
IGNORED_FIELDS = ("fence", "fence.tso", "fence.i", "fcvt.d.w", "fcvt.d.wu", "fcvt.d.s")


def rows():
    text = (random_instructions.ROOT / "src/rv64/instructions.def").read_text()
    found = re.findall(r'^INSTRUCTION\(\w+, "([^"]*)", "[^"]*", (0x\w+), (0x\w+), \w+\)', text, re.M)
    return [(name, int(match, 16), int(mask, 16)) for name, match, mask in found]


def lines_of(runner, folder, data):
    """Both texts of each instruction in these bytes, by address."""
    path = pathlib.Path(folder) / "words"
    path.write_bytes(data)
    ours = subprocess.run([runner, "--disassemble", str(path)], capture_output=True, text=True, check=True).stdout
    theirs = subprocess.run([OBJDUMP, "-D", "-b", "binary", "-m", "riscv:rv64", "-M", "no-aliases", "-z", str(path)], capture_output=True,
                            text=True, check=True).stdout
    result = {}
    for line in ours.splitlines():
        address, text = line.split(":", 1)
        result[int(address, 16)] = [text.strip(), None]
    for address, text in re.findall(r"^ *([0-9a-f]+):\t[0-9a-f]+ +\t(.*)$", theirs, re.M):
        if int(address, 16) in result:
            result[int(address, 16)][1] = re.sub(r"\s+", " ", text.split("#")[0]).strip()
    return result


def agree(ours, theirs, names):
    if ours.startswith("."):
        if theirs.startswith("."):
            return True
        mnemonic = re.sub(r"(\.aq)?(\.?rl)?$", "", theirs.split()[0])
        # Objdump does not look at rounding modes, nor at what a CSR allows.
        return mnemonic not in names or "unknown" in theirs or mnemonic.startswith("csr")
    if theirs.startswith("."):
        return ours.split()[0] in IGNORED_FIELDS
    return ours == theirs or (ours.split()[0] in IGNORED_FIELDS and ours.removesuffix(",rne") == theirs)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runner", required=True)
    parser.add_argument("--words", type=int, default=100000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    if shutil.which(OBJDUMP) is None:
        print(f"disassembly.py: skipped, needs {OBJDUMP}")
        return 77
    rng = random.Random(options.seed)
    table = rows()
    names = {name for name, *_ in table}
    words = []
    for number in range(options.words):
        name, match, mask = table[number % len(table)]
        bits = rng.getrandbits(32)
        # Not those with which longer instructions would begin.
        words.append(match | bits & ~mask & 0xffffffff if number % 4 else bits & ~4 | 3)
    halves = [half for half in range(65536) if half & 3 != 3]
    bad = 0
    with tempfile.TemporaryDirectory(prefix="duet-rv64-disassembly-") as folder:
        for address, (ours, theirs) in lines_of(options.runner, folder, struct.pack(f"<{len(words)}I", *words)).items():
            if not agree(ours, theirs, names):
                bad += 1
                print(f"{words[address // 4]:#010x}: '{ours}', objdump '{theirs}'")
        for address, (ours, theirs) in lines_of(options.runner, folder, struct.pack(f"<{len(halves)}H", *halves)).items():
            refused = theirs is None or theirs.startswith(".") or theirs in RESERVED_COMPRESSED
            if refused != ours.startswith("."):
                bad += 1
                print(f"{halves[address // 2]:#06x}: '{ours}', objdump '{theirs}'")
    print(f"{len(words)} words, {len(halves)} compressed instructions, {bad} differ")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
