#include "gpu/warp/fault_text.h"

#include <cstdio>

#include "gpu/outside_accesses.h"
#include "ptx/image.h"

namespace duet::gpu {

std::string hexadecimal(std::uint64_t value) {
  char text[24];
  std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(value));
  return text;
}

namespace {

const char* space_name(ptx::StateSpace space) {
  switch (space) {
    case ptx::StateSpace::Global:
      return "global";
    case ptx::StateSpace::Shared:
      return "shared";
    case ptx::StateSpace::Local:
      return "local";
    case ptx::StateSpace::Param:
      return "param";
    case ptx::StateSpace::Const:
      return "const";
    case ptx::StateSpace::Generic:
      break;
  }
  return "generic";
}

std::string mnemonic(const ptx::MicroOp& op) {
  std::string text = op.kind == ptx::Kind::Load    ? "ld"
                     : op.kind == ptx::Kind::Store ? "st"
                                                   : ptx::opcode_name(op.opcode);
  if (op.kind == ptx::Kind::Image) return text + ptx::image_text(op) + "." + ptx::type_name(op.type);
  text += ptx::bits_text(op);
  if (op.space != ptx::StateSpace::Generic) text += std::string(".") + space_name(op.space);
  if (op.vector_elements > 1) text += ".v" + std::to_string(op.vector_elements);
  return text + "." + ptx::type_name(op.type);
}

std::string position(VirtualAddress address, const memory::Allocation& allocation) {
  if (address < allocation.base) return std::to_string(allocation.base - address) + " bytes before it";
  const Bytes offset = address - allocation.base;
  if (offset >= allocation.bytes) return std::to_string(offset - allocation.bytes) + " bytes past its end";
  return std::to_string(offset) + " bytes into it";
}

// How much a block or a thread has of a memory of its own, and how far beyond it an access reaches.
std::string room_text(const Grid& grid, const ptx::MicroOp& op, const AccessFault& fault) {
  const ptx::Kernel& kernel = *grid.kernel;
  const Bytes end = fault.address + ptx::access_bytes(op);
  std::string text = fault.space == ptx::StateSpace::Shared  ? "the block has "
                     : fault.space == ptx::StateSpace::Local ? "the thread has "
                                                             : "the kernel has ";
  text += std::to_string(fault.room) + " bytes of it";
  if (fault.space == ptx::StateSpace::Shared) {
    text += " (" + std::to_string(kernel.own_shared_bytes()) + " static, " +
            std::to_string(grid.dynamic_shared_bytes) + " dynamic";
    if (kernel.reserved_shared_bytes != 0)
      text += ", " + std::to_string(kernel.reserved_shared_bytes) + " reserved";
    if (fault.room > kernel.static_shared_bytes + grid.dynamic_shared_bytes) text += ", rounded up";
    text += ")";
  }
  if (end > fault.room) text += ", this ends " + std::to_string(end - fault.room) + " bytes past them";
  return text;
}

std::string thread_text(const Grid& grid, const ptx::MicroOp& op, const ThreadName& who) {
  return "thread " + name_of(who.thread) + " of block " + name_of(who.block) + ", " + place_of(grid, op);
}

}  // namespace

std::string name_of(const Dim3& index) {
  return "(" + std::to_string(index.x) + "," + std::to_string(index.y) + "," + std::to_string(index.z) + ")";
}

std::string place_of(const Grid& grid, const ptx::MicroOp& op) { return grid.kernel->place_of(op.ptx_line); }

