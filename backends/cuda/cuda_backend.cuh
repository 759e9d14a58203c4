#pragma once

#include <algorithm>
#include <array>
#include <functional>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

#include <cuda_runtime.h>

#include "backends/arena.hpp"
#include "backends/backend.hpp"
#include "backends/cuda/add_planes.cuh"
#include "backends/cuda/check.cuh"
#include "backends/cuda/launch.cuh"
#include "backends/cuda/mailbox.cuh"
#include "backends/cuda/mark.cuh"
#include "backends/cuda/pending_steps.cuh"
#include "backends/cuda/staging.cuh"
#include "backends/shared_launches.hpp"

namespace poisson::cuda {

struct DestroyStream {
  void operator()(cudaStream_t stream) const { cudaStreamDestroy(stream); }
};
using Stream = std::unique_ptr<std::remove_pointer_t<cudaStream_t>, DestroyStream>;

inline Stream make_stream() {
  cudaStream_t stream = nullptr;
  check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  return Stream(stream);
}
/// One whose kernels come before those of others.
inline Stream make_urgent_stream() {
  int least = 0, greatest = 0;
  cudaStream_t stream = nullptr;
  check(cudaDeviceGetStreamPriorityRange(&least, &greatest));
  check(cudaStreamCreateWithPriority(&stream, cudaStreamNonBlocking, greatest));
  return Stream(stream);
}

/// Kernels of a graph.
struct KernelCount {
  std::size_t all = 0;      ///< with the bodies of conditional nodes
  std::size_t in_loop = 0;  ///< directly in the body of the loop
};

/// One CUDA device and a stream on it. Kernels launch on stream(), which is another one while the body of a conditional
/// node is recorded.
class CudaBackend final : public Backend {
 public:
  CudaBackend(int device, std::size_t memory_limit, Transport transport);
  ~CudaBackend() override;

  BackendKind kind() const override { return BackendKind::cuda; }
  std::string device() const override { return description_; }
  /// Whatever waits to share a launch is launched first.
  cudaStream_t stream() {
    pending_.launch(stream_);
    if (recording_ && ++recorded_ > most_recorded) throw TooMany();
    return stream_;
  }
  /// column(i, j, k0, k1) for every column of the box, in a launch of its own or, while a run is recorded and where the
  /// box is small, in one with the verbs around it. `Steps` lists the functors that can share a launch.
  template <class Steps, class Column>
  void for_columns(const Box& box, const Column& column) {
    if (box.size() == 0) return;
    if (shares(box) && pending_.add<Steps>(stream_, box, column)) return;
    cuda::for_columns(stream(), box, column);
  }
  /// Whether verbs on a box share launches now.
  bool shares(const Box& box) const { return recording_ && box.size() <= most_shared_values; }
  /// column.all(thread, threads) in a shared launch, where shares() says so; `Steps` lists it.
  template <class Steps, class Column>
  void share(const Column& column) {
    pending_.add<Steps>(stream_, {}, column);
  }
  /// Room for the partial results of one reduction at a time: at least so many values, and never fewer than
  /// `always_partials`. What was there is lost where there is more now.
  double* partials(std::int64_t count = 0);
  static constexpr std::int64_t always_partials = 1 << 18;
  /// Leaves the partial sums of column(i, j, k0, k1) over a box that follows so many planes `before` it, of `planes` of
  /// this process in all and `depth` of the whole grid.
  template <class Column>
  PlaneSums sum_parts(const Box& box, int before, int planes, int depth, const Column& column) {
    const auto sums = plane_sums<Column>(box, depth);
    sum_columns(stream(), box, sums, before, column, partials(sums.partials(planes)));
    return sums;
  }
  template <class Column>
  PlaneSums sum_parts(const Box& box, int depth, const Column& column) {
    return sum_parts(box, 0, box.last[2] - box.first[2], depth, column);
  }
  /// result = Σ column(i, j, k0, k1) over a box of this process alone.
  template <class Column>
  void sum_here(const Box& box, const Column& column, const Scalar& result) {
    const int planes = box.last[2] - box.first[2];
    const PlaneSums sums = sum_parts(box, planes, column);
    add_planes(stream(), partials(), sums.count(planes), sums.groups, plane_room_, nullptr, result.address());
  }
  /// The same over the boxes of all processes that share the space, which has so many planes along z as kernels march.
  template <class Column>
  void sum(const Space& space, const Box& box, int depth, const Column& column, const Scalar& result) {
    add_up(space, sum_parts(box, depth, column), box.last[2] - box.first[2], result);
  }
  /// result = Σ of the planes of all processes that share the space; of this one's partial sums there are so many
  /// planes.
  void add_up(const Space& space, const PlaneSums& sums, int planes, const Scalar& result);
  /// What neighbours get and what comes from them, of values or halos of x: whatever the transport, on the stream. In
  /// halves as far as the host takes part.
  void begin_swap(const Field& x, const Exchange::Turn& sent, const Exchange::Turn& received);
  void end_swap(const Field& x, const Exchange::Turn& received);
  /// Swaps parts (PartSwap) by mail where there is any, else by messages of the hosts.
  void swap_parts(const Members& members, const void* from, void* to, std::size_t bytes,
                  const std::function<void()>& by_mail);
  /// What kernels exchange through by themselves (ticket.cuh); null where messages go through the host.
  const Mail* mail() const { return mail_.get(); }
  /// Whether kernels that read beyond a cut are to do so: between GPUs, where nothing is timed that they would hide.
  bool kernels_exchange() const { return mail_ && kernels_exchange_ && !mail_timer_; }

