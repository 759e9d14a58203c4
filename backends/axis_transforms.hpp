#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "backends/axis_products.hpp"
#include "backends/constant_line.hpp"
#include "backends/lines.hpp"
#include "backends/parts_of_lines.hpp"
#include "backends/waves/wave_tables.hpp"

namespace poisson {

/// A field of matrices times the modes of an axis: C = op(A) op(B) column by column, `batches` of them.
struct MatrixBatch {
  bool transpose_a = false, transpose_b = false;
  int m = 0, n = 0, k = 0, batches = 1;
  std::int64_t lda = 0, ldb = 0, ldc = 0, stride_a = 0, stride_b = 0, stride_c = 0;
};

/// Where coefficients lie along x, if it is not solved: matrix products take both halves from aligned addresses, and an
/// even number of them. Behind `room` a line has none.
struct PlacesAlongX {
  int values = 0, last = 0, half = 0;  ///< where the values begin and end, and how many belong to the first half
  int first = 0, second = 0, end = 0, room = 0;

  constexpr int of(int i) const { return i - values < half ? first + (i - values) : second + (i - values - half); }
  /// f(place) of those behind either half that have no value.
  template <class F>
  constexpr void each_beside(const F& f) const {
    for (int place = first + half; place < second; ++place) f(place);
    for (int place = second + (last - values - half); place < end; ++place) f(place);
  }
};

/// To the coefficients of waves, back to values, or both, and between them times 1/Σ of the eigenvalues of all axes (0
/// where that is 0): one pass over memory, since the lines of a tile stay in a cache until they come back.
enum class WavePath { there, back, there_and_back };

/// What AxisProducts of every backend have in common: the modes in memory, and which step follows which. Axes whose
/// modes are waves are transformed as they lie. Then slabs of values are folded into a field of their own, multiplied
/// by the modes of one axis after another, and come back as coefficients, and the other way round. Where lines are cut,
/// each process reduces its part of them to two nodes; what all tell of theirs gives the values there, and between
/// these each solves its own.
class AxisTransforms : public AxisProducts {
 public:
  void join() override {
    if (ends_) ends_->join();
  }
  void forward(const Field& values, Field& w) override;
  void solve_lines(Field& w) override;
  void backward(Field& w) override;
  void backward_to(Field& w, Field& u, const Scalar* a) override;

 protected:
  AxisTransforms(Backend& backend, const Layout& layout, Precision precision, const TensorInverse& inverse);

  // Steps between fields: where `to` is another one than where values come from, they are added to it times a where a
  // is given.

  /// Of the lines of an axis whose modes are waves.
  virtual void transform(const WaveTables& waves, int axis, WavePath path, const Field& from, Field& to,
                         const Scalar* a) = 0;
  /// Solves lines that are tridiagonal or diagonal; where they are cut, between the values at their ends. Where the
  /// solved axis is folded, lines are folded on the way there and unfolded on the way back.
  virtual void eliminate(Field& w) = 0;
  /// Takes their mean off the values of a line, each weighted by its row's sum of M.
  virtual void take_mean(Field& w, const ConstantLine& line) = 0;
  /// Writes what lines are reduced to where others are told of it: those from `first` on along the slower axis.
  virtual void reduce(Field& w, int first) = 0;
  /// Solves the small systems of this process's share of so many lines.
  virtual void solve_ends(std::int64_t lines) = 0;
  /// The values at both ends of the same lines as of reduce, from those that have solved them.
  virtual void take_ends(Field& w, int first) = 0;
  virtual void multiply(const MatrixBatch& batch, const double* a, const double* b, double* c) = 0;
  virtual void multiply(const MatrixBatch& batch, const float* a, const float* b, float* c) = 0;
  /// Folds what is transformed of a slab: `w` has the values of the box, `slab` gets them at their places, its indices
  /// along the solved axis `lag` less.
  virtual void fold(const Field& w, Field& slab, const Box& at, int lag) = 0;
  /// The other way round; w is zero again beside the box.
  virtual void unfold(Field& slab, Field& w, const Box& at, int lag, Field& to, const Scalar* a) = 0;

