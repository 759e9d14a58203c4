#include "grids/compact/row_operator.hpp"

#include <cmath>
#include <string>
#include <utility>

#include "backends/cpu/launch.hpp"
#include "backends/memory/error.hpp"
#include "grids/compact/aggregation_levels.hpp"
#include "grids/compact/explicit_entries.hpp"
#include "grids/operators/typed_views.hpp"

namespace poisson {
namespace {

// Copies an array into memory of a backend whose memory the host accesses.
template <class To, class From, class Convert>
Buffer copied(Backend& backend, const From& from, const Convert& convert) {
  Buffer to = backend.allocate(std::max<std::size_t>(1, from.size()) * sizeof(To));
  To* const out = static_cast<To*>(to.data());
  for_rows(static_cast<std::int64_t>(from.size()),
           [&](std::int64_t k) { out[k] = static_cast<To>(convert(from[static_cast<std::size_t>(k)])); });
  return to;
}

// Is a product of compact rows with the values of a field.
template <class T>
struct RowProduct {
  const std::int64_t* start;
  const int* place;
  const T* value;

  T operator()(std::int64_t row, const T* u) const {
    T sum = 0;
    const std::int64_t last = start[row + 1];
    for (std::int64_t k = start[row]; k < last; ++k) sum += value[k] * u[place[k]];
    return sum;
  }
};

/// Is an operator with compact rows on the CPU. Its verbs are loops over the lines of its space.
template <class T>
class RowOperator final : public Operator, public ExplicitEntries {
 public:
  RowOperator(Backend& backend, std::shared_ptr<const CompactRows> rows, const CsrMatrix& A)
      : backend_(backend), rows_(std::move(rows)) {
    values_ = copied<T>(backend, A.value, [s = rows_->scale](double a) { return s * a; });
    const RowSpace& space = rows_->space;
    inverse_ = backend.allocate(static_cast<std::size_t>(space.rows()) * sizeof(T));
    T* const inverse = static_cast<T*>(inverse_.data());
    for_rows(space.rows(), [&](std::int64_t i) {
      const double d = rows_->scale * A.at(i, static_cast<int>(i));
      inverse[i] = d > 0 && std::isfinite(static_cast<T>(1 / d)) ? static_cast<T>(1 / d) : T(0);
    });
    for (std::int64_t i = 0; i < space.rows(); ++i)
      if (!(inverse[i] > 0))
        throw RunError("row " + std::to_string(i + 1) +
                           " of the matrix has no positive diagonal entry within the range "
                           "of numbers",
                       Remedy::positive_definite);
    product_ = {static_cast<const std::int64_t*>(rows_->starts.data()), static_cast<const int*>(rows_->places.data()),
                static_cast<const T*>(values_.data())};
  }

  Backend& backend() const override { return backend_; }
  Precision precision() const override { return precision_of<T>; }
  const Space& space() const override { return rows_->space.space(); }
  std::string_view assembly() const override { return "compact rows"; }
  double scale() const override { return rows_->scale; }
  bool singular() const override { return rows_->singular; }
  std::size_t bytes() const override {
    const CompactBlocks* const blocks = blocks_of_sweeps();
    return values_.bytes() + inverse_.bytes() + rows_->starts.bytes() + rows_->places.bytes() +
           (blocks ? blocks->starts.bytes() + blocks->places.bytes() + blocks->values.bytes() + residual_.bytes() : 0);
  }

  std::unique_ptr<SymmetricSplitting> split(const Relaxation& relaxation) const override {
    if (relaxation.line()) throw RunError("compact rows have no lines to relax");
    const CompactBlocks* const blocks = blocks_of_sweeps();
    if (blocks && !residual_.data())
      residual_ = backend_.allocate(static_cast<std::size_t>(rows_->space.place(rows_->space.rows())) * sizeof(T));
    const double largest = blocks ? blocks->largest : rows_->largest;
    return std::make_unique<PointSplitting<RowOperator>>(*this, EigenvalueBound{largest, false, true});
  }
  std::unique_ptr<Splitting> split_by_colours() const override {
    throw RunError("compact rows have no colours to sweep over");
  }
  bool uneven() const override { return blocks_of_sweeps() != nullptr; }
  double entries_of_row() const override {
    const auto n = static_cast<double>(rows_->space.rows());
    return static_cast<double>(product_.start[rows_->space.rows()]) / n;
  }
  std::vector<double> dense() const override {
    const auto n = static_cast<std::size_t>(rows_->space.rows());
    std::vector<double> entries(n * n);
    for (std::size_t i = 0; i < n; ++i)
      for (std::int64_t k = product_.start[i]; k < product_.start[i + 1]; ++k)
        entries[i * n + static_cast<std::size_t>(product_.place[k])] = static_cast<double>(product_.value[k]);
    return entries;
  }

