// Structures with pointers as arguments: the pointers' targets are copied as well (call_arguments.h). A
// kernel's parameters are found through its stub.
#pragma once

#include <deque>
#include <optional>
#include <vector>

#include "guest/call_arguments.h"
#include "guest/kernel_arguments.h"
#include "guest/list.h"

#include "cuda_runtime_api.h"

namespace duet::guest {

// The other form of a kernel's parameters: a block of bytes and its size, as a list of marks and pointers.
class ParameterBlock {
 public:
  ParameterBlock(process::ProgramSide& program, void** there);
  void** get() { return given_ ? list_.data() : nullptr; }

 private:
  bool given_ = false;
  std::size_t bytes_ = 0;
  std::vector<std::byte> block_;
  std::vector<void*> list_;
};

class NodeKernel {
 public:
  template <typename Parameters>
  NodeKernel(process::ProgramSide& program, Parameters& parameters)
      : arguments_(program, parameters.func, reinterpret_cast<std::uintptr_t>(parameters.kernelParams)),
        block_(program, parameters.extra) {
    parameters.kernelParams = arguments_.get();
    parameters.extra = block_.get();
  }

 private:
  KernelArguments arguments_;
  ParameterBlock block_;
};

template <>
class Argument<const cudaKernelNodeParams*> {
 public:
  explicit Argument(ArgumentWords& words) {
    const std::uint64_t there = words.next();
    if (there == 0) return;
    words.program().read(ArgumentWords::pointer<void>(there), &value_.emplace(), sizeof *value_);
    kernel_.emplace(words.program(), *value_);
  }
  const cudaKernelNodeParams* get() { return value_ ? &*value_ : nullptr; }
  void give_back() {}

 private:
  std::optional<cudaKernelNodeParams> value_;
  std::optional<NodeKernel> kernel_;
};

// The access rights of a node's memory, and its address for the program.
class NodeMemory {
 public:
  template <typename Parameters>
  NodeMemory(process::ProgramSide& program, Parameters& parameters)
      : there_(parameters.accessDescs),
        access_(program, reinterpret_cast<std::uintptr_t>(there_), parameters.accessDescCount) {
    parameters.accessDescs = access_.get();
  }
  template <typename Parameters>
  void put_back(Parameters& parameters) const {
    parameters.accessDescs = there_;
  }

 private:
  const cudaMemAccessDesc* there_;
  List<cudaMemAccessDesc> access_;
};

template <>
class Argument<cudaMemAllocNodeParams*> {
 public:
  explicit Argument(ArgumentWords& words)
      : program_(words.program()), there_(ArgumentWords::pointer<void>(words.next())) {
    if (there_ == nullptr) return;
    program_.read(there_, &value_.emplace(), sizeof *value_);
    memory_.emplace(program_, *value_);
  }
  cudaMemAllocNodeParams* get() { return value_ ? &*value_ : nullptr; }
  void give_back() {
    if (!value_) return;
    memory_->put_back(*value_);
    program_.write(there_, &*value_, sizeof *value_);
  }

 private:
  process::ProgramSide& program_;
  void* there_;
  std::optional<cudaMemAllocNodeParams> value_;
  std::optional<NodeMemory> memory_;
};

template <>
class Argument<cudaGraphNodeParams*> {
 public:
  explicit Argument(ArgumentWords& words);
  cudaGraphNodeParams* get() { return is_given_ ? &value_ : nullptr; }
  void give_back();

 private:
  process::ProgramSide& program_;
  void* there_;
  bool is_given_ = false;
  cudaGraphNodeParams value_{}, given_{};
  std::optional<NodeKernel> kernel_;
  std::optional<NodeMemory> memory_;
};

}  // namespace duet::guest
