#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "backends/cpu/launch.hpp"
#include "backends/memory/box.hpp"

namespace poisson::cpu {

/// Few operators have rows without the couplings along an axis. The compiler must know that the other operators have
/// all couplings: a branch inside the loop prevents vectorization.
template <class Line>
bool is_decoupled(const Line& line) {
  if constexpr (requires { line.decoupled; })
    return line.decoupled >= 0;
  else
    return false;
}
template <class Line>
Line coupled(Line line) {
  if constexpr (requires { line.decoupled; }) line.decoupled = -1;
  return line;
}

/// Calls point(row, i) for first ≤ i < last of a line of nx values. The ends use separate rows, and the other values
/// one vectorized loop over interior rows. A line without special rows at its ends declares `uniform`, or `ends_alike`
/// where an axis may be decoupled. The single loop then compiles in a third of the time.
template <class Line, class Point>
void for_line(const Line& line, int first, int last, int nx, const Point& point) {
  if constexpr (requires { Line::uniform; }) {
#pragma omp simd
    for (int i = first; i < last; ++i) point(line.row(i), i);
  } else if (is_decoupled(line)) {
    for (int i = first; i < last; ++i) point(line.row(i), i);
  } else if constexpr (requires { Line::ends_alike; }) {
    const Line inside = coupled(line);
#pragma omp simd
    for (int i = first; i < last; ++i) point(inside.row(i), i);
  } else {
    int i = first;
    if (i == 0 && i < last) {
      point(line.row(0), 0);
      ++i;
    }
    const Line inside = coupled(line);
    const int stop = std::max(i, std::min(last, nx - 1));
#pragma omp simd
    for (int at = i; at < stop; ++at) point(inside.interior(at), at);
    for (i = stop; i < last; ++i) point(line.row(i), i);
  }
}

/// Returns the sum of point(row, i) over a line, with the loops of for_line. The terms pass through memory. The
/// compiler vectorizes a loop that only maps and a loop that only adds, but no loop that does both.
template <class Line, class Point>
double sum_line(const Line& line, int first, int last, int nx, const Point& point) {
  thread_local std::vector<double> scratch;
  if (scratch.size() < static_cast<std::size_t>(nx)) scratch.resize(static_cast<std::size_t>(nx));
  double* terms = scratch.data();
  for_line(line, first, last, nx, [&point, terms](const auto& row, int i) { terms[i] = point(row, i); });
  double sum = 0;
#pragma omp simd reduction(+ : sum)
  for (int i = first; i < last; ++i) sum += terms[i];
  return sum;
}

/// Calls for_line for all lines of the box; body(j, k) prepares a line and returns its point function.
template <class Coefficients, class Body>
void sweep(const Coefficients& c, const Box& box, int nx, const Body& body) {
  for_each_line(box, [&](int j, int k) { for_line(c.line(j, k), box.first[0], box.last[0], nx, body(j, k)); });
}

template <class Coefficients, class Body>
double sum_sweep(const Coefficients& c, const Space& space, int nx, const Body& body) {
  const Box& box = space.unknowns();
  return sum_over_lines(
      space, box, [&](int j, int k) { return sum_line(c.line(j, k), box.first[0], box.last[0], nx, body(j, k)); });
}

/// Returns the same sum for points that read a field one value beyond the box. The halo of the field is exchanged
/// meanwhile.
template <class Coefficients, class Body>
double sum_sweep_beside(Backend& backend, const Field& read, const Coefficients& c, const Box& box, int nx,
                        const Body& body) {
  return sum_over_lines_beside(backend, read, box, [&](int j, int k) {
    return sum_line(c.line(j, k), box.first[0], box.last[0], nx, body(j, k));
  });
}

}  // namespace poisson::cpu
