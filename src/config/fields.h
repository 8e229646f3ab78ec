// The keys of a machine file: one declaration each with unit, range and description.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "config/machine.h"
#include "config/names.h"

namespace duet::config {

struct Field {
  std::string key;
  std::variant<std::uint64_t*, bool*, std::string*> value;
  std::uint64_t minimum;
  std::uint64_t maximum;
  const char* unit;
  const char* description;
  Names names = {};  // of a string: its possible values; none: any text
};

inline constexpr std::uint64_t kCycles = 1'000'000;  // the maximum of a number of cycles

// The fields of the existing nodes, in the order of printing. The fields of one link are link.KEY, of several
// link[0].KEY and so on.
std::vector<Field> fields_of(Topology& topology);
std::vector<Field> fields_of(Machine& machine);

// The fields of the timed GPU: SM pipelines, caches, interconnect, DRAM.
void add_timed_gpu(std::vector<Field>& fields, Gpu& gpu);
// Of these the fields of the DRAM.
void add_dram(std::vector<Field>& fields, Dram& dram);
// The fields of simulated cores and their caches.
void add_cpu(std::vector<Field>& fields, Cpu& cpu);
// The fields of [memory_fabric].
void add_memory_fabric(std::vector<Field>& fields, MemoryFabric& fabric);
// The fields of [translation].
void add_translation(std::vector<Field>& fields, Translation& translation);
// The fields of one level, as "level[0].sets".
void add_level(std::vector<Field>& fields, const std::string& prefix, Level& level);
// The fields of one method, as "method[0].calls"; with [memory_fabric] also what is done with caches,
// with [translation] who walks.
void add_method(std::vector<Field>& fields, const std::string& prefix, Method& method, bool maintained,
                bool translated);

}  // namespace duet::config
