// Graphs and stream capture: arrays of nodes and edges, and structures with pointers.
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <string>
#include <vector>

#include "cuda/session/session.h"
#include "guest/served_by_hand.h"

namespace duet::guest {

std::uint64_t add_node(ArgumentWords& words) {
  Argument<cudaGraphNode_t*> node(words);
  Argument<cudaGraph_t> graph(words);
  const std::uint64_t after_there = words.next(), edges_there = words.next(), count = words.next();
  List<cudaGraphNode_t> after(words.program(), after_there, count);
  List<cudaGraphEdgeData> edges(words.program(), edges_there, count);
  Argument<cudaGraphNodeParams*> parameters(words);
  const cudaError_t error =
      cudaGraphAddNode(node.get(), graph.get(), after.get(), edges.get(), count, parameters.get());
  node.give_back();
  parameters.give_back();
  return answer(error);
}

std::uint64_t edges_of_graph(ArgumentWords& words) {
  Argument<cudaGraph_t> graph(words);
  const std::uint64_t from_there = words.next(), to_there = words.next(), edges_there = words.next();
  Argument<size_t*> count(words);
  Filled<cudaGraphNode_t> from(words.program(), from_there, count.get());
  Filled<cudaGraphNode_t> to(words.program(), to_there, count.get());
  Filled<cudaGraphEdgeData> edges(words.program(), edges_there, count.get());
  const cudaError_t error = cudaGraphGetEdges(graph.get(), from.get(), to.get(), edges.get(), count.get());
  from.give_back();
  to.give_back();
  edges.give_back();
  count.give_back();
  return answer(error);
}

// The parameters, and the array of pointers to them, are left in the program.
std::uint64_t kernel_parameters(ArgumentWords& words) {
  process::ProgramSide& program = words.program();
  const auto node = Argument<cudaGraphNode_t>(words).get();
  Argument<cudaKernelNodeParams*> answered(words);
  const cudaError_t error = cudaGraphKernelNodeGetParams(node, answered.get());
  if (error != cudaSuccess) return answer(error);
  const cuda::Function* const function = cuda::Session::get().modules().function_of(answered.get()->func);
  const auto& parameters = function->kernel->parameters;
  void** const values = answered.get()->kernelParams;
  Bytes bytes = parameters.size() * sizeof(std::uint64_t);
  for (const auto& parameter : parameters) bytes += round_up<Bytes>(parameter.bytes, 16);
  const std::uint64_t there = lasting_room(program, node, bytes);
  if (there == 0) return answer(cudaErrorMemoryAllocation);
  std::uint64_t at = there + parameters.size() * sizeof at;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    program.write(ArgumentWords::pointer<std::uint64_t>(there) + i, &at, sizeof at);
    program.write(ArgumentWords::pointer<void>(at), values[i], parameters[i].bytes);
    at += round_up<Bytes>(parameters[i].bytes, 16);
  }
  answered.get()->kernelParams = ArgumentWords::pointer<void*>(there);
  answered.give_back();
  return answer(error);
}

std::uint64_t allocation_parameters(ArgumentWords& words) {
  const auto node = Argument<cudaGraphNode_t>(words).get();
  const std::uint64_t there = words.next();
  if (there == 0) return answer(cudaErrorInvalidValue);
  cudaMemAllocNodeParams parameters{};
  const cudaError_t error = cudaGraphMemAllocNodeGetParams(node, &parameters);
  if (error != cudaSuccess) return answer(error);
  if (parameters.accessDescs != nullptr)
    parameters.accessDescs = ArgumentWords::pointer<const cudaMemAccessDesc>(
        lasting_copy(words.program(), node, parameters.accessDescs,
                     parameters.accessDescCount * sizeof(cudaMemAccessDesc)));
  words.program().write(ArgumentWords::pointer<void>(there), &parameters, sizeof parameters);
  return answer(error);
}

std::uint64_t free_parameters(ArgumentWords& words) {
  const auto node = Argument<cudaGraphNode_t>(words).get();
  Argument<std::uint64_t*> address(words);
  const cudaError_t error = cudaGraphMemFreeNodeGetParams(node, address.get());
  address.give_back();
  return answer(error);
}

