#include "report/timeline/perfetto_writer.h"

#include <algorithm>
#include <cstring>
#include <ostream>
#include <protozero/pbf_writer.hpp>

namespace duet::report {

namespace {

using Message = protozero::pbf_writer;

// Field numbers of protos/perfetto/trace: trace.proto, trace_packet.proto, interned_data/interned_data.proto,
// track_event/*.proto.
namespace field {
namespace trace {
constexpr unsigned kPacket = 1;
}
namespace packet {
constexpr unsigned kTimestamp = 8, kSequence = 10, kTrackEvent = 11, kInternedData = 12, kSequenceFlags = 13,
                   kTrackDescriptor = 60;
}
namespace interned {
constexpr unsigned kEventNames = 2, kAnnotationNames = 3;
constexpr unsigned kNumber = 1, kName = 2;  // of both
}  // namespace interned
namespace descriptor {
constexpr unsigned kUuid = 1, kName = 2, kProcess = 3, kThread = 4, kParent = 5, kCounter = 8,
                   kChildOrdering = 11, kRank = 12, kProcessOrdering = 19, kThreadOrdering = 20;
constexpr unsigned kProcessId = 1, kProcessName = 6;
constexpr unsigned kThreadProcessId = 1, kThreadId = 2, kThreadName = 5;
constexpr unsigned kUnitName = 6;
}  // namespace descriptor
namespace event {
constexpr unsigned kAnnotations = 4, kType = 9, kNameNumber = 10, kTrack = 11, kName = 23, kDoubleValue = 44,
                   kFlows = 47;
}
namespace annotation {
constexpr unsigned kNameNumber = 1, kUnsigned = 3, kString = 6, kName = 10;
}
}  // namespace field

constexpr int kSliceBegin = 1, kSliceEnd = 2, kInstant = 3, kCounter = 4;  // TrackEvent.Type
constexpr unsigned kStateCleared = 1, kNeedsState = 2;                     // TracePacket.SequenceFlags
constexpr int kExplicit = 3;                                               // ChildTracksOrdering
constexpr int kRanked = 1;                                                 // ProcessOrdering, ThreadOrdering

constexpr std::size_t kWaitingBytes = 64 * 1024;
constexpr std::size_t kMostNames = 4096;  // later ones are written out each time
constexpr std::size_t kMostPlaces = 32;

std::uint64_t nanoseconds(Picoseconds time) { return time / 1000; }

// Protobuf's wire types, and how long a field of a number, or the head of another one, is at most.
constexpr unsigned kVarint = 0, kFixed64 = 1, kLength = 2;
constexpr std::size_t kFieldBytes = 16;
constexpr std::size_t kEventBytes =
    8 * kFieldBytes;  // of its fields without annotations and flows, and behind it
constexpr std::size_t kAround = 8 * kFieldBytes;  // before an event: the rest of its packet

// Fields one after the other, into existing room.
class Encoder {
 public:
  explicit Encoder(char* at) : at_(at) {}
  char* at() const { return at_; }
  void varint(std::uint64_t value) {
    for (; value >= 0x80; value >>= 7) *at_++ = static_cast<char>(value | 0x80);
    *at_++ = static_cast<char>(value);
  }
  void head(unsigned field, unsigned type) { varint(field << 3 | type); }
  void number(unsigned field, std::uint64_t value) {
    head(field, kVarint);
    varint(value);
  }
  void fixed(unsigned field, std::uint64_t value) {
    head(field, kFixed64);
    for (unsigned byte = 0; byte < 8; ++byte) *at_++ = static_cast<char>(value >> (8 * byte));
  }
  void text(unsigned field, std::string_view text) {
    head(field, kLength);
    varint(text.size());
    at_ = std::copy(text.begin(), text.end(), at_);
  }

