#include "cpu/device_unit.h"

#include <algorithm>
#include <cstring>

#include "cpu/early_execution.h"
#include "cpu/front_end.h"
#include "cpu/serial_unit.h"
#include "cpu/uncached_unit.h"

namespace duet::cpu {

bool DeviceUnit::stands_at(const Access& access, rv64::Access kind) {
  standing_ = access.address % access.bytes == 0;
  if (!standing_) state_.translation.set_fault({access.address, kind, true, true});
  return false;
}

bool DeviceUnit::begin(const CodeEntry& code) {
  Cycle cycle = 0;
  const std::uint64_t before = state_.window.squashes();
  const bool empty = serial_.window_empties(false, cycle);
  if (state_.window.squashes() != before) return true;
  if (!empty) return false;
  const bool writes = code.treatment == Treatment::Store;
  const Access& access = execution_.access();
  request_ =
      uncached_.make_request(writes ? memory::Operation::Write : memory::Operation::Read, access.pieces[0]);
  code_ = &code;
  front_end_.stop();
  const std::uint64_t stored = execution_.stored();
  if (writes) std::memcpy(uncached_.request(request_).data.data(), &stored, access.bytes);
  uncached_.send_device(std::max(cycle, state_.ahead.now()), request_);
  return false;
}

void DeviceUnit::end() {
  const memory::Request& request = uncached_.request(std::exchange(request_, memory::kNoRequest));
  front_end_.start();
  if (state_.registers == nullptr) return;  // the program has ended
  CoreStatistics& statistics = state_.statistics;
  const Cycle now = state_.ahead.now();
  const bool reads = request.operation == memory::Operation::Read;
  state_.dispatch_in(now, Cause::Serial);
  ++statistics.instructions;
  ++statistics.serial;
  ++statistics.device_accesses;
  ++(reads ? statistics.loads : statistics.stores);
  const std::uint64_t pc = state_.registers->pc;
  if (reads) {
    std::uint64_t value = 0;
    std::memcpy(&value, request.data.data(), request.bytes);
    execution_.run_again(*code_, pc, value);
    if (code_->destination != kNoRegister) state_.status.set(code_->destination, now);
  }
  serial_.go_on(pc + code_->instruction.length, now + 1);
}

}  // namespace duet::cpu
