#include "grids/blocks/block_operator.hpp"

#include <utility>

#include "backends/cpu/many_boxes.hpp"
#include "grids/blocks/block_lines.hpp"
#include "grids/operators/typed_views.hpp"

namespace poisson {
namespace {

// Adds a row of neighbours to a line: sum_i += a_i (u_{i+shift} − u_i) for i in [first, last).
template <class T>
void add_neighbours(const T* a, const T* u, const T* other, int shift, int first, int last, T* sum) {
#pragma omp simd
  for (int i = first; i < last; ++i) sum[i] += a[i] * (other[i + shift] - u[i]);
}

/// Is the operator of a level. Interfaces are handled by exchanges alone.
template <class T>
class BlockOperator final : public Operator {
 public:
  BlockOperator(Backend& backend, BlockOperatorData data)
      : backend_(backend),
        data_(std::move(data)),
        blocks_(*data_.level.space),
        inverse_(backend, blocks_.space, precision_of<T>),
        work_(backend, blocks_.space, precision_of<T>),
        other_(backend, blocks_.space, precision_of<T>) {
    for (std::size_t b = 0; b < blocks_.own.size(); ++b) {
      const BlockMatrix::OfBlock& of = data_.level.matrix->own[b];
      const auto scaled = [&](const std::vector<double>& values) {
        std::vector<T> copy(values.size());
        for_rows(static_cast<std::int64_t>(values.size()), [&](std::int64_t i) {
          copy[static_cast<std::size_t>(i)] = static_cast<T>(data_.scale * values[static_cast<std::size_t>(i)]);
        });
        return copy;
      };
      bands_.push_back(scaled(of.bands));
      sums_.push_back(scaled(of.sums));
    }
    const Field diagonal = assembled_diagonal(backend, data_.level, data_.scale);
    for_unknowns([&](std::size_t g, int p, int j, int k, int first, int last) {
      const double* const d = diagonal.patches<double>(g).line(p, j, k);
      T* const to = inverse_.template patches<T>(g).line(p, j, k);
      for (int i = first; i < last; ++i) to[i] = static_cast<T>(d[i] > 0 ? 1 / d[i] : 0);
    });
    if (data_.singular) fill_weights();
  }

  Backend& backend() const override { return backend_; }
  Precision precision() const override { return precision_of<T>; }
  const Space& space() const override { return blocks_.space; }
  std::string_view assembly() const override { return "blocks"; }
  double scale() const override { return data_.scale; }
  bool singular() const override { return data_.singular; }
  std::size_t bytes() const override {
    std::size_t bytes = inverse_.bytes() + work_.bytes() + other_.bytes();
    for (std::size_t b = 0; b < bands_.size(); ++b) bytes += (bands_[b].size() + sums_[b].size()) * sizeof(T);
    return bytes;
  }

  std::unique_ptr<SymmetricSplitting> split(const Relaxation&) const override;
  std::unique_ptr<Splitting> split_by_colours() const override {
    throw RunError("blocks have no colours to sweep over: use solver.smoother.type: chebyshev");
  }

  const BlockSpace& blocks() const { return blocks_; }
  const Field& inverse() const { return inverse_; }
  Field& work() const { return work_; }
  Field& other() const { return other_; }

  /// Computes out = b − A u, or A u without b, in all values; `out` may be b.
  void multiply(const Field& u, const Field* b, Field& out, bool everywhere = false) const {
    backend_.exchange(u);
    blocks_.for_each_part_line([&](std::size_t g, int p, int j, int k) {
      T* const to = out.patches<T>(g).line(p, j, k);
      const int n = blocks_.space.groups()[g].layout.n[0];
      for (int i = 0; i < n; ++i) to[i] = b ? b->patches<T>(g).line(p, j, k)[i] : T(0);
    });
    const auto multiply_block = [&](std::int64_t number, const auto& for_lines) {
      const auto o = static_cast<std::size_t>(number);
      const BlockSpace::Own& own = blocks_.own[o];
      const View<const T> from = std::as_const(u).patches<T>(own.group)[own.patch];
      const View<T> to = out.patches<T>(own.group)[own.patch];
      const Box inner = blocks_.space.groups()[own.group].values;
      for_lines([&](int j, int k) {
        thread_local std::vector<T> sum;
        sum.assign(static_cast<std::size_t>(own.nodes[0]), T(0));
        product(o, from, j, k, sum.data());
        T* const line = to.line(j, k);
        const bool inside = b && j >= inner.first[1] && j < inner.last[1] && k >= inner.first[2] && k < inner.last[2];
        const T* const rhs = inside ? b->patches<T>(own.group)[own.patch].line(j, k) : nullptr;
        for (int i = 0; i < own.nodes[0]; ++i) {
          const T value = sum[static_cast<std::size_t>(i)];
          line[i] = !b ? value : (inside && i >= inner.first[0] && i < inner.last[0] ? rhs[i] : T(0)) - value;
        }
      });
    };
    const auto box_of = [&](std::int64_t o) { return Box{{}, blocks_.own[static_cast<std::size_t>(o)].nodes}; };
    cpu::for_each_box(std::ssize(blocks_.own), box_of, cpu::heavy_threshold, multiply_block);
    backend_.run_exchange(blocks_.add, out, out);
    if (!everywhere) clear_held(out);
  }

