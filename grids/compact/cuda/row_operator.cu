#include <array>
#include <cmath>
#include <string>
#include <utility>

#include "backends/memory/error.hpp"
#include "grids/compact/cuda/device_operators.hpp"
#include "grids/compact/cuda/lanczos_steps.cuh"
#include "grids/compact/cuda/sliced_rows.cuh"
#include "grids/compact/eigenvalue_steps.hpp"
#include "grids/compact/explicit_entries.hpp"

namespace poisson::cuda {
namespace {

// Ends of products: each writes what a verb computes from (A u)_row.
template <class T>
struct Put {
  T* out;
  __device__ void operator()(int, std::int64_t p, T product) const { out[p] = product; }
};
template <class T>
struct PutScaled {
  T* out;
  const double* scale;  // null: 1
  __device__ void operator()(int, std::int64_t p, T product) const {
    out[p] = scale ? static_cast<T>(*scale) * product : product;
  }
};
template <class T>
struct Add {
  T* out;
  __device__ void operator()(int, std::int64_t p, T product) const { out[p] += product; }
};
template <class T, class R>
struct PutResidual {
  const T* b;
  R* r;
  __device__ void operator()(int, std::int64_t p, T product) const { r[p] = static_cast<R>(b[p] - product); }
};
template <class T, class R>
struct PutScaledResidual {
  const T* b;
  const float* inverse;
  R* r;
  const double* scale;
  __device__ double operator()(int row, std::int64_t p, T product) const {
    const T value = b[p] - product;
    r[p] = static_cast<R>(static_cast<T>(*scale) * value);
    return static_cast<double>(value * value * static_cast<T>(inverse[row]));
  }
};
template <class T>
struct TakeStep {
  const T *now, *b;
  const float* inverse;
  T* previous;
  T alpha, beta;
  __device__ void operator()(int row, std::int64_t p, T product) const {
    const T next = now[p] + alpha * static_cast<T>(inverse[row]) * (b[p] - product);
    // With beta = 0 the previous iterate may be undefined, even infinite.
    previous[p] = beta == T(0) ? next : next + beta * (now[p] - previous[p]);
  }
};

// Ends of products with the inverse of blocks, whose argument is a residual.
template <class T>
struct TakeBlockStep {
  const T* now;
  T* previous;
  T alpha, beta;
  __device__ void operator()(int, std::int64_t p, T correction) const {
    const T next = now[p] + alpha * correction;
    previous[p] = beta == T(0) ? next : next + beta * (now[p] - previous[p]);
  }
};
template <class T>
struct PutFactor {
  T* out;
  T factor;
  __device__ void operator()(int, std::int64_t p, T product) const { out[p] = factor * product; }
};

// Steps that need no product.
template <class T>
struct Begin {
  const T* b;
  const float* inverse;
  T* u;
  T alpha;
  __device__ void operator()(int row, std::int64_t p) const { u[p] = alpha * static_cast<T>(inverse[row]) * b[p]; }
};
template <class T>
struct Diagonal {
  const float* inverse;
  T* d;
  __device__ void operator()(int row, std::int64_t p) const { d[p] = T(1) / static_cast<T>(inverse[row]); }
};
template <class T>
struct Norm {
  const T* r;
  const float* inverse;
  __device__ double operator()(int row, std::int64_t p) const {
    return static_cast<double>(r[p] * r[p] * static_cast<T>(inverse[row]));
  }
};
template <class T>
struct Rounding {
  const T* u;
  const float* inverse;
  __device__ double operator()(int row, std::int64_t p) const {
    return static_cast<double>(u[p]) * static_cast<double>(u[p]) / static_cast<double>(inverse[row]);
  }
};
template <class T>
struct WeightedSum {
  const T* u;
  const double* weights;
  __device__ double operator()(int row, std::int64_t p) const {
    return (weights ? weights[row] : 1) * static_cast<double>(u[p]);
  }
};
template <class T>
struct Subtract {
  T* u;
  const double *weights, *sum;
  double total;
  __device__ void operator()(int row, std::int64_t p) const {
    u[p] = static_cast<T>(static_cast<double>(u[p]) - *sum / total * (weights ? weights[row] : 1));
  }
};
struct Store {
  double* to;
  __device__ void operator()(double sum) const { *to = sum; }
};

/// Is an operator with compact rows on a GPU.
template <class T>
class DeviceRowOperator final : public Operator, public ExplicitEntries {
 public:
  DeviceRowOperator(DeviceRows& rows, std::shared_ptr<const DevicePattern> pattern, const DeviceMatrix& A)
      : backend_(rows.backend()), pattern_(std::move(pattern)), place_(pattern_->rows->row_space) {
    values_ = make_values<T>(rows, *pattern_->rows, A, pattern_->scale);
    inverse_ = rows.make<float>(A.rows);
    bound_ = rows.most(A.rows, InvertDiagonal{A.view(), pattern_->scale, rows.at(inverse_)}, 0);
    if (bound_ >= InvertDiagonal::no_diagonal)
      throw RunError("row " + std::to_string(A.rows - std::llround(bound_ / InvertDiagonal::no_diagonal) + 1) +
                         " of the matrix has no positive diagonal entry within the range of numbers",
                     Remedy::positive_definite);
    backend_.partials(std::max<std::int64_t>(pattern_->rows->blocks(), divide_up(A.rows, std::int64_t{row_threads})));
    sum_ = backend_.scalar();
  }