 private:
  char* at_;
};

std::size_t bytes_of(const Annotation& annotation) {
  const auto* text = std::get_if<std::string_view>(&annotation.value);
  return 3 * kFieldBytes + annotation.name.size() + (text != nullptr ? text->size() : 0);
}

// `name`: its number, 0: it is written out.
void encode(Encoder& event, const Annotation& annotation, std::uint64_t name) {
  // The annotation's length comes before it: mostly it takes a byte.
  char* const begin = event.at();
  Encoder inside(begin + 2);
  if (name != 0)
    inside.number(field::annotation::kNameNumber, name);
  else
    inside.text(field::annotation::kName, annotation.name);
  if (const auto* number = std::get_if<std::uint64_t>(&annotation.value))
    inside.number(field::annotation::kUnsigned, *number);
  else
    inside.text(field::annotation::kString, std::get<std::string_view>(annotation.value));
  const auto bytes = static_cast<std::size_t>(inside.at() - begin - 2);
  char length[kFieldBytes];
  Encoder head(length);
  head.head(field::event::kAnnotations, kLength);
  head.varint(bytes);
  const auto head_bytes = static_cast<std::size_t>(head.at() - length);
  if (head_bytes != 2) std::memmove(begin + head_bytes, begin + 2, bytes);
  std::memcpy(begin, length, head_bytes);
  event = Encoder(begin + head_bytes + bytes);
}

}  // namespace

PerfettoWriter::PerfettoWriter(std::ostream& out) : out_(out) {
  packet([](Message& packet) {  // the root of all tracks
    Message root(packet, field::packet::kTrackDescriptor);
    root.add_uint64(field::descriptor::kUuid, 0);
    root.add_enum(field::descriptor::kProcessOrdering, kRanked);
    root.add_enum(field::descriptor::kThreadOrdering, kRanked);
  });
}

void PerfettoWriter::flush() {
  out_ << waiting_;
  waiting_.clear();
}

template <typename Fill>
void PerfettoWriter::packet(const Fill& fill) {
  packet_.clear();
  Message message(packet_);
  fill(message);
  message.add_uint32(field::packet::kSequence, 1);
  message.add_uint32(field::packet::kSequenceFlags, begun_ ? kNeedsState : kStateCleared | kNeedsState);
  begun_ = true;
  Message(waiting_).add_message(field::trace::kPacket, packet_);
  if (waiting_.size() >= kWaitingBytes) flush();
}

PerfettoWriter::Track PerfettoWriter::process(std::string_view name) {
  const Track track = ++tracks_;
  packet([&](Message& packet) {
    Message descriptor(packet, field::packet::kTrackDescriptor);
    descriptor.add_uint64(field::descriptor::kUuid, track);
    descriptor.add_enum(field::descriptor::kChildOrdering, kExplicit);
    descriptor.add_int32(field::descriptor::kRank, static_cast<std::int32_t>(track));
    Message process(descriptor, field::descriptor::kProcess);
    process.add_int32(field::descriptor::kProcessId, static_cast<std::int32_t>(track));
    process.add_string(field::descriptor::kProcessName, name.data(), name.size());
  });
  return track;
}

PerfettoWriter::Track PerfettoWriter::thread(Track process, std::uint32_t number, std::string_view name) {
  const Track track = ++tracks_;
  packet([&](Message& packet) {
    Message descriptor(packet, field::packet::kTrackDescriptor);
    descriptor.add_uint64(field::descriptor::kUuid, track);
    descriptor.add_int32(field::descriptor::kRank, static_cast<std::int32_t>(number));
    Message thread(descriptor, field::descriptor::kThread);
    thread.add_int32(field::descriptor::kThreadProcessId, static_cast<std::int32_t>(process));
    thread.add_int64(field::descriptor::kThreadId, number);
    thread.add_string(field::descriptor::kThreadName, name.data(), name.size());
  });
  return track;
}

PerfettoWriter::Track PerfettoWriter::describe(Track parent, std::string_view name, std::uint32_t rank,
                                               std::string_view unit) {
  const Track track = ++tracks_;
  packet([&](Message& packet) {
    Message descriptor(packet, field::packet::kTrackDescriptor);
    descriptor.add_uint64(field::descriptor::kUuid, track);
    descriptor.add_string(field::descriptor::kName, name.data(), name.size());
    descriptor.add_uint64(field::descriptor::kParent, parent);
    descriptor.add_enum(field::descriptor::kChildOrdering, kExplicit);
    descriptor.add_int32(field::descriptor::kRank, static_cast<std::int32_t>(rank));
    if (unit.empty()) return;
    Message counter(descriptor, field::descriptor::kCounter);
    counter.add_string(field::descriptor::kUnitName, unit.data(), unit.size());
  });
  return track;
}

PerfettoWriter::Track PerfettoWriter::track(Track parent, std::string_view name, std::uint32_t rank) {
  return describe(parent, name, rank, "");
}

PerfettoWriter::Track PerfettoWriter::counter(Track parent, std::string_view name, std::string_view unit,
                                              std::uint32_t rank) {
  return describe(parent, name, rank, unit);
}

PerfettoWriter::Named PerfettoWriter::number_of(Names& names, std::string_view name) {
  if (const auto known = names.find(name); known != names.end()) return {known->second, false};
  if (names.size() == kMostNames) return {0, false};
  const std::uint64_t number = names.size() + 1;
  names.emplace(name, number);
  return {number, true};
}

// There are few, and nearly all are literals: mostly one is where it was before.
PerfettoWriter::Named PerfettoWriter::number_of_annotation(std::string_view name) {
  for (const auto& [place, number] : known_places_)
    if (place.data() == name.data() && place.size() == name.size()) return {number, false};
  const Named named = number_of(annotation_names_, name);
  if (known_places_.size() < kMostPlaces) known_places_.emplace_back(name, named.number);
  return named;
}

// With the annotations of annotations_.
void PerfettoWriter::event(Track track, int type, std::string_view name, Picoseconds time,
                           std::span<const std::uint64_t> flows) {
  const std::vector<Annotation>& annotations = annotations_;
  const Named named = name.empty() ? Named{0, false} : number_of(names_, name);
  bool any_new = named.is_new;
  named_.clear();
  for (const Annotation& annotation : annotations) {
    named_.push_back(number_of_annotation(annotation.name));
    any_new |= named_.back().is_new;
  }
  interned_.clear();
  if (any_new) {
    Message packet(interned_);
    Message interned(packet, field::packet::kInternedData);
    const auto add = [&](unsigned tag, std::uint64_t number, std::string_view text) {
      Message entry(interned, tag);
      entry.add_uint64(field::interned::kNumber, number);
      entry.add_string(field::interned::kName, text.data(), text.size());
    };
    if (named.is_new) add(field::interned::kEventNames, named.number, name);
    for (std::size_t i = 0; i < annotations.size(); ++i)
      if (named_[i].is_new) add(field::interned::kAnnotationNames, named_[i].number, annotations[i].name);
  }
  // Nearly all of a trace are events, so they are encoded here.
  std::size_t room = kEventBytes + name.size() + kFieldBytes * flows.size();
  for (const Annotation& annotation : annotations) room += bytes_of(annotation);
  if (event_.size() < kAround + room) event_.resize(kAround + room);
  char* const begin = event_.data() + kAround;
  Encoder event(begin);
  for (std::size_t i = 0; i < annotations.size(); ++i) encode(event, annotations[i], named_[i].number);
  event.number(field::event::kType, static_cast<std::uint64_t>(type));
  if (named.number != 0)
    event.number(field::event::kNameNumber, named.number);
  else if (!name.empty())
    event.text(field::event::kName, name);
  event.number(field::event::kTrack, track);
  for (const std::uint64_t flow : flows) event.fixed(field::event::kFlows, flow);
  packet_of_event(time, begin, event.at());
}

// The event lies in event_, with room around it for the rest of its packet.
void PerfettoWriter::packet_of_event(Picoseconds time, char* begin, char* end) {
  const auto before = [&begin](const auto& write) {
    char text[2 * kFieldBytes];
    Encoder encoder(text);
    write(encoder);
    const auto bytes = static_cast<std::size_t>(encoder.at() - text);
    begin -= bytes;
    std::memcpy(begin, text, bytes);
  };
  const auto head = [&](unsigned field, std::size_t bytes) {
    before([&](Encoder& to) {
      to.head(field, kLength);
      to.varint(bytes);
    });
  };
  head(field::packet::kTrackEvent, static_cast<std::size_t>(end - begin));
  Encoder after(end);
  after.number(field::packet::kSequence, 1);
  after.number(field::packet::kSequenceFlags, begun_ ? kNeedsState : kStateCleared | kNeedsState);
  begun_ = true;
  // Interned data come between the time and the event.
  std::string_view event(begin, static_cast<std::size_t>(after.at() - begin));
  if (!interned_.empty()) {
    packet_.assign(interned_) += event;
    event = packet_;
    begin = event_.data() + kAround;  // the old bytes are copied
  }
  char* const behind = begin;
  before([&](Encoder& to) { to.number(field::packet::kTimestamp, nanoseconds(time)); });
  head(field::trace::kPacket, static_cast<std::size_t>(behind - begin) + event.size());
  waiting_.append(begin, behind);
  waiting_ += event;
  if (waiting_.size() >= kWaitingBytes) flush();
}

void PerfettoWriter::begin(Track track, std::string_view name, Picoseconds start, Picoseconds end,
                           Annotations annotations, std::span<const std::uint64_t> flows) {
  annotations_.assign(annotations.begin(), annotations.end());
  annotations_.push_back({"start_ps", start});
  annotations_.push_back({"duration_ps", end - start});
  event(track, kSliceBegin, name, start, flows);
}

void PerfettoWriter::end(Track track, Picoseconds time) {
  annotations_.clear();
  event(track, kSliceEnd, "", time, {});
}

void PerfettoWriter::open(Track track, std::string_view name, Picoseconds start) {
  annotations_.assign({{"start_ps", start}});
  event(track, kSliceBegin, name, start, {});
}

void PerfettoWriter::instant(Track track, std::string_view name, Picoseconds time, Annotations annotations) {
  annotations_.assign(annotations.begin(), annotations.end());
  annotations_.push_back({"start_ps", time});
  event(track, kInstant, name, time, {});
}

void PerfettoWriter::count(Track track, Picoseconds time, double value) {
  packet([&](Message& packet) {
    packet.add_uint64(field::packet::kTimestamp, nanoseconds(time));
    Message event(packet, field::packet::kTrackEvent);
    event.add_enum(field::event::kType, kCounter);
    event.add_uint64(field::event::kTrack, track);
    event.add_double(field::event::kDoubleValue, value);
  });
}

}  // namespace duet::report
