// Read-modify-write operations, performed by memory at the coherence point (PTX ISA, atom/red). Both the
// instruction semantics and the memory system name them, and neither sees the other.
#pragma once

#include <cstddef>
#include <cstdint>

namespace duet {

enum class AtomicOperation : std::uint8_t {
  Exchange,
  Add,
  Increment,
  Decrement,
  Minimum,
  Maximum,
  And,
  Or,
  Xor,
  CompareAndSwap
};
enum class AtomicType : std::uint8_t {
  U32,
  S32,
  U64,
  S64,
  B16,
  B32,
  B64,
  B128,  // exchange, compare-and-swap
  F16,
  F16x2,
  BF16,
  BF16x2,
  F32,
  F64
};

unsigned atomic_type_bytes(AtomicType type);

// Performs an atomic on the value at `location` and leaves the old value in `old_value`. `operand` is PTX's b
// and `operand2` its c (compare-and-swap: b is compared, c stored); each points to atomic_type_bytes(type)
// bytes and need not be aligned.
using AtomicFunction = void (*)(std::byte* location, const std::byte* operand, const std::byte* operand2,
                                std::byte* old_value);

// The function of an operation on a type; a caller with many lanes asks once. Float additions round to
// nearest even; f32 keeps subnormals unless flush_to_zero (PTX ISA: atom.add.f32 on global memory flushes
// them, on shared memory does not).
AtomicFunction atomic_function(AtomicOperation operation, AtomicType type, bool flush_to_zero);

inline void perform_atomic(AtomicOperation operation, AtomicType type, bool flush_to_zero,
                           std::byte* location, const std::byte* operand, const std::byte* operand2,
                           std::byte* old_value) {
  atomic_function(operation, type, flush_to_zero)(location, operand, operand2, old_value);
}

}  // namespace duet