  /// Whether an axis is folded on its way to a slab.
  bool folds(int axis) const { return folded(axis) && axis != solved_; }

  const Box& box() const { return box_; }
  int count(int axis) const {
    const auto d = static_cast<std::size_t>(axis);
    return box_.last[d] - box_.first[d];
  }
  bool folded(int axis) const { return axes_[static_cast<std::size_t>(axis)].folded; }
  int solved() const { return solved_; }
  const PlacesAlongX& places() const { return places_; }
  /// On the backend, in the precision of the field: the eigenvalues of an axis, σ in those of the first that is not
  /// solved; null where it has none but zero.
  const void* eigenvalues(int axis) const { return axes_[static_cast<std::size_t>(axis)].eigenvalues.data(); }
  /// Those of the field of coefficients.
  template <class T>
  Lines<T> lines(const View<T>& v) const {
    const auto s = static_cast<std::size_t>(solved_);
    const auto [fast, slow] = axes_across(solved_);
    const std::array<std::int64_t, 3> stride{1, v.sy, v.sz};
    const auto of = [&](std::size_t d) { return static_cast<const T*>(axes_[d].eigenvalues.data()); };
    Lines<T> l;
    l.values = v.data + places_.first + box_.first[1] * v.sy + box_.first[2] * v.sz;
    l.step = stride[s];
    l.across = stride[fast];
    l.slow_step = stride[slow];
    l.n = count(solved_);
    l.lanes = count(static_cast<int>(fast));
    l.slows = count(static_cast<int>(slow));
    l.half = fast == 0 ? places_.half : l.lanes;
    l.gap = places_.second - places_.first - places_.half;
    l.fast_eigenvalues = of(fast);
    l.slow_eigenvalues = of(slow);
    l.sum = static_cast<const T*>(lines_.data());
    l.coupling = l.sum + l.n;
    l.mass_sum = l.coupling + l.n;
    l.mass_off = l.mass_sum + l.n;
    return l;
  }
  /// Some of them from `first` on, as many as are told of at a time.
  template <class T>
  Lines<T> told_at_a_time(const View<T>& v, int first) const {
    const Lines<T> l = lines(v);
    return l.slice(first, std::min(first + ends_->slows(), l.slows));
  }
  const PartsOfLines& ends() const { return *ends_; }
  /// Whether other processes have parts of the lines.
  bool cut() const { return ends_.has_value(); }
  /// Whether there are matrices to multiply with.
  bool has_products() const { return !steps_.empty(); }
  Precision precision() const { return precision_; }
  Backend& backend() const { return backend_; }

 private:
  struct Axis {
    bool folded = false;
    std::array<int, 2> first{}, size{}, pitch{};
    std::array<Buffer, 2> modes;
    WaveTables waves;
    Buffer eigenvalues;
  };
  /// `lag`: what the indices of a field along the solved axis are less than those of the box.
  struct Side {
    Field* field;
    int lag;
  };
  const Axis& at(int axis) const { return axes_[static_cast<std::size_t>(axis)]; }
  template <class T>
  void product(int axis, bool forward, const Side& from, const Side& to, const Box& at);
  template <class F>
  void for_slabs(const F& f) const;
  int lag(const Box& at) const;
  /// The values of a slab, still folded.
  Field& values_of(Field& w, const Box& at);
  Buffer on_backend(const std::vector<double>& values) const;

  Backend& backend_;
  Precision precision_;
  Box box_;
  int solved_;
  PlacesAlongX places_;
  std::vector<int> steps_;  ///< the axes with products
  std::vector<int> fast_;   ///< those of waves, but for the solved one
  std::array<Axis, 3> axes_;
  Buffer lines_;
  int slab_ = 0;  ///< values of the solved axis that are transformed at a time
  std::array<Field, 2> work_;
  std::optional<PartsOfLines> ends_;
  std::optional<ConstantLine> constants_;
};

}  // namespace poisson
