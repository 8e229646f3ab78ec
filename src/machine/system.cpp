#include "machine/system.h"

#include <optional>
#include <utility>

#include "base/error.h"
#include "gpu/front_end/heap_turns.h"
#include "gpu/occupancy.h"
#include "gpu/sm/sm.h"
#include "machine/build/board.h"
#include "machine/host/cpu_maintenance.h"
#include "machine/host/processor.h"
#include "machine/rules/policies.h"
#include "machine/watch/standstill.h"

namespace duet::machine {

namespace {

MachinePlan planned(MachinePlan plan, const Features& features) {
  for (const auto& feature : features) feature->plan(plan);
  return plan;
}

config::Machine with_method(config::Machine machine, const std::string& method) {
  machine.method = method;
  return machine;
}

}  // namespace

// Below a level that the processor shares, or a memory fabric, its memory lies in the GPU's channels.
memory::Home home_of_host_dram(const config::Machine& config, const Options& options) {
  const bool shared = std::any_of(config.levels.begin(), config.levels.end(),
                                  [](const config::Level& level) { return level.shared_with_processor; });
  if (options.functional) return memory::Home::HostDram;
  if (config.memory_fabric) return memory::Home::OneDram;
  return shared ? memory::Home::SharedDram : memory::Home::HostDram;
}

struct System::Parts {
  Parts(const config::Machine& config, memory::HostPort& host, gpu::DeviceServices device_services,
        const Options& options, const Features& features)
      : machine(with_method(config, options.method)),
        services(std::move(device_services)),
        engine(options.shuffle_seed, options.two_threads),
        memory(config.gpu.dram.bytes, config.gpu.dram.page_bytes, config.host.dram_bytes,
               home_of_host_dram(config, options)),
        address_space(memory, memory::device_pages(
                                  machine.gpu, memory::method_of(machine, memory::AllocatingCall::Device))),
        plan(planned({machine, engine, options.functional, services}, features)),
        board(engine, machine, address_space, host, gpu::occupancy,
              {!options.functional, options.simulated_host}, plan.races) {
    check_policies(machine.gpu);
    if (plan.policy != nullptr) board.work_distributor().decide(*plan.policy);
    services.heap_costs = machine.gpu.device_heap;
    services.heap_turns = &heap_turns;
    for (std::uint32_t i = 0; i < machine.gpu.sm.count; ++i) {
      if (plan.fast_forwards || options.functional) add_functional_sm(i);
      if (!options.functional) add_timed_sm(i, options.skip_clock_loops);
    }
    services.between_ticks = [this](std::function<void()> call) { engine.between_ticks(std::move(call)); };
    if (board.memory_system() != nullptr)
      services.peek = [this](std::uint32_t sm, PhysicalAddress physical) {
        return board.memory_system()->peek(sm, physical);
      };
    if (const std::optional<SharedMemory> shared = shared_with_processor(options.simulated_host);
        options.simulated_host || shared)
      processor.emplace(engine, *machine.cpu, machine.host, shared ? &*shared : nullptr);
    if (options.simulated_host) board.connect(*processor);
    if (options.simulated_host && processor->memory().shares_dram())
      maintenance.emplace(engine, processor->memory(), processor->config(),
                          machine.memory_fabric->maintenance);
    statistics.emplace(engine);
  }

  std::optional<SharedMemory> shared_with_processor(bool with_host) {
    for (std::size_t i = 0; i < machine.levels.size() && !machine.cpu; ++i)
      if (machine.levels[i].shared_with_processor)
        throw Error("level[" + std::to_string(i) +
                    "].shared_with_processor needs a processor, and there is no [cpu]");
    MemorySystem* const memory_system = board.memory_system();
    if (memory_system == nullptr) return std::nullopt;
    CacheLevel* const level = memory_system->shared_level();
    MemoryFabric* fabric = nullptr;
    if (machine.memory_fabric && with_host)
      fabric =
          &memory_system->build_fabric(*machine.memory_fabric, board.gpu().parent(), machine.cpu->line_bytes);
    if (level == nullptr && fabric == nullptr) return std::nullopt;
    return SharedMemory{level, fabric, memory_system->controllers(), board.requests(), address_space};
  }

  void add_functional_sm(std::uint32_t number) {
    using Place = gpu::FunctionalSm::Place;
    auto& sm = *functional_sms.emplace_back(std::make_unique<gpu::FunctionalSm>(
        engine, &board.gpu(), number, plan.functional_gpu ? *plan.functional_gpu : machine.gpu, address_space,
        services, plan.functional ? Place::Own : Place::BesideTimed));
    const Board::SmQueues queues = plan.functional ? board.connect_sm(sm) : board.connect_fast_forward_sm(sm);
    sm.connect(queues.launches, queues.done);
    sm.on_failure([this](Picoseconds now) { wake_all(functional_sms, now); });
  }

