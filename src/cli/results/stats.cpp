// `duet stats describe`, `duet stats csv FOLDER LIST`.
#include <fmt/format.h>

#include <cstdio>

#include "base/error.h"
#include "base/file.h"
#include "cli/commands.h"
#include "cli/options/json_output.h"
#include "report/json/stats_text.h"

namespace duet::cli {

int describe_statistics(const config::Installation& installation, const StatsOptions& options) {
  const std::string path =
      fmt::format("{}/share/duet/schema/duet.{}.1.json", installation.prefix, options.schema);
  const auto text = read_file(path);
  if (!text)
    throw Error(
        fmt::format("stats: no schema '{}': known are stats, host_stats, comparison, advice, run, "
                    "explanation, prediction, "
                    "sweep, model, model_replay",
                    options.schema));
  const JsonOutput output(options.json, JsonOutput::Rest::Nowhere);
  const report::NamedText schema{"schema " + options.schema, *text};
  output.write(report::described_json(schema, options.list));
  std::fputs(report::described(schema, options.list).c_str(), stdout);
  return 0;
}

int print_csv(const StatsOptions& options) {
  const std::string path = options.folder + "/stats.json";
  const auto text = read_file(path);
  if (!text) throw Error(fmt::format("stats: {} cannot be read: no run has ended there", path));
  const std::string csv = report::csv_of({path, *text}, options.list);
  const JsonOutput output(options.json, JsonOutput::Rest::Nowhere);
  output.write(report::rows_json({path, *text}, options.list));
  std::fwrite(csv.data(), 1, csv.size(), stdout);
  return 0;
}

}  // namespace duet::cli
