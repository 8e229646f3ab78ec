#include "guest/lasting_room.h"

#include <algorithm>
#include <cstring>
#include <map>

namespace duet::guest {

namespace {

constexpr Bytes kAlignment = 16, kPage = 4096, kChunk = 16 * kPage;

struct Room {
  std::uint64_t first = 0;
  Bytes bytes = 0;
};

}  // namespace

std::uint64_t lasting_room(process::ProgramSide& program, const void* owner, Bytes bytes) {
  static auto* const rooms = new std::map<const void*, Room>;
  static Room free;
  Room& room = (*rooms)[owner];
  if (room.bytes >= bytes && room.first != 0) return room.first;
  bytes = round_up(std::max<Bytes>(bytes, 1), kAlignment);
  if (free.bytes < bytes) {
    const Bytes more = round_up(std::max(bytes, kChunk), kPage);
    const auto first = reinterpret_cast<std::uintptr_t>(program.allocate(more, false));
    if (first == 0) return 0;
    free = {first, more};
  }
  room = {free.first, bytes};
  free.first += bytes;
  free.bytes -= bytes;
  return room.first;
}

std::uint64_t lasting_copy(process::ProgramSide& program, const void* owner, const void* from, Bytes bytes) {
  const std::uint64_t there = lasting_room(program, owner, bytes);
  if (there != 0) program.write(reinterpret_cast<void*>(static_cast<std::uintptr_t>(there)), from, bytes);
  return there;
}

std::uint64_t lasting_text(process::ProgramSide& program, const char* text) {
  static auto* const known = new std::map<const char*, std::uint64_t>;
  std::uint64_t& there = (*known)[text];
  if (there == 0) there = lasting_copy(program, text, text, std::strlen(text) + 1);
  return there;
}

}  // namespace duet::guest
