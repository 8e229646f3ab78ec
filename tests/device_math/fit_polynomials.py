#!/usr/bin/env python3
"""Fits the polynomials of runtime/cuda/include/duet_math_coefficients.h and prints that file.

Each fit interpolates in Chebyshev nodes with 60 digits (within a small factor of the best polynomial), rounds the
coefficients to float or double, and states the largest error that the rounded polynomial leaves, relative to the
function that it belongs to. Needs mpmath; run it only to change a fit: fit_polynomials.py > duet_math_coefficients.h
"""
from mpmath import mp, mpf, pi, sin, cos, tan, exp, log, atan, asin, sinh, tanh, erf, erfc, sqrt, gamma, loggamma
from mpmath import besselj, bessely, besseli, ldexp, frexp, nint, taylor, expm1, findroot, chop, inf
import sys

mp.dps = 60


def rounded(value, bits):
    """`value` rounded to a significand of `bits` bits."""
    if value == 0:
        return mpf(0)
    mantissa, exponent = frexp(value)
    return ldexp(nint(ldexp(mantissa, bits)), exponent - bits)


def literal(value, suffix):
    """C's hexadecimal floating literal of a value that fits a double."""
    significand, exponent = float(value).hex().split('p')
    return (significand.rstrip('0') if '.' in significand else significand) + 'p' + exponent + suffix


def chebyshev_monomials(function, low, high, degree):
    """Coefficients, low power first, of the interpolant of `function` on [low, high]."""
    n = degree + 1
    low, high = mpf(low), mpf(high)
    middle, half = (low + high) / 2, (high - low) / 2
    nodes = [cos(pi * (2 * k + 1) / (2 * n)) for k in range(n)]
    values = [function(middle + half * t) for t in nodes]
    # Newton's divided differences in the variable itself, expanded to monomials.
    points = [middle + half * t for t in nodes]
    table = list(values)
    for j in range(1, n):
        for i in range(n - 1, j - 1, -1):
            table[i] = (table[i] - table[i - 1]) / (points[i] - points[i - j])
    poly = [mpf(0)] * n
    for i in range(n - 1, -1, -1):
        for j in range(n - 1, 0, -1):
            poly[j] = poly[j - 1] - points[i] * poly[j]
        poly[0] = table[i] - points[i] * poly[0]
    return poly


def fit(name, bits, function, low, high, degree, weight, about):
    """Prints one coefficient list; weight(u) is (factor of P)/(whole function) at u."""
    suffix = 'f' if bits == 24 else ''
    poly = [rounded(c, bits) for c in chebyshev_monomials(function, low, high, degree)]
    worst = mpf(0)
    for i in range(301):
        u = mpf(low) + (mpf(high) - mpf(low)) * i / 300
        value = mpf(0)
        for c in reversed(poly):
            value = value * u + c
        worst = max(worst, abs((value - function(u)) * weight(u)))
    bits_left = float(log(worst, 2)) if worst else -999.0
    print('/* %s; error 2^%.1f */' % (about, bits_left))
    print('#define %s \\' % name)
    print('  ' + ', '.join(literal(c, suffix) for c in poly))
    print('%-16s degree %2d error 2^%.1f' % (name, degree, bits_left), file=sys.stderr)


def constant(name, value, bits, parts, spare=0):
    """Prints `value` as a sum of `parts` numbers of `bits` bits; the first has `spare` fewer, so that its product
    with an integer of as many bits is exact."""
    rest = value
    suffix = 'f' if bits == 24 else ''
    for part, ending in zip(range(parts), ('_HI', '_LO', '_LO2')):
        piece = rounded(rest, bits - spare if part == 0 else bits)
        print('#define %s%s %s' % (name, ending, literal(piece, suffix)))
        rest -= piece


def even(function):
    """A function of z = x*x from an even function of x; the limit at 0 comes from the neighbourhood."""
    return lambda z: function(sqrt(z)) if z > mpf(10) ** -30 else function(mpf(10) ** -12)


