/* cudaCreateChannelDesc<T>(): the channels of a scalar or vector type of 8, 16 or 32 bits. */
#ifndef DUET_CHANNEL_DESCRIPTOR_H
#define DUET_CHANNEL_DESCRIPTOR_H

#include "cuda_runtime_api.h"
#include "vector_types.h"

#if defined(__cplusplus)

namespace duet_images {
template <class T>
struct Texel {
  static constexpr int channels = 0; /* void and others: no channels */
  static constexpr int bits = 0;
  static constexpr cudaChannelFormatKind kind = cudaChannelFormatKindNone;
};
#define DUET_TEXEL(type, element, count)                                                                  \
  template <>                                                                                             \
  struct Texel<type> {                                                                                    \
    using Element = element;                                                                              \
    static constexpr int channels = count;                                                                \
    static constexpr int bits = 8 * int(sizeof(element));                                                 \
    static constexpr cudaChannelFormatKind kind = (Element)0.5 != (Element)0 ? cudaChannelFormatKindFloat \
                                                  : (Element)-1 < (Element)0                              \
                                                      ? cudaChannelFormatKindSigned                       \
                                                      : cudaChannelFormatKindUnsigned;                    \
  };
#define DUET_TEXELS(name, element) \
  DUET_TEXEL(name##1, element, 1)  \
  DUET_TEXEL(name##2, element, 2)  \
  DUET_TEXEL(name##3, element, 3)  \
  DUET_TEXEL(name##4, element, 4)
DUET_TEXEL(char, char, 1)
DUET_TEXEL(signed char, signed char, 1)
DUET_TEXEL(unsigned char, unsigned char, 1)
DUET_TEXEL(short, short, 1)
DUET_TEXEL(unsigned short, unsigned short, 1)
DUET_TEXEL(int, int, 1)
DUET_TEXEL(unsigned int, unsigned int, 1)
DUET_TEXEL(float, float, 1)
DUET_TEXELS(char, signed char)
DUET_TEXELS(uchar, unsigned char)
DUET_TEXELS(short, short)
DUET_TEXELS(ushort, unsigned short)
DUET_TEXELS(int, int)
DUET_TEXELS(uint, unsigned int)
DUET_TEXELS(float, float)
#undef DUET_TEXELS
#undef DUET_TEXEL
}  // namespace duet_images

template <class T>
static inline __host__ cudaChannelFormatDesc cudaCreateChannelDesc() {
  using Texel = duet_images::Texel<T>;
  constexpr int b = Texel::bits;
  return ::cudaCreateChannelDesc(b, Texel::channels > 1 ? b : 0, Texel::channels > 2 ? b : 0,
                                 Texel::channels > 3 ? b : 0, Texel::kind);
}

#endif
#endif
