// Chooses the handler of each micro-op when a module is loaded, so execution only calls it. The scope of each
// category stands at the head of its file.
#include "base/error.h"
#include "ptx/semantics/handlers.h"
#include "ptx/semantics/semantics.h"
#include "ptx/semantics/word_lanes.h"

namespace duet::ptx {

namespace {

using Category = Handlers (*)(const MicroOp&);
#define DUET_CATEGORIES(set)                                                                          \
  {                                                                                                   \
    set::integer_handlers, set::integer_wide_handlers, set::bit_handlers, set::logic_handlers,        \
        set::float_handlers, set::float_general_handlers, set::float_directed_handlers,               \
        set::float_function_handlers, set::half_handlers, set::compare_integer_handlers,              \
        set::compare_float_handlers, set::convert_integer_handlers, set::convert_from_float_handlers, \
        set::convert_float_handlers, set::convert_small_handlers, set::move_handlers,                 \
        set::exchange_handlers, set::video_handlers                                                   \
  }
constexpr Category kCategoriesV2[] = DUET_CATEGORIES(lanes_v2);
constexpr Category kCategoriesV3[] = DUET_CATEGORIES(lanes_v3);
#undef DUET_CATEGORIES

}  // namespace

Handlers find_handlers(const MicroOp& op, bool version3) {
  for (const Category category : version3 ? kCategoriesV3 : kCategoriesV2)
    if (const Handlers handlers = category(op)) return handlers;
  return {};
}

void bind_handlers(Kernel& kernel) {
  const bool version3 = __builtin_cpu_supports("x86-64-v3");
  for (MicroOp& op : kernel.code) {
    if (op.kind != Kind::Arithmetic && op.kind != Kind::Exchange) continue;
    const Handlers handlers = find_handlers(op, version3);
    if (!handlers) {
      std::string name = opcode_name(op.opcode);
      if (op.type != Type::None) name += std::string(".") + type_name(op.type);
      if (op.source_type != Type::None && op.source_type != op.type)
        name += std::string(".") + type_name(op.source_type);
      throw Error("kernel '" + kernel.name + "': PTX '" + name + "' is not supported in this combination (" +
                  kernel.place_of(op.ptx_line) + ")");
    }
    op.handler32 = handlers.of32;
    op.handler64 = handlers.of64;
  }
}

template <unsigned W>
const WordLanes<W>& word_lanes() {
  static const WordLanes<W> chosen = [] {
    WordLanes<W> table;
    if (__builtin_cpu_supports("x86-64-v3"))
      lanes_v3::fill(table);
    else
      lanes_v2::fill(table);
    return table;
  }();
  return chosen;
}
template const WordLanes<32>& word_lanes<32>();
template const WordLanes<64>& word_lanes<64>();

}  // namespace duet::ptx
