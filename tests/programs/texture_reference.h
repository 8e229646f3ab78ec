// Images of random texels read through texture objects, and a reference on the CPU, which looks texels up one
// by one, with weights as the CUDA C++ Programming Guide ("Texture Fetching") gives them.
#pragma once

#include <math.h>

#include "expect.h"

struct Point {
  float x, y, z;
  int layer;
};

template <typename T>
__global__ void fetch_1d(cudaTextureObject_t texture, const Point* at, T* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = tex1D<T>(texture, at[i].x);
}
template <typename T>
__global__ void fetch_2d(cudaTextureObject_t texture, const Point* at, T* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = tex2D<T>(texture, at[i].x, at[i].y);
}
template <typename T>
__global__ void fetch_3d(cudaTextureObject_t texture, const Point* at, T* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = tex3D<T>(texture, at[i].x, at[i].y, at[i].z);
}
template <typename T>
__global__ void fetch_layered(cudaTextureObject_t texture, const Point* at, T* out, int n, int dimensions) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  if (dimensions == 1)
    out[i] = tex1DLayered<T>(texture, at[i].x, at[i].layer);
  else
    out[i] = tex2DLayered<T>(texture, at[i].x, at[i].y, at[i].layer);
}
// A texel's channels as numbers, whatever their format.
struct Texels {
  int width, height, depth, channels;
  std::vector<double> values;
  double at(int x, int y, int z, int c) const {
    return values[((static_cast<size_t>(z) * height + y) * width + x) * channels + c];
  }
};

struct Sampling {
  cudaTextureAddressMode mode[3];
  bool linear, normalized;
  double border;
};

// The texel that number i means; -1: none.
static int place(long long i, int size, const Sampling& s, int axis) {
  const cudaTextureAddressMode mode = s.mode[axis];
  if (mode == cudaAddressModeBorder) return i >= 0 && i < size ? static_cast<int>(i) : -1;
  if (s.normalized && mode == cudaAddressModeWrap) return static_cast<int>(((i % size) + size) % size);
  if (s.normalized && mode == cudaAddressModeMirror) {
    long long period = ((i % (2ll * size)) + 2ll * size) % (2ll * size);
    return static_cast<int>(period < size ? period : 2ll * size - 1 - period);
  }
  return static_cast<int>(i < 0 ? 0 : i >= size ? size - 1 : i);
}

static double look_up(const Texels& t, const Sampling& s, int dimensions, const long long* i, int layer,
                      int channel) {
  int x = place(i[0], t.width, s, 0);
  int y = dimensions > 1 ? place(i[1], t.height, s, 1) : 0;
  int z = dimensions > 2 ? place(i[2], t.depth, s, 2) : layer;
  return x < 0 || y < 0 || z < 0 ? s.border : t.at(x, y, z, channel);
}

static double reference(const Texels& t, const Sampling& s, int dimensions, bool layered, const Point& p,
                        int channel) {
  const float given[3] = {p.x, p.y, p.z};
  const int size[3] = {t.width, t.height, t.depth};
  int layer = !layered ? 0 : p.layer >= t.depth ? t.depth - 1 : p.layer;
  long long base[3];
  double weight[3];
  for (int k = 0; k < dimensions; ++k) {
    double x = s.normalized ? static_cast<double>(given[k]) * size[k] : given[k];
    if (s.linear) x -= 0.5;
    base[k] = static_cast<long long>(floor(x));
    weight[k] = floor((x - floor(x)) * 256 + 0.5) / 256;
  }
  if (!s.linear) return look_up(t, s, dimensions, base, layer, channel);
  double sum = 0;
  for (int corner = 0; corner < 1 << dimensions; ++corner) {
    long long i[3];
    double w = 1;
    for (int k = 0; k < dimensions; ++k) {
      int next = corner >> k & 1;
      i[k] = base[k] + next;
      w *= next ? weight[k] : 1 - weight[k];
    }
    if (w != 0) sum += w * look_up(t, s, dimensions, i, layer, channel);
  }
  return sum;
}

static unsigned state = 12345;
static unsigned random_number() { return state = state * 1664525u + 1013904223u; }
static int below(int n) { return static_cast<int>((random_number() >> 8) % static_cast<unsigned>(n)); }

// Coordinates a quarter of the image beyond it on either side, not on the edges of texels.
static std::vector<Point> points(const Texels& t, bool normalized, int n) {
  std::vector<Point> result;
  for (int i = 0; i < n; ++i) {
    float at[3];
    const int size[3] = {t.width, t.height, t.depth};
    for (int k = 0; k < 3; ++k) {
      double x = (below(size[k] * 64 * 3) - size[k] * 64) / 64.0 + 1 / 128.0;
      at[k] = static_cast<float>(normalized ? x / size[k] : x);
    }
    result.push_back({at[0], at[1], at[2], below(t.depth + 1)});
  }
  return result;
}

template <typename T>
struct Format;
#define FORMAT(type, element, count, floats, is_signed)                                        \
  template <>                                                                                  \
  struct Format<type> {                                                                        \
    typedef element Element;                                                                   \
    static const int channels = count;                                                         \
    static cudaChannelFormatDesc description() {                                               \
      int b = 8 * static_cast<int>(sizeof(element));                                           \
      return cudaCreateChannelDesc(b, count > 1 ? b : 0, count > 2 ? b : 0, count > 2 ? b : 0, \
                                   floats      ? cudaChannelFormatKindFloat                    \
                                   : is_signed ? cudaChannelFormatKindSigned                   \
                                               : cudaChannelFormatKindUnsigned);               \
    }                                                                                          \
  };
