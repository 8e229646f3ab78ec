"""Small inputs of published OpenCL programs, always the same, for files that are too large for their repositories.

    write_inputs(folder)    # folder/graph.txt, folder/heart.avi, ..
"""
import heapq
import math
import random
import struct

SIDE = 16  # of a grid of places with roads between neighbours, as the maps that CHAI's BFS and SSSP are made for


def distances(roads):
    """Of each place from the first one, by Dijkstra."""
    found, queue = {}, [(0, 0)]
    while queue:
        length, place = heapq.heappop(queue)
        if place not in found:
            found[place] = length
            for other, road in roads[place]:
                heapq.heappush(queue, (length + road, other))
    return [found[place] for place in range(len(roads))]


def write_map(folder):
    """CHAI has no maps with it: one (map), and the answers (levels, distances), each in a file of CHAI's form."""
    chance = random.Random(1)
    roads = []
    for place in range(SIDE * SIDE):
        x, y = place % SIDE, place // SIDE
        beside = [(x > 0, place - 1), (x < SIDE - 1, place + 1), (y > 0, place - SIDE), (y < SIDE - 1, place + SIDE)]
        roads.append([(other, chance.randint(1, 10)) for there, other in beside if there])
    with open(folder / "map", "w") as chart:
        chart.write(f"{len(roads)}\n{sum(map(len, roads))}\n0\n")
        first = 0
        for some in roads:
            chart.write(f"{first} {len(some)}\n")
            first += len(some)
        chart.writelines(f"{other} {length}\n" for some in roads for other, length in some)
    steps = [[(other, 1) for other, _ in some] for some in roads]
    for name, answer in (("levels", distances(steps)), ("distances", distances(roads))):
        (folder / name).write_text(f"{len(answer)}\n" + "".join(f"{place} {length}\n" for place, length in enumerate(answer)))


def write_graph(folder, chance):
    """Rodinia's bfs."""
    nodes = [chance.randint(1, 6) for _ in range(1024)]
    with open(folder / "graph.txt", "w") as graph:
        graph.write("1024\n")
        first = 0
        for edges in nodes:
            graph.write(f"{first} {edges}\n")
            first += edges
        graph.write(f"\n0\n\n{first}\n")
        graph.writelines(f"{chance.randrange(1024)} {chance.randint(1, 10)}\n" for _ in range(first))


def chunk(name, data):
    return name + struct.pack("<I", len(data)) + data + b"\0" * (len(data) % 2)


def write_video(path, width, height, frames):
    """Frames of a byte a pixel, rows from below, in an AVI without an index."""
    stream = chunk(b"strh", struct.pack("<4s4s10I8x", b"vids", b"DIB ", 0, 0, 0, 1, 25, 0, len(frames), width * height, 0, 0))
    stream += chunk(b"strf", struct.pack("<IiiHHIIiiII", 40, width, height, 1, 8, 0, width * height, 0, 0, 0, 0))
    header = chunk(b"avih", struct.pack("<10I16x", 40000, 0, 0, 0, len(frames), 0, 1, width * height, width, height))
    header = b"hdrl" + header + chunk(b"LIST", b"strl" + stream)
    pictures = b"movi" + b"".join(chunk(b"00db", frame) for frame in frames)
    path.write_bytes(chunk(b"RIFF", b"AVI " + chunk(b"LIST", header) + chunk(b"LIST", pictures)))


def ring(chance, width, height, centres, radius):
    """A picture with rings of a bright line around their centres, on a background that is never quite even."""
    rows = []
    for y in range(height - 1, -1, -1):
        near = [(x0, y0) for x0, y0 in centres if abs(y - y0) < radius + 12]
        rows.append(bytes(int(60 + chance.random() * 8 + sum(150 * math.exp(-((math.hypot(x - x0, y - y0) - radius) / 3) ** 2) for x0, y0 in near))
                          for x in range(width)))
    return b"".join(rows)


def write_videos(folder, chance):
    """heartwall's: a wall that shrinks, and the points on it that are followed. leukocyte's: cells in the rows where it looks for them."""
    write_video(folder / "heart.avi", 160, 160, [ring(chance, 160, 160, [(80, 80)], radius) for radius in (34, 33, 31)])
    with open(folder / "heart.txt", "w") as points:
        points.write("5 8 4 0.87\n20 31\n")  # half of a template, half of where it is sought, the farthest move, what is kept of the template
        for count, radius in ((20, 32), (31, 36)):
            turns = [2 * math.pi * i / count for i in range(count)]
            for turned in (math.sin, math.cos):
                points.write(" ".join(str(80 + round(radius * turned(turn))) for turn in turns) + "\n")
    write_video(folder / "cells.avi", 96, 340, [ring(chance, 96, 340, [(40 + moved, 200), (60, 260 + moved)], 10) for moved in range(4)])


