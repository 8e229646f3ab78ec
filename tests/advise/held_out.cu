// held_out NAME bad|good [SMS]
//
// Programs with one known flaw each, written without a look at the rules of the advice; `good` does the same
// work without it. SMS sizes the problem; without it the device is asked. Every program checks its results on
// the host, in both versions. flaws.py --held-out runs them.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#define CK(call)                                                                  \
  do {                                                                            \
    cudaError_t e_ = (call);                                                      \
    if (e_ != cudaSuccess) {                                                      \
      fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(e_)); \
      exit(2);                                                                    \
    }                                                                             \
  } while (0)

struct Args {
  bool good;
  int sms;
  bool big() const { return sms > 64; }
};

template <typename T>
T* pinned(size_t n) {
  T* p;
  CK(cudaMallocHost(&p, n * sizeof(T)));
  return p;
}
template <typename T>
T* device(size_t n) {
  T* p;
  CK(cudaMalloc(&p, n * sizeof(T)));
  return p;
}
template <typename T>
void upload(T* d, const T* h, size_t n) {
  CK(cudaMemcpy(d, h, n * sizeof(T), cudaMemcpyHostToDevice));
}
template <typename T>
void download(T* h, const T* d, size_t n) {
  CK(cudaMemcpy(h, d, n * sizeof(T), cudaMemcpyDeviceToHost));
}

struct Rng {
  unsigned s;
  explicit Rng(unsigned seed) : s(seed) {}
  unsigned next() {
    s = s * 1664525u + 1013904223u;
    return s >> 8;
  }
  float unit() { return next() / 16777216.0f; }
  unsigned below(unsigned n) { return next() % n; }
};

bool near(float a, float b, float tolerance = 1e-3f) {
  return std::isfinite(a) && fabsf(a - b) <= tolerance * (1.0f + fabsf(b));
}
bool allNear(const float* a, const float* b, size_t n, float tolerance = 1e-3f) {
  for (size_t i = 0; i < n; ++i)
    if (!near(a[i], b[i], tolerance)) {
      fprintf(stderr, "element %zu: %g, expected %g\n", i, a[i], b[i]);
      return false;
    }
  return true;
}

// ---------------------------------------------------------------- 1 heat_rows: uncoalesced
// Heat equation, explicit five-point stencil, time steps. bad: threadIdx.x runs along columns of the field.
template <bool kAcross>
__global__ void heatStep(const float* in, float* out, int n) {
  const int a = blockIdx.x * blockDim.x + threadIdx.x, b = blockIdx.y * blockDim.y + threadIdx.y;
  const int x = kAcross ? b : a, y = kAcross ? a : b;
  if (x < 1 || y < 1 || x >= n - 1 || y >= n - 1) return;
  const int i = y * n + x;
  out[i] = in[i] + 0.2f * (in[i - 1] + in[i + 1] + in[i - n] + in[i + n] - 4.0f * in[i]);
}

bool heatRows(const Args& args) {
  const int n = args.big() ? 384 : 256, steps = args.big() ? 3 : 5;
  float *h = pinned<float>(n * n), *r = pinned<float>(n * n);
  Rng rng(1);
  for (int i = 0; i < n * n; ++i) h[i] = rng.unit();
  float *a = device<float>(n * n), *b = device<float>(n * n);
  upload(a, h, n * n);
  CK(cudaMemcpy(b, a, n * n * 4, cudaMemcpyDeviceToDevice));
  const dim3 block(32, 8), blockAcross(32, 8);
  for (int s = 0; s < steps; ++s) {
    if (args.good)
      heatStep<false><<<dim3(n / 32, n / 8), block>>>(a, b, n);
    else
      heatStep<true><<<dim3(n / 32, n / 8), blockAcross>>>(a, b, n);
    std::swap(a, b);
  }
  download(r, a, n * n);
  std::vector<float> u(h, h + n * n), v(u);
  for (int s = 0; s < steps; ++s) {
    for (int y = 1; y < n - 1; ++y)
      for (int x = 1; x < n - 1; ++x) {
        const int i = y * n + x;
        v[i] = u[i] + 0.2f * (u[i - 1] + u[i + 1] + u[i - n] + u[i + n] - 4.0f * u[i]);
      }
    u.swap(v);
  }
  return allNear(r, u.data(), n * n);
}

// ---------------------------------------------------------------- 2 iir_shared: bank conflicts
// A recursive filter, forward and backward, over signals of 32 samples: a thread owns a signal in shared
// memory. bad: signals 32 words apart; good: 33 words apart (the same allocation).
template <int kStride>
__global__ void iirFilter(const float* in, float* out, float a, float b) {
  __shared__ float s[64 * 33];
  const int base = blockIdx.x * 64 * 32;
  for (int k = threadIdx.x; k < 64 * 32; k += 64) s[(k / 32) * kStride + k % 32] = in[base + k];
  __syncthreads();
  float* mine = s + threadIdx.x * kStride;
  float y = 0;
  for (int k = 0; k < 32; ++k) {
    y = a * mine[k] + b * y;
    mine[k] = y;
  }
  y = 0;
  for (int k = 31; k >= 0; --k) {
    y = a * mine[k] + b * y;
    mine[k] = y;
  }
  __syncthreads();
  for (int k = threadIdx.x; k < 64 * 32; k += 64) out[base + k] = s[(k / 32) * kStride + k % 32];
}

__global__ void tileSignals(const float* in, float* out, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    out[i] = in[i % (64 * 32)];
}

bool iirShared(const Args& args) {
  const int blocks = args.sms * 6, n = blocks * 64 * 32, batches = args.big() ? 2 : 6;
  float *h = pinned<float>(64 * 32), *r = pinned<float>(64 * 32);
  Rng rng(2);
  for (int i = 0; i < 64 * 32; ++i) h[i] = rng.unit() - 0.5f;
  float *a = device<float>(n), *b = device<float>(n);
  upload(a, h, 64 * 32);
  tileSignals<<<blocks, 256>>>(a, b, n);
  std::swap(a, b);
  for (int k = 0; k < batches; ++k) {
    if (args.good)
      iirFilter<33><<<blocks, 64>>>(a, b, 0.6f, 0.4f);
    else
      iirFilter<32><<<blocks, 64>>>(a, b, 0.6f, 0.4f);
    std::swap(a, b);
  }
  download(r, a + n - 64 * 32, 64 * 32);
  std::vector<float> e(h, h + 64 * 32);
  for (int k = 0; k < batches; ++k)
    for (int t = 0; t < 64; ++t) {
      float *m = &e[t * 32], y = 0;
      for (int i = 0; i < 32; ++i) m[i] = y = 0.6f * m[i] + 0.4f * y;
      y = 0;
      for (int i = 31; i >= 0; --i) m[i] = y = 0.6f * m[i] + 0.4f * y;
    }
  return allNear(r, e.data(), 64 * 32);
}

// ---------------------------------------------------------------- 3 video_pageable: pageable copies
// Frames of a video in three streams, uploads, kernels and downloads in pipeline order. bad: frames in
// malloc'ed memory.
__global__ void contrast(const float* in, float* out, int n, float gain) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = fminf(fmaxf((in[i] - 0.5f) * gain + 0.5f, 0.0f), 1.0f);
}

bool videoPageable(const Args& args) {
  const int frames = 8, n = args.big() ? 262144 : 98304;
  std::vector<float*> in(frames), out(frames), dIn(frames), dOut(frames);
  for (int f = 0; f < frames; ++f) {
    if (args.good) {
      in[f] = pinned<float>(n);
      out[f] = pinned<float>(n);
    } else {
      in[f] = (float*)malloc(n * 4);
      out[f] = (float*)malloc(n * 4);
    }
    for (int i = 0; i < n; ++i) in[f][i] = ((i * 7 + f * 13) % 256) / 255.0f;
  }
  float* pool = device<float>((size_t)n * frames * 2);
  for (int f = 0; f < frames; ++f) {
    dIn[f] = pool + (size_t)n * 2 * f;
    dOut[f] = dIn[f] + n;
  }
  cudaStream_t s[3];
  for (auto& x : s) CK(cudaStreamCreate(&x));
  for (int f = 0; f < frames + 2; ++f) {
    if (f < frames) CK(cudaMemcpyAsync(dIn[f], in[f], n * 4, cudaMemcpyHostToDevice, s[f % 3]));
    if (f >= 1 && f <= frames)
      contrast<<<n / 256, 256, 0, s[(f - 1) % 3]>>>(dIn[f - 1], dOut[f - 1], n, 1.5f);
    if (f >= 2) CK(cudaMemcpyAsync(out[f - 2], dOut[f - 2], n * 4, cudaMemcpyDeviceToHost, s[(f - 2) % 3]));
  }
  CK(cudaDeviceSynchronize());
  for (int f = 0; f < frames; ++f)
    for (int i = 0; i < n; ++i)
      if (!near(out[f][i], fminf(fmaxf((in[f][i] - 0.5f) * 1.5f + 0.5f, 0.0f), 1.0f))) return false;
  return true;
}

// ---------------------------------------------------------------- 4 ragged_upload: many tiny copies
// Batches of lists of different lengths go to the device; a warp computes the norm of each. bad: a copy for
// each list.
__global__ void listNorms(const float* pool, const int* start, float* norm, int lists) {
  const int list = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  __shared__ float part[256];
  float sum = 0;
  if (list < lists)
    for (int k = start[list] + lane; k < start[list + 1]; k += 32) sum += pool[k] * pool[k];
  part[threadIdx.x] = sum;
  __syncthreads();
  for (int d = 16; d > 0; d /= 2) {
    if (lane < d) part[threadIdx.x] += part[threadIdx.x + d];
    __syncthreads();
  }
  if (lane == 0 && list < lists) norm[list] = sqrtf(part[threadIdx.x]);
}

