// dashti2017 Figure 4, dwt2d: the wavelet transform of JPEG 2000 (5/3, in integers) of an image's three colours, over and over of the quarter that
// is left. A kernel splits the colours; then a block takes a strip of 64 columns through shared memory, eight rows at a time, first its columns,
// then its rows. `dwt2d --width 192 --height 192 --levels 3`.
//
// Rodinia's default has the image and the results on the host from cudaMallocHost, so `--method default` uses hostalloc there, and copies.
#include "../common/random.h"
#include "application.h"

namespace {

using Byte = unsigned char;
const int kColumns = 64, kRows = 8, kHalo = 3, kColours = 3, kThreads = 256;

// Of an image that is mirrored at its edges; what is further away than that is not used.
__host__ __device__ int mirrored(int i, int size) {
  const int in = i < 0 ? -i : i, back = 2 * (size - 1) - in;
  return in < size ? in : back < 0 ? 0 : back;
}
__host__ __device__ int high(int before, int own, int after) { return own - ((before + after) >> 1); }
__host__ __device__ int low(int before, int own, int after) { return own + ((before + after + 2) >> 2); }

// Where a coefficient goes: the four quarters one behind another.
__host__ __device__ int place(int x, int y, int width, int height) {
  const int left = (width + 1) / 2, top = (height + 1) / 2;
  const int quarter_width = x % 2 == 0 ? left : width - left;
  const int first = y % 2 == 0 ? (x % 2 == 0 ? 0 : left * top) : width * top + (x % 2 == 0 ? 0 : left * (height - top));
  return first + y / 2 * quarter_width + x / 2;
}

}  // namespace

extern "C" __global__ void split_colours(const Byte* image, int* red, int* green, int* blue, int pixels) {
  __shared__ Byte own[kThreads * kColours];
  const int i = threadIdx.x, first = blockIdx.x * kThreads;
  if (i * 4 < kThreads * kColours) reinterpret_cast<unsigned*>(own)[i] = reinterpret_cast<const unsigned*>(image)[first * kColours / 4 + i];
  __syncthreads();
  if (first + i >= pixels) return;
  red[first + i] = own[i * kColours] - 128;
  green[first + i] = own[i * kColours + 1] - 128;
  blue[first + i] = own[i * kColours + 2] - 128;
}

namespace {

// A column, of which the first rows are there already: loads the others, and makes high and low of them.
__device__ void take_column(int (*strip)[kColumns + kHalo], const int* in, int column, int x, int y, int width, int height) {
  for (int row = kHalo; row < kRows + kHalo; row++) strip[row][column] = in[mirrored(y + row, height) * width + mirrored(x, width)];
}
__device__ void transform_column(int (*strip)[kColumns + kHalo], int column, int* kept) {
  for (int i = 0; i < kHalo; i++) kept[i] = strip[kRows + i][column];
  for (int row = 1; row < kRows + kHalo; row += 2) strip[row][column] = high(strip[row - 1][column], strip[row][column], strip[row + 1][column]);
  for (int row = 2; row < kRows + 2; row += 2) strip[row][column] = low(strip[row - 1][column], strip[row][column], strip[row + 1][column]);
}

}  // namespace