  /// Estimates the largest eigenvalue of D⁻¹A (eigenvalue_steps.hpp).
  double largest_eigenvalue(DeviceRows& rows) const {
    constexpr int steps = lanczos_steps;
    const std::int64_t n = pattern_->rows->rows;
    const Buffer v = rows.make<T>(n), before = rows.make<T>(n), w = rows.make<T>(n),
                 numbers = rows.make<double>(2 * steps + 1);
    Field x(backend_, space(), precision());
    auto* const norm = static_cast<double*>(numbers.data());
    const LanczosFields<T> all{inverse(), rows.at(v), rows.at(before), rows.at(w), at(x), norm, norm + steps + 1};
    sum(BeginLanczos<T>{all}, all.norm);
    std::array<double, 2 * steps + 1> found{};
    for (int step = 0; step < steps; ++step) {
      product(x, MultiplyLanczos<T>{all, step});
      add(pattern_->rows->blocks(), all.alpha + step);
      sum(ShiftLanczos<T>{all, step}, all.norm + step + 1);
      if (step + 1 != first_lanczos_steps && step + 1 != steps) continue;
      backend_.read(numbers.data(), found.data(), sizeof found);
      if (step + 1 < steps && reaches_bound(found.data(), found.data() + steps + 1, bound_)) return bound_;
    }
    return largest_of_lanczos(found.data(), found.data() + steps + 1, steps);
  }

  /// Estimates the largest eigenvalue of B⁻¹A for the inverse of blocks.
  double largest_eigenvalue(DeviceRows& rows, const DeviceBlocks& blocks) const {
    constexpr int steps = lanczos_steps;
    const std::int64_t n = pattern_->rows->rows;
    const Buffer before = rows.make<T>(n), w = rows.make<T>(n), numbers = rows.make<double>(2 * steps + 1);
    Field r(backend_, space(), precision()), z(backend_, space(), precision());
    auto* const norm = static_cast<double*>(numbers.data());
    const BlockLanczos<T> all{at(r), at(z), rows.at(before), rows.at(w), norm, norm + steps + 1};
    const auto correct = [&](double* result) {
      backend_.partials(blocks.rows->blocks());
      multiply(backend_, *blocks.rows, blocks.values, static_cast<const T*>(all.r), CorrectBlocks<T>{all},
               backend_.partials());
      add(blocks.rows->blocks(), result);
    };
    visit(BeginBlocks<T>{all, inverse()});
    correct(all.norm);
    for (int step = 0; step < steps; ++step) {
      product(z, MultiplyBlocks<T>{all});
      add(pattern_->rows->blocks(), all.alpha + step);
      visit(ShiftBlocks<T>{all, step});
      correct(all.norm + step + 1);
    }
    std::array<double, 2 * steps + 1> found{};
    backend_.read(numbers.data(), found.data(), sizeof found);
    for (int step = 0; step < steps; ++step)
      if (const double square = found[static_cast<std::size_t>(step)]; square > 0)
        found[static_cast<std::size_t>(steps + 1 + step)] /= square;
    return largest_of_lanczos(found.data(), found.data() + steps + 1, steps);
  }

  Backend& backend() const override { return backend_; }
  Precision precision() const override { return precision_of<T>; }
  const Space& space() const override { return pattern_->rows->row_space.space(); }
  std::string_view assembly() const override { return "compact rows"; }
  double scale() const override { return pattern_->scale; }
  bool singular() const override { return pattern_->singular; }
  std::size_t bytes() const override {
    const DeviceBlocks* const blocks = blocks_of_sweeps();
    return values_.bytes() + inverse_.bytes() + pattern_->rows->bytes() +
           (blocks ? blocks->values.bytes() + blocks->residual.bytes() + blocks->rows->bytes() : 0);
  }

