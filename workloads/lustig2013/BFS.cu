// lustig2013 Table 3, BFS: breadth-first search of a generated directed graph (4K nodes in the paper), one
// kernel a level and one thread a node. The host copies a flag back after every level (--levels: after so
// many) and stops when the last of them reached no node. Threads that reach the same node write the same
// level, so the race between them is harmless.
//
// Full/empty bits: graph and levels, emptied before an early launch of the first level's kernel. It alone
// reads them; it leaves copies in plain memory for the later levels (--track-all 1: every level uses the
// tracked arrays). And the flag, where its copy back is issued early: a bit can tell that the flag has its
// value only if it is written in every case, so the last block of a level writes it and nobody copies it in
// (--kernel-flag 1: in every variant); the copy back empties it again for the next level. The levels
// themselves come back by a copy without bits after the last flag: no kernel ever writes those of unreached
// nodes, and they are ready at the same moment as the flag that ends the loop.
#include <algorithm>

#include "offload.h"

namespace {

using namespace lustig2013;

enum { kLevels, kKernelWritesFlag, kTrackAll };
const Spec kSpec = {"BFS",
                    "nodes",
                    4096,
                    1,
                    1u << 22,
                    1,
                    {{"--levels", "levels between two looks at the flag", 1, 1, 64},
                     {"--kernel-flag", "1: a kernel writes the flag in every variant", 0, 0, 1},
                     {"--track-all", "1: every level reads the tracked arrays", 0, 0, 1}}};
const int kThreads = 256;
const int kMinDegree = 2;
const int kMaxDegree = 10;
const int kUnreached = -1;
const int kUnsetByte = 0xfe, kUnset = 0xfefefefe;  // no level yet

__global__ void visit_level(const int* first_edge, const int* targets, int* levels, int* found, int level,
                            int nodes) {
  int node = blockIdx.x * blockDim.x + threadIdx.x;
  if (node >= nodes || levels[node] != level) return;
  for (int edge = first_edge[node]; edge < first_edge[node + 1]; edge++) {
    int target = targets[edge];
    if (levels[target] == kUnreached) {
      levels[target] = level + 1;
      *found = 1;
    }
  }
}

// What the blocks of a level tell the last of them.
struct Answer {
  int found;
  unsigned blocks_done;
};

// Every thread of the grid comes here; the last block writes the flag, 0 or 1, and leaves `answer` as it was.
// The flag takes as many words as a granule has, since only a granule that has been written in whole is full.
__device__ void answer_host(int found_in_block, int* found, int flag_words, Answer* answer) {
  if (threadIdx.x != 0) return;
  if (found_in_block) atomicOr(&answer->found, 1);
  __threadfence();
  if (atomicAdd(&answer->blocks_done, 1u) + 1 != gridDim.x) return;
  const int flag = atomicExch(&answer->found, 0);
  for (int i = 0; i < flag_words; i++) found[i] = flag;
  answer->blocks_done = 0;
}

// As visit_level, with an answer in every case.
__global__ void visit_level_and_answer(const int* first_edge, const int* targets, int* levels, int* found,
                                       int flag_words, Answer* answer, int level, int nodes) {
  __shared__ int found_in_block;
  if (threadIdx.x == 0) found_in_block = 0;
  __syncthreads();
  int node = blockIdx.x * blockDim.x + threadIdx.x;
  if (node < nodes && levels[node] == level) {
    for (int edge = first_edge[node]; edge < first_edge[node + 1]; edge++) {
      int target = targets[edge];
      if (levels[target] == kUnreached) {
        levels[target] = level + 1;
        found_in_block = 1;
      }
    }
  }
  __syncthreads();
  answer_host(found_in_block, found, flag_words, answer);
}

// Level 0 of a search whose graph and initial levels are still arriving; `plain` gets what the later levels
// use. A node's own thread gives it its initial level unless the source's thread has already reached it.
__global__ void visit_first_level(const int* first_edge, const int* targets, const int* levels,
                                  int* plain_first_edge, int* plain_targets, int* plain_levels, int* found,
                                  int flag_words, Answer* answer, int edges, int nodes) {
  __shared__ int found_in_block;
  if (threadIdx.x == 0) found_in_block = 0;
  __syncthreads();
  const int thread = blockIdx.x * blockDim.x + threadIdx.x, threads = gridDim.x * blockDim.x;
  for (int i = thread; i <= nodes; i += threads) plain_first_edge[i] = first_edge[i];
  for (int i = thread; i < edges; i += threads) plain_targets[i] = targets[i];
  if (thread < nodes) {
    const int level = levels[thread];
    atomicCAS(&plain_levels[thread], kUnset, level);
    if (level == 0) {
      for (int edge = first_edge[thread]; edge < first_edge[thread + 1]; edge++) {
        int target = targets[edge];
        if (levels[target] == kUnreached) {
          plain_levels[target] = 1;
          found_in_block = 1;
        }
      }
    }
  }
  __syncthreads();
  if (answer != nullptr) return answer_host(found_in_block, found, flag_words, answer);
  if (threadIdx.x == 0 && found_in_block) *found = 1;
}

// Compressed rows: the edges of node v are targets[first_edge[v]] to targets[first_edge[v + 1] - 1].
struct Graph {
  Graph(int nodes, unsigned long long seed) : first_edge(nodes + 1) {
    workload::Random random(seed);
    for (int node = 0; node < nodes; node++) {
      first_edge[node] = static_cast<int>(targets.size());
      int degree = kMinDegree + static_cast<int>(random.below(kMaxDegree - kMinDegree + 1));
      for (int k = 0; k < degree; k++) targets.push_back(static_cast<int>(random.below(nodes)));
    }
    first_edge[nodes] = static_cast<int>(targets.size());
  }
  std::vector<int> first_edge, targets;
};

std::vector<int> search_on_cpu(const Graph& graph, int nodes, int source) {
  std::vector<int> levels(nodes, kUnreached), queue;
  levels[source] = 0;
  queue.push_back(source);
  for (size_t head = 0; head < queue.size(); head++) {
    int node = queue[head];
    for (int edge = graph.first_edge[node]; edge < graph.first_edge[node + 1]; edge++) {
      int target = graph.targets[edge];
      if (levels[target] != kUnreached) continue;
      levels[target] = levels[node] + 1;
      queue.push_back(target);
    }
  }
  return levels;
}

struct Problem {
  Problem(const Options& given, const Graph& input)
      : options(given),
        graph(input),
        nodes(static_cast<int>(options.size)),
        in(options, options.overlaps_start(),
           {graph.first_edge.size() * sizeof(int), graph.targets.size() * sizeof(int), nodes * sizeof(int)}),
        out(options, options.overlaps_finish(), {options.granule_bytes}),
        first_edge(graph.first_edge.size(), &in),
        targets(graph.targets.size(), &in),
        levels(nodes, &in),
        found(options.granule_bytes / sizeof(int), &out),
        d_first_edge(first_edge.size(), &in),
        d_targets(targets.size(), &in),
        d_levels(nodes, &in),
        d_found(found.size(), &out) {
    if (kernel_writes_flag()) {
      d_answer = std::make_unique<Device<Answer>>(1);
      CHECK_CUDA(cudaMemset(d_answer->get(), 0, sizeof(Answer)));
    }
    if (moves_to_plain()) {
      d_plain_first_edge = std::make_unique<Device<int>>(first_edge.size());
      d_plain_targets = std::make_unique<Device<int>>(targets.size());
      d_plain_levels = std::make_unique<Device<int>>(nodes);
    }
    if (options.extra[kLevels] > 1) d_ignored = std::make_unique<Device<int>>(1);
    std::copy(graph.first_edge.begin(), graph.first_edge.end(), first_edge.get());
    std::copy(graph.targets.begin(), graph.targets.end(), targets.get());
  }

