#include "predict/memory_model.h"

#include <algorithm>
#include <bit>
#include <tuple>
#include <utility>

namespace duet::predict {

// So many queues full of requests, of all channels, go by until channels are compared.
namespace {
constexpr std::uint64_t kChunkQueues = 8;

// Of one channel. Without a limit as many requests wait as the caches above can have under way.
std::uint64_t queue_of(const config::Machine& machine) {
  const config::Dram& dram = machine.gpu.dram;
  if (dram.queue_entries != 0) return dram.queue_entries;
  const bool is_l2 = machine.levels.empty();
  const config::Cache& cache = is_l2 ? machine.gpu.l2 : machine.levels.back().cache;
  const std::uint64_t slices = is_l2 ? machine.gpu.l2_slices : machine.levels.back().slices;
  return std::max<std::uint64_t>(cache.mshrs * slices / dram.channels, 1);
}

// Of the data bus, from reads to writes and back.
std::uint64_t turn_cycles(const config::DramTiming& t) { return t.rtw + t.wl + t.wtr; }
}  // namespace

struct MemoryModel::Level {
  Level(const config::Cache& cache, const memory::AddressMap& map, const std::string& name,
        std::uint64_t slices, bool perfect_level)
      : slice_map(map, name, slices, cache.line_bytes),
        tags(cache, &slice_map),
        line_bytes(cache.line_bytes),
        write_back(cache.write_back),
        write_allocate(cache.write_allocate),
        fetch_on_write(cache.fetch_on_write),
        perfect(perfect_level) {}
  // Of the counted lines: the unseen ones, and the write-backs of the level above.
  Count unseen, written_back;
  double new_below = 0;         // of passed lines that are written back: less than one line
  std::uint64_t next_line = 0;  // of lines that passed above and are new here: they lie in a row
  memory::SliceMap slice_map;
  TagArray tags;
  Bytes line_bytes;
  bool write_back, write_allocate, fetch_on_write, perfect;
};

struct MemoryModel::Channel {
  struct Entry {
    std::uint32_t bank, row;
    std::uint32_t bursts;
    bool written;
  };
  std::vector<Entry> queue;
  std::vector<std::uint32_t> open;  // row of each bank
  double cycles = 0;                // since the last chunk
};

MemoryModel::MemoryModel(const config::Machine& machine)
    : machine_(machine), map_(machine_.gpu.dram), queue_(queue_of(machine)) {
  levels_.push_back(std::make_unique<Level>(machine_.gpu.l2, map_, "L2", machine_.gpu.l2_slices, false));
  for (const config::Level& level : machine_.levels)
    levels_.push_back(std::make_unique<Level>(level.cache, map_, level.name, level.slices, level.perfect));
  channels_.resize(machine_.gpu.dram.channels);
  for (Channel& channel : channels_) channel.open.assign(machine_.gpu.dram.banks, ~0u);
  of_slice_.resize(machine_.gpu.l2_slices);
  load_.below.resize(levels_.size());
}

MemoryModel::~MemoryModel() = default;

void MemoryModel::begin_accesses(std::size_t count) {
  if (count >= Request::kBefore - next_stamp_) {
    levels_.front()->tags.forget_stamps();
    next_stamp_ = 1;
  }
  first_stamp_ = next_stamp_;
  next_stamp_ += static_cast<std::uint32_t>(count);
}

void MemoryModel::at_access(std::uint32_t number) { levels_.front()->tags.set_stamp(first_stamp_ + number); }

std::uint32_t MemoryModel::brought_at() const {
  const std::uint32_t stamp = levels_.front()->tags.found_stamp();
  return stamp < first_stamp_ ? Request::kBefore : stamp - first_stamp_;
}

std::uint16_t MemoryModel::slice_of(std::uint64_t address) const {
  return static_cast<std::uint16_t>(levels_.front()->tags.slice_of(address));
}

TagArray::Set MemoryModel::set_at(std::uint64_t address) const {
  return levels_.front()->tags.set_at(address & ~std::uint64_t{127});
}

void MemoryModel::prefetch(TagArray::Set set) const { levels_.front()->tags.prefetch(set); }

unsigned MemoryModel::access(const CacheRequest& request, TagArray::Set set) {
  const Level& l2 = *levels_.front();
  ++load_.requests;
  ++of_slice_[l2.line_bytes >= 128 ? l2.tags.slice_of(set) : slice_of(request.address())];
  const std::uint64_t block = request.address() & ~std::uint64_t{127};
  if (request.store()) {
    write(0, block, request.sectors(), request.whole(), set);
    return 0;
  }
  const unsigned depth = read(0, block, request.sectors(), set);
  if (request.atomic()) write(0, block, request.sectors(), false, set);
  return depth;
}

// Calls f(address, segments of its line) for each line of a level in a block of 128 bytes.
template <typename F>
void MemoryModel::for_lines(const Level& level, std::uint64_t block, unsigned segments, const F& f) {
  const auto of_line = static_cast<unsigned>(std::min<Bytes>(level.line_bytes, 128) / 32);
  for (unsigned first = 0; first < 4; first += of_line) {
    const unsigned own = segments >> first & ((1u << of_line) - 1);
    if (own != 0) f(block + 32 * first, own, first);
  }
}

// Segments of 32 bytes of a block of 128. Returns how many caches from this level on did not have them all.
unsigned MemoryModel::read(std::size_t number, std::uint64_t block, unsigned segments) {
  if (number < levels_.size()) return read(number, block, segments, levels_[number]->tags.set_at(block));
  to_dram(block, segments, false);
  return 0;
}

unsigned MemoryModel::read(std::size_t number, std::uint64_t block, unsigned segments, TagArray::Set set) {
  Level& level = *levels_[number];
  if (level.perfect) return 0;
  unsigned missing = 0;
  for_lines(level, block, segments, [&](std::uint64_t address, unsigned own, unsigned first) {
    if (!level.tags.read(address, own, true, first == 0 ? set : level.tags.set_at(address)))
      missing |= level.tags.brought() << first;
    if (level.tags.displaced() != 0) displaced(number, level);
  });
  if (missing == 0) return 0;
  ++load_.below[number];
  return 1 + read(number + 1, block, missing);
}

// A dirty line goes below.
void MemoryModel::displaced(std::size_t number, Level& level) {
  const std::uint64_t line = level.tags.displaced_line();
  write_below(number + 1, line & ~std::uint64_t{127}, level.tags.displaced() << line % 128 / 32,
              level.tags.displaced_passed());
}

// A write-back does not count as the kernel's use of a line in the cache below.
void MemoryModel::write_below(std::size_t number, std::uint64_t block, unsigned segments, bool passed) {
  if (number >= levels_.size()) return write(number, block, segments, true);
  Level& level = *levels_[number];
  const Count before{level.tags.first_uses(), level.tags.dirtied()};
  if (!passed || !write_passed(number, segments)) write(number, block, segments, true);
  const Count after{level.tags.first_uses(), level.tags.dirtied()};
  if (!passing_) level.written_back = level.written_back - (before - after);
}

// Where the kernel had read a passed line, the line has passed below too; otherwise it is a new one, in a
// cache that keeps write-backs.
bool MemoryModel::write_passed(std::size_t number, unsigned segments) {
  if (number >= levels_.size() || !levels_[number]->write_back) return false;
  Level &above = *levels_[number - 1], &level = *levels_[number];
  const TagArray::FirstUses& dirtied = above.tags.dirtied_lines();
  above.new_below +=
      static_cast<double>(dirtied.missed) / static_cast<double>(std::max<std::uint64_t>(dirtied.all(), 1));
  const bool is_new = above.new_below >= 1;
  if (is_new) above.new_below -= 1;
  for_lines(level, 0, segments, [&](std::uint64_t, unsigned own, unsigned) {
    if (!is_new && level.tags.write_passed(own)) return;
    level.tags.pass_line(level.tags.set_at(level.next_line++ * level.line_bytes), own);
    if (level.tags.displaced() != 0) displaced(number, level);
  });
  return true;
}

void MemoryModel::write(std::size_t number, std::uint64_t block, unsigned segments, bool whole) {
  if (number >= levels_.size()) return to_dram(block, segments, true);
  write(number, block, segments, whole, levels_[number]->tags.set_at(block));
}

void MemoryModel::write(std::size_t number, std::uint64_t block, unsigned segments, bool whole,
                        TagArray::Set set) {
  Level& level = *levels_[number];
  if (level.perfect) return;
  if (level.fetch_on_write && !whole) read(number, block, segments, set);
  bool through = !level.write_back;
  for_lines(level, block, segments, [&](std::uint64_t address, unsigned own, unsigned first) {
    const TagArray::Set there = first == 0 ? set : level.tags.set_at(address);
    through |= !level.tags.write(address, own, whole, level.write_allocate, there) && !level.write_allocate;
    if (level.tags.displaced() != 0) displaced(number, level);
  });
  if (through) write(number + 1, block, segments, whole);
}

void MemoryModel::copied(PhysicalAddress first, Bytes bytes, bool written) {
  const std::uint64_t end = first.value() + bytes;
  for (std::uint64_t at = first.value() & ~std::uint64_t{127}; at < end; at += 128) {
    if (at >= machine_.gpu.dram.bytes) return;  // the host's
    if (written)
      write(0, at, 0xf, true);
    else
      read(0, at, 0xf);
  }
}

void MemoryModel::to_dram(std::uint64_t address, unsigned segments, bool written) {
  if (passing_) return;
  const config::Dram& dram = machine_.gpu.dram;
  const memory::DramPlace place = map_.place(PhysicalAddress(address));
  Channel& channel = channels_[place.channel];
  const Bytes bytes = 32 * static_cast<Bytes>(std::popcount(segments));
  const Bytes of_burst = !written && dram.read_bytes != 0 ? dram.read_bytes : dram.burst_bytes;
  const auto bursts = static_cast<std::uint32_t>(std::max<Bytes>((bytes + of_burst - 1) / of_burst, 1));
  channel.queue.push_back({place.bank, place.row, bursts, written});
  ++(written ? load_.dram_writes : load_.dram_reads);
  load_.dram_bytes += bytes;
  if (written) load_.dram_written_bytes += bytes;
  if (channel.queue.size() >= queue_) serve(channel);
  if (++chunk_requests_ >= kChunkQueues * queue_ * channels_.size()) count_chunk();
}

// The requests of a channel's queue are served in the order with the fewest row activations.
void MemoryModel::serve(Channel& channel) {
  if (channel.queue.empty()) return;
  const config::Dram& dram = machine_.gpu.dram;
  const config::DramTiming& t = dram.timing;
  std::stable_sort(channel.queue.begin(), channel.queue.end(), [](const auto& a, const auto& b) {
    return std::tie(a.bank, a.row) < std::tie(b.bank, b.row);
  });
  bool reads = false, writes = false;
  double bus = 0, activates = 0, work = 0, squares = 0, bank = 0;
  for (std::size_t i = 0, end; i < channel.queue.size(); i = end) {
    // The requests of one row. The row is open already or is opened for them.
    const auto& first = channel.queue[i];
    std::uint64_t bursts = 0;
    bool written = false;
    for (end = i; end < channel.queue.size() && channel.queue[end].bank == first.bank &&
                  channel.queue[end].row == first.row;
         ++end) {
      bursts += channel.queue[end].bursts;
      written |= channel.queue[end].written;
      (channel.queue[end].written ? writes : reads) = true;
    }
    bus += static_cast<double>(std::max(dram.burst_cycles, t.ccd) * bursts);
    std::uint64_t cycles = std::max({dram.burst_cycles, t.ccd, t.ccd_l}) * bursts;
    if (channel.open[first.bank] != first.row) {
      channel.open[first.bank] = first.row;
      ++activates;
      ++row_misses_;
      const std::uint64_t close = written ? t.wl + dram.burst_cycles + t.wr : t.rtp;
      cycles = std::max(cycles + close + t.rp + t.rcd, t.rc);
    }
    bank += static_cast<double>(cycles);
    if (end < channel.queue.size() && channel.queue[end].bank == first.bank) continue;
    work += bank;
    squares += bank * bank;
    bank = 0;
  }
  if (reads && writes) bus += static_cast<double>(turn_cycles(t));
  const double by_activates =
      activates * std::max(static_cast<double>(t.rrd), static_cast<double>(t.faw) / 4);
  double cycles = std::max({bus, by_activates, squares / work});
  if (dram.refresh && t.refi != 0 && dram.refresh_unit == "rank")
    cycles *= static_cast<double>(t.refi) / static_cast<double>(t.refi - std::min(t.rfc, t.refi / 2));
  channel.cycles += cycles;
  channel.queue.clear();
}

// Channels wait for each other no longer than the requests on their way do: the busiest one counts.
void MemoryModel::count_chunk() {
  double most = 0;
  for (Channel& channel : channels_) {
    most = std::max(most, channel.cycles);
    channel.cycles = 0;
  }
  load_.dram_cycles += most;
  chunk_requests_ = 0;
}

std::uint64_t MemoryModel::dirty_segments() const {
  std::uint64_t result = 0;
  for (const auto& level : levels_) result += level->tags.dirty_segments();
  return result;
}

MemoryModel::Held MemoryModel::held() const {
  const TagArray& last = levels_.back()->tags;
  return {dirty_segments(), last.lines() - last.held()};
}

void MemoryModel::write_back_in_time(double times, const Held& before) {
  if (times <= 1) return;
  const double written = static_cast<double>(load_.dram_written_bytes) / 32;
  const double read = static_cast<double>(load_.dram_bytes) / 32 - written;
  const auto made = static_cast<double>(counts().front().dirtied);
  const TagArray& last = levels_.back()->tags;
  const auto room = static_cast<double>(last.lines());
  const auto free = static_cast<double>(before.free_lines);
  const double taken = times * static_cast<double>(counts().back().first_uses.missed +
                                                   levels_.back()->written_back.first_uses.missed);
  const double displaced = std::clamp((taken - free) / std::max(room - free, 1.0), 0.0, 1.0);
  const double left_by_others = static_cast<double>(before.dirty_segments) * displaced;
  const double unseen = left_by_others / times + made * std::max(0.0, 1 - room / std::max(taken, 1.0));
  const double all = (written + (times - 1) * unseen) / times;
  // Dirty lines of others leave first, and once. The time of further writes is known only when enough of them
  // have been seen.
  constexpr double kEnough = 0.25;
  if (all < written || written > kEnough * all) {
    const double share = (read + all) / std::max(read + written, 1.0);
    serve_all();
    load_.dram_cycles *= share;
    load_.dram_bytes = static_cast<std::uint64_t>(32 * (read + all));
    load_.dram_writes = static_cast<std::uint64_t>(static_cast<double>(load_.dram_writes) * all / written);
    return;
  }
  auto left = static_cast<std::uint64_t>(all - written);
  struct Dirty {
    std::uint64_t used, address;
    unsigned segments;
  };
  std::vector<Dirty> dirty;
  for (const auto& level : levels_)
    level->tags.for_dirty([&](std::uint64_t used, std::uint64_t address, unsigned segments) {
      dirty.push_back({used, address, segments});
    });
  const std::uint64_t reads = load_.dram_reads, writes = load_.dram_writes;
  // The lines written last are the kernel's.
  const auto last_first = [](const Dirty& a, const Dirty& b) { return a.used > b.used; };
  if (left < dirty.size()) {
    std::nth_element(dirty.begin(), dirty.begin() + static_cast<std::ptrdiff_t>(left), dirty.end(),
                     last_first);
    dirty.resize(left);
  }
  std::sort(dirty.begin(), dirty.end(), last_first);
  for (const Dirty& line : dirty) {
    const auto count = static_cast<std::uint64_t>(std::popcount(line.segments));
    if (count > left) break;
    left -= count;
    to_dram(line.address & ~std::uint64_t{127}, line.segments << line.address % 128 / 32, true);
  }
  // In time they come between the reads: of as many of both as the queues hold the bus turns once each way.
  const config::Dram& dram = machine_.gpu.dram;
  const std::uint64_t mixed = 2 * std::min(load_.dram_writes - writes, reads);
  load_.dram_cycles +=
      static_cast<double>(mixed * turn_cycles(dram.timing)) / static_cast<double>(queue_ * channels_.size());
}

MemoryModel::Moments MemoryModel::moments() const {
  Moments result;
  for (const auto& level : levels_) result.push_back(level->tags.moment());
  return result;
}

MemoryModel::Left MemoryModel::left_since(const Moments& moments) const {
  Left result;
  result.lines.resize(levels_.size());
  for (std::size_t i = 0; i < levels_.size(); ++i)
    levels_[i]->tags.for_used_since(moments[i],
                                    [&](const TagArray::Line& line) { result.lines[i].push_back(line); });
  return result;
}

void MemoryModel::leave(Left& left) {
  for (std::size_t i = 0; i < levels_.size(); ++i) {
    Level& level = *levels_[i];
    std::vector<TagArray::Line>& lines = left.lines[i];
    if (!left.in_order)
      std::sort(lines.begin(), lines.end(),
                [](const TagArray::Line& one, const TagArray::Line& other) { return one.used < other.used; });
    for (const TagArray::Line& line : lines) {
      if (line.passed) {
        level.tags.pass_line(line.set, line.dirty);
        if (level.tags.displaced() != 0) displaced(i, level);
        continue;
      }
      if (line.segments != 0) level.tags.read(line.address, line.segments);
      if (line.segments != 0 && level.tags.displaced() != 0) displaced(i, level);
      if (line.dirty == 0) continue;
      level.tags.write(line.address, line.dirty, false);
      if (level.tags.displaced() != 0) displaced(i, level);
    }
  }
  left.in_order = true;
}

void MemoryModel::begin_kernel() {
  for (const auto& level : levels_) {
    level->tags.begin_kernel();
    level->unseen = {{}, level->tags.dirtied()};
    level->written_back = {};
  }
}

void MemoryModel::begin_wave() {
  for (const auto& level : levels_) level->tags.begin_wave();
}

MemoryModel::Counts MemoryModel::counts() const {
  Counts result;
  for (const auto& level : levels_)
    result.push_back(Count{level->tags.first_uses(), level->tags.dirtied()} - level->unseen -
                     level->written_back);
  return result;
}

void MemoryModel::pass(const Counts& then, double more, double all) {
  const Counts now = counts();
  passing_ = true;
  for (std::size_t i = 0; i < levels_.size(); ++i) {
    TagArray& tags = levels_[i]->tags;
    const auto since = [&](std::uint64_t TagArray::FirstUses::*uses) {
      return static_cast<double>(now[i].first_uses.*uses - then[i].first_uses.*uses);
    };
    const double found = since(&TagArray::FirstUses::found), missed = since(&TagArray::FirstUses::missed);
    const auto dirtied = static_cast<double>(now[i].dirtied - then[i].dirtied);
    const double of_line = static_cast<double>(levels_[i]->line_bytes) / 32;
    const bool fits = static_cast<double>(now[i].first_uses.all()) + (found + missed) * all <=
                      static_cast<double>(tags.lines());
    const auto found_more = static_cast<std::uint64_t>(fits ? found * more : 0);
    const auto lines = static_cast<std::uint64_t>((found + missed) * more);
    // Displaced lines go to the cache below.
    TagArray::Displaced displaced;
    if (i + 1 < levels_.size())
      displaced = [&](std::uint64_t address, unsigned segments) {
        if (address == TagArray::kNowhere)
          write_passed(i + 1, segments);
        else
          write(i + 1, address & ~std::uint64_t{127}, segments << address % 128 / 32, true);
      };
    tags.pass({found_more, lines - found_more},
              std::min(1.0, dirtied / std::max(of_line * (found + missed), 1.0)), displaced);
    for (std::size_t j = i + 1; j < levels_.size(); ++j)
      levels_[j]->unseen = Count{levels_[j]->tags.first_uses(), levels_[j]->tags.dirtied()} -
                           levels_[j]->written_back - now[j];
  }
  passing_ = false;
}

// Serves all queued requests; the queues are empty then.
void MemoryModel::serve_all() {
  for (Channel& channel : channels_) serve(channel);
  count_chunk();
}

MemoryLoad MemoryModel::take_load() {
  serve_all();
  MemoryLoad load = std::move(load_);
  const std::uint64_t dram = load.dram_reads + load.dram_writes;
  if (dram != 0) load.row_hits = 1 - static_cast<double>(row_misses_) / static_cast<double>(dram);
  load.of_slice = std::exchange(of_slice_, std::vector<std::uint64_t>(of_slice_.size()));
  row_misses_ = 0;
  load_ = {};
  load_.below.resize(levels_.size());
  return load;
}

}  // namespace duet::predict
