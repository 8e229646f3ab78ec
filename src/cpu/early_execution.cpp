#include "cpu/early_execution.h"

#include <cstring>

#include "cpu/device_unit.h"
#include "cpu/uncached_unit.h"

namespace duet::cpu {

void EarlyExecution::run_again(const CodeEntry& code, std::uint64_t pc, std::uint64_t value) {
  again_ = true;
  value_ = value;
  execution_.registers = state_.registers;
  execution_.pc_value = pc;
  code.execute(execution_, code.instruction);
  again_ = false;
}

bool EarlyExecution::load(std::uint64_t address, unsigned bytes, std::uint64_t& value) {
  if (again_) {
    value = value_;
    return true;
  }
  if (!state_.translation.translate(address, bytes, rv64::Access::Load, access_)) [[unlikely]] {
    if (!state_.guesses) return false;
    ++state_.statistics.suppressed_loads;
    access_.count = 0;
    access_.type = rv64::MemoryType::WriteBack;
    value = access_.value = 0;
    return true;
  }
  if (access_.type != rv64::MemoryType::WriteBack) [[unlikely]] {
    if (access_.type == rv64::MemoryType::Device) return device_.stands_at(access_, rv64::Access::Load);
    value = access_.value = uncached_.read(access_);
    return true;
  }
  value = access_.value = read(access_, state_.stores.next());
  return true;
}

bool EarlyExecution::may_store(std::uint64_t address, unsigned bytes) {
  if (!state_.translation.translate(address, bytes, rv64::Access::Store, access_)) return false;
  return access_.type != rv64::MemoryType::Device || device_.stands_at(access_, rv64::Access::Store);
}

void EarlyExecution::read_piece(const Piece& piece, std::byte* to, std::uint64_t stores) {
  if (const PrivateLine* const held = state_.caches.find_for_data(state_.line_of(piece.physical)))
    std::memcpy(to, held->bytes + (piece.physical & state_.line_mask), piece.bytes);
  else
    state_.view.peek(PhysicalAddress(piece.physical), piece.bytes, to, state_.number);
  if (state_.stores.may_hold(piece)) state_.stores.put_over(piece, to, stores);
}

}  // namespace duet::cpu