  // Every offload starts from another node, the first from node 0.
  void fill(unsigned long long seed) {
    source = static_cast<int>((seed - options.seed) % nodes);
    std::fill_n(levels.get(), nodes, kUnreached);
    levels[source] = 0;
    found.poison();
  }

  bool moves_to_plain() const { return options.overlaps_start() && options.extra[kTrackAll] == 0; }
  // What the kernels after the first use.
  int* work_first_edge() const { return (moves_to_plain() ? *d_plain_first_edge : d_first_edge).get(); }
  int* work_targets() const { return (moves_to_plain() ? *d_plain_targets : d_targets).get(); }
  int* work_levels() const { return (moves_to_plain() ? *d_plain_levels : d_levels).get(); }

  // Levels [first, last); the flag tells about level `flagged`, the last of its group.
  void visit(int first, int last, int flagged, cudaStream_t stream) const {
    const int blocks = (nodes + kThreads - 1) / kThreads;
    for (int level = first; level < last; level++) {
      int* flag = level == flagged ? d_found.get() : d_ignored->get();
      const bool answers = level == flagged && kernel_writes_flag();
      if (level == 0 && moves_to_plain()) {
        visit_first_level<<<blocks, kThreads, 0, stream>>>(
            d_first_edge.get(), d_targets.get(), d_levels.get(), work_first_edge(), work_targets(),
            work_levels(), flag, static_cast<int>(found.size()), answers ? d_answer->get() : nullptr,
            static_cast<int>(targets.size()), nodes);
        CHECK_LAUNCH("visit_first_level");
      } else if (answers) {
        visit_level_and_answer<<<blocks, kThreads, 0, stream>>>(
            work_first_edge(), work_targets(), work_levels(), flag, static_cast<int>(found.size()),
            d_answer->get(), level, nodes);
        CHECK_LAUNCH("visit_level_and_answer");
      } else {
        visit_level<<<blocks, kThreads, 0, stream>>>(work_first_edge(), work_targets(), work_levels(), flag,
                                                     level, nodes);
        CHECK_LAUNCH("visit_level");
      }
    }
  }

