// A texture or surface instruction of a warp, without time: its coordinates become taps, each a load or store
// of one texel a lane on registers of its own. The memory's owner performs the taps; their values are
// filtered and written to the destinations. Source: CUDA C++ Programming Guide, appendix "Texture Fetching"
// (nearest-point and linear filtering with weights of 8 fractional bits, address modes), surface functions;
// PTX ISA 9.0, section 9.7.10. Not documented and chosen here: weights round to nearest; sums are exact and
// rounded once; channels that a texel lacks read 0, the last 1; formatted stores convert as OpenCL C's.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "gpu/functional/memory_unit.h"
#include "gpu/image.h"
#include "gpu/warp/grid_arrays.h"
#include "ptx/image.h"

namespace duet::gpu {

template <unsigned W>
class ImageAccess {
 public:
  struct Tap {
    ptx::MicroOp op;  // a Load or Store on scratch()
    std::uint64_t lanes = 0;
    std::uint32_t slot = 0;
  };

  // Reads the coordinates and the values to store. False: fault() says why, and nothing is to be done.
  bool start(const ptx::Warp<W>& warp, const ptx::MicroOp& op, std::uint64_t lanes,
             const memory::AddressSpace& address_space);
  const AccessFault& fault() const { return fault_; }
  // Valid from start() to the next; taps without lanes are left out.
  const std::vector<Tap>& taps() const { return taps_; }
  ptx::Warp<W>& scratch() { return scratch_; }
  // Writes the destinations; all taps have been performed.
  void finish(ptx::Warp<W>& warp);

 private:
  // Lanes with the same object.
  struct Group {
    Image image;
    std::uint64_t lanes = 0;
    unsigned taps = 1;
    bool filtered = false;
    std::array<std::uint32_t, 8> slots{};
    std::array<std::uint64_t, 8> inside{};                // lanes whose tap lies in the image
    std::array<std::array<std::uint16_t, W>, 3> alpha{};  // 1/256, by dimension
  };
  using Addresses = std::array<std::array<Address, W>, 8>;  // by tap
  using Weights = std::array<std::array<double, W>, 8>;
  using Channel = std::array<std::uint32_t, W>;

  bool fail(unsigned lane, const char* reason, FaultKind kind = FaultKind::IllegalInstruction);
  bool texture(const ptx::Warp<W>& warp, Group& group, Addresses& addresses);
  bool surface(const ptx::Warp<W>& warp, Group& group, Addresses& addresses);
  void add_taps(Group& group, const Addresses& addresses, unsigned bytes);
  void take_values(const ptx::Warp<W>& warp, const Group& group);
  void write_texture(ptx::Warp<W>& warp, const Group& group) const;
  void write_surface(ptx::Warp<W>& warp, const Group& group) const;
  void write_query(ptx::Warp<W>& warp, const Group& group) const;
  void read_channel(const Group& group, unsigned tap, unsigned c, Channel& out) const;
  void filter_channel(const Group& group, const Weights& weights, unsigned c, Channel& out) const;
  std::uint32_t* slot(std::uint32_t number) {
    return scratch_.destination32(static_cast<std::uint16_t>(number));
  }
  const std::uint32_t* slot(std::uint32_t number) const {
    ptx::Operand operand;
    operand.slot = number;
    return scratch_.lanes32(operand);
  }

  ptx::MicroOp op_;
  ptx::Warp<W> scratch_;
  LaneArrays registers_;
  std::uint32_t slots_ = 0;
  std::vector<Group> groups_;
  std::vector<Tap> taps_;
  AccessFault fault_;
};

}  // namespace duet::gpu
