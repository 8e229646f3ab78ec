// A run of one of the paper's programs, as its figures make them.
#pragma once

#include <array>
#include <optional>
#include <string>

#include "reproduce/experiments.h"

namespace duet::reproduce::dashti2017 {

// On the values of all choices but the setup's.
Job job_of(Experiments& experiments, const Setup& setup, const char* program, const std::string& method,
           Strings arguments);

std::optional<double> ratio(std::optional<double> of, std::optional<double> to);

// Of Figures 11 to 14 and Table 2: methods of those programs.
inline constexpr std::array<const char*, 3> kFrameworks = {"cl-1.2", "svm-fine", "hsa-fine"};

// As job_of(), of a program of OpenCL or HSA in workloads/dashti2017/kaveri.
Job framework_job_of(Experiments& experiments, const Setup& setup, const char* program,
                     const std::string& method, Strings arguments);
// A time that such a program printed; nothing when it failed.
std::optional<double> printed_us(const Outcome& outcome, const char* what);
// Of runs without a time: what the first failed one said.
std::string why_without_time(const std::vector<const Outcome*>& outcomes);

}  // namespace duet::reproduce::dashti2017
