#include "machine/host/host_profile.h"

#include <cxxabi.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <numeric>

#include "rv64/process/frames.h"

namespace duet::machine {

namespace {

std::string readable(const std::string& name) {
  const std::unique_ptr<char, decltype(&std::free)> plain(
      abi::__cxa_demangle(name.c_str(), nullptr, nullptr, nullptr), &std::free);
  return plain != nullptr ? plain.get() : name;
}

}  // namespace

HostProfile::HostProfile(const rv64::ElfFile& file, const rv64::LoadedImage& image, rv64::Memory& memory,
                         std::size_t cores)
    : symbols_(file, image.bias), memory_(memory), samples_(cores) {}

void HostProfile::take(const rv64::Registers& registers, const cpu::Sample& sample) {
  Functions functions;
  for (const std::uint64_t address : rv64::frames_of(memory_, registers, symbols_))
    functions.push_back(symbols_.find(functions.empty() ? address : address - 1));
  const std::size_t state = sample.waited ? 1 + static_cast<std::size_t>(sample.cause) : 0;
  samples_[sample.core][std::move(functions)][state] += sample.count;
}

std::vector<HostStack> HostProfile::stacks() const {
  std::map<std::string, HostStack> by_name;  // in an order that no address decides
  const auto add = [&](const Functions& functions, const auto& samples) {
    std::string names;
    for (auto function = functions.rbegin(); function != functions.rend(); ++function)
      names +=
          (names.empty() ? "" : ";") + (*function != nullptr ? readable((*function)->name) : "(no symbol)");
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
