#pragma once

#include <algorithm>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "backends/cuda/cuda_backend.cuh"

/// What the backend keeps of a run to replay it.
namespace poisson::cuda {

/// A captured graph, ready to launch.
class Graph final : public Recording {
 public:
  /// `by_priority`: kernels on urgent streams come first, where the driver has that.
  Graph(cudaGraph_t graph, KernelCount kernels, std::vector<StepTable> tables, bool by_priority)
      : graph_(graph), kernels_(kernels), tables_(std::move(tables)) {
    cudaError_t status = cudaGraphInstantiate(&exec_, graph, by_priority ? cudaGraphInstantiateFlagUseNodePriority : 0);
    if (status != cudaSuccess && by_priority) status = cudaGraphInstantiate(&exec_, graph, 0);
    if (status != cudaSuccess) cudaGraphDestroy(graph);
    check(status);
  }
  ~Graph() override {
    cudaGraphExecDestroy(exec_);
    cudaGraphDestroy(graph_);
  }
  Graph(const Graph&) = delete;
  Graph& operator=(const Graph&) = delete;
  std::size_t kernels() const override { return kernels_.all; }
  std::size_t kernels_in_loop() const override { return kernels_.in_loop; }
  void launch(cudaStream_t stream) const { check(cudaGraphLaunch(exec_, stream)); }
  /// What else the first launch would do.
  void upload(cudaStream_t stream) const { check(cudaGraphUpload(exec_, stream)); }

 private:
  cudaGraph_t graph_;
  KernelCount kernels_;
  cudaGraphExec_t exec_ = nullptr;
  std::vector<StepTable> tables_;  // that its kernels read
};

/// Those of the graph itself, without the bodies of its conditional nodes.
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

/// Graphs and what the host does between them, one after another.
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