std::string access_fault_text(const Grid& grid, const ptx::MicroOp& op, const AccessFault& fault,
                              const ThreadName& who, const memory::AddressSpace& address_space) {
  if (fault.reason != nullptr)
    return "kernel '" + grid.kernel->name + "': " + mnemonic(op) + " by " + thread_text(grid, op, who) +
           ": " + fault.reason;
  const char* action = op.kind == ptx::Kind::Load    ? "load"
                       : op.kind == ptx::Kind::Store ? "store"
                       : op.kind == ptx::Kind::Image ? "texture or surface access"
                                                     : "atomic";
  std::string text = "kernel '" + grid.kernel->name +
                     "': " + (fault.kind == FaultKind::MisalignedAddress ? "misaligned " : "illegal ") +
                     std::to_string(ptx::access_bytes(op)) + "-byte " + action + " at " +
                     hexadecimal(fault.address) + " by " + thread_text(grid, op, who) + " (" + mnemonic(op) +
                     ")";
  if (fault.untracked)
    return text + ": " + space_name(fault.space) +
           " memory without full/empty bits (duetMallocTracked gives them)";
  if (fault.space != ptx::StateSpace::Global && fault.space != ptx::StateSpace::Const)
    return text + ": an address of " + space_name(fault.space) + " memory; " + room_text(grid, op, fault);
  if (fault.kind == FaultKind::MisalignedAddress) return text;
  if (const memory::Allocation* held = address_space.find(VirtualAddress(fault.address)))
    return text + "; allocation #" + std::to_string(held->id) + " (" + maker_of(*held) +
           ") ends or forbids it, " + position(VirtualAddress(fault.address), *held);
  const memory::Allocation* nearest = address_space.nearest(VirtualAddress(fault.address));
  if (nearest == nullptr) return text + "; nothing is allocated";
  return text + "; nearest allocation: #" + std::to_string(nearest->id) + ", " +
         std::to_string(nearest->bytes) + " bytes at " + hexadecimal(nearest->base.value()) + " (" +
         maker_of(*nearest) + "), " + position(VirtualAddress(fault.address), *nearest);
}

std::string trap_text(const Grid& grid, const ptx::MicroOp& op, const ThreadName& who) {
  return "kernel '" + grid.kernel->name + "': trap by " + thread_text(grid, op, who);
}

std::string indexed_branch_text(const Grid& grid, const ptx::MicroOp& op, const ThreadName& who,
                                std::uint64_t value) {
  const std::string start = "kernel '" + grid.kernel->name + "': ";
  if (op.kind == ptx::Kind::Return)
    return start + "return to call " + std::to_string(value) +
           ", which does not exist (its stack was overwritten), by " + thread_text(grid, op, who);
  const std::size_t targets = grid.kernel->branch_tables[op.target].size();
  if (op.type == ptx::Type::U64)
    return start + "call of " + hexadecimal(value) + ", which is none of the " + std::to_string(targets) +
           " functions of this module that take and return what this call does, by " +
           thread_text(grid, op, who);
  return start + "branch index " + std::to_string(value) + " beyond a table of " + std::to_string(targets) +
         " targets by " + thread_text(grid, op, who);
}

std::string stack_overflow_text(const Grid& grid, const ptx::MicroOp& call, const ThreadName& who) {
  std::string callee;
  for (const auto& function : grid.kernel->called_functions)
    if (function.entry == call.target) callee = function.name;
  return "kernel '" + grid.kernel->name + "': stack overflow in a call of '" + callee + "': its frame of " +
         std::to_string(call.address_offset) + " bytes is more than is left of the " +
         std::to_string(grid.stack_bytes) +
         " bytes a thread has (cudaDeviceSetLimit(cudaLimitStackSize, n) gives more), by " +
         thread_text(grid, call, who);
}

std::string barrier_text(const Grid& grid, const ptx::MicroOp& op, const ThreadName& who,
                         std::uint64_t barrier) {
  return "kernel '" + grid.kernel->name + "': barrier " + std::to_string(barrier) +
         " does not exist (0 to 15), by " + thread_text(grid, op, who);
}

std::string refusal(const ptx::Kernel& kernel, unsigned width, unsigned lanes) {
  if (kernel.names_32_lanes && width != 32)
    return "kernel '" + kernel.name +
           "': its PTX names 32 lanes (shfl, vote, match, lane masks), but this machine's "
           "warps have " +
           std::to_string(width) + " (" + kernel.module_name + ")";
  for (const ptx::MicroOp& op : kernel.code) {
    if (op.kind != ptx::Kind::Arithmetic && op.kind != ptx::Kind::Exchange) continue;
    if (lanes == 32 ? op.handler32 == nullptr : op.handler64 == nullptr)
      return "kernel '" + kernel.name + "': PTX '" + ptx::opcode_name(op.opcode) +
             "' does not run on warps of " + std::to_string(width) + " lanes (" +
             kernel.place_of(op.ptx_line) + ")";
  }
  return {};
}

std::string bits_refusal(const ptx::Kernel& kernel) {
  for (const ptx::MicroOp& op : kernel.code)
    if (op.names_bits())
      return "kernel '" + kernel.name + "': PTX '" + mnemonic(op) +
             "' names full/empty bits, which the functional GPU does not have (" +
             kernel.place_of(op.ptx_line) + ")";
  return {};
}

}  // namespace duet::gpu
