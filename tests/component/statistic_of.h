// A statistic by its name, of all components: statistic_of(process.system().statistics(), "l3.read_hits").
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <string>

#include "sim/statistics.h"

namespace duet::test {

inline std::uint64_t statistic_of(sim::Statistics& statistics, const std::string& name) {
  const auto values = statistics.totals(false);
  for (std::size_t i = 0; i < statistics.declared().size(); ++i)
    if (statistics.declared()[i].name == name) return values[i];
  ADD_FAILURE() << "no statistic " << name;
  return 0;
}

}  // namespace duet::test
