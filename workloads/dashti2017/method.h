// A buffer that CPU and GPU share, in the way that --method names (dashti2017 section 3), and options.
//
//   Buffer<int> data(options.method, 1024);
//   data.host()[0] = 1;
//   data.to_gpu();                        // default: a copy; managed: nothing, a launch does it; hostalloc: nothing
//   kernel<<<...>>>(data.gpu());
//   data.to_cpu();                        // default: a copy; the others: the kernel is waited for
//
// One source for all methods: what a method costs comes from the machine that the program runs on. Left out: buffers of which a part
// is copied.
#pragma once

#include <string>
#include <vector>

#include "../common/check.h"

namespace dashti2017 {

enum class Method { kDefault, kHostAlloc, kManaged };

inline const char* name_of(Method method) {
  return method == Method::kDefault ? "default" : method == Method::kHostAlloc ? "hostalloc" : "managed";
}

template <typename T>
class Buffer {
 public:
  Buffer(Method method, size_t count) : method_(method), count_(count) {
    void *host = nullptr, *gpu = nullptr;
    switch (method_) {
      case Method::kDefault:
        own_.resize(count_);
        host = own_.data();
        CHECK_CUDA(cudaMalloc(&gpu, bytes()));
        break;
      case Method::kHostAlloc:
        CHECK_CUDA(cudaHostAlloc(&host, bytes(), cudaHostAllocMapped));
        CHECK_CUDA(cudaHostGetDevicePointer(&gpu, host, 0));
        break;
      case Method::kManaged:
        CHECK_CUDA(cudaMallocManaged(&gpu, bytes()));
        host = gpu;
        break;
    }
    host_ = static_cast<T*>(host);
    gpu_ = static_cast<T*>(gpu);
    memset(host_, 0, bytes());
  }
  ~Buffer() {
    if (method_ == Method::kHostAlloc)
      CHECK_CUDA(cudaFreeHost(host_));
    else
      CHECK_CUDA(cudaFree(gpu_));
  }
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;

  T* host() const { return host_; }
  T* gpu() const { return gpu_; }
  size_t bytes() const { return count_ * sizeof(T); }

  void to_gpu() const {
    if (method_ == Method::kDefault) CHECK_CUDA(cudaMemcpy(gpu_, host_, bytes(), cudaMemcpyHostToDevice));
  }
  void to_cpu() const {
    if (method_ == Method::kDefault)
      CHECK_CUDA(cudaMemcpy(host_, gpu_, bytes(), cudaMemcpyDeviceToHost));
    else
      CHECK_CUDA(cudaDeviceSynchronize());
  }
  // CPU and GPU may use the buffer at the same time.
  bool concurrent() const { return method_ != Method::kManaged; }

 private:
  const Method method_;
  const size_t count_;
  std::vector<T> own_;
  T* host_ = nullptr;
  T* gpu_ = nullptr;
};

// `--name VALUE` words of a program, each with its meaning and limits; --method is every program's.
class Arguments {
 public:
  Arguments(const char* program, const char* text, int argc, char** argv) : program_(program) {
    for (int i = 1; i < argc; i += 2) {
      if (std::string(argv[i]) == "--help") {
        printf("%s: %s\n  --method default | hostalloc | managed (dashti2017 section 3)\n", program, text);
        exit(0);
      }
      if (strncmp(argv[i], "--", 2) != 0 || i + 1 == argc) workload::usage_error(program_, "a value is missing for", argv[i]);
      words_.push_back({argv[i] + 2, argv[i + 1], false});
    }
  }
  unsigned long long number(const char* name, unsigned long long without, unsigned long long low, unsigned long long high) {
    const char* text = find(name);
    return text == nullptr ? without : workload::parse_number(program_, name, text, low, high);
  }
  // The place of the word among those that are possible; the first one where it is not given.
  size_t one_of(const char* name, const std::vector<std::string>& possible) {
    const char* text = find(name);
    if (text == nullptr) return 0;
    for (size_t i = 0; i < possible.size(); i++)
      if (possible[i] == text) return i;
    workload::usage_error(program_, (std::string("unknown --") + name).c_str(), text);
  }
  Method method() { return static_cast<Method>(one_of("method", {"default", "hostalloc", "managed"})); }
  // After the last question: a word that nobody asked for is wrong usage.
  void end() const {
    for (const Word& word : words_)
      if (!word.known) workload::usage_error(program_, "unknown option", word.name.c_str());
  }

 private:
  struct Word {
    std::string name, value;
    bool known;
  };
  const char* find(const char* name) {
    const char* found = nullptr;
    for (Word& word : words_)
      if (word.name == name) {
        word.known = true;
        found = word.value.c_str();
      }
    return found;
  }
  const char* program_;
  std::vector<Word> words_;
};

}  // namespace dashti2017