def write_mesh(path, columns, rows):
    """cfd's: cells of a channel over a bump: area, then of four sides the cell behind it (0: a wall, -1: far away) and the side's normal, inwards."""
    def corner(i, j):
        return i / rows, j / rows + 0.1 * max(0.0, math.sin(math.pi * (3 * i / columns - 1))) * (1 - j / rows)

    with open(path, "w") as mesh:
        mesh.write(f"{columns * rows}\n")
        for j in range(rows):
            for i in range(columns):
                corners = [corner(i, j), corner(i + 1, j), corner(i + 1, j + 1), corner(i, j + 1)]
                sides = [(a, b) for a, b in zip(corners, corners[1:] + corners[:1])]
                area = sum(a[0] * b[1] - b[0] * a[1] for a, b in sides) / 2
                behind = [(i, j - 1), (i + 1, j), (i, j + 1), (i - 1, j)]
                mesh.write(f"{area:.6f}")
                for (a, b), (x, y) in zip(sides, behind):
                    other = y * columns + x + 1 if 0 <= x < columns and 0 <= y < rows else 0 if y < 0 else -1
                    mesh.write(f" {other} {a[1] - b[1]:.6f} {b[0] - a[0]:.6f} 0")
                mesh.write("\n")


def write_heart_cell(folder):
    """myocyte's: a cell at rest (gates, buffers, concentrations in mM, mV), calmodulin in three places of it, and its parameters."""
    gates = [0.001, 0.99, 0.99, 0, 1, 0.02, 0.01, 0.004, 1, 0.004, 1, 0.01, 0.005, 0.9, 1e-6, 1e-7]
    buffers = [3.5, 0.8, 0.01, 0.12, 0.01, 3e-4, 1e-3, 0.14, 2e-3, 0.01, 0.01, 0.07, 0.1, 1.2]
    ions = [0.55, 9, 9, 9, 135, 2e-4, 1e-4, 1e-4, -85, 1, 0, 0, 0, 0, 0, 0]
    calmodulin = [0.1, 0.01, 0.001, 1, 0.1, 0.01, 0.1, 0.01, 0.01, 0.01, 0.01, 0.01, 0.01, 0.01, 0.01]
    folder.mkdir(exist_ok=True)
    (folder / "y.txt").write_text("".join(f"{value}\n" for value in gates + buffers + ions + 3 * calmodulin))
    (folder / "params.txt").write_text("".join(f"{value}\n" for value in [500, *3 * [6, 24, 1, 0.01, 0.1], 0.5, 1]))


def write_inputs(folder):
    chance = random.Random(1)
    write_graph(folder, chance)
    for name, layers in (("64", 1), ("64x4", 4)):
        (folder / f"temp_{name}").write_text("".join(f"{320 + 10 * chance.random():.6f}\n" for _ in range(64 * 64 * layers)))
        (folder / f"power_{name}").write_text("".join(f"{1e-3 * chance.random():.6f}\n" for _ in range(64 * 64 * layers)))
    for name, count in (("plain", 4096), ("key", 32)):
        (folder / f"{name}.txt").write_text("".join(f"{chance.randrange(256):02x}" for _ in range(count)))
    # Batches of its program are whole groups of 64 only with such lengths.
    (folder / "sequences.txt").write_text("".join(chance.choice("ACGT") for _ in range(64)) + "\n"
                                          + "".join(chance.choice("ACGT") for _ in range(4096 + 11)) + "\n")
    (folder / "points.txt").write_text("".join(f"{i} " + " ".join(f"{chance.random():.4f}" for _ in range(8)) + "\n" for i in range(500)))
    links = [sorted(chance.sample(range(256), 4)) for _ in range(256)]
    rows = (range(0, 4 * 256 + 1, 4), (link for row in links for link in row), ("0.25" for _ in range(4 * 256)))
    (folder / "pages.txt").write_text("1024 256\n" + "".join(" ".join(map(str, row)) + "\n" for row in rows))
    write_map(folder)
    keys = chance.sample(range(5000), 5000)
    (folder / "keys.txt").write_text(f"{len(keys)}\n" + "".join(f"{key}\n" for key in keys))
    (folder / "commands.txt").write_text("j 60 30\nk 100\n")
    write_mesh(folder / "mesh.txt", 24, 16)
    (folder / "picture.rgb").write_bytes(bytes(int(128 + 60 * math.sin(x / 9 + c) + 60 * math.cos(y / 7)) for y in range(128) for x in range(128) for c in range(3)))
    (folder / "storms.db").write_text("".join(f"{f'2001 {i % 12 + 1:2} 10 12 STORM{i}':28}{chance.uniform(7, 60):5.1f}{chance.uniform(10, 99):5.1f}{'  65  960':10}\n" for i in range(500)))
    (folder / "storms.txt").write_text("storms.db\n")
    write_videos(folder, chance)
    write_heart_cell(folder / "heart_cell")
    # srad counts on 502 rows of 458.
    speckles = (int((60 if (x // 16 + y // 16) % 2 else 180) * (0.8 + 0.4 * chance.random())) for y in range(502) for x in range(458))
    (folder / "speckled.pgm").write_text("P2\n458 502\n255\n" + "\n".join(map(str, speckles)) + "\n")
