// Surface objects: every element size, boundary mode, dimension and layer, written by kernels and read back
// by kernels, by copies and through textures; results are those of plain arithmetic on the CPU.
#include "expect.h"

template <typename T>
__global__ void mirror_2d(cudaSurfaceObject_t from, cudaSurfaceObject_t to, int width, int height) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  const int bytes = static_cast<int>(sizeof(T));
  T value = surf2Dread<T>(from, x * bytes, y);
  surf2Dwrite(value, to, (width - 1 - x) * bytes, y);
}

template <typename T>
static void element(const char* what, int width, int height) {
  const size_t row = width * sizeof(T);
  std::vector<unsigned char> in(row * height), out(row * height);
  for (size_t i = 0; i < in.size(); ++i) in[i] = static_cast<unsigned char>(i * 31 + i / 256);
  // One channel up to 4 bytes, then two and four of 32 bits.
  const int bits = sizeof(T) < 4 ? 8 * static_cast<int>(sizeof(T)) : 32;
  cudaChannelFormatDesc channels =
      cudaCreateChannelDesc(bits, sizeof(T) > 4 ? 32 : 0, sizeof(T) > 8 ? 32 : 0, sizeof(T) > 8 ? 32 : 0,
                            cudaChannelFormatKindUnsigned);
  cudaArray_t arrays[2];
  cudaSurfaceObject_t surfaces[2];
  for (int i = 0; i < 2; ++i) {
    CHECK(cudaMallocArray(&arrays[i], &channels, width, height, cudaArraySurfaceLoadStore));
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = arrays[i];
    CHECK(cudaCreateSurfaceObject(&surfaces[i], &resource));
  }
  CHECK(cudaMemcpy2DToArray(arrays[0], 0, 0, in.data(), row, row, height, cudaMemcpyHostToDevice));
  mirror_2d<T>
      <<<dim3((width + 15) / 16, (height + 7) / 8), dim3(16, 8)>>>(surfaces[0], surfaces[1], width, height);
  CHECK_LAUNCH();
  CHECK(cudaMemcpy2DFromArray(out.data(), row, arrays[1], 0, 0, row, height, cudaMemcpyDeviceToHost));
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x)
      for (size_t b = 0; b < sizeof(T); ++b)
        expect::equal(what, y * row + x * sizeof(T) + b,
                      static_cast<int>(out[y * row + (width - 1 - x) * sizeof(T) + b]),
                      static_cast<int>(in[y * row + x * sizeof(T) + b]));
  for (int i = 0; i < 2; ++i) {
    CHECK(cudaDestroySurfaceObject(surfaces[i]));
    CHECK(cudaFreeArray(arrays[i]));
  }
}

// Positions from two before to two behind the surface: what is read there, and what is left of what is
// written.
__global__ void around(cudaSurfaceObject_t surface, int* zero, int* clamp, int width, int height) {
  int x = static_cast<int>(threadIdx.x) - 2, y = static_cast<int>(threadIdx.y) - 2;
  int i = threadIdx.y * blockDim.x + threadIdx.x;
  zero[i] = surf2Dread<int>(surface, x * 4, y, cudaBoundaryModeZero);
  clamp[i] = surf2Dread<int>(surface, x * 4, y, cudaBoundaryModeClamp);
  __syncthreads();
  surf2Dwrite(1000 + i, surface, x * 4, y, cudaBoundaryModeZero);
}

static void boundaries() {
  const int width = 8, height = 6, w = width + 4, h = height + 4;
  std::vector<int> in(width * height), out(width * height);
  for (int i = 0; i < width * height; ++i) in[i] = 7 + i;
  cudaChannelFormatDesc channels = cudaCreateChannelDesc<int>();
  cudaArray_t array = nullptr;
  CHECK(cudaMallocArray(&array, &channels, width, height, cudaArraySurfaceLoadStore));
  CHECK(cudaMemcpy2DToArray(array, 0, 0, in.data(), width * 4, width * 4, height, cudaMemcpyHostToDevice));
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = array;
  cudaSurfaceObject_t surface = 0;
  CHECK(cudaCreateSurfaceObject(&surface, &resource));
  expect::Array<int> zero(w * h), clamp(w * h);
  around<<<1, dim3(w, h)>>>(surface, zero.device(), clamp.device(), width, height);
  CHECK_LAUNCH();
  zero.fetch();
  clamp.fetch();
  CHECK(cudaMemcpy2DFromArray(out.data(), width * 4, array, 0, 0, width * 4, height, cudaMemcpyDeviceToHost));
  for (int i = 0; i < w * h; ++i) {
    int x = i % w - 2, y = i / w - 2;
    bool inside = x >= 0 && x < width && y >= 0 && y < height;
    int near_x = x < 0 ? 0 : x >= width ? width - 1 : x, near_y = y < 0 ? 0 : y >= height ? height - 1 : y;
    expect::equal("zero", i, zero.host[i], inside ? in[y * width + x] : 0);
    expect::equal("clamp", i, clamp.host[i], in[near_y * width + near_x]);
    if (inside) expect::equal("written", i, out[y * width + x], 1000 + i);
  }
  CHECK(cudaDestroySurfaceObject(surface));
  CHECK(cudaFreeArray(array));
}

