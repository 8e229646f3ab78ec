/* Device functions that read textures and read and write surfaces, by 64-bit objects: one PTX instruction
 * each. */
#ifndef DUET_DEVICE_IMAGES_H
#define DUET_DEVICE_IMAGES_H

#include "channel_descriptor.h"

/* ---- textures: T is a scalar or a vector of one, two or four channels; float for textures that read floats
 * ---- */
namespace duet_images {
template <class T, class E>
DUET_DEVICE T texel_of(E x, E y, E z, E w) {
  using Element = typename Texel<T>::Element;
  if constexpr (sizeof(T) == sizeof(Element)) {
    return __builtin_bit_cast(T, (Element)x);
  } else if constexpr (Texel<T>::channels == 2) {
    T t;
    t.x = (Element)x, t.y = (Element)y;
    return t;
  } else {
    static_assert(Texel<T>::channels == 4, "textures have one, two or four channels");
    T t;
    t.x = (Element)x, t.y = (Element)y, t.z = (Element)z, t.w = (Element)w;
    return t;
  }
}
}  // namespace duet_images

/* `ptx` is the instruction up to its types, `at` its coordinates, `coordinate` their type. */
#define DUET_FETCH(ptx, at, coordinate, more, ...)                             \
  using Texel = duet_images::Texel<T>;                                         \
  static_assert(Texel::channels != 0, "no texture has such texels");           \
  if constexpr (Texel::kind == cudaChannelFormatKindFloat) {                   \
    float x_, y_, z_, w_;                                                      \
    asm(ptx ".v4.f32." coordinate " {%0, %1, %2, %3}, [%[o], " at "]" more ";" \
        : "=f"(x_), "=f"(y_), "=f"(z_), "=f"(w_)                               \
        : [o] "l"(object), __VA_ARGS__);                                       \
    return duet_images::texel_of<T>(x_, y_, z_, w_);                           \
  } else if constexpr (Texel::kind == cudaChannelFormatKindSigned) {           \
    int x_, y_, z_, w_;                                                        \
    asm(ptx ".v4.s32." coordinate " {%0, %1, %2, %3}, [%[o], " at "]" more ";" \
        : "=r"(x_), "=r"(y_), "=r"(z_), "=r"(w_)                               \
        : [o] "l"(object), __VA_ARGS__);                                       \
    return duet_images::texel_of<T>(x_, y_, z_, w_);                           \
  } else {                                                                     \
    unsigned x_, y_, z_, w_;                                                   \
    asm(ptx ".v4.u32." coordinate " {%0, %1, %2, %3}, [%[o], " at "]" more ";" \
        : "=r"(x_), "=r"(y_), "=r"(z_), "=r"(w_)                               \
        : [o] "l"(object), __VA_ARGS__);                                       \
    return duet_images::texel_of<T>(x_, y_, z_, w_);                           \
  }

template <class T>
DUET_DEVICE T tex1Dfetch(cudaTextureObject_t object, int x) {
  DUET_FETCH("tex.1d", "{%[x]}", "s32", "", [x] "r"(x))
}
template <class T>
DUET_DEVICE T tex1D(cudaTextureObject_t object, float x) {
  DUET_FETCH("tex.1d", "{%[x]}", "f32", "", [x] "f"(x))
}
template <class T>
DUET_DEVICE T tex2D(cudaTextureObject_t object, float x, float y) {
  DUET_FETCH("tex.2d", "{%[x], %[y]}", "f32", "", [x] "f"(x), [y] "f"(y))
}
template <class T>
DUET_DEVICE T tex3D(cudaTextureObject_t object, float x, float y, float z) {
  DUET_FETCH("tex.3d", "{%[x], %[y], %[z], %[z]}", "f32", "", [x] "f"(x), [y] "f"(y), [z] "f"(z))
}
template <class T>
DUET_DEVICE T tex1DLayered(cudaTextureObject_t object, float x, int layer) {
  DUET_FETCH("tex.a1d", "{%[l], %[x]}", "f32", "", [x] "f"(x), [l] "r"(layer))
}
template <class T>
DUET_DEVICE T tex2DLayered(cudaTextureObject_t object, float x, float y, int layer) {
  DUET_FETCH("tex.a2d", "{%[l], %[x], %[y], %[y]}", "f32", "", [x] "f"(x), [y] "f"(y), [l] "r"(layer))
}
template <class T>
DUET_DEVICE T tex1DLod(cudaTextureObject_t object, float x, float level) {
  DUET_FETCH("tex.level.1d", "{%[x]}", "f32", ", %[v]", [x] "f"(x), [v] "f"(level))
}
template <class T>
DUET_DEVICE T tex2DLod(cudaTextureObject_t object, float x, float y, float level) {
  DUET_FETCH("tex.level.2d", "{%[x], %[y]}", "f32", ", %[v]", [x] "f"(x), [y] "f"(y), [v] "f"(level))
}
template <class T>
DUET_DEVICE T tex3DLod(cudaTextureObject_t object, float x, float y, float z, float level) {
  DUET_FETCH("tex.level.3d", "{%[x], %[y], %[z], %[z]}", "f32",
             ", %[v]", [x] "f"(x), [y] "f"(y), [z] "f"(z), [v] "f"(level))
}
/* One component of the four texels that a linear fetch would read. */
template <class T>
DUET_DEVICE T tex2Dgather(cudaTextureObject_t object, float x, float y, int component = 0) {
  if (component == 1) {
    DUET_FETCH("tld4.g.2d", "{%[x], %[y]}", "f32", "", [x] "f"(x), [y] "f"(y))
  } else if (component == 2) {
    DUET_FETCH("tld4.b.2d", "{%[x], %[y]}", "f32", "", [x] "f"(x), [y] "f"(y))
  } else if (component == 3) {
    DUET_FETCH("tld4.a.2d", "{%[x], %[y]}", "f32", "", [x] "f"(x), [y] "f"(y))
  } else {
    DUET_FETCH("tld4.r.2d", "{%[x], %[y]}", "f32", "", [x] "f"(x), [y] "f"(y))
  }
}
#undef DUET_FETCH

