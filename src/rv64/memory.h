// Guest virtual memory as harts see it: pages of 4 KiB, each at some place of the host's memory, with rights.
// The page table of an owner answers lookups (find_page); every hart has a small translation cache in front
// of it. One host thread interleaves the harts of a memory: nothing here is safe for two.
//
// Changes of pages or their rights go through pages_changed. Writes past a hart's port, by a system call or a
// device, use write, or bytes_changed. Decoded code and reservations follow from these calls:
//  - Code. An interpreter reports its decoded pages. A store into such a page, by any hart, drops its decoded
//    code. So fence.i has only to end the decoded block.
//  - Reservations. LR reserves the aligned 64 bytes around its address (the size of profile RVA22's Za64rs).
//    A store of another hart into them ends the reservation, at the store; an SC of the same hart ends it
//    too. So LR and SC are exact for any interleaving, without comparing values. Stores of the same hart
//    leave it.
// Source: The RISC-V Instruction Set Manual, volume I, version 20191213, chapters 3 and 8, and section 2.6
// (misaligned accesses are made). Left out: weaker orders than the harts' interleaving.
#pragma once

#include <array>
#include <bitset>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <unordered_set>
#include <vector>

#include "base/address.h"
#include "base/units.h"

namespace duet::rv64 {

inline constexpr unsigned kPageShift = 12;
inline constexpr Bytes kPageBytes = Bytes{1} << kPageShift;
inline constexpr Bytes kReservationBytes = 64;
// Addresses of a program of Linux end there (the user half of Sv39).
inline constexpr std::uint64_t kUserAddressEnd = std::uint64_t{1} << 38;

enum class Access : std::uint8_t { Fetch, Load, Store };

struct Rights {
  bool read = false;
  bool write = false;
  bool execute = false;

  bool allow(Access access) const {
    return access == Access::Fetch ? execute : access == Access::Load ? read : write;
  }
  friend bool operator==(const Rights&, const Rights&) = default;
};

// How accesses to a page reach memory. Values do not depend on it, so the interpreter does not look at it;
// timed cores do (cpu/uncached_unit.h). Source: RISC-V Instruction Set Manual, volume II, physical memory
// attributes and Svpbmt (PMA, NC, IO).
enum class MemoryType : std::uint8_t {
  WriteBack,  // caches may hold it
  Uncached,   // no cache holds it; loads may be speculative, stores are combined
  Device      // the same, and every access is made once, alone, in program order
};

// A page of the guest: the place of its kPageBytes in the host's memory, and its rights.
struct Page {
  std::byte* bytes = nullptr;  // nullptr: nothing is mapped
  Rights rights;
  MemoryType type = MemoryType::WriteBack;
};

// An impossible access.
struct Fault {
  std::uint64_t address = 0;  // of the first unreachable byte
  Access access = Access::Load;
  bool misaligned = false;  // an atomic whose address is no multiple of its size (Linux: SIGBUS)
  bool mapped = false;      // the page exists and its rights refuse (Linux: SEGV_ACCERR)
};

class MemoryPort;

// Called when decoded code may have changed.
class CodeObserver {
 public:
  virtual ~CodeObserver() = default;
  // `first` is the address of the first of `pages` pages.
  virtual void code_changed(VirtualAddress first, std::uint64_t pages) = 0;
};

class Memory {
 public:
  Memory() = default;
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;
  virtual ~Memory() = default;

  // The page of an address. The answer holds until pages_changed covers it. Where `access` is not allowed the
  // owner may answer with other rights, or change its table first (a growing stack, a frame allocated at its
  // first use) and call pages_changed itself.
  virtual Page find_page(VirtualAddress address, Access access) = 0;

  // For owners whose bytes are elsewhere too, in caches: called before somebody other than a hart reads these
  // bytes, or decodes them, and after somebody other than a hart has written them.
  virtual void settle(VirtualAddress, Bytes) {}
  virtual void written(VirtualAddress, Bytes) {}

  // Pages in [first, first + bytes) were mapped, unmapped, moved, or changed their rights.
  void pages_changed(VirtualAddress first, Bytes bytes);
  // Somebody other than a hart has written there.
  void bytes_changed(VirtualAddress first, Bytes bytes);

  // Copies for system calls: all bytes, or up to the returned fault. They heed rights as a hart does.
  std::optional<Fault> read(VirtualAddress from, std::span<std::byte> to);
  std::optional<Fault> write(VirtualAddress to, std::span<const std::byte> from);

