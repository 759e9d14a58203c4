#pragma once

#include <algorithm>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "backends/cuda/cuda_backend.cuh"

/// Stores recorded runs, so that they can be replayed.
namespace poisson::cuda {

/// Owns a captured graph that is ready to launch.
class Graph final : public Recording {
 public:
  /// With `by_priority`, kernels on urgent streams run first if the driver supports this. If `expired` has the same
  /// kernels in the same order, its ready graph receives the new arguments, which takes half the time of another one.
  Graph(cudaGraph_t graph, KernelCount kernels, std::vector<StepTable> tables, bool by_priority,
        std::unique_ptr<Graph> expired = nullptr)
      : graph_(graph),
        kernels_(kernels),
        exec_(expired ? expired->updated_to(graph) : nullptr),
        tables_(std::move(tables)) {
    if (exec_) return;
    cudaError_t status = cudaGraphInstantiate(&exec_, graph, by_priority ? cudaGraphInstantiateFlagUseNodePriority : 0);
    if (status != cudaSuccess && by_priority) status = cudaGraphInstantiate(&exec_, graph, 0);
    if (status != cudaSuccess) cudaGraphDestroy(graph);
    check(status);
  }
  ~Graph() override {
    if (exec_) cudaGraphExecDestroy(exec_);
    cudaGraphDestroy(graph_);
  }
  Graph(const Graph&) = delete;
  Graph& operator=(const Graph&) = delete;
  std::size_t kernels() const override { return kernels_.all; }
  std::size_t kernels_in_loop() const override { return kernels_.in_loop; }
  void launch(cudaStream_t stream) const { check(cudaGraphLaunch(exec_, stream)); }
  /// Uploads the graph, which its first launch would do otherwise.
  void upload(cudaStream_t stream) const { check(cudaGraphUpload(exec_, stream)); }

 private:
  // Releases the ready graph after an update to another capture. Returns null if that is not possible.
  cudaGraphExec_t updated_to(cudaGraph_t graph) {
    cudaGraphExecUpdateResultInfo info{};
    if (cudaGraphExecUpdate(exec_, graph, &info) == cudaSuccess) return std::exchange(exec_, nullptr);
    cudaGetLastError();
    return nullptr;
  }

  cudaGraph_t graph_;
  KernelCount kernels_;
  cudaGraphExec_t exec_ = nullptr;
  std::vector<StepTable> tables_;  // are read by its kernels
};

/// Counts the kernels of the graph itself, without the bodies of its conditional nodes.
inline std::size_t count_kernels(cudaGraph_t graph) {
  std::size_t count = 0;
  check(cudaGraphGetNodes(graph, nullptr, &count));
  std::vector<cudaGraphNode_t> nodes(count);
  if (count > 0) check(cudaGraphGetNodes(graph, nodes.data(), &count));
  return static_cast<std::size_t>(std::count_if(nodes.begin(), nodes.end(), [](cudaGraphNode_t node) {
    cudaGraphNodeType type{};
    check(cudaGraphNodeGetType(node, &type));
    return type == cudaGraphNodeTypeKernel;
  }));
}

/// Contains graphs and the steps of the host between them, in order.
class Program final : public Recording {
 public:
  std::vector<std::function<void()>> steps;
  std::vector<std::unique_ptr<Recording>> segments;
  std::vector<StepTable> tables;
  std::size_t kernels() const override {
    std::size_t all = 0;
    for (const auto& segment : segments) all += segment->kernels();
    return all;
  }
};

}  // namespace poisson::cuda
