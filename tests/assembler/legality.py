#!/usr/bin/env python3
"""Compares the lists of tests/ptx/coverage.py with ptxas: it must take every form of FORMS, but those that it knows only for older
targets, and refuse every form of ILLEGAL. By day every fourth form, at night (tests/whole.py) all. Exit status: 77 without ptxas."""

import os
import re
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path[:0] = [os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, folder) for folder in ("ptx", "")]
import coverage  # noqa: E402
import cubin  # noqa: E402
from whole import some  # noqa: E402

# Forms of one file; ptxas names the lines that it refuses.
CHUNK = 60
# Before sm_70 only; and conversions between bf16 and 8 bits, which the manual has and this assembler has not.
APART = re.compile(r"^(?:(?:shfl|vote)\.(?!sync)|cvt\.\w+\.(?:bf16\.[us]8|[us]8\.bf16)$)")
# Its destination is an 8-bit register, which coverage.py does not write.
APART_TOO = {"cvt.rn.satfinite.e2m1x2.f32"}


def refused(ptxas, forms, folder):
    """Form -> what ptxas says against it."""
    found, items = {}, list(forms.items())
    for start in range(0, len(items), CHUNK):
        lines = [".version 9.0", ".target sm_100a", ".address_size 64", ".const .align 32 .b8 fixed[64];"]
        form_of = {}
        for number, (form, operands) in enumerate(items[start:start + CHUNK]):
            entry = coverage.probe(form, operands).split(".visible", 1)[1].replace("entry test(", "entry test%d(" % number)
            for line in (".visible" + entry).splitlines():
                lines.append(line)
                if line.strip().rstrip(";").split(" ")[0] == form:
                    form_of[len(lines)] = form
        path = os.path.join(folder, "forms.ptx")
        with open(path, "w", encoding="utf-8") as file:
            file.write("\n".join(lines) + "\n")
        done = subprocess.run([ptxas, "-arch=sm_100a", "-O0", path, "-o", os.devnull], capture_output=True, text=True, check=False)
        for line, text in re.findall(r"line (\d+); error\s*: (.*)", done.stderr + done.stdout):
            found.setdefault(form_of.get(int(line), "line " + line), text)
    return found


def main():
    ptxas = cubin.tool("ptxas")
    if ptxas is None:
        print("skipped: ptxas is not installed")
        return 77
    legal = {form: operands for pattern, operands in coverage.FORMS for form in coverage.expand(pattern)
             if not APART.match(form) and form not in APART_TOO}
    legal, illegal = (dict(some(forms.items(), 4)) for forms in (legal, coverage.illegal_forms()))
    with tempfile.TemporaryDirectory() as folder:
        wrong = refused(ptxas, legal, folder)
        right = refused(ptxas, illegal, folder)
    taken = [form for form in illegal if form not in right]
    for form, text in wrong.items():
        print("%s is listed, but ptxas: %s" % (form, text))
    for form in taken:
        print("%s is listed as illegal, but ptxas takes it" % form)
    print("%d forms, %d refused by ptxas; %d illegal ones, %d taken by it" % (len(legal), len(wrong), len(illegal), len(taken)))
    return 1 if wrong or taken else 0


if __name__ == "__main__":
    sys.exit(main())