bool raggedUpload(const Args& args) {
  const int lists = 200, batches = 2;
  int* start = pinned<int>(lists + 1);
  Rng rng(4);
  start[0] = 0;
  for (int i = 0; i < lists; ++i) start[i + 1] = start[i] + 24 + rng.below(80);
  const int total = start[lists];
  float *scattered = pinned<float>(lists * 128), *packed = pinned<float>(total), *norm = pinned<float>(lists);
  float *d = device<float>(total), *dNorm = device<float>(lists);
  int* dStart = device<int>(lists + 1);
  upload(dStart, start, lists + 1);
  bool ok = true;
  for (int b = 0; b < batches; ++b) {
    for (int i = 0; i < lists; ++i)
      for (int k = 0; k < start[i + 1] - start[i]; ++k) scattered[i * 128 + k] = rng.unit();
    if (args.good) {
      for (int i = 0; i < lists; ++i)
        memcpy(packed + start[i], scattered + i * 128, (start[i + 1] - start[i]) * 4);
      upload(d, packed, total);
    } else {
      for (int i = 0; i < lists; ++i) upload(d + start[i], scattered + i * 128, start[i + 1] - start[i]);
    }
    listNorms<<<lists / 8, 256>>>(d, dStart, dNorm, lists);
    download(norm, dNorm, lists);
    for (int i = 0; i < lists; ++i) {
      float e = 0;
      for (int k = 0; k < start[i + 1] - start[i]; ++k) e += scattered[i * 128 + k] * scattered[i * 128 + k];
      ok = ok && near(norm[i], sqrtf(e));
    }
  }
  return ok;
}

// ---------------------------------------------------------------- 5 tiles_one_stream: no overlap
// Tiles of an image, pinned and asynchronous, in pipeline order. bad: all in one stream; good: a stream for
// each tile.
__constant__ float kBlur[9] = {0.0625f, 0.125f, 0.0625f, 0.125f, 0.25f, 0.125f, 0.0625f, 0.125f, 0.0625f};

__global__ void blurTile(const float* in, float* out, int w, int h) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= w || y >= h) return;
  float sum = 0;
#pragma unroll
  for (int dy = -1; dy <= 1; ++dy)
#pragma unroll
    for (int dx = -1; dx <= 1; ++dx) {
      const int xx = min(max(x + dx, 0), w - 1), yy = min(max(y + dy, 0), h - 1);
      sum += kBlur[(dy + 1) * 3 + dx + 1] * in[yy * w + xx];
    }
  out[y * w + x] = sum;
}

bool tilesOneStream(const Args& args) {
  const int tiles = 6, w = 256, h = args.big() ? 640 : 256, n = w * h;
  float *in = pinned<float>(n * tiles), *out = pinned<float>(n * tiles);
  float *dIn = device<float>(n * tiles), *dOut = device<float>(n * tiles);
  for (int i = 0; i < n * tiles; ++i) in[i] = (i * 31 % 1000) / 1000.0f;
  std::vector<cudaStream_t> streams(args.good ? tiles : 1);
  for (auto& s : streams) CK(cudaStreamCreate(&s));
  const auto of = [&](int t) { return streams[t % streams.size()]; };
  for (int t = 0; t < tiles + 2; ++t) {
    if (t < tiles) CK(cudaMemcpyAsync(dIn + t * n, in + t * n, n * 4, cudaMemcpyHostToDevice, of(t)));
    if (t >= 1 && t <= tiles)
      blurTile<<<dim3(w / 32, h / 8), dim3(32, 8), 0, of(t - 1)>>>(dIn + (t - 1) * n, dOut + (t - 1) * n, w,
                                                                   h);
    if (t >= 2)
      CK(cudaMemcpyAsync(out + (t - 2) * n, dOut + (t - 2) * n, n * 4, cudaMemcpyDeviceToHost, of(t - 2)));
  }
  CK(cudaDeviceSynchronize());
  static const float k[9] = {0.0625f, 0.125f, 0.0625f, 0.125f, 0.25f, 0.125f, 0.0625f, 0.125f, 0.0625f};
  for (int t = 0; t < tiles; ++t)
    for (int y = 0; y < h; ++y)
      for (int x = 0; x < w; ++x) {
        float e = 0;
        for (int dy = -1; dy <= 1; ++dy)
          for (int dx = -1; dx <= 1; ++dx)
            e += k[(dy + 1) * 3 + dx + 1] *
                 in[t * n + std::min(std::max(y + dy, 0), h - 1) * w + std::min(std::max(x + dx, 0), w - 1)];
        if (!near(out[t * n + y * w + x], e)) return false;
      }
  return true;
}

// ---------------------------------------------------------------- 6 depth_first: issue order over streams
// Chunks of a time series, a stream each. bad: upload, kernel, download of a chunk, then the next; good:
// pipeline order.
__global__ void horner(const float* in, float* out, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    const float x = in[i];
    float v = 1.0f / 5040;
    v = v * x + 1.0f / 720;
    v = v * x + 1.0f / 120;
    v = v * x + 1.0f / 24;
    v = v * x + 1.0f / 6;
    v = v * x + 0.5f;
    v = v * x + 1;
    v = v * x + 1;
    out[i] = v;
  }
}

bool depthFirst(const Args& args) {
  const int chunks = 6, n = args.big() ? 196608 : 65536;
  float *in = pinned<float>(n * chunks), *out = pinned<float>(n * chunks);
  float *dIn = device<float>(n * chunks), *dOut = device<float>(n * chunks);
  for (int i = 0; i < n * chunks; ++i) in[i] = (i % 997) / 997.0f;
  cudaStream_t s[chunks];
  for (auto& x : s) CK(cudaStreamCreate(&x));
  const auto to = [&](int c) {
    CK(cudaMemcpyAsync(dIn + c * n, in + c * n, n * 4, cudaMemcpyHostToDevice, s[c]));
  };
  const auto run = [&](int c) { horner<<<args.sms * 4, 256, 0, s[c]>>>(dIn + c * n, dOut + c * n, n); };
  const auto from = [&](int c) {
    CK(cudaMemcpyAsync(out + c * n, dOut + c * n, n * 4, cudaMemcpyDeviceToHost, s[c]));
  };
  if (args.good)
    for (int c = 0; c < chunks + 2; ++c) {
      if (c < chunks) to(c);
      if (c >= 1 && c <= chunks) run(c - 1);
      if (c >= 2) from(c - 2);
    }
  else
    for (int c = 0; c < chunks; ++c) {
      to(c);
      run(c);
      from(c);
    }
  CK(cudaDeviceSynchronize());
  for (int i = 0; i < n * chunks; ++i)
    if (!near(out[i], expf(in[i]), 2e-3f)) return false;
  return true;
}

// ---------------------------------------------------------------- 7 row_softmax: launch bound
// Softmax of the rows of a batch. bad: a launch for each row; good: a block for each row of one launch.
__global__ void softmaxRow(const float* in, float* out, int columns) {
  __shared__ float part[128];
  const float* row = in + (size_t)blockIdx.x * columns;
  float* to = out + (size_t)blockIdx.x * columns;
  float top = -1e30f;
  for (int c = threadIdx.x; c < columns; c += 128) top = fmaxf(top, row[c]);
  part[threadIdx.x] = top;
  __syncthreads();
  for (int d = 64; d > 0; d /= 2) {
    if (threadIdx.x < d) part[threadIdx.x] = fmaxf(part[threadIdx.x], part[threadIdx.x + d]);
    __syncthreads();
  }
  top = part[0];
  __syncthreads();
  float sum = 0;
  for (int c = threadIdx.x; c < columns; c += 128) sum += __expf(row[c] - top);
  part[threadIdx.x] = sum;
  __syncthreads();
  for (int d = 64; d > 0; d /= 2) {
    if (threadIdx.x < d) part[threadIdx.x] += part[threadIdx.x + d];
    __syncthreads();
  }
  const float scale = 1.0f / part[0];
  for (int c = threadIdx.x; c < columns; c += 128) to[c] = __expf(row[c] - top) * scale;
}

bool rowSoftmax(const Args& args) {
  const int rows = 256, columns = 256;
  float *in = pinned<float>(rows * columns), *out = pinned<float>(rows * columns);
  Rng rng(7);
  for (int i = 0; i < rows * columns; ++i) in[i] = rng.unit() * 8;
  float *dIn = device<float>(rows * columns), *dOut = device<float>(rows * columns);
  upload(dIn, in, rows * columns);
  if (args.good)
    softmaxRow<<<rows, 128>>>(dIn, dOut, columns);
  else
    for (int r = 0; r < rows; ++r) softmaxRow<<<1, 128>>>(dIn + r * columns, dOut + r * columns, columns);
  download(out, dOut, rows * columns);
  for (int r = 0; r < rows; ++r) {
    float top = -1e30f, sum = 0;
    for (int c = 0; c < columns; ++c) top = fmaxf(top, in[r * columns + c]);
    for (int c = 0; c < columns; ++c) sum += expf(in[r * columns + c] - top);
    for (int c = 0; c < columns; ++c)
      if (!near(out[r * columns + c], expf(in[r * columns + c] - top) / sum)) return false;
  }
  return true;
}

