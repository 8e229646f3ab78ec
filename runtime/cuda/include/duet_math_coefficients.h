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
/* J0 x = P(x x), x <= 1.5; error 2^-57.2 */
#define DUET_J0_SMALL \
  0x1.p+0, -0x1.p-2, 0x1.p-6, -0x1.c71c71c71c6ddp-12, 0x1.c71c71c71998bp-18, -0x1.234567887e8d2p-24, 0x1.02e85b70ffd79p-31, -0x1.5229e57d84627p-39, 0x1.5206a8092bebdp-47, -0x1.03be959ea9af6p-55
#define DUET_J0_A_ZERO_HI 0x1.33d152e971b4p+1
#define DUET_J0_A_ZERO_LO -0x1.0f539d7da258ep-53
#define DUET_J0_A_CENTRE 0x1.6p+1
/* f x = (x - zero) P(x - centre), 1.5 <= x <= 4; error 2^-54.8 */
#define DUET_J0_A \
  -0x1.e6f1cfa935caap-2, 0x1.260c4d5306d8cp-3, 0x1.7a5a1ec6d45fap-5, -0x1.738a7d21a37adp-7, -0x1.b4dda5cb331e8p-10, 0x1.679bd1786a275p-12, 0x1.096f9d8ab0c08p-15, -0x1.77498c48c2125p-18, -0x1.8e15972ec5895p-22, 0x1.ec9dc73a0d062p-25, 0x1.94dbd20faa5e2p-29, -0x1.bd22f929232a6p-32, -0x1.2964bdc307df8p-36, 0x1.260fc2546aa9dp-39, 0x1.4a31dd6ac530ap-44, -0x1.288e8bdb6b028p-47, -0x1.1eaa9aa0e38cbp-52, 0x1.d79aef2f7cdd6p-56, 0x1.8904951763761p-61, -0x1.2a86b5caa0ec3p-64
#define DUET_J0_B_ZERO_HI 0x1.6148f5b2c2e45p+2
#define DUET_J0_B_ZERO_LO 0x1.75054cd60a517p-54
#define DUET_J0_B_CENTRE 0x1.6p+2
/* f x = (x - zero) P(x - centre), 4 <= x <= 7; error 2^-53.1 */
#define DUET_J0_B \
  0x1.5d0afcf0baf5ep-2, -0x1.d60346027baf1p-6, -0x1.b452909e1758p-5, 0x1.23928de481227p-8, 0x1.2a27c6d94f985p-9, -0x1.6394ea3484981p-13, -0x1.89f723c12bd59p-15, 0x1.a1138a238c536p-19, 0x1.36433ce876d75p-21, -0x1.2583235907df1p-25, -0x1.45b972d1c1f18p-28, 0x1.15b250149c21dp-32, 0x1.e9360833a1f1bp-36, -0x1.7af7016fddf0ep-40, -0x1.140242bd7d026p-43, 0x1.876d9672633e5p-48, 0x1.e540d7fc6071p-52, -0x1.3cf04180d25d4p-56, -0x1.55a69b0323277p-60, 0x1.93adc6f212947p-65, 0x1.81a0e6620832dp-69
#define DUET_J0_C_ZERO_HI 0x1.14eb56cccdecap+3
#define DUET_J0_C_ZERO_LO -0x1.51970714c7c25p-52
#define DUET_J0_C_CENTRE 0x1.ep+2
/* f x = (x - zero) P(x - centre), 7 <= x <= 8; error 2^-56.5 */
#define DUET_J0_C \
  -0x1.d8c8990eeb4e3p-3, -0x1.536995fc2bf76p-4, 0x1.252b940361a5bp-5, 0x1.cdbec7afa19cep-8, -0x1.cee9892b14c68p-10, -0x1.b77a8616d6decp-13, 0x1.5434daf78c6e8p-15, 0x1.bab7f3beb514bp-19, -0x1.20b7282add57bp-21, -0x1.1802b564cea9cp-25, 0x1.3feda4108b437p-28, 0x1.e90bde3c88d8ap-33, -0x1.f4575d0dfe85bp-36, -0x1.396853ea675d8p-40, 0x1.223b0fd458975p-43, 0x1.32d380eb87b44p-48
