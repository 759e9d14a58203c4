#pragma once

#include <algorithm>
#include <memory>

#include "backends/lines.hpp"
#include "backends/parts_of_lines.hpp"

namespace poisson {

/// The rows of the lines along an axis, fields of a part of a grid: what each sums to, and what couples it to the next
/// one; nothing at the last unknown of lines that end.
struct LineRows {
  int axis = 0;
  Field sum, onwards;
  std::shared_ptr<const Processes> processes;  ///< those that have the parts
};

/// Tridiagonal systems along an axis across which a grid is cut: each process reduces its part of every line to the two
/// nodes at its ends, what all tell of theirs gives the values there, and between these each solves its own
/// (reduced_line.hpp).
class CutLines {
 public:
  virtual ~CutLines() = default;
  CutLines(const CutLines&) = delete;

  /// x = B⁻¹ x on the unknowns. All processes call it together.
  void solve(Field& x);
  /// next = u + alpha e + beta (u − next) on the unknowns; `next` is not read where beta is 0.
  virtual void step(double alpha, double beta, const Field& u, const Field& e, Field& next) const = 0;
  /// next = alpha e on the unknowns
  virtual void start(double alpha, const Field& e, Field& next) const = 0;

 protected:
  explicit CutLines(LineRows rows);

  /// Writes what the lines from `first` on along the slower axis are reduced to where others are told of it.
  virtual void reduce(Field& x, int first) = 0;
  /// Solves the small systems of this process's share of so many lines.
  virtual void solve_ends(std::int64_t lines) = 0;
  /// The values at both ends of the same lines as of reduce, from those that have solved them.
  virtual void take_ends(Field& x, int first) = 0;
  /// All lines between the values at their ends.
  virtual void eliminate(Field& x) = 0;

  Backend& backend() const { return rows_.sum.backend(); }
  Precision precision() const { return rows_.sum.precision(); }
  const Space& space() const { return rows_.sum.space(); }
  const Box& unknowns() const { return space().unknowns(); }
  const PartsOfLines& ends() const { return ends_; }

  template <class T>
  HeldLines<T> lines_of(Field& x) const {
    const View<T> v = x.view<T>();
    const std::array<std::int64_t, 3> stride{1, v.sy, v.sz};
    const auto [fast, slow] = axes_across(rows_.axis);
    const Box& box = unknowns();
    const std::int64_t first = box.first[0] + box.first[1] * v.sy + box.first[2] * v.sz;
    HeldLines<T> l;
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
  /// Those that are told of at a time.
  template <class T>
  HeldLines<T> some_of(Field& x, int first) const {
    const HeldLines<T> l = lines_of<T>(x);
    return l.slice(std::min(first, l.slows), std::min(first + ends_.slows(), l.slows));
  }

 private:
  int count(std::size_t d) const { return unknowns().last[d] - unknowns().first[d]; }

  LineRows rows_;
  PartsOfLines ends_;
};

/// On the backend of the rows. All processes that share the grid call it together.
std::unique_ptr<CutLines> make_cut_lines(LineRows rows);

/// Bytes that a process holds of fields of this layout, the largest of all, rows included.
std::size_t cut_lines_bytes(const Layout& layout, Precision precision, const std::array<int, 3>& parts, int axis,
                            bool gpu);
/// Of what it sends another one at a time.
std::size_t cut_lines_message_bytes(const Layout& layout, Precision precision, const std::array<int, 3>& parts,
                                    int axis, bool gpu);

}  // namespace poisson
