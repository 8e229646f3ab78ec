#include "report/html_report.h"

#include <algorithm>
#include <ostream>
#include <sstream>
#include <string>

#include "base/error.h"
#include "report/json_writer.h"
#include "report/timeline.h"

namespace duet::report {

namespace {

// In JSON a '<' stands in strings alone; so written it ends no script and begins no comment.
void write_escaped(std::ostream& out, std::string_view json) {
  for (std::size_t at; (at = json.find('<')) != std::string_view::npos; json.remove_prefix(at + 1))
    out << json.substr(0, at) << "\\u003c";
  out << json;
}

struct Place {
  std::string mark;
  std::string json;
  std::size_t at = 0;  // behind its mark
};

void find(Place& place, std::string_view html) {
  const std::size_t at = html.find(place.mark);
  if (at == std::string_view::npos || html.find(place.mark, at + 1) != std::string_view::npos)
    throw Error("the template of report.html has not one place " + place.mark + ": build Duet again");
  place.at = at + place.mark.size();
}

Place place(const std::string& id, std::string json) {
  return {"<script type=\"application/json\" id=\"" + id + "\">", std::move(json)};
}

std::string stats_text(RunReport report) {
  report.records = std::min(report.records, kHtmlRecords);
  std::ostringstream text;
  write_stats_json(text, report);
  return std::move(text).str();
}

std::string timeline_text(const RunReport& report) {
  std::ostringstream text;
  write_timeline_json(text, report);
  return std::move(text).str();
}

std::string machine_text(const std::vector<MachineKey>& machine) {
  Json keys = Json::array();
  for (const MachineKey& key : machine)
    keys.push_back({key.key, key.text, key.unit, key.description, key.source});
  return keys.dump(-1, ' ', false, Json::error_handler_t::replace);
}

void write_page(std::ostream& out, std::string_view html_template, std::string stats, std::string timeline,
                const std::vector<MachineKey>& machine) {
  Place places[] = {place("duet-stats", std::move(stats)), place("duet-timeline", std::move(timeline)),
                    place("duet-machine", machine_text(machine))};
  for (Place& one : places) find(one, html_template);
  std::sort(std::begin(places), std::end(places), [](const Place& a, const Place& b) { return a.at < b.at; });
  std::size_t from = 0;
  for (const Place& one : places) {
    out << html_template.substr(from, one.at - from);
    write_escaped(out, one.json);
    from = one.at;
  }
  out << html_template.substr(from);
}

}  // namespace

void write_html_report(std::ostream& out, std::string_view html_template, const RunReport& report,
                       const std::vector<MachineKey>& machine) {
  write_page(out, html_template, stats_text(report), timeline_text(report), machine);
}

void write_html_report(std::ostream& out, std::string_view html_template, const HostReport& report,
                       const std::vector<MachineKey>& machine) {
  std::ostringstream stats;
  write_host_stats_json(stats, report);
  write_page(out, html_template, std::move(stats).str(), "", machine);
}

}  // namespace duet::report