  std::unique_ptr<SymmetricSplitting> split(const Relaxation& relaxation) const override {
    if (relaxation.line()) throw RunError("compact rows have no lines to relax");
    const DeviceBlocks* const blocks = blocks_of_sweeps();
    const double largest = blocks ? blocks->largest : pattern_->largest;
    return std::make_unique<PointSplitting<DeviceRowOperator>>(*this, EigenvalueBound{largest, false, true});
  }
  std::unique_ptr<Splitting> split_by_colours() const override {
    throw RunError("compact rows have no colours to sweep over");
  }
  bool uneven() const override { return blocks_of_sweeps() != nullptr; }
  double entries_of_row() const override {
    return static_cast<double>(pattern_->rows->entries) / static_cast<double>(pattern_->rows->rows);
  }
  std::vector<double> dense() const override {
    if (!pattern_->on_host) throw RunError("the entries of this level are on the device alone");
    const CsrMatrix& A = *pattern_->on_host;
    const auto n = static_cast<std::size_t>(A.rows());
    std::vector<double> entries(n * n);
    for (std::size_t i = 0; i < n; ++i)
      for (std::int64_t k = A.start[i]; k < A.start[i + 1]; ++k)
        entries[i * n + static_cast<std::size_t>(A.column[static_cast<std::size_t>(k)])] =
            pattern_->scale * A.value[static_cast<std::size_t>(k)];
    return entries;
  }

  void point_start(double alpha, const Field& b, Field& u) const {
    if (const DeviceBlocks* const blocks = blocks_of_sweeps())
      return multiply(backend_, *blocks->rows, blocks->values, at(b), PutFactor<T>{at(u), static_cast<T>(alpha)});
    visit(Begin<T>{at(b), inverse(), at(u), static_cast<T>(alpha)});
  }
  void point_step(PolynomialStep step, const Field& u, const Field& b, Field& previous) const {
    if (const DeviceBlocks* const blocks = blocks_of_sweeps()) {
      T* const r = static_cast<T*>(blocks->residual.data());
      product(u, PutResidual<T, T>{at(b), r});
      return multiply(backend_, *blocks->rows, blocks->values, static_cast<const T*>(r),
                      TakeBlockStep<T>{at(u), at(previous), static_cast<T>(step.alpha), static_cast<T>(step.beta)});
    }
    product(u,
            TakeStep<T>{at(u), at(b), inverse(), at(previous), static_cast<T>(step.alpha), static_cast<T>(step.beta)});
  }

 private:
  // Returns the blocks if sweeps in this precision use them.
  const DeviceBlocks* blocks_of_sweeps() const {
    const DeviceBlocks* const blocks = pattern_->blocks.get();
    return blocks && blocks->precision == precision_of<T> ? blocks : nullptr;
  }
  static const T* at(const Field& x) { return x.view<T>().data; }
  static T* at(Field& x) { return x.view<T>().data; }
  const float* inverse() const { return static_cast<const float*>(inverse_.data()); }
  const double* weights() const { return static_cast<const double*>(pattern_->weights.data()); }
  int rows() const { return static_cast<int>(pattern_->rows->rows); }

  template <class End>
  void product(const Field& u, const End& end) const {
    multiply(backend_, *pattern_->rows, values_, at(u), end, backend_.partials());
  }
  template <class F>
  void visit(const F& f) const {
    launch(visit_rows<F>, DeviceRows::blocks(rows(), row_threads), row_threads, backend_.stream(), rows(), place_, f);
  }
  template <class F>
  void sum(const F& f, const Scalar& result) const {
    sum(f, result.address());
  }
  template <class F>
  void sum(const F& f, double* result) const {
    const unsigned blocks = DeviceRows::blocks(rows(), row_threads);
    launch(sum_visited<F>, blocks, row_threads, backend_.stream(), rows(), place_, f, backend_.partials());
    add(blocks, result);
  }
  void add(unsigned blocks, double* result) const {
    launch(add_partials<Store>, 1, 1024, backend_.stream(), static_cast<const double*>(backend_.partials()),
           std::int64_t{blocks}, Store{result});
  }

