// Refuses forms that PTX does not have, where the decoder's own rules would let them through: types that an
// opcode lacks, modifiers on types that do not take them, roundings that must be written. What PTX has and
// Duet has not is named elsewhere. Left out: forms whose meaning is plain whatever the type is (mov, selp,
// atom.exch) and modifiers beyond those named here. Source: PTX ISA 9.0, sections 9.7.1 to 9.7.9 and 9.7.13.
#include "ptx/decode/decode.h"

namespace duet::ptx {

namespace {

constexpr std::uint32_t set_of(std::initializer_list<Type> types) {
  std::uint32_t set = 0;
  for (const Type type : types) set |= 1u << static_cast<unsigned>(type);
  return set;
}
constexpr bool holds(std::uint32_t set, Type type) { return set >> static_cast<unsigned>(type) & 1; }

constexpr std::uint32_t k32 = set_of({Type::U32, Type::S32}), k64 = set_of({Type::U64, Type::S64});
constexpr std::uint32_t kIntegers = set_of({Type::U16, Type::S16}) | k32 | k64;
constexpr std::uint32_t kPairsOfIntegers = set_of({Type::U16x2, Type::S16x2});
constexpr std::uint32_t kBits = set_of({Type::B16, Type::B32, Type::B64});
constexpr std::uint32_t kBits32 = set_of({Type::B32}), kBits32Or64 = set_of({Type::B32, Type::B64});
constexpr std::uint32_t kSigned = set_of({Type::S16, Type::S32, Type::S64});
constexpr std::uint32_t kPredicate = set_of({Type::Pred});
constexpr std::uint32_t kSingle = set_of({Type::F32}), kFloats = set_of({Type::F32, Type::F64});
constexpr std::uint32_t kHalves = set_of({Type::F16, Type::F16x2});
constexpr std::uint32_t kAllHalves = kHalves | set_of({Type::BF16, Type::BF16x2});
constexpr std::uint32_t kPairOfSingles = set_of({Type::F32x2});

// Sets of the first type's values. `rounds`: may carry .rn .rz .rm .rp; `must_round`: needs one of them or
// .approx or .full.
struct Rule {
  std::uint32_t types;
  std::uint32_t must_round = 0, rounds = 0, ftz = 0, sat = 0, approx = 0;
};
const std::unordered_map<std::string_view, Rule>& rules() {
  constexpr std::uint32_t kSum = kFloats | kAllHalves | kPairOfSingles;
  constexpr std::uint32_t kFlush = kSingle | kHalves | kPairOfSingles, kClamp = kSingle | kHalves;
  constexpr std::uint32_t kSigned32 = set_of({Type::S32});
  static const std::unordered_map<std::string_view, Rule> kRules = {
      {"add", {kIntegers | kPairsOfIntegers | kSum, 0, kSum, kFlush, kClamp | kSigned32}},
      {"sub", {kIntegers | kPairsOfIntegers | kSum, 0, kSum, kFlush, kClamp | kSigned32}},
      {"addc", {kIntegers, 0, 0, 0, kSigned32}},
      {"subc", {kIntegers, 0, 0, 0, kSigned32}},
      {"mul", {kIntegers | kSum, 0, kSum, kFlush, kClamp}},
      {"mad", {kIntegers | kFloats, kFloats, kFloats, kSingle, kSingle | kSigned32}},
      {"madc", {kIntegers}},
      {"mul24", {k32}},
      {"mad24", {k32, 0, 0, 0, kSigned32}},
      {"fma", {kSum, kSum, kSum, kFlush, kClamp}},
      {"sad", {kIntegers}},
      {"div", {kIntegers | kFloats, kFloats, kFloats, kSingle, 0, kSingle}},
      {"rem", {kIntegers}},
      {"abs", {kSigned | kFloats | kAllHalves, 0, 0, kSingle | kHalves}},
      {"neg", {kSigned | kFloats | kAllHalves, 0, 0, kSingle | kHalves}},
      {"min", {kIntegers | kPairsOfIntegers | kFloats | kAllHalves, 0, 0, kSingle | kHalves}},
      {"max", {kIntegers | kPairsOfIntegers | kFloats | kAllHalves, 0, 0, kSingle | kHalves}},
      {"rcp", {kFloats, kFloats, kFloats, kFloats, 0, kFloats}},
      {"sqrt", {kFloats, kFloats, kFloats, kSingle, 0, kSingle}},
      {"rsqrt", {kFloats, kFloats, 0, kFloats, 0, kFloats}},
      {"sin", {kSingle, kSingle, 0, kSingle, 0, kSingle}},
      {"cos", {kSingle, kSingle, 0, kSingle, 0, kSingle}},
      {"lg2", {kSingle, kSingle, 0, kSingle, 0, kSingle}},
      {"ex2", {kSingle | kAllHalves, kSingle | kAllHalves, 0, kSingle | kAllHalves, 0, kSingle | kAllHalves}},
      {"tanh", {kSingle | kAllHalves, kSingle | kAllHalves, 0, 0, 0, kSingle | kAllHalves}},
      {"testp", {kFloats}},
      {"copysign", {kFloats}},
      {"popc", {kBits32Or64}},
      {"clz", {kBits32Or64}},
      {"brev", {kBits32Or64}},
      {"bfi", {kBits32Or64}},
      {"bfe", {k32 | k64}},
      {"bfind", {k32 | k64}},
      {"fns", {kBits32}},
      {"bmsk", {kBits32}},
      {"szext", {k32}},
      {"dp4a", {k32}},
      {"dp2a", {k32}},
      {"and", {kBits | kPredicate}},
      {"or", {kBits | kPredicate}},
      {"xor", {kBits | kPredicate}},
      {"not", {kBits | kPredicate}},
      {"cnot", {kBits}},
      {"lop3", {kBits32}},
      {"shl", {kBits}},
      {"shr", {kBits | kIntegers}},
      {"shf", {kBits32}},
      {"prmt", {kBits32}},
      {"match", {kBits32Or64}},
  };
  return kRules;
}

class Legality {
 public:
  explicit Legality(const Decoder& decoder) : d_(decoder) {
    for (const auto modifier : d_.in.modifiers) {
      Type type;
      if (instruction_type_from_name(modifier, type) && count_ < types_.size()) types_[count_++] = type;
    }
  }

