// The keys of [[method]]: what each way to allocate memory does with its pages.
#include "config/fields.h"

namespace duet::config {

void add_method(std::vector<Field>& fields, const std::string& prefix, Method& method) {
  const std::vector<Field> own{
      {prefix + ".name", &method.name, 0u, 0u, "", "of a way to allocate memory: letters, digits and '-'"},
      {prefix + ".calls", &method.calls, 0u, 0u, "",
       "that give such memory, with spaces between; a call is named once"},
      {prefix + ".cpu", &method.cpu, 0u, 0u, "",
       "how simulated cores reach it; none: device memory, which the host does not reach", kCpuTypes},
      {prefix + ".gpu_l1", &method.gpu_l1, 0u, 0u, "",
       "the GPU's L1 and constant cache may hold it, where gpu.sm lets them"},
      {prefix + ".gpu_l2", &method.gpu_l2, 0u, 0u, "", "the GPU's L2 may hold it"},
      {prefix + ".route", &method.route, 0u, 0u, "",
       "of the GPU to it: through its own memory controllers, or across the link", kRoutes},
      {prefix + ".coalesced", &method.coalesced, 0u, 0u, "",
       "lanes of a warp share requests; otherwise those at one address alone"},
  };
  fields.insert(fields.end(), own.begin(), own.end());
}

}  // namespace duet::config