  Buffer allocate(std::size_t bytes) override;
  const MemoryCount& memory() const override { return memory_; }
  void reserve(std::size_t bytes) override;
  std::size_t available() const override;
  /// Pieces of device memory in use: one of the backend's own, one for every reservation that sufficed.
  int pieces() const { return arena_.pieces(); }
  void write(const void* host, void* device, std::size_t bytes) override;
  void read(const void* device, void* host, std::size_t bytes) override;

  void fill(Field& x, double value) override;
  void copy(const Field& x, Field& y) override;
  void convert(const Field& x, Field& y) override;
  void scale(const Scalar& a, const Field& x, Field& y) override;
  void axpy(const Scalar& a, const Field& x, Field& y) override;
  void axmy(const Scalar& a, const Field& x, Field& y) override;
  void xpay(const Field& x, const Scalar& a, Field& y) override;
  void subtract(const Field& x, const Scalar& a, const Field& y, Field& result) override;
  void dot(const Field& x, const Field& y, Scalar& result) override;
  void join(const Space&) override;
  /// Room for what processes send each other so.
  void join(const Processes& processes, const MailSizes& sizes);
  std::string transport() const override { return reached_; }
  void exchange_fields(std::span<const Field* const> fields, int width) override;
  void gather(const Field& part, Field& whole) override;
  void make_room_to_gather(const Space&) override;
  void take_part(const Field& whole, Field& part) override;
  void dense_product(const Buffer& matrix, const Buffer& index, int rows, int blocks, const Field& x,
                     Field& y) override;

  void ratio(const Scalar& a, const Scalar& b, Scalar& result) override;
  void negate(Scalar& a) override;
  void assign(const Scalar& a, Scalar& result) override;
  void scale_to_unit(const Scalar& norm, double count, Scalar& scale, Scalar& inverse) override;

  void run(std::unique_ptr<Recording>& recording, const std::function<void()>& verbs, Monitor& monitor) override;
  void prepare(std::unique_ptr<Recording>& recording, const std::function<void()>& verbs) override;
  void begin(Monitor& monitor, const Scalar& raw, const Scalar& data, const Scalar& initial, const Scalar& start,
             const Scalar& rounding) override;
  void observe(Monitor& monitor, const Scalar& norm) override;
  void when_risen(Monitor& monitor, const std::function<void()>& body) override;
  void repeat(int limit, const std::function<void()>& body, Monitor& monitor) override;

  std::unique_ptr<Timer> make_timer() override;
  void run_immediately() override {
    conditional_nodes_ = false;
    records_ = false;
    set_least_beside(0);
    mail_timer_ = make_timer();
  }
  Processes::Waits waits() override;

