// The part of a kernel that decides its time: its control, and the addresses of its accesses. The rest
// computes values for neither, and need not be executed:
//   ld.global.f32 %f1, [%rd1];      its address is recorded, nothing is loaded
//   fma.rn.f32 %f2, %f1, %f1, %f2;  left out
//   add.s64 %rd1, %rd1, 4;          executed: an address comes of it
//   setp.lt.s32 %p1, %r1, %r2;      executed: a branch comes of it
// This is a program slice (Weiser, "Program slicing", ICSE 1981) of the machine's instructions.
//   Slice slice = slice_of(kernel);
//   if (!slice.by_data) record->partial = &slice.with_shared;
// By data: control or an address comes of a value loaded from memory that others write, of an atomic's
// result, of a texture or a clock; or the kernel has instructions not followed here (calls, full/empty bits,
// system calls). Such a kernel is executed whole. Values in shared and local memory are followed as one:
// where control or an address comes of any, all stores there are executed.
#pragma once

#include <cstdint>
#include <vector>

#include "gpu/functional/block_recorder.h"
#include "ptx/kernel.h"

namespace duet::predict {

struct Slice {
  bool by_data = false;
  bool followed = true;        // false: by data, because of an instruction not followed here
  std::vector<bool> deciding;  // by index in Kernel::code: control or an address comes of its results
  // Empty by data. The second has only the accesses to shared memory with wanted values; the third has only
  // stores to memory that others read, and counts loops.
  gpu::PartialCode with_shared, without_shared, counting;
};

Slice slice_of(const ptx::Kernel& kernel);

}  // namespace duet::predict
