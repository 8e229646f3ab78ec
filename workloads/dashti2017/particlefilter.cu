// dashti2017 Figure 4, particlefilter: an object in a noisy video is followed by particles. Rodinia's naive version: the host moves the
// particles, weighs each by the pixels around it and adds the weights up; the GPU only draws the next particles, each thread by a search
// through the sums from the first one on, so all threads read the same sums again and again. All of it in double precision.
// `particlefilter --particles 1000 --frames 4`.
#include "../common/random.h"
#include "application.h"

extern "C" __global__ void draw(const double* x, const double* y, const double* sums, const double* drawn, double* next_x, double* next_y,
                                int count) {
  const int own = blockIdx.x * blockDim.x + threadIdx.x;
  if (own >= count) return;
  int found = count - 1;
  for (int i = 0; i < count; i++)
    if (sums[i] >= drawn[own]) {
      found = i;
      break;
    }
  next_x[own] = x[found];
  next_y[own] = y[found];
}

namespace {

const int kThreads = 128, kSide = 128, kRadius = 4;
const int kDark = 100, kBright = 228;
const double kTwoPi = 6.283185307179586;

double normal(workload::Random& random) {
  const double u = random.uniform(1e-6f, 1), v = random.uniform(0, 1);
  return sqrt(-2 * log(u)) * cos(kTwoPi * v);
}

// The object goes a pixel to the right and two up a frame.
std::vector<int> frame_of(int frame) {
  workload::Random random(frame);
  std::vector<int> pixels(kSide * kSide);
  const int x = kSide / 2 + frame, y = kSide / 2 - 2 * frame;
  for (int i = 0; i < kSide * kSide; i++) {
    const int right = i % kSide - x, down = i / kSide - y;
    pixels[i] = (right * right + down * down <= kRadius * kRadius ? kBright : kDark) + static_cast<int>(random.below(21)) - 10;
  }
  return pixels;
}

// How much more probable the pixels around a place are with the object there than without it.
double likelihood(const std::vector<int>& pixels, double x, double y) {
  double sum = 0;
  int places = 0;
  for (int down = -kRadius; down <= kRadius; down++)
    for (int right = -kRadius; right <= kRadius; right++) {
      if (right * right + down * down > kRadius * kRadius) continue;
      const int column = static_cast<int>(lround(x)) + right, row = static_cast<int>(lround(y)) + down;
      const bool inside = column >= 0 && column < kSide && row >= 0 && row < kSide;
      const double pixel = pixels[inside ? row * kSide + column : 0];
      sum += ((pixel - kDark) * (pixel - kDark) - (pixel - kBright) * (pixel - kBright)) / 50;
      places++;
    }
  return sum / places;
}

}  // namespace

int main(int argc, char** argv) {
  dashti2017::Arguments arguments("particlefilter", "[--particles N] [--frames N] [--time all|offload]", argc, argv);
  const dashti2017::Method method = arguments.method();
  const int count = static_cast<int>(arguments.number("particles", 256, 32, 1u << 17));
  const int frames = static_cast<int>(arguments.number("frames", 2, 1, 30));
  const dashti2017::Timed timed(arguments);
  arguments.end();

  dashti2017::Array<double> x(method, count), y(method, count), next_x(method, count), next_y(method, count), sums(method, count),
      drawn(method, count);
  std::vector<double> weights(count, 1.0 / count);
  std::vector<std::vector<int>> video;
  for (int frame = 1; frame <= frames; frame++) video.push_back(frame_of(frame));
  next_x.to_device();
  next_y.to_device();
  CHECK_CUDA(cudaDeviceSynchronize());
  const int blocks = (count + kThreads - 1) / kThreads;
  const auto next = [&] {
    for (const auto* array : {&x, &y, &sums, &drawn, &next_x, &next_y}) array->to_device();
    draw<<<blocks, kThreads>>>(x.device(), y.device(), sums.device(), drawn.device(), next_x.device(), next_y.device(), count);
    CHECK_LAUNCH("draw");
    next_x.to_host();
    next_y.to_host();
    for (const auto* array : {&x, &y, &sums, &drawn}) array->take_back();
  };
  timed.inputs();
  workload::Random random(1);
  for (int i = 0; i < count; i++) x[i] = y[i] = kSide / 2;
  timed.offload();
  double mean_x = 0, mean_y = 0;
  for (const std::vector<int>& pixels : video) {
    for (int i = 0; i < count; i++) {
      x[i] = x[i] + 1 + 5 * normal(random);
      y[i] = y[i] - 2 + 2 * normal(random);
    }
    for (int i = 0; i < count; i++) weights[i] *= exp(likelihood(pixels, x[i], y[i]));
    double all = 0;
    for (int i = 0; i < count; i++) all += weights[i];
    for (int i = 0; i < count; i++) weights[i] /= all;
    mean_x = mean_y = 0;
    for (int i = 0; i < count; i++) {
      mean_x += x[i] * weights[i];
      mean_y += y[i] * weights[i];
    }
    sums[0] = weights[0];
    for (int i = 1; i < count; i++) sums[i] = weights[i] + sums[i - 1];
    const double first = random.uniform(0, 1) / count;
    for (int i = 0; i < count; i++) drawn[i] = first + i / static_cast<double>(count);
    next();
    for (int i = 0; i < count; i++) {
      x[i] = next_x[i];
      y[i] = next_y[i];
      weights[i] = 1.0 / count;
    }
  }
  timed.offloaded();
  timed.results();

  // The last sums again, with particles that say which one was drawn.
  for (int i = 0; i < count; i++) {
    x[i] = i;
    y[i] = -i;
  }
  next();
  for (int i = 0; i < count; i++) {
    int found = 0;
    while (found < count - 1 && sums[found] < drawn[i]) found++;
    if (next_x[i] != found || next_y[i] != -found) return dashti2017::wrong("particlefilter", "particle", i, next_x[i], found);
  }
  const double right = kSide / 2 + frames, up = kSide / 2 - 2 * frames;
  if (fabs(mean_x - right) > 3 || fabs(mean_y - up) > 3)
    return dashti2017::wrong("particlefilter", "the column in frame", frames, mean_x, right);
  printf("PASS particlefilter method=%s particles=%d frames=%d\n", dashti2017::name_of(method), count, frames);
  return 0;
}
