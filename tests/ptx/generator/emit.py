"""Writes test files: the PTX of a small kernel and, as leading comments, its launch, arguments and expected results."""

import re

WIDTH = {"u8": 8, "s8": 8, "u16": 16, "s16": 16, "u32": 32, "s32": 32, "u64": 64, "s64": 64,
         "b8": 8, "b16": 16, "b32": 32, "b64": 64, "f16": 16, "bf16": 16, "f16x2": 32, "bf16x2": 32,
         "f32": 32, "f64": 64}
LANES = 32
# Tests of no single opcode: their folder is general.
GENERAL = {"double", "immediates", "local", "pairs", "param", "predicated", "shared", "sinks", "sreg", "variable", "vector"}
BANNER = "// Written by python3 tests/ptx/generate.py, which writes all files of forms/ again; do not edit."
ISA = "the PTX ISA's definition of the instruction"


def file_of(name):
    """The file of a test in the folder forms: the folder is the first opcode that its name says."""
    opcode = re.match(r"[a-z0-9]*", name).group(0)
    return "%s/%s.ptx" % ("general" if opcode in GENERAL else opcode, name)


def mask(t):
    return (1 << WIDTH[t]) - 1


def signed(x, bits):
    x &= (1 << bits) - 1
    return x - (1 << bits) if x >> (bits - 1) else x


def integer(x, t):
    """The number that pattern x stands for in integer type t."""
    return signed(x, WIDTH[t]) if t[0] == "s" else x & mask(t)


def text(x, t):
    digits = "%0*X" % (WIDTH[t] // 4, x & mask(t))
    return {"f32": "0f", "f64": "0d"}.get(t, "0x") + digits


def file_type(t):
    return t if t in ("f32", "f64") else "u%d" % WIDTH[t]


class Argument:
    def __init__(self, kind, t, values=None, count=0):
        self.kind, self.type, self.values, self.count = kind, t, values, count

    def line(self):
        if self.kind == "out":
            return "// arg: out %s %d" % (file_type(self.type), self.count)
        if self.kind == "scalar":
            return "// arg: %s %s" % (file_type(self.type), text(self.values, self.type))
        return "// arg: buffer %s %s" % (file_type(self.type), " ".join(text(v, self.type) for v in self.values))


def out(t, count=LANES):
    return Argument("out", t, count=count)


def buffer(t, values):
    return Argument("buffer", t, values)


def scalar(t, v):
    return Argument("scalar", t, v)


class Suite:
    def __init__(self):
        self.files = {}

    def kernel(self, name, arguments, body, expected, grid="1", block="32", shared=0, module="", source=ISA,
               version="6.5", target="sm_70", unsupported=None):
        """expected: list of (argument index, type, values) or (argument index, type, values, ulps)."""
        assert file_of(name) not in self.files, name
        lines = [BANNER, "// duet-test: kernel=test grid=%s block=%s%s" % (grid, block, " shared=%d" % shared if shared else "")]
        if unsupported:
            lines.append("// duet-unsupported: " + unsupported)
        lines += [a.line() for a in arguments]
        for index, t, values, *ulps in expected:
            a = arguments[index]
            assert len(values) == (a.count or len(a.values)), (name, len(values))
            head = "// expect-ulp %d %s %d:" % (index, t, ulps[0]) if ulps else "// expect %d %s:" % (index, file_type(t))
            lines.append(head + " " + " ".join(text(v, t) for v in values))
        lines.append("// source: " + source)
        parameters = ", ".join(".param .%s p%d" % (("b%d" % WIDTH[a.type]) if a.kind == "scalar" else "u64", i)
                               for i, a in enumerate(arguments))
        lines += [".version " + version, ".target " + target, ".address_size 64", ""]
        if module:
            lines += [module.strip("\n"), ""]
        lines += [".visible .entry test(%s)" % parameters, "{", body.strip("\n"), "}", ""]
        self.files[file_of(name)] = "\n".join(lines)

    def lanes(self, name, inputs, body, outputs, ulps=None, **rest):
        """One value a lane: inputs [(type, 32 values)] arrive in %a %b %c %e, results leave from %d and %d1 %d2 ...
        outputs [(type, 32 expected)]. %p %q, %t0-%t3 (32 bits), %w0-%w3 (64 bits), %h0-%h3 (16 bits) are free."""
        results = ["%d"] + ["%%d%d" % i for i in range(1, len(outputs))]
        operands = ["%a", "%b", "%c", "%e"][:len(inputs)]
        arguments = [out(t) for t, _ in outputs] + [buffer(t, values) for t, values in inputs]
        code = ["  .reg .pred %p, %q;", "  .reg .b16 %h<4>;", "  .reg .b32 %lane, %t<4>;",
                "  .reg .b64 %address, %offset, %w<4>;"]
        register = lambda t: "b%d" % max(16, WIDTH[t])
        for reg, (t, _) in list(zip(operands, inputs)) + list(zip(results, outputs)):
            code.append("  .reg .%s %s;" % (register(t), reg))
        code.append("  mov.u32 %lane, %tid.x;")
        access = lambda t: "u8" if WIDTH[t] == 8 else "b%d" % WIDTH[t]

        def locate(index, t):
            return ["  ld.param.u64 %%address, [p%d];" % index,
                    "  mul.wide.u32 %%offset, %%lane, %d;" % (WIDTH[t] // 8),
                    "  add.u64 %address, %address, %offset;"]

        for i, (reg, (t, values)) in enumerate(zip(operands, inputs)):
            assert len(values) == LANES, (name, len(values))
            code += locate(len(outputs) + i, t) + ["  ld.global.%s %s, [%%address];" % (access(t), reg)]
        code += ["  " + line.strip() for line in body.strip().split("\n")]
        for i, (reg, (t, _)) in enumerate(zip(results, outputs)):
            code += locate(i, t) + ["  st.global.%s [%%address], %s;" % (access(t), reg)]
        code.append("  ret;")
        expected = [(i, t, [v & mask(t) for v in values]) + ((ulps,) if ulps else ())
                    for i, (t, values) in enumerate(outputs)]
        self.kernel(name, arguments, "\n".join(code), expected, **rest)


    def forms(self, name, inputs, rows, before="", **rest):
        """Several instructions on the same operands: rows of (text with {d} for its result, type, 32 expected)."""
        results = ["%d"] + ["%%d%d" % i for i in range(1, len(rows))]
        body = [text.replace("{d}", d) for (text, _, _), d in zip(rows, results)]
        self.lanes(name, inputs, "\n".join(([before] if before else []) + body), [(t, v) for _, t, v in rows], **rest)


def canonical(reg, t):
    """PTX that replaces any NaN in reg by one pattern, where the ISA leaves the payload open."""
    bits = {"f32": "0x7fffffff", "f64": "0x7ff8000000000000"}[t]
    return "testp.notanumber.%s %%q, %s;\n@%%q mov.b%d %s, %s;" % (t, reg, WIDTH[t], reg, bits)
