#include "guest/nested_arguments.h"

namespace duet::guest {

namespace {

// Of the list (CUDA driver API, cuLaunchKernel).
constexpr std::uintptr_t kEnd = 0, kPointer = 1, kSize = 2;

void* word(std::uintptr_t value) { return reinterpret_cast<void*>(value); }

}  // namespace

ParameterBlock::ParameterBlock(process::ProgramSide& program, void** there) : given_(there != nullptr) {
  const void* block = nullptr;
  for (; there != nullptr; there += 2) {
    std::uintptr_t mark = kEnd, value = 0;
    program.read(there, &mark, sizeof mark);
    if (mark == kEnd) break;
    program.read(there + 1, &value, sizeof value);
    if (mark == kPointer) {
      block = word(value);
    } else if (mark == kSize) {
      program.read(word(value), &bytes_, sizeof bytes_);
    } else {  // the runtime refuses it
      list_ = {word(mark), word(value), word(kEnd)};
      return;
    }
  }
  if (block != nullptr && bytes_ != 0) {
    program.check(nullptr, block, bytes_, false);
    block_.resize(bytes_);
    program.read(block, block_.data(), bytes_);
  }
  list_ = {word(kPointer), block_.data(), word(kSize), &bytes_, word(kEnd)};
}

Argument<cudaGraphNodeParams*>::Argument(ArgumentWords& words)
    : program_(words.program()), there_(ArgumentWords::pointer<void>(words.next())) {
  if (there_ == nullptr) return;
  program_.read(there_, &given_, sizeof given_);
  value_ = given_;
  is_given_ = true;
  if (value_.type == cudaGraphNodeTypeKernel) kernel_.emplace(program_, value_.kernel);
  if (value_.type == cudaGraphNodeTypeMemAlloc) memory_.emplace(program_, value_.alloc);
}

// Only an allocation answers something: where it lies.
void Argument<cudaGraphNodeParams*>::give_back() {
  if (!memory_) return;
  given_.alloc.dptr = value_.alloc.dptr;
  program_.write(there_, &given_, sizeof given_);
}

}  // namespace duet::guest
