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
  std::string note;  // of what the checks cannot see in this run; empty: nothing

  bool has(std::string_view check) const;
  void add(const FindingRecord& record, std::string_view text);
  void add(const ResourceRecord& record, std::string_view text);
  // Of the first failure of a call with an error: their lines, and its frames.
  void add_failure(std::string_view text);
  std::string failure_frames(const std::string& call, const std::string& error) const;
  // When all records are known.
  void add_leaks();
  // The frames in findings become source lines.
  void name_host_lines();

 private:
  using Resource = std::pair<std::string, std::uint64_t>;  // kind (of memory empty) and id
  std::map<std::uint64_t, CheckFinding> recorded_;         // by number
  std::map<Resource, ResourceRecord> held_;
  std::map<Resource, std::string> names_, frames_;
  std::map<std::string, std::string> failed_at_;
};

}  // namespace duet::report
