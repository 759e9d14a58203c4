#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <limits>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "backends/device/backend.hpp"
#include "backends/device/shared_launches.hpp"
#include "backends/spaces/mailbox_layout.hpp"

namespace poisson {

/// Is a backend that computes nothing and counts what a real one would allocate. Set-up code runs on it unchanged: its
/// buffers have addresses but no memory, its verbs do nothing, and every value that it reads is zero. Code that
/// computes on the host from values of fields must ask `rehearses` first.
class RehearsalBackend : public Backend {
 public:
  /// Rehearses a backend of this kind. On a GPU, `MemoryCount` begins with the memory that the backend itself needs.
  explicit RehearsalBackend(BackendKind kind);

  BackendKind kind() const override { return kind_; }
  std::string device() const override { return "rehearsal"; }

  Buffer allocate(std::size_t bytes) override;
  /// Allocates the memory of a field, which `fields` counts.
  Buffer allocate_field(const Space& space, std::size_t bytes);
  /// Describes the fields of one grid: its values along each axis, and whether this process stores all of them.
  struct Grid {
    std::array<int, 3> values{};
    bool whole = true;
    auto operator<=>(const Grid&) const = default;
  };
  /// Returns the bytes that fields occupy now, by their grids.
  const std::map<Grid, std::size_t>& fields() const { return fields_; }
  /// Returns the largest messages so far between processes on GPUs.
  const MailSizes& mail() const { return mail_; }
  const MemoryCount& memory() const override { return memory_; }
  void reserve(std::size_t) override {}
  void reserve_halo_buffers(const Space& space) override;
  void reserve_gather_buffers(const Space& space) override { mail_.include(MailSizes::of_gathered(space)); }
  /// Includes messages of parts (PartSwap).
  void reserve_parts(std::size_t bytes) { mail_.include(MailSizes::of_parts(bytes)); }
  std::size_t available() const override { return std::numeric_limits<std::size_t>::max(); }
  void write(const void*, void*, std::size_t) override {}
  void read(const void* device, void* host, std::size_t bytes) override;

  void ratio(const Scalar&, const Scalar&, Scalar&) override {}
  void negate(Scalar&) override {}
  void assign(const Scalar&, Scalar&) override {}
  void scale_to_unit(const Scalar&, double, Scalar&, Scalar&) override {}

  void run(std::unique_ptr<Recording>&, const std::function<void()>&, Monitor&) override {}
  void prepare(std::unique_ptr<Recording>& recording, const std::function<void()>& verbs) override;
  void begin(Monitor&, const Scalar&, const Scalar&, const Scalar&, const Scalar&, const Scalar&) override {}
  void observe(Monitor&, const Scalar&) override {}
  void when_risen(Monitor&, const std::function<void()>& body) override { body(); }
  void repeat(int, const std::function<void()>& body, Monitor&) override { body(); }
  /// Counts verbs on a box of this size. On a GPU verbs on small boxes share launches, which a recording describes.
  void count_verbs(std::int64_t values, std::size_t verbs = 1) {
    if (values <= most_shared_values) shared_verbs_ += verbs;
  }

  std::unique_ptr<Timer> make_timer() override { return nullptr; }
  void run_immediately() override {}

 protected:
  void start(const Field& x, int width, bool) override {
    count_verbs(x.layout().size(), x.space().halo().program(width).size());
  }
  void finish(const Field&, int) override {}

 private:
  void do_fill(Field& x, double) override { count(x); }
  void do_copy(const Field& x, Field&) override { count(x); }
  void do_convert(const Field& x, Field&) override { count(x); }
  void do_scale(const Scalar&, const Field& x, Field&) override { count(x); }
  void do_axpy(const Scalar&, const Field& x, Field&) override { count(x); }
  void do_axmy(const Scalar&, const Field& x, Field&) override { count(x); }
  void do_xpay(const Field& x, const Scalar&, Field&) override { count(x); }
  void do_subtract(const Field& x, const Scalar&, const Field&, Field&) override { count_verbs(x.layout().size(), 2); }
  void do_dot(const Field& x, const Field&, Scalar&) override { reserve_sums(x.layout()); }
  void do_run_exchange(const Exchange&, const Field&, Field&, int) override {}
  void do_exchange_fields(std::span<const Field* const>, int) override {}
  void do_gather(const Field&, Field&) override {}
  void do_extract_part(const Field&, Field&) override {}
  void do_dense_product(const Buffer&, const Buffer&, int rows, int blocks, const Field&, Field&) override {
    count_verbs(std::int64_t{rows} * blocks);
  }
  void count(const Field& x) { count_verbs(x.layout().size()); }
  void reserve_sums(const Layout& layout);

  BackendKind kind_;
  MemoryCount memory_;
  char* next_;  ///< the next free address; memory behind it does not exist
  Buffer own_;  ///< of the backend itself
  std::map<Grid, std::size_t> fields_;
  MailSizes mail_;
  std::size_t shared_verbs_ = 0;
  std::int64_t room_of_sums_ = std::int64_t{1} << 18;  ///< values; a GPU has this room from the start
  std::vector<Buffer> more_sums_;
};

/// Returns whether a backend only counts allocations. Its fields then have no values.
bool rehearses(const Backend& backend);

}  // namespace poisson
