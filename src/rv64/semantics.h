// The effect of each instruction, once for every way of executing it. Values first: functions of operands,
// without any state. Then execute: it takes operands from a machine and gives results to it.
// A machine M has
//   std::uint64_t x(unsigned), f(unsigned); void set_x(unsigned, std::uint64_t), set_f(...)
//   template <typename T> bool load(std::uint64_t address, T&), store(std::uint64_t address, T),
//     load_reserved(address, T&), store_conditional(address, T, bool& succeeded),
//     read_modify_write(address, T& old, operation)        false: it faults, and nothing has happened
//   bool rounding(Rounding written, Rounding& meant)       false: reserved, so the instruction is illegal
//   std::uint8_t& fflags(); std::uint32_t frm(); void set_frm(std::uint32_t);
//   std::uint64_t counter(unsigned csr), pc(const Operands&)
// Operands is Instruction, or a type with its fields of operands. Source: The RISC-V Instruction Set Manual,
// volume I, version 20191213.
#pragma once

#include <cstdint>
#include <type_traits>

#include "rv64/floating_point.h"
#include "rv64/instruction.h"

namespace duet::rv64 {

// The mnemonic of an instruction in parts: fcvt.w.s is fcvt, w, s.
template <Opcode op>
struct Spelling {
  static constexpr std::string_view kWhole = info_of(op).mnemonic;
  static constexpr std::size_t kDot = kWhole.find('.');
  static constexpr std::string_view kName = kWhole.substr(0, kDot);
  static constexpr std::string_view kSuffix =
      kDot == std::string_view::npos ? std::string_view() : kWhole.substr(kDot + 1);
};

constexpr std::uint64_t sign_extend_word(std::uint64_t value) {
  return static_cast<std::uint64_t>(static_cast<std::int64_t>(static_cast<std::int32_t>(value)));
}

// ---- integers ----

// Division by zero gives all ones and the dividend; the one overflow gives the dividend and 0.
template <typename T>
constexpr T quotient(T a, T b) {
  if (b == 0) return static_cast<T>(-1);
  if constexpr (std::is_signed_v<T>)
    if (b == -1) return static_cast<T>(0 - static_cast<std::make_unsigned_t<T>>(a));
  return a / b;
}
template <typename T>
constexpr T remainder(T a, T b) {
  if (b == 0) return a;
  if constexpr (std::is_signed_v<T>)
    if (b == -1) return 0;
  return a % b;
}

// The result of an instruction of kind Integer, Multiply or Divide; b is rs2 or the immediate.
template <Opcode op>
constexpr std::uint64_t integer_result(std::uint64_t a, std::uint64_t b) {
  using enum Opcode;
  using Signed = std::int64_t;
  [[maybe_unused]] const auto sa = static_cast<Signed>(a), sb = static_cast<Signed>(b);
  [[maybe_unused]] const auto wa = static_cast<std::int32_t>(a), wb = static_cast<std::int32_t>(b);
  [[maybe_unused]] const auto ua = static_cast<std::uint32_t>(a), ub = static_cast<std::uint32_t>(b);
  if constexpr (op == Lui) return b;
  if constexpr (op == Add || op == Addi || op == Auipc) return a + b;
  if constexpr (op == Sub) return a - b;
  if constexpr (op == And || op == Andi) return a & b;
  if constexpr (op == Or || op == Ori) return a | b;
  if constexpr (op == Xor || op == Xori) return a ^ b;
  if constexpr (op == Slt || op == Slti) return sa < sb;
  if constexpr (op == Sltu || op == Sltiu) return a < b;
  if constexpr (op == Sll || op == Slli) return a << (b & 63);
  if constexpr (op == Srl || op == Srli) return a >> (b & 63);
  if constexpr (op == Sra || op == Srai) return static_cast<std::uint64_t>(sa >> (b & 63));
  if constexpr (op == Addw || op == Addiw) return sign_extend_word(a + b);
  if constexpr (op == Subw) return sign_extend_word(a - b);
  if constexpr (op == Sllw || op == Slliw) return sign_extend_word(a << (b & 31));
  if constexpr (op == Srlw || op == Srliw) return sign_extend_word(ua >> (b & 31));
  if constexpr (op == Sraw || op == Sraiw) return static_cast<std::uint64_t>(Signed{wa >> (b & 31)});
  if constexpr (op == Mul) return a * b;
  if constexpr (op == Mulw) return sign_extend_word(a * b);
  if constexpr (op == Mulh) return static_cast<std::uint64_t>(static_cast<__int128>(sa) * sb >> 64);
  if constexpr (op == Mulhsu)
    return static_cast<std::uint64_t>(static_cast<__int128>(sa) * static_cast<__int128>(b) >> 64);
  if constexpr (op == Mulhu) return static_cast<std::uint64_t>(static_cast<unsigned __int128>(a) * b >> 64);
  if constexpr (op == Div) return static_cast<std::uint64_t>(quotient(sa, sb));
  if constexpr (op == Divu) return quotient(a, b);
  if constexpr (op == Rem) return static_cast<std::uint64_t>(remainder(sa, sb));
  if constexpr (op == Remu) return remainder(a, b);
  if constexpr (op == Divw) return sign_extend_word(static_cast<std::uint32_t>(quotient(wa, wb)));
  if constexpr (op == Divuw) return sign_extend_word(quotient(ua, ub));
  if constexpr (op == Remw) return sign_extend_word(static_cast<std::uint32_t>(remainder(wa, wb)));
  if constexpr (op == Remuw) return sign_extend_word(remainder(ua, ub));
}

// Whether a conditional branch is taken.
template <Opcode op>
constexpr bool is_taken(std::uint64_t a, std::uint64_t b) {
  using enum Opcode;
  if constexpr (op == Beq) return a == b;
  if constexpr (op == Bne) return a != b;
  if constexpr (op == Blt) return static_cast<std::int64_t>(a) < static_cast<std::int64_t>(b);
  if constexpr (op == Bge) return static_cast<std::int64_t>(a) >= static_cast<std::int64_t>(b);
  if constexpr (op == Bltu) return a < b;
  if constexpr (op == Bgeu) return a >= b;
}

// ---- memory ----

// The type of a load, store or atomic: an unsigned integer, or a signed one where a load extends the sign.
template <Opcode op>
constexpr auto accessed_type() {
  using enum Opcode;
  if constexpr (op == Lb) return std::int8_t{};
  if constexpr (op == Lh) return std::int16_t{};
  if constexpr (op == Lw) return std::int32_t{};
  if constexpr (op == Lbu || op == Sb) return std::uint8_t{};
  if constexpr (op == Lhu || op == Sh) return std::uint16_t{};
  if constexpr (op == Lwu || op == Sw || op == Flw || op == Fsw) return std::uint32_t{};
  if constexpr (op == Ld || op == Sd || op == Fld || op == Fsd) return std::uint64_t{};
  if constexpr (info_of(op).kind == Kind::Atomic) {
    if constexpr (info_of(op).mnemonic.ends_with(".w"))
      return std::uint32_t{};
    else
      return std::uint64_t{};
  }
}
template <Opcode op>
using AccessedType = decltype(accessed_type<op>());
template <Opcode op>
using AccessedBits = std::make_unsigned_t<AccessedType<op>>;

// The new value in memory of an atomic of kind amo...
template <Opcode op, typename T>
constexpr T atomic_result(T old, T operand) {
  using Signed = std::make_signed_t<T>;
  constexpr std::string_view kName = Spelling<op>::kName;
  if constexpr (kName == "amoswap") return operand;
  if constexpr (kName == "amoadd") return old + operand;
  if constexpr (kName == "amoxor") return old ^ operand;
  if constexpr (kName == "amoand") return old & operand;
  if constexpr (kName == "amoor") return old | operand;
  if constexpr (kName == "amomin")
    return static_cast<Signed>(old) < static_cast<Signed>(operand) ? old : operand;
  if constexpr (kName == "amomax")
    return static_cast<Signed>(old) > static_cast<Signed>(operand) ? old : operand;
  if constexpr (kName == "amominu") return old < operand ? old : operand;
  if constexpr (kName == "amomaxu") return old > operand ? old : operand;
}

// ---- floating point ----

// A single in a register of 64 bits. An unboxed value is read as the canonical NaN.
constexpr std::uint64_t boxed(std::uint32_t bits) { return 0xffffffff00000000 | bits; }
constexpr std::uint64_t boxed(std::uint64_t bits) { return bits; }
template <floating_point::Format F>
constexpr typename F::Bits unboxed(std::uint64_t bits) {
  if constexpr (std::is_same_v<F, floating_point::Double>)
    return bits;
  else
    return bits >> 32 == 0xffffffff ? static_cast<std::uint32_t>(bits)
                                    : floating_point::Layout<F>::kCanonicalNan;
}

// Instructions of one format, named in them, as fadd.d.
template <Opcode op, floating_point::Format F>
std::uint64_t float_result(std::uint64_t ra, std::uint64_t rb, std::uint64_t rc, Rounding rounding,
                           std::uint8_t& flags) {
  namespace fp = floating_point;
  constexpr std::string_view kName = Spelling<op>::kName;
  constexpr auto kSign = fp::Layout<F>::kSign;
  const auto a = unboxed<F>(ra);
  [[maybe_unused]] const auto b = unboxed<F>(rb);
  [[maybe_unused]] const auto c = unboxed<F>(rc);
  if constexpr (kName == "fadd") return boxed(fp::add<F>(a, b, rounding, flags));
  if constexpr (kName == "fsub") return boxed(fp::subtract<F>(a, b, rounding, flags));
  if constexpr (kName == "fmul") return boxed(fp::multiply<F>(a, b, rounding, flags));
  if constexpr (kName == "fdiv") return boxed(fp::divide<F>(a, b, rounding, flags));
  if constexpr (kName == "fsqrt") return boxed(fp::square_root<F>(a, rounding, flags));
  if constexpr (kName == "fmadd") return boxed(fp::fused_multiply_add<F>(a, b, c, rounding, flags));
  if constexpr (kName == "fmsub") return boxed(fp::fused_multiply_add<F>(a, b, c ^ kSign, rounding, flags));
  if constexpr (kName == "fnmsub") return boxed(fp::fused_multiply_add<F>(a ^ kSign, b, c, rounding, flags));
  if constexpr (kName == "fnmadd")
    return boxed(fp::fused_multiply_add<F>(a ^ kSign, b, c ^ kSign, rounding, flags));
  if constexpr (kName == "fsgnj") return boxed((a & ~kSign) | (b & kSign));
  if constexpr (kName == "fsgnjn") return boxed((a & ~kSign) | (~b & kSign));
  if constexpr (kName == "fsgnjx") return boxed(a ^ (b & kSign));
  if constexpr (kName == "fmin") return boxed(fp::extremum<F, false>(a, b, flags));
  if constexpr (kName == "fmax") return boxed(fp::extremum<F, true>(a, b, flags));
  if constexpr (kName == "feq") return fp::equal<F>(a, b, flags);
  if constexpr (kName == "flt") return fp::less<F>(a, b, flags);
  if constexpr (kName == "fle") return fp::less_equal<F>(a, b, flags);
  if constexpr (kName == "fclass") return fp::classify<F>(a);
}

// fcvt and fmv, from a register of either file.
template <Opcode op>
std::uint64_t converted(std::uint64_t a, Rounding rounding, std::uint8_t& flags) {
  namespace fp = floating_point;
  using fp::Double;
  using fp::Single;
  using enum Opcode;
  const auto extended = [](std::integral auto value) {
    if constexpr (sizeof value == 4)
      return sign_extend_word(static_cast<std::uint32_t>(value));
    else
      return static_cast<std::uint64_t>(value);
  };
  if constexpr (op == FmvXW) return sign_extend_word(a);
  if constexpr (op == FmvWX) return boxed(static_cast<std::uint32_t>(a));
  if constexpr (op == FmvXD || op == FmvDX) return a;
  if constexpr (op == FcvtSD) return boxed(fp::narrow(a, rounding, flags));
  if constexpr (op == FcvtDS) return fp::widen(unboxed<Single>(a), flags);
  constexpr std::string_view kSuffix = Spelling<op>::kSuffix;
  constexpr std::size_t kDot = kSuffix.find('.');
  constexpr std::string_view kTo = kSuffix.substr(0, kDot),
                             kFrom = kSuffix.substr(kDot == kSuffix.npos ? 0 : kDot + 1);
  using F = std::conditional_t<kTo == "s" || kFrom == "s", Single, Double>;
  if constexpr (kTo == "w") return extended(fp::to_integer<F, std::int32_t>(unboxed<F>(a), rounding, flags));
  if constexpr (kTo == "wu")
    return extended(fp::to_integer<F, std::uint32_t>(unboxed<F>(a), rounding, flags));
  if constexpr (kTo == "l") return extended(fp::to_integer<F, std::int64_t>(unboxed<F>(a), rounding, flags));
  if constexpr (kTo == "lu")
    return extended(fp::to_integer<F, std::uint64_t>(unboxed<F>(a), rounding, flags));
  if constexpr (kFrom == "w")
    return boxed(fp::from_integer<F>(static_cast<std::int32_t>(a), rounding, flags));
  if constexpr (kFrom == "wu")
    return boxed(fp::from_integer<F>(static_cast<std::uint32_t>(a), rounding, flags));
  if constexpr (kFrom == "l")
    return boxed(fp::from_integer<F>(static_cast<std::int64_t>(a), rounding, flags));
  if constexpr (kFrom == "lu") return boxed(fp::from_integer<F>(a, rounding, flags));
}

// ---- execution ----

// Whether execute knows it. Control flow, ecall, ebreak and fences are for each way of executing itself.
constexpr bool is_executed(Opcode op) {
  const Kind kind = info_of(op).kind;
  return kind != Kind::Branch && kind != Kind::Jump && kind != Kind::Fence && op != Opcode::Ecall &&
         op != Opcode::Ebreak;
}

template <Opcode op, typename M, typename Operands>
bool execute_load_or_store(M& m, const Operands& i) {
  const std::uint64_t address = m.x(i.rs1) + static_cast<std::uint64_t>(i.immediate);
  AccessedBits<op> value{};
  if constexpr (info_of(op).kind == Kind::Store) {
    value = static_cast<AccessedBits<op>>(has_operand(op, 'T') ? m.f(i.rs2) : m.x(i.rs2));
    return m.store(address, value);
  } else {
    if (!m.load(address, value)) return false;
    if constexpr (has_operand(op, 'D'))
      m.set_f(i.rd, boxed(value));
    else
      m.set_x(i.rd,
              static_cast<std::uint64_t>(static_cast<std::int64_t>(static_cast<AccessedType<op>>(value))));
    return true;
  }
}

template <Opcode op, typename M, typename Operands>
bool execute_atomic(M& m, const Operands& i) {
  using T = AccessedBits<op>;
  const auto extended = [](T value) { return sizeof(T) == 4 ? sign_extend_word(value) : value; };
  const std::uint64_t address = m.x(i.rs1);
  T old{};
  if constexpr (Spelling<op>::kName == "lr") {
    if (!m.load_reserved(address, old)) return false;
    m.set_x(i.rd, extended(old));
  } else if constexpr (Spelling<op>::kName == "sc") {
    bool succeeded = false;
    if (!m.store_conditional(address, static_cast<T>(m.x(i.rs2)), succeeded)) return false;
    m.set_x(i.rd, succeeded ? 0 : 1);
  } else {
    const T operand = static_cast<T>(m.x(i.rs2));
    if (!m.read_modify_write(address, old,
                             [operand](T value) { return atomic_result<op, T>(value, operand); }))
      return false;
    m.set_x(i.rd, extended(old));
  }
  return true;
}

template <typename M>
std::uint64_t read_csr(M& m, unsigned number) {
  if (number == csr::kFflags) return m.fflags();
  if (number == csr::kFrm) return m.frm();
  if (number == csr::kFcsr) return m.frm() << 5 | m.fflags();
  return m.counter(number);
}
template <typename M>
void write_csr(M& m, unsigned number, std::uint64_t value) {
  if (number != csr::kFrm) m.fflags() = value & 31;
  if (number != csr::kFflags) m.set_frm((number == csr::kFcsr ? value >> 5 : value) & 7);
}

template <Opcode op, typename M, typename Operands>
bool execute_csr(M& m, const Operands& i) {
  constexpr std::string_view kName = info_of(op).mnemonic;
  constexpr bool kImmediate = has_operand(op, 'Z');
  const unsigned number = static_cast<unsigned>(i.immediate);
  const std::uint64_t operand = kImmediate ? i.rs1 : m.x(i.rs1);
  const std::uint64_t old = read_csr(m, number);
  if constexpr (kName.starts_with("csrrw")) {
    write_csr(m, number, operand);
  } else if (i.rs1 != 0) {
    write_csr(m, number, kName.starts_with("csrrs") ? old | operand : old & ~operand);
  }
  m.set_x(i.rd, old);
  return true;
}

template <Opcode op, typename M, typename Operands>
bool execute_float(M& m, const Operands& i) {
  namespace fp = floating_point;
  constexpr bool kFromInteger = has_operand(op, 's');
  Rounding rounding = Rounding::NearestEven;
  if constexpr (has_operand(op, 'm'))
    if (!m.rounding(i.rounding, rounding)) return false;
  std::uint64_t result = 0;
  if constexpr (Spelling<op>::kName == "fcvt" || Spelling<op>::kName == "fmv") {
    result = converted<op>(kFromInteger ? m.x(i.rs1) : m.f(i.rs1), rounding, m.fflags());
  } else {
    using F = std::conditional_t<Spelling<op>::kSuffix == "s", fp::Single, fp::Double>;
    result = float_result<op, F>(m.f(i.rs1), has_operand(op, 'T') ? m.f(i.rs2) : 0,
                                 has_operand(op, 'R') ? m.f(i.rs3) : 0, rounding, m.fflags());
  }
  if constexpr (has_operand(op, 'd'))
    m.set_x(i.rd, result);
  else
    m.set_f(i.rd, result);
  return true;
}

// One instruction; false when it traps, and then nothing of it has happened.
template <Opcode op, typename M, typename Operands>
bool execute(M& m, const Operands& i) {
  static_assert(is_executed(op));
  constexpr Kind kKind = info_of(op).kind;
  if constexpr (kKind == Kind::Integer || kKind == Kind::Multiply || kKind == Kind::Divide) {
    const std::uint64_t b = has_operand(op, 't') ? m.x(i.rs2) : static_cast<std::uint64_t>(i.immediate);
    m.set_x(i.rd, integer_result<op>(op == Opcode::Auipc ? m.pc(i) : m.x(i.rs1), b));
    return true;
  } else if constexpr (kKind == Kind::Load || kKind == Kind::Store) {
    return execute_load_or_store<op>(m, i);
  } else if constexpr (kKind == Kind::Atomic) {
    return execute_atomic<op>(m, i);
  } else if constexpr (kKind == Kind::System) {
    return execute_csr<op>(m, i);
  } else {
    return execute_float<op>(m, i);
  }
}

}  // namespace duet::rv64
