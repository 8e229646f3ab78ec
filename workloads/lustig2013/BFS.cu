// lustig2013 Table 3, BFS: breadth-first search (a graph of 4K nodes in the paper) as in Rodinia 2.0.1,
// cuda/bfs (bfs.cu, kernel.cu, kernel2.cu), after Harish and Narayanan (HiPC 2007). One thread a node, blocks
// of 512 threads. Six arrays are copied in: nodes (first edge, number of edges), edges, three of one byte a
// node (mask, updating mask, visited) and the cost of each node. A level is a copy in of a flag, 0; a kernel
// in which the nodes of the mask give their neighbours a cost; a kernel that makes those the next mask and
// sets the flag; and a copy back of the flag. The host stops when it is still 0, and copies the costs back.
// The graph is drawn like Rodinia's data/bfs/graph4096.txt: connected, three times as many undirected edges
// as nodes, each listed with both of its ends, none twice and no loops; from node 0 all is reached in 7
// steps. Several threads may reach one node or set the flag; they write the same, so their race is harmless.
//
// Full/empty bits:
// Start. All six arrays, emptied before an early launch of the first kernel. Kernels overwrite four of them,
// and a copy in may not come later than that: what the first level's kernels overwrite, or leave to later
// levels to overwrite, they read before. (--track-all 0: they also leave copies of everything in plain memory
// for the later levels.)
// Finish. The flag's copy back is issued early, in every level: in advance in the first, between the two
// kernels in the others. The first thread that sets the flag releases it; where no thread does, a command
// behind the level's last kernel fills it. Levels take turns with two flags, and the copy in, which writes
// both, empties them: the one for the next level cannot be filled any more by the level before. The copy
// back of the costs stays late: issued in advance it would hold the copy engine that the flags need.
// --kernel-flag 1: in every variant the last block of a level writes the flag, 0 or 1, once; nobody copies it
// in, and its copy back empties it.
#include <algorithm>

#include "graph.h"
#include "offload.h"