  void check() const {
    const auto opcode = d_.in.opcode;
    if (const auto rule = rules().find(opcode); rule != rules().end()) check_rule(rule->second);
    if (opcode == "setp" && count_ > 0) check_comparison(types_[0]);
    if (opcode == "set" && count_ > 1) check_set();
    if (opcode == "cvt" && count_ > 1 && !has("pack")) check_conversion();
    if (opcode == "redux" && count_ > 0) check_redux();
    if ((opcode == "atom" || opcode == "red") && count_ > 0) check_atomic();
  }

 private:
  bool has(std::string_view modifier) const {
    for (const auto m : d_.in.modifiers)
      if (m == modifier) return true;
    return false;
  }
  bool rounds() const { return has("rn") || has("rz") || has("rm") || has("rp") || has("rna") || has("rs"); }
  bool rounds_to_integer() const { return has("rni") || has("rzi") || has("rmi") || has("rpi"); }

  [[noreturn]] void no_type(Type type) const {
    d_.illegal(std::string(d_.in.opcode) + " has no type " + type_name(type));
  }
  void refuse(std::string_view modifier, bool unless) const {
    if (!unless && has(modifier))
      d_.illegal("." + std::string(modifier) + " does not go with type " + type_name(types_[0]));
  }
  // Before PTX 1.4 roundings had defaults, and mad.f32 needed none before PTX 2.0 and on the first devices.
  bool defaults() const {
    const ir::ParsedModule& module = d_.context.module;
    if (d_.in.opcode == "mad" && types_[0] == Type::F32)
      return module.version_major == 1 || module.target_sm < 20;
    return module.version_major == 1 && module.version_minor < 4;
  }

  void check_rule(const Rule& rule) const {
    if (count_ == 0) return;  // the decoder names what is missing
    const Type type = types_[0];
    if (!holds(rule.types, type)) no_type(type);
    if (has("cc") && !holds(k32 | k64, type)) d_.illegal("no carry of type " + std::string(type_name(type)));
    const bool approximate = has("approx") || has("full");
    if (holds(rule.must_round, type) && !rounds() && !approximate && !defaults())
      d_.illegal(holds(rule.rounds, type) ? "a rounding is missing" : ".approx is missing");
    for (const auto modifier : {"rn", "rz", "rm", "rp"}) refuse(modifier, holds(rule.rounds, type));
    if (rounds_to_integer() || has("rna")) d_.illegal("it has no such rounding");
    refuse("ftz", holds(rule.ftz, type));
    refuse("sat", holds(rule.sat, type));
    for (const auto modifier : {"approx", "full"}) refuse(modifier, holds(rule.approx, type));
    for (const auto modifier : {"NaN", "xorsign"}) refuse(modifier, holds(kSingle | kAllHalves, type));
    if (d_.in.opcode == "rcp" && type == Type::F64 && approximate && !has("ftz"))
      d_.illegal("with type f64 .approx needs .ftz");
    if (d_.in.opcode.ends_with("24") && has("wide")) d_.illegal(".wide is no mode of it");
    if (d_.in.opcode.ends_with("24") && has("lo")) refuse("sat", false);
    if (d_.in.opcode == "ex2" && type != Type::F32 &&
        has("ftz") != (type == Type::BF16 || type == Type::BF16x2))
      d_.illegal("bf16 needs .ftz, f16 has none");
  }

