#include "gpu/front_end/push_buffer.h"

#include <cstring>
#include <string>

#include "base/error.h"
#include "base/units.h"

namespace duet::gpu {

namespace {

struct Format {
  const char* name;
  std::size_t words;
};
constexpr std::array<Format, kPushBufferOpcodes + 1> kFormats = {{{"", 0},
                                                                  {"DefineSemaphore", 2},
                                                                  {"AcquireSemaphore", 2},
                                                                  {"SetLaunchID", 1},
                                                                  {"SetRefCntValue", 1},
                                                                  {"ResetRefCnt", 0},
                                                                  {"WaitRefCnt", 0},
                                                                  {"Launch", 2},
                                                                  {"SetParameterSize", 1},
                                                                  {"Parameter", 1},
                                                                  {"ReleaseSemaphore", 2},
                                                                  {"SetStream", 2},
                                                                  {"SetProgram", 6},
                                                                  {"CopyRange", 9},
                                                                  {"FillRange", 5},
                                                                  {"FullEmptyRange", 3},
                                                                  {"CacheRange", 3}}};
constexpr std::size_t kWordBytes = 8;
constexpr std::byte kLastFlag{1};

std::uint16_t payload_bytes_of(std::span<const std::byte> bytes) {
  std::uint16_t payload = 0;
  std::memcpy(&payload, bytes.data() + 2, sizeof payload);
  return payload;
}

}  // namespace

const char* push_buffer_command_name(PushBufferOpcode opcode) {
  return kFormats[static_cast<std::size_t>(opcode)].name;
}

void PushBufferWriter::header(PushBufferOpcode opcode, std::size_t payload_bytes) {
  last_header_ = bytes_.size();
  const auto payload = static_cast<std::uint16_t>(payload_bytes);
  bytes_.resize(bytes_.size() + kPushBufferHeaderBytes);
  bytes_[last_header_] = static_cast<std::byte>(opcode);
  std::memcpy(&bytes_[last_header_ + 2], &payload, sizeof payload);
}

void PushBufferWriter::command(PushBufferOpcode opcode, std::initializer_list<std::uint64_t> words) {
  header(opcode, words.size() * kWordBytes);
  const auto* first = reinterpret_cast<const std::byte*>(words.begin());
  bytes_.insert(bytes_.end(), first, first + words.size() * kWordBytes);
}

void PushBufferWriter::parameter(std::uint64_t offset, std::span<const std::byte> data) {
  // The payload is a multiple of 4 bytes; how many of the last four are padding stands in the word's top.
  const std::size_t padded = round_up<std::size_t>(data.size(), 4);
  header(PushBufferOpcode::Parameter, kWordBytes + padded);
  const std::uint64_t word = offset | (static_cast<std::uint64_t>(padded - data.size()) << 32);
  const auto* first = reinterpret_cast<const std::byte*>(&word);
  bytes_.insert(bytes_.end(), first, first + kWordBytes);
  bytes_.insert(bytes_.end(), data.begin(), data.end());
  bytes_.resize(bytes_.size() + padded - data.size());
}

void PushBufferWriter::mark_last() { bytes_[last_header_ + 1] |= kLastFlag; }

std::optional<std::size_t> push_buffer_command_bytes(std::span<const std::byte> bytes) {
  if (bytes.size() < kPushBufferHeaderBytes) return std::nullopt;
  return kPushBufferHeaderBytes + payload_bytes_of(bytes);
}

PushBufferCommand decode_push_buffer_command(std::span<const std::byte> bytes) {
  const auto number = static_cast<unsigned>(bytes[0]);
  if (number == 0 || number > kPushBufferOpcodes)
    throw Error("push buffer: unknown command " + std::to_string(number));
  PushBufferCommand command;
  command.opcode = static_cast<PushBufferOpcode>(number);
  command.last = (bytes[1] & kLastFlag) != std::byte{0};
  const std::size_t payload = payload_bytes_of(bytes);
  const std::size_t words = kFormats[number].words * kWordBytes;
  const bool parameter = command.opcode == PushBufferOpcode::Parameter;
  if (payload < words || (!parameter && payload != words) ||
      payload > words + (parameter ? kMaxParameterChunkBytes : 0) ||
      bytes.size() < kPushBufferHeaderBytes + payload)
    throw Error("push buffer: " + std::string(kFormats[number].name) + " with a payload of " +
                std::to_string(payload) + " bytes");
  std::memcpy(command.words.data(), bytes.data() + kPushBufferHeaderBytes, words);
  if (parameter) {
    const std::uint64_t padding = command.words[0] >> 32;
    command.words[0] &= 0xffff'ffff;
    if (padding > payload - words) throw Error("push buffer: Parameter with more padding than payload");
    command.data_bytes = payload - words - padding;
    std::memcpy(command.data.data(), bytes.data() + kPushBufferHeaderBytes + words, command.data_bytes);
  }
  return command;
}

}  // namespace duet::gpu
