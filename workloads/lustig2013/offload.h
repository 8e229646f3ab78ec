// The four ways to offload (lustig2013 section 5, Figure 7), for any benchmark whose result is complete after
// a fixed sequence of kernels. Streams: 0 kernels, 1 copies in, 2 copies out. Runtime is from the mark "data
// ready" to the mark "finish"; the mark "offload" precedes all commands of an offload.
//
//   baseline        stream 0 does everything, after the data are ready
//   overlap-start   in advance the first kernel; it waits for its inputs, which are emptied before the
//                   launch and filled by the copies in, in stream 1; the copies out follow the kernels in
//                   stream 0
//   overlap-finish  in advance the first copy out, in stream 2; it waits for its words, which are emptied
//                   before it is issued and filled by the kernel; the copies in precede the kernels in
//                   stream 0
//   full-overlap    both
//
// Emptied are whole arrays, before every offload: words that an earlier offload filled would let a kernel or
// a copy run ahead of its data. Of a stream's commands only the first is issued in advance. A later one could
// not start before it has ended, and with one hardware channel it would stand in front of the copies in, for
// which the first waits.
//
// The first offload of a process finds the instruction caches cold, which an early launch hides and a late
// one does not. The SDK's matrixMul and histogram run their kernels once before they time them; here a whole
// offload of the same variant goes before those that are marked (--warm-ups).
#pragma once

#include <memory>

#include "buffers.h"

namespace lustig2013 {

class Streams {
 public:
  Streams(const Options& options, const Side& in, const Side& out) {
    if (options.overlaps_start()) in_.resize(options.stream_each ? in.transfers().size() : 1);
    if (options.overlaps_finish()) out_.resize(options.stream_each ? out.transfers().size() : 1);
    for (auto* group : {&in_, &out_})
      for (auto& stream : *group) stream = std::make_unique<Stream>();
  }
  // Where copies follow or precede the kernels, they share the kernels' stream.
  cudaStream_t kernel() const { return kernel_.get(); }
  cudaStream_t in(size_t array) const { return in_.empty() ? kernel() : in_[array % in_.size()]->get(); }
  cudaStream_t out(size_t array) const { return out_.empty() ? kernel() : out_[array % out_.size()]->get(); }
  size_t outs() const { return out_.empty() ? 1 : out_.size(); }

  // Sets one of Duet's marks, unless the offload is a warm-up.
  void mark(const char* name) const {
    if (measured_) duetMark(name);
  }
  void measure() { measured_ = true; }

