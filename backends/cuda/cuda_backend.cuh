#pragma once

#include <algorithm>
#include <array>
#include <functional>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

#include <cuda_runtime.h>

#include "backends/cuda/add_planes.cuh"
#include "backends/cuda/check.cuh"
#include "backends/cuda/launch.cuh"
#include "backends/cuda/mailbox.cuh"
#include "backends/cuda/mark.cuh"
#include "backends/cuda/pending_steps.cuh"
#include "backends/cuda/staging.cuh"
#include "backends/cuda/upload_ring.hpp"
#include "backends/device/backend.hpp"
#include "backends/device/device_setup.hpp"
#include "backends/device/shared_launches.hpp"
#include "backends/memory/arena.hpp"

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
/// Creates a stream whose kernels run before kernels of other streams.
inline Stream make_urgent_stream() {
  int least = 0, greatest = 0;
  cudaStream_t stream = nullptr;
  check(cudaDeviceGetStreamPriorityRange(&least, &greatest));
  check(cudaStreamCreateWithPriority(&stream, cudaStreamNonBlocking, greatest));
  return Stream(stream);
}

/// Counts the kernels of a graph.
struct KernelCount {
  std::size_t all = 0;      ///< includes bodies of conditional nodes
  std::size_t in_loop = 0;  ///< are directly in the loop body
};

class Graph;

/// Runs the verbs of a backend on one CUDA device. Kernels are launched on stream(), which changes while the body of a
/// conditional node is recorded.
class CudaBackend final : public Backend {
 public:
  explicit CudaBackend(const DeviceSetup& setup);
  ~CudaBackend() override;

  BackendKind kind() const override { return BackendKind::cuda; }
  std::string device() const override { return description_; }
  /// Returns the number of its device.
  int number() const { return device_; }
  /// Launches pending shared verbs first, then returns the current stream. Counts launches of a recording.
  cudaStream_t stream() {
    pending_.launch(stream_);
    if (recording_ && ++recorded_ > most_recorded) throw TooMany();
    return stream_;
  }
  /// Calls column(i, j, k0, k1) for every column of the box. While a run is recorded, verbs on small boxes share a
  /// launch with the verbs before and after them. `Steps` lists the functors that can share a launch.
  template <class Steps, class Column>
  void for_columns(const Box& box, const Column& column) {
    if (box.size() == 0) return;
    if (shares(box) && pending_.add<Steps>(stream_, box, column)) return;
    cuda::for_columns(stream(), box, column);
  }
  /// Returns whether verbs on this box currently share launches.
  bool shares(const Box& box) const { return recording_ && box.size() <= most_shared_values; }
  /// Runs column.all(thread, threads) in a shared launch. Requires that shares() is true and that `Steps` lists the
  /// functor.
  template <class Steps, class Column>
  void share(const Column& column) {
    pending_.add<Steps>(stream_, {}, column);
  }
  /// Returns memory for the partial results of one reduction: at least `count` values, and never fewer than
  /// `always_partials`. If the memory grows, its contents are lost.
  double* partials(std::int64_t count = 0);
  static constexpr std::int64_t always_partials = 1 << 18;
  /// Computes the partial sums of column(i, j, k0, k1) over a box. `before` counts the planes of this process before
  /// the box, `planes` all planes of this process, `depth` the planes of the global grid.
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
  /// Computes result = Σ column(i, j, k0, k1) over a box of this process alone.
  template <class Column>
  void sum_here(const Box& box, const Column& column, const Scalar& result) {
    const int planes = box.last[2] - box.first[2];
    const PlaneSums sums = sum_parts(box, planes, column);
    add_planes(stream(), partials(), sums.count(planes), sums.groups, plane_room_, nullptr, result.address());
  }
  /// Computes the same sum over the boxes of all processes that share the space. `depth` counts the planes of the
  /// global grid in the direction in which kernels march.
  template <class Column>
  void sum(const Space& space, const Box& box, int depth, const Column& column, const Scalar& result) {
    add_up(space, sum_parts(box, depth, column), box.last[2] - box.first[2], result);
  }
  /// Computes result = Σ of the planes of all processes that share the space. `sums` describes the partial sums of this
  /// process, which has `planes` planes.
  void add_up(const Space& space, const PlaneSums& sums, int planes, const Scalar& result);
  /// begin_swap and end_swap exchange values or halos of x with neighbours on the stream, by any transport. With
  /// mailboxes begin_swap does everything. Otherwise end_swap completes the exchange through the host.
  void begin_swap(const Field& x, const Exchange::Step& sent, const Exchange::Step& received);
  void end_swap(const Field& x, const Exchange::Step& received);
  /// Swaps parts (PartSwap) by `by_mail` if there are mailboxes, else by messages of the hosts.
  void swap_parts(const Members& members, const void* from, void* to, std::size_t bytes,
                  const std::function<void()>& by_mail);
  /// Returns the mailboxes through which kernels exchange (ticket.cuh), or null if messages pass through the host.
  const Mail* mail() const { return mail_.get(); }
  /// Returns whether kernels that read beyond a cut exchange by themselves. They do so between GPUs, unless messages
  /// are timed: such kernels would hide their time.
  bool kernels_exchange() const { return mail_ && kernels_exchange_ && !mail_timer_; }

