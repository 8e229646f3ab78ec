#include "rv64/memory.h"

#include <algorithm>

namespace duet::rv64 {
namespace {

constexpr std::uint64_t page_number_of(std::uint64_t address) { return address >> kPageShift; }
// The bytes from `address` to the end of its page, at most `bytes`.
constexpr Bytes in_this_page(std::uint64_t address, Bytes bytes) {
  return std::min<Bytes>(bytes, kPageBytes - address % kPageBytes);
}

}  // namespace

void Memory::pages_changed(VirtualAddress first, Bytes bytes) {
  if (bytes == 0) return;
  const std::uint64_t first_page = page_number_of(first.value());
  const std::uint64_t pages = page_number_of(first.value() + (bytes - 1)) - first_page + 1;
  for (MemoryPort* port : ports_) {
    if (pages < MemoryPort::kEntries) {
      for (std::uint64_t page = first_page; page != first_page + pages; ++page) port->forget(page);
    } else {
      port->forget_all();
    }
    const std::uint64_t reserved_page = port->reservation_ * kReservationBytes / kPageBytes;
    if (reserved_page - first_page < pages) port->end_reservation();
  }
  code_changed(first_page, pages);
  for (const auto& changed : page_observers_) changed();
}

void Memory::bytes_changed(VirtualAddress first, Bytes bytes) {
  std::uint64_t address = first.value();
  while (bytes != 0) {
    const Bytes part = in_this_page(address, bytes);
    before_store(nullptr, address, part);
    address += part;
    bytes -= part;
  }
}

std::optional<Fault> Memory::read(VirtualAddress from, std::span<std::byte> to) {
  std::uint64_t address = from.value();
  while (!to.empty()) {
    const Page page = find_page(VirtualAddress(address), Access::Load);
    if (page.bytes == nullptr || !page.rights.read)
      return Fault{address, Access::Load, false, page.bytes != nullptr};
    const Bytes part = in_this_page(address, to.size());
    settle(VirtualAddress(address), part);
    std::memcpy(to.data(), page.bytes + address % kPageBytes, part);
    address += part;
    to = to.subspan(part);
  }
  return std::nullopt;
}

std::optional<Fault> Memory::write(VirtualAddress to, std::span<const std::byte> from) {
  std::uint64_t address = to.value();
  while (!from.empty()) {
    const Page page = find_page(VirtualAddress(address), Access::Store);
    if (page.bytes == nullptr || !page.rights.write)
      return Fault{address, Access::Store, false, page.bytes != nullptr};
    const Bytes part = in_this_page(address, from.size());
    before_store(nullptr, address, part);
    settle(VirtualAddress(address), part);
    std::memcpy(page.bytes + address % kPageBytes, from.data(), part);
    written(VirtualAddress(address), part);
    address += part;
    from = from.subspan(part);
  }
  return std::nullopt;
}

void Memory::watch_code(VirtualAddress page) {
  const std::uint64_t number = page_number_of(page.value());
  if (!code_pages_.insert(number).second) return;
  may_have_code_.set(number % may_have_code_.size());
  for (MemoryPort* port : ports_) port->forget(number);
}

void Memory::code_changed(std::uint64_t first_page, std::uint64_t pages) {
  bool any = false;
  if (pages < code_pages_.size()) {
    for (std::uint64_t page = first_page; page != first_page + pages; ++page)
      any |= code_pages_.erase(page) != 0;
  } else {
    any = std::erase_if(code_pages_, [&](std::uint64_t page) { return page - first_page < pages; }) != 0;
  }
  if (!any) return;
  may_have_code_.reset();
  for (const std::uint64_t page : code_pages_) may_have_code_.set(page % may_have_code_.size());
  const VirtualAddress first(first_page << kPageShift);
  for (CodeObserver* observer : observers_) observer->code_changed(first, pages);
}

void Memory::before_store(MemoryPort* port, std::uint64_t address, Bytes bytes) {
  const std::uint64_t page = page_number_of(address);
  if (has_code(page)) code_changed(page, 1);
  const std::uint64_t first = address / kReservationBytes;
  const std::uint64_t last = (address + (bytes - 1)) / kReservationBytes;
  for (MemoryPort* other : ports_)
    if (other != port && other->reserved_ && other->reservation_ - first <= last - first)
      other->end_reservation();
}

bool Memory::stores_are_watched(const MemoryPort* port, std::uint64_t page_number) const {
  if (has_code(page_number)) return true;
  return std::any_of(ports_.begin(), ports_.end(), [&](const MemoryPort* other) {
    return other != port && other->reserved_ &&
           page_number_of(other->reservation_ * kReservationBytes) == page_number;
  });
}

MemoryPort::MemoryPort(Memory& memory) : memory_(memory) { memory_.ports_.push_back(this); }
MemoryPort::~MemoryPort() { std::erase(memory_.ports_, this); }

void MemoryPort::forget(std::uint64_t page_number) {
  Entry& entry = entries_[page_number & (kEntries - 1)];
  const std::uint64_t address = page_number << kPageShift;
  if (entry.load_tag == address || entry.store_tag == address) entry = Entry{};
}

std::byte* MemoryPort::translate(std::uint64_t address, Access access) {
  const Page page = memory_.find_page(VirtualAddress(address), access);
  if (page.bytes == nullptr || !page.rights.allow(access)) {
    fault_ = {address, access, false, page.bytes != nullptr};
    return nullptr;
  }
  const std::uint64_t start = address & ~(kPageBytes - 1);
  Entry& entry = entries_[index_of(address)];
  entry.host_minus_guest = reinterpret_cast<std::uintptr_t>(page.bytes) - start;
  entry.load_tag = page.rights.read ? start : kNoTag;
  const bool stores = page.rights.write && !memory_.stores_are_watched(this, page_number_of(address));
  entry.store_tag = stores ? start : kNoTag;
  return page.bytes + address % kPageBytes;
}

bool MemoryPort::load_slowly(std::uint64_t address, void* value, Bytes bytes) {
  const Bytes first = in_this_page(address, bytes);
  const std::byte* from = translate(address, Access::Load);
  if (from == nullptr) return false;
  std::byte buffer[8];
  std::memcpy(buffer, from, first);
  if (first < bytes) {
    from = translate(address + first, Access::Load);
    if (from == nullptr) return false;
    std::memcpy(buffer + first, from, bytes - first);
  }
  std::memcpy(value, buffer, bytes);
  return true;
}

bool MemoryPort::store_slowly(std::uint64_t address, const void* value, Bytes bytes) {
  const Bytes first = in_this_page(address, bytes);
  if (first < bytes && translate(address + first, Access::Store) == nullptr) return false;
  if (translate(address, Access::Store) == nullptr) return false;
  const std::byte* from = static_cast<const std::byte*>(value);
  for (Bytes done = 0; done < bytes;) {
    const Bytes part = done == 0 ? first : bytes - first;
    memory_.before_store(this, address + done, part);
    std::memcpy(translate(address + done, Access::Store), from + done, part);
    done += part;
  }
  return true;
}

std::span<const std::byte> MemoryPort::fetch(std::uint64_t address) {
  const std::byte* from = translate(address, Access::Fetch);
  if (from == nullptr) return {};
  return {from, in_this_page(address, kPageBytes)};
}

bool MemoryPort::check_store(std::uint64_t address) {
  const std::uint64_t page = address & ~(kPageBytes - 1);
  return entries_[index_of(address)].store_tag == page || translate(address, Access::Store) != nullptr;
}

void MemoryPort::reserve(std::uint64_t address) {
  reserved_ = true;
  reservation_ = address / kReservationBytes;
  for (MemoryPort* other : memory_.ports_)
    if (other != this) other->forget(page_number_of(address));
}

}  // namespace duet::rv64