def trigonometric():
    for tag, bits, ds, dc, dt in (('F', 24, 3, 2, 6), ('D', 53, 6, 6, 0)):
        top = (pi / 4) ** 2 * mpf('1.001')
        fit('DUET_SIN_' + tag, bits, even(lambda x: (sin(x) / x - 1) / x ** 2), 0, top, ds, lambda z: z,
            'sin x = x + x z P(z), z = x x, |x| <= pi/4')
        fit('DUET_COS_' + tag, bits, even(lambda x: (cos(x) - 1 + x ** 2 / 2) / x ** 4), 0, top, dc,
            lambda z: z * z / cos(sqrt(z)), 'cos x = 1 - z/2 + z z P(z)')
        if dt:
            fit('DUET_TAN_' + tag, bits, even(lambda x: (tan(x) / x - 1) / x ** 2), 0, top, dt,
                lambda z: z * sqrt(z) / tan(sqrt(z)) if z else 0, 'tan x = x + x z P(z)')
        top = mpf(1) / 16
        fit('DUET_SINPI_' + tag, bits, even(lambda t: (sin(pi * t) / t - pi) / t ** 2), 0, top, ds,
            lambda z: z / pi, 'sin(pi t) = pi t + t z P(z), |t| <= 1/4')
        fit('DUET_COSPI_' + tag, bits, even(lambda t: (cos(pi * t) - 1) / t ** 2), 0, top, dc + 1,
            lambda z: z / cos(pi * sqrt(z)), 'cos(pi t) = 1 + z P(z)')
        da, dn = (9, 5) if bits == 24 else (12, 12)
        top = 1 if bits == 24 else (sqrt(mpf(2)) - 1) ** 2 * mpf('1.001')
        fit('DUET_ATAN_' + tag, bits, even(lambda x: (atan(x) / x - 1) / x ** 2), 0, top, da, lambda z: z,
            'atan x = x + x z P(z)')
        fit('DUET_ASIN_' + tag, bits, even(lambda x: (asin(x) / x - 1) / x ** 2), 0, mpf('0.2501'), dn,
            lambda z: z, 'asin x = x + x z P(z), |x| <= 1/2')


def exponential():
    half = log(mpf(2)) / 2 * mpf('1.001')
    for tag, bits, de, dm, dl in (('F', 24, 5, 6, 7), ('D', 53, 10, 0, 0)):
        fit('DUET_EXP_' + tag, bits, lambda r: (exp(r) - 1 - r) / r ** 2 if abs(r) > mpf(10) ** -15 else mpf(1) / 2,
            -half, half, de, lambda r: r * r / exp(r), 'exp r = 1 + r + r r P(r), |r| <= ln2/2')
        fit('DUET_EXP2_' + tag, bits, lambda r: (mpf(2) ** r - 1) / r if abs(r) > mpf(10) ** -15 else log(mpf(2)),
            -mpf('0.5001'), mpf('0.5001'), (de + 1 if bits == 24 else de + 3), lambda r: r / mpf(2) ** r, '2^r = 1 + r P(r), |r| <= 1/2')
        if dm:
            fit('DUET_EXPM1_F', bits, lambda r: (exp(r) - 1 - r) / r ** 2 if abs(r) > mpf(10) ** -15 else mpf(1) / 2,
                -mpf('0.56'), mpf('0.56'), dm, lambda r: r * r / expm1(r) if r else 0,
                'expm1 r = r + r r P(r), |r| <= 0.56')
            fit('DUET_LOG_F', bits,
                lambda f: (log(1 + f) - f + f * f / 2) / f ** 3 if abs(f) > mpf(10) ** -12 else mpf(1) / 3,
                -mpf('0.334'), mpf('0.334'), dl + 1, lambda f: f ** 3 / log(1 + f) if f else 0,
                'log(1+f) = f - f f/2 + f f f P(f), |f| <= 1/3')
            fit('DUET_LOG1P_F', bits,
                lambda f: (log(1 + f) - f + f * f / 2) / f ** 3 if abs(f) > mpf(10) ** -12 else mpf(1) / 3,
                -mpf('0.2501'), mpf('0.5001'), dl + 1, lambda f: f ** 3 / log(1 + f) if f else 0,
                'the same for -1/4 <= f <= 1/2')
            fit('DUET_SINH_F', bits, even(lambda x: (sinh(x) / x - 1) / x ** 2), 0, 1, 3, lambda z: z,
                'sinh x = x + x z P(z), |x| <= 1')
            fit('DUET_TANH_F', bits, even(lambda x: (tanh(x) / x - 1) / x ** 2), 0, mpf('0.3026'), 5, lambda z: z,
                'tanh x = x + x z P(z), |x| <= 0.55')
    log_ratio = lambda q: log((1 + q) / (1 - q))
    top = mpf('0.1717') ** 2
    fit('DUET_LOGQ_F', 24, even(lambda q: (log_ratio(q) / q - 2) / q ** 2), 0, top, 3, lambda z: z / 2,
        'log((1+q)/(1-q)) = 2 q + q z P(z), z = q q')
    fit('DUET_LOGQ_D', 53, even(lambda q: (log_ratio(q) / q - 2 - 2 * q * q / 3) / q ** 4), 0, top, 9,
        lambda z: z * z / 2, 'log((1+q)/(1-q)) = 2 q + 2/3 q z + q z z P(z)')


