// The keys of [[method]]: what each way to allocate memory does with its pages.
#include "config/fields.h"

namespace duet::config {

void add_method(std::vector<Field>& fields, const std::string& prefix, Method& method, bool maintained,
                bool translated) {
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
  if (translated)
    fields.push_back({prefix + ".translation", &method.translation, 0u, 0u, "",
                      "who walks for its pages: nobody, the GPU in a table of its own, or the IOMMU",
                      kTranslations});
  if (!maintained) return;
  const std::vector<Field> words{
      {prefix + ".at_copy", &method.at_copy, 0u, 0u, "",
       "caches written back (clean-cpu, clean-gpu) or given up (invalidate-cpu, invalidate-gpu), of the "
       "range or whole, before a copy from or to it; clean-gpu when it has ended"},
      {prefix + ".at_launch", &method.at_launch, 0u, 0u, "",
       "the same before a kernel begins; fill-table: the driver fills the GPU's page table again"},
      {prefix + ".at_end", &method.at_end, 0u, 0u, "", "the same of the GPU when a kernel has ended"},
      {prefix + ".at_synchronize", &method.at_synchronize, 0u, 0u, "",
       "the same when the host has waited for the GPU"},
      {prefix + ".unsafe", &method.unsafe, 0u, 0u, "",
       "caches of both sides may hold it and nothing is done with them: the program's own calls are"},
  };
  fields.insert(fields.end(), words.begin(), words.end());
}

}  // namespace duet::config
