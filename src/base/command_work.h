// What a command of the driver does, as its task events tell it (sim::Event::argument, report::EventRecord):
// hu2016's kinds of scripts, §2.4.
#pragma once

#include <cstdint>

namespace duet {

enum class CommandWork : std::uint8_t { Schedules, Computes, Moves };

inline constexpr bool is_work(std::uint64_t argument) {
  return argument != static_cast<std::uint64_t>(CommandWork::Schedules);
}

}  // namespace duet
