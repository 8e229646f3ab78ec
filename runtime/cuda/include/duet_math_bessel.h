/* Bessel functions of the first and second kind and the modified ones of order 0 and 1, computed in double
 * precision; the float functions round those, since programs hardly use them. Up to 8, polynomials around
 * each zero; beyond, Hankel's amplitudes, which bound the absolute error. */
#ifndef DUET_MATH_BESSEL_H
#define DUET_MATH_BESSEL_H

#include "duet_math_double.h"

#define DUET_AROUND_ZERO(name, x) (((x)-name##_ZERO_HI) - name##_ZERO_LO) * duet_poly((x)-name##_CENTRE, name)

/** For x >= 8: sqrt(2/(pi x)) times P cos(chi) - Q sin(chi), or P sin(chi) + Q cos(chi) for the second kind,
 * with chi = x - (2 order + 1) pi/4, whose sine and cosine follow from those of x. */
DUET_MATH double duet_hankel(int order, bool second, double x) {
  if (x == duet_inf<double>()) return 0.0;
  double s, c;
  __nv_sincos(x, &s, &c);
  const double w = 1.0 / (x * x),
               p = order == 0 ? duet_poly(w, DUET_HANKEL_P0) : duet_poly(w, DUET_HANKEL_P1);
  const double q = (order == 0 ? duet_poly(w, DUET_HANKEL_Q0) : duet_poly(w, DUET_HANKEL_Q1)) / x;
  // Both times sqrt 2.
  const double cos_chi = order == 0 ? c + s : s - c, sin_chi = order == 0 ? s - c : -(s + c);
  const double sum = second ? p * sin_chi + q * cos_chi : p * cos_chi - q * sin_chi;
  return sum * 0x1.20dd750429b6dp-1 / duet_sqrt(x);
}
DUET_MATH double __nv_j0(double x) {
  x = duet_abs(x);
  if (!(x < 8.0)) return x != x ? x : duet_hankel(0, false, x);
  if (x <= 1.5) return duet_poly(x * x, DUET_J0_SMALL);
  return x < 4.0   ? DUET_AROUND_ZERO(DUET_J0_A, x)
         : x < 7.0 ? DUET_AROUND_ZERO(DUET_J0_B, x)
                   : DUET_AROUND_ZERO(DUET_J0_C, x);
}
DUET_MATH double __nv_j1(double x) {
  const double a = duet_abs(x);
  double j;
  if (!(a < 8.0)) {
    if (a != a) return x;
    j = duet_hankel(1, false, a);
  } else if (a <= 2.0) {
    return x * duet_poly(x * x, DUET_J1_SMALL);
  } else {
    j = a < 5.4 ? DUET_AROUND_ZERO(DUET_J1_A, a) : DUET_AROUND_ZERO(DUET_J1_B, a);
  }
  return x < 0.0 ? -j : j;
}
DUET_MATH double __nv_y0(double x) {
  if (!(x > 0.0)) return x == 0.0 ? -duet_inf<double>() : duet_nan<double>();
  if (x >= 8.0) return duet_hankel(0, true, x);
  if (x <= 0.6) {
    return duet_fma(0x1.45f306dc9c883p-1 * __nv_log(x), duet_poly(x * x, DUET_J0_SMALL),
                    duet_poly(x * x, DUET_Y0_SMALL));
  }
  if (x < 1.2) return DUET_AROUND_ZERO(DUET_Y0_A, x);
  if (x < 2.4) return duet_poly(x - 1.8, DUET_Y0_MIDDLE);
  return x < 5.0 ? DUET_AROUND_ZERO(DUET_Y0_B, x) : DUET_AROUND_ZERO(DUET_Y0_C, x);
}
DUET_MATH double __nv_y1(double x) {
  if (!(x > 0.0)) return x == 0.0 ? -duet_inf<double>() : duet_nan<double>();
  if (x >= 8.0) return duet_hankel(1, true, x);
  if (x <= 1.0) {
    const double bracket = duet_fma(__nv_log(x), __nv_j1(x), -1.0 / x);
    return duet_fma(0x1.45f306dc9c883p-1, bracket, x * duet_poly(x * x, DUET_Y1_SMALL));
  }
  if (x < 1.8) return DUET_AROUND_ZERO(DUET_Y1_A, x);
  if (x < 3.5) return DUET_AROUND_ZERO(DUET_Y1_B, x);
  return x < 6.2 ? DUET_AROUND_ZERO(DUET_Y1_C, x) : DUET_AROUND_ZERO(DUET_Y1_D, x);
}
#undef DUET_AROUND_ZERO

