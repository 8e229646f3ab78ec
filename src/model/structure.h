// The hardware structure (hu2016, section 2.1): levels inside each other, 0 the innermost. A level's parts
// stand inside one PE of the level above it; the topmost level's inside the whole machine.
//
//   Structure gpu;                              // d = 2
//   gpu.levels = {sm, whole};                   // level 0, level 1
//   gpu.levels[1].arrays[0].width               // SMs
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/units.h"

namespace duet::model {

// The model is for any depth; more than these nobody has asked for.
inline constexpr unsigned kMostLevels = 4;

// An array of processing elements, [PE].
struct Array {
  std::string name;          // "SM array"
  bool moves_data = false;   // [PE_D]; otherwise [PE_C]
  std::uint64_t count = 1;   // such arrays
  std::uint64_t width = 1;   // PEs of one array
  std::uint64_t places = 1;  // task instances in a PE at once; at level 0, and of a PE_D: 1
};

struct Level {
  std::string name;                     // of the part around it: "the GPU"
  std::string tu, tb, se, memory;       // names of these: "GigaThread engine"
  std::uint64_t hardware_channels = 1;  // of the TU: more logical channels share them (section 2.4)
  std::uint64_t queues = 1, depth = 1;  // TB: its width, and task groups in a queue
  std::uint64_t schedulers = 1;         // task instances dispatched by the SE in a step
  Bytes memory_bytes = 0;               // 0: no limit
  std::vector<Array> arrays;
  // The names of the level's scripts (Table II), and their script commands with their actions (Tables III,
  // IV). May be empty.
  std::string computing, moving, scheduling;
  struct CommandName {
    std::string name, does;
  };
  std::vector<CommandName> commands;
};

struct Structure {
  std::vector<Level> levels;  // by level
  // Memory above the topmost level. Section 2.5 has the data begin in the topmost level's memory, section 3.5
  // in the host's above it: with a name the latter.
  std::string outside;
  unsigned depth() const { return static_cast<unsigned>(levels.size()); }
};

}  // namespace duet::model
