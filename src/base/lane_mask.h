// A set of lanes of one warp. Warp width is a machine parameter (1 to 64), so a mask always has 64 bits and
// PTX's 32-bit masks are converted at the few places with 32 lanes.
#pragma once

#include <bit>
#include <cstdint>

namespace duet {

inline constexpr unsigned kMaxWarpWidth = 64;

class LaneMask {
 public:
  constexpr LaneMask() = default;
  constexpr explicit LaneMask(std::uint64_t bits) : bits_(bits) {}
  static constexpr LaneMask first(unsigned lanes) {
    return LaneMask(lanes >= 64 ? ~0ull : (1ull << lanes) - 1);
  }
  static constexpr LaneMask lane(unsigned index) { return LaneMask(1ull << index); }

  constexpr std::uint64_t bits() const { return bits_; }
  constexpr bool any() const { return bits_ != 0; }
  constexpr bool none() const { return bits_ == 0; }
  constexpr bool test(unsigned index) const { return (bits_ >> index) & 1; }
  constexpr unsigned count() const { return static_cast<unsigned>(std::popcount(bits_)); }
  constexpr unsigned lowest() const { return static_cast<unsigned>(std::countr_zero(bits_)); }
  constexpr void set(unsigned index, bool value = true) {
    bits_ = (bits_ & ~(1ull << index)) | (static_cast<std::uint64_t>(value) << index);
  }

  friend constexpr LaneMask operator&(LaneMask a, LaneMask b) { return LaneMask(a.bits_ & b.bits_); }
  friend constexpr LaneMask operator|(LaneMask a, LaneMask b) { return LaneMask(a.bits_ | b.bits_); }
  friend constexpr LaneMask operator^(LaneMask a, LaneMask b) { return LaneMask(a.bits_ ^ b.bits_); }
  friend constexpr LaneMask operator~(LaneMask a) { return LaneMask(~a.bits_); }
  friend constexpr bool operator==(LaneMask a, LaneMask b) = default;

  // Calls f(lane) for each lane of the set, in ascending order.
  template <typename F>
  constexpr void for_each(F&& f) const {
    for (std::uint64_t rest = bits_; rest != 0; rest &= rest - 1)
      f(static_cast<unsigned>(std::countr_zero(rest)));
  }

 private:
  std::uint64_t bits_ = 0;
};

}  // namespace duet
