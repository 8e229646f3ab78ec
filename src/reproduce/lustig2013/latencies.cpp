#include "reproduce/lustig2013/latencies.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <sstream>

#include "base/error.h"

namespace duet::reproduce {

using Json = nlohmann::ordered_json;

namespace {

Job job_of(const char* program, const Setup& setup, Strings arguments = {}) {
  arguments.insert(arguments.end(), setup.options.begin(), setup.options.end());
  return {std::string("probe/") + program, {}, std::move(arguments), setup.machine, setup.sets};
}

// One JSON object a line.
std::vector<Json> lines_of(const Outcome& outcome, const Job& job) {
  if (!outcome.right())
    throw Error(fmt::format("the program {} failed: {}", job.source, outcome.error_line()));
  std::vector<Json> lines;
  std::istringstream text(outcome.output);
  for (std::string line; std::getline(text, line);) lines.push_back(Json::parse(line));
  return lines;
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

// Slope from the two largest sizes; intercept is the median, over all sizes, of the rest beside the slope.
void fit(const std::map<double, double>& time_ns_by_bytes, const std::string& name, Measurements& out) {
  const auto last = std::prev(time_ns_by_bytes.end()), before = std::prev(last);
  const double ns_per_byte = (last->second - before->second) / (last->first - before->first);
  std::vector<double> intercepts;
  for (const auto& [bytes, ns] : time_ns_by_bytes) intercepts.push_back(ns - bytes * ns_per_byte);
  out.values[name + "_rate"] = 1 / ns_per_byte;
  out.values[name + "_intercept"] = median(intercepts) / 1000;
}

std::vector<Json> probe(Experiments& experiments, const std::string& title, const Job& job) {
  return lines_of(*experiments.runner().run(title, {job}).front(), job);
}

const Strings kCopySizes = {"4",     "64",     "1024",   "4096",    "16384",
                            "65536", "131072", "262144", "1048576", "4194304"};

// Nanoseconds by operation and bytes.
using Latencies = std::map<std::string, std::map<double, double>>;
Latencies latencies(Experiments& experiments, const std::string& title, const Setup& setup) {
  Latencies times;
  for (const Json& line : probe(experiments, title, job_of("latency", setup, kCopySizes)))
    times[line.at("operation").get<std::string>()][line.at("bytes").get<double>()] =
        median(line.at("ns").get<std::vector<double>>());
  return times;
}

// The time of kernels beside each other, us.
double kernels_together_us(const Outcome& outcome) {
  std::vector<std::pair<double, double>> kernels;
  for (const auto& kernel : outcome.statistics["kernels"])
    kernels.emplace_back(kernel["start_ps"].get<double>(), kernel["end_ps"].get<double>());
  std::sort(kernels.begin(), kernels.end());
  double together = 0, end = 0;
  for (const auto& [start, own_end] : kernels) {
    together += std::max(0.0, std::min(end, own_end) - start);
    end = std::max(end, own_end);
  }
  return together / 1e6;
}

}  // namespace

void measure_latencies(Experiments& experiments, const Setup& setup, Measurements& out) {
  Latencies times = latencies(experiments, "L-T2, latencies", setup);
  fit(times.at("memcpy_h2d"), "sync_h2d", out);
  fit(times.at("memcpy_d2h"), "sync_d2h", out);
  fit(times.at("memcpy_async_h2d_sync"), "async_h2d", out);
  out.values["async_call"] = times.at("memcpy_async_h2d_call").begin()->second / 1000;
  out.values["async_128k"] = times.at("memcpy_async_h2d_sync").at(131072) / 1000 - 1;
  out.values["launch_call"] = times.at("launch_call").at(0) / 1000;
  out.values["launch_driver"] = (times.at("launch_sync").at(0) - times.at("launch_call").at(0)) / 1000 - 1;
  out.values["stream_synchronize"] = times.at("stream_synchronize_idle").at(0) / 1000;
  out.values["device_synchronize"] = times.at("device_synchronize_idle").at(0) / 1000;
  for (const char* operation : {"memcpy_h2d", "memcpy_d2h", "memcpy_async_h2d_call", "memcpy_async_h2d_sync"})
    for (const auto& [bytes, ns] : times.at(operation))
      out.figures["10"][operation].push_back({{"bytes", bytes}, {"us", ns / 1000}});
}

void measure_figure_2(Experiments& experiments, const Setup& setup, Measurements& out) {
  const Latencies there = latencies(experiments, "L-F2, " + setup.machine, setup);
  const Latencies here = latencies(experiments, "L-F2", experiments.base());
  for (const char* operation : {"memcpy_h2d", "memcpy_d2h"})
    for (const auto& [bytes, ns] : here.at(operation))
      out.figures["2"][operation].push_back({{"bytes", bytes},
                                             {"discrete_us", ns / 1000},
                                             {"integrated_us", there.at(operation).at(bytes) / 1000}});
  const auto& [bytes, discrete_ns] = *here.at("memcpy_h2d").begin();
  const double integrated_ns = there.at("memcpy_h2d").at(bytes);
  out.values["small_copy_ratio"] = integrated_ns / discrete_ns;
  out.notes["small_copy_ratio"] =
      fmt::format("{} bytes: {:.2f} us and {:.2f} us", bytes, integrated_ns / 1000, discrete_ns / 1000);
}

// The lookups as they are; profiled, as the setup says; and with timers around the calls, as the setup says.
void measure_figure_8(Experiments& experiments, const Setup& setup, Measurements& out) {
  const Job plain = job_of("profile", experiments.base()), own = job_of("profile", setup),
            timed = job_of("profile", setup, {"--timers", "on"});
  const std::string counters = "driver.profiler.counters=true";
  Setup counting = setup;
  if (std::find(counting.sets.begin(), counting.sets.end(), counters) == counting.sets.end())
    counting.sets.push_back(counters);
  const Job counted = job_of("profile", counting, {"--timers", "on"});
  const auto outcomes = experiments.runner().run("L-F8, profiler", {plain, own, timed, counted});
  const auto total_us = [&](std::size_t i) {
    return lines_of(*outcomes[i], timed).back().at("total_ns").get<double>() / 1000;
  };
  out.values["stretch"] = total_us(1) / total_us(0);
  out.values["stretch_with_timers"] = total_us(2) / total_us(0);
  out.values["kernels_together"] = kernels_together_us(*outcomes[1]);
  out.notes["kernels_together"] = fmt::format("{:.1f} us as it is", kernels_together_us(*outcomes[0]));
  out.notes["stretch"] = fmt::format("{:.1f} us, as it is {:.1f} us", total_us(1), total_us(0));
  out.notes["stretch_with_timers"] =
      fmt::format("{:.1f} us, without timers {:.1f} us", total_us(2), total_us(0));
  const auto show = [&](const char* figure, const Outcome& outcome, const Job& job) {
    for (const Json& line : lines_of(outcome, job))
      if (line.contains("call"))
        out.figures[figure].push_back({{"call", line.at("call")},
                                       {"start_us", line.at("start_ns").get<double>() / 1000},
                                       {"end_us", line.at("end_ns").get<double>() / 1000}});
  };
  show("8", *outcomes[2], timed);
  show("8, counters", *outcomes[3], counted);
}

void measure_figure_9(Experiments& experiments, const Setup& setup, Measurements& out) {
  double least = std::numeric_limits<double>::infinity(), most = 0;
  for (const Json& line : probe(experiments, "L-F9, driver latency", job_of("fig9", setup))) {
    const double us = line.at("same_stream_ns").get<double>() / 1000;
    least = std::min(least, us);
    most = std::max(most, us);
    out.figures["9"].push_back({{"bytes", line.at("bytes")}, {"difference_us", us}});
  }
  out.values["least_difference"] = least;
  out.values["most_difference"] = most;
}

void measure_granule(Experiments& experiments, const Setup& setup, Measurements& out) {
  const double bytes = probe(experiments, "L-dram, granule", job_of("granule", setup))
                           .back()
                           .at("granule_bytes")
                           .get<double>();
  out.values["bits_share"] = 100 / (8 * bytes);
  out.notes["bits_share"] = fmt::format("{} bytes can be emptied on their own", bytes);
}

}  // namespace duet::reproduce
