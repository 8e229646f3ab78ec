// Texture objects against a reference on the CPU: address modes, filters, coordinates, read modes, formats,
// dimensions and layers, gathers, plain and pitched memory, objects that differ by lane, and the copies that
// fill and read arrays.
#include "texture_reference.h"

template <typename T>
__global__ void fetch_linear(cudaTextureObject_t texture, T* out, int first, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = tex1Dfetch<T>(texture, first + i);
}
__global__ void gather(cudaTextureObject_t texture, const Point* at, float4* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    out[2 * i] = tex2Dgather<float4>(texture, at[i].x, at[i].y, 0);
    out[2 * i + 1] = tex2Dgather<float4>(texture, at[i].x, at[i].y, 1);
  }
}
__global__ void by_lane(const cudaTextureObject_t* textures, const Point* at, float* out, int n, int count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = tex2D<float>(textures[i % count], at[i].x, at[i].y);
}

static void address_modes_and_filters() {
  for (cudaTextureAddressMode mode : kModes)
    for (int linear = 0; linear < 2; ++linear)
      for (int normalized = 0; normalized < 2; ++normalized) {
        // Without normalized coordinates wrap and mirror clamp.
        Sampling s = sampling(mode, linear != 0, normalized != 0, mode == cudaAddressModeBorder ? 0.25 : 0);
        sampled<float, float>("1D", 37, 1, 1, 1, false, s, false);
        sampled<float, float>("2D", 32, 20, 1, 2, false, s, false);
        sampled<float4, float4>("3D", 9, 8, 7, 3, false, s, false);
        sampled<float2, float2>("1D layered", 24, 1, 5, 1, true, s, false);
        sampled<float, float>("2D layered", 16, 12, 4, 2, true, s, false);
      }
}

static void formats() {
  Sampling point = sampling(cudaAddressModeClamp, false, false, 0);
  sampled<unsigned char, unsigned char>("uchar", 33, 17, 1, 2, false, point, false);
  sampled<uchar4, uchar4>("uchar4", 33, 17, 1, 2, false, point, false);
  sampled<short2, short2>("short2", 33, 17, 1, 2, false, point, false);
  sampled<ushort4, ushort4>("ushort4", 33, 17, 1, 2, false, point, false);
  sampled<int, int>("int", 33, 17, 1, 2, false, point, false);
  sampled<uint2, uint2>("uint2", 33, 17, 1, 2, false, point, false);
  sampled<char4, char4>("char4", 33, 17, 1, 2, false, point, false);
  for (int linear = 0; linear < 2; ++linear) {
    Sampling s = sampling(cudaAddressModeClamp, linear != 0, true, 0);
    sampled<unsigned char, float>("uchar as float", 16, 16, 1, 2, false, s, true);
    sampled<uchar4, float4>("uchar4 as float4", 16, 16, 1, 2, false, s, true);
    sampled<short2, float2>("short2 as float2", 16, 16, 1, 2, false, s, true);
    sampled<char4, float4>("char4 as float4", 16, 16, 1, 2, false, s, true);
  }
}

// 16-bit floats read as floats: 1 + k / 1024, subnormal numbers and infinity.
static void halves() {
  const int n = 64;
  std::vector<unsigned short> bits;
  std::vector<float> expected;
  for (int i = 0; i < n; ++i) {
    bits.push_back(static_cast<unsigned short>(i < 40 ? 0x3c00 + 16 * i : i < 60 ? 0x8000 + i : 0x7c00));
    expected.push_back(i < 40   ? 1 + 16 * i / 1024.0f
                       : i < 60 ? -static_cast<float>(i) / (1 << 24)
                                : INFINITY);
  }
  cudaChannelFormatDesc channels = cudaCreateChannelDesc(16, 0, 0, 0, cudaChannelFormatKindFloat);
  cudaArray_t array = nullptr;
  CHECK(cudaMallocArray(&array, &channels, n, 0, 0));
  CHECK(cudaMemcpy2DToArray(array, 0, 0, bits.data(), n * 2, n * 2, 1, cudaMemcpyHostToDevice));
  cudaTextureObject_t texture =
      texture_of(resource_of(array), sampling(cudaAddressModeClamp, false, false, 0), false);
  std::vector<Point> at;
  for (int i = 0; i < n; ++i) at.push_back({i + 0.5f, 0, 0, 0});
  std::vector<float> got = fetch<float>(texture, at, 1, false);
  for (int i = 0; i < n; ++i) expect::equal("half", i, got[i], expected[i]);
  CHECK(cudaDestroyTextureObject(texture));
  CHECK(cudaFreeArray(array));
}