  // Stores into this page are to be told to the observers from now on, until code_changed was called for it.
  void watch_code(VirtualAddress page);
  bool may_have_code(VirtualAddress address) const { return has_code(address >> kPageShift); }
  // Called whenever pages_changed is.
  void attach_pages(std::function<void()> changed) { page_observers_.push_back(std::move(changed)); }
  void attach(CodeObserver& observer) { observers_.push_back(&observer); }
  void detach(CodeObserver& observer) { std::erase(observers_, &observer); }

 private:
  friend class MemoryPort;

  // Before `port`, or nobody's port, writes [address, address + bytes), within one page.
  void before_store(MemoryPort* port, std::uint64_t address, Bytes bytes);
  // Whether `port` may keep a translation for stores into this page.
  bool stores_are_watched(const MemoryPort* port, std::uint64_t page_number) const;
  void code_changed(std::uint64_t page_number, std::uint64_t pages);
  bool has_code(std::uint64_t page_number) const {
    return may_have_code_[page_number % may_have_code_.size()] && code_pages_.contains(page_number);
  }

  std::vector<MemoryPort*> ports_;
  std::vector<CodeObserver*> observers_;
  std::vector<std::function<void()>> page_observers_;
  std::unordered_set<std::uint64_t> code_pages_;  // page numbers
  // By page number modulo 4096: whether code_pages_ may have such a page.
  std::bitset<4096> may_have_code_;
};

// A hart's way to memory: its translation cache and its reservation. Loads and stores return false when they
// fault; fault() then tells why, and nothing was written.
class MemoryPort {
 public:
  explicit MemoryPort(Memory& memory);
  ~MemoryPort();
  MemoryPort(const MemoryPort&) = delete;
  MemoryPort& operator=(const MemoryPort&) = delete;

  Memory& memory() { return memory_; }
  const Fault& fault() const { return fault_; }

  // T is an unsigned integer of 1 to 8 bytes. The first two give the place in the host's memory if the
  // translation is at hand, else nullptr.
  template <typename T>
  const std::byte* load_hit(std::uint64_t address) const {
    const Entry& entry = entries_[index_of(address)];
    return entry.load_tag == tag_of<T>(address) ? entry.at(address) : nullptr;
  }
  template <typename T>
  std::byte* store_hit(std::uint64_t address) const {
    const Entry& entry = entries_[index_of(address)];
    return entry.store_tag == tag_of<T>(address) ? entry.at(address) : nullptr;
  }
  template <typename T>
  bool load(std::uint64_t address, T& value) {
    const std::byte* from = load_hit<T>(address);
    if (from == nullptr) [[unlikely]]
      return load_slowly(address, &value, sizeof(T));
    std::memcpy(&value, from, sizeof(T));
    return true;
  }
  template <typename T>
  bool store(std::uint64_t address, T value) {
    std::byte* to = store_hit<T>(address);
    if (to == nullptr) [[unlikely]]
      return store_slowly(address, &value, sizeof(T));
    std::memcpy(to, &value, sizeof(T));
    return true;
  }
  // For fetching code: the part of the page from `address` on; empty and a fault if it cannot be executed.
  std::span<const std::byte> fetch(std::uint64_t address);

  // Atomics, T of 4 or 8 bytes. A misaligned one faults. A fault of any but LR is one of a store.
  template <typename T>
  bool load_reserved(std::uint64_t address, T& value) {
    if (!aligned<T>(address, Access::Load) || !load(address, value)) return false;
    reserve(address);
    return true;
  }
  // `succeeded` tells whether the reservation held, and so the store was done. A fault ends it as well.
  template <typename T>
  bool store_conditional(std::uint64_t address, T value, bool& succeeded) {
    if (!aligned<T>(address, Access::Store)) return false;
    succeeded = reserved_ && address / kReservationBytes == reservation_;
    end_reservation();
    return succeeded ? store(address, value) : check_store(address);
  }
  // Leaves the old value in `old` and stores operation(old).
  template <typename T, typename Operation>
  bool read_modify_write(std::uint64_t address, T& old, Operation operation) {
    if (!aligned<T>(address, Access::Store) || !check_store(address)) return false;
    return load(address, old) && store(address, operation(old));
  }

  // To be called when the hart takes a trap for the guest's kernel.
  void end_reservation() { reserved_ = false; }

 private:
  friend class Memory;