  Buffer allocate(std::size_t bytes) override;
  const MemoryCount& memory() const override { return memory_; }
  void reserve(std::size_t bytes) override;
  std::size_t available() const override;
  /// Returns the number of allocated pieces of device memory: one for the backend itself and one for every reservation
  /// that sufficed.
  int pieces() const { return arena_.pieces(); }
  /// Keeps pieces without used blocks until the returned object is destroyed.
  std::shared_ptr<void> keep_pieces() {
    arena_.keep();
    return {this, [](void* backend) { static_cast<CudaBackend*>(backend)->arena_.stop_keeping(); }};
  }
  void write(const void* host, void* device, std::size_t bytes) override;
  void read(const void* device, void* host, std::size_t bytes) override;

  void do_fill(Field& x, double value) override;
  void do_copy(const Field& x, Field& y) override;
  void do_convert(const Field& x, Field& y) override;
  void do_scale(const Scalar& a, const Field& x, Field& y) override;
  void do_axpy(const Scalar& a, const Field& x, Field& y) override;
  void do_axmy(const Scalar& a, const Field& x, Field& y) override;
  void do_xpay(const Field& x, const Scalar& a, Field& y) override;
  void do_subtract(const Field& x, const Scalar& a, const Field& y, Field& result) override;
  void do_dot(const Field& x, const Field& y, Scalar& result) override;
  void reserve_halo_buffers(const Space&) override;
  /// Allocates the exchange buffers for messages of these sizes. Collective.
  void reserve_halo_buffers(const Processes& processes, const MailSizes& sizes);
  std::string transport() const override { return reached_; }
  void do_exchange_fields(std::span<const Field* const> fields, int width) override;
  void do_gather(const Field& part, Field& whole) override;
  void reserve_gather_buffers(const Space&) override;
  void do_extract_part(const Field& whole, Field& part) override;
  void do_dense_product(const Buffer& matrix, const Buffer& index, int rows, int blocks, const Field& x,
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

  /// A graph has at most about this many launches. If a run needs more, the host runs the iteration: the driver fails
  /// on graphs of a million launches.
  static constexpr int most_recorded = 200'000;

 protected:
  void start(const Field& x, int width, bool beside) override;
  void finish(const Field& x, int width) override;
  void join_streams() override;

 private:
  struct Watch;
  struct TooMany {};
  /// Lists the steps of the host between graphs, and the launches of these graphs.
  using HostSteps = std::vector<std::function<void()>>;
  /// Contains the second stream for exchanges that overlap with stream().
  struct Side {
    Stream stream = make_urgent_stream();
    Mark forked, met;
    cudaStream_t main = nullptr;  ///< saves stream_ while this stream is current, else null
    bool open = false;            ///< is forked, not yet joined
  };
  [[noreturn]] void out_of_memory(std::size_t bytes) const;
  void* take(std::size_t bytes) const;
  Buffer block(std::size_t bytes);
  cudaGraph_t add_conditional(cudaGraphConditionalHandle handle, cudaGraphConditionalNodeType type);
  cudaGraph_t recorded_graph() const;
  std::unique_ptr<Recording> record(const std::function<void()>& verbs, std::unique_ptr<Graph> former);
  void record_into(cudaGraph_t graph, const std::function<void()>& body);
  void follow(Monitor& monitor);
  const double* ask_all();
  void connect(const Processes& processes);
  std::string choose_transport();
  void run_step(const Field& x, int width, std::size_t step);
  template <class T>
  void copy_own(const View<T>& v, const Exchange::Step& step);
  void by_host(std::function<void()> step);
  void begin_segment();
  void end_segment();
  HostSteps steps_of(const std::function<void()>& verbs);
  std::unique_ptr<Recording> record_steps(const std::function<void()>& verbs);
  void abandon_recording();
  /// Returns whether runs are recorded as graphs with steps of the host between them.
  bool records_steps() const { return records_ && processes_ && !mail_; }
  double value_at(const double* scalar);
  template <class Send>
  void send(bool exchange, const Send& by_mail);
  int device_;
  std::string description_;
  /// Returns the bytes left up to the limit. Mailboxes are counted, but never refused.
  std::size_t room_left() const { return memory_limit_ - std::min(memory_limit_, memory_.now()); }
  std::size_t memory_limit_;
  MemoryCount memory_;
  Arena arena_;
  Stream own_stream_;  ///< null if the program gave the stream
  std::unique_ptr<UploadRing> uploads_;
  cudaStream_t stream_ = nullptr;  ///< own_stream_, the program's stream, or the stream of a conditional body
  PendingSteps pending_{[this](std::size_t bytes) { return block(bytes); }};
  bool recording_ = false;
  int recorded_ = 0;  ///< launches since recording began
  KernelCount kernels_;
  Buffer sums_;  ///< plane sums, then always_partials
  double* partials_ = nullptr;
  std::int64_t room_of_partials_ = always_partials;
  std::vector<Buffer> more_partials_;  ///< the last one is in use; recordings may use older ones
  PlaneRoom plane_room_{};
  std::unique_ptr<Watch> watch_;
  bool conditional_nodes_ = false;
  bool records_ = true;                                          ///< is false if verbs must run when they are called
  HostSteps* steps_ = nullptr;                                   ///< is being recorded, if it has host steps
  std::vector<std::unique_ptr<Recording>>* segments_ = nullptr;  ///< the graphs between
  Monitor* monitor_ = nullptr;                                   ///< observes the run
  std::unique_ptr<Side> side_;
  Transport wanted_;
  std::string reached_;
  const Processes* processes_ = nullptr;  ///< processes that share its grids; null for one
  std::unique_ptr<Mail> mail_;            ///< null if messages pass through the host
  bool kernels_exchange_ = false;
  std::unique_ptr<Staging> staging_;   ///< null if mailboxes suffice
  Scalar stops_;                       ///< how many processes want to stop
  std::unique_ptr<Timer> mail_timer_;  ///< null if nothing is timed
  std::vector<bool> exchanged_;        ///< is true for an exchange, false for a gather
  Processes::Waits waits_;
};

template <class Send>
void CudaBackend::send(bool exchange, const Send& by_mail) {
  if (!mail_timer_) return by_mail();
  mail_timer_->start(exchange ? "exchange" : "gather");
  by_mail();
  mail_timer_->stop();
  exchanged_.push_back(exchange);
  constexpr std::size_t most = 1 << 14;  // events
  if (exchanged_.size() == most) waits();
}

}  // namespace poisson::cuda
