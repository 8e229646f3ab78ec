#include "gpu/front_end/aql_packet.h"

#include <cstring>

namespace duet::gpu {

namespace {

template <typename T>
T at(std::span<const std::byte> bytes, std::size_t offset) {
  T value;
  std::memcpy(&value, bytes.data() + offset, sizeof value);
  return value;
}

FenceScope scope_of(unsigned bits) { return bits >= 2 ? FenceScope::System : static_cast<FenceScope>(bits); }

}  // namespace

AqlPacket decode_aql_packet(std::span<const std::byte> bytes) {
  AqlPacket packet;
  const auto header = at<std::uint16_t>(bytes, 0);
  const unsigned type = header & 0xff;
  // A type that the specification does not have is refused like a vendor's.
  packet.type = type <= 5 ? static_cast<AqlType>(type) : AqlType::VendorSpecific;
  packet.barrier = (header >> 8 & 1) != 0;
  packet.acquire = scope_of(header >> 9 & 3);
  packet.release = scope_of(header >> 11 & 3);
  packet.completion_signal = at<std::uint64_t>(bytes, 56);
  if (packet.type == AqlType::KernelDispatch) {
    AqlDispatch& dispatch = packet.dispatch;
    dispatch.dimensions = at<std::uint16_t>(bytes, 2) & 3;
    dispatch.group = {at<std::uint16_t>(bytes, 4), at<std::uint16_t>(bytes, 6), at<std::uint16_t>(bytes, 8)};
    dispatch.size = {at<std::uint32_t>(bytes, 12), at<std::uint32_t>(bytes, 16),
                     at<std::uint32_t>(bytes, 20)};
    dispatch.private_bytes = at<std::uint32_t>(bytes, 24);
    dispatch.group_bytes = at<std::uint32_t>(bytes, 28);
    dispatch.kernel_object = at<std::uint64_t>(bytes, 32);
    dispatch.kernarg = at<std::uint64_t>(bytes, 40);
  } else if (packet.type == AqlType::BarrierAnd || packet.type == AqlType::BarrierOr) {
    for (std::size_t i = 0; i < packet.depends.size(); ++i)
      packet.depends[i] = at<std::uint64_t>(bytes, 8 + 8 * i);
  }
  return packet;
}

}  // namespace duet::gpu
