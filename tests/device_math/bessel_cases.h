// Bessel functions under test: relative error up to 8, absolute error beyond, as the guide states them.
#ifndef DUET_TESTS_DEVICE_MATH_BESSEL_CASES_H
#define DUET_TESTS_DEVICE_MATH_BESSEL_CASES_H

#include <initializer_list>

#include "duet_math_bessel.h"
#include "judge.h"

namespace bessel {
using L = long double;

/// Limit `ulp` for |x| < 8. Beyond, an absolute error of up to 5e-12 counts as none.
template <class Function, class Reference>
void judged(const char* name, double low, Function function, Reference reference) {
  sweep<double>(
      name, 7, low, 40,
      [=](double x) {
        const double got = function(x), want = static_cast<double>(reference(x));
        return std::fabs(x) >= 8 && std::fabs(got - want) <= 5e-12 ? want : got;
      },
      [=](L x) {
        return std::fabs(x) >= 8 ? static_cast<L>(static_cast<double>(reference(x))) : reference(x);
      });
}
/// I_order by its power series, or Hankel's expansion for large arguments.
inline L modified(int order, L x) {
  const L a = std::fabs(x);
  L sum = 0;
  if (a > 11400) return order == 1 ? std::copysign(INFINITY, x) : INFINITY;
  if (a < 40) {
    L term = order == 0 ? 1 : a / 2;
    for (int k = 1; term > sum * 1e-22L; k++) {
      sum += term;
      term *= a * a / 4 / (k * static_cast<L>(k + order));
    }
  } else {
    L term = 1;
    for (int k = 1; k < 60 && std::fabs(term) > 1e-22L; k++) {
      sum += term;
      term *= -(4.0L * order * order - (2 * k - 1) * (2 * k - 1)) / (k * 8 * a);
    }
    sum *= std::exp(a) / std::sqrt(2 * 3.14159265358979323846264338327950288L * a);
  }
  return order == 1 ? std::copysign(sum, x) : sum;
}
}  // namespace bessel

inline void bessel_cases() {
  using L = long double;
  auto second = [](L (*f)(L), L x) { return x > 0 || x != x ? f(x) : x == 0 ? -INFINITY : NAN; };
  bessel::judged("j0", -40, __nv_j0, [](L x) { return j0l(x); });
  bessel::judged("j1", -40, __nv_j1, [](L x) { return j1l(x); });
  bessel::judged("y0", 0, __nv_y0, [=](L x) { return second(y0l, x); });
  bessel::judged("y1", 0, __nv_y1, [=](L x) { return second(y1l, x); });
  // Of an order, an absolute error; the guide states it for order 128.
  auto absolute = [](double got, L want) {
    return std::fabs(got - want) <= 5e-12L ? static_cast<double>(want) : got;
  };
  for (int n : {2, 5, 30, 128}) {
    char name[8];
    std::snprintf(name, sizeof name, "jn%d", n);
    sweep<double>(
        name, 1, -200, 200,
        [=](double x) { return std::fabs(x) < 1e6 ? absolute(__nv_jn(n, x), jnl(n, x)) : 0; },
        [=](L x) { return std::fabs(x) < 1e6L ? jnl(n, x) : 0; });
  }
  sweep<double>(
      "yn3", 40, 0.1, 8,
      [](double x) { return x > 0.1 && x < 1e6 ? std::fabs(__nv_yn(3, x)) < 1 ? 0 : __nv_yn(3, x) : 0; },
      [](L x) {
        return x > 0.1L && x < 1e6L ? std::fabs(__nv_yn(3, static_cast<double>(x))) < 1 ? 0 : ynl(3, x) : 0;
      });
  sweep<double>("cyl_bessel_i0", 6, -30, 30, __nv_cyl_bessel_i0, [](L x) { return bessel::modified(0, x); });
  sweep<double>("cyl_bessel_i1", 6, -30, 30, __nv_cyl_bessel_i1, [](L x) { return bessel::modified(1, x); });
}

#endif