  void check_comparison(Type type) const {
    if (!holds(kBits | kIntegers | kFloats | kAllHalves, type)) no_type(type);
    for (const auto order : {"lt", "le", "gt", "ge"}) refuse(order, !holds(kBits, type));
    for (const auto order : {"lo", "ls", "hi", "hs"})
      refuse(order, type == Type::U16 || type == Type::U32 || type == Type::U64);
    for (const auto order : {"equ", "neu", "ltu", "leu", "gtu", "geu", "num", "nan"})
      refuse(order, is_float(type));
    refuse("ftz", holds(kSingle | kHalves, type));
  }
  void check_set() const {
    const Type result = types_[0], type = types_[1];
    Legality compared = *this;
    compared.types_[0] = type;
    compared.check_comparison(type);
    const bool pairs = type == Type::F16x2 || type == Type::BF16x2;
    std::uint32_t results = k32 | set_of({Type::F32, Type::F16, Type::BF16});
    if (holds(kAllHalves, type)) results = k32 | set_of({Type::U16, Type::S16, Type::BF16, type});
    if (pairs) results = k32 | set_of({type});
    if (!holds(results, result))
      d_.illegal("no result of type " + std::string(type_name(result)) + " from " + type_name(type));
  }

  static bool is_half_pair(Type type) { return type == Type::F16x2 || type == Type::BF16x2; }
  // Whether every number of integer type `from` is one of `to`.
  static bool contains(Type to, Type from) {
    if (is_signed(to) == is_signed(from)) return type_bytes(to) >= type_bytes(from);
    return is_signed(to) && type_bytes(to) > type_bytes(from);
  }
  // Pairs, tf32 and the 8-bit formats have rules of their own (decode_convert.cpp).
  void check_conversion() const {
    const Type to = types_[0], from = types_[1];
    constexpr std::uint32_t kScalars =
        kIntegers | set_of({Type::U8, Type::S8, Type::F16, Type::BF16}) | kFloats;
    if (is_half_pair(to) || to == Type::TF32) {
      if (!rounds()) d_.illegal("a rounding is missing");
      return;
    }
    for (const Type type : {to, from})
      if (!holds(kScalars, type)) {
        if (type == Type::E4M3x2 || type == Type::E5M2x2) return;
        no_type(type);
      }
    const bool narrows = is_float(to) && is_float(from) && type_bytes(to) < type_bytes(from);
    const bool half_formats = type_bytes(to) == 2 && type_bytes(from) == 2 && to != from;
    if (is_float(to)) {
      const bool must = (!is_float(from) || narrows) && !defaults();
      if (must && !rounds()) d_.illegal("a rounding is missing");
      const bool may = !is_float(from) || narrows || half_formats || (from == Type::BF16 && to != from);
      if (rounds() && !may) d_.illegal("no result is rounded here");
      if (rounds_to_integer() && to != from)
        d_.illegal("only f16, bf16, f32 and f64 of themselves round to an integer");
    } else if (is_float(from)) {
      if (rounds()) d_.illegal("a conversion to an integer rounds by .rni, .rzi, .rmi or .rpi");
      if (!rounds_to_integer() && !defaults()) d_.illegal("a rounding is missing");
    } else {
      if (rounds() || rounds_to_integer()) d_.illegal("integers are not rounded");
      if (has("sat") && contains(to, from))
        d_.illegal("the result cannot leave its type's range, so .sat has no place");
    }
    if (has("ftz") && to != Type::F32 && from != Type::F32) d_.illegal(".ftz belongs to f32");
    if (has("sat") && (to == Type::BF16 || from == Type::BF16)) d_.illegal(".sat does not go with bf16");
  }

  void check_redux() const {
    const std::uint32_t types = has("add") ? k32 : has("min") || has("max") ? k32 | kSingle : kBits32;
    if (!holds(types, types_[0])) no_type(types_[0]);
  }

  void check_atomic() const {
    if (has("v2") || has("v4") || has("v8")) return;
    const Type type = types_[0];
    std::uint32_t types = ~0u;
    if (has("add")) types = k32 | set_of({Type::U64}) | kFloats | kAllHalves;
    if (has("inc") || has("dec")) types = set_of({Type::U32});
    if (has("min") || has("max")) types = k32 | k64;
    if (has("and") || has("or") || has("xor")) types = kBits32Or64;
    if (!holds(types, type)) no_type(type);
    if ((has("add") && holds(kAllHalves, type)) != has("noftz"))
      d_.illegal(".noftz stands with sums of 16-bit formats and with nothing else");
    if (d_.in.opcode == "red" && (has("exch") || has("cas")))
      d_.illegal("a reduction returns nothing to exchange");
  }

  const Decoder& d_;
  std::array<Type, 3> types_{};
  unsigned count_ = 0;
};

}  // namespace

void check_legality(const Decoder& decoder) { Legality(decoder).check(); }

}  // namespace duet::ptx