/** Order n: upwards from orders 0 and 1 where that is stable, else downwards from far above, scaled by the
 * sum J0 + 2 J2 + 2 J4 + ... = 1. */
DUET_MATH double __nv_jn(int n, double x) {
  if (n < 0) return duet_nan<double>();
  if (n == 0) return __nv_j0(x);
  if (n == 1) return __nv_j1(x);
  const double a = duet_abs(x);
  if (a != a) return x;
  if (a == 0.0 || a == duet_inf<double>()) return 0.0;
  double result;
  if (a < 1e-8) {
    // The first term of the series, (x/2)^n / n!.
    result = 1.0;
    for (int k = 1; k <= n && result > 0.0; k++) result *= 0.5 * a / k;
  } else if (a > (double)n) {
    double before = __nv_j0(a);
    result = __nv_j1(a);
    for (int k = 1; k < n; k++) {
      const double next = 2.0 * k / a * result - before;
      before = result;
      result = next;
    }
  } else {
    const int start = 2 * ((n + 20 + (int)duet_sqrt(60.0 * n)) / 2);
    double above = 0.0, here = 1.0, sum = 0.0;
    result = 0.0;
    for (int k = start; k > 0; k--) {
      const double below = 2.0 * k / a * here - above;
      above = here;
      here = below;
      if (duet_abs(here) > 0x1p300) {
        here *= 0x1p-600;
        above *= 0x1p-600;
        result *= 0x1p-600;
        sum *= 0x1p-600;
      }
      // `here` is of order k - 1 now.
      if ((k & 1) != 0) sum += here;
      if (k == n) result = above;
    }
    result /= 2.0 * sum - here;
  }
  return x < 0.0 && (n & 1) != 0 ? -result : result;
}
DUET_MATH double __nv_yn(int n, double x) {
  if (n < 0) return duet_nan<double>();
  if (n == 0) return __nv_y0(x);
  double before = __nv_y0(x), result = __nv_y1(x);
  if (x == duet_inf<double>()) return 0.0;
  for (int k = 1; k < n && result > -duet_inf<double>(); k++) {
    const double next = 2.0 * k / x * result - before;
    before = result;
    result = next;
  }
  return result;
}

/* ---- modified functions: exp(x) / sqrt(x) times a polynomial in 1/x from 8 on ---- */
DUET_MATH double duet_bessel_i_large(int order, double x) {
  if (x > 720.0) return duet_inf<double>();
  const double w = 1.0 / x;
  double p;
  if (x < 20.0) {
    p = order == 0 ? duet_poly(w - DUET_I0_MIDDLE_CENTRE, DUET_I0_MIDDLE)
                   : duet_poly(w - DUET_I1_MIDDLE_CENTRE, DUET_I1_MIDDLE);
  } else {
    p = order == 0 ? duet_poly(w - DUET_I0_LARGE_CENTRE, DUET_I0_LARGE)
                   : duet_poly(w - DUET_I1_LARGE_CENTRE, DUET_I1_LARGE);
  }
  int k;
  const DuetPair<double> e = duet_exp_pair(x, 0.0, &k);
  return duet_scale(e.hi * (p / duet_sqrt(x)), k);
}
DUET_MATH double __nv_cyl_bessel_i0(double x) {
  const double a = duet_abs(x);
  if (a != a) return x;
  return a < 8.0 ? duet_poly(x * x, DUET_I0_SMALL) : duet_bessel_i_large(0, a);
}
DUET_MATH double __nv_cyl_bessel_i1(double x) {
  const double a = duet_abs(x);
  if (a != a) return x;
  return a < 8.0 ? x * duet_poly(x * x, DUET_I1_SMALL) : duet_copysign(duet_bessel_i_large(1, a), x);
}

DUET_MATH float __nv_j0f(float x) { return (float)__nv_j0(x); }
DUET_MATH float __nv_j1f(float x) { return (float)__nv_j1(x); }
DUET_MATH float __nv_jnf(int n, float x) { return (float)__nv_jn(n, x); }
DUET_MATH float __nv_y0f(float x) { return (float)__nv_y0(x); }
DUET_MATH float __nv_y1f(float x) { return (float)__nv_y1(x); }
DUET_MATH float __nv_ynf(int n, float x) { return (float)__nv_yn(n, x); }
DUET_MATH float __nv_cyl_bessel_i0f(float x) { return (float)__nv_cyl_bessel_i0(x); }
DUET_MATH float __nv_cyl_bessel_i1f(float x) { return (float)__nv_cyl_bessel_i1(x); }

#endif
