// The arguments of a call of a program on simulated cores, as its serving function takes them. Plain values
// are taken as they are. A pointer to a structure, or to a value, becomes a pointer to a copy of it here; the
// copy goes back when the function has returned, unless it is const. So the function sees and writes plain
// objects. A C string is copied too. Pointers to nothing in particular (void, handles) stay numbers: device
// memory, or an end of a copy.
//
// Source: RISC-V ABIs Specification, version 1.0, integer calling convention: arguments in a0 to a7 and then
// on the stack, a structure of up to 16 bytes in one or two words, a larger one by reference. Structures have
// the same layout here and there (LP64).
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <tuple>
#include <type_traits>

#include "process/program_side.h"

struct CUstream_st;
struct CUevent_st;
struct CUgraph_st;
struct CUgraphNode_st;
struct CUgraphExec_st;
struct CUmemPoolHandle_st;
struct CUfunc_st;
struct CUkern_st;
struct CUlib_st;
struct cudaArray;
struct _cl_platform_id;
struct _cl_device_id;
struct _cl_context;
struct _cl_command_queue;
struct _cl_mem;
struct _cl_program;
struct _cl_kernel;
struct _cl_event;
struct _cl_sampler;

namespace duet::guest {

// Bits of what duet_guest_after_call does (duet_guest.cpp).
enum Due : std::uint64_t { kPrint = 1, kStartThread = 2, kCallFunction = 4 };

// As duet_guest.S leaves them.
struct CallFrame {
  std::array<std::uint64_t, 8> registers;  // answered with kCallFunction: the function and its arguments
  std::uint64_t stack;                     // of the caller: further arguments
  std::uint64_t begun_ns;                  // simulated time of the call's first instruction
  std::uint64_t due;  // answered: what the program does before the call returns, of `Due`
};

class ArgumentWords {
 public:
  ArgumentWords(process::ProgramSide& program, const CallFrame& frame) : program_(program), frame_(frame) {}

  process::ProgramSide& program() const { return program_; }
  std::uint64_t next() { return word(next_++); }
  std::uint64_t word(unsigned i) const {
    if (i < frame_.registers.size()) return frame_.registers[i];
    std::uint64_t word = 0;
    program_.read(pointer<std::uint64_t>(frame_.stack) + (i - frame_.registers.size()), &word, sizeof word);
    return word;
  }
  template <typename T>
  static T* pointer(std::uint64_t word) {
    return reinterpret_cast<T*>(static_cast<std::uintptr_t>(word));
  }

 private:
  process::ProgramSide& program_;
  const CallFrame& frame_;
  unsigned next_ = 0;
};

// A C string of the program.
inline std::string text_at(process::ProgramSide& program, std::uint64_t address) {
  std::string text;
  constexpr Bytes kPiece = 64;  // never over the end of a page
  while (true) {
    std::array<char, kPiece> piece;
    const Bytes bytes = kPiece - address % kPiece;
    program.read(ArgumentWords::pointer<const char>(address), piece.data(), bytes);
    const std::size_t length = strnlen(piece.data(), bytes);
    text.append(piece.data(), length);
    if (length < bytes) return text;
    address += bytes;
  }
}

template <typename T, typename = void>
inline constexpr bool kIsComplete = false;
template <typename T>
inline constexpr bool kIsComplete<T, std::void_t<decltype(sizeof(T))>> = true;
// Handles: programs have pointers to them and never look at them, complete here or not.
template <typename T, typename... Handles>
inline constexpr bool kIsOneOf = (std::is_same_v<T, Handles> || ...);
template <typename T>
inline constexpr bool kIsHandle =
    kIsOneOf<std::remove_const_t<T>, CUstream_st, CUevent_st, CUgraph_st, CUgraphNode_st, CUgraphExec_st,
             CUmemPoolHandle_st, CUfunc_st, CUkern_st, CUlib_st, cudaArray, _cl_platform_id, _cl_device_id,
             _cl_context, _cl_command_queue, _cl_mem, _cl_program, _cl_kernel, _cl_event, _cl_sampler>;
template <typename T>
inline constexpr bool kIsObject =
    !std::is_void_v<T> && !std::is_function_v<T> && !kIsHandle<T> && kIsComplete<T>;

template <typename T>
class Argument {
 public:
  explicit Argument(ArgumentWords& words) {
    if constexpr (!std::is_class_v<T>) {
      const std::uint64_t word = words.next();
      if constexpr (std::is_pointer_v<T>)
        value_ = reinterpret_cast<T>(static_cast<std::uintptr_t>(word));
      else
        value_ = static_cast<T>(word);
    } else if constexpr (sizeof(T) > 2 * sizeof(std::uint64_t)) {
      words.program().read(ArgumentWords::pointer<T>(words.next()), &value_, sizeof value_);
    } else {
      std::array<std::uint64_t, (sizeof(T) + 7) / 8> parts;
      for (std::uint64_t& part : parts) part = words.next();
      std::memcpy(static_cast<void*>(&value_), parts.data(), sizeof value_);
    }
  }
  T get() { return value_; }
  void give_back() {}

 private:
  T value_{};
};

template <typename T>
requires(kIsObject<T> && !std::is_same_v<std::remove_const_t<T>, char>) class Argument<T*> {
 public:
  explicit Argument(ArgumentWords& words)
      : program_(words.program()), there_(ArgumentWords::pointer<T>(words.next())) {
    if (there_ != nullptr) program_.read(there_, static_cast<void*>(&value_.emplace()), sizeof(T));
  }
  T* get() { return value_ ? &*value_ : nullptr; }
  void give_back() {
    if constexpr (!std::is_const_v<T>)
      if (value_) program_.write(there_, &*value_, sizeof(T));
  }

 private:
  process::ProgramSide& program_;
  T* there_;
  std::optional<std::remove_const_t<T>> value_;
};

template <>
class Argument<const char*> {
 public:
  explicit Argument(ArgumentWords& words) {
    if (const std::uint64_t there = words.next(); there != 0) text_ = text_at(words.program(), there);
  }
  const char* get() { return text_ ? text_->c_str() : nullptr; }
  void give_back() {}

 private:
  std::optional<std::string> text_;
};

using Served = std::uint64_t (*)(ArgumentWords&);

// Serves a call by calling `function` in this process.
template <auto function>
struct Serve;
template <typename Result, typename... Arguments, Result (*function)(Arguments...)>
struct Serve<function> {
  static std::uint64_t call(ArgumentWords& words) {
    // In their order: braces.
    std::tuple<Argument<Arguments>...> arguments{Argument<Arguments>(words)...};
    return std::apply(
        [](auto&... each) {
          if constexpr (std::is_void_v<Result>) {
            function(each.get()...);
            (each.give_back(), ...);
            return std::uint64_t{0};
          } else {
            const Result result = function(each.get()...);
            (each.give_back(), ...);
            return static_cast<std::uint64_t>(static_cast<std::int64_t>(result));
          }
        },
        arguments);
  }
};

}  // namespace duet::guest
