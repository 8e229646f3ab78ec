// Table 2: what the processor does while programs write an array of 1 MB again and again.
#include <array>

#include "reproduce/dashti2017/figures.h"
#include "reproduce/dashti2017/jobs.h"

namespace duet::reproduce::dashti2017 {

void measure_table_2(Experiments& experiments, const Setup& setup, Measurements& out) {
  // What a longer run has more than a short one is that of the launches: start-up and compilation are in
  // both.
  constexpr std::array<const char*, 2> kLaunches = {"4", "12"};
  std::vector<Job> jobs;
  for (const char* framework : kFrameworks)
    for (const char* launches : kLaunches)
      jobs.push_back(framework_job_of(experiments, setup, "kaveri/bandwidth", framework,
                                      {"--bytes", "1048576", "--launches", launches}));
  const auto outcomes = experiments.runner().run("D-T2", jobs);
  const std::string otherwise = why_without_time(outcomes);
  struct Rates {
    std::optional<double> loads, interrupts;
  };
  std::array<Rates, kFrameworks.size()> all;
  for (std::size_t i = 0; i < kFrameworks.size(); ++i) {
    const Outcome &few = *outcomes[2 * i], &many = *outcomes[2 * i + 1];
    const auto before = printed_us(few, "all"), after = printed_us(many, "all");
    const auto a_second = [&](const char* counter) -> std::optional<double> {
      if (!before || !after || *after <= *before) return std::nullopt;
      return (many.counter(counter) - few.counter(counter)) / (*after - *before) * 1e6;
    };
    all[i] = {a_second("core.loads"), a_second("driver.interrupts")};
    out.figures["table 2"].push_back(
        {{"method", kFrameworks[i]}, {"loads_per_s", nullptr}, {"interrupts_per_s", nullptr}});
    if (all[i].loads) out.figures["table 2"].back()["loads_per_s"] = *all[i].loads;
    if (all[i].interrupts) out.figures["table 2"].back()["interrupts_per_s"] = *all[i].interrupts;
  }
  const auto& [cl, svm, hsa] = all;
  out.keep("loads_svm_over_hsa", ratio(svm.loads, hsa.loads), otherwise);
  out.keep("loads_hsa_over_cl", ratio(hsa.loads, cl.loads), otherwise);
  out.keep("interrupts_svm_over_cl", ratio(svm.interrupts, cl.interrupts), otherwise);
  out.keep("interrupts_hsa_over_svm", ratio(hsa.interrupts, svm.interrupts), otherwise);
}

}  // namespace duet::reproduce::dashti2017
