#pragma once

#include <cstdint>

#include "backends/lines.hpp"

namespace poisson {

/// A tridiagonal system as a chain of nodes, reduced to the node it begins with and the one that elimination has
/// reached. Rows are written as what they sum to and what couples them: where node m goes, whose neighbours c and a
/// couple to it, these are coupled by ca/d, d = row + c + a, and take their shares c/d and a/d of its row and its
/// right-hand side (star-mesh transformation). No term cancels where couplings have one sign, and rows that sum to
/// zero do so exactly.
template <class T>
struct ReducedLine {
  T first = 0, last = 0;  ///< what both rows sum to, without the coupling beyond the last one
  T coupling = 0;         ///< of both
  T b_first = 0, b_last = 0;

  /// The last node in terms of the next one and of the first: last = value + next · u_next + to_first · u_first.
  struct Eliminated {
    T value, next, to_first;
  };
  /// On to the next node, whose row sums to `row` with the right-hand side `b`. `inverse`(x) = 1/x, and 0 of 0.
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

/// What a process tells of a line of which it has a part: its reduced form, and the coupling onwards to the next part;
/// of the last one to the first part, where lines close on themselves, else 0. What it is told are the values at both
/// ends.
struct PartOfLine {
  enum : int { first, last, coupling, b_first, b_last, onwards, count, ends = 2 };
};

/// Where so many numbers of each line stand that processes tell each other: in a part for each process those of its
/// share of the lines, number by number.
template <class T>
struct Told {
  T* data = nullptr;
  int lanes = 0, share = 0, count = 0;  ///< lines along the faster axis, lines of a process, numbers of a line

  /// The first number of a line; the next ones are `share` values further each.
  constexpr T* of(int lane, int slow) const {
    const int line = slow * lanes + lane, process = line / share;
    return data + std::int64_t{process} * count * share + (line - process * share);
  }
};

/// The first two nodes of a line at `from`.
template <class AnyLines, class T>
constexpr ReducedLine<T> beginning(const AnyLines& lines, const T* from, typename AnyLines::Own own) {
  return {lines.row(0, own), lines.row(1, own), lines.onwards(0, own), from[0], from[lines.step]};
}
/// From node k of it, 0 < k, to the next one, whose right-hand side is b.
template <class T, class AnyLines, class Inverse>
constexpr void go_on(ReducedLine<T>& line, const AnyLines& lines, int k, T b, typename AnyLines::Own own,
                     const Inverse& inverse) {
  line.step(lines.onwards(k, own), lines.row(k + 1, own), b, inverse);
}
/// tell(number, value) of a whole part.
template <class T, class Tell>
constexpr void told_of(const ReducedLine<T>& line, T onwards, const Tell& tell) {
  tell(PartOfLine::first, line.first);
  tell(PartOfLine::last, line.last);
  tell(PartOfLine::coupling, line.coupling);
  tell(PartOfLine::b_first, line.b_first);
  tell(PartOfLine::b_last, line.b_last);
  tell(PartOfLine::onwards, onwards);
}

/// The values at both ends of each part of a line, from what all have told of it: number e of part p stands at told[(p
/// · PartOfLine::count + e) · step], and is overwritten. tell(part, value of its first node, of its last one). Where
/// the whole is singular its first value is 0.
template <class T, class Inverse, class Tell>
constexpr void solve_ends(T* told, std::int64_t step, int parts, const Inverse& inverse, const Tell& tell) {
  const auto of = [&](int part, int number) -> T& { return told[(part * PartOfLine::count + number) * step]; };
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
  // Two nodes are left, which the line that closes couples twice.
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

/// The small systems of so many lines, which this process solves for all that have parts of them: what all have told
/// (solve_ends), and where the values at the ends go to, PartOfLine::ends of each line in a part for each of them.
template <class T>
struct EndSystems {
  T *told = nullptr, *ends = nullptr;
  int step = 0, parts = 0, lines = 0;  ///< from one number of a line to the next

  template <class Inverse>
  constexpr void solve(int line, const Inverse& inverse) const {
    solve_ends(told + line, step, parts, inverse, [&](int part, T first, T last) {
      T* const to = ends + std::int64_t{part} * PartOfLine::ends * step + line;
      to[0] = first;
      to[step] = last;
    });
  }
};

}  // namespace poisson
