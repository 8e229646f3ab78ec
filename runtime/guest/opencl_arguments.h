// The arguments of an OpenCL call of a program on simulated cores, by their types and places in the parameter
// list. What call_arguments.h does with single objects is done with arrays as well:
//
//   (cl_uint count, const cl_event* list)     an array: its length is the last cl_uint before it
//   (const size_t* sizes)                     the same, or as `Sizes` says
//   (const cl_queue_properties* list)         pairs up to a zero, where no cl_uint comes before
//   (cl_uint count, const char** names)       the same, of texts
//   (size_t room, void* answer)               a number: the runtime itself writes there (Session, Answer)
//
// `cl_event*` is the command's event, one object.
#pragma once

#include <CL/cl.h>

#include <cstdint>
#include <deque>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "guest/list.h"

namespace duet::guest {

// How long arrays of sizes are.
enum class Sizes : std::uint8_t { Counted, Three, Dimensions };

// Pairs of a name and a value, up to a name that is zero.
template <typename T>
class PropertyList {
 public:
  explicit PropertyList(ArgumentWords& words) {
    const auto* there = ArgumentWords::pointer<const T>(words.next());
    given_ = there != nullptr;
    for (T name = 1; given_ && name != 0; there += 2) {
      words.program().read(there, &name, sizeof name);
      values_.push_back(name);
      if (name == 0) break;
      words.program().read(there + 1, &values_.emplace_back(), sizeof(T));
    }
  }
  const T* get() { return given_ ? values_.data() : nullptr; }
  void give_back() {}

 private:
  bool given_ = false;
  std::vector<T> values_;
};

template <typename T>
class ArrayArgument {
 public:
  ArrayArgument(ArgumentWords& words, std::uint64_t count)
      : program_(words.program()), there_(words.next()), values_(program_, there_, count) {}
  T* get() { return values_.get(); }
  void give_back() {
    if constexpr (!std::is_const_v<T>) values_.give_back(program_, there_);
  }

 private:
  process::ProgramSide& program_;
  std::uint64_t there_;
  List<std::remove_const_t<T>> values_;
};

// Names, each up to its zero.
class TextsArgument {
 public:
  TextsArgument(ArgumentWords& words, std::uint64_t count) : there_(words.program(), words.next(), count) {
    for (std::uint64_t i = 0; there_.get() != nullptr && i < count; ++i) {
      const std::uint64_t text = there_.get()[i];
      texts_.push_back(text != 0 ? text_at(words.program(), text) : std::string());
      pointers_.push_back(text != 0 ? texts_.back().c_str() : nullptr);
    }
  }
  const char** get() { return there_.get() != nullptr ? pointers_.data() : nullptr; }
  void give_back() {}

 private:
  List<std::uint64_t> there_;
  std::deque<std::string> texts_;
  std::vector<const char*> pointers_;
};

// Whether a parameter is an array, and how far it goes.
template <typename T>
inline constexpr bool kIsHandleArray =
    !std::is_same_v<T, cl_event*> && std::is_pointer_v<T> && std::is_pointer_v<std::remove_pointer_t<T>>;
template <typename T>
inline constexpr bool kIsProperties = std::is_same_v<T, const cl_context_properties*>;
template <typename T>
inline constexpr bool kIsSizes = std::is_same_v<T, const size_t*>;  // also those of cl_ulong properties

// The last cl_uint before parameter `place`; -1: there is none.
template <typename... Parameters>
constexpr int count_before(std::size_t place) {
  constexpr bool kIsCount[] = {std::is_same_v<Parameters, cl_uint>..., false};
  for (int i = static_cast<int>(place) - 1; i >= 0; --i)
    if (kIsCount[i]) return i;
  return -1;
}

template <Sizes sizes, std::size_t place, typename... Parameters>
auto opencl_argument(ArgumentWords& words) {
  using T = std::tuple_element_t<place, std::tuple<Parameters...>>;
  constexpr int kCount = count_before<Parameters...>(place);
  const auto count = [&] { return static_cast<std::uint64_t>(static_cast<cl_uint>(words.word(kCount))); };
  if constexpr (kIsProperties<T> || (kIsSizes<T> && sizes == Sizes::Counted && kCount < 0)) {
    return PropertyList<std::remove_cvref_t<decltype(*T{})>>(words);
  } else if constexpr (kIsSizes<T> && sizes == Sizes::Three) {
    return ArrayArgument<std::remove_pointer_t<T>>(words, 3);
  } else if constexpr (kIsSizes<T> && sizes == Sizes::Dimensions) {
    return ArrayArgument<std::remove_pointer_t<T>>(words, std::min<std::uint64_t>(count(), 3));
  } else if constexpr (std::is_same_v<T, const char**>) {
    return TextsArgument(words, count());
  } else if constexpr (kIsSizes<T> || kIsHandleArray<T> || std::is_same_v<T, cl_image_format*>) {
    static_assert(kCount >= 0, "an array without its length");
    return ArrayArgument<std::remove_pointer_t<T>>(words, count());
  } else {
    return Argument<T>(words);
  }
}

template <typename T>
std::uint64_t word_of(T value) {
  if constexpr (std::is_pointer_v<T>)
    return reinterpret_cast<std::uintptr_t>(value);
  else
    return static_cast<std::uint64_t>(static_cast<std::int64_t>(value));
}

// Serves a call by calling `function` in this process.
template <auto function, Sizes sizes = Sizes::Counted>
struct ServeOpencl;
template <typename Result, typename... Parameters, Result(CL_API_CALL* function)(Parameters...), Sizes sizes>
struct ServeOpencl<function, sizes> {
  static std::uint64_t call(ArgumentWords& words) {
    return call(words, std::index_sequence_for<Parameters...>{});
  }

 private:
  template <std::size_t... place>
  static std::uint64_t call(ArgumentWords& words, std::index_sequence<place...>) {
    // In their order: braces.
    std::tuple<decltype(opencl_argument<sizes, place, Parameters...>(words))...> arguments{
        opencl_argument<sizes, place, Parameters...>(words)...};
    return std::apply(
        [](auto&... each) {
          if constexpr (std::is_void_v<Result>) {
            function(each.get()...);
            (each.give_back(), ...);
            return std::uint64_t{0};
          } else {
            const Result result = function(each.get()...);
            (each.give_back(), ...);
            return word_of(result);
          }
        },
        arguments);
  }
};

}  // namespace duet::guest
