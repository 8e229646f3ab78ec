#include "gpu/sm/sm.h"

#include <bit>

#include "base/error.h"
#include "gpu/sm/sm_core.h"

namespace duet::gpu {

TimedSm::TimedSm(sim::Engine& engine, const sim::Component* parent, std::uint32_t number,
                 const config::Gpu& config, memory::RequestPool& pool, memory::AddressSpace& address_space,
                 const DeviceServices& services)
    : Component(engine, "SM " + std::to_string(number), parent, 1, sim::Role::ProcessingElement) {
  if (config.sm.warp_width == 0 || config.sm.warp_width > kMaxWarpWidth)
    throw Error("gpu.sm.warp_width is " + std::to_string(config.sm.warp_width) +
                ": a warp has 1 to 64 lanes");
  if (config.sm.max_warps > 64)
    throw Error("gpu.sm.max_warps is " + std::to_string(config.sm.max_warps) +
                ": the timed SM holds at most 64 warps (use --functional)");
  if (config.sm.instruction_buffer < config.sm.fetch_instructions)
    throw Error("gpu.sm.instruction_buffer must have room for gpu.sm.fetch_instructions");
  if (!std::has_single_bit(config.sm.instruction_bytes))
    throw Error("gpu.sm.instruction_bytes is " + std::to_string(config.sm.instruction_bytes) +
                ": must be a power of two");
  if (config.sm.warp_width <= 32)
    core_ = std::make_unique<SmCoreOf<32>>(number, config, pool, address_space, services);
  else
    core_ = std::make_unique<SmCoreOf<64>>(number, config, pool, address_space, services);
  core_->is_of(*this);
  for (sim::StatisticGroup* group : core_->statistics()) declare(*group);
}

TimedSm::~TimedSm() = default;

void TimedSm::connect(const Ports& ports) { core_->connect(ports); }
Picoseconds TimedSm::tick(Picoseconds now) { return core_->tick(now); }
Picoseconds TimedSm::next_opportunity(Picoseconds time) const {
  return core_->clock().first_edge_after(time);
}
std::string TimedSm::waits_for() const { return core_->waits_for(); }
bool TimedSm::settle_statistics() { return core_->settle_statistics(engine().now()); }
std::uint64_t TimedSm::command_of(std::uint32_t requester, std::uint32_t pc) const {
  return core_->command_of(requester, pc);
}
void TimedSm::take_lines(const ptx::Kernel& kernel, LineCounts& total) { core_->take_lines(kernel, total); }
GridCounts TimedSm::counts_to_tell(const Grid& grid) const { return core_->counts_to_tell(grid); }
void TimedSm::warm_code(PhysicalAddress code, Bytes bytes) { core_->warm_code(code, bytes); }

}  // namespace duet::gpu
