// Writes the kernel's final form: slots for operands, indices for labels, units and weights.
#include <bit>
#include <map>
#include <tuple>

#include "ptx/decode/opcode_table.h"
#include "ptx/passes/passes.h"
#include "ptx/passes/reconvergence.h"

namespace duet::ptx {

using ir::Function;
using ir::Instruction;
using ir::kNone;
using ir::Pseudo;
using ir::Value;
using ir::ValueKind;

bool waits_for_members(const MicroOp& op) {
  switch (op.opcode) {
    case Opcode::Shfl:
      return op.source_count == 4;
    case Opcode::Vote:
      return op.source_count == 2;
    case Opcode::Match:
    case Opcode::Redux:
    case Opcode::Elect:
      return true;
    default:
      return false;
  }
}

namespace {

class Emitter {
 public:
  Emitter(const Function& function, const ControlFlow& flow, const Allocation& allocation,
          const std::vector<std::int32_t>& variable_number, Kernel& kernel)
      : function_(function),
        flow_(flow),
        allocation_(allocation),
        variable_number_(variable_number),
        kernel_(kernel) {}

  void run() {
    place_blocks();
    const auto meeting = reconvergence_blocks(function_, flow_);
    const auto waiting = kernel_.independent_threads ? waiting_loops(function_, flow_)
                                                     : std::vector<bool>(flow_.blocks.size());
    for (Kernel::CalledFunction& called : kernel_.called_functions)
      called.entry = block_start_[flow_.block_of_label[called.entry]];
    for (std::uint32_t b = 0; b < flow_.blocks.size(); ++b) {
      if (!reachable_[b]) continue;
      for (std::uint32_t i = flow_.blocks[b].begin; i < flow_.blocks[b].end; ++i) {
        const Instruction& in = function_.code[i];
        if (in.pseudo != Pseudo::None) continue;
        kernel_.code.push_back(micro_op(in));
        MicroOp& op = kernel_.code.back();
        if (op.kind == Kind::Branch) op.target = block_start_[flow_.block_of_label[in.label]];
        if (op.kind == Kind::BranchIndexed || op.kind == Kind::Return) op.target = branch_table(in.label);
        if (op.kind == Kind::Call) {
          op.target = block_start_[flow_.block_of_label[in.label]];
          op.reconvergence = block_start_[flow_.block_of_label[in.return_label]];
        }
        if (op.kind == Kind::Branch || op.kind == Kind::BranchIndexed)
          op.reconvergence = meeting[b] == kNone ? block_start_.back() : block_start_[meeting[b]];
        op.may_wait = op.kind == Kind::Branch && waiting[b] && op.target < kernel_.code.size();
        if (kernel_.independent_threads && waits_for_members(op)) op.kind = Kind::Exchange;
        kernel_.machine_instructions += op.machine_instructions;
      }
    }
    if (has_cluster_barrier_ && kernel_.barriers > kClusterBarrier)
      throw ir::Unsupported{"PTX 'barrier.cluster' beside a barrier with number " +
                            std::to_string(kClusterBarrier) +
                            ", or with one in a register, is not supported"};
  }

 private:
  void place_blocks() {
    reachable_.assign(flow_.blocks.size(), false);
    for (const auto b : flow_.reverse_postorder) reachable_[b] = true;
    std::uint32_t index = 0;
    for (const Block& block : flow_.blocks) {
      block_start_.push_back(index);
      if (!reachable_[block_start_.size() - 1]) continue;
      for (std::uint32_t i = block.begin; i < block.end; ++i)
        index += function_.code[i].pseudo == Pseudo::None;
    }
    block_start_.push_back(index);
  }

  std::uint32_t branch_table(std::uint32_t table) {
    std::vector<std::uint32_t> targets;
    for (const auto label : function_.branch_tables[table])
      targets.push_back(block_start_[flow_.block_of_label[label]]);
    kernel_.branch_tables.push_back(std::move(targets));
    const auto addresses = function_.code_addresses.find(table);
    kernel_.code_addresses.push_back(addresses == function_.code_addresses.end() ? std::vector<Address>{}
                                                                                 : addresses->second);
    return static_cast<std::uint32_t>(kernel_.branch_tables.size() - 1);
  }

  std::uint32_t immediate(std::uint64_t value, unsigned bytes, std::int32_t variable) {
    const auto [found, fresh] = immediates_.try_emplace({value, bytes, variable}, 0u);
    if (fresh) {
      std::uint32_t slot = kernel_.immediate_slots;
      if (bytes == 8) slot = round_up(slot, 2u);
      found->second = slot;
      kernel_.immediate_slots = slot + bytes / 4;
      kernel_.immediates.push_back({value, static_cast<std::uint8_t>(bytes), variable, slot});
    }
    return found->second;
  }
  std::uint32_t parameter(std::uint64_t at, Type type) {
    auto offset = static_cast<std::uint32_t>(at);
    if (at >= ir::kEnvironment) {
      const auto word = static_cast<std::uint32_t>(at - ir::kEnvironment);
      kernel_.environment_words = std::max(kernel_.environment_words, word / 4 + 1);
      kernel_.parameter_bytes = kernel_.environment_offset + Bytes{4} * kernel_.environment_words;
      offset = static_cast<std::uint32_t>(kernel_.environment_offset) + word;
    }
    const auto [found, fresh] = parameters_.try_emplace({offset, type}, 0u);
    if (fresh) {
      std::uint32_t slot = kernel_.parameter_slot_count;
      if (type_bytes(type) == 8) slot = round_up(slot, 2u);
      found->second = slot;
      kernel_.parameter_slot_count = slot + ir::slots_of(type);
      kernel_.parameter_slots.push_back({offset, type, slot});
    }
    return found->second;
  }

