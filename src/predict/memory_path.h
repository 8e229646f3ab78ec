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
  // `mine`: the blocks that this SM executes. `load`: null where nothing is known of caches and DRAM: all
  // that L1 does not have is taken to come from DRAM at its peak rate.
  MemoryPath(const config::Machine& machine, const KernelRecording& recording,
             const std::vector<Block*>& mine, const MemoryLoad* load, const Changes& changes);

  // The load-store unit sends a request at `now`, or when there is room in L1: the time at which it has (from
  // then on the next may be sent), and at which the answer is there.
  struct Times {
    double sent, answered;
  };
  // `place`: of its access, among all of the SM (recording.h).
  Times send(const Request& request, double now, std::uint32_t place);
  // A line of code that is not in the SM.
  double fetch(unsigned depth, double now);
  // The same of one that it asks for at the kernel's beginning, as all SMs do at once, from this slice of L2.
  double fetch_with_all(unsigned depth, std::uint16_t slice, double now);
  void describe(SmTimes& times, double cycles) const;
  // For how long DRAM works on the recorded blocks of all SMs; 0 where it is no limit.
  double dram_cycles() const { return dram_cycles_; }

 private:
  struct Level {
    double clock_ratio = 1;  // core cycles in one of its own
    // Requests of all SMs for each of this one's, by slices, and by what of its time a port can be used.
    double share = 1, in_share = 1, out_share = 1;
    double latency = 0, wire = 0;
    double flit_bytes = 32, header_bytes = 8, network_latency = 0;
    Server in, look_up;
    OpenServer out;
  };
  double flits(const Level& level, double payload) const;
  // Code is also asked for ahead of its time, before what is asked for earlier: it waits for others, but
  // takes nothing from them on its way there, which is a flit and a look-up.
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
  double slice_slack_ = 0;     // turns of all SMs that come together by chance
  TagArray l1_, constants_;
  DroppedWords dropped_;  // of L1
  Server l1_port_, constant_port_;
  // Lines of which a cache waits for something. As its registers have it: one for a line, whoever comes while
  // it is in use waits in turn, and there is room for so many.
  struct Miss {
    struct Fetch {
      unsigned segments;
      double arrival;
    };
    std::uint64_t line, set;
    double arrival;  // of the last of them
    std::vector<Fetch> fetches;
    std::vector<double> answers;  // of those that wait, in their order
  };
  struct Misses {
    std::vector<Miss> all;
    std::vector<std::uint32_t> of_set;  // how many
    double earliest = 0;                // no line is there before; may be too early
    double answering = 0;               // until then those are answered who have waited

    Miss* find(std::uint64_t line, std::uint64_t set);
    void add(Miss miss);
    void arrived(double now);  // those until then are there
    // When one of the set, or of all, is there.
    double first_of_set(std::uint64_t set) const;
    double first() const;
  };
  Misses misses_, constant_misses_;
  std::unordered_map<std::uint64_t, Server> words_;        // atomics
  std::unordered_map<std::uint64_t, double> word_shares_;  // of all SMs' atomics, for each of this one's
  double atomics_busy_ = 0;
  // By place of an access in the order of the SM's: when L2 has what is asked of DRAM while it is on.
  std::vector<double> fetches_;
  double to_dram_ = 0;  // from the load-store unit
  double dram_cycles_ = 0;
  double lag_ = 0;       // of this SM, behind the first one that has the first line of code
  double code_lag_ = 0;  // the same, until it has that line
  // Where more SMs ask for a line of code than may wait for one in L2: nobody else gets anything of its slice
  // until it is there and all have it.
  double code_answers_ = 0, round_trip_ = 0;
  std::vector<double> code_slices_;  // when it may be asked for the next line; empty: they are not too many
  double host_share_ = 1, host_latency_ = 0, host_byte_cycles_ = 0;
  std::uint64_t l1_requests_ = 0, l1_hits_ = 0, requests_below_ = 0, dram_requests_ = 0;
};

}  // namespace duet::predict
