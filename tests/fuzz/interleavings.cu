// Random interleavings of copies, kernels and changes of bits over tracked memory, against a reference interpreter
// that knows no time: same values, or both stand still. A round is a network of streams over a few small buffers in
// which every word has one producer and one consumer at a time, so that its outcome does not depend on timing:
//   relayed buffer: copies in that wait for empty and fill; consumers in one other stream read and empty;
//   published buffer: filled once, by copies or a kernel, and read by anybody; what has been copied in may be read
//   without a trigger by the same stream;
//   private buffer: copied in, read by one kernel only, which overwrites each word right after its load.
// Some commands are left out, so that some rounds stand still. Such a round is told by its streams not being idle
// long after everything could have run; it is then let go by filling and emptying all buffers in turn.
// Strict queues (--class strict) block what a network without them would not, so there only copies in, which wait
// for nothing, feed kernels, and nothing waits for empty.
// --steps: each warp of a kernel takes several words a lane, one after the other, so that its loads and stores to the
// same and to neighbouring words and lines meet; where it overwrites, it reads back what it has written, or what the
// other warp of its block has, behind a barrier. --granule BYTES: of the machine; all ranges end with a granule.
// Usage: interleavings FIRST LAST [--class general|strict] [--steps] [--granule BYTES] [--verbose]
// Prints the number of rounds, of those that stood still, and of mismatches; exit status 1 when there are any.
#include <cuda_runtime.h>
#include <duet.h>
#include <duet_full_empty.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