#define DUET_FETCH_TO(name, parameters, arguments) \
  template <class T>                               \
  DUET_DEVICE void name parameters {               \
    *result = name<T> arguments;                   \
  }
DUET_FETCH_TO(tex1Dfetch, (T * result, cudaTextureObject_t object, int x), (object, x))
DUET_FETCH_TO(tex1D, (T * result, cudaTextureObject_t object, float x), (object, x))
DUET_FETCH_TO(tex2D, (T * result, cudaTextureObject_t object, float x, float y), (object, x, y))
DUET_FETCH_TO(tex3D, (T * result, cudaTextureObject_t object, float x, float y, float z), (object, x, y, z))
DUET_FETCH_TO(tex1DLayered, (T * result, cudaTextureObject_t object, float x, int layer), (object, x, layer))
DUET_FETCH_TO(tex2DLayered, (T * result, cudaTextureObject_t object, float x, float y, int layer),
              (object, x, y, layer))
#undef DUET_FETCH_TO

/* ---- surfaces: T has 1, 2, 4, 8 or 16 bytes; x counts bytes ---- */
#define DUET_READ_AS(ptx, at, bounds, ...)                                  \
  if constexpr (sizeof(T) == 1) {                                           \
    unsigned short v_;                                                      \
    asm volatile(ptx ".b8." bounds " {%0}, [%[o], " at "];"                 \
                 : "=h"(v_)                                                 \
                 : [o] "l"(object), __VA_ARGS__                             \
                 : "memory");                                               \
    return __builtin_bit_cast(T, (unsigned char)v_);                        \
  } else if constexpr (sizeof(T) == 2) {                                    \
    unsigned short v_;                                                      \
    asm volatile(ptx ".b16." bounds " {%0}, [%[o], " at "];"                \
                 : "=h"(v_)                                                 \
                 : [o] "l"(object), __VA_ARGS__                             \
                 : "memory");                                               \
    return __builtin_bit_cast(T, v_);                                       \
  } else if constexpr (sizeof(T) == 4) {                                    \
    unsigned v_;                                                            \
    asm volatile(ptx ".b32." bounds " {%0}, [%[o], " at "];"                \
                 : "=r"(v_)                                                 \
                 : [o] "l"(object), __VA_ARGS__                             \
                 : "memory");                                               \
    return __builtin_bit_cast(T, v_);                                       \
  } else if constexpr (sizeof(T) == 8) {                                    \
    uint2 v_;                                                               \
    asm volatile(ptx ".v2.b32." bounds " {%0, %1}, [%[o], " at "];"         \
                 : "=r"(v_.x), "=r"(v_.y)                                   \
                 : [o] "l"(object), __VA_ARGS__                             \
                 : "memory");                                               \
    return __builtin_bit_cast(T, v_);                                       \
  } else {                                                                  \
    uint4 v_;                                                               \
    asm volatile(ptx ".v4.b32." bounds " {%0, %1, %2, %3}, [%[o], " at "];" \
                 : "=r"(v_.x), "=r"(v_.y), "=r"(v_.z), "=r"(v_.w)           \
                 : [o] "l"(object), __VA_ARGS__                             \
                 : "memory");                                               \
    return __builtin_bit_cast(T, v_);                                       \
  }
