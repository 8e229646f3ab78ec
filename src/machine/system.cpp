#include "machine/system.h"

#include <map>
#include <optional>
#include <set>
#include <type_traits>

#include "base/error.h"
#include "gpu/front_end/heap_turns.h"
#include "gpu/functional/line_log.h"
#include "gpu/occupancy.h"
#include "gpu/sm/sm.h"
#include "machine/build/board.h"
#include "machine/host/processor.h"
#include "machine/rules/policies.h"
#include "machine/watch/command_checks.h"
#include "predict/predictor.h"
#include "sample/sampler.h"

namespace duet::machine {

struct System::Parts : gpu::BlockWatcher, gpu::BlockPolicy {
  Parts(const config::Machine& config, memory::HostPort& host, gpu::DeviceServices device_services,
        const Options& options)
      : machine(config),
        services(std::move(device_services)),
        engine(options.shuffle_seed, options.two_threads),
        memory(config.gpu.dram.bytes, config.gpu.dram.page_bytes, config.host.dram_bytes),
        address_space(memory, memory::device_pages(config.gpu)),
        races(options.check_races ? std::make_unique<memory::RaceDetector>(
                                        [this](std::uint64_t earlier, std::uint64_t later) {
                                          return board.driver().ordered(earlier, later);
                                        },
                                        &engine)
                                  : nullptr),
        board(engine, machine, address_space, host, gpu::occupancy,
              {!options.functional, options.simulated_host}, races.get()) {
    check_policies(machine.gpu);
    if (races || options.check.of_kernels()) board.driver().keep_order();
    if (options.check.of_kernels()) {
      checker.emplace(options.check, address_space, order_of(board.driver()), !options.simulated_host);
      services.checker = &*checker;
    }
    services.heap_costs = machine.gpu.device_heap;
    services.heap_turns = &heap_turns;
    if (!options.strict_memory) services.outside = &outside;
    if (options.predict) begin_predicting(options.sampled);
    const bool fast_forward = (options.fast_forward || options.sample_error != 0) && !options.functional;
    if (fast_forward) begin_fast_forward();
    if (options.sample_error != 0) begin_sampling(options.sample_error);
    for (std::uint32_t i = 0; i < machine.gpu.sm.count; ++i) {
      if (fast_forward) add_fast_forward_sm(i);
      if (options.functional) {
        auto& sm = *functional_sms.emplace_back(std::make_unique<gpu::FunctionalSm>(
            engine, &board.gpu(), i, options.predict ? predict::functional_gpu(machine.gpu) : machine.gpu,
            address_space, services));
        const Board::SmQueues queues = board.connect_sm(sm);
        sm.connect(queues.launches, queues.done);
        sm.on_failure([this](Picoseconds now) { wake_all(functional_sms, now); });
      } else {
        auto& sm = *timed_sms.emplace_back(std::make_unique<gpu::TimedSm>(
            engine, &board.gpu(), i, machine.gpu, board.requests(), address_space, services));
        const Board::SmQueues queues = board.connect_sm(sm);
        gpu::TimedSm::Ports ports;
        ports.races = races.get();
        ports.skip_clock_loops = options.skip_clock_loops;
        ports.count_lines = options.count_lines;
        ports.launches = &queues.launches;
        ports.done = &queues.done;
        ports.kernel_failed = [this](Picoseconds now) { wake_all(timed_sms, now); };
        board.memory_system()->connect_sm(sm, ports);
        sm.connect(ports);
      }
    }
    services.between_ticks = [this](std::function<void()> call) { engine.between_ticks(std::move(call)); };
    if (board.memory_system() != nullptr)
      services.peek = [this](std::uint32_t sm, PhysicalAddress physical) {
        return board.memory_system()->peek(sm, physical);
      };
    if (const std::optional<SharedMemory> shared = shared_with_processor(); options.simulated_host || shared)
      processor.emplace(engine, *machine.cpu, machine.host, shared ? &*shared : nullptr);
    if (options.simulated_host) board.connect(*processor);
    statistics.emplace(engine);
  }

