// Arguments at the places that their alignments give: members of one structure have the same ones.
// kernarg_16_u32_256_u64_kernel adds 32 bits at a multiple of 16 and 64 bits at a multiple of 256.
#define u32 uint
#define u64 ulong
#define ONE(A, T, B, U)                                                                                     \
  struct arguments_##A##_##T##_##B##_##U {                                                                  \
    ulong output;                                                                                           \
    T first __attribute__((aligned(A)));                                                                    \
    U second __attribute__((aligned(B)));                                                                   \
  };                                                                                                        \
  kernel void kernarg_##A##_##T##_##B##_##U##_kernel(struct arguments_##A##_##T##_##B##_##U arguments) {    \
    ((global ulong*)arguments.output)[get_global_id(0)] = (ulong)arguments.first + arguments.second;        \
  }
#define SECOND(A, T, U) \
  ONE(A, T, 8, U) ONE(A, T, 16, U) ONE(A, T, 32, U) ONE(A, T, 64, U) ONE(A, T, 128, U) ONE(A, T, 256, U)
#define FIRST(T, U) \
  SECOND(8, T, U) SECOND(16, T, U) SECOND(32, T, U) SECOND(64, T, U) SECOND(128, T, U) SECOND(256, T, U)

FIRST(u32, u32)
FIRST(u32, u64)
FIRST(u64, u32)
FIRST(u64, u64)
