// An instruction's way into the window: its fetch, its room, its waits.
#include <algorithm>
#include <utility>

#include "cpu/core.h"

namespace duet::cpu {

namespace {

constexpr bool is_link(std::uint8_t number) { return number == 1 || number == 5; }  // ra, t0

}  // namespace

bool Core::dispatch() {
  if (registers_ == nullptr || trapped_ || fetch_missing_ || fetch_walks_ || fetch_waits_ != 0) return false;
  const std::uint64_t pc = registers_->pc, before = squashes_;
  if (preempt_at_ != kNever && ahead_.edge(slots_.cycle()) >= preempt_at_) {
    preempting_ = true;
    return serial(nullptr);
  }
  const CodeEntry* code = code_.find(pc);
  if (code == nullptr) {
    fault_ = code_.fault();
    return serial(nullptr);
  }
  // An instruction enters the front end when the one `front_end_places_` before it has left.
  const Cycle place = dispatch_times_[(next_ - front_end_places_) % kDispatchTimes];
  if (place > fetch_cycle_) {
    fetch_cycle_ = place;
    fetched_ = 0;
  }
  Cycle cycle = std::max({fetch_cycle_ + config_.front_end_cycles, slots_.cycle(), ahead_.now()});
  // A store may drain meanwhile and end in a squash: then another instruction is the next one.
  const bool fetched = fetch_line(pc, cycle);
  if (squashes_ != before) return true;
  if (!fetched) return false;
  if (code->treatment >= Treatment::DrainStores) return serial(code);
  cycle = std::max(fetch_cycle_ + config_.front_end_cycles, slots_.cycle());
  Cause cause = cycle > slots_.cycle() ? fetch_cause_ : Cause::FrontEnd;
  if (cycle == slots_.cycle() && slots_.is_full()) ++cycle;
  const bool room = room_in_window(*code, cycle, cause);
  if (squashes_ != before) return true;
  if (!room) return false;
  cycle = std::max(cycle, ahead_.now());
  if (cycle <= ahead_.limit()) drain(cycle);
  if (squashes_ != before) return true;
  if (cycle > ahead_.limit()) {
    ahead_.wake_for(cycle);
    return false;
  }
  if (code->execute != nullptr) {
    execution_.registers = registers_;
    execution_.pc_value = pc;
    access_.count = 0;
    execution_.illegal = false;
    // The overwritten values, before it executes.
    Entry& made = entry(next_);
    made.old_fflags = registers_->fflags;
    if (code->destination < 32)
      made.old_value = registers_->x[code->destination];
    else if (code->destination < kNoRegister)
      made.old_value = registers_->f[code->destination - 32];
    if (!code->execute(execution_, code->instruction)) {
      if (std::exchange(of_device_, false)) return access_device(*code);
      return serial(execution_.illegal ? code : nullptr);
    }
  }
  slots_.move_to(cycle, cause);
  enter(*code, cycle);
  return true;
}

// Whether the instruction's line is in the instruction cache; where it has to come from L2, the fetch is so
// much later. `earliest` is when it could be dispatched.
bool Core::fetch_line(std::uint64_t pc, Cycle earliest) {
  const std::uint64_t address = pc & ~line_mask_, before = squashes_;
  if (address == fetch_address_) return true;
  if (earliest > ahead_.limit()) {
    ahead_.wake_for(earliest);
    return false;
  }
  Access access;
  if (!translate(pc, 1, rv64::Access::Fetch, access))
    return true;  // the code cache has found it: unmapped since
  if (const std::uint64_t page = pc >> rv64::kPageShift; page != fetch_page_) {
    drain(earliest);
    if (squashes_ != before) return false;
    if (earliest > ahead_.limit()) {
      ahead_.wake_for(earliest);
      return false;
    }
    if (!translate_fetch(page, earliest)) return false;
  }
  const std::uint64_t line = line_of(access.pieces[0].physical);
  if (PrivateLine* const held = instruction_cache_.find(line)) {
    instruction_cache_.use(*held);
    fetch_address_ = address;
    return true;
  }
  drain(earliest);
  if (squashes_ != before) return false;
  if (earliest > ahead_.limit()) {
    ahead_.wake_for(earliest);
    return false;
  }
  ++statistics_.instruction_misses;
  if (PrivateLine* const held = outer(line)) {
    ++statistics_.l2_hits;
    place_in_instruction_cache(line, *held);
    fetch_address_ = address;
    fetch_cycle_ += config_.l2.latency_cycles;
    fetched_ = 0;
    fetch_cause_ = Cause::InstructionCache;
    return true;
  }
  Miss* miss = find_miss(line);
  if (miss == nullptr) {
    miss = &ask(line, false, earliest);
    miss->fetch = true;
    prefetch_after(line, earliest);
  } else {
    miss->fetch = true;
  }
  fetch_missing_ = true;
  fetch_line_ = line;
  return false;
}

Cause Core::cause_of(const Entry& full_behind) const {
  if (full_behind.treatment != Treatment::Load || full_behind.level == Level::L1) return Cause::Core;
  return full_behind.level == Level::L2 ? Cause::MemoryL2 : Cause::MemoryBelow;
}

// Moves `cycle` to the first one with room in all buffers; false while it is not known.
bool Core::room_in_window(const CodeEntry& code, Cycle& cycle, Cause& cause) {
  const auto after = [&](Cycle free, Cause why) {
    if (free < cycle) return;
    cycle = free + 1;
    cause = why;
  };
  if (next_ > config_.rob_entries) {
    const Entry& first = entry(next_ - config_.rob_entries);
    if (first.retire == kUnknown) return false;
    after(first.retire, cause_of(first));
  }
  if (code.treatment == Treatment::Load && loads_ >= config_.load_entries) {
    const std::uint64_t number = load_places_[(loads_ - config_.load_entries) % load_places_.size()];
    if (number + config_.rob_entries >= next_) {
      const Entry& first = entry(number);
      if (first.retire == kUnknown) return false;
      after(first.retire, cause_of(first));
    }
  }
  if (code.treatment == Treatment::Store && next_store_ >= config_.store_entries) {
    const std::uint64_t place = next_store_ - config_.store_entries;
    if (store(place).drained == kUnknown) drain(ahead_.limit(), place);
    if (store(place).drained == kUnknown) return false;
    after(store(place).drained, Cause::Stores);
  }
  const Cycle before = cycle;
  if (!scheduler_.find_room(cycle)) return false;
  if (cycle != before) cause = cause_of(oldest_in_window(cycle - 1));
  return true;
}

// The oldest entry not retired by `cycle`, or the youngest.
const Core::Entry& Core::oldest_in_window(Cycle cycle) {
  if (next_ > config_.rob_entries) oldest_ = std::max(oldest_, next_ - config_.rob_entries);
  oldest_ = std::min(oldest_, next_ - 1);
  while (oldest_ + 1 < next_ && entry(oldest_).retire <= cycle) ++oldest_;
  return entry(oldest_);
}

// The cause that holds the next instruction back for an unknown time.
Cause Core::cause_of_waiting() {
  if (device_request_ != memory::kNoRequest) return Cause::Serial;
  if (fetch_missing_ || fetch_walks_) return Cause::InstructionCache;
  if (fetch_waits_ != 0) return Cause::Speculation;
  if (trapped_ || atomic_line_ != kNoLine) return Cause::Serial;
  if (retired_ + 1 < next_) return cause_of(entry(retired_ + 1));
  return oldest_store_ != next_store_ ? Cause::Stores : fetch_cause_;
}

void Core::await(Entry& made, std::uint64_t writer, Cycle ready) {
  if (writer != 0)
    made.awaited[made.awaited_count++] = writer;
  else
    made.ready = std::max(made.ready, ready);
}

void Core::enter(const CodeEntry& code, Cycle cycle) {
  const std::uint64_t sequence = next_++;
  Entry& made = entry(sequence);
  made.pc = registers_->pc;
  made.dispatched = cycle;
  made.start = made.complete = made.retire = made.bound = kUnknown;
  made.ready = 0;
  made.awaited_count = 0;
  made.first_waiter = made.next_waiter = 0;
  made.destination = code.destination;
  made.treatment = code.treatment;
  made.forwarded = false;
  made.behind = kNoStore;
  made.level = Level::L1;
  made.lines_missing = 0;
  slots_.use();
  dispatch_times_[sequence % kDispatchTimes] = cycle;
  if (++fetched_ >= config_.fetch_width) {
    ++fetch_cycle_;
    fetched_ = 0;
  }
  fetch_cause_ = Cause::FrontEnd;
  for (const std::uint8_t source : code.sources)
    if (source != kNoRegister) await(made, writers_[source], ready_[source]);
  const bool jumps = code.treatment == Treatment::Jump || code.treatment == Treatment::Branch;
  bool taken = false;
  Prediction prediction = Prediction::Right;
  if (jumps) {
    made.old_fflags = registers_->fflags;
    std::uint64_t next = 0;
    if (code.destination != kNoRegister) made.old_value = registers_->x[code.destination];
    prediction = follow(code, next, taken);
    registers_->pc = next;
  } else {
    if (code.execute == nullptr) made.old_fflags = registers_->fflags;
    registers_->pc += code.instruction.length;
  }
  if (code.destination != kNoRegister) {
    made.old_writer = writers_[code.destination];
    made.old_ready = ready_[code.destination];
    writers_[code.destination] = sequence;
    ready_[code.destination] = kUnknown;
  }
  if (code.treatment == Treatment::Load) record_load(made);
  if (code.treatment == Treatment::Load) load_places_[loads_++ % load_places_.size()] = sequence;
  if (code.treatment == Treatment::Store) record_store(sequence, made);
  scheduler_.enter();
  if (made.awaited_count == 0)
    issue(sequence);
  else
    link(sequence);
  tell_waiters();
  retire_known();
  if (jumps) resume_fetch(sequence, prediction, taken);
}

// Where the program goes on, and whether the front end knew.
Prediction Core::follow(const CodeEntry& code, std::uint64_t& next, bool& taken) {
  const rv64::Instruction& instruction = code.instruction;
  const std::uint64_t pc = registers_->pc, behind = pc + instruction.length;
  if (code.treatment == Treatment::Branch) {
    ++statistics_.branches;
    const std::uint64_t target = pc + static_cast<std::uint64_t>(instruction.immediate);
    taken = branch_taken(instruction.opcode, registers_->x[instruction.rs1], registers_->x[instruction.rs2]);
    next = taken ? target : behind;
    return predictor_.conditional(pc, target, taken);
  }
  taken = true;
  Prediction prediction = Prediction::Right;
  if (instruction.opcode == rv64::Opcode::Jal) {
    next = pc + static_cast<std::uint64_t>(instruction.immediate);
    prediction = predictor_.direct_jump(pc, next);
  } else {
    next = (registers_->x[instruction.rs1] + static_cast<std::uint64_t>(instruction.immediate)) &
           ~std::uint64_t{1};
    prediction = is_link(instruction.rs1) && !is_link(instruction.rd) ? predictor_.return_to(next)
                                                                      : predictor_.indirect_jump(pc, next);
  }
  if (instruction.rd != 0) registers_->x[instruction.rd] = behind;
  if (is_link(instruction.rd)) predictor_.call(behind);
  return prediction;
}

void Core::resume_fetch(std::uint64_t sequence, Prediction prediction, bool taken) {
  if (prediction == Prediction::Wrong) {
    ++statistics_.mispredictions;
    fetch_waits_ = sequence;
    const Cycle known = entry(sequence).complete;
    if (known == kUnknown) return;
    fetch_waits_ = 0;
    fetch_cycle_ = known + config_.redirect_cycles;
    fetched_ = 0;
    fetch_cause_ = Cause::Speculation;
    return;
  }
  if (!taken) return;
  if (fetched_ != 0) ++fetch_cycle_;
  fetched_ = 0;
  if (prediction == Prediction::LateTarget) {
    ++statistics_.late_targets;
    fetch_cycle_ += config_.late_target_cycles;
  }
}

// Finds the bytes from stores that are not in L1 yet.
void Core::record_load(Entry& made) {
  made.access = access_;
  made.store = next_store_;
  ++statistics_.loads;
  if (access_.type != rv64::MemoryType::WriteBack) {
    made.fence = load_fence_;
    made.asked = kUnknown;
    made.arrived = 0;
  }
  bool maybe = false;
  for (unsigned i = 0; i < access_.count; ++i) maybe |= may_be_in_stores(access_.pieces[i]);
  if (!maybe) return;
  for (std::uint64_t place = next_store_; place-- > oldest_store_;) {
    const Store& older = store(place);
    if (older.access.address + older.access.bytes <= access_.address ||
        access_.address + access_.bytes <= older.access.address)
      continue;
    const bool covers = older.access.address <= access_.address &&
                        access_.address + access_.bytes <= older.access.address + older.access.bytes;
    made.behind = place;
    if (!covers || access_.type != rv64::MemoryType::WriteBack) return;
    made.forwarded = true;
    ++statistics_.forwarded;
    const Entry& of_store = entry(older.sequence);
    if (older.sequence + config_.rob_entries >= next_) {  // in the window: its data may not be there yet
      const bool known = of_store.complete != kUnknown;
      await(made, known ? 0 : older.sequence, known ? of_store.complete : 0);
    }
    return;
  }
}

void Core::record_store(std::uint64_t sequence, Entry& made) {
  made.access = access_;
  made.access.value = execution_.access.value;
  made.store = next_store_;
  ++statistics_.stores;
  Store& place = store(next_store_++);
  place.sequence = sequence;
  place.access = made.access;
  place.senior = place.drained = kUnknown;
  place.ready = 0;
  place.asked = access_.type != rv64::MemoryType::WriteBack;
  place.fenced = store_fence_;
  place.plain = !store_fence_ && !place.asked;
  store_fence_ = false;
  count_granules(place.access, 1);
}

}  // namespace duet::cpu
