// Textures of random formats, sizes, dimensions, address modes and filters against the reference on the CPU.
// Arguments: the first seed and how many textures.
#include "texture_reference.h"

static unsigned seed;

template <typename T, typename R>
static void any(const char* format, bool scaled, bool may_be_linear) {
  const int dimensions = 1 + below(3);
  const bool layered = dimensions < 3 && below(3) == 0;
  const int largest = dimensions == 3 ? 12 : 40;
  const int width = 1 + below(largest), height = dimensions > 1 ? 1 + below(largest) : 1;
  const int depth = dimensions > 2 || layered ? 1 + below(largest / 3) : 1;
  Sampling s;
  for (cudaTextureAddressMode& mode : s.mode) mode = kModes[below(4)];
  s.linear = may_be_linear && below(2) != 0;
  s.normalized = below(2) != 0;
  // What is not floating point has a border of zero.
  s.border = scaled || Format<T>::description().f == cudaChannelFormatKindFloat ? below(9) / 8.0 : 0;
  char what[64];
  snprintf(what, sizeof what, "seed %u (%s)", seed, format);
  sampled<T, R>(what, width, height, depth, dimensions, layered, s, scaled);
}

static void one() {
  switch (below(14)) {
    case 0:
      return any<float, float>("float", false, true);
    case 1:
      return any<float2, float2>("float2", false, true);
    case 2:
      return any<float4, float4>("float4", false, true);
    case 3:
      return any<unsigned char, unsigned char>("uchar", false, false);
    case 4:
      return any<uchar4, uchar4>("uchar4", false, false);
    case 5:
      return any<short2, short2>("short2", false, false);
    case 6:
      return any<ushort4, ushort4>("ushort4", false, false);
    case 7:
      return any<int, int>("int", false, false);
    case 8:
      return any<uint2, uint2>("uint2", false, false);
    case 9:
      return any<char4, char4>("char4", false, false);
    case 10:
      return any<unsigned char, float>("uchar as float", true, true);
    case 11:
      return any<ushort4, float4>("ushort4 as float4", true, true);
    case 12:
      return any<short2, float2>("short2 as float2", true, true);
    default:
      return any<char4, float4>("char4 as float4", true, true);
  }
}

int main(int argc, char** argv) {
  const unsigned first = argc > 1 ? static_cast<unsigned>(atoi(argv[1])) : 1;
  const int count = argc > 2 ? atoi(argv[2]) : 60;
  for (int i = 0; i < count; ++i) {
    seed = first + static_cast<unsigned>(i);
    state = seed * 2654435761u;
    one();
  }
  return expect::pass("textures_random");
}
