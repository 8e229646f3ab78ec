// The inside of a load-store unit (load_store_unit.h): its instructions and their needs. load_store_values.h
// moves their values, load_store_unit.cpp their requests, in time.
#pragma once

#include <memory>
#include <vector>

#include "base/error.h"
#include "gpu/sm/address_check.h"
#include "gpu/sm/load_store_unit.h"
#include "gpu/sm/shared_memory.h"
#include "gpu/sm/tracked_access.h"
#include "gpu/sm/tracked_order.h"
#include "sim/clock_domain.h"

namespace duet::gpu {

// The request of one step of an instruction, as Request::requester has it.
struct Requester {
  static constexpr unsigned kMostEntries = 1u << 16;
  unsigned entry;  // of State::entries, below kMostEntries
  unsigned step;

  std::uint32_t pack() const { return entry | step << 16; }
  static Requester of(std::uint32_t packed) { return {packed & (kMostEntries - 1), packed >> 16}; }
};

template <unsigned W>
struct LoadStoreUnit<W>::State {
  using Instruction = MemoryInstruction<W>;
  using Request = memory::Request;
  using MicroOp = ptx::MicroOp;

  State(Outside& seen, const config::Gpu& config, std::uint16_t sm_number, memory::RequestPool& requests,
        const memory::AddressSpace& address_space)
      : outside(seen),
        pool(&requests),
        check(config, address_space),
        banks(static_cast<unsigned>(config.sm.shared_banks)),
        clock(config.core_clock_khz * 1000),
        words(ptx::word_lanes<W>()),
        sm(sm_number),
        shared_latency(config.sm.shared_latency_cycles),
        shared_pass(config.sm.shared_pass_cycles),
        parameter_latency(config.constant_cache.latency_cycles + 1),
        own_queue(config.full_empty.class_credits),
        atomics_wait(config.full_empty.atomic != "none"),
        tells_sent(config.sm.blocking_issue),
        coalesced_threads(static_cast<unsigned>(config.sm.coalesced_threads)),
        most_requests(static_cast<unsigned>(config.sm.memory_requests)),
        entry_count(static_cast<unsigned>(config.sm.pending_instructions)),
        entries(entry_count + 1),
        queue(config.sm.load_store_queue),
        order(config.full_empty, config.sm.max_warps, entries) {
    if (entry_count == 0 || entry_count >= Requester::kMostEntries || queue.empty())
      throw Error("gpu.sm.pending_instructions is " + std::to_string(config.sm.pending_instructions) +
                  " and gpu.sm.load_store_queue " + std::to_string(queue.size()) +
                  ": a load-store unit holds 1 to 65535 instructions");
    for (unsigned i = entry_count + 1; i-- > 0;) free.push_back(i);
    outside.queue_entries = static_cast<std::uint32_t>(queue.size());
    outside.pending_entries = entry_count;
    outside.completions.reserve(entry_count);
    outside.reads.resize(config.sm.max_warps);
    outside.writes.resize(config.sm.max_warps);
    waiting.reserve(entry_count);
  }

  bool may_go(Instruction& instruction);
  bool takes_place_apart(const Instruction& instruction) const;
  void take_values(Instruction& instruction);
  void count(const Instruction& instruction);
  static void count_line(const Instruction& instruction);
  void count_request(const Instruction& instruction, Bytes bytes, unsigned used_bytes);
  bool go_on(Picoseconds now, Cycle cycle, Instruction& instruction, unsigned index);
  bool go_on_alone(Picoseconds now, Cycle cycle, Instruction& instruction, unsigned index);
  static void make_room_for_old(Instruction& instruction, const MemoryPart& part);
  void send_word(Picoseconds now, Instruction& instruction, const MemoryPart& part, unsigned index);
  void update_own(Instruction& instruction, Cycle cycle);
  // A LocalAtomic part has sent its reads.
  static bool reads_own(const Instruction& instruction) {
    const MemoryPart& part = instruction.parts[instruction.part];
    return part.path == MemoryPath::LocalAtomic && !instruction.writes_own && instruction.step == part.steps;
  }
  bool act(Picoseconds now, Cycle cycle);
  bool act_waiting(Picoseconds now, Cycle cycle);
  memory::TrafficClass class_of(const Instruction& instruction, const MemoryPart& part) const;
  bool send(Picoseconds now, Instruction& instruction, const MemoryPart& part, unsigned index);
  void fill(Request& request, Instruction& instruction, const MemoryPart& part, std::uint64_t group,
            std::uint32_t segment);
  void serve_shared(Instruction& instruction, const MemoryPart& part, Cycle cycle);
  void shared_atomic(Instruction& instruction, const MemoryPart& part);
  void read_block_bytes(Instruction& instruction, const MemoryPart& part, const std::byte* bytes, Bytes size);
  void deliver(Instruction& instruction, const Request& request);
  void load_words(Instruction& instruction, const std::byte* bytes, const std::uint32_t* offsets,
                  std::uint64_t lanes);
  void store_words(const Instruction& instruction, std::byte* bytes, const std::uint32_t* offsets,
                   std::uint64_t lanes);
  static void count_answer(InstructionCounts& counts, const Request& request);
  void take_answer(sim::Queue<memory::Packet>& from, std::uint64_t bit, Picoseconds now, Cycle cycle);
  Cycle next_answer(const sim::Queue<memory::Packet>& from, Picoseconds now, Cycle cycle) const;
  void look_for_race(const Instruction& instruction, const Request& request, Picoseconds now);
  void advance(Instruction& instruction, std::uint64_t done);
  void finish(unsigned index, Cycle cycle);

  void all_sent(Instruction& instruction, Cycle cycle);
  // Whether its requests to L1 count for gpu.sm.memory_requests. Those that wait for bits do not: a store
  // that ends their wait may come behind.
  static bool is_limited(const Instruction& instruction) {
    return instruction.returns && !instruction.texel && !instruction.waits();
  }
  // What an answer frees now is free in the next cycle.
  bool no_request_left(const Instruction& instruction, Picoseconds now) const {
    return is_limited(instruction) && limited_requests + (freed_at == now ? 1 : 0) >= most_requests;
  }

  static constexpr std::uint64_t kL1Bit = 1, kConstantBit = 2;

  Outside& outside;
  memory::RequestPool pool;
  AddressCheck<W> check;
  SharedMemoryBanks banks;
  sim::ClockDomain clock;
  const ptx::WordLanes<W>& words;
  Ports ports;
  std::uint16_t sm;
  Cycle shared_latency, shared_pass, parameter_latency;
  bool own_queue, atomics_wait;
  bool tells_sent;             // a store's last request has left: a completion says so
  unsigned coalesced_threads;  // 0: a whole warp
  unsigned most_requests;      // 0: any number
  unsigned limited_requests = 0;
  Picoseconds freed_at = kNever;  // when the last one was answered
  unsigned entry_count;
  // Made when first used, lowest first: most launches need few, and touching new memory takes longer than
  // they run.
  std::vector<std::unique_ptr<Instruction>> entries;
  std::vector<unsigned> free;
  std::vector<unsigned> queue;  // a ring of entries not fully sent
  std::size_t head = 0;
  unsigned taken = 0;             // the entry of the instruction issued last
  std::vector<unsigned> waiting;  // entries that may wait for bits, not fully sent, oldest first
  TrackedOrder<W> order;
  Cycle blocked_since = 0;  // when it last found no room, while Outside::waits_for_room
  Cycle free_at = 0;        // when the instruction at the queue's head may act
  LoadStoreStatistics statistics{"sm."};
};

}  // namespace duet::gpu
