#include <fmt/format.h>
#include <sys/mman.h>

#include <new>

#include "base/error.h"
#include "rv64/memory.h"

namespace duet::rv64 {
namespace {

constexpr Bytes kChunkBytes = 2_MiB;

}  // namespace

PagedMemory::PagedMemory() = default;

PagedMemory::~PagedMemory() {
  for (std::byte* chunk : chunks_) ::munmap(chunk, kChunkBytes);
}

PagedMemory::PageRange PagedMemory::pages_of(VirtualAddress first, Bytes bytes, const char* what) {
  constexpr std::uint64_t kEnd = std::uint64_t{1} << kAddressBits;
  if (first % kPageBytes != 0 || bytes % kPageBytes != 0 || bytes > kEnd || first.value() > kEnd - bytes)
    throw Error(fmt::format("rv64 memory: cannot {} [{:#x}, {:#x} bytes): give whole pages below {:#x}", what,
                            first.value(), bytes, kEnd));
  return {first >> kPageShift, (first + bytes) >> kPageShift};
}

PagedMemory::Entry* PagedMemory::find(std::uint64_t page_number) const {
  if (page_number >> (kAddressBits - kPageShift) != 0) return nullptr;
  const auto& middle = root_[page_number >> 18];
  if (middle == nullptr) return nullptr;
  const auto& leaf = (*middle)[page_number >> 9 & 511];
  return leaf == nullptr ? nullptr : &(*leaf)[page_number & 511];
}

PagedMemory::Entry& PagedMemory::find_or_make(std::uint64_t page_number) {
  auto& middle = root_[page_number >> 18];
  if (middle == nullptr) middle = std::make_unique<Middle>();
  auto& leaf = (*middle)[page_number >> 9 & 511];
  if (leaf == nullptr) leaf = std::make_unique<Leaf>();
  return (*leaf)[page_number & 511];
}

std::byte* PagedMemory::new_frame() {
  if (!free_frames_.empty()) {
    std::byte* frame = free_frames_.back();
    free_frames_.pop_back();
    std::memset(frame, 0, kPageBytes);
    frame_cleared(frame);
    return frame;
  }
  if (chunks_.empty() || chunk_used_ == kChunkBytes) {
    void* chunk = ::mmap(nullptr, kChunkBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (chunk == MAP_FAILED) throw std::bad_alloc();
    chunks_.push_back(static_cast<std::byte*>(chunk));
    new_chunk(chunks_.back(), kChunkBytes);
    chunk_used_ = 0;
  }
  std::byte* frame = chunks_.back() + chunk_used_;
  chunk_used_ += kPageBytes;
  return frame;
}

void PagedMemory::release(Entry& entry) {
  if (entry.frame != nullptr) {
    free_frames_.push_back(entry.frame);
    --resident_pages_;
  }
  entry = Entry{};
}

void PagedMemory::map(VirtualAddress first, Bytes bytes, Rights rights, MemoryType type) {
  const PageRange range = pages_of(first, bytes, "map");
  for (std::uint64_t page = range.first; page != range.end; ++page) {
    Entry& entry = find_or_make(page);
    release(entry);
    entry.rights = rights;
    entry.type = type;
    entry.mapped = true;
  }
  pages_changed(first, bytes);
}

void PagedMemory::unmap(VirtualAddress first, Bytes bytes) {
  const PageRange range = pages_of(first, bytes, "unmap");
  for (std::uint64_t page = range.first; page != range.end; ++page)
    if (Entry* entry = find(page)) release(*entry);
  pages_changed(first, bytes);
}

template <typename F>
void PagedMemory::change(VirtualAddress first, Bytes bytes, const char* what, F change) {
  const PageRange range = pages_of(first, bytes, what);
  for (std::uint64_t page = range.first; page != range.end; ++page)
    if (Entry* entry = find(page); entry != nullptr && entry->mapped) change(*entry);
  pages_changed(first, bytes);
}

void PagedMemory::protect(VirtualAddress first, Bytes bytes, Rights rights) {
  change(first, bytes, "protect", [rights](Entry& entry) { entry.rights = rights; });
}

void PagedMemory::set_type(VirtualAddress first, Bytes bytes, MemoryType type) {
  change(first, bytes, "set the memory type of", [type](Entry& entry) { entry.type = type; });
}

bool PagedMemory::all_mapped(VirtualAddress first, Bytes bytes) const {
  const PageRange range = pages_of(first, bytes, "look at");
  for (std::uint64_t page = range.first; page != range.end; ++page)
    if (const Entry* entry = find(page); entry == nullptr || !entry->mapped) return false;
  return true;
}

bool PagedMemory::any_mapped(VirtualAddress first, Bytes bytes) const {
  const PageRange range = pages_of(first, bytes, "look at");
  for (std::uint64_t page = range.first; page != range.end; ++page)
    if (const Entry* entry = find(page); entry != nullptr && entry->mapped) return true;
  return false;
}

bool PagedMemory::has_frame(VirtualAddress address) const {
  const Entry* const entry = find(address >> kPageShift);
  return entry != nullptr && entry->frame != nullptr;
}

Page PagedMemory::find_page(VirtualAddress address, Access) {
  Entry* entry = find(address >> kPageShift);
  if (entry == nullptr || !entry->mapped) return {};
  if (entry->frame == nullptr) {
    entry->frame = take_frame();
    ++resident_pages_;
  }
  Rights rights = entry->rights;
  rights.execute &= entry->type == MemoryType::WriteBack;
  return {entry->frame, rights, entry->type};
}

}  // namespace duet::rv64
