/* Polynomials and constants of the device math functions, printed by tests/device_math/fit_polynomials.py;
 * change that and print again. Lists run from the lowest power up, _F for float and _D for double. */
#ifndef DUET_MATH_COEFFICIENTS_H
#define DUET_MATH_COEFFICIENTS_H
// clang-format off

#define DUET_PIO2_F_HI 0x1.921fb6p+0f
#define DUET_PIO2_F_LO -0x1.777a5cp-25f
#define DUET_PIO2_F_LO2 -0x1.ee59dap-50f
#define DUET_PI_F_HI 0x1.921fb6p+1f
#define DUET_PI_F_LO -0x1.777a5cp-24f
#define DUET_LN2_F_HI 0x1.62ep-1f
#define DUET_LN2_F_LO 0x1.0bfbe8p-15f
#define DUET_LOG2E_F_HI 0x1.715476p+0f
#define DUET_LOG2E_F_LO 0x1.4ae0cp-26f
#define DUET_LOG10E_F_HI 0x1.bcb7b2p-2f
#define DUET_LOG10E_F_LO -0x1.5b235ep-27f
#define DUET_LG2_F_HI 0x1.344p-2f
#define DUET_LG2_F_LO 0x1.3509f8p-18f
#define DUET_LN10_F_HI 0x1.26bb1cp+1f
#define DUET_LN10_F_LO -0x1.12aabap-25f
#define DUET_SQRT_HALF_F_HI 0x1.6a09e6p-1f
#define DUET_SQRT_HALF_F_LO 0x1.9fcef4p-27f
#define DUET_PIO2_D_HI 0x1.921fb54442d18p+0
#define DUET_PIO2_D_LO 0x1.1a62633145c07p-54
#define DUET_PI_D_HI 0x1.921fb54442d18p+1
#define DUET_PI_D_LO 0x1.1a62633145c07p-53
#define DUET_LN2_D_HI 0x1.62e42fefa4p-1
#define DUET_LN2_D_LO -0x1.8432a1b0e2634p-43
#define DUET_LOG2E_D_HI 0x1.71547652b82fep+0
#define DUET_LOG2E_D_LO 0x1.777d0ffda0d24p-56
#define DUET_LOG10E_D_HI 0x1.bcb7b1526e50ep-2
#define DUET_LOG10E_D_LO 0x1.95355baaafad3p-57
#define DUET_LG2_D_HI 0x1.34413509f8p-2
#define DUET_LG2_D_LO -0x1.80433b83b532ap-44
#define DUET_LN10_D_HI 0x1.26bb1bbb55516p+1
#define DUET_LN10_D_LO -0x1.f48ad494ea3e9p-53
#define DUET_SQRT_HALF_D_HI 0x1.6a09e667f3bcdp-1
#define DUET_SQRT_HALF_D_LO -0x1.bdd3413b26456p-55
/* sin x = x + x z P(z), z = x x, |x| <= pi/4; error 2^-28.3 */
#define DUET_SIN_F \
  -0x1.555556p-3f, 0x1.11110ep-7f, -0x1.a013a4p-13f, 0x1.6dbcfcp-19f
/* cos x = 1 - z/2 + z z P(z); error 2^-30.1 */
#define DUET_COS_F \
  0x1.555554p-5f, -0x1.6c12dp-10f, 0x1.9bd786p-16f
/* tan x = x + x z P(z); error 2^-27.7 */
#define DUET_TAN_F \
  0x1.555556p-2f, 0x1.111086p-3f, 0x1.ba52fp-5f, 0x1.623852p-6f, 0x1.46957p-7f, 0x1.34e25ep-10f, 0x1.f8461cp-9f
/* sin(pi t) = pi t + t z P(z), |t| <= 1/4; error 2^-29.1 */
#define DUET_SINPI_F \
  -0x1.4abbcep+2f, 0x1.466bc2p+1f, -0x1.32ce1ep-1f, 0x1.4cb762p-4f
/* cos(pi t) = 1 + z P(z); error 2^-26.2 */
#define DUET_COSPI_F \
  -0x1.3bd3ccp+2f, 0x1.03c1eap+2f, -0x1.55cb98p+0f, 0x1.db6492p-3f
