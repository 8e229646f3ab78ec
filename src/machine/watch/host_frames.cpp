#include "machine/watch/host_frames.h"

#include <dlfcn.h>
#include <elf.h>
#include <execinfo.h>

#include <array>
#include <cstdio>
#include <string_view>

namespace duet::machine {

namespace {

// The simulator's libraries lie in lib/duet and below it.
bool is_own(std::string_view file, const void* base) {
  Dl_info here;
  if (dladdr(reinterpret_cast<const void*>(&program_frames), &here) != 0 && here.dli_fbase == base)
    return true;
  return file.find("/lib/duet/") != file.npos;
}

}  // namespace

std::string program_frames() {
  constexpr int kMost = 64;
  constexpr unsigned kKept = 5;
  std::array<void*, kMost> frames;
  const int count = backtrace(frames.data(), kMost);
  std::string text;
  unsigned kept = 0;
  for (int i = 0; i < count && kept < kKept; ++i) {
    const void* const call = static_cast<const char*>(frames[static_cast<std::size_t>(i)]) - 1;
    Dl_info module;
    if (dladdr(call, &module) == 0 || module.dli_fname == nullptr ||
        is_own(module.dli_fname, module.dli_fbase))
      continue;
    // Programs at fixed addresses have them in their files.
    const bool fixed = static_cast<const Elf64_Ehdr*>(module.dli_fbase)->e_type == ET_EXEC;
    const auto at = reinterpret_cast<std::uintptr_t>(call) -
                    (fixed ? 0 : reinterpret_cast<std::uintptr_t>(module.dli_fbase));
    char offset[32];
    std::snprintf(offset, sizeof offset, "+0x%llx", static_cast<unsigned long long>(at));
    text += std::string("@") + module.dli_fname + offset;
    ++kept;
  }
  return text;
}

}  // namespace duet::machine
