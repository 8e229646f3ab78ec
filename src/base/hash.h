// A number for a text, the same on every machine and in every run: hash("b", hash("a")) is the hash of "ab".
// FNV-1a of 64 bits (Fowler, Noll, Vo), for names of files; no defence against made collisions.
#pragma once

#include <cstdint>
#include <string_view>

namespace duet {

constexpr std::uint64_t kHashOfNothing = 0xcbf29ce484222325u;

constexpr std::uint64_t hash(std::string_view text, std::uint64_t before = kHashOfNothing) {
  for (const char byte : text) before = (before ^ static_cast<unsigned char>(byte)) * 0x100000001b3u;
  return before;
}

}  // namespace duet