def error_functions():
    two_over_root_pi = 2 / sqrt(pi)
    erfcx = lambda x: exp(x * x) * erfc(x)

    def scaled(t):
        # x = 4 (1+t)/(1-t) runs over [0, inf) with t over [-1, 1).
        if t > 1 - mpf(10) ** -12:
            return two_over_root_pi
        x = 4 * (1 + t) / (1 - t)
        if x > 30:
            tail, term, k = mpf(1), mpf(1), 1
            while k < 40 and abs(term) > mpf(10) ** -40:
                term *= -(2 * k - 1) / (2 * x * x)
                tail += term
                k += 1
            return (1 + 2 * x) * tail / (x * sqrt(pi))
        return (1 + 2 * x) * erfcx(x)

    for tag, bits, de, dx in (('F', 24, 8, 12), ('D', 53, 14, 26)):
        fit('DUET_ERF_' + tag, bits, even(lambda x: erf(x) / x - 1), 0, 1, de,
            lambda z: sqrt(z) / erf(sqrt(z)) if z else sqrt(pi) / 2, 'erf x = x + x P(z), |x| <= 1')
        fit('DUET_ERFCX_' + tag, bits, scaled, -1, 1, dx, lambda t: 1 / scaled(t),
            '(1 + 2x) exp(x x) erfc(x) = P(t), t = (x-4)/(x+4), x >= 0')


def gamma_functions():
    safe = lambda f, x0: (lambda x: f(x) if abs(x - x0) > mpf(10) ** -20 else f(x0 + mpf(10) ** -20))
    core = lambda x: loggamma(x) / ((x - 1) * (x - 2))
    for name, low, high, shift in (('DUET_LGAMMA1_D', 1, 1.5, 1.25), ('DUET_LGAMMA2_D', 1.5, 2, 1.75),
                                   ('DUET_LGAMMA3_D', 2, 2.5, 2.25)):
        centre = mpf(shift)
        fit(name, 53, lambda u, c=centre: safe(safe(core, mpf(1)), mpf(2))(u + c), mpf(low) - centre,
            mpf(high) - centre, 18, lambda u, c=centre: 1 / safe(safe(core, mpf(1)), mpf(2))(u + c),
            'lgamma x = (x-1)(x-2) P(x - %s), %s <= x <= %s' % (shift, low, high))
    fit('DUET_GAMMA_D', 53, lambda u: gamma(u + mpf('1.5')), -mpf(1) / 2, mpf(1) / 2, 23,
        lambda u: 1 / gamma(u + mpf('1.5')), 'gamma x = P(x - 1.5), 1 <= x <= 2')
    stirling = lambda w: (loggamma(1 / sqrt(w)) - (1 / sqrt(w) - mpf(1) / 2) * log(1 / sqrt(w)) + 1 / sqrt(w) -
                          log(2 * pi) / 2) / sqrt(w) if w > mpf(10) ** -18 else mpf(1) / 12
    fit('DUET_STIRLING_D', 53, stirling, 0, mpf(1) / 64, 7, lambda w: w ** mpf('0.5') / 8,
        'lgamma x = (x - 1/2) log x - x + log(2 pi)/2 + P(1/(x x))/x, x >= 8')


