#include "report/json/sarif_json.h"

#include <ostream>
#include <regex>
#include <set>

#include "report/json/json_writer.h"

namespace duet::report {

namespace {

struct SarifLine {
  std::string file;
  int line = 0;
  std::string fact;
};

// Of source files, not of PTX.
std::vector<SarifLine> sarif_lines(const CheckFinding& finding) {
  static const std::regex kLine(R"(([^\s,()]+\.(?:cu|cuh|h|hpp|hh|c|cc|cpp|cxx|inl)):(\d+))");
  std::vector<SarifLine> lines;
  for (const std::string& fact : finding.facts)
    if (std::smatch match; std::regex_search(fact, match, kLine))
      lines.push_back({match[1], std::stoi(match[2]), fact});
  return lines;
}

Json sarif_location(const SarifLine& line) {
  const bool absolute = line.file.starts_with("/");
  return {{"physicalLocation",
           {{"artifactLocation", {{"uri", (absolute ? "file://" : "") + line.file}}},
            {"region", {{"startLine", line.line}}}}},
          {"message", {{"text", line.fact}}}};
}

Json sarif_result(const CheckFinding& finding) {
  std::string text = finding.text;
  for (const std::string& fact : finding.facts) text += "\n" + fact;
  Json result = {{"ruleId", finding.kind},
                 {"level", finding.check == "leaks" || finding.check == "api" ? "warning" : "error"},
                 {"message", {{"text", text}}},
                 {"occurrenceCount", finding.count}};
  const std::vector<SarifLine> lines = sarif_lines(finding);
  if (!lines.empty()) result["locations"] = Json::array({sarif_location(lines.front())});
  for (std::size_t i = 1; i < lines.size(); ++i)
    result["relatedLocations"].push_back(sarif_location(lines[i]));
  return result;
}

Json sarif_run(const SarifRuns::Run& run) {
  Json rules = Json::array(), results = Json::array();
  std::set<std::string> known;
  for (const CheckFinding& finding : run.findings) {
    if (known.insert(finding.kind).second)
      rules.push_back({{"id", finding.kind}, {"properties", {{"check", finding.check}}}});
    results.push_back(sarif_result(finding));
  }
  return {{"tool", {{"driver", {{"name", "duet"}, {"rules", rules}}}}},
          {"invocations", Json::array({{{"commandLine", run.command}, {"executionSuccessful", true}}})},
          {"results", results}};
}

}  // namespace

void write_sarif(std::ostream& out, const SarifRuns& runs) {
  Json all = Json::array();
  for (const SarifRuns::Run& run : runs.runs) all.push_back(sarif_run(run));
  const Json log = {
      {"$schema", "https://json.schemastore.org/sarif-2.1.0.json"}, {"version", "2.1.0"}, {"runs", all}};
  out << log.dump(1, ' ', false, Json::error_handler_t::replace) << "\n";
}

}  // namespace duet::report
