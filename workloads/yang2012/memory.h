// Arrays of a benchmark in the memory that --memory names. device: an array on each side, and copies between
// them, as the original programs have it. managed and mapped: one array that both sides use, and no copy, as
// on the fused chip of yang2012 section 3, where CPU and GPU reach the same DRAM. Leaves out asynchronous
// copies: a benchmark measures its kernel.
#pragma once

#include <vector>

#include "options.h"

namespace yang2012 {

// Of a program's arrays, in the order of their making.
inline size_t next_number() {
  static size_t next = 0;
  return next++;
}

template <typename T>
class Array {
 public:
  Array(Memory memory, size_t count) : memory_(memory), count_(count) {
    const size_t offset = next_number() * offset_of_arrays();
    void *host = nullptr, *device = nullptr;
    switch (memory_) {
      case Memory::kDevice:
        own_.resize(count_);
        host = own_.data();
        CHECK_CUDA(cudaMalloc(&device, offset + bytes()));
        break;
      case Memory::kManaged:
        CHECK_CUDA(cudaMallocManaged(&device, offset + bytes()));
        host = device;
        break;
      case Memory::kMapped:
        CHECK_CUDA(cudaHostAlloc(&host, offset + bytes(), cudaHostAllocMapped));
        CHECK_CUDA(cudaHostGetDevicePointer(&device, host, 0));
        break;
    }
    allocation_ = memory_ == Memory::kMapped ? host : device;
    const size_t host_offset = memory_ == Memory::kDevice ? 0 : offset;
    host_ = reinterpret_cast<T*>(static_cast<char*>(host) + host_offset);
    device_ = reinterpret_cast<T*>(static_cast<char*>(device) + offset);
    // So that what a kernel never wrote cannot pass for a result.
    memset(host_, 0xff, bytes());
  }
  ~Array() {
    if (memory_ == Memory::kMapped)
      CHECK_CUDA(cudaFreeHost(allocation_));
    else
      CHECK_CUDA(cudaFree(allocation_));
  }
  Array(const Array&) = delete;
  Array& operator=(const Array&) = delete;

  T* device() const { return device_; }
  T& operator[](size_t i) const { return host_[i]; }
  size_t size() const { return count_; }
  size_t bytes() const { return count_ * sizeof(T); }

  void to_device() const {
    if (memory_ == Memory::kDevice) CHECK_CUDA(cudaMemcpy(device_, host_, bytes(), cudaMemcpyHostToDevice));
  }
  // Also what orders the kernel before the host's reading where there is nothing to copy.
  void to_host() const {
    if (memory_ == Memory::kDevice)
      CHECK_CUDA(cudaMemcpy(host_, device_, bytes(), cudaMemcpyDeviceToHost));
    else
      CHECK_CUDA(cudaDeviceSynchronize());
  }

 private:
  Memory memory_;
  size_t count_;
  std::vector<T> own_;
  void* allocation_ = nullptr;
  T* host_ = nullptr;
  T* device_ = nullptr;
};

}  // namespace yang2012
