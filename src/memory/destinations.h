// Where requests for a physical address go on one interconnect: a number for each home
// (physical/memory_map.h).
//
//   Destinations from_sms(map);
//   from_sms.send(Home::DeviceDram, slices_of_l2);   // to the slice of the address
//   from_sms.send(Home::HostDram, 6);                // to the bridge, behind six slices
//   packet.destination = from_sms.of(request.address);
//
// Guarantees: a packet's destination costs no call through a pointer. An address in no range, or with a home
// that this interconnect does not reach, is an error.
#pragma once

#include <array>
#include <string>

#include "memory/cache/slice_map.h"
#include "memory/physical/memory_map.h"

namespace duet::memory {

class Destinations {
 public:
  // All addresses, to their slices. `slices` outlives it.
  explicit Destinations(const SliceMap& slices) { places_[0].slices = &slices; }
  // By home, as send() says. `map` outlives it.
  explicit Destinations(const MemoryMap& map) : map_(&map) {}

  void send(Home home, const SliceMap& slices) { place_of(home) = {&slices, 0}; }
  void send(Home home, std::uint16_t number) { place_of(home) = {nullptr, number}; }

  std::uint16_t of(PhysicalAddress address) const {
    const Place& place =
        map_ == nullptr ? places_[0] : places_[static_cast<std::size_t>(map_->home_of(address))];
    if (place.slices != nullptr) return static_cast<std::uint16_t>(place.slices->slice_of(address));
    if (place.number == kNowhere) throw_unreached(address);
    return place.number;
  }

 private:
  static constexpr std::uint16_t kNowhere = 0xffff;
  struct Place {
    const SliceMap* slices = nullptr;
    std::uint16_t number = kNowhere;
  };
  Place& place_of(Home home) { return places_[static_cast<std::size_t>(home)]; }
  [[noreturn]] static void throw_unreached(PhysicalAddress address) {
    throw Error("physical address " + std::to_string(address.value()) + " is not reached from here");
  }

  const MemoryMap* map_ = nullptr;  // null: every address has the first place
  std::array<Place, kHomes> places_{};
};

}  // namespace duet::memory