  // In every case, 0 or 1; otherwise it is copied in as 0.
  bool kernel_writes_flag() const {
    return options.overlaps_finish() || options.extra[kKernelWritesFlag] != 0;
  }

  void reset_flag(const Streams& streams) const {
    if (kernel_writes_flag()) return;
    found[0] = 0;
    CHECK_CUDA(
        cudaMemcpyAsync(d_found.get(), found.get(), found.bytes(), cudaMemcpyHostToDevice, streams.kernel()));
  }

  // Waits for the words of the flag to be full where they have bits, and empties them for the next level.
  void copy_flag_out(const Streams& streams) const {
#ifdef __DUET__
    if (out.tracked()) {
      CHECK_CUDA(cudaMemcpyAsync(found.get(), d_found.get(), found.bytes(), cudaMemcpyDeviceToHost,
                                 streams.out(0), cudaMemcpyTriggerFilled, cudaMemcpyActionEmpty));
      return;
    }
#endif
    CHECK_CUDA(
        cudaMemcpyAsync(found.get(), d_found.get(), found.bytes(), cudaMemcpyDeviceToHost, streams.out(0)));
  }

  void run(const Streams& streams) {
    const int group = static_cast<int>(options.extra[kLevels]);
    const bool start = options.overlaps_start(), finish = options.overlaps_finish();
    if (options.variant != Variant::kBaseline) {
      empty_words(in, streams.kernel());
      empty_words(out, streams.kernel());
      if (start) {
        if (moves_to_plain())
          CHECK_CUDA(cudaMemsetAsync(work_levels(), kUnsetByte, levels.bytes(), streams.kernel()));
        reset_flag(streams);
        visit(0, 1, group - 1, streams.kernel());
      }
      if (finish) copy_flag_out(streams);
      duetHostWork(options.gap_ns);
    }
    streams.mark("data ready");
    copy_in(options, in, streams);
    for (visited = 0; visited == 0 || found[0] != 0; visited += group) {
      const bool issued = visited == 0;  // some of it in advance
      if (!(issued && start)) reset_flag(streams);
      visit(visited + (issued && start ? 1 : 0), visited + group, visited + group - 1, streams.kernel());
      if (!(issued && finish)) copy_flag_out(streams);
      CHECK_CUDA(cudaStreamSynchronize(streams.out(0)));
    }
    CHECK_CUDA(cudaMemcpyAsync(levels.get(), work_levels(), levels.bytes(), cudaMemcpyDeviceToHost,
                               streams.kernel()));
    CHECK_CUDA(cudaStreamSynchronize(streams.kernel()));
    streams.mark("finish");
  }

  int check() const {
    const std::vector<int> expected = search_on_cpu(graph, nodes, source);
    for (int node = 0; node < nodes; node++)
      if (levels[node] != expected[node])
        return report_mismatch(kSpec, "level of node", node, levels[node], expected[node]);
    const int group = static_cast<int>(options.extra[kLevels]);
    const int levels_needed = *std::max_element(expected.begin(), expected.end()) + 1;
    const int expected_visits = (levels_needed + group - 1) / group * group;
    if (visited != expected_visits)
      return report_mismatch(kSpec, "number of levels, counted from", 0, visited, expected_visits);
    return 0;
  }

  Options options;
  const Graph& graph;
  int nodes;
  int source = 0, visited = 0;
  Side in, out;
  Pinned<int> first_edge, targets, levels, found;
  Device<int> d_first_edge, d_targets, d_levels, d_found;
  std::unique_ptr<Device<Answer>> d_answer;
  std::unique_ptr<Device<int>> d_ignored, d_plain_first_edge, d_plain_targets, d_plain_levels;
};

}  // namespace

int main(int argc, char** argv) {
  Options options = parse_options(argc, argv, kSpec);
  Graph graph(static_cast<int>(options.size), options.seed);
  Problem problem(options, graph);
  return run(kSpec, options, problem);
}
