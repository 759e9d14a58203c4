#pragma once

#include <cstdint>

#include "backends/lines/lines.hpp"

namespace poisson {

/// Represents a tridiagonal system as a chain of nodes, reduced to its first node and the last node that elimination
/// has reached. A row is stored as its sum and its couplings.
///
/// Eliminating node m with couplings c and a to its neighbours couples these by ca/d, d = row + c + a. They receive the
/// shares c/d and a/d of its row sum and right-hand side (star-mesh transformation). No term cancels if all couplings
/// have one sign, and rows that sum to zero do so exactly.
template <class T>
struct ReducedLine {
  T first = 0, last = 0;  ///< row sums of both nodes, without the coupling beyond the last one
  T coupling = 0;         ///< couples both
  T b_first = 0, b_last = 0;

  /// Expresses the last node by the next node and the first one: last = value + next · u_next + to_first · u_first.
  struct Eliminated {
    T value, next, to_first;
  };
  /// Advances to the next node, which has the row sum `row` and the right-hand side `b`. `inverse`(x) = 1/x, and 0 for
  /// x = 0.
  template <class Inverse>
  constexpr Eliminated step(T onwards, T row, T b, const Inverse& inverse) {
    const T d = inverse(last + coupling + onwards);
    const Eliminated gone{b_last * d, onwards * d, coupling * d};
    first += gone.to_first * last;
    b_first += gone.to_first * b_last;
    coupling = gone.to_first * onwards;
    last = row + gone.next * last;
    b_last = b + gone.next * b_last;
    return gone;
  }
};

/// Numbers the values that a process sends about its part of a line: the reduced form, and the coupling `onwards` to
/// the next part. The last part's `onwards` couples to the first part on periodic lines, and is 0 otherwise. The
/// process receives two numbers, the values at both ends.
struct PartOfLine {
  enum : int { first, last, coupling, b_first, b_last, onwards, count, ends = 2 };
};

/// Locates the numbers of each line in an exchange buffer. The buffer has a part for each process; a part stores the
/// numbers of that process's share of the lines, number by number.
template <class T>
struct SendBuffer {
  T* data = nullptr;
  int lanes = 0, share = 0, count = 0;  ///< lines along the faster axis, lines per process, numbers per line

  /// Returns the address of a line's first number; the next numbers follow at steps of `share` values.
  constexpr T* of(int lane, int slow) const {
    const int line = slow * lanes + lane, process = line / share;
    return data + std::int64_t{process} * count * share + (line - process * share);
  }
};

/// Returns the first two nodes of a line whose values begin at `from`.
template <class AnyLines, class T>
constexpr ReducedLine<T> beginning(const AnyLines& lines, const T* from, typename AnyLines::Own own) {
  return {lines.row(0, own), lines.row(1, own), lines.onwards(0, own), from[0], from[lines.step]};
}
/// Advances from node k > 0 to the next node, which has the right-hand side b.
template <class T, class AnyLines, class Inverse>
constexpr void go_on(ReducedLine<T>& line, const AnyLines& lines, int k, T b, typename AnyLines::Own own,
                     const Inverse& inverse) {
  line.step(lines.onwards(k, own), lines.row(k + 1, own), b, inverse);
}
/// Calls `tell(number, value)` for each number of a reduced part.
template <class T, class Tell>
constexpr void visit_sent(const ReducedLine<T>& line, T onwards, const Tell& tell) {
  tell(PartOfLine::first, line.first);
  tell(PartOfLine::last, line.last);
  tell(PartOfLine::coupling, line.coupling);
  tell(PartOfLine::b_first, line.b_first);
  tell(PartOfLine::b_last, line.b_last);
  tell(PartOfLine::onwards, onwards);
}

/// Computes the values at both ends of each part of a line from the reduced parts. Number e of part p is `sent[(p ·
/// PartOfLine::count + e) · step]`; the numbers are overwritten. Calls `tell(part, value of its first node, value of
/// its last node)`. If the line's system is singular, the first value of the line is 0.
template <class T, class Inverse, class Tell>
constexpr void solve_ends(T* sent, std::int64_t step, int parts, const Inverse& inverse, const Tell& tell) {
  const auto of = [&](int part, int number) -> T& { return sent[(part * PartOfLine::count + number) * step]; };
  ReducedLine<T> line{of(0, PartOfLine::first), of(0, PartOfLine::last), of(0, PartOfLine::coupling),
                      of(0, PartOfLine::b_first), of(0, PartOfLine::b_last)};
  for (int p = 1; p < parts; ++p) {
    const auto last =
        line.step(of(p - 1, PartOfLine::onwards), of(p, PartOfLine::first), of(p, PartOfLine::b_first), inverse);
    of(p - 1, PartOfLine::b_last) = last.value;
    of(p - 1, PartOfLine::onwards) = last.next;
    of(p - 1, PartOfLine::last) = last.to_first;
    const auto first =
        line.step(of(p, PartOfLine::coupling), of(p, PartOfLine::last), of(p, PartOfLine::b_last), inverse);
    of(p, PartOfLine::b_first) = first.value;
    of(p, PartOfLine::coupling) = first.next;
    of(p, PartOfLine::first) = first.to_first;
  }
  // Two nodes remain; on a periodic line two couplings connect them.
  const T coupling = line.coupling + of(parts - 1, PartOfLine::onwards), d = inverse(line.last + coupling);
  const T gain = coupling * d;
  const T start = (line.b_first + gain * line.b_last) * inverse(line.first + gain * line.last);
  T last = line.b_last * d + gain * start, first = start;
  for (int p = parts - 1; p > 0; --p) {
    first = of(p, PartOfLine::b_first) + of(p, PartOfLine::coupling) * last + of(p, PartOfLine::first) * start;
    tell(p, first, last);
    last = of(p - 1, PartOfLine::b_last) + of(p - 1, PartOfLine::onwards) * first + of(p - 1, PartOfLine::last) * start;
  }
  tell(0, start, last);
}

/// Describes the small systems of `lines` lines, which this process solves for all owners of parts. `sent` contains the
/// numbers that all owners sent (solve_ends). `ends` receives the end values, PartOfLine::ends for each line, in a part
/// for each owner.
template <class T>
struct EndSystems {
  T *sent = nullptr, *ends = nullptr;
  int step = 0, parts = 0, lines = 0;  ///< `step`: distance between the numbers of a line

  template <class Inverse>
  constexpr void solve(int line, const Inverse& inverse) const {
    solve_ends(sent + line, step, parts, inverse, [&](int part, T first, T last) {
      T* const to = ends + std::int64_t{part} * PartOfLine::ends * step + line;
      to[0] = first;
      to[step] = last;
    });
  }
};

}  // namespace poisson
