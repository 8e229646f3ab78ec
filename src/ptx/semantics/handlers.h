// The lane executors for bind_handlers: for a micro-op, the handlers for both lane-array widths. The
// executors are compiled twice, for x86-64-v2 and -v3, each copy in a namespace of its own.
#pragma once

#include <cstdint>

#include "ptx/micro_op.h"
#include "ptx/semantics/warp.h"

namespace duet::ptx {

template <unsigned W>
using Handler = void (*)(Warp<W>&, const MicroOp&, std::uint64_t lanes);

struct Handlers {
  Handler<32> of32 = nullptr;
  Handler<64> of64 = nullptr;  // may be missing where the instruction names 32 lanes
  explicit operator bool() const { return of32 != nullptr; }
};

// Each category answers for its own instructions and returns nothing for others or for combinations outside
// PTX.
#define DUET_LANE_CATEGORIES(instruction_set)              \
  namespace instruction_set {                              \
  Handlers integer_handlers(const MicroOp& op);            \
  Handlers integer_wide_handlers(const MicroOp& op);       \
  Handlers bit_handlers(const MicroOp& op);                \
  Handlers logic_handlers(const MicroOp& op);              \
  Handlers float_handlers(const MicroOp& op);              \
  Handlers float_general_handlers(const MicroOp& op);      \
  Handlers float_directed_handlers(const MicroOp& op);     \
  Handlers float_function_handlers(const MicroOp& op);     \
  Handlers half_handlers(const MicroOp& op);               \
  Handlers compare_integer_handlers(const MicroOp& op);    \
  Handlers compare_float_handlers(const MicroOp& op);      \
  Handlers convert_integer_handlers(const MicroOp& op);    \
  Handlers convert_float_handlers(const MicroOp& op);      \
  Handlers convert_from_float_handlers(const MicroOp& op); \
  Handlers convert_small_handlers(const MicroOp& op);      \
  Handlers move_handlers(const MicroOp& op);               \
  Handlers exchange_handlers(const MicroOp& op);           \
  Handlers video_handlers(const MicroOp& op);              \
  }
DUET_LANE_CATEGORIES(lanes_v2)
DUET_LANE_CATEGORIES(lanes_v3)
#undef DUET_LANE_CATEGORIES

// The handlers of an arithmetic micro-op in the copy for x86-64-v3 or -v2; none when PTX or this copy lacks
// it.
Handlers find_handlers(const MicroOp& op, bool version3);

}  // namespace duet::ptx
