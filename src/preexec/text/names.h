// The common parts of one kernel's C: names of the kernel's parameters and of the module's variables, the
// dimensions of its threads, and the text being written.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "preexec/plan/plan.h"

namespace duet::preexec {

// One member of the C struct `kernel`, and how it is filled.
struct Member {
  std::string name, type, source;
};

// What numbers of 32 bits are divided by, as C.
struct Divisor {
  std::string value;
  std::string inverse;  // of the C prologue's inverse_of(); empty: the value is a constant
  std::string quotient(const std::string& of) const;
  std::string remainder(const std::string& of) const;
};

class Names {
 public:
  Names(const ptx::ir::ParsedModule& module, const ptx::ir::Function& entry, const Form& form,
        const Options& options);

  // A member's name, made when first asked for.
  const std::string& parameter(const Node& node);
  const std::string& symbol(std::uint32_t variable);
  const std::vector<Member>& members() const { return members_; }
  const std::vector<std::string>& symbols() const { return symbols_; }

  // Dimensions of blocks and of the grid by which the kernel distinguishes threads. Threads that differ only
  // in others do the same, so the program goes through the first ones.
  unsigned block_dimensions() const { return block_dimensions_; }
  unsigned grid_dimensions() const { return grid_dimensions_; }
  // Thread n of Fig. 3 says it all.
  bool one_dimensional() const { return block_dimensions_ == 1 && grid_dimensions_ == 1; }
  // Threads of a block in these dimensions.
  std::string block_size() const;
  // Of a block's size, and of an extent of it.
  Divisor block_divisor() const;
  Divisor block_divisor(unsigned dimension) const;
  std::string block_extent(unsigned dimension) const;
  const Options& options() const { return options_; }
  const Form& form() const { return form_; }
  const ptx::ir::ParsedModule& module() const { return module_; }

 private:
  const ptx::ir::ParsedModule& module_;
  const ptx::ir::Function& entry_;
  const Form& form_;
  const Options& options_;
  unsigned block_dimensions_ = 1, grid_dimensions_ = 1;
  std::vector<Member> members_;
  std::vector<std::string> symbols_;
  std::map<std::pair<std::uint64_t, std::uint32_t>, std::size_t> parameter_;
  std::map<std::uint32_t, std::size_t> symbol_;
};

// Lines of C, indented as their braces say.
class Lines {
 public:
  void add(const std::string& line);  // "" is an empty line
  void open(const std::string& line) { add(line + " {"), ++depth_; }
  void close(const std::string& behind = "") { --depth_, add("}" + behind); }
  void text_of(const Lines& other);
  std::string text() const { return text_; }
  unsigned depth() const { return depth_; }
  explicit Lines(unsigned depth = 0) : depth_(depth) {}

 private:
  std::string text_;
  unsigned depth_;
};

}  // namespace duet::preexec