/* atan x = x + x z P(z); error 2^-26.4 */
#define DUET_ATAN_F \
  -0x1.555556p-2f, 0x1.999956p-3f, -0x1.248952p-3f, 0x1.c62cdap-4f, -0x1.6dd8fep-4f, 0x1.2006f8p-4f, -0x1.9115a4p-5f, 0x1.aefb2cp-6f, -0x1.2ba6b6p-7f, 0x1.86406cp-10f
/* asin x = x + x z P(z), |x| <= 1/2; error 2^-28.5 */
#define DUET_ASIN_F \
  0x1.555554p-3f, 0x1.333432p-4f, 0x1.6d5b8ep-5f, 0x1.fd921ap-6f, 0x1.18e1f6p-6f, 0x1.14138cp-5f
/* sin x = x + x z P(z), z = x x, |x| <= pi/4; error 2^-57.3 */
#define DUET_SIN_D \
  -0x1.5555555555555p-3, 0x1.111111111111p-7, -0x1.a01a01a01992fp-13, 0x1.71de3a545f836p-19, -0x1.ae645410e937bp-26, 0x1.61217d9252c03p-33, -0x1.ab16f5caa198ap-41
/* cos x = 1 - z/2 + z z P(z); error 2^-59.5 */
#define DUET_COS_D \
  0x1.5555555555555p-5, -0x1.6c16c16c16c16p-10, 0x1.a01a01a019d06p-16, -0x1.27e4fb77125c5p-22, 0x1.1eed8deac3dfep-29, -0x1.9394b8bd50ae1p-37, 0x1.ab779550c8d9bp-45
/* sin(pi t) = pi t + t z P(z), |t| <= 1/4; error 2^-57.7 */
#define DUET_SINPI_D \
  -0x1.4abbce625be53p+2, 0x1.466bc6775aae1p+1, -0x1.32d2cce62b872p-1, 0x1.50783486facaap-4, -0x1.e3074d2614b2dp-8, 0x1.e8f036bcd3237p-12, -0x1.6cc577dadd922p-16
/* cos(pi t) = 1 + z P(z); error 2^-54.9 */
#define DUET_COSPI_D \
  -0x1.3bd3cc9be45dep+2, 0x1.03c1f081b5ac4p+2, -0x1.55d3c7e3cbff7p+0, 0x1.e1f506891ae95p-3, -0x1.a6d1f2a086c9p-6, 0x1.f9d3870871194p-10, -0x1.b6de8b8e9ba08p-14, 0x1.1e745e5e09f6dp-18
/* atan x = x + x z P(z); error 2^-57.9 */
#define DUET_ATAN_D \
  -0x1.5555555555555p-2, 0x1.9999999999997p-3, -0x1.24924924920a3p-3, 0x1.c71c71c6dd2d8p-4, -0x1.745d173542f7ap-4, 0x1.3b13aea53b18fp-4, -0x1.1110ce80547d7p-4, 0x1.e1d8ddf459f4dp-5, -0x1.aebcad6415c5dp-5, 0x1.829a09d7f37d9p-5, -0x1.5030c28013685p-5, 0x1.f5ba271a2a8e8p-6, -0x1.c7a6bc6dde7f9p-7
/* asin x = x + x z P(z), |x| <= 1/2; error 2^-57.3 */
#define DUET_ASIN_D \
  0x1.5555555555556p-3, 0x1.3333333332ec4p-4, 0x1.6db6db6e3292ep-5, 0x1.f1c71c1d4aa0dp-6, 0x1.6e8bb1d89492bp-6, 0x1.1c4d343fa57f6p-6, 0x1.c9cf3759fd8ffp-7, 0x1.78246f32d075cp-7, 0x1.524ea8b3aad31p-7, 0x1.653a8f8cfd43cp-8, 0x1.1d661531b222ep-6, -0x1.e7a24f548c99fp-7, 0x1.d78189767524ep-6
/* exp r = 1 + r + r r P(r), |r| <= ln2/2; error 2^-30.3 */
#define DUET_EXP_F \
  0x1.p-1f, 0x1.555556p-3f, 0x1.5554e8p-5f, 0x1.1110ep-7f, 0x1.6d43bp-10f, 0x1.a1256cp-13f
