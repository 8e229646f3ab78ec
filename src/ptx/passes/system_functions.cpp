#include "ptx/passes/system_functions.h"

#include <string>

namespace duet::ptx {

using ir::CallSite;
using ir::Value;
using ir::ValueKind;

const SystemSignature* system_function(std::string_view name) {
  using F = SystemFunction;
  using Gives = SystemSignature::Gives;
  constexpr Type kWide = Type::U64, kWord = Type::U32, kNone = Type::None;
  static const std::vector<SystemSignature> kFunctions = {
      {"vprintf", F::Vprintf, 2, {{0, 0, kWide}, {1, 0, kWide}}, kWord},
      {"printf", F::Printf, 2, {{0, 0, kWide}, {1, 0, kWide}}, kWord},
      {"__assertfail",
       F::AssertFail,
       5,
       {{0, 0, kWide}, {1, 0, kWide}, {2, 0, kWord}, {3, 0, kWide}, {4, 0, kWide}},
       kNone},
      {"malloc", F::Malloc, 1, {{0, 0, kWide}}, kWide},
      {"free", F::Free, 1, {{0, 0, kWide}}, kNone},
      {"__cudaCDP2GetParameterBufferV2",
       F::ParameterBuffer,
       4,
       {{0, 0, kWide},
        {1, 0, kWord},
        {1, 4, kWord, true},
        {1, 8, kWord},
        {2, 0, kWord},
        {2, 4, kWord, true},
        {2, 8, kWord},
        {3, 0, kWord, true}},
       kWide},
      {"__cudaCDP2LaunchDeviceV2", F::LaunchDevice, 2, {{0, 0, kWide}, {1, 0, kWide}}, kWord},
      {"__cudaCDP2StreamCreateWithFlags", F::StreamCreate, 2, {{1, 0, kWord}}, kWide, Gives::ErrorAndStore},
      {"__cudaCDP2StreamDestroy", F::StreamDestroy, 1, {{0, 0, kWide}}, kWord},
      {"__cudaCDP2Malloc", F::Malloc, 2, {{1, 0, kWide}}, kWide, Gives::ErrorAndStore},
      {"__cudaCDP2Free", F::Free, 1, {{0, 0, kWide}}, kNone, Gives::NoError},
      {"__cudaCDP2MemcpyAsync",
       F::MemcpyAsync,
       5,
       {{0, 0, kWide}, {1, 0, kWide}, {2, 0, kWide}, {3, 0, kWord}, {4, 0, kWide}},
       kWord},
      {"__cudaCDP2GetLastError", F::GetLastError, 0, {}, kWord},
      {"__cudaCDP2PeekAtLastError", F::PeekAtLastError, 0, {}, kWord}};
  for (const auto& f : kFunctions)
    if (name == f.name) return &f;
  return nullptr;
}

// A part of the call's argument, as a register where it lies in a parameter variable.
Value SystemCalls::part_of(const CallSite& site, const SystemArgument& argument, std::uint32_t line) {
  Value value = site.arguments[argument.number];
  const bool in_variable =
      value.kind == ValueKind::Variable && module_.variables[value.index].space == StateSpace::Param;
  const Bytes end = value.bits + argument.offset + type_bytes(argument.type);
  if (in_variable ? module_.variables[value.index].bytes < end : argument.offset != 0)
    unsupported("call of '" + site.callee + "' with other parameters than it has", line);
  if (in_variable) {
    const std::uint32_t reg = new_register(argument.type);
    value.bits += argument.offset;
    load_parameter(reg, value, argument.type, line);
    value = Value::reg(reg, argument.type);
  }
  value.type = argument.type;
  return value;
}

void SystemCalls::give(const CallSite& site, const Value& value, Type type, std::uint32_t line) {
  if (site.returns.empty()) return;
  if (site.returns[0].is_register())
    move(site.returns[0].index, value, type, line);
  else if (site.returns[0].kind == ValueKind::Variable)
    store_parameter(site.returns[0], value, type, line);
}

// An error of the runtime's, and the store of the call's result.
void SystemCalls::store_through_pointer(const CallSite& site, std::uint32_t made, std::uint32_t line) {
  constexpr std::uint32_t kErrorMemoryAllocation = 2;
  Instruction store = ir::instruction(Opcode::Store, Type::U64, line);
  store.op.space = StateSpace::Generic;
  store.add_source(part_of(site, {0, 0, Type::U64}, line));
  store.add_source(Value::reg(made, Type::U64));
  code_.push_back(store);
  Instruction compare = ir::instruction(Opcode::Setp, Type::U64, line);
  compare.op.source_type = Type::U64;
  compare.op.comparison = Comparison::Eq;
  compare.predicate = new_register(Type::Pred);
  compare.add_source(Value::reg(made, Type::U64));
  compare.add_source(Value::immediate(0, Type::U64));
  code_.push_back(compare);
  const std::uint32_t error = new_register(Type::U32);
  Instruction select = ir::instruction(Opcode::Selp, Type::U32, line);
  select.add_destination(Value::reg(error, Type::U32));
  select.add_source(Value::immediate(kErrorMemoryAllocation, Type::U32));
  select.add_source(Value::immediate(0, Type::U32));
  select.add_source(Value::reg(compare.predicate, Type::Pred));
  code_.push_back(select);
  give(site, Value::reg(error, Type::U32), Type::U32, line);
}

void SystemCalls::system_call(const SystemSignature& system, const CallSite& site, std::uint32_t line) {
  if (site.arguments.size() != system.formals)
    unsupported("call of '" + std::string(system.name) + "' with other parameters than it has", line);
  Instruction in = ir::instruction(Opcode::SystemCall, system.result, line);
  in.op.mode = static_cast<std::uint8_t>(system.function);
  for (const SystemArgument& argument : system.arguments) {
    const Value value = part_of(site, argument, line);
    if (!argument.with_last) {
      in.add_source(value);
      continue;
    }
    Value& last = in.sources[in.op.source_count - 1];
    Instruction pack = ir::instruction(Opcode::Pack, Type::B64, line);
    pack.add_source(last);
    pack.add_source(value);
    for (unsigned i = 0; i < 2; ++i) pack.sources[i].type = Type::B32;
    last = Value::reg(new_register(Type::B64), Type::U64);
    pack.add_destination(Value::reg(last.index, Type::B64));
    code_.push_back(pack);
  }
  if (system.result == Type::None) {
    code_.push_back(in);
    if (system.gives == SystemSignature::Gives::NoError)
      give(site, Value::immediate(0, Type::U32), Type::U32, line);
    return;
  }
  const std::uint32_t reg = new_register(system.result);
  in.add_destination(Value::reg(reg, system.result));
  code_.push_back(in);
  if (system.gives == SystemSignature::Gives::ErrorAndStore)
    store_through_pointer(site, reg, line);
  else
    give(site, Value::reg(reg, system.result), system.result, line);
}

}  // namespace duet::ptx
