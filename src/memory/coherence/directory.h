// The point at which private caches of one coherent domain meet: a full-map directory (Censier and Feautrier,
// IEEE Transactions on Computers, 1978) that knows which cache holds which line, with the states of MESI
// (Papamarcos and Patel, ISCA 1984): a line has one holder that may write it, or any number that may read it.
// A request for a line that others hold in a way that stands against it is answered when their answers to the
// probes are back. Requests for one line are served one after the other.
//
// A line has one place for its bytes as long as somebody holds it: here. Whoever holds it reads, or writes,
// these bytes; a holder that has given the line up does not touch them any more. So the bytes that a holder
// sees are those of simulated time, although none are carried between caches of the domain. What is written
// back, and what is fetched, does carry its bytes: memory below may be shared with agents that know nothing
// of the domain, and see what has been written back to it.
//
// Who will write every byte of a line says so (CoherenceMessage::overwrites): others give it up as they do
// for any writer, but where nobody has it, it is not fetched. Such a write of whole lines is what a device
// does (Huggahalli, Iyer and Tetrick, "Direct Cache Access for High Bandwidth Network I/O", ISCA 2005).
//
// An access to memory that nobody may hold (CoherenceKind::Uncached) passes here too, since somebody may hold
// its line all the same: a page may have been of another type before, and agents that move whole lines hold
// those that they are at. They give it up first. Then the access goes below, with its bytes and mask, behind
// whatever was written back; nothing is remembered of it, since requests to one line take effect below in the
// order in which they went there. Its answer goes to who asked as a grant does.
//
// Who wants memory below to have the newest bytes of a line, and nobody to hold it, says so (Clean): holders
// are probed, what they wrote is written back, and the answer comes when that is acknowledged. Where the
// agents below may write other bytes of a line that a cache here has written (keep_masks()), just the bytes
// that were written go back.
//
// Time: one message a cycle is taken; a grant or a probe arrives from_directory_cycles after the cycle in
// which it was decided.
//
// Left out: the directory's own size (every held line has an entry), transfers from cache to cache that do
// not pass here, and more messages a cycle.
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
  // Packets below carry source `number` and the destination of their line.
  using Destination = std::function<std::uint16_t(PhysicalAddress line)>;
  void connect_below(
      sim::Queue<Packet>& requests, sim::Queue<Packet>& responses, std::uint16_t number = 0,
      Destination destination_of = [](PhysicalAddress) { return std::uint16_t{0}; });
  // `read(line, bytes)` gives, outside simulated time, the bytes that memory below has of a line. Until a
  // line that is not fetched is written, these are what is there. Without it every line is fetched.
  using ReadBelow = std::function<void(PhysicalAddress, std::byte*)>;
  void look_below_by(ReadBelow read) { read_below_ = std::move(read); }
  // Where others write to memory below: held() has older bytes of a line, or newer ones, than what is below.
  // `change(line, before, after)` is told in the tick in which what a look at the line would find changes
  // because it comes, or goes.
  using LineChange = std::function<void(PhysicalAddress, const std::byte* before, const std::byte* after)>;
  void tell_changes(LineChange change) { changed_ = std::move(change); }

  // From now on write-backs carry the bytes that were written alone: whoever writes into a line that it holds
  // tells wrote().
  void keep_masks() { keeps_masks_ = true; }
  void wrote(PhysicalAddress address, unsigned bytes);

  Picoseconds tick(Picoseconds now) override;
  std::string waits_for() const override;
  Picoseconds next_opportunity(Picoseconds time) const override { return clock_.first_edge_after(time); }

  const DirectoryStatistics& statistics() const { return statistics_; }

  // Outside simulated time. The bytes of a line that is held, or on its way back to memory; null where memory
  // below has the newest.
  const std::byte* held(PhysicalAddress line) const;
  // Calls f(line) for each line that is held, or asked for, in no order.
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
    bool dirty = false;      // the bytes are newer than those below
    bool replaced = false;   // what is being fetched is older
    bool cached_below = true;
    Stage stage = Stage::Idle;
    unsigned outstanding_answers = 0, writes_below = 0;
    ByteMask written;                     // since the last write-back; with keep_masks()
    std::vector<std::uint16_t> cleaners;  // who want to know when the last write-back is acknowledged
    CoherenceMessage current;             // that is being served
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
  void passed(Picoseconds now, RequestHandle handle);
  void send_below(Picoseconds now);

  sim::ClockCursor clock_;
  const Bytes line_bytes_;
  const std::uint64_t from_directory_cycles_;
  RequestPool pool_;
  std::vector<Port> ports_;
  std::size_t turn_ = 0;
  sim::Queue<Packet>* below_ = nullptr;
  sim::Queue<Packet>* from_below_ = nullptr;
  std::deque<Packet> to_send_;
  std::uint16_t number_ = 0;
  Destination destination_of_;
  ReadBelow read_below_;
  LineChange changed_;
  bool keeps_masks_ = false;
  std::unordered_map<std::uint64_t, std::unique_ptr<Entry>> entries_;
  std::vector<std::unique_ptr<Entry>> spare_;
  DirectoryStatistics statistics_{*this, "directory."};
};

}  // namespace duet::memory
