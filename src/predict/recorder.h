// Watches a functional run and keeps the model's input for each kernel's time.
//
//   Recorder recorder(machine, space, sampled, is_repeated, [&](KernelRecording& r) { ... });
//   services.recorder = &recorder;
//
// Example: a launch of 10,000 blocks on a GPU that holds 128 blocks at once (one wave).
//   recorded     waves 1 and 2, one wave in the middle, the last 128 blocks (the windows)
//   kept whole   the blocks of one SM in the windows: steps and requests of every warp, up to a limit
//   kept partly  the other blocks of the windows: their requests, for the caches
//   counted      all other blocks: their instructions
// Launches of up to four waves are recorded whole; small kernels are kept whole. The SM is the middle one of
// the SMs with the most blocks, because the first SMs may have an edge of the data. When the last block has
// been executed the recorder asks the model for the kernel's time, and the block ends then.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <set>

#include "config/machine.h"
#include "gpu/functional/block_recorder.h"
#include "memory/address_space.h"
#include "predict/memory_model.h"
#include "predict/recording.h"
#include "predict/skipped_data.h"
#include "predict/slice.h"

namespace duet::gpu {
struct MemoryPart;
}

namespace duet::predict {

// Of one launch.
struct KernelRecording {
  const gpu::Grid* grid = nullptr;
  std::uint64_t blocks = 0, wave = 0;  // wave: blocks on the GPU at once
  unsigned blocks_per_sm = 0;
  std::uint64_t first_sm = 0;  // where the first block went; the next ones go to the next SMs
  // The SM whose steps are kept, counted from there: the middle one of the SMs with most blocks, as the first
  // ones may have an edge of the data.
  std::uint64_t own = 0;
  Picoseconds first_ps = kNever;                       // when the first block was there
  std::vector<std::unique_ptr<Block>> kept;            // in the order of their numbers; not all have steps
  std::uint64_t executed = 0;                          // machine instructions of executed blocks
  std::uint64_t skipped = 0;                           // blocks that were not executed
  std::uint64_t counted = 0, executed_by_counted = 0;  // executed blocks between the windows, for the skipped
                                                       // ones
  double without_rounds = 1;  // share of instructions left without dropped rounds (recording.h)
  std::uint64_t thread_instructions = 0;
  // Instructions of the blocks that are executed even where the launch repeats: the first one, and more where
  // the kernel decides by data.
  std::uint64_t standing = 0;
  std::uint64_t done = 0;
  bool has_tracked = false;
  bool repeated = false;  // nothing of it is recorded
  bool polls = false;     // rounds of a waiting warp were dropped
  bool partial = false;   // with --sampled: only the slice that decides its time is executed
  // With --sampled: it decided by data without computed values; the host has read some before.
  bool wrong_data = false, host_read = false;
  bool overlapped = false;                              // blocks of another grid started before it was done
  std::map<std::uint64_t, std::uint64_t> atomic_words;  // words of atomics in global memory, how often

  std::uint64_t kept_instructions() const;
  // Of all blocks, without rounds of waits.
  double instructions() const {
    double all = static_cast<double>(executed);
    if (counted != 0)
      all += static_cast<double>(executed_by_counted) / static_cast<double>(counted) *
             static_cast<double>(skipped);
    return all * without_rounds;
  }
};

class Recorder final : public gpu::BlockRecorder {
 public:
  // Called when all blocks of a grid have executed: how long it takes.
  using Finish = std::function<Picoseconds(KernelRecording&)>;
  // Called when a grid's first block starts: whether nothing of it needs to be recorded.
  using Repeated = std::function<bool(const gpu::Grid&)>;
  // `sampled`: where a kernel does not decide by data (slice.h) only its recorded blocks are executed, and of
  // these only the slice that decides their time.
  Recorder(const config::Machine& machine, const memory::AddressSpace& address_space, bool sampled,
           Repeated repeated, Finish finish);
  ~Recorder() override;

  std::uint64_t skips(const gpu::Grid& grid, std::uint64_t block, std::uint64_t most);
  gpu::RecordedBlock* begin(gpu::Grid& grid, std::uint64_t block, std::uint32_t sm, Picoseconds now) override;
  void access(gpu::RecordedBlock& record, std::uint32_t warp, ptx::Warp<32>& registers,
              const ptx::MicroOp& op, std::uint64_t lanes, const gpu::BlockMemory& memory) override;
  void access(gpu::RecordedBlock& record, std::uint32_t warp, ptx::Warp<64>& registers,
              const ptx::MicroOp& op, std::uint64_t lanes, const gpu::BlockMemory& memory) override;
  void reads_clock(gpu::RecordedBlock& record, std::uint32_t warp, std::uint32_t pc, Cycle cycle) override {
    static_cast<Block&>(record).reads_clock(warp, pc, cycle);
  }
  Picoseconds finished(gpu::Grid& grid, std::uint64_t block, const gpu::GridCounts& counts,
                       Picoseconds now) override;
  void access(gpu::RecordedBlock& record, std::uint32_t warp) override;
  // A copy engine reads device memory; `command`: for whom.
  void read_by_copy(PhysicalAddress first, std::uint64_t command);
  MemoryModel& memory() { return memory_; }
  SkippedData& skipped_data() { return skipped_data_; }

 private:
  struct Launch;
  struct Known {  // of a kernel, with --sampled
    std::shared_ptr<const ptx::SourceMap> sources;
    std::unique_ptr<Slice> slice;
    std::set<std::uint32_t> written;  // allocations
  };
  template <unsigned W>
  struct Lanes;
  template <unsigned W>
  void take(Lanes<W>& lanes, gpu::RecordedBlock& record, std::uint32_t warp, ptx::Warp<W>& registers,
            const ptx::MicroOp& op, std::uint64_t active, const gpu::BlockMemory& memory);
  template <unsigned W>
  std::uint32_t add_requests(Lanes<W>& lanes, Block& block, Launch& launch);
  template <unsigned W>
  std::uint64_t add_request(Lanes<W>& lanes, const gpu::MemoryPart& part, std::uint32_t step,
                            std::uint64_t rest, Block& block, Launch& launch);
  template <unsigned W>
  void follow(Launch& launch, const ptx::Warp<W>& registers, const ptx::MicroOp& op, std::uint64_t active,
              bool decides);
  static void complete(KernelRecording& recording);
  Launch& launch_of(const gpu::Grid& grid);
  Known& known_of(const ptx::Kernel& kernel);
  bool may_be_skipped(const Known& known) const;

  const config::Machine machine_;
  const memory::AddressSpace& address_space_;
  const bool sampled_;
  const Repeated repeated_;
  const Finish finish_;
  MemoryModel memory_;
  SkippedData skipped_data_;
  std::map<const ptx::Kernel*, Known> known_;
  // Allocations by whose data kernels have decided, or that a copy has read: the host may decide by them.
  std::set<std::uint32_t> deciding_;
  std::uint64_t last_copy_ = ~std::uint64_t{0};
  std::map<std::uint64_t, std::unique_ptr<Launch>> launches_;  // by Grid::launch_id
  std::vector<std::unique_ptr<Block>> spare_;                  // of finished launches, for their memory
  std::unique_ptr<Lanes<32>> narrow_;
  std::unique_ptr<Lanes<64>> wide_;
};

}  // namespace duet::predict