  void do_apply(const Field& u, Field& Au) const override { product(u, Put<T>{at(Au)}); }
  void do_apply_everywhere(const Field& u, Field& Au) const override { do_apply(u, Au); }
  void do_diagonal(Field& d) const override { visit(Diagonal<T>{inverse(), at(d)}); }
  void do_residual(const Field& u, const Field& b, Field& r) const override {
    dispatch(r.precision(), [&]<class R>(R) { product(u, PutResidual<T, R>{at(b), r.view<R>().data}); });
  }
  void do_residual(const Field& u, const Field& b, Field& r, const Scalar& scale, Scalar& norm) const override {
    dispatch(r.precision(), [&]<class R>(R) {
      product(u, PutScaledResidual<T, R>{at(b), inverse(), r.view<R>().data, scale.address()});
    });
    add(pattern_->rows->blocks(), norm.address());
  }
  void do_norm(const Field& r, Scalar& norm) const override { sum(Norm<T>{at(r), inverse()}, norm); }
  void do_rounding(const Field& u, Scalar& norm) const override { sum(Rounding<T>{at(u), inverse()}, norm); }
  void do_project_rhs(Field& b, Scalar& amount) const override {
    sum(WeightedSum<T>{at(b), nullptr}, amount);
    visit(Subtract<T>{at(b), weights(), amount.address(), pattern_->total_weight});
  }
  void do_project_solution(Field& u) const override {
    sum(WeightedSum<T>{at(u), weights()}, sum_);
    visit(Subtract<T>{at(u), nullptr, sum_.address(), pattern_->total_weight});
  }

  CudaBackend& backend_;
  std::shared_ptr<const DevicePattern> pattern_;
  RowPlaces place_;
  Buffer values_, inverse_;
  double bound_ = 0;  // of the eigenvalues of D⁻¹A
  Scalar sum_;
};

/// Is a transfer whose restriction is stored as rows as well, so that both directions gather.
template <class T>
class DeviceRowTransfer final : public Transfer {
 public:
  DeviceRowTransfer(DeviceRows& rows, std::shared_ptr<const SlicedRows> up, const DeviceMatrix& P,
                    std::shared_ptr<const SlicedRows> down, const DeviceMatrix& R)
      : backend_(rows.backend()),
        up_(std::move(up)),
        down_(std::move(down)),
        up_values_(make_values<T>(rows, *up_, P, 1)),
        down_values_(make_values<T>(rows, *down_, R, 1)) {}

 private:
  template <class End>
  void go_up(const Field& coarse, const End& end) const {
    multiply(backend_, *up_, up_values_, coarse.view<T>().data, end);
  }
  void do_restrict_to(const Field& fine, Field& coarse, const Scalar* scale) const override {
    multiply(backend_, *down_, down_values_, fine.view<T>().data,
             PutScaled<T>{coarse.view<T>().data, scale ? scale->address() : nullptr});
  }
  void do_prolong(const Field& coarse, Field& fine) const override { go_up(coarse, Put<T>{fine.view<T>().data}); }
  void do_prolong_add(const Field& coarse, Field& fine) const override { go_up(coarse, Add<T>{fine.view<T>().data}); }
  void do_interpolate(const Field& coarse, Field& fine, const Scalar* scale) const override {
    go_up(coarse, PutScaled<T>{fine.view<T>().data, scale ? scale->address() : nullptr});
  }
  void do_inject(const Field& fine, Field& coarse, const Scalar* scale) const override {
    do_restrict_to(fine, coarse, scale);
  }

  CudaBackend& backend_;
  std::shared_ptr<const SlicedRows> up_, down_;
  Buffer up_values_, down_values_;
};

}  // namespace

std::unique_ptr<Operator> make_row_operator(DeviceRows& rows, std::shared_ptr<const DevicePattern> pattern,
                                            const DeviceMatrix& A, Precision precision) {
  return dispatch(precision, [&]<class T>(T) -> std::unique_ptr<Operator> {
    return std::make_unique<DeviceRowOperator<T>>(rows, std::move(pattern), A);
  });
}

double largest_scaled_eigenvalue(DeviceRows& rows, const Operator& A) {
  return dispatch(A.precision(),
                  [&]<class T>(T) { return static_cast<const DeviceRowOperator<T>&>(A).largest_eigenvalue(rows); });
}

double largest_scaled_eigenvalue(DeviceRows& rows, const Operator& A, const DeviceBlocks& inverse) {
  return dispatch(A.precision(), [&]<class T>(T) {
    return static_cast<const DeviceRowOperator<T>&>(A).largest_eigenvalue(rows, inverse);
  });
}

std::unique_ptr<Transfer> make_row_transfer(DeviceRows& rows, std::shared_ptr<const SlicedRows> up,
                                            const DeviceMatrix& P, std::shared_ptr<const SlicedRows> down,
                                            const DeviceMatrix& R, Precision precision) {
  return dispatch(precision, [&]<class T>(T) -> std::unique_ptr<Transfer> {
    return std::make_unique<DeviceRowTransfer<T>>(rows, std::move(up), P, std::move(down), R);
  });
}

}  // namespace poisson::cuda