  static constexpr unsigned kEntries = 1024;  // a power of two; reaches 4 MiB
  static constexpr std::uint64_t kNoTag = ~std::uint64_t{0};
  struct Entry {
    std::uint64_t load_tag = kNoTag;   // address of the page
    std::uint64_t store_tag = kNoTag;  // the same, where stores need not be watched
    std::uintptr_t host_minus_guest = 0;
    std::byte* at(std::uint64_t address) const {
      return reinterpret_cast<std::byte*>(host_minus_guest + address);
    }
  };

  static std::uint64_t index_of(std::uint64_t address) { return address >> kPageShift & (kEntries - 1); }
  // Differs from each tag if the access is misaligned: it goes the slow way.
  template <typename T>
  static std::uint64_t tag_of(std::uint64_t address) {
    return address & (~(kPageBytes - 1) | (sizeof(T) - 1));
  }
  template <typename T>
  bool aligned(std::uint64_t address, Access access) {
    if (address % sizeof(T) == 0) return true;
    fault_ = {address, access, true, false};
    return false;
  }

  bool load_slowly(std::uint64_t address, void* value, Bytes bytes);
  bool store_slowly(std::uint64_t address, const void* value, Bytes bytes);
  bool check_store(std::uint64_t address);
  // The page, where `access` is allowed, and its translation is kept; otherwise fault_ is set.
  std::byte* translate(std::uint64_t address, Access access);
  void reserve(std::uint64_t address);
  void forget(std::uint64_t page_number);
  void forget_all() { entries_.fill({}); }

  Memory& memory_;
  std::array<Entry, kEntries> entries_{};
  bool reserved_ = false;
  std::uint64_t reservation_ = 0;  // address / kReservationBytes
  Fault fault_;
};

// Anonymous memory: zeroed pages, with host memory from their first use on. Addresses end at 2^39 (the user
// half of Sv39, and as many behind it, unused by Linux's programs). Where a page needs more than its bytes
// and rights, derive an owner.
class PagedMemory : public Memory {
 public:
  static constexpr unsigned kAddressBits = 39;

  PagedMemory();
  ~PagedMemory() override;

  // For all of these: `first` and `bytes` are multiples of kPageBytes below 2^kAddressBits; Error otherwise.
  // map gives zeroed pages, also in place of old ones; unmap, protect and set_type skip unmapped pages. Each
  // calls pages_changed. Code is fetched from write-back pages only: of others the right to execute is not
  // given.
  void map(VirtualAddress first, Bytes bytes, Rights rights, MemoryType type = MemoryType::WriteBack);
  void unmap(VirtualAddress first, Bytes bytes);
  void protect(VirtualAddress first, Bytes bytes, Rights rights);
  void set_type(VirtualAddress first, Bytes bytes, MemoryType type);
  // Whether all, or any, of these pages are mapped.
  bool all_mapped(VirtualAddress first, Bytes bytes) const;
  bool any_mapped(VirtualAddress first, Bytes bytes) const;
  // Whether the page has been touched.
  bool has_frame(VirtualAddress address) const;
  // Host memory of touched pages.
  Bytes resident_bytes() const { return resident_pages_ * kPageBytes; }

  Page find_page(VirtualAddress address, Access access) override;

 protected:
  // A new zeroed frame.
  std::byte* new_frame();

 private:
  // The frame of a page at its first touch.
  virtual std::byte* take_frame() { return new_frame(); }
  struct Entry {
    std::byte* frame = nullptr;  // nullptr until the first use
    Rights rights;
    MemoryType type = MemoryType::WriteBack;
    bool mapped = false;
  };
  // 27 bits of page number: 9, 9, 9.
  using Leaf = std::array<Entry, 512>;
  using Middle = std::array<std::unique_ptr<Leaf>, 512>;

  Entry* find(std::uint64_t page_number) const;
  Entry& find_or_make(std::uint64_t page_number);
  // The page numbers of a range, checked.
  struct PageRange {
    std::uint64_t first, end;
  };
  static PageRange pages_of(VirtualAddress first, Bytes bytes, const char* what);
  // Calls change(entry) for mapped pages, and pages_changed.
  template <typename F>
  void change(VirtualAddress first, Bytes bytes, const char* what, F change);
  void release(Entry& entry);
  // Called with host memory for frames.
  virtual void new_chunk(std::byte*, Bytes) {}
  // Called with a used frame that begins with zeros again.
  virtual void frame_cleared(std::byte*) {}

  std::array<std::unique_ptr<Middle>, 512> root_;
  std::vector<std::byte*> chunks_;  // host memory for frames
  Bytes chunk_used_ = 0;
  std::vector<std::byte*> free_frames_;
  std::uint64_t resident_pages_ = 0;
};

}  // namespace duet::rv64
