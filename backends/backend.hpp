#pragma once

#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "backends/field.hpp"
#include "backends/monitor.hpp"
#include "backends/scalar.hpp"
#include "backends/timer.hpp"
#include "backends/transport.hpp"

namespace poisson {

/// What a backend keeps of a sequence of verbs, to replay it.
class Recording {
 public:
  virtual ~Recording() = default;
  /// Kernels in it, each counted once however often it runs; 0 where nothing counts them.
  virtual std::size_t kernels() const { return 0; }
  /// Of those the ones in the body of repeat, without what runs only when the norm has risen.
  virtual std::size_t kernels_in_loop() const { return 0; }
};

/// Whose kernels go with a backend.
enum class BackendKind { cpu, cuda };

/// A device and the verbs that need no knowledge of equations: whole-field arithmetic, reductions, halos and control.
/// Operands of one call have one space; their precisions may differ. Where a grid is cut, all processes that have a
/// part of it call the same verbs in the same order, and reductions go over the whole of it. Verbs on fields act on all
/// values but the halo, in double arithmetic for reductions. Verbs may run asynchronously; only value, read and write
/// wait. Reductions give the same bits on every run on the same device.
class Backend {
 public:
  virtual ~Backend() = default;

  virtual BackendKind kind() const = 0;
  bool on_gpu() const { return kind() != BackendKind::cpu; }
  /// The hardware in words.
  virtual std::string device() const = 0;
  /// How it reaches the other processes, in words; empty for one process, and on the host.
  virtual std::string transport() const { return {}; }

  /// Zeroed memory. Throws RunError naming what was asked for.
  virtual Buffer allocate(std::size_t bytes) = 0;
  virtual const MemoryCount& memory() const = 0;
  /// Says that so many bytes will be allocated. A device takes them in one piece. Throws RunError where it has not as
  /// many; on the host, where no limit of this process's memory allows as many.
  virtual void reserve(std::size_t bytes) = 0;
  /// Bytes that could be allocated now.
  virtual std::size_t available() const = 0;
  Scalar scalar(double value = 0);

  // Between host and device, waiting.
  virtual void write(const void* host, void* device, std::size_t bytes) = 0;
  virtual void read(const void* device, void* host, std::size_t bytes) = 0;
  double value(const Scalar&);

  // Fields.
  virtual void fill(Field& x, double value) = 0;
  virtual void copy(const Field& x, Field& y) = 0;                                            ///< y = x
  virtual void convert(const Field& x, Field& y) = 0;                                         ///< y = x, halo included
  virtual void scale(const Scalar& a, const Field& x, Field& y) = 0;                          ///< y = a·x
  virtual void axpy(const Scalar& a, const Field& x, Field& y) = 0;                           ///< y += a·x
  virtual void axmy(const Scalar& a, const Field& x, Field& y) = 0;                           ///< y −= a·x
  virtual void xpay(const Field& x, const Scalar& a, Field& y) = 0;                           ///< y = x + a·y
  virtual void subtract(const Field& x, const Scalar& a, const Field& y, Field& result) = 0;  ///< result = x − a·y
  virtual void dot(const Field& x, const Field& y, Scalar& result) = 0;
  /// Says that halos of fields of this space will be exchanged: a device makes room for what is on its way. All
  /// processes that share the grid call it.
  virtual void join(const Space&) {}
  /// Fills the halo with what lies beyond the patch (exchange.hpp), so wide where the grid is cut. The halo is no part
  /// of a field's value, hence const.
  void exchange(const Field& x, int width = 1) {
    if (x.space().halo().turns().empty()) return;
    start(x, width, false);
    finish(x, width);
    settle();
  }
  /// Those of several fields of one space and precision: where kernels exchange by themselves a message holds as many
  /// as have room, behind one flag; else they go one by one.
  virtual void exchange_fields(std::span<const Field* const> fields, int width = 1) {
    for (const Field* const field : fields) exchange(*field, width);
  }
  /// That of one field, with work that reads x one value beyond a box: verb(part) for parts that make up the box, one
  /// of them while messages are under way. Writing to x is allowed as far as no part reads what another one writes.
  /// Where `axis` is given, parts are cut across it alone.
  template <class Verb>
  void exchange_beside(const Field& x, const Box& box, const Verb& verb, std::optional<std::size_t> axis = {}) {
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
    settle();
  }
  /// Boxes of at least so many values are worked on while messages are under way. POISSON_OVERLAP holds another number
  /// than the backend's own; 0: never.
  void set_least_beside(std::int64_t values);
  /// Puts together, in each of them, what the processes have whose parts lie in `whole`, the grid or a larger part of
  /// it (PatchesWithin). In its halo past the ends of the grid stands what the parts have in theirs, one value of it.
  virtual void gather(const Field& part, Field& whole) = 0;
  /// Says that parts of this space will be gathered in what is recorded: GPUs that reach each other's mailboxes make
  /// room for them, which then go without the hosts. All processes that share the grid call it.
  virtual void make_room_to_gather(const Space&) {}
  /// What this process has of a field of the grid or of a larger part of it, halo included as far as that one has it,
  /// turned on axes that close on themselves there.
  virtual void take_part(const Field& whole, Field& part) = 0;
  /// y = Q x with the matrix Q of dense diagonal blocks, `blocks` of them of so many rows, one after another and each
  /// row-major, over the values numbered in `index` (their offsets from the value at (0, 0, 0)); the other values of y
  /// stay.
  virtual void dense_product(const Buffer& matrix, const Buffer& index, int rows, int blocks, const Field& x,
                             Field& y) = 0;