// ---------------------------------------------------------------- 8 cell_walk: registers limit occupancy
// Atoms of a cell (a warp) follow the cell's linked list of neighbours; then a series with kTerms
// coefficients of the atom's kind is evaluated. bad: the coefficients are loaded before the walk and stay in
// registers; good: after it, four at a time.
template <int kTerms, bool kGood>
struct Series {
  float c[kGood ? 1 : kTerms];
  __device__ Series(const float* table, int kind) {
    if (kGood) return;
#pragma unroll
    for (int k = 0; k < kTerms; ++k) c[kGood ? 0 : k] = table[k * 512 + kind];
#pragma unroll
    for (int k = 0; k < kTerms; ++k) asm volatile("" : "+f"(c[kGood ? 0 : k]));
  }
  __device__ float at(const float* table, int kind, float x) const {
    float v = 0;
    if (kGood) {
#pragma unroll 4
      for (int k = 0; k < kTerms; ++k) v = v * x + table[k * 512 + kind];
    } else {
#pragma unroll
      for (int k = 0; k < kTerms; ++k) v = v * x + c[kGood ? 0 : k];
    }
    return v;
  }
};

std::vector<int> shuffled(int count, Rng& rng) {
  std::vector<int> order(count);
  for (int i = 0; i < count; ++i) order[i] = i;
  for (int i = count - 1; i > 0; --i) std::swap(order[i], order[rng.below(i + 1)]);
  return order;
}

template <int kTerms, bool kGood>
__global__ void cellWalk(const int* next, const float* weight, const float* table, float* out, int nodes,
                         int steps) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, kind = i % 512;
  const Series<kTerms, kGood> series(table, kind);
  int node = (i / 32) * 37 % nodes;
  float w = 0;
#pragma unroll 1
  for (int s = 0; s < steps; ++s) {
    w += weight[node];
    node = next[node];
  }
  w = w / steps;
  out[i] = series.at(table, kind, w);
}

template <int kTerms>
bool cellWalkOf(const Args& args, int warpsPerSm, int steps) {
  const int n = args.sms * warpsPerSm * 32, nodes = 16384;
  Rng rng(8);
  const std::vector<int> order = shuffled(nodes, rng);
  int* next = pinned<int>(nodes);
  float *weight = pinned<float>(nodes), *table = pinned<float>(kTerms * 512), *out = pinned<float>(n);
  for (int i = 0; i < nodes; ++i) {
    next[order[i]] = order[(i + 1) % nodes];
    weight[i] = rng.unit();
  }
  for (int i = 0; i < kTerms * 512; ++i) table[i] = rng.unit();
  int* dNext = device<int>(nodes);
  float *dWeight = device<float>(nodes), *dTable = device<float>(kTerms * 512), *dOut = device<float>(n);
  upload(dNext, next, nodes);
  upload(dWeight, weight, nodes);
  upload(dTable, table, kTerms * 512);
  for (int step = 0; step < 2; ++step) {
    if (args.good)
      cellWalk<kTerms, true><<<n / 256, 256>>>(dNext, dWeight, dTable, dOut, nodes, steps);
    else
      cellWalk<kTerms, false><<<n / 256, 256>>>(dNext, dWeight, dTable, dOut, nodes, steps);
  }
  download(out, dOut, n);
  for (int i = 0; i < n; ++i) {
    int node = (i / 32) * 37 % nodes;
    float w = 0, v = 0;
    for (int s = 0; s < steps; ++s) {
      w += weight[node];
      node = next[node];
    }
    w /= steps;
    for (int k = 0; k < kTerms; ++k) v = v * w + table[k * 512 + i % 512];
    if (!near(out[i], v)) return false;
  }
  return true;
}

bool cellWalkProgram(const Args& args) {
  return args.big() ? cellWalkOf<80>(args, 32, 40) : cellWalkOf<40>(args, 48, 60);
}

// ---------------------------------------------------------------- 8b cell_force: registers limit occupancy,
// again Written after the first run, because cell_walk's flaw costs little on gtx580: its walk is bound by
// the lines that L1 takes. Here a step has a chain of arithmetic behind its load.
template <int kTerms, bool kGood>
__global__ void cellForce(const int2* list, const float* table, float* out, int nodes, int steps) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, kind = i % 512;
  const Series<kTerms, kGood> series(table, kind);
  int node = (i / 32) * 37 % nodes;
  float w = 0;
#pragma unroll 1
  for (int s = 0; s < steps; ++s) {
    const int2 e = list[node];
    const float q = 0.1f * __int_as_float(e.y);
#pragma unroll
    for (int k = 0; k < 14; ++k) w = w * 0.9f + q;
    node = e.x;
  }
  out[i] = series.at(table, kind, w);
}

template <int kTerms>
bool cellForceOf(const Args& args, int warpsPerSm, int steps) {
  const int n = args.sms * warpsPerSm * 32, nodes = 16384;
  Rng rng(88);
  const std::vector<int> order = shuffled(nodes, rng);
  int2 *list = pinned<int2>(nodes), *dList = device<int2>(nodes);
  float *table = pinned<float>(kTerms * 512), *out = pinned<float>(n), *dTable = device<float>(kTerms * 512),
        *dOut = device<float>(n);
  const auto weight = [](const int2& e) {
    float w;
    memcpy(&w, &e.y, 4);
    return w;
  };
  for (int i = 0; i < nodes; ++i) {
    const float w = rng.unit();
    list[order[i]].x = order[(i + 1) % nodes];
    memcpy(&list[order[i]].y, &w, 4);
  }
  for (int i = 0; i < kTerms * 512; ++i) table[i] = rng.unit();
  upload(dList, list, nodes);
  upload(dTable, table, kTerms * 512);
  for (int step = 0; step < 2; ++step) {
    if (args.good)
      cellForce<kTerms, true><<<n / 256, 256>>>(dList, dTable, dOut, nodes, steps);
    else
      cellForce<kTerms, false><<<n / 256, 256>>>(dList, dTable, dOut, nodes, steps);
  }
  download(out, dOut, n);
  for (int i = 0; i < n; i += 5) {
    int node = (i / 32) * 37 % nodes;
    float w = 0, v = 0;
    for (int s = 0; s < steps; ++s) {
      const float q = 0.1f * weight(list[node]);
      for (int k = 0; k < 14; ++k) w = w * 0.9f + q;
      node = list[node].x;
    }
    for (int k = 0; k < kTerms; ++k) v = v * w + table[k * 512 + i % 512];
    if (!near(out[i], v)) return false;
  }
  return true;
}

bool cellForceProgram(const Args& args) {
  return args.big() ? cellForceOf<80>(args, 32, 24) : cellForceOf<40>(args, 48, 60);
}

// ---------------------------------------------------------------- 9 resample: shared memory limits occupancy
// A curve is resampled: a block stages its queries in shared memory, each thread searches the curve for them.
// bad: the dynamic shared memory has the size of the largest segment that the code supports; good: what this
// segment needs.
__global__ void resample(const float* xs, const float* ys, const float* query, float* out, int knots,
                         int perThread) {
  extern __shared__ float staged[];
  const int base = blockIdx.x * blockDim.x * perThread;
  for (int k = threadIdx.x; k < (int)blockDim.x * perThread; k += blockDim.x) staged[k] = query[base + k];
  __syncthreads();
  for (int q = 0; q < perThread; ++q) {
    const float x = staged[q * blockDim.x + threadIdx.x];
    int low = 0, high = knots - 1;
    while (high - low > 1) {
      const int middle = (low + high) / 2;
      if (xs[middle] <= x)
        low = middle;
      else
        high = middle;
    }
    const float t = (x - xs[low]) / (xs[high] - xs[low]);
    out[base + q * blockDim.x + threadIdx.x] = ys[low] + t * (ys[high] - ys[low]);
  }
}