namespace {

using namespace lustig2013;

enum { kKernelFlag, kTrackAll, kIsolated };
const unsigned kMostNodes = 1u << 22, kLeastConnected = 8;
const Spec kSpec = {"BFS",
                    "nodes",
                    4096,
                    16,
                    kMostNodes,
                    1,
                    {{"--kernel-flag", "1: a kernel writes the flag of every level, no copy in", 0, 0, 1},
                     {"--track-all", "1: every level uses the tracked arrays", 1, 0, 1},
                     {"--isolated", "so many of the nodes have no edges", 0, 0, kMostNodes}}};
const int kThreads = 512;

struct Arrays {
  Node* nodes;
  int* edges;
  bool *mask, *updating, *visited;
  int* cost;
};

// What the blocks of a level tell the last of them.
struct Answer {
  int found;
  unsigned blocks_done;
};

// Returns when the copy in has been there.
template <typename T>
__device__ void wait_for(const T* word) {
  (void)*static_cast<const volatile T*>(word);
}

// The level's first kernel. kFirst: the inputs are still arriving, and `plain` (null pointers: nobody) gets
// the arrays that no kernel writes.
template <bool kFirst>
__global__ void expand(Arrays now, Arrays plain, int edges, int nodes) {
  const int node = blockIdx.x * kThreads + threadIdx.x;
  if (kFirst && plain.nodes != nullptr) {
    if (node < nodes) plain.nodes[node] = now.nodes[node];
    for (int edge = node; edge < edges; edge += gridDim.x * kThreads) plain.edges[edge] = now.edges[edge];
  }
  if (node >= nodes || !now.mask[node]) return;
  now.mask[node] = false;
  for (int edge = now.nodes[node].first_edge; edge < now.nodes[node].first_edge + now.nodes[node].edges;
       edge++) {
    const int target = now.edges[edge];
    if (now.visited[target]) continue;
    if (kFirst) {
      wait_for(&now.updating[target]);
      wait_for(&now.cost[target]);
    }
    now.cost[target] = now.cost[node] + 1;
    now.updating[target] = true;
  }
}

// Every thread of the grid comes here; the last block writes the flag, 0 or 1, and leaves `answer` as it was.
// The flag takes as many words as a granule has, since only a granule that has been written in whole is full.
__device__ void answer_host(int found_in_block, int* flag, int flag_words, Answer* answer) {
  if (threadIdx.x != 0) return;
  if (found_in_block) atomicOr(&answer->found, 1);
  __threadfence();
  if (atomicAdd(&answer->blocks_done, 1u) + 1 != gridDim.x) return;
  const int found = atomicExch(&answer->found, 0);
  for (int i = 0; i < flag_words; i++) flag[i] = found;
  answer->blocks_done = 0;
}

// The level's second kernel. kFirst: as above; `plain` gets the arrays that kernels write. kAnswers: the flag
// is written in every case.
template <bool kFirst, bool kAnswers>
__global__ void advance(Arrays now, Arrays plain, int* flag, int flag_words, Answer* answer, int nodes) {
  __shared__ int found_in_block;
  if (kAnswers) {
    if (threadIdx.x == 0) found_in_block = 0;
    __syncthreads();
  }
  const int node = blockIdx.x * kThreads + threadIdx.x;
  if (kFirst && node < nodes) {
    wait_for(&now.visited[node]);
    wait_for(&now.cost[node]);
    if (plain.nodes != nullptr) {
      plain.mask[node] = false;
      plain.updating[node] = now.updating[node];
      plain.visited[node] = now.visited[node];
      plain.cost[node] = now.cost[node];
      now = plain;
    }
  }
  if (node < nodes && now.updating[node]) {
    now.mask[node] = true;
    now.visited[node] = true;
    // Volatile: it is meant that a copy may take the flag while others still set it.
    if (kAnswers)
      found_in_block = 1;
    else
      *static_cast<volatile int*>(flag) = 1;
    now.updating[node] = false;
  }
  if (!kAnswers) return;
  __syncthreads();
  answer_host(found_in_block, flag, flag_words, answer);
}

struct PlainArrays {
  PlainArrays(size_t count, size_t edge_count)
      : nodes(count), edges(edge_count), mask(count), updating(count), visited(count), cost(count) {}
  Arrays get() const {
    return {nodes.get(), edges.get(), mask.get(), updating.get(), visited.get(), cost.get()};
  }
  Device<Node> nodes;
  Device<int> edges;
  Device<bool> mask, updating, visited;
  Device<int> cost;
};

struct Problem {
  Problem(const Options& given, const Graph& input)
      : options(given),
        graph(input),
        count(input.nodes.size()),
        in(options, options.overlaps_start(),
           {count * sizeof(Node), input.edges.size() * sizeof(int), count, count, count,
            count * sizeof(int)}),
        out(options, options.overlaps_finish(), {2 * options.granule_bytes}),
        nodes(count, &in),
        edges(input.edges.size(), &in),
        mask(count, &in),
        updating(count, &in),
        visited(count, &in),
        cost(count, &in),
        flags(2 * flag_words(), &out),
        zeros(2 * flag_words()),
        d_nodes(count, &in),
        d_edges(input.edges.size(), &in),
        d_mask(count, &in),
        d_updating(count, &in),
        d_visited(count, &in),
        d_cost(count, &in),
        d_flags(2 * flag_words(), &out) {
    if (options.extra[kKernelFlag] != 0) {
      d_answer = std::make_unique<Device<Answer>>(1);
      CHECK_CUDA(cudaMemset(d_answer->get(), 0, sizeof(Answer)));
    }
    if (options.overlaps_start() && options.extra[kTrackAll] == 0)
      plain = std::make_unique<PlainArrays>(count, edges.size());
    std::copy(graph.nodes.begin(), graph.nodes.end(), nodes.get());
    std::copy(graph.edges.begin(), graph.edges.end(), edges.get());
    std::fill_n(mask.get(), count, false);
    std::fill_n(updating.get(), count, false);
    std::fill_n(visited.get(), count, false);
    std::fill_n(zeros.get(), zeros.size(), 0);
  }

  // Every offload starts from another node, the first from node 0.
  void fill(unsigned long long seed) {
    mask[source] = visited[source] = false;
    source = static_cast<int>((seed - options.seed) % count);
    mask[source] = visited[source] = true;
    std::fill_n(cost.get(), count, kUnreached);
    cost[source] = 0;
    flags.poison();
  }

  size_t flag_words() const { return options.granule_bytes / sizeof(int); }
  bool kernel_writes_flag() const { return d_answer != nullptr; }
  // Where a level's flag is, in words.
  size_t flag_at(int level) const { return kernel_writes_flag() ? 0 : level % 2 * flag_words(); }
  Arrays tracked() const {
    return {d_nodes.get(), d_edges.get(), d_mask.get(), d_updating.get(), d_visited.get(), d_cost.get()};
  }
  // What the levels after the first use.
  Arrays later() const { return plain != nullptr ? plain->get() : tracked(); }

  unsigned blocks() const { return static_cast<unsigned>((count + kThreads - 1) / kThreads); }

  void launch_expand(int level, cudaStream_t stream) const {
    const Arrays copies = plain != nullptr ? plain->get() : Arrays{};
    const int n = static_cast<int>(count), edge_count = static_cast<int>(edges.size());
    if (level == 0 && options.overlaps_start())
      expand<true><<<blocks(), kThreads, 0, stream>>>(tracked(), copies, edge_count, n);
    else
      expand<false><<<blocks(), kThreads, 0, stream>>>(later(), Arrays{}, edge_count, n);
    CHECK_LAUNCH("expand");
  }

  void launch_advance(int level, cudaStream_t stream) const {
    const bool first = level == 0 && options.overlaps_start();
    const auto kernel = first ? (kernel_writes_flag() ? advance<true, true> : advance<true, false>)
                              : (kernel_writes_flag() ? advance<false, true> : advance<false, false>);
    kernel<<<blocks(), kThreads, 0, stream>>>(
        first ? tracked() : later(), first && plain != nullptr ? plain->get() : Arrays{},
        d_flags.get() + flag_at(level), static_cast<int>(flag_words()),
        kernel_writes_flag() ? d_answer->get() : nullptr, static_cast<int>(count));
    CHECK_LAUNCH("advance");
  }

