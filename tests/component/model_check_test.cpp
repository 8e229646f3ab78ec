// The rules of hu2016's model on what the machine tells of its tasks: a machine that keeps them is silent;
// one whose parts do not (a faulty script, SM, or a machine file that promises less than the machine takes)
// is found, and by which rule.
#include "machine/watch/model_check.h"

#include <gtest/gtest.h>

#include <set>

#include "model/task_events.h"
#include "rig.h"

namespace duet::test {
namespace {

using model::Rule;
using Found = std::vector<model::Violation>;
using Facts = std::map<std::uint64_t, model::CommandFacts>;

std::string text_of(const Found& found) {
  std::string text;
  for (const auto& one : found) text += std::string(model::name_of(one.rule)) + ": " + one.text + "\n";
  return text;
}

bool has(const Found& found, Rule rule) {
  return std::any_of(found.begin(), found.end(), [&](const auto& one) { return one.rule == rule; });
}

// Events of a machine, and what else the model knows of its commands.
struct Log {
  EventLog events;
  Facts facts;

  Found judged(const config::Machine& machine) const { return judged(machine, events.entries); }
  Found judged(const config::Machine& machine, const std::vector<EventLog::Entry>& entries) const {
    Found found;
    model::TaskEvents checked(machine, [&](const auto& violation) { found.push_back(violation); });
    for (const auto& [command, one] : facts) checked.describe(command, one);
    for (const EventLog::Entry& entry : entries) {
      sim::Event event = entry;
      event.name = entry.text.c_str();
      checked.take(event);
    }
    checked.finish();
    return found;
  }
};

// The facts of commands, with the resources of the test's occupancy.
struct Describer final : driver::CommandWatcher {
  Describer(const config::Machine& machine_, Log& log_) : machine(machine_), log(log_) {}
  void submitted(driver::CommandId id, const driver::Command& command) override {
    model::CommandFacts facts = machine::facts_of(machine, command);
    if (command.kind == driver::CommandKind::Launch) {
      const gpu::Grid& grid = *command.grid;
      const auto shape =
          test_occupancy(machine.gpu.sm, *grid.kernel, grid.block.count(), grid.dynamic_shared_bytes);
      facts.block = {shape.warps_per_block, grid.block.count(), shape.registers_per_block,
                     shape.shared_per_block};
    }
    log.facts[id] = facts;
  }
  const config::Machine& machine;
  Log& log;
};

struct WatchedRig : Rig {
  explicit WatchedRig(Log& log, const config::Machine& machine = gtx580(), std::uint64_t seed = 0)
      : Rig(machine, seed), describer(config, log) {
    engine.report_events(log.events, model::kModelEvents);
    driver().watch(describer);
  }
  Describer describer;
};

// Two streams with copies, fills and kernels, and a third that waits for an event of the first.
void run_program(Rig& rig, std::vector<std::byte>& host) {
  const VirtualAddress buffer = rig.device(8192);
  const auto one = rig.driver().create_stream({}), two = rig.driver().create_stream({}),
             three = rig.driver().create_stream({});
  const auto event = rig.driver().create_event();
  for (int round = 0; round < 3; ++round) {
    rig.submit(rig.copy_in(buffer, host.data(), 4096, one));
    rig.submit(rig.launch(100, one, 256));
    rig.submit(rig.event(driver::CommandKind::EventRecord, event, one));
    rig.submit(rig.event(driver::CommandKind::StreamWaitEvent, event, three));
    rig.submit(rig.launch(3, three));
    rig.submit(rig.copy_in(buffer + 4096, host.data(), 1024, two));
    rig.submit(rig.launch(40, two, 64));
    rig.submit(rig.copy_out(host.data(), buffer, 4096, one));
    rig.submit(rig.launch(7));  // the default stream
  }
  rig.finish();
}

Log log_of(const config::Machine& machine, std::uint64_t seed = 0) {
  Log log;
  WatchedRig rig(log, machine, seed);
  rig.kernel.registers = 20;
  for (auto& sm : rig.sms)
    sm->duration = [](const gpu::Grid& grid, std::uint64_t block) {
      return Picoseconds{1'000'000 + 700'000 * (block % 7) + 10'000 * grid.block.count()};
    };
  std::vector<std::byte> host(8192);
  run_program(rig, host);
  for (auto& entry : log.events.entries) entry.component = nullptr;  // which have gone
  return log;
}

TEST(ModelCheck, AMachineThatKeepsTheRulesIsSilent) {
  for (const std::uint64_t channels : {1, 16})
    for (const bool read_ahead : {false, true})
      for (const std::uint64_t counters : {1, 16}) {
        auto machine = gtx580();
        machine.gpu.front_end.hardware_channels = channels;
        machine.gpu.front_end.reference_counters = counters;
        machine.gpu.front_end.queue_depth = channels;
        machine.driver.read_ahead = read_ahead;
        const Log log = log_of(machine, channels + counters);
        const Found found = log.judged(machine);
        EXPECT_TRUE(found.empty()) << channels << " channels, " << counters << " counters\n"
                                   << text_of(found);
        EXPECT_GT(log.events.entries.size(), 900u);
      }
}

// One event that is missing, or comes twice, of those that no later one makes up for.
TEST(ModelCheck, NoEventMayBeMissingOrComeTwice) {
  const auto machine = gtx580();
  const Log log = log_of(machine);
  const auto& all = log.events.entries;
  std::set<std::pair<TaskEventKind, TaskEventPhase>> tried;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const TaskEventKind kind = all[i].kind;
    const bool told = kind == TaskEventKind::Kernel || kind == TaskEventKind::Block ||
                      kind == TaskEventKind::Queue || kind == TaskEventKind::Move;
    if (!told || (kind == TaskEventKind::Block && i % 5 != 0)) continue;
    tried.insert({kind, all[i].phase});
    auto entries = all;
    entries.erase(entries.begin() + static_cast<std::ptrdiff_t>(i));
    EXPECT_FALSE(log.judged(machine, entries).empty())
        << "missing: " << i << ", kind " << static_cast<int>(kind);
    entries = all;
    entries.insert(entries.begin() + static_cast<std::ptrdiff_t>(i), all[i]);
    EXPECT_FALSE(log.judged(machine, entries).empty())
        << "twice: " << i << ", kind " << static_cast<int>(kind);
  }
  EXPECT_EQ(tried.size(), 8u);
}

// The machine file promises less than the machine takes.
TEST(ModelCheck, EachCapacityIsFound) {
  auto machine = gtx580();
  machine.gpu.front_end.hardware_channels = 16;
  machine.driver.read_ahead = true;
  const Log log = log_of(machine);
  ASSERT_TRUE(log.judged(machine).empty());
  struct Case {
    const char* what;
    std::function<void(config::Gpu&)> change;
    const char* words;
  };
  const Case cases[] = {
      {"blocks", [](config::Gpu& gpu) { gpu.sm.max_blocks = 2; }, "task instance on PE"},
      {"warps", [](config::Gpu& gpu) { gpu.sm.max_warps = 20; }, "warps on PE"},
      {"threads", [](config::Gpu& gpu) { gpu.sm.max_threads = 512; }, "threads on PE"},
      {"registers", [](config::Gpu& gpu) { gpu.sm.registers = 10000; }, "registers on PE"},
      {"counters", [](config::Gpu& gpu) { gpu.front_end.reference_counters = 1; }, "has context 1"},
      {"queues", [](config::Gpu& gpu) { gpu.front_end.queue_width = 1; }, "is in queue 1"},
      {"depth", [](config::Gpu& gpu) { gpu.front_end.queue_depth = 1; }, "task group in queue"}};
  for (const Case& one : cases) {
    auto smaller = machine;
    one.change(smaller.gpu);
    const Found found = log.judged(smaller);
    EXPECT_TRUE(has(found, Rule::Capacity)) << one.what;
    EXPECT_NE(text_of(found).find(one.words), std::string::npos) << one.what << "\n" << text_of(found);
  }
  auto fewer = machine;
  fewer.gpu.copy_engines.count = 1;
  fewer.gpu.copy_engines.bit_engines = 0;
  EXPECT_TRUE(has(log.judged(fewer), Rule::Locality));  // a PE_D that the model does not have
}

// An SM that mixes up its blocks, and one that stands elsewhere than the GPU's other parts.
TEST(ModelCheck, ABlockThatIsNotThereIsFound) {
  Log log;
  WatchedRig rig(log);
  rig.submit(rig.launch(16));
  rig.finish();
  for (auto& entry : log.events.entries)
    if (entry.kind == TaskEventKind::Block && entry.phase == TaskEventPhase::End && entry.id == 5)
      entry.id = 6;
  EXPECT_TRUE(has(log.judged(rig.config), Rule::Atomicity));
}

// A work distributor with scripts of this test's: the simulator itself, driven wrongly.
struct Distributor {
  explicit Distributor(const config::Machine& machine)
      : config(machine),
        gpu(engine, "GPU", nullptr, 2),
        port(pool, space, 0, 1),
        distributor(engine, &gpu, config.gpu, port, tasks, test_occupancy, 2),
        channel(16, nullptr, &distributor),
        released(64, &distributor, nullptr),
        starts(4, &distributor, nullptr),
        done(4, nullptr, &distributor),
        checked(config, [this](const auto& violation) { found.push_back(violation); }) {
    kernel.name = "k";
    distributor.connect_channel(channel);
    distributor.connect_link(released);
    distributor.connect_engine(starts, done);
    engine.report_events(checked, model::kModelEvents);
  }
  void add_sm(const sim::Component* father) {
    MockSm& sm =
        *sms.emplace_back(std::make_unique<MockSm>(engine, father, static_cast<std::uint32_t>(sms.size())));
    launches.push_back(std::make_unique<sim::Queue<gpu::BlockLaunch>>(8, &distributor, &sm));
    ended.push_back(std::make_unique<sim::Queue<gpu::BlockDone>>(8, &sm, &distributor));
    sm.connect(*launches.back(), *ended.back());
    distributor.connect_sm(sm, *launches.back(), *ended.back());
  }
  // What the driver would tell of a command, in the order of the host's script.
  void submit(std::uint64_t command, model::ScriptKind kind) {
    model::CommandFacts facts;
    facts.kind = kind;
    facts.movement = model::Movement::StageIn;
    facts.blocks = kind == model::ScriptKind::Computing ? 4 : 1;
    checked.describe(command, facts);
    checked.take({.kind = TaskEventKind::Command,
                  .phase = TaskEventPhase::Begin,
                  .stream = 1,
                  .id = command,
                  .name = "c"});
  }
  void kernel_task(std::uint64_t command, bool waits) {
    auto grid = std::make_unique<gpu::Grid>();
    grid->kernel = &kernel;
    grid->grid = {4, 1, 1};
    grid->block = {32, 1, 1};
    grid->command = command;
    const gpu::TaskHandle handle = task(command);
    tasks[handle].grid = grid.get();
    using Opcode = gpu::PushBufferOpcode;
    tasks[handle].steps = {
        {Opcode::SetLaunchID, command}, {Opcode::SetRefCntValue, 4}, {Opcode::Launch, 0, 4}};
    if (waits) tasks[handle].steps.push_back({Opcode::WaitRefCnt});
    grids.push_back(std::move(grid));
  }
  gpu::TaskHandle task(std::uint64_t command) {
    const gpu::TaskHandle handle = tasks.allocate();
    tasks[handle].stream = 1;
    tasks[handle].age = next_age++;
    tasks[handle].command = command;
    channel.push(engine.now(), {handle});
    return handle;
  }