bool resampleProgram(const Args& args) {
  const int knots = 16384, perThread = args.big() ? 1 : 2, blocks = args.sms * (args.big() ? 12 : 16),
            n = blocks * 128 * perThread;
  float *xs = pinned<float>(knots), *ys = pinned<float>(knots), *query = pinned<float>(n),
        *out = pinned<float>(n);
  for (int i = 0; i < knots; ++i) {
    xs[i] = (float)i;
    ys[i] = sinf(i * 0.001f);
  }
  for (int i = 0; i < n; ++i) query[i] = (float)((double)(i + 0.5) * (knots - 2) / n);
  float *dXs = device<float>(knots), *dYs = device<float>(knots), *dQuery = device<float>(n),
        *dOut = device<float>(n);
  upload(dXs, xs, knots);
  upload(dYs, ys, knots);
  upload(dQuery, query, n);
  const int need = 128 * perThread * 4, most = args.big() ? 100 * 1024 : 40 * 1024;
  const int bytes = args.good ? need : most;
  if (bytes > 48 * 1024)
    CK(cudaFuncSetAttribute(resample, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
  for (int k = 0; k < 3; ++k) resample<<<blocks, 128, bytes>>>(dXs, dYs, dQuery, dOut, knots, perThread);
  download(out, dOut, n);
  for (int i = 0; i < n; ++i) {
    const int low = std::min((int)query[i], knots - 2);
    const float e = ys[low] + (query[i] - xs[low]) * (ys[low + 1] - ys[low]);
    if (!near(out[i], e)) return false;
  }
  return true;
}

// ---------------------------------------------------------------- 10 materials: divergence
// Points of a body with six materials, each with a law of its own. bad: materials are mixed; good: points are
// sorted by material.
__host__ __device__ inline float law(int material, float v, float a, float b, int n) {
  switch (material) {
    case 0:
      for (int k = 0; k < n; ++k) v = v * a + b * 0.1f;
      return v;
    case 1:
      for (int k = 0; k < n; ++k) v = v - 0.01f * v * v * b;
      return v;
    case 2:
      for (int k = 0; k < n; ++k) v = sqrtf(v * v * a + 0.3f);
      return v;
    case 3:
      for (int k = 0; k < n; ++k) v = v / (1.0f + 0.1f * b * v);
      return v;
    case 4:
      for (int k = 0; k < n; ++k) v = fabsf(v - a) * b + 0.1f;
      return v;
    default:
      for (int k = 0; k < n; ++k) v = fminf(fmaxf(v * 1.1f - 0.02f, a * 0.2f), b);
      return v;
  }
}
__global__ void stress(const unsigned char* material, const float* strain, float* out, int n,
                       int iterations) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float v = strain[i];
  out[i] = law(material[i], v, 0.9f, 0.8f, iterations);
}

bool materials(const Args& args) {
  const int n = args.sms * (args.big() ? 1024 : 1536), iterations = args.big() ? 12 : 24, steps = 3;
  unsigned char* material = pinned<unsigned char>(n);
  float *strain = pinned<float>(n), *out = pinned<float>(n);
  std::vector<std::pair<int, float>> points(n);
  Rng rng(10);
  for (int i = 0; i < n; ++i) points[i] = {(i * 5) % 6, rng.unit()};
  if (args.good)
    std::stable_sort(points.begin(), points.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
  for (int i = 0; i < n; ++i) {
    material[i] = (unsigned char)points[i].first;
    strain[i] = points[i].second;
  }
  unsigned char* dMaterial = device<unsigned char>(n);
  float *dStrain = device<float>(n), *dOut = device<float>(n);
  upload(dMaterial, material, n);
  upload(dStrain, strain, n);
  for (int s = 0; s < steps; ++s) {
    stress<<<(n + 255) / 256, 256>>>(dMaterial, dStrain, dOut, n, iterations);
    std::swap(dStrain, dOut);
  }
  download(out, dStrain, n);
  for (int i = 0; i < n; ++i) {
    float v = strain[i];
    for (int s = 0; s < steps; ++s) v = law(material[i], v, 0.9f, 0.8f, iterations);
    if (!near(out[i], v)) return false;
  }
  return true;
}

// ---------------------------------------------------------------- 11 monte_carlo: atomics on one address
template <bool kGood>
__global__ void monteCarlo(unsigned* hits, int samples) {
  unsigned s = (blockIdx.x * blockDim.x + threadIdx.x) * 2654435761u + 12345u, mine = 0;
  for (int k = 0; k < samples; ++k) {
    s = s * 1664525u + 1013904223u;
    const float x = (s >> 8) * (1.0f / 16777216.0f);
    s = s * 1664525u + 1013904223u;
    const float y = (s >> 8) * (1.0f / 16777216.0f);
    if (x * x + y * y < 1.0f) {
      if (kGood)
        ++mine;
      else
        atomicAdd(hits, 1u);
    }
  }
  if (kGood) {
    __shared__ unsigned part[256];
    part[threadIdx.x] = mine;
    __syncthreads();
    for (int d = 128; d > 0; d /= 2) {
      if (threadIdx.x < d) part[threadIdx.x] += part[threadIdx.x + d];
      __syncthreads();
    }
    if (threadIdx.x == 0) atomicAdd(hits, part[0]);
  }
}

bool monteCarloProgram(const Args& args) {
  const int blocks = args.sms * (args.big() ? 2 : 4), samples = args.big() ? 4 : 8;
  unsigned *hits = pinned<unsigned>(1), *d = device<unsigned>(1);
  CK(cudaMemset(d, 0, 4));
  for (int round = 0; round < 2; ++round) {
    if (args.good)
      monteCarlo<true><<<blocks, 256>>>(d, samples);
    else
      monteCarlo<false><<<blocks, 256>>>(d, samples);
  }
  download(hits, d, 1);
  unsigned expected = 0;
  for (int t = 0; t < blocks * 256; ++t) {
    unsigned s = t * 2654435761u + 12345u;
    for (int k = 0; k < samples; ++k) {
      s = s * 1664525u + 1013904223u;
      const float x = (s >> 8) * (1.0f / 16777216.0f);
      s = s * 1664525u + 1013904223u;
      const float y = (s >> 8) * (1.0f / 16777216.0f);
      if (fmaf(x, x, y * y) < 1.0f) ++expected;
    }
  }
  expected *= 2;
  return abs((int)(*hits - expected)) <= 8;
}

// ---------------------------------------------------------------- 12 spmv_long_row: one block with far more
// work CSR times vector, a block for each segment of a row. bad: a segment is a row, and one row is long;
// good: at most 256 elements.
struct Segment {
  int row, begin, end;
};
__global__ void spmvSegments(const Segment* segments, const int* column, const float* value, const float* x,
                             float* y) {
  __shared__ float part[64];
  const Segment g = segments[blockIdx.x];
  float sum = 0;
  for (int k = g.begin + threadIdx.x; k < g.end; k += 64) sum += value[k] * x[column[k]];
  part[threadIdx.x] = sum;
  __syncthreads();
  for (int d = 32; d > 0; d /= 2) {
    if (threadIdx.x < d) part[threadIdx.x] += part[threadIdx.x + d];
    __syncthreads();
  }
  if (threadIdx.x == 0) atomicAdd(&y[g.row], part[0]);
}

bool spmvLongRow(const Args& args) {
  const int rows = args.sms * 24, columns = 4096, longRow = rows / 3, rounds = 2;
  std::vector<int> begin(rows + 1, 0);
  for (int r = 0; r < rows; ++r) begin[r + 1] = begin[r] + (r == longRow ? 12288 : 64);
  const int nonzeros = begin[rows];
  int* column = pinned<int>(nonzeros);
  float *value = pinned<float>(nonzeros), *x = pinned<float>(columns), *y = pinned<float>(rows);
  Rng rng(12);
  for (int r = 0; r < rows; ++r)
    for (int k = begin[r], c = rng.below(columns); k < begin[r + 1]; ++k, ++c) column[k] = c % columns;
  for (int i = 0; i < nonzeros; ++i) value[i] = (float)rng.below(4);
  for (int i = 0; i < columns; ++i) x[i] = (float)rng.below(4);
  const int most = args.good ? 256 : 1 << 30;
  std::vector<Segment> list;
  for (int r = 0; r < rows; ++r)
    for (int b = begin[r]; b < begin[r + 1]; b += std::min(most, begin[r + 1] - b))
      list.push_back({r, b, b + std::min(most, begin[r + 1] - b)});
  Segment* segments = pinned<Segment>(list.size());
  std::copy(list.begin(), list.end(), segments);
  Segment* dSegments = device<Segment>(list.size());
  int* dColumn = device<int>(nonzeros);
  float *dValue = device<float>(nonzeros), *dX = device<float>(columns), *dY = device<float>(rows);
  upload(dSegments, segments, list.size());
  upload(dColumn, column, nonzeros);
  upload(dValue, value, nonzeros);
  upload(dX, x, columns);
  for (int k = 0; k < rounds; ++k) {
    CK(cudaMemset(dY, 0, rows * 4));
    spmvSegments<<<(unsigned)list.size(), 64>>>(dSegments, dColumn, dValue, dX, dY);
  }
  download(y, dY, rows);
  for (int r = 0; r < rows; ++r) {
    float e = 0;
    for (int k = begin[r]; k < begin[r + 1]; ++k) e += value[k] * x[column[k]];
    if (!near(y[r], e, 1e-5f)) return false;
  }
  return true;
}

// ---------------------------------------------------------------- 13 slices_wave: a last wave with few
// blocks Slices of a volume, 1024 points each. bad: a block of 1024 for each slice, a few more than fit;
// good: blocks of 256.
__global__ void slicePotential(float* out, int terms) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const float x = (i % 1024) * (1.0f / 1024), z = (i / 1024) * 0.001f;
  float p = 0, q = 1, t = x + z;
  for (int k = 0; k < terms; ++k) {
    p = p * t + q;
    q = q * x - p * 0.01f;
    t = t * 0.99f + 0.001f;
  }
  out[i] = p + q;
}

bool slicesWave(const Args& args) {
  const int slices = args.big() ? args.sms * 2 + 12 : args.sms + 1, n = slices * 1024,
            terms = args.big() ? 40 : 120;
  float *out = pinned<float>(n), *d = device<float>(n);
  const int block = args.good ? 256 : 1024;
  for (int step = 0; step < 4; ++step) slicePotential<<<n / block, block>>>(d, terms);
  download(out, d, n);
  for (int i = 0; i < n; ++i) {
    const float x = (i % 1024) * (1.0f / 1024), z = (i / 1024) * 0.001f;
    float p = 0, q = 1, t = x + z;
    for (int k = 0; k < terms; ++k) {
      p = p * t + q;
      q = q * x - p * 0.01f;
      t = t * 0.99f + 0.001f;
    }
    if (std::isfinite(p) && fabsf(p) < 1e6f && !near(out[i], p + q, 1e-2f)) return false;
  }
  return true;
}

// ---------------------------------------------------------------- 14 nbody_small: small grid
// Gravity of all on all, time steps. bad: a thread for each body; good: 16 slices of the sum for each body,
// then their sum.
__global__ void forces(const float4* body, float4* part, int n, int slices) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, each = n / slices, from = blockIdx.y * each;
  const float4 me = body[i];
  float ax = 0, ay = 0, az = 0;
  for (int j = from; j < from + each; ++j) {
    const float4 o = body[j];
    const float dx = o.x - me.x, dy = o.y - me.y, dz = o.z - me.z;
    const float r = rsqrtf(dx * dx + dy * dy + dz * dz + 0.01f), f = o.w * r * r * r;
    ax += f * dx;
    ay += f * dy;
    az += f * dz;
  }
  part[blockIdx.y * n + i] = make_float4(ax, ay, az, 0);
}
__global__ void advance(float4* body, float4* velocity, const float4* part, int n, int slices) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  float ax = 0, ay = 0, az = 0;
  for (int s = 0; s < slices; ++s) {
    const float4 p = part[s * n + i];
    ax += p.x;
    ay += p.y;
    az += p.z;
  }
  float4 v = velocity[i], b = body[i];
  v.x += 0.01f * ax;
  v.y += 0.01f * ay;
  v.z += 0.01f * az;
  b.x += 0.01f * v.x;
  b.y += 0.01f * v.y;
  b.z += 0.01f * v.z;
  velocity[i] = v;
  body[i] = b;
}