/* J1 x = x P(x x), x <= 2; error 2^-56.9 */
#define DUET_J1_SMALL \
  0x1.p-1, -0x1.p-4, 0x1.5555555555555p-9, -0x1.c71c71c71c718p-15, 0x1.6c16c16c169f4p-21, -0x1.845c8a0cd1312p-28, 0x1.27e4fb70524eap-35, -0x1.522a409880594p-43, 0x1.2c9656744aca1p-51, -0x1.ab21929d54dbdp-60, 0x1.dd188420b096dp-69
#define DUET_J1_A_ZERO_HI 0x1.ea75575af6f09p+1
#define DUET_J1_A_ZERO_LO -0x1.60155a9d1b256p-53
#define DUET_J1_A_CENTRE 0x1.d9ap+1
/* f x = (x - zero) P(x - centre), 2 <= x <= 5.4; error 2^-53.1 */
#define DUET_J1_A \
  -0x1.a28bc12448a38p-2, 0x1.396cc7186c0ffp-5, 0x1.c4599deae69aap-5, -0x1.04a1b81e09fedp-8, -0x1.322711bd3f2e1p-9, 0x1.1faca3164baecp-13, 0x1.98b3b94dcb428p-15, -0x1.442e7104d86dfp-19, -0x1.46204ab3551f9p-21, 0x1.bf72a9f45b213p-26, 0x1.5aa5a586d6aep-28, -0x1.a2daf8e11c748p-33, -0x1.072b922990727p-35, 0x1.1c07892746bd5p-40, 0x1.2bc385b7f8fa3p-43, -0x1.2442443e70b6fp-48, -0x1.09a69da930337p-51, 0x1.d84c4124fe327p-57, 0x1.789f215d5df99p-60, -0x1.33a443f4251d7p-65, -0x1.a87107609f487p-69, 0x1.4134a376b5a63p-74
#define DUET_J1_B_ZERO_HI 0x1.c0ff5f3b4725p+2
#define DUET_J1_B_ZERO_LO -0x1.b226d9d243827p-54
#define DUET_J1_B_CENTRE 0x1.accp+2
/* f x = (x - zero) P(x - centre), 5.4 <= x <= 8; error 2^-53.0 */
#define DUET_J1_B \
  0x1.355aaddbcb41fp-2, 0x1.26dcedf98d009p-7, -0x1.8e7e2829f7a3p-5, 0x1.8349054cb3a8ep-12, 0x1.24db4e4e5b184p-9, -0x1.2ec338617eccap-15, -0x1.98306c17dc663p-15, 0x1.dcbf0c1437979p-21, 0x1.4ded17e42f4bep-21, -0x1.87dcd42a5813bp-27, -0x1.68756631ab874p-28, 0x1.98ca433d6aep-34, 0x1.146fbcc1c3eddp-35, -0x1.2a6ac213fafc5p-41, -0x1.3d0efb72dce5p-43, 0x1.43e512723f3dbp-49, 0x1.1a4db8a737576p-51, -0x1.107474d0a4973p-57, -0x1.8a445b695069p-60, 0x1.68cb677e8fb06p-66
/* Y0 x = 2/pi log x J0 x + P(x x), x <= 0.6; error 2^-54.6 */
#define DUET_Y0_SMALL \
  -0x1.2e4d699cbd01fp-4, 0x1.6bbcb41034286p-3, -0x1.075b1bbf41364p-6, 0x1.1a6206b7b973cp-11, -0x1.3e99794203a6dp-17, 0x1.bce4a6007f8d2p-24, -0x1.a6ee78a4b35ffp-31, 0x1.2392c7072693ap-38, -0x1.2f737e13b8f59p-46
