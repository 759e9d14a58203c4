#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "backends/lines/lines.hpp"
#include "backends/lines/parts_of_lines.hpp"
#include "backends/memory/per_axis.hpp"
#include "backends/transforms/axis_products.hpp"
#include "backends/transforms/constant_line.hpp"
#include "backends/transforms/trig_tables.hpp"

namespace poisson {

/// Describes `batches` column-major products C = op(A) op(B) of field values and the modes of an axis.
struct MatrixBatch {
  bool transpose_a = false, transpose_b = false;
  int m = 0, n = 0, k = 0, batches = 1;
  std::int64_t lda = 0, ldb = 0, ldc = 0, stride_a = 0, stride_b = 0, stride_c = 0;
};

/// Describes where coefficients lie along x if x is not the solved axis. Both halves begin at aligned addresses and
/// have an even number of places, because matrix products are faster then. A line of memory has `room` places.
struct PlacesAlongX {
  int values = 0, last = 0, half = 0;  ///< begin and end of the values, and size of the first half
  int first = 0, second = 0, end = 0, room = 0;

  constexpr int of(int i) const { return i - values < half ? first + (i - values) : second + (i - values - half); }
  /// Calls f(place) for the padding after either half.
  template <class F>
  constexpr void each_beside(const F& f) const {
    for (int place = first + half; place < second; ++place) f(place);
    for (int place = second + (last - values - half); place < end; ++place) f(place);
  }
};

/// Selects a trigonometric transform: from values to coefficients, back, or both. `round_trip` multiplies by 1/Σ of
/// the eigenvalues of all axes in between (by 0 if Σ is 0). It needs one pass over memory, since the lines of a tile
/// stay in a cache.
enum class TrigPath { forward, backward, round_trip };

/// Implements the part of AxisProducts that all backends share: it stores the modes and orders the steps.
///
/// Axes with trigonometric modes are transformed in place. The other axes are transformed slab by slab. A slab is
/// folded into a work field, multiplied by the modes of one axis after another, and written back as coefficients.
/// `backward` reverses these steps.
///
/// If lines are cut, each process reduces its part of a line to two nodes. The reduced forms of all processes give the
/// values of these nodes; each process then solves its own part between them.
class AxisTransforms : public AxisProducts {
 public:
  void reserve_halo_buffers() override {
    if (ends_) ends_->reserve_halo_buffers();
  }
  void do_forward(const Field& values, Field& w) override;
  void do_solve_lines(Field& w) override;
  void do_backward(Field& w) override;
  void do_backward_to(Field& w, Field& u, const Scalar* a) override;

 protected:
  AxisTransforms(Backend& backend, const Layout& layout, Precision precision, const TensorInverse& inverse);

  // Steps between fields. If `to` is not the source, the step overwrites `to`, or adds a times its result if `a` is
  // given.

  /// Transforms the lines of an axis with trigonometric modes.
  virtual void transform(const TrigTables& trig, int axis, TrigPath path, const Field& from, Field& to,
                         const Scalar* a) = 0;
  /// Solves tridiagonal or diagonal lines; of cut lines, the values between the known end values. If the solved axis is
  /// folded, reading folds the lines and writing unfolds them.
  virtual void eliminate(Field& w) = 0;
  /// Subtracts the mean from the values of a line, weighted by the row sums of M.
  virtual void take_mean(Field& w, const ConstantLine& line) = 0;
  /// Reduces the lines of a batch, which begins at `first` along the slower axis, and writes them to the exchange
  /// buffer.
  virtual void reduce(Field& w, int first) = 0;
  /// Solves this process's share of the small systems of `lines` lines.
  virtual void solve_ends(std::int64_t lines) = 0;
  /// Stores the received end values of the lines that `reduce` reduced.
  virtual void take_ends(Field& w, int first) = 0;
  virtual void multiply(const MatrixBatch& batch, const double* a, const double* b, double* c) = 0;
  virtual void multiply(const MatrixBatch& batch, const float* a, const float* b, float* c) = 0;
  /// Folds the multiplied axes of a slab. Reads the values of the box `at` from `w` and writes them to `slab`, at the
  /// places of the products. Indices of `slab` along the solved axis are smaller by `lag`.
  virtual void fold(const Field& w, Field& slab, const Box& at, int lag) = 0;
  /// Reverses `fold`. Afterwards `w` is zero again outside the box.
  virtual void unfold(Field& slab, Field& w, const Box& at, int lag, Field& to, const Scalar* a) = 0;

  /// Returns whether an axis is folded when it is copied to a slab.
  bool folds(int axis) const { return folded(axis) && axis != solved_; }

  const Box& box() const { return box_; }
  int count(int axis) const {
    const auto d = static_cast<std::size_t>(axis);
    return box_.last[d] - box_.first[d];
  }
  bool folded(int axis) const { return axes_[axis].folded; }
  int solved() const { return solved_; }
  const PlacesAlongX& places() const { return places_; }
  /// Returns the eigenvalues of an axis in the backend's memory and the field's precision. The eigenvalues of the first
  /// axis that is not solved include σ. Null: the axis has the eigenvalue 0 alone.
  const void* eigenvalues(int axis) const { return axes_[axis].eigenvalues.data(); }
  /// Returns the lines of the field of coefficients.
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
  /// Returns a batch of the lines, which begins at `first` along the slower axis.
  template <class T>
  Lines<T> batch(const View<T>& v, int first) const {
    const Lines<T> l = lines(v);
    return l.slice(first, std::min(first + ends_->slows(), l.slows));
  }
  const PartsOfLines& ends() const { return *ends_; }
  /// Returns whether other processes own parts of the lines.
  bool cut() const { return ends_.has_value(); }
  /// Returns whether any axis is transformed by matrix products.
  bool has_products() const { return !steps_.empty(); }
  Precision precision() const { return precision_; }
  Backend& backend() const { return backend_; }

 private:
  struct Axis {
    bool folded = false;
    std::array<int, 2> first{}, size{}, pitch{};
    std::array<Buffer, 2> modes;
    TrigTables trig;
    Buffer eigenvalues;
  };
  /// `lag` is the index of the box minus the index of the field, along the solved axis.
  struct Side {
    Field* field;
    int lag;
  };
  const Axis& at(int axis) const { return axes_[axis]; }
  template <class T>
  void product(int axis, bool forward, const Side& from, const Side& to, const Box& at);
  template <class F>
  void for_slabs(const F& f) const;
  int lag(const Box& at) const;
  /// Returns the values of a slab, still folded.
  Field& values_of(Field& w, const Box& at);
  Buffer on_backend(const std::vector<double>& values) const;

  Backend& backend_;
  Precision precision_;
  Box box_;
  int solved_;
  PlacesAlongX places_;
  std::vector<int> steps_;  ///< multiplied axes
  std::vector<int> fast_;   ///< trigonometric axes, without the solved one
  PerAxis<Axis> axes_;
  Buffer lines_;
  int slab_ = 0;  ///< values a slab has along the solved axis
  std::array<Field, 2> work_;
  std::optional<PartsOfLines> ends_;
  std::optional<ConstantLine> constants_;
};

}  // namespace poisson