bool nbodySmall(const Args& args) {
  const int n = 512, steps = 3, slices = args.good ? 16 : 1;
  float4 *h = pinned<float4>(n), *r = pinned<float4>(n);
  Rng rng(14);
  for (int i = 0; i < n; ++i)
    h[i] = make_float4(rng.unit(), rng.unit(), rng.unit(), 0.001f * (1 + rng.unit()));
  float4 *body = device<float4>(n), *velocity = device<float4>(n), *part = device<float4>(n * 16);
  upload(body, h, n);
  CK(cudaMemset(velocity, 0, n * 16));
  for (int s = 0; s < steps; ++s) {
    forces<<<dim3(n / 128, slices), 128>>>(body, part, n, slices);
    advance<<<n / 128, 128>>>(body, velocity, part, n, slices);
  }
  download(r, body, n);
  std::vector<float4> b(h, h + n), v(n, make_float4(0, 0, 0, 0));
  for (int s = 0; s < steps; ++s) {
    std::vector<float4> o(b);
    for (int i = 0; i < n; ++i) {
      float ax = 0, ay = 0, az = 0;
      for (int j = 0; j < n; ++j) {
        const float dx = o[j].x - o[i].x, dy = o[j].y - o[i].y, dz = o[j].z - o[i].z;
        const float q = 1 / sqrtf(dx * dx + dy * dy + dz * dz + 0.01f), f = o[j].w * q * q * q;
        ax += f * dx;
        ay += f * dy;
        az += f * dz;
      }
      v[i].x += 0.01f * ax;
      v[i].y += 0.01f * ay;
      v[i].z += 0.01f * az;
      b[i].x += 0.01f * v[i].x;
      b[i].y += 0.01f * v[i].y;
      b[i].z += 0.01f * v[i].z;
    }
  }
  for (int i = 0; i < n; ++i)
    if (!near(r[i].x, b[i].x) || !near(r[i].y, b[i].y) || !near(r[i].z, b[i].z)) return false;
  return true;
}

// ---------------------------------------------------------------- 15 thresholds: L2 thrash
// How many pixels of an image lie above each of eight thresholds. bad: a pass over the block's part for each
// threshold; good: the part in pieces of one element a thread, all thresholds on each.
__global__ void fillImage(unsigned* image, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    image[i] = i * 2654435761u >> 16;
}
template <bool kGood>
__global__ void aboveThresholds(const unsigned* image, int n, unsigned* count) {
  __shared__ unsigned total[8];
  if (threadIdx.x < 8) total[threadIdx.x] = 0;
  __syncthreads();
  const int stride = gridDim.x * blockDim.x, first = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned mine[8] = {0, 0, 0, 0, 0, 0, 0, 0};
  if (kGood) {
    for (int i = first; i < n; i += stride) {
#pragma unroll
      for (int t = 0; t < 8; ++t) mine[t] += image[i] > (unsigned)(t + 1) * 7000u;
    }
  } else {
#pragma unroll
    for (int t = 0; t < 8; ++t)
      for (int i = first; i < n; i += stride) mine[t] += image[i] > (unsigned)(t + 1) * 7000u;
  }
#pragma unroll
  for (int t = 0; t < 8; ++t) atomicAdd(&total[t], mine[t]);
  __syncthreads();
  if (threadIdx.x < 8) atomicAdd(&count[threadIdx.x], total[threadIdx.x]);
}

bool thresholds(const Args& args) {
  const int n = args.big() ? 1 << 20 : 5 << 17;
  unsigned *image = device<unsigned>(n), *d = device<unsigned>(8), *count = pinned<unsigned>(8);
  const int blocks = args.sms * (args.big() ? 8 : 6);
  fillImage<<<blocks, 256>>>(image, n);
  CK(cudaMemset(d, 0, 32));
  if (args.good)
    aboveThresholds<true><<<blocks, 256>>>(image, n, d);
  else
    aboveThresholds<false><<<blocks, 256>>>(image, n, d);
  download(count, d, 8);
  unsigned e[8] = {0};
  for (int i = 0; i < n; ++i)
    for (int t = 0; t < 8; ++t) e[t] += ((unsigned)i * 2654435761u >> 16) > (unsigned)(t + 1) * 7000u;
  return memcmp(e, count, 32) == 0;
}

// ---------------------------------------------------------------- 16 string_sync: needless synchronization
// A vibrating string, 80 time steps. bad: cudaDeviceSynchronize after each launch.
__global__ void stringStep(const float* before, const float* now, float* after, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float l = i > 0 ? now[i - 1] : 0, r = i < n - 1 ? now[i + 1] : 0;
  after[i] = 2 * now[i] - before[i] + 0.25f * (l - 2 * now[i] + r);
}

bool stringSync(const Args& args) {
  const int n = args.sms * 512, steps = 80;
  float *h = pinned<float>(n), *r = pinned<float>(n), *d[3];
  for (int i = 0; i < n; ++i) h[i] = sinf(i * 0.01f);
  for (auto& p : d) p = device<float>(n);
  upload(d[0], h, n);
  upload(d[1], h, n);
  for (int s = 0; s < steps; ++s) {
    stringStep<<<n / 128, 128>>>(d[s % 3], d[(s + 1) % 3], d[(s + 2) % 3], n);
    if (!args.good) CK(cudaDeviceSynchronize());
  }
  CK(cudaDeviceSynchronize());
  download(r, d[(steps + 1) % 3], n);
  std::vector<float> a(h, h + n), b(a), c(n);
  for (int s = 0; s < steps; ++s) {
    for (int i = 0; i < n; ++i) {
      const float l = i > 0 ? b[i - 1] : 0, q = i < n - 1 ? b[i + 1] : 0;
      c[i] = 2 * b[i] - a[i] + 0.25f * (l - 2 * b[i] + q);
    }
    a.swap(b);
    b.swap(c);
  }
  return allNear(r, b.data(), n, 1e-2f);
}

// ---------------------------------------------------------------- 17 sobel_block32: bad block size
// Edges of frames. bad: blocks of 32 threads (32 x 1); good: 256 (32 x 8).
__global__ void sobel(const float* in, float* out, int w, int h) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < 1 || y < 1 || x >= w - 1 || y >= h - 1) return;
  const float* p = in + y * w + x;
  const float gx = p[1 - w] + 2 * p[1] + p[1 + w] - p[-1 - w] - 2 * p[-1] - p[-1 + w];
  const float gy = p[w - 1] + 2 * p[w] + p[w + 1] - p[-w - 1] - 2 * p[-w] - p[-w + 1];
  out[y * w + x] = sqrtf(gx * gx + gy * gy);
}

bool sobelBlock32(const Args& args) {
  const int w = 512, h = args.big() ? 768 : 256, frames = args.big() ? 2 : 4, n = w * h;
  float *in = pinned<float>(n), *out = pinned<float>(n), *d = device<float>(n * 2);
  for (int i = 0; i < n; ++i) in[i] = (i * 37 % 251) / 251.0f;
  upload(d, in, n);
  CK(cudaMemset(d + n, 0, n * 4));
  const dim3 block(32, args.good ? 8 : 1);
  for (int f = 0; f < frames; ++f) sobel<<<dim3(w / 32, h / block.y), block>>>(d, d + n, w, h);
  download(out, d + n, n);
  for (int y = 1; y < h - 1; ++y)
    for (int x = 1; x < w - 1; ++x) {
      const float* p = in + y * w + x;
      const float gx = p[1 - w] + 2 * p[1] + p[1 + w] - p[-1 - w] - 2 * p[-1] - p[-1 + w];
      const float gy = p[w - 1] + 2 * p[w] + p[w + 1] - p[-w - 1] - 2 * p[-w] - p[-w + 1];
      if (!near(out[y * w + x], sqrtf(gx * gx + gy * gy))) return false;
    }
  return true;
}

// ---------------------------------------------------------------- 18 matrix5: blocks that fill no warp
// Fourth powers of 5 x 5 matrices, a thread an element. bad: a block of 25 threads a matrix; good: ten
// matrices in 250 threads.
__global__ void matrix5Power(const float* in, float* out, int perBlock) {
  __shared__ float a[250], b[250];
  const int t = threadIdx.x, m = t / 25 * 25, row = t % 25 / 5 * 5, column = t % 5;
  const int base = blockIdx.x * perBlock * 25;
  a[t] = b[t] = in[base + t];
  for (int k = 0; k < 3; ++k) {
    __syncthreads();
    float sum = 0;
#pragma unroll
    for (int j = 0; j < 5; ++j) sum += b[m + row + j] * a[m + j * 5 + column];
    __syncthreads();
    b[t] = sum;
  }
  out[base + t] = b[t];
}

bool matrix5(const Args& args) {
  const int matrices = args.big() ? args.sms * 40 : args.sms * 200, n = matrices * 25,
            perBlock = args.good ? 10 : 1;
  float *in = pinned<float>(n), *out = pinned<float>(n), *d = device<float>(n * 2);
  Rng rng(18);
  for (int i = 0; i < n; ++i) in[i] = rng.unit() * 0.4f;
  upload(d, in, n);
  for (int k = 0; k < (args.big() ? 2 : 3); ++k)
    matrix5Power<<<matrices / perBlock, 25 * perBlock>>>(d, d + n, perBlock);
  download(out, d + n, n);
  for (int m = 0; m < matrices; ++m) {
    float a[25], b[25], c[25];
    memcpy(a, in + m * 25, 100);
    memcpy(b, a, 100);
    for (int k = 0; k < 3; ++k) {
      for (int i = 0; i < 25; ++i) {
        c[i] = 0;
        for (int j = 0; j < 5; ++j) c[i] += b[i / 5 * 5 + j] * a[j * 5 + i % 5];
      }
      memcpy(b, c, 100);
    }
    if (!allNear(out + m * 25, b, 25)) return false;
  }
  return true;
}