/* 2^r = 1 + r P(r), |r| <= 1/2; error 2^-28.7 */
#define DUET_EXP2_F \
  0x1.62e43p-1f, 0x1.ebfbep-3f, 0x1.c6b08ep-5f, 0x1.3b2a1cp-7f, 0x1.5d879ep-10f, 0x1.44402p-13f, 0x1.00a594p-16f
/* expm1 r = r + r r P(r), |r| <= 0.56; error 2^-28.7 */
#define DUET_EXPM1_F \
  0x1.p-1f, 0x1.555556p-3f, 0x1.555556p-5f, 0x1.110f12p-7f, 0x1.6c1528p-10f, 0x1.a348d8p-13f, 0x1.a2a57cp-16f
/* log(1+f) = f - f f/2 + f f f P(f), |f| <= 1/3; error 2^-28.1 */
#define DUET_LOG_F \
  0x1.555556p-2f, -0x1.ffffb4p-3f, 0x1.999954p-3f, -0x1.5578a6p-3f, 0x1.24b2f6p-3f, -0x1.f744f8p-4f, 0x1.bf08c6p-4f, -0x1.fd462ap-4f, 0x1.d0876p-4f
/* the same for -1/4 <= f <= 1/2; error 2^-26.8 */
#define DUET_LOG1P_F \
  0x1.555556p-2f, -0x1.000026p-2f, 0x1.999a58p-3f, -0x1.5536ap-3f, 0x1.2436cp-3f, -0x1.02daa8p-3f, 0x1.de77f2p-4f, -0x1.87ae26p-4f, 0x1.5f401cp-5f
/* sinh x = x + x z P(z), |x| <= 1; error 2^-27.7 */
#define DUET_SINH_F \
  0x1.555556p-3f, 0x1.11111ep-7f, 0x1.a009p-13f, 0x1.78a70ep-19f
/* tanh x = x + x z P(z), |x| <= 0.55; error 2^-28.0 */
#define DUET_TANH_F \
  -0x1.555556p-2f, 0x1.111104p-3f, -0x1.ba142cp-5f, 0x1.657904p-6f, -0x1.176274p-7f, 0x1.4b1a28p-9f
/* exp r = 1 + r + r r P(r), |r| <= ln2/2; error 2^-61.4 */
#define DUET_EXP_D \
  0x1.p-1, 0x1.5555555555557p-3, 0x1.5555555555556p-5, 0x1.11111111100bep-7, 0x1.6c16c16c162c3p-10, 0x1.a01a01abf85abp-13, 0x1.a01a01a6e1e2ap-16, 0x1.71de01fdbf9cap-19, 0x1.27e4db46cddd1p-22, 0x1.af4e554377204p-26, 0x1.1f7340dbc337ep-29
/* 2^r = 1 + r P(r), |r| <= 1/2; error 2^-55.5 */
#define DUET_EXP2_D \
  0x1.62e42fefa39efp-1, 0x1.ebfbdff82c58fp-3, 0x1.c6b08d704a0cp-5, 0x1.3b2ab6fba4e77p-7, 0x1.5d87fe78a6734p-10, 0x1.430912f86c788p-13, 0x1.ffcbfc5889046p-17, 0x1.62c0223a5bce1p-20, 0x1.b5253d44f8b17p-24, 0x1.e4cf5160c365bp-28, 0x1.e8ca832d68debp-32, 0x1.c3bd35e9c99fap-36, 0x1.8227572cfe63ep-40, 0x1.31d275e3cab4bp-44
/* log((1+q)/(1-q)) = 2 q + q z P(z), z = q q; error 2^-31.6 */
#define DUET_LOGQ_F \
  0x1.555556p-1f, 0x1.9999ecp-2f, 0x1.245c1ap-2f, 0x1.ddd7c2p-3f
