#!/usr/bin/env python3
"""Computes on the CPU what a program of other_programs.toml should have computed, and compares.

Usage: other_programs_references.py NAME [ARGUMENT ...], in the program's working directory, its output on standard input.
NAME is a function below. The last line says what was compared or what differs; exit status 0: equal, 1: not.
Programs that print nothing are linked with other_programs_copies.c; what they copied to and from the device lies in copies.bin.
"""
import array
import ctypes
import math
import pathlib
import re
import struct
import subprocess
import sys


class Differs(Exception):
    pass


def close(name: str, found: float, expected: float, relative: float, absolute: float) -> None:
    if not math.isfinite(found) or abs(found - expected) > max(absolute, relative * abs(expected)):
        raise Differs(f"{name}: {found} instead of {expected}")


def copies() -> list[tuple[int, bytes]]:
    """What other_programs_copies.c recorded: kind (1 to the device, 2 from it) and bytes."""
    data, at, found = pathlib.Path("copies.bin").read_bytes(), 0, []
    while at < len(data):
        kind, size = struct.unpack_from("QQ", data, at)
        found.append((kind, data[at + 16:at + 16 + size]))
        at += 16 + size
    return found


def floats(data: bytes) -> array.array:
    return array.array("f", data)


def numbers_in_files(output: str, tolerance: str, command: str, *pairs: str) -> str:
    """Runs a shell command (a CPU version of the program) and compares files number by number: OURS=THEIRS ..."""
    done = subprocess.run(command, shell=True, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise Differs(f"the CPU version failed: {done.stderr[-200:]}")
    compared = 0
    for pair in pairs:
        ours, theirs = (pathlib.Path(p).read_text().replace(",", " ").split() for p in pair.split("="))
        if len(ours) != len(theirs):
            raise Differs(f"{pair}: {len(ours)} numbers instead of {len(theirs)}")
        for i, (a, b) in enumerate(zip(ours, theirs)):
            close(f"{pair} number {i}", float(a), float(b), float(tolerance), float(tolerance))
        compared += len(ours)
    return f"{compared} numbers as the CPU version computes them"


def graph_sums(output: str) -> str:
    """cuda-samples simpleCudaGraphs: the sum of 2^24 numbers from the C library's rand, reported by a host callback at every launch."""
    libc = ctypes.CDLL("libc.so.6")
    rand = libc.rand
    libc.srand(1)
    single = struct.Struct("f")
    of_byte = [single.unpack(single.pack(b / single.unpack(single.pack(2147483647.0))[0]))[0] for b in range(256)]
    counts = [0] * 256
    for _ in range(1 << 24):
        counts[rand() & 0xFF] += 1
    expected = sum(n * value for n, value in zip(counts, of_byte))
    found = [float(v) for v in re.findall(r"final reduced sum = (\S+)", output)]
    if len(found) < 12:
        raise Differs(f"{len(found)} sums, 12 expected")
    for value in found:
        close("sum", value, expected, 1e-6, 2e-6)
    return f"{len(found)} sums equal {expected:.6f}"


def self_energy(output: str, bands: str, valence: str, plane_waves: str, per_group: str) -> str:
    """HeCBench gpp with sizes of our choice: every array is constant but vcoul and the energies, so the sum is short."""
    bands, waves, groups = int(bands), int(plane_waves), int(plane_waves) // int(per_group)
    constant = complex(0.025, 0.025)
    energy = max(10 - 6.0 + 1 * ((0 + 1) - 2), 1e-6)
    difference = energy - constant
    delta = constant * difference.conjugate() * (1 / abs(difference) ** 2)
    total = 0
    for group in range(groups):
        index = (group + 1) * waves // groups
        wave = index if index < waves else waves - 1
        store = constant.conjugate() * constant * 0.5 * (wave * 0.025)
        total += bands * waves * delta * constant * store
    found = re.search(r"Final achtemp\s*\(\s*(\S+),\s*(\S+)\)", output)
    if not found:
        raise Differs("no result")
    close("real part", float(found[1]), total.real, 1e-6, 2e-6)
    close("imaginary part", float(found[2]), total.imag, 1e-6, 2e-6)
    return f"result equals {total:.6f}"


def atomic_counts(output: str, elements: str) -> str:
    """HeCBench f16atomic: element 0 of each pair gets 0, element 1 one for each thread that maps to it."""
    count = int(elements) // 2 // 256
    found = re.findall(r"in FLOAT32: (\S+) (\S+)", output)
    if found != [("0.000000", f"{count:.6f}")] * 2:
        raise Differs(f"{found} instead of 0 and {count}, twice")
    return f"half and bfloat16 sums equal {count}"


def neighbours(output: str, records: str, latitude: str, longitude: str, count: str) -> str:
    """Rodinia nn: the nearest records of a file."""
    lines = pathlib.Path(records).read_text().splitlines()
    wanted = sorted(math.dist((float(line[28:33]), float(line[33:38])), (float(latitude), float(longitude))) for line in lines)
    found = [float(v) for v in re.findall(r"Distance=(\S+)", output)]
    if len(found) != int(count):
        raise Differs(f"{len(found)} neighbours instead of {count}")
    for value, expected in zip(found, wanted):
        close("distance", value, expected, 1e-5, 1e-5)
    return f"{count} nearest of {len(lines)} found"


def elimination(output: str, size: str) -> str:
    """Rodinia gaussian: after elimination the upper triangle of a, b and the multipliers in m, from what was copied."""
    n = int(size)
    copied = copies()
    _, a, b = (list(floats(data)) for kind, data in copied if kind == 1)
    found_m, found_a, found_b = (floats(data) for kind, data in copied if kind == 2)
    for t in range(n - 1):
        for i in range(t + 1, n):
            factor = a[i * n + t] / a[t * n + t]
            close(f"m[{i}][{t}]", found_m[i * n + t], factor, 1e-3, 1e-4)
            for j in range(t, n):
                a[i * n + j] -= factor * a[t * n + j]
            b[i] -= factor * b[t]
    for i in range(n):
        close(f"b[{i}]", found_b[i], b[i], 1e-3, 1e-4)
        for j in range(i, n):
            close(f"a[{i}][{j}]", found_a[i * n + j], a[i * n + j], 1e-3, 1e-4)
    return f"triangle of {n} rows equal"


def training(output: str, size: str) -> str:
    """Rodinia backprop: partial sums of the forward kernel and weights after the adjusting kernel, from what was copied."""
    n, hidden = int(size), 16
    copied = copies()
    inputs, weights, delta, old, again = (floats(data) for kind, data in copied if kind == 1)
    sums, _, adjusted = (floats(data) for kind, data in copied if kind == 2)
    row = hidden + 1
    for block in range(n // 16):
        for j in range(hidden):
            expected = sum(inputs[block * 16 + i + 1] * weights[(block * 16 + i + 1) * row + j + 1] for i in range(16))
            close(f"partial sum {block},{j}", sums[block * hidden + j], expected, 1e-4, 1e-4)
    for i in range(n + 1):
        for j in range(1, hidden + 1):
            unit = inputs[i] if i else 1.0
            expected = again[i * row + j] + 0.3 * delta[j] * unit + 0.3 * old[i * row + j]
            close(f"weight {i},{j}", adjusted[i * row + j], expected, 1e-4, 1e-5)
    return f"{n * hidden} weights and {n // 16 * hidden} partial sums equal"


def erasure_codes(output: str) -> str:
    """HeCBench crs with -DDUMP: code words are the XOR of the data words that the bit matrix selects, from what was copied."""
    k, m, w = (int(v) for v in re.search(r"k:(\d+), m:(\d+) w:(\d+)", output).groups())
    to_device = [data for kind, data in copies() if kind == 1]
    from_device = [data for kind, data in copies() if kind == 2]
    matrix, data, code = array.array("I", to_device[0]), array.array("Q", to_device[1]), array.array("Q", from_device[0])
    size = len(data) // k
    for start in range(0, size - w + 1, w):
        for bit in range(m * w):
            word = 0
            for i in range(k):
                for j in range(w):
                    if matrix[i * w + j] >> bit & 1:
                        word ^= data[i * size + start + j]
            if code[bit // w * size + start + bit % w] != word:
                raise Differs(f"code word {bit // w},{start + bit % w}")
        if start > 40000:
            break
    return "code words equal the XOR of the selected data"


def heat(output: str, size: str, iterations: str, temperatures: str, powers: str, found_in: str) -> str:
    """Rodinia hotspot: explicit steps of the heat equation on a chip (the suite's OpenMP version takes steps a thousand times as short)."""
    n = int(size)
    temperature, power = ([float(v) for v in pathlib.Path(path).read_text().split()] for path in (temperatures, powers))
    side, thickness, conductivity, heat_capacity, half = 0.016 / n, 0.0005, 100.0, 1.75e6, 0.5
    capacity = half * heat_capacity * thickness * side * side
    across = 1 / (1 / (2.0 * conductivity * thickness))
    up = 1 / (thickness / (conductivity * side * side))
    step = 0.001 / (3.0e6 / (half * thickness * heat_capacity))
    for _ in range(int(iterations)):
        following = []
        for row in range(n):
            for column in range(n):
                at = row * n + column
                here = temperature[at]
                north, south = temperature[at - n if row else at], temperature[at + n if row < n - 1 else at]
                west, east = temperature[at - 1 if column else at], temperature[at + 1 if column < n - 1 else at]
                flow = (south + north + east + west - 4 * here) * across + (80.0 - here) * up
                following.append(here + step / capacity * (power[at] + flow))
        temperature = following
    found = [float(line.split()[1]) for line in pathlib.Path(found_in).read_text().splitlines()]
    if len(found) != n * n:
        raise Differs(f"{len(found)} temperatures instead of {n * n}")
    for at, (value, expected) in enumerate(zip(found, temperature)):
        close(f"temperature {at}", value, expected, 1e-5, 0)
    return f"{n * n} temperatures equal"


def covariance(output: str, columns: str, rows: str) -> str:
    """PolyBench COVAR: its own check expects all rows to be centred, but its grid (rows / 32 blocks of 8 rows) centres a quarter of them;
    it fetches rows * columns numbers of the square result."""
    m, n = int(columns), int(rows)
    copied = copies()
    data = list(floats(copied[0][1]))
    found = floats([content for kind, content in copied if kind == 2][-1])
    means = [sum(data[i * m + j] for i in range(n)) / 3214212.01 for j in range(m)]
    for i in range(n // 32 * 8):
        for j in range(m):
            data[i * m + j] -= means[j]
    by_column = [[data[i * m + j] for i in range(n)] for j in range(m)]
    for j in range(m):
        for k in range(j, m):
            expected = math.fsum(a * b for a, b in zip(by_column[j], by_column[k]))
            for at in (j * m + k, k * m + j):
                if at < len(found):
                    close(f"covariance {at // m},{at % m}", found[at], expected, 1e-4, 1e-6)
    return f"{len(found)} covariances equal"


def kinetics(output: str, species: str, command: str) -> str:
    """SHOC s3d: the rates at every grid point (all points have the same state) against those that HeCBench's CPU version
    (single precision in both its runs) prints of one point."""
    done = subprocess.run(command, shell=True, capture_output=True, text=True, check=False)
    rates = [float(v) for v in re.findall(r"-?\d\.\d{16}E[+-]\d+", done.stdout)]
    count = int(species)
    if len(rates) != 2 * count:
        raise Differs(f"the CPU version gave {len(rates)} rates: {done.stderr[-200:]}")
    compared = 0
    for (_, content), code, expected in zip([c for c in copies() if c[0] == 2], "fd", (rates[:count], rates[count:])):
        found = array.array(code, content)
        points = len(found) // count
        largest = max(abs(v) for v in expected)
        for i in range(count):
            for point in range(points):
                name = f"{'single' if code == 'f' else 'double'} rate {i} at {point}"
                close(name, found[i * points + point], expected[i], 1e-4, 1e-9 * largest)
        compared += len(found)
    if compared == 0:
        raise Differs("nothing was copied back")
    return f"{compared} rates equal those of the CPU version"


def video_frames(output: str, path: str, width: str, height: str, to_width: str, to_height: str) -> str:
    """cuda-samples NV12toBGRandResize: nearest sampling then conversion, and conversion then bilinear sampling,
    clamped, across the planes."""
    w, h, dw, dh = int(width), int(height), int(to_width), int(to_height)
    frame = pathlib.Path(path).read_bytes()[:w * h * 3 // 2]

    def converted(nv12: bytes, columns: int, rows: int) -> list[float]:
        planes = ([], [], [])
        for y in range(rows):
            for x in range(columns):
                luma = 1.1644 * nv12[y * columns + x]
                chroma = (rows + y // 2) * columns + x // 2 * 2
                d, e = nv12[chroma] - 128.0, nv12[chroma + 1] - 128.0
                for plane, add in zip(planes, (2.0172 * d, -0.3918 * d - 0.8130 * e, 1.5960 * e)):
                    plane.append(min(max(luma + add, 0.0), 255.0))
        return planes[0] + planes[1] + planes[2]

    across, down = w / dw, h / dh
    small = bytearray(dw * dh * 3 // 2)
    for y in range(dh):
        for x in range(dw):
            small[y * dw + x] = frame[int(y * down) * w + int(x * across)]
    for y in range(dh // 2):
        for x in range(dw // 2):
            at = int((dh + y) * down) * w + int(x * across) * 2
            small[(dh + y) * dw + 2 * x:(dh + y) * dw + 2 * x + 2] = frame[at:at + 2]
    large = converted(frame, w, h)
    resized = []
    for channel in range(3):
        for y in range(dh):
            v = channel * h + y * down - 0.5
            top, part_y = math.floor(v), v - math.floor(v)
            for x in range(dw):
                u = x * across - 0.5
                left, part_x = math.floor(u), u - math.floor(u)
                corner = [large[min(max(top + j, 0), 3 * h - 1) * w + min(max(left + i, 0), w - 1)] for j in (0, 1) for i in (0, 1)]
                resized.append((corner[0] * (1 - part_x) + corner[1] * part_x) * (1 - part_y)
                               + (corner[2] * (1 - part_x) + corner[3] * part_x) * part_y)
    for name, expected in ((f"output/t1/converted_bgr_{dw}x{dh}_1.raw", converted(bytes(small), dw, dh)),
                           (f"output/t2/resized_bgr_{dw}x{dh}_1.raw", resized)):
        found = floats(pathlib.Path(name).read_bytes())
        for i in range(len(expected)):
            close(f"{name} {i}", found[i], expected[i], 1e-4, 1e-2)
    return f"{len(resized)} numbers of each picture equal"


REFERENCES = {f.__name__: f for f in (numbers_in_files, graph_sums, self_energy, atomic_counts, neighbours, elimination, training,
                                      erasure_codes, heat, covariance, kinetics,
                                      video_frames)}


def main() -> int:
    if len(sys.argv) < 2 or sys.argv[1] not in REFERENCES:
        print(__doc__)
        return 2
    try:
        print(REFERENCES[sys.argv[1]](sys.stdin.read(), *sys.argv[2:]))
    except Differs as difference:
        print(difference)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