  std::optional<SharedMemory> shared_with_processor() {
    for (std::size_t i = 0; i < machine.levels.size() && !machine.cpu; ++i)
      if (machine.levels[i].shared_with_processor)
        throw Error("level[" + std::to_string(i) +
                    "].shared_with_processor needs a processor, and there is no [cpu]");
    MemorySystem* const memory_system = board.memory_system();
    CacheLevel* const level = memory_system == nullptr ? nullptr : memory_system->shared_level();
    if (level == nullptr) return std::nullopt;
    return SharedMemory{*level, memory_system->controllers(), board.requests(), address_space};
  }

  void begin_predicting(bool sampled) {
    predictor.emplace(machine, address_space, sampled, [this](const predict::Prediction& prediction) {
      if (on_prediction) on_prediction(prediction);
    });
    services.recorder = &predictor->recorder();
    memory::SimpleMemory& device_memory = *board.device_memory();
    device_memory.tell_before_writes([this](const memory::Request& request) {
      predictor->written_by_copy(request.address, request.bytes, request.pc);
    });
    if (!sampled) return;
    board.work_distributor().decide(*this);
    device_memory.tell_before_reads(
        [this](const memory::Request& request) { predictor->read_by_copy(request.address, request.pc); });
  }

  std::uint64_t skips(const gpu::Grid& grid, std::uint64_t block, std::uint64_t most) override {
    return predictor ? predictor->skips(grid, block, most) : 0;
  }

  // Before its SMs.
  void begin_sampling(double error) {
    executed_on.resize(machine.gpu.sm.count);
    sampler.emplace(
        error,
        [this](const sample::Launch& launch) {
          if (on_sampled) on_sampled(launch);
        },
        [this](const gpu::Grid& grid, std::uint32_t sm) { executed_on[sm].insert(grid.code_physical); });
    services.recorder = &*sampler;
    board.work_distributor().decide(*this);
  }

  void begins(gpu::Grid& grid) override {
    if (sampler) sampler->begins(grid);
  }
  void grid_ends(const gpu::Grid& grid) override {
    if (sampler) sampler->ends(grid, engine.now());
  }
  bool fast_forwards_rest(const gpu::Grid& grid, std::uint64_t dispatched) override {
    return sampler && sampler->block_ends(grid, dispatched, engine.now());
  }

  void add_fast_forward_sm(std::uint32_t number) {
    auto& sm = *functional_sms.emplace_back(std::make_unique<gpu::FunctionalSm>(
        engine, &board.gpu(), number, sampler ? predict::functional_gpu(machine.gpu) : machine.gpu,
        address_space, services, gpu::FunctionalSm::Place::BesideTimed));
    const Board::SmQueues queues = board.connect_fast_forward_sm(sm);
    sm.connect(queues.launches, queues.done);
    sm.on_failure([this](Picoseconds now) { wake_all(functional_sms, now); });
  }

  // Before its SMs.
  void begin_fast_forward() {
    MemorySystem& memory_system = *board.memory_system();
    services.lines = &lines.emplace(memory_system.l2().sectors(), memory_system.l2().sector_bytes());
    board.work_distributor().watch(*this);
  }

  void fast_forwards(const gpu::Grid& grid) override {
    engine.between_ticks([this, &grid] {
      MemorySystem& memory_system = *board.memory_system();
      for (const PhysicalAddress sector : memory_system.held_by_l2()) lines->touch(sector);
      memory_system.write_back_all();
      Bytes& code = forwarded_code[grid.code_physical];
      code = 0;
      for (const ptx::MicroOp& op : grid.kernel->code)
        code += op.machine_instructions * machine.gpu.sm.instruction_bytes;
    });
  }
  void resumes() override {
    engine.between_ticks([this] { warm(); });
  }

