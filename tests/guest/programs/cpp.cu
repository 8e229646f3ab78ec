// C++ on the host's side: streams, containers, exceptions through several frames and out of main (argument:
// throw), constructors and destructors of globals that call CUDA.
#include <algorithm>
#include <iostream>
#include <map>
#include <memory>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

struct CudaError : std::runtime_error {
  explicit CudaError(cudaError_t error) : std::runtime_error(cudaGetErrorString(error)) {}
};
void check(cudaError_t error) {
  if (error != cudaSuccess) throw CudaError(error);
}

__device__ int counter = 7;

struct Global {
  int* there = nullptr;
  Global() { check(cudaMalloc(&there, sizeof(int))); }
  ~Global() { std::cout << "a destructor frees: " << cudaGetErrorName(cudaFree(there)) << std::endl; }
};
Global global;

__global__ void count(int* to) { *to = atomicAdd(&counter, 1); }

template <typename T>
class Buffer {
 public:
  explicit Buffer(std::size_t n) : n_(n) { check(cudaMallocManaged(&data_, n * sizeof(T))); }
  ~Buffer() { cudaFree(data_); }
  T* begin() { return data_; }
  T* end() { return data_ + n_; }

 private:
  T* data_ = nullptr;
  std::size_t n_;
};

int frames(int depth) {
  const std::unique_ptr<Buffer<int>> buffer = std::make_unique<Buffer<int>>(100);
  std::fill(buffer->begin(), buffer->end(), depth);
  if (depth == 3) check(cudaMemcpy(nullptr, buffer->begin(), 4, cudaMemcpyDefault));
  return frames(depth + 1) + *buffer->begin();
}

}  // namespace

int main(int arguments, char** words) {
  std::map<std::string, int> found;
  for (const char* name : {"one", "two", "three"}) {
    count<<<1, 1>>>(global.there);
    check(cudaMemcpy(&found[name], global.there, sizeof(int), cudaMemcpyDeviceToHost));
  }
  for (const auto& [name, value] : found) std::cout << name << " = " << value << '\n';
  try {
    frames(0);
  } catch (const CudaError& error) {
    std::cout << "caught: " << error.what() << std::endl;
  }
  std::ostringstream text;
  text << std::hex << 255 << ' ' << std::fixed << 2.5;
  std::cout << text.str() << std::endl;
  if (arguments > 1 && std::string(words[1]) == "throw") throw std::logic_error("nobody catches this");
  return 3;
}
