#include "report/pages/page.h"

#include <algorithm>
#include <fstream>
#include <functional>
#include <optional>
#include <ostream>
#include <streambuf>
#include <utility>

#include "base/error.h"
#include "base/file.h"

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

struct Found {
  const PagePlace* place;
  std::size_t at;  // behind its mark
};

// In their order in the template, which is read once.
std::vector<Found> find(const std::vector<PagePlace>& places, std::string_view html) {
  constexpr std::string_view kMark = "<script type=\"application/json\" id=\"", kEnd = "\">";
  const std::boyer_moore_horspool_searcher mark(kMark.begin(), kMark.end());
  std::vector<Found> found;
  for (auto at = html.begin(); (at = std::search(at, html.end(), mark)) != html.end();) {
    at += kMark.size();
    const std::string_view rest = html.substr(static_cast<std::size_t>(at - html.begin()));
    for (const PagePlace& place : places)
      if (rest.starts_with(place.id) && rest.substr(place.id.size()).starts_with(kEnd))
        found.push_back({&place, html.size() - rest.size() + place.id.size() + kEnd.size()});
  }
  for (const PagePlace& place : places)
    if (std::count_if(found.begin(), found.end(), [&](const Found& one) { return one.place == &place; }) != 1)
      throw Error("the template of this page has not one place " + std::string(kMark) + place.id +
                  std::string(kEnd) + ": build Duet again");
  return found;
}

}  // namespace

void fill_template(std::ostream& out, std::string_view html_template, const std::vector<PagePlace>& places) {
  Escaped escaped(out);
  std::ostream json(&escaped);
  std::size_t from = 0;
  for (const Found& one : find(places, html_template)) {
    out << html_template.substr(from, one.at - from);
    one.place->write(json);
    from = one.at;
  }
  out << html_template.substr(from);
}

std::string page_template(const std::string& path) {
  std::optional<std::string> text = read_file(path);
  if (!text)
    throw Error("no page can be made: " + path + " is missing from this installation: build it again");
  return std::move(*text);
}

void write_page(const std::string& path, std::string_view html_template, const std::string& json) {
  std::ofstream file(path, std::ios::binary);
  fill_template(file, html_template, {{"duet-page", [&](std::ostream& place) { place << json; }}});
  if (!file.flush()) throw Error("cannot write " + path);
}

}  // namespace duet::report
