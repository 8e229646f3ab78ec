#include "report/json/stats_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <vector>

#include "base/csv.h"
#include "base/error.h"
#include "base/readable_name.h"

namespace duet::report {

namespace {

using Json = nlohmann::ordered_json;

Json parsed(const NamedText& file) {
  Json json = Json::parse(file.text, nullptr, false);
  if (!json.is_object()) throw Error(fmt::format("{} is no JSON object", file.name));
  return json;
}

struct Field {
  std::string place, unit, text;
};

// Walks a schema: references, members, elements, values under names not known before.
class Fields {
 public:
  explicit Fields(const Json& schema) : schema_(schema) { add("", schema); }
  const std::vector<Field>& all() const { return fields_; }

 private:
  void add(const std::string& place, const Json& said) {
    const bool refers = said.contains("$ref");
    const Json& what =
        refers ? schema_.at("$defs").at(said.at("$ref").get<std::string>().substr(8)) : said;  // "#/$defs/"
    const std::string text = said.value("description", what.value("description", ""));
    if (!place.empty()) fields_.push_back({place, what.value("x-unit", ""), text});
    if (what.contains("properties"))
      for (const auto& [name, member] : what.at("properties").items())
        add(place.empty() ? name : place + "." + name, member);
    if (what.contains("items") && goes_on(what.at("items"))) add_below(place + "[]", what.at("items"));
    if (what.contains("additionalProperties") && what.at("additionalProperties").is_object() &&
        goes_on(what.at("additionalProperties")))
      add_below(place + ".NAME", what.at("additionalProperties"));
    if (what.contains("oneOf"))
      for (const Json& one : what.at("oneOf")) add_below(place, one);
  }
  // Whether it has members of its own.
  static bool goes_on(const Json& said) {
    return said.contains("$ref") || said.contains("properties") || said.contains("oneOf");
  }
  void add_below(const std::string& place, const Json& said) {
    const std::size_t first = fields_.size();
    add(place, said);
    // The element itself adds nothing to its list.
    if (fields_.size() > first && fields_[first].place == place)
      fields_.erase(fields_.begin() + static_cast<std::ptrdiff_t>(first));
  }

  const Json& schema_;
  std::vector<Field> fields_;
};

std::string cell(const Json& value) {
  if (value.is_null()) return {};
  if (value.is_string()) return value.get<std::string>();
  if (!value.is_array()) return value.dump();
  std::string text;
  for (const Json& one : value) text += (text.empty() ? "" : " ") + cell(one);
  return text;
}

// Members of members, by column.
void flatten(const std::string& before, const Json& object,
             std::vector<std::pair<std::string, std::string>>& to) {
  for (const auto& [name, value] : object.items()) {
    if (value.is_object())
      flatten(before + name + ".", value, to);
    else
      to.emplace_back(before + name, cell(value));
  }
}

// Where the elements of a list have a list of this name, an element of the inner list is a row, beside the
// other members of the outer element.
Json rows_of(const Json& list, const std::string& name) {
  Json rows = Json::array();
  for (const Json& element : list) {
    if (!element.is_object() || !element.contains(name)) return list;
    Json beside = element;
    beside.erase(name);
    for (const Json& inner : element.at(name)) {
      Json& row = rows.emplace_back(beside);
      for (const auto& [key, value] : inner.items()) row[key] = value;
    }
  }
  return rows;
}

// Kernels by the names that a programmer wrote; what the compiler made of them is the last column, `symbol`.
Json with_readable_names(Json rows) {
  for (Json& row : rows) {
    if (!row.is_object()) continue;
    for (const char* const key : {"name", "kernel"}) {
      if (!row.contains(key) || !row.at(key).is_string()) continue;
      const std::string symbol = row.at(key), name = readable_name(symbol);
      if (name == symbol) continue;
      row[key] = name;
      row["symbol"] = symbol;
    }
  }
  return rows;
}

std::string table(const Json& list) {
  std::vector<std::string> columns;
  std::map<std::string, std::size_t> numbers;
  std::vector<std::vector<std::string>> rows;
  for (const Json& element : list) {
    std::vector<std::pair<std::string, std::string>> cells;
    if (element.is_object())
      flatten("", element, cells);
    else
      cells.emplace_back("value", cell(element));
    std::vector<std::string>& row = rows.emplace_back();
    for (const auto& [column, text] : cells) {
      const auto [place, is_new] = numbers.try_emplace(column, columns.size());
      if (is_new) columns.push_back(column);
      if (row.size() <= place->second) row.resize(place->second + 1);
      row[place->second] = text;
    }
  }
  std::string out = csv_line(columns);
  for (std::vector<std::string>& row : rows) {
    row.resize(columns.size());
    out += csv_line(row);
  }
  return out;
}

}  // namespace

namespace {

std::vector<Field> fields_within(const NamedText& schema, const std::string& within) {
  const Json json = parsed(schema);
  std::vector<Field> fields;
  const Fields all(json);
  for (const Field& field : all.all()) {
    const std::string_view rest =
        std::string_view(field.place).substr(std::min(within.size(), field.place.size()));
    if (within.empty() ||
        (field.place.starts_with(within) && (rest.empty() || rest[0] == '.' || rest[0] == '[')))
      fields.push_back(field);
  }
  if (fields.empty()) throw Error(fmt::format("{} has no field '{}'", schema.name, within));
  return fields;
}

const Json& list_of(const Json& json, const NamedText& statistics, const std::string& list) {
  const auto found = json.find(list);
  if (found != json.end() && (found->is_array() || found->is_object())) return *found;
  std::string known;
  for (const auto& [name, value] : json.items())
    if (value.is_array() || value.is_object()) known += (known.empty() ? "" : ", ") + name;
  throw Error(fmt::format("{} has no list '{}': it has {}", statistics.name, list, known));
}

}  // namespace

std::string described_json(const NamedText& schema, const std::string& within) {
  Json list = Json::array();
  for (const Field& field : fields_within(schema, within))
    list.push_back({{"field", field.place}, {"unit", field.unit}, {"description", field.text}});
  return list.dump(1, ' ', false, Json::error_handler_t::replace);
}

std::string described(const NamedText& schema, const std::string& within) {
  const std::vector<Field> fields = fields_within(schema, within);
  std::size_t places = 0, units = 0;
  for (const Field& field : fields) {
    places = std::max(places, field.place.size());
    units = std::max(units, field.unit.size());
  }
  std::string out;
  for (const Field& field : fields)
    out += fmt::format("{:<{}}  {:<{}}  {}\n", field.place, places, field.unit, units, field.text);
  return out;
}

std::string rows_json(const NamedText& statistics, const std::string& list) {
  const Json json = parsed(statistics);
  const Json& found = list_of(json, statistics, list);
  const Json rows = found.is_array() ? with_readable_names(rows_of(found, list)) : found;
  return rows.dump(1, ' ', false, Json::error_handler_t::replace);
}

std::string csv_of(const NamedText& statistics, const std::string& list) {
  const Json json = parsed(statistics);
  const Json& found = list_of(json, statistics, list);
  if (found.is_array()) return table(with_readable_names(rows_of(found, list)));
  std::vector<std::pair<std::string, std::string>> cells;
  flatten("", found, cells);
  std::string out = csv_line({"name", "value"});
  for (const auto& [name, text] : cells) out += csv_line({name, text});
  return out;
}

}  // namespace duet::report
