#include "core/call_kind.h"

namespace duet::core {

const config::CallLatency& cost_of(const config::Driver& driver, CallKind kind) {
  switch (kind) {
    case CallKind::MemcpySync:
      return driver.memcpy_sync;
    case CallKind::MemcpyAsync:
      return driver.memcpy_async;
    case CallKind::Memset:
      return driver.memset;
    case CallKind::Launch:
    case CallKind::GraphLaunch:  // nobody has measured it for these machines: one launch, however many nodes
      return driver.launch;
    case CallKind::GraphEdge: {  // prepared when the graph was instantiated
      static const config::CallLatency none{};
      return none;
    }
    case CallKind::StreamSynchronize:
      return driver.stream_synchronize;
    case CallKind::DeviceSynchronize:
      return driver.device_synchronize;
    case CallKind::EventSynchronize:
      return driver.event_synchronize;
    case CallKind::EventRecord:
      return driver.event_record;
    case CallKind::StreamWaitEvent:
      return driver.stream_wait_event;
    case CallKind::HostFunction:
      return driver.host_function;
    case CallKind::Query:
      return driver.query;
    case CallKind::Allocate:
      return driver.allocate;
    case CallKind::Other:
      break;
  }
  return driver.other;
}

}  // namespace duet::core