  // Both flags, so that it empties the next level's, too.
  void clear_flags(cudaStream_t stream) const {
    if (kernel_writes_flag()) return;
#ifdef __DUET__
    if (out.tracked()) {
      CHECK_CUDA(cudaMemcpyAsync(d_flags.get(), zeros.get(), zeros.bytes(), cudaMemcpyHostToDevice, stream,
                                 cudaMemcpyTriggerNone, cudaMemcpyActionEmpty));
      return;
    }
#endif
    CHECK_CUDA(cudaMemcpyAsync(d_flags.get(), zeros.get(), zeros.bytes(), cudaMemcpyHostToDevice, stream));
  }

  // Waits until the flag is full where it has bits.
  void copy_flag_out(int level, cudaStream_t stream) const {
    int *host = flags.get() + flag_at(level), *device = d_flags.get() + flag_at(level);
#ifdef __DUET__
    if (out.tracked()) {
      CHECK_CUDA(cudaMemcpyAsync(host, device, options.granule_bytes, cudaMemcpyDeviceToHost, stream,
                                 cudaMemcpyTriggerFilled,
                                 kernel_writes_flag() ? cudaMemcpyActionEmpty : cudaMemcpyActionNone));
      return;
    }
#endif
    CHECK_CUDA(cudaMemcpyAsync(host, device, options.granule_bytes, cudaMemcpyDeviceToHost, stream));
  }

  // Behind a level's last kernel: nobody will set the flag any more.
  void fill_flag(int level, cudaStream_t stream) const {
#ifdef __DUET__
    if (out.tracked() && !kernel_writes_flag())
      CHECK_CUDA(duetFullEmptySet(d_flags.get() + flag_at(level), options.granule_bytes, duetFull, stream));
#else
    (void)level, (void)stream;
#endif
  }

  void run(const Streams& streams) {
    const bool start = options.overlaps_start(), finish = options.overlaps_finish();
    const cudaStream_t kernels = streams.kernel();
    if (options.variant != Variant::kBaseline) {
      empty_words(in, kernels);
      empty_words(out, kernels);
      if (start) {
        clear_flags(kernels);
        launch_expand(0, kernels);
      }
      if (finish) copy_flag_out(0, streams.out(0));
      duetHostWork(options.gap_ns);
    }
    streams.mark("data ready");
    copy_in(options, in, streams);
    bool found = true;
    for (levels = 0; found; levels++) {
      const bool issued = levels == 0;  // some of it in advance
      if (!(issued && start)) {
        clear_flags(kernels);
        launch_expand(levels, kernels);
      }
      if (finish && !issued) copy_flag_out(levels, streams.out(0));
      launch_advance(levels, kernels);
      fill_flag(levels, kernels);
      if (!finish) copy_flag_out(levels, kernels);
      CHECK_CUDA(cudaStreamSynchronize(streams.out(0)));
      found = flags[flag_at(levels)] != 0;
    }
    CHECK_CUDA(cudaMemcpyAsync(cost.get(), later().cost, cost.bytes(), cudaMemcpyDeviceToHost, kernels));
    CHECK_CUDA(cudaStreamSynchronize(kernels));
    streams.mark("finish");
  }

  int check() const {
    const std::vector<int> expected = search_on_cpu(graph, source);
    for (size_t node = 0; node < count; node++)
      if (cost[node] != expected[node])
        return report_mismatch(kSpec, "cost of node", node, cost[node], expected[node]);
    const int expected_levels = *std::max_element(expected.begin(), expected.end()) + 1;
    if (levels != expected_levels)
      return report_mismatch(kSpec, "number of levels, counted from", 0, levels, expected_levels);
    return 0;
  }

  Options options;
  const Graph& graph;
  size_t count;
  int source = 0, levels = 0;
  Side in, out;
  Pinned<Node> nodes;
  Pinned<int> edges;
  Pinned<bool> mask, updating, visited;
  Pinned<int> cost, flags, zeros;
  Device<Node> d_nodes;
  Device<int> d_edges;
  Device<bool> d_mask, d_updating, d_visited;
  Device<int> d_cost, d_flags;
  std::unique_ptr<Device<Answer>> d_answer;
  std::unique_ptr<PlainArrays> plain;
};

}  // namespace

int main(int argc, char** argv) {
  Options options = parse_options(argc, argv, kSpec);
  const unsigned isolated = options.extra[kIsolated];
  if (options.size < isolated + kLeastConnected)
    workload::usage_error(kSpec.program, "too few nodes with edges are left by", "--isolated");
  Graph graph(static_cast<int>(options.size), static_cast<int>(isolated), options.seed);
  Problem problem(options, graph);
  return run(kSpec, options, problem);
}
