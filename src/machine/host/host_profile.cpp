#include "machine/host/host_profile.h"

#include <algorithm>
#include <numeric>

#include "base/readable_name.h"
#include "rv64/process/frames.h"

namespace duet::machine {

namespace {

// The place of what a core did or waited for in HostStack::samples.
std::size_t state_of(const cpu::Sample& sample) {
  if (!sample.waited) return 0;
  switch (sample.cause) {
    case cpu::Cause::Speculation:
      return 1;
    case cpu::Cause::FrontEnd:
      return 2;
    case cpu::Cause::InstructionCache:
      return 3;
    case cpu::Cause::MemoryL2:
      return 4;
    case cpu::Cause::MemoryBelow:
      return 5;
    case cpu::Cause::Stores:
      return 6;
    case cpu::Cause::Core:
      return 7;
    case cpu::Cause::Serial:
      break;
  }
  return 8;
}

}  // namespace

HostProfile::HostProfile(const rv64::ElfFile& file, const rv64::LoadedImage& image, rv64::Memory& memory,
                         std::size_t cores)
    : symbols_(file, image.bias), memory_(memory), samples_(cores) {}

void HostProfile::take(const rv64::Registers& registers, const cpu::Sample& sample) {
  Functions functions;
  for (const std::uint64_t address : rv64::frames_of(memory_, registers, symbols_))
    functions.push_back(symbols_.find(functions.empty() ? address : address - 1));
  samples_[sample.core][std::move(functions)][state_of(sample)] += sample.count;
}

std::vector<HostStack> HostProfile::stacks() const {
  std::map<std::string, HostStack> by_name;  // in an order that no address decides
  const auto add = [&](const Functions& functions, const auto& samples) {
    std::string names;
    for (auto function = functions.rbegin(); function != functions.rend(); ++function)
      names +=
          (names.empty() ? "" : ";") + (*function != nullptr ? whole_name((*function)->name) : "(no symbol)");
    HostStack& stack = by_name[names];
    stack.functions = names;
    for (std::size_t i = 0; i < samples.size(); ++i) stack.samples[i] += samples[i];
  };
  for (const auto& of_core : samples_)
    for (const auto& [functions, samples] : of_core) add(functions, samples);
  std::vector<HostStack> stacks;
  for (auto& [names, stack] : by_name) stacks.push_back(std::move(stack));
  const auto all = [](const HostStack& stack) {
    return std::accumulate(stack.samples.begin(), stack.samples.end(), std::uint64_t{0});
  };
  std::stable_sort(stacks.begin(), stacks.end(),
                   [&](const auto& a, const auto& b) { return all(a) > all(b); });
  return stacks;
}

}  // namespace duet::machine
