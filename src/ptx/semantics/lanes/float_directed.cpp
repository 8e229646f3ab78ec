// Arithmetic rounded toward zero or an infinity: the host's own operations under the rounding mode asked for,
// restored after each lane. The values are pinned between the two changes of mode, because the compiler does
// not know that they matter. Source: PTX ISA 9.0, section 9.7.3.
#include "ptx/semantics/lanes/float_operations.h"

namespace duet::ptx::DUET_LANES {
namespace {

class RoundingScope {
 public:
  explicit RoundingScope(unsigned bits) : saved_(_mm_getcsr()) { _mm_setcsr((saved_ & ~0x6000u) | bits); }
  ~RoundingScope() { _mm_setcsr(saved_); }
  RoundingScope(const RoundingScope&) = delete;
  RoundingScope& operator=(const RoundingScope&) = delete;

 private:
  unsigned saved_;
};
template <typename T>
inline T pin(T value) {
  asm volatile("" : "+x"(value));
  return value;
}
inline unsigned control_bits(Rounding rounding) {
  switch (rounding) {
    case Rounding::MinusInfinity:
      return 0x2000;
    case Rounding::PlusInfinity:
      return 0x4000;
    case Rounding::Zero:
      return 0x6000;
    default:
      return 0;
  }
}

template <typename T, typename Core, typename Arguments = ArgumentsOf<Core>>
class Directed;
template <typename T, typename Core, typename... A>
class Directed<T, Core, TypeList<A...>> {
 public:
  explicit Directed(const MicroOp& op) : bits_(control_bits(op.rounding)) {}
  T operator()(A... in) const {
    const RoundingScope scope(bits_);
    ((in = pin(in)), ...);
    return pin(Core{}(in...));
  }

 private:
  unsigned bits_;
};

// Unlike fused_multiply_add also right under other rounding modes where the host has no such instruction.
template <typename T>
struct LibraryFma {
  T operator()(T a, T b, T c) const { return std::fma(a, b, c); }
};

template <typename T>
Handlers directed(Opcode opcode) {
  switch (opcode) {
    case Opcode::Add:
      return costly_of<General<T, Directed<T, AddOf<T>>>>();
    case Opcode::Sub:
      return costly_of<General<T, Directed<T, SubtractOf<T>>>>();
    case Opcode::Mul:
      return costly_of<General<T, Directed<T, MultiplyOf<T>>>>();
    case Opcode::Fma:
    case Opcode::Mad:
      return costly_of<General<T, Directed<T, LibraryFma<T>>>>();
    case Opcode::Div:
      return costly_of<General<T, Directed<T, DivideOf<T>>>>();
    case Opcode::Sqrt:
      return costly_of<General<T, Directed<T, SquareRootOf<T>>>>();
    case Opcode::Rcp:
      return costly_of<General<T, Directed<T, ReciprocalOf<T>>>>();
    default:
      return {};
  }
}

}  // namespace

Handlers float_directed_handlers(const MicroOp& op) {
  if (!directed_rounding(op)) return {};
  if (op.type == Type::F32) return directed<float>(op.opcode);
  if (op.type == Type::F64) return directed<double>(op.opcode);
  return {};
}

}  // namespace duet::ptx::DUET_LANES
