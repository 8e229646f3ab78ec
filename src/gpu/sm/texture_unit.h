// The texture unit of an SM: takes texture and surface instructions, sends their taps one after the other
// through the load-store unit into L1 as loads of its own, and filters and writes back when all have come.
// Source: NVIDIA's GF100 white paper (2010): four texture units an SM, each one address and four samples a
// cycle; so a warp's fetch of up to four texels a lane keeps the unit for width / 4 cycles. Stand-ins, as
// nothing is published: the number of instructions in flight, and the filter's latency. Left out: the texture
// cache beside L1 (12 KB on Fermi), its two-dimensional lines, the format's effect on the rate.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "gpu/sm/load_store_unit.h"
#include "gpu/warp/image_access.h"

namespace duet::gpu {

template <unsigned W>
class TextureUnit {
 public:
  static constexpr unsigned kInFlight = 16;
  static constexpr Cycle kFilterCycles = 8;
  static constexpr unsigned kLanesPerCycle = 4, kSamplesPerPass = 4;

  struct Completion {
    std::uint32_t warp = 0;
    const ptx::MicroOp* op = nullptr;
    Cycle ready = 0;
  };
  // A tap without the right to read or write its address.
  struct Fault {
    std::uint32_t warp = 0;
    ptx::MicroOp op;
    AccessFault access;
  };

  TextureUnit(const memory::AddressSpace& address_space, unsigned max_warps);

  bool can_issue() const { return in_flight_ < kInFlight; }
  // Reads the operands; false: fault() says why and nothing has happened. start_at() right after it says when
  // the unit may begin, and issued() is its taps.
  bool issue(std::uint32_t warp, ptx::Warp<W>& registers, const ptx::MicroOp& op, std::uint64_t lanes,
             const WarpMemory& memory, InstructionCounts* counts = nullptr);
  ImageAccess<W>& issued() { return queue_.back()->access; }
  void start_at(Cycle cycle) { queue_.back()->start = cycle; }
  // Its results may not be used before `cycle`.
  void ready_from(Cycle cycle) { queue_.back()->ready = cycle > kFilterCycles ? cycle - kFilterCycles : 0; }
  const AccessFault& fault() const { return fault_; }

  // Sends due taps; returns the next cycle with work that needs no answer.
  Cycle tick(Cycle cycle, LoadStoreUnit<W>& load_store);
  // Whether a completed instruction of the load-store unit is one of its taps.
  bool take(const typename LoadStoreUnit<W>::Completion& completion, Cycle cycle);
  const std::vector<Completion>& completions() const { return completions_; }
  void clear_completions() { completions_.clear(); }
  std::vector<Fault>& faults() { return faults_; }

  bool idle() const { return in_flight_ == 0; }
  // Nothing to send and nothing completed.
  bool quiet() const { return queue_.empty() && completions_.empty(); }
  bool sends() const { return !queue_.empty(); }
  std::uint32_t outstanding(std::uint32_t warp) const { return outstanding_[warp]; }

 private:
  struct Job {
    ImageAccess<W> access;
    ptx::Warp<W>* registers = nullptr;
    const ptx::MicroOp* op = nullptr;
    const WarpMemory* memory = nullptr;
    InstructionCounts* counts = nullptr;
    std::uint32_t warp = 0;
    std::size_t sent = 0, answered = 0;
    Cycle start = 0, ready = 0;
    bool active = false;
  };
  void finish(Job& job, Cycle cycle);

  const memory::AddressSpace& address_space_;
  std::vector<std::unique_ptr<Job>> jobs_;
  std::deque<Job*> queue_;  // with taps to send, in order of issue
  unsigned in_flight_ = 0;
  Cycle free_at_ = 0;
  std::vector<std::uint32_t> outstanding_;  // by warp
  std::vector<Completion> completions_;
  std::vector<Fault> faults_;
  AccessFault fault_;
};

}  // namespace duet::gpu
