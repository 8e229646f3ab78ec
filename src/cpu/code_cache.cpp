#include "cpu/code_cache.h"

#include <cstring>

#include "cpu/execute.h"
#include "cpu/memory_view.h"
#include "rv64/decode.h"

namespace duet::cpu {
namespace {

using rv64::Kind;
using rv64::Opcode;

constexpr std::int64_t kRead = 2, kWrite = 1, kOutput = 4, kInput = 8;

bool orders(const rv64::Instruction& fence, std::int64_t before, std::int64_t after) {
  return (fence.immediate >> 4 & before) != 0 && (fence.immediate & after) != 0;
}

// A fence of stores before loads, or before stores to device pages: these bypass the store buffer. For other
// fences this core's order is stronger where pages are cached: loads are performed in order as far as anybody
// can tell, and stores leave the buffer in order.
bool drains_stores(const rv64::Instruction& fence) {
  return orders(fence, kWrite | kOutput, kRead | kInput | kOutput);
}

Treatment treatment_of(const rv64::Instruction& instruction) {
  if (instruction.opcode == Opcode::Illegal || instruction.opcode == Opcode::Ecall ||
      instruction.opcode == Opcode::Ebreak)
    return Treatment::Trap;
  switch (rv64::info_of(instruction.opcode).kind) {
    case Kind::Integer:
      return Treatment::Integer;
    case Kind::Multiply:
      return Treatment::Multiply;
    case Kind::Divide:
      return Treatment::Divide;
    case Kind::Branch:
      return Treatment::Branch;
    case Kind::Jump:
      return Treatment::Jump;
    case Kind::Load:
      return Treatment::Load;
    case Kind::Store:
      return Treatment::Store;
    case Kind::Atomic:
      return Treatment::Atomic;
    case Kind::Fence:
      return instruction.opcode == Opcode::FenceI || drains_stores(instruction) ? Treatment::DrainStores
                                                                                : Treatment::Nothing;
    case Kind::System:
      return Treatment::Serial;
    case Kind::FloatAdd:
      return Treatment::FloatAdd;
    case Kind::FloatMultiply:
      return Treatment::FloatMultiply;
    case Kind::FloatFused:
      return Treatment::FloatFused;
    case Kind::FloatDivide:
      return Treatment::FloatDivide;
    case Kind::FloatSquareRoot:
      return Treatment::FloatSquareRoot;
    case Kind::FloatMove:
      return Treatment::FloatMove;
    case Kind::FloatConvert:
      return Treatment::FloatConvert;
  }
  return Treatment::Trap;
}

}  // namespace

CodeEntry decode_entry(std::uint32_t bits) {
  CodeEntry entry;
  entry.instruction = rv64::decode(bits);
  entry.decoded = true;
  const rv64::Instruction& instruction = entry.instruction;
  const Opcode opcode = instruction.opcode;
  entry.execute = execute_function(opcode);
  entry.treatment = treatment_of(instruction);
  if (opcode == Opcode::Fence) {
    entry.orders_loads = orders(instruction, kRead | kInput, kRead | kInput);
    entry.orders_stores = orders(instruction, kWrite | kOutput, kWrite | kOutput);
  }
  const auto x = [](std::uint8_t number) { return number == 0 ? kNoRegister : number; };
  const auto f = [](std::uint8_t number) { return static_cast<std::uint8_t>(32 + number); };
  if (rv64::has_operand(opcode, 'd')) entry.destination = x(instruction.rd);
  if (rv64::has_operand(opcode, 'D')) entry.destination = f(instruction.rd);
  if (rv64::has_operand(opcode, 's')) entry.sources[0] = x(instruction.rs1);
  if (rv64::has_operand(opcode, 'S')) entry.sources[0] = f(instruction.rs1);
  if (rv64::has_operand(opcode, 't')) entry.sources[1] = x(instruction.rs2);
  if (rv64::has_operand(opcode, 'T')) entry.sources[1] = f(instruction.rs2);
  if (rv64::has_operand(opcode, 'R')) entry.sources[2] = f(instruction.rs3);
  return entry;
}

std::uint16_t CodeCache::half_word(VirtualAddress address, const rv64::Page& page) {
  std::array<std::byte, 2> bytes;
  const Bytes offset = address % rv64::kPageBytes;
  if (view_ != nullptr)
    view_->peek(view_->physical_of(page.bytes) + offset, bytes.size(), bytes.data(), core_);
  else
    std::memcpy(bytes.data(), page.bytes + offset, bytes.size());
  std::uint16_t value;
  std::memcpy(&value, bytes.data(), sizeof value);
  return value;
}

const CodeEntry* CodeCache::decode(std::uint64_t pc) {
  const std::uint64_t number = pc >> rv64::kPageShift;
  if (number != last_number_) {
    std::unique_ptr<Page>& page = pages_[number];
    if (page == nullptr) page = std::make_unique<Page>();
    last_ = page.get();
    last_number_ = number;
  }
  CodeEntry& entry = (*last_)[pc % rv64::kPageBytes / 2];
  if (entry.decoded) return &entry;
  std::uint32_t bits = 0;
  for (unsigned half = 0; half < 2; ++half) {
    const std::uint64_t address = pc + 2 * half;
    const rv64::Page page = view_ != nullptr
                                ? view_->page_of(VirtualAddress(address), rv64::Access::Fetch, core_)
                                : memory_.find_page(VirtualAddress(address), rv64::Access::Fetch);
    if (page.bytes == nullptr || !page.rights.execute) {
      fault_ = {address, rv64::Access::Fetch, false, page.bytes != nullptr};
      return nullptr;
    }
    const std::uint16_t part = half_word(VirtualAddress(address), page);
    bits |= std::uint32_t{part} << 16 * half;
    memory_.watch_code(VirtualAddress(address).aligned_down(rv64::kPageBytes));
    if (rv64::is_compressed(bits)) break;
  }
  entry = decode_entry(bits);
  return &entry;
}

void CodeCache::code_changed(VirtualAddress first, std::uint64_t pages) {
  const std::uint64_t first_number = first >> rv64::kPageShift;
  // An instruction of the page before may reach into the first of them. The entries stay where they are: the
  // writing core may be about to execute one.
  for (auto& [number, page] : pages_)
    if (number + 1 - first_number <= pages)
      for (CodeEntry& entry : *page) entry.decoded = false;
}

}  // namespace duet::cpu
