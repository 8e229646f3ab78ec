#!/usr/bin/env python3
"""Random PTX kernels whose results are defined: the same seed gives the same kernel, and every correct machine the same bytes.

Free of races by construction: a thread writes cells of its own only (two layouts of global memory, shared memory, local memory) and
reads these, inputs that nobody writes, and between two barriers what other threads of its block wrote before them. Atomics on cells
that threads share use one order-free operation a cell, and their result is dropped. Barriers and warp-wide instructions stand where all
threads pass; lanes leave early only after the last of them. Loops end: a counter of at most seven, taken from data.

Usage: generate.py SEED prints the kernel; its first lines are the arguments of `duet run`.
"""

import random as random_module
import re
import sys

import operations

INPUT_BYTES = 4096       # of each of the two inputs
CELL_BYTES = 64          # of a thread, in each layout
SWAP_BYTES = 16          # of a thread, in shared and in global memory, that its block reads
FINAL_BYTES = 256        # of a thread: its registers at the end
SHARED_BASE = 256        # accumulators lie in front of the threads' cells
REGISTERS = {"h": 6, "r": 12, "d": 8, "f": 6, "e": 5, "p": 5}
SHAPES = [((32, 1, 1), 4), ((64, 1, 1), 2), ((8, 8, 1), 2), ((128, 1, 1), 2), ((96, 1, 1), 1), ((4, 4, 2), 3), ((48, 1, 1), 2),
          ((17, 3, 1), 2), ((5, 4, 3), 1), ((33, 1, 1), 3), ((1, 1, 1), 4), ((256, 1, 1), 1)]
ACCUMULATORS = ["add.u32", "add.u64", "min.u32", "min.s32", "max.u32", "max.s32", "max.u64", "min.s64", "and.b32", "or.b32",
                "xor.b32", "and.b64", "or.b64", "xor.b64", "min.u64", "max.s64", "inc.u32", "dec.u32"]
# On a cell that no other thread knows the order is the program's, so anything goes.
OWN_ATOMICS = ["exch.b32", "exch.b64", "cas.b16", "cas.b32", "cas.b64", "add.f32", "add.f64", "add.noftz.f16", "add.noftz.f16x2",
               "add.noftz.bf16", "add.noftz.bf16x2", "add.s32"]

FUNCTIONS = """.func (.param .b32 result) mix(.param .b32 a, .param .b64 b)
{
  .reg .b32 %x<4>; .reg .b64 %y; .reg .pred %odd;
  ld.param.b32 %x0, [a];
  ld.param.b64 %y, [b];
  cvt.u32.u64 %x1, %y;
  and.b32 %x2, %x0, 1;
  setp.ne.u32 %odd, %x2, 0;
  @%odd bra other;
  mad.lo.u32 %x0, %x0, 1664525, %x1;
  bra done;
other:
  xor.b32 %x0, %x0, %x1;
  shr.u32 %x0, %x0, 1;
done:
  st.param.b32 [result], %x0;
  ret;
}
.func (.param .b32 result) twice(.param .b32 a, .param .b64 b)
{
  .reg .b32 %x<6>; .reg .b64 %y; .reg .pred %again, %odd;
  ld.param.b32 %x0, [a];
  ld.param.b64 %y, [b];
  and.b32 %x1, %x0, 3;
turn:
  and.b32 %x2, %x0, 2;
  setp.eq.u32 %odd, %x2, 0;
  @%odd bra past;
  {
  .param .b32 first; .param .b64 second; .param .b32 back;
  st.param.b32 [first], %x0;
  st.param.b64 [second], %y;
  call (back), mix, (first, second);
  ld.param.b32 %x3, [back];
  }
  xor.b32 %x0, %x0, %x3;
past:
  add.u32 %x0, %x0, 0x9E3779B9;
  shf.l.wrap.b32 %x0, %x0, %x0, 7;
  setp.ne.u32 %again, %x1, 0;
  sub.u32 %x1, %x1, 1;
  @%again bra turn;
  st.param.b32 [result], %x0;
  ret;
}
"""