#define DUET_Y0_A_ZERO_HI 0x1.c982eb8d417eap-1
#define DUET_Y0_A_ZERO_LO 0x1.ea9d270347f83p-56
#define DUET_Y0_A_CENTRE 0x1.cccp-1
/* f x = (x - zero) P(x - centre), 0.6 <= x <= 1.2; error 2^-53.6 */
#define DUET_Y0_A \
  0x1.c0ac9eaf2ffafp-1, -0x1.f50f2c8105ea1p-2, 0x1.bb02d04c10585p-3, -0x1.c3eaf2bcaa21ap-3, 0x1.b3600b7519832p-3, -0x1.94941bf7c6e06p-3, 0x1.82fdc2d27afp-3, -0x1.79bb86effa0d5p-3, 0x1.7601e3b743358p-3, -0x1.76a71168a0db1p-3, 0x1.7ae9f3f30c7cap-3, -0x1.824cd8dca850bp-3, 0x1.8c7fb5bfe83a4p-3, -0x1.9955cbd14f5e5p-3, 0x1.a8d3f299437a3p-3, -0x1.bab802c7580e1p-3, 0x1.cd1320e2d8a09p-3, -0x1.e40109a0e4c0cp-3, 0x1.0ad7e25804698p-2, -0x1.19ba086b7284bp-2, 0x1.a320d6b67962bp-3, -0x1.bcd4d8f3cbe7cp-3, 0x1.31c67e71d400fp-1, -0x1.4587719853279p-1
/* Y0 x = P(x - 1.8), 1.2 <= x <= 2.4; error 2^-53.4 */
#define DUET_Y0_MIDDLE \
  0x1.e8e3dc0648702p-2, 0x1.ca10ce708e009p-3, -0x1.3410b559e29bbp-2, 0x1.ea8941c11fb23p-6, 0x1.25ad6c007f31fp-9, 0x1.804d7df6365a8p-8, -0x1.b64c0f3f2dd7cp-9, 0x1.750e6aacc916fp-10, -0x1.69e30d1078d23p-11, 0x1.6bbfcba6966ecp-12, -0x1.6e167ec8349d9p-13, 0x1.732e2c31323a4p-14, -0x1.7b353cb43ac04p-15, 0x1.85d64bffe2d0ep-16, -0x1.92f14fccdd384p-17, 0x1.a29fe07cca293p-18, -0x1.b493373ea3fe6p-19, 0x1.c6655627cd691p-20, -0x1.dd2859be448bep-21, 0x1.0965f87081003p-21, -0x1.187a3c3bf8fb8p-22, 0x1.8cf5b16d44631p-24, -0x1.a3a5ee2f2093fp-25, 0x1.366ddefe63189p-24, -0x1.4b5d435c5889ep-25
#define DUET_Y0_B_ZERO_HI 0x1.fa9534d98569cp+1
#define DUET_Y0_B_ZERO_LO -0x1.f06ae7804384ep-54
#define DUET_Y0_B_CENTRE 0x1.d9ap+1
/* f x = (x - zero) P(x - centre), 2.4 <= x <= 5; error 2^-54.1 */
#define DUET_Y0_B \
  -0x1.a58797346dafap-2, 0x1.3f9f6c3b9e5f5p-6, 0x1.01b6fc2b4b246p-4, -0x1.2669268bb4624p-8, -0x1.3823a246b8e6p-9, 0x1.cd938f6ba73f8p-14, 0x1.f103c65306e12p-15, -0x1.26545d96418dfp-18, -0x1.75dc16dc93dd4p-23, -0x1.77d8377d5e137p-24, 0x1.223ef7118900dp-25, -0x1.f8c056d91164dp-28, 0x1.e5bf1d11bd1fp-30, -0x1.f24276a683e55p-32, 0x1.fb29530a70d6dp-34, -0x1.0204ead5cc21dp-35, 0x1.0766635504d3ep-37, -0x1.0b23e9ed739p-39, 0x1.123312749f139p-41, -0x1.3240cc65bf2e1p-43, 0x1.3c447558778dcp-45, -0x1.6f39b1ee27ba1p-48, 0x1.7934786048fcdp-50, -0x1.585642144208ap-50, 0x1.66eba12171ce2p-52
