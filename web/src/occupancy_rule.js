// How many blocks of a kernel fit on one SM: the rule of src/gpu/occupancy.cpp, in the same order, so that the limit that binds
// is the same too. tests/report/kernels_test.py compares the two.
const unit = (value) => Math.max(value ?? 0, 1);
const roundUp = (value, to) => Math.ceil(value / to) * to;

// sm: keys of gpu.sm of the machine. shared: bytes of a block, static and dynamic; mostShared: that a block may have. Of `fit` each limit's own blocks.
export function occupancy(sm, { threads, registers, shared, mostShared = sm.max_shared_bytes_per_block }) {
  const warps = Math.ceil(threads / sm.warp_width);
  const allocatedWarps = roundUp(warps, unit(sm.warp_allocation_unit));
  const registersPerWarp = roundUp(Math.max(registers, 1) * sm.warp_width, unit(sm.register_allocation_unit));
  const sharedPerBlock = roundUp(shared, unit(sm.shared_allocation_unit));
  const result = { blocks: 0, warpsPerBlock: warps, registersPerBlock: registersPerWarp * allocatedWarps, sharedPerBlock, limit: "blocks", fit: {} };
  const refused = threads === 0 || threads > sm.max_threads_per_block ? "threads per block"
    : registers > sm.max_registers_per_thread ? "registers" : shared > mostShared ? "shared memory" : null;
  if (refused) return { ...result, limit: refused };
  const granule = unit(sm.warp_allocation_unit);
  result.fit = {
    blocks: sm.max_blocks,
    warps: Math.min(Math.floor(sm.max_warps / warps), Math.floor(sm.max_threads / threads)),
    registers: Math.floor((Math.floor(Math.floor(sm.registers / registersPerWarp) / granule) * granule) / allocatedWarps),
    "shared memory": sharedPerBlock === 0 ? Infinity : Math.floor(sm.shared_bytes / sharedPerBlock),
  };
  result.blocks = sm.max_blocks;
  for (const [name, blocks] of Object.entries(result.fit)) {
    if (blocks >= result.blocks) continue;
    result.blocks = blocks;
    result.limit = name;
  }
  return result;
}
