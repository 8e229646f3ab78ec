// How large images may be, by compute capability (CUDA C++ Programming Guide, technical specifications).
// Nothing in the simulator limits them.
#pragma once

#include "config/machine.h"

namespace duet::core {

struct ImageLimits {
  int texture_linear;
  int texture_1d, texture_1d_layered[2], texture_2d[2], texture_2d_linear[3], texture_2d_layered[3],
      texture_3d;
  int surface_1d, surface_1d_layered[2], surface_2d[2], surface_2d_layered[3], surface_3d[3];
};

inline const ImageLimits& image_limits(const config::Gpu& gpu) {
  static constexpr ImageLimits kFermi = {
      1 << 27, 65536, {16384, 2048}, {65536, 65535}, {65000, 65000, 1048544}, {16384, 16384, 2048},
      2048,    65536, {65536, 2048}, {65536, 32768}, {65536, 32768, 2048},    {65536, 32768, 2048}};
  static constexpr ImageLimits kSinceVolta = {
      1 << 28, 131072, {32768, 2048}, {131072, 65536}, {131072, 65000, 2097120}, {32768, 32768, 2048},
      16384,   32768,  {32768, 2048}, {131072, 65536}, {32768, 32768, 2048},     {16384, 16384, 16384}};
  return gpu.compute_capability_major < 3 ? kFermi : kSinceVolta;
}

}  // namespace duet::core
