// Names of micro-ops' operations and operand types. One opcode per PTX base opcode (opcodes.def); PTX's
// modifiers stand in MicroOp's fields.
#pragma once

#include <cstdint>

namespace duet::ptx {

enum class Type : std::uint8_t {
  None,
  Pred,
  B8,
  B16,
  B32,
  B64,
  B128,
  U8,
  U16,
  U32,
  U64,
  S8,
  S16,
  S32,
  S64,
  U16x2,
  S16x2,
  F16,
  F16x2,
  BF16,
  BF16x2,
  F32,
  F64,
  // Of instructions, not of registers: pairs of f32 in 64 bits, pairs of 8-bit floats in 16, and f32 whose
  // lower 13 bits are zero.
  F32x2,
  E4M3x2,
  E5M2x2,
  TF32
};

constexpr unsigned type_bytes(Type type) {
  switch (type) {
    case Type::None:
    case Type::Pred:
      return 0;
    case Type::B8:
    case Type::U8:
    case Type::S8:
      return 1;
    case Type::B16:
    case Type::U16:
    case Type::S16:
    case Type::F16:
    case Type::BF16:
    case Type::E4M3x2:
    case Type::E5M2x2:
      return 2;
    case Type::B64:
    case Type::U64:
    case Type::S64:
    case Type::F64:
    case Type::F32x2:
      return 8;
    case Type::B128:
      return 16;
    default:
      return 4;
  }
}
constexpr bool is_signed(Type type) { return type >= Type::S8 && type <= Type::S64; }
constexpr bool is_float(Type type) { return type >= Type::F16; }

enum class Opcode : std::uint16_t {
#define OPCODE(enumerator, ...) enumerator,
#include "ptx/opcodes.def"
};
inline constexpr unsigned kOpcodeCount = 0
#define OPCODE(...) +1
#include "ptx/opcodes.def"
    ;
const char* opcode_name(Opcode opcode);
const char* type_name(Type type);  // "u32"

enum class Product : std::uint8_t { None, Low, High, Wide };
enum class Rounding : std::uint8_t {
  None,
  NearestEven,
  Zero,
  MinusInfinity,
  PlusInfinity,
  NearestAway,
  // cvt to an integral value: .rni .rzi .rmi .rpi
  IntegerNearestEven,
  IntegerZero,
  IntegerMinusInfinity,
  IntegerPlusInfinity
};
// Comparison of setp, set, slct: signed/unsigned/ordered float by the operand type; ..U also true when
// unordered.
enum class Comparison : std::uint8_t { Eq, Ne, Lt, Le, Gt, Ge, EqU, NeU, LtU, LeU, GtU, GeU, Num, Nan };
enum class Boolean : std::uint8_t { None, And, Or, Xor };
enum class ShuffleMode : std::uint8_t { Up, Down, Bfly, Idx };
enum class VoteMode : std::uint8_t { All, Any, Uni, Ballot };
enum class MatchMode : std::uint8_t { Any, All };
// Before Arrive: those that wait where they arrive.
enum class BarrierMode : std::uint8_t {
  Sync,
  ReducePopc,
  ReduceAnd,
  ReduceOr,
  Warp,
  Arrive,
  ClusterArrive,
  ClusterWait  // for the phase of its warp's last arrival
};
// barrier.cluster: a cluster is one block, and its barrier the last of the block's sixteen.
inline constexpr unsigned kClusterBarrier = 15;
enum class TestpMode : std::uint8_t { Finite, Infinite, Number, NotANumber, Normal, Subnormal };
enum class PrmtMode : std::uint8_t { Default, F4e, B4e, Rc8, Ecl, Ecr, Rc16 };
enum class StateSpace : std::uint8_t { Generic, Global, Shared, Local, Param, Const };
enum class MemoryScope : std::uint8_t { None, Cta, Cluster, Gpu, System };
enum class MemorySemantics : std::uint8_t {
  Weak,
  Relaxed,
  Acquire,
  Release,
  AcquireRelease,
  SequentiallyConsistent,
  Volatile
};
enum class CacheOperator : std::uint8_t {
  Default,
  CacheAll,
  CacheGlobal,
  Streaming,
  LastUse,
  Volatile,
  WriteBack,
  WriteThrough,
  NonCoherent
};
// The wait of an access to memory with full/empty bits, and its action on the bits (lustig2013 §4.5).
// Implied: the machine's default for an instruction without them.
enum class BitTrigger : std::uint8_t { Implied, None, Full, Empty };
enum class BitAction : std::uint8_t { None, Fill, Empty };
enum class SystemFunction : std::uint8_t {
  Vprintf,
  AssertFail,
  Malloc,
  Free,
  // Kernels launched by kernels (CUDA C++ Programming Guide, CUDA dynamic parallelism).
  ParameterBuffer,
  LaunchDevice,
  StreamCreate,
  StreamDestroy,
  MemcpyAsync,
  GetLastError,
  PeekAtLastError,
  Printf  // OpenCL C's: Vprintf's with vectors
};
// Whether its argument in this place has 32 bits; all others have 64 (passes/system_functions.h).
constexpr bool is_word_argument(SystemFunction function, unsigned place) {
  switch (function) {
    case SystemFunction::AssertFail:
    case SystemFunction::ParameterBuffer:
      return place == 2;
    case SystemFunction::MemcpyAsync:
      return place == 3;
    case SystemFunction::StreamCreate:
      return true;
    default:
      return false;
  }
}
// Values known only to the executing machine at run time; everything constant during a block is an operand
// (Bank::Block, Bank::Warp).
enum class Special : std::uint8_t {
  Clock,
  Clock64,
  ClockHi,
  GlobalTimer,
  GlobalTimerLo,
  GlobalTimerHi,
  SmId,
  NumSm,
  WarpSlot,
  NumWarpSlot,
  GridId,
  DynamicSharedBytes,
  TotalSharedBytes
};

}  // namespace duet::ptx