// Row and column 2 of the strip are the block's first: two before it, and one behind, belong to neighbours.
extern "C" __global__ void transform(const int* in, int* out, int width, int height, int steps) {
  __shared__ int strip[kRows + kHalo][kColumns + kHalo];
  const int first_x = blockIdx.x * kColumns, first_y = blockIdx.y * kRows * steps;
  const int own = threadIdx.x + 2, more = threadIdx.x == 0 ? kColumns + 2 : threadIdx.x - 1;  // the first threads have another column
  int kept[kHalo], kept_more[kHalo];
  for (int i = 0; i < kHalo; i++) {
    const int row = mirrored(first_y - 2 + i, height) * width;
    kept[i] = in[row + mirrored(first_x - 2 + own, width)];
    if (threadIdx.x < kHalo) kept_more[i] = in[row + mirrored(first_x - 2 + more, width)];
  }
  for (int step = 0; step < steps; step++) {
    const int y = first_y + step * kRows;
    for (int i = 0; i < kHalo; i++) strip[i][own] = kept[i];
    take_column(strip, in, own, first_x - 2 + own, y - 2, width, height);
    transform_column(strip, own, kept);
    if (threadIdx.x < kHalo) {
      for (int i = 0; i < kHalo; i++) strip[i][more] = kept_more[i];
      take_column(strip, in, more, first_x - 2 + more, y - 2, width, height);
      transform_column(strip, more, kept_more);
    }
    __syncthreads();
    for (int i = threadIdx.x; i < kRows * (kColumns / 2 + 1); i += kColumns) {
      int* const row = strip[2 + i / (kColumns / 2 + 1)];
      const int column = 1 + i % (kColumns / 2 + 1) * 2;
      row[column] = high(row[column - 1], row[column], row[column + 1]);
    }
    __syncthreads();
    for (int i = threadIdx.x; i < kRows * kColumns / 2; i += kColumns) {
      int* const row = strip[2 + i / (kColumns / 2)];
      const int column = 2 + i % (kColumns / 2) * 2;
      row[column] = low(row[column - 1], row[column], row[column + 1]);
    }
    __syncthreads();
    // One half of the threads writes even columns, the other odd ones, so that neighbours are neighbours in a quarter.
    const int column = threadIdx.x % (kColumns / 2) * 2 + threadIdx.x / (kColumns / 2), x = first_x + column;
    for (int row = 0; row < kRows && x < width && y + row < height; row++) out[place(x, y + row, width, height)] = strip[2 + row][2 + column];
    __syncthreads();
  }
}

namespace {

void transform_on_cpu(std::vector<int>& image, int width, int height) {
  std::vector<int> turned(image.size()), out(image.size());
  for (int pass = 0; pass < 2; pass++) {
    const int size = pass == 0 ? height : width, lines = pass == 0 ? width : height;
    const int next = pass == 0 ? width : 1, next_line = pass == 0 ? 1 : width;
    for (int line = 0; line < lines; line++) {
      int* const own = &image[line * next_line];
      for (int i = 1; i < size; i += 2) own[i * next] = high(own[(i - 1) * next], own[i * next], own[mirrored(i + 1, size) * next]);
      for (int i = 0; i < size; i += 2)
        own[i * next] = low(own[mirrored(i - 1, size) * next], own[i * next], own[mirrored(i + 1, size) * next]);
    }
  }
  for (int y = 0; y < height; y++)
    for (int x = 0; x < width; x++) out[place(x, y, width, height)] = image[y * width + x];
  image = out;
}

// Levels are one inside another: the first quarter of each is transformed again.
std::vector<int> levels_on_cpu(std::vector<int> image, int width, int height, int levels) {
  std::vector<int> out(image.size());
  for (int level = 0; level < levels; level++) {
    transform_on_cpu(image, width, height);
    for (size_t i = 0; i < image.size(); i++) out[i] = image[i];
    width = (width + 1) / 2;
    height = (height + 1) / 2;
    image.resize(size_t(width) * height);
  }
  return out;
}

Byte pixel(workload::Random& random, size_t i, int width) {
  return static_cast<Byte>((i / kColours % width + i / kColours / width) % 224 + random.below(32));
}

}  // namespace