  void add_timed_sm(std::uint32_t number, bool skip_clock_loops) {
    auto& sm = *timed_sms.emplace_back(std::make_unique<gpu::TimedSm>(
        engine, &board.gpu(), number, machine.gpu, board.requests(), address_space, services));
    const Board::SmQueues queues = board.connect_sm(sm);
    gpu::TimedSm::Ports ports;
    ports.races = plan.races;
    ports.skip_clock_loops = skip_clock_loops;
    ports.count_lines = plan.counts_lines;
    ports.launches = &queues.launches;
    ports.done = &queues.done;
    ports.kernel_failed = [this](Picoseconds now) { wake_all(timed_sms, now); };
    board.memory_system()->connect_sm(sm, ports);
    sm.connect(ports);
  }

  template <typename Sms>
  void wake_all(const Sms& sms, Picoseconds now) {
    for (const auto& sm : sms) engine.wake_after(*sm, now);
  }

  void settle(PhysicalAddress physical, Bytes bytes) {
    if (board.memory_system() != nullptr) board.memory_system()->settle(physical, bytes);
  }

  const config::Machine machine;
  gpu::DeviceServices services;
  sim::Engine engine;
  gpu::HeapTurns heap_turns{engine};
  memory::PhysicalMemory memory;
  memory::AddressSpace address_space;
  const MachinePlan plan;
  Board board;
  std::vector<std::unique_ptr<gpu::FunctionalSm>> functional_sms;
  std::vector<std::unique_ptr<gpu::TimedSm>> timed_sms;
  std::optional<Processor> processor;
  std::optional<CpuMaintenance> maintenance;
  std::optional<sim::Statistics> statistics;
};

System::System(const config::Machine& config, memory::HostPort& host, gpu::DeviceServices services,
               const Options& options, const Features& features)
    : parts_(std::make_unique<Parts>(config, host, std::move(services), options, features)) {}

System::~System() = default;

CpuMaintenance* System::cpu_maintenance() { return parts_->maintenance ? &*parts_->maintenance : nullptr; }

sim::Engine& System::engine() { return parts_->engine; }
memory::AddressSpace& System::address_space() { return parts_->address_space; }
driver::Driver& System::driver() { return parts_->board.driver(); }
Board& System::board() { return parts_->board; }
Processor* System::processor() { return parts_->processor ? &*parts_->processor : nullptr; }
const config::Machine& System::config() const { return parts_->machine; }
bool System::functional() const { return parts_->board.memory_system() == nullptr; }
bool System::time_of_model() const { return parts_->plan.time_of_model; }
const std::string& System::no_full_empty() const { return parts_->plan.no_full_empty; }
gpu::DeviceServices& System::services() { return parts_->services; }
const std::vector<std::unique_ptr<gpu::TimedSm>>& System::timed_sms() const { return parts_->timed_sms; }
void System::settle(VirtualAddress first, Bytes bytes) {
  parts_->address_space.for_each_run(
      first, bytes, [this](const memory::PageRun& run) { parts_->settle(run.physical, run.bytes); });
}
void System::empty_bits(VirtualAddress first, Bytes bytes) {
  MemorySystem* const memory = parts_->board.memory_system();
  if (memory == nullptr) return;
  parts_->address_space.for_each_run(
      first, bytes, [&](const memory::PageRun& run) { memory->empty_bits(run.physical, run.bytes); });
}
bool System::move_page(VirtualAddress page) {
  const Bytes bytes = parts_->address_space.page_bytes();
  page = page.aligned_down(bytes);
  settle(page, bytes);
  return parts_->address_space.move_page(page);
}

Standstill System::standstill() const {
  MachineParts parts{parts_->engine,
                     parts_->machine,
                     parts_->address_space,
                     parts_->board.driver(),
                     parts_->board.work_distributor(),
                     {},
                     parts_->board.memory_system(),
                     {},
                     [this](const gpu::Grid& grid) { return counts(grid); }};
  for (const gpu::DataTransferEngine& engine : parts_->board.copy_engines())
    parts.copy_engines.push_back(&engine);
  for (const auto& sm : parts_->timed_sms) parts.timed_sms.push_back(sm.get());
  return examine(parts, parts_->engine.next_time() == kNever);
}

gpu::GridCounts System::counts(const gpu::Grid& grid) const {
  gpu::GridCounts counts = grid.counts;
  if (grid.completed_blocks == grid.grid.count()) return counts;  // all has been told
  for (const auto& sm : parts_->timed_sms) counts += sm->counts_to_tell(grid);
  for (const auto& sm : parts_->functional_sms) counts += sm->counts_to_tell(grid);
  return counts;
}

sim::Statistics& System::statistics() { return *parts_->statistics; }

void attach(const Features& features, System& system, report::JournalWriter* journal) {
  for (const auto& feature : features) {
    system.driver().watch(*feature);
    system.board().work_distributor().watch(*feature);
    feature->attach(system, journal);
  }
}

}  // namespace duet::machine
