#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <new>
#include <utility>
#include <vector>

#include <omp.h>
#include <sys/mman.h>

#include "backends/cpu/launch.hpp"
#include "backends/cpu/packed_lines.hpp"
#include "backends/device/backend.hpp"
#include "backends/memory/error.hpp"
#include "backends/memory/host_memory.hpp"
#include "backends/memory/places.hpp"
#include "backends/memory/round_up.hpp"
#include "backends/spaces/groups.hpp"
#include "backends/spaces/places_in_larger.hpp"

namespace poisson {
namespace {

std::string processor_name() {
  std::ifstream info("/proc/cpuinfo");
  for (std::string line; std::getline(info, line);)
    if (line.rfind("model name", 0) == 0 && line.find(':') != std::string::npos) return line.substr(line.find(':') + 2);
  return "CPU";
}

// Calls f with a line of each field for all lines; the type of a line is that of its field's precision.
template <class F, class X>
void on_lines(X& x, const F& f) {
  dispatch(x.precision(), [&]<class T>(T) {
    auto v = x.template view<T>();
    cpu::for_each_line(x.layout().box(), [&](int j, int k) { f(v.line(j, k)); });
  });
}

template <class F, class X, class Y>
void on_lines(X& x, Y& y, const F& f) {
  dispatch(x.precision(), [&]<class Tx>(Tx) {
    dispatch(y.precision(), [&]<class Ty>(Ty) {
      auto vx = x.template view<Tx>();
      auto vy = y.template view<Ty>();
      cpu::for_each_line(x.layout().box(), [&](int j, int k) { f(vx.line(j, k), vy.line(j, k)); });
    });
  });
}

class ClockTimer final : public Timer {
 public:
  void start(const char*) override { start_ = Clock::now(); }
  void stop() override { laps_.push_back(std::chrono::duration<double>(Clock::now() - start_).count()); }
  std::vector<double> laps() override { return std::exchange(laps_, {}); }

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point start_;
  std::vector<double> laps_;
};

// The system then gives memory in pages of 2 MiB instead of 4 KiB, where it can, which saves page faults and misses of
// the TLB (bench/results/cpu-pages.json).
void use_huge_pages(void* data, std::size_t bytes) {
  constexpr std::uintptr_t page = std::uintptr_t{1} << 21;
  const auto begin = reinterpret_cast<std::uintptr_t>(data), first = round_up(begin, page),
             last = (begin + bytes) / page * page;
  if (first < last) ::madvise(reinterpret_cast<void*>(first), last - first, MADV_HUGEPAGE);
}

class CpuBackend final : public Backend {
 public:
  BackendKind kind() const override { return BackendKind::cpu; }
  std::string device() const override {
    return processor_name() + ", " + std::to_string(omp_get_max_threads()) + " thread" +
           (omp_get_max_threads() == 1 ? "" : "s");
  }

  Buffer allocate(std::size_t bytes) override {
    const std::size_t rounded = round_up(bytes, std::size_t{64});
    void* data = std::aligned_alloc(64, rounded);
    if (!data)
      throw RunError("cannot allocate " + readable_bytes(static_cast<double>(bytes)) +
                         " (out of memory; the run has allocated " +
                         readable_bytes(static_cast<double>(memory_.now())) + " already)",
                     Remedy::fewer_values);
    constexpr std::size_t share = std::size_t{1} << 20;
    if (rounded > 4 * share) use_huge_pages(data, rounded);
      // Each thread touches its share first, so that pages are placed near the cores that will use them.
#pragma omp parallel for schedule(static) if (rounded > 4 * share)
    for (std::size_t start = 0; start < rounded; start += share)
      std::memset(static_cast<char*>(data) + start, 0, std::min(share, rounded - start));
    memory_.add(bytes);
    return {data, bytes, [this, bytes](void* p) {
              memory_.remove(bytes);
              std::free(p);
            }};
  }
  const MemoryCount& memory() const override {
    return memory_;
  }
  void reserve(std::size_t bytes) override {
    if (const MemoryLimit limit = hard_memory_limit(); bytes > limit.bytes)
      throw RunError("cannot allocate " + readable_bytes(static_cast<double>(bytes)) + " (" +
                         readable_bytes(static_cast<double>(limit.bytes)) + " are available, limited by " +
                         limit.source + ")",
                     Remedy::fewer_values);
  }
  std::size_t available() const override {
    return available_memory().bytes;
  }