#define DUET_Y0_C_ZERO_HI 0x1.c581dc4e72103p+2
#define DUET_Y0_C_ZERO_LO -0x1.9774a495f56cfp-54
#define DUET_Y0_C_CENTRE 0x1.ap+2
/* f x = (x - zero) P(x - centre), 5 <= x <= 8; error 2^-52.4 */
#define DUET_Y0_C \
  0x1.2eb455a88c587p-2, 0x1.2ccadea766ed3p-5, -0x1.92d8d1ced6e78p-5, -0x1.0f8a64f3e959ep-9, 0x1.325749a9c34dap-9, 0x1.19e6b719899d9p-15, -0x1.acb01791424f9p-15, -0x1.12e06395354f2p-22, 0x1.62192eeb0d272p-21, -0x1.70042a2ddbe71p-32, -0x1.79f466076cd81p-28, 0x1.7b5026fbcba4ep-38, 0x1.2e4080a6e2131p-35, -0x1.336eff71088d2p-42, -0x1.1d1726cd9812p-43, -0x1.822b4f3b04d38p-49, 0x1.2149544541314p-50, -0x1.51f218a7699d1p-54, 0x1.3b148c90ce5f1p-57, -0x1.af2f8a0299d66p-60, 0x1.61533ba0927dep-62, -0x1.9cf7c7e96bae6p-65
/* Y1 x = 2/pi (log x J1 x - 1/x) + x P(x x), x <= 1; error 2^-56.7 */
#define DUET_Y1_SMALL \
  -0x1.91866143cbc8ap-3, 0x1.bd3975c75b4a7p-5, -0x1.835b97894be5bp-9, 0x1.2c7dbffcde97dp-14, -0x1.0a780ac776e8cp-20, 0x1.32e5a4ddeaea5p-27, -0x1.f0ce34c992aacp-35, 0x1.2a4e14f93b292p-42, -0x1.146fa1247b004p-50, 0x1.92c9e5e2d978ep-59
#define DUET_Y1_A_ZERO_HI 0x1.193bed4dff243p+1
#define DUET_Y1_A_ZERO_LO -0x1.bd1e50d219bfdp-55
#define DUET_Y1_A_CENTRE 0x1.666p+0
/* f x = (x - zero) P(x - centre), 1 <= x <= 1.8; error 2^-53.4 */
#define DUET_Y1_A \
  0x1.33c23c48903e9p-1, -0x1.9645bcb632176p-4, 0x1.0f52cc242907p-5, -0x1.2698c4ceb2c22p-4, 0x1.b9782ea6efb4bp-5, -0x1.3083eac74ececp-5, 0x1.b6e206b6c9d72p-6, -0x1.3c05c52968bd1p-6, 0x1.c55252e356b56p-7, -0x1.44bc467a73511p-7, 0x1.d0e911400778dp-8, -0x1.4c9fce45052dep-8, 0x1.dbce7c418243ep-9, -0x1.54352b8b5b3fdp-9, 0x1.e5e92630e0057p-10, -0x1.5b52a1ccf6995p-10, 0x1.f7ffe439f47f6p-11, -0x1.681cf6dfa5ed7p-11, 0x1.bc738a638879fp-12, -0x1.3df3358560a4bp-12, 0x1.9bf45db4e9438p-12, -0x1.25e1807bbc005p-12
#define DUET_Y1_B_ZERO_HI 0x1.193bed4dff243p+1
#define DUET_Y1_B_ZERO_LO -0x1.bd1e50d219bfdp-55
#define DUET_Y1_B_CENTRE 0x1.534p+1
/* f x = (x - zero) P(x - centre), 1.8 <= x <= 3.5; error 2^-55.5 */
#define DUET_Y1_B \
  0x1.d73009e076ab7p-2, -0x1.31089c74b7eeap-3, -0x1.073b565088f72p-5, 0x1.378e795e5aaf9p-8, 0x1.e1593e58dba58p-9, -0x1.17081a2110bd9p-10, 0x1.11666ecaf2cafp-12, -0x1.c41e60a9dca96p-14, 0x1.6c1fff88d4771p-15, -0x1.13376e0b7b52dp-16, 0x1.a04e665becbcbp-18, -0x1.3bb5701f5323fp-19, 0x1.de47c96944d3ap-21, -0x1.6a08e959c0b5cp-22, 0x1.11d596ef03b42p-23, -0x1.9c7a9f2c8f09fp-25, 0x1.37b9ab1738aefp-26, -0x1.eac5eb0947656p-28, 0x1.730910963a88ap-29, -0x1.97932872d465cp-31, 0x1.3277319f0840dp-32, -0x1.1d0f52599d38cp-32, 0x1.afeaa776ba958p-34
