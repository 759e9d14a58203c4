#pragma once

#include <array>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "backends/device/field.hpp"
#include "backends/device/monitor.hpp"
#include "backends/device/traffic.hpp"
#include "backends/memory/scalar.hpp"
#include "backends/memory/timer.hpp"
#include "backends/processes/transport.hpp"

namespace poisson {

/// Represents a recorded sequence of verbs that a backend can replay.
class Recording {
 public:
  virtual ~Recording() = default;
  /// Returns the number of kernels, each counted once however often it runs; 0 if the backend does not count them.
  virtual std::size_t kernels() const { return 0; }
  /// Returns how many of them are in the body of `repeat`, without kernels that run only after the norm has risen.
  virtual std::size_t kernels_in_loop() const { return 0; }
};

/// Selects whose kernels belong to a backend.
enum class BackendKind { cpu, cuda };

/// Receives the verbs of a backend and of the objects on it (grids/results/profile.hpp).
class VerbLog {
 public:
  virtual ~VerbLog() = default;
  /// A verb starts on the level of this space; `bytes` is its least traffic.
  virtual void start(std::string_view verb, const Space& level, double bytes) = 0;
  virtual void stop() = 0;
};

/// Represents a device, and the verbs that need no knowledge of equations: arithmetic on fields, reductions, halos and
/// control.
///
/// Operands of one call have the same space; their precisions may differ. If a grid is cut, all processes that own a
/// part of it call the same verbs in the same order. Reductions cover the global grid.
///
/// Verbs on fields act on all values but the halo; reductions use double arithmetic. Verbs may run asynchronously; only
/// `value`, `read` and `write` wait. Reductions give the same bits on every run on the same device.
class Backend {
 public:
  virtual ~Backend() = default;

  virtual BackendKind kind() const = 0;
  bool on_gpu() const { return kind() != BackendKind::cpu; }
  /// Names the hardware.
  virtual std::string device() const = 0;
  /// Describes how the backend reaches other processes; empty for one process, and on the host.
  virtual std::string transport() const { return {}; }

  /// Returns zeroed memory. Throws RunError, which names the requested size.
  virtual Buffer allocate(std::size_t bytes) = 0;
  virtual const MemoryCount& memory() const = 0;
  /// Reserves bytes for later allocations; a device allocates them in one piece. Throws RunError if the device has too
  /// little memory or, on the host, if they exceed the memory limit of this process.
  virtual void reserve(std::size_t bytes) = 0;
  /// Returns the bytes that could be allocated now.
  virtual std::size_t available() const = 0;
  Scalar scalar(double value = 0);

  // Copy between host and device, and wait.
  virtual void write(const void* host, void* device, std::size_t bytes) = 0;
  virtual void read(const void* device, void* host, std::size_t bytes) = 0;
  double value(const Scalar&);

