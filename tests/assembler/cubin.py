"""Machine instructions of the kernels in a cubin, for compare.py and measure_weights.py.

An NVIDIA cubin of sm_70 and later is an ELF64 file with one section .text.KERNEL per kernel, 16 bytes an
instruction, the opcode in the low 12 bits of the first little-endian word. ptxas ends the code with a branch
to itself (BRA with displacement -16) and fills the section up to a multiple of 128 bytes with NOP. Subroutines
(slow paths of divisions and roots) follow the kernel's own code in its section. Numbers of the opcodes were
read off ptxas's output for kernels whose content is known.
"""
import shutil
import struct
import subprocess

NOP, BRA = 0x918, 0x947


class Code:
    """total: instructions without padding; opcodes: theirs."""

    def __init__(self, words):
        opcodes = [low & 0xfff for low, _ in words]
        end = len(words)
        while end > 0 and opcodes[end - 1] == NOP:
            end -= 1
        # The branch to itself: the low half of its displacement stands in the upper word of the first half.
        if end > 0 and opcodes[end - 1] == BRA and words[end - 1][0] >> 32 == 0xfffffff0:
            end -= 1
        self.total = end
        self.opcodes = opcodes[:end]


def kernels(path):
    """{kernel: Code} of the cubin at path."""
    with open(path, "rb") as file:
        data = file.read()
    if data[:5] != b"\x7fELF\x02":
        raise ValueError(f"{path}: no ELF64 file")
    table, = struct.unpack_from("<Q", data, 40)
    count, names = struct.unpack_from("<HH", data, 60)
    sections = [struct.unpack_from("<IIQQQQIIQQ", data, table + 64 * i) for i in range(count)]
    result = {}
    for name, _, _, _, offset, size, *_ in sections:
        start = sections[names][4] + name
        text = data[start:data.index(b"\0", start)].decode()
        if text.startswith(".text."):
            words = [struct.unpack_from("<QQ", data, offset + at) for at in range(0, size, 16)]
            result[text[len(".text."):]] = Code(words)
    return result


def tool(name):
    return shutil.which(name) or shutil.which(name, path="/usr/local/cuda/bin")


def run(command):
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)


def version(ptxas):
    """'release 13.0, V13.0.88'"""
    for line in run([ptxas, "--version"]).stdout.splitlines():
        if "release" in line:
            return line[line.index("release"):]
    return "unknown"
