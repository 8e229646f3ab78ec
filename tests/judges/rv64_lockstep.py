#!/usr/bin/env python3
"""Duet's RV64GC beside qemu-riscv64: the same registers, at the same instruction, all the way through a program.

Usage: rv64_lockstep.py --target rv64_lockstep_target [--short] [--instructions N] [--seed S] [PROGRAM ...]

Both begin with the same memory and registers: those that qemu has at the program's first instruction (Duet loads the file itself;
that is compared). qemu then runs freely, with a plugin that counts instructions, until a signal from here stops it at some place.
Duet executes as many instructions, in blocks, and all integer and floating-point registers, fcsr and pc must be equal. At places
drawn by chance both go on by single steps for a while. Every ecall is such a place too: what the call is and its arguments are
registers, so the order of calls is compared with them. The call itself is made once, by qemu; its result, and what it has written,
are given to both, so addresses, time and random bytes cannot differ. Whether Duet's own calls are right is for
tests/rv64/process_test.py and files_test.py. All memory that the program can write is compared now and then, and before it ends.

Not compared: threads (qemu interleaves them by chance), signals, and programs that read a counter or the time by an instruction.
A line a program: instructions, states compared, single steps, calls, bytes of memory. Without PROGRAM: those of tests/rv64,
compiled here; with --short for a minute, and by day (tests/whole.py) without the one that takes most of it, at
fewer places. Exit status: 1 where something differs, 77 without qemu-riscv64 (with plugins) or riscv64-linux-gnu-gcc.
"""
import argparse
import mmap
import os
import pathlib
import random
import re
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
from whole import WHOLE  # noqa: E402

RV64 = HERE.parent / "rv64"
ECALL = b"\x73\x00\x00\x00"
PAGE = 4096
STACK_BYTES = 8 << 20
ADDRESS_END = 1 << 38  # of user memory, as Duet has it (Sv39)
NAMES = ["pc", *(f"x{i}" for i in range(1, 32)), *(f"f{i}" for i in range(32)), "fcsr"]
A0, A7 = 10, 17
WINDOW_STEPS = 30
STOP_SECONDS = (0.002, 0.02)  # between two places that are drawn
ENOUGH_SECONDS = 20  # for one stop


class Difference(Exception):
    pass