  /// Calls f(group, patch in it, j, k, first, last) for the lines of all unknowns.
  template <class F>
  void for_unknowns(const F& f) const {
    for (std::size_t g = 0; g < blocks_.space.groups().size(); ++g) {
      const PatchGroup& group = blocks_.space.groups()[g];
      cpu::for_each_patch_line(group, group.values, [&](int p, int j, int k) {
        if (group.patches[static_cast<std::size_t>(p)].unknowns.size() > 0)
          f(g, p, j, k, group.values.first[0], group.values.last[0]);
      });
    }
  }

 private:
  // Computes A u of a line within its block, ends included.
  void product(std::size_t o, const View<const T>& u, int j, int k, T* sum) const {
    const std::array<int, 3>& n = blocks_.own[o].nodes;
    const std::int64_t size = blocks_.own[o].size(), line = std::int64_t{n[0]} * (j + std::int64_t{n[1]} * k);
    const T* const here = u.line(j, k);
    const T* const s = sums_[o].data() + line;
    for (int i = 0; i < n[0]; ++i) sum[i] = s[i] * here[i];
    const auto& offsets = forward_offsets(blocks_.dimension());
    for (std::size_t d = 0; d < offsets.size(); ++d) {
      const auto [x, y, z] = offsets[d];
      const T* const band = bands_[o].data() + static_cast<std::int64_t>(d) * size;
      if (j + y >= 0 && j + y < n[1] && k + z < n[2])
        add_neighbours(band + line, here, u.line(j + y, k + z), x, std::max(0, -x), std::min(n[0], n[0] - x), sum);
      if (j - y >= 0 && j - y < n[1] && k - z >= 0) {  // the entry is stored at the neighbour
        const std::int64_t there = std::int64_t{n[0]} * ((j - y) + std::int64_t{n[1]} * (k - z));
        add_neighbours(band + there - x, here, u.line(j - y, k - z), -x, std::max(0, x), std::min(n[0], n[0] + x), sum);
      }
    }
  }

  void clear_held(Field& field) const {
    for (std::size_t g = 0; g < blocks_.space.groups().size(); ++g) {
      const PatchGroup& group = blocks_.space.groups()[g];
      cpu::for_each_patch_line(group, group.values, [&](int p, int j, int k) {
        if (group.patches[static_cast<std::size_t>(p)].unknowns.size() > 0) return;
        T* const line = field.patches<T>(g).line(p, j, k);
        std::fill(line + group.values.first[0], line + group.values.last[0], T(0));
      });
    }
  }

  // Sums f(group, patch, j, k, i) over the unknowns.
  template <class F>
  double sum(const F& f) const {
    return cpu::sum_over_patches(blocks_.space, cpu::counted_unknowns,
                                 [&](std::size_t g, int p, const Box& box, int j, int k) {
                                   double all = 0;
                                   for (int i = box.first[0]; i < box.last[0]; ++i) all += f(g, p, j, k, i);
                                   return all;
                                 });
  }
  static double at(const Field& x, std::size_t g, int p, int j, int k, int i) {
    return static_cast<double>(x.patches<T>(g).line(p, j, k)[i]);
  }

  void do_apply(const Field& u, Field& Au) const override { multiply(u, nullptr, Au); }
  void do_apply_everywhere(const Field& u, Field& Au) const override { multiply(u, nullptr, Au, true); }
  void do_diagonal(Field& d) const override {
    for_unknowns([&](std::size_t g, int p, int j, int k, int first, int last) {
      for (int i = first; i < last; ++i)
        d.patches<T>(g).line(p, j, k)[i] = T(1) / std::as_const(inverse_).patches<T>(g).line(p, j, k)[i];
    });
  }
  void do_residual(const Field& u, const Field& b, Field& r) const override {
    if (r.precision() == precision()) return multiply(u, &b, r);
    multiply(u, &b, work_);
    backend_.convert(work_, r);
  }
  void do_residual(const Field& u, const Field& b, Field& r, const Scalar& scale, Scalar& norm) const override {
    multiply(u, &b, work_);
    do_norm(work_, norm);
    backend_.scale(scale, work_, r);
  }
  void do_norm(const Field& r, Scalar& norm) const override {
    *norm.address() = sum([&](std::size_t g, int p, int j, int k, int i) {
      const double value = at(r, g, p, j, k, i);
      return value * value * at(inverse_, g, p, j, k, i);
    });
  }
  void do_rounding(const Field& u, Scalar& norm) const override {
    *norm.address() = sum([&](std::size_t g, int p, int j, int k, int i) {
      const double value = at(u, g, p, j, k, i), inverse = at(inverse_, g, p, j, k, i);
      return inverse > 0 ? value * value / inverse : 0;
    });
  }

