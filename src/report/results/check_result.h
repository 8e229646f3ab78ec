// The findings of a run's checks (`duet run --check`): recorded by the process, or made at its end of its
// records: leaks, and errors the program did not read.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "report/journal/journal_records.h"

namespace duet::report {

struct CheckFinding {
  std::string check, kind, text;   // "races", "shared_race"
  std::vector<std::string> facts;  // accesses, a line each
  std::uint64_t count = 0;
};

class CheckResult {
 public:
  std::string checks;  // "races,init"; empty: the run checked nothing
  std::vector<CheckFinding> findings;

  bool has(std::string_view check) const;
  void add(const FindingRecord& record, std::string_view text);
  void add(const ResourceRecord& record, std::string_view call);
  // When all records are known.
  void add_leaks();

 private:
  using Resource = std::pair<std::string, std::uint64_t>;  // kind (of memory empty) and id
  std::map<std::uint64_t, CheckFinding> recorded_;         // by number
  std::map<Resource, ResourceRecord> held_;
  std::map<Resource, std::string> names_;
};

}  // namespace duet::report
