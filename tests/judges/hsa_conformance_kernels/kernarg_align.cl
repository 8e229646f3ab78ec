// Arguments at the places that their alignments give, as words of one structure.
// kernarg_16_u32_256_u64_kernel adds 32 bits at a multiple of 16 and 64 bits at a multiple of 256.
typedef uint u32;
typedef ulong u64;
#define UP(place, alignment) (((place) + (alignment) - 1) / (alignment) * (alignment))
#define FIRST_WORD(A) (UP(8, A) / 8)
#define SECOND_WORD(A, T, B) (UP(UP(8, A) + sizeof(T), B) / 8)
#define ONE(A, T, B, U)                                                                                     \
  struct arguments_##A##_##T##_##B##_##U {                                                                  \
    ulong words[SECOND_WORD(A, T, B) + 1];                                                                  \
  };                                                                                                        \
  kernel void kernarg_##A##_##T##_##B##_##U##_kernel(struct arguments_##A##_##T##_##B##_##U arguments) {    \
    ((global ulong*)arguments.words[0])[get_global_id(0)] =                                                 \
        (ulong)(T)arguments.words[FIRST_WORD(A)] + (U)arguments.words[SECOND_WORD(A, T, B)];                \
  }
#define SECOND(A, T, U) \
  ONE(A, T, 8, U) ONE(A, T, 16, U) ONE(A, T, 32, U) ONE(A, T, 64, U) ONE(A, T, 128, U) ONE(A, T, 256, U)
#define FIRST(T, U) \
  SECOND(8, T, U) SECOND(16, T, U) SECOND(32, T, U) SECOND(64, T, U) SECOND(128, T, U) SECOND(256, T, U)

FIRST(u32, u32)
FIRST(u32, u64)
FIRST(u64, u32)
FIRST(u64, u64)