  void write(const void* host, void* device, std::size_t bytes) override {
    std::memcpy(device, host, bytes);
  }
  void read(const void* device, void* host, std::size_t bytes) override {
    std::memcpy(host, device, bytes);
  }

  void do_fill(Field& x, double value) override {
    on_lines(x, [n = x.layout().n[0], value]<class T>(T* a) { std::fill(a, a + n, static_cast<T>(value)); });
  }
  void do_copy(const Field& x, Field& y) override {
    on_lines(x, y, [n = x.layout().n[0]]<class X, class Y>(const X* a, Y* b) {
#pragma omp simd
      for (int i = 0; i < n; ++i) b[i] = static_cast<Y>(a[i]);
    });
  }
  void do_convert(const Field& x, Field& y) override {
    dispatch(x.precision(), [&]<class X>(X) {
      dispatch(y.precision(), [&]<class Y>(Y) {
        const auto from = x.view<X>();
        const auto to = y.view<Y>();
        const auto& h = from.halo;
        cpu::for_each_line({{-h[0], -h[1], -h[2]}, {from.n[0] + h[0], from.n[1] + h[1], from.n[2] + h[2]}},
                           [&](int j, int k) {
                             for (int i = -h[0]; i < from.n[0] + h[0]; ++i) to(i, j, k) = static_cast<Y>(from(i, j, k));
                           });
      });
    });
  }
  void do_scale(const Scalar& s, const Field& x, Field& y) override {
    on_lines(x, y, [n = x.layout().n[0], a = *s.address()]<class X, class Y>(const X* u, Y* v) {
#pragma omp simd
      for (int i = 0; i < n; ++i) v[i] = static_cast<Y>(a * u[i]);
    });
  }
  void do_axpy(const Scalar& s, const Field& x, Field& y) override {
    add(*s.address(), x, y);
  }
  void do_axmy(const Scalar& s, const Field& x, Field& y) override {
    add(-*s.address(), x, y);
  }
  void do_xpay(const Field& x, const Scalar& s, Field& y) override {
    on_lines(x, y, [n = x.layout().n[0], a = *s.address()]<class X, class Y>(const X* u, Y* v) {
#pragma omp simd
      for (int i = 0; i < n; ++i) v[i] = static_cast<Y>(u[i] + a * v[i]);
    });
  }
  void do_subtract(const Field& x, const Scalar& a, const Field& y, Field& result) override {
    copy(x, result);
    axmy(a, y, result);
  }
  void do_dot(const Field& x, const Field& y, Scalar& result) override {
    dispatch(x.precision(), [&]<class X>(X) {
      dispatch(y.precision(), [&]<class Y>(Y) {
        const auto vx = x.view<X>();
        const auto vy = y.view<Y>();
        *result.address() = cpu::sum_over_lines(x.space(), x.layout().box(), [&](int j, int k) {
          const X* u = vx.line(j, k);
          const Y* v = vy.line(j, k);
          double sum = 0;
#pragma omp simd reduction(+ : sum)
          for (int i = 0; i < vx.n[0]; ++i) sum += static_cast<double>(u[i]) * static_cast<double>(v[i]);
          return sum;
        });
      });
    });
  }