#define DUET_Y1_C_ZERO_HI 0x1.5b7fe4e87b02ep+2
#define DUET_Y1_C_ZERO_LO 0x1.dfe7bac228e8cp-52
#define DUET_Y1_C_CENTRE 0x1.366p+2
/* f x = (x - zero) P(x - centre), 3.5 <= x <= 6.2; error 2^-53.7 */
#define DUET_Y1_C \
  -0x1.5cf945f52ebc8p-2, -0x1.ef00a3c15315ap-6, 0x1.b72d85bf2d24bp-5, 0x1.3246349cbdfdcp-10, -0x1.32ee309294376p-9, -0x1.e7cad45bb9b73p-16, 0x1.b9cb661472e55p-15, -0x1.62a588abfa643p-23, -0x1.385200be71f82p-21, -0x1.fb440c70a1a19p-27, 0x1.258928c87f0bdp-27, -0x1.634cdd9a81075p-31, 0x1.b9ff7152192f9p-34, -0x1.e6f8002eabd69p-36, 0x1.9ff4a6cd1dcdp-38, -0x1.5053e374ad509p-40, 0x1.162e645012222p-42, -0x1.d4ec4f58a9c85p-45, 0x1.842dbbb4128aap-47, -0x1.1581fef4ed3f5p-49, 0x1.cbc0134a0d9d8p-52, -0x1.57544cc86aee5p-53, 0x1.1b3150c43ef9fp-55
#define DUET_Y1_D_ZERO_HI 0x1.13127ae6169b4p+3
#define DUET_Y1_D_ZERO_LO 0x1.479cc068d9046p-52
#define DUET_Y1_D_CENTRE 0x1.c66p+2
/* f x = (x - zero) P(x - centre), 6.2 <= x <= 8; error 2^-53.8 */
#define DUET_Y1_D \
  0x1.99e5dcc2b7e5bp-3, 0x1.a53feec2b20b8p-4, -0x1.bd5cb10241848p-6, -0x1.23b310f2585acp-7, 0x1.5054f936c27d1p-10, 0x1.219e1d18338adp-12, -0x1.e661621e11465p-16, -0x1.31e03f17efbb8p-18, 0x1.9ef05e51b9232p-22, 0x1.8f7670a7da67fp-25, -0x1.c868e41e6dda4p-29, -0x1.6dbd119b6d1cep-32, 0x1.735a990037c81p-36, 0x1.c5643898f6ed7p-40, -0x1.73eebcb357eecp-44, -0x1.29072f2c52cc3p-47, 0x1.43de251893f3cp-51, -0x1.154238b38e19dp-56, 0x1.2d0b45c087ac2p-58
/* P in w = 1/(x x), x >= 8; error 2^-47.1 */
#define DUET_HANKEL_P0 \
  0x1.fffffffffffc4p-1, -0x1.1ffffffb3bb24p-4, 0x1.cb5fdf731d57ap-4, -0x1.2513f7b084cddp-1, 0x1.82d6da93019fep+2, -0x1.9f2709e465db6p+6, 0x1.12d68a9392eb5p+11, -0x1.38f2cc70f18bcp+15, 0x1.7fa08186fc0aap+18
