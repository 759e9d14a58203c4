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
#include "backends/cpu/mover.hpp"
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

// Calls f(values, line of each field) for all lines of all patches; the type of a line is that of its field's
// precision.
template <class F, class X>
void on_lines(X& x, const F& f) {
  dispatch(x.precision(), [&]<class T>(T) {
    for (std::size_t g = 0; g < x.space().groups().size(); ++g) {
      const PatchGroup& group = x.space().groups()[g];
      const auto v = x.template patches<T>(g);
      cpu::for_each_patch_line(group, group.values,
                               [&](int p, int j, int k) { f(group.values.last[0], v.line(p, j, k)); });
    }
  });
}

template <class F, class X, class Y>
void on_lines(X& x, Y& y, const F& f) {
  dispatch(x.precision(), [&]<class Tx>(Tx) {
    dispatch(y.precision(), [&]<class Ty>(Ty) {
      for (std::size_t g = 0; g < x.space().groups().size(); ++g) {
        const PatchGroup& group = x.space().groups()[g];
        const auto vx = x.template patches<Tx>(g);
        const auto vy = y.template patches<Ty>(g);
        cpu::for_each_patch_line(group, group.values, [&](int p, int j, int k) {
          f(group.values.last[0], vx.line(p, j, k), vy.line(p, j, k));
        });
      }
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
    on_lines(x, [value]<class T>(int n, T* a) { std::fill(a, a + n, static_cast<T>(value)); });
  }
  void do_copy(const Field& x, Field& y) override {
    on_lines(x, y, []<class X, class Y>(int n, const X* a, Y* b) {
#pragma omp simd
      for (int i = 0; i < n; ++i) b[i] = static_cast<Y>(a[i]);
    });
  }
  void do_convert(const Field& x, Field& y) override {
    dispatch(x.precision(), [&]<class X>(X) {
      dispatch(y.precision(), [&]<class Y>(Y) {
        for (std::size_t g = 0; g < x.space().groups().size(); ++g) {
          const auto from = x.patches<X>(g);
          const auto to = y.patches<Y>(g);
          const Box box = x.space().groups()[g].layout.with_halo();
          cpu::for_each_patch_line(x.space().groups()[g], box, [&](int p, int j, int k) {
            const X* u = from.line(p, j, k);
            Y* v = to.line(p, j, k);
            for (int i = box.first[0]; i < box.last[0]; ++i) v[i] = static_cast<Y>(u[i]);
          });
        }
      });
    });
  }
  void do_scale(const Scalar& s, const Field& x, Field& y) override {
    on_lines(x, y, [a = *s.address()]<class X, class Y>(int n, const X* u, Y* v) {
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
    on_lines(x, y, [a = *s.address()]<class X, class Y>(int n, const X* u, Y* v) {
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
        const auto line = [&](std::size_t group, int p, const Box& box, int j, int k) {
          const X* u = x.patches<X>(group).line(p, j, k) + box.first[0];
          const Y* v = y.patches<Y>(group).line(p, j, k) + box.first[0];
          const int n = box.last[0] - box.first[0];
          double sum = 0;
#pragma omp simd reduction(+ : sum)
          for (int i = 0; i < n; ++i) sum += static_cast<double>(u[i]) * static_cast<double>(v[i]);
          return sum;
        };
        *result.address() = cpu::sum_over_patches(x.space(), cpu::counted_values, line);
      });
    });
  }

  void do_gather(const Field& part, Field& whole) override {
    const Space& space = part.space();
    const PatchesWithin parts(space, whole.space());
    std::size_t most = 1;
    for (const int n : space.part().most_values()) most *= static_cast<std::size_t>(n + 2);
    dispatch(part.precision(), [&]<class T>(T) {
      std::vector<T> own(most), all(most * parts.patches.size());
      const auto from = part.view<T>();
      const Box box = space.part().with_ends(space.processes().rank());
      const auto each = [](const Box& values, const auto& f) {
        std::size_t at = 0;
        for_each_place(values, [&](int i, int j, int k) { f(i, j, k, at++); });
      };
      const auto &o = space.part().origin(), &begin = whole.space().part().origin();
      each(box, [&](int i, int j, int k, std::size_t at) { own[at] = from(i - o[0], j - o[1], k - o[2]); });
      parts.processes->gather(own.data(), most * sizeof(T), all.data());
      const auto to = whole.view<T>();
      for (std::size_t p = 0; p < parts.patches.size(); ++p)
        each(space.part().with_ends(parts.patches[p]), [&](int i, int j, int k, std::size_t at) {
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
    auto& own = const_cast<Field&>(field);
    for (std::size_t t = 0; t < halo.in_flight(); ++t) mover_.run(halo.program(width)[t], field, own);
    if (halo.with_others()) mover_.begin(halo.program(width)[halo.in_flight()], field, own);
  }
  void finish(const Field& field, int width) override {
    const Exchange& halo = field.space().halo();
    if (!halo.with_others()) return;
    auto& own = const_cast<Field&>(field);
    mover_.end(halo.program(width)[halo.in_flight()], own);
    for (std::size_t t = halo.in_flight() + 1; t < halo.program(width).size(); ++t)
      mover_.run(halo.program(width)[t], field, own);
  }

 private:
  void do_run_exchange(const Exchange& exchange, const Field& from, Field& to, int width) override {
    for (const ExchangeStep& step : exchange.program(width)) mover_.run(step, from, to);
  }
  void add(double a, const Field& x, Field& y) {
    on_lines(x, y, [a]<class X, class Y>(int n, const X* u, Y* v) {
#pragma omp simd
      for (int i = 0; i < n; ++i) v[i] = static_cast<Y>(v[i] + a * u[i]);
    });
  }

  MemoryCount memory_;
  cpu::Mover mover_;
};

}  // namespace

std::unique_ptr<Backend> make_cpu_backend() {
  return std::make_unique<CpuBackend>();
}

}  // namespace poisson