  void do_gather(const Field& part, Field& whole) override {
    const Space& space = part.space();
    const PatchesWithin parts(space, whole.space());
    std::size_t most = 1;
    for (const int n : space.most_values()) most *= static_cast<std::size_t>(n + 2);
    dispatch(part.precision(), [&]<class T>(T) {
      std::vector<T> own(most), all(most * parts.patches.size());
      const auto from = part.view<T>();
      const Box box = space.with_ends(space.processes().rank());
      const auto each = [](const Box& values, const auto& f) {
        std::size_t at = 0;
        for_each_place(values, [&](int i, int j, int k) { f(i, j, k, at++); });
      };
      const auto &o = space.origin(), &begin = whole.space().origin();
      each(box, [&](int i, int j, int k, std::size_t at) { own[at] = from(i - o[0], j - o[1], k - o[2]); });
      parts.processes->gather(own.data(), most * sizeof(T), all.data());
      const auto to = whole.view<T>();
      for (std::size_t p = 0; p < parts.patches.size(); ++p)
        each(space.with_ends(parts.patches[p]), [&](int i, int j, int k, std::size_t at) {
          to(i - begin[0], j - begin[1], k - begin[2]) = all[p * most + at];
        });
    });
  }

  void do_extract_part(const Field& whole, Field& part) override {
    const PlacesInLarger place(part.space(), whole.space());
    dispatch(part.precision(), [&]<class T>(T) {
      const auto from = whole.view<T>();
      const auto to = part.view<T>();
      cpu::for_each_line(place.box, [&](int j, int k) {
        const T* line = from.line(place(1, j), place(2, k));
        T* own = to.line(j, k);
        for (int i = place.box.first[0]; i < place.box.last[0]; ++i) own[i] = line[place(0, i)];
      });
    });
  }

  void do_dense_product(const Buffer& matrix, const Buffer& index, int rows, int blocks, const Field& x,
                        Field& y) override {
    const auto* q = static_cast<const double*>(matrix.data());
    const auto* at = static_cast<const std::int64_t*>(index.data());
    dispatch(x.precision(), [&]<class X>(X) {
      dispatch(y.precision(), [&]<class Y>(Y) {
        const X* u = x.view<X>().data;
        Y* v = y.view<Y>().data;
        for (std::int64_t row = 0; row < std::int64_t{1} * rows * blocks; ++row) {
          const std::int64_t* columns = at + row / rows * rows;
          double sum = 0;
          for (int column = 0; column < rows; ++column)
            sum += q[row * rows + column] * static_cast<double>(u[columns[column]]);
          v[at[row]] = static_cast<Y>(sum);
        }
      });
    });
  }

  void ratio(const Scalar& a, const Scalar& b, Scalar& result) override {
    *result.address() = *b.address() == 0 ? 0 : *a.address() / *b.address();
  }
  void negate(Scalar& a) override {
    *a.address() = -*a.address();
  }
  void assign(const Scalar& a, Scalar& result) override {
    *result.address() = *a.address();
  }
  void scale_to_unit(const Scalar& norm, double count, Scalar& scale, Scalar& inverse) override {
    const double square = *norm.address() / count;
    const int k = square > 0 && std::isfinite(square) ? std::ilogb(std::sqrt(square)) : 0;
    *scale.address() = std::ldexp(1.0, -k);
    *inverse.address() = std::ldexp(1.0, k);
  }

  void run(std::unique_ptr<Recording>&, const std::function<void()>& verbs, Monitor&) override {
    verbs();
  }
  void begin(Monitor& monitor, const Scalar& raw, const Scalar& data, const Scalar& initial, const Scalar& start,
             const Scalar& rounding) override {
    monitor.begin(*raw.address(), *data.address(), *initial.address(), *start.address(), *rounding.address());
  }
  void observe(Monitor& monitor, const Scalar& norm) override {
    if (monitor.state().verdict == Verdict::running) monitor.observe(*norm.address());
  }
  void when_risen(Monitor& monitor, const std::function<void()>& body) override {
    if (monitor.state().rose != 0) body();
  }
  void repeat(int limit, const std::function<void()>& body, Monitor& monitor) override {
    while (monitor.state().iterations < limit && monitor.state().verdict == Verdict::running) body();
  }

