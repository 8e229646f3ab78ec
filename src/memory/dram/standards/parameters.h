// The vocabulary of the standards' tables: one parameter each of config::DramTiming, and the cycles of a
// burst.
#pragma once

#include "memory/dram/standards.h"

namespace duet::memory::standards {

using enum DramCommand;
using enum TimingScope;

constexpr TimingSum parameter(std::uint64_t config::DramTiming::*which) {
  TimingSum sum;
  for (std::size_t i = 0; i < kTimingParameters.size(); ++i)
    if (kTimingParameters[i] == which) sum.times[i] = 1;
  return sum;
}
constexpr TimingSum burst_time() {
  TimingSum sum;
  sum.times.back() = 1;
  return sum;
}

using Timing = config::DramTiming;
inline constexpr TimingSum rcd = parameter(&Timing::rcd), rp = parameter(&Timing::rp),
                           ras = parameter(&Timing::ras), rc = parameter(&Timing::rc),
                           rrd = parameter(&Timing::rrd), rrd_l = parameter(&Timing::rrd_l),
                           faw = parameter(&Timing::faw), aw32 = parameter(&Timing::aw32),
                           cl = parameter(&Timing::cl), wl = parameter(&Timing::wl),
                           ccd = parameter(&Timing::ccd), ccd_l = parameter(&Timing::ccd_l),
                           wtr = parameter(&Timing::wtr), wtr_l = parameter(&Timing::wtr_l),
                           wr = parameter(&Timing::wr), rtp = parameter(&Timing::rtp),
                           rtw = parameter(&Timing::rtw), rtrs = parameter(&Timing::rtrs),
                           rfc = parameter(&Timing::rfc), rfc_pb = parameter(&Timing::rfc_pb),
                           rrefd = parameter(&Timing::rrefd), burst = burst_time();

}  // namespace duet::memory::standards
