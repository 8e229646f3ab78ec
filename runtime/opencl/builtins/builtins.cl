// One text for the compiler: a function with the name and the types of OpenCL C's, and its body.
//
//   size_t OVERLOAD get_local_id(uint dimension) { ... }
//
// Sources: OpenCL C 3.0; PTX ISA 8.5 for .target sm_60.
#define OVERLOAD __attribute__((overloadable, always_inline, const))
#define OVERLOAD_EFFECT __attribute__((overloadable, always_inline))
#define OVERLOAD_TOGETHER __attribute__((overloadable, always_inline, convergent))

#include "work_items.cl"
#include "native.cl"
#include "atomics.cl"
#include "work_group.cl"
#include "common.cl"
#include "async.cl"
#include "images.cl"
