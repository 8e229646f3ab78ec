// Kernels whose pre-execution programs are judged, twice: for the GPU, and for the host, where every access
// through a POINTER is recorded (judge.cpp) and threads run one after the other.
//   ROW(vecadd, (a, b, c, n), ...)   judge.cpp lists them with their launches
#pragma once

#ifdef DUET_ORACLE
#define KERNEL static void
#define POINTER(type) Traced<type>
#define SHARED static
#define BARRIER()
#else
#define KERNEL extern "C" __global__ void
#define POINTER(type) type*
#define SHARED __shared__
#define BARRIER() __syncthreads()
#endif

// yang2012 Figure 3a, with a guard.
KERNEL vecadd(POINTER(const float) a, POINTER(const float) b, POINTER(float) c, int n) {
  const int i = blockDim.x * blockIdx.x + threadIdx.x;
  if (i < n) c[i] = a[i] + b[i];
}

// Figure 9a.
KERNEL tmv(POINTER(const float) a, POINTER(const float) b, POINTER(float) c, int width, int height) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
  for (int i = 0; i < height; i++) sum += a[i * width + x] * b[i];
  c[x] = sum;
}

// A row a thread; the pointer moves.
KERNEL mv(POINTER(const float) a, POINTER(const float) b, POINTER(float) c, int width, int rows) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  float sum = 0;
  for (int i = 0; i < width; i++) sum += a[row * width + i] * b[i];
  c[row] = sum;
}

// Tiles of 4 x 4 in shared memory, two dimensions.
KERNEL mm(POINTER(const float) a, POINTER(const float) b, POINTER(float) c, int n) {
  SHARED float x[4][4];
  SHARED float y[4][4];
  const int row = blockIdx.y * 4 + threadIdx.y, column = blockIdx.x * 4 + threadIdx.x;
  float sum = 0;
  for (int t = 0; t < n / 4; t++) {
    x[threadIdx.y][threadIdx.x] = a[row * n + t * 4 + threadIdx.x];
    y[threadIdx.y][threadIdx.x] = b[(t * 4 + threadIdx.y) * n + column];
    BARRIER();
    for (int k = 0; k < 4; k++) sum += x[threadIdx.y][k] * y[k][threadIdx.x];
    BARRIER();
  }
  c[row * n + column] = sum;
}

// A mask of 3 x 3 over a picture, whose border is left out.
KERNEL convolution(POINTER(const int) in, POINTER(const int) mask, POINTER(int) out, int width, int height) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < 1 || y < 1 || x >= width - 1 || y >= height - 1) return;
  int sum = 0;
  for (int j = -1; j <= 1; j++)
    for (int i = -1; i <= 1; i++) sum += in[(y + j) * width + x + i] * mask[(j + 1) * 3 + i + 1];
  out[y * width + x] = sum;
}

// Paths of a thread, a grid apart.
KERNEL strided(POINTER(const float) samples, POINTER(float) sums, int n) {
  const int first = blockIdx.x * blockDim.x + threadIdx.x, step = blockDim.x * gridDim.x;
  float sum = 0;
  for (int i = first; i < n; i += step) sum += samples[i];
  sums[first] = sum;
}

// The same from the other end, and with iterators of 64 bits.
KERNEL falling(POINTER(const float) samples, POINTER(float) sums, int n) {
  const int first = blockIdx.x * blockDim.x + threadIdx.x, step = blockDim.x * gridDim.x;
  float sum = 0;
  for (int i = n - 1 - first; i >= 0; i -= step) sum += samples[i];
  sums[first] = sum;
}
KERNEL strided64(POINTER(const float) samples, POINTER(float) sums, long n) {
  const long first = blockIdx.x * blockDim.x + threadIdx.x, step = blockDim.x * gridDim.x;
  float sum = 0;
  for (long i = first; i < n; i += step) sum += samples[i];
  sums[first] = sum;
}

// A pass of a bitonic sort: partners by division, writes that depend on what was read.
KERNEL bitonic(POINTER(unsigned) keys, unsigned distance, unsigned width) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned left = i / distance * distance * 2 + i % distance;
  const unsigned l = keys[left], r = keys[left + distance];
  const bool up = i / width % 2 == 0;
  keys[left] = (l < r) == up ? l : r;
  keys[left + distance] = (l < r) == up ? r : l;
}

// A distance that doubles.
KERNEL doubling(POINTER(const int) in, POINTER(int) out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  int sum = 0;
  for (int d = 1; d < n; d <<= 1)
    if (i >= d) sum += in[i - d];
  out[i] = sum;
}

// An address that is read.
KERNEL gather(POINTER(const int) index, POINTER(const double) from, POINTER(double) to, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) to[i] = from[index[i]];
}

// A step of a breadth-first search: bounds and addresses that are read, guards by data.
KERNEL search(POINTER(const int) rows, POINTER(const int) edges, POINTER(const int) frontier,
              POINTER(int) cost, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  if (frontier[i] == 0) return;
  for (int e = rows[i]; e < rows[i + 1]; e++) cost[edges[e]] = 1;
}
