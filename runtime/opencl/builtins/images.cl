// Images: a read is a texture instruction, a write a formatted surface store.
//
//   read_imagef(image, sampler, (float2)(x, y))  ->  tex.2d.v4.f32.f32 {..}, [image + sampler, {x, y}]
//
// An image is the address of slots of 128 bytes (session/images.h has the same numbers): what get_image_* tell, the
// object for stores, and an object for each state that a sampler may have. A sampler is the distance to its slot. clang
// has no C type for the arguments' addresses, so functions have other types here and their mangled names.
#define SLOT 128
#define STORE_SLOT 1
#define SAMPLER_SLOT 2
#define IMAGE const __global void* image
#define SAMPLER __constant void* sampler
// A function by its symbol: in OpenCL C's own table its arguments are images.
#define NAMED(symbol, T, name, parameters)                              \
  __attribute__((always_inline)) T name parameters __asm__(symbol);     \
  T name parameters

// CLK_NORMALIZED_COORDS_TRUE, the address mode, then the filter: a number below 20.
NAMED("__translate_sampler_initializer", __constant void*, sampler_of, (int literal)) {
  const int state = (literal & 15) + ((literal & CLK_FILTER_LINEAR) != 0 ? 10 : 0);
  return (__constant void*)(ulong)((SAMPLER_SLOT + state) * SLOT);
}

// INFO(function, its symbol, type, place in the first slot)
#define INFO(name, symbol, T, place, geometry, type, access)                                          \
  NAMED(symbol type #access, T, name##_##geometry##_##access, (IMAGE)) {                              \
    return ((__constant uint*)(ulong)image)[place];                                                   \
  }
#define ARRAY_SIZE(...) INFO(array_size, "_Z20get_image_array_size", size_t, 3, __VA_ARGS__)
#define OF_ALL(...)                                                                \
  INFO(width, "_Z15get_image_width", int, 0, __VA_ARGS__)                          \
  INFO(order, "_Z23get_image_channel_order", int, 4, __VA_ARGS__)                  \
  INFO(data_type, "_Z27get_image_channel_data_type", int, 5, __VA_ARGS__)
#define OF_PLANES(...) OF_ALL(__VA_ARGS__) INFO(height, "_Z16get_image_height", int, 1, __VA_ARGS__)
#define DIM2(geometry, type, access)                                                                  \
  NAMED("_Z13get_image_dim" type #access, int2, dim_##geometry##_##access, (IMAGE)) {                 \
    const __constant int* const info = (__constant int*)(ulong)image;                                 \
    return (int2)(info[0], info[1]);                                                                  \
  }
#define DIM4(geometry, type, access)                                                                  \
  NAMED("_Z13get_image_dim" type #access, int4, dim_##geometry##_##access, (IMAGE)) {                 \
    const __constant int* const info = (__constant int*)(ulong)image;                                 \
    return (int4)(info[0], info[1], info[2], 0);                                                      \
  }
#define INFOS(access)                                                                                      \
  OF_ALL(1d, "14ocl_image1d_", access)                                                                     \
  OF_ALL(1d_buffer, "21ocl_image1d_buffer_", access)                                                       \
  OF_ALL(1d_array, "20ocl_image1d_array_", access) ARRAY_SIZE(1d_array, "20ocl_image1d_array_", access)    \
  OF_PLANES(2d, "14ocl_image2d_", access) DIM2(2d, "14ocl_image2d_", access)                               \
  OF_PLANES(2d_array, "20ocl_image2d_array_", access) DIM2(2d_array, "20ocl_image2d_array_", access)       \
  ARRAY_SIZE(2d_array, "20ocl_image2d_array_", access)                                                     \
  OF_PLANES(3d, "14ocl_image3d_", access) DIM4(3d, "14ocl_image3d_", access)                               \
  INFO(depth, "_Z15get_image_depth", int, 2, 3d, "14ocl_image3d_", access)
INFOS(ro)
INFOS(wo)
INFOS(rw)

// A layer: the nearest, but within the array; the instruction itself takes the last for one behind it.
CONSTANT __attribute__((overloadable)) int layer_of(int at) { return max(at, 0); }
CONSTANT __attribute__((overloadable)) int layer_of(float at) { return convert_int_sat_rte(max(at, 0.0f)); }