  void fill_weights() {
    weights_ = Field(backend_, blocks_.space, precision_of<T>);
    if (data_.volume) {
      put_own_blocks(*data_.volume, blocks_, weights_);
      backend_.run_exchange(blocks_.add, weights_, weights_);
    } else {
      backend_.fill(weights_, 1);
    }
    total_ = sum([&](std::size_t g, int p, int j, int k, int i) { return at(weights_, g, p, j, k, i); });
  }
  // Subtracts a multiple of the weights or of ones.
  void subtract_mean(Field& x, double mean, bool weighted) const {
    for_unknowns([&](std::size_t g, int p, int j, int k, int first, int last) {
      T* const line = x.patches<T>(g).line(p, j, k);
      for (int i = first; i < last; ++i)
        line[i] = static_cast<T>(static_cast<double>(line[i]) - mean * (weighted ? at(weights_, g, p, j, k, i) : 1.0));
    });
  }
  void do_project_rhs(Field& b, Scalar& amount) const override {
    const double all = sum([&](std::size_t g, int p, int j, int k, int i) { return at(b, g, p, j, k, i); });
    subtract_mean(b, all / total_, true);
    *amount.address() = all;
  }
  void do_project_solution(Field& u) const override {
    const double all = sum(
        [&](std::size_t g, int p, int j, int k, int i) { return at(weights_, g, p, j, k, i) * at(u, g, p, j, k, i); });
    subtract_mean(u, all / total_, false);
  }

  Backend& backend_;
  BlockOperatorData data_;
  const BlockSpace& blocks_;
  std::vector<std::vector<T>> bands_, sums_;
  Field inverse_;
  mutable Field work_, other_;
  Field weights_;
  double total_ = 1;
};

/// Is the diagonal, or additive lines. Each step needs a residual and, for lines, one more sum over interfaces.
template <class T>
class BlockSplitting final : public BoundedSplitting {
 public:
  BlockSplitting(const BlockOperator<T>& A, std::unique_ptr<BlockLines<T>> lines)
      : BoundedSplitting(A, {2, false, false}, lines != nullptr), A_(A), lines_(std::move(lines)) {}

 private:
  void do_start(double alpha, const Field& b, Field& u) const override {
    const Field& z = improved(b);
    const T factor = static_cast<T>(alpha);
    A_.for_unknowns([&](std::size_t g, int p, int j, int k, int first, int last) {
      T* const to = u.patches<T>(g).line(p, j, k);
      const T* const from = z.patches<T>(g).line(p, j, k);
      const T* const inverse = A_.inverse().template patches<T>(g).line(p, j, k);
      for (int i = first; i < last; ++i) to[i] = factor * from[i] * (lines_ ? T(1) : inverse[i]);
    });
  }
  void do_step(PolynomialStep step, const Field& u, const Field& b, Field& previous) const override {
    A_.multiply(u, &b, A_.work());
    const Field& z = improved(A_.work());
    const T alpha = static_cast<T>(step.alpha), beta = static_cast<T>(step.beta);
    A_.for_unknowns([&](std::size_t g, int p, int j, int k, int first, int last) {
      T* const to = previous.patches<T>(g).line(p, j, k);
      const T *const now = u.patches<T>(g).line(p, j, k), *const from = z.patches<T>(g).line(p, j, k);
      const T* const inverse = A_.inverse().template patches<T>(g).line(p, j, k);
      // The previous iterate may be undefined if beta is zero.
      for (int i = first; i < last; ++i)
        to[i] =
            now[i] + alpha * from[i] * (lines_ ? T(1) : inverse[i]) + (beta == T(0) ? T(0) : beta * (now[i] - to[i]));
    });
  }
  // Returns r, or the solution on all lines for r.
  const Field& improved(const Field& r) const {
    if (!lines_) return r;
    lines_->solve(r, A_.other());
    return A_.other();
  }

  const BlockOperator<T>& A_;
  std::unique_ptr<BlockLines<T>> lines_;
};

template <class T>
std::unique_ptr<SymmetricSplitting> BlockOperator<T>::split(const Relaxation&) const {
  std::unique_ptr<BlockLines<T>> lines;
  if (data_.smoothing == BlockSmoothing::lines)
    lines = std::make_unique<BlockLines<T>>(backend_, data_.level, data_.scale);
  return std::make_unique<BlockSplitting<T>>(*this, std::move(lines));
}

}  // namespace

std::unique_ptr<Operator> make_block_operator(Backend& backend, const BlockOperatorData& data, Precision precision) {
  return dispatch(precision, [&]<class T>(T) -> std::unique_ptr<Operator> {
    return std::make_unique<BlockOperator<T>>(backend, data);
  });
}

}  // namespace poisson
