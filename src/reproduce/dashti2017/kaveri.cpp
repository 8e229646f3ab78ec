// Figures 11 to 14: what unified addresses and coherence cost the GPU of an APU, in three frameworks.
#include <array>
#include <map>

#include "reproduce/dashti2017/figures.h"
#include "reproduce/dashti2017/jobs.h"

namespace duet::reproduce::dashti2017 {

namespace {

std::string text(std::uint64_t value) { return std::to_string(value); }

}  // namespace

void measure_figure_11(Experiments& experiments, const Setup& setup, Measurements& out) {
  constexpr std::uint64_t kSmall = 262144;
  const std::uint64_t large = experiments.options().quick ? 8388608 : 67108864;
  struct Point {
    std::string method;
    std::uint64_t bytes;
  };
  std::vector<Point> points;
  std::vector<Job> jobs;
  for (const std::uint64_t bytes : {std::uint64_t{65536}, kSmall, std::uint64_t{1048576}, large})
    for (const char* method : kFrameworks) {
      points.push_back({method, bytes});
      jobs.push_back(framework_job_of(experiments, setup, "kaveri/bandwidth", method,
                                      {"--bytes", text(bytes), "--launches", bytes == large ? "2" : "6"}));
    }
  const auto outcomes = experiments.runner().run("D-F11", jobs);
  std::map<std::string, std::map<std::uint64_t, double>> rates;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const auto us = printed_us(*outcomes[i], "launch");
    out.figures["11"].push_back(
        {{"method", points[i].method}, {"bytes", points[i].bytes}, {"gb_per_s", nullptr}});
    if (!us) continue;
    const double rate = static_cast<double>(points[i].bytes) / *us / 1000;
    rates[points[i].method][points[i].bytes] = rate;
    out.figures["11"].back()["gb_per_s"] = rate;
  }
  const auto rate = [&](const char* method, std::uint64_t bytes) -> std::optional<double> {
    const auto found = rates[method].find(bytes);
    return found == rates[method].end() ? std::nullopt : std::optional(found->second);
  };
  const std::string otherwise = why_without_time(outcomes);
  out.keep("hsa_share", ratio(rate("hsa-fine", large), rate("cl-1.2", large)), otherwise);
  out.keep("svm_share", ratio(rate("svm-fine", large), rate("cl-1.2", large)), otherwise);
  // Of the small sizes, the slowest over the fastest, and HSA over the slower one of the others.
  std::optional<double> spread, behind;
  for (const std::uint64_t bytes : {std::uint64_t{65536}, kSmall}) {
    const auto cl = rate("cl-1.2", bytes), svm = rate("svm-fine", bytes), hsa = rate("hsa-fine", bytes);
    if (!cl || !svm || !hsa) {
      spread = behind = std::nullopt;
      break;
    }
    spread = std::min(spread.value_or(1), std::min({*cl, *svm, *hsa}) / std::max({*cl, *svm, *hsa}));
    behind = std::max(behind.value_or(0), *hsa / std::min(*cl, *svm));
  }
  out.keep("small_spread", spread, otherwise);
  out.keep("small_hsa_behind", behind, otherwise);
}

void measure_figure_12(Experiments& experiments, const Setup& setup, Measurements& out) {
  constexpr std::array<unsigned, 3> kThreads = {64, 1024, 16384};
  std::vector<Job> jobs;
  for (const unsigned threads : kThreads)
    for (const char* method : {"hsa-coarse", "hsa-fine"})
      jobs.push_back(framework_job_of(experiments, setup, "kaveri/bandwidth", method,
                                      {"--threads", text(threads), "--group", "64", "--launches", "6"}));
  const auto outcomes = experiments.runner().run("D-F12", jobs);
  std::vector<std::optional<double>> overheads;
  for (std::size_t i = 0; i < kThreads.size(); ++i) {
    const auto coarse = printed_us(*outcomes[2 * i], "kernel"),
               fine = printed_us(*outcomes[2 * i + 1], "kernel");
    for (const auto& [method, us] : {std::pair("hsa-coarse", coarse), std::pair("hsa-fine", fine)}) {
      out.figures["12"].push_back({{"method", method}, {"threads", kThreads[i]}, {"us", nullptr}});
      if (us) out.figures["12"].back()["us"] = *us;
    }
    overheads.push_back(ratio(fine, coarse));
  }
  const std::string otherwise = why_without_time(outcomes);
  out.keep("few", overheads.front(), otherwise);
  out.keep("many", overheads.back(), otherwise);
  out.keep("growth", ratio(overheads.back(), overheads.front()), otherwise);
}

void measure_figure_13(Experiments& experiments, const Setup& setup, Measurements& out) {
  const std::uint64_t bytes = experiments.options().quick ? 4194304 : 67108864;
  constexpr std::array<unsigned, 4> kEntries = {8, 16, 32, 64};
  struct Point {
    std::string method;
    unsigned every, entry;
  };
  std::vector<Point> points;
  std::vector<Job> jobs;
  for (const unsigned every : {1u, 2u})
    for (const unsigned entry : kEntries)
      for (const char* method : kFrameworks) {
        points.push_back({method, every, entry});
        jobs.push_back(framework_job_of(
            experiments, setup, "kaveri/lines", method,
            {"--bytes", text(bytes), "--entry", text(entry), "--every", text(every), "--launches", "1"}));
      }
  const auto outcomes = experiments.runner().run("D-F13", jobs);
  std::map<std::string, std::optional<double>> times;
  const auto name = [](const std::string& method, unsigned every, unsigned entry) {
    return method + " " + text(every) + " " + text(entry);
  };
  for (std::size_t i = 0; i < points.size(); ++i) {
    const Point& point = points[i];
    const auto us = printed_us(*outcomes[i], "kernel");
    times[name(point.method, point.every, point.entry)] = us;
    out.figures["13"].push_back(
        {{"method", point.method}, {"every", point.every}, {"entry_bytes", point.entry}, {"us", nullptr}});
    if (us) out.figures["13"].back()["us"] = *us;
  }
  const std::string otherwise = why_without_time(outcomes);
  const auto over = [&](const char* method, unsigned every, unsigned entry, const char* to, unsigned to_every,
                        unsigned to_entry) {
    return ratio(times[name(method, every, entry)], times[name(to, to_every, to_entry)]);
  };
  // Of each entry of the array. Padded ones are fewer.
  const auto a_thread = [](std::optional<double> ratio, double entries) {
    return ratio ? std::optional(*ratio * entries) : ratio;
  };
  out.keep("svm_32_over_8", a_thread(over("svm-fine", 1, 32, "svm-fine", 1, 8), 4), otherwise);
  out.keep("hsa_32_over_8", a_thread(over("hsa-fine", 1, 32, "hsa-fine", 1, 8), 4), otherwise);
  out.keep("svm_holes", over("svm-fine", 2, 8, "cl-1.2", 2, 8), otherwise);
  out.keep("svm_over_hsa_holes", over("svm-fine", 2, 8, "hsa-fine", 2, 8), otherwise);
  out.keep("svm_slowdown_16_over_64",
           ratio(over("svm-fine", 1, 16, "cl-1.2", 1, 16), over("svm-fine", 1, 64, "cl-1.2", 1, 64)),
           otherwise);
  out.keep("hsa_over_svm_64", over("hsa-fine", 1, 64, "svm-fine", 1, 64), otherwise);
}

}  // namespace duet::reproduce::dashti2017