  void point_start(double alpha, const Field& b, Field& u) const {
    const T factor = static_cast<T>(alpha);
    const T* const rhs = at(b);
    T* const out = at(u);
    if (const CompactBlocks* const blocks = blocks_of_sweeps()) {
      const RowProduct<T> correction = product_of(*blocks);
      return rows([&](std::int64_t i, std::int64_t p) { out[p] = factor * correction(i, rhs); });
    }
    rows([&](std::int64_t i, std::int64_t p) { out[p] = factor * inverse()[i] * rhs[p]; });
  }
  void point_step(PolynomialStep step, const Field& u, const Field& b, Field& previous) const {
    const T alpha = static_cast<T>(step.alpha), beta = static_cast<T>(step.beta);
    const T *const now = at(u), *const rhs = at(b);
    T* const out = at(previous);
    if (const CompactBlocks* const blocks = blocks_of_sweeps()) {
      const RowProduct<T> correction = product_of(*blocks);
      T* const r = static_cast<T*>(residual_.data());
      rows([&](std::int64_t i, std::int64_t p) { r[p] = rhs[p] - product_(i, now); });
      return rows([&](std::int64_t i, std::int64_t p) {
        const T next = now[p] + alpha * correction(i, r);
        out[p] = beta == T(0) ? next : next + beta * (now[p] - out[p]);
      });
    }
    if (beta == T(0))  // the previous iterate may be undefined, even infinite
      rows([&](std::int64_t i, std::int64_t p) {
        out[p] = now[p] + alpha * inverse()[i] * (rhs[p] - product_(i, now));
      });
    else
      rows([&](std::int64_t i, std::int64_t p) {
        out[p] = now[p] + alpha * inverse()[i] * (rhs[p] - product_(i, now)) + beta * (now[p] - out[p]);
      });
  }

 private:
  // Returns the blocks if sweeps in this precision use them.
  const CompactBlocks* blocks_of_sweeps() const {
    const CompactBlocks* const blocks = rows_->blocks.get();
    return blocks && blocks->precision == precision_of<T> ? blocks : nullptr;
  }
  static RowProduct<T> product_of(const CompactBlocks& blocks) {
    return {static_cast<const std::int64_t*>(blocks.starts.data()), static_cast<const int*>(blocks.places.data()),
            static_cast<const T*>(blocks.values.data())};
  }
  static const T* at(const Field& x) { return x.view<T>().data; }
  static T* at(Field& x) { return x.view<T>().data; }
  const T* inverse() const { return static_cast<const T*>(inverse_.data()); }

  // Calls f(row, place) for all rows, and f(line) for all lines to sum what it returns.
  template <class F>
  void rows(const F& f) const {
    const RowSpace& space = rows_->space;
    cpu::for_each_line(space.space().part().layout().box(), cpu::heavy_threshold, [&](int line, int) {
      const std::int64_t last = space.last(line), shift = space.place(space.first(line)) - space.first(line);
      for (std::int64_t i = space.first(line); i < last; ++i) f(i, i + shift);
    });
  }
  template <class F>
  double sum(const F& f) const {
    const RowSpace& space = rows_->space;
    return cpu::sum_over_lines(space.space(), space.space().part().layout().box(), [&](int line, int) {
      const std::int64_t last = space.last(line), shift = space.place(space.first(line)) - space.first(line);
      double all = 0;
      for (std::int64_t i = space.first(line); i < last; ++i) all += f(i, i + shift);
      return all;
    });
  }