// Of an image that a kernel only reads, the instruction may be moved; of one that it writes, too, not.
#define ASM_ro __asm__
#define ASM_rw __asm__ volatile
#define CLOBBER_ro
#define CLOBBER_rw : "memory"

// FETCH_TEXEL(geometry, access, element's C type, PTX's, constraint, coordinate's C type, PTX's, vector of coordinates, PTX's
// geometry, coordinates of the instruction, operands)
#define FETCH_TEXEL(geometry, access, T, type, letter, C, at_type, V, ptx, coordinates, ...)                     \
  static inline T##4 fetch_##geometry##_##T##_##C##_##access(ulong object, V at) {                         \
    T x, y, z, w;                                                                                          \
    ASM_##access("tex." ptx ".v4." type "." at_type " {%0, %1, %2, %3}, [%4, " coordinates "];"            \
                 : "=" letter(x), "=" letter(y), "=" letter(z), "=" letter(w)                              \
                 : "l"(object), __VA_ARGS__ CLOBBER_##access);                                             \
    return (T##4)(x, y, z, w);                                                                             \
  }
#define FETCH_TEXELS(access, T, type, letter, C, at_type, at_letter)                                            \
  FETCH_TEXEL(1d, access, T, type, letter, C, at_type, C, "1d", "{%5}", at_letter(at))                           \
  FETCH_TEXEL(1d_array, access, T, type, letter, C, at_type, C##2, "a1d", "{%5, %6}", "r"(layer_of(at.y)),       \
        at_letter(at.x))                                                                                   \
  FETCH_TEXEL(2d, access, T, type, letter, C, at_type, C##2, "2d", "{%5, %6}", at_letter(at.x), at_letter(at.y)) \
  FETCH_TEXEL(2d_array, access, T, type, letter, C, at_type, C##4, "a2d", "{%5, %6, %7, %7}",                    \
        "r"(layer_of(at.z)), at_letter(at.x), at_letter(at.y))                                             \
  FETCH_TEXEL(3d, access, T, type, letter, C, at_type, C##4, "3d", "{%5, %6, %7, %7}", at_letter(at.x),          \
        at_letter(at.y), at_letter(at.z))

// READ(symbol, element, geometry, mangled image, coordinates' C type, vector of them, mangled)
#define READ(symbol, T, geometry, type, C, V, mangled)                                                       \
  NAMED(symbol type "ro11ocl_sampler" mangled, T##4, read_##geometry##_##T##_##C, (IMAGE, SAMPLER, V at)) {  \
    return fetch_##geometry##_##T##_##C##_ro((ulong)image + (ulong)sampler, at);                             \
  }
// Without a sampler: by texels, nothing outside the image.
#define READ_TEXEL(symbol, T, geometry, fetched_as, type, access, V, mangled)                                \
  NAMED(symbol type #access mangled, T##4, read_##geometry##_##T##_##access, (IMAGE, V at)) {                \
    return fetch_##fetched_as##_##T##_int_##access((ulong)image + SAMPLER_SLOT * SLOT, at);                  \
  }
#define READS(symbol, T)                                                        \
  READ(symbol, T, 1d, "14ocl_image1d_", int, int, "i")                          \
  READ(symbol, T, 1d, "14ocl_image1d_", float, float, "f")                      \
  READ(symbol, T, 1d_array, "20ocl_image1d_array_", int, int2, "Dv2_i")         \
  READ(symbol, T, 1d_array, "20ocl_image1d_array_", float, float2, "Dv2_f")     \
  READ(symbol, T, 2d, "14ocl_image2d_", int, int2, "Dv2_i")                     \
  READ(symbol, T, 2d, "14ocl_image2d_", float, float2, "Dv2_f")                 \
  READ(symbol, T, 2d_array, "20ocl_image2d_array_", int, int4, "Dv4_i")         \
  READ(symbol, T, 2d_array, "20ocl_image2d_array_", float, float4, "Dv4_f")     \
  READ(symbol, T, 3d, "14ocl_image3d_", int, int4, "Dv4_i")                     \
  READ(symbol, T, 3d, "14ocl_image3d_", float, float4, "Dv4_f")
#define READ_TEXELS(symbol, T, access)                                                  \
  READ_TEXEL(symbol, T, 1d, 1d, "14ocl_image1d_", access, int, "i")                     \
  READ_TEXEL(symbol, T, 1d_buffer, 1d, "21ocl_image1d_buffer_", access, int, "i")       \
  READ_TEXEL(symbol, T, 1d_array, 1d_array, "20ocl_image1d_array_", access, int2, "Dv2_i") \
  READ_TEXEL(symbol, T, 2d, 2d, "14ocl_image2d_", access, int2, "Dv2_i")                \
  READ_TEXEL(symbol, T, 2d_array, 2d_array, "20ocl_image2d_array_", access, int4, "Dv4_i") \
  READ_TEXEL(symbol, T, 3d, 3d, "14ocl_image3d_", access, int4, "Dv4_i")
#define ALL_READS(symbol, T, type, letter)               \
  FETCH_TEXELS(ro, T, type, letter, int, "s32", "r")          \
  FETCH_TEXELS(ro, T, type, letter, float, "f32", "f")        \
  FETCH_TEXELS(rw, T, type, letter, int, "s32", "r")          \
  READS(symbol, T)                                       \
  READ_TEXELS(symbol, T, ro)                             \
  READ_TEXELS(symbol, T, rw)
ALL_READS("_Z11read_imagef", float, "f32", "f")
ALL_READS("_Z11read_imagei", int, "s32", "r")
ALL_READS("_Z12read_imageui", uint, "u32", "r")

// A store's object has layers as rows or slices (session/images.cpp), and what lies outside is not written.
#define STORE(geometry, V, ptx, coordinates, ...)                                                            \
  static inline void store_##geometry(ulong image, V at, uint4 value) {                                      \
    __asm__ volatile("sust.p." ptx ".v4.b32.zero [%0, " coordinates "], {%1, %2, %3, %4};"                   \
                     :                                                                                       \
                     : "l"(image + STORE_SLOT * SLOT), "r"(value.x), "r"(value.y), "r"(value.z), "r"(value.w), \
                       __VA_ARGS__                                                                           \
                     : "memory");                                                                            \
  }
