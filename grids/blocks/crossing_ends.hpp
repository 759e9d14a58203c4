#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "grids/blocks/crossing_lines.hpp"
#include "grids/blocks/line_lists.hpp"
#include "grids/blocks/stacked_factors.hpp"

/// Contains what crosses interfaces (CrossingLines) as functions of a line of stacked blocks, and its lists on the
/// host.
namespace poisson {

/// Is a part of a line that ends at an interface. Places are those of fields in the precision of the operator; node m
/// behind the end has the weight h at weight + m · stride.
struct CrossingEnd {
  std::int64_t place = 0, step = 0, weight = 0;
  int stride = 0, count = 0;
};

/// Tells of each listed block and place of lines along an axis, that is both other indices at 0, between, and at the
/// end (9 places): 1 the block has the line, which several may share; 2 its lower end is on an interface, 4 its upper
/// end.
std::vector<unsigned char> flags_of_lines(const BlockSpace& blocks, const StackedLists& lists, const ListedBlocks& of,
                                          int axis);

/// Lists ends by axis and side, and by slot.
class CrossingLists {
 public:
  explicit CrossingLists(int slots) : start_(static_cast<std::size_t>(slots) + 1, 0) {}
  /// Adds ends of listed blocks; `counts` has the number of weights of each line. Returns the end of each line, or −1.
  std::vector<int> add(const ListedBlocks& of, int axis, bool upper, const BlockShape& shape, const GroupMemory& memory,
                       const std::vector<int>& counts);
  /// Ends the list of an axis and side. Returns the number of ends so far.
  int close();
  const std::vector<CrossingEnd>& ends() const { return ends_; }
  std::int64_t weights() const { return weights_; }
  /// Return the ends of each slot.
  const std::vector<int>& start();
  std::vector<int> number() const;

 private:
  std::vector<CrossingEnd> ends_;
  std::vector<int> slot_of_end_, start_;
  std::size_t closed_ = 0;
  std::int64_t weights_ = 0;
};

/// Walks on the part of a line that ends at an interface.
template <int dimension>
struct WalkFromEnd {
  NodesOnLines<dimension> nodes;
  const int* patches;
  Division by_lines;
  const unsigned char* flags;  ///< flags_of_lines
  int axis;
  bool upper;
  int lines;      ///< of all listed blocks
  double* ratio;  ///< room for the nodes of all lines

  struct End {
    BlockShape::Node start;  ///< of the line
    int count = 0;           ///< nodes of the part; 0: none
  };
  constexpr int extent() const { return nodes.shape.n[axis]; }
  /// Returns node i of a line, counted from this end.
  constexpr BlockShape::Node at(const BlockShape::Node& start, int i) const {
    return nodes.on_line(start, axis, upper ? extent() - 1 - i : i);
  }
  /// Returns the coupling of nodes i and i + 1.
  constexpr double coupling(const BlockShape::Node& start, int i) const {
    return nodes.coupling(axis, at(start, upper ? i + 1 : i));
  }
  /// Returns −a_(i−1)/p_i of node i, which a walk has stored.
  constexpr double& ratio_of(std::int64_t line, int i) const { return ratio[line + std::int64_t{lines} * i]; }

  constexpr End operator()(std::int64_t l) const {
    const BlockShape& shape = nodes.shape;
    const int n = extent(), in_block = shape.nodes / n, listed = by_lines(static_cast<int>(l));
    End end{line_start(shape, axis, patches[listed], static_cast<int>(l) - listed * in_block)};
    const auto place = [](int i, int size) { return i == 0 ? 0 : i == size - 1 ? 2 : 1; };
    const int first = axis == 0 ? place(end.start.j, shape.n[1]) : place(end.start.i, shape.n[0]),
              second = axis == 2 ? place(end.start.j, shape.n[1]) : place(end.start.k, shape.n[2]);
    const int has = flags[9 * listed + first + 3 * second];
    const bool near = (has & (upper ? 4 : 2)) != 0, far = (has & (upper ? 2 : 4)) != 0;
    if ((has & 1) == 0 || !near || !(nodes.diagonal(at(end.start, 0)) > 0) || !(coupling(end.start, 0) < 0)) return end;
    // The part ends before a constrained node, and before its other end if that is on an interface.
    while (end.count + 1 < n && nodes.diagonal(at(end.start, end.count + 1)) > 0 && (end.count + 2 < n || !far))
      ++end.count;
    // Elimination from the far end: h_i = −a_(i−1)/p_i h_(i−1).
    double further = 0;
    for (int i = end.count; i > 0; --i) {
      const double d = nodes.diagonal(at(end.start, i));
      double pivot = d;
      if (i < end.count) pivot += coupling(end.start, i) * further;
      if (!(pivot > 0)) pivot = 1e-14 * d;
      ratio_of(l, i) = further = -coupling(end.start, i - 1) / pivot;
    }
    return end;
  }
};
template <int dimension>
WalkFromEnd(NodesOnLines<dimension>, const int*, Division, const unsigned char*, int, bool, int, double*)
    -> WalkFromEnd<dimension>;

/// Adds what a part of a line takes from the diagonal of its end. Ends of one axis and side have slots of their own.
template <class Walk>
struct AddSchur {
  Walk walk;
  double* slots;
  constexpr void operator()(std::int64_t l) const {
    const auto end = walk(l);
    if (end.count == 0) return;
    slots[walk.nodes.shape.slot(walk.at(end.start, 0))] += -walk.coupling(end.start, 0) * walk.ratio_of(l, 1);
  }
};
template <class Walk>
AddSchur(Walk, double*) -> AddSchur<Walk>;

/// Writes 1/s at an interface for s = d − Σ; 0: no strong line crosses there.
template <class T>
struct PutInverse {
  const double* inverse;  ///< of the diagonal
  T* to;
  constexpr void put(std::int64_t i, std::int64_t at, double sum) const {
    const double d = inverse[i] > 0 ? 1 / inverse[i] : 0, s = d - sum, least = 1e-12 * d;
    to[at] = static_cast<T>(sum > (1 - strong_crossing) * d ? 1 / (s > least ? s : least) : 0);
  }
  constexpr void skip(std::int64_t at) const { to[at] = 0; }
};

/// Counts the weights of an end where strong lines cross.
template <class T, class Walk>
struct CountWeights {
  Walk walk;
  const T* inverse;
  GroupMemory memory;
  int* counts;
  constexpr void operator()(std::int64_t l) const {
    const auto end = walk(l);
    const BlockShape::Node at = walk.at(end.start, 0);
    int count = 0;
    double h = 1;
    if (end.count > 0 && inverse[memory.at(at.patch, at.i, at.j, at.k)] != T(0))
      while (count < end.count && (h *= walk.ratio_of(l, count + 1), h >= least_h || h <= -least_h)) ++count;
    counts[l] = count;
  }
};
/// Writes the weights h of an end.
template <class T, class Walk>
struct PutWeights {
  Walk walk;
  const int* number;  ///< of the end of each line; −1: none
  const CrossingEnd* ends;
  T* weights;
  constexpr void operator()(std::int64_t l) const {
    if (number[l] < 0) return;
    walk(l);
    const CrossingEnd end = ends[number[l]];
    double h = 1;
    for (int m = 0; m < end.count; ++m) {
      h *= walk.ratio_of(l, m + 1);
      weights[end.weight + m * std::int64_t{end.stride}] = static_cast<T>(h);
    }
  }
};

}  // namespace poisson
