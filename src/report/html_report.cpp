#include "report/html_report.h"

#include <algorithm>
#include <functional>
#include <ostream>
#include <streambuf>
#include <string>

#include "base/error.h"
#include "report/json_writer.h"
#include "report/timeline.h"

namespace duet::report {

namespace {

// In JSON a '<' stands in strings alone; written as it is here it ends no script and begins no comment.
class Escaped : public std::streambuf {
 public:
  explicit Escaped(std::ostream& out) : out_(out) {}

 protected:
  int_type overflow(int_type c) override {
    const char one = traits_type::to_char_type(c);
    xsputn(&one, 1);
    return c;
  }
  std::streamsize xsputn(const char* text, std::streamsize size) override {
    std::string_view rest(text, static_cast<std::size_t>(size));
    for (std::size_t at; (at = rest.find('<')) != std::string_view::npos; rest.remove_prefix(at + 1))
      out_ << rest.substr(0, at) << "\\u003c";
    out_ << rest;
    return size;
  }

 private:
  std::ostream& out_;
};

struct Place {
  std::string mark;
  std::function<void(std::ostream&)> write;  // its JSON
  std::size_t at = 0;                        // behind its mark
};

void find(Place& place, std::string_view html) {
  const std::size_t at = html.find(place.mark);
  if (at == std::string_view::npos || html.find(place.mark, at + 1) != std::string_view::npos)
    throw Error("the template of report.html has not one place " + place.mark + ": build Duet again");
  place.at = at + place.mark.size();
}

Place place(const std::string& id, std::function<void(std::ostream&)> write) {
  return {"<script type=\"application/json\" id=\"" + id + "\">", std::move(write)};
}

std::string machine_text(const std::vector<MachineKey>& machine) {
  Json keys = Json::array();
  for (const MachineKey& key : machine)
    keys.push_back({key.key, key.text, key.unit, key.description, key.source});
  return keys.dump(-1, ' ', false, Json::error_handler_t::replace);
}

void write_page(std::ostream& out, std::string_view html_template, std::function<void(std::ostream&)> stats,
                std::function<void(std::ostream&)> timeline, const std::vector<MachineKey>& machine) {
  Place places[] = {place("duet-stats", std::move(stats)), place("duet-timeline", std::move(timeline)),
                    place("duet-machine", [&](std::ostream& json) { json << machine_text(machine); })};
  for (Place& one : places) find(one, html_template);
  std::sort(std::begin(places), std::end(places), [](const Place& a, const Place& b) { return a.at < b.at; });
  Escaped escaped(out);
  std::ostream json(&escaped);
  std::size_t from = 0;
  for (const Place& one : places) {
    out << html_template.substr(from, one.at - from);
    one.write(json);
    from = one.at;
  }
  out << html_template.substr(from);
}

}  // namespace

void write_html_report(std::ostream& out, std::string_view html_template, const RunReport& report,
                       const std::vector<MachineKey>& machine) {
  RunReport held = report;
  held.records = std::min(report.records, kHtmlRecords);
  write_page(
      out, html_template, [&](std::ostream& json) { write_stats_json(json, held); },
      [&](std::ostream& json) { write_timeline_json(json, report); }, machine);
}

void write_html_report(std::ostream& out, std::string_view html_template, const HostReport& report,
                       const std::vector<MachineKey>& machine) {
  write_page(
      out, html_template, [&](std::ostream& json) { write_host_stats_json(json, report); },
      [](std::ostream&) {}, machine);
}

}  // namespace duet::report
