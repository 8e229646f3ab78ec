#include "cpu/front_end.h"

#include <algorithm>

#include "cpu/execute.h"
#include "cpu/line_prefetcher.h"
#include "cpu/page_walker.h"
#include "cpu/store_unit.h"

namespace duet::cpu {

namespace {

constexpr bool is_link(std::uint8_t number) { return number == 1 || number == 5; }  // ra, t0

}  // namespace

FrontEnd::FrontEnd(CoreState& state, StoreUnit& stores, PageWalker& walker, LinePrefetcher& prefetcher)
    : state_(state),
      stores_(stores),
      walker_(walker),
      prefetcher_(prefetcher),
      predictor_(state.config.predictor),
      places_(std::min(state.config.fetch_width * (state.config.front_end_cycles + 2), kRemembered)),
      dispatched_(kRemembered) {}

// Whether the tick goes as far as `cycle`, with stores drained until then and no squash since there were so
// many.
bool FrontEnd::stores_drained(Cycle cycle, std::uint64_t squashes) {
  stores_.drain(cycle);
  if (state_.window.squashes() != squashes) return false;
  if (cycle <= state_.ahead.limit()) return true;
  state_.ahead.wake_for(cycle);
  return false;
}

bool FrontEnd::fetch_line(std::uint64_t pc, Cycle earliest) {
  if (earliest > state_.ahead.limit()) {
    state_.ahead.wake_for(earliest);
    return false;
  }
  const std::uint64_t before = state_.window.squashes();
  Access access;
  if (!state_.translation.translate(pc, 1, rv64::Access::Fetch, access))
    return true;  // the code cache has found it: unmapped since
  if (const std::uint64_t page = pc >> rv64::kPageShift; page != page_) {
    if (!stores_drained(earliest, before) || !translate(page, earliest)) return false;
  }
  const std::uint64_t line = state_.line_of(access.pieces[0].physical), address = pc & ~state_.line_mask;
  PrivateCache& cache = state_.caches.instruction_cache();
  if (PrivateLine* const held = cache.find(line)) {
    cache.use(*held);
    address_ = address;
    return true;
  }
  if (!stores_drained(earliest, before)) return false;
  ++state_.statistics.instruction_misses;
  if (PrivateLine* const held = state_.caches.outer(line)) {
    ++state_.statistics.l2_hits;
    state_.caches.place_in_instruction_cache(line, *held);
    address_ = address;
    move_to(cycle_ + state_.config.l2.latency_cycles, Cause::InstructionCache);
    return true;
  }
  LineMiss* miss = state_.misses.find(line);
  if (miss == nullptr) {
    miss = &state_.misses.ask(line, false, earliest);
    miss->fetch = true;
    prefetcher_.after(line, earliest);
  } else {
    miss->fetch = true;
  }
  missing_ = true;
  line_ = line;
  return false;
}

// Of the next instruction; false while a walk for it is under way.
bool FrontEnd::translate(std::uint64_t page, Cycle cycle) {
  const Cycle there = walker_.translate_fetch(page, cycle);
  if (there == kUnknown) return false;
  if (there != cycle) move_to(cycle_ + (there - cycle), Cause::InstructionCache);
  page_ = page;
  return true;
}

Prediction FrontEnd::follow(const CodeEntry& code, std::uint64_t& next, bool& taken) {
  const rv64::Instruction& instruction = code.instruction;
  rv64::Registers& registers = *state_.registers;
  const std::uint64_t pc = registers.pc, behind = pc + instruction.length;
  if (code.treatment == Treatment::Branch) {
    ++state_.statistics.branches;
    const std::uint64_t target = pc + static_cast<std::uint64_t>(instruction.immediate);
    taken = branch_taken(instruction.opcode, registers.x[instruction.rs1], registers.x[instruction.rs2]);
    next = taken ? target : behind;
    return predictor_.conditional(pc, target, taken);
  }
  taken = true;
  Prediction prediction = Prediction::Right;
  if (instruction.opcode == rv64::Opcode::Jal) {
    next = pc + static_cast<std::uint64_t>(instruction.immediate);
    prediction = predictor_.direct_jump(pc, next);
  } else {
    next = (registers.x[instruction.rs1] + static_cast<std::uint64_t>(instruction.immediate)) &
           ~std::uint64_t{1};
    prediction = is_link(instruction.rs1) && !is_link(instruction.rd) ? predictor_.return_to(next)
                                                                      : predictor_.indirect_jump(pc, next);
  }
  if (instruction.rd != 0) registers.x[instruction.rd] = behind;
  if (is_link(instruction.rd)) predictor_.call(behind);
  return prediction;
}

void FrontEnd::resume(std::uint64_t sequence, Prediction prediction, bool taken) {
  if (prediction == Prediction::Wrong) {
    ++state_.statistics.mispredictions;
    branch_ = sequence;
    if (const Cycle known = state_.entry(sequence).complete; known != kUnknown) redirect(known);
    return;
  }
  if (!taken) return;
  if (fetched_ != 0) ++cycle_;
  fetched_ = 0;
  if (prediction == Prediction::LateTarget) {
    ++state_.statistics.late_targets;
    cycle_ += state_.config.late_target_cycles;
  }
}

void FrontEnd::redirect(Cycle cycle) {
  branch_ = 0;
  move_to(cycle + state_.config.redirect_cycles, Cause::Speculation);
}

void FrontEnd::squashed(Cycle cycle) {
  if (branch_ >= state_.window.next()) branch_ = 0;
  missing_ = walks_ = false;
  forget_translation();
  move_to(std::max(cycle + state_.config.redirect_cycles, branch_ != 0 ? cycle_ : 0), Cause::Speculation);
}

void FrontEnd::go_on(Cycle cycle) {
  const Cycle places = state_.config.front_end_cycles;
  move_to(cycle > places ? cycle - places : 0, Cause::Serial);
  forget_line();
}

void FrontEnd::line_came(std::uint64_t line, Cycle cycle) {
  if (!missing_ || line_ != line) return;
  missing_ = false;
  move_to(std::max(cycle_, cycle), Cause::InstructionCache);
}

void FrontEnd::walk_ended(Cycle cycle) {
  if (!walks_) return;
  walks_ = false;
  move_to(std::max(cycle_, cycle), Cause::InstructionCache);
}

}  // namespace duet::cpu
