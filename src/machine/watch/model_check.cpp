#include "machine/watch/model_check.h"

#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>

#include "base/readable_name.h"
#include "gpu/occupancy.h"

namespace duet::machine {

namespace {

check::FindingKind kind_of(model::Rule rule) {
  return static_cast<check::FindingKind>(static_cast<std::uint32_t>(check::FindingKind::ModelAtomicity) +
                                         static_cast<std::uint32_t>(rule));
}

model::CommandFacts facts_of(const config::Machine& machine, const gpu::Grid& grid) {
  const gpu::Occupancy shape =
      gpu::occupancy(machine.gpu.sm, *grid.kernel, grid.block.count(), grid.dynamic_shared_bytes);
  model::CommandFacts facts;
  facts.kind = model::ScriptKind::Computing;
  facts.name = "kernel '" + readable_name(grid.kernel->name) + "'";
  facts.blocks = grid.grid.count();
  facts.block = model::block_resources(machine.gpu.sm, grid.block.count(), grid.kernel->registers,
                                       shape.shared_per_block);
  return facts;
}

}  // namespace

model::CommandFacts facts_of(const config::Machine& machine, const driver::Command& command) {
  model::CommandFacts facts;
  switch (command.kind) {
    case driver::CommandKind::Launch:
      return facts_of(machine, *command.grid);
    case driver::CommandKind::Copy: {
      const driver::CopyJob& copy = command.copy;
      const bool from_host = copy.staged != nullptr || copy.from.host;
      facts.kind = model::ScriptKind::Moving;
      if (from_host != copy.to.host)
        facts.movement = from_host ? model::Movement::StageIn : model::Movement::StageOut;
      return facts;
    }
    case driver::CommandKind::Fill:
    case driver::CommandKind::FullEmptySet:
    case driver::CommandKind::CacheMaintenance:
      facts.kind = model::ScriptKind::Moving;
      return facts;
    default:
      return facts;
  }
}

ModelCheck::ModelCheck(const config::Machine& machine, driver::Driver& driver, check::Findings* findings)
    : machine_(machine),
      driver_(driver),
      findings_(findings),
      events_(machine, [this](const model::Violation& violation) { violated(violation); }) {
  driver.watch(*this);
}

void ModelCheck::submitted(driver::CommandId id, const driver::Command& command) {
  events_.describe(id, facts_of(machine_, command));
  if (command.kind == driver::CommandKind::Launch) grids_[id] = command.grid.get();
}

// What a fault has kept from running has not broken a rule.
void ModelCheck::look_for_fault(const sim::Event& event) {
  const auto grid = grids_.find(event.id);
  const bool own = grid != grids_.end() && grid->second->fault.kind != gpu::FaultKind::None;
  if (own || driver_.fault()) events_.fault();
  if (grid != grids_.end() && event.kind == TaskEventKind::Command) grids_.erase(grid);
}

void ModelCheck::take(const sim::Event& event) {
  const bool of_task = event.kind == TaskEventKind::Kernel || event.kind == TaskEventKind::Command;
  if (of_task && event.phase == TaskEventPhase::End) look_for_fault(event);
  events_.take(event);
}

void ModelCheck::violated(const model::Violation& violation) {
  const std::string text =
      fmt::format("{} of the model: {}\nat {}.{:06} us of simulated time", model::name_of(violation.rule),
                  violation.text, violation.time / 1'000'000, violation.time % 1'000'000);
  if (findings_ == nullptr) {
    std::fprintf(stderr, "duet: check model: %s\n", text.c_str());
    std::abort();
  }
  findings_->add({kind_of(violation.rule), nullptr, violation.group, violation.time}, [&] { return text; });
}

}  // namespace duet::machine
