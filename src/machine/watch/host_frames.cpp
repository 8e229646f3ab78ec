#include "machine/watch/host_frames.h"

#include <dlfcn.h>
#include <elf.h>
#include <execinfo.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <string_view>

namespace duet::machine {

namespace {

// The simulator's libraries lie in lib/duet and below it.
bool is_passed_over(std::string_view file, const void* base) {
  Dl_info here;
  if (dladdr(reinterpret_cast<const void*>(&program_frames), &here) != 0 && here.dli_fbase == base)
    return true;
  for (const std::string_view library : {"/lib/duet/", "/libc.so", "/libstdc++.so"})
    if (file.find(library) != file.npos) return true;
  return false;
}

}  // namespace

std::string program_frames(const void* from) {
  constexpr int kMost = 64;
  constexpr unsigned kKept = 5;
  std::array<void*, kMost> frames;
  const int count = backtrace(frames.data(), kMost);
  std::string text;
  unsigned kept = 0;
  const auto end = frames.begin() + count;
  auto frame = from == nullptr ? frames.begin() : std::find(frames.begin(), end, from);
  for (; frame != end && kept < kKept; ++frame) {
    // A return address stands behind its call.
    const void* const call = static_cast<const char*>(*frame) - (*frame == from ? 0 : 1);
    Dl_info module;
    if (dladdr(call, &module) == 0 || module.dli_fname == nullptr ||
        is_passed_over(module.dli_fname, module.dli_fbase))
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
