// Pages with all their data. A template (report/ at the top of the repository, bundled when Duet is built)
// has places for JSON texts:
//
//   <script type="application/json" id="duet-page"></script>
//
//   const std::string html = page_template(installation.page_template);    // before the work of minutes
//   write_page("sort.html", html, R"({"kind": "sweep", ...})");
//
// report.html of a run has places of its own (html_report.h).
#pragma once

#include <functional>
#include <iosfwd>
#include <string>
#include <string_view>
#include <vector>

namespace duet::report {

struct PagePlace {
  std::string id;
  std::function<void(std::ostream&)> write;  // its JSON
};

// Throws duet::Error where the template has not exactly one place for each JSON text.
void fill_template(std::ostream& out, std::string_view html_template, const std::vector<PagePlace>& places);

// The template of all pages but report.html. Throws duet::Error where it is missing.
std::string page_template(const std::string& path);
// `json` has a member `kind`, the kind of page to draw. Throws duet::Error where the file cannot be written.
void write_page(const std::string& path, std::string_view html_template, const std::string& json);

}  // namespace duet::report
