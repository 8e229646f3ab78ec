#include "predict/memory_path.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <utility>

namespace duet::predict {

namespace {

double ratio(std::uint64_t core_khz, std::uint64_t khz) {
  return static_cast<double>(core_khz) / static_cast<double>(khz);
}

// The largest use of an output port of a crossbar, where packets for any of `outputs` wait in one queue at
// each of `inputs`: the head of a queue holds up the packets behind it. Source: Karol, Hluchyj and Morgan,
// "Input versus output queueing on a space-division packet switch", IEEE Trans. Communications, 1987, for as
// many of either; with a = inputs / outputs heads for each output the same sum gives r + r^2 / (2 (1 - r)) =
// a.
double used_at_most(double inputs, double outputs) {
  if (inputs <= 1 || outputs <= 1) return 1;
  const double a = inputs / outputs;
  return 1 + a - std::sqrt(1 + a * a);
}

// For each request of this SM to a slice of L2 the other SMs send one too, but not at the same moment. So it
// waits only for requests beyond so many turns of all SMs: as many lines come together by chance, each with a
// request for every sector. A steady excess grows beyond any bound, so a kernel's time hardly depends on this
// number.
constexpr double kSliceSlack = 4;

double sectors_of_line(const config::Cache& cache) {
  return static_cast<double>(
      cache.sector_bytes == 0 ? 1 : std::max<Bytes>(cache.line_bytes / cache.sector_bytes, 1));
}

unsigned bytes_of(const Request& request) {
  return 32 * static_cast<unsigned>(std::popcount(unsigned{request.sectors}));
}

}  // namespace

MemoryPath::MemoryPath(const config::Machine& machine, const KernelRecording& recording,
                       const std::vector<Block*>& mine, const MemoryLoad* load, const Changes& changes)
    : machine_(machine),
      changes_(changes),
      l1_(machine.gpu.l1, nullptr),
      constants_(machine.gpu.constant_cache, nullptr) {
  misses_.of_set.resize(machine.gpu.l1.sets);
  constant_misses_.of_set.resize(machine.gpu.constant_cache.sets);
  const config::Gpu& gpu = machine.gpu;
  const double sms = static_cast<double>(std::min(recording.blocks, gpu.sm.count));
  std::unordered_map<std::uint64_t, std::uint64_t> words;
  if (!recording.atomic_words.empty())
    for (const Block* block : mine)
      for (const Request& request : block->requests)
        if (request.atomic) ++words[request.address & ~std::uint64_t{3}];
  for (const auto& [word, count] : words) {
    const auto all = recording.atomic_words.find(word);
    if (all != recording.atomic_words.end())
      word_shares_[word] = std::max(static_cast<double>(all->second) / static_cast<double>(count), 1.0);
  }
  const auto level = [&](const config::Cache& cache, const config::Interconnect& network, double slices,
                         double requests_of_all) {
    Level result;
    result.clock_ratio = ratio(gpu.core_clock_khz, network.clock_khz);
    result.share = changes.no_shared_limits ? 0 : requests_of_all / slices;
    result.in_share = result.share / used_at_most(sms, slices);
    result.out_share = std::max(result.share, result.share / (used_at_most(slices, sms) * sms / slices));
    result.latency = static_cast<double>(cache.latency_cycles);
    result.flit_bytes = static_cast<double>(network.flit_bytes);
    result.header_bytes = static_cast<double>(network.header_bytes);
    result.network_latency = static_cast<double>(network.latency_cycles);
    return result;
  };
  levels_.push_back(level(gpu.l2, gpu.interconnect, static_cast<double>(gpu.l2_slices), sms));
  slices_.resize(gpu.l2_slices);
  slice_slack_ = kSliceSlack * sectors_of_line(gpu.l1);
  for (std::size_t i = 0; load != nullptr && !changes.no_shared_limits && i < slices_.size(); ++i)
    if (load->own_of_slice[i] != 0)
      slices_[i].share = static_cast<double>(load->of_slice[i]) / static_cast<double>(load->own_of_slice[i]);
  for (std::size_t i = 0; i < machine.levels.size(); ++i) {
    const config::Level& own = machine.levels[i];
    const double here = load == nullptr ? 0 : static_cast<double>(load->own_below[i]);
    const double all = here == 0 ? sms : static_cast<double>(load->below[i]) / here;
    levels_.push_back(level(own.cache, own.interconnect, static_cast<double>(own.slices), all));
    levels_.back().wire = static_cast<double>(own.wire_cycles);
  }
  const config::Dram& dram = gpu.dram;
  const double command = ratio(gpu.core_clock_khz, dram.command_clock_khz);
  const config::DramTiming& t = dram.timing;
  const double opened = static_cast<double>(t.rp + t.rcd);
  dram_latency_ = command * (static_cast<double>(dram.controller_cycles + t.cl + dram.burst_cycles) +
                             (load == nullptr ? 0 : 1 - load->row_hits) * opened);
  if (load == nullptr) {
    const auto cost = [&](Bytes of_burst) {
      const double bursts = 128 / static_cast<double>(of_burst);
      return command * bursts * static_cast<double>(dram.burst_cycles) * sms /
             static_cast<double>(dram.channels);
    };
    dram_read_cost_ = cost(dram.read_bytes != 0 ? dram.read_bytes : dram.burst_bytes);
    dram_write_cost_ = cost(dram.burst_bytes);
  } else if (load->dram_reads + load->dram_writes != 0 && !changes.no_shared_limits) {
    const double reads = static_cast<double>(load->dram_reads),
                 writes = static_cast<double>(load->dram_writes);
    double cycles = command * load->dram_cycles / changes.dram_rate;
    if (!changes.l2_hits && !changes.l1_hits) dram_cycles_ = cycles;
    if (dram.refresh && t.refi != 0 && dram.refresh_unit == "rank" && dram.ranks == 1) {
      refresh_period_ = command * static_cast<double>(t.refi);
      refresh_ = command * static_cast<double>(t.rp + t.rfc);
      refresh_phase_ =
          std::fmod(static_cast<double>(recording.first_ps) / 1e9 * static_cast<double>(gpu.core_clock_khz),
                    refresh_period_);
      cycles *= 1 - static_cast<double>(t.rfc) / static_cast<double>(t.refi);
    }
    const double deep = static_cast<double>(load->own_below.back());
    const double stores = static_cast<double>(load->own_stores);
    double of_reads = cycles * reads / (reads + writes);
    double of_writes = cycles - of_reads;
    if (stores == 0) of_reads += std::exchange(of_writes, 0);
    if (deep == 0) of_writes += std::exchange(of_reads, 0);
    dram_read_cost_ = deep == 0 ? 0 : of_reads / deep;
    dram_write_cost_ = stores == 0 ? 0 : of_writes / stores;
  }
  // All SMs want the same line from one slice; this one is the last. From then on they ask one after the
  // other. Where blocks wait for room the early SMs take more of them.
  if (!changes.no_shared_limits)
    code_lag_ = lag_ = (sms - 1) * flits(levels_[0], 128) * (recording.blocks > recording.wave ? 0.5 : 1);
  to_dram_ = static_cast<double>(gpu.l1.latency_cycles + 1) +
             levels_[0].clock_ratio * (levels_[0].network_latency + levels_[0].latency + 2);
  if (!changes.no_shared_limits && sms > static_cast<double>(gpu.l2.mshr_targets)) {
    code_answers_ = (sms - 1) * flits(levels_[0], 128);
    round_trip_ = levels_[0].clock_ratio * (2 * levels_[0].network_latency + levels_[0].latency + 2) +
                  flits(levels_[0], 0) + flits(levels_[0], 128);
    code_slices_.resize(gpu.l2_slices);
  }
  dram_slack_ = dram.queue_entries == 0
                    ? std::numeric_limits<double>::infinity()  // no write waits
                    : command * static_cast<double>(dram.queue_entries * dram.burst_cycles) * 2;
  host_share_ = changes.no_shared_limits ? 0 : sms;
  const double core_per_ns = static_cast<double>(gpu.core_clock_khz) / 1e6;
  host_latency_ =
      core_per_ns * static_cast<double>(2 * machine.link.latency_ns + machine.host.dram_latency_ns);
  host_byte_cycles_ = core_per_ns * 1e3 /
                      static_cast<double>(std::max<std::uint64_t>(machine.link.payload_mb_per_s_to_gpu, 1));
}

double MemoryPath::flits(const Level& level, double payload) const {
  return level.clock_ratio * std::max(1.0, std::ceil((payload + level.header_bytes) / level.flit_bytes));
}

double MemoryPath::dram_start(double now, double cost, Of of) {
  double start = std::max(now, dram_.free);
  if (refresh_period_ != 0) {
    const double into = std::fmod(start + refresh_phase_, refresh_period_);
    if (into < refresh_) start += refresh_ - into;
  }
  return of == Of::Code ? start : dram_.take(start, cost);
}

double MemoryPath::from_host(const Request& request, double now) {
  const double time = host_byte_cycles_ * std::max<double>(bytes_of(request), 1);
  return host_link_.take(now, time * host_share_) + time + host_latency_;
}

// From the edge at which L1 sends it to the edge at which L1 sees the answer.
double MemoryPath::below(const Request& request, double now, Of of) {
  ++requests_below_;
  const bool store = request.store;
  const double up_payload = store || request.atomic ? request.used_bytes : 0;
  const double down_payload = store ? 0 : request.atomic ? request.used_bytes : bytes_of(request);
  const unsigned depth = changes_.l2_hits ? 0 : request.depth;
  const double own_up = flits(levels_[0], up_payload);
  const auto take = [of](Server& server, double from, double time) {
    return of == Of::Code ? std::max(from, server.free) : server.take(from, time);
  };
  double at = take(up_, now, own_up);
  const unsigned reached = std::min<unsigned>(depth, static_cast<unsigned>(levels_.size()) - 1);
  for (unsigned i = 0; i <= reached; ++i) {
    Level& level = levels_[i];
    const double up = flits(level, up_payload);
    at = take(level.in, at, up * level.in_share) + up +
         level.clock_ratio * (level.network_latency + level.wire);
    double look_up = 1;
    if (request.atomic && i == 0 && machine_.gpu.l2.atomic_words_per_cycle != 0)
      look_up = std::max(1.0, static_cast<double>(request.passes) /
                                  static_cast<double>(machine_.gpu.l2.atomic_words_per_cycle));
    const std::uint64_t word = request.address & ~std::uint64_t{3};
    const double conflict = static_cast<double>(machine_.gpu.l2.atomic_conflict_cycles);
    double of_word = 1;  // atomics of all SMs on this word, for each of this one's
    if (request.atomic && i == 0 && !changes_.no_shared_limits && !changes_.no_atomic_conflicts)
      if (const auto share = word_shares_.find(word); share != word_shares_.end()) of_word = share->second;
    if (i == 0 && request.slice != Request::kNoSlice) {
      Slice& slice = slices_[request.slice];
      double all = look_up * slice.share;
      // An atomic whose word is busy waits at the slice's port, before all later requests. Atomics of other
      // SMs on other words wait at the same time.
      if (request.atomic && std::exchange(slice.last_word, word) == word && !changes_.no_atomic_conflicts)
        all = std::max(all, conflict * std::min(of_word, slice.share));
      all *= level.clock_ratio;
      at = std::max(at, slice.port.take(at, all) - slice_slack_ * all);
    }
    at = take(level.look_up, at, level.clock_ratio * look_up * level.share) +
         level.clock_ratio * (1 + level.latency + look_up - 1);
    if (request.atomic && i == 0) {
      Server& server = words_[word];
      at = server.take(at, level.clock_ratio * (changes_.no_atomic_conflicts ? 1 : conflict * of_word));
      atomics_busy_ = std::max(atomics_busy_, server.busy);
    }
  }
  // On its way to L2, as another SM has asked for it.
  if (depth == 0 && !changes_.l2_hits && request.asked_at < fetches_.size())
    at = std::max(at, fetches_[request.asked_at]);
  if (depth > reached) {
    ++dram_requests_;
    at = dram_start(at, dram_read_cost_, of) + dram_latency_;
  }
  if (store && dram_write_cost_ != 0) at = std::max(at, dram_start(at, dram_write_cost_, of) - dram_slack_);
  for (unsigned i = reached + 1; i-- > 0;) {
    Level& level = levels_[i];
    const double down = flits(level, down_payload);
    at = level.out.take(at, down * level.out_share) + down +
         level.clock_ratio * (level.network_latency + level.wire + 1);
  }
  const double own_down = flits(levels_[0], down_payload);
  return down_.take(at - own_down, own_down) + own_down;
}

double MemoryPath::fetch(unsigned depth, double now) {
  Request request;
  request.depth = static_cast<std::uint8_t>(depth);
  request.sectors = 0xf;
  return below(request, now, Of::Code) + std::exchange(code_lag_, 0) + 1;
}

double MemoryPath::fetch_with_all(unsigned depth, std::uint16_t slice, double now) {
  if (depth == 0 || code_slices_.empty()) return fetch(depth, now);
  code_lag_ = 0;
  // Lines of other slices go on meanwhile.
  const double there = fetch(depth, now) + std::max(code_slices_[slice] - now, 0.0);
  code_slices_[slice] = there - round_trip_ + code_answers_;
  return there + lag_;
}

MemoryPath::Miss* MemoryPath::Misses::find(std::uint64_t line, std::uint64_t set) {
  if (of_set[set] == 0) return nullptr;
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const Miss& miss) { return miss.line == line; });
  return found == all.end() ? nullptr : &*found;
}

