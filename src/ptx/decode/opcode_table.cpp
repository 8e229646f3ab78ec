// Makes the rows of ptx/opcodes.def and answers from them.
#include "ptx/decode/opcode_table.h"

#include <unordered_map>
#include <unordered_set>

#include "ptx/decode/decoders.h"
#include "ptx/decode/legality.h"
#include "ptx/decode/machine_weight.h"
#include "ptx/decode/type_sets.h"

namespace duet::ptx {

namespace {

struct Weight {
  unsigned narrow = 1, wide = 1;  // by the type's size: at most 32 bits, 64 bits
  unsigned (*function)(const MicroOp&, bool power_of_two_multiplier) = nullptr;

  constexpr Weight(unsigned count) : narrow(count), wide(count) {}
  constexpr Weight(unsigned at_most_32_bits, unsigned of_64_bits)
      : narrow(at_most_32_bits), wide(of_64_bits) {}
  constexpr Weight(unsigned (*f)(const MicroOp&, bool)) : function(f) {}
};
constexpr Weight by_width(unsigned narrow, unsigned wide) { return {narrow, wide}; }

// A unit by the class of a type.
struct Units {
  enum class Decides : std::uint8_t { Type, SourceType, Either };
  Unit integer, half, single, wide_float;
  Decides decides = Decides::Type;
};
namespace units {
constexpr Units all(Unit unit) { return {unit, unit, unit, unit}; }
constexpr Units integer = all(Unit::Integer);
constexpr Units load_store = all(Unit::LoadStore);
constexpr Units control = all(Unit::Control);
constexpr Units shift = all(Unit::Shift);
constexpr Units bit_count = all(Unit::BitCount);
constexpr Units shuffle = all(Unit::Shuffle);
constexpr Units by_type = {Unit::Integer, Unit::Half, Unit::Float, Unit::Double};
constexpr Units by_source_type = {Unit::Integer, Unit::Half, Unit::Float, Unit::Double,
                                  Units::Decides::SourceType};
constexpr Units multiplier = {Unit::IntegerMultiply, Unit::Half, Unit::Float, Unit::Double};
constexpr Units special = {Unit::SpecialFunction, Unit::SpecialFunction, Unit::SpecialFunction, Unit::Double};
constexpr Units converter = {Unit::Integer, Unit::Conversion, Unit::Conversion, Unit::Double,
                             Units::Decides::Either};
}  // namespace units

struct Cost {
  Units units;
  Weight weight;
};
constexpr Cost kCosts[] = {
#define OPCODE(enumerator, name, kind, unit, weight, ...) {units::unit, weight},
#include "ptx/opcodes.def"
};
const Cost& cost_of(const MicroOp& op) { return kCosts[static_cast<unsigned>(op.opcode)]; }

constexpr OpcodeRow kRows[] = {
#define OPCODE(enumerator, name, kind, unit, weight, decoder, ...) \
  {name, Opcode::enumerator, decoders::decoder, {__VA_ARGS__}},
#define SPELLING(name, enumerator, decoder, ...) {name, Opcode::enumerator, decoders::decoder, {__VA_ARGS__}},
#include "ptx/opcodes.def"
};

}  // namespace

const OpcodeRow* find_row(std::string_view name) {
  static const std::unordered_map<std::string_view, const OpcodeRow*> kByName = [] {
    std::unordered_map<std::string_view, const OpcodeRow*> rows;
    for (const OpcodeRow& row : kRows)
      if (row.decode != nullptr) rows.emplace(row.name, &row);
    return rows;
  }();
  const auto found = kByName.find(name);
  return found == kByName.end() ? nullptr : found->second;
}

bool is_foreign(std::string_view name) {
  static const std::unordered_set<std::string_view> kForeign = {"alloca",       "clusterlaunchcontrol",
                                                                "cp",           "istypep",
                                                                "ldmatrix",     "mbarrier",
                                                                "mma",          "movmatrix",
                                                                "multimem",     "setmaxnreg",
                                                                "stackrestore", "stacksave",
                                                                "stmatrix",     "sured",
                                                                "tcgen05",      "tensormap",
                                                                "wgmma",        "wmma"};
  return kForeign.contains(name);
}

Unit unit_of(const MicroOp& op) {
  const Units& units = cost_of(op).units;
  if (units.decides == Units::Decides::Either) {
    if (op.type == Type::F64 || op.source_type == Type::F64) return units.wide_float;
    return is_float(op.type) || is_float(op.source_type) ? units.single : units.integer;
  }
  switch (units.decides == Units::Decides::SourceType ? op.source_type : op.type) {
    case Type::F64:
      return units.wide_float;
    case Type::F32:
      return units.single;
    case Type::F16:
    case Type::F16x2:
    case Type::BF16:
    case Type::BF16x2:
      return units.half;
    default:
      return units.integer;
  }
}

unsigned machine_instructions_of(const MicroOp& op, bool power_of_two_multiplier) {
  const Weight& weight = cost_of(op).weight;
  if (weight.function != nullptr) return weight.function(op, power_of_two_multiplier);
  return type_bytes(op.type) == 8 ? weight.wide : weight.narrow;
}

}  // namespace duet::ptx
