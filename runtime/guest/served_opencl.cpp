#include "guest/served_opencl.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <optional>
#include <vector>

#include "guest/opencl_arguments.h"
#include "opencl/api/entries.h"
#include "opencl/api/programs.h"

namespace duet::guest {

namespace {

namespace api = opencl::api;

// Of a call by hand: what the function answers with an error at the end of its parameters.
template <typename Make>
std::uint64_t made_with(Argument<cl_int*>& error, const Make& make) {
  const auto made = make(error.get());
  error.give_back();
  return word_of(made);
}

// `length` bytes; 0: up to the text's end, as OpenCL has it.
std::string text_of(process::ProgramSide& program, std::uint64_t there, std::size_t length) {
  if (length == 0) return text_at(program, there);
  List<char> bytes(program, there, length);
  return {bytes.get(), strnlen(bytes.get(), length)};
}

// (context, count, texts, lengths, error)
std::uint64_t program_with_source(ArgumentWords& words) {
  process::ProgramSide& program = words.program();
  const auto context = Argument<cl_context>(words).get();
  const auto count = static_cast<cl_uint>(words.next());
  const std::uint64_t texts_there = words.next(), lengths_there = words.next();
  Argument<cl_int*> error(words);
  List<std::uint64_t> there(program, texts_there, count);
  List<std::size_t> lengths(program, lengths_there, count);
  std::vector<std::string> texts;
  std::vector<const char*> pointers;
  for (cl_uint i = 0; i < count && there.get() != nullptr; ++i)
    texts.push_back(there.get()[i] == 0
                        ? std::string()
                        : text_of(program, there.get()[i], lengths.get() != nullptr ? lengths.get()[i] : 0));
  for (cl_uint i = 0; i < texts.size(); ++i)
    pointers.push_back(there.get()[i] == 0 ? nullptr : texts[i].c_str());
  return made_with(error, [&](cl_int* answer) {
    return api::clCreateProgramWithSource(context, count, there.get() != nullptr ? pointers.data() : nullptr,
                                          nullptr, answer);
  });
}

// (context, count, devices, lengths, binaries, status, error)
std::uint64_t program_with_binary(ArgumentWords& words) {
  process::ProgramSide& program = words.program();
  const auto context = Argument<cl_context>(words).get();
  const auto count = static_cast<cl_uint>(words.next());
  List<cl_device_id> devices(program, words.next(), count);
  List<std::size_t> lengths(program, words.next(), count);
  List<std::uint64_t> there(program, words.next(), count);
  const std::uint64_t status_there = words.next();
  List<cl_int> status(program, status_there, count);
  Argument<cl_int*> error(words);
  std::vector<std::vector<unsigned char>> binaries;
  std::vector<const unsigned char*> pointers;
  for (cl_uint i = 0; i < count && there.get() != nullptr && lengths.get() != nullptr; ++i) {
    List<unsigned char> bytes(program, there.get()[i], lengths.get()[i]);
    if (there.get()[i] != 0) binaries.emplace_back(bytes.get(), bytes.get() + lengths.get()[i]);
    pointers.push_back(there.get()[i] != 0 ? binaries.back().data() : nullptr);
  }
  return made_with(error, [&](cl_int* answer) {
    const auto made = api::clCreateProgramWithBinary(context, count, devices.get(), lengths.get(),
                                                     there.get() != nullptr ? pointers.data() : nullptr,
                                                     status.get(), answer);
    status.give_back(program, status_there);
    return made;
  });
}

// (program, what, room, to, needed): the binaries go where an array of pointers says.
std::uint64_t program_info(ArgumentWords& words) {
  const auto program = Argument<cl_program>(words).get();
  const auto what = static_cast<cl_program_info>(words.next());
  const std::size_t room = words.next();
  void* const to = ArgumentWords::pointer<void>(words.next());
  Argument<std::size_t*> needed(words);
  unsigned char* there = nullptr;
  std::vector<unsigned char> binary;
  unsigned char* here = nullptr;
  const bool binaries = what == CL_PROGRAM_BINARIES && to != nullptr && room >= sizeof there;
  if (binaries) words.program().read(to, &there, sizeof there);
  if (there != nullptr && opencl::find(program) != nullptr) {
    binary.resize(api::binary_of(*program).size());
    here = binary.data();
  }
  const cl_int error = api::clGetProgramInfo(program, what, room, binaries ? &here : to, needed.get());
  if (error == CL_SUCCESS && !binary.empty()) words.program().write(there, here, binary.size());
  needed.give_back();
  return word_of(error);
}

// What Duet lacks: `Function` is its type.
template <typename Function>
struct Lacking;
template <typename Result, typename... Parameters>
struct Lacking<Result(CL_API_CALL*)(Parameters...)> {
  static std::uint64_t call(ArgumentWords& words, const char* name) {
    opencl::refuse(name);
    if constexpr (!std::is_pointer_v<Result>) {
      return word_of(Result{CL_INVALID_OPERATION});
    } else {
      constexpr unsigned kLast = sizeof...(Parameters) - 1;
      using Last = std::tuple_element_t<kLast, std::tuple<Parameters...>>;
      const cl_int error = CL_INVALID_OPERATION;
      if constexpr (std::is_same_v<Last, cl_int*>)
        if (auto* const there = ArgumentWords::pointer<cl_int>(words.word(kLast)); there != nullptr)
          words.program().write(there, &error, sizeof error);
      return 0;
    }
  }
};

std::map<std::string, Served> all_calls() {
  std::map<std::string, Served> calls{
#define DUET_SERVED(name) {#name, &ServeOpencl<&api::name>::call},
      DUET_CL_NAMES(DUET_SERVED)
#undef DUET_SERVED
#define DUET_LACKING(name) \
  {#name, [](ArgumentWords& words) { return Lacking<decltype(cl_icd_dispatch::name)>::call(words, #name); }},
          DUET_CL_MISSING(DUET_LACKING)
#undef DUET_LACKING
  };
#define BOXES(name) calls[#name] = &ServeOpencl<&api::name, Sizes::Three>::call;
#define EXTENTS(name) calls[#name] = &ServeOpencl<&api::name, Sizes::Dimensions>::call;
#define BY(name, function) calls[#name] = &(function);
#include "guest/served_opencl.def"
#undef BOXES
#undef EXTENTS
#undef BY
  return calls;
}

}  // namespace

Served served_opencl(const std::string& name) {
  static const auto* const calls = new std::map<std::string, Served>(all_calls());
  const auto found = calls->find(name);
  return found != calls->end() ? found->second : nullptr;
}

}  // namespace duet::guest
