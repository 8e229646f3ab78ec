// stats.json as text for people and spreadsheets.
//
//   described({"schema", schema_text}, "kernels")       // kernels[].cycles  core cycles  from its first ...
//   csv_of({"out/stats.json", text}, "kernels")         // name,grid,block,...
#pragma once

#include <string>

#include "report/named_text.h"

namespace duet::report {

// The fields of a schema (schema/), a line each: place in the file, unit, description. With `within` the
// fields below this one alone. Throws duet::Error where there is none.
std::string described(const NamedText& schema, const std::string& within);

// A list of the file ("kernels", "components", ...) as CSV (base/csv.h), an element a row; members of members
// are columns "counters.dram.reads", in the order of their first appearance, and lists of numbers "128 1 1".
// Of "lines" a line is a row, with its kernel. Where it is no list but an object ("counters"): a row
// "name,value" a member. Throws duet::Error where the file has no such list.
std::string csv_of(const NamedText& statistics, const std::string& list);

// The same as JSON: the fields of a schema, and a list's rows.
std::string described_json(const NamedText& schema, const std::string& within);
std::string rows_json(const NamedText& statistics, const std::string& list);

}  // namespace duet::report
