// yang2012 Table 1, Fast Fourier Transform (FFT): 1M complex points with 512K threads, 128 a block. The paper
// names Govindaraju et al. (Supercomputing 2008), whose transform in global memory is Stockham's: a launch
// makes one pass with radix R from one array into another, and a launch has N / R threads. 512K threads for
// 1M points therefore mean R = 2: twenty launches, in each of which a thread reads two points N / 2 apart,
// turns one, and writes their sum and difference. No loop: an LWST kernel of section 4.1. Sines and cosines
// are the fast intrinsics. Left out: that paper's passes in shared memory, which have fewer threads.
// `--passes 1` runs the first launch alone: after p passes the array holds N / 2^p transforms of 2^p points
// each, and those are what is checked.
#include <complex>

#include "benchmark.h"

namespace {

using namespace yang2012;

enum { kPasses };
const Spec kSpec = {"FFT",
                    "complex points, a power of two",
                    1u << 20,
                    256,
                    1u << 24,
                    256,
                    {{"--passes", "to run; 0: all of them", 0, 0, 24}},
                    {}};
const unsigned kThreads = 128;

// Transforms of every 2^p-th point in double precision, by halves: not Stockham's order, so that a mistake in
// it is not made twice.
class Reference {
 public:
  Reference(const std::vector<float2>& points, size_t length) : points_(points) {
    for (size_t k = 0; k < length / 2; k++)
      turns_.push_back(std::polar(1.0, -2 * 3.14159265358979323846 * static_cast<double>(k) / length));
    apart_ = points.size() / length;
    values_.resize(length);
  }
  // Of the points first, first + N / length, first + 2 N / length, ...
  const std::vector<std::complex<double>>& transform(size_t first) {
    part(first, apart_, values_.data(), values_.size());
    return values_;
  }

 private:
  void part(size_t first, size_t apart, std::complex<double>* out, size_t length) {
    if (length == 1) {
      out[0] = {points_[first].x, points_[first].y};
      return;
    }
    const size_t half = length / 2, step = apart / apart_;
    part(first, 2 * apart, out, half);
    part(first + apart, 2 * apart, out + half, half);
    for (size_t k = 0; k < half; k++) {
      const std::complex<double> turned = turns_[k * step] * out[half + k];
      out[half + k] = out[k] - turned;
      out[k] += turned;
    }
  }

  const std::vector<float2>& points_;
  size_t apart_;
  std::vector<std::complex<double>> turns_, values_;
};

}  // namespace

// `done`: points of the transforms that the passes before have made. angle: -pi / done.
extern "C" __global__ void fft_pass(const float2* in, float2* out, int n, int done, float angle) {
  const int thread = blockIdx.x * blockDim.x + threadIdx.x;
  const int k = thread & (done - 1);
  const float2 a = in[thread], b = in[thread + n / 2];
  const float cosine = __cosf(angle * k), sine = __sinf(angle * k);
  const float2 turned = make_float2(b.x * cosine - b.y * sine, b.x * sine + b.y * cosine);
  const int at = 2 * (thread - k) + k;
  out[at] = make_float2(a.x + turned.x, a.y + turned.y);
  out[at + done] = make_float2(a.x - turned.x, a.y - turned.y);
}

int main(int argc, char** argv) {
  const Options options = parse_options(argc, argv, kSpec);
  const unsigned n = options.size;
  require_power_of_two(kSpec, "--size", n);
  unsigned all = 0;
  while (1u << all < n) all++;
  const unsigned passes = options.extra[kPasses] == 0 ? all : options.extra[kPasses];
  if (passes > all) {
    fprintf(stderr, "%s: a transform of %u points has %u passes, not %u\n", kSpec.program, n, all, passes);
    return 2;
  }

  std::vector<float2> input(n);
  workload::Random random(options.seed);
  for (float2& point : input) {
    point.x = random.uniform(-1.0f, 1.0f);
    point.y = random.uniform(-1.0f, 1.0f);
  }
  const Array<float2> even(options.memory, n), odd(options.memory, n);
  const Array<float2>* from = &even;
  const Array<float2>* to = &odd;
  const Geometry geometry = {n / 2 / kThreads, kThreads};
  duetMark("data ready");
  for (unsigned i = 0; i < options.repeat; i++) {
    CHECK_CUDA(cudaDeviceSynchronize());
    from = &even;
    to = &odd;
    for (unsigned k = 0; k < n; k++) even[k] = input[k];
    even.to_device();
    begin(options);
    for (unsigned pass = 0; pass < passes; pass++) {
      const int done = 1 << pass;
      fft_pass<<<geometry.grid, geometry.block>>>(from->device(), to->device(), static_cast<int>(n), done,
                                                  -3.14159265f / static_cast<float>(done));
      CHECK_LAUNCH("fft_pass");
      std::swap(from, to);
    }
  }
  from->to_host();
  duetMark("finish");

  // Each pass adds an error of about an ulp of what the points have become: their root mean square doubles in
  // square. The eight is room for the largest of many.
  Check check(kSpec);
  const size_t length = static_cast<size_t>(1) << passes;
  const double tolerance = 8 * 6e-8 * (passes + 1) * sqrt(static_cast<double>(length));
  Reference reference(input, length);
  for (size_t first = 0; first < n / length; first++) {
    const std::vector<std::complex<double>>& expected = reference.transform(first);
    for (size_t k = 0; k < length; k++) {
      check.element("real part", first * length + k, (*from)[first * length + k].x, expected[k].real(),
                    tolerance);
      check.element("imaginary part", first * length + k, (*from)[first * length + k].y, expected[k].imag(),
                    tolerance);
    }
  }
  return check.finish(options, geometry, "8*6e-8*(passes+1)*sqrt(2^passes)");
}