static void plain_memory() {
  const int n = 300;
  std::vector<uchar4> values;
  for (int i = 0; i < n; ++i)
    values.push_back(make_uchar4(static_cast<unsigned char>(i), static_cast<unsigned char>(3 * i),
                                 static_cast<unsigned char>(7 * i), static_cast<unsigned char>(255 - i)));
  expect::Array<uchar4> memory(values);
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypeLinear;
  resource.res.linear.devPtr = memory.device();
  resource.res.linear.desc = cudaCreateChannelDesc<uchar4>();
  resource.res.linear.sizeInBytes = n * sizeof(uchar4);
  Sampling s = sampling(cudaAddressModeClamp, false, false, 0);
  cudaTextureObject_t integers = texture_of(resource, s, false), floats = texture_of(resource, s, true);
  const int from = -20, count = n + 40;  // beyond the memory on either side: zero
  expect::Array<uchar4> out(count);
  fetch_linear<uchar4><<<(count + 63) / 64, 64>>>(integers, out.device(), from, count);
  CHECK_LAUNCH();
  expect::Array<float4> scaled(count);
  fetch_linear<float4><<<(count + 63) / 64, 64>>>(floats, scaled.device(), from, count);
  CHECK_LAUNCH();
  out.fetch();
  scaled.fetch();
  for (int i = 0; i < count; ++i) {
    int k = from + i;
    uchar4 expected = k < 0 || k >= n ? make_uchar4(0, 0, 0, 0) : values[k];
    REQUIRE(memcmp(&expected, &out.host[i], sizeof expected) == 0);
    expect::near("x", i, scaled.host[i].x, expected.x / 255.0, 1e-7);
    expect::near("w", i, scaled.host[i].w, expected.w / 255.0, 1e-7);
  }
  cudaResourceDesc told;
  CHECK(cudaGetTextureObjectResourceDesc(&told, integers));
  REQUIRE(told.resType == cudaResourceTypeLinear && told.res.linear.devPtr == memory.device());
  cudaTextureDesc description;
  CHECK(cudaGetTextureObjectTextureDesc(&description, floats));
  REQUIRE(description.readMode == cudaReadModeNormalizedFloat);
  CHECK(cudaDestroyTextureObject(integers));
  CHECK(cudaDestroyTextureObject(floats));
}

static void pitched_memory() {
  Image<float> image(50, 30, 1);
  size_t pitch = 0;
  void* memory = nullptr;
  CHECK(cudaMallocPitch(&memory, &pitch, 50 * sizeof(float), 30));
  CHECK(cudaMemcpy2D(memory, pitch, image.memory.data(), 50 * sizeof(float), 50 * sizeof(float), 30,
                     cudaMemcpyHostToDevice));
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypePitch2D;
  resource.res.pitch2D.devPtr = memory;
  resource.res.pitch2D.desc = cudaCreateChannelDesc<float>();
  resource.res.pitch2D.width = 50;
  resource.res.pitch2D.height = 30;
  resource.res.pitch2D.pitchInBytes = pitch;
  for (int linear = 0; linear < 2; ++linear) {
    Sampling s = sampling(cudaAddressModeClamp, linear != 0, true, 0);
    cudaTextureObject_t texture = texture_of(resource, s, false);
    std::vector<Point> at = points(image.texels, true, 200);
    std::vector<float> got = fetch<float>(texture, at, 2, false);
    for (size_t i = 0; i < at.size(); ++i) {
      double expected = reference(image.texels, s, 2, false, at[i], 0);
      expect::near("pitched", i, got[i], expected, 1e-6 * (1 + fabs(expected)));
    }
    CHECK(cudaDestroyTextureObject(texture));
  }
  CHECK(cudaFree(memory));
}