  // Fields. Lambdas of inline functions name what they capture: nvcc and the host compiler store implicit captures in
  // different orders, and the program keeps one copy of such a function, made by either of them.
  void fill(Field& x, double value) {
    timed(traffic("fill"), {&x}, [this, &x, &value] { do_fill(x, value); });
  }
  /// Computes y = x.
  void copy(const Field& x, Field& y) {
    timed(traffic("copy"), {&x, &y}, [this, &x, &y] { do_copy(x, y); });
  }
  /// Computes y = x, halo included.
  void convert(const Field& x, Field& y) {
    timed(traffic("copy"), {&x, &y}, [this, &x, &y] { do_convert(x, y); });
  }
  /// Computes y = a·x.
  void scale(const Scalar& a, const Field& x, Field& y) {
    timed(traffic("scale"), {&x, &y}, [this, &a, &x, &y] { do_scale(a, x, y); });
  }
  /// Computes y += a·x.
  void axpy(const Scalar& a, const Field& x, Field& y) {
    timed(traffic("axpy"), {&x, &y}, [this, &a, &x, &y] { do_axpy(a, x, y); });
  }
  /// Computes y −= a·x.
  void axmy(const Scalar& a, const Field& x, Field& y) {
    timed(traffic("axmy"), {&x, &y}, [this, &a, &x, &y] { do_axmy(a, x, y); });
  }
  /// Computes y = x + a·y.
  void xpay(const Field& x, const Scalar& a, Field& y) {
    timed(traffic("xpay"), {&x, &y}, [this, &x, &a, &y] { do_xpay(x, a, y); });
  }
  /// Computes result = x − a·y.
  void subtract(const Field& x, const Scalar& a, const Field& y, Field& result) {
    timed(traffic("subtract"), {&x, &y, &result}, [this, &x, &a, &y, &result] { do_subtract(x, a, y, result); });
  }
  void dot(const Field& x, const Field& y, Scalar& result) {
    timed(traffic("dot"), {&x, &x == &y ? nullptr : &y}, [this, &x, &y, &result] { do_dot(x, y, result); });
  }
  /// Allocates the buffers for halo exchanges on this space. Collective.
  virtual void reserve_halo_buffers(const Space&) {}
  /// Fills the halo with the values of neighbours (exchange.hpp), `width` values wide where the grid is cut. The halo
  /// is not part of a field's value, so x is const.
  void exchange(const Field& x, int width = 1) {
    if (x.space().halo().empty()) return;
    timed(traffic("exchange"), {&x}, [this, &x, &width] {
      start(x, width, false);
      finish(x, width);
      join_streams();
    });
  }
  /// Runs an exchange from the patches of one field to those of another, or within a field: both have one precision.
  /// Gathering patches, adding what several patches have, and transposed exchanges are such programs. Collective.
  void run_exchange(const Exchange& exchange, const Field& from, Field& to, int width = 1) {
    timed(traffic("exchange"), {&from},
          [this, &exchange, &from, &to, &width] { do_run_exchange(exchange, from, to, width); });
  }
  /// Exchanges the halos of several fields of one space and precision. If kernels exchange by themselves, one message
  /// carries as many fields as fit, with one flag. Otherwise the fields are exchanged one by one.
  void exchange_fields(std::span<const Field* const> fields, int width = 1) {
    if (!fields.empty())
      timed(traffic("exchange"), {fields[0]}, [this, &fields, &width] { do_exchange_fields(fields, width); });
  }
  /// Exchanges the halo of x and overlaps the exchange with work that reads x one value beyond a box. Calls verb(part)
  /// for parts that make up the box, one of them while messages are in flight. A part may write to x only values that
  /// no other part reads. If `axis` is given, the box is split across that axis only.
  template <class Verb>
  void exchange_overlapped(const Field& x, const Box& box, const Verb& verb, std::optional<std::size_t> axis = {}) {
    const Exchange& halo = x.space().halo();
    const Box inner = halo.with_others() ? halo.inner(box) : Box{};
    bool split = halo.with_others() && inner.size() >= least_beside_;
    for (std::size_t d = 0; d < 3; ++d)
      split = split && (!axis || d == *axis || (inner.first[d] == box.first[d] && inner.last[d] == box.last[d]));
    if (!split) {
      exchange(x);
      return verb(box);
    }
    start(x, 1, true);
    verb(inner);
    finish(x, 1);
    for (const Box& part : around(box, inner)) verb(part);
    join_streams();
  }
  /// Sets the smallest box that is worked on while messages are in flight; 0: never. The environment variable
  /// POISSON_OVERLAP replaces the backend's default.
  void set_least_beside(std::int64_t values);
  /// Assembles `whole`, the grid or a larger sub-block of it, on every process whose sub-block lies in it
  /// (PatchesWithin). The halo of `whole` past the ends of the grid receives one value from the halos of the
  /// sub-blocks.
  void gather(const Field& part, Field& whole) {
    timed(traffic("copy"), {&part, &whole}, [this, &part, &whole] { do_gather(part, whole); });
  }
  /// Allocates mailboxes for gathering sub-blocks of this space, so that GPUs that reach each other's mailboxes gather
  /// without the hosts. To be called before such gathers are recorded. Collective.
  virtual void reserve_gather_buffers(const Space&) {}
  /// Copies this process's sub-block from a field of the grid or of a larger sub-block. The halo is copied as far as
  /// `whole` has it, and wraps around on axes that are periodic there.
  void extract_part(const Field& whole, Field& part) {
    timed(traffic("copy"), {&part, &part}, [this, &whole, &part] { do_extract_part(whole, part); });
  }
  /// Computes y = Q x with a matrix Q of dense diagonal blocks: `blocks` blocks of `rows` rows, one after another, each
  /// row-major. Q acts on the values listed in `index`, as offsets from the value at (0, 0, 0). Other values of y do
  /// not change.
  void dense_product(const Buffer& matrix, const Buffer& index, int rows, int blocks, const Field& x, Field& y) {
    timed(
        traffic("dense product"), x.space(), {},
        [this, &matrix, &index, &rows, &blocks, &x, &y] { do_dense_product(matrix, index, rows, blocks, x, y); },
        matrix.bytes());
  }

  // Scalars.
  virtual void ratio(const Scalar& a, const Scalar& b, Scalar& result) = 0;  ///< a/b, and 0 where b = 0
  virtual void negate(Scalar& a) = 0;
  virtual void assign(const Scalar& a, Scalar& result) = 0;  ///< result = a
  /// Sets scale = 2^k with k such that the root mean square √(norm/count)·scale is in [1, 2), and inverse = 2^−k. Both
  /// are 1 if norm is 0 or not finite.
  virtual void scale_to_unit(const Scalar& norm, double count, Scalar& scale, Scalar& inverse) = 0;