/* x Q, the same; error 2^-47.3 */
#define DUET_HANKEL_Q0 \
  -0x1.ffffffffff325p-4, 0x1.2bffffdf48cf7p-4, -0x1.d11d9006501adp-3, 0x1.ba2689f78836cp+0, -0x1.82c760900f1d7p+4, 0x1.fb51b3e6656dbp+8, -0x1.7cb4ceba381abp+13, 0x1.d031226fbbdeep+17, -0x1.2703f12d7edc1p+21
/* P in w = 1/(x x), x >= 8; error 2^-47.0 */
#define DUET_HANKEL_P1 \
  0x1.000000000002p+0, 0x1.dffffffae13cfp-4, -0x1.274fee8568ac3p-3, 0x1.5a5e997d7fccbp-1, -0x1.b6884361d7ff1p+2, 0x1.cbad6070e6ee8p+6, -0x1.2c73b6701dfbcp+11, 0x1.53f27697e69dp+15, -0x1.9f69c17709d02p+18
/* x Q, the same; error 2^-47.2 */
#define DUET_HANKEL_Q1 \
  0x1.7fffffffffc8fp-2, -0x1.a3ffffdcfb0bbp-4, 0x1.1c3cc414470fdp-2, -0x1.fe2fa423ab3a5p+0, 0x1.b07125d46fbfap+4, -0x1.16683da7eedcdp+9, 0x1.9da78abbdcac8p+13, -0x1.f5d042c724e15p+17, 0x1.3e1b5042b7d99p+21
/* I0 x = x^0 P(x x), x <= 8; error 2^-55.0 */
#define DUET_I0_SMALL \
  0x1.p+0, 0x1.p-2, 0x1.p-6, 0x1.c71c71c71c71cp-12, 0x1.c71c71c71c71cp-18, 0x1.23456789abcdfp-24, 0x1.02e85c0898b71p-31, 0x1.522a43f65486ap-39, 0x1.522a43f65486ap-47, 0x1.0b313289be0b8p-55, 0x1.5601885e63e66p-64, 0x1.69ca9cf3b7e52p-73, 0x1.4197a7f516c83p-82, 0x1.e725594eacfa1p-92, 0x1.3e22d71249ccap-101, 0x1.69f7da339e7b2p-111, 0x1.69f7e0bb814bbp-121, 0x1.40a27bf1d3e17p-131, 0x1.fab8473573184p-142, 0x1.66fb9e78abc34p-152, 0x1.d05d6f22def38p-163, 0x1.ec756aed90ed8p-174, 0x1.8f64a6f1531c1p-184
#define DUET_I0_MIDDLE_CENTRE 0x1.666p-4
/* I0 x = exp x / sqrt x P(1/x - centre), 0.05 <= 1/x <= 0.125; error 2^-59.1 */
#define DUET_I0_MIDDLE \
  0x1.9d3a5c4847b31p-2, 0x1.c782ab528f4efp-5, 0x1.3d2e310a44331p-5, 0x1.dae53ad891b54p-5, 0x1.4417396214259p-3, 0x1.792493a6a8ba2p-1, 0x1.05b712fdde372p+2, 0x1.996ee046c7237p+1, -0x1.6a8a162527d6dp+8, -0x1.b387c938412bap+11, 0x1.239b811b695c4p+14, 0x1.a2e4ecb6b9b07p+18, -0x1.987ade6e8f5c9p+20, -0x1.5e65d87a80f2p+25, 0x1.168e780701371p+28, 0x1.ed06b00d64704p+31, -0x1.56037fcc97d9dp+35, -0x1.9f83c49cc09f5p+37, 0x1.c1c7fbe2575dfp+41
