// The way of an SM's requests, from its load-store unit to whoever has the bytes and back, as latencies and
// rates in cycles of the core clock (docs/design/predict.md has the sums).
//   MemoryPath path(machine, recording, timing);
//   const double here = path.load(request, when the load-store unit sends it);
#pragma once

#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "config/machine.h"
#include "predict/dropped_words.h"
#include "predict/recorder.h"
#include "predict/servers.h"
#include "predict/sm_run.h"

namespace duet::predict {

class MemoryPath {
 public:
  // `mine`: the blocks of this SM. `load`: null where caches and DRAM are unknown: all misses of L1 are taken
  // to come from DRAM at its peak rate.
  MemoryPath(const config::Machine& machine, const KernelRecording& recording,
             const std::vector<Block*>& mine, const MemoryLoad* load, const Changes& changes);

  // The load-store unit sends a request at `now`, or when there is room in L1: the time of this room (from
  // then on the next may be sent), and the time of the answer.
  struct Times {
    double sent, answered;
  };
  // `place`: of its access, among all of the SM (recording.h).
  Times send(const Request& request, double now, std::uint32_t place);
  // A line of code outside the SM.
  double fetch(unsigned depth, double now);
  // The same for a line that all SMs fetch at once at the kernel's beginning, from this slice of L2.
  double fetch_with_all(unsigned depth, std::uint16_t slice, double now);
  void describe(SmTimes& times, double cycles) const;
  // For how long DRAM works on the recorded blocks of all SMs; 0 where it is no limit.
  double dram_cycles() const { return dram_cycles_; }

 private:
  struct Level {
    double clock_ratio = 1;  // core cycles in one of its own
    // Requests of all SMs for each of this one's, by slices, and by the usable share of a port's time.
    double share = 1, in_share = 1, out_share = 1;
    double latency = 0, wire = 0;
    double flit_bytes = 32, header_bytes = 8, network_latency = 0;
    Server in, look_up;
    OpenServer out;
  };
  double flits(const Level& level, double payload) const;
  // Code is also fetched ahead of its time, before earlier requests: it waits for others, but takes no time
  // from them on its way there, a flit and a look-up.
  enum class Of : std::uint8_t { Data, Code };
  double below(const Request& request, double now, Of of = Of::Data);
  double dram_start(double now, double cost, Of of);
  double from_host(const Request& request, double now);

  const config::Machine& machine_;
  const Changes changes_;
  std::vector<Level> levels_;
  // All channels are refreshed at the same time, for so long of each period. The kernel begins so far into
  // one of them.
  double refresh_period_ = 0, refresh_ = 0, refresh_phase_ = 0;
  double dram_read_cost_ = 0, dram_write_cost_ = 0, dram_latency_ = 0, dram_slack_ = 0;
  Server dram_, up_, host_link_;
  OpenServer down_;
  struct Slice {
    Server port;
    double share = 0;                             // requests of all SMs for each of this one's
    std::uint64_t last_word = ~std::uint64_t{0};  // of an atomic
  };
  std::vector<Slice> slices_;  // of L2
  double slice_slack_ = 0;     // turns of all SMs together by chance
  TagArray l1_, constants_;
  DroppedWords dropped_;  // of L1
  Server l1_port_, constant_port_;
  // Lines that a cache waits for, as in its registers: one register a line; later requests of the line wait
  // in turn, and there is room for so many.
  struct Miss {
    struct Fetch {
      unsigned segments;
      double arrival;
    };
    std::uint64_t line, set;
    double arrival;  // of the last of them
    std::vector<Fetch> fetches;
    std::vector<double> answers;  // of the waiting requests, in their order
  };
  struct Misses {
    std::vector<Miss> all;
    std::vector<std::uint32_t> of_set;                          // how many
    static constexpr std::uint64_t kAside = ~std::uint64_t{0};  // line and set of those
    double earliest = 0;                                        // no line is there before; may be too early
    double answering = 0;                                       // until then waiting requests are answered

    Miss* find(std::uint64_t line, std::uint64_t set);
    // A write overtakes the line's fetch: those who wait for it get it, and its set keeps nothing.
    void put_aside(Miss& miss);
    void add(Miss miss);
    void arrived(double now);  // the fetches that arrive until then are there
    // When one of the set, or of all, is there.
    double first_of_set(std::uint64_t set) const;
    double first() const;
  };
  Misses misses_, constant_misses_;
  std::unordered_map<std::uint64_t, Server> words_;        // atomics
  std::unordered_map<std::uint64_t, double> word_shares_;  // of all SMs' atomics, for each of this one's
  double atomics_busy_ = 0;
  // By place of an access in the SM's order: when a line that it fetches from DRAM is in L2.
  std::vector<double> fetches_;
  double to_dram_ = 0;  // from the load-store unit
  double dram_cycles_ = 0;
  double lag_ = 0;       // of this SM, behind the first SM with the first line of code
  double code_lag_ = 0;  // the same, until this SM has the line
  // Where more SMs ask for a line of code than may wait for one in L2: nobody else gets anything of its slice
  // until it is there and all have it.
  double code_answers_ = 0, round_trip_ = 0;
  std::vector<double> code_slices_;  // when it may be asked for the next line; empty: they are not too many
  double host_share_ = 1, host_latency_ = 0, host_byte_cycles_ = 0;
  std::uint64_t l1_requests_ = 0, l1_hits_ = 0, requests_below_ = 0, dram_requests_ = 0;
};

}  // namespace duet::predict