STORE(1d, int, "1d", "{%5}", "r"(at))
STORE(2d, int2, "2d", "{%5, %6}", "r"(at.x), "r"(at.y))
STORE(3d, int4, "3d", "{%5, %6, %7, %7}", "r"(at.x), "r"(at.y), "r"(at.z))

#define WRITE(symbol, T, geometry, stored_as, type, access, V, mangled)                              \
  NAMED(symbol type #access mangled, void, write_##geometry##_##T##_##access, (IMAGE, V at, T##4 value)) {   \
    store_##stored_as((ulong)image, at, as_uint4(value));                                            \
  }
// The mangled name of the values; behind coordinates of the same type it is a reference to them.
#define WRITES(symbol, T, access, mangled, behind_int4)                                                      \
  WRITE(symbol, T, 1d, 1d, "14ocl_image1d_", access, int, "i" mangled)                                       \
  WRITE(symbol, T, 1d_buffer, 1d, "21ocl_image1d_buffer_", access, int, "i" mangled)                         \
  WRITE(symbol, T, 1d_array, 2d, "20ocl_image1d_array_", access, int2, "Dv2_i" mangled)                      \
  WRITE(symbol, T, 2d, 2d, "14ocl_image2d_", access, int2, "Dv2_i" mangled)                                  \
  WRITE(symbol, T, 2d_array, 3d, "20ocl_image2d_array_", access, int4, "Dv4_i" behind_int4)                  \
  WRITE(symbol, T, 3d, 3d, "14ocl_image3d_", access, int4, "Dv4_i" behind_int4)
#define ALL_WRITES(access)                                              \
  WRITES("_Z12write_imagef", float, access, "Dv4_f", "Dv4_f")           \
  WRITES("_Z12write_imagei", int, access, "Dv4_i", "S0_")                \
  WRITES("_Z13write_imageui", uint, access, "Dv4_j", "Dv4_j")
ALL_WRITES(wo)
ALL_WRITES(rw)
