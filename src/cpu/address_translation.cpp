#include "cpu/address_translation.h"

#include <algorithm>

namespace duet::cpu {

bool AddressTranslation::translate(std::uint64_t address, unsigned bytes, rv64::Access kind, Access& access) {
  access.address = address;
  access.bytes = bytes;
  access.count = 0;
  unsigned left = bytes;
  while (left != 0) {
    const std::uint64_t page = address >> rv64::kPageShift;
    Known& known = known_[page % kPages];
    if (known.page != page || !known.rights.allow(kind)) {
      const rv64::Page found = view_.page_of(VirtualAddress(address), kind, core_);
      if (found.bytes == nullptr || !found.rights.allow(kind)) {
        fault_ = {address, kind, false, found.bytes != nullptr};
        return false;
      }
      known = {page, view_.physical_of(found.bytes).value(), found.rights, found.type};
    }
    if (access.count == 0) {
      access.type = known.type;
    } else if (access.type != known.type) {  // RISC-V leaves the effect of such an access open
      fault_ = {address, kind, false, true};
      return false;
    }
    const std::uint64_t physical = known.physical + address % rv64::kPageBytes;
    const unsigned part =
        static_cast<unsigned>(std::min<std::uint64_t>(left, line_mask_ + 1 - (physical & line_mask_)));
    access.pieces[access.count++] = {physical, part};
    address += part;
    left -= part;
  }
  return true;
}

}  // namespace duet::cpu
