// This part of the backend records verbs as graphs, with conditional nodes for loops.
#include <memory>
#include <utility>
#include <vector>

#include "backends/cuda/cuda_backend.cuh"
#include "backends/cuda/graph.cuh"
#include "backends/cuda/watch.cuh"
#include "backends/device/expired_run.hpp"

namespace poisson::cuda {

std::unique_ptr<Graph> former_graph(const std::unique_ptr<Recording>& recording) {
  auto* const expired = dynamic_cast<ExpiredRun*>(recording.get());
  if (!expired) return nullptr;
  std::unique_ptr<Recording> former = expired->release();
  auto* const graph = dynamic_cast<Graph*>(former.get());
  if (graph) static_cast<void>(former.release());
  return std::unique_ptr<Graph>(graph);
}

void CudaBackend::abandon_recording() {
  cudaGraph_t graph = nullptr;
  recording_ = false;
  watch_->loop.reset();
  if (side_ && side_->main) stream_ = side_->main;
  side_.reset();
  if (cudaStreamEndCapture(stream_, &graph) == cudaSuccess) cudaGraphDestroy(graph);
  cudaGetLastError();  // clears the error of the abandoned capture, not one of a later launch
  pending_.drop();     // may free memory, which a capture forbids
}

// Records verbs as a graph, which takes over what the former graph made ready. If there are too many launches, returns
// null and disables graphs from then on.
std::unique_ptr<Recording> CudaBackend::record(const std::function<void()>& verbs, std::unique_ptr<Graph> former) {
  if (mail_) mail_->hold_for_recorded();
  check(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal));
  recording_ = true;
  recorded_ = 0;
  kernels_ = {};
  cudaGraph_t graph = nullptr;
  try {
    verbs();
    pending_.launch(stream_);
  } catch (const TooMany&) {
    abandon_recording();
    conditional_nodes_ = false;
    return nullptr;
  } catch (...) {
    abandon_recording();
    throw;
  }
  recording_ = false;
  check(cudaStreamEndCapture(stream_, &graph));
  kernels_.all += count_kernels(graph);
  std::vector<StepTable> tables = pending_.take_tables();
  for (const StepTable& table : tables) write(table.steps.data(), table.there.data(), table.there.bytes());
  return std::make_unique<Graph>(graph, kernels_, std::move(tables), mail_ != nullptr, std::move(former));
}

void CudaBackend::prepare(std::unique_ptr<Recording>& recording, const std::function<void()>& verbs) {
  if (records_steps() && is_outdated(recording)) recording = record_steps(verbs);
  if (!conditional_nodes_ || !is_outdated(recording)) return;
  recording = record(verbs, former_graph(recording));
  if (!recording) return;
  static_cast<const Graph&>(*recording).upload(stream_);
  check(cudaStreamSynchronize(stream_));
}

cudaGraph_t CudaBackend::recorded_graph() const {
  cudaStreamCaptureStatus status{};
  cudaGraph_t graph = nullptr;
#if CUDART_VERSION >= 13000
  check(cudaStreamGetCaptureInfo(stream_, &status, nullptr, &graph, nullptr, nullptr, nullptr));
#else
  check(cudaStreamGetCaptureInfo_v2(stream_, &status, nullptr, &graph, nullptr, nullptr));
#endif
  return graph;
}

// Adds a conditional node after the work that the stream has recorded so far. Returns its empty body.
cudaGraph_t CudaBackend::add_conditional(cudaGraphConditionalHandle handle, cudaGraphConditionalNodeType type) {
  cudaStreamCaptureStatus status{};
  cudaGraph_t graph = nullptr;
  const cudaGraphNode_t* before = nullptr;
  std::size_t count = 0;
  cudaGraphNodeParams parameters{};
  parameters.type = cudaGraphNodeTypeConditional;
  parameters.conditional.handle = handle;
  parameters.conditional.type = type;
  parameters.conditional.size = 1;
  cudaGraphNode_t node = nullptr;
#if CUDART_VERSION >= 13000
  const cudaGraphEdgeData* edges = nullptr;
  check(cudaStreamGetCaptureInfo(stream_, &status, nullptr, &graph, &before, &edges, &count));
  check(cudaGraphAddNode(&node, graph, before, edges, count, &parameters));
  check(cudaStreamUpdateCaptureDependencies(stream_, &node, nullptr, 1, cudaStreamSetCaptureDependencies));
#else
  check(cudaStreamGetCaptureInfo_v2(stream_, &status, nullptr, &graph, &before, &count));
  check(cudaGraphAddNode(&node, graph, before, count, &parameters));
  check(cudaStreamUpdateCaptureDependencies(stream_, &node, 1, cudaStreamSetCaptureDependencies));
#endif
  return parameters.conditional.phGraph_out[0];
}

void CudaBackend::record_into(cudaGraph_t graph, const std::function<void()>& body) {
  const Stream inner = make_stream();
  check(cudaStreamBeginCaptureToGraph(inner.get(), graph, nullptr, nullptr, 0, cudaStreamCaptureModeThreadLocal));
  const cudaStream_t outer = std::exchange(stream_, inner.get());
  std::unique_ptr<Side> side = std::exchange(side_, nullptr);  // belongs to the outer recording
  try {
    body();
    pending_.launch(stream_);
  } catch (...) {
    stream_ = outer;
    cudaStreamEndCapture(inner.get(), &graph);
    side_ = std::move(side);
    throw;
  }
  stream_ = outer;
  check(cudaStreamEndCapture(inner.get(), &graph));
  side_ = std::move(side);
  kernels_.all += count_kernels(graph);
}

}  // namespace poisson::cuda
