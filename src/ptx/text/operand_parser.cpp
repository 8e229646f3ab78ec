// Operands of instructions (PTX ISA 9.0, section 6.4): registers, constants, addresses, vectors, special
// registers (section 10).
#include <algorithm>
#include <unordered_map>

#include "ptx/text/body_parser.h"

namespace duet::ptx {

using ir::Value;
using ir::ValueKind;

std::vector<Value> BodyParser::call_operands() {
  std::vector<Value> result;
  cursor_.expect('(');
  if (cursor_.accept(')')) return result;
  do {
    if (cursor_.is_word("_")) {
      cursor_.next();
      result.emplace_back();
    } else {
      result.push_back(parse_value(nullptr));
    }
  } while (cursor_.accept(','));
  cursor_.expect(')');
  return result;
}

void BodyParser::parse_operand(ParsedOperand& operand) {
  using OperandKind = ParsedOperand::Kind;
  if (cursor_.accept('{')) return parse_vector(operand);
  if (cursor_.accept('[')) return parse_address(operand);
  operand.kind = OperandKind::Value;
  if (cursor_.is('!') && cursor_.peek(1).kind == TokenKind::Identifier) {
    cursor_.next();
    operand.complement = true;
  }
  if (cursor_.is('-') && cursor_.peek(1).kind == TokenKind::Identifier) {
    cursor_.next();
    operand.negate = true;
  }
  if (cursor_.is_word("_")) {
    cursor_.next();
    operand.kind = OperandKind::Sink;
  } else {
    operand.value = parse_value(&operand);
  }
  if (operand.kind != OperandKind::Value && operand.kind != OperandKind::Sink) return;
  if (cursor_.accept('|')) {
    if (cursor_.is_word("_"))
      cursor_.next();
    else
      operand.second = parse_value(nullptr);
  }
  if (operand.value.kind == ValueKind::Variable && (cursor_.is('+') || cursor_.is('-'))) {
    const bool minus = cursor_.next().punctuation == '-';
    const std::uint64_t offset = cursor_.integer();
    operand.value.bits += minus ? -offset : offset;
  }
}

// After '{'.
void BodyParser::parse_elements(ParsedOperand& operand) {
  do {
    if (operand.element_count == operand.elements.size()) cursor_.fail("the vector is too long");
    Value& element = operand.elements[operand.element_count++];
    if (cursor_.is_word("_"))
      cursor_.next();
    else
      element = parse_value(nullptr);
  } while (cursor_.accept(','));
  cursor_.expect('}');
}

void BodyParser::parse_vector(ParsedOperand& operand) {
  operand.kind = ParsedOperand::Kind::Vector;
  parse_elements(operand);
  if (cursor_.is('|'))
    throw ir::Unsupported{"PTX '" + std::string(parsed_.text) +
                          "' with a residency predicate is not supported"};
}

void BodyParser::parse_address(ParsedOperand& operand) {
  operand.kind = ParsedOperand::Kind::Address;
  operand.value = parse_value(nullptr);
  if (operand.value.is_immediate()) {
    if (operand.value.type != Type::U64) cursor_.fail("an address is an integer");
  } else if (cursor_.is('+') || cursor_.is('-')) {
    const bool minus = cursor_.next().punctuation == '-';
    const auto offset = static_cast<std::int64_t>(cursor_.integer());
    operand.offset = minus ? -offset : offset;
  }
  if (cursor_.accept(',')) {  // an image's coordinates
    if (!cursor_.accept('{'))
      throw ir::Unsupported{"PTX '" + std::string(parsed_.text) +
                            "' with a sampler of its own is not supported"};
    parse_elements(operand);
  }
  cursor_.expect(']');
}

Value BodyParser::parse_value(ParsedOperand* name_allowed) {
  const Token& token = cursor_.peek();
  if (token.kind != TokenKind::Identifier) {
    const NumberLiteral literal = cursor_.constant();
    const Type type = literal.kind == NumberLiteral::Kind::Integer   ? Type::U64
                      : literal.kind == NumberLiteral::Kind::Float32 ? Type::F32
                                                                     : Type::F64;
    return Value::immediate(literal.bits, type);
  }
  cursor_.next();
  std::uint32_t index;
  if (find_register(token.text, index)) {
    if (name_allowed != nullptr && cursor_.accept('.')) name_allowed->selector = cursor_.identifier().text;
    if (cursor_.is('.'))
      throw ir::Unsupported{"PTX '" + std::string(token.text) + "." + std::string(cursor_.peek(1).text) +
                            "' is not supported"};
    return Value::reg(index, function_.registers[index]);
  }
  if (Family vector; find_vector(token.text, vector)) return vector_operand(vector, token.text, name_allowed);
  if (token.text[0] == '%') return special_register(token.text);
  if (token.text == "WARP_SZ") {
    Value value;
    value.kind = ValueKind::Block;
    value.type = Type::U32;
    value.index = static_cast<std::uint32_t>(BlockSlot::WarpSize);
    return value;
  }
  if (find_variable(token.text, index)) return Value::variable(index, 0, Type::U64);
  Value address;
  if ((name_allowed == nullptr || !is_label(token.text)) && find_function(token.text, address))
    return address;
  if (name_allowed == nullptr)
    cursor_.fail_at(token.line, "'" + std::string(token.text) + "' is not declared");
  name_allowed->kind = ParsedOperand::Kind::Name;
  name_allowed->name = token.text;
  return {};
}

bool BodyParser::find_vector(std::string_view name, Family& vector) const {
  for (std::size_t i = scopes_.size(); i-- > 0;) {
    const auto found = scopes_[i].vectors.find(name);
    if (found == scopes_[i].vectors.end()) continue;
    vector = found->second;
    return true;
  }
  return false;
}

// v.x is a register of its own; v alone stands for {v.x, v.y, ..}.
Value BodyParser::vector_operand(const Family& vector, std::string_view name, ParsedOperand* whole_allowed) {
  const auto element = [&](std::uint32_t i) {
    return Value::reg(vector.first + i, function_.registers[vector.first + i]);
  };
  if (cursor_.accept('.')) {
    const auto text = cursor_.identifier().text;
    constexpr std::string_view kPlaces = "xyzw", kColors = "rgba";
    const auto place = text.size() == 1 ? std::min(kPlaces.find(text), kColors.find(text)) : kPlaces.npos;
    if (place >= vector.count)
      cursor_.fail_at(parsed_.line,
                      "vector '" + std::string(name) + "' has no element ." + std::string(text));
    return element(static_cast<std::uint32_t>(place));
  }
  if (whole_allowed == nullptr)
    throw ir::Unsupported{"vector '" + std::string(name) + "' as a whole is not supported here"};
  whole_allowed->kind = ParsedOperand::Kind::Vector;
  whole_allowed->element_count = vector.count;
  for (std::uint32_t i = 0; i < vector.count; ++i) whole_allowed->elements[i] = element(i);
  return {};
}

namespace {

struct SpecialRegister {
  ValueKind kind;
  unsigned index;
  Type type = Type::U32;
  bool names_lanes = false, names_reserved = false;
};

// A cluster is one block: its number in the grid is the block's, and the block is its first and only one.
const SpecialRegister* find_special_register(const std::string& name) {
  const auto warp = [](WarpSlot slot, bool lanes = false) {
    return SpecialRegister{ValueKind::Warp, static_cast<unsigned>(slot), Type::U32, lanes};
  };
  const auto block = [](BlockSlot slot) {
    return SpecialRegister{ValueKind::Block, static_cast<unsigned>(slot)};
  };
  // The reserved part lies at the beginning of shared memory (lay_out_variables).
  const auto reserved = [](Bytes offset) {
    return SpecialRegister{ValueKind::Immediate, static_cast<unsigned>(offset), Type::U32, false, true};
  };
  const auto fixed = [](unsigned number) { return SpecialRegister{ValueKind::Immediate, number}; };
  const auto live = [](Special special, Type type = Type::U32) {
    return SpecialRegister{ValueKind::Volatile, static_cast<unsigned>(special), type};
  };
  static const std::unordered_map<std::string, SpecialRegister> kSpecials = {
      {"%tid.x", warp(WarpSlot::TidX)},
      {"%tid.y", warp(WarpSlot::TidY)},
      {"%tid.z", warp(WarpSlot::TidZ)},
      {"%laneid", warp(WarpSlot::LaneId)},
      {"%warpid", warp(WarpSlot::WarpId)},
      {"%lanemask_eq", warp(WarpSlot::LaneMaskEq, true)},
      {"%lanemask_lt", warp(WarpSlot::LaneMaskLt, true)},
      {"%lanemask_le", warp(WarpSlot::LaneMaskLe, true)},
      {"%lanemask_gt", warp(WarpSlot::LaneMaskGt, true)},
      {"%lanemask_ge", warp(WarpSlot::LaneMaskGe, true)},
      {"%ctaid.x", block(BlockSlot::CtaIdX)},
      {"%ctaid.y", block(BlockSlot::CtaIdY)},
      {"%ctaid.z", block(BlockSlot::CtaIdZ)},
      {"%ntid.x", block(BlockSlot::NTidX)},
      {"%ntid.y", block(BlockSlot::NTidY)},
      {"%ntid.z", block(BlockSlot::NTidZ)},
      {"%nctaid.x", block(BlockSlot::NCtaIdX)},
      {"%nctaid.y", block(BlockSlot::NCtaIdY)},
      {"%nctaid.z", block(BlockSlot::NCtaIdZ)},
      {"%clusterid.x", block(BlockSlot::CtaIdX)},
      {"%clusterid.y", block(BlockSlot::CtaIdY)},
      {"%clusterid.z", block(BlockSlot::CtaIdZ)},
      {"%nclusterid.x", block(BlockSlot::NCtaIdX)},
      {"%nclusterid.y", block(BlockSlot::NCtaIdY)},
      {"%nclusterid.z", block(BlockSlot::NCtaIdZ)},
      {"%cluster_ctaid.x", fixed(0)},
      {"%cluster_ctaid.y", fixed(0)},
      {"%cluster_ctaid.z", fixed(0)},
      {"%cluster_nctaid.x", fixed(1)},
      {"%cluster_nctaid.y", fixed(1)},
      {"%cluster_nctaid.z", fixed(1)},
      {"%cluster_ctarank", fixed(0)},
      {"%cluster_nctarank", fixed(1)},
      {"%envreg1", block(BlockSlot::GridWorkspaceHigh)},  // as cooperative groups use them
      {"%envreg2", block(BlockSlot::GridWorkspaceLow)},
      {"%reserved_smem_offset_begin", reserved(0)},
      {"%reserved_smem_offset_end", reserved(kReservedSharedBytes)},
      {"%reserved_smem_offset_cap", reserved(kReservedSharedBytes)},
      {"%reserved_smem_offset_0", reserved(0)},
      {"%reserved_smem_offset_1", reserved(kReservedSharedBytes / 2)},
      {"%clock", live(Special::Clock)},
      {"%clock_hi", live(Special::ClockHi)},
      {"%clock64", live(Special::Clock64, Type::U64)},
      {"%globaltimer", live(Special::GlobalTimer, Type::U64)},
      {"%globaltimer_lo", live(Special::GlobalTimerLo)},
      {"%globaltimer_hi", live(Special::GlobalTimerHi)},
      {"%smid", live(Special::SmId)},
      {"%nsmid", live(Special::NumSm)},
      {"%nwarpid", live(Special::NumWarpSlot)},
      {"%gridid", live(Special::GridId, Type::U64)},
      {"%dynamic_smem_size", live(Special::DynamicSharedBytes)},
      {"%total_smem_size", live(Special::TotalSharedBytes)},
  };
  static const std::unordered_map<std::string, SpecialRegister> kEnvironment = [] {
    std::unordered_map<std::string, SpecialRegister> registers;
    for (unsigned i = 0; i < kEnvironmentRegisters; ++i)
      registers["%envreg" + std::to_string(kFirstEnvironmentRegister + i)] = {ValueKind::Parameter, 4 * i};
    return registers;
  }();
  for (const auto* registers : {&kSpecials, &kEnvironment})
    if (const auto found = registers->find(name); found != registers->end()) return &found->second;
  return nullptr;
}

}  // namespace

Value BodyParser::special_register(std::string_view name) {
  std::string full(name);
  if (cursor_.is('.')) {
    cursor_.next();
    full += "." + std::string(cursor_.identifier().text);
  }
  if (full == "%is_explicit_cluster") return Value::immediate(function_.explicit_cluster, Type::U64);
  const SpecialRegister* found = find_special_register(full);
  if (found == nullptr) {
    static constexpr std::string_view kOthers[] = {
        "%tid",     "%ntid",     "%ctaid",       "%nctaid",   "%envreg",    "%pm",
        "%cluster", "%ncluster", "%is_explicit", "%reserved", "%aggr_smem", "%current_graph_exec",
        "%lanemask"};
    for (const auto other : kOthers)
      if (full.starts_with(other)) throw ir::Unsupported{"special register '" + full + "' is not supported"};
    cursor_.fail_at(parsed_.line, "'" + full + "' is not declared");
  }
  if (found->names_lanes) function_.names_32_lanes = true;
  if (found->names_reserved) function_.names_reserved_shared = true;
  if (found->kind == ValueKind::Immediate) return Value::immediate(found->index, Type::U64);  // as a literal
  Value value;
  value.kind = found->kind;
  value.index = found->index;
  value.type = found->type;
  if (found->kind == ValueKind::Parameter) {
    value.index = 0;
    value.bits = ir::kEnvironment + found->index;
    value.storage = found->type;
  }
  return value;
}

}  // namespace duet::ptx