// ---------------------------------------------------------------- 19 gamma_lut: constant memory indexed by
// thread Gamma correction of 8-bit pixels by a table of 256. bad: table in constant memory; good: copied to
// shared memory.
__constant__ float kGamma[256];
template <bool kGood>
__global__ void gammaCorrect(const unsigned* in, float* out, int n) {
  __shared__ float table[256];
  if (kGood) {
    for (int k = threadIdx.x; k < 256; k += blockDim.x) table[k] = kGamma[k];
    __syncthreads();
  }
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    const unsigned p = in[i];
    if (kGood)
      out[i] = 0.2f * table[p & 255] + 0.5f * table[p >> 8 & 255] + 0.2f * table[p >> 16 & 255] +
               0.1f * table[p >> 24];
    else
      out[i] = 0.2f * kGamma[p & 255] + 0.5f * kGamma[p >> 8 & 255] + 0.2f * kGamma[p >> 16 & 255] +
               0.1f * kGamma[p >> 24];
  }
}

bool gammaLut(const Args& args) {
  const int n = args.sms * 256 * (args.big() ? 4 : 8), frames = args.big() ? 2 : 4;
  unsigned *in = pinned<unsigned>(n), *dIn = device<unsigned>(n);
  float *out = pinned<float>(n), *dOut = device<float>(n), *gamma = pinned<float>(256);
  for (int i = 0; i < 256; ++i) gamma[i] = powf(i / 255.0f, 0.45f);
  CK(cudaMemcpyToSymbol(kGamma, gamma, 1024));
  Rng rng(19);
  for (int i = 0; i < n; ++i) in[i] = rng.next() << 8 ^ rng.next();
  upload(dIn, in, n);
  for (int f = 0; f < frames; ++f) {
    if (args.good)
      gammaCorrect<true><<<args.sms * 2, 256>>>(dIn, dOut, n);
    else
      gammaCorrect<false><<<args.sms * 2, 256>>>(dIn, dOut, n);
  }
  download(out, dOut, n);
  for (int i = 0; i < n; ++i)
    if (!near(out[i], 0.2f * gamma[in[i] & 255] + 0.5f * gamma[in[i] >> 8 & 255] +
                          0.2f * gamma[in[i] >> 16 & 255] + 0.1f * gamma[in[i] >> 24]))
      return false;
  return true;
}

// ---------------------------------------------------------------- 20 particles_aos: array of structs
// A drift step of particles with 16 properties, four of which it needs. bad: array of structs; good: an array
// for each property.
template <bool kGood>
__global__ void drift(float* p, int n, float dt) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const int step = kGood ? n : 1;
  float* q = kGood ? p + i : p + i * 16;
  q[0] += dt * q[4 * step];
  q[5 * step] *= 0.999f;
}

bool particlesAos(const Args& args) {
  const int n = args.sms * (args.big() ? 512 : 1536), steps = args.big() ? 6 : 10;
  // Only the four needed properties differ from zero, so that little has to be uploaded: they are set on the
  // device.
  float* d = device<float>(n * 16);
  float* r = pinned<float>(n * 16);
  CK(cudaMemset(d, 0x3c, n * 64));  // 0x3c3c3c3c: 0.0115
  for (int s = 0; s < steps; ++s) {
    if (args.good)
      drift<true><<<n / 256, 256>>>(d, n, 0.5f);
    else
      drift<false><<<n / 256, 256>>>(d, n, 0.5f);
  }
  // A sample of the particles is brought back.
  const int sample = 256;
  if (args.good)
    for (int k = 0; k < 6; k += 5) download(r + k * sample, d + k * n, sample);
  else
    download(r, d, sample * 16);
  const unsigned bits = 0x3c3c3c3cu;
  float x, y, v;
  memcpy(&x, &bits, 4);
  y = v = x;
  for (int s = 0; s < steps; ++s) {
    x += 0.5f * v;
    y *= 0.999f;
  }
  for (int i = 0; i < sample; ++i) {
    const float a = args.good ? r[i] : r[i * 16], b = args.good ? r[5 * sample + i] : r[i * 16 + 5];
    if (!near(a, x) || !near(b, y)) return false;
  }
  return true;
}

// ---------------------------------------------------------------- 21 options_double: double by accident
// Prices of options. bad: literals without f, so that most of the arithmetic is double; good: float.
template <typename Literal>
__host__ __device__ inline float cumulative(float d) {
  const float k = Literal(1.0) / (Literal(1.0) + Literal(0.2316419) * fabs(d));
  float c = Literal(0.3989423) * exp(Literal(-0.5) * d * d) *
            (k * (Literal(0.3193815) +
                  k * (Literal(-0.3565638) +
                       k * (Literal(1.781478) + k * (Literal(-1.821256) + k * Literal(1.330274))))));
  if (d > 0) c = Literal(1.0) - c;
  return c;
}
template <typename Literal>
__host__ __device__ inline float price(float s, float x, float t, float r, float v) {
  const float root = sqrtf(t);
  const float d1 = (logf(s / x) + (r + Literal(0.5) * v * v) * t) / (v * root), d2 = d1 - v * root;
  return s * cumulative<Literal>(d1) - x * expf(-r * t) * cumulative<Literal>(d2);
}
template <typename Literal>
__global__ void prices(const float* s, const float* x, float* out, int n, float t) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = price<Literal>(s[i], x[i], t, 0.02f, 0.3f);
}

bool optionsDouble(const Args& args) {
  const int n = args.sms * (args.big() ? 1024 : 768), scenarios = args.big() ? 2 : 5;
  float *s = pinned<float>(n), *x = pinned<float>(n), *out = pinned<float>(n), *d = device<float>(n * 3);
  Rng rng(21);
  for (int i = 0; i < n; ++i) {
    s[i] = 5 + 25 * rng.unit();
    x[i] = 1 + 99 * rng.unit();
  }
  upload(d, s, n);
  upload(d + n, x, n);
  for (int k = 0; k < scenarios; ++k) {
    const float t = 0.5f + 0.25f * k;
    if (args.good)
      prices<float><<<n / 128, 128>>>(d, d + n, d + 2 * n, n, t);
    else
      prices<double><<<n / 128, 128>>>(d, d + n, d + 2 * n, n, t);
  }
  download(out, d + 2 * n, n);
  for (int i = 0; i < n; ++i)
    if (!near(out[i], price<double>(s[i], x[i], 0.5f + 0.25f * (scenarios - 1), 0.02f, 0.3f))) return false;
  return true;
}

// ---------------------------------------------------------------- 22 sort16: local memory
// Each thread sorts its 16 values by odd-even transposition. bad: a loop with an index; good: unrolled, all
// in registers.
__device__ inline void exchange(float& a, float& b) {
  const float x = fminf(a, b), y = fmaxf(a, b);
  a = x;
  b = y;
}
template <bool kGood>
__global__ void sort16(const float* in, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  float v[16];
#pragma unroll
  for (int k = 0; k < 16; ++k) v[k] = in[k * n + i];
  if (kGood) {
#pragma unroll
    for (int round = 0; round < 16; ++round) {
#pragma unroll
      for (int k = 0; k < 8; ++k)
        if (round % 2 + 2 * k + 1 < 16) exchange(v[round % 2 + 2 * k], v[round % 2 + 2 * k + 1]);
    }
  } else {
#pragma unroll 1
    for (int round = 0; round < 16; ++round)
#pragma unroll 1
      for (int k = round % 2; k < 15; k += 2) exchange(v[k], v[k + 1]);
  }
#pragma unroll
  for (int k = 0; k < 16; ++k) out[k * n + i] = v[k];
}

bool sort16Program(const Args& args) {
  const int n = args.sms * (args.big() ? 256 : 512);
  float *in = pinned<float>(n * 16), *out = pinned<float>(n * 16), *d = device<float>(n * 32);
  Rng rng(22);
  for (int i = 0; i < n * 16; ++i) in[i] = rng.unit();
  upload(d, in, n * 16);
  for (int k = 0; k < (args.big() ? 1 : 2); ++k) {
    if (args.good)
      sort16<true><<<n / 128, 128>>>(d, d + n * 16, n);
    else
      sort16<false><<<n / 128, 128>>>(d, d + n * 16, n);
  }
  download(out, d + n * 16, n * 16);
  for (int i = 0; i < n; ++i) {
    float v[16];
    for (int k = 0; k < 16; ++k) v[k] = in[k * n + i];
    std::sort(v, v + 16);
    for (int k = 0; k < 16; ++k)
      if (v[k] != out[k * n + i]) return false;
  }
  return true;
}

// ---------------------------------------------------------------- 23 probe_managed: managed memory by turns
// A field with a source and a probe that the host drives each step. bad: the field is managed memory; good:
// two copies of a word.
__global__ void damp(const float* in, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = 0.25f * in[max(i - 1, 0)] + 0.5f * in[i] + 0.25f * in[min(i + 1, n - 1)];
}