#define DUET_I0_LARGE_CENTRE 0x1.a1ap-6
/* I0 x = exp x / sqrt x P(1/x - centre), 0.0009765625 <= 1/x <= 0.05; error 2^-53.8 */
#define DUET_I0_LARGE \
  0x1.99d6739174867p-2, 0x1.a4b95ddc2d6e1p-5, 0x1.f351e817e7d7cp-6, 0x1.1a46ab9bab3bcp-5, 0x1.e35a0f8621b99p-5, 0x1.1a559ad604a79p-3, 0x1.a85af9fed889ap-2, 0x1.8b53aa273f177p+0, 0x1.bd348faefa4efp+2, 0x1.29c15229573eep+5, 0x1.d32ba2d7846ddp+7, 0x1.a9d2b5f08690bp+10, 0x1.c0ff243dcc4bbp+13, 0x1.1a1ebc5d829eap+17, 0x1.8eb24dccdae64p+20, 0x1.486214ca123aep+23, 0x1.2e0422786b254p+27, 0x1.0f5afff99f8b2p+34, 0x1.5ba562b70190ep+38, -0x1.edada6e3638c6p+41, -0x1.eba7fd6e50f6ap+46
/* I1 x = x^1 P(x x), x <= 8; error 2^-54.9 */
#define DUET_I1_SMALL \
  0x1.p-1, 0x1.p-4, 0x1.5555555555555p-9, 0x1.c71c71c71c71cp-15, 0x1.6c16c16c16c17p-21, 0x1.845c8a0ce5129p-28, 0x1.27e4fb7789f5cp-35, 0x1.522a43f65486ap-43, 0x1.2c9758daf5cdp-51, 0x1.ab81ea75fcdf4p-60, 0x1.f17697cf1cf19p-69, 0x1.e2637bef9fe7p-78, 0x1.8bce58901b306p-87, 0x1.165e7c2d02bd2p-96, 0x1.53585cdef23e4p-106, 0x1.69f7da4f69be5p-116, 0x1.54ad0dfe84c6cp-126, 0x1.1d024b6628798p-136, 0x1.aab47744a0451p-147, 0x1.1f3b7de1d418p-157, 0x1.61591d08d2504p-168, 0x1.68ebd47fc4efep-179, 0x1.11e5364da8b5ep-189
#define DUET_I1_MIDDLE_CENTRE 0x1.666p-4
/* I1 x = exp x / sqrt x P(1/x - centre), 0.05 <= 1/x <= 0.125; error 2^-53.9 */
#define DUET_I1_MIDDLE \
  0x1.8ab6f20fec75fp-2, -0x1.45793011f314p-3, -0x1.f5df5d986fea7p-5, -0x1.39ea223cc33c1p-4, -0x1.8635dbe9690dap-3, -0x1.ae1a1863e64f3p-1, -0x1.26c58212de4f5p+2, -0x1.4f2eabb6e43cfp+2, 0x1.78e666c37c257p+8, 0x1.dbfae1ca36368p+11, -0x1.16813b49c24a4p+14, -0x1.bdde9ee5d84b2p+18, 0x1.782bb8592d521p+20, 0x1.7372fe9a5d05fp+25, -0x1.0da0c8188d7f9p+28, -0x1.079b365109374p+32, 0x1.560f76aee6b15p+35, 0x1.c3c96821997bcp+37, -0x1.c8dc474dfbd1p+41
#define DUET_I1_LARGE_CENTRE 0x1.a1ap-6
/* I1 x = exp x / sqrt x P(1/x - centre), 0.0009765625 <= 1/x <= 0.05; error 2^-54.7 */
#define DUET_I1_LARGE \
  0x1.94948749589ddp-2, -0x1.3770bdb2a4c69p-3, -0x1.9a9d07bcc4f4cp-5, -0x1.85e60c5eb8847p-5, -0x1.32810118b182ap-4, -0x1.544f4ec8f1233p-3, -0x1.ee7722f96282ap-2, -0x1.c19ee998eea47p+0, -0x1.f134ef5ced767p+2, -0x1.47d45cfad8133p+5, -0x1.fc7ba10d0a8ddp+7, -0x1.cb1d28543dc1fp+10, -0x1.e0394b0baadd2p+13, -0x1.2b6665d7fcd09p+17, -0x1.a4c92fa828ba6p+20, -0x1.5e292370f7d7bp+23, -0x1.3bbfdd1451fd6p+27, -0x1.182695741cea2p+34, -0x1.6857af97c6b5ep+38, 0x1.f709add0dde47p+41, 0x1.f9787a7d251ebp+46

// clang-format on
#endif