  Operand operand(const Value& value) {
    Operand result;
    result.negate = value.negate;
    result.absolute = value.absolute;
    const unsigned bytes = type_bytes(value.type) == 8 ? 8 : 4;
    switch (value.kind) {
      case ValueKind::Register:
        result.bank = function_.registers[value.index] == Type::Pred ? Bank::Predicate : Bank::Register;
        result.slot = allocation_.slot[value.index];
        break;
      case ValueKind::Warp:
        result.bank = Bank::Warp;
        result.slot = value.index;
        break;
      case ValueKind::Block:
        result.bank = Bank::Block;
        result.slot = value.index;
        break;
      case ValueKind::Parameter:
        result.bank = Bank::Parameter;
        result.slot = parameter(value.bits, value.storage);
        break;
      case ValueKind::Variable:
        result.bank = Bank::Immediate;
        result.slot = immediate(value.bits, bytes, variable_number_[value.index]);
        break;
      default:
        result.bank = Bank::Immediate;
        result.slot = immediate(value.bits, bytes, -1);
        break;
    }
    return result;
  }

  MicroOp micro_op(const Instruction& in) {
    MicroOp op = in.op;
    if (in.guard != kNone) op.guard = static_cast<std::uint8_t>(allocation_.slot[in.guard]);
    if (in.predicate != kNone)
      op.predicate_destination = static_cast<std::uint8_t>(allocation_.slot[in.predicate]);
    if (in.predicate_second != kNone)
      op.predicate_destination_second = static_cast<std::uint8_t>(allocation_.slot[in.predicate_second]);
    for (unsigned i = 0; i < op.destination_count; ++i)
      if (in.destinations[i].is_register())
        op.destinations[i] = static_cast<std::uint16_t>(allocation_.slot[in.destinations[i].index]);
    bool power_of_two = false;
    for (unsigned i = 0; i < op.source_count; ++i) {
      op.sources[i] = operand(in.sources[i]);
      power_of_two |= i < 2 && in.sources[i].is_immediate() && std::has_single_bit(in.sources[i].bits);
    }
    const bool memory = op.kind == Kind::Load || op.kind == Kind::Store || op.kind == Kind::Atomic ||
                        op.opcode == Opcode::Prefetch;
    if (memory) {
      if (in.sources[0].kind != ValueKind::Register)
        op.address_is_64_bit = type_bytes(in.sources[0].type) == 8;
      op.uniform_address |= op.sources[0].bank != Bank::Register && op.sources[0].bank != Bank::Warp;
    }
    kernel_.names_bits |= op.names_bits();
    const auto system = static_cast<SystemFunction>(op.mode);
    kernel_.uses_heap |=
        op.kind == Kind::SystemCall && (system == SystemFunction::Malloc || system == SystemFunction::Free ||
                                        system == SystemFunction::ParameterBuffer);
    op.unit = unit_of(op);
    op.machine_instructions = static_cast<std::uint16_t>(machine_instructions_of(op, power_of_two));
    if (op.kind == Kind::Barrier && op.scope == MemoryScope::Cluster) {
      has_cluster_barrier_ = true;
    } else if (op.kind == Kind::Barrier && op.mode != static_cast<std::uint8_t>(BarrierMode::Warp)) {
      // A variable barrier number may be any of the sixteen.
      const std::uint32_t used =
          in.sources[0].is_immediate() ? static_cast<std::uint32_t>(in.sources[0].bits) + 1 : 16;
      kernel_.barriers = std::max(kernel_.barriers, used);
    }
    return op;
  }

  const Function& function_;
  const ControlFlow& flow_;
  const Allocation& allocation_;
  const std::vector<std::int32_t>& variable_number_;
  Kernel& kernel_;
  bool has_cluster_barrier_ = false;
  std::vector<bool> reachable_;             // by block; unreachable ones are not written
  std::vector<std::uint32_t> block_start_;  // and the code's size
  std::map<std::tuple<std::uint64_t, unsigned, std::int32_t>, std::uint32_t> immediates_;
  std::map<std::pair<std::uint32_t, Type>, std::uint32_t> parameters_;
};

}  // namespace

void emit(const Function& function, const ControlFlow& flow, const Allocation& allocation,
          const std::vector<std::int32_t>& variable_number, Kernel& kernel) {
  Emitter(function, flow, allocation, variable_number, kernel).run();
}

}  // namespace duet::ptx
