#include <array>
#include <functional>
#include <memory>
#include <type_traits>

#include <cooperative_groups.h>

#include "backends/utilities/pipeline.hpp"
#include "lab/harness/multiprocessors.cuh"
#include "lab/harness/session.hpp"
#include "lab/studies/launch/kernels.hpp"
#include "lab/studies/launch/study.hpp"
#include "lab/studies/studies.hpp"

namespace poisson::lab {
namespace {

constexpr int threads = 128;

// Points to the start state, which is never overwritten, and to two alternating states.
struct States {
  std::uint64_t* start;
  std::uint64_t* turns[2];
  __host__ __device__ const std::uint64_t* before(int step) const { return step == 0 ? start : turns[(step - 1) % 2]; }
  __host__ __device__ std::uint64_t* after(int step) const { return turns[step % 2]; }
};

__device__ void take_step(const TinyStep& tiny, const States& states, int step) {
  const std::int64_t word = std::int64_t{blockIdx.x} * threads + threadIdx.x;
  states.after(step)[word] = tiny.next(states.before(step), word, step);
}

__global__ void __launch_bounds__(threads) step_kernel(TinyStep tiny, States states, int step) {
  take_step(tiny, states, step);
}

// Runs all steps in one launch. The barrier makes writes of other blocks visible.
__global__ void __launch_bounds__(threads) persistent_kernel(TinyStep tiny, States states, int steps) {
  const auto grid = cooperative_groups::this_grid();
  for (int step = 0; step < steps; ++step) {
    take_step(tiny, states, step);
    grid.sync();
  }
}

struct DestroyGraph {
  void operator()(cudaGraph_t graph) const { cudaGraphDestroy(graph); }
  void operator()(cudaGraphExec_t graph) const { cudaGraphExecDestroy(graph); }
};
using Graph = std::unique_ptr<std::remove_pointer_t<cudaGraph_t>, DestroyGraph>;
using ExecutableGraph = std::unique_ptr<std::remove_pointer_t<cudaGraphExec_t>, DestroyGraph>;

// Owns a state on the device, one word per thread, and advances it in several ways.
class Sequence {
 public:
  Sequence(Backend& backend, int blocks)
      : tiny_{std::int64_t{blocks} * threads, threads + 1},
        backend_(backend),
        start_(backend, state_after(tiny_, 0)),
        turns_{Array<std::uint64_t>(backend, tiny_.words), Array<std::uint64_t>(backend, tiny_.words)},
        states_{start_.data(), {turns_[0].data(), turns_[1].data()}},
        blocks_(static_cast<unsigned>(blocks)) {}

  const TinyStep& tiny() const { return tiny_; }
  cudaStream_t stream() const { return stream_of(backend_); }

  const std::uint64_t* after(int step) const { return states_.after(step); }

  void launch(int step) const {
    step_kernel<<<blocks_, threads, 0, stream()>>>(tiny_, states_, step);
    cuda::launched(stream());
  }
  void launch_persistent(int steps) const {
    cudaLaunchConfig_t config{};
    config.gridDim = blocks_;
    config.blockDim = threads;
    config.stream = stream();
    cudaLaunchAttribute cooperative{};
    cooperative.id = cudaLaunchAttributeCooperative;
    cooperative.val.cooperative = 1;
    config.attrs = &cooperative;
    config.numAttrs = 1;
    cuda::check(cudaLaunchKernelEx(&config, persistent_kernel, tiny_, states_, steps));
    cuda::launched(stream());
  }
  /// Records the steps as a chain of nodes.
  ExecutableGraph record(int steps) const {
    cuda::check(cudaStreamBeginCapture(stream(), cudaStreamCaptureModeThreadLocal));
    for (int step = 0; step < steps; ++step) launch(step);
    cudaGraph_t recorded = nullptr;
    cuda::check(cudaStreamEndCapture(stream(), &recorded));
    const Graph graph(recorded);
    cudaGraphExec_t executable = nullptr;
    cuda::check(cudaGraphInstantiate(&executable, graph.get(), 0));
    return ExecutableGraph(executable);
  }

  void spoil_results() const {
    for (const auto& turn : turns_) spoil(backend_, turn);
  }
  std::vector<std::uint64_t> result(int steps) const {
    return turns_[static_cast<std::size_t>((steps - 1) % 2)].host();
  }