bool probeManaged(const Args& args) {
  const int n = args.big() ? 262144 : 65536, steps = 16;
  float *a, *b, *word = pinned<float>(1);
  if (args.good) {
    a = device<float>(n);
    b = device<float>(n);
  } else {
    CK(cudaMallocManaged(&a, n * 4));
    CK(cudaMallocManaged(&b, n * 4));
  }
  CK(cudaMemset(a, 0, n * 4));
  CK(cudaDeviceSynchronize());
  std::vector<float> seen;
  for (int s = 0; s < steps; ++s) {
    const float source = 1.0f + s;
    if (args.good) {
      *word = source;
      upload(a, word, 1);
    } else
      a[0] = source;
    damp<<<n / 256, 256>>>(a, b, n);
    if (args.good)
      download(word, b + 1, 1);
    else {
      CK(cudaDeviceSynchronize());
      *word = b[1];
    }
    seen.push_back(*word);
    std::swap(a, b);
  }
  std::vector<float> u(64, 0.0f), v(64, 0.0f);
  for (int s = 0; s < steps; ++s) {
    u[0] = 1.0f + s;
    for (int i = 0; i < 63; ++i) v[i] = 0.25f * u[std::max(i - 1, 0)] + 0.5f * u[i] + 0.25f * u[i + 1];
    if (!near(seen[s], v[1])) return false;
    u.swap(v);
  }
  return true;
}

// ---------------------------------------------------------------- 24 filters_mapped: mapped host memory read
// again and again Eight filters of nine taps over one signal. bad: kernels read the signal from mapped host
// memory; good: it is copied first.
__global__ void fir9(const float* in, float* out, int n, float centre) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < 4 || i >= n - 4) return;
  float sum = centre * in[i];
#pragma unroll
  for (int k = 1; k <= 4; ++k) sum += (in[i - k] + in[i + k]) * (1.0f / (k + 1));
  out[i] = sum;
}

bool filtersMapped(const Args& args) {
  const int n = args.big() ? 131072 : 32768, filters = 8;
  float *h, *in, *out = pinned<float>(n), *d = device<float>(n);
  CK(cudaHostAlloc(&h, n * 4, cudaHostAllocMapped));
  for (int i = 0; i < n; ++i) h[i] = (i * 17 % 1009) / 1009.0f;
  if (args.good) {
    in = device<float>(n);
    upload(in, h, n);
  } else {
    CK(cudaHostGetDevicePointer(&in, h, 0));
  }
  CK(cudaMemset(d, 0, n * 4));
  for (int f = 0; f < filters; ++f) fir9<<<n / 256, 256>>>(in, d, n, 1.0f + f);
  download(out, d, n);
  for (int i = 4; i < n - 4; ++i) {
    float e = (1.0f + filters - 1) * h[i];
    for (int k = 1; k <= 4; ++k) e += (h[i - k] + h[i + k]) * (1.0f / (k + 1));
    if (!near(out[i], e)) return false;
  }
  return true;
}

// ---------------------------------------------------------------- 25 blur_scratch: malloc and free in a loop
// A separable box filter of frames, with a scratch image. bad: scratch and histogram are allocated and freed
// for each frame.
__global__ void boxAcross(const float* in, float* out, int w, int h) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
  const float* p = in + y * w;
  out[y * w + x] =
      (p[max(x - 2, 0)] + p[max(x - 1, 0)] + p[x] + p[min(x + 1, w - 1)] + p[min(x + 2, w - 1)]) * 0.2f;
}
__global__ void boxDown(const float* in, float* out, int w, int h) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
  const float* p = in + x;
  out[y * w + x] = (p[max(y - 2, 0) * w] + p[max(y - 1, 0) * w] + p[y * w] + p[min(y + 1, h - 1) * w] +
                    p[min(y + 2, h - 1) * w]) *
                   0.2f;
}

bool blurScratch(const Args& args) {
  const int w = 256, h = args.big() ? 128 : 64, n = w * h, frames = 16;
  float *image = pinned<float>(n), *out = pinned<float>(n), *d = device<float>(n), *scratch = nullptr,
        *edge = nullptr;
  for (int i = 0; i < n; ++i) image[i] = (i * 29 % 503) / 503.0f;
  upload(d, image, n);
  if (args.good) {
    scratch = device<float>(n);
    edge = device<float>(n);
  }
  for (int f = 0; f < frames; ++f) {
    if (!args.good) {
      scratch = device<float>(n);
      edge = device<float>(n);
    }
    boxAcross<<<dim3(w / 128, h), 128>>>(d, scratch, w, h);
    boxDown<<<dim3(w / 128, h), 128>>>(scratch, edge, w, h);
    boxAcross<<<dim3(w / 128, h), 128>>>(edge, d, w, h);
    if (!args.good) {
      CK(cudaFree(scratch));
      CK(cudaFree(edge));
    }
  }
  if (args.good) {
    CK(cudaFree(scratch));
    CK(cudaFree(edge));
  }
  download(out, d, n);
  std::vector<float> u(image, image + n), v(n);
  const auto clampTo = [](int i, int m) { return std::min(std::max(i, 0), m - 1); };
  for (int f = 0; f < frames; ++f)
    for (int pass = 0; pass < 3; ++pass) {
      for (int y = 0; y < h; ++y)
        for (int x = 0; x < w; ++x) {
          float e = 0;
          for (int k = -2; k <= 2; ++k)
            e += pass == 1 ? u[clampTo(y + k, h) * w + x] : u[y * w + clampTo(x + k, w)];
          v[y * w + x] = e * 0.2f;
        }
      u.swap(v);
    }
  return allNear(out, u.data(), n);
}

// ---------------------------------------------------------------- 26 row_scan: needless barriers
// Prefix sums of rows of 32, a warp a row. bad: __syncthreads in each step of the scan; good: the warp alone
// is synchronized.
template <bool kGood>
__device__ inline void scanBarrier() {
  if (!kGood) {
    __syncthreads();
    return;
  }
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 700
  __syncwarp();
#else
  asm volatile("" ::: "memory");
#endif
}
template <bool kGood>
__global__ void rowScan(const int* in, int* out, int rowsPerWarp) {
  __shared__ volatile int s[512];
  const int t = threadIdx.x, lane = t % 32, warp = (blockIdx.x * 512 + t) / 32;
  for (int r = 0; r < rowsPerWarp; ++r) {
    const int i = (warp * rowsPerWarp + r) * 32 + lane;
    s[t] = in[i];
    scanBarrier<kGood>();
#pragma unroll
    for (int d = 1; d < 32; d *= 2) {
      const int left = lane >= d ? s[t - d] : 0;
      scanBarrier<kGood>();
      s[t] = s[t] + left;
      scanBarrier<kGood>();
    }
    out[i] = s[t];
  }
}

__global__ void fillRows(int* in, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) in[i] = i % 13;
}

bool rowScanProgram(const Args& args) {
  const int blocks = args.sms * 2, rowsPerWarp = args.big() ? 4 : 8, n = blocks * 512 * rowsPerWarp,
            rounds = args.big() ? 2 : 3;
  const int sample = 4096;
  int *out = pinned<int>(sample), *d = device<int>(n * 2);
  fillRows<<<blocks, 512>>>(d, n);
  for (int k = 0; k < rounds; ++k) {
    if (args.good)
      rowScan<true><<<blocks, 512>>>(d, d + n, rowsPerWarp);
    else
      rowScan<false><<<blocks, 512>>>(d, d + n, rowsPerWarp);
  }
  download(out, d + n + n - sample, sample);
  for (int i = n - sample, sum = 0; i < n; ++i) {
    sum = i % 32 ? sum + i % 13 : i % 13;
    if (out[i - (n - sample)] != sum) return false;
  }
  return true;
}

// ---------------------------------------------------------------- 27 channels_serial: independent kernels
// that fill no GPU Autocorrelation of eight channels, a launch for each. bad: one stream; good: a stream for
// each channel.
__global__ void autocorrelation(const float* x, float* out, int samples) {
  const int lag = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
#pragma unroll 1
  for (int i = 0; i < samples; ++i) sum += x[i] * x[i + lag];
  out[lag] = sum;
}

bool channelsSerial(const Args& args) {
  const int channels = 8, lags = args.sms / 8 * 128, samples = args.big() ? 300 : 900, n = samples + lags;
  float *x = pinned<float>(n * channels), *out = pinned<float>(lags * channels);
  float *dX = device<float>(n * channels), *dOut = device<float>(lags * channels);
  Rng rng(27);
  for (int i = 0; i < n * channels; ++i) x[i] = rng.unit() - 0.5f;
  upload(dX, x, n * channels);
  std::vector<cudaStream_t> streams(args.good ? channels : 1);
  for (auto& s : streams) CK(cudaStreamCreate(&s));
  for (int c = 0; c < channels; ++c)
    autocorrelation<<<lags / 128, 128, 0, streams[c % streams.size()]>>>(dX + c * n, dOut + c * lags,
                                                                         samples);
  CK(cudaDeviceSynchronize());
  download(out, dOut, lags * channels);
  for (int c = 0; c < channels; ++c)
    for (int l = 0; l < lags; ++l) {
      float e = 0;
      for (int i = 0; i < samples; ++i) e += x[c * n + i] * x[c * n + i + l];
      if (!near(out[c * lags + l], e)) return false;
    }
  return true;
}

// ---------------------------------------------------------------- 28 kmeans_reupload: unchanged data copied
// again K-means of points in the plane; the host averages. bad: the points go to the device in each
// iteration; good: once.
__global__ void nearest(const float2* point, const float2* centre, int k, unsigned char* label, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float2 p = point[i];
  float best = 1e30f;
  int which = 0;
  for (int c = 0; c < k; ++c) {
    const float dx = p.x - centre[c].x, dy = p.y - centre[c].y, d = dx * dx + dy * dy;
    if (d < best) {
      best = d;
      which = c;
    }
  }
  label[i] = (unsigned char)which;
}

