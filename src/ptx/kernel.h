// A compiled PTX module: kernels as micro-ops, and its variables. Produced by compile_module (compiler.h).
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/units.h"
#include "ptx/micro_op.h"
#include "ptx/source_map.h"

namespace duet::ptx {

// Shared memory of a block reserved for the system from sm_80 on: two parts of the same size.
inline constexpr Bytes kReservedSharedBytes = 1_KiB;

struct Immediate {
  std::uint64_t value = 0;
  std::uint8_t bytes = 4;  // 4: one slot; 8: two slots
  // Index in Module::variables whose address is added when the module is loaded; -1: none.
  std::int32_t variable = -1;
  std::uint32_t slot = 0;
};

struct ParameterSlot {       // a kernel parameter (part) read as an operand
  std::uint32_t offset = 0;  // in the parameter block
  Type type = Type::B32;     // narrow types are zero- or sign-extended to the slot
  std::uint32_t slot = 0;
};

// What a parameter points at, where the text says so (.param .u64 .ptr .shared .align 4).
enum class PointedSpace : std::uint8_t { None, Generic, Global, Shared, Const, Local };

struct Parameter {
  std::string name;
  Bytes offset = 0, bytes = 0, alignment = 1;
  PointedSpace pointed_space = PointedSpace::None;
  Bytes pointed_alignment = 0;  // of .ptr .align; 0: not said
};

// %envreg3 to %envreg18 are words that the driver puts behind a kernel's parameters (gpu/work_space.h).
inline constexpr unsigned kFirstEnvironmentRegister = 3, kEnvironmentRegisters = 16;

struct SharedArray {  // a variable of a block's shared memory
  std::string name;
  Bytes offset = 0, bytes = 0;  // bytes 0: dynamic
};

struct Kernel {
  std::string name;
  std::string module_name;  // for error messages: "k.ptx"
  std::shared_ptr<const SourceMap> sources;
  // For messages: "a.cu:7, k.ptx:12", without the first where it is not known.
  std::string place_of(std::uint32_t ptx_line) const;
  std::vector<MicroOp> code;
  std::vector<std::vector<std::uint32_t>> branch_tables;
  std::vector<std::vector<Address>>
      code_addresses;  // by table: ascending addresses of its targets; empty: by index
  struct CalledFunction {
    std::uint32_t entry;  // in code
    std::string name;
  };
  std::vector<CalledFunction> called_functions;  // functions not inlined
  std::vector<Immediate> immediates;
  std::uint32_t immediate_slots = 0;
  std::vector<ParameterSlot> parameter_slots;
  std::uint32_t parameter_slot_count = 0;
  std::vector<Parameter> parameters;
  Bytes parameter_bytes = 0;            // with the words of the environment registers
  Bytes environment_offset = 0;         // of the first one's word, in the parameter block
  std::uint32_t environment_words = 0;  // up to the last that the kernel reads
  // Of what a program gives.
  Bytes argument_bytes() const { return environment_words != 0 ? environment_offset : parameter_bytes; }

  // 32-bit registers per thread after allocation, with the machine's reserved ones (decides occupancy).
  std::uint32_t registers = 0;
  // The compiler's wish, where the machine has fewer and `registers` is the machine's number; 0: it has
  // enough.
  std::uint32_t registers_wanted = 0;
  // Register lane arrays to store per warp; every destination and Bank::Register slot is below it. May be
  // more than `registers` when 64-bit and 32-bit values take turns: their lane arrays interleave lanes
  // differently, so a slot still held by lanes on another path must never be written in the other width.
  std::uint32_t register_slots = 0;
  std::uint32_t predicates = 0;     // predicate registers used
  Bytes static_shared_bytes = 0;    // with the reserved part
  Bytes reserved_shared_bytes = 0;  // at offset 0, for the system (%reserved_smem..)
  Bytes dynamic_shared_offset = 0;  // of extern .shared arrays: the static size, rounded to their alignment
  Bytes local_bytes = 0;            // per thread, without the stack behind
  bool uses_stack = false;
  bool uses_heap = false;
  std::vector<SharedArray> shared_arrays;  // for messages
  Bytes own_shared_bytes() const { return static_shared_bytes - reserved_shared_bytes; }
  std::uint32_t max_threads = 0;       // .maxntid product, 0: not given
  std::uint32_t required_threads = 0;  // .reqntid product
  std::uint32_t min_blocks_per_sm = 0;
  std::uint32_t max_registers = 0;         // .maxnreg
  std::uint32_t barriers = 0;              // named barriers used (1 + highest), 0: none
  std::uint32_t machine_instructions = 0;  // static count, weighted
  // Shares of its machine instructions, those of a loop counted tenfold: arithmetic in double precision with
  // nothing but narrower values, and conversions from and to these (passes/narrow_doubles.cpp).
  double narrow_doubles = 0, narrow_conversions = 0;
  // Not empty: launching it is refused with this one-line message; code is then empty.
  std::string unsupported;
  // Lanes of a warp make progress whatever the others do (.target sm_70 and later): only then are there
  // Kind::Exchange and MicroOp::may_wait.
  bool independent_threads = false;
  bool names_32_lanes = false;  // shfl, vote, match, .lanemask..: refused where warps are not 32 wide
  bool names_bits = false;      // an instruction names full/empty bits: refused where no memory has any
};

// A .global or .const variable. Its address is given when the module is loaded into a context.
struct Variable {
  std::string name;
  bool constant = false;
  bool external = false;  // .extern without definition
  bool managed = false;   // .attribute(.managed): lies where the host reaches it too
  Bytes bytes = 0, alignment = 1;
  std::vector<std::uint8_t> initial;  // shorter than bytes: the rest is zero
  struct Relocation {
    Bytes offset;           // in initial
    std::uint8_t bytes;     // 8 (or 4)
    std::int32_t variable;  // address added to the value already there; functions' are there
    bool generic;           // generic(var)
  };
  std::vector<Relocation> relocations;
};

struct Module {
  std::string name;
  unsigned target_sm = 0;
  unsigned version_major = 0, version_minor = 0;
  std::uint64_t functions = 0;  // with an address
  std::vector<Kernel> kernels;
  std::vector<Variable> variables;
  const Kernel* find_kernel(std::string_view kernel_name) const;
};

}  // namespace duet::ptx
