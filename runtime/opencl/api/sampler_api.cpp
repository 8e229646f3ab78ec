// Samplers: a state of three choices, whose number kernels get (session/images.h).
#include <algorithm>
#include <array>
#include <optional>

#include "opencl/api/entries.h"

namespace duet::opencl::api {

namespace {

cl_int make_sampler(cl_context context, cl_bool normalized, cl_addressing_mode addressing,
                    cl_filter_mode filter, std::vector<cl_sampler_properties> properties, cl_sampler& made) {
  if (find(context) == nullptr) return CL_INVALID_CONTEXT;
  if (normalized > CL_TRUE || addressing < CL_ADDRESS_NONE || addressing > CL_ADDRESS_MIRRORED_REPEAT ||
      (filter != CL_FILTER_NEAREST && filter != CL_FILTER_LINEAR))
    return CL_INVALID_VALUE;
  made = make_object<_cl_sampler>();
  made->context = Ref<_cl_context>(context);
  made->normalized = normalized;
  made->addressing = addressing;
  made->filter = filter;
  made->properties = std::move(properties);
  return CL_SUCCESS;
}

}  // namespace

DUET_CL_MAKE(cl_sampler, clCreateSampler, Other,
             (cl_context context, cl_bool normalized, cl_addressing_mode addressing, cl_filter_mode filter,
              cl_int* error)) {
  return make_sampler(context, normalized, addressing, filter, {}, made);
}
DUET_CL_END

DUET_CL_MAKE(cl_sampler, clCreateSamplerWithProperties, Other,
             (cl_context context, const cl_sampler_properties* properties, cl_int* error)) {
  std::vector<cl_sampler_properties> all = properties_of(properties);
  // By name; an empty place: it was not said.
  constexpr cl_sampler_properties kNames[] = {CL_SAMPLER_NORMALIZED_COORDS, CL_SAMPLER_ADDRESSING_MODE,
                                              CL_SAMPLER_FILTER_MODE};
  std::array<std::optional<cl_sampler_properties>, std::size(kNames)> said;
  for (std::size_t i = 0; i + 1 < all.size(); i += 2) {
    const auto* const name = std::find(std::begin(kNames), std::end(kNames), all[i]);
    if (name == std::end(kNames)) return CL_INVALID_VALUE;
    auto& place = said[static_cast<std::size_t>(name - kNames)];
    if (place) return CL_INVALID_VALUE;
    place = all[i + 1];
  }
  return make_sampler(context, static_cast<cl_bool>(said[0].value_or(CL_TRUE)),
                      static_cast<cl_addressing_mode>(said[1].value_or(CL_ADDRESS_CLAMP)),
                      static_cast<cl_filter_mode>(said[2].value_or(CL_FILTER_NEAREST)), std::move(all), made);
}
DUET_CL_END

DUET_CL(clRetainSampler, Other, (cl_sampler sampler)) { return retain(sampler, CL_INVALID_SAMPLER); }
DUET_CL_END
DUET_CL(clReleaseSampler, Other, (cl_sampler sampler)) { return release(sampler, CL_INVALID_SAMPLER); }
DUET_CL_END

DUET_CL(clGetSamplerInfo, Query,
        (cl_sampler sampler, cl_sampler_info what, size_t room, void* to, size_t* needed)) {
  if (find(sampler) == nullptr) return CL_INVALID_SAMPLER;
  const Answer answer{room, to, needed};
  switch (what) {
    case CL_SAMPLER_REFERENCE_COUNT:
      return answer.value(sampler->references);
    case CL_SAMPLER_CONTEXT:
      return answer.value(static_cast<cl_context>(sampler->context.get()));
    case CL_SAMPLER_NORMALIZED_COORDS:
      return answer.value(sampler->normalized);
    case CL_SAMPLER_ADDRESSING_MODE:
      return answer.value(sampler->addressing);
    case CL_SAMPLER_FILTER_MODE:
      return answer.value(sampler->filter);
    case CL_SAMPLER_PROPERTIES:
      return answer.list(sampler->properties);
    default:
      return CL_INVALID_VALUE;
  }
}
DUET_CL_END

}  // namespace duet::opencl::api