def bessel_functions():
    """Up to 8: polynomials around the zeros, which keep small values accurate. From 8 on: Hankel's amplitudes."""

    def around(name, function, zero, low, high, degree):
        z = findroot(function, zero)
        centre = (mpf(low) + mpf(high)) / 2
        centre = rounded(centre, 12)
        constant(name + '_ZERO', z, 53, 2)
        print('#define %s_CENTRE %s' % (name, literal(centre, '')))
        safe = lambda x: x if abs(x - z) > mpf(10) ** -20 else z + mpf(10) ** -20
        part = lambda u: function(safe(u + centre)) / (safe(u + centre) - z)
        fit(name, 53, part, mpf(low) - centre, mpf(high) - centre, degree, lambda u: 1 / part(u),
            'f x = (x - zero) P(x - centre), %s <= x <= %s' % (low, high))

    j0, j1 = lambda x: besselj(0, x), lambda x: besselj(1, x)
    y0, y1 = lambda x: bessely(0, x), lambda x: bessely(1, x)
    fit('DUET_J0_SMALL', 53, even(j0), 0, mpf('2.26'), 9, lambda z: 1 / j0(sqrt(z)), 'J0 x = P(x x), x <= 1.5')
    around('DUET_J0_A', j0, 2.4, 1.5, 4, 19)
    around('DUET_J0_B', j0, 5.5, 4, 7, 20)
    around('DUET_J0_C', j0, 8.65, 7, 8, 15)
    fit('DUET_J1_SMALL', 53, even(lambda x: j1(x) / x), 0, mpf('4.01'), 10,
        lambda z: sqrt(z) / j1(sqrt(z)) if z else 2, 'J1 x = x P(x x), x <= 2')
    around('DUET_J1_A', j1, 3.8, 2, 5.4, 21)
    around('DUET_J1_B', j1, 7.0, 5.4, 8, 19)
    two_pi = 2 / pi
    small = mpf(10) ** -9
    fit('DUET_Y0_SMALL', 53, even(lambda x: y0(x if x > small else small) - two_pi * log(x if x > small else small) *
                                  j0(x if x > small else small)), 0, mpf('0.3601'), 8,
        lambda z: 1 / y0(sqrt(z)) if z > mpf(10) ** -15 else mpf(1) / 20, 'Y0 x = 2/pi log x J0 x + P(x x), x <= 0.6')
    around('DUET_Y0_A', y0, 0.9, 0.6, 1.2, 23)
    fit('DUET_Y0_MIDDLE', 53, lambda u: y0(u + mpf('1.8')), -mpf('0.6'), mpf('0.6'), 24, lambda u: 1 / y0(u + mpf('1.8')),
        'Y0 x = P(x - 1.8), 1.2 <= x <= 2.4')
    around('DUET_Y0_B', y0, 3.96, 2.4, 5, 24)
    around('DUET_Y0_C', y0, 7.09, 5, 8, 21)
    fit('DUET_Y1_SMALL', 53, even(lambda x: (y1(x if x > small else small) - two_pi * (
        log(x if x > small else small) * j1(x if x > small else small) - 1 / (x if x > small else small))) /
        (x if x > small else small)), 0, mpf('1.001'), 9, lambda z: sqrt(z) / y1(sqrt(z)) if z > mpf(10) ** -15 else 0,
        'Y1 x = 2/pi (log x J1 x - 1/x) + x P(x x), x <= 1')
    around('DUET_Y1_A', y1, 2.2, 1, 1.8, 21)
    around('DUET_Y1_B', y1, 2.2, 1.8, 3.5, 22)
    around('DUET_Y1_C', y1, 5.43, 3.5, 6.2, 22)
    around('DUET_Y1_D', y1, 8.6, 6.2, 8, 18)
    for n, jn, yn in ((0, j0, y0), (1, j1, y1)):
        def amplitude(w, n=n, jn=jn, yn=yn):
            x = 1 / sqrt(w if w > mpf(10) ** -18 else mpf(10) ** -18)
            chi = x - (2 * n + 1) * pi / 4
            a = sqrt(pi * x / 2)
            j, y = jn(x), yn(x)
            return a * (j * cos(chi) + y * sin(chi)), a * (y * cos(chi) - j * sin(chi)) * x
        fit('DUET_HANKEL_P%d' % n, 53, lambda w: amplitude(w)[0], 0, mpf(1) / 64, 8, lambda w: 1, 'P in w = 1/(x x), x >= 8')
        fit('DUET_HANKEL_Q%d' % n, 53, lambda w: amplitude(w)[1], 0, mpf(1) / 64, 8, lambda w: mpf(1) / 8, 'x Q, the same')
    for n in (0, 1):
        fit('DUET_I%d_SMALL' % n, 53, even(lambda x, n=n: besseli(n, x) / (x ** n)), 0, 64, 22,
            lambda z, n=n: (sqrt(z) ** n if z else mpf(2)) / (besseli(n, sqrt(z)) if z else (1 if n else 2)),
            'I%d x = x^%d P(x x), x <= 8' % (n, n))
        scaled = lambda u, c, n=n: besseli(n, 1 / (u + c)) * exp(-1 / (u + c)) / sqrt(u + c)
        for tag, low, high, degree in (('MIDDLE', '0.05', '0.125', 18), ('LARGE', '0.0009765625', '0.05', 20)):
            c = rounded((mpf(low) + mpf(high)) / 2, 12)
            print('#define DUET_I%d_%s_CENTRE %s' % (n, tag, literal(c, '')))
            fit('DUET_I%d_%s' % (n, tag), 53, lambda u, c=c: scaled(u, c), mpf(low) - c, mpf(high) - c, degree,
                lambda u, c=c: 1 / scaled(u, c), 'I%d x = exp x / sqrt x P(1/x - centre), %s <= 1/x <= %s' % (n, low, high))