  /// Launches in a graph, about. With more the host runs the iteration: the driver does not survive a graph of a
  /// million.
  static constexpr int most_recorded = 200'000;

 protected:
  void start(const Field& x, int width, bool beside) override;
  void finish(const Field& x, int width) override;
  void settle() override;

 private:
  struct Watch;
  struct TooMany {};
  /// What the host does between graphs, and those graphs' launches.
  using HostSteps = std::vector<std::function<void()>>;
  /// The stream that exchanges have beside stream(), and whether one is on it.
  struct Side {
    Stream stream = make_urgent_stream();
    Mark forked, met;
    cudaStream_t main = nullptr;  ///< what stream_ was before; null: none is
    bool open = false;            ///< forked off and not yet met again
  };
  [[noreturn]] void out_of_memory(std::size_t bytes) const;
  void* take(std::size_t bytes) const;
  Buffer block(std::size_t bytes);
  cudaGraph_t add_conditional(cudaGraphConditionalHandle handle, cudaGraphConditionalNodeType type);
  cudaGraph_t recorded_graph() const;
  std::unique_ptr<Recording> record(const std::function<void()>& verbs);
  void record_into(cudaGraph_t graph, const std::function<void()>& body);
  void follow(Monitor& monitor);
  const double* ask_all();
  void connect(const Processes& processes);
  std::string choose_transport();
  void take_turn(const Field& x, int width, std::size_t turn);
  template <class T>
  void copy_own(const View<T>& v, const Exchange::Turn& turn);
  void by_host(std::function<void()> step);
  void begin_segment();
  void end_segment();
  HostSteps steps_of(const std::function<void()>& verbs);
  std::unique_ptr<Recording> record_steps(const std::function<void()>& verbs);
  void abandon_recording();
  /// Whether runs are recorded in pieces, between which the host takes part.
  bool records_steps() const { return records_ && processes_ && !mail_; }
  double value_at(const double* scalar);
  template <class Send>
  void send(bool exchange, const Send& by_mail);
  int device_;
  std::string description_;
  /// Bytes until the limit; mailboxes are counted, and not refused.
  std::size_t room_left() const { return memory_limit_ - std::min(memory_limit_, memory_.now()); }
  std::size_t memory_limit_;
  MemoryCount memory_;
  Arena arena_;
  Stream own_stream_;
  cudaStream_t stream_ = nullptr;  ///< own_stream_, or that of a conditional node's body
  PendingSteps pending_{[this](std::size_t bytes) { return block(bytes); }};
  bool recording_ = false;
  int recorded_ = 0;  ///< launches since recording began
  KernelCount kernels_;
  Buffer sums_;  ///< of planes, and always_partials
  double* partials_ = nullptr;
  std::int64_t room_of_partials_ = always_partials;
  std::vector<Buffer> more_partials_;  ///< the last one in use, others perhaps by what has been recorded
  PlaneRoom plane_room_{};
  std::unique_ptr<Watch> watch_;
  bool conditional_nodes_ = false;
  bool records_ = true;                                          ///< unless verbs are to run as they are called
  HostSteps* steps_ = nullptr;                                   ///< what is being recorded where the host takes part
  std::vector<std::unique_ptr<Recording>>* segments_ = nullptr;  ///< the graphs between
  Monitor* monitor_ = nullptr;                                   ///< of the run
  std::unique_ptr<Side> side_;
  Transport wanted_;
  std::string reached_;
  const Processes* processes_ = nullptr;  ///< those that share its grids, where there are several
  std::unique_ptr<Mail> mail_;            ///< null where messages go through the host
  bool kernels_exchange_ = false;
  std::unique_ptr<Staging> staging_;   ///< null where they do not
  Scalar stops_;                       ///< how many processes want to stop
  std::unique_ptr<Timer> mail_timer_;  ///< null where nothing is timed
  std::vector<bool> exchanged_;        ///< whether what it timed was an exchange, else a gather
  Processes::Waits waits_;
};

}  // namespace poisson::cuda
