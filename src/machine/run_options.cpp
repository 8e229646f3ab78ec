#include "machine/run_options.h"

#include <nlohmann/json.hpp>

#include "base/error.h"

namespace duet::machine {

namespace {

using Json = nlohmann::json;

// Each field once: `f(name, field)`.
template <typename Options, typename F>
void for_each_field(Options& options, F f) {
  f("functional", options.functional);
  f("predict", options.predict);
  f("sampled", options.sampled);
  f("check_races", options.check_races);
  f("strict_memory", options.strict_memory);
  f("trace_push_buffer", options.trace_push_buffer);
  f("events", options.events);
  f("trace_detail", options.trace_detail);
  f("explain", options.explain);
  f("trace_all_calls", options.trace_all_calls);
  f("interval_ps", options.interval_ps);
  f("interval_cycles", options.interval_cycles);
  f("host_time_real", options.host_time_real);
  f("assembler_peepholes", options.assembler_peepholes);
  f("lines", options.lines);
  f("skip_clock_loops", options.skip_clock_loops);
  f("registers_per_thread", options.registers_per_thread);
  f("shuffle_seed", options.shuffle_seed);
  f("two_threads", options.two_threads);
  f("simulated_host", options.simulated_host);
  f("ptx_name", options.ptx_name);
  f("max_cycles", options.limits.max_cycles);
  f("cpu_blocks", options.cpu_blocks);
  f("skip_kernels", options.fast_forward.skip);
  f("kernels", options.fast_forward.kernels);
  f("count_kernels", options.fast_forward.count);
  f("sample", options.sample);
  f("sample_error_percent", options.sample_error_percent);
  f("preexec_unroll_factor", options.preexecution.unroll_factor);
  f("preexec_kernel_loop_unroll", options.preexecution.kernel_loop_unroll);
  f("preexec_batch_size", options.preexecution.batch_size);
  f("preexec_skip_factor", options.preexecution.skip_factor);
  f("preexec_threshold", options.preexecution.threshold);
  f("preexec_lowering", options.preexecution.lowering);
  f("preexec_data_guards", options.preexecution.data_guards);
  f("preexec_thread_ids", options.preexecution.thread_ids);
  f("preexec_blocks", options.preexecution.blocks);
  f("preexec_private_caches", options.preexecution.private_caches);
  f("preexec_profile", options.preexecution.profile);
}

}  // namespace

std::string to_text(const RunOptions& options) {
  Json text;
  for_each_field(options, [&](const char* name, const auto& field) { text[name] = field; });
  text["check"] = check::text_of(options.check);
  text["preexec"] = name_of(options.preexecution.mode);
  if (options.limits.wall_time) {
    const std::chrono::nanoseconds end = options.limits.wall_time->end.time_since_epoch();
    // All processes share the clock.
    text["wall_time"] = {{"end_ns", end.count()}, {"seconds", options.limits.wall_time->seconds}};
  }
  return text.dump(1) + "\n";
}

RunOptions run_options_of(const std::string& text) {
  RunOptions options;
  try {
    const Json json = Json::parse(text);
    for_each_field(options, [&](const char* name, auto& field) { json.at(name).get_to(field); });
    if (const auto words = json.at("check").get<std::string>(); !words.empty())
      options.check = check::checks_of(words);
    options.preexecution.mode = preexecution_mode(json.at("preexec").get<std::string>());
    if (const auto wall_time = json.find("wall_time"); wall_time != json.end())
      options.limits.wall_time = {
          std::chrono::steady_clock::time_point(std::chrono::nanoseconds(wall_time->at("end_ns"))),
          wall_time->at("seconds")};
  } catch (const Json::exception& error) {
    throw Error(std::string("the options of this run cannot be read: ") + error.what());
  }
  return options;
}

}  // namespace duet::machine
