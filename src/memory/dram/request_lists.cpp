#include "memory/dram/request_lists.h"

#include <bit>

namespace duet::memory {

RequestLists::RequestLists(std::size_t capacity, unsigned banks)
    : entries_(capacity), lists_(2 * static_cast<std::size_t>(banks)) {
  free_.reserve(capacity);
  for (std::size_t i = capacity; i-- > 0;) free_.push_back(static_cast<std::uint32_t>(i));
  const std::size_t buckets = std::bit_ceil(2 * capacity);
  buckets_.assign(buckets, kNoEntry);
  bucket_shift_ = 64 - static_cast<unsigned>(std::countr_zero(buckets));
}

std::uint32_t RequestLists::allocate() {
  const std::uint32_t index = free_.back();
  free_.pop_back();
  DramEntry& entry = entries_[index];
  entry.started = entry.activated = entry.precharged = false;
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
  List& list = lists_[2u * entry.bank + static_cast<unsigned>(entry.direction)];
  std::uint32_t before = list.last;
  while (before != kNoEntry && entries_[before].sequence > entry.sequence) before = entries_[before].previous;
  entry.previous = before;
  entry.next = before == kNoEntry ? list.first : entries_[before].next;
  (before == kNoEntry ? list.first : entries_[before].next) = index;
  (entry.next == kNoEntry ? list.last : entries_[entry.next].previous) = index;
}

}  // namespace duet::memory
