#include "cpu/branch_predictor.h"

#include <algorithm>

namespace duet::cpu {

BranchPredictor::BranchPredictor(const config::BranchPredictor& config)
    : bimodal_(config.table_entries, 1),
      global_(config.table_entries, 1),
      chooser_(config.table_entries, 2),
      targets_(config.target_entries),
      returns_(config.return_entries),
      history_mask_((std::uint64_t{1} << config.history_bits) - 1) {}

bool BranchPredictor::find_target(std::uint64_t pc, std::uint64_t target) {
  Target& entry = targets_[(pc >> 1) % targets_.size()];
  const bool known = entry.pc == pc && entry.target == target;
  entry = {pc, target};
  return known;
}

Prediction BranchPredictor::conditional(std::uint64_t pc, std::uint64_t target, bool taken) {
  const std::uint64_t size = bimodal_.size(), place = pc >> 1;
  std::uint8_t& local = bimodal_[place % size];
  std::uint8_t& global = global_[(place ^ history_) % size];
  std::uint8_t& choice = chooser_[place % size];
  const bool local_says = local >= 2, global_says = global >= 2;
  const bool predicted = choice >= 2 ? global_says : local_says;
  if (local_says != global_says) count(choice, global_says == taken);
  count(local, taken);
  count(global, taken);
  history_ = (history_ << 1 | taken) & history_mask_;
  const bool known = !taken || find_target(pc, target);
  if (predicted != taken) return Prediction::Wrong;
  return known ? Prediction::Right : Prediction::LateTarget;
}

Prediction BranchPredictor::direct_jump(std::uint64_t pc, std::uint64_t target) {
  return find_target(pc, target) ? Prediction::Right : Prediction::LateTarget;
}

Prediction BranchPredictor::indirect_jump(std::uint64_t pc, std::uint64_t target) {
  return find_target(pc, target) ? Prediction::Right : Prediction::Wrong;
}

void BranchPredictor::call(std::uint64_t return_address) {
  top_ = (top_ + 1) % returns_.size();
  returns_[top_] = return_address;
  depth_ = std::min(depth_ + 1, returns_.size());
}

Prediction BranchPredictor::return_to(std::uint64_t target) {
  if (depth_ == 0) return Prediction::Wrong;
  const bool right = returns_[top_] == target;
  top_ = (top_ + returns_.size() - 1) % returns_.size();
  --depth_;
  return right ? Prediction::Right : Prediction::Wrong;
}

}  // namespace duet::cpu
