// The meeting point of the private caches of one coherent domain: a full-map directory (Censier and
// Feautrier, IEEE Transactions on Computers, 1978) with the states of MESI (Papamarcos and Patel, ISCA 1984).
//
//   a cache asks to write line L        two others hold L to read it
//   the directory probes both           and takes other messages meanwhile
//   both have answered                  the grant goes out; L has one holder, which may write
//
// Guarantees: a line has one holder that may write it, or any number of holders that read it. Requests for
// one line are served one after the other. Every holder sees the bytes of simulated time: the directory keeps
// them as long as a cache holds the line.
// protocol.md has whole-line writes, uncached accesses, Clean, times, and the omissions.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "memory/coherence/coherence_message.h"
#include "memory/destinations.h"
#include "memory/packet.h"
#include "sim/clock_cursor.h"
#include "sim/queue.h"
#include "sim/statistics.h"

namespace duet::memory {

struct DirectoryStatistics : sim::StatisticGroup {
  using StatisticGroup::StatisticGroup;
  sim::Counter reads{*this, "reads", "requests", "requests for lines to read"};
  sim::Counter writes{*this, "writes", "requests", "requests for lines to write"};
  sim::Counter upgrades{*this, "upgrades", "requests", "of those to write: the line was held already"};
  sim::Counter fetches{*this, "fetches", "lines", "read from memory below"};
  sim::Counter unfetched{*this, "unfetched", "lines",
                         "not read from memory below, as all of their bytes were to be written"};
  sim::Counter write_backs{*this, "write_backs", "lines", "written to memory below"};
  sim::Counter invalidations{*this, "invalidations", "probes", "of holders that had to give a line up"};
  sim::Counter downgrades{*this, "downgrades", "probes",
                          "of holders that could write a line that others read"};
  sim::Counter uncached{*this, "uncached", "requests", "accesses to memory that no cache holds"};
  sim::Counter transfers{*this, "transfers", "lines", "that another cache held when they were asked for"};
};

class Directory : public sim::Component {
 public:
  static constexpr unsigned kMostCaches = 64;

  Directory(sim::Engine& engine, const sim::Component* parent, std::uint64_t clock_hz, Bytes line_bytes,
            std::uint64_t from_directory_cycles, RequestPool& pool);
  ~Directory() override;

  // A cache, of the next number from 0. It always goes on reading `answers`.
  void connect_cache(sim::Queue<CoherenceMessage>& requests, sim::Queue<CoherenceMessage>& answers);
  // Packets below carry source `number` and the destination of their line; null: 0.
  void connect_below(sim::Queue<Packet>& requests, sim::Queue<Packet>& responses, std::uint16_t number = 0,
                     const Destinations* destinations = nullptr);
  // A device: uncached accesses to its page go there in place of the memory below. Requests arrive there as
  // probes at a cache do; it answers as the memory below does.
  void connect_device(sim::Queue<Packet>& requests, sim::Queue<Packet>& responses);
  // Between ticks.
  void give_to_device(PhysicalAddress first, Bytes bytes);
  // `read(line, bytes)` gives, outside simulated time, the bytes of a line in the memory below. An unfetched
  // line has these bytes until it is written. Without it every line is fetched.
  using ReadBelow = std::function<void(PhysicalAddress, std::byte*)>;
  void look_below_by(ReadBelow read) { read_below_ = std::move(read); }
  // Where others write to memory below: held() may have older or newer bytes of a line than the memory below.
  // `change(line, before, after)` is called in the tick in which the visible bytes of a line change because
  // the line comes or goes.
  using LineChange = std::function<void(PhysicalAddress, const std::byte* before, const std::byte* after)>;
  void tell_changes(LineChange change) { changed_ = std::move(change); }

  // From now on write-backs carry the written bytes alone: a holder that writes into a line calls wrote().
  void keep_masks() { keeps_masks_ = true; }
  // From now on has_written() answers: a holder that writes into a line calls wrote().
  void note_writes() { notes_writes_ = true; }
  void wrote(PhysicalAddress address, unsigned bytes);

