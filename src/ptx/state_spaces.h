// Where the state spaces lie in the generic address space, and the addresses of functions. Global and
// constant addresses are virtual addresses of the AddressSpace as they are, constants in a window of their
// own; shared, local and parameter space are windows far above anything a host or device allocation uses.
#pragma once

#include <string_view>

#include "base/units.h"

namespace duet::ptx {

inline constexpr Address kSharedWindow = 0x4000'0000'0000'0000;
inline constexpr Address kLocalWindow = 0x4100'0000'0000'0000;
inline constexpr Address kParamWindow = 0x4200'0000'0000'0000;
inline constexpr Address kConstWindow = 0x0f00'0000'0000'0000;
// No data lies here. Functions count through all modules of a process, so no two have one address.
inline constexpr Address kCodeWindow = 0x4300'0000'0000'0000;
inline constexpr Bytes kFunctionSpacing = 16;
constexpr Address function_address(std::uint64_t number) {
  return kCodeWindow + (number + 1) * kFunctionSpacing;
}
// A kernel's address in device code that launches it: made of its name, so it is the same in all modules
// (FNV-1a; the window's number is kept).
inline constexpr Address kKernelWindow = 0x4400'0000'0000'0000;
constexpr Address kernel_address(std::string_view name) {
  std::uint64_t hash = 0xcbf2'9ce4'8422'2325;
  for (const char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100'0000'01b3;
  return kKernelWindow | (hash & 0xffff'ffff'ffff);
}
inline constexpr Bytes kWindowBytes = 0x1'0000'0000;

}  // namespace duet::ptx