  // Control. Norms are squared and may still be on the device.
  /// Runs a sequence of verbs, among them `begin` and `repeat`, and waits for its end. `recording` is empty at first. A
  /// backend may fill it and later replay it instead of calling `verbs`. The verbs must not depend on host variables
  /// that change between the calls, and must not allocate or wait.
  virtual void run(std::unique_ptr<Recording>& recording, const std::function<void()>& verbs, Monitor& monitor) = 0;
  /// Fills `recording` as `run` does but runs nothing, so that the first run is as fast as the others. A recording uses
  /// the monitor that `run` receives, not the one that the verbs name here. Waits. The recording remains empty if a
  /// backend does not record.
  virtual void prepare(std::unique_ptr<Recording>& /*recording*/, const std::function<void()>& /*verbs*/) {}
  /// Calls monitor.begin with the norms of the data before and after projection, of the initial residual and of the
  /// start's residual, and with the rounding.
  virtual void begin(Monitor& monitor, const Scalar& raw, const Scalar& data, const Scalar& initial,
                     const Scalar& start, const Scalar& rounding) = 0;
  /// Calls monitor.observe.
  virtual void observe(Monitor& monitor, const Scalar& norm) = 0;
  /// Runs `body` only after the monitor saw the norm rise above the best for the first time.
  virtual void when_risen(Monitor& monitor, const std::function<void()>& body) = 0;
  /// Runs `body` until the monitor has a verdict or has counted `limit` iterations. `body` must not change host
  /// variables: a backend may record it once.
  virtual void repeat(int limit, const std::function<void()>& body, Monitor& monitor) = 0;

  // Measuring.
  virtual std::unique_ptr<Timer> make_timer() = 0;
  /// Makes every later verb run immediately, without recording, so that each can be timed.
  virtual void run_immediately() = 0;
  /// Reports every verb to a log from now on; null: to none. The log must outlive the verbs.
  void report_to(VerbLog* log) { log_ = log; }
  /// Returns whether the next verb is reported.
  bool reports() const { return log_ != nullptr; }
  /// Runs a verb on the level of a space and reports it with its traffic; `arrays` is the size of the operator's
  /// arrays in bytes. Verbs inside this verb belong to it and are not reported.
  template <class Verb>
  void timed(const Traffic& row, const Space& level, const std::array<Touched, 3>& touched, const Verb& verb,
             std::size_t arrays = 0) {
    VerbLog* const log = std::exchange(log_, nullptr);
    if (!log) return verb();
    log->start(row.verb, level, bytes_moved(row, touched, arrays));
    verb();
    log->stop();
    log_ = log;
  }
  /// Reports a verb that touches all values of fields; null fields do not count.
  template <class Verb>
  void timed(const Traffic& row, const std::array<const Field*, 3>& fields, const Verb& verb) {
    if (!log_) return verb();
    std::array<Touched, 3> touched{};
    for (std::size_t f = 0; f < 3; ++f)
      if (fields[f]) touched[f] = {fields[f]->space().own_size(), fields[f]->precision()};
    timed(row, fields[0]->space(), touched, verb);
  }

  /// Returns the seconds that messages between devices needed since then, unless the processes count them.
  virtual Processes::Waits waits() { return {}; }

 protected:
  Backend();
  /// The halves of an exchange; `beside` is set if there is work between them. The work must not change values at the
  /// patch's ends nor start another exchange.
  virtual void start(const Field& x, int width, bool beside) = 0;
  virtual void finish(const Field& x, int width) = 0;
  /// Makes later work wait for the exchange and the kernels that overlap it.
  virtual void join_streams() {}

 private:
  // The verbs on fields; public functions report them.
  virtual void do_fill(Field& x, double value) = 0;
  virtual void do_copy(const Field& x, Field& y) = 0;
  virtual void do_convert(const Field& x, Field& y) = 0;
  virtual void do_scale(const Scalar& a, const Field& x, Field& y) = 0;
  virtual void do_axpy(const Scalar& a, const Field& x, Field& y) = 0;
  virtual void do_axmy(const Scalar& a, const Field& x, Field& y) = 0;
  virtual void do_xpay(const Field& x, const Scalar& a, Field& y) = 0;
  virtual void do_subtract(const Field& x, const Scalar& a, const Field& y, Field& result) = 0;
  virtual void do_dot(const Field& x, const Field& y, Scalar& result) = 0;
  virtual void do_exchange_fields(std::span<const Field* const> fields, int width) {
    for (const Field* const field : fields) exchange(*field, width);
  }
  /// By default copies of the fields on the host run the program.
  virtual void do_run_exchange(const Exchange& exchange, const Field& from, Field& to, int width);
  virtual void do_gather(const Field& part, Field& whole) = 0;
  virtual void do_extract_part(const Field& whole, Field& part) = 0;
  virtual void do_dense_product(const Buffer& matrix, const Buffer& index, int rows, int blocks, const Field& x,
                                Field& y) = 0;

  std::int64_t least_beside_;
  VerbLog* log_ = nullptr;
};

/// Makes the OpenMP backend, which uses OpenMP's threads.
std::unique_ptr<Backend> make_cpu_backend();

/// Makes the backend of CUDA device number `device`, which uses at most `memory_limit` bytes of device memory. Exists
/// only in builds with CUDA.
std::unique_ptr<Backend> make_cuda_backend(int device,
                                           std::size_t memory_limit = std::numeric_limits<std::size_t>::max(),
                                           Transport transport = Transport::automatic);

}  // namespace poisson
