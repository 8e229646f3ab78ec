// The effects of instructions, warp-wide over lane arrays, without time and without memory. Register
// operations are one call through the micro-op's handler; a memory operation is two: the addresses when it
// issues, the write-back when values arrive, because the time between belongs to a timing model. Source: PTX
// ISA 9.0.
#pragma once

#include "ptx/kernel.h"
#include "ptx/semantics/warp.h"

namespace duet::ptx {

// Fills in the handlers of all micro-ops for the fastest instruction set of this host (x86-64-v2 or -v3).
// Throws duet::Error naming kernel, instruction and line when a combination has no handler, before the kernel
// starts.
void bind_handlers(Kernel& kernel);

// Lanes (within `active`) whose guard lets the instruction execute.
template <unsigned W>
inline std::uint64_t guarded_lanes(const Warp<W>& warp, const MicroOp& op, std::uint64_t active) {
  if (op.guard == kNoPredicate) return active;
  const std::uint64_t p = warp.predicates[op.guard];
  return active & (op.guard_negated ? ~p : p);
}

// Executes an Arithmetic or Exchange instruction for the given lanes.
template <unsigned W>
inline void execute(Warp<W>& warp, const MicroOp& op, std::uint64_t lanes) {
  if constexpr (W == 32)
    op.handler32(warp, op, lanes);
  else
    op.handler64(warp, op, lanes);
}

// First call: addresses[lane] for the lanes given, offset included, in op.space's own address space.
template <unsigned W>
void generate_addresses(const Warp<W>& warp, const MicroOp& op, std::uint64_t lanes,
                        std::uint64_t* addresses);

// Bytes one lane accesses: element size times vector_elements.
inline unsigned access_bytes(const MicroOp& op) { return type_bytes(op.type) * op.vector_elements; }

// Copies a Store's values, or an Atomic's b (and, behind it, c) operands, into `payload`: lane i at payload +
// i * stride.
template <unsigned W>
void read_store_values(const Warp<W>& warp, const MicroOp& op, std::uint64_t lanes, std::byte* payload,
                       unsigned stride);

// Second call: puts a Load's or Atom's values into the destination registers, sign- or zero-extending narrow
// types.
template <unsigned W>
void write_back(Warp<W>& warp, const MicroOp& op, std::uint64_t lanes, const std::byte* payload,
                unsigned stride);

}  // namespace duet::ptx
