#include "memory/cache/line_array.h"

#include <string>

#include "base/error.h"
#include "config/names.h"
#include "memory/cache/replacement/lru.h"
#include "memory/cache/replacement/random.h"
#include "memory/cache/replacement/tree.h"

namespace duet::memory {

LineArray::LineArray(const config::Cache& config, const LineNumbering& numbering, std::size_t side_lines,
                     const std::string& owner)
    : line_bytes_(static_cast<unsigned>(config.line_bytes)),
      line_shift_(static_cast<unsigned>(std::countr_zero(config.line_bytes))),
      set_bits_(static_cast<unsigned>(std::countr_zero(config.sets))),
      ways_(static_cast<std::uint32_t>(config.ways)),
      set_mask_(config.sets - 1),
      hash_(config.hash_sets),
      replacement_(static_cast<Replacement>(
          config::place_of(owner + ": replacement", config.replacement, config::kReplacements))),
      numbering_(numbering) {
  const auto refuse = [&](const char* what) { throw Error(owner + ": " + what); };
  if (!std::has_single_bit(config.sets)) refuse("sets must be a power of two");
  if (!std::has_single_bit(config.line_bytes) || config.line_bytes < 32 || config.line_bytes > kLineBytes)
    refuse("line_bytes must be 32, 64 or 128");
  if (config.sector_bytes == 0 || config.line_bytes % config.sector_bytes != 0)
    refuse("sector_bytes must divide line_bytes");
  if (config.ways == 0 || numbering.interleave_lines == 0 || numbering.channels == 0 ||
      numbering.slices_per_channel == 0)
    refuse("ways and the numbering of lines must not be 0");
  if (replacement_ == Replacement::Tree && !std::has_single_bit(config.ways))
    refuse("replacement = \"tree\" wants ways that are a power of two");
  const std::size_t held = config.sets * config.ways;
  tags_.assign(held, kNoTag);
  last_use_.resize(held + side_lines);
  lines_.resize(held + side_lines);
  data_ = std::make_unique_for_overwrite<std::byte[]>((held + side_lines) * line_bytes_);
}

std::uint32_t LineArray::victim(PhysicalAddress line) const {
  const std::uint32_t begin = line == found_line_ ? found_set_ : first_way(line);
  const Ways ways{&last_use_[begin], &lines_[begin], ways_, uses_};
  std::uint32_t way = kNone;
  switch (replacement_) {
    case Replacement::Lru:
      way = LeastRecentlyUsed::victim(ways);
      break;
    case Replacement::Tree:
      way = TreePseudoLru::victim(ways);
      break;
    case Replacement::Random:
      way = RandomReplacement::victim(ways);
      break;
  }
  return way == kNone ? kNone : begin + way;
}

unsigned LineArray::candidates(PhysicalAddress line) const {
  unsigned candidates = 0;
  const std::uint32_t begin = first_way(line);
  for (std::uint32_t i = begin; i < begin + ways_; ++i)
    candidates += tags_[i] == kNoTag || lines_[i].mshr == kNone;
  return candidates;
}

}  // namespace duet::memory