FORMAT(float, float, 1, true, true)
FORMAT(float2, float, 2, true, true)
FORMAT(float4, float, 4, true, true)
FORMAT(unsigned char, unsigned char, 1, false, false)
FORMAT(uchar4, unsigned char, 4, false, false)
FORMAT(short2, short, 2, false, true)
FORMAT(ushort4, unsigned short, 4, false, false)
FORMAT(int, int, 1, false, true)
FORMAT(uint2, unsigned, 2, false, false)
FORMAT(char4, signed char, 4, false, true)

static Sampling sampling(cudaTextureAddressMode mode, bool linear, bool normalized, double border) {
  return {{mode, mode, mode}, linear, normalized, border};
}

// An image of random texels, as memory of type T and as numbers.
template <typename T>
struct Image {
  typedef typename Format<T>::Element Element;
  Texels texels;
  std::vector<Element> memory;
  Image(int width, int height, int depth) {
    texels = {width, height, depth, Format<T>::channels, {}};
    size_t count = static_cast<size_t>(width) * height * depth * Format<T>::channels;
    for (size_t i = 0; i < count; ++i) {
      Element e = static_cast<Element>(sizeof(Element) == 4 ? below(2000) - 1000 : below(1 << 16) - 30000);
      memory.push_back(e);
      texels.values.push_back(static_cast<double>(e));
    }
  }
  // As cudaReadModeNormalizedFloat reads it.
  Texels scaled() const {
    Texels result = texels;
    double largest = sizeof(Element) == 1 ? 255 : 65535;
    if (static_cast<Element>(-1) < static_cast<Element>(0)) largest = (largest - 1) / 2;
    for (double& v : result.values) v = v / largest < -1 ? -1 : v / largest;
    return result;
  }
};

template <typename T>
static cudaArray_t array_of(const Image<T>& image, int dimensions, bool layered) {
  cudaArray_t array = nullptr;
  cudaChannelFormatDesc channels = Format<T>::description();
  const Texels& t = image.texels;
  cudaExtent extent =
      make_cudaExtent(t.width, dimensions > 1 ? t.height : 0, dimensions > 2 || layered ? t.depth : 0);
  CHECK(cudaMalloc3DArray(&array, &channels, extent, layered ? cudaArrayLayered : cudaArrayDefault));
  cudaMemcpy3DParms copy = {};
  copy.srcPtr = make_cudaPitchedPtr(const_cast<typename Image<T>::Element*>(image.memory.data()),
                                    t.width * sizeof(T), t.width, t.height);
  copy.dstArray = array;
  copy.extent = make_cudaExtent(t.width, t.height, t.depth);
  copy.kind = cudaMemcpyHostToDevice;
  CHECK(cudaMemcpy3D(&copy));
  return array;
}

static cudaTextureObject_t texture_of(const cudaResourceDesc& resource, const Sampling& s, bool scaled) {
  cudaTextureDesc description = {};
  for (int k = 0; k < 3; ++k) description.addressMode[k] = s.mode[k];
  description.filterMode = s.linear ? cudaFilterModeLinear : cudaFilterModePoint;
  description.readMode = scaled ? cudaReadModeNormalizedFloat : cudaReadModeElementType;
  description.normalizedCoords = s.normalized;
  for (float& c : description.borderColor) c = static_cast<float>(s.border);
  cudaTextureObject_t texture = 0;
  CHECK(cudaCreateTextureObject(&texture, &resource, &description, nullptr));
  return texture;
}

static cudaResourceDesc resource_of(cudaArray_t array) {
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = array;
  return resource;
}

template <typename R>
static std::vector<R> fetch(cudaTextureObject_t texture, const std::vector<Point>& at, int dimensions,
                            bool layered) {
  int n = static_cast<int>(at.size());
  expect::Array<Point> points(at);
  expect::Array<R> out(at.size());
  int blocks = (n + 63) / 64;
  if (layered)
    fetch_layered<R><<<blocks, 64>>>(texture, points.device(), out.device(), n, dimensions);
  else if (dimensions == 1)
    fetch_1d<R><<<blocks, 64>>>(texture, points.device(), out.device(), n);
  else if (dimensions == 2)
    fetch_2d<R><<<blocks, 64>>>(texture, points.device(), out.device(), n);
  else
    fetch_3d<R><<<blocks, 64>>>(texture, points.device(), out.device(), n);
  CHECK_LAUNCH();
  return out.fetch();
}

// Reads an image of T as R, and compares every channel.
template <typename T, typename R>
static void sampled(const char* what, int width, int height, int depth, int dimensions, bool layered,
                    Sampling s, bool scaled) {
  Image<T> image(width, height, depth);
  cudaArray_t array = array_of(image, dimensions, layered);
  cudaTextureObject_t texture = texture_of(resource_of(array), s, scaled);
  std::vector<Point> at = points(image.texels, s.normalized, 200);
  std::vector<R> got = fetch<R>(texture, at, dimensions, layered);
  Texels texels = scaled ? image.scaled() : image.texels;
  for (size_t i = 0; i < at.size(); ++i)
    for (int c = 0; c < Format<R>::channels; ++c) {
      typename Format<R>::Element element;
      memcpy(&element, reinterpret_cast<const char*>(&got[i]) + c * sizeof element, sizeof element);
      double expected = reference(texels, s, dimensions, layered, at[i], c);
      expect::near(what, i * Format<R>::channels + c, static_cast<double>(element), expected,
                   s.linear || scaled ? 1e-6 * (1 + fabs(expected)) : 0);
    }
  CHECK(cudaDestroyTextureObject(texture));
  CHECK(cudaFreeArray(array));
}

static const cudaTextureAddressMode kModes[] = {cudaAddressModeWrap, cudaAddressModeClamp,
                                                cudaAddressModeMirror, cudaAddressModeBorder};