  void do_apply(const Field& u, Field& Au) const override {
    const T* const in = at(u);
    T* const out = at(Au);
    rows([&](std::int64_t i, std::int64_t p) { out[p] = product_(i, in); });
  }
  void do_apply_everywhere(const Field& u, Field& Au) const override { do_apply(u, Au); }
  void do_diagonal(Field& d) const override {
    T* const out = at(d);
    rows([&](std::int64_t i, std::int64_t p) { out[p] = T(1) / inverse()[i]; });
  }
  void do_residual(const Field& u, const Field& b, Field& r) const override {
    dispatch(r.precision(), [&]<class R>(R) {
      const T *const in = at(u), *const rhs = at(b);
      R* const out = r.view<R>().data;
      rows([&](std::int64_t i, std::int64_t p) { out[p] = static_cast<R>(rhs[p] - product_(i, in)); });
    });
  }
  void do_residual(const Field& u, const Field& b, Field& r, const Scalar& scale, Scalar& norm) const override {
    dispatch(r.precision(), [&]<class R>(R) {
      const T *const in = at(u), *const rhs = at(b);
      R* const out = r.view<R>().data;
      const T s = static_cast<T>(*scale.address());
      *norm.address() = sum([&](std::int64_t i, std::int64_t p) {
        const T value = rhs[p] - product_(i, in);
        out[p] = static_cast<R>(s * value);
        return static_cast<double>(value * value * inverse()[i]);
      });
    });
  }
  void do_norm(const Field& r, Scalar& norm) const override {
    const T* const in = at(r);
    *norm.address() =
        sum([&](std::int64_t i, std::int64_t p) { return static_cast<double>(in[p] * in[p] * inverse()[i]); });
  }
  void do_rounding(const Field& u, Scalar& norm) const override {
    const T* const in = at(u);
    *norm.address() = sum([&](std::int64_t i, std::int64_t p) {
      return static_cast<double>(in[p]) * static_cast<double>(in[p]) / static_cast<double>(inverse()[i]);
    });
  }
  double weight(std::int64_t i) const {
    return rows_->weights.empty() ? 1 : rows_->weights[static_cast<std::size_t>(i)];
  }
  double total_weight() const {
    return sum([&](std::int64_t i, std::int64_t) { return weight(i); });
  }
  void do_project_rhs(Field& b, Scalar& amount) const override {
    T* const out = at(b);
    const double all = sum([&](std::int64_t, std::int64_t p) { return static_cast<double>(out[p]); });
    const double mean = all / total_weight();
    rows([&](std::int64_t i, std::int64_t p) {
      out[p] = static_cast<T>(static_cast<double>(out[p]) - mean * weight(i));
    });
    *amount.address() = all;
  }
  void do_project_solution(Field& u) const override {
    T* const out = at(u);
    const double mean =
        sum([&](std::int64_t i, std::int64_t p) { return weight(i) * static_cast<double>(out[p]); }) / total_weight();
    rows([&](std::int64_t, std::int64_t p) { out[p] = static_cast<T>(static_cast<double>(out[p]) - mean); });
  }

  Backend& backend_;
  std::shared_ptr<const CompactRows> rows_;
  Buffer values_, inverse_;
  mutable Buffer residual_;  ///< of sweeps with blocks
  RowProduct<T> product_{};
};

/// Is a transfer whose restriction is stored as rows as well, so that both directions are loops over rows.
template <class T>
class RowTransfer final : public Transfer {
 public:
  RowTransfer(Backend& backend, const CsrMatrix& P, const CsrMatrix& R, const RowSpace& fine, const RowSpace& coarse)
      : fine_(fine), coarse_(coarse), up_(backend, P, coarse), down_(backend, R, fine) {}

 private:
  // Contains a matrix whose columns are places in a field.
  struct Side {
    Side(Backend& backend, const CsrMatrix& A, const RowSpace& of_columns)
        : starts(copied<std::int64_t>(backend, A.start, [](std::int64_t s) { return s; })),
          places(copied<int>(backend, A.column, [&](int j) { return of_columns.place(j); })),
          values(copied<T>(backend, A.value, [](double a) { return a; })),
          product{static_cast<const std::int64_t*>(starts.data()), static_cast<const int*>(places.data()),
                  static_cast<const T*>(values.data())} {}
    Buffer starts, places, values;
    RowProduct<T> product;
  };
  template <class F>
  static void rows(const RowSpace& space, const F& f) {
    cpu::for_each_line(space.space().part().layout().box(), cpu::heavy_threshold, [&](int line, int) {
      const std::int64_t last = space.last(line), shift = space.place(space.first(line)) - space.first(line);
      for (std::int64_t i = space.first(line); i < last; ++i) f(i, i + shift);
    });
  }
  void do_restrict_to(const Field& fine, Field& coarse, const Scalar* scale) const override {
    const T s = scale ? static_cast<T>(*scale->address()) : T(1);
    const T* const in = fine.view<T>().data;
    T* const out = coarse.view<T>().data;
    rows(coarse_, [&](std::int64_t i, std::int64_t p) { out[p] = s * down_.product(i, in); });
  }
  void do_prolong(const Field& coarse, Field& fine) const override {
    const T* const in = coarse.view<T>().data;
    T* const out = fine.view<T>().data;
    rows(fine_, [&](std::int64_t i, std::int64_t p) { out[p] = up_.product(i, in); });
  }
  void do_prolong_add(const Field& coarse, Field& fine) const override {
    const T* const in = coarse.view<T>().data;
    T* const out = fine.view<T>().data;
    rows(fine_, [&](std::int64_t i, std::int64_t p) { out[p] += up_.product(i, in); });
  }
  void do_interpolate(const Field& coarse, Field& fine, const Scalar* scale) const override {
    do_prolong(coarse, fine);
    if (scale) fine.backend().scale(*scale, fine, fine);
  }
  void do_inject(const Field& fine, Field& coarse, const Scalar* scale) const override {
    do_restrict_to(fine, coarse, scale);
  }

