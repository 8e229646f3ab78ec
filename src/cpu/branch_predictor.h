// Where the front end goes on after a branch. Directions: a bimodal table and one indexed by address and
// global history (gshare), and a table of which of the two is right more often (McFarling, "Combining Branch
// Predictors", DEC WRL TN-36, 1993). Targets: a branch target buffer; returns: a stack. Tables are updated at
// once, with the branch's outcome: a branch is predicted with all earlier ones known.
#pragma once

#include <cstdint>
#include <vector>

#include "config/machine.h"

namespace duet::cpu {

enum class Prediction : std::uint8_t {
  Right,
  LateTarget,  // direction right, target known when the instruction is decoded
  Wrong
};

class BranchPredictor {
 public:
  explicit BranchPredictor(const config::BranchPredictor& config);

  Prediction conditional(std::uint64_t pc, std::uint64_t target, bool taken);
  Prediction direct_jump(std::uint64_t pc, std::uint64_t target);
  Prediction indirect_jump(std::uint64_t pc, std::uint64_t target);
  Prediction return_to(std::uint64_t target);
  void call(std::uint64_t return_address);

 private:
  struct Target {
    std::uint64_t pc = ~std::uint64_t{0};
    std::uint64_t target = 0;
  };
  // Two bits: 2 and 3 say yes.
  static void count(std::uint8_t& counter, bool yes) {
    if (yes && counter < 3) ++counter;
    if (!yes && counter > 0) --counter;
  }
  // Whether the buffer knew it; it does from now on.
  bool find_target(std::uint64_t pc, std::uint64_t target);

  std::vector<std::uint8_t> bimodal_, global_, chooser_;
  std::vector<Target> targets_;
  std::vector<std::uint64_t> returns_;
  std::uint64_t history_ = 0, history_mask_;
  std::size_t top_ = 0, depth_ = 0;
};

}  // namespace duet::cpu