 private:
  TinyStep tiny_;
  Backend& backend_;
  Array<std::uint64_t> start_;
  std::array<Array<std::uint64_t>, 2> turns_;
  States states_;
  unsigned blocks_;
};

// A way to launch prepares `steps` steps of a sequence and returns a function that runs them.
struct Way {
  const char* name;
  std::function<void()> (*prepare)(const Sequence& sequence, int steps);
};
const std::array ways{
    Way{awaited,
        [](const Sequence& sequence, int steps) -> std::function<void()> {
          return [&sequence, steps] {
            for (int step = 0; step < steps; ++step) {
              sequence.launch(step);
              cuda::check(cudaStreamSynchronize(sequence.stream()));
            }
          };
        }},
    Way{read_back,
        [](const Sequence& sequence, int steps) -> std::function<void()> {
          return [&sequence, steps, word = std::make_shared<PinnedBuffer>(sizeof(std::uint64_t))] {
            for (int step = 0; step < steps; ++step) {
              sequence.launch(step);
              cuda::check(cudaMemcpyAsync(word->data(), sequence.after(step), word->bytes(), cudaMemcpyDeviceToHost,
                                          sequence.stream()));
              cuda::check(cudaStreamSynchronize(sequence.stream()));
            }
          };
        }},
    Way{"stream launches",
        [](const Sequence& sequence, int steps) -> std::function<void()> {
          return [&sequence, steps] {
            for (int step = 0; step < steps; ++step) sequence.launch(step);
          };
        }},
    Way{"graph nodes",
        [](const Sequence& sequence, int steps) -> std::function<void()> {
          return [&sequence, graph = std::shared_ptr(sequence.record(steps))] {
            cuda::check(cudaGraphLaunch(graph.get(), sequence.stream()));
          };
        }},
    Way{"a persistent kernel with grid barriers",
        [](const Sequence& sequence, int steps) -> std::function<void()> {
          return [&sequence, steps] { sequence.launch_persistent(steps); };
        }},
};

void verify(Session& session, const Way& way, const Sequence& sequence, int steps, const std::function<void()>& take,
            const std::vector<std::uint64_t>& expected) {
  sequence.spoil_results();
  take();
  session.check(sequence.result(steps) == expected, "launch", way.name, "the state differs");
}

Panels measure(Session& session) {
  verify_launch(session);
  const Sequence sequence(session.backend(), multiprocessors());
  Panel panel{
      "steps", "Dependent tiny steps, one block of 128 threads per multiprocessor", "steps", "µs per step", true, true};
  const std::vector<int> counts =
      session.quick() ? std::vector{1, 10, 100, 1000} : std::vector{1, 2, 5, 10, 20, 50, 100, 200, 500, 1000};
  for (const int steps : counts) {
    const std::vector<std::uint64_t> expected = state_after(sequence.tiny(), steps);
    for (const Way& way : ways) {
      const auto take = way.prepare(sequence, steps);
      verify(session, way, sequence, steps, take, expected);
      const Timing seconds = session.time(take);
      panel.points.push_back({way.name, 1.0 * steps, seconds, 1e6 * seconds / steps});
    }
  }
  panel.guides = sequence_guides(panel);
  return {panel};
}

}  // namespace

void verify_launch(Session& session) {
  for (const int blocks : {2, 7, multiprocessors()}) {
    const Sequence sequence(session.backend(), blocks);
    for (const int steps : {1, 2, 3, 64, 101}) {
      const std::vector<std::uint64_t> expected = state_after(sequence.tiny(), steps);
      for (const Way& way : ways) verify(session, way, sequence, steps, way.prepare(sequence, steps), expected);
    }
  }
}

constexpr std::array lectures{Lecture::goeddeke, Lecture::choi, Lecture::today};
constexpr std::array additions{Addition{"steps", read_back, "steps with a readback"}};

const Study launch_study{
    .name = "launch",
    .question = "What does it cost to start a step that depends on the one before it?",
    .lectures = lectures,
    .measure = measure,
    .conclude = [](const Panels& panels, const Machine& machine) { return conclude_launch(panels, machine.copy); },
    .additions = additions,
};

}  // namespace poisson::lab
