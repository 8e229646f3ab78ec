// The descriptor in the queues between requesters, links and memories. Requests and their payload stay in the
// RequestPool. Every request is answered: the answer is the same packet with kind Response, source and
// destination exchanged, and payload_bytes as its own cost (the bytes of a read or of a returning atomic; 0
// for an acknowledgement). The allocator of the request releases it when the answer arrives.
#pragma once

#include <cstdint>

#include "base/address.h"
#include "memory/request.h"

namespace duet::memory {

enum class PacketKind : std::uint8_t {
  Request,     // to a memory
  Response,    // read data or the acknowledgement of a write
  Nack,        // a request that waited too long for its trigger: send it again
  Doorbell,    // argument: bytes ever written into the push buffer of channel `tag`
  GetPointer,  // argument: bytes ever consumed from the push buffer of channel `tag`
  Release      // a semaphore release on its way to host memory; the request holds address and bytes
};

struct Packet {
  RequestHandle request = kNoRequest;
  std::uint16_t payload_bytes = 0;  // the packet's cost on a link
  std::uint16_t tag = 0;
  PacketKind kind = PacketKind::Request;
  TrafficClass traffic_class = TrafficClass::NonTriggered;  // of a request to a memory
  std::uint16_t source = 0,
                destination = 0;  // numbers of the ends of a link or an interconnect, given by the machine
  std::uint64_t argument = 0;
};

}  // namespace duet::memory