/* log((1+q)/(1-q)) = 2 q + 2/3 q z + q z z P(z); error 2^-66.5 */
#define DUET_LOGQ_D \
  0x1.999999999999ap-2, 0x1.2492492492492p-2, 0x1.c71c71c71c705p-3, 0x1.745d1745d3f7fp-3, 0x1.3b13b138ea948p-3, 0x1.11111221d346ep-3, 0x1.e1e13e5fe8cc7p-4, 0x1.af46abc82c73dp-4, 0x1.82bb2bd853a42p-4, 0x1.9881129c4ecf3p-4
/* erf x = x + x P(z), |x| <= 1; error 2^-26.7 */
#define DUET_ERF_F \
  0x1.06eba8p-3f, -0x1.812746p-2f, 0x1.ce2f2p-4f, -0x1.b82cbap-6f, 0x1.56588cp-8f, -0x1.bfe158p-11f, 0x1.f57e9cp-14f, -0x1.d2b852p-17f, 0x1.1c41acp-20f
/* (1 + 2x) exp(x x) erfc(x) = P(t), t = (x-4)/(x+4), x >= 0; error 2^-24.7 */
#define DUET_ERFCX_F \
  0x1.3ba592p+0f, -0x1.1df1a8p-3f, 0x1.f7f624p-7f, 0x1.16ebf8p-4f, -0x1.9ddc12p-4f, 0x1.7ff5fap-4f, -0x1.0fa8fap-4f, 0x1.30400ep-5f, -0x1.09c926p-6f, 0x1.4d1b64p-8f, -0x1.779174p-11f, -0x1.04b5bap-12f, 0x1.e916e2p-14f
/* erf x = x + x P(z), |x| <= 1; error 2^-56.3 */
#define DUET_ERF_D \
  0x1.06eba8214db69p-3, -0x1.812746b0379e7p-2, 0x1.ce2f21a042be2p-4, -0x1.b82ce31288b47p-6, 0x1.565bcd0e6a2eep-8, -0x1.c02db40035f1ep-11, 0x1.f9a326f7ac5b1p-14, -0x1.f4d25bf9af03ap-17, 0x1.b9e6c38e5cf3dp-20, -0x1.5f73c3bf14b91p-23, 0x1.fcbb312b48443p-27, -0x1.517ce02f1265fp-30, 0x1.9a0fcb5e22c5bp-34, -0x1.b40e7abf9fp-38, 0x1.3c01fd3a74542p-42
/* (1 + 2x) exp(x x) erfc(x) = P(t), t = (x-4)/(x+4), x >= 0; error 2^-54.3 */
#define DUET_ERFCX_D \
  0x1.3ba5916e9fd7fp+0, -0x1.1df1ad154a28ep-3, 0x1.f7f5df66fd7bep-7, 0x1.16ecefcfa533fp-4, -0x1.9ddb23c3e9106p-4, 0x1.7fee004e13186p-4, -0x1.0fb06dfe48b0ep-4, 0x1.3079edf668f38p-5, -0x1.0962388548d8dp-6, 0x1.49c6728db72cdp-8, -0x1.8d4a9990c5199p-11, -0x1.a1df2ad41dddep-13, 0x1.3be032de511d3p-13, -0x1.9958a8c635c6bp-16, -0x1.788189c990557p-17, 0x1.7f235478fdcf6p-18, 0x1.385bb6c82456ap-22, -0x1.badf24e872985p-21, 0x1.5305495fa5317p-24, 0x1.d8d5b12b4bdebp-24, -0x1.78888d24fa8a1p-26, -0x1.f9443297365a1p-27, 0x1.117f492198859p-28, 0x1.ebb009434f4efp-30, -0x1.2d277a41632e3p-31, -0x1.2dbbbb75b6682p-33, 0x1.7d604a7f621f4p-35
/* lgamma x = (x-1)(x-2) P(x - 1.25), 1 <= x <= 1.5; error 2^-53.5 */
#define DUET_LGAMMA1_D \
  0x1.0c58fe25dca2cp-1, -0x1.79f9bf0adea8fp-3, 0x1.83575d02c83cp-4, -0x1.ccfde37c03418p-5, 0x1.28367ed88b5a6p-5, -0x1.8e4684aa48106p-6, 0x1.13b466d4e37c9p-6, -0x1.858dc4e5c9863p-7, 0x1.1759de1f2c396p-7, -0x1.9545cb4f0273cp-8, 0x1.28ac794d85fd1p-8, -0x1.b599fcb19979bp-9, 0x1.44c3575638bfap-9, -0x1.e4e29fb353dd1p-10, 0x1.6b711b548153ep-10, -0x1.0d8149797beefp-10, 0x1.97006ccdcf74cp-11, -0x1.745e6be4c7e8bp-11, 0x1.1b23b30c1a60ep-11