bool kmeansReupload(const Args& args) {
  const int n = args.big() ? 131072 : 32768, k = 8, iterations = args.big() ? 5 : 8;
  float2 *point = pinned<float2>(n), *centre = pinned<float2>(k), *dPoint = device<float2>(n),
         *dCentre = device<float2>(k);
  unsigned char *label = pinned<unsigned char>(n), *dLabel = device<unsigned char>(n);
  Rng rng(28);
  for (int i = 0; i < n; ++i) point[i] = make_float2(rng.unit() + (i % k), rng.unit() + (i % 3));
  for (int c = 0; c < k; ++c) centre[c] = point[c];
  if (args.good) upload(dPoint, point, n);
  int different = 0;
  for (int it = 0; it < iterations; ++it) {
    if (!args.good) upload(dPoint, point, n);
    upload(dCentre, centre, k);
    nearest<<<n / 256, 256>>>(dPoint, dCentre, k, dLabel, n);
    download(label, dLabel, n);
    std::vector<double> x(k, 0), y(k, 0);
    std::vector<int> count(k, 0);
    for (int i = 0; i < n; ++i) {
      float best = 1e30f;
      int which = 0;
      for (int c = 0; c < k; ++c) {
        const float dx = point[i].x - centre[c].x, dy = point[i].y - centre[c].y, d = dx * dx + dy * dy;
        if (d < best) {
          best = d;
          which = c;
        }
      }
      different += which != label[i];
      x[label[i]] += point[i].x;
      y[label[i]] += point[i].y;
      ++count[label[i]];
    }
    for (int c = 0; c < k; ++c)
      if (count[c]) centre[c] = make_float2((float)(x[c] / count[c]), (float)(y[c] / count[c]));
  }
  return different <= 4;
}

// ---------------------------------------------------------------- clean programs: bad and good are the same
__global__ void triad(const float* b, const float* c, float* a, int n, float s) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) a[i] = b[i] + s * c[i];
}
bool cleanTriad(
    const Args& args) {  // pinned, overlapped, in pipeline order: bound by the link's rate to the device
  const int chunks = 8, n = args.big() ? 262144 : 65536;
  float *bc = pinned<float>(n * 2 * chunks), *a = pinned<float>(n * chunks);
  float *dBc = device<float>(n * 2 * chunks), *dA = device<float>(n * chunks);
  for (int i = 0; i < n * 2 * chunks; ++i) bc[i] = (float)(i % 1013);
  cudaStream_t s[4];
  for (auto& x : s) CK(cudaStreamCreate(&x));
  for (int c = 0; c < chunks + 2; ++c) {
    if (c < chunks)
      CK(cudaMemcpyAsync(dBc + c * 2 * n, bc + c * 2 * n, n * 8, cudaMemcpyHostToDevice, s[c % 4]));
    if (c >= 1 && c <= chunks)
      triad<<<n / 256, 256, 0, s[(c - 1) % 4]>>>(dBc + (c - 1) * 2 * n, dBc + (c - 1) * 2 * n + n,
                                                 dA + (c - 1) * n, n, 3.0f);
    if (c >= 2)
      CK(cudaMemcpyAsync(a + (c - 2) * n, dA + (c - 2) * n, n * 4, cudaMemcpyDeviceToHost, s[(c - 2) % 4]));
  }
  CK(cudaDeviceSynchronize());
  for (int c = 0; c < chunks; ++c)
    for (int i = 0; i < n; ++i)
      if (a[c * n + i] != bc[c * 2 * n + i] + 3.0f * bc[c * 2 * n + n + i]) return false;
  return true;
}

__global__ void chaos(float* sums, int iterations) {  // four independent chains of two operations each
  __shared__ float part[256];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  float a = 0.1f + (i % 97) * 0.001f, b = a + 0.2f, c = a + 0.3f, d = a + 0.4f;
#pragma unroll 4
  for (int k = 0; k < iterations; ++k) {
    a = a * 0.99f + 0.001f;
    b = b * 0.98f + 0.002f;
    c = c * 0.97f + 0.003f;
    d = d * 0.96f + 0.004f;
  }
  part[threadIdx.x] = a + b + c + d;
  __syncthreads();
  for (int s = 128; s > 0; s /= 2) {
    if (threadIdx.x < s) part[threadIdx.x] += part[threadIdx.x + s];
    __syncthreads();
  }
  if (threadIdx.x == 0) sums[blockIdx.x] = part[0];
}
bool cleanCompute(const Args& args) {  // float, full occupancy, a whole number of waves
  const int blocks = args.big() ? args.sms * 8 : args.sms * 12, iterations = args.big() ? 240 : 600;
  float *sums = pinned<float>(blocks), *d = device<float>(blocks);
  chaos<<<blocks, 256>>>(d, iterations);
  download(sums, d, blocks);
  for (int blk = 0; blk < blocks; blk += 7) {
    float e = 0;
    for (int t = 0; t < 256; ++t) {
      float a = 0.1f + ((blk * 256 + t) % 97) * 0.001f, b = a + 0.2f, c = a + 0.3f, q = a + 0.4f;
      for (int k = 0; k < iterations; ++k) {
        a = a * 0.99f + 0.001f;
        b = b * 0.98f + 0.002f;
        c = c * 0.97f + 0.003f;
        q = q * 0.96f + 0.004f;
      }
      e += a + b + c + q;
    }
    if (!near(sums[blk], e)) return false;
  }
  return true;
}

__global__ void fieldStart(float* u, int n) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  u[y * n + x] = (float)((x * 3 + y * 5) % 11);
}
__global__ void fieldStep(const float* in, float* out, int n) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y,
            i = y * n + x;
  if (x < 1 || y < 1 || x >= n - 1 || y >= n - 1) {
    out[i] = in[i];
    return;
  }
  out[i] = 0.5f * in[i] + 0.125f * (in[i - 1] + in[i + 1] + in[i - n] + in[i + n]);
}
__global__ void fieldRows(const float* u, float* sums, int n) {
  __shared__ float part[256];
  float sum = 0;
  for (int x = threadIdx.x; x < n; x += 256) sum += u[blockIdx.x * n + x];
  part[threadIdx.x] = sum;
  __syncthreads();
  for (int d = 128; d > 0; d /= 2) {
    if (threadIdx.x < d) part[threadIdx.x] += part[threadIdx.x + d];
    __syncthreads();
  }
  if (threadIdx.x == 0) sums[blockIdx.x] = part[0];
}
bool cleanStencil(const Args& args) {  // coalesced, full occupancy, data stays on the device
  const int n = args.big() ? 1024 : 512, steps = args.big() ? 3 : 8;
  float *a = device<float>(n * n), *b = device<float>(n * n), *d = device<float>(n), *sums = pinned<float>(n);
  const dim3 grid(n / 32, n / 8), block(32, 8);
  fieldStart<<<grid, block>>>(a, n);
  for (int s = 0; s < steps; ++s) {
    fieldStep<<<grid, block>>>(a, b, n);
    std::swap(a, b);
  }
  fieldRows<<<n, 256>>>(a, d, n);
  download(sums, d, n);
  std::vector<float> u(n * n), v(n * n);
  for (int y = 0; y < n; ++y)
    for (int x = 0; x < n; ++x) u[y * n + x] = (float)((x * 3 + y * 5) % 11);
  for (int s = 0; s < steps; ++s) {
    v = u;
    for (int y = 1; y < n - 1; ++y)
      for (int x = 1; x < n - 1; ++x) {
        const int i = y * n + x;
        v[i] = 0.5f * u[i] + 0.125f * (u[i - 1] + u[i + 1] + u[i - n] + u[i + n]);
      }
    u.swap(v);
  }
  for (int y = 0; y < n; ++y) {
    float e = 0;
    for (int x = 0; x < n; ++x) e += u[y * n + x];
    if (!near(sums[y], e)) return false;
  }
  return true;
}

struct Program {
  const char* name;
  bool (*run)(const Args&);
};
const Program programs[] = {{"heat_rows", heatRows},
                            {"iir_shared", iirShared},
                            {"video_pageable", videoPageable},
                            {"ragged_upload", raggedUpload},
                            {"tiles_one_stream", tilesOneStream},
                            {"depth_first", depthFirst},
                            {"row_softmax", rowSoftmax},
                            {"cell_walk", cellWalkProgram},
                            {"cell_force", cellForceProgram},
                            {"resample", resampleProgram},
                            {"materials", materials},
                            {"monte_carlo", monteCarloProgram},
                            {"spmv_long_row", spmvLongRow},
                            {"slices_wave", slicesWave},
                            {"nbody_small", nbodySmall},
                            {"thresholds", thresholds},
                            {"string_sync", stringSync},
                            {"sobel_block32", sobelBlock32},
                            {"matrix5", matrix5},
                            {"gamma_lut", gammaLut},
                            {"particles_aos", particlesAos},
                            {"options_double", optionsDouble},
                            {"sort16", sort16Program},
                            {"probe_managed", probeManaged},
                            {"filters_mapped", filtersMapped},
                            {"blur_scratch", blurScratch},
                            {"row_scan", rowScanProgram},
                            {"channels_serial", channelsSerial},
                            {"kmeans_reupload", kmeansReupload},
                            {"clean_triad", cleanTriad},
                            {"clean_compute", cleanCompute},
                            {"clean_stencil", cleanStencil}};

int main(int argc, char** argv) {
  if (argc < 3) {
    for (const auto& p : programs) printf("%s\n", p.name);
    return argc == 1 ? 0 : 2;
  }
  Args args{strcmp(argv[2], "good") == 0, argc > 3 ? atoi(argv[3]) : 0};
  if (!args.sms) CK(cudaDeviceGetAttribute(&args.sms, cudaDevAttrMultiProcessorCount, 0));
  for (const auto& p : programs)
    if (!strcmp(p.name, argv[1])) {
      const bool ok = p.run(args);
      printf("%s %s: %s\n", argv[1], argv[2], ok ? "ok" : "WRONG");
      return ok ? 0 : 1;
    }
  fprintf(stderr, "no such program\n");
  return 2;
}
