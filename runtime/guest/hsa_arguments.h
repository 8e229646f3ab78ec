// The arguments of an HSA call of a program on simulated cores, by their types and places in the parameter
// list (call_arguments.h has single values and structures):
//
//   (uint32_t count, const hsa_signal_t* list)       an array: its length is the last uint32_t before it
//   (const char* name), (const hsa_agent_t* one)     a text, one object
//   (hsa_signal_t* answer), (void* memory)           a number: the runtime itself reads and writes there
//   (hsa_status_t (*f)(hsa_agent_t, void*), void*)   a function here that calls the program's, and knows it
//                                                    by the argument behind it, which is the program's to use
#pragma once

#include <hsa/hsa_ext_amd.h>
#include <hsa/hsa_ext_finalize.h>

#include <array>
#include <cstdint>
#include <cstring>
#include <deque>
#include <tuple>
#include <type_traits>
#include <utility>

#include "guest/list.h"

namespace duet::guest {

// A value of up to 64 bits as a register of the program has it. Of 32 bits it is extended by its sign, even
// where it has none.
template <typename T>
std::uint64_t register_of(const T& value) {
  static_assert(sizeof(T) <= sizeof(std::uint64_t));
  if constexpr ((std::is_enum_v<T> || std::is_integral_v<T>)&&sizeof(T) == sizeof(std::int32_t)) {
    return static_cast<std::uint64_t>(std::int64_t{static_cast<std::int32_t>(value)});
  } else {
    std::uint64_t word = 0;
    std::memcpy(&word, &value, sizeof value);
    return word;
  }
}

// A function of the program, and the argument that it knows its own things by.
struct ProgramFunction {
  process::ProgramSide* program;
  const void* address;
  std::uint64_t data;
};

// A function here for it: of its parameters, that of type Data is replaced. All may be called at any time
// afterwards.
template <typename Data, typename Result, typename... Parameters>
Result call_in_program(Parameters... parameters) {
  std::uint64_t here = 0;
  const auto find = [&here](const auto& one) {
    if constexpr (std::is_same_v<std::remove_cvref_t<decltype(one)>, Data>) here = register_of(one);
  };
  (find(parameters), ...);  // the last one of the type
  const auto& function = *ArgumentWords::pointer<const ProgramFunction>(here);
  const auto word = [&](const auto& one) {
    const std::uint64_t own = register_of(one);
    return std::is_same_v<std::remove_cvref_t<decltype(one)>, Data> && own == here ? function.data : own;
  };
  const std::uint64_t result = function.program->call({function.address, {word(parameters)...}});
  if constexpr (!std::is_void_v<Result>) return static_cast<Result>(result);
}

template <typename T>
inline constexpr bool kIsFunction = std::is_pointer_v<T>&& std::is_function_v<std::remove_pointer_t<T>>;

// The function, by the program's address of it; it is called with `here`.
template <typename T, typename Data>
struct FunctionHere;
template <typename Result, typename... Parameters, typename Data>
struct FunctionHere<Result (*)(Parameters...), Data> {
  static constexpr auto value = &call_in_program<Data, Result, Parameters...>;
};

inline const ProgramFunction* kept_function(process::ProgramSide& program, std::uint64_t address,
                                            std::uint64_t data) {
  static auto* const functions = new std::deque<ProgramFunction>;
  for (const ProgramFunction& one : *functions)
    if (one.data == data && reinterpret_cast<std::uintptr_t>(one.address) == address) return &one;
  return &functions->emplace_back(
      ProgramFunction{&program, ArgumentWords::pointer<const void>(address), data});
}

// A value that is what is given.
template <typename T>
class Given {
 public:
  explicit Given(T value) : value_(value) {}
  T get() const { return value_; }

 private:
  T value_;
};

template <typename T>
class InArray {
 public:
  InArray(ArgumentWords& words, std::uint64_t count) : values_(words.program(), words.next(), count) {}
  T* get() { return values_.get(); }

 private:
  List<std::remove_const_t<T>> values_;
};

// The last uint32_t before parameter `place`; -1: there is none.
template <typename... Parameters>
constexpr int length_before(std::size_t place) {
  constexpr bool kIsLength[] = {std::is_same_v<Parameters, std::uint32_t>..., false};
  for (int i = static_cast<int>(place) - 1; i >= 0; --i)
    if (kIsLength[i]) return i;
  return -1;
}

template <typename T>
inline constexpr bool kIsList =
    std::is_same_v<T, const hsa_signal_t*> || std::is_same_v<T, const hsa_agent_t*>;

// Whether parameter `place`, if there is one, is a function that gets the next one.
template <std::size_t place, typename... Parameters>
constexpr bool has_data() {
  if constexpr (place < sizeof...(Parameters) && place + 1 < sizeof...(Parameters)) {
    using All = std::tuple<Parameters...>;
    using Data = std::tuple_element_t<place + 1, All>;
    return kIsFunction<std::tuple_element_t<place, All>> &&
           (std::is_same_v<Data, void*> || std::is_same_v<Data, hsa_callback_data_t>);
  }
  return false;
}

template <std::size_t place, typename... Parameters>
auto hsa_argument(ArgumentWords& words) {
  using All = std::tuple<Parameters...>;
  using T = std::tuple_element_t<place, All>;
  if constexpr (has_data<place, Parameters...>()) {
    using Data = std::tuple_element_t<place + 1, All>;
    const bool given = words.next() != 0;
    return Given<T>(given ? FunctionHere<T, Data>::value : nullptr);
  } else if constexpr (has_data<place - 1, Parameters...>()) {
    const std::uint64_t function = words.word(place - 1), data = words.next();
    std::uint64_t here = data;
    if (function != 0)
      here = reinterpret_cast<std::uintptr_t>(kept_function(words.program(), function, data));
    T value{};
    std::memcpy(&value, &here, sizeof value);
    return Given<T>(value);
  } else if constexpr (kIsList<T>) {
    constexpr int kLength = length_before<Parameters...>(place);
    const std::uint64_t count = kLength < 0 ? 1 : static_cast<std::uint32_t>(words.word(kLength));
    return InArray<std::remove_pointer_t<T>>(words, count);
  } else if constexpr (std::is_pointer_v<T> && !std::is_same_v<T, const char*>) {
    return Given<T>(ArgumentWords::pointer<std::remove_pointer_t<T>>(words.next()));
  } else {
    return Argument<T>(words);
  }
}

// Serves a call by calling `function` in this process.
template <auto function>
struct ServeHsa;
template <typename Result, typename... Parameters, Result (*function)(Parameters...)>
struct ServeHsa<function> {
  static std::uint64_t call(ArgumentWords& words) {
    return call(words, std::index_sequence_for<Parameters...>{});
  }

 private:
  template <std::size_t... place>
  static std::uint64_t call(ArgumentWords& words, std::index_sequence<place...>) {
    // In their order: braces. Nothing is given back: the runtime answers there itself.
    std::tuple<decltype(hsa_argument<place, Parameters...>(words))...> arguments{
        hsa_argument<place, Parameters...>(words)...};
    return std::apply(
        [](auto&... each) {
          if constexpr (std::is_void_v<Result>) {
            function(each.get()...);
            return std::uint64_t{0};
          } else {
            return register_of(function(each.get()...));
          }
        },
        arguments);
  }
};

}  // namespace duet::guest