class Qemu:
    """A program under qemu-riscv64, by the remote protocol of GDB."""

    def __init__(self, qemu, plugin, folder, program, arguments):
        self.count_file = folder / "count"
        self.count_file.write_bytes(bytes(PAGE))
        with open(self.count_file, "r+b") as file:
            self.counter = mmap.mmap(file.fileno(), PAGE)
        path = folder / "gdb"
        self.process = subprocess.Popen([qemu, "-R", hex(ADDRESS_END), "-g", str(path), "-plugin", f"{plugin},count={self.count_file}", str(program), *arguments],
                                        cwd=folder, env={}, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        self.socket = socket.socket(socket.AF_UNIX)
        for _ in range(500):
            try:
                self.socket.connect(str(path))
                break
            except OSError:
                if self.process.poll() is not None:
                    raise RuntimeError(self.process.stderr.read().decode())
                time.sleep(0.01)
        self.socket.settimeout(ENOUGH_SECONDS)
        self.received = b""
        self.call(b"?")
        features = b""
        while (part := self.call(b"qXfer:features:read:riscv-csr.xml:%x,800" % len(features)))[:1] in (b"m", b"l"):
            features += part[1:]
            if part[:1] == b"l":
                break
        found = re.search(rb'name="fcsr"[^>]*regnum="(\d+)"', features)
        number = int(found.group(1)) if found else None
        if number is None:  # numbered from the first on
            first = int(re.search(rb'regnum="(\d+)"', features).group(1))
            names = re.findall(rb'name="(\w+)"', features.split(b"<reg", 1)[1])
            number = first + names.index(b"fcsr")
        self.wanted = [b"p%x" % n for n in [*range(33, 65), number]]

    def send(self, text):
        self.socket.sendall(b"+$%s#%02x" % (text, sum(text) & 255))

    def receive(self):
        while True:
            begin = self.received.find(b"$")
            end = self.received.find(b"#", begin + 1)
            if begin >= 0 and 0 <= end <= len(self.received) - 3:
                text = self.received[begin + 1:end]
                self.received = self.received[end + 3:]
                return text
            more = self.socket.recv(65536)
            if not more:
                raise RuntimeError("qemu is gone: " + self.process.stderr.read().decode())
            self.received += more

    def call(self, text):
        self.send(text)
        return self.receive()

    def executed(self):
        return struct.unpack("<Q", self.counter[:8])[0]

    def registers(self):
        whole = struct.unpack("<33Q", bytes.fromhex(self.call(b"g").decode()))
        rest = [int.from_bytes(bytes.fromhex(self.call(text).decode()), "little") for text in self.wanted]
        return [whole[32], *whole[1:32], *rest]

    def read(self, address, count):
        """The bytes, or as many as can be read in parts of 1 KiB."""
        data = b""
        while len(data) < count:
            part = self.call(b"m%x,%x" % (address + len(data), min(1024, count - len(data))))
            if part.startswith(b"E") or not part:
                break
            data += bytes.fromhex(part.decode())
        return data

    def break_at(self, address):
        if self.call(b"Z0,%x,4" % address) != b"OK":
            raise RuntimeError("qemu takes no breakpoint")

    def step(self):
        self.stopped(self.call(b"s"))

    def run(self, seconds):
        """Until a breakpoint, or for about this time."""
        self.send(b"c")
        self.socket.settimeout(seconds)
        try:
            text = self.receive()
        except TimeoutError:
            os.kill(self.process.pid, signal.SIGUSR1)
            self.socket.settimeout(ENOUGH_SECONDS)
            text = self.receive()
        self.socket.settimeout(ENOUGH_SECONDS)
        self.stopped(text)

    def stopped(self, text):
        if not text.startswith(b"T") or text[1:3] not in (b"05", b"1e", b"0a"):
            raise Difference(f"qemu's program ended or was stopped by itself: {text.decode()}")

    def end(self):
        self.process.kill()
        self.process.wait()
        self.socket.close()


class Duet:
    def __init__(self, target):
        self.process = subprocess.Popen([target], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def call(self, line):
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()
        answer = self.process.stdout.readline()
        if not answer:
            raise RuntimeError(f"the target has ended at: {line[:80]}")
        return answer.strip()

    def registers(self):
        return [int(word, 16) for word in self.call("get").split()]

    def set_registers(self, values):
        self.call("set " + " ".join(f"{value:x}" for value in values))

    def write(self, address, data):
        for at in range(0, len(data), 65536):
            if self.call(f"write {address + at:x} {data[at:at + 65536].hex()}") != "ok":
                raise Difference(f"memory of qemu's program at {address + at:#x} is not mapped in Duet's")

    def read(self, address, count):
        text = self.call(f"read {address:x} {count:x}")
        return b"" if text == "fault" else bytes.fromhex(text)

    def run(self, count):
        done, why = self.call(f"run {count:x}").split(" ", 1)
        return int(done, 16), why

    def end(self):
        self.process.stdin.close()
        self.process.wait()


def up(address):
    return (address + PAGE - 1) & -PAGE


# What a call has written, by its arguments and its result: (address, bytes), beside what Calls does.
OUTPUTS = {17: lambda a, r: [(a[0], r)], 29: lambda a, r: [(a[2], 60)], 63: lambda a, r: [(a[1], r)], 67: lambda a, r: [(a[1], r)],
           78: lambda a, r: [(a[2], r)], 79: lambda a, r: [(a[2], 128)], 80: lambda a, r: [(a[1], 128)], 101: lambda a, r: [],
           113: lambda a, r: [(a[1], 16)], 114: lambda a, r: [(a[1], 16)], 115: lambda a, r: [], 123: lambda a, r: [(a[2], r)],
           134: lambda a, r: [(a[2], 24)], 135: lambda a, r: [(a[2], 8)], 153: lambda a, r: [(a[0], 32)], 160: lambda a, r: [(a[0], 390)],
           165: lambda a, r: [(a[1], 144)], 169: lambda a, r: [(a[0], 16)], 179: lambda a, r: [(a[0], 112)],
           261: lambda a, r: [(a[3], 16)], 278: lambda a, r: [(a[0], r)]}
NO_OUTPUT = {35, 46, 48, 56, 57, 62, 64, 66, 68, 96, 98, 99, 124, 172, 173, 174, 175, 176, 177, 178, 233, 258, 259, 293, 439}


class Lockstep:
    def __init__(self, options, plugin, folder, program, arguments):
        self.random = random.Random(f"{options.seed} {program.name}")
        self.qemu = Qemu(options.qemu, plugin, folder, program, arguments)
        self.duet = Duet(options.target)
        self.done = self.stops = self.states = self.steps = self.calls = self.memory_bytes = 0
        self.limit = options.instructions
        self.times = 8 if options.short and not WHOLE else 1  # longer between two places
        self.ecalls = set()
        self.writable = {}  # first to end
        self.begin(program)

    def begin(self, program):
        words = [int(word, 16) for word in self.duet.call(f"load {program}").split()]
        self.program_break = words[0]
        registers = self.qemu.registers()
        segments = [words[i:i + 3] for i in range(1, len(words), 3)]
        for first, count, rights in segments:
            data = self.qemu.read(first, count)
            if data != self.duet.read(first, count):
                raise Difference(f"the image differs in the segment at {first:#x}")
            if rights & 2:
                self.writable[first] = first + count
            if rights & 1:
                at = data.find(ECALL)
                while at >= 0:
                    if at % 2 == 0:
                        self.ecalls.add(first + at)
                    at = data.find(ECALL, at + 1)
        for address in self.ecalls:
            self.qemu.break_at(address)
        pointer = registers[2]
        top = pointer & -PAGE
        while self.qemu.read(top, 8):
            top += PAGE
        self.duet.call(f"map {top - STACK_BYTES:x} {STACK_BYTES:x} 6")
        self.duet.write(pointer, self.qemu.read(pointer, top - pointer))
        self.stack_top = top
        self.duet.set_registers(registers)
        self.counted = self.qemu.executed()

    def compare(self):
        """Duet executes what qemu has executed; then both stand at the same place with the same registers."""
        theirs = self.qemu.registers()
        executed = self.qemu.executed()
        wanted, self.counted = executed - self.counted, executed
        did, why = self.duet.run(wanted) if wanted else (0, "budget")
        if did != wanted:
            raise Difference(f"Duet stops after {did} of {wanted} instructions ({why})")
        ours = self.duet.registers()
        self.done += wanted
        self.states += 1
        if ours != theirs:
            raise Difference("; ".join(f"{name} is {a:#x} in Duet, {b:#x} in qemu" for name, a, b in zip(NAMES, ours, theirs) if a != b))
        return ours

    def compare_memory(self, pointer):
        for first, end in [*self.writable.items(), (pointer, self.stack_top)]:
            theirs = self.qemu.read(first, end - first)
            ours = self.duet.read(first, len(theirs))
            self.memory_bytes += len(theirs)
            if ours != theirs:
                at = next((i for i, (a, b) in enumerate(zip(ours, theirs)) if a != b), len(ours))
                raise Difference(f"memory differs at {first + at:#x}")

    def call(self, registers):
        """Both stand at an ecall. qemu makes it; Duet gets what came of it."""
        number = registers[A7]
        arguments = registers[A0:A0 + 6]
        before = self.qemu.executed()
        for _ in range(3):
            self.qemu.step()
            if self.qemu.executed() != before:  # otherwise the signal that was to stop it has come only now
                break
        after = self.qemu.registers()
        self.done += 1
        self.calls += 1
        self.counted = self.qemu.executed()
        if self.counted != before + 1:
            raise RuntimeError(f"a system call counts as {self.counted - before} instructions")
        changed = [NAMES[i] for i in range(len(NAMES)) if after[i] != registers[i] and i not in (0, A0)]
        if changed or after[0] != registers[0] + 4:
            raise Difference(f"system call {number} has changed {changed} in qemu")
        result = after[A0]
        succeeded = result < 2 ** 64 - 4096
        if number in (214, 215, 216, 222, 226):
            self.change_memory(number, arguments, result, succeeded)
        elif number in OUTPUTS:
            for address, count in OUTPUTS[number](arguments, result) if succeeded else ():
                if address != 0:
                    self.duet.write(address, self.qemu.read(address, count))
        elif number not in NO_OUTPUT:
            raise RuntimeError(f"this judge does not know system call {number}: add what it writes to OUTPUTS")
        self.duet.set_registers(after)

    def change_memory(self, number, a, result, succeeded):
        if number == 214:
            old, new = up(self.program_break), up(result)
            if new > old:
                self.map(old, new, 6)
            elif new < old:
                self.unmap(new, old)
            self.program_break = result
        elif not succeeded:
            return
        elif number == 215:
            self.unmap(a[0], a[0] + up(a[1]))
        elif number == 226:
            self.duet.call(f"protect {a[0]:x} {up(a[1]):x} {self.rights(a[2])}")
            self.note(a[0], a[0] + up(a[1]), a[2] & 2)
        elif number == 222:
            self.map(result, result + up(a[1]), self.rights(a[2]))
            if not a[3] & 0x20 and a[2] & 1:
                self.duet.write(result, self.qemu.read(result, up(a[1])))
        elif number == 216:
            if result == a[0] and a[2] <= a[1]:
                self.unmap(a[0] + up(a[2]), a[0] + up(a[1]))
            else:
                kept = self.duet.read(a[0], min(a[1], a[2]))
                self.unmap(a[0], a[0] + up(a[1]))
                self.map(result, result + up(a[2]), 6)
                self.duet.write(result, kept)

    @staticmethod
    def rights(protection):
        return (4 if protection & 3 else 0) | (protection & 2) | (protection >> 2 & 1)

    def note(self, first, end, can_write):
        """Which memory the program can write."""
        for a, b in list(self.writable.items()):
            if a < end and first < b:
                del self.writable[a]
                for c, d in ((a, min(b, first)), (max(a, end), b)):
                    if c < d:
                        self.writable[c] = d
        if can_write:
            self.writable[first] = end

    def map(self, first, end, rights):
        if first < end:
            self.duet.call(f"map {first:x} {end - first:x} {rights:x}")
            self.note(first, end, rights & 2)

    def unmap(self, first, end):
        if first < end:
            self.duet.call(f"unmap {first:x} {end - first:x}")
            self.note(first, end, False)

    def window(self):
        for _ in range(WINDOW_STEPS):
            self.qemu.step()
            self.steps += 1
            registers = self.compare()
            if registers[0] in self.ecalls:
                break
        return registers

    def run(self):
        registers = self.compare()
        while True:
            if registers[0] in self.ecalls:
                if registers[A7] in (93, 94):
                    self.compare_memory(registers[2])
                    return
                self.call(registers)
                registers = self.window() if self.calls < 50 else self.compare()
                continue
            if self.done >= self.limit:
                self.compare_memory(registers[2])
                return
            self.qemu.run(self.times * self.random.uniform(*STOP_SECONDS))
            registers = self.compare()
            if self.stops % 10 == 0 and registers[0] not in self.ecalls:
                registers = self.window()
            self.stops += 1
            if self.stops % 200 == 0:
                self.compare_memory(registers[2])

    def end(self):
        self.qemu.end()
        self.duet.end()


def compiled(folder, short):
    """(path, arguments) of the programs of tests/rv64."""
    programs = []
    for source, rounds in (("integer", (60, 1500)), ("floating_point", (600, 10000)), ("pointer_chasing", (900000, 30000000))):
        if source == "pointer_chasing" and short and not WHOLE:  # its memory takes qemu most of the minute to tell
            continue
        line = ["riscv64-linux-gnu-gcc", "-O2", "-static", "-nostdlib", "-ffreestanding", "-fno-builtin", "-Wl,--no-relax",
                f"-DROUNDS={rounds[not short]}"]
        programs.append((line, RV64 / "speed" / f"{source}.c", []))
    for optimisation, rounds in (("-O2", "1"),) if short else (("-O2", "4"), ("-O0", "2")):
        programs.append((["riscv64-linux-gnu-g++", optimisation, "-static"], RV64 / "lockstep/mixed.cpp", [rounds]))
    for i, (line, source, arguments) in enumerate(programs):
        program = folder / f"{source.stem}{line[1]}"
        subprocess.run([*line, str(source), "-lm", "-o", str(program)], check=True)
        programs[i] = (program, arguments)
    return programs


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--target", required=True)
    parser.add_argument("--qemu", default="qemu-riscv64")
    parser.add_argument("--short", action="store_true", help="a minute at most")
    parser.add_argument("--instructions", type=int, default=10 ** 12, help="of each program, at most")
    parser.add_argument("--seed", default="0", help="of the places that are drawn")
    parser.add_argument("programs", nargs="*", type=pathlib.Path)
    options = parser.parse_args()
    for needed in (options.qemu, "gcc", *(() if options.programs else ("riscv64-linux-gnu-g++",))):
        if shutil.which(needed) is None:
            print(f"{needed} is not installed")
            return 77
    options.qemu = shutil.which(options.qemu)
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        plugin = folder / "count.so"
        subprocess.run(["gcc", "-O1", "-shared", "-fPIC", str(HERE / "rv64_count_plugin.c"), "-o", str(plugin)], check=True)
        if "-plugin " not in subprocess.run([options.qemu, "-help"], capture_output=True, text=True).stdout:
            print(f"{options.qemu} was built without plugins")
            return 77
        for path in options.programs:
            if not path.is_file():
                print(f"{path}: there is no such program")
                return 1
        programs = [(p.resolve(), []) for p in options.programs] or compiled(folder, options.short)
        wrong = 0
        total = [0] * 5
        for program, arguments in programs:
            begin = time.monotonic()
            lockstep = None
            try:
                lockstep = Lockstep(options, plugin, folder, program, arguments)
                lockstep.run()
                result = "equal"
            except Difference as difference:
                wrong += 1
                result = f"DIFFERS after {lockstep.done if lockstep else 0} instructions: {difference}"
            except (OSError, RuntimeError) as error:
                wrong += 1
                result = f"could not be compared: {str(error).strip()}"
            finally:
                if lockstep:
                    lockstep.end()
                (folder / "gdb").unlink(missing_ok=True)
            numbers = [lockstep.done, lockstep.states, lockstep.steps, lockstep.calls, lockstep.memory_bytes] if lockstep else [0] * 5
            total = [a + b for a, b in zip(total, numbers)]
            print(f"{program.name}: {result}; {numbers[0]} instructions, {numbers[1]} states, {numbers[2]} single steps, {numbers[3]} calls, "
                  f"{numbers[4]} bytes of memory, {time.monotonic() - begin:.1f} s", flush=True)
        print(f"{len(programs) - wrong} of {len(programs)} programs equal: {total[0]} instructions, {total[1]} states, {total[2]} single steps, "
              f"{total[3]} calls, {total[4]} bytes of memory")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