void MemoryPath::Misses::add(Miss miss) {
  earliest = all.empty() ? miss.arrival : std::min(earliest, miss.arrival);
  ++of_set[miss.set];
  all.push_back(std::move(miss));
}

void MemoryPath::Misses::put_aside(Miss& miss) {
  --of_set[miss.set];
  miss.line = miss.set = kAside;
}

void MemoryPath::Misses::arrived(double now) {
  if (all.empty() || earliest > now) return;
  std::erase_if(all, [&](const Miss& miss) {
    if (miss.arrival > now) return false;
    answering = std::max(answering, miss.arrival) + static_cast<double>(miss.answers.size());
    if (miss.set != kAside) --of_set[miss.set];
    return true;
  });
  if (!all.empty()) earliest = first();
}

double MemoryPath::Misses::first() const {
  return std::min_element(all.begin(), all.end(),
                          [](const Miss& a, const Miss& b) { return a.arrival < b.arrival; })
      ->arrival;
}

double MemoryPath::Misses::first_of_set(std::uint64_t set) const {
  double result = std::numeric_limits<double>::infinity();
  for (const Miss& miss : all)
    if (miss.set == set) result = std::min(result, miss.arrival);
  return result;
}

MemoryPath::Times MemoryPath::send(const Request& request, double now, std::uint32_t place) {
  if (fetches_.size() <= place) fetches_.resize(std::size_t{place} + 1);
  fetches_[place] = std::max(now + to_dram_, dram_.free) + dram_latency_;
  const config::Gpu& gpu = machine_.gpu;
  const bool constant = request.path == Path::ConstantCache;
  const config::Cache& cache = constant ? gpu.constant_cache : gpu.l1;
  Server& port = constant ? constant_port_ : l1_port_;
  Misses& misses = constant ? constant_misses_ : misses_;
  const bool cached = constant || request.in_l1;
  const bool passes = !cached && cache.pass_cycles != 0 && !request.store;
  // The request is looked up so many cycles after it was sent; a request without room holds up the others.
  const double latency = 1 + static_cast<double>(passes ? cache.pass_cycles : cache.latency_cycles);
  const double start = port.take(now, 1);
  double look_up = start + latency;
  const double room = static_cast<double>(cache.queue_entries + cache.latency_cycles);
  ++l1_requests_;
  if (request.host) {
    const double answered =
        from_host(request, below({.sectors = 1, .used_bytes = request.used_bytes}, look_up));
    return {start, answered + 1};
  }
  if (request.store || request.atomic || !cached) {
    if (request.store && cached) {
      misses.arrived(look_up);
      Miss* const fetch = misses.find(request.address / cache.line_bytes, l1_.set_of(request.address));
      if (fetch != nullptr) {
        misses.put_aside(*fetch);
        l1_.forget(request.address);
        dropped_.fetched(request.address / cache.line_bytes);
      }
      if (cache.write_evict && l1_.holds(request.address))
        dropped_.drop(request.address / cache.line_bytes,
                      DroppedWords::of(request.first_byte, request.used_bytes));
      else if (l1_.read(request.address, 0, false))
        l1_.write(request.address, 0, false, false);
    }
    // Without room below it stays in L1's queue.
    const double held = std::max(0.0, up_.free - look_up - room);
    return {start + held, below(request, look_up) + 1};
  }
  TagArray& tags = constant ? constants_ : l1_;
  const std::uint64_t line = request.address / cache.line_bytes;
  unsigned segments = request.sectors;
  if (cache.line_bytes < 128)
    segments = segments >> request.address % 128 / cache.line_bytes * (cache.line_bytes / 32) &
               ((1u << cache.line_bytes / 32) - 1);
  if (changes_.l1_hits) {
    ++l1_hits_;
    return {start, look_up + 1};
  }
  misses.arrived(look_up);
  const std::uint64_t set = tags.set_of(request.address);
  const bool dropped =
      !constant && dropped_.any(line, DroppedWords::of(request.first_byte, request.used_bytes));
  const bool hit = tags.read(request.address, segments) && !dropped;
  Request fetched = request;
  if (cache.line_bytes >= 128)
    fetched.sectors = static_cast<std::uint8_t>(tags.brought() | (dropped ? tags.with_sectors(segments) : 0));
  if (!hit && !constant) dropped_.fetched(line);
  // A hit is answered in a cycle without an answer to a request that waited for a line, and holds up the
  // requests behind it.
  const auto answer_hit = [&]() -> Times {
    ++l1_hits_;
    if (misses.answering <= look_up) return {start, look_up + 1};
    const double answered = misses.answering++;
    port.free = std::max(port.free, answered - latency + 1);
    return {std::max(start, answered - room), answered + 1};
  };
  if (Miss* const miss = misses.find(line, set); miss != nullptr) {
    double wanted = 0;
    unsigned coming = 0;
    for (const Miss::Fetch& fetch : miss->fetches) {
      if ((fetch.segments & segments) == 0 || fetch.arrival <= look_up) continue;
      wanted = std::max(wanted, fetch.arrival);
      coming |= fetch.segments;
    }
    const unsigned missing = hit ? 0 : segments & tags.brought() & ~coming;
    if (hit && wanted == 0) return answer_hit();
    double sent = start;
    const auto waiting = std::upper_bound(miss->answers.begin(), miss->answers.end(), look_up);
    if (static_cast<std::uint64_t>(miss->answers.end() - waiting) >= cache.mshr_targets) {
      look_up = *waiting;
      port.free = std::max(port.free, look_up - latency);
      sent = std::max(start, look_up - room);
    }
    if (missing != 0) {
      const double arrival = below(fetched, look_up);
      miss->fetches.push_back({missing, arrival});
      miss->arrival = std::max(miss->arrival, arrival);
      wanted = std::max(wanted, arrival);
    }
    // Waiting requests are answered one a cycle.
    miss->answers.push_back(std::max({miss->answers.back() + 1, wanted, look_up}));
    return {sent, miss->answers.back() + 1};
  }
  if (hit) return answer_hit();
  // The lookup waits for the first free register, and for a way of its set without a fetch.
  const double wanted = look_up;
  if (misses.all.size() >= cache.mshrs) look_up = std::max(look_up, misses.first());
  if (misses.of_set[set] >= cache.ways) look_up = std::max(look_up, misses.first_of_set(set));
  if (look_up > wanted) {
    misses.arrived(look_up);
    port.free = std::max(port.free, look_up - latency + 1);
  }
  const double arrival = below(fetched, look_up);
  misses.add({line, set, arrival, {{segments, arrival}}, {arrival}});
  return {start + std::max(0.0, look_up - wanted - room), arrival + 1};
}

void MemoryPath::describe(SmTimes& times, double cycles) const {
  times.l1_requests = l1_requests_;
  times.l1_hits = l1_hits_;
  times.requests_below = requests_below_;
  times.dram_requests = dram_requests_;
  if (cycles <= 0) return;
  times.port_busy = std::max(up_.busy, down_.busy) / cycles;
  double l2 = std::max({levels_[0].in.busy, levels_[0].look_up.busy, levels_[0].out.busy});
  for (const Slice& slice : slices_) l2 = std::max(l2, slice.port.busy);
  times.l2_busy = std::min(l2 / cycles, 1.0);
  times.dram_busy = dram_.busy / cycles;
  times.atomics_busy = atomics_busy_ / cycles;
}

}  // namespace duet::predict
