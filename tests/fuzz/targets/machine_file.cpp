// Machine files, for libFuzzer: a machine or one line of error. What loads is written and read again, and
// what can be built is checked as a run checks it. A text that begins with "--set " is the value of that
// option.
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "config/loader.h"
#include "machine/rules/idle_keys.h"
#include "machine/rules/policies.h"
#include "machine/rules/value_rules.h"

namespace {
std::string write(const char* suffix, const std::string& text) {
  const char* const folder = std::getenv("TMPDIR");
  const std::string path =
      std::string(folder != nullptr ? folder : "/tmp") + "/duet-fuzz-" + std::to_string(getpid()) + suffix;
  std::ofstream(path, std::ios::binary) << text;
  return path;
}

void check(const std::string& path, const std::vector<std::string>& sets, bool functional) {
  try {
    const auto machine = duet::config::load_machine(path, DUET_MACHINES, sets);
    duet::machine::check_policies(machine.machine.gpu, machine.values);
    duet::machine::check_values(machine, functional);
    duet::machine::idle_settings(machine, functional);
  } catch (const duet::Error&) {
  }
}
}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t bytes) {
  const std::string input(reinterpret_cast<const char*>(data), bytes);
  constexpr std::string_view kSet = "--set ";
  const bool is_set = input.starts_with(kSet);
  const std::string path = is_set ? "gtx580" : write(".toml", input);
  std::vector<std::string> sets;
  if (is_set) sets.push_back(input.substr(kSet.size()));
  try {
    const auto machine = duet::config::load_topology(path, DUET_MACHINES, sets);
    const std::string text = duet::config::to_toml(machine.values);
    const std::string again = write("-again.toml", text);
    if (duet::config::to_toml(duet::config::load_topology(again, DUET_MACHINES).values) != text) std::abort();
    std::remove(again.c_str());
    for (const bool functional : {false, true}) check(path, sets, functional);
  } catch (const duet::Error&) {
  }
  if (!is_set) std::remove(path.c_str());
  return 0;
}
