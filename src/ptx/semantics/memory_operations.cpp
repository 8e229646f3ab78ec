// The two halves of a memory instruction on the lanes: addresses and stored values going out, loaded values
// coming in. Storage and time are the GPU model's. Source: PTX ISA 9.0, sections 9.7.9.8 (ld) and on.
#include <cstring>

#include "ptx/semantics/semantics.h"

namespace duet::ptx {

namespace {

// A 16-byte element lies in four consecutive slots: two 64-bit lane arrays, low half first.
unsigned slots_of(unsigned element_bytes) { return element_bytes == 16 ? 4 : element_bytes == 8 ? 2 : 1; }

bool register_is_64_bit(const MicroOp& op) {
  return type_bytes(op.type) == 8 || (op.source_type != Type::None && type_bytes(op.source_type) == 8);
}

template <unsigned W, typename F>
inline void for_lanes(std::uint64_t lanes, F&& f) {
  if (lanes == LaneMask::first(W).bits()) {
    for (unsigned i = 0; i < W; ++i) f(i);
  } else {
    for (std::uint64_t rest = lanes; rest != 0; rest &= rest - 1)
      f(static_cast<unsigned>(std::countr_zero(rest)));
  }
}

// Copies elements of `Bytes` bytes between a lane array with elements of type S and the payload.
template <unsigned Bytes, unsigned W, typename S>
inline void gather(const S* from, std::uint64_t lanes, std::byte* payload, unsigned stride) {
  for_lanes<W>(lanes, [&](unsigned i) { std::memcpy(payload + std::size_t{i} * stride, from + i, Bytes); });
}
template <unsigned W, typename S>
inline void gather_bytes(unsigned bytes, const S* from, std::uint64_t lanes, std::byte* payload,
                         unsigned stride) {
  switch (bytes) {
    case 1:
      return gather<1, W>(from, lanes, payload, stride);
    case 2:
      return gather<2, W>(from, lanes, payload, stride);
    case 4:
      return gather<4, W>(from, lanes, payload, stride);
    default:
      if constexpr (sizeof(S) == 8) gather<8, W>(from, lanes, payload, stride);
  }
}

// An element of type T extends to its slot by its signedness.
template <typename T, unsigned W, typename S>
inline void scatter(S* to, std::uint64_t lanes, const std::byte* payload, unsigned stride) {
  for_lanes<W>(lanes, [&](unsigned i) {
    T value;
    std::memcpy(&value, payload + std::size_t{i} * stride, sizeof(T));
    if constexpr (std::is_signed_v<T>)
      to[i] = static_cast<S>(static_cast<std::make_signed_t<S>>(value));
    else
      to[i] = value;
  });
}
template <unsigned W, typename S>
inline void scatter_typed(Type type, S* to, std::uint64_t lanes, const std::byte* payload, unsigned stride) {
  switch (type_bytes(type)) {
    case 1:
      if (type == Type::S8) return scatter<std::int8_t, W>(to, lanes, payload, stride);
      return scatter<std::uint8_t, W>(to, lanes, payload, stride);
    case 2:
      if (type == Type::S16) return scatter<std::int16_t, W>(to, lanes, payload, stride);
      return scatter<std::uint16_t, W>(to, lanes, payload, stride);
    case 4:
      if (type == Type::S32) return scatter<std::int32_t, W>(to, lanes, payload, stride);
      return scatter<std::uint32_t, W>(to, lanes, payload, stride);
    default:
      if constexpr (sizeof(S) == 8) scatter<std::uint64_t, W>(to, lanes, payload, stride);
  }
}

}  // namespace

template <unsigned W>
void generate_addresses(const Warp<W>& warp, const MicroOp& op, std::uint64_t lanes,
                        std::uint64_t* addresses) {
  const auto offset = static_cast<std::uint64_t>(op.address_offset);
  // Other lanes get addresses too; nobody reads them.
  static_cast<void>(lanes);
  if (op.address_is_64_bit) {
    const std::uint64_t* base = warp.lanes64(op.sources[0]);
    for (unsigned i = 0; i < W; ++i) addresses[i] = base[i] + offset;
  } else {
    const std::uint32_t* base = warp.lanes32(op.sources[0]);
    for (unsigned i = 0; i < W; ++i) addresses[i] = base[i] + static_cast<std::uint32_t>(offset);
  }
}

template <unsigned W>
void read_store_values(const Warp<W>& warp, const MicroOp& op, std::uint64_t lanes, std::byte* payload,
                       unsigned stride) {
  const unsigned bytes = type_bytes(op.type);
  for (unsigned e = 1; e < op.source_count; ++e) {
    const Operand& source = op.sources[e];
    std::byte* to = payload + std::size_t{e - 1} * bytes;
    if (bytes == 16) {
      const std::uint64_t* low = warp.lanes64(source);
      gather<8, W>(low, lanes, to, stride);
      gather<8, W>(low + W, lanes, to + 8, stride);
    } else if (register_is_64_bit(op)) {
      gather_bytes<W>(bytes, warp.lanes64(source), lanes, to, stride);
    } else {
      gather_bytes<W>(bytes, warp.lanes32(source), lanes, to, stride);
    }
  }
}

template <unsigned W>
void write_back(Warp<W>& warp, const MicroOp& op, std::uint64_t lanes, const std::byte* payload,
                unsigned stride) {
  const unsigned bytes = type_bytes(op.type);
  for (unsigned e = 0; e < op.destination_count; ++e) {
    const std::uint16_t slot = op.destinations[e];
    if (slot == kNoRegister) continue;
    const std::byte* from = payload + std::size_t{e} * bytes;
    if (slots_of(bytes) == 4) {
      scatter<std::uint64_t, W>(warp.destination64(slot), lanes, from, stride);
      scatter<std::uint64_t, W>(warp.destination64(static_cast<std::uint16_t>(slot + 2)), lanes, from + 8,
                                stride);
    } else if (register_is_64_bit(op)) {
      scatter_typed<W>(op.type, warp.destination64(slot), lanes, from, stride);
    } else {
      scatter_typed<W>(op.type, warp.destination32(slot), lanes, from, stride);
    }
  }
}

template void generate_addresses<32>(const Warp<32>&, const MicroOp&, std::uint64_t, std::uint64_t*);
template void generate_addresses<64>(const Warp<64>&, const MicroOp&, std::uint64_t, std::uint64_t*);
template void read_store_values<32>(const Warp<32>&, const MicroOp&, std::uint64_t, std::byte*, unsigned);
template void read_store_values<64>(const Warp<64>&, const MicroOp&, std::uint64_t, std::byte*, unsigned);
template void write_back<32>(Warp<32>&, const MicroOp&, std::uint64_t, const std::byte*, unsigned);
template void write_back<64>(Warp<64>&, const MicroOp&, std::uint64_t, const std::byte*, unsigned);

}  // namespace duet::ptx
