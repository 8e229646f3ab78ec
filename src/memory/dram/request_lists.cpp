#include "memory/dram/request_lists.h"

#include <bit>
#include <utility>

namespace duet::memory {

namespace {
constexpr std::size_t kFirstEntries = 64;  // without a limit
}  // namespace

RequestLists::RequestLists(std::size_t capacity, unsigned banks)
    : lists_(2 * static_cast<std::size_t>(banks)) {
  add_entries(capacity != 0 ? capacity : kFirstEntries);
}

// Up to `size` of them. Buckets keep the order of their entries.
void RequestLists::add_entries(std::size_t size) {
  const std::size_t before = entries_.size();
  entries_.resize(size);
  free_.reserve(size);
  for (std::size_t i = size; i-- > before;) free_.push_back(static_cast<std::uint32_t>(i));
  const std::size_t buckets = std::bit_ceil(2 * size);
  const std::vector<std::uint32_t> heads = std::exchange(buckets_, std::vector(buckets, kNoEntry));
  bucket_shift_ = 64 - static_cast<unsigned>(std::countr_zero(buckets));
  std::vector<std::uint32_t> chain;
  for (std::uint32_t head : heads) {
    chain.clear();
    for (; head != kNoEntry; head = entries_[head].same_bucket) chain.push_back(head);
    for (; !chain.empty(); chain.pop_back())
      entries_[chain.back()].same_bucket = std::exchange(bucket(entries_[chain.back()].line), chain.back());
  }
}

std::uint32_t RequestLists::allocate() {
  if (free_.empty()) [[unlikely]]
    add_entries(2 * entries_.size());
  const std::uint32_t index = free_.back();
  free_.pop_back();
  DramEntry& entry = entries_[index];
  entry.started = entry.activated = entry.precharged = entry.listed = false;
  entry.successor = kNoEntry;
  return index;
}

bool RequestLists::admit(std::uint32_t index) {
  DramEntry& entry = entries_[index];
  entry.sequence = next_sequence_++;
  std::uint32_t& head = bucket(entry.line);
  std::uint32_t older = head;
  while (older != kNoEntry && entries_[older].line != entry.line) older = entries_[older].same_bucket;
  entry.same_bucket = head;
  head = index;
  if (older == kNoEntry) {
    insert(index);
    return true;
  }
  entries_[older].successor = index;
  return false;
}

std::uint32_t RequestLists::remove(std::uint32_t index) {
  DramEntry& entry = entries_[index];
  List& list = lists_[2u * entry.bank + static_cast<unsigned>(entry.direction)];
  (entry.previous == kNoEntry ? list.first : entries_[entry.previous].next) = entry.next;
  (entry.next == kNoEntry ? list.last : entries_[entry.next].previous) = entry.previous;
  std::uint32_t* link = &bucket(entry.line);
  while (*link != index) link = &entries_[*link].same_bucket;
  *link = entry.same_bucket;
  free_.push_back(index);
  if (entry.successor != kNoEntry) insert(entry.successor);
  return entry.successor;
}

void RequestLists::insert(std::uint32_t index) {
  DramEntry& entry = entries_[index];
  entry.listed = true;
  List& list = lists_[2u * entry.bank + static_cast<unsigned>(entry.direction)];
  std::uint32_t before = list.last;
  while (before != kNoEntry && entries_[before].sequence > entry.sequence) before = entries_[before].previous;
  entry.previous = before;
  entry.next = before == kNoEntry ? list.first : entries_[before].next;
  (before == kNoEntry ? list.first : entries_[before].next) = index;
  (entry.next == kNoEntry ? list.last : entries_[entry.next].previous) = index;
}

}  // namespace duet::memory