  Picoseconds tick(Picoseconds now) override;
  std::string waits_for() const override;
  Picoseconds next_opportunity(Picoseconds time) const override { return clock_.first_edge_after(time); }

  const DirectoryStatistics& statistics() const { return statistics_; }

  // Outside simulated time. The bytes of a line that a cache holds, or on its way back to memory; null where
  // memory below has the newest.
  const std::byte* held(PhysicalAddress line) const;
  // Whether the line is held, asked for, or on its way to memory.
  bool has(PhysicalAddress line) const { return entries_.contains(line.value()); }
  // Whether the line's bytes here are newer than in memory below.
  bool has_written(PhysicalAddress line) const;
  // Calls f(line) for each held or requested line, in no order.
  template <typename F>
  void for_each_line(F f) const {
    for (const auto& [line, entry] : entries_) f(entry->line);
  }
  // The line has these bytes, in memory below too, whatever is on its way.
  void replace(PhysicalAddress line, const std::byte* bytes);

 private:
  static constexpr unsigned kNobody = ~0u;
  enum class Stage : std::uint8_t { Idle, Fetching, Probing };
  struct Entry {
    PhysicalAddress line;
    std::uint64_t holders = 0;
    bool exclusive = false;  // the one holder may write
    bool dirty = false;      // the bytes are newer than in memory below
    bool replaced = false;   // the bytes of the fetch are older
    bool cached_below = true;
    Stage stage = Stage::Idle;
    unsigned outstanding_answers = 0, writes_below = 0;
    ByteMask written;                     // since the last write-back; with keep_masks()
    std::vector<std::uint16_t> cleaners;  // senders of Clean, until the last write-back is acknowledged
    CoherenceMessage current;             // the message being served
    std::deque<CoherenceMessage> waiting;
    alignas(8) std::array<std::byte, kLineBytes> bytes;
  };
  struct Port {
    sim::Queue<CoherenceMessage>* requests;
    sim::Queue<CoherenceMessage>* answers;
  };

  Entry& entry_of(PhysicalAddress line);
  void take(Picoseconds now, const CoherenceMessage& message);
  void begin(Picoseconds now, Entry& entry, const CoherenceMessage& message);
  void probe(Picoseconds now, Entry& entry, std::uint64_t caches, CoherenceKind kind);
  void serve(Picoseconds now, Entry& entry, GrantSource source);
  void grant(Picoseconds now, Entry& entry, GrantSource source);
  void finish(Picoseconds now, Entry& entry);
  void clean(Picoseconds now, const CoherenceMessage& message);
  void cleaned(Picoseconds now, PhysicalAddress line, std::uint16_t cache);
  void pass(const CoherenceMessage& message);
  void fetch(Entry& entry);
  void write_back(Entry& entry);
  void receive(Picoseconds now);
  void receive_from_device(Picoseconds now);
  void passed(Picoseconds now, RequestHandle handle);
  void send_below(Picoseconds now);
  std::uint16_t destination_of(PhysicalAddress line) const {
    return destinations_ == nullptr ? std::uint16_t{0} : destinations_->of(line);
  }

  sim::ClockCursor clock_;
  const Bytes line_bytes_;
  const std::uint64_t from_directory_cycles_;
  RequestPool pool_;
  std::vector<Port> ports_;
  std::size_t turn_ = 0;
  sim::Queue<Packet>* below_ = nullptr;
  sim::Queue<Packet>* from_below_ = nullptr;
  std::deque<Packet> to_send_;
  sim::Queue<Packet>* device_ = nullptr;
  sim::Queue<Packet>* from_device_ = nullptr;
  std::deque<Packet> to_device_;
  PhysicalAddress device_first_;
  Bytes device_bytes_ = 0;
  std::uint16_t number_ = 0;
  const Destinations* destinations_ = nullptr;
  ReadBelow read_below_;
  LineChange changed_;
  bool keeps_masks_ = false, notes_writes_ = false;
  std::unordered_map<std::uint64_t, std::unique_ptr<Entry>> entries_;
  std::vector<std::unique_ptr<Entry>> spare_;
  DirectoryStatistics statistics_{*this, "directory."};
};

}  // namespace duet::memory
