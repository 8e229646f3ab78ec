// Writes the loops around the fetching functions: cpu_prefetching of Figs 3, 7 and 9. Over concurrent blocks
// (j), over the iterations of a kernel loop (m), over the concurrent threads (i), over a batch (b), over
// unrolled threads.
#pragma once

#include <string>

#include "preexec/text/function.h"

namespace duet::preexec {

class DriverWriter {
 public:
  // `inverses`: the numbers of the struct by which the functions divide.
  DriverWriter(const Names& names, const Plan& plan, const FunctionWriter& functions,
               const std::vector<std::string>& inverses)
      : names_(names),
        plan_(plan),
        functions_(functions),
        inverses_(inverses),
        unroll_(names.options().unroll_factor) {}
  std::string write();

 private:
  void write_setup();
  void write_steps(const std::vector<Step>& steps);
  void write_loop(const Step& step);
  void write_threads(const FunctionPlan& function);
  std::string call(const FunctionPlan& function, const std::string& thread, const char* suffix = "") const;
  void write_unrolled(const FunctionPlan& function, const std::string& thread, const char* suffix);
  bool adaptive() const { return names_.options().adaptive; }
  bool forwarded() const { return names_.options().forwarded_blocks; }
  void open_blocks();

  const Names& names_;
  const Plan& plan_;
  const FunctionWriter& functions_;
  const std::vector<std::string>& inverses_;
  const unsigned unroll_;
  Lines out_{0};
};

}  // namespace duet::preexec
