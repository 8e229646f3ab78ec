// Operations of arithmetic.cpp as functions of C, beside those of text/operations.cpp. Rounding modes are in
// the instructions of RV64. The approximate functions compute in double precision, to an error of some 2^-50,
// and round once, as the GPU's do (ptx/semantics): another bit can come out only where two doubles lie on two
// sides of the middle of two floats. Series are Taylor's; arguments of sin and cos are reduced by three
// doubles of pi/2, large ones by the bits of 2/pi (Payne and Hanek, SIGNUM Newsletter 1983).
#include <cctype>
#include <vector>

#include "preexec/blocks/arithmetic.h"
#include "preexec/text/prologue.h"

namespace duet::preexec {

namespace {

std::string directed(const std::string& type, const std::string& name, unsigned operands,
                     const std::string& rounding) {
  const bool wide = type == "f64";
  const std::string word = wide ? "u64" : "u32", c = wide ? "double" : "float";
  static constexpr const char* kNames[] = {"a", "b", "c"};
  std::string parameters, inputs, places;
  for (unsigned i = 0; i < operands; ++i) {
    parameters += (i == 0 ? "" : ", ") + word + " " + kNames[i];
    inputs += std::string(i == 0 ? "" : ", ") + "\"f\"(" + type + "_value(" + kNames[i] + "))";
    places += ", %" + std::to_string(i + 1);
  }
  const std::string instruction = name == "fma" ? "fmadd" : "f" + name;
  return "static inline " + word + " " + type + "_" + name + "_" + rounding + "(" + parameters + ") {\n  " +
         c + " x;\n  __asm__(\"" + instruction + (wide ? ".d" : ".s") + " %0" + places + ", " + rounding +
         "\" : \"=f\"(x) : " + inputs + ");\n  return " + type + "_bits(x);\n}";
}

std::string pick(const std::string& type, const std::string& name) {
  const bool wide = type == "f64";
  const std::string word = wide ? "u64" : "u32", c = wide ? "double" : "float";
  return "static inline " + word + " " + type + "_pick_" + name + "(" + word + " a, " + word + " b) {\n  " +
         c + " x;\n  __asm__(\"f" + name + (wide ? ".d" : ".s") + " %0, %1, %2\" : \"=f\"(x) : \"f\"(" +
         type + "_value(a)), \"f\"(" + type + "_value(b)));\n  return " + type + "_bits(x);\n}";
}

// What is called stands first.
std::vector<Definition> make() {
  std::vector<Definition> all = {
      {"f32_settle",
       "// A NaN becomes PTX's.\nstatic inline u32 f32_settle(u32 a) {\n"
       "  return __builtin_expect(f32_value(a) != f32_value(a), 0) ? 0x7fffffffu : a;\n}"},
      {"f64_quiet",
       "static inline u64 f64_quiet(u64 a, u64 other) {\n"
       "  return f64_value(a) != f64_value(a) ? a | 1ull << 51 : other;\n}"},
      {"f64_settle_1",
       "// A NaN result has the payload of the first operand that is one.\n"
       "static inline u64 f64_settle_1(u64 x, u64 a) {\n"
       "  return f64_value(x) == f64_value(x) ? x : f64_quiet(a, 0xfff8ull << 48);\n}"},
      {"f64_settle_2",
       "static inline u64 f64_settle_2(u64 x, u64 a, u64 b) {\n"
       "  return f64_value(x) == f64_value(x) ? x : f64_quiet(a, f64_quiet(b, 0xfff8ull << 48));\n}"},
      {"f64_settle_3",
       "static inline u64 f64_settle_3(u64 x, u64 a, u64 b, u64 c) {\n"
       "  return f64_value(x) == f64_value(x) ? x : f64_quiet(a, f64_quiet(b, f64_quiet(c, 0xfff8ull << "
       "48)));\n}"},
      {"f32_signed",
       "// What is rounded keeps its sign, zero too.\n"
       "static inline u32 f32_signed(u32 a, u32 of) { return a | (of & 0x80000000u); }"},
      {"f64_signed", "static inline u64 f64_signed(u64 a, u64 of) { return a | (of & 1ull << 63); }"},
      {"f32_flush",
       "static inline u32 f32_flush(u32 a) { return (a & 0x7f800000u) == 0 ? a & 0x80000000u : a; }"},
      {"f32_saturate",
       "static inline u32 f32_saturate(u32 a) {\n  const float x = f32_value(a);\n"
       "  return x > 0 ? x < 1 ? a : 0x3f800000u : 0;\n}"},
      {"f64_saturate",
       "static inline u64 f64_saturate(u64 a) {\n  const double x = f64_value(a);\n"
       "  return x > 0 ? x < 1 ? a : 0x3ffull << 52 : 0;\n}"},
      {"f32_rcp", "static inline u32 f32_rcp(u32 a) { return f32_bits(1 / f32_value(a)); }"},
      {"f64_rcp", "static inline u64 f64_rcp(u64 a) { return f64_bits(1 / f64_value(a)); }"},
      {"f32_div_approx",
       "// Divisors beyond 2^126 have reciprocals that count as zero.\n"
       "static inline u32 f32_div_approx(u32 a, u32 b) {\n  const u32 m = b & 0x7fffffffu;\n"
       "  if (m > 0x7e800000u && m < 0x7f800000u) return f32_bits(f32_value(a) * f32_value(b & "
       "0x80000000u));\n"
       "  return f32_bits(f32_value(a) / f32_value(b));\n}"},
      {"f32_rsqrt",
       "static inline u32 f32_rsqrt(u32 a) { return f32_bits((float)(1 / "
       "__builtin_sqrt((double)f32_value(a)))); }"},
      {"f64_widened",
       "// The payload of a NaN stays.\nstatic inline u64 f64_widened(u32 a) {\n"
       "  const float x = f32_value(a);\n"
       "  if (x == x) return f64_bits((double)x);\n"
       "  return (u64)(a >> 31) << 63 | 0x7ff8ull << 48 | (u64)(a & 0x7fffffu) << 29;\n}"},
      {"f32_ex2",
       R"(static inline u32 f32_ex2(u32 a) {
  const double x = (double)f32_value(a);
  if (x != x) return a;
  if (x >= 128) return 0x7f800000u;
  if (x <= -150) return 0;
  const s64 whole = (s64)(x + (x < 0 ? -0.5 : 0.5));
  const double y = (x - (double)whole) * 0x1.62e42fefa39efp-1;
  double p = 1 / 6227020800.0;
  p = __builtin_fma(p, y, 1 / 479001600.0);
  p = __builtin_fma(p, y, 1 / 39916800.0);
  p = __builtin_fma(p, y, 1 / 3628800.0);
  p = __builtin_fma(p, y, 1 / 362880.0);
  p = __builtin_fma(p, y, 1 / 40320.0);
  p = __builtin_fma(p, y, 1 / 5040.0);
  p = __builtin_fma(p, y, 1 / 720.0);
  p = __builtin_fma(p, y, 1 / 120.0);
  p = __builtin_fma(p, y, 1 / 24.0);
  p = __builtin_fma(p, y, 1 / 6.0);
  p = __builtin_fma(p, y, 0.5);
  p = __builtin_fma(p, y, 1);
  p = __builtin_fma(p, y, 1);
  return f32_bits((float)(p * f64_value((u64)(1023 + whole) << 52)));
})"},
      {"f32_lg2",
       R"(static inline u32 f32_lg2(u32 a) {
  const float given = f32_value(a);
  if (given != given) return a;
  if (given == 0) return 0xff800000u;
  if (given < 0) return 0x7fffffffu;
  if (a == 0x7f800000u) return a;
  const u64 bits = f64_bits((double)given);
  s64 exponent = (s64)(bits >> 52) - 1023;
  double m = f64_value((bits & 0xfffffffffffffull) | 0x3ffull << 52);
  if (m > 0x1.6a09e667f3bcdp+0) m *= 0.5, ++exponent;
  const double s = (m - 1) / (m + 1), z = s * s;
  double p = 1 / 25.0;
  p = __builtin_fma(p, z, 1 / 23.0);
  p = __builtin_fma(p, z, 1 / 21.0);
  p = __builtin_fma(p, z, 1 / 19.0);
  p = __builtin_fma(p, z, 1 / 17.0);
  p = __builtin_fma(p, z, 1 / 15.0);
  p = __builtin_fma(p, z, 1 / 13.0);
  p = __builtin_fma(p, z, 1 / 11.0);
  p = __builtin_fma(p, z, 1 / 9.0);
  p = __builtin_fma(p, z, 1 / 7.0);
  p = __builtin_fma(p, z, 1 / 5.0);
  p = __builtin_fma(p, z, 1 / 3.0);
  p = __builtin_fma(p, z, 1);
  return f32_bits((float)((double)exponent + p * s * 0x1.71547652b82fep+1));
})"},
      {"reduce_angle",
       R"(// x less a multiple of pi/2, which *quadrant has.
static inline double reduce_angle(u32 a, u32 *quadrant) {
  const double x = (double)f32_value(a);
  if ((a & 0x7fffffffu) < 0x4e800000u) {  // 2^30
    const double turns = x * 0x1.45f306dc9c883p-1;
    const s64 n = (s64)(turns + (turns < 0 ? -0.5 : 0.5));
    const double k = -(double)n;
    *quadrant = (u32)n & 3;
    return __builtin_fma(k, -0x1.f1976b7ed8fbcp-110,
                         __builtin_fma(k, 0x1.1a62633145c07p-54, __builtin_fma(k, 0x1.921fb54442d18p+0, x)));
  }
  static const u64 kTwoOverPi[] = {0xa2f9836e4e441529ull, 0xfc2757d1f534ddc0ull, 0xdb6295993c439041ull,
                                   0xfe5163abdebbc561ull};
  const u32 from = (a >> 23 & 255) - 127 - 23 - 2, word = from / 64, bit = from % 64;
  u64 high = kTwoOverPi[word] << bit, low = kTwoOverPi[word + 1] << bit;
  if (bit != 0) high |= kTwoOverPi[word + 1] >> (64 - bit);
  if (bit != 0) low |= kTwoOverPi[word + 2] >> (64 - bit);
  const unsigned __int128 product = ((unsigned __int128)high << 64 | low) * ((a & 0x7fffffu) | 0x800000u);
  u32 n = (u32)(product >> 126);
  const unsigned __int128 rest = product << 2;
  if (rest >> 127 != 0) ++n;
  const double fraction =
      ((double)(s64)(rest >> 64) + (double)(u64)rest * 0x1p-64) * 0x1p-64 * 0x1.921fb54442d18p+0;
  *quadrant = (a >> 31 != 0 ? 0 - n : n) & 3;
  return a >> 31 != 0 ? -fraction : fraction;
})"},
      {"sine_of",
       R"(static inline double sine_of(double r) {
  const double z = r * r;
  double p = 1 / 355687428096000.0;
  p = __builtin_fma(p, z, -1 / 1307674368000.0);
  p = __builtin_fma(p, z, 1 / 6227020800.0);
  p = __builtin_fma(p, z, -1 / 39916800.0);
  p = __builtin_fma(p, z, 1 / 362880.0);
  p = __builtin_fma(p, z, -1 / 5040.0);
  p = __builtin_fma(p, z, 1 / 120.0);
  p = __builtin_fma(p, z, -1 / 6.0);
  return r + r * z * p;
})"},
      {"cosine_of",
       R"(static inline double cosine_of(double r) {
  const double z = r * r;
  double p = 1 / 20922789888000.0;
  p = __builtin_fma(p, z, -1 / 87178291200.0);
  p = __builtin_fma(p, z, 1 / 479001600.0);
  p = __builtin_fma(p, z, -1 / 3628800.0);
  p = __builtin_fma(p, z, 1 / 40320.0);
  p = __builtin_fma(p, z, -1 / 720.0);
  p = __builtin_fma(p, z, 1 / 24.0);
  p = __builtin_fma(p, z, -0.5);
  return __builtin_fma(p, z, 1);
})"},
      {"sine_of_quadrant",
       R"(static inline u32 sine_of_quadrant(u32 a, u32 quarters) {
  if ((a & 0x7fffffffu) >= 0x7f800000u) return 0x7fffffffu;
  u32 quadrant;
  const double r = reduce_angle(a, &quadrant);
  quadrant = (quadrant + quarters) & 3;
  const double y = quadrant & 1 ? cosine_of(r) : sine_of(r);
  return f32_bits((float)(quadrant & 2 ? -y : y));
})"},
      {"f32_sin", "static inline u32 f32_sin(u32 a) { return a << 1 == 0 ? a : sine_of_quadrant(a, 0); }"},
      {"f32_cos", "static inline u32 f32_cos(u32 a) { return sine_of_quadrant(a, 1); }"},
  };
  for (const std::string type : {"f32", "f64"}) {
    for (const std::string name : {"min", "max"}) all.push_back({type + "_pick_" + name, pick(type, name)});
    for (const std::string rounding : {"rtz", "rdn", "rup"}) {
      for (const std::string name : {"add", "sub", "mul", "div"})
        all.push_back({type + "_" + name + "_" + rounding, directed(type, name, 2, rounding)});
      all.push_back({type + "_fma_" + rounding, directed(type, "fma", 3, rounding)});
      all.push_back({type + "_sqrt_" + rounding, directed(type, "sqrt", 1, rounding)});
      const std::string one = type == "f64" ? "0x3ffull << 52" : "0x3f800000u",
                        word = type == "f64" ? "u64" : "u32";
      all.push_back({type + "_rcp_" + rounding, "static inline " + word + " " + type + "_rcp_" + rounding +
                                                    "(" + word + " a) { return " + type + "_div_" + rounding +
                                                    "(" + one + ", a); }"});
    }
  }
  for (const std::string rounding : {"rtz", "rdn", "rup"})
    all.push_back(
        {"f32_from_f64_" + rounding, "static inline u32 f32_from_f64_" + rounding +
                                         "(u64 a) {\n  float x;\n  __asm__(\"fcvt.s.d %0, %1, " + rounding +
                                         "\" : \"=f\"(x) : \"f\"(f64_value(a)));\n  return f32_bits(x);\n}"});
  return all;
}

}  // namespace

std::string block_operations(const std::string& text) {
  static const std::vector<Definition> kAll = make();
  const std::string own = called(kAll, text);
  return operations(own + text) + own;
}

}  // namespace duet::preexec
