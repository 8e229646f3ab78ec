// Functions that serve calls whose arguments call_arguments.h cannot take alone: arrays, buffers, and answers
// that stay in the program. served.def names them.
#pragma once

#include <tuple>

#include "cuda_runtime_api.h"
#include "guest/lasting_room.h"
#include "guest/nested_arguments.h"

namespace duet::guest {

inline std::uint64_t answer(cudaError_t error) { return static_cast<std::uint64_t>(error); }

template <auto text_of>
std::uint64_t error_text(ArgumentWords& words) {
  return lasting_text(words.program(), text_of(static_cast<cudaError_t>(words.next())));
}

// (object, attribute, value): the reuse attributes of a pool are ints, all others numbers of 64 bits.
template <auto function, typename Object, typename Attribute>
std::uint64_t attribute_of(ArgumentWords& words) {
  const auto object = Argument<Object>(words).get();
  const auto attribute = static_cast<Attribute>(words.next());
  void* const there = ArgumentWords::pointer<void>(words.next());
  bool is_int = false;
  if constexpr (std::is_same_v<Attribute, cudaMemPoolAttr>)
    is_int = attribute >= cudaMemPoolReuseFollowEventDependencies &&
             attribute <= cudaMemPoolReuseAllowInternalDependencies;
  const Bytes bytes = is_int ? sizeof(int) : sizeof(std::uint64_t);
  std::uint64_t value = 0;
  if (there != nullptr) words.program().read(there, &value, bytes);
  const cudaError_t error = function(object, attribute, there != nullptr ? &value : nullptr);
  if (there != nullptr) words.program().write(there, &value, bytes);
  return static_cast<std::uint64_t>(error);
}

// (node, graph, dependencies, count, ...)
template <auto function>
struct AddNode;
template <typename... Rest,
          cudaError_t (*function)(cudaGraphNode_t*, cudaGraph_t, const cudaGraphNode_t*, size_t, Rest...)>
struct AddNode<function> {
  static std::uint64_t call(ArgumentWords& words) {
    Argument<cudaGraphNode_t*> node(words);
    Argument<cudaGraph_t> graph(words);
    const std::uint64_t there = words.next(), count = words.next();
    List<cudaGraphNode_t> after(words.program(), there, count);
    std::tuple<Argument<Rest>...> rest{Argument<Rest>(words)...};
    const cudaError_t error = std::apply(
        [&](auto&... each) { return function(node.get(), graph.get(), after.get(), count, each.get()...); },
        rest);
    node.give_back();
    std::apply([](auto&... each) { (each.give_back(), ...); }, rest);
    return answer(error);
  }
};

// (graph, from, to, edges, count)
template <auto function>
std::uint64_t change_edges(ArgumentWords& words) {
  Argument<cudaGraph_t> graph(words);
  const std::uint64_t from_there = words.next(), to_there = words.next(), edges_there = words.next();
  const std::uint64_t count = words.next();
  List<cudaGraphNode_t> from(words.program(), from_there, count), to(words.program(), to_there, count);
  List<cudaGraphEdgeData> edges(words.program(), edges_there, count);
  return answer(function(graph.get(), from.get(), to.get(), edges.get(), count));
}

// An array for a call's results, of as many as the program has room for.
template <typename T>
class Filled {
 public:
  Filled(process::ProgramSide& program, std::uint64_t there, const size_t* room)
      : program_(program), there_(there), values_(program, there, room != nullptr ? *room : 0) {}
  T* get() { return values_.get(); }
  void give_back() { values_.give_back(program_, there_); }

 private:
  process::ProgramSide& program_;
  std::uint64_t there_;
  List<T> values_;
};

// (graph, nodes, count)
template <auto function>
std::uint64_t nodes_of_graph(ArgumentWords& words) {
  Argument<cudaGraph_t> graph(words);
  const std::uint64_t there = words.next();
  Argument<size_t*> count(words);
  Filled<cudaGraphNode_t> nodes(words.program(), there, count.get());
  const cudaError_t error = function(graph.get(), nodes.get(), count.get());
  nodes.give_back();
  count.give_back();
  return answer(error);
}

// (node, nodes, edges, count)
template <auto function>
std::uint64_t nodes_of_node(ArgumentWords& words) {
  Argument<cudaGraphNode_t> node(words);
  const std::uint64_t there = words.next(), edges_there = words.next();
  Argument<size_t*> count(words);
  Filled<cudaGraphNode_t> nodes(words.program(), there, count.get());
  Filled<cudaGraphEdgeData> edges(words.program(), edges_there, count.get());
  const cudaError_t error = function(node.get(), nodes.get(), edges.get(), count.get());
  nodes.give_back();
  edges.give_back();
  count.give_back();
  return answer(error);
}

template <auto launch>
std::uint64_t launch_kernel(ArgumentWords& words) {
  const void* const stub = ArgumentWords::pointer<void>(words.next());
  const dim3 grid = Argument<dim3>(words).get();
  const dim3 block = Argument<dim3>(words).get();
  KernelArguments arguments(words.program(), stub, words.next());
  const std::uint64_t shared_bytes = words.next();
  const auto stream = ArgumentWords::pointer<CUstream_st>(words.next());
  return static_cast<std::uint64_t>(launch(stub, grid, block, arguments.get(), shared_bytes, stream));
}

std::uint64_t function_name(ArgumentWords& words);
std::uint64_t bus_id(ArgumentWords& words);
std::uint64_t set_valid_devices(ArgumentWords& words);
std::uint64_t set_access(ArgumentWords& words);
std::uint64_t add_node(ArgumentWords& words);
std::uint64_t edges_of_graph(ArgumentWords& words);
std::uint64_t kernel_parameters(ArgumentWords& words);
std::uint64_t allocation_parameters(ArgumentWords& words);
std::uint64_t free_parameters(ArgumentWords& words);
std::uint64_t begin_capture_to_graph(ArgumentWords& words);
std::uint64_t update_capture(ArgumentWords& words);
std::uint64_t capture_info(ArgumentWords& words);
std::uint64_t graph_text(ArgumentWords& words);
std::uint64_t register_fat_binary(ArgumentWords& words);
std::uint64_t load_library(ArgumentWords& words);
std::uint64_t nothing_to_do(ArgumentWords& words);
std::uint64_t register_function(ArgumentWords& words);
std::uint64_t register_variable(ArgumentWords& words);
std::uint64_t register_managed_variable(ArgumentWords& words);
std::uint64_t init_module(ArgumentWords& words);
std::uint64_t launch_with_configuration(ArgumentWords& words);
std::uint64_t enumerate_kernels(ArgumentWords& words);
// As cudaLaunchKernel, by the kernel's handle.
cudaError_t launch_by_handle(const void* kernel, dim3 grid, dim3 block, void** arguments, size_t shared_bytes,
                             cudaStream_t stream);

}  // namespace duet::guest