std::uint64_t begin_capture_to_graph(ArgumentWords& words) {
  Argument<cudaStream_t> stream(words);
  Argument<cudaGraph_t> graph(words);
  const std::uint64_t after_there = words.next(), edges_there = words.next(), count = words.next();
  List<cudaGraphNode_t> after(words.program(), after_there, count);
  List<cudaGraphEdgeData> edges(words.program(), edges_there, count);
  const auto mode = static_cast<cudaStreamCaptureMode>(words.next());
  return answer(
      cudaStreamBeginCaptureToGraph(stream.get(), graph.get(), after.get(), edges.get(), count, mode));
}

std::uint64_t update_capture(ArgumentWords& words) {
  Argument<cudaStream_t> stream(words);
  const std::uint64_t after_there = words.next(), edges_there = words.next(), count = words.next();
  List<cudaGraphNode_t> after(words.program(), after_there, count);
  List<cudaGraphEdgeData> edges(words.program(), edges_there, count);
  const auto flags = static_cast<unsigned>(words.next());
  return answer(cudaStreamUpdateCaptureDependencies(stream.get(), after.get(), edges.get(), count, flags));
}

std::uint64_t capture_info(ArgumentWords& words) {
  process::ProgramSide& program = words.program();
  const auto stream = Argument<cudaStream_t>(words).get();
  Argument<cudaStreamCaptureStatus*> status(words);
  Argument<unsigned long long*> id(words);
  Argument<cudaGraph_t*> graph(words);
  Argument<std::uint64_t*> after(words), edges(words);
  Argument<size_t*> count(words);
  const cudaGraphNode_t* nodes = nullptr;
  const cudaGraphEdgeData* data = nullptr;
  size_t found = 0;
  const cudaError_t error =
      cudaStreamGetCaptureInfo(stream, status.get(), id.get(), graph.get(), &nodes, &data, &found);
  const bool active =
      error == cudaSuccess && status.get() != nullptr && *status.get() == cudaStreamCaptureStatusActive;
  if (active) {
    const Bytes node_bytes = round_up<Bytes>(found * sizeof *nodes, 16);
    const std::uint64_t room = lasting_room(program, stream, node_bytes + found * sizeof *data);
    if (room == 0) return answer(cudaErrorMemoryAllocation);
    program.write(ArgumentWords::pointer<void>(room), nodes, found * sizeof *nodes);
    program.write(ArgumentWords::pointer<void>(room + node_bytes), data, found * sizeof *data);
    if (after.get() != nullptr) *after.get() = room;
    if (edges.get() != nullptr) *edges.get() = room + node_bytes;
    if (count.get() != nullptr) *count.get() = found;
  }
  status.give_back();
  id.give_back();
  graph.give_back();
  after.give_back();
  edges.give_back();
  count.give_back();
  return answer(error);
}

// duetGuestGraphText(graph, flags, text, room, bytes): the text of cudaGraphDebugDotPrint; the program writes
// the file.
std::uint64_t graph_text(ArgumentWords& words) {
  const auto graph = Argument<cudaGraph_t>(words).get();
  const auto flags = static_cast<unsigned>(words.next());
  const std::uint64_t there = words.next(), room = words.next();
  Argument<size_t*> bytes(words);
  const int file = memfd_create("graph", MFD_CLOEXEC);
  if (file < 0) return answer(cudaErrorOperatingSystem);
  const cudaError_t error =
      cudaGraphDebugDotPrint(graph, ("/proc/self/fd/" + std::to_string(file)).c_str(), flags);
  std::string text;
  std::array<char, 4096> piece;
  for (ssize_t got = 0; (got = pread(file, piece.data(), piece.size(), static_cast<off_t>(text.size()))) > 0;)
    text.append(piece.data(), static_cast<std::size_t>(got));
  close(file);
  const std::size_t part = std::min<std::size_t>(room, text.size());
  if (part != 0) words.program().write(ArgumentWords::pointer<void>(there), text.data(), part);
  *bytes.get() = text.size();
  bytes.give_back();
  return answer(error);
}

}  // namespace duet::guest