  RowSpace fine_, coarse_;
  Side up_, down_;
};

}  // namespace

std::shared_ptr<CompactRows> make_compact_rows(Backend& backend, const CsrMatrix& A, double scale, bool singular) {
  auto rows = std::make_shared<CompactRows>(CompactRows{RowSpace(A.rows()), {}, {}, scale, singular, 2, {}, {}});
  rows->starts = copied<std::int64_t>(backend, A.start, [](std::int64_t s) { return s; });
  rows->places = copied<int>(backend, A.column, [&](int j) { return rows->space.place(j); });
  rows->largest = largest_scaled_eigenvalue(A);
  return rows;
}

std::shared_ptr<const CompactBlocks> make_compact_blocks(Backend& backend, const CsrMatrix& A,
                                                         const UnsetVector<int>& aggregate, std::int64_t aggregates,
                                                         double scale, Precision precision) {
  const CsrMatrix inverse = block_inverse(A, aggregate, aggregates);
  const RowSpace space(A.rows());
  auto blocks = std::make_shared<CompactBlocks>();
  blocks->precision = precision;
  blocks->largest = largest_scaled_eigenvalue(A, inverse);
  blocks->starts = copied<std::int64_t>(backend, inverse.start, [](std::int64_t s) { return s; });
  blocks->places = copied<int>(backend, inverse.column, [&](int j) { return space.place(j); });
  blocks->values = dispatch(precision, [&]<class T>(T) {
    return copied<T>(backend, inverse.value, [scale](double a) { return a / scale; });
  });
  return blocks;
}

std::unique_ptr<Operator> make_row_operator(Backend& backend, std::shared_ptr<const CompactRows> rows,
                                            const CsrMatrix& A, Precision precision) {
  return dispatch(precision, [&]<class T>(T) -> std::unique_ptr<Operator> {
    return std::make_unique<RowOperator<T>>(backend, std::move(rows), A);
  });
}

std::unique_ptr<Transfer> make_row_transfer(Backend& backend, const CsrMatrix& P, const CsrMatrix& R,
                                            const RowSpace& fine, const RowSpace& coarse, Precision precision) {
  return dispatch(precision, [&]<class T>(T) -> std::unique_ptr<Transfer> {
    return std::make_unique<RowTransfer<T>>(backend, P, R, fine, coarse);
  });
}

void put_rows(const std::vector<double>& values, const RowSpace& space, double factor, Field& field) {
  const auto host = make_cpu_backend();
  Field staging(*host, field.space(), field.precision());
  dispatch(field.precision(), [&]<class T>(T) {
    T* const out = staging.view<T>().data;
    for_rows(space.rows(), [&](std::int64_t i) {
      out[space.place(i)] = static_cast<T>(factor * values[static_cast<std::size_t>(i)]);
    });
  });
  transfer(staging, field);
}

std::vector<double> get_rows(const Field& field, const RowSpace& space) {
  const HostRead read(field);
  std::vector<double> values(static_cast<std::size_t>(space.rows()));
  dispatch(field.precision(), [&]<class T>(T) {
    const T* const in = (*read).view<T>().data;
    for_rows(space.rows(),
             [&](std::int64_t i) { values[static_cast<std::size_t>(i)] = static_cast<double>(in[space.place(i)]); });
  });
  return values;
}

}  // namespace poisson
