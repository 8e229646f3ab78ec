// Where the time of a program on simulated cores goes, by function: samples of its threads (cpu/sampling.h)
// with the functions that were active.
//
//   HostProfile profile(file, image, memory);
//   profile.take(registers, sample);
//   profile.stacks()   ->   {"main;search;strcmp", {0, 0, ..., 12, ...}}: 12 samples waiting for L2
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "cpu/sampling.h"
#include "rv64/process/elf.h"

namespace duet::rv64 {
class Memory;
struct Registers;
}  // namespace duet::rv64

namespace duet::machine {

struct HostStack {
  // Names, outermost first, with ';' between: main;search;strcmp.
  std::string functions;
  // Dispatching, then waiting: in the order of the slots in stats.json (report::CoreSlots).
  static constexpr std::size_t kStates = 9;
  std::array<std::uint64_t, kStates> samples{};
};

class HostProfile {
 public:
  HostProfile(const rv64::ElfFile& file, const rv64::LoadedImage& image, rv64::Memory& memory,
              std::size_t cores);
  // Cores may be ticked on two threads (sim::Engine): each has its own place.
  void take(const rv64::Registers& registers, const cpu::Sample& sample);
  // The most samples first.
  std::vector<HostStack> stacks() const;

 private:
  const rv64::SymbolTable symbols_;
  rv64::Memory& memory_;
  using Functions = std::vector<const rv64::Symbol*>;  // innermost first; null: none is known
  std::vector<std::map<Functions, std::array<std::uint64_t, HostStack::kStates>>> samples_;  // by core
};

}  // namespace duet::machine
