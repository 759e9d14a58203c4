// This part of the backend records runs with host steps: graphs, and the steps of the host between them.
#include <utility>

#include "backends/cuda/cuda_backend.cuh"
#include "backends/cuda/graph.cuh"

namespace poisson::cuda {

// Runs a step of the host now or, while verbs are recorded, whenever they are replayed.
void CudaBackend::by_host(std::function<void()> step) {
  if (!steps_) return step();
  end_segment();
  steps_->push_back(std::move(step));
  begin_segment();
}

void CudaBackend::begin_segment() {
  check(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal));
}

void CudaBackend::end_segment() {
  pending_.launch(stream_);
  cudaGraph_t graph = nullptr;
  check(cudaStreamEndCapture(stream_, &graph));
  const std::size_t kernels = count_kernels(graph);
  if (kernels == 0) {
    check(cudaGraphDestroy(graph));
    return;
  }
  auto segment = std::make_unique<Graph>(graph, KernelCount{kernels, 0}, std::vector<StepTable>(), false);
  steps_->push_back([this, launched = segment.get()] { launched->launch(stream_); });
  segments_->push_back(std::move(segment));
}

CudaBackend::HostSteps CudaBackend::steps_of(const std::function<void()>& verbs) {
  HostSteps own;
  HostSteps* const outer = std::exchange(steps_, &own);
  begin_segment();
  verbs();
  end_segment();
  steps_ = outer;
  return own;
}

// Records verbs as a program. If there are too many launches, returns null and disables recording from then on.
std::unique_ptr<Recording> CudaBackend::record_steps(const std::function<void()>& verbs) {
  auto program = std::make_unique<Program>();
  segments_ = &program->segments;
  recording_ = true;
  recorded_ = 0;
  const auto abandon = [&] {
    steps_ = nullptr;
    abandon_recording();
  };
  try {
    program->steps = steps_of(verbs);
  } catch (const TooMany&) {
    abandon();
    records_ = false;
    return nullptr;
  } catch (...) {
    abandon();
    throw;
  }
  recording_ = false;
  program->tables = pending_.take_tables();
  for (const StepTable& table : program->tables) write(table.steps.data(), table.there.data(), table.there.bytes());
  return program;
}

}  // namespace poisson::cuda
