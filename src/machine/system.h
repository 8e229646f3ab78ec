// Builds a machine from its file: the only room with a view of all the others.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "config/machine.h"
#include "driver/driver.h"
#include "gpu/functional/functional_sm.h"
#include "machine/feature.h"
#include "machine/run_options.h"
#include "memory/address_space.h"
#include "memory/host_port.h"
#include "sim/engine.h"
#include "sim/statistics.h"

namespace duet::gpu {
class TimedSm;
}
namespace duet::machine {

class Board;
class CpuMaintenance;
class Processor;
struct Standstill;

class System {
 public:
  // Features plan it; who builds it attaches the features (attach()).
  System(const config::Machine& config, memory::HostPort& host, gpu::DeviceServices services,
         const Options& options = {}, const Features& features = {});
  ~System();

  sim::Engine& engine();
  memory::AddressSpace& address_space();
  driver::Driver& driver();
  // Its parts, for what stands beside them (cpu_blocks.h).
  Board& board();
  // Null without Options::simulated_host on a machine whose cores share no level of cache with the GPU.
  Processor* processor();
  // Of a simulated host whose caches nothing keeps coherent with the GPU's; null elsewhere.
  CpuMaintenance* cpu_maintenance();
  const config::Machine& config() const;
  bool functional() const;
  // MachinePlan::time_of_model.
  bool time_of_model() const;
  // MachinePlan::no_full_empty.
  const std::string& no_full_empty() const;
  // What SMs ask, while they run.
  gpu::DeviceServices& services();
  // By number; none where the GPU is functional.
  const std::vector<std::unique_ptr<gpu::TimedSm>>& timed_sms() const;

  // Before something outside the machine reads or writes the backing of device memory: brings what caches
  // hold of these bytes there and drops it. Costs no simulated time.
  void settle(VirtualAddress first, Bytes bytes);
  // After settle(): these bytes of tracked memory are empty.
  void empty_bits(VirtualAddress first, Bytes bytes);
  // Gives a page of device memory that nobody uses another frame; false when none is free. Not of tracked
  // memory, whose bits belong to the frame.
  bool move_page(VirtualAddress page);
  // Why it stands still, or what it is busy with.
  Standstill standstill() const;
  sim::Statistics& statistics();
  // What has been counted of a kernel so far.
  gpu::GridCounts counts(const gpu::Grid& grid) const;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

// Features watch the system from now on, in their order. `journal` may be null: nothing is recorded.
void attach(const Features& features, System& system, report::JournalWriter* journal);

}  // namespace duet::machine