int main(int argc, char** argv) {
  dashti2017::Arguments arguments("dwt2d", "[--width N] [--height N] [--levels N] [--time all|offload], integers", argc, argv);
  const dashti2017::Method method = arguments.method();
  const int width = static_cast<int>(arguments.number("width", 64, 64, 4096));
  const int height = static_cast<int>(arguments.number("height", 64, 64, 4096));
  const int levels = static_cast<int>(arguments.number("levels", 3, 1, 5));
  const dashti2017::Timed timed(arguments);
  arguments.end();

  const bool copies = method == dashti2017::Method::kDevice;
  const int pixels = width * height, blocks = (pixels + kThreads - 1) / kThreads;
  const size_t bytes = size_t(blocks) * kThreads * kColours;
  dashti2017::Array<Byte> image(copies ? dashti2017::Method::kMapped : method, bytes);
  dashti2017::Array<int> red(method, pixels), green(method, pixels), blue(method, pixels);
  dashti2017::Array<int> red_out(method, pixels), green_out(method, pixels), blue_out(method, pixels);
  dashti2017::Array<int> host_out(dashti2017::Method::kMapped, copies ? pixels : 1);
  Byte* image_on_gpu = image.device();
  if (copies) CHECK_CUDA(cudaMalloc(&image_on_gpu, bytes));
  std::vector<int> result(size_t(pixels) * kColours);
  for (const auto* array : {&red, &green, &blue, &red_out, &green_out, &blue_out}) array->to_device();
  CHECK_CUDA(cudaDeviceSynchronize());
  timed.inputs();
  workload::Random random(1);
  for (size_t i = 0; i < bytes; i++) image[i] = i < size_t(pixels) * kColours ? pixel(random, i, width) : 0;
  timed.offload();
  if (copies)
    CHECK_CUDA(cudaMemcpy(image_on_gpu, &image[0], bytes, cudaMemcpyHostToDevice));
  else
    image.to_device();
  split_colours<<<blocks, kThreads>>>(image_on_gpu, red.device(), green.device(), blue.device(), pixels);
  CHECK_LAUNCH("split_colours");
  dashti2017::Array<int>*const in[] = {&red, &green, &blue}, *const out[] = {&red_out, &green_out, &blue_out};
  for (int colour = 0; colour < kColours; colour++) {
    int w = width, h = height;
    for (int level = 0; level < levels; level++) {
      const int steps = (h + 15 * kRows - 1) / (15 * kRows);
      transform<<<dim3((w + kColumns - 1) / kColumns, (h + kRows * steps - 1) / (kRows * steps)), kColumns>>>(
          in[colour]->device(), out[colour]->device(), w, h, steps);
      CHECK_LAUNCH("transform");
      w = (w + 1) / 2;
      h = (h + 1) / 2;
      if (level + 1 < levels)
        CHECK_CUDA(cudaMemcpy(in[colour]->device(), out[colour]->device(), size_t(w) * h * sizeof(int), cudaMemcpyDeviceToDevice));
    }
  }
  for (int colour = 0; colour < kColours; colour++) {
    if (copies)
      CHECK_CUDA(cudaMemcpy(&host_out[0], out[colour]->device(), out[colour]->bytes(), cudaMemcpyDeviceToHost));
    else
      out[colour]->to_host();
    const int* const from = copies ? &host_out[0] : &(*out[colour])[0];
    for (int i = 0; i < pixels; i++) result[colour * pixels + i] = from[i];
  }
  timed.offloaded();
  timed.results();
  if (copies) CHECK_CUDA(cudaFree(image_on_gpu));

  workload::Random again(1);
  std::vector<Byte> bytes_again(size_t(pixels) * kColours);
  for (size_t i = 0; i < bytes_again.size(); i++) bytes_again[i] = pixel(again, i, width);
  for (int colour = 0; colour < kColours; colour++) {
    std::vector<int> one(pixels);
    for (int i = 0; i < pixels; i++) one[i] = bytes_again[i * kColours + colour] - 128;
    const std::vector<int> expected = levels_on_cpu(one, width, height, levels);
    for (int i = 0; i < pixels; i++)
      if (result[colour * pixels + i] != expected[i])
        return dashti2017::wrong("dwt2d", "coefficient", colour * pixels + i, result[colour * pixels + i], expected[i]);
  }
  printf("PASS dwt2d method=%s width=%d height=%d levels=%d\n", dashti2017::name_of(method), width, height, levels);
  return 0;
}