  const config::Machine config;
  sim::Engine engine;
  machine::Node gpu;
  memory::PhysicalMemory physical{1_MiB, 4096};
  memory::AddressSpace space{physical};
  memory::RequestPool pool;
  gpu::GpuPort port;
  gpu::TaskPool tasks;
  gpu::WorkDistributor distributor;
  sim::Queue<gpu::TaskReady> channel;
  sim::Queue<memory::Packet> released;
  sim::Queue<gpu::MoveStart> starts;
  sim::Queue<gpu::MoveDone> done;
  ptx::Kernel kernel;
  Found found;
  model::TaskEvents checked;
  std::vector<std::unique_ptr<MockSm>> sms;
  std::vector<std::unique_ptr<sim::Queue<gpu::BlockLaunch>>> launches;
  std::vector<std::unique_ptr<sim::Queue<gpu::BlockDone>>> ended;
  std::vector<std::unique_ptr<gpu::Grid>> grids;
  std::uint64_t next_age = 1;
};

constexpr auto kComputing = model::ScriptKind::Computing;
constexpr Picoseconds kLong = 1'000'000'000;

TEST(ModelCheck, TheDistributorItselfIsSilent) {
  Distributor rig(gtx580());
  for (int i = 0; i < 2; ++i) rig.add_sm(&rig.gpu);
  for (const std::uint64_t command : {1, 2}) rig.submit(command, kComputing);
  for (const std::uint64_t command : {1, 2}) rig.kernel_task(command, true);
  rig.engine.run_until(kLong);
  EXPECT_TRUE(rig.found.empty()) << text_of(rig.found);
  EXPECT_EQ(rig.checked.counts().blocks, 8u);
}

TEST(ModelCheck, AScriptWithoutWaitRefCntIsSynchronization) {
  Distributor rig(gtx580());
  for (int i = 0; i < 2; ++i) rig.add_sm(&rig.gpu);
  for (const std::uint64_t command : {1, 2}) rig.submit(command, kComputing);
  rig.kernel_task(1, false);
  rig.kernel_task(2, true);
  rig.engine.run_until(kLong);
  EXPECT_TRUE(has(rig.found, Rule::Synchronization)) << text_of(rig.found);
}

TEST(ModelCheck, TasksInAnotherOrderThanTheHostsAreFifo) {
  Distributor rig(gtx580());
  rig.add_sm(&rig.gpu);
  for (const std::uint64_t command : {1, 2}) rig.submit(command, kComputing);
  rig.kernel_task(2, true);
  rig.kernel_task(1, true);
  rig.engine.run_until(kLong);
  EXPECT_TRUE(has(rig.found, Rule::Fifo)) << text_of(rig.found);
}

TEST(ModelCheck, AKernelInFrontOfItsCopyIsInPosition) {
  Distributor rig(gtx580());
  rig.add_sm(&rig.gpu);
  rig.submit(1, model::ScriptKind::Moving);
  rig.submit(2, kComputing);
  rig.kernel_task(2, true);
  rig.engine.run_until(kLong);
  EXPECT_TRUE(has(rig.found, Rule::InPosition)) << text_of(rig.found);
}

TEST(ModelCheck, AnSmWithAnotherFatherIsLocality) {
  Distributor rig(gtx580());
  machine::Node elsewhere(rig.engine, "another GPU", nullptr, 2);
  rig.add_sm(&rig.gpu);
  rig.add_sm(&elsewhere);
  rig.submit(1, kComputing);
  rig.kernel_task(1, true);
  rig.engine.run_until(kLong);
  EXPECT_TRUE(has(rig.found, Rule::Locality)) << text_of(rig.found);
}

// An SM that is told of half of what a block takes holds twice as many as fit.
TEST(ModelCheck, ADistributorThatCountsTooLittleIsCapacity) {
  Log log;
  WatchedRig rig(log);
  rig.kernel.registers = 200;  // 6400 of a block: 5 to an SM, of 8 places
  rig.submit(rig.launch(500));
  rig.finish();
  ASSERT_TRUE(log.judged(rig.config).empty());
  for (auto& [command, facts] : log.facts)
    facts.block[static_cast<std::size_t>(model::Resource::Registers)] *= 2;
  EXPECT_TRUE(has(log.judged(rig.config), Rule::Capacity));
}

// A check of a machine that promises less, while the machine runs: a finding each, or, without any, the end.
TEST(ModelCheck, WhatIsFoundIsAFindingOrTheEnd) {
  auto smaller = gtx580();
  smaller.gpu.sm.max_blocks = 2;
  const auto run = [&](check::Findings* findings) {
    Rig rig;
    machine::ModelCheck checked(smaller, rig.driver(), findings);
    rig.engine.report_events(checked, model::kModelEvents);
    rig.submit(rig.launch(100));
    rig.finish();
  };
  check::Findings findings;
  run(&findings);
  std::size_t found = 0;
  findings.take_changed([&](std::size_t, const check::Finding& finding) {
    ++found;
    EXPECT_EQ(finding.kind, check::FindingKind::ModelCapacity) << finding.text;
    EXPECT_EQ(finding.count, 1u);
    EXPECT_NE(finding.text.find("\nat "), std::string::npos);
  });
  EXPECT_EQ(found, 100u - 16 * 2);  // each block beyond two on an SM
  EXPECT_DEATH(run(nullptr),
               "duet: check model: capacity of the model: kernel 'k' \\(command 1, stream 0\\)");
}

}  // namespace
}  // namespace duet::test