static void gathers() {
  Image<float2> image(16, 16, 1);
  cudaArray_t array = nullptr;
  cudaChannelFormatDesc channels = cudaCreateChannelDesc<float2>();
  CHECK(cudaMallocArray(&array, &channels, 16, 16, cudaArrayTextureGather));
  CHECK(cudaMemcpy2DToArray(array, 0, 0, image.memory.data(), 16 * 8, 16 * 8, 16, cudaMemcpyHostToDevice));
  Sampling s = sampling(cudaAddressModeClamp, false, false, 0);
  cudaTextureObject_t texture = texture_of(resource_of(array), s, false);
  std::vector<Point> at = points(image.texels, false, 128);
  expect::Array<Point> device_points(at);
  expect::Array<float4> out(2 * at.size());
  gather<<<2, 64>>>(texture, device_points.device(), out.device(), static_cast<int>(at.size()));
  CHECK_LAUNCH();
  out.fetch();
  for (size_t i = 0; i < at.size(); ++i) {
    long long x = static_cast<long long>(floor(at[i].x - 0.5)),
              y = static_cast<long long>(floor(at[i].y - 0.5));
    const long long order[4][2] = {{x, y + 1}, {x + 1, y + 1}, {x + 1, y}, {x, y}};
    for (int c = 0; c < 2; ++c) {
      const float4 got = out.host[2 * i + c];
      const float lanes[4] = {got.x, got.y, got.z, got.w};
      for (int k = 0; k < 4; ++k)
        expect::near("gather", i, lanes[k], look_up(image.texels, s, 2, order[k], 0, c), 0);
    }
  }
  CHECK(cudaDestroyTextureObject(texture));
  CHECK(cudaFreeArray(array));
}

// Lanes of a warp that read several textures, of different sizes.
static void objects_by_lane() {
  Image<float> images[3] = {Image<float>(16, 16, 1), Image<float>(8, 40, 1), Image<float>(31, 5, 1)};
  Sampling s = sampling(cudaAddressModeWrap, true, true, 0);
  cudaArray_t arrays[3];
  std::vector<cudaTextureObject_t> textures;
  for (int i = 0; i < 3; ++i) {
    arrays[i] = array_of(images[i], 2, false);
    textures.push_back(texture_of(resource_of(arrays[i]), s, false));
  }
  std::vector<Point> at = points(images[0].texels, true, 128);
  expect::Array<Point> device_points(at);
  expect::Array<cudaTextureObject_t> device_textures(textures);
  expect::Array<float> out(at.size());
  by_lane<<<2, 64>>>(device_textures.device(), device_points.device(), out.device(), 128, 3);
  CHECK_LAUNCH();
  out.fetch();
  for (size_t i = 0; i < at.size(); ++i) {
    double expected = reference(images[i % 3].texels, s, 2, false, at[i], 0);
    expect::near("by lane", i, out.host[i], expected, 1e-6 * (1 + fabs(expected)));
  }
  for (int i = 0; i < 3; ++i) {
    CHECK(cudaDestroyTextureObject(textures[i]));
    CHECK(cudaFreeArray(arrays[i]));
  }
}

