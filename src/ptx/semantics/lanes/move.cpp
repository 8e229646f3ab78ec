// Moves, selection, packing, and addresses of state spaces. Source: PTX ISA 9.0, sections 9.7.7 and 9.7.9;
// where the spaces lie in the generic address space says state_spaces.h.
#include "ptx/semantics/lanes/lanes.h"
#include "ptx/state_spaces.h"

namespace duet::ptx::DUET_LANES {
namespace {

template <unsigned W, typename T>
void select(Warp<W>& warp, const MicroOp& op, std::uint64_t lanes) {
  const std::uint64_t chosen = predicate_source(warp, op.sources[2]);
  const T* a = source_lanes<T>(warp, op.sources[0]);
  const T* b = source_lanes<T>(warp, op.sources[1]);
  alignas(64) T result[W];
  for (unsigned base = 0; base < W; base += 32) {
    const auto word = static_cast<std::uint32_t>(chosen >> base);
    for (unsigned i = 0; i < 32; ++i) result[base + i] = (word >> i) & 1 ? a[base + i] : b[base + i];
  }
  blend<W>(destination_lanes<T>(warp, op.destinations[0]), result, lanes);
}

// Elements of a wide value, first element in the lowest bits.
template <typename T>
inline T read_element(const std::byte* slot_lanes, unsigned lane, unsigned element_bytes) {
  T value = 0;
  std::memcpy(&value, slot_lanes + std::size_t{lane} * (element_bytes == 8 ? 8 : 4), element_bytes);
  return value;
}
template <unsigned W>
void pack(Warp<W>& warp, const MicroOp& op, std::uint64_t lanes) {
  const unsigned element_bytes = type_bytes(op.type) / op.source_count;
  alignas(64) std::uint64_t result[W] = {};
  for (unsigned e = 0; e < op.source_count; ++e) {
    const auto* in = reinterpret_cast<const std::byte*>(warp.lanes32(op.sources[e]));
    for (unsigned i = 0; i < W; ++i)
      result[i] |= read_element<std::uint64_t>(in, i, element_bytes) << (8 * element_bytes * e);
  }
  if (type_bytes(op.type) == 8) {
    blend<W>(warp.destination64(op.destinations[0]), result, lanes);
    return;
  }
  alignas(64) std::uint32_t narrow[W];
  for (unsigned i = 0; i < W; ++i) narrow[i] = static_cast<std::uint32_t>(result[i]);
  blend<W>(warp.destination32(op.destinations[0]), narrow, lanes);
}
template <unsigned W>
void unpack(Warp<W>& warp, const MicroOp& op, std::uint64_t lanes) {
  const unsigned element_bytes = type_bytes(op.type) / op.destination_count;
  alignas(64) std::uint64_t wide[W];
  if (type_bytes(op.type) == 8)
    std::memcpy(wide, warp.lanes64(op.sources[0]), sizeof(wide));
  else
    for (unsigned i = 0; i < W; ++i) wide[i] = warp.lanes32(op.sources[0])[i];
  for (unsigned e = 0; e < op.destination_count; ++e) {
    if (op.destinations[e] == kNoRegister) continue;
    alignas(64) std::uint32_t element[W];
    const std::uint32_t mask = element_bytes == 4 ? ~0u : (1u << (8 * element_bytes)) - 1;
    for (unsigned i = 0; i < W; ++i)
      element[i] = static_cast<std::uint32_t>(wide[i] >> (8 * element_bytes * e)) & mask;
    blend<W>(warp.destination32(op.destinations[e]), element, lanes);
  }
}

// The offset of a generic address over the space's own.
inline Address window_of(StateSpace space) {
  switch (space) {
    case StateSpace::Shared:
      return kSharedWindow;
    case StateSpace::Local:
      return kLocalWindow;
    case StateSpace::Param:
      return kParamWindow;
    default:
      return 0;
  }
}
struct ConvertAddress {
  Address window;
  explicit ConvertAddress(const MicroOp& op) : window(window_of(op.space)) {
    if (op.mode & 1) window = 0 - window;
  }
  std::uint64_t operator()(std::uint64_t a) const { return a + window; }
};
template <unsigned W>
void is_space(Warp<W>& warp, const MicroOp& op, std::uint64_t lanes) {
  const Address window = op.space == StateSpace::Const ? kConstWindow : window_of(op.space);
  const std::uint64_t* a = warp.lanes64(op.sources[0]);
  std::uint64_t result = 0;
  for (unsigned i = 0; i < W; ++i) {
    const bool inside = op.space == StateSpace::Global
                            ? a[i] < kSharedWindow && a[i] - kConstWindow >= kWindowBytes
                            : a[i] - window < kWindowBytes;
    result |= std::uint64_t{inside} << i;
  }
  write_predicate(warp, op.predicate_destination, lanes, result);
}

// c >= 0 ? a : b; false for a NaN. Flushing a subnormal c to zero of its sign changes a negative one.
template <typename T>
Handlers select_by_sign(const MicroOp& op) {
  if (op.source_type == Type::S32)
    return elementwise([](T a, T b, std::int32_t c) { return c >= 0 ? a : b; });
  if (op.source_type != Type::F32) return {};
  if (op.flush_to_zero)
    return elementwise([](T a, T b, float c) { return c > -std::numeric_limits<float>::min() ? a : b; });
  return elementwise([](T a, T b, float c) { return c >= 0 ? a : b; });
}

}  // namespace

Handlers move_handlers(const MicroOp& op) {
  const unsigned bytes = type_bytes(op.type);
  switch (op.opcode) {
    case Opcode::Mov:
      if (op.type == Type::Pred) return {};
      if (bytes == 8) return elementwise([](std::uint64_t a) { return a; });
      return bytes <= 4 ? elementwise([](std::uint32_t a) { return a; }) : Handlers{};
    case Opcode::Selp:
      if (bytes == 8) return {&select<32, std::uint64_t>, &select<64, std::uint64_t>};
      return bytes <= 4 ? Handlers{&select<32, std::uint32_t>, &select<64, std::uint32_t>} : Handlers{};
    case Opcode::Slct:
      return bytes == 8 ? select_by_sign<std::uint64_t>(op) : select_by_sign<std::uint32_t>(op);
    case Opcode::Pack:
      if (bytes > 8 || op.source_count == 0) return {};
      return {&pack<32>, &pack<64>};
    case Opcode::Unpack:
      if (bytes > 8 || op.destination_count == 0) return {};
      return {&unpack<32>, &unpack<64>};
    case Opcode::Cvta:
      return bytes == 8 ? elementwise_of<ConvertAddress>() : Handlers{};
    case Opcode::Isspacep:
      if (bytes != 8 || op.space == StateSpace::Generic) return {};
      return {&is_space<32>, &is_space<64>};
    default:
      return {};
  }
}

}  // namespace duet::ptx::DUET_LANES