namespace {

#define CHECK(call)                                                                     \
  do {                                                                                  \
    const cudaError_t error = (call);                                                   \
    if (error != cudaSuccess) {                                                         \
      std::fprintf(stderr, "interleavings: %s: %s\n", #call, cudaGetErrorString(error)); \
      std::exit(2);                                                                     \
    }                                                                                   \
  } while (0)

constexpr int kStreams = 4, kBuffers = 4, kMaxWords = 300, kLineWords = 32, kMaxOperations = 64;

struct Random {
  unsigned long long state;
  explicit Random(unsigned long long seed) : state(seed * 0x9e3779b97f4a7c15ull + 1) {}
  unsigned operator()(unsigned range) {
    state = state * 6364136223846793005ull + 1442695040888963407ull;
    return static_cast<unsigned>((state >> 33) % range);
  }
  bool one_in(unsigned n) { return (*this)(n) == 0; }
};

enum class Kind { In, Out, Kernel, Set };

struct Operation {
  Kind kind = Kind::In;
  int stream = 0, buffer = 0, first = 0, words = 0;
  cudaMemcpyTrigger trigger = cudaMemcpyTriggerNone;
  cudaMemcpyAction action = cudaMemcpyActionNone;
  int source = 0;                     // of a kernel; `buffer` is what it writes
  bool overwrites = false;            // its source too
  int warps = 1, steps = 1;           // of a block; words that a thread takes
  bool adjacent = false;              // those of a thread lie side by side
  duetFullEmptyState state = duetFull;  // of a Set
  int number = 0;                     // its host memory
};

int granule_words = 1;
bool with_steps = false;

int whole_granules(int words) {
  const int whole = words / granule_words * granule_words;
  return whole == 0 ? granule_words : whole;
}

struct Round {
  int words[kBuffers];
  bool full[kBuffers];  // at first
  std::vector<Operation> operations;  // in the order of their calls
};

__host__ __device__ int transformed(int value, int number) { return value * 3 + number; }

// Which word of its source a thread takes in a step.
__host__ __device__ int word_of(int block, int thread, int threads, int step, int steps, bool adjacent) {
  return block * threads * steps + (adjacent ? thread * steps + step : step * threads + thread);
}

__global__ void transform(int* to, const int* from, int words, int number, int steps, bool adjacent) {
  for (int step = 0; step < steps; ++step) {
    const int i = word_of(blockIdx.x, threadIdx.x, blockDim.x, step, steps, adjacent);
    if (i < words) to[i] = transformed(from[i], number);
  }
}

__global__ void transform_and_overwrite(int* to, int* from, int words, int number, int steps, bool adjacent) {
  for (int step = 0; step < steps; ++step) {
    const int i = word_of(blockIdx.x, threadIdx.x, blockDim.x, step, steps, adjacent);
    int value = 0;
    if (i < words) {
      value = from[i];
      from[i] = number;
    }
    if (blockDim.x > 32) __syncthreads();
    const int other = word_of(blockIdx.x, (threadIdx.x + 32) % blockDim.x, blockDim.x, step, steps, adjacent);
    const int back = steps > 1 && other < words ? static_cast<volatile int*>(from)[other] : number;
    if (i < words) to[i] = transformed(value, number) + back - number;
    if (blockDim.x > 32) __syncthreads();
  }
}

int input(unsigned long long seed, int number, int word) {
  return static_cast<int>(seed * 7919 + static_cast<unsigned>(number) * 104729 + static_cast<unsigned>(word) * 31);
}

// ---- A round ----

// Cuts [0, words) into one to three pieces.
std::vector<Operation> pieces(Random& random, const Operation& like, int words) {
  std::vector<Operation> result;
  int first = 0;
  for (unsigned left = 1 + random(3); left != 0 && first < words; --left) {
    const int some = left == 1 ? words - first : 1 + static_cast<int>(random(static_cast<unsigned>(words - first)));
    const int here = some == words - first ? some : std::min(whole_granules(some), words - first);
    Operation piece = like;
    piece.first = first;
    piece.words = here;
    result.push_back(piece);
    first += here;
  }
  return result;
}

Round make_round(unsigned long long seed, bool strict) {
  Random random(seed), shape(seed + 54321);
  Round round;
  std::vector<std::vector<Operation>> lists;  // each keeps its order
  const int buffers = 1 + static_cast<int>(random(kBuffers));
  // In a strict round, copies in, kernels and copies out have streams of their own.
  const auto stream_of = [&](Kind kind) {
    if (!strict) return static_cast<int>(random(kStreams));
    return kind == Kind::In ? static_cast<int>(random(2)) : kind == Kind::Kernel ? 2 : 3;
  };
  std::vector<bool> by_copies(kBuffers, false), relayed(kBuffers, false), own(kBuffers, false);
  for (int b = 0; b < kBuffers; ++b) {
    round.words[b] = whole_granules(1 + static_cast<int>(random(kMaxWords)));
    round.full[b] = b >= buffers;
  }
  for (int b = 0; b < buffers; ++b) {
    Operation in, out;
    in.kind = Kind::In;
    in.action = cudaMemcpyActionFill;
    out.kind = Kind::Out;
    out.trigger = cudaMemcpyTriggerFilled;
    in.buffer = out.buffer = b;
    in.stream = stream_of(Kind::In);
    out.stream = stream_of(Kind::Out);
    const auto append = [&](std::vector<Operation>& list, const std::vector<Operation>& more) {
      list.insert(list.end(), more.begin(), more.end());
    };
    if (!strict && random.one_in(2)) {
      relayed[b] = true;
      round.full[b] = random.one_in(4);
      in.trigger = cudaMemcpyTriggerEmptied;
      out.action = cudaMemcpyActionEmpty;
      while (out.stream == in.stream && random(4) != 0) out.stream = stream_of(Kind::Out);
      std::vector<Operation> producer, consumer;
      const unsigned times = 1 + random(3);
      const unsigned produced = random.one_in(8) ? random(4) : times - (round.full[b] ? 1 : 0);
      for (unsigned i = 0; i < produced; ++i) append(producer, pieces(random, in, round.words[b]));
      for (unsigned i = 0; i < times; ++i) append(consumer, pieces(random, out, round.words[b]));
      lists.push_back(producer);
      lists.push_back(consumer);
      continue;
    }
    std::vector<int> sources;
    for (int other = 0; other < b; ++other)
      if (!relayed[other] && !(own[other] && !by_copies[other]) && (!strict || by_copies[other]))
        sources.push_back(other);
    if (!sources.empty() && random.one_in(2)) {
      Operation kernel;
      kernel.kind = Kind::Kernel;
      kernel.source = sources[random(static_cast<unsigned>(sources.size()))];
      kernel.buffer = b;
      kernel.stream = stream_of(Kind::Kernel);
      kernel.words = round.words[b] < round.words[kernel.source] ? round.words[b] : round.words[kernel.source];
      round.words[b] = kernel.words;
      if (own[kernel.source]) {
        kernel.overwrites = true;
        by_copies[kernel.source] = false;  // nobody else may read it
      }
      if (with_steps) {
        kernel.steps = 1 + static_cast<int>(shape(4));
        kernel.adjacent = shape.one_in(2);
        if (kernel.overwrites && kernel.steps > 1) kernel.warps = 1 + static_cast<int>(shape(2));
      }
      lists.push_back({kernel});
    } else {
      by_copies[b] = true;
      own[b] = random.one_in(2);
      std::vector<Operation> list;
      for (const Operation& piece : pieces(random, in, round.words[b])) {
        list.push_back(piece);
        if (own[b] || !random.one_in(2)) continue;
        list.push_back(piece);
        list.back().kind = Kind::Out;
        list.back().action = cudaMemcpyActionNone;
      }
      lists.push_back(list);
      if (own[b]) continue;
    }
    for (unsigned readers = random(4); readers != 0; --readers) {
      out.stream = stream_of(Kind::Out);
      lists.push_back(pieces(random, out, round.words[b]));
    }
  }
  // Lists in a random interleaving; now and then a command is missing.
  const bool complete = !random.one_in(4);
  while (!lists.empty() && round.operations.size() < kMaxOperations) {
    const unsigned at = random(static_cast<unsigned>(lists.size()));
    if (lists[at].empty()) {
      lists.erase(lists.begin() + at);
      continue;
    }
    Operation next = lists[at].front();
    lists[at].erase(lists[at].begin());
    if (!complete && random.one_in(6)) continue;
    next.number = static_cast<int>(round.operations.size());
    round.operations.push_back(next);
  }
  return round;
}

// ---- The reference ----

struct Outcome {
  bool stands_still = false;
  std::vector<std::vector<int>> read;  // by operation: what an Out has brought
};

// Memory and bits of all buffers; a granule changes when all of its words have been filled, or emptied.
struct Memory {
  int word[kBuffers][kMaxWords];
  bool full[kBuffers][kMaxWords], moved[kBuffers][kMaxWords];

  void set(int buffer, int at, bool to_full) {
    const int first = at / granule_words * granule_words;
    moved[buffer][at] = full[buffer][at] != to_full;
    for (int i = first; i < first + granule_words; ++i)
      if (full[buffer][i] == to_full || !moved[buffer][i]) return;
    for (int i = first; i < first + granule_words; ++i) {
      full[buffer][i] = to_full;
      moved[buffer][i] = false;
    }
  }
};

// What goes together, in order: the words of a line of a copy; a step of a block. A block's steps stand in one list.
std::vector<std::vector<std::vector<int>>> groups_of(const Operation& own) {
  std::vector<std::vector<std::vector<int>>> lists;
  if (own.kind != Kind::Kernel) {
    for (int begin = 0, end; begin < own.words; begin = end) {
      end = std::min(((own.first + begin) / kLineWords + 1) * kLineWords - own.first, own.words);
      std::vector<int> line;
      for (int i = begin; i < end; ++i) line.push_back(i);
      lists.push_back({line});
    }
    return lists;
  }
  const int threads = 32 * own.warps, words_of_block = threads * own.steps;
  for (int block = 0; block * words_of_block < own.words; ++block) {
    lists.emplace_back();
    for (int step = 0; step < own.steps; ++step) {
      std::vector<int> group;
      for (int thread = 0; thread < threads; ++thread)
        if (const int i = word_of(block, thread, threads, step, own.steps, own.adjacent); i < own.words) group.push_back(i);
      if (!group.empty()) lists.back().push_back(group);
    }
  }
  return lists;
}

Outcome interpret(const Round& round, unsigned long long seed) {
  Outcome outcome;
  outcome.read.resize(round.operations.size());
  Memory memory;
  for (int b = 0; b < kBuffers; ++b)
    for (int i = 0; i < kMaxWords; ++i) {
      memory.word[b][i] = -1 - b;
      memory.full[b][i] = round.full[b];
      memory.moved[b][i] = false;
    }
  std::vector<std::size_t> queues[kStreams];
  std::vector<std::vector<std::vector<std::vector<int>>>> groups;
  for (std::size_t i = 0; i < round.operations.size(); ++i) {
    queues[round.operations[i].stream].push_back(i);
    groups.push_back(groups_of(round.operations[i]));
    outcome.read[i].resize(static_cast<std::size_t>(round.operations[i].words));
  }
  std::size_t next[kStreams] = {};
  bool progress = true;
  while (progress) {
    progress = false;
    for (int s = 0; s < kStreams; ++s) {
      if (next[s] == queues[s].size()) continue;
      const Operation& own = round.operations[queues[s][next[s]]];
      std::vector<int>& read = outcome.read[queues[s][next[s]]];
      bool all = true;
      for (auto& list : groups[queues[s][next[s]]]) {
        while (!list.empty()) {
          bool may = true;
          for (const int i : list.front()) {
            if (own.kind == Kind::Kernel) may &= memory.full[own.source][i];
            if (own.trigger == cudaMemcpyTriggerFilled) may &= memory.full[own.buffer][own.first + i];
            if (own.trigger == cudaMemcpyTriggerEmptied) may &= !memory.full[own.buffer][own.first + i];
          }
          if (!may) break;
          for (const int i : list.front()) {
            const int at = own.first + i;
            int& word = memory.word[own.buffer][at];
            if (own.kind == Kind::In) word = input(seed, own.number, i);
            if (own.kind == Kind::Out) read[static_cast<std::size_t>(i)] = word;
            if (own.kind == Kind::Kernel) word = transformed(memory.word[own.source][i], own.number);
            if (own.overwrites) memory.word[own.source][i] = own.number;
            if (own.kind == Kind::Kernel || own.action == cudaMemcpyActionFill) memory.set(own.buffer, at, true);
            if (own.action == cudaMemcpyActionEmpty) memory.set(own.buffer, at, false);
            if (own.kind == Kind::Set) memory.set(own.buffer, at, own.state == duetFull);
          }
          list.erase(list.begin());
          progress = true;
        }
        all &= list.empty();
      }
      if (all) {
        ++next[s];
        progress = true;
      }
    }
  }
  for (int s = 0; s < kStreams; ++s) outcome.stands_still |= next[s] != queues[s].size();
  return outcome;
}

// ---- The machine ----

class Machine {
 public:
  Machine() {
    for (auto& stream : streams_) CHECK(cudaStreamCreate(&stream));
    CHECK(cudaStreamCreate(&rescue_));
    for (int b = 0; b < kBuffers; ++b) {
      CHECK(duetMallocTracked(&buffers_[b], kMaxWords * sizeof(int)));
      CHECK(cudaMallocHost(reinterpret_cast<void**>(&initial_[b]), kMaxWords * sizeof(int)));
      for (int i = 0; i < kMaxWords; ++i) initial_[b][i] = -1 - b;
    }
    // A copy's host memory lies in its line as its device memory does.
    CHECK(cudaMallocHost(reinterpret_cast<void**>(&host_), sizeof(int) * kStride * kMaxOperations));
  }

  // False: it stood still, and has been let go.
  bool run(const Round& round, unsigned long long seed) {
    Random random(seed + 12345);
    for (int b = 0; b < kBuffers; ++b) {
      CHECK(cudaMemcpyAsync(buffers_[b], initial_[b], kMaxWords * sizeof(int), cudaMemcpyHostToDevice, rescue_));
      CHECK(duetFullEmptySet(buffers_[b], whole_granules(kMaxWords) * sizeof(int), round.full[b] ? duetFull : duetEmpty, rescue_));
    }
    CHECK(cudaStreamSynchronize(rescue_));
    for (const Operation& own : round.operations) {
      cudaStream_t stream = streams_[own.stream];
      int* const device = buffers_[own.buffer] + own.first;
      int* const host = memory_of(own);
      const std::size_t bytes = static_cast<std::size_t>(own.words) * sizeof(int);
      switch (own.kind) {
        case Kind::In:
          for (int i = 0; i < own.words; ++i) host[i] = input(seed, own.number, i);
          CHECK(cudaMemcpyAsync(device, host, bytes, cudaMemcpyHostToDevice, stream, own.trigger, own.action));
          break;
        case Kind::Out:
          std::memset(host, 0x55, bytes);
          CHECK(cudaMemcpyAsync(host, device, bytes, cudaMemcpyDeviceToHost, stream, own.trigger, own.action));
          break;
        case Kind::Kernel:
        {
          const int threads = 32 * own.warps, words = threads * own.steps;
          (own.overwrites ? transform_and_overwrite<<<(own.words + words - 1) / words, threads, 0, stream>>>(
                                buffers_[own.buffer], buffers_[own.source], own.words, own.number, own.steps, own.adjacent)
                          : transform<<<(own.words + words - 1) / words, threads, 0, stream>>>(
                                buffers_[own.buffer], buffers_[own.source], own.words, own.number, own.steps, own.adjacent));
        }
          CHECK(cudaGetLastError());
          break;
        case Kind::Set:
          CHECK(duetFullEmptySet(device, bytes, own.state, stream));
          break;
      }
      if (random.one_in(3)) duetHostWork(random(20000));
    }
    if (idle_within(kPatienceNs)) return true;
    for (int i = 0; i < 200; ++i) {
      for (const auto state : {duetFull, duetEmpty}) {
        for (int* buffer : buffers_)
          CHECK(duetFullEmptySet(buffer, whole_granules(kMaxWords) * sizeof(int), state, rescue_));
        CHECK(cudaStreamSynchronize(rescue_));
      }
      if (idle_within(20000)) return false;
    }
    std::fprintf(stderr, "interleavings: seed %llu could not be let go\n", seed);
    std::exit(2);
  }
  int* memory_of(const Operation& own) const { return host_ + kStride * own.number + own.first; }

 private:
  static constexpr int kStride = 320;
  static constexpr unsigned long long kPatienceNs = 600000;
  bool idle_within(unsigned long long ns) {
    for (unsigned long long waited = 0;; waited += 10000) {
      bool idle = true;
      for (cudaStream_t stream : streams_) idle &= cudaStreamQuery(stream) == cudaSuccess;
      if (idle || waited >= ns) return idle;
      duetHostWork(10000);
    }
  }
  cudaStream_t streams_[kStreams], rescue_;
  int* buffers_[kBuffers];
  int* initial_[kBuffers];
  int* host_;
};

void print(const Round& round) {
  static const char* const kKinds[] = {"in", "out", "kernel", "set"};
  for (int b = 0; b < kBuffers; ++b) std::printf("  buffer %d: %d words, %s\n", b, round.words[b], round.full[b] ? "full" : "empty");
  for (const Operation& own : round.operations)
    std::printf("  %2d stream %d %s buffer %d [%d, %d) trigger %d action %d source %d\n", own.number, own.stream,
                kKinds[static_cast<int>(own.kind)], own.buffer, own.first, own.first + own.words, own.trigger,
                own.action, own.source);
  for (const Operation& own : round.operations)
    if (own.kind == Kind::Kernel)
      std::printf("  %2d %d warps %d steps %s%s\n", own.number, own.warps, own.steps, own.adjacent ? "adjacent" : "apart",
                  own.overwrites ? ", overwrites" : "");
}

}  // namespace

int main(int argc, char** argv) {
  bool strict = false, verbose = false;
  if (argc < 3) {
    std::fprintf(stderr, "usage: interleavings FIRST LAST [--class general|strict] [--verbose]\n");
    return 2;
  }
  for (int i = 3; i < argc; ++i) {
    const std::string option = argv[i];
    if (option == "--verbose") verbose = true;
    if (option == "--steps") with_steps = true;
    if (option == "--granule" && i + 1 < argc) granule_words = std::atoi(argv[++i]) / 4;
    if (option == "--class" && i + 1 < argc) strict = std::string(argv[++i]) == "strict";
  }
  Machine machine;
  const unsigned long long first = std::strtoull(argv[1], nullptr, 0), last = std::strtoull(argv[2], nullptr, 0);
  unsigned long long still = 0, mismatches = 0, operations = 0;
  for (unsigned long long seed = first; seed < last; ++seed) {
    const Round round = make_round(seed, strict);
    if (verbose) {
      std::printf("seed %llu\n", seed);
      print(round);
      std::fflush(stdout);
    }
    const Outcome expected = interpret(round, seed);
    const bool ended = machine.run(round, seed);
    operations += round.operations.size();
    still += expected.stands_still;
    std::string complaint;
    if (ended == expected.stands_still) {
      complaint = ended ? "ended, where the reference stands still" : "stood still, where the reference ends";
    } else if (ended) {
      for (const Operation& own : round.operations)
        for (int i = 0; own.kind == Kind::Out && i < own.words; ++i)
          if (const int got = machine.memory_of(own)[i], wanted = expected.read[static_cast<std::size_t>(own.number)][static_cast<std::size_t>(i)];
              got != wanted && complaint.empty())
            complaint = "operation " + std::to_string(own.number) + ", word " + std::to_string(i) + ": " +
                        std::to_string(got) + " instead of " + std::to_string(wanted);
    }
    if (!complaint.empty()) {
      if (++mismatches <= 3) {
        std::printf("seed %llu: %s\n", seed, complaint.c_str());
        print(round);
      }
    }
  }
  std::printf("%llu rounds, %llu operations, %llu stood still, %llu mismatches\n", last - first, operations, still,
              mismatches);
  return mismatches != 0;
}
