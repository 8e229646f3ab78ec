// Are OpenCL C's functions right: against double precision on the host, within the specification's or the
// instructions' errors?
#include <cmath>
#include <functional>
#include <ostream>

#include "opencl_rig.h"

namespace duet::test {
namespace {

struct Function {
  const char* name;
  float from, to;
  double relative, absolute;  // largest error: the larger of the two
  std::function<double(double)> exact;
};

void PrintTo(const Function& function, std::ostream* to) { *to << function.name; }

// What PTX says of ex2, lg2, sin and cos (PTX ISA 8.5), with the error of the product in front.
const Function kNative[] = {{"native_exp", -20, 20, 4e-6, 0, [](double x) { return std::exp(x); }},
                            {"native_exp2", -30, 30, 4e-7, 0, [](double x) { return std::exp2(x); }},
                            {"native_exp10", -10, 10, 4e-6, 0, [](double x) { return std::pow(10, x); }},
                            {"native_log", 0.01f, 1000, 4e-7, 4e-7, [](double x) { return std::log(x); }},
                            {"native_log2", 0.01f, 1000, 4e-7, 4e-7, [](double x) { return std::log2(x); }},
                            {"native_log10", 0.01f, 1000, 4e-7, 4e-7, [](double x) { return std::log10(x); }},
                            {"native_sin", -3, 3, 0, 1e-6, [](double x) { return std::sin(x); }},
                            {"native_cos", -3, 3, 0, 1e-6, [](double x) { return std::cos(x); }},
                            {"native_tan", -1, 1, 0, 4e-6, [](double x) { return std::tan(x); }},
                            {"native_sqrt", 0, 1000, 3e-7, 0, [](double x) { return std::sqrt(x); }},
                            {"native_rsqrt", 0.01f, 1000, 3e-7, 0, [](double x) { return 1 / std::sqrt(x); }},
                            {"native_recip", 0.01f, 1000, 3e-7, 0, [](double x) { return 1 / x; }}};
// half_*: 8192 ulp (OpenCL C 3.0, section 7.4), an ulp at most 2^-23 of the value.
constexpr double kHalf = 8192.0 / (1 << 23);
const Function kHalves[] = {{"half_exp", -20, 20, kHalf, 0, [](double x) { return std::exp(x); }},
                            {"half_exp2", -30, 30, kHalf, 0, [](double x) { return std::exp2(x); }},
                            {"half_exp10", -10, 10, kHalf, 0, [](double x) { return std::pow(10, x); }},
                            {"half_log", 0.01f, 1000, kHalf, 0, [](double x) { return std::log(x); }},
                            {"half_log2", 0.01f, 1000, kHalf, 0, [](double x) { return std::log2(x); }},
                            {"half_log10", 0.01f, 1000, kHalf, 0, [](double x) { return std::log10(x); }},
                            {"half_sin", -1000, 1000, kHalf, 0, [](double x) { return std::sin(x); }},
                            {"half_cos", -1000, 1000, kHalf, 0, [](double x) { return std::cos(x); }},
                            {"half_tan", -1000, 1000, kHalf, 0, [](double x) { return std::tan(x); }},
                            {"half_sqrt", 0, 1000, kHalf, 0, [](double x) { return std::sqrt(x); }},
                            {"half_rsqrt", 0.01f, 1000, kHalf, 0, [](double x) { return 1 / std::sqrt(x); }},
                            {"half_recip", 0.01f, 1000, kHalf, 0, [](double x) { return 1 / x; }}};
// Full precision: ulp of the same table.
constexpr double ulp(double count) { return count / (1 << 23); }
const Function kExact[] = {{"exp", -80, 80, ulp(3), 0, [](double x) { return std::exp(x); }},
                           {"exp2", -120, 120, ulp(3), 0, [](double x) { return std::exp2(x); }},
                           {"exp10", -30, 30, ulp(3), 0, [](double x) { return std::pow(10, x); }},
                           {"log", 0.0001f, 100000, ulp(3), 0, [](double x) { return std::log(x); }},
                           {"log2", 0.0001f, 100000, ulp(3), 0, [](double x) { return std::log2(x); }},
                           {"log10", 0.0001f, 100000, ulp(3), 0, [](double x) { return std::log10(x); }},
                           {"log1p", -0.9f, 1000, ulp(2), 0, [](double x) { return std::log1p(x); }},
                           {"expm1", -5, 80, ulp(3), 0, [](double x) { return std::expm1(x); }},
                           {"sin", -10000, 10000, ulp(4), 0, [](double x) { return std::sin(x); }},
                           {"cos", -10000, 10000, ulp(4), 0, [](double x) { return std::cos(x); }},
                           {"tan", -10000, 10000, ulp(5), 0, [](double x) { return std::tan(x); }},
                           {"asin", -1, 1, ulp(4), 0, [](double x) { return std::asin(x); }},
                           {"acos", -1, 1, ulp(4), 0, [](double x) { return std::acos(x); }},
                           {"atan", -100, 100, ulp(5), 0, [](double x) { return std::atan(x); }},
                           {"sinh", -80, 80, ulp(4), 0, [](double x) { return std::sinh(x); }},
                           {"cosh", -80, 80, ulp(4), 0, [](double x) { return std::cosh(x); }},
                           {"tanh", -80, 80, ulp(5), 0, [](double x) { return std::tanh(x); }},
                           {"cbrt", -1000, 1000, ulp(2), 0, [](double x) { return std::cbrt(x); }},
                           {"sqrt", 0, 1000, ulp(3), 0, [](double x) { return std::sqrt(x); }},
                           {"rsqrt", 0.01f, 1000, ulp(2), 0, [](double x) { return 1 / std::sqrt(x); }},
                           {"erf", -3, 3, ulp(16), 0, [](double x) { return std::erf(x); }},
                           {"tgamma", -8.9f, 34, ulp(16), 0, [](double x) { return std::tgamma(x); }},
                           {"floor", -100, 100, 0, 0, [](double x) { return std::floor(x); }},
                           {"rint", -100, 100, 0, 0, [](double x) { return std::nearbyint(x); }},
                           {"round", -100, 100, 0, 0, [](double x) { return std::round(x); }},
                           {"fabs", -100, 100, 0, 0, [](double x) { return std::fabs(x); }}};

class OpenClFunctions : public testing::TestWithParam<Function> {};

// As scalars, and as vectors of each size.
TEST_P(OpenClFunctions, AreWithinTheirErrors) {
  const Function& function = GetParam();
  const std::string f = function.name;
  Program program(
      "kernel void k(global float* a) {\n"
      "  const int i = get_global_id(0) * 34;\n  a[i] = " +
      f +
      "(a[i]);\n"
      "  vstore2(" +
      f +
      "(vload2(0, a + i + 1)), 0, a + i + 1);\n"
      "  vstore3(" +
      f +
      "(vload3(0, a + i + 3)), 0, a + i + 3);\n"
      "  vstore4(" +
      f +
      "(vload4(0, a + i + 6)), 0, a + i + 6);\n"
      "  vstore8(" +
      f +
      "(vload8(0, a + i + 10)), 0, a + i + 10);\n"
      "  vstore16(" +
      f + "(vload16(0, a + i + 18)), 0, a + i + 18);\n}\n");
  std::vector<float> given(34 * 64);
  for (std::size_t i = 0; i < given.size(); ++i)
    given[i] = function.from + (function.to - function.from) * static_cast<float>(i * 1103 % given.size()) /
                                   static_cast<float>(given.size());
  std::vector<float> got = given;
  program.run("k", {64}, {32}, {buffer(got)});
  for (std::size_t i = 0; i < given.size(); ++i) {
    const double exact = function.exact(double{given[i]});
    const double allowed = std::max(function.relative * std::fabs(exact), function.absolute);
    ASSERT_LE(std::fabs(got[i] - exact), allowed)
        << f << '(' << given[i] << ") = " << got[i] << ", not " << exact;
  }
}

std::string function_name(const testing::TestParamInfo<Function>& info) { return info.param.name; }
INSTANTIATE_TEST_SUITE_P(Native, OpenClFunctions, testing::ValuesIn(kNative), function_name);
INSTANTIATE_TEST_SUITE_P(Half, OpenClFunctions, testing::ValuesIn(kHalves), function_name);
INSTANTIATE_TEST_SUITE_P(Full, OpenClFunctions, testing::ValuesIn(kExact), function_name);

// The same in double precision, against the host's extended one.
struct DoubleFunction {
  const char* name;
  double from, to, ulps;  // an ulp at most 2^-52 of the value
  std::function<long double(long double)> exact;
};
void PrintTo(const DoubleFunction& function, std::ostream* to) { *to << function.name; }
using Extended = long double;
const DoubleFunction kDoubles[] = {
    {"exp", -600, 600, 3, [](Extended x) { return std::exp(x); }},
    {"exp2", -900, 900, 3, [](Extended x) { return std::exp2(x); }},
    {"exp10", -250, 250, 3, [](Extended x) { return std::pow(Extended{10}, x); }},
    {"log", 1e-5, 1e5, 3, [](Extended x) { return std::log(x); }},
    {"log2", 1e-5, 1e5, 3, [](Extended x) { return std::log2(x); }},
    {"log10", 1e-5, 1e5, 3, [](Extended x) { return std::log10(x); }},
    {"sin", -1000, 1000, 4, [](Extended x) { return std::sin(x); }},
    {"cos", -1000, 1000, 4, [](Extended x) { return std::cos(x); }},
    {"tan", -1000, 1000, 5, [](Extended x) { return std::tan(x); }},
    {"asin", -1, 1, 4, [](Extended x) { return std::asin(x); }},
    {"atan", -100, 100, 5, [](Extended x) { return std::atan(x); }},
    {"sinh", -600, 600, 4, [](Extended x) { return std::sinh(x); }},
    {"tanh", -20, 20, 5, [](Extended x) { return std::tanh(x); }},
    {"cbrt", -1000, 1000, 2, [](Extended x) { return std::cbrt(x); }},
    {"sqrt", 0, 1000, 0.5, [](Extended x) { return std::sqrt(x); }},
    {"rsqrt", 0.01, 1000, 2, [](Extended x) { return 1 / std::sqrt(x); }},
    {"erf", -3, 3, 16, [](Extended x) { return std::erf(x); }},
    {"tgamma", -20.3, 170, 16, [](Extended x) { return std::tgamma(x); }}};

class OpenClDoubles : public testing::TestWithParam<DoubleFunction> {};

TEST_P(OpenClDoubles, AreWithinTheirErrors) {
  const DoubleFunction& function = GetParam();
  const std::string f = function.name;
  Program program("kernel void k(global double2* a) { a[get_global_id(0)] = " + f +
                  "(a[get_global_id(0)]); }");
  std::vector<double> given(1024);
  for (std::size_t i = 0; i < given.size(); ++i)
    given[i] = function.from + (function.to - function.from) * static_cast<double>(i) / 1024;
  std::vector<double> got = given;
  program.run("k", {512}, {128}, {buffer(got)});
  for (std::size_t i = 0; i < given.size(); ++i) {
    const Extended exact = function.exact(given[i]);
    ASSERT_LE(std::fabs(got[i] - exact), function.ulps * 0x1p-52L * std::fabs(exact))
        << f << '(' << given[i] << ") = " << got[i] << ", not " << exact;
  }
}
INSTANTIATE_TEST_SUITE_P(Full, OpenClDoubles, testing::ValuesIn(kDoubles),
                         [](const auto& info) { return std::string(info.param.name); });

TEST(OpenClFunctionsOfTwo, AreWithinTheirErrors) {
  Program program(R"(
kernel void k(global const float4* x, global const float4* y, global float4* a, int n) {
  const int i = get_global_id(0);
  a[i] = native_powr(x[i], y[i]);
  a[n + i] = native_divide(x[i], y[i]);
  a[2 * n + i] = half_powr(x[i], y[i]);
  a[3 * n + i] = half_divide(x[i], y[i]);
  a[4 * n + i] = pow(x[i], y[i]);
  a[5 * n + i] = hypot(x[i], y[i]);
  a[6 * n + i] = fmod(x[i], y[i]);
  a[7 * n + i] = atan2(x[i], y[i]);
}
)");
  constexpr int kItems = 64, kWords = 4 * kItems;
  std::vector<float> x(kWords), y(kWords), a(8 * kWords);
  for (int i = 0; i < kWords; ++i) {
    x[i] = 0.05f + 0.37f * static_cast<float>(i);
    y[i] = 0.25f + static_cast<float>((i * 29) % 40) / 10.0f;
  }
  program.run("k", {kItems}, {32}, {buffer(x), buffer(y), buffer(a), value(kItems)});
  for (int i = 0; i < kWords; ++i) {
    const double u = x[i], v = y[i];
    const double exact[] = {std::pow(u, v),   u / v,           std::pow(u, v),  u / v, std::pow(u, v),
                            std::hypot(u, v), std::fmod(u, v), std::atan2(u, v)};
    const double relative[] = {2e-5, 4e-7, kHalf, kHalf, ulp(16), ulp(4), 0, ulp(6)};
    for (int f = 0; f < 8; ++f)
      ASSERT_LE(std::fabs(a[f * kWords + i] - exact[f]), relative[f] * std::fabs(exact[f]))
          << f << ": " << u << ", " << v;
  }
}

TEST(OpenClIntegers, CountTrailingZerosAndMultiplyHigh) {
  Program program(R"(
kernel void k(global ulong* a) {
  a[0] = ctz((uchar)0); a[1] = ctz((short)-32768); a[2] = ctz(0u); a[3] = ctz(40); a[4] = ctz(1ul << 63); a[5] = ctz(0l);
  uchar16 v = ctz((uchar16)(1, 2, 4, 8, 16, 32, 64, 128, 0, 1, 2, 3, 4, 5, 6, 7));
  a[6] = v.s7 + 100 * v.s8 + 10000 * v.se;
  a[7] = mad_hi(0x80000000u, 6u, 7u); a[8] = (ulong)mad_hi((char)-128, (char)4, (char)1);
  a[9] = popcount(0xf0f0) + clz(1) + rotate(0x80000001u, 1u) + mul24(3, 4) + abs_diff(3, -4);
}
)",
                  "-cl-std=CL3.0");
  std::vector<std::uint64_t> a(10);
  program.run("k", {1}, {1}, {buffer(a)});
  EXPECT_EQ(
      a, (std::vector<std::uint64_t>{8, 15, 32, 3, 63, 64, 7 + 800 + 10000, 10, ~0ull, 8 + 31 + 3 + 12 + 7}));
}

}  // namespace
}  // namespace duet::test