  // What fast-forwarded kernels have left in L2, had they run in time.
  void warm() {
    MemorySystem& memory_system = *board.memory_system();
    std::vector<MemorySystem::Sector> latest;
    for (const auto& [code, bytes] : forwarded_code)
      for (PhysicalAddress at = code; at < code + bytes; at += lines->bytes()) latest.push_back({at, {}});
    lines->take_latest([&](auto sector) {
      if constexpr (std::is_same_v<decltype(sector), PhysicalAddress>) {
        latest.push_back({sector, {}});
      } else {
        const memory::PageRun& run = address_space.pages().find(sector);
        if (run.holds(sector) && run.attributes.route == memory::Route::DeviceDram)
          latest.push_back({run[sector], run.attributes.cacheability});
      }
    });
    memory_system.warm(latest);
    for (std::size_t sm = 0; sm < executed_on.size(); ++sm) {
      for (const PhysicalAddress code : executed_on[sm]) timed_sms[sm]->warm_code(code, forwarded_code[code]);
      executed_on[sm].clear();
    }
    forwarded_code.clear();
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
  const std::unique_ptr<memory::RaceDetector> races;
  gpu::OutsideAccesses outside;
  std::optional<check::Checker> checker;
  std::optional<gpu::LineLog> lines;  // of fast-forwarded kernels
  std::map<PhysicalAddress, Bytes> forwarded_code;
  std::vector<std::set<PhysicalAddress>>
      executed_on;  // of each SM: code of fast-forwarded kernels, when sampling
  std::function<void(const predict::Prediction&)> on_prediction;
  std::optional<predict::Predictor> predictor;
  std::function<void(const sample::Launch&)> on_sampled;
  std::optional<sample::Sampler> sampler;
  Board board;
  std::vector<std::unique_ptr<gpu::FunctionalSm>> functional_sms;
  std::vector<std::unique_ptr<gpu::TimedSm>> timed_sms;
  std::optional<Processor> processor;
  std::optional<sim::Statistics> statistics;
};

System::System(const config::Machine& config, memory::HostPort& host, gpu::DeviceServices services,
               const Options& options)
    : parts_(std::make_unique<Parts>(config, host, std::move(services), options)) {}

System::~System() = default;

sim::Engine& System::engine() { return parts_->engine; }
memory::AddressSpace& System::address_space() { return parts_->address_space; }
driver::Driver& System::driver() { return parts_->board.driver(); }
Board& System::board() { return parts_->board; }
Processor* System::processor() { return parts_->processor ? &*parts_->processor : nullptr; }
const config::Machine& System::config() const { return parts_->machine; }
bool System::predicts() const { return parts_->predictor.has_value(); }
bool System::functional() const { return parts_->board.memory_system() == nullptr; }
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

void System::on_prediction(std::function<void(const predict::Prediction&)> f) {
  parts_->on_prediction = std::move(f);
}

void System::on_sampled(std::function<void(const sample::Launch&)> f) { parts_->on_sampled = std::move(f); }

check::Checker* System::checker() { return parts_->checker ? &*parts_->checker : nullptr; }

std::vector<memory::Race> System::races(driver::CommandId writer) {
  if (!parts_->races) return {};
  return writer == 0 ? parts_->races->take_all() : parts_->races->take(writer);
}

std::vector<memory::Conflict> System::conflicts(driver::CommandId command) {
  return parts_->races ? parts_->races->take_conflicts(command) : std::vector<memory::Conflict>();
}

std::vector<gpu::OutsideAccess> System::outside_accesses(std::uint64_t launch) {
  return launch == 0 ? parts_->outside.take_all() : parts_->outside.take(launch);
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

void System::take_lines(const ptx::Kernel& kernel, gpu::LineCounts& total) {
  for (const auto& sm : parts_->timed_sms) sm->take_lines(kernel, total);
}

sim::Statistics& System::statistics() { return *parts_->statistics; }

}  // namespace duet::machine
