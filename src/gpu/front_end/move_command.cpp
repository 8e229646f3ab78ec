#include "gpu/front_end/move_command.h"

#include "base/error.h"

namespace duet::gpu {

namespace {

constexpr std::uint64_t kLow32 = 0xffff'ffff;

DataMove read_copy(const PushBufferCommand& command) {
  const auto& words = command.words;
  DataMove move;
  move.flags = words[0] & (kCopyFromHost | kCopyToHost | kCopyFromPhysical | kCopyToPhysical);
  const std::uint64_t trigger = (words[0] >> kCopyTriggerShift) & 3;
  const std::uint64_t action = (words[0] >> kCopyActionShift) & 3;
  if (words[0] != (move.flags | trigger << kCopyTriggerShift | action << kCopyActionShift) || trigger == 3 ||
      action == 3)
    throw Error("CopyRange with unknown flags");
  move.trigger = static_cast<memory::Trigger>(trigger);
  move.action = static_cast<memory::Action>(action);
  // Otherwise it would not be clear which side is meant.
  const std::uint64_t host = move.flags & (kCopyFromHost | kCopyToHost);
  if ((trigger != 0 || action != 0) && host != kCopyFromHost && host != kCopyToHost)
    throw Error("CopyRange with trigger or action, but not between host and device");
  move.to = words[1];
  move.from = words[2];
  move.width_bytes = words[3];
  move.rows = words[4] & kLow32;
  move.slices = words[4] >> 32;
  move.to_row_pitch = words[5];
  move.to_slice_pitch = words[6];
  move.from_row_pitch = words[7];
  move.from_slice_pitch = words[8];
  return move;
}

DataMove read_fill(const PushBufferCommand& command) {
  const auto& words = command.words;
  DataMove move;
  move.to = words[0];
  move.width_bytes = words[1];
  move.rows = words[2];
  move.to_row_pitch = words[3];
  move.pattern = static_cast<std::uint32_t>(words[4]);
  move.pattern_bytes = static_cast<unsigned>(words[4] >> 32);
  if (move.pattern_bytes == 0 || move.pattern_bytes > 4 || move.pattern_bytes == 3)
    throw Error("FillRange with a pattern of " + std::to_string(move.pattern_bytes) + " bytes");
  return move;
}

DataMove read_bits(const PushBufferCommand& command) {
  const auto& words = command.words;
  DataMove move;
  move.bits_only = true;
  move.to = words[0];
  move.width_bytes = words[1];
  if (words[2] > static_cast<std::uint64_t>(memory::Action::Empty))
    throw Error("FullEmptyRange with action " + std::to_string(words[2]));
  move.action = static_cast<memory::Action>(words[2]);
  return move;
}

DataMove read_cache(const PushBufferCommand& command) {
  const auto& words = command.words;
  DataMove move;
  move.to = words[0];
  move.width_bytes = words[1];
  move.cache_operations = words[2];
  if (words[2] == 0 || words[2] > (kCacheClean | kCacheInvalidate))
    throw Error("CacheRange with operations " + std::to_string(words[2]));
  return move;
}

}  // namespace

void write_move(PushBufferWriter& writer, const DataMove& move) {
  if (move.cache_operations != 0) {
    writer.command(PushBufferOpcode::CacheRange, {move.to, move.width_bytes, move.cache_operations});
  } else if (move.bits_only) {
    writer.command(PushBufferOpcode::FullEmptyRange,
                   {move.to, move.width_bytes, static_cast<std::uint64_t>(move.action)});
  } else if (move.pattern_bytes != 0) {
    writer.command(PushBufferOpcode::FillRange,
                   {move.to, move.width_bytes, move.rows, move.to_row_pitch,
                    move.pattern | static_cast<std::uint64_t>(move.pattern_bytes) << 32});
  } else {
    const std::uint64_t flags = move.flags | static_cast<std::uint64_t>(move.trigger) << kCopyTriggerShift |
                                static_cast<std::uint64_t>(move.action) << kCopyActionShift;
    writer.command(PushBufferOpcode::CopyRange,
                   {flags, move.to, move.from, move.width_bytes, move.rows | move.slices << 32,
                    move.to_row_pitch, move.to_slice_pitch, move.from_row_pitch, move.from_slice_pitch});
  }
}

DataMove read_move(const PushBufferCommand& command) {
  switch (command.opcode) {
    case PushBufferOpcode::CopyRange:
      return read_copy(command);
    case PushBufferOpcode::FillRange:
      return read_fill(command);
    case PushBufferOpcode::FullEmptyRange:
      return read_bits(command);
    case PushBufferOpcode::CacheRange:
      return read_cache(command);
    default:
      throw Error(std::string(push_buffer_command_name(command.opcode)) + " is no move");
  }
}

}  // namespace duet::gpu