  // Scalars.
  virtual void ratio(const Scalar& a, const Scalar& b, Scalar& result) = 0;  ///< a/b, and 0 where b = 0
  virtual void negate(Scalar& a) = 0;
  virtual void assign(const Scalar& a, Scalar& result) = 0;  ///< result = a
  /// scale = 2^k with k such that the root mean square √(norm/count)·scale is in [1, 2); inverse = 2^−k. For norm = 0
  /// or not finite both are 1.
  virtual void scale_to_unit(const Scalar& norm, double count, Scalar& scale, Scalar& inverse) = 0;

  // Control. Norms are squared and may still be on the device.
  /// Runs a sequence of verbs, among them begin and repeat, and waits for its end. `recording` is empty at first; a
  /// backend may fill it and, from then on, replay it instead of calling `verbs`. What they do must not depend on the
  /// values of host variables that change between the calls, and nothing in them may allocate or wait.
  virtual void run(std::unique_ptr<Recording>& recording, const std::function<void()>& verbs, Monitor& monitor) = 0;
  /// Fills `recording` as `run` would and runs nothing, so that the first run takes no longer than the others. A
  /// recording refers to the monitor that `run` is given, whichever one the verbs name here. Waits. It stays empty
  /// where a backend does not record.
  virtual void prepare(std::unique_ptr<Recording>& /*recording*/, const std::function<void()>& /*verbs*/) {}
  /// monitor.begin with the norms of the data before and after projection, of the initial residual and of the start,
  /// and the rounding.
  virtual void begin(Monitor& monitor, const Scalar& raw, const Scalar& data, const Scalar& initial,
                     const Scalar& start, const Scalar& rounding) = 0;
  /// monitor.observe.
  virtual void observe(Monitor& monitor, const Scalar& norm) = 0;
  /// Runs body only where the monitor saw the norm rise above the best for the first time.
  virtual void when_risen(Monitor& monitor, const std::function<void()>& body) = 0;
  /// Runs body until the monitor has reached a verdict or counted `limit` iterations. Body must leave host variables as
  /// it found them: a backend may record it once.
  virtual void repeat(int limit, const std::function<void()>& body, Monitor& monitor) = 0;

  // Measuring.
  virtual std::unique_ptr<Timer> make_timer() = 0;
  /// From now on every verb runs as it is called and none is recorded, so that each can be timed.
  virtual void run_immediately() = 0;
  /// Seconds that messages between devices took since then, as far as the processes do not count them themselves.
  virtual Processes::Waits waits() { return {}; }

 protected:
  Backend();
  /// The halves of an exchange, and whether there is work between them. It leaves values at the patch's ends as they
  /// are, and no other exchange begins.
  virtual void start(const Field& x, int width, bool beside) = 0;
  virtual void finish(const Field& x, int width) = 0;
  /// What comes after the verbs of an exchange waits for all of them.
  virtual void settle() {}

 private:
  std::int64_t least_beside_;
};

/// The OpenMP backend on the threads that OpenMP offers.
std::unique_ptr<Backend> make_cpu_backend();

/// A CUDA device, by its number, of whose memory so many bytes may be used. Only in builds with CUDA.
std::unique_ptr<Backend> make_cuda_backend(int device,
                                           std::size_t memory_limit = std::numeric_limits<std::size_t>::max(),
                                           Transport transport = Transport::automatic);

}  // namespace poisson
