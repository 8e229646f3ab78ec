// A run's task events, judged by the rules of hu2016's model while they happen (model/rules.h): `duet run
// --check model`, and in every run of a debug build, which ends with the first violation. The driver reports
// commands to it; other events come to it as a sink of the engine.
#pragma once

#include <unordered_map>

#include "check/findings.h"
#include "driver/driver.h"
#include "model/task_events.h"

namespace duet::machine {

class ModelCheck : public sim::EventSink, public driver::CommandWatcher {
 public:
  // `findings`: where violations go; null: the process says the first one and aborts.
  ModelCheck(const config::Machine& machine, driver::Driver& driver, check::Findings* findings);
  void submitted(driver::CommandId id, const driver::Command& command) override;
  void take(const sim::Event& event) override;

  const model::TaskEvents& events() const { return events_; }

 private:
  void look_for_fault(const sim::Event& event);
  void violated(const model::Violation& violation);

  const config::Machine& machine_;
  driver::Driver& driver_;
  check::Findings* const findings_;
  std::unordered_map<std::uint64_t, const gpu::Grid*> grids_;  // of launches that are not complete
  model::TaskEvents events_;
};

// What the model has to know of a command beside its events.
model::CommandFacts facts_of(const config::Machine& machine, const driver::Command& command);

}  // namespace duet::machine