def constants():
    for tag, bits, parts in (('F', 24, 3), ('D', 53, 2)):
        constant('DUET_PIO2_' + tag, pi / 2, bits, parts)
        constant('DUET_PI_' + tag, pi, bits, 2)
        constant('DUET_LN2_' + tag, log(mpf(2)), bits, 2, 12)
        constant('DUET_LOG2E_' + tag, 1 / log(mpf(2)), bits, 2)
        constant('DUET_LOG10E_' + tag, 1 / log(mpf(10)), bits, 2)
        constant('DUET_LG2_' + tag, log(mpf(2), 10), bits, 2, 12)
        constant('DUET_LN10_' + tag, log(mpf(10)), bits, 2)
        constant('DUET_SQRT_HALF_' + tag, sqrt(mpf(1) / 2), bits, 2)


def main():
    print('''/* Polynomials and constants of the device math functions, printed by tests/device_math/fit_polynomials.py; change
 * that and print again. Lists run from the lowest power up, _F for float and _D for double. */
#ifndef DUET_MATH_COEFFICIENTS_H
#define DUET_MATH_COEFFICIENTS_H
// clang-format off
''')
    constants()
    trigonometric()
    exponential()
    error_functions()
    gamma_functions()
    bessel_functions()
    print('''
// clang-format on
#endif''')


main()
