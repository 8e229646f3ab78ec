// Signals: 64 bytes of pinned memory each, so that the packet processor reads and writes them; the handle is
// their address, as amd_hsa_signal.h has it: the kind at 0, the value at 8. The doorbell of a program on
// simulated cores has the address of a word of the GPU there (ProgramSide::doorbells), where its stores go.
//
//   const hsa_signal_t signal = signals.create(1);
//   signals.find(signal)->value()      // 1; 0 when the packet that it belongs to has completed
#pragma once

#include <hsa/hsa.h>

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "hsa/session/shared_word.h"
#include "hsa/session/wait_condition.h"

namespace duet::hsa {

struct Signal {
  SharedWord word;
  bool is_doorbell = false;
  int queue = -1;  // of a doorbell: the packet processor's number; -1: the queue takes no packets any more
  std::int64_t value() const { return static_cast<std::int64_t>(word.load()); }
  void set(std::int64_t value) const { word.store(static_cast<std::uint64_t>(value)); }
};

class Signals {
 public:
  explicit Signals(core::Runtime& runtime) : runtime_(runtime) {}

  // The handle is 0 where there is no memory for it.
  hsa_signal_t create(std::int64_t value);
  hsa_signal_t create_doorbell(int queue);
  // Its queue takes no packets any more.
  void silence(hsa_signal_t doorbell);
  void destroy(hsa_signal_t signal);
  // Null: no signal has this handle.
  const Signal* find(hsa_signal_t signal) const;
  // Of its value, for the program.
  static hsa_signal_value_t* value_pointer(hsa_signal_t signal);
  // All of them, and their memory.
  void forget();

 private:
  void point_doorbell(std::uint64_t handle, std::uint32_t queue);
  void write_block(std::uint64_t handle, std::int64_t kind, std::uint64_t value);

  core::Runtime& runtime_;
  std::unordered_map<std::uint64_t, Signal> signals_;
  std::vector<std::uint64_t> free_;
  std::vector<void*> pages_;
};

}  // namespace duet::hsa
