// The table by which the loader reaches everything (cl_khr_icd), and the library's only exports.
#include <algorithm>

#include "opencl/api/entries.h"

namespace duet::opencl {

namespace {

template <std::size_t N>
struct Name {
  char text[N];
  constexpr Name(const char (&words)[N]) { std::copy_n(words, N, text); }
};

// What is not there: it has the type of the function in whose place it stands.
template <Name kName, typename Function>
struct Missing;
template <Name kName, typename Result, typename... Arguments>
struct Missing<kName, Result(CL_API_CALL*)(Arguments...)> {
  static Result CL_API_CALL call(Arguments... arguments) {
    refuse(kName.text);
    if constexpr (std::is_pointer_v<Result>) {
      const auto set_error = [](auto last) {
        if constexpr (std::is_same_v<decltype(last), cl_int*>)
          if (last != nullptr) *last = CL_INVALID_OPERATION;
      };
      (set_error(arguments), ...);
      return nullptr;
    } else {
      return CL_INVALID_OPERATION;
    }
  }
};

constexpr cl_icd_dispatch table() {
  cl_icd_dispatch all{};
#define DUET_CL_HAVE(name) all.name = &api::name;
  DUET_CL_NAMES(DUET_CL_HAVE)
#undef DUET_CL_HAVE
#define DUET_CL_LACK(name) all.name = &Missing<#name, decltype(all.name)>::call;
  DUET_CL_MISSING(DUET_CL_LACK)
#undef DUET_CL_LACK
  return all;
}

}  // namespace

constinit const cl_icd_dispatch kDispatch = table();

}  // namespace duet::opencl

extern "C" {

__attribute__((visibility("default"))) cl_int CL_API_CALL clIcdGetPlatformIDsKHR(cl_uint room,
                                                                                 cl_platform_id* platforms,
                                                                                 cl_uint* count) {
  return duet::opencl::api::clGetPlatformIDs(room, platforms, count);
}

__attribute__((visibility("default"))) void* CL_API_CALL clGetExtensionFunctionAddress(const char* name) {
  return duet::opencl::api::clGetExtensionFunctionAddress(name);
}

__attribute__((visibility("default"))) cl_int CL_API_CALL clGetPlatformInfo(cl_platform_id platform,
                                                                            cl_platform_info what,
                                                                            size_t room, void* to,
                                                                            size_t* needed) {
  return duet::opencl::api::clGetPlatformInfo(platform, what, room, to, needed);
}
}
