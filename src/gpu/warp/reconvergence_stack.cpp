#include "gpu/warp/reconvergence_stack.h"

namespace duet::gpu {

bool ReconvergenceStack::turn_to_other(std::uint64_t blocked) {
  drop_finished();
  std::uint64_t above = paths_.back().lanes;
  std::size_t next = paths_.size(), leaving = paths_.size(), running = 1;
  for (std::size_t i = paths_.size() - 1; i-- > 0;) {
    const std::uint64_t lanes = paths_[i].lanes, own = lanes & ~above;
    above |= lanes;
    if ((own & blocked) != 0 || own == 0) continue;
    if (own == lanes) {
      ++running;
      next = i;  // the lowest: at each level paths that ran lie above their siblings
    } else if (leaving == paths_.size()) {
      leaving = i;
    }
  }
  const bool leave = leaving != paths_.size() && (next == paths_.size() || ++turns_ > running);
  if (!leave && next == paths_.size()) return false;
  if (leave) {
    turns_ = 0;
    std::uint64_t others = 0;
    next = end_of(leaving);
    for (std::size_t i = leaving + 1; i < next; ++i) others |= paths_[i].lanes;
    Path alone = paths_[leaving];
    alone.lanes &= ~others;
    paths_[leaving].lanes &= others;
    paths_.insert(paths_.begin() + static_cast<std::ptrdiff_t>(next), alone);
  }
  bring_to_top(next);
  return true;
}

void ReconvergenceStack::step(std::uint64_t lanes, std::uint64_t blocked) {
  for (std::size_t i = 0; i < paths_.size(); ++i)
    if ((paths_[i].lanes & ~lanes) == 0 && can_run(i)) ++paths_[i].pc;
  drop_finished();
  for (std::size_t i = 0; i < paths_.size(); ++i) {
    if ((paths_[i].lanes & blocked) != 0 || !can_run(i)) continue;
    for (std::size_t j = paths_.size() - 1; j > i; --j) {
      if (paths_[j].pc != paths_[i].pc || paths_[j].reconvergence != paths_[i].reconvergence ||
          (paths_[j].lanes & blocked) != 0 || !can_run(j) || !siblings(i, j))
        continue;
      paths_[i].lanes |= paths_[j].lanes;
      paths_.erase(paths_.begin() + static_cast<std::ptrdiff_t>(j));
    }
  }
}

// Whether the same path, or none, waits for both.
bool ReconvergenceStack::siblings(std::size_t a, std::size_t b) const {
  const auto parent = [&](std::size_t path) {
    const std::uint64_t lanes = paths_[path].lanes;
    while (path-- > 0)
      if ((paths_[path].lanes & lanes) != 0) return path;
    return paths_.size();
  };
  return parent(a) == parent(b);
}

// At each level the paths above it, or above its waiting ancestor, go below their siblings.
void ReconvergenceStack::bring_to_top(std::size_t path) {
  const auto at = [&](std::size_t i) { return paths_.begin() + static_cast<std::ptrdiff_t>(i); };
  for (std::size_t begin = 0;;) {
    std::size_t root = begin;
    for (std::size_t end = end_of(root); end <= path; end = end_of(root)) root = end;
    const std::size_t above = paths_.size() - end_of(root);
    std::rotate(at(begin), at(paths_.size() - above), paths_.end());
    root += above;
    path += above;
    if (root == path) return;
    begin = root + 1;
  }
}

// Drops runnable paths that stand at their end.
void ReconvergenceStack::drop_finished() {
  for (std::size_t i = paths_.size(); i-- > 0;)
    if (paths_[i].pc == paths_[i].reconvergence && can_run(i)) {
      paths_.erase(paths_.begin() + static_cast<std::ptrdiff_t>(i));
      i = paths_.size();
    }
}

}  // namespace duet::gpu
