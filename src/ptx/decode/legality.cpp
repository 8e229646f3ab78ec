// Refuses forms outside PTX where the decoder's own rules would let them through: missing types of an opcode,
// modifiers on the wrong types, missing roundings. The sets of types stand in the table of opcodes; here are
// their reader, and rules other than sets. Forms of PTX without support are refused elsewhere. Left out:
// forms with a plain meaning for every type (mov, selp, atom.exch) and modifiers beyond those named here.
// Source: PTX ISA 9.0, sections 9.7.1 to 9.7.9 and 9.7.13.
#include "ptx/decode/legality.h"

#include "ptx/decode/decode.h"
#include "ptx/decode/type_sets.h"

namespace duet::ptx {

Legality::Legality(const Decoder& decoder) : d_(decoder) {
  for (const auto modifier : d_.in.modifiers) {
    Type type;
    if (instruction_type_from_name(modifier, type) && count_ < types_.size()) types_[count_++] = type;
  }
}

bool Legality::has(std::string_view modifier) const {
  for (const auto m : d_.in.modifiers)
    if (m == modifier) return true;
  return false;
}
bool Legality::rounds() const {
  return has("rn") || has("rz") || has("rm") || has("rp") || has("rna") || has("rs");
}
bool Legality::rounds_to_integer() const { return has("rni") || has("rzi") || has("rmi") || has("rpi"); }

// Before PTX 1.4 roundings had defaults, and mad.f32 needed none before PTX 2.0 and on the first devices.
bool Legality::rounding_has_default() const {
  const ir::ParsedModule& module = d_.context.module;
  if (d_.row.opcode == Opcode::Mad && types_[0] == Type::F32)
    return module.version_major == 1 || module.target_sm < 20;
  return module.version_major == 1 && module.version_minor < 4;
}

bool Legality::names(std::string_view opcode) const { return d_.in.opcode == opcode; }
void Legality::no_type(Type type) const {
  illegal(std::string(d_.in.opcode) + " has no type " + type_name(type));
}
void Legality::illegal(const std::string& what) const { d_.illegal(what); }
void Legality::unsupported() const { d_.unsupported(); }
void Legality::refuse(std::string_view modifier, Type type, bool unless) const {
  if (!unless && has(modifier))
    illegal("." + std::string(modifier) + " does not go with type " + type_name(type));
}

void Legality::check() const {
  if (count_ == 0) return;  // the decoder names the missing type
  const Form& form = d_.row.form;
  if (!form.types.empty()) check_form(form);
  if (form.check != nullptr) form.check(*this);
}

void Legality::check_form(const Form& form) const {
  const Type type = types_[0];
  if (!form.types.holds(type)) no_type(type);
  if (has("cc") && !(k32 | k64).holds(type)) illegal("no carry of type " + std::string(type_name(type)));
  if (has("cc") && !(form.takes & kCarryOut)) illegal("it hands on no carry");
  if (form.must_round.holds(type) && !rounds() && !approximate() && !rounding_has_default())
    illegal(form.rounds.holds(type) ? "a rounding is missing" : ".approx is missing");
  for (const auto modifier : {"rn", "rz", "rm", "rp"}) refuse(modifier, type, form.rounds.holds(type));
  if (rounds_to_integer() || has("rna")) illegal("it has no such rounding");
  refuse("ftz", type, form.flushes.holds(type));
  refuse("sat", type, form.saturates.holds(type));
  for (const auto modifier : {"approx", "full"}) refuse(modifier, type, form.approximates.holds(type));
  for (const auto modifier : {"NaN", "xorsign"}) refuse(modifier, type, (kSingle | kAllHalves).holds(type));
}

namespace {

void check_comparison(const Legality& s, Type type) {
  if (!(kBits | kIntegers | kFloats | kAllHalves).holds(type)) s.no_type(type);
  for (const auto order : {"lt", "le", "gt", "ge"}) s.refuse(order, type, !kBits.holds(type));
  for (const auto order : {"lo", "ls", "hi", "hs"})
    s.refuse(order, type, type == Type::U16 || type == Type::U32 || type == Type::U64);
  for (const auto order : {"equ", "neu", "ltu", "leu", "gtu", "geu", "num", "nan"})
    s.refuse(order, type, is_float(type));
  s.refuse("ftz", type, (kSingle | kHalves).holds(type));
}

bool is_half_pair(Type type) { return type == Type::F16x2 || type == Type::BF16x2; }

// Whether every number of integer type `from` is one of `to`.
bool contains(Type to, Type from) {
  if (is_signed(to) == is_signed(from)) return type_bytes(to) >= type_bytes(from);
  return is_signed(to) && type_bytes(to) > type_bytes(from);
}

void check_to_float(const Legality& s, Type to, Type from) {
  const bool narrows = is_float(from) && type_bytes(to) < type_bytes(from);
  const bool half_formats = type_bytes(to) == 2 && type_bytes(from) == 2 && to != from;
  const bool must = (!is_float(from) || narrows) && !s.rounding_has_default();
  if (must && !s.rounds()) s.illegal("a rounding is missing");
  const bool may = !is_float(from) || narrows || half_formats || (from == Type::BF16 && to != from);
  if (s.rounds() && !may) s.illegal("no result is rounded here");
  if (s.rounds_to_integer() && to != from)
    s.illegal("only f16, bf16, f32 and f64 of themselves round to an integer");
}

}  // namespace

namespace checks {

void carries(const Legality& s) {
  if (s.has("sat")) s.unsupported();  // ptxas takes it, the manual does not have it
}

void multiply_24(const Legality& s) {
  if (s.has("wide")) s.illegal(".wide is no mode of it");
  if (s.has("lo")) s.refuse("sat", s.type(0), false);
}

void reciprocal(const Legality& s) {
  if (s.type(0) == Type::F64 && s.approximate() && !s.has("ftz"))
    s.illegal("with type f64 .approx needs .ftz");
  if (s.type(0) == Type::F64 && s.has("ftz") && !s.approximate()) s.unsupported();  // as for .sat of addc
}

void exponential(const Legality& s) {
  const Type type = s.type(0);
  if (type != Type::F32 && s.has("ftz") != (type == Type::BF16 || type == Type::BF16x2))
    s.illegal("bf16 needs .ftz, f16 has none");
}

void setp(const Legality& s) { check_comparison(s, s.type(0)); }

void set(const Legality& s) {
  if (s.type_count() < 2) return;
  const Type result = s.type(0), type = s.type(1);
  check_comparison(s, type);
  TypeSet results = k32 | TypeSet{Type::F32, Type::F16, Type::BF16};
  if (kAllHalves.holds(type)) results = k32 | TypeSet{Type::U16, Type::S16, Type::BF16, type};
  if (is_half_pair(type)) results = k32 | TypeSet{type};
  if (!results.holds(result))
    s.illegal("no result of type " + std::string(type_name(result)) + " from " + type_name(type));
}

// Pairs, tf32 and the 8-bit formats have rules of their own (decode_convert.cpp).
void conversion(const Legality& s) {
  if (s.type_count() < 2 || s.has("pack")) return;
  const Type to = s.type(0), from = s.type(1);
  constexpr TypeSet kScalars = kIntegers | TypeSet{Type::U8, Type::S8, Type::F16, Type::BF16} | kFloats;
  if (is_half_pair(to) || to == Type::TF32) {
    if (!s.rounds()) s.illegal("a rounding is missing");
    return;
  }
  for (const Type type : {to, from})
    if (!kScalars.holds(type)) {
      if (type == Type::E4M3x2 || type == Type::E5M2x2) return;
      s.no_type(type);
    }
  if (is_float(to)) {
    check_to_float(s, to, from);
  } else if (is_float(from)) {
    if (s.rounds()) s.illegal("a conversion to an integer rounds by .rni, .rzi, .rmi or .rpi");
    if (!s.rounds_to_integer() && !s.rounding_has_default()) s.illegal("a rounding is missing");
  } else {
    if (s.rounds() || s.rounds_to_integer()) s.illegal("integers are not rounded");
    if (s.has("sat") && contains(to, from))
      s.illegal("the result cannot leave its type's range, so .sat has no place");
  }
  if (s.has("ftz") && to != Type::F32 && from != Type::F32) s.illegal(".ftz belongs to f32");
  if (s.has("sat") && (to == Type::BF16 || from == Type::BF16)) s.illegal(".sat does not go with bf16");
}

void redux(const Legality& s) {
  const TypeSet types = s.has("add") ? k32 : s.has("min") || s.has("max") ? k32 | kSingle : kBits32;
  if (!types.holds(s.type(0))) s.no_type(s.type(0));
}

void atomic(const Legality& s) {
  if (s.has("v2") || s.has("v4") || s.has("v8")) return;
  const Type type = s.type(0);
  const auto only = [&](TypeSet types) {
    if (!types.holds(type)) s.no_type(type);
  };
  if (s.has("add")) only(k32 | TypeSet{Type::U64} | kFloats | kAllHalves);
  if (s.has("inc") || s.has("dec")) only(TypeSet{Type::U32});
  if (s.has("min") || s.has("max")) only(k32 | k64);
  if (s.has("and") || s.has("or") || s.has("xor")) only(kBits32Or64);
  if ((s.has("add") && kAllHalves.holds(type)) != s.has("noftz"))
    s.illegal(".noftz stands with sums of 16-bit formats and with nothing else");
  if (s.names("red") && (s.has("exch") || s.has("cas"))) s.illegal("a reduction returns nothing to exchange");
}

}  // namespace checks
}  // namespace duet::ptx