class Kernel:
    def __init__(self, seed):
        self.random = random_module.Random(seed)
        self.lines = []
        self.labels = 0
        self.counters = 0
        self.loops = []           # (label of the end, label of the next turn)
        self.may_exit = False     # lanes may leave
        self.may_write_swap = True
        self.may_add_shared = True
        self.statements_left = 0
        self.block, blocks = self.random.choice(SHAPES)
        self.grid = self.random.choice([(blocks, 1, 1), (1, blocks, 1), (1, 1, 1)])
        self.block_threads = self.block[0] * self.block[1] * self.block[2]
        self.threads = self.block_threads * self.grid[0] * self.grid[1]
        self.accumulators = [self.random.choice(ACCUMULATORS) for _ in range(8)]
        self.shared_accumulators = [self.random.choice(ACCUMULATORS) for _ in range(4)]
        self.generate()

    # ---- text ----
    def emit(self, text):
        self.lines.append("  " + text + ";")

    def label(self):
        self.labels += 1
        return f"L{self.labels}"

    def place(self, label):
        self.lines.append(label + ":")

    def register(self, register_class):
        return f"%{register_class}{self.random.randrange(REGISTERS[register_class])}"

    def guard(self):
        return f"@{self.random.choice(['', '!'])}{self.register('p')} "

    def fill(self, template):
        destinations = set()

        def operand(match):
            destination, source, immediate = match.groups()
            if destination:
                name = self.register(destination)
                while name in destinations:
                    name = self.register(destination)
                destinations.add(name)
                return name
            if immediate and self.random.random() < 0.4:
                return operations.immediate(self.random, immediate)
            return self.register(source)

        # A predicated instruction must not change its own guard half-way.
        guard = self.guard() if self.random.random() < 0.15 and ">p" not in template else ""
        for part in template.split(";"):
            destinations.clear()
            self.emit(guard + re.sub(r">([hrdfep])|\$([hrdfep])(?:\|([a-z0-9<]+))?", operand, part.strip()))

    # ---- memory ----
    def own_cell(self, bytes_needed):
        """An address in memory of this thread, (space, generic base or None, address text), aligned for an access."""
        spaces = ["cell", "cell", "spread", "spread", "local"] + (["shared", "swap"] if self.may_write_swap else [])
        where = self.random.choice(spaces)
        size = {"cell": CELL_BYTES, "spread": 8, "local": CELL_BYTES, "shared": SWAP_BYTES, "swap": SWAP_BYTES}[where]
        if bytes_needed > size:
            where, size = "cell", CELL_BYTES
        space = {"cell": "global", "spread": "global", "local": "local", "shared": "shared", "swap": "global"}[where]
        offset = self.random.randrange(0, size, bytes_needed)
        if where == "spread":
            return space, f"[%spread+{self.random.randrange(CELL_BYTES // 8) * 8 * self.threads + offset}]"
        base = {"cell": "%cell", "local": "%stack", "shared": "%tile", "swap": "%swap"}[where]
        if self.random.random() < 0.2:
            space, base = "", base + ("_generic" if space != "global" else "")
        if self.random.random() < 0.35 and size > bytes_needed:
            return space, self.dynamic(base, size - bytes_needed & ~(bytes_needed - 1))
        return space, f"[{base}+{offset}]" if offset else f"[{base}]"

    def dynamic(self, base, mask, offset=0):
        """[base + (a register & mask)]."""
        self.emit(f"and.b32 %at32, {self.register('r')}, {mask}")
        self.emit("cvt.u64.u32 %at, %at32")
        self.emit(f"add.u64 %at, %at, {base}")
        return f"[%at+{offset}]" if offset else "[%at]"

    def access(self):
        """(suffix, class, bytes) of a load or a store, narrow types in wider registers too."""
        return self.random.choice([("u8", "h", 1), ("s8", "h", 1), ("u8", "r", 1), ("s8", "r", 1), ("u16", "h", 2), ("s16", "r", 2),
                                   ("b16", "h", 2), ("u32", "r", 4), ("s32", "r", 4), ("b32", "f", 4), ("f32", "f", 4),
                                   ("u32", "d", 4), ("s32", "d", 4), ("u64", "d", 8), ("b64", "d", 8), ("f64", "e", 8)])

    def shape(self, writes):
        """A vector or scalar access: (modifiers, operand text, bytes)."""
        suffix, register_class, size = self.access()
        count = self.random.choice([1, 1, 1, 2, 2, 4])
        if count * size > 16:
            count = 1
        if count == 1:
            return "." + suffix, self.register(register_class), size
        names = [self.register(register_class) for _ in range(count)]
        if not writes:
            numbers = self.random.sample(range(REGISTERS[register_class]), count)
            names = [f"%{register_class}{n}" for n in numbers]
        return f".v{count}.{suffix}", "{" + ", ".join(names) + "}", size * count

    @staticmethod
    def in_space(space):
        return "." + space if space else ""

    def load_own(self):
        modifiers, operand, size = self.shape(writes=False)
        space, address = self.own_cell(size)
        # A vector load whose address register is overwritten by it does not exist here: addresses have registers of their own.
        cache = self.random.choice(["", "", "", ".volatile"]) if "v" not in modifiers and space != "local" else ""
        if cache == "" and space == "global":
            cache_operator = self.random.choice(["", "", ".ca", ".cg", ".cv"])
            return self.emit(f"{self.maybe_guard()}ld.global{cache_operator}{modifiers} {operand}, {address}")
        self.emit(f"{self.maybe_guard()}ld{cache}{self.in_space(space)}{modifiers} {operand}, {address}")

    def store_own(self):
        modifiers, operand, size = self.shape(writes=True)
        space, address = self.own_cell(size)
        cache = self.random.choice(["", "", ".wb", ".cg", ".wt"]) if space == "global" else ""
        modifiers = modifiers.replace(".s", ".u") if self.random.random() < 0.5 else modifiers
        self.emit(f"{self.maybe_guard()}st{self.in_space(space)}{cache}{modifiers} {address}, {operand}")

    def maybe_guard(self):
        return self.guard() if self.random.random() < 0.2 else ""

    def wide(self):
        """256 bits of the thread's own cell or of an input."""
        suffix, register_class, count = self.random.choice([("v8.b32", "r", 8), ("v8.u32", "r", 8), ("v4.b64", "d", 4), ("v4.u64", "d", 4), ("v4.f64", "e", 4)])
        numbers = self.random.sample(range(REGISTERS[register_class]), count)
        names = [f"%{register_class}{n}" for n in numbers]
        if self.random.random() < 0.5:
            return self.emit(f"{self.maybe_guard()}st.global.{suffix} [%cell+{self.random.choice([0, 32])}], {{{', '.join(names)}}}")
        names = [name if self.random.random() < 0.9 else "_" for name in names]
        where = self.random.choice(["%cell", "%cell+32", f"%in0+{32 * self.random.randrange(INPUT_BYTES // 32)}"])
        self.emit(f"{self.maybe_guard()}ld.global.{suffix} {{{', '.join(names)}}}, [{where}]")

    def load_store_load(self):
        """v = a[i]; a[i] = x; w = a[i], with accesses of different widths that overlap."""
        space, address = "global", f"[%cell+{self.random.randrange(0, CELL_BYTES, 8)}]"
        if self.random.random() < 0.4:
            address = f"[%spread+{self.random.randrange(CELL_BYTES // 8) * 8 * self.threads}]"
        for kind in self.random.choice([["ld", "st", "ld"], ["st", "ld"], ["st", "st", "ld", "ld"], ["ld", "st", "st", "ld"]]):
            suffix, register_class, size = self.access()
            narrow = self.random.randrange(0, 8, size)
            text = address.replace("]", f"+{narrow}]") if "+" not in address else re.sub(
                r"\+(\d+)\]", lambda m: f"+{int(m.group(1)) + narrow}]", address)
            register = self.register(register_class)
            operands = f"{register}, {text}" if kind == "ld" else f"{text}, {register}"
            self.emit(f"{self.maybe_guard()}{kind}.{space}.{suffix} {operands}")

    def load_input(self):
        modifiers, operand, size = self.shape(writes=False)
        where = self.random.choice(["in0", "in0", "in1", "const", "table", "param"])
        if where == "param":
            return self.emit(self.random.choice([f"ld.param.u32 {self.register('r')}, [n]", f"ld.param.s64 {self.register('d')}, [x]",
                                                 f"ld.param.f32 {self.register('f')}, [y]", f"ld.param.u16 {self.register('h')}, [n]"]))
        mask = {"in0": INPUT_BYTES, "in1": INPUT_BYTES, "const": 256, "table": 256}[where] - size
        mask &= ~(size - 1)
        if where in ("const", "table"):
            space = "const" if where == "const" else "global"
            if self.random.random() < 0.4:
                address = f"[{where}_bytes+{self.random.randrange(0, 256, size)}]"
            else:
                address = self.dynamic(f"%{where}", mask)
            return self.emit(f"{self.maybe_guard()}ld.{space}{modifiers} {operand}, {address}")
        cache = self.random.choice(["", "", ".nc", ".ca", ".cg", ".cs"])
        if self.random.random() < 0.3:
            address = f"[%{where}+{self.random.randrange(0, INPUT_BYTES, size)}]"
        else:
            address = self.dynamic(f"%{where}", mask)
        self.emit(f"{self.maybe_guard()}ld.global{cache}{modifiers} {operand}, {address}")

    def atomic(self):
        kind = self.random.random()
        if kind < 0.45:
            index = self.random.randrange(len(self.accumulators))
            self.accumulate("global", f"[%sums+{8 * index}]", self.accumulators[index])
        elif kind < 0.65 and self.may_add_shared:
            index = self.random.randrange(len(self.shared_accumulators))
            self.accumulate("shared", f"[tile_bytes+{8 * index}]", self.shared_accumulators[index])
        else:  # on a cell of its own, whose result is defined
            operation = self.random.choice(ACCUMULATORS + OWN_ATOMICS)
            size = 8 if operation.endswith("64") else 2 if operation.endswith("16") else 4
            space, address = self.own_cell(size)
            if space == "local" or "%stack" in address:
                space, address = "global", f"[%cell+{self.random.randrange(0, CELL_BYTES, size)}]"
            register_class = {".f32": "f", ".f64": "e"}.get(operation[-4:]) or {2: "h", 4: "r", 8: "d"}[size]
            extra = f", {self.register(register_class)}" if operation.startswith("cas") else ""
            if space == "" and "%at" in address:
                space, address = "global", f"[%cell+{self.random.randrange(0, CELL_BYTES, size)}]"
            self.emit(f"{self.maybe_guard()}atom{self.in_space(space)}.{operation} {self.register(register_class)}, {address}, "
                      f"{self.register(register_class)}{extra}")

    def accumulate(self, space, address, operation):
        register_class = "d" if operation.endswith("64") else "r"
        # Counting up or down to a bound is free of order only where all agree on the bound.
        operand = "1000003" if operation[:3] in ("inc", "dec") else self.register(register_class)
        if self.random.random() < 0.5:
            self.emit(f"{self.maybe_guard()}red.{space}.{operation} {address}, {operand}")
        else:
            unused = "%unused_d" if register_class == "d" else "%unused_r"
            self.emit(f"{self.maybe_guard()}atom.{space}.{operation} {unused}, {address}, {operand}")

    # ---- statements ----
    def arithmetic(self):
        weights = [weight for weight, _ in operations.GROUPS]
        group = self.random.choices(operations.GROUPS, weights)[0][1]
        self.fill(self.random.choice(group))

    def statement(self, depth):
        self.statements_left -= 1
        kind = self.random.random()
        if depth > 0 and kind < 0.16:
            self.random.choice([self.branch, self.branch, self.loop, self.loop, self.switch, self.crossing, self.nested_guard])(depth - 1)
        elif kind < 0.26:
            self.store_own()
        elif kind < 0.36:
            self.load_own()
        elif kind < 0.42:
            self.load_input()
        elif kind < 0.45:
            self.load_store_load()
        elif kind < 0.46:
            self.wide()
        elif kind < 0.50:
            self.atomic()
        elif kind < 0.51:
            self.emit(self.random.choice(operations.FENCES))
        elif kind < 0.53:
            self.call()
        elif kind < 0.55 and self.loops:
            self.emit(f"{self.guard()}bra {self.random.choice(self.random.choice(self.loops))}")
        elif kind < 0.56 and self.may_exit:
            self.emit(f"{self.guard()}{self.random.choice(['exit', 'ret'])}")
        else:
            self.arithmetic()

    def statements(self, depth, most=6):
        for _ in range(self.random.randint(1, most)):
            if self.statements_left > 0:
                self.statement(depth)

    def compare(self):
        """A fresh predicate from data, so that lanes go different ways."""
        self.fill(self.random.choice(["setp.lt.s32 >p, $r, $r|s32", "setp.ne.u32 >p, $r, $r|u32", "setp.gt.u64 >p, $d, $d|u64",
                                      "setp.lt.f32 >p, $f, $f|f32", "and.b32 %at32, $r, 1; setp.eq.u32 >p, %at32, 0"]))

    def branch(self, depth):
        otherwise, end = self.label(), self.label()
        if self.random.random() < 0.7:
            self.compare()
        self.emit(f"{self.guard()}bra {otherwise}")
        self.statements(depth)
        if self.random.random() < 0.6:
            self.emit(f"bra{self.random.choice(['', '.uni'])} {end}")
            self.place(otherwise)
            self.statements(depth)
        else:
            self.place(otherwise)
        self.place(end)

    def nested_guard(self, depth):
        """A block under a condition that few lanes take."""
        end = self.label()
        self.emit(f"and.b32 %at32, {self.register('r')}, 31")
        self.emit(f"setp.ne.u32 %skip, %at32, {self.random.randrange(32)}")
        self.emit(f"@%skip bra {end}")
        self.statements(depth, 4)
        self.place(end)

    def loop(self, depth):
        top, again, end = self.label(), self.label(), self.label()
        counter = f"%n{self.counters}"
        self.counters += 1
        self.emit(f"and.b32 {counter}, {self.register('r')}, {7 if not self.loops else 3}")
        self.place(top)
        tests_first = self.random.random() < 0.5
        if tests_first:
            self.emit(f"setp.eq.u32 %skip, {counter}, 0")
            self.emit(f"@%skip bra {end}")
        self.loops.append((end, again))
        self.statements(depth)
        self.loops.pop()
        self.place(again)
        if tests_first:
            self.emit(f"sub.u32 {counter}, {counter}, 1")
            self.emit(f"bra {top}")
        else:
            self.emit(f"setp.ne.u32 %skip, {counter}, 0")
            self.emit(f"sub.u32 {counter}, {counter}, 1")
            self.emit(f"@%skip bra {top}")
        self.place(end)

    def switch(self, depth):
        ways = self.random.choice([2, 4])
        targets, table, end = [self.label() for _ in range(ways)], self.label(), self.label()
        self.emit(f"and.b32 %at32, {self.register('r')}, {ways - 1}")
        self.lines.append(f"{table}: .branchtargets {', '.join(targets)};")
        self.emit(f"brx.idx %at32, {table}")
        for target in targets:
            self.place(target)
            self.statements(depth, 3)
            if self.random.random() < 0.8:
                self.emit(f"bra {end}")
        self.place(end)

    def crossing(self, depth):
        """Two forward branches that cross: no structure of ifs has this graph."""
        first, second = self.label(), self.label()
        self.emit(f"{self.guard()}bra {first}")
        self.statements(depth, 3)
        self.compare()
        self.emit(f"{self.guard()}bra {second}")
        self.statements(depth, 3)
        self.place(first)
        self.statements(depth, 3)
        self.place(second)

    def call(self):
        self.lines.append("  {")
        self.lines.append("  .param .b32 a; .param .b64 b; .param .b32 result;")
        self.emit(f"st.param.b32 [a], {self.register('r')}")
        self.emit(f"st.param.b64 [b], {self.register('d')}")
        self.emit(f"call (result), {self.random.choice(['mix', 'mix', 'twice'])}, (a, b)")
        self.emit(f"ld.param.b32 {self.register('r')}, [result]")
        self.lines.append("  }")

    # ---- the whole block ----
    def barrier(self):
        self.fill_unguarded(self.random.choice(operations.BLOCK_OPERATIONS))

    def plain_barrier(self):
        self.emit(self.random.choice(["bar.sync 0", "barrier.sync 0", f"bar.sync 1, {(self.block_threads + 31) // 32 * 32}"]))

    def exchange(self):
        """Each thread writes its cell of shared and of global memory; behind the barrier it reads those of others."""
        for space, base in [("shared", "%tile"), ("global", "%swap")]:
            if self.random.random() < 0.8:
                modifiers, operand, size = self.shape(writes=True)
                offset = self.random.randrange(0, SWAP_BYTES, size)
                self.emit(f"st.{space}{modifiers} [{base}+{offset}], {operand}")
        self.plain_barrier()
        self.may_write_swap = False
        for _ in range(self.random.randint(1, 4)):
            modifiers, operand, size = self.shape(writes=False)
            self.emit(f"add.u32 %at32, {self.register('r')}, {self.random.randrange(self.block_threads)}")
            self.emit(f"rem.u32 %at32, %at32, {self.block_threads}")
            self.emit(f"mul.wide.u32 %at, %at32, {SWAP_BYTES}")
            space, base = self.random.choice([("shared", "%tiles"), ("global", "%swaps")])
            self.emit(f"add.u64 %at, %at, {base}")
            offset = self.random.randrange(0, SWAP_BYTES, size)
            self.emit(f"{self.maybe_guard()}ld.{space}{modifiers} {operand}, [%at+{offset}]")
            if self.random.random() < 0.3:
                self.statements(1, 3)
        self.plain_barrier()
        self.may_write_swap = True

    def together(self, budget):
        """Statements that all threads of the block reach."""
        self.statements_left = budget
        while self.statements_left > 0:
            kind = self.random.random()
            if kind < 0.12:
                self.statements_left -= 4
                self.exchange()
            elif kind < 0.15:
                self.statements_left -= 1
                self.barrier()
            elif kind < 0.22 and self.block_threads % 32 == 0:
                self.statements_left -= 1
                self.emit("bar.warp.sync 0xffffffff")
                self.fill_unguarded(self.random.choice(operations.WARP_OPERATIONS))
            elif kind < 0.24 and self.counters < 40:
                self.uniform_loop()
            else:
                self.statement(3)

    def fill_unguarded(self, template):
        while True:
            length = len(self.lines)
            self.fill(template)
            if not self.lines[-1].lstrip().startswith("@"):
                return
            del self.lines[length:]

    def uniform_loop(self):
        top = self.label()
        counter = f"%n{self.counters}"
        self.counters += 1
        self.emit(f"mov.u32 {counter}, {self.random.randint(1, 3)}")
        self.place(top)
        budget = self.statements_left
        self.exchange()
        self.statements_left = min(budget, 4)
        self.statements(2, 4)
        self.statements_left = budget - 8
        self.emit(f"sub.u32 {counter}, {counter}, 1")
        self.emit(f"setp.ne.u32 %skip, {counter}, 0")
        self.emit(f"@%skip bra {top}")

    def prologue(self):
        for axis in "xyz":
            self.emit(f"mov.u32 %t{axis}, %tid.{axis}")
        self.emit(f"mad.lo.u32 %tid0, %ty, {self.block[0]}, %tx")
        self.emit(f"mad.lo.u32 %tid0, %tz, {self.block[0] * self.block[1]}, %tid0")
        self.emit("mov.u32 %ctaid0, %ctaid.x")
        self.emit("mov.u32 %at32, %ctaid.y")
        self.emit(f"mad.lo.u32 %ctaid0, %at32, {self.grid[0]}, %ctaid0")
        self.emit(f"mad.lo.u32 %gtid, %ctaid0, {self.block_threads}, %tid0")
        for name in ["in0", "in1", "cell", "spread", "swaps", "sums", "final"]:
            self.emit(f"ld.param.u64 %{name}, [{name}]")
        self.emit("mov.u64 %const, const_bytes")
        self.emit("mov.u64 %table, table_bytes")
        self.emit(f"mul.wide.u32 %at, %gtid, {CELL_BYTES}")
        self.emit("add.u64 %cell, %cell, %at")
        self.emit("mul.wide.u32 %at, %gtid, 8")
        self.emit("add.u64 %spread, %spread, %at")
        self.emit(f"mul.lo.u32 %at32, %ctaid0, {self.block_threads * SWAP_BYTES}")
        self.emit("cvt.u64.u32 %at, %at32")
        self.emit("add.u64 %swaps, %swaps, %at")
        self.emit(f"mul.wide.u32 %at, %tid0, {SWAP_BYTES}")
        self.emit("add.u64 %swap, %swaps, %at")
        self.emit("mov.u64 %tiles, tile_bytes")
        self.emit(f"add.u64 %tiles, %tiles, {SHARED_BASE}")
        self.emit("add.u64 %tile, %tiles, %at")
        self.emit("cvta.shared.u64 %tile_generic, %tile")
        self.emit("mov.u64 %stack, stack_bytes")
        self.emit("cvta.local.u64 %stack_generic, %stack")
        # The lanes of a warp in three groups, each of which knows itself.
        self.emit("mov.u32 %at32, %laneid")
        self.emit("setp.lt.u32 %skip, %at32, 8")
        self.emit("selp.b32 %group, 0x000000ff, 0x0fffff00, %skip")
        self.emit("setp.gt.u32 %skip, %at32, 27")
        self.emit("selp.b32 %group, 0xf0000000, %group, %skip")
        for offset in range(0, CELL_BYTES, 8):
            self.emit(f"st.local.u64 [%stack+{offset}], %at")
        self.emit("st.shared.v2.u64 [%tile], {%at, %at}")
        self.emit("setp.lt.u32 %skip, %tid0, 4")
        self.emit("shl.b32 %at32, %tid0, 3")
        self.emit("cvt.u64.u32 %at, %at32")
        self.emit("mov.u64 %unused_d, tile_bytes")
        self.emit("add.u64 %at, %at, %unused_d")
        self.emit("mov.u64 %unused_d, 81985529216486895")
        self.emit("@%skip st.shared.u64 [%at], %unused_d")
        # The block's first thread clears those of threads that a small block does not have.
        self.emit("setp.eq.u32 %skip, %tid0, 0")
        for index in range(len(self.shared_accumulators)):
            if index >= self.block_threads:
                self.emit(f"@%skip st.shared.u64 [tile_bytes+{8 * index}], %unused_d")
        for register_class, suffix, size in [("h", "u16", 2), ("r", "u32", 4), ("d", "u64", 8), ("f", "f32", 4), ("e", "f64", 8)]:
            for number in range(REGISTERS[register_class]):
                source = "%in1" if register_class == "f" or self.random.random() < 0.2 else "%in0"
                self.emit(f"mad.lo.u32 %at32, %gtid, {size * self.random.randrange(1, 64, 2)}, {size * self.random.randrange(64)}")
                self.emit(f"and.b32 %at32, %at32, {(INPUT_BYTES - size) & ~(size - 1)}")
                self.emit("cvt.u64.u32 %at, %at32")
                self.emit(f"add.u64 %at, %at, {source}")
                self.emit(f"ld.global.{suffix} %{register_class}{number}, [%at]")
        self.emit("mov.u32 %r0, %gtid")
        self.emit("mov.u32 %r1, %laneid")
        self.emit("ld.param.u32 %r2, [n]")
        self.emit("and.b32 %r3, %r3, 15")
        self.emit("cvt.rn.f32.u32 %f0, %gtid")
        self.emit("cvt.f64.f32 %e0, %f1")
        for number in range(REGISTERS["p"]):
            self.emit(f"and.b32 %at32, %r{number + 4}, {1 << number}")
            self.emit(f"setp.ne.u32 %p{number}, %at32, 0")
        self.emit("bar.sync 0")

    def epilogue(self):
        self.emit(f"mul.wide.u32 %at, %gtid, {FINAL_BYTES}")
        self.emit("add.u64 %final, %final, %at")
        offset = 0
        for register_class, suffix, size in [("d", "u64", 8), ("e", "f64", 8), ("r", "u32", 4), ("f", "f32", 4), ("h", "u16", 2)]:
            for number in range(REGISTERS[register_class]):
                self.emit(f"st.global.{suffix} [%final+{offset}], %{register_class}{number}")
                offset += size
        for number in range(REGISTERS["p"]):
            self.emit(f"selp.u32 %at32, 1, 0, %p{number}")
            self.emit(f"st.global.u8 [%final+{offset}], %at32")
            offset += 1
        for number in range(CELL_BYTES // 8 // 2):
            self.emit(f"ld.local.u64 %unused_d, [%stack+{16 * number}]")
            self.emit("xor.b64 %d0, %d0, %unused_d")
        self.emit(f"st.global.u64 [%final+{offset + 7 & ~7}], %d0")

    def generate(self):
        self.prologue()
        self.together(self.random.choice([15, 40, 80]))
        # Nothing is added to the accumulators of the block any more: all threads read them.
        self.emit("bar.sync 0")
        self.may_add_shared = False
        for index in range(len(self.shared_accumulators)):
            self.emit(f"ld.shared.u64 %unused_d, [tile_bytes+{8 * index}]")
            self.emit(f"xor.b64 %d{index}, %d{index}, %unused_d")
        self.may_exit = self.random.random() < 0.5
        self.statements_left = self.random.choice([0, 10, 30])
        while self.statements_left > 0:
            self.statement(3)
        self.epilogue()
        self.emit("ret")

    def function(self):
        """A function with a branch of its own, and one with a loop in which some lanes call it."""
        return FUNCTIONS

    def bytes_list(self):
        return ", ".join(str(self.random.getrandbits(8)) for _ in range(256))

    def text(self):
        registers = "".join(f"  .reg {operations.DIRECTIVE[c]} %{c}<{n}>;\n" for c, n in REGISTERS.items())
        names = "in0 in1 cell spread swaps sums final".split()
        parameters = ", ".join([f".param .u64 {n}" for n in names] + [".param .u32 n", ".param .s64 x", ".param .f32 y"])
        return (f".version 8.6\n.target sm_100\n.address_size 64\n"
                f".const .align 16 .b8 const_bytes[256] = {{{self.bytes_list()}}};\n"
                f".global .align 16 .b8 table_bytes[256] = {{{self.bytes_list()}}};\n{self.function()}"
                f".visible .entry k({parameters})\n{{\n{registers}"
                f"  .reg .b16 %odd_h; .reg .b32 %odd_r; .reg .b64 %odd_d; .reg .pred %skip;\n"
                f"  .reg .b32 %n<{self.counters + 1}>; .reg .b32 %tx, %ty, %tz, %tid0, %ctaid0, %gtid, %at32, %unused_r, %group;\n"
                f"  .reg .b64 %at, %unused_d, %tile, %tiles, %tile_generic, %stack, %stack_generic, %const, %table, %swap;\n"
                f"  .reg .b64 {', '.join('%' + n for n in names)};\n"
                f"  .shared .align 16 .b8 tile_bytes[{SHARED_BASE + SWAP_BYTES * self.block_threads}];\n"
                f"  .local .align 16 .b8 stack_bytes[{CELL_BYTES}];\n" + "\n".join(self.lines) + "\n}\n")

    def buffers(self):
        """Positions of the arguments that the kernel writes."""
        return [2, 3, 4, 5, 6]

    def arguments(self):
        """What stands behind `duet run FILE`, without the dumps."""
        sizes = [CELL_BYTES * self.threads, CELL_BYTES * self.threads, SWAP_BYTES * self.threads, 8 * len(self.accumulators),
                 FINAL_BYTES * self.threads]
        values = [f"buffer:{INPUT_BYTES}=random_u32", f"buffer:{INPUT_BYTES}=random_f32", f"buffer:{sizes[0]}=iota_u32",
                  f"buffer:{sizes[1]}=random_u32", f"buffer:{sizes[2]}=random_u32", f"buffer:{sizes[3]}=random_u32", f"buffer:{sizes[4]}",
                  f"u32:{self.random.getrandbits(32)}", f"s64:{self.random.getrandbits(62)}", "f32:1.625"]
        # A kernel keeps some fifty values alive, and more as it is written: nothing spills, so the machine must have the room.
        words = ["--set", "gpu.sm.max_registers_per_thread=255", "--set", "gpu.sm.registers=262144", "--kernel", "k", "--grid", ",".join(map(str, self.grid)), "--block", ",".join(map(str, self.block))]
        for value in values:
            words += ["--arg", value]
        return words


def kernel(seed):
    """(PTX text with the command line as a comment, arguments for duet run, positions of the buffers to compare)."""
    made = Kernel(seed)
    text = made.text()
    arguments = made.arguments()
    return f"// seed {seed}: duet run FILE {' '.join(arguments)}\n{text}", arguments, made.buffers()


if __name__ == "__main__":
    print(kernel(int(sys.argv[1]))[0])
