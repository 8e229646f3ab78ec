// The kind of an API's call, and its row of the machine file's table of latencies (lustig2013 Table 2).
#pragma once

#include "config/machine.h"

namespace duet::core {

enum class CallKind : std::uint8_t {
  MemcpySync,
  MemcpyAsync,
  Memset,
  Launch,
  StreamSynchronize,
  DeviceSynchronize,
  EventSynchronize,
  EventRecord,
  StreamWaitEvent,
  HostFunction,
  Query,
  Allocate,
  Other,
  GraphLaunch,
  GraphEdge  // the order of a graph's nodes
};
// Kinds without a command and without a wait: they spend their latency before anything else.
inline bool spends_before(CallKind kind) {
  return kind == CallKind::Other || kind == CallKind::Allocate || kind == CallKind::Query;
}
const config::CallLatency& cost_of(const config::Driver& driver, CallKind kind);

}  // namespace duet::core
