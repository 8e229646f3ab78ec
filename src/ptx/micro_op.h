// The decoded form of an instruction: flat, fixed size, no pointers to follow but the handler's. The compiler
// passes produce it, the semantics execute it over whole warps, timing models read its unit and weight. None
// of them knows a cycle.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "base/atomic_operation.h"
#include "ptx/opcode.h"

namespace duet::ptx {

// Where a source operand's lane array lies. Every source is an array with one element per lane (32-bit slots;
// 64-bit values take two consecutive slots, read as an array of 64-bit elements), so handlers have one form
// whatever the operand is: immediates, kernel parameters and block-wide special registers are broadcast once
// and cost nothing to read, as the constant bank of the real machine does.
enum class Bank : std::uint8_t {
  Register,   // the warp's registers
  Warp,       // per warp and lane: WarpSlot names
  Block,      // broadcast, per block: BlockSlot names
  Parameter,  // broadcast, per launch: Kernel::parameter_slots
  Immediate,  // broadcast, per kernel: Kernel::immediates
  Predicate   // slot is a predicate's index, the value a lane mask (only where the opcode takes predicates)
};
inline constexpr unsigned kLaneArrayBanks = 5;

enum class WarpSlot : std::uint8_t {
  TidX,
  TidY,
  TidZ,
  LaneId,
  WarpId,
  LaneMaskEq,
  LaneMaskLt,
  LaneMaskLe,
  LaneMaskGt,
  LaneMaskGe,
  Count
};
enum class BlockSlot : std::uint8_t {
  CtaIdX,
  CtaIdY,
  CtaIdZ,
  NTidX,
  NTidY,
  NTidZ,
  NCtaIdX,
  NCtaIdY,
  NCtaIdZ,
  NWarpId,
  WarpSize,
  GridWorkspaceHigh,  // of the address of Grid::workspace
  GridWorkspaceLow,
  Count
};

struct Operand {
  Bank bank = Bank::Register;
  bool negate = false;    // floating point only (-x), or a predicate's complement (!p)
  bool absolute = false;  // floating point only, applied before negate
  std::uint8_t unused = 0;
  std::uint32_t slot = 0;  // in 32-bit lane arrays; 64-bit values at even slots
  friend bool operator==(const Operand&, const Operand&) = default;
};

inline constexpr std::uint8_t kNoPredicate = 0xff;
inline constexpr std::uint16_t kNoRegister = 0xffff;

// What the GPU's stepping loop has to do besides calling a handler.
enum class Kind : std::uint8_t {
  Arithmetic,  // handler only
  Exchange,  // a handler whose lanes wait for others that it names (shfl.sync, ..; source: the last, a mask)
  Load,
  Store,
  Atomic,  // Atomic: Atom and Red
  Image,   // textures and surfaces
  Branch,
  BranchIndexed,
  Call,
  Return,
  Barrier,
  Exit,
  Fence,
  Special,  // ReadSpecial
  SystemCall,
  Trap,
  Nop  // Prefetch, Nanosleep, Pmevent, ..: no architectural effect
};
Kind kind_of(Opcode opcode);  // as decoded: Exchange is set where a kernel's threads are independent

// The execution unit class a timing model sends it to.
enum class Unit : std::uint8_t {
  Integer,
  Shift,
  IntegerMultiply,
  Float,
  Double,
  SpecialFunction,
  Half,
  Conversion,
  BitCount,
  Shuffle,
  LoadStore,
  Control
};

template <unsigned W>
struct Warp;
struct MicroOp;

// Operand conventions, where PTX's order alone does not say it (the semantics rely on them, the compiler
// keeps them; elsewhere destinations and sources stand in PTX order):
// - Predicate logic (And, Or, Xor, Not, Mov with Type::Pred) writes predicate_destination.
// - setp/set with a Boolean: the predicate is the last source. selp: the predicate is source 2. Lop3 with a
//   Boolean: predicate_destination, the predicate is source 3.
// - Add, Sub, Mad with carry: carry_in, carry_out; Mul/Mad Wide: type is the sources' type.
// - Vote: source 0 the predicate, source 1 the member mask (absent without .sync). Shfl: a, b, c and, with
//   .sync, the member mask. Match, Redux: a, member mask; Redux's operation stands in atomic_operation.
//   Elect: member mask.
// - Pack/Unpack: type is the wide type, the element's size follows from the number of sources/destinations.
//   Unpack's unused elements are kNoRegister.
// - Cvt: type is the destination's, source_type the source's; f16x2/bf16x2 from two f32: source 0 is the
//   upper.
// - Dp4a, Dp2a: type is a's, source_type b's. Bfe, Bfi, Brev, Popc, Clz, Bfind: type is a's.
// - CvtPack: a, b, c; type is the signedness of the fields, mode their width in bits. Video: video.h.
// - Cvta: space; mode bit 0 set for cvta.to. Isspacep: space; both with type U32 or U64 for the address.
// - Registers narrower than 32 bits lie in one slot; its upper bits have no meaning to a reader. A load,
//   store or conversion whose register is wider than its type names that in source_type (Load: the
//   destination register's type, Store: the source register's type, B64 for 64-bit registers; None: the
//   type itself, extended to one slot).
// - Barrier reductions: source 2 is the predicate (source 1 an absent count is Immediate 0); Warp: source 0
//   the member mask. BranchIndexed: an index in its table, or with type U64 one of Kernel::code_addresses.
//   Call: where the callee's frame lies in local memory (its size in address_offset); Return: an index in
//   its table. Images: image.h. SystemCall: sources are the call's arguments, destinations[0] its result.
// - mode holds ShuffleMode, VoteMode, MatchMode, BarrierMode, TestpMode, PrmtMode, Special, SystemFunction,
//   ImageMode (image.h) or lop3's truth table. Bits of it: shf: 0 right, 1 wrap; bmsk, szext: 0 wrap; Min,
//   Max: 0 .NaN, 1 .xorsign; Fma, Cvt: 0 .relu; Cvt: 1 .satfinite; Redux: 0 .NaN; dp2a: 0 hi; bfind: 0
//   .shiftamt; div: 0 .approx.
struct MicroOp {
  Opcode opcode = Opcode::Nop;
  Kind kind = Kind::Nop;
  Unit unit = Unit::Integer;
  Type type = Type::None;         // operation type; memory: type of one element
  Type source_type = Type::None;  // cvt, set, slct: type of the (compared) sources