 private:
  bool measured_ = false;
  Stream kernel_;
  std::vector<std::unique_ptr<Stream>> in_, out_;
};

// Makes every word of the side's arrays empty; nothing when they have no bits.
inline void empty_words(const Side& side, cudaStream_t stream) {
#ifdef __DUET__
  if (!side.tracked()) return;
  for (const Array& array : side.arrays())
    CHECK_CUDA(duetFullEmptySet(array.device, array.bytes, duetEmpty, stream));
  CHECK_CUDA(cudaStreamSynchronize(stream));
#else
  (void)side, (void)stream;
#endif
}

// A granule is full when all of it has been written, and kernels write what is used: an output that ends
// within a granule could never be copied back.
inline void require_whole_outputs(const Side& out) {
  if (!out.tracked()) return;
  for (const Array& array : out.arrays())
    if (array.used != array.bytes) {
      fprintf(stderr, "an output of %zu bytes does not consist of whole granules of --granule bytes\n",
              array.used);
      exit(2);
    }
}

// A copy in fills the words that have bits.
inline void copy_piece_in(const Side& side, char* device, const char* host, size_t bytes,
                          cudaStream_t stream) {
#ifdef __DUET__
  if (side.tracked()) {
    CHECK_CUDA(cudaMemcpyAsync(device, host, bytes, cudaMemcpyHostToDevice, stream, cudaMemcpyTriggerNone,
                               cudaMemcpyActionFill));
    return;
  }
#endif
  (void)side;
  CHECK_CUDA(cudaMemcpyAsync(device, host, bytes, cudaMemcpyHostToDevice, stream));
}

// All arrays, in pieces where the options say so.
inline void copy_in(const Options& options, const Side& in, const Streams& streams) {
  const std::vector<Array> transfers = in.transfers();
  bool first = true;
  for (size_t i = 0; i < transfers.size(); i++) {
    const Array& array = transfers[i];
    const size_t step = options.chunk_bytes != 0 ? options.chunk_bytes : array.bytes;
    for (size_t at = 0; at < array.bytes; at += step) {
      if (!first && options.late_ns != 0) duetHostWork(options.late_ns);
      first = false;
      const size_t bytes = array.bytes - at < step ? array.bytes - at : step;
      copy_piece_in(in, array.device + at, array.host + at, bytes, streams.in(i));
    }
  }
}

// Arrays [first, last); a copy out waits until the words that have bits are full.
inline void copy_out(const Side& out, const Streams& streams, size_t first, size_t last) {
  const std::vector<Array> transfers = out.transfers();
  for (size_t i = first; i < last && i < transfers.size(); i++) {
    const Array& array = transfers[i];
#ifdef __DUET__
    if (out.tracked()) {
      CHECK_CUDA(cudaMemcpyAsync(array.host, array.device, array.bytes, cudaMemcpyDeviceToHost,
                                 streams.out(i), cudaMemcpyTriggerFilled));
      continue;
    }
#endif
    CHECK_CUDA(
        cudaMemcpyAsync(array.host, array.device, array.bytes, cudaMemcpyDeviceToHost, streams.out(i)));
  }
}

// `first` launches the kernel that reads the inputs, `rest` those after it, in the stream that they are
// given; the last of them writes every word of `out`.
template <typename First, typename Rest>
void offload(const Options& options, const Streams& streams, const Side& in, const Side& out, First&& first,
             Rest&& rest) {
  const size_t early_copies = options.overlaps_finish() ? streams.outs() : 0;
  require_whole_outputs(out);
  if (options.variant != Variant::kBaseline) {
    empty_words(in, streams.kernel());
    empty_words(out, streams.kernel());
    if (!options.advance) streams.mark("data ready");
    if (options.overlaps_start()) first(streams.kernel());
    copy_out(out, streams, 0, early_copies);
    if (options.advance) duetHostWork(options.gap_ns);
  }
  if (options.advance || options.variant == Variant::kBaseline) streams.mark("data ready");
  copy_in(options, in, streams);
  if (!options.overlaps_start()) first(streams.kernel());
  rest(streams.kernel());
  copy_out(out, streams, early_copies, out.arrays().size());
  for (size_t i = 0; i < streams.outs(); i++) CHECK_CUDA(cudaStreamSynchronize(streams.out(i)));
  streams.mark("finish");
}

// Warm-ups and as many measured offloads as asked for, each with new inputs and every output element checked.
// Measured are the same inputs with and without warm-ups.
template <typename Problem>
int run(const Spec& spec, const Options& options, Problem& problem) {
  Streams streams(options, problem.in, problem.out);
  for (unsigned i = 0; i < options.warm_ups + options.repeat; i++) {
    const bool measured = i >= options.warm_ups;
    if (measured) streams.measure();
    problem.fill(options.seed + (measured ? i - options.warm_ups : options.repeat + i));
    streams.mark("offload");
    problem.run(streams);
    const int wrong = problem.check();
    if (wrong != 0) return wrong;
  }
  printf("PASS %s %u\n", spec.program, options.size);
  return 0;
}

inline int report_mismatch(const Spec& spec, const char* what, size_t index, double got, double expected) {
  fprintf(stderr, "%s: %s %zu is %.9g, expected %.9g\n", spec.program, what, index, got, expected);
  return 1;
}

}  // namespace lustig2013
