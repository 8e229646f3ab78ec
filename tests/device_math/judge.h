// How the device math tests sample a function, measure its error in units in the last place, and compare
// special values. The functions under test are the headers' own code, compiled here for the host; the
// reference is the host's libm in a wider type.
#ifndef DUET_TESTS_DEVICE_MATH_JUDGE_H
#define DUET_TESTS_DEVICE_MATH_JUDGE_H

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <limits>

#include "duet_math_base.h"

struct Judge {
  bool quiet = false;
  const char* only = nullptr;
  int thinning = 1;  // takes one sample of so many
  int failures = 0;
  int checked = 0;
};
inline Judge judge;

template <class T>
struct Wider;
template <>
struct Wider<float> {
  using Type = double;
  static constexpr int lowest_exponent = -149, digits = 24;
  static constexpr long samples = 1L << 22;
};
template <>
struct Wider<double> {
  using Type = long double;
  static constexpr int lowest_exponent = -1074, digits = 53;
  static constexpr long samples = 1L << 20;
};

/// Error of `got` in units in the last place of `want` as T rounds it; infinite where one of them is no
/// number or infinite and the other is not. A result that rounds to infinity may also be the largest number's
/// neighbour.
template <class T>
double ulps(T got, typename Wider<T>::Type want) {
  const T rounded = static_cast<T>(want);
  if (std::isnan(want)) return std::isnan(got) ? 0 : INFINITY;
  if (std::isnan(got)) return INFINITY;
  if (std::isinf(rounded))
    return got == rounded                                                                  ? 0
           : std::isinf(want) || got != std::copysign(std::numeric_limits<T>::max(), want) ? INFINITY
                                                                                           : 1;
  if (got == rounded) {
    if (rounded == 0 && want == 0) return std::signbit(got) == std::signbit(want) ? 0 : INFINITY;
  } else if (std::isinf(got)) {
    return static_cast<double>(std::fabs(want) /
                               std::ldexp(typename Wider<T>::Type(1), std::numeric_limits<T>::max_exponent)) >
                   0.99999994
               ? 1
               : INFINITY;
  }
  int exponent = want == 0 ? Wider<T>::lowest_exponent : std::ilogb(want) - Wider<T>::digits + 1;
  if (exponent < Wider<T>::lowest_exponent) exponent = Wider<T>::lowest_exponent;
  return static_cast<double>(std::ldexp(std::fabs(got - want), -exponent));
}

/// The values that every function must get right whatever the sampling misses.
template <class T>
inline const T specials[] = {T(0),
                             T(-0.0),
                             T(1),
                             T(-1),
                             T(0.5),
                             T(-0.5),
                             T(2),
                             T(-2),
                             T(3),
                             T(-3),
                             T(4),
                             T(10),
                             T(-10),
                             T(0.25),
                             T(1.5),
                             T(-1.5),
                             T(2.5),
                             T(100),
                             T(-100),
                             T(88.5),
                             T(-88.5),
                             T(128),
                             T(-149),
                             T(-150),
                             T(0.75),
                             T(-0.75),
                             T(16777215),
                             T(16777216),
                             std::numeric_limits<T>::infinity(),
                             -std::numeric_limits<T>::infinity(),
                             std::numeric_limits<T>::quiet_NaN(),
                             std::numeric_limits<T>::min(),
                             -std::numeric_limits<T>::min(),
                             std::numeric_limits<T>::denorm_min(),
                             -std::numeric_limits<T>::denorm_min(),
                             std::numeric_limits<T>::max(),
                             -std::numeric_limits<T>::max(),
                             std::numeric_limits<T>::epsilon()};

struct Random {
  std::uint64_t state;
  std::uint64_t next() {
    state += 0x9e3779b97f4a7c15ull;
    std::uint64_t z = state;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
    return z ^ (z >> 31);
  }
  double unit() { return static_cast<double>(next() >> 11) * 0x1p-53; }
};

template <class T>
T any_number(Random& random) {
  if constexpr (sizeof(T) == 4) {
    return duet_float(static_cast<unsigned int>(random.next() >> 32));
  } else {
    return duet_double(random.next());
  }
}

struct Worst {
  double error = 0;
  double at[2] = {0, 0};
  double got = 0, want = 0;
};

template <class T>
void note(Worst& worst, T got, typename Wider<T>::Type want, T x, T y) {
  const double error = ulps(got, want);
  if (!(error <= worst.error)) {
    worst = {error,
             {static_cast<double>(x), static_cast<double>(y)},
             static_cast<double>(got),
             static_cast<double>(want)};
  }
}

inline bool wanted(const char* name) { return judge.only == nullptr || std::strcmp(name, judge.only) == 0; }

inline void verdict(const char* name, const Worst& worst, double limit) {
  const bool bad = !(worst.error <= limit);
  judge.checked++;
  if (bad) judge.failures++;
  if (bad || !judge.quiet) {
    std::printf("%s %-14s %8.3f of %g ulp, at (%a, %a) = (%.9g, %.9g): got %.17g want %.17g\n",
                bad ? "FAIL" : "ok  ", name, worst.error, limit, worst.at[0], worst.at[1], worst.at[0],
                worst.at[1], worst.got, worst.want);
  }
}

/// Sweeps one argument: half of the samples over all bit patterns, half evenly over [low, high], and the
/// specials.
template <class T, class Function, class Reference>
void sweep(const char* name, double limit, T low, T high, Function function, Reference reference) {
  if (!wanted(name)) return;
  using W = typename Wider<T>::Type;
  Worst worst;
  auto one = [&](T x) { note<T>(worst, function(x), reference(static_cast<W>(x)), x, T(0)); };
  for (T x : specials<T>) one(x);
  Random random{42};
  const long half = Wider<T>::samples / 2 / judge.thinning;
  if constexpr (sizeof(T) == 4) {
    for (long i = 0; i < half; i++)
      one(duet_float(
          static_cast<unsigned int>((i * 2048 + static_cast<long>(random.next() % 2048)) * judge.thinning)));
  } else {
    for (long i = 0; i < half; i++) one(any_number<T>(random));
  }
  for (long i = 0; i < half; i++) one(low + (high - low) * static_cast<T>(random.unit()));
  verdict(name, worst, limit);
}

/// Sweeps two arguments: all pairs of specials, pairs of arbitrary numbers, and pairs from [low, high].
template <class T, class Function, class Reference>
void sweep2(const char* name, double limit, T low, T high, T low2, T high2, Function function,
            Reference reference) {
  if (!wanted(name)) return;
  using W = typename Wider<T>::Type;
  Worst worst;
  auto one = [&](T x, T y) {
    note<T>(worst, function(x, y), reference(static_cast<W>(x), static_cast<W>(y)), x, y);
  };
  for (T x : specials<T>) {
    for (T y : specials<T>) one(x, y);
  }
  Random random{43};
  const long half = Wider<T>::samples / 2 / judge.thinning;
  for (long i = 0; i < half; i++) one(any_number<T>(random), any_number<T>(random));
  for (long i = 0; i < half; i++) {
    const T x = low + (high - low) * static_cast<T>(random.unit());
    one(x, low2 + (high2 - low2) * static_cast<T>(random.unit()));
  }
  verdict(name, worst, limit);
}

#endif
