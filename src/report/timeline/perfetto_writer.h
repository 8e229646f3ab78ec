// A trace for Perfetto (protos/perfetto/trace of its repository), written packet by packet:
//
//   PerfettoWriter trace(out);
//   const Track gpu = trace.process("GPU streams");
//   const Track stream = trace.track(gpu, "stream 7");
//   trace.slice(stream, "scale", start_ps, end_ps, {{"command", 4}}, flows);
//
// Perfetto sorts packets by time, so slices may come in any order, with one exception: slices of one track at
// one time come in their visible order. Perfetto's times are nanoseconds: a picosecond is rounded down, and
// each slice has `start_ps` and `duration_ps` as annotations.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <iosfwd>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/units.h"

namespace duet::report {

struct Annotation {
  std::string_view name;  // it stays as long as the trace is written
  std::variant<std::uint64_t, std::string_view> value;
};

// The annotations of an event: a list in place, or a vector.
struct Annotations : std::span<const Annotation> {
  Annotations(std::initializer_list<Annotation> list) : span(list.begin(), list.size()) {}
  Annotations(const std::vector<Annotation>& list) : span(list) {}
};

class PerfettoWriter {
 public:
  using Track = std::uint64_t;

  explicit PerfettoWriter(std::ostream& out);
  ~PerfettoWriter() { flush(); }
  PerfettoWriter(const PerfettoWriter&) = delete;

  // Groups of tracks are shown in the order of their making.
  Track process(std::string_view name);
  // A thread of a process; numbers are unique in the trace.
  Track thread(Track process, std::uint32_t number, std::string_view name);
  // Tracks with one parent are shown by rank.
  Track track(Track parent, std::string_view name, std::uint32_t rank);
  Track counter(Track parent, std::string_view name, std::string_view unit, std::uint32_t rank);

  void slice(Track track, std::string_view name, Picoseconds start, Picoseconds end, Annotations annotations,
             std::span<const std::uint64_t> flows = {}) {
    begin(track, name, start, end, annotations, flows);
    this->end(track, end);
  }
  // In two parts, for a slice around others.
  void begin(Track track, std::string_view name, Picoseconds start, Picoseconds end, Annotations annotations,
             std::span<const std::uint64_t> flows);
  void end(Track track, Picoseconds time);
  // A slice of unknown end.
  void open(Track track, std::string_view name, Picoseconds start);
  void instant(Track track, std::string_view name, Picoseconds time, Annotations annotations);
  void count(Track track, Picoseconds time, double value);

 private:
  using Names = std::map<std::string, std::uint64_t, std::less<>>;
  struct Named {
    std::uint64_t number;  // 0: it is written out
    bool is_new;
  };
  static Named number_of(Names& names, std::string_view name);
  Named number_of_annotation(std::string_view name);
  template <typename Fill>
  void packet(const Fill& fill);
  void event(Track track, int type, std::string_view name, Picoseconds time,
             std::span<const std::uint64_t> flows);
  void packet_of_event(Picoseconds time, char* begin, char* end);
  Track describe(Track parent, std::string_view name, std::uint32_t rank, std::string_view unit);
  void flush();

  std::ostream& out_;
  std::string waiting_;            // unwritten packets
  std::string packet_, interned_;  // of the packet being written
  std::vector<char> event_;
  Names names_, annotation_names_;
  std::vector<std::pair<std::string_view, std::uint64_t>> known_places_;  // of annotation names; they stay
  std::vector<Annotation> annotations_;                                   // of the event being written
  std::vector<Named> named_;
  Track tracks_ = 0;
  bool begun_ = false;
};

}  // namespace duet::report
