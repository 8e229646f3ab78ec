// Ids and sizes of work-items and work-groups. A grid is the whole work, or with partial work-groups one of its parts,
// and the driver says in environment registers which:
//
//   %envreg3..5    what is added to ctaid * ntid + tid: the global offset, and the work-items before the part
//   %envreg6       dimensions of the work
//   %envreg7..9    work-groups before the part
//   %envreg10..12  work-groups of the whole
//   %envreg13..15  size of a full work-group
//   %envreg16..18  work-items of the whole
//
// NVIDIA's own compiler reads 3 to 6 in this way. Ids are computed in 32 bits, as there, and widened without a sign.
// With UNIFORM a grid is the whole work.
#define CONSTANT static inline __attribute__((const))
#define REGISTER(number)                                \
  CONSTANT uint envreg##number(void) { \
    uint value;                                         \
    __asm__("mov.u32 %0, %%envreg" #number ";" : "=r"(value)); \
    return value;                                       \
  }
REGISTER(3)
REGISTER(4)
REGISTER(5)
REGISTER(6)
#ifndef UNIFORM
REGISTER(7)
REGISTER(8)
REGISTER(9)
REGISTER(10)
REGISTER(11)
REGISTER(12)
REGISTER(13)
REGISTER(14)
REGISTER(15)
REGISTER(16)
REGISTER(17)
REGISTER(18)
#endif

#define BY_DIMENSION(x, y, z, beyond)   \
  switch (dimension) {                  \
    case 0:                             \
      return x;                         \
    case 1:                             \
      return y;                         \
    case 2:                             \
      return z;                         \
    default:                            \
      return beyond;                    \
  }

CONSTANT uint group(uint dimension) {
  BY_DIMENSION(__nvvm_read_ptx_sreg_ctaid_x(), __nvvm_read_ptx_sreg_ctaid_y(), __nvvm_read_ptx_sreg_ctaid_z(), 0)
}
CONSTANT uint size(uint dimension) {
  BY_DIMENSION(__nvvm_read_ptx_sreg_ntid_x(), __nvvm_read_ptx_sreg_ntid_y(), __nvvm_read_ptx_sreg_ntid_z(), 1)
}
CONSTANT uint item(uint dimension) {
  BY_DIMENSION(__nvvm_read_ptx_sreg_tid_x(), __nvvm_read_ptx_sreg_tid_y(), __nvvm_read_ptx_sreg_tid_z(), 0)
}
CONSTANT uint added(uint dimension) { BY_DIMENSION(envreg3(), envreg4(), envreg5(), 0) }
#ifdef UNIFORM
CONSTANT uint groups_before(uint dimension) { return 0 * dimension; }
CONSTANT uint groups(uint dimension) {
  BY_DIMENSION(__nvvm_read_ptx_sreg_nctaid_x(), __nvvm_read_ptx_sreg_nctaid_y(), __nvvm_read_ptx_sreg_nctaid_z(), 1)
}
CONSTANT uint full_size(uint dimension) { return size(dimension); }
CONSTANT uint items(uint dimension) { return groups(dimension) * size(dimension); }
#else
CONSTANT uint groups_before(uint dimension) {
  BY_DIMENSION(envreg7(), envreg8(), envreg9(), 0)
}
CONSTANT uint groups(uint dimension) {
  BY_DIMENSION(envreg10(), envreg11(), envreg12(), 1)
}
CONSTANT uint full_size(uint dimension) {
  BY_DIMENSION(envreg13(), envreg14(), envreg15(), 1)
}
CONSTANT uint items(uint dimension) {
  BY_DIMENSION(envreg16(), envreg17(), envreg18(), 1)
}
#endif

uint OVERLOAD get_work_dim(void) { return envreg6(); }
size_t OVERLOAD get_local_id(uint dimension) { return item(dimension); }
size_t OVERLOAD get_local_size(uint dimension) { return size(dimension); }
size_t OVERLOAD get_enqueued_local_size(uint dimension) { return full_size(dimension); }
size_t OVERLOAD get_group_id(uint dimension) { return group(dimension) + groups_before(dimension); }
size_t OVERLOAD get_num_groups(uint dimension) { return groups(dimension); }
size_t OVERLOAD get_global_offset(uint dimension) {
  return added(dimension) - groups_before(dimension) * full_size(dimension);
}
size_t OVERLOAD get_global_id(uint dimension) {
  return group(dimension) * size(dimension) + item(dimension) + added(dimension);
}
size_t OVERLOAD get_global_size(uint dimension) { return items(dimension); }

CONSTANT size_t place(uint dimension) {  // in the whole, without the offset
  return (group(dimension) + groups_before(dimension)) * full_size(dimension) + item(dimension);
}
size_t OVERLOAD get_global_linear_id(void) { return (place(2) * items(1) + place(1)) * items(0) + place(0); }
size_t OVERLOAD get_local_linear_id(void) { return (item(2) * size(1) + item(1)) * size(0) + item(0); }
