// A row of comma-separated values.
//
//   csv_line({"a", "b,c", "say \"d\""})   // a,"b,c","say ""d"""
#pragma once

#include <string>
#include <vector>

namespace duet {

// With a newline at its end; quoted as RFC 4180 has it.
std::string csv_line(const std::vector<std::string>& cells);

}  // namespace duet
