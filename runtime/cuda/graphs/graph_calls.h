// The calls about graphs and their nodes that both interfaces have.
#pragma once

#include "cuda/session/session.h"

namespace duet::cuda {

cudaError_t print_graph(cudaGraph_t graph, const char* path);
cudaError_t create_graph(cudaGraph_t* graph, unsigned flags);
cudaError_t destroy_graph(cudaGraph_t graph);
cudaError_t clone_graph(cudaGraph_t* clone, cudaGraph_t graph);
cudaError_t find_node_in_clone(cudaGraphNode_t* node, cudaGraphNode_t original, cudaGraph_t clone);
cudaError_t destroy_node(cudaGraphNode_t node);
cudaError_t get_node_type(cudaGraphNode_t node, cudaGraphNodeType* type);
cudaError_t get_nodes(cudaGraph_t graph, cudaGraphNode_t* nodes, size_t* count);
cudaError_t get_root_nodes(cudaGraph_t graph, cudaGraphNode_t* nodes, size_t* count);
cudaError_t get_edges(cudaGraph_t graph, cudaGraphNode_t* from, cudaGraphNode_t* to, cudaGraphEdgeData* data,
                      size_t* count);
cudaError_t get_dependencies(cudaGraphNode_t node, cudaGraphNode_t* nodes, cudaGraphEdgeData* data,
                             size_t* count);
cudaError_t get_dependent_nodes(cudaGraphNode_t node, cudaGraphNode_t* nodes, cudaGraphEdgeData* data,
                                size_t* count);
cudaError_t add_dependencies(cudaGraph_t graph, const cudaGraphNode_t* from, const cudaGraphNode_t* to,
                             const cudaGraphEdgeData* data, size_t count);
cudaError_t remove_dependencies(cudaGraph_t graph, const cudaGraphNode_t* from, const cudaGraphNode_t* to,
                                const cudaGraphEdgeData* data, size_t count);
cudaError_t get_child_graph(cudaGraphNode_t node, cudaGraph_t* graph);
cudaError_t add_kernel_node(Session& session, cudaGraphNode_t* node, cudaGraph_t graph,
                            const cudaGraphNode_t* after, size_t after_count,
                            const cudaKernelNodeParams* params);
cudaError_t get_kernel_node(cudaGraphNode_t node, cudaKernelNodeParams* params);
cudaError_t set_kernel_node(Session& session, cudaGraphNode_t node, const cudaKernelNodeParams* params);
cudaError_t set_exec_kernel_node(Session& session, cudaGraphExec_t exec, cudaGraphNode_t node,
                                 const cudaKernelNodeParams* params);
cudaError_t add_memcpy_node(Session& session, cudaGraphNode_t* node, cudaGraph_t graph,
                            const cudaGraphNode_t* after, size_t after_count, const cudaMemcpy3DParms* parms);
cudaError_t get_memcpy_node(cudaGraphNode_t node, cudaMemcpy3DParms* parms);
cudaError_t set_memcpy_node(Session& session, cudaGraphNode_t node, const cudaMemcpy3DParms* parms);
cudaError_t set_exec_memcpy_node(Session& session, cudaGraphExec_t exec, cudaGraphNode_t node,
                                 const cudaMemcpy3DParms* parms);
cudaError_t add_memset_node(Session& session, cudaGraphNode_t* node, cudaGraph_t graph,
                            const cudaGraphNode_t* after, size_t after_count, const cudaMemsetParams* parms);
cudaError_t get_memset_node(cudaGraphNode_t node, cudaMemsetParams* parms);
cudaError_t set_memset_node(Session& session, cudaGraphNode_t node, const cudaMemsetParams* parms);
cudaError_t set_exec_memset_node(Session& session, cudaGraphExec_t exec, cudaGraphNode_t node,
                                 const cudaMemsetParams* parms);
cudaError_t add_host_node(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* after,
                          size_t after_count, const cudaHostNodeParams* params);
cudaError_t get_host_node(cudaGraphNode_t node, cudaHostNodeParams* params);
cudaError_t set_host_node(cudaGraphNode_t node, const cudaHostNodeParams* params);
cudaError_t set_exec_host_node(cudaGraphExec_t exec, cudaGraphNode_t node, const cudaHostNodeParams* params);
cudaError_t add_child_graph_node(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* after,
                                 size_t after_count, cudaGraph_t child_graph);
cudaError_t set_exec_child_graph_node(cudaGraphExec_t exec, cudaGraphNode_t node, cudaGraph_t graph);
cudaError_t add_empty_node(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* after,
                           size_t after_count);
cudaError_t add_event_record_node(Session& session, cudaGraphNode_t* node, cudaGraph_t graph,
                                  const cudaGraphNode_t* after, size_t after_count, cudaEvent_t event);
cudaError_t get_event_record_node(cudaGraphNode_t node, cudaEvent_t* event);
cudaError_t set_event_record_node(Session& session, cudaGraphNode_t node, cudaEvent_t event);
cudaError_t set_exec_event_record_node(Session& session, cudaGraphExec_t exec, cudaGraphNode_t node,
                                       cudaEvent_t event);
cudaError_t add_event_wait_node(Session& session, cudaGraphNode_t* node, cudaGraph_t graph,
                                const cudaGraphNode_t* after, size_t after_count, cudaEvent_t event);
cudaError_t get_event_wait_node(cudaGraphNode_t node, cudaEvent_t* event);
cudaError_t set_event_wait_node(Session& session, cudaGraphNode_t node, cudaEvent_t event);
cudaError_t set_exec_event_wait_node(Session& session, cudaGraphExec_t exec, cudaGraphNode_t node,
                                     cudaEvent_t event);
cudaError_t add_mem_alloc_node(Session& session, cudaGraphNode_t* node, cudaGraph_t graph,
                               const cudaGraphNode_t* after, size_t after_count,
                               cudaMemAllocNodeParams* params);
cudaError_t get_mem_alloc_node(cudaGraphNode_t node, cudaMemAllocNodeParams* params);
cudaError_t add_mem_free_node(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* after,
                              size_t after_count, void* pointer);
cudaError_t get_mem_free_node(cudaGraphNode_t node, void* pointer);
cudaError_t instantiate_graph(Session& session, cudaGraphExec_t* exec, cudaGraph_t graph,
                              unsigned long long flags);
cudaError_t instantiate_graph_with(Session& session, cudaGraphExec_t* exec, cudaGraph_t graph,
                                   cudaGraphInstantiateParams* params);
cudaError_t get_exec_flags(cudaGraphExec_t exec, unsigned long long* flags);
cudaError_t destroy_exec(cudaGraphExec_t exec);
cudaError_t upload_exec(Session& session, cudaGraphExec_t exec, cudaStream_t stream);
cudaError_t launch_exec(Session& session, ThreadState& thread, cudaGraphExec_t exec, cudaStream_t stream);
cudaError_t update_exec(cudaGraphExec_t exec, cudaGraph_t graph, cudaGraphExecUpdateResultInfo* info);
cudaError_t set_node_enabled(cudaGraphExec_t exec, cudaGraphNode_t node, unsigned enabled);
cudaError_t get_node_enabled(cudaGraphExec_t exec, cudaGraphNode_t node, unsigned* enabled);
cudaError_t trim_graph_memory(Session& session, int device);
cudaError_t set_kernel_attribute(cudaGraphNode_t node, cudaLaunchAttributeID attribute,
                                 const cudaLaunchAttributeValue* value);
cudaError_t get_kernel_attribute(cudaGraphNode_t node, cudaLaunchAttributeID attribute,
                                 cudaLaunchAttributeValue* value);
cudaError_t copy_kernel_attributes(cudaGraphNode_t to, cudaGraphNode_t from);
cudaError_t get_graph_memory(int device, cudaGraphMemAttributeType attribute, void* value);
cudaError_t set_graph_memory(int device, cudaGraphMemAttributeType attribute, void* value);

}  // namespace duet::cuda