#define DUET_WRITE_AS(ptx, at, bounds, ...)                                                             \
  if constexpr (sizeof(T) == 1) {                                                                       \
    asm volatile(ptx ".b8." bounds " [%[o], " at                                                        \
                     "], {%[v]};" ::[v] "h"((unsigned short)__builtin_bit_cast(unsigned char, value)),  \
                 [o] "l"(object), __VA_ARGS__                                                           \
                 : "memory");                                                                           \
  } else if constexpr (sizeof(T) == 2) {                                                                \
    asm volatile(ptx ".b16." bounds " [%[o], " at                                                       \
                     "], {%[v]};" ::[v] "h"(__builtin_bit_cast(unsigned short, value)),                 \
                 [o] "l"(object), __VA_ARGS__                                                           \
                 : "memory");                                                                           \
  } else if constexpr (sizeof(T) == 4) {                                                                \
    asm volatile(ptx ".b32." bounds " [%[o], " at                                                       \
                     "], {%[v]};" ::[v] "r"(__builtin_bit_cast(unsigned, value)),                       \
                 [o] "l"(object), __VA_ARGS__                                                           \
                 : "memory");                                                                           \
  } else if constexpr (sizeof(T) == 8) {                                                                \
    const uint2 v_ = __builtin_bit_cast(uint2, value);                                                  \
    asm volatile(ptx ".v2.b32." bounds " [%[o], " at "], {%[v], %[w]};" ::[v] "r"(v_.x), [w] "r"(v_.y), \
                 [o] "l"(object), __VA_ARGS__                                                           \
                 : "memory");                                                                           \
  } else {                                                                                              \
    const uint4 v_ = __builtin_bit_cast(uint4, value);                                                  \
    asm volatile(ptx ".v4.b32." bounds " [%[o], " at "], {%[v], %[w], %[s], %[t]};" ::[v] "r"(v_.x),    \
                 [w] "r"(v_.y), [s] "r"(v_.z), [t] "r"(v_.w), [o] "l"(object), __VA_ARGS__              \
                 : "memory");                                                                           \
  }
#define DUET_BY_BOUNDS(as, ptx, at, ...)      \
  if (mode == cudaBoundaryModeZero) {         \
    as(ptx, at, "zero", __VA_ARGS__)          \
  } else if (mode == cudaBoundaryModeClamp) { \
    as(ptx, at, "clamp", __VA_ARGS__)         \
  } else {                                    \
    as(ptx, at, "trap", __VA_ARGS__)          \
  }
#define DUET_SURFACE(geometry, name_read, name_write, at, parameters, arguments, ...)               \
  template <class T>                                                                                \
  DUET_DEVICE T name_read(cudaSurfaceObject_t object, DUET_LIST parameters,                         \
                          cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {                    \
    static_assert(sizeof(T) <= 16 && (sizeof(T) & (sizeof(T) - 1)) == 0, "1, 2, 4, 8 or 16 bytes"); \
    DUET_BY_BOUNDS(DUET_READ_AS, "suld.b." geometry, at, __VA_ARGS__)                               \
  }                                                                                                 \
  template <class T>                                                                                \
  DUET_DEVICE void name_read(T* result, cudaSurfaceObject_t object, DUET_LIST parameters,           \
                             cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {                 \
    *result = name_read<T>(object, DUET_LIST arguments, mode);                                      \
  }                                                                                                 \
  template <class T>                                                                                \
  DUET_DEVICE void name_write(T value, cudaSurfaceObject_t object, DUET_LIST parameters,            \
                              cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {                \
    static_assert(sizeof(T) <= 16 && (sizeof(T) & (sizeof(T) - 1)) == 0, "1, 2, 4, 8 or 16 bytes"); \
    DUET_BY_BOUNDS(DUET_WRITE_AS, "sust.b." geometry, at, __VA_ARGS__)                              \
  }
#define DUET_LIST(...) __VA_ARGS__

DUET_SURFACE("1d", surf1Dread, surf1Dwrite, "{%[x]}", (int x), (x), [x] "r"(x))
DUET_SURFACE("2d", surf2Dread, surf2Dwrite, "{%[x], %[y]}", (int x, int y), (x, y), [x] "r"(x), [y] "r"(y))
DUET_SURFACE("3d", surf3Dread, surf3Dwrite, "{%[x], %[y], %[z], %[z]}", (int x, int y, int z),
             (x, y, z), [x] "r"(x), [y] "r"(y), [z] "r"(z))
DUET_SURFACE("a1d", surf1DLayeredread, surf1DLayeredwrite, "{%[l], %[x]}", (int x, int layer),
             (x, layer), [x] "r"(x), [l] "r"(layer))
DUET_SURFACE("a2d", surf2DLayeredread, surf2DLayeredwrite, "{%[l], %[x], %[y], %[y]}",
             (int x, int y, int layer), (x, y, layer), [x] "r"(x), [y] "r"(y), [l] "r"(layer))
#undef DUET_LIST
#undef DUET_SURFACE
#undef DUET_BY_BOUNDS
#undef DUET_WRITE_AS
#undef DUET_READ_AS

#undef DUET_DEVICE

#endif
