// Figure 18: the gains of the nine benchmarks when the core executes thread blocks of their kernels too.
#include <fmt/format.h>

#include <algorithm>

#include "reproduce/yang2012/figures.h"
#include "reproduce/yang2012/grid.h"

namespace duet::reproduce::yang2012 {

using Json = nlohmann::ordered_json;

namespace {
constexpr double kLittle = 2;  // percent: section 5.5, "less than 2%"
}

void measure_figure_18(Experiments& experiments, const Setup& setup, Measurements& out) {
  const Points off = run(experiments, "Y-F18, the GPU alone", kOff, setup),
               on = run(experiments, "Y-F18, blocks on the core", kBlocks, setup);
  const std::string why = failed({&off, &on});
  std::optional<double> little, most_of_others;
  std::string note;
  for (const Benchmark& one : benchmarks()) {
    const Point& point = on.at(one.name);
    const auto own = gain(point, off.at(one.name));
    out.figures["18"][one.name] = {{"gain_percent", own ? Json(*own) : Json()},
                                   {"blocks", point.blocks},
                                   {"blocks_of_core", point.blocks_of_core},
                                   {"core_instructions", point.processor_instructions}};
    if (!point.gpu_alone.empty()) out.figures["18"][one.name]["gpu_alone"] = point.gpu_alone;
    if (!own) continue;
    note += fmt::format("{}{} {:.2f}", note.empty() ? "" : ", ", one.name, *own);
    little = little.value_or(0) + (*own < kLittle ? 1 : 0);
    if (std::string(one.name) != "VD") most_of_others = std::max(most_of_others.value_or(*own), *own);
  }
  const auto of_vecadd = gain(on.at("VD"), off.at("VD"));
  out.keep("little", why.empty() ? little : std::nullopt, why);
  out.keep("vecadd", of_vecadd, why);
  out.keep(
      "vecadd_lead",
      why.empty() && of_vecadd && most_of_others ? std::optional(*of_vecadd - *most_of_others) : std::nullopt,
      why);
  out.notes["little"] = "gains in %: " + note;
}

}  // namespace duet::reproduce::yang2012