static void array_copies() {
  const size_t w = 20, h = 10, row = w * sizeof(int);
  std::vector<int> in(w * h), out(w * h);
  for (size_t i = 0; i < in.size(); ++i) in[i] = static_cast<int>(i * i);
  cudaChannelFormatDesc channels = cudaCreateChannelDesc<int>();
  cudaArray_t a = nullptr, b = nullptr;
  CHECK(cudaMallocArray(&a, &channels, w, h));
  CHECK(cudaMallocArray(&b, &channels, w, h));
  cudaChannelFormatDesc told;
  cudaExtent extent;
  unsigned flags = 9;
  CHECK(cudaArrayGetInfo(&told, &extent, &flags, a));
  REQUIRE(told.x == 32 && told.y == 0 && told.f == cudaChannelFormatKindSigned);
  REQUIRE(extent.width == w && extent.height == h && extent.depth == 0 && flags == 0);
  CHECK(cudaMemcpy2DToArray(a, 0, 0, in.data(), row, row, h, cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy2DArrayToArray(b, 0, 0, a, 0, 0, row, h));
  CHECK(cudaMemcpy2DFromArray(out.data(), row, b, 0, 0, row, h, cudaMemcpyDeviceToHost));
  REQUIRE(in == out);
  // A part, at a place.
  std::vector<int> part(6, -1);
  CHECK(cudaMemcpy2DFromArray(part.data(), 12, b, 8, 3, 12, 2, cudaMemcpyDeviceToHost));
  for (size_t i = 0; i < 6; ++i) expect::equal("part", i, part[i], in[(3 + i / 3) * w + 2 + i % 3]);
  REQUIRE_STATUS(cudaMemcpy2DFromArray(part.data(), 12, b, row - 4, 0, 12, 1, cudaMemcpyDeviceToHost),
                 cudaErrorInvalidValue);
  cudaGetLastError();  // told
  CHECK(cudaFreeArray(a));
  CHECK(cudaFreeArray(b));
}

// A row is an image of height 1, and a sheet one of depth 1, whatever the array was made as.
static void thin_images() {
  Sampling s = sampling(cudaAddressModeClamp, true, true, 0);
  for (int dimensions = 1; dimensions <= 2; ++dimensions) {
    Image<float> image(20, dimensions == 2 ? 9 : 1, 1);
    for (int of_array = 1; of_array <= 3; ++of_array) {
      if (of_array == 1 && dimensions == 2) continue;
      cudaArray_t array = array_of(image, of_array, false);
      cudaTextureObject_t texture = texture_of(resource_of(array), s, false);
      std::vector<Point> at = points(image.texels, true, 64);
      std::vector<float> got = fetch<float>(texture, at, dimensions, false);
      for (size_t i = 0; i < at.size(); ++i)
        expect::near("thin", i, got[i], reference(image.texels, s, dimensions, false, at[i], 0), 1e-3);
      CHECK(cudaDestroyTextureObject(texture));
      CHECK(cudaFreeArray(array));
    }
  }
}

static void errors() {
  cudaChannelFormatDesc channels = cudaCreateChannelDesc<int>();
  cudaArray_t array = nullptr;
  CHECK(cudaMallocArray(&array, &channels, 8, 8));
  cudaResourceDesc resource = resource_of(array);
  cudaTextureDesc description = {};
  cudaTextureObject_t texture = 0;
  description.filterMode = cudaFilterModeLinear;  // of integers that are not scaled
  REQUIRE_STATUS(cudaCreateTextureObject(&texture, &resource, &description, nullptr),
                 cudaErrorInvalidFilterSetting);
  REQUIRE_STATUS(cudaCreateTextureObject(nullptr, &resource, &description, nullptr), cudaErrorInvalidValue);
  cudaSurfaceObject_t surface = 0;  // the array was not made for it
  REQUIRE_STATUS(cudaCreateSurfaceObject(&surface, &resource), cudaErrorInvalidValue);
  CHECK(cudaFreeArray(array));
  CHECK(cudaFreeArray(nullptr));
  channels.x = 12;
  REQUIRE_STATUS(cudaMallocArray(&array, &channels, 8, 8), cudaErrorInvalidChannelDescriptor);
  cudaGetLastError();
}

int main() {
  array_copies();
  address_modes_and_filters();
  formats();
  halves();
  plain_memory();
  pitched_memory();
  gathers();
  objects_by_lane();
  thin_images();
  errors();
  return expect::pass("textures");
}
