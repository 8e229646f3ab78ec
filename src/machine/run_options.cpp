#include "machine/run_options.h"

#include <nlohmann/json.hpp>

#include "base/error.h"
#include "machine/features.h"

namespace duet::machine {

namespace {

using Json = nlohmann::json;

Json value_of(const OptionField& field) {
  return std::visit(
      [](const auto& place) -> Json {
        if constexpr (requires { place.get(); })
          return place.get();
        else if constexpr (requires { place->has_value(); })
          return *place ? Json(**place) : Json();
        else
          return *place;
      },
      field.place);
}

void set_value(const OptionField& field, const Json& value) {
  std::visit(
      [&](const auto& place) {
        if constexpr (requires { place.get(); }) {
          if (const auto text = value.get<std::string>(); text != place.get()) place.set(text);
        } else if constexpr (requires { place->has_value(); }) {
          if (!value.is_null()) *place = value.get<bool>();
        } else {
          value.get_to(*place);
        }
      },
      field.place);
}

}  // namespace

std::vector<OptionField> RunOptions::own_fields() {
  return {
      {.key = "functional",
       .place = &functional,
       .word = "--functional",
       .text = "functional GPU: right results fast, and only a simple time per block"},
      {.key = "method",
       .place = &method,
       .word = "--method",
       .text = "memory of cudaMalloc, cudaHostAlloc, cudaMallocManaged and duetSharedAlloc is reached as "
               "that of this [[method]] of the machine; copies stay copies",
       .type_name = "NAME"},
      {.key = "registers_per_thread",
       .place = &registers_per_thread,
       .word = "--registers",
       .text = "registers per thread for occupancy, instead of what the compiler counts within launch "
               "bounds and .maxnreg; the machine's maximum still holds"},
      {.key = "shuffle_seed",
       .place = &shuffle_seed,
       .word = "--shuffle",
       .text = "shuffle the order of simultaneous events with this seed (results must not change)"},
      {.key = "two_threads",
       .place = &two_threads,
       .word = "--two-threads",
       .text = "debugging: components act on one of two threads, as the seed of --shuffle says (results "
               "must not change; slower)"},
      {.key = "max_cycles",
       .place = &limits.max_cycles,
       .word = "--max-cycles",
       .text = "end a process (status 124, results so far) when kernels have run for this many GPU core "
               "cycles of simulated time, from first block to completion, those that overlap counted "
               "once (totals.gpu_cycles of stats.json)",
       .above_zero = true},
      {.key = "peepholes",
       .place = one_of(assembler_peepholes, "on", "off"),
       .word = "--peepholes",
       .text = "what an assembler does to PTX: folding, fusion, copy propagation, dead code (off: execute "
               "it as it is written; results must not change)",
       .type_name = "on|off",
       .choices = {"on", "off"}},
      {.key = "clock_loops",
       .place = one_of(skip_clock_loops, "skip", "simulate"),
       .word = "--clock-loops",
       .text = "debugging: what kernels do that only wait for a clock (skip: not simulated cycle by "
               "cycle; simulate: it is; results must not change)",
       .type_name = "skip|simulate",
       .choices = {"skip", "simulate"}},
      {.key = "host_time",
       .place = one_of(host_time_real, "real", "none"),
       .word = "--host-time",
       .text = "what host code between calls costs: none, or its measured CPU time (real)",
       .type_name = "none|real",
       .choices = {"none", "real"}},
      {.key = "simulated_host", .place = &simulated_host},
      {.key = "ptx_name", .place = &ptx_name}};
}

std::string to_text(const RunOptions& options) {
  Json text;
  RunOptions copy = options;
  for (const OptionField& field : fields_of(copy))
    if (!field.key.empty()) text[field.key] = value_of(field);
  if (!options.limits.otherwise.empty()) text["otherwise"] = options.limits.otherwise;
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
    for (const OptionField& field : fields_of(options))
      if (!field.key.empty()) set_value(field, json.at(field.key));
    options.limits.otherwise = json.value("otherwise", "");
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
