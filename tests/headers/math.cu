// Every math function by its C name in float and double, as std:: overloads, and with integer arguments.
#include <cfloat>
#include <cmath>
#include <limits>

template <class T, class F>
__device__ void put(T*& out, F value) {
  *out++ = (T)value;
}

#define BOTH(name) put(o, name##f(x)), put(p, name(y)), put(o, name(x))
#define BOTH2(name) put(o, name##f(x, z)), put(p, name(y, w))
#define STD(name) put(o, std::name(x)), put(p, std::name(y))

__global__ void all_names(float* o, double* p, float x, float z, double y, double w, int n) {
  BOTH(acos); BOTH(acosh); BOTH(asin); BOTH(asinh); BOTH(atan); BOTH(atanh); BOTH(cbrt); BOTH(ceil); BOTH(cos);
  BOTH(cosh); BOTH(cospi); BOTH(erf); BOTH(erfc); BOTH(erfcinv); BOTH(erfcx); BOTH(erfinv); BOTH(exp); BOTH(exp10);
  BOTH(exp2); BOTH(expm1); BOTH(fabs); BOTH(floor); BOTH(lgamma); BOTH(log); BOTH(log10); BOTH(log1p); BOTH(log2);
  BOTH(logb); BOTH(nearbyint); BOTH(normcdf); BOTH(normcdfinv); BOTH(rcbrt); BOTH(rint); BOTH(round); BOTH(rsqrt);
  BOTH(sin); BOTH(sinh); BOTH(sinpi); BOTH(sqrt); BOTH(tan); BOTH(tanh); BOTH(tgamma); BOTH(trunc);
  put(o, j0f(x)), put(p, j0(y)), put(o, j1f(x)), put(p, j1(y)), put(o, jnf(3, x)), put(p, jn(3, y));
  put(o, y0f(x)), put(p, y0(y)), put(o, y1f(x)), put(p, y1(y)), put(o, ynf(3, x)), put(p, yn(3, y));
  put(o, cyl_bessel_i0f(x)), put(p, cyl_bessel_i0(y)), put(o, cyl_bessel_i1f(x)), put(p, cyl_bessel_i1(y));
  BOTH2(atan2); BOTH2(copysign); BOTH2(fdim); BOTH2(fmax); BOTH2(fmin); BOTH2(fmod); BOTH2(hypot); BOTH2(nextafter);
  BOTH2(pow); BOTH2(remainder); BOTH2(rhypot);
  put(o, fmaf(x, z, x)), put(p, fma(y, w, y)), put(o, norm3df(x, z, x)), put(p, norm3d(y, w, y)), put(o, rnorm3df(x, z, x));
  put(p, rnorm3d(y, w, y)), put(o, norm4df(x, z, x, z)), put(p, norm4d(y, w, y, w)), put(o, rnorm4df(x, z, x, z));
  put(p, rnorm4d(y, w, y, w)), put(o, normf(2, o - 2)), put(p, norm(2, p - 2)), put(o, rnormf(2, o - 2)), put(p, rnorm(2, p - 2));
  put(o, ilogbf(x)), put(p, ilogb(y)), put(o, lrintf(x)), put(p, lrint(y)), put(o, llrintf(x)), put(p, llrint(y));
  put(o, lroundf(x)), put(p, lround(y)), put(o, llroundf(x)), put(p, llround(y)), put(o, ldexpf(x, n)), put(p, ldexp(y, n));
  put(o, scalbnf(x, n)), put(p, scalbn(y, n)), put(o, scalblnf(x, n)), put(p, scalbln(y, n)), put(o, fdividef(x, z));
  float s, c;
  double ds, dc;
  int e;
  sincosf(x, &s, &c), put(o, s + c), sincospif(x, &s, &c), put(o, s + c), sincos(y, &ds, &dc), put(p, ds + dc);
  sincospi(y, &ds, &dc), put(p, ds + dc), put(o, frexpf(x, &e)), put(p, frexp(y, &e)), put(o, modff(x, &s)), put(p, modf(y, &ds));
  put(o, remquof(x, z, &e)), put(p, remquo(y, w, &e)), put(o, isnan(x) + isinf(x) + isfinite(x) + signbit(x));
  put(p, isnan(y) + isinf(y) + isfinite(y) + signbit(y)), put(o, abs(x) + abs(n) + abs((long long)n));
}

__global__ void standard_names(float* o, double* p, float x, double y, int n) {
  STD(acos); STD(acosh); STD(asin); STD(asinh); STD(atan); STD(atanh); STD(cbrt); STD(ceil); STD(cos); STD(cosh);
  STD(erf); STD(erfc); STD(exp); STD(exp2); STD(expm1); STD(fabs); STD(floor); STD(lgamma); STD(log); STD(log10);
  STD(log1p); STD(log2); STD(logb); STD(nearbyint); STD(rint); STD(round); STD(sin); STD(sinh); STD(sqrt); STD(tan);
  STD(tanh); STD(tgamma); STD(trunc); STD(abs); STD(isnan); STD(isinf); STD(isfinite); STD(signbit); STD(isnormal);
  STD(fpclassify); STD(ilogb); STD(lround);
  put(o, std::pow(x, x)), put(p, std::pow(y, y)), put(p, std::pow(y, 2)), put(o, std::pow(x, 3)), put(p, pow(n, 2));
  put(o, std::remainder(x, x)), put(o, std::nextafter(x, x)), put(o, std::fdim(x, x)), put(o, std::scalbn(x, n));
  put(o, std::lrint(x)), put(o, std::llround(x)), put(o, nanf("")), put(p, nan(""));
  put(o, std::fmod(x, x)), put(o, std::atan2(x, x)), put(o, std::hypot(x, x)), put(o, std::fma(x, x, x));
  put(o, std::fmax(x, x)), put(o, std::fmin(x, x)), put(o, std::copysign(x, x)), put(o, std::ldexp(x, n));
  put(p, sqrt(n)), put(p, std::sin(n)), put(o, std::abs(n)), put(p, exp(n)), put(p, floor(n));
  put(o, std::numeric_limits<float>::max()), put(o, INFINITY), put(o, HUGE_VALF), put(o, M_PI), put(o, FLT_MAX);
}

int main() { return std::isnan(std::sqrt(-1.f)) && rsqrt(4.0) == 0.5 && normcdf(0.0) == 0.5 ? 0 : 1; }
