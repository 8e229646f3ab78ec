#!/usr/bin/env python3
"""Random instructions on Duet's RV64GC and on qemu-riscv64: every register, fcsr and memory agree after each block of them.

Usage: random_instructions.py --runner rv64_bare_runner [--seeds A:B] [--blocks N] [--length N] [--rounds N] [--slice N ...]
                              [--timed] [--keep FOLDER]

A seed is a program of --blocks blocks, each of --length instructions drawn from the table (src/rv64/instructions.def) and from those
of 16 bits. A block is executed --rounds times, every time with other values in the registers; then all of them are written out. The
values have many of the kinds at which arithmetic goes wrong: zeros, infinities, NaNs, subnormals, limits, badly boxed singles.
--slice repeats each program on Duet, at most N instructions in a call of the interpreter; --timed on timed cores of the
shapes in core_shapes.py. A difference names the block, the round and the register, and prints the block; --keep keeps the program. Exit status: 1 when anything differs, 77 without the cross compiler or
qemu-riscv64.
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

import core_shapes

ROOT = pathlib.Path(__file__).resolve().parents[2]
COMPILER = "riscv64-linux-gnu-gcc"
QEMU = "qemu-riscv64"
VALUES = 1024
SCRATCH_BYTES = 8192
# x2, x8, x30: addresses in the scratch memory; x31: the state of the program. None is ever written.
KEPT = (2, 8, 30, 31)
FREE = [n for n in range(32) if n not in KEPT]
FREE_SHORT = [9, 10, 11, 12, 13, 14, 15]  # what 3 bits can name
WORDS_OF_STATE = 32 + 32 + 1
TIMEOUT_SECONDS = 300


def table():
    """(mnemonic, operands, match, mask, kind) of every instruction that can stand in a block anywhere. LR and SC stand in pairs."""
    text = (ROOT / "src/rv64/instructions.def").read_text()
    rows = re.findall(r'^INSTRUCTION\(\w+, "([^"]*)", "([^"]*)", (0x\w+), (0x\w+), (\w+)\)', text, re.M)
    rows = [(name, operands, int(match, 16), int(mask, 16), kind) for name, operands, match, mask, kind in rows]
    special = ("ecall", "ebreak", "fence.i")
    return [row for row in rows if row[4] not in ("Branch", "Jump", "System") and row[0] not in special and not row[0].startswith(("lr.", "sc."))]


class Writer:
    """Lines of one program."""

    def __init__(self, rng, rows):
        self.rng = rng
        self.rows = rows
        self.lines = []
        self.labels = 0

    def label(self):
        self.labels += 1
        return f".Lskip{self.labels}"

    def word(self, row):
        """One row of the table with random operands, as a word."""
        name, operands, match, mask, kind = row
        rng = self.rng
        word = match | (rng.getrandbits(32) & ~mask & 0xffffffff)

        def put(value, low, bits):
            nonlocal word
            word = word & ~(((1 << bits) - 1) << low) | (value & ((1 << bits) - 1)) << low

        if "d" in operands:
            put(rng.choice(FREE), 7, 5)
        if "m" in operands:
            put(rng.choice((0, 1, 2, 3, 4, 7, 7, 7)), 12, 3)
        if "(s)" in operands:
            put(rng.choice((2, 8, 30)), 15, 5)
        if kind == "Fence":
            word &= 0x0fffffff
        return f".word {word:#010x} # {name}"

    def instruction(self):
        choice = self.rng.random()
        if choice < 0.70:
            self.lines.append(self.word(self.rng.choice(self.rows)))
        elif choice < 0.84:
            self.compressed()
        elif choice < 0.92:
            self.control_flow()
        elif choice < 0.97:
            self.csr()
        else:
            self.reservation()

    def compressed(self):
        r = self.rng
        rd, rs = r.choice([n for n in FREE if n]), r.choice(range(1, 32))
        short, other = r.choice(FREE_SHORT), r.choice(range(8, 16))
        f = r.randrange(32)
        self.lines.append(r.choice((
            f"c.li x{rd}, {r.randrange(-32, 32)}",
            f"c.addi x{rd}, {r.choice([n for n in range(-32, 32) if n])}",
            f"c.addiw x{rd}, {r.randrange(-32, 32)}",
            f"c.lui x{rd}, {r.choice([*range(1, 32), *range(0xfffe0, 0x100000)])}",
            f"c.slli x{rd}, {r.randrange(1, 64)}",
            f"c.mv x{rd}, x{rs}",
            f"c.add x{rd}, x{rs}",
            f"c.addi4spn x{short}, sp, {r.randrange(4, 1024, 4)}",
            f"c.{r.choice(('srli', 'srai'))} x{short}, {r.randrange(1, 64)}",
            f"c.andi x{short}, {r.randrange(-32, 32)}",
            f"c.{r.choice(('sub', 'xor', 'or', 'and', 'subw', 'addw'))} x{short}, x{other}",
            f"c.lw x{short}, {r.randrange(0, 128, 4)}(x8)", f"c.ld x{short}, {r.randrange(0, 256, 8)}(x8)",
            f"c.sw x{other}, {r.randrange(0, 128, 4)}(x8)", f"c.sd x{other}, {r.randrange(0, 256, 8)}(x8)",
            f"c.fld f{r.randrange(8, 16)}, {r.randrange(0, 256, 8)}(x8)", f"c.fsd f{r.randrange(8, 16)}, {r.randrange(0, 256, 8)}(x8)",
            f"c.lwsp x{rd}, {r.randrange(0, 256, 4)}(sp)", f"c.ldsp x{rd}, {r.randrange(0, 512, 8)}(sp)",
            f"c.swsp x{rs}, {r.randrange(0, 256, 4)}(sp)", f"c.sdsp x{rs}, {r.randrange(0, 512, 8)}(sp)",
            f"c.fldsp f{f}, {r.randrange(0, 512, 8)}(sp)", f"c.fsdsp f{f}, {r.randrange(0, 512, 8)}(sp)",
        )))

    def control_flow(self):
        """A jump or branch over a few instructions."""
        r = self.rng
        label = self.label()
        a, b = r.randrange(32), r.randrange(32)
        kind = r.randrange(6)
        if kind < 3:
            self.lines.append(f"{r.choice(('beq', 'bne', 'blt', 'bge', 'bltu', 'bgeu'))} x{a}, x{b}, {label}")
        elif kind == 3:
            self.lines.append(f"c.{r.choice(('beqz', 'bnez'))} x{r.choice(range(8, 16))}, {label}")
        elif kind == 4:
            self.lines.append(f"jal x{r.choice(FREE)}, {label}" if r.random() < 0.5 else f"c.j {label}")
        else:
            rd = r.choice([n for n in FREE if n])
            odd = r.randrange(2)  # the lowest bit of a target is not looked at
            self.lines.append(f"lla x{rd}, {label}")
            jump = r.choice((f"jalr x{r.choice(FREE)}, {odd}(x{rd})", f"c.jr x{rd}", f"c.jalr x{rd}"))
            if "c.jalr" in jump:
                jump = f"c.jalr x{rd}" if 1 in FREE else f"c.jr x{rd}"
            self.lines.append(jump)
        for _ in range(r.randrange(3)):
            self.lines.append(self.word(r.choice(self.rows)))
        self.lines.append(f"{label}:")

    def csr(self):
        r = self.rng
        rd, rs = r.choice(FREE), r.randrange(32)
        self.lines.append(r.choice((
            f"csrrw x{rd}, fflags, x{rs}", f"csrrs x{rd}, fflags, x{rs}", f"csrrc x{rd}, fflags, x{rs}",
            f"csrrwi x{rd}, fflags, {r.randrange(32)}", f"csrrsi x{rd}, fcsr, {r.randrange(32)}", f"csrrci x{rd}, fcsr, {r.randrange(32)}",
            f"csrrwi x{rd}, frm, {r.randrange(5)}", f"csrrs x{rd}, frm, x0", f"csrrw x{rd}, fcsr, x0", f"csrrci x{rd}, frm, {r.randrange(8)}",
        )))

    def reservation(self):
        r = self.rng
        size = r.choice("wd")
        base = r.choice((2, 8, 30))
        order = r.choice(("", ".aq", ".rl", ".aqrl"))
        self.lines.append(f"lr.{size}{order} x{r.choice(FREE)}, (x{base})")
        if r.random() < 0.8:
            self.lines.append(f"add x{r.choice(FREE)}, x{r.randrange(32)}, x{r.randrange(32)}")
            self.lines.append(f"sc.{size}{order} x{r.choice(FREE)}, x{r.randrange(32)}, (x{base})")
        # Of another size or elsewhere, its success would depend on how far a reservation reaches.
        self.lines.append(f"sc.{size} x{r.choice(FREE)}, x{r.randrange(32)}, (x{base})")


def integers(rng):
    kind = rng.randrange(5)
    if kind == 0:
        return rng.getrandbits(64)
    if kind == 1:
        return rng.choice((0, 1, 2, 2**31 - 1, 2**31, 2**32 - 1, 2**32, 2**63 - 1, 2**63, 2**64 - 1, 2**64 - 2**31)) & (2**64 - 1)
    if kind == 2:
        return rng.randrange(-64, 64) & (2**64 - 1)
    if kind == 3:
        return (1 << rng.randrange(64)) + rng.randrange(-2, 3) & (2**64 - 1)
    return rng.getrandbits(32) - 2**31 & (2**64 - 1)


def floats(rng, exponent_bits, fraction_bits):
    """Bits of a value of this format."""
    top = (1 << exponent_bits) - 1
    kind = rng.randrange(8)
    sign = rng.randrange(2) << (exponent_bits + fraction_bits)
    fraction = rng.choice((0, 1, rng.getrandbits(fraction_bits), (1 << fraction_bits) - 1, rng.getrandbits(8) << (fraction_bits - 8)))
    if kind == 0:
        exponent = rng.choice((0, 0, 1, 2, top, top - 1, top - 2))
    elif kind == 1:
        exponent = rng.randrange(top + 1)
    else:  # near one another, so that sums cancel and products round
        exponent = top // 2 + rng.randrange(-6, 7) + (fraction_bits if rng.random() < 0.2 else 0)
    return sign | exponent << fraction_bits | fraction


def float_register(rng):
    if rng.random() < 0.5:
        return floats(rng, 11, 52)
    single = floats(rng, 8, 23)
    return single | (0xffffffff << 32 if rng.random() < 0.95 else rng.getrandbits(32) << 32)


def program(seed, options, rows):
    """The assembly text, and the lines of each block."""
    rng = random.Random(seed)
    text = [".option norelax", ".option arch, rv64gc", ".globl _start", ".text", "_start:", "lla x31, state", "sd x0, 0(x31)",
            ".Lround:"]
    blocks = []
    writer = Writer(rng, rows)
    for block in range(options.blocks):
        writer.lines = []
        for _ in range(options.length):
            writer.instruction()
        blocks.append(writer.lines)
        text += ["lla x31, state", "ld x30, 0(x31)", f"li x1, {VALUES // 2 - 64}", f"li x3, {rng.randrange(1, 1000)}",
                 "mul x30, x30, x3", f"addi x30, x30, {rng.randrange(400)}", "remu x30, x30, x1", "slli x30, x30, 3",
                 "lla x1, integers", "add x1, x1, x30", "lla x2, floats", "add x2, x2, x30"]
        text += [f"fld f{n}, {8 * n}(x2)" for n in range(32)]
        text += [f"ld x{n}, {8 * n}(x1)" for n in range(3, 32) if n not in KEPT]
        text += [f"csrwi fcsr, {rng.randrange(32)}", f"csrwi frm, {rng.randrange(5)}", "lla x30, scratch + 4096", "addi x2, x30, 512",
                 "addi x8, x30, 1024", "ld x1, 8(x1)", "lla x31, state"]
        text += writer.lines
        text += ["lla x31, state"] + [f"sd x{n}, {16 + 8 * n}(x31)" for n in range(31)]
        text += [f"fsd f{n}, {16 + 256 + 8 * n}(x31)" for n in range(32)]
        text += ["csrr x1, fcsr", "sd x1, 528(x31)", "li a0, 1", "addi a1, x31, 16", f"li a2, {8 * WORDS_OF_STATE}", "li a7, 64", "ecall"]
    text += ["li a0, 1", "lla a1, scratch", f"li a2, {SCRATCH_BYTES}", "li a7, 64", "ecall", "lla x31, state", "ld x1, 0(x31)",
             "addi x1, x1, 1", "sd x1, 0(x31)", f"li x3, {options.rounds}", "bge x1, x3, .Lend", "lla x5, .Lround", "jr x5", ".Lend:",
             "li a0, 0", "li a7, 93", "ecall", ".data", ".align 12", "scratch:"]
    text += [f".dword {integers(rng):#x}" for _ in range(SCRATCH_BYTES // 8)]
    text += [".align 6", "state: .skip 1024", "integers:"] + [f".dword {integers(rng):#x}" for _ in range(VALUES)]
    text += ["floats:"] + [f".dword {float_register(rng):#x}" for _ in range(VALUES)]
    return "\n".join(text) + "\n", blocks


def name_of(word):
    if word < 32:
        return f"x{word}"
    return f"f{word - 32}" if word < 64 else "fcsr"


def difference(ours, theirs, blocks):
    """Text about the first difference of two outputs."""
    size = 8 * WORDS_OF_STATE
    per_round = size * len(blocks) + SCRATCH_BYTES
    at = next((i for i in range(min(len(ours), len(theirs))) if ours[i] != theirs[i]), None)
    if at is None:
        return f"one ends after {len(ours)}, the other after {len(theirs)} bytes"
    round_number, rest = divmod(at, per_round)
    block, byte = divmod(rest, size)
    if block >= len(blocks):
        return f"round {round_number}: scratch memory, byte {rest - size * len(blocks)}"
    register, start = byte // 8, at - byte % 8
    mine, other = (struct.unpack_from("<Q", data.ljust(start + 8, b"\0"), start)[0] for data in (ours, theirs))
    return "\n    ".join([f"round {round_number}, block {block}: {name_of(register)} is {mine:#x}, qemu has {other:#x}", *blocks[block]])


def execute(command):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=TIMEOUT_SECONDS)
    return done.stdout, done.returncode, done.stderr.decode(errors="replace").strip()


def check(seed, options, rows, folder):
    """Complaints about one seed, and how many instructions Duet executed."""
    text, blocks = program(seed, options, rows)
    source, binary = folder / f"seed{seed}.S", folder / f"seed{seed}"
    source.write_text(text)
    built = subprocess.run([COMPILER, "-static", "-nostdlib", "-nostartfiles", "-Wl,--no-relax", str(source), "-o", str(binary)],
                           capture_output=True, text=True)
    if built.returncode != 0:
        sys.exit(f"seed {seed}: {built.stderr[:2000]}")
    theirs, status, errors = execute([QEMU, str(binary)])
    if status != 0:
        return [f"seed {seed}: qemu ends with {status} {errors}"], 0
    complaints, retired = [], 0
    timed = [core_shapes.arguments(shape) for shape in core_shapes.SHAPES] if options.timed else []
    for extra in [[]] + [["--slice", str(n)] for n in options.slice] + timed:
        ours, status, errors = execute([options.runner, "--speed", *extra, str(binary)])
        retired += int((re.search(r"(\d+) instructions", errors) or ["", "0"])[1])
        if status != 0 or ours != theirs:
            why = f"status {status}: {errors}; " if status != 0 else ""
            complaints.append(f"seed {seed} {' '.join(extra)}: {why}{difference(ours, theirs, blocks)}")
    if complaints and options.keep:
        pathlib.Path(options.keep).mkdir(parents=True, exist_ok=True)
        shutil.copy(source, options.keep)
    return complaints, retired


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runner", required=True)
    parser.add_argument("--seeds", default="0:1", help="A:B, B excluded")
    parser.add_argument("--blocks", type=int, default=100)
    parser.add_argument("--length", type=int, default=60)
    parser.add_argument("--rounds", type=int, default=40)
    parser.add_argument("--slice", type=int, action="append", default=[])
    parser.add_argument("--timed", action="store_true")
    parser.add_argument("--keep")
    options = parser.parse_args()
    if shutil.which(COMPILER) is None or shutil.which(QEMU) is None:
        print(f"random_instructions.py: skipped, needs {COMPILER} and {QEMU}")
        return 77
    rows = table()
    first, last = (int(n) for n in options.seeds.split(":"))
    bad = total = 0
    with tempfile.TemporaryDirectory(prefix="duet-rv64-random-") as folder:
        for seed in range(first, last):
            complaints, retired = check(seed, options, rows, pathlib.Path(folder))
            total += retired
            bad += bool(complaints)
            print("\n".join(complaints), end="\n" if complaints else "")
    print(f"{last - first} programs, {total} instructions executed, {bad} programs differ")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
