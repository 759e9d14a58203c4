#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

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

/// Adds terms first ≤ i < last. The terms of a sum pass through memory: the compiler vectorizes a loop that only
/// computes and a loop that only adds, but no loop that does both.
inline double sum_of_terms(const double* terms, int first, int last) {
  double sum = 0;
#pragma omp simd reduction(+ : sum)
  for (int i = first; i < last; ++i) sum += terms[i];
  return sum;
}

/// Returns the sum of point(row, i) over a line, with the loops of for_line.
template <class Line, class Point>
double sum_line(const Line& line, int first, int last, int nx, const Point& point) {
  thread_local std::vector<double> scratch;
  if (scratch.size() < static_cast<std::size_t>(nx)) scratch.resize(static_cast<std::size_t>(nx));
  double* terms = scratch.data();
  for_line(line, first, last, nx, [&point, terms](const auto& row, int i) { terms[i] = point(row, i); });
  return sum_of_terms(terms, first, last);
}

}  // namespace poisson::cpu
