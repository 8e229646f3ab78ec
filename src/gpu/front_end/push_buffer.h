// Push-buffer commands as bytes: hu2016 Table III's nine commands in its spelling, plus the needs of a real
// stream: the stream and kernel of the commands, data moves, and semaphore release. A command is a 4-byte
// header (opcode, flags, payload bytes) and a payload of little-endian 64-bit words; of Parameter the first
// word is an offset and bytes follow, padded to 4. `Launch` stands for one Launch per block, run-length
// coded: first block and count. The last command of a push-buffer stream is flagged.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <vector>

#include "base/units.h"

namespace duet::gpu {

enum class PushBufferOpcode : std::uint8_t {
  DefineSemaphore = 1,  // semaphore, address
  AcquireSemaphore,     // semaphore, least value
  SetLaunchID,          // launch id
  SetRefCntValue,       // blocks
  ResetRefCnt,          //
  WaitRefCnt,           //
  Launch,               // first block, count
  SetParameterSize,     // bytes
  Parameter,            // offset, bytes...
  ReleaseSemaphore,     // semaphore, value
  SetStream,            // stream | priority << 32, the driver's number of the command
  SetProgram,           // kernel slot, grid x|y<<32, grid z|block x<<32, block y|z<<32, shared bytes, flags
  CopyRange,  // flags, to, from, width, rows|slices<<32, to row and slice pitch, from row and slice pitch
  FillRange,  // address, width, rows, row pitch, pattern | pattern bytes << 32
  FullEmptyRange,  // address, bytes, action on the full/empty bits (memory::Action; None: what waits is
                   // released)
  CacheRange       // address, bytes (memory::CacheCommand::kWhole: all of L2), operations on L2
};
inline constexpr unsigned kPushBufferOpcodes = 16;
const char* push_buffer_command_name(PushBufferOpcode opcode);

// Flags of CopyRange. Bits 0 and 1: at which side of the link its ends lie. Bits 8 and 9: memory::Trigger,
// bits 10 and 11: memory::Action of the accesses to its device side; only for copies across the link.
inline constexpr std::uint64_t kCopyFromHost = 1, kCopyToHost = 2;
// That end is named by its physical address: host memory that no page table maps.
inline constexpr std::uint64_t kCopyFromPhysical = 4, kCopyToPhysical = 8;
inline constexpr unsigned kCopyTriggerShift = 8, kCopyActionShift = 10;
// Operations of CacheRange; both: first the one, then the other.
inline constexpr std::uint64_t kCacheClean = 1, kCacheInvalidate = 2;
// Flags of SetProgram.
inline constexpr std::uint64_t kProgramCooperative = 1;

inline constexpr std::size_t kPushBufferHeaderBytes = 4;
inline constexpr std::size_t kMaxParameterChunkBytes = 64;
inline constexpr std::size_t kMaxPushBufferWords = 9;

struct PushBufferCommand {
  PushBufferOpcode opcode = PushBufferOpcode::Launch;
  bool last = false;
  std::array<std::uint64_t, kMaxPushBufferWords> words{};
  std::array<std::byte, kMaxParameterChunkBytes> data{};  // Parameter only
  std::size_t data_bytes = 0;
};

class PushBufferWriter {
 public:
  explicit PushBufferWriter(std::vector<std::byte>& bytes) : bytes_(bytes) {}
  void command(PushBufferOpcode opcode, std::initializer_list<std::uint64_t> words);
  void parameter(std::uint64_t offset, std::span<const std::byte> data);
  void mark_last();  // flags the command written last

 private:
  void header(PushBufferOpcode opcode, std::size_t payload_bytes);
  std::vector<std::byte>& bytes_;
  std::size_t last_header_ = 0;
};

// Bytes of the command that begins at `bytes`, header included; nothing when its header is not complete.
std::optional<std::size_t> push_buffer_command_bytes(std::span<const std::byte> bytes);
// Decodes a complete command. Throws duet::Error for an unknown opcode or a payload of a wrong size.
PushBufferCommand decode_push_buffer_command(std::span<const std::byte> bytes);

}  // namespace duet::gpu
