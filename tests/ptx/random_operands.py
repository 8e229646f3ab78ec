#!/usr/bin/env python3
"""The arithmetic tests of forms/ with random operands instead of the chosen ones: the same generator, so the same forms
and the same exact arithmetic, once a seed. Nothing is written here; a file that fails is kept where --keep says.

Operands are of mixed kinds: any pattern, neighbours of powers of two, numbers of near magnitude (where sums cancel and
rounding matters), subnormals, infinities, the canonical NaN. A test whose expected values depend on what the ISA leaves open
for some operands replaces those itself (generator/).
Usage: random_operands.py --runner PTX_RUNNER [--seeds A:B] [--keep FOLDER]"""

import argparse
import pathlib
import random
import re
import shutil
import subprocess
import sys
import tempfile

from generator import conversion_forms, conversions, emit, float_modes, floats, half, integer_forms, integers, newer_formats, video
from generator.exact import is_nan

PARTS = [integers, integer_forms, floats, float_modes, half, conversions, conversion_forms, video, newer_formats]


def random_integer(draw, bits):
    kind = draw.randrange(4)
    if kind == 0:
        return draw.randrange(1 << bits)
    if kind == 1:
        return ((1 << draw.randrange(bits)) + draw.randrange(-2, 3)) & ((1 << bits) - 1)
    if kind == 2:
        return draw.randrange(-40, 40) & ((1 << bits) - 1)
    return draw.randrange(1 << draw.randrange(1, bits + 1))


def random_float(draw, f):
    sign = draw.choice((0, f.sign))
    kind = draw.randrange(16)
    if kind == 0:
        return draw.choice((0, f.sign, f.inf, f.inf | f.sign, f.nan, f.max, f.bias << f.fraction_bits))
    if kind == 1:
        return sign | draw.randrange(1, 1 << f.fraction_bits)
    if kind < 6:
        return sign | draw.randrange(1 << f.fraction_bits, f.inf)
    spread = 3 if kind < 11 else f.fraction_bits + 2
    exponent = max(1, f.bias + draw.randrange(-spread, spread + 1))
    # Few bits set, or trailing ones, put results on halfway points.
    mantissa = draw.choice((draw.randrange(1 << f.fraction_bits), 1 << draw.randrange(f.fraction_bits),
                            (1 << draw.randrange(f.fraction_bits)) - 1))
    return sign | exponent << f.fraction_bits | mantissa


def put_operands(seed):
    draw = random.Random(seed)
    for bits in integers.CORE:
        integers.CORE[bits][:] = [random_integer(draw, bits) for _ in range(emit.LANES)]
    chosen = {}

    def specials(f):
        return chosen.setdefault(f.name, [random_float(draw, f) for _ in range(emit.LANES)])

    def pairs(f):
        return tuple([random_float(draw, f) for _ in range(emit.LANES)] for _ in range(2))

    def integer_limits(f):
        numbers = (random_float(draw, f) for _ in range(emit.LANES))
        wide = [x + (draw.randrange(0, min(64, f.bias)) << f.fraction_bits) for x in numbers]
        return [f.bias << f.fraction_bits if is_nan(x, f) or x >= 1 << f.bits else x for x in wide]

    floats.specials = specials
    conversion_forms.integer_limits = integer_limits
    floats.rounding_pairs = float_modes.rounding_pairs = pairs


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runner", required=True)
    parser.add_argument("--seeds", default="0:10")
    parser.add_argument("--keep", type=pathlib.Path)
    options = parser.parse_args()
    first, last = map(int, options.seeds.split(":"))
    tests, failed = 0, set()
    for seed in range(first, last):
        put_operands(seed)
        suite = emit.Suite()
        for part in PARTS:
            part.generate(suite)
        tests += len(suite.files)
        with tempfile.TemporaryDirectory() as folder:
            for name, content in suite.files.items():
                (pathlib.Path(folder) / name).parent.mkdir(exist_ok=True)
                (pathlib.Path(folder) / name).write_text(content)
            output = subprocess.run([options.runner, folder], capture_output=True, text=True, check=False).stdout
            if not re.search(r"^\d+ passed, \d+ failed$", output, flags=re.M):
                sys.exit("seed %d: the runner did not end: %s" % (seed, output[-200:]))
            for line in output.splitlines():
                if not line.startswith(folder):
                    continue
                name = re.match(r"[^:( ]*", line[len(folder) + 1:]).group(0)
                if (seed, name) not in failed:
                    print("seed %d: %s" % (seed, line[len(folder) + 1:]), flush=True)
                    if options.keep:
                        options.keep.mkdir(parents=True, exist_ok=True)
                        shutil.copy(pathlib.Path(folder) / name, options.keep / ("%d.%s" % (seed, pathlib.Path(name).name)))
                failed.add((seed, name))
    print("%d tests with random operands, %d failed" % (tests, len(failed)))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
