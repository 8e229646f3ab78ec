#include "cpu/directory_port.h"

#include <algorithm>
#include <cassert>

namespace duet::cpu {

void DirectoryPort::send(Cycle at, memory::CoherenceKind kind, std::uint64_t line, bool dirty, bool held) {
  Message message;
  message.line = PhysicalAddress(line);
  message.cache = core_;
  message.kind = kind;
  message.dirty = dirty;
  message.held = held;
  add(at, message);
}

void DirectoryPort::send(Cycle at, std::uint64_t line, memory::RequestHandle request) {
  Message message;
  message.line = PhysicalAddress(line);
  message.cache = core_;
  message.kind = memory::CoherenceKind::Uncached;
  message.request = request;
  add(at, message);
}

void DirectoryPort::add(Cycle at, const Message& message) {
  assert(at >= ahead_.now());
  outgoing_.push_back({at, sent_++, message});
  ahead_.stop_at(ahead_.answer_after(at));
}

void DirectoryPort::send_due(Picoseconds now) {
  std::sort(outgoing_.begin(), outgoing_.end(), [](const Outgoing& a, const Outgoing& b) {
    return a.at != b.at ? a.at < b.at : a.order < b.order;
  });
  std::size_t sent = 0;
  while (sent < outgoing_.size() && outgoing_[sent].at <= ahead_.limit() && to_directory_->can_push(now)) {
    assert(outgoing_[sent].at >= ahead_.now());
    to_directory_->push(now, outgoing_[sent].message, ahead_.arrival(now, outgoing_[sent].at));
    ++sent;
  }
  outgoing_.erase(outgoing_.begin(), outgoing_.begin() + static_cast<std::ptrdiff_t>(sent));
  if (!outgoing_.empty()) ahead_.wake_for(outgoing_.front().at);
}

}  // namespace duet::cpu
