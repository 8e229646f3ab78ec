// Host and device memory of a benchmark, by direction: a Side is all arrays that one offload copies in, or
// all that it copies out. It knows whether its device memory has full/empty bits, and whether its arrays lie
// behind each other in one allocation, so that one command copies them (--copies one). Left out: intermediate
// arrays, which are never copied and have no bits (Device without a side).
#pragma once

#include <vector>

#include "options.h"

#ifdef __DUET__
#include <duet_full_empty.h>
#endif

namespace lustig2013 {

struct Array {
  char* host = nullptr;
  char* device = nullptr;
  size_t bytes = 0;  // of what commands transfer
  size_t used = 0;   // of the array alone
};

class Side {
 public:
  // `array_bytes`: sizes of the arrays that will be placed here, in their order.
  Side(const Options& options, bool tracked, const std::vector<size_t>& array_bytes)
      : tracked_(tracked && options.bits), granule_bytes_(options.granule_bytes) {
    if (!options.combined || array_bytes.size() < 2) return;
    for (size_t bytes : array_bytes) block_.bytes += padded(whole_granules(bytes));
    void *host = nullptr, *device = nullptr;
    CHECK_CUDA(cudaMallocHost(&host, block_.bytes));
    allocate(&device, block_.bytes);
    block_.host = static_cast<char*>(host);
    block_.device = static_cast<char*>(device);
  }
  ~Side() {
    if (block_.bytes == 0) return;
    CHECK_CUDA(cudaFreeHost(block_.host));
    CHECK_CUDA(cudaFree(block_.device));
  }
  Side(const Side&) = delete;
  Side& operator=(const Side&) = delete;

  bool tracked() const { return tracked_; }
  bool owns() const { return block_.bytes != 0; }
  const std::vector<Array>& arrays() const { return arrays_; }
  // What the commands of one offload copy.
  std::vector<Array> transfers() const { return owns() ? std::vector<Array>{block_} : arrays_; }

  // What commands that know bits transfer of an array of so many bytes; copies take what lies behind it
  // along.
  size_t whole_granules(size_t bytes) const {
    return tracked_ ? (bytes + granule_bytes_ - 1) / granule_bytes_ * granule_bytes_ : bytes;
  }
  void allocate(void** device, size_t bytes) const {
#ifdef __DUET__
    if (tracked_) {
      CHECK_CUDA(duetMallocTracked(device, bytes));
      return;
    }
#endif
    CHECK_CUDA(cudaMalloc(device, bytes));
  }
  // The i-th host array belongs to the i-th device array.
  char* place_host(char* own, size_t bytes) {
    size_t offset = take(hosts_, bytes);
    return arrays_[hosts_++].host = owns() ? block_.host + offset : own;
  }
  char* place_device(char* own, size_t bytes) {
    size_t offset = take(devices_, bytes);
    return arrays_[devices_++].device = owns() ? block_.device + offset : own;
  }

 private:
  // As cudaMalloc aligns, and granules.
  size_t padded(size_t bytes) const {
    const size_t unit = granule_bytes_ > 256 ? granule_bytes_ : 256;
    return (bytes + unit - 1) / unit * unit;
  }
  size_t take(size_t index, size_t bytes) {
    if (index == arrays_.size()) arrays_.emplace_back();
    arrays_[index].bytes = whole_granules(bytes);
    arrays_[index].used = bytes;
    size_t offset = 0;
    for (size_t i = 0; i < index; i++) offset += padded(arrays_[i].bytes);
    return offset;
  }

  bool tracked_;
  size_t granule_bytes_;
  Array block_;  // of all arrays, when one command copies them
  std::vector<Array> arrays_;
  size_t hosts_ = 0, devices_ = 0;
};

// Page-locked host memory, which asynchronous copies need to be asynchronous.
template <typename T>
class Pinned {
 public:
  explicit Pinned(size_t count, Side* side = nullptr) : count_(count) {
    char* own = nullptr;
    const size_t allocated = side == nullptr ? bytes() : side->whole_granules(bytes());
    if (side == nullptr || !side->owns())
      CHECK_CUDA(cudaMallocHost(reinterpret_cast<void**>(&own), allocated));
    own_ = own;
    data_ = reinterpret_cast<T*>(side != nullptr ? side->place_host(own, bytes()) : own);
  }
  ~Pinned() {
    if (own_ != nullptr) CHECK_CUDA(cudaFreeHost(own_));
  }
  Pinned(const Pinned&) = delete;
  Pinned& operator=(const Pinned&) = delete;
  T* get() const { return data_; }
  T& operator[](size_t i) const { return data_[i]; }
  size_t size() const { return count_; }
  size_t bytes() const { return count_ * sizeof(T); }
  // So that a result that was never copied back cannot pass for the one of an earlier offload.
  void poison() const { memset(data_, 0xa5, bytes()); }

 private:
  char* own_ = nullptr;
  T* data_ = nullptr;
  size_t count_;
};

template <typename T>
class Device {
 public:
  explicit Device(size_t count, Side* side = nullptr) : count_(count) {
    void* own = nullptr;
    if (side == nullptr) {
      CHECK_CUDA(cudaMalloc(&own, bytes()));
    } else if (!side->owns()) {
      side->allocate(&own, side->whole_granules(bytes()));
    }
    own_ = static_cast<char*>(own);
    data_ = reinterpret_cast<T*>(side != nullptr ? side->place_device(own_, bytes()) : own_);
  }
  ~Device() {
    if (own_ != nullptr) CHECK_CUDA(cudaFree(own_));
  }
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;
  T* get() const { return data_; }
  size_t bytes() const { return count_ * sizeof(T); }

 private:
  char* own_ = nullptr;
  T* data_ = nullptr;
  size_t count_;
};

class Stream {
 public:
  Stream() { CHECK_CUDA(cudaStreamCreate(&stream_)); }
  ~Stream() { CHECK_CUDA(cudaStreamDestroy(stream_)); }
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;
  cudaStream_t get() const { return stream_; }

 private:
  cudaStream_t stream_ = nullptr;
};

}  // namespace lustig2013
