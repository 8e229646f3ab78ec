// A video instruction beyond its types: the operation, the parts of its operands, the use of the third
// operand. Source: PTX ISA 9.0, sections 9.7.18 and 9.7.19 (scalar and SIMD video). Operands: sources a, b, c
// (immediate 0 where c has no part in the result). MicroOp::type is the result's (U32 or S32), source_type is
// a's, mode the number of fields a register is taken as: 1 for the scalar instructions, 2 or 4 for SIMD. The
// form itself lies in address_offset, unused without memory.
#pragma once

#include <bit>
#include <cstdint>

#include "ptx/micro_op.h"

namespace duet::ptx {

enum class VideoOperation : std::uint8_t {
  Add,
  Subtract,
  AbsoluteDifference,
  Minimum,
  Maximum,
  Average,
  Compare,
  ShiftLeft,
  ShiftRight,
  MultiplyAdd
};
// The use of the result. Merge: it replaces the parts of c in `destination`.
enum class VideoSecondary : std::uint8_t { None, Add, Minimum, Maximum, Merge };
// A part of a register for a scalar instruction.
enum class VideoPart : std::uint8_t { Byte0, Byte1, Byte2, Byte3, Half0, Half1, Whole };

struct VideoForm {
  // Scalar: a VideoPart. SIMD: for each field of the result four bits, its source field of a (from 0) or of b
  // (behind a's).
  std::uint16_t select_a = 0, select_b = 0;
  VideoOperation operation = VideoOperation::Add;
  VideoSecondary secondary = VideoSecondary::None;
  std::uint8_t destination = 0;  // scalar: a VideoPart; SIMD: a bit for each written or added field
  std::uint8_t flags = 0;

  static constexpr std::uint8_t kSecondSigned = 1;            // b is signed
  static constexpr std::uint8_t kWrap = 2;                    // shifts: the amount modulo 32, not at most 32
  static constexpr std::uint8_t kPlusOne = 4;                 // vmad.po
  static constexpr std::uint8_t kNegateProduct = 8;           // vmad: one of a and b has a sign
  static constexpr std::uint8_t kNegateAddend = 16;           // vmad: c has one
  static constexpr std::uint8_t kShift7 = 32, kShift15 = 64;  // vmad
  bool has(std::uint8_t flag) const { return (flags & flag) != 0; }

  std::int64_t packed() const { return std::bit_cast<std::int64_t>(*this); }
  static VideoForm of(const MicroOp& op) { return std::bit_cast<VideoForm>(op.address_offset); }
};
static_assert(sizeof(VideoForm) == sizeof(MicroOp::address_offset));

}  // namespace duet::ptx
