// Machine files, for libFuzzer: a machine or one line of error. What loads is written and read again.
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>

#include "base/error.h"
#include "config/loader.h"

namespace {
std::string write(const char* suffix, const char* data, std::size_t bytes) {
  const char* const folder = std::getenv("TMPDIR");
  const std::string path =
      std::string(folder != nullptr ? folder : "/tmp") + "/duet-fuzz-" + std::to_string(getpid()) + suffix;
  std::ofstream(path, std::ios::binary).write(data, static_cast<std::streamsize>(bytes));
  return path;
}
}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t bytes) {
  const std::string path = write(".toml", reinterpret_cast<const char*>(data), bytes);
  try {
    const auto machine = duet::config::load_machine(path, DUET_MACHINES);
    const std::string text = duet::config::to_toml(machine);
    const std::string again = write("-again.toml", text.data(), text.size());
    if (duet::config::to_toml(duet::config::load_machine(again, DUET_MACHINES)) != text) std::abort();
    std::remove(again.c_str());
  } catch (const duet::Error&) {
  }
  std::remove(path.c_str());
  return 0;
}