/* lgamma x = (x-1)(x-2) P(x - 1.75), 1.5 <= x <= 2; error 2^-54.6 */
#define DUET_LGAMMA2_D \
  0x1.ccf151e09cde8p-2, -0x1.e96586307946ep-4, 0x1.6cb6251711902p-5, -0x1.382e176f60b06p-6, 0x1.1f9587fa1da99p-7, -0x1.14f7c58eae175p-8, 0x1.12aa72f7a0cf4p-9, -0x1.160562703d10cp-10, 0x1.1daed5b103f57p-11, -0x1.28f26729842e6p-12, 0x1.377667e676334p-13, -0x1.4917ab51d8978p-14, 0x1.5dd71a097a2c8p-15, -0x1.75d5e44f06f0ep-16, 0x1.91363d82346cbp-17, -0x1.aeb8f21a0bd8ap-18, 0x1.d1958cb50ae2dp-19, -0x1.14bcf2ec9f806p-19, 0x1.2cf7b0587746cp-20
/* lgamma x = (x-1)(x-2) P(x - 2.25), 2 <= x <= 2.5; error 2^-55.7 */
#define DUET_LGAMMA3_D \
  0x1.992dfc9539d9bp-2, -0x1.5fc498795de96p-4, 0x1.9dff298b209a6p-6, -0x1.155963451c853p-7, 0x1.8e9b025b98119p-9, -0x1.2b1a505b5c56p-10, 0x1.ce0fe413a4ec9p-12, -0x1.6c4b7ada9bf7cp-13, 0x1.239986a466998p-14, -0x1.d844443df60ffp-16, 0x1.81f17b951f71bp-17, -0x1.3dbb3af14cb1cp-18, 0x1.072b2f114f6ddp-19, -0x1.b62f8d6104f56p-21, 0x1.6e61863793eb4p-22, -0x1.331c4fb28d96bp-23, 0x1.02986f2b0c19dp-24, -0x1.cd5e91e2bddd9p-26, 0x1.86b881122e6efp-27
/* gamma x = P(x - 1.5), 1 <= x <= 2; error 2^-54.3 */
#define DUET_GAMMA_D \
  0x1.c5bf891b4ef6bp-1, 0x1.08ea88ee561b2p-5, 0x1.a8c4dba620d62p-2, -0x1.b77ac1ca2ebc4p-4, 0x1.283bd374ea14p-3, -0x1.3d88cfe504937p-4, 0x1.e022b74492dadp-5, -0x1.374fd5cd6a141p-5, 0x1.a752c64df56b9p-6, -0x1.1a2c293acbda4p-6, 0x1.7991ee81016cfp-7, -0x1.f7fc6d20efc03p-8, 0x1.504cc8c4c0843p-8, -0x1.c09fa693cbfc4p-9, 0x1.2b52a6fbf3048p-9, -0x1.8f2be63625a54p-10, 0x1.084be8db95414p-10, -0x1.606b57e7334acp-11, 0x1.f4d423febd85dp-12, -0x1.4de4bab1d6d22p-12, 0x1.192c9a82f15fdp-13, -0x1.76e75bc4d1b5ap-14, 0x1.76e8b52b8ad09p-13, -0x1.f3e1335b1f73ap-14
/* lgamma x = (x - 1/2) log x - x + log(2 pi)/2 + P(1/(x x))/x, x >= 8; error 2^-63.6 */
#define DUET_STIRLING_D \
  0x1.5555555555555p-4, -0x1.6c16c16c16b29p-9, 0x1.a01a019ee0dbep-11, -0x1.38137ec070147p-11, 0x1.b94f6d6592192p-11, -0x1.f5ff2fdcdf048p-10, 0x1.96db40614b193p-8, -0x1.55b3a71b66a2ep-6

// clang-format on
#endif