__global__ void fill_1d(cudaSurfaceObject_t s) {
  surf1Dwrite(static_cast<int>(threadIdx.x) * 3, s, threadIdx.x * 4);
}
__global__ void fill_1d_layered(cudaSurfaceObject_t s) {
  surf1DLayeredwrite(static_cast<int>(threadIdx.x + 100 * threadIdx.y), s, threadIdx.x * 4, threadIdx.y);
}
__global__ void fill_2d_layered(cudaSurfaceObject_t s) {
  surf2DLayeredwrite(static_cast<int>(threadIdx.x + 100 * threadIdx.y + 10000 * threadIdx.z), s,
                     threadIdx.x * 4, threadIdx.y, threadIdx.z);
}
__global__ void fill_3d(cudaSurfaceObject_t s) {
  surf3Dwrite(static_cast<int>(threadIdx.x + 100 * threadIdx.y + 10000 * threadIdx.z), s, threadIdx.x * 4,
              threadIdx.y, threadIdx.z);
}
// One more than what a fill left, by the reads of each kind.
__global__ void read_back(cudaSurfaceObject_t s, int* out, int kind) {
  int x = threadIdx.x, y = threadIdx.y, z = threadIdx.z, value;
  if (kind == 0)
    value = surf1Dread<int>(s, x * 4);
  else if (kind == 1)
    value = surf1DLayeredread<int>(s, x * 4, y);
  else if (kind == 2)
    value = surf2DLayeredread<int>(s, x * 4, y, z);
  else
    value = surf3Dread<int>(s, x * 4, y, z);
  out[(z * blockDim.y + y) * blockDim.x + x] = value + 1;
}

static void dimensions() {
  const int w = 9, h = 5, d = 3;
  for (int kind = 0; kind < 4; ++kind) {
    cudaChannelFormatDesc channels = cudaCreateChannelDesc<int>();
    const bool layered = kind == 1 || kind == 2;
    cudaExtent extent = make_cudaExtent(w, kind >= 2 ? h : 0, kind == 1 ? h : kind >= 2 ? d : 0);
    cudaArray_t array = nullptr;
    CHECK(cudaMalloc3DArray(&array, &channels, extent,
                            cudaArraySurfaceLoadStore | (layered ? cudaArrayLayered : 0)));
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    cudaSurfaceObject_t surface = 0;
    CHECK(cudaCreateSurfaceObject(&surface, &resource));
    dim3 block(w, kind >= 1 ? h : 1, kind >= 2 ? d : 1);
    if (kind == 0)
      fill_1d<<<1, block>>>(surface);
    else if (kind == 1)
      fill_1d_layered<<<1, block>>>(surface);
    else if (kind == 2)
      fill_2d_layered<<<1, block>>>(surface);
    else
      fill_3d<<<1, block>>>(surface);
    CHECK_LAUNCH();
    expect::Array<int> out(block.x * block.y * block.z);
    read_back<<<1, block>>>(surface, out.device(), kind);
    CHECK_LAUNCH();
    out.fetch();
    for (unsigned z = 0; z < block.z; ++z)
      for (unsigned y = 0; y < block.y; ++y)
        for (unsigned x = 0; x < block.x; ++x) {
          size_t i = (z * block.y + y) * block.x + x;
          expect::equal(
              "dimension", i, out.host[i],
              1 + (kind == 0 ? static_cast<int>(x) * 3 : static_cast<int>(x + 100 * y + 10000 * z)));
        }
    CHECK(cudaDestroySurfaceObject(surface));
    CHECK(cudaFreeArray(array));
  }
}

__global__ void write_ramp(cudaSurfaceObject_t s, int width) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
  if (x < width) surf2Dwrite(static_cast<float>(x + 2 * y), s, x * 4, y);
}
__global__ void fetch(cudaTextureObject_t t, float* out, int width) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
  if (x < width) out[y * width + x] = tex2D<float>(t, x + 1.0f, y + 0.5f);
}

// What one kernel wrote to a surface the next reads through a texture of the same array.
static void then_texture() {
  const int w = 40, h = 12;
  cudaChannelFormatDesc channels = cudaCreateChannelDesc<float>();
  cudaArray_t array = nullptr;
  CHECK(cudaMallocArray(&array, &channels, w, h, cudaArraySurfaceLoadStore));
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = array;
  cudaTextureDesc description = {};
  description.addressMode[0] = description.addressMode[1] = cudaAddressModeClamp;
  description.filterMode = cudaFilterModeLinear;
  cudaSurfaceObject_t surface = 0;
  cudaTextureObject_t texture = 0;
  CHECK(cudaCreateSurfaceObject(&surface, &resource));
  CHECK(cudaCreateTextureObject(&texture, &resource, &description, nullptr));
  expect::Array<float> out(w * h);
  write_ramp<<<dim3(2, h), 32>>>(surface, w);
  CHECK_LAUNCH();
  fetch<<<dim3(2, h), 32>>>(texture, out.device(), w);
  CHECK_LAUNCH();
  out.fetch();
  // Half way between texel x and the next; the last one is its own neighbour.
  for (int i = 0; i < w * h; ++i)
    expect::equal("ramp", i, out.host[i],
                  static_cast<float>(i % w + 2 * (i / w)) + (i % w == w - 1 ? 0.0f : 0.5f));
  CHECK(cudaDestroyTextureObject(texture));
  CHECK(cudaDestroySurfaceObject(surface));
  CHECK(cudaFreeArray(array));
}

int main() {
  element<unsigned char>("1 byte", 37, 9);
  element<unsigned short>("2 bytes", 37, 9);
  element<uchar2>("two of 1 byte", 37, 9);
  element<uchar4>("four of 1 byte", 37, 9);
  element<ushort4>("four of 2 bytes", 37, 9);
  element<unsigned>("4 bytes", 37, 9);
  element<float2>("8 bytes", 37, 9);
  element<longlong2>("two of 8 bytes", 19, 9);
  element<uint4>("16 bytes", 19, 9);
  boundaries();
  dimensions();
  then_texture();
  return expect::pass("surfaces");
}
