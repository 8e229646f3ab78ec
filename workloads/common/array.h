// An array in the memory that a program names. device: an array on each side, and copies between them, as
// most programs have it. managed, mapped and shared: one array that both sides use, and no copy, as on a chip
// where CPU and GPU reach the same DRAM; of a shared one the program has caches written back.
//
//   Array<float> a(Memory::kDevice, 1024);
//   a[0] = 1;
//   a.to_device();                        // managed and mapped: nothing; shared: the CPU's caches are
//   flushed kernel<<<...>>>(a.device()); a.to_host();                          // managed, mapped, shared:
//   the kernel is waited for; then the GPU's
//
// Leaves out asynchronous copies: a program measures its kernel.
#pragma once

#include <vector>

#include "check.h"

namespace workload {

enum class Memory { kDevice, kManaged, kMapped, kShared };

template <typename T>
class Array {
 public:
  // It lies `offset` bytes behind the beginning of its allocation.
  Array(Memory memory, size_t count, size_t offset = 0) : memory_(memory), count_(count) {
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
      case Memory::kShared:
        if (duetSharedAlloc(&host, offset + bytes()) != 0) {
          fprintf(stderr, "no memory that both sides may cache: the machine has no such method\n");
          exit(2);
        }
        device = host;
        break;
    }
    allocation_ = is_of_host() ? host : device;
    const size_t host_offset = memory_ == Memory::kDevice ? 0 : offset;
    host_ = reinterpret_cast<T*>(static_cast<char*>(host) + host_offset);
    device_ = reinterpret_cast<T*>(static_cast<char*>(device) + offset);
    // So that what a kernel never wrote cannot pass for a result.
    memset(host_, 0xff, bytes());
  }
  ~Array() {
    if (is_of_host())
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
    give_up();
  }
  // Before the GPU overwrites all of it: nothing to copy.
  void give_up() const {
    if (memory_ == Memory::kShared) duetFlushCpu(host_, bytes());
  }
  // After a kernel, before the host overwrites all of it: nothing to copy.
  void take_back() const {
    if (memory_ == Memory::kShared) duetFlushGpu(host_, bytes());
  }
  // Also what orders the kernel before the host's reading where there is nothing to copy.
  void to_host() const { to_host(count_); }
  // The first `count` elements.
  void to_host(size_t count) const {
    if (memory_ == Memory::kDevice)
      CHECK_CUDA(cudaMemcpy(host_, device_, count * sizeof(T), cudaMemcpyDeviceToHost));
    else
      CHECK_CUDA(cudaDeviceSynchronize());
    if (memory_ == Memory::kShared) duetFlushGpu(host_, count * sizeof(T));
  }

 private:
  bool is_of_host() const { return memory_ == Memory::kMapped || memory_ == Memory::kShared; }

  Memory memory_;
  size_t count_;
  std::vector<T> own_;
  void* allocation_ = nullptr;
  T* host_ = nullptr;
  T* device_ = nullptr;
};

}  // namespace workload