  // Executes only in lanes where this predicate is true (false if guard_negated).
  std::uint8_t guard = kNoPredicate;
  bool guard_negated = false;

  Rounding rounding = Rounding::None;
  bool flush_to_zero = false;
  bool saturate = false;
  bool approximate = false;  // .approx; with opcode Div also .full
  bool carry_in = false, carry_out = false;
  Product product = Product::None;
  Comparison comparison = Comparison::Eq;
  Boolean boolean = Boolean::None;  // setp/set: combines with the predicate in the last source
  std::uint8_t mode = 0;            // by opcode, as said above

  // Destinations. Register destinations are slots; vectors name each element's slot.
  std::uint8_t destination_count = 0;
  std::uint8_t source_count = 0;
  std::array<std::uint16_t, 4> destinations{kNoRegister, kNoRegister, kNoRegister, kNoRegister};
  // setp p, shfl d|p, vote, match d|p, isspacep, testp, bar.red; the second: setp p|q (the complement
  // combined likewise).
  std::uint8_t predicate_destination = kNoPredicate;
  std::uint8_t predicate_destination_second = kNoPredicate;

  // Sources, in PTX order. Memory: [0] is the address register (Immediate bank when absolute), [1..] the
  // stored elements, or atom's b and c. Barrier: [0] barrier number, [1] thread count (if source_count > 1).
  std::array<Operand, 5> sources{};

  // Memory
  StateSpace space = StateSpace::Generic;
  std::uint8_t vector_elements = 1;  // 1, 2, 4 (8 for 256-bit accesses)
  bool address_is_64_bit = true;
  bool uniform_address = false;  // same address in all lanes that execute
  MemorySemantics semantics = MemorySemantics::Weak;
  MemoryScope scope = MemoryScope::None;
  CacheOperator cache = CacheOperator::Default;
  AtomicOperation atomic_operation = AtomicOperation::Exchange;
  AtomicType atomic_type = AtomicType::U32;
  BitTrigger bit_trigger = BitTrigger::Implied;
  BitAction bit_action = BitAction::None;  // None where the trigger is implied
  bool names_bits() const { return bit_trigger != BitTrigger::Implied; }
  std::int64_t address_offset = 0;  // Video: its form

  // Control: indices into Kernel::code. BranchIndexed, Return: target is the index of its table in
  // Kernel::branch_tables.
  std::uint32_t target = 0;
  // The immediate post-dominator; Kernel::code.size() when only the exit post-dominates.
  std::uint32_t reconvergence = 0;
  bool uniform_branch = false;  // bra.uni
  bool may_wait = false;        // goes back in a loop in which lanes may wait for others

  // How many machine instructions an assembler would spend (64-bit add: 2, IEEE division: a sequence, the low
  // half of a register pair: none). Statistics count these; timing models charge them.
  std::uint16_t machine_instructions = 1;

  std::uint32_t ptx_line = 0;

  // Set by bind_handlers (semantics.h) for the two lane-array widths.
  void (*handler32)(Warp<32>&, const MicroOp&, std::uint64_t lanes) = nullptr;
  void (*handler64)(Warp<64>&, const MicroOp&, std::uint64_t lanes) = nullptr;
};

// ".full.empty" as it stands after the opcode; nothing where no bits are named.
std::string bits_text(const MicroOp& op);

inline bool reads_clock(const MicroOp& op) {
  return op.kind == Kind::Special && static_cast<Special>(op.mode) <= Special::GlobalTimerHi;
}

}  // namespace duet::ptx
