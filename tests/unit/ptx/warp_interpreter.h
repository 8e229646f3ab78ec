// The smallest machine that runs a compiled kernel: one warp, a reconvergence stack, a flat memory. For tests
// that compare two compilations of one program.
#pragma once

#include <gtest/gtest.h>

#include <cstring>
#include <vector>

#include "gpu/warp/reconvergence_stack.h"
#include "ptx/compiler.h"
#include "ptx/semantics/semantics.h"

namespace duet::ptx {

class WarpInterpreter {
 public:
  // Every global or shared address is an offset in `memory`; parameters are read from `parameters`.
  WarpInterpreter(Kernel kernel, std::vector<std::byte>& memory, const std::vector<std::byte>& parameters)
      : kernel_(std::move(kernel)), memory_(memory) {
    bind_handlers(kernel_);
    registers_.resize((kernel_.register_slots + 2) * 32, 0xdeadbeef);
    predicates_.resize(kernel_.predicates + 1, 0x5555'5555);
    immediates_.resize((kernel_.immediate_slots + 2) * 32);
    parameters_.resize((kernel_.parameter_slot_count + 2) * 32);
    warp_bank_.resize(static_cast<unsigned>(WarpSlot::Count) * 32);
    block_bank_.resize(static_cast<unsigned>(BlockSlot::Count) * 32, 1);
    for (const Immediate& i : kernel_.immediates) broadcast(immediates_, i.slot, i.bytes, i.value);
    for (const ParameterSlot& p : kernel_.parameter_slots) {
      std::uint64_t value = 0;
      std::memcpy(&value, parameters.data() + p.offset, type_bytes(p.type));
      broadcast(parameters_, p.slot, type_bytes(p.type) == 8 ? 8 : 4, value);
    }
    for (unsigned lane = 0; lane < 32; ++lane) warp_bank_[lane] = lane;  // TidX
    const std::vector<std::uint32_t>* banks[] = {&registers_, &warp_bank_, &block_bank_, &parameters_,
                                                 &immediates_};
    // Banks lie at 64-byte boundaries.
    for (unsigned b = 0; b < kLaneArrayBanks; ++b) {
      aligned_[b].resize(banks[b]->size() * 4 + 64);
      auto* at = reinterpret_cast<std::byte*>((reinterpret_cast<std::uintptr_t>(aligned_[b].data()) + 63) &
                                              ~std::uintptr_t{63});
      std::memcpy(at, banks[b]->data(), banks[b]->size() * 4);
      warp_.banks[b] = at;
    }
    warp_.registers = const_cast<std::byte*>(warp_.banks[0]);
    warp_.predicates = predicates_.data();
  }

  // Runs the lanes given to the end. False when the program does not end in a million steps.
  bool run(std::uint64_t lanes) {
    gpu::ReconvergenceStack stack;
    stack.start(lanes);
    for (unsigned step = 0; step < 1'000'000; ++step) {
      if (stack.empty()) return true;
      const auto path = stack.top();
      if (path.pc >= kernel_.code.size()) {
        ADD_FAILURE() << "ran past the end";
        return false;
      }
      const MicroOp& op = kernel_.code[path.pc];
      const std::uint64_t active = guarded_lanes(warp_, op, path.lanes);
      if (op.kind == Kind::Branch) {
        if (active == 0)
          stack.move_to(path.pc + 1);
        else if (active == path.lanes)
          stack.move_to(op.target);
        else
          stack.diverge(active, op.target, path.pc + 1, op.reconvergence);
        continue;
      }
      if (op.kind == Kind::Exit) {
        if (active != path.lanes) stack.move_to(path.pc + 1);
        stack.exit(active);
        continue;
      }
      if (op.kind == Kind::Load || op.kind == Kind::Store)
        access(op, active);
      else if (op.kind == Kind::Arithmetic || op.kind == Kind::Exchange)
        op.handler32(warp_, op, active);
      else
        ADD_FAILURE() << "an instruction this machine does not have";
      stack.move_to(path.pc + 1);
    }
    return false;
  }

 private:
  static void broadcast(std::vector<std::uint32_t>& bank, std::uint32_t slot, unsigned bytes,
                        std::uint64_t value) {
    for (unsigned lane = 0; lane < 32; ++lane)
      std::memcpy(reinterpret_cast<std::byte*>(bank.data() + std::size_t{slot} * 32) + lane * bytes, &value,
                  bytes);
  }
  void access(const MicroOp& op, std::uint64_t lanes) {
    std::uint64_t addresses[32];
    generate_addresses(warp_, op, lanes, addresses);
    const unsigned bytes = access_bytes(op);
    std::vector<std::byte> payload(32 * 16);
    if (op.kind == Kind::Store) read_store_values(warp_, op, lanes, payload.data(), 16);
    for (unsigned i = 0; i < 32; ++i) {
      if (((lanes >> i) & 1) == 0) continue;
      if (addresses[i] + bytes > memory_.size()) {
        ADD_FAILURE() << "address " << addresses[i] << " lies outside the memory";
        return;
      }
      if (op.kind == Kind::Store)
        std::memcpy(memory_.data() + addresses[i], payload.data() + i * 16, bytes);
      else
        std::memcpy(payload.data() + i * 16, memory_.data() + addresses[i], bytes);
    }
    if (op.kind == Kind::Load) write_back(warp_, op, lanes, payload.data(), 16);
  }

  Kernel kernel_;
  std::vector<std::byte>& memory_;
  std::vector<std::uint32_t> registers_, immediates_, parameters_, warp_bank_, block_bank_;
  std::vector<std::uint64_t> predicates_;
  std::vector<std::byte> aligned_[kLaneArrayBanks];
  Warp<32> warp_;
};

}  // namespace duet::ptx
