// Branch divergence of one warp: a stack of paths, the top one runs. Lanes that leave a divergent branch on
// different paths meet again at its immediate post-dominator. Source: the SIMT stack of hu2016's SM (thread
// controller); reconvergence points are the compiler's. A call leaves a path that waits at the return
// address; lanes inside meet no lanes outside. Paths need not run in the stack's order: a path that waits for
// lanes elsewhere gives its turn to another (turn_to_other), and lanes at a meeting point go on by themselves
// when nothing else can (CUDA C programming guide, independent thread scheduling).
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace duet::gpu {

class ReconvergenceStack {
 public:
  // A path can run when no path above it holds some of its lanes; otherwise it waits at `pc` for them.
  struct Path {
    std::uint32_t pc;
    std::uint32_t reconvergence;  // where this path ends and its lanes wait for the others
    std::uint64_t lanes;
  };
  static constexpr std::uint32_t kNowhere = 0xffffffffu;
  static constexpr std::uint32_t kAtReturn = 0xfffffffeu;  // ends by leave()

  void start(std::uint64_t lanes) {
    paths_.clear();
    turns_ = 0;
    if (lanes != 0) paths_.push_back({0, kNowhere, lanes});
  }
  bool empty() const { return paths_.empty(); }
  const Path& top() const { return paths_.back(); }
  std::size_t depth() const { return paths_.size(); }
  // Live lanes.
  std::uint64_t live() const {
    std::uint64_t lanes = 0;
    for (const Path& path : paths_) lanes |= path.lanes;
    return lanes;
  }
  // Whether all of them run on one path.
  bool together() const { return paths_.size() == 1 || paths_.back().lanes == live(); }

  // The running path goes on at `pc`; it ends when `pc` is its meeting point.
  void move_to(std::uint32_t pc) {
    paths_.back().pc = pc;
    pop_finished();
  }
  // The running path stands at an instruction; it is to be executed (again) when the path runs next.
  void park(std::uint32_t pc) { paths_.back().pc = pc; }

  // The running path splits: `taken` (some of its lanes, not all) go to `target`, the others to `next`.
  void diverge(std::uint64_t taken, std::uint32_t target, std::uint32_t next, std::uint32_t reconvergence) {
    const std::uint64_t others = paths_.back().lanes & ~taken;
    wait_at(reconvergence);
    push({next, reconvergence, others});
    push({target, reconvergence, taken});
  }

  // As diverge, for any number of paths; together they hold the lanes of the running one.
  void diverge(const Path* paths, std::size_t count, std::uint32_t reconvergence) {
    wait_at(reconvergence);
    for (std::size_t i = count; i-- > 0;) push({paths[i].pc, reconvergence, paths[i].lanes});
    pop_finished();
  }

  // All lanes of the running path call the function at `target`; it returns to `next`.
  void call(std::uint32_t target, std::uint32_t next) {
    const std::uint64_t lanes = paths_.back().lanes;
    paths_.back().pc = next;
    paths_.push_back({target, kAtReturn, lanes});
  }

  // The lanes of the running path return from a function, each path to its caller: where a path below waits
  // there for its lanes they join it, and leave the paths between.
  void leave(const Path* paths, std::size_t count) {
    const Path running = paths_.back();
    paths_.pop_back();
    for (std::size_t i = 0; i < count; ++i) {
      const std::uint64_t lanes = paths[i].lanes;
      std::size_t at = paths_.size();
      while (at > 0 && (paths_[at - 1].pc != paths[i].pc || (paths_[at - 1].lanes & lanes) != lanes)) --at;
      if (at == 0) {
        paths_.push_back({paths[i].pc, running.reconvergence, lanes});
        continue;
      }
      for (std::size_t between = at; between < paths_.size(); ++between) paths_[between].lanes &= ~lanes;
    }
    std::erase_if(paths_, [](const Path& path) { return path.lanes == 0; });
    pop_finished();
  }

  // These lanes end. Whatever runs next is on top; the running path's pc has been moved on before.
  void exit(std::uint64_t lanes) {
    std::size_t kept = 0;
    for (Path& path : paths_) {
      path.lanes &= ~lanes;
      if (path.lanes != 0) paths_[kept++] = path;
    }
    paths_.resize(kept);
    pop_finished();
  }

  // Gives the turn to another path without blocked lanes: the next runnable path, in turn, or lanes at a
  // meeting point. Such lanes go on without the others when no path can run, and when all have had their turn
  // since lanes last did so. False, and nothing changes, where there is no such path.
  bool turn_to_other(std::uint64_t blocked);

  // The path of these lanes, anywhere in the stack, goes on behind its instruction. Paths without blocked
  // lanes at the same place, and with the same meeting point, then become one.
  void step(std::uint64_t lanes, std::uint64_t blocked);

 private:
  // The running path becomes the place where its lanes meet. When it was to end there anyway, its parent is
  // the meeting point already (otherwise a loop would grow the stack with each leaving lane).
  void wait_at(std::uint32_t reconvergence) {
    if (paths_.back().reconvergence == reconvergence)
      paths_.pop_back();
    else
      paths_.back().pc = reconvergence;
  }
  void push(const Path& path) {
    if (path.lanes != 0 && path.pc != path.reconvergence) paths_.push_back(path);
  }
  void pop_finished() {
    while (!paths_.empty() && paths_.back().pc == paths_.back().reconvergence) paths_.pop_back();
  }
  // Behind the last path above `root` with some of its lanes.
  std::size_t end_of(std::size_t root) const {
    std::size_t end = root + 1;
    while (end < paths_.size() && (paths_[end].lanes & paths_[root].lanes) != 0) ++end;
    return end;
  }
  bool can_run(std::size_t path) const { return end_of(path) == path + 1; }
  bool siblings(std::size_t a, std::size_t b) const;
  void bring_to_top(std::size_t path);
  void drop_finished();

  std::vector<Path> paths_;
  std::size_t turns_ = 0;  // since lanes last left a meeting point without the others
};

}  // namespace duet::gpu
