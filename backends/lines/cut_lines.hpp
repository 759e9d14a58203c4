#pragma once

#include <algorithm>
#include <memory>

#include "backends/lines/lines.hpp"
#include "backends/lines/parts_of_lines.hpp"

namespace poisson {

/// Stores the rows of the lines along an axis in fields of a patch: row sums and couplings to the next row. Nothing is
/// stored at the last unknown of lines that end.
struct LineRows {
  int axis = 0;
  Field sum, onwards;
  std::shared_ptr<const Processes> processes;  ///< owners of parts
};

/// Solves tridiagonal systems along an axis across which a grid is cut. Each process reduces its part of every line to
/// the two nodes at its ends. The reduced parts of all processes give the values at these nodes; then each process
/// solves its own part between them (reduced_line.hpp).
class CutLines {
 public:
  virtual ~CutLines() = default;
  CutLines(const CutLines&) = delete;

  /// Computes x = B⁻¹ x on the unknowns. Collective.
  void solve(Field& x);
  /// Computes next = u + alpha e + beta (u − next) on the unknowns; `next` is not read if beta is 0.
  virtual void step(double alpha, double beta, const Field& u, const Field& e, Field& next) const = 0;
  /// Computes next = alpha e on the unknowns.
  virtual void start(double alpha, const Field& e, Field& next) const = 0;

 protected:
  explicit CutLines(LineRows rows);

  /// Reduces a batch of lines, which begins at `first` along the slower axis, and writes it to the exchange buffer.
  virtual void reduce(Field& x, int first) = 0;
  /// Solves this process's share of the small systems of `lines` lines.
  virtual void solve_ends(std::int64_t lines) = 0;
  /// Stores the received end values of the lines that `reduce` reduced.
  virtual void take_ends(Field& x, int first) = 0;
  /// Solves all lines between the known end values.
  virtual void eliminate(Field& x) = 0;

  Backend& backend() const { return rows_.sum.backend(); }
  Precision precision() const { return rows_.sum.precision(); }
  const Space& space() const { return rows_.sum.space(); }
  const Box& unknowns() const { return space().part().unknowns(); }
  const PartsOfLines& ends() const { return ends_; }

  template <class T>
  StoredLines<T> lines_of(Field& x) const {
    const View<T> v = x.view<T>();
    const std::array<std::int64_t, 3> stride{1, v.sy, v.sz};
    const auto [fast, slow] = axes_across(rows_.axis);
    const Box& box = unknowns();
    const std::int64_t first = box.first[0] + box.first[1] * v.sy + box.first[2] * v.sz;
    StoredLines<T> l;
    l.values = v.data + first;
    l.step = stride[static_cast<std::size_t>(rows_.axis)];
    l.across = stride[fast];
    l.slow_step = stride[slow];
    l.n = count(static_cast<std::size_t>(rows_.axis));
    l.lanes = l.half = count(fast);
    l.slows = count(slow);
    l.sum = rows_.sum.template view<T>().data + first;
    l.coupling = rows_.onwards.template view<T>().data + first;
    return l;
  }
  /// Returns one batch of the lines.
  template <class T>
  StoredLines<T> some_of(Field& x, int first) const {
    const StoredLines<T> l = lines_of<T>(x);
    return l.slice(std::min(first, l.slows), std::min(first + ends_.slows(), l.slows));
  }

 private:
  int count(std::size_t d) const { return unknowns().last[d] - unknowns().first[d]; }

  LineRows rows_;
  PartsOfLines ends_;
};

/// Makes the solver on the backend of the rows. The call is collective over the processes that share the grid.
std::unique_ptr<CutLines> make_cut_lines(LineRows rows);

}  // namespace poisson
