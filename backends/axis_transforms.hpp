#pragma once

#include <cstdint>
#include <vector>

#include "backends/axis_products.hpp"

namespace poisson {

/// A field of matrices times the modes of an axis: C = op(A) op(B) column by column, `batches` of them.
struct MatrixBatch {
  bool transpose_a = false, transpose_b = false;
  int m = 0, n = 0, k = 0, batches = 1;
  std::int64_t lda = 0, ldb = 0, ldc = 0, stride_a = 0, stride_b = 0, stride_c = 0;
};

/// What AxisProducts of every backend have in common: the modes in memory, and which product follows which.
class AxisTransforms : public AxisProducts {
 public:
  void forward(Field& w) override { transform(w, true); }
  void backward(Field& w) override { transform(w, false); }

 protected:
  AxisTransforms(Backend& backend, const Layout& layout, Precision precision, const TensorInverse& inverse);

  virtual void multiply(const MatrixBatch& batch, const double* a, const double* b, double* c) = 0;
  virtual void multiply(const MatrixBatch& batch, const float* a, const float* b, float* c) = 0;

  const Box& box() const { return box_; }
  int count(int axis) const { return box_.last[static_cast<std::size_t>(axis)] - box_.first[static_cast<std::size_t>(axis)]; }
  bool folded(int axis) const { return axes_[static_cast<std::size_t>(axis)].folded; }
  int solved() const { return solved_; }
  /// Where the coefficients of the modes are.
  Field& coefficients(Field& w) { return steps_.size() % 2 == 0 ? w : work_; }
  /// On the backend, in the precision of the field: the eigenvalues of an axis, σ in those of the first that is not solved;
  /// null where it has none but zero. And the lines' sum, coupling, mass_sum, mass_off one after another.
  const void* eigenvalues(int axis) const { return axes_[static_cast<std::size_t>(axis)].eigenvalues.data(); }
  const void* lines() const { return lines_.data(); }
  Precision precision() const { return precision_; }
  Backend& backend() const { return backend_; }

 private:
  struct Axis {
    bool folded = false;
    std::array<int, 2> first{}, size{}, pitch{};
    std::array<Buffer, 2> modes;
    Buffer eigenvalues;
  };
  template <class T>
  void product(int axis, bool forward, const View<T>& from, const View<T>& to, const Box& at, int from_shift,
               int to_shift);
  void transform(Field& w, bool forward);
  Buffer on_backend(const std::vector<double>& values) const;

  Backend& backend_;
  Precision precision_;
  Box box_;
  int solved_;
  std::vector<int> steps_;  ///< the axes that are transformed
  std::array<Axis, 3> axes_;
  Buffer lines_;
  Field work_;
  int slab_ = 0;  ///< values of the solved axis that are transformed at a time; 0: all
};

}  // namespace poisson