  std::unique_ptr<Timer> make_timer() override {
    return std::make_unique<ClockTimer>();
  }
  void run_immediately() override {
    set_least_beside(0);
  }

 protected:
  void start(const Field& field, int width, bool) override {
    const Exchange& halo = field.space().halo();
    for (std::size_t t = 0; t < halo.in_flight(); ++t) {
      begin_step(field, width, t);
      end_step(field, width, t);
    }
    if (halo.with_others()) begin_step(field, width, halo.in_flight());
  }
  void finish(const Field& field, int width) override {
    const Exchange& halo = field.space().halo();
    if (!halo.with_others()) return;
    end_step(field, width, halo.in_flight());
    for (std::size_t t = halo.in_flight() + 1; t < halo.steps(width).size(); ++t) begin_step(field, width, t);
  }

 private:
  // Sends the layers that neighbours need and receives theirs; copies layers that the patch itself owns.
  void begin_step(const Field& field, int width, std::size_t t) {
    const Exchange& halo = field.space().halo();
    const Exchange::Step &step = halo.steps(width)[t], &sent = halo.sent(width)[t];
    dispatch(field.precision(), [&]<class T>(T) {
      const auto v = const_cast<Field&>(field).view<T>();
      if (sent.empty()) {
        for (const auto& [patch, side, from, to] : step)
          cpu::for_each_line(to, [&](int j, int k) {
            const T* values = &v(from.first[0], j - to.first[1] + from.first[1], k - to.first[2] + from.first[2]);
            std::copy_n(values, to.last[0] - to.first[0], &v(to.first[0], j, k));
          });
        return;
      }
      std::vector<Processes::Message> out, in;
      const auto message = [&](const Exchange::Piece& piece, const Box& box, std::vector<char>& buffer) {
        buffer.resize(static_cast<std::size_t>(box.size()) * sizeof(T));
        return Processes::Message{piece.patch, piece.side, buffer.data(), buffer.size()};
      };
      for (std::size_t s = 0; s < sent.size(); ++s) {
        out.push_back(message(sent[s], sent[s].from, out_[s]));
        cpu::for_each_packed_line(v, sent[s].from, out_[s].data(),
                                  [](const T* line, T* row, std::int64_t n) { std::copy_n(line, n, row); });
      }
      for (std::size_t s = 0; s < step.size(); ++s) in.push_back(message(step[s], step[s].to, in_[s]));
      transit_ = field.space().processes().start(out, in);
    });
  }
  void end_step(const Field& field, int width, std::size_t t) {
    if (!transit_) return;
    std::exchange(transit_, nullptr)->finish();
    const Exchange::Step& step = field.space().halo().steps(width)[t];
    dispatch(field.precision(), [&]<class T>(T) {
      const auto v = const_cast<Field&>(field).view<T>();
      for (std::size_t s = 0; s < step.size(); ++s)
        cpu::for_each_packed_line(v, step[s].to, in_[s].data(),
                                  [](T* line, const T* row, std::int64_t n) { std::copy_n(row, n, line); });
    });
  }
  void add(double a, const Field& x, Field& y) {
    on_lines(x, y, [n = x.layout().n[0], a]<class X, class Y>(const X* u, Y* v) {
#pragma omp simd
      for (int i = 0; i < n; ++i) v[i] = static_cast<Y>(v[i] + a * u[i]);
    });
  }

  MemoryCount memory_;
  std::array<std::vector<char>, 2> out_, in_;    // layers in flight
  std::unique_ptr<Processes::Transit> transit_;  // null if nothing is in flight
};

}  // namespace

std::unique_ptr<Backend> make_cpu_backend() {
  return std::make_unique<CpuBackend>();
}

}  // namespace poisson
