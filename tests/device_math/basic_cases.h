// Exact functions (limit 0) and norms under test, in both precisions.
#ifndef DUET_TESTS_DEVICE_MATH_BASIC_CASES_H
#define DUET_TESTS_DEVICE_MATH_BASIC_CASES_H

#include "duet_math_basic.h"
#include "judge.h"

/// A number's parts and results that do not depend on the precision's limits: `n` names the precision.
template <class T>
void basic_cases_of(const char* const* n, double (*norm_limits)(int)) {
  using W = typename Wider<T>::Type;
  // What the host's own function of the same precision gives is exact, so that is the reference here.
  auto exact = [](T v) { return static_cast<W>(v); };
  sweep<T>(
      n[0], 0, -10, 10,
      [](T x) {
        int e;
        const T m = duet_frexp(x, &e);
        return m + T(e) * 4;
      },
      [=](W x) {
        int e = 0;
        const T m = std::frexp(static_cast<T>(x), &e);
        return exact(m + T(std::isfinite(x) ? e : 0) * 4);
      });
  sweep<T>(
      n[1], 0, -10, 10, [](T x) { return duet_logb(x); },
      [=](W x) { return exact(std::logb(static_cast<T>(x))); });
  sweep<T>(
      n[2], 0, -10, 10, [](T x) { return duet_round(x); },
      [=](W x) { return exact(std::round(static_cast<T>(x))); });
  sweep<T>(
      n[3], 0, -10, 10,
      [](T x) {
        T w;
        const T f = duet_modf(x, &w);
        return f + w * 2;
      },
      [=](W x) {
        T w;
        const T f = std::modf(static_cast<T>(x), &w);
        return exact(f + w * 2);
      });
  sweep2<T>(
      n[4], 0, -100, 100, -3, 3, [](T x, T y) { return duet_fmod(x, y); },
      [=](W x, W y) { return exact(std::fmod(static_cast<T>(x), static_cast<T>(y))); });
  sweep2<T>(
      n[5], 0, -100, 100, -3, 3,
      [](T x, T y) {
        int q;
        return duet_remquo(x, y, &q);
      },
      [=](W x, W y) { return exact(std::remainder(static_cast<T>(x), static_cast<T>(y))); });
  sweep2<T>(
      n[6], 0, -100, 100, -3, 3,
      [](T x, T y) {
        int q;
        duet_remquo(x, y, &q);
        return T(std::isfinite(x) && std::isfinite(y) && y != 0 ? q : 0);
      },
      [=](W x, W y) {
        int q = 0;
        if (std::isfinite(x) && std::isfinite(y) && y != 0)
          std::remquo(static_cast<T>(x), static_cast<T>(y), &q);
        return exact(T(q < 0 ? -(-q & 7) : q & 7));
      });
  sweep2<T>(
      n[7], 0, -10, 10, -10, 10, [](T x, T y) { return duet_nextafter(x, y); },
      [=](W x, W y) { return exact(std::nextafter(static_cast<T>(x), static_cast<T>(y))); });
  auto exponent = [](W y) { return std::isfinite(y) ? static_cast<int>(std::fmod(y, W(5000))) : 7; };
  sweep2<T>(
      n[8], 0, -10, 10, -2300, 2300, [=](T x, T y) { return duet_ldexp(x, exponent(y)); },
      [=](W x, W y) { return exact(std::ldexp(static_cast<T>(x), exponent(y))); });
  sweep2<T>(
      n[9], norm_limits(0), -10, 10, -10, 10,
      [](T x, T y) {
        const T v[] = {x, y};
        return duet_norm(2, v);
      },
      [](W x, W y) { return std::hypot(x, y); });
  sweep2<T>(
      n[10], norm_limits(1), -10, 10, -10, 10,
      [](T x, T y) {
        const T v[] = {x, y};
        return duet_rnorm(2, v);
      },
      [](W x, W y) { return 1 / std::hypot(x, y); });
  sweep2<T>(
      n[11], norm_limits(2), -10, 10, -10, 10,
      [](T x, T y) {
        const T v[] = {x, y, x, 1};
        return duet_norm(4, v);
      },
      [](W x, W y) { return std::hypot(std::hypot(x, y), std::hypot(x, W(1))); });
  sweep2<T>(
      n[12], norm_limits(1), -10, 10, -10, 10,
      [](T x, T y) {
        const T v[] = {x, y, x, 1};
        return duet_rnorm(4, v);
      },
      [](W x, W y) { return 1 / std::hypot(std::hypot(x, y), std::hypot(x, W(1))); });
}

inline void basic_cases() {
  const char* const floats[] = {"frexpf",     "logbf",   "roundf",     "modff",  "fmodf",
                                "remainderf", "remquof", "nextafterf", "ldexpf", "hypotf",
                                "rhypotf",    "norm4df", "rnorm4df"};
  const char* const doubles[] = {"frexp",     "logb",  "round", "modf",   "fmod",   "remainder", "remquo",
                                 "nextafter", "ldexp", "hypot", "rhypot", "norm4d", "rnorm4d"};
  basic_cases_of<float>(floats, [](int which) { return which == 1 ? 2.0 : 3.0; });
  basic_cases_of<double>(doubles, [](int which) { return which == 1 ? 1.0 : 2.0; });
}

#endif
