#include "cli/reproduce_latencies.h"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

#include "base/error.h"

namespace duet::cli {

using Json = nlohmann::ordered_json;

namespace {

// One JSON object a line.
std::vector<Json> probe(Runner& runner, const std::string& title, const Job& job) {
  const Outcome& outcome = *runner.run(title, {job}).front();
  if (!outcome.right()) throw Error(fmt::format("the program {} failed: {}", job.source, outcome.error));
  std::vector<Json> lines;
  std::istringstream text(outcome.output);
  for (std::string line; std::getline(text, line);) lines.push_back(Json::parse(line));
  return lines;
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

// Slope from the two largest sizes; intercept is the median over all sizes of what the slope leaves.
void fit(const std::map<double, double>& time_ns_by_bytes, const std::string& name, Measurements& out) {
  const auto last = std::prev(time_ns_by_bytes.end()), before = std::prev(last);
  const double ns_per_byte = (last->second - before->second) / (last->first - before->first);
  std::vector<double> intercepts;
  for (const auto& [bytes, ns] : time_ns_by_bytes) intercepts.push_back(ns - bytes * ns_per_byte);
  out.values[name + "_rate"] = 1 / ns_per_byte;
  out.values[name + "_intercept"] = median(intercepts) / 1000;
}

}  // namespace

void measure_latencies(Runner& runner, const std::string& machine, const std::vector<std::string>& sets,
                       Measurements& out) {
  std::map<std::string, std::map<double, double>> times;
  for (const Json& line : probe(runner, "L-T2, latencies", {"probe/latency", {}, {}, machine, sets})) {
    const std::vector<double> samples = line.at("ns").get<std::vector<double>>();
    times[line.at("operation").get<std::string>()][line.at("bytes").get<double>()] = median(samples);
  }
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

void measure_driver_latency(Runner& runner, const std::string& machine, const std::vector<std::string>& sets,
                            double configured_us, Measurements& out) {
  const auto lines =
      probe(runner, "L-F9, driver latency", {"probe/fig9", {}, {"8", "1024", "65536"}, machine, sets});
  const double measured_us = lines.at(0).at("driver_ns").get<double>() / 1000;
  out.values["driver_latency_share"] = measured_us / configured_us;
  out.notes["driver_latency_share"] = fmt::format("{:.4g} us, set are {:.4g} us", measured_us, configured_us);
}

}  // namespace duet::cli
