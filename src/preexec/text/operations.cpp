// PTX operations without an equal in C, as functions; a program gets the ones it calls. Semantics as in
// ptx/semantics.
#include <cctype>
#include <string>
#include <string_view>
#include <vector>

#include "preexec/text/prologue.h"

namespace duet::preexec {

namespace {

struct Operation {
  std::string_view name, text;
};

// Callees stand before their callers. Floating-point values travel as their bits.
constexpr Operation kOperations[] = {
    {"shift_left_u32", "static inline u32 shift_left_u32(u32 a, u32 n) { return n < 32 ? a << n : 0; }"},
    {"shift_left_u64", "static inline u64 shift_left_u64(u64 a, u64 n) { return n < 64 ? a << n : 0; }"},
    {"shift_right_u32", "static inline u32 shift_right_u32(u32 a, u32 n) { return n < 32 ? a >> n : 0; }"},
    {"shift_right_u64", "static inline u64 shift_right_u64(u64 a, u64 n) { return n < 64 ? a >> n : 0; }"},
    {"shift_right_s32",
     "static inline u32 shift_right_s32(u32 a, u32 n) { return (u32)((s32)a >> (n < 31 ? n : 31)); }"},
    {"shift_right_s64",
     "static inline u64 shift_right_s64(u64 a, u64 n) { return (u64)((s64)a >> (n < 63 ? n : 63)); }"},
    {"divide_u32", "static inline u32 divide_u32(u32 a, u32 b) { return b == 0 ? ~0u : a / b; }"},
    {"divide_u64", "static inline u64 divide_u64(u64 a, u64 b) { return b == 0 ? ~0ull : a / b; }"},
    {"divide_s32",
     "static inline u32 divide_s32(u32 a, u32 b) { return b == 0 ? ~0u : b == ~0u ? 0 - a : (u32)((s32)a / "
     "(s32)b); }"},
    {"divide_s64",
     "static inline u64 divide_s64(u64 a, u64 b) { return b == 0 ? ~0ull : b == ~0ull ? 0 - a : (u64)((s64)a "
     "/ (s64)b); }"},
    {"remainder_u32", "static inline u32 remainder_u32(u32 a, u32 b) { return b == 0 ? a : a % b; }"},
    {"remainder_u64", "static inline u64 remainder_u64(u64 a, u64 b) { return b == 0 ? a : a % b; }"},
    {"remainder_s32",
     "static inline u32 remainder_s32(u32 a, u32 b) { return b == 0 ? a : b == ~0u ? 0 : (u32)((s32)a % "
     "(s32)b); }"},
    {"remainder_s64",
     "static inline u64 remainder_s64(u64 a, u64 b) { return b == 0 ? a : b == ~0ull ? 0 : (u64)((s64)a % "
     "(s64)b); }"},
    {"multiply_high_u64",
     "static inline u64 multiply_high_u64(u64 a, u64 b) { return (u64)((unsigned __int128)a * b >> 64); }"},
    {"multiply_high_s64",
     "static inline u64 multiply_high_s64(u64 a, u64 b) { return (u64)((__int128)(s64)a * (s64)b >> 64); }"},
    {"power_u32",
     "static inline u32 power_u32(u32 a, u32 n) {\n  u32 product = 1;\n  for (; n != 0; n >>= 1, a *= a)\n   "
     " if (n & 1) product *= a;\n"
     "  return product;\n}"},
    {"power_u64",
     "static inline u64 power_u64(u64 a, u64 n) {\n  u64 product = 1;\n  for (; n != 0; n >>= 1, a *= a)\n   "
     " if (n & 1) product *= a;\n"
     "  return product;\n}"},
    {"ones_u32", "static inline u32 ones_u32(u32 a) { return (u32)__builtin_popcount(a); }"},
    {"ones_u64", "static inline u32 ones_u64(u64 a) { return (u32)__builtin_popcountll(a); }"},
    {"leading_zeros_u32",
     "static inline u32 leading_zeros_u32(u32 a) { return a == 0 ? 32 : (u32)__builtin_clz(a); }"},
    {"leading_zeros_u64",
     "static inline u32 leading_zeros_u64(u64 a) { return a == 0 ? 64 : (u32)__builtin_clzll(a); }"},
    {"reverse_bits_u32",
     "static inline u32 reverse_bits_u32(u32 a) {\n  u32 b = 0;\n  for (u32 i = 0; i < 32; ++i) b |= (a >> i "
     "& 1) << (31 - i);\n"
     "  return b;\n}"},
    {"reverse_bits_u64",
     "static inline u64 reverse_bits_u64(u64 a) {\n  u64 b = 0;\n  for (u32 i = 0; i < 64; ++i) b |= (a >> i "
     "& 1) << (63 - i);\n"
     "  return b;\n}"},
    {"find_highest_u32",
     "static inline u32 find_highest_u32(u32 a, u32 as_shift) {\n  if (a == 0) return ~0u;\n  const u32 "
     "zeros = (u32)__builtin_clz(a);\n"
     "  return as_shift ? zeros : 31 - zeros;\n}"},
    {"find_highest_u64",
     "static inline u32 find_highest_u64(u64 a, u32 as_shift) {\n  if (a == 0) return ~0u;\n  const u32 "
     "zeros = (u32)__builtin_clzll(a);\n"
     "  return as_shift ? zeros : 63 - zeros;\n}"},
    {"find_highest_s32",
     "static inline u32 find_highest_s32(u32 a, u32 as_shift) { return find_highest_u32(a ^ (u32)((s32)a >> "
     "31), as_shift); }"},
    {"find_highest_s64",
     "static inline u32 find_highest_s64(u64 a, u32 as_shift) { return find_highest_u64(a ^ (u64)((s64)a >> "
     "63), as_shift); }"},
    {"extract_field_u64",
     "static inline u64 extract_field_u64(u64 a, u32 b, u32 c) {\n  const u32 position = b & 255, length = c "
     "& 255;\n"
     "  const u64 low = position < 64 ? a >> position : 0;\n  return length < 64 ? low & ((1ull << length) - "
     "1) : low;\n}"},
    {"extract_field_u32",
     "static inline u32 extract_field_u32(u32 a, u32 b, u32 c) { return (u32)extract_field_u64(a, b, c); }"},
    {"extract_field_s64",
     "static inline u64 extract_field_s64(u64 a, u32 b, u32 c) {\n  const u32 position = b & 255, length = c "
     "& 255;\n"
     "  if (length == 0) return 0;\n  const u64 high = (u64)((s64)a >> (position < 63 ? position : 63));\n"
     "  return length < 64 ? (u64)((s64)(high << (64 - length)) >> (64 - length)) : high;\n}"},
    {"extract_field_s32",
     "static inline u32 extract_field_s32(u32 a, u32 b, u32 c) { return "
     "(u32)extract_field_s64((u64)(s64)(s32)a, b, c); }"},
    {"insert_field_u64",
     "static inline u64 insert_field_u64(u64 a, u64 b, u32 c, u32 d) {\n  const u32 position = c & 255, "
     "length = d & 255;\n"
     "  if (position >= 64) return b;\n  const u64 field = length < 64 ? (1ull << length) - 1 : ~0ull;\n"
     "  return (b & ~(field << position)) | ((a & field) << position);\n}"},
    {"insert_field_u32",
     "static inline u32 insert_field_u32(u32 a, u32 b, u32 c, u32 d) {\n  const u32 position = c & 255, "
     "length = d & 255;\n"
     "  if (position >= 32) return b;\n  const u32 field = length < 32 ? (1u << length) - 1 : ~0u;\n"
     "  return (b & ~(field << position)) | ((a & field) << position);\n}"},
    {"permute_bytes",
     "static inline u32 permute_bytes(u32 a, u32 b, u32 c) {\n  const u64 bytes = (u64)b << 32 | a;\n  u32 "
     "result = 0;\n"
     "  for (u32 i = 0; i < 4; ++i) {\n    const u32 selector = c >> 4 * i & 15;\n    u32 byte = bytes >> 8 "
     "* (selector & 7) & 255;\n"
     "    if (selector & 8) byte = byte & 128 ? 255 : 0;\n    result |= byte << 8 * i;\n  }\n  return "
     "result;\n}"},
    {"inverse_of",
     "// n / d as a multiplication: over(n, inverse_of(d)), exact for 32 bits (Lemire, Kaser, Kurz 2019).\n"
     "static inline u64 inverse_of(u32 d) { return d < 2 ? 0 : ~0ull / d + 1; }"},
    {"over",
     "static inline u32 over(u32 n, u64 inverse) {\n"
     "  return inverse == 0 ? n : (u32)((unsigned __int128)inverse * n >> 64);\n}"},
    {"steps_up_u64",
     "// How often a counter that rises is below a bound (or at it).\n"
     "static inline u32 steps_up_u64(u64 first, u64 bound, u64 step, u32 inclusive) {\n"
     "  if (first > bound || (first == bound && !inclusive) || step == 0) return 0;\n"
     "  return (u32)((bound - first - !inclusive) / step + 1);\n}"},
    {"steps_up_s64",
     "static inline u32 steps_up_s64(u64 first, u64 bound, u64 step, u32 inclusive) {\n"
     "  return (s64)step < 0 ? 0 : steps_up_u64(first ^ 1ull << 63, bound ^ 1ull << 63, step, "
     "inclusive);\n}"},
    {"steps_up_u32",
     "static inline u32 steps_up_u32(u32 first, u32 bound, u32 step, u32 inclusive) { return "
     "steps_up_u64(first, bound, step, inclusive); }"},
    {"steps_up_s32",
     "static inline u32 steps_up_s32(u32 first, u32 bound, u32 step, u32 inclusive) {\n"
     "  if ((s32)first > (s32)bound || (first == bound && !inclusive) || (s32)step <= 0) return 0;\n"
     "  return (bound - first - !inclusive) / step + 1;\n}"},
    {"last_up_u64",
     "// The same without a division, as far as m + 1, where iteration m is reached.\n"
     "static inline u32 last_up_u64(u64 first, u64 bound, u64 step, u32 inclusive, u32 m) {\n"
     "  if (first > bound || (first == bound && !inclusive) || step == 0) return 0;\n"
     "  const unsigned __int128 way = bound - first - !inclusive, at_m = (unsigned __int128)step * m;\n"
     "  return at_m <= way ? m + 1 : at_m - step <= way ? m : m - 1;\n}"},
    {"last_up_s64",
     "static inline u32 last_up_s64(u64 first, u64 bound, u64 step, u32 inclusive, u32 m) {\n"
     "  return (s64)step < 0 ? 0 : last_up_u64(first ^ 1ull << 63, bound ^ 1ull << 63, step, inclusive, "
     "m);\n}"},
    {"last_up_u32",
     "static inline u32 last_up_u32(u32 first, u32 bound, u32 step, u32 inclusive, u32 m) {\n"
     "  if (first > bound || (first == bound && !inclusive) || step == 0) return 0;\n"
     "  const u64 way = bound - first - !inclusive, at_m = (u64)step * m;\n"
     "  return at_m <= way ? m + 1 : at_m - step <= way ? m : m - 1;\n}"},
    {"last_up_s32",
     "static inline u32 last_up_s32(u32 first, u32 bound, u32 step, u32 inclusive, u32 m) {\n"
     "  return (s32)step < 0 ? 0 : last_up_u32(first ^ 1u << 31, bound ^ 1u << 31, step, inclusive, m);\n}"},
    {"steps_down_u64",
     "// How often a counter that falls is above a bound (or at it).\n"
     "static inline u32 steps_down_u64(u64 first, u64 bound, u64 step, u32 inclusive) { return "
     "steps_up_u64(bound, first, 0 - step, inclusive); }"},
    {"steps_down_s64",
     "static inline u32 steps_down_s64(u64 first, u64 bound, u64 step, u32 inclusive) { return "
     "steps_up_s64(bound, first, 0 - step, inclusive); }"},
    {"steps_down_u32",
     "static inline u32 steps_down_u32(u32 first, u32 bound, u32 step, u32 inclusive) { return "
     "steps_up_u32(bound, first, 0 - step, inclusive); }"},
    {"steps_down_s32",
     "static inline u32 steps_down_s32(u32 first, u32 bound, u32 step, u32 inclusive) { return "
     "steps_up_s32(bound, first, 0 - step, inclusive); }"},
    {"last_down_u64",
     "static inline u32 last_down_u64(u64 first, u64 bound, u64 step, u32 inclusive, u32 m) { return "
     "last_up_u64(bound, first, 0 - step, inclusive, m); }"},
    {"last_down_s64",
     "static inline u32 last_down_s64(u64 first, u64 bound, u64 step, u32 inclusive, u32 m) { return "
     "last_up_s64(bound, first, 0 - step, inclusive, m); }"},
    {"last_down_u32",
     "static inline u32 last_down_u32(u32 first, u32 bound, u32 step, u32 inclusive, u32 m) { return "
     "last_up_u32(bound, first, 0 - step, inclusive, m); }"},
    {"last_down_s32",
     "static inline u32 last_down_s32(u32 first, u32 bound, u32 step, u32 inclusive, u32 m) { return "
     "last_up_s32(bound, first, 0 - step, inclusive, m); }"},
};

// Of f32 and f64 alike; %F is f32, %W is u32, %T is float, %B the bits of a magnitude.
constexpr Operation kFloats[] = {
    {"value",
     "static inline %T %F_value(%W bits) { %T x; __builtin_memcpy(&x, &bits, sizeof x); return x; }"},
    {"bits",
     "static inline %W %F_bits(%T x) { %W bits; __builtin_memcpy(&bits, &x, sizeof bits); return bits; }"},
    {"add", "static inline %W %F_add(%W a, %W b) { return %F_bits(%F_value(a) + %F_value(b)); }"},
    {"sub", "static inline %W %F_sub(%W a, %W b) { return %F_bits(%F_value(a) - %F_value(b)); }"},
    {"mul", "static inline %W %F_mul(%W a, %W b) { return %F_bits(%F_value(a) * %F_value(b)); }"},
    {"div", "static inline %W %F_div(%W a, %W b) { return %F_bits(%F_value(a) / %F_value(b)); }"},
    {"fma",
     "static inline %W %F_fma(%W a, %W b, %W c) { return %F_bits(__builtin_fma%S(%F_value(a), %F_value(b), "
     "%F_value(c))); }"},
    {"sqrt", "static inline %W %F_sqrt(%W a) { return %F_bits(__builtin_sqrt%S(%F_value(a))); }"},
    {"abs", "static inline %W %F_abs(%W a) { return a & %B; }"},
    {"neg", "static inline %W %F_neg(%W a) { return a ^ (%B + 1); }"},
    {"min",
     "static inline %W %F_min(%W a, %W b) { return %F_value(b) < %F_value(a) || (a & %B) > "
     "%F_bits((%T)__builtin_inf()) ? b : a; }"},
    {"max",
     "static inline %W %F_max(%W a, %W b) { return %F_value(b) > %F_value(a) || (a & %B) > "
     "%F_bits((%T)__builtin_inf()) ? b : a; }"},
    {"num",
     "static inline u32 %F_num(%W a, %W b) { return !__builtin_isunordered(%F_value(a), %F_value(b)); }"},
    {"nan",
     "static inline u32 %F_nan(%W a, %W b) { return __builtin_isunordered(%F_value(a), %F_value(b)); }"},
    {"eq", "static inline u32 %F_eq(%W a, %W b) { return %F_value(a) == %F_value(b); }"},
    {"ne", "static inline u32 %F_ne(%W a, %W b) { return %F_num(a, b) && %F_value(a) != %F_value(b); }"},
    {"lt", "static inline u32 %F_lt(%W a, %W b) { return %F_value(a) < %F_value(b); }"},
    {"le", "static inline u32 %F_le(%W a, %W b) { return %F_value(a) <= %F_value(b); }"},
    {"gt", "static inline u32 %F_gt(%W a, %W b) { return %F_value(a) > %F_value(b); }"},
    {"ge", "static inline u32 %F_ge(%W a, %W b) { return %F_value(a) >= %F_value(b); }"},
    {"equ", "static inline u32 %F_equ(%W a, %W b) { return %F_nan(a, b) || %F_eq(a, b); }"},
    {"neu", "static inline u32 %F_neu(%W a, %W b) { return %F_value(a) != %F_value(b); }"},
    {"ltu", "static inline u32 %F_ltu(%W a, %W b) { return %F_nan(a, b) || %F_lt(a, b); }"},
    {"leu", "static inline u32 %F_leu(%W a, %W b) { return %F_nan(a, b) || %F_le(a, b); }"},
    {"gtu", "static inline u32 %F_gtu(%W a, %W b) { return %F_nan(a, b) || %F_gt(a, b); }"},
    {"geu", "static inline u32 %F_geu(%W a, %W b) { return %F_nan(a, b) || %F_ge(a, b); }"},
    {"from_s64", "static inline %W %F_from_s64(u64 a) { return %F_bits((%T)(s64)a); }"},
    {"from_u64", "static inline %W %F_from_u64(u64 a) { return %F_bits((%T)a); }"},
    // Values of 2^62 and more have no fraction.
    {"truncated",
     "static inline %W %F_truncated(%W a) {\n  const %T x = %F_value(a);\n  return x > -0x1p62 && x < 0x1p62 "
     "? %F_bits((%T)(s64)x) : a;\n}"},
    {"floor",
     "static inline %W %F_floor(%W a) {\n  const %T x = %F_value(a), y = %F_value(%F_truncated(a));\n  "
     "return y > x ? %F_bits(y - 1) : %F_bits(y);\n}"},
    {"ceiling",
     "static inline %W %F_ceiling(%W a) {\n  const %T x = %F_value(a), y = %F_value(%F_truncated(a));\n  "
     "return y < x ? %F_bits(y + 1) : %F_bits(y);\n}"},
    {"nearest",
     "static inline %W %F_nearest(%W a) {\n  const %T x = %F_value(a), y = %F_value(%F_floor(a)), rest = x - "
     "y;\n"
     "  const int up = rest > (%T)0.5 || (rest == (%T)0.5 && ((s64)y & 1) != 0);\n  return up ? %F_bits(y + "
     "1) : %F_bits(y);\n}"},
};
// From an integral float, clamped; a NaN gives 0, or the top bit where source or destination has 64 bits.
constexpr Operation kToInteger[] = {
    {"s32_from_f32",
     "static inline u32 s32_from_f32(u32 a) {\n  const float x = f32_value(a);\n"
     "  return x != x ? 0 : x < -0x1p31f ? 0x80000000u : x >= 0x1p31f ? 0x7fffffffu : (u32)(s32)x;\n}"},
    {"u32_from_f32",
     "static inline u32 u32_from_f32(u32 a) {\n  const float x = f32_value(a);\n"
     "  return x != x || x < 0 ? 0 : x >= 0x1p32f ? ~0u : (u32)(s64)x;\n}"},
    {"s64_from_f32",
     "static inline u64 s64_from_f32(u32 a) {\n  const float x = f32_value(a);\n"
     "  return x != x || x < -0x1p63f ? 1ull << 63 : x >= 0x1p63f ? ~0ull >> 1 : (u64)(s64)x;\n}"},
    {"u64_from_f32",
     "static inline u64 u64_from_f32(u32 a) {\n  const float x = f32_value(a);\n"
     "  return x != x ? 1ull << 63 : x < 0 ? 0 : x >= 0x1p64f ? ~0ull : (u64)x;\n}"},
    {"s32_from_f64",
     "static inline u32 s32_from_f64(u64 a) {\n  const double x = f64_value(a);\n"
     "  return x != x || x < -0x1p31 ? 0x80000000u : x >= 0x1p31 ? 0x7fffffffu : (u32)(s32)x;\n}"},
    {"u32_from_f64",
     "static inline u32 u32_from_f64(u64 a) {\n  const double x = f64_value(a);\n"
     "  return x != x ? 0x80000000u : x < 0 ? 0 : x >= 0x1p32 ? ~0u : (u32)(s64)x;\n}"},
    {"s64_from_f64",
     "static inline u64 s64_from_f64(u64 a) {\n  const double x = f64_value(a);\n"
     "  return x != x || x < -0x1p63 ? 1ull << 63 : x >= 0x1p63 ? ~0ull >> 1 : (u64)(s64)x;\n}"},
    {"u64_from_f64",
     "static inline u64 u64_from_f64(u64 a) {\n  const double x = f64_value(a);\n"
     "  return x != x ? 1ull << 63 : x < 0 ? 0 : x >= 0x1p64 ? ~0ull : (u64)x;\n}"},
    {"f32_from_f64", "static inline u32 f32_from_f64(u64 a) { return f32_bits((float)f64_value(a)); }"},
    {"f64_from_f32", "static inline u64 f64_from_f32(u32 a) { return f64_bits((double)f32_value(a)); }"},
};

std::string spelled(std::string_view form, bool wide) {
  std::string text;
  for (std::size_t i = 0; i < form.size(); ++i) {
    if (form[i] != '%') {
      text += form[i];
      continue;
    }
    switch (form[++i]) {
      case 'F':
        text += wide ? "f64" : "f32";
        break;
      case 'W':
        text += wide ? "u64" : "u32";
        break;
      case 'T':
        text += wide ? "double" : "float";
        break;
      case 'S':
        text += wide ? "" : "f";
        break;
      default:
        text += wide ? "0x7fffffffffffffffull" : "0x7fffffffu";
        break;
    }
  }
  return text;
}

bool calls(const std::string& text, const std::string& name) {
  for (std::size_t at = text.find(name); at != std::string::npos; at = text.find(name, at + 1)) {
    const bool starts =
        at == 0 || (!std::isalnum(static_cast<unsigned char>(text[at - 1])) && text[at - 1] != '_');
    if (starts && at + name.size() < text.size() && text[at + name.size()] == '(') return true;
  }
  return false;
}

std::vector<Definition> all_operations() {
  std::vector<Definition> all;
  for (const Operation& op : kOperations) all.push_back({std::string(op.name), std::string(op.text)});
  for (const bool wide : {false, true})
    for (const Operation& op : kFloats)
      all.push_back({(wide ? "f64_" : "f32_") + std::string(op.name), spelled(op.text, wide)});
  for (const Operation& op : kToInteger) all.push_back({std::string(op.name), std::string(op.text)});
  return all;
}

}  // namespace

std::string called(const std::vector<Definition>& all, const std::string& text) {
  std::string result;
  // From the last to the first: a function's callees stand before it.
  for (std::size_t i = all.size(); i-- > 0;)
    if (calls(text, all[i].name) || calls(result, all[i].name)) result = all[i].text + "\n" + result;
  return result;
}

std::string operations(const std::string& text) {
  static const std::vector<Definition> kAll = all_operations();
  const std::string result = called(kAll, text);
  return result.empty() ? result : "\n" + result;
}

}  // namespace duet::preexec
