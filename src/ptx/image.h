// A texture or surface instruction beyond its operands: the image's geometry and one more choice, both in
// MicroOp::mode. Source: PTX ISA 9.0, section 9.7.10. Operands: source 0 is the 64-bit object. Tex, Tld4,
// Suld: the coordinates follow, one a source, a layer first. Tex, Tld4: type is the four results',
// source_type of the coordinates. Suld, Sust: type is the stored element's (B8 to B64), vector_elements their
// number; the first coordinate is in bytes. Sust: of three coordinates the last two are packed into one
// 64-bit source; then come the elements: one alone as it is, several of 8 or 16 bits packed as 16-bit fields
// into one source, of 32 bits two a source, of 64 bits one each. A formatted Sust has four elements of 32
// bits, and its first coordinate is in texels. Txq: no coordinates.
#pragma once

#include <cstdint>
#include <string>

#include "ptx/micro_op.h"

namespace duet::ptx {

enum class ImageGeometry : std::uint8_t { OneD, TwoD, ThreeD, OneDLayered, TwoDLayered };
constexpr unsigned dimensions_of(ImageGeometry geometry) {
  switch (geometry) {
    case ImageGeometry::OneD:
    case ImageGeometry::OneDLayered:
      return 1;
    case ImageGeometry::ThreeD:
      return 3;
    default:
      return 2;
  }
}
constexpr bool is_layered(ImageGeometry geometry) { return geometry >= ImageGeometry::OneDLayered; }
constexpr unsigned coordinates_of(ImageGeometry geometry) {
  return dimensions_of(geometry) + is_layered(geometry);
}

enum class SurfaceBounds : std::uint8_t { Zero, Clamp, Trap };  // Suld, Sust
enum class ImageQuery : std::uint8_t { Width, Height, Depth };  // Txq
struct ImageMode {
  ImageGeometry geometry = ImageGeometry::OneD;
  // Tld4: the component; Suld, Sust: SurfaceBounds, and kFormatted; Txq: ImageQuery
  std::uint8_t choice = 0;

  static constexpr std::uint8_t kFormatted = 4;  // the texel's format decides: sust.p
  SurfaceBounds bounds() const { return static_cast<SurfaceBounds>(choice & ~kFormatted); }
  bool formatted() const { return (choice & kFormatted) != 0; }
  std::uint8_t packed() const {
    return static_cast<std::uint8_t>(static_cast<unsigned>(geometry) | choice << 4);
  }
  static ImageMode of(const MicroOp& op) {
    return {static_cast<ImageGeometry>(op.mode & 15), static_cast<std::uint8_t>(op.mode >> 4)};
  }
};

// ".2d.v4", ".b.a2d.v2.clamp" as it stands after the opcode, without types.
std::string image_text(const MicroOp& op);

}  // namespace duet::ptx
