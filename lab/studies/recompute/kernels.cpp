#include <algorithm>
#include <cmath>
#include <vector>

#include <omp.h>

#include "backends/cpu/launch.hpp"
#include "lab/harness/session.hpp"
#include "lab/studies/recompute/study.hpp"

namespace poisson::lab::cpu_recompute {
namespace {

constexpr int chunk = 256;  // points of a line whose entries and sums fit into L1

template <class T>
void advance(T* g, int count, int steps) {
  for (int step = 0; step < steps; ++step) {
#pragma omp simd
    for (int i = 0; i < count; ++i)
      g[i] = std::fma(g[i], static_cast<T>(coefficient_factor), static_cast<T>(coefficient_shift));
  }
}

// Computes g of `count` points of line j, from column `first`.
template <class T>
void evaluate(const CoefficientStart<T>& start, int first, int j, int count, int steps, T* g) {
  for (int i = 0; i < count; ++i) g[i] = start(static_cast<T>(first + i), static_cast<T>(j));
  advance(g, count, steps);
}

template <class T>
struct Grid {
  View<const T> u, f, g;
  View<T> y;
  std::array<View<const T>, band_count> bands;
  CoefficientStart<T> start;
  int steps;

  explicit Grid(RecomputeData& data)
      : u(data.u.view<T>()),
        f(data.f.view<T>()),
        g(data.g.view<T>()),
        y(data.y.view<T>()),
        start(data.n()[0], data.n()[1]),
        steps(data.steps) {
    for (std::size_t b = 0; b < bands.size(); ++b) bands[b] = data.bands[b].view<T>();
  }
};

// Sweeps a part of a line. entries(b, first, count, buffer) returns the address of the entries of band b.
template <class T, class Entries>
void sweep_line(const Grid<T>& grid, RecomputeVerb verb, int j, const Entries& entries) {
  T sums[chunk], diagonal[chunk], buffer[chunk];
  for (int first = 0; first < grid.u.n[0]; first += chunk) {
    const int count = std::min(chunk, grid.u.n[0] - first);
    std::fill_n(sums, count, T(0));
    for (int b = 0; b < band_count; ++b) {
      const T* const e = entries(b, first, count, buffer);
      const T* const u = grid.u.line(j + offset_y(b), 0) + first + offset_x(b);
#pragma omp simd
      for (int i = 0; i < count; ++i) sums[i] = std::fma(e[i], u[i], sums[i]);
      if (b == centre_band && verb == RecomputeVerb::jacobi) std::copy_n(e, count, diagonal);
    }
    T* const y = grid.y.line(j, 0) + first;
    if (verb == RecomputeVerb::product) {
      std::copy_n(sums, count, y);
      continue;
    }
    const T *const u = grid.u.line(j, 0) + first, *const f = grid.f.line(j, 0) + first;
#pragma omp simd
    for (int i = 0; i < count; ++i) y[i] = u[i] + static_cast<T>(jacobi_relaxation) * (f[i] - sums[i]) / diagonal[i];
  }
}

// Computes buffer = w_b g(p) g(p + o_b). Both factors begin at the first point.
template <class T>
const T* products(int b, const T* here, const T* there, int count, T* buffer) {
  const T weight = static_cast<T>(recompute_weights[static_cast<std::size_t>(b)]);
#pragma omp simd
  for (int i = 0; i < count; ++i) buffer[i] = weight * here[i] * there[i];
  return buffer;
}

template <class T>
void from_full(const Grid<T>& grid, RecomputeVerb verb) {
  cpu::for_each_line({{0, 0, 0}, {grid.u.n[0], grid.u.n[1], 1}}, [&](int j, int) {
    sweep_line(grid, verb, j, [&](int b, int first, int, T*) -> const T* {
      return grid.bands[static_cast<std::size_t>(b)].line(j, 0) + first;
    });
  });
}

template <class T>
void from_half(const Grid<T>& grid, RecomputeVerb verb) {
  cpu::for_each_line({{0, 0, 0}, {grid.u.n[0], grid.u.n[1], 1}}, [&](int j, int) {
    sweep_line(grid, verb, j, [&](int b, int first, int, T*) -> const T* {
      if (b >= centre_band) return grid.bands[static_cast<std::size_t>(b)].line(j, 0) + first;
      // This is the neighbour's entry that points back.
      return grid.bands[static_cast<std::size_t>(band_count - 1 - b)].line(j + offset_y(b), 0) + first + offset_x(b);
    });
  });
}

template <class T>
void from_partial(const Grid<T>& grid, RecomputeVerb verb) {
  cpu::for_each_line({{0, 0, 0}, {grid.u.n[0], grid.u.n[1], 1}}, [&](int j, int) {
    sweep_line(grid, verb, j, [&](int b, int first, int count, T* buffer) {
      return products(b, grid.g.line(j, 0) + first, grid.g.line(j + offset_y(b), 0) + first + offset_x(b), count,
                      buffer);
    });
  });
}

template <class T>
void on_the_fly(const Grid<T>& grid, RecomputeVerb verb) {
  cpu::for_each_line({{0, 0, 0}, {grid.u.n[0], grid.u.n[1], 1}}, [&](int j, int) {
    T here[chunk], there[chunk];
    sweep_line(grid, verb, j, [&](int b, int first, int count, T* buffer) {
      if (b == 0) evaluate(grid.start, first, j, count, grid.steps, here);
      if (b == centre_band) return products(b, here, here, count, buffer);
      evaluate(grid.start, first + offset_x(b), j + offset_y(b), count, grid.steps, there);
      return products(b, here, there, count, buffer);
    });
  });
}

// Every thread walks through its lines and stores the coefficients of three of them.
template <class T>
void once_per_point(const Grid<T>& grid, RecomputeVerb verb) {
  const int n0 = grid.u.n[0], n1 = grid.u.n[1];
#pragma omp parallel if (std::int64_t{n0} * n1 > cpu::parallel_threshold)
  {
    const int threads = omp_get_num_threads(), thread = omp_get_thread_num();
    const int begin = static_cast<int>(std::int64_t{n1} * thread / threads),
              end = static_cast<int>(std::int64_t{n1} * (thread + 1) / threads);
    std::array<std::vector<T>, 3> lines;
    for (std::vector<T>& line : lines) line.resize(static_cast<std::size_t>(n0) + 2);
    const auto line_of = [&](int j) { return lines[static_cast<std::size_t>((j + 3) % 3)].data() + 1; };
    const auto work_out = [&](int j) { evaluate(grid.start, -1, j, n0 + 2, grid.steps, line_of(j) - 1); };
    for (int j = begin; j < end; ++j) {
      if (j == begin) {
        work_out(j - 1);
        work_out(j);
      }
      work_out(j + 1);
      sweep_line(grid, verb, j, [&](int b, int first, int count, T* buffer) {
        return products(b, line_of(j) + first, line_of(j + offset_y(b)) + first + offset_x(b), count, buffer);
      });
    }
  }
}

}  // namespace

void fill_vectors(RecomputeData& data) {
  dispatch(data.precision(), [&]<class T>(T) {
    const View<T> u = data.u.view<T>(), f = data.f.view<T>();
    cpu::for_each_line(data.u.layout().box(), [&](int j, int) {
      for (int i = 0; i < u.n[0]; ++i) {
        u(i, j, 0) = static_cast<T>(recompute_value(u.n[0], 0, i, j));
        f(i, j, 0) = static_cast<T>(recompute_value(u.n[0], 1, i, j));
      }
    });
  });
}

void fill_entries(RecomputeData& data) {
  dispatch(data.precision(), [&]<class T>(T) {
    const Grid<T> grid(data);
    const View<T> g = data.g.view<T>();
    std::array<View<T>, band_count> bands;
    for (std::size_t b = 0; b < bands.size(); ++b) bands[b] = data.bands[b].view<T>();
    cpu::for_each_line(data.u.layout().box(), [&](int j, int) {
      const int n0 = grid.u.n[0];
      std::vector<T> there(static_cast<std::size_t>(n0));
      evaluate(grid.start, 0, j, n0, grid.steps, g.line(j, 0));
      for (int b = 0; b < band_count; ++b) {
        evaluate(grid.start, offset_x(b), j + offset_y(b), n0, grid.steps, there.data());
        products(b, static_cast<const T*>(g.line(j, 0)), static_cast<const T*>(there.data()), n0,
                 bands[static_cast<std::size_t>(b)].line(j, 0));
      }
    });
  });
}

void apply(RecomputeData& data, EntrySource source, RecomputeVerb verb) {
  dispatch(data.precision(), [&]<class T>(T) {
    const Grid<T> grid(data);
    switch (source) {
      case EntrySource::full:
      case EntrySource::full_tiled:
        return from_full(grid, verb);
      case EntrySource::half:
        return from_half(grid, verb);
      case EntrySource::partial:
        return from_partial(grid, verb);
      case EntrySource::fly:
        return on_the_fly(grid, verb);
      case EntrySource::once:
        return once_per_point(grid, verb);
    }
  });
}

double multiply_add_peak(Session& session, Precision precision) {
  return dispatch(precision, [&]<class T>(T) {
    constexpr int steps = 20000, width = static_cast<int>(512 / sizeof(T));  // chains that fit into registers
    std::vector<T> ends(static_cast<std::size_t>(omp_get_max_threads()));
    const Timing seconds = session.time([&] {
#pragma omp parallel
      {
        T g[width];
        for (int i = 0; i < width; ++i) g[i] = static_cast<T>(i);
        for (int step = 0; step < steps; ++step) {
#pragma omp simd
          for (int i = 0; i < width; ++i) g[i] = std::fma(g[i], static_cast<T>(0.5), static_cast<T>(0.5));
        }
        ends[static_cast<std::size_t>(omp_get_thread_num())] = *std::max_element(g, g + width);
      }
    });
    session.check(std::ranges::all_of(ends, [](T end) { return end == T(1); }), "recompute", "multiply-adds",
                  "the chains did not arrive at their fixed point");
    return 2.0 * steps * width * static_cast<double>(ends.size()) / seconds;
  });
}

}  // namespace poisson::lab::cpu_recompute
