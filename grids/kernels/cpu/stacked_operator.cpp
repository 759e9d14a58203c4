#include <algorithm>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "backends/device/rehearsal.hpp"
#include "grids/kernels/cpu/line_operator.hpp"
#include "grids/kernels/cpu/line_sums.hpp"
#include "grids/kernels/cpu/stacked_factory.hpp"
#include "grids/operators/stencil_base.hpp"

namespace poisson::cpu {

/// Is the operator of the patches that tile a part of a grid. It computes the lines of the part's operator, segment by
/// segment, on views that are indexed by the part. All patches of a group share a loop.
template <class T>
class StackedOperator final : public PatchedOperator {
 public:
  StackedOperator(std::shared_ptr<const Operator> box, std::shared_ptr<const PatchedBox> of)
      : PatchedOperator(std::move(box), std::move(of)), A_(static_cast<const LineOperator<T>&>(this->box())) {
    add_shapes<float>();
    add_shapes<double>();
    for (std::size_t before = 0; const PatchGroup& group : space().groups()) {
      first_.push_back(before);
      before += group.patches.size();
    }
  }

  std::unique_ptr<SymmetricSplitting> split(const Relaxation& relaxation) const override {
    if (relaxation.extent != Extent::point) return PatchedOperator::split(relaxation);
    const EigenvalueBound bound{this->box().split(relaxation)->largest_eigenvalue()};
    return std::make_unique<PointSplitting<StackedOperator>>(*this, bound);
  }

  void point_start(double alpha, const Field& b, Field& u) const {
    const T factor = static_cast<T>(alpha);
    sweep([&](const Line& at) {
      const T* const from = at.line<T>(b);
      T *const to = at.line<T>(u), *const d = scratch();
      A_.diagonal(at.segment, d);
#pragma omp simd
      for (int i = at.segment.first; i < at.segment.last; ++i) to[i] = factor * (T(1) / d[i]) * from[i];
    });
  }
  void point_step(PolynomialStep by, const Field& u, const Field& b, Field& previous) const {
    const T alpha = static_cast<T>(by.alpha), beta = static_cast<T>(by.beta);
    sweep_beside(u, [&](const Line& at) {
      A_.step(at.segment, at.view<T>(u), at.line<T>(b), alpha, beta, at.line<T>(previous));
    });
  }

 private:
  // Describes the views of a patch: the first value of memory has the place −offset.
  template <class X>
  struct Shape {
    View<X> view;
    std::int64_t offset;
  };
  // Is a line of a patch.
  struct Line {
    const std::tuple<std::vector<Shape<float>>, std::vector<Shape<double>>>& shapes;
    std::size_t patch;  // among all groups
    Segment segment;    // in the indices of the part

    template <class X>
    View<X> view_of(void* memory) const {
      const Shape<X>& shape = std::get<std::vector<Shape<X>>>(shapes)[patch];
      View<X> v = shape.view;
      v.data = static_cast<X*>(memory) + shape.offset;
      return v;
    }
    template <class X>
    View<const X> view(const Field& x) const {
      return view_of<X>(x.data());
    }
    template <class X>
    X* line(Field& x) const {
      return view_of<X>(x.data()).line(segment.j, segment.k);
    }
    template <class X>
    const X* line(const Field& x) const {
      return view_of<X>(x.data()).line(segment.j, segment.k);
    }
  };

  template <class X>
  void add_shapes() {
    RehearsalBackend addresses(BackendKind::cpu);  // of memory that does not exist
    Field field(addresses, space(), precision_of<X>);
    std::size_t number = 0;
    for (std::size_t g = 0; g < space().groups().size(); ++g)
      for (int p = 0; p < std::ssize(space().groups()[g].patches); ++p) {
        View<X> view = placed(field.patches<X>(g)[p], of().places[number++].first);
        std::get<std::vector<Shape<X>>>(shapes_).push_back({view, view.data - static_cast<X*>(field.data())});
      }
  }

  T* scratch() const {
    return line_scratch<T>(A_.layout().n[0]);
  }
  Line line_of(std::size_t group, int patch, const Box& box, int j, int k) const {
    const std::size_t number = first_[group] + static_cast<std::size_t>(patch);
    const auto& first = of().places[number].first;
    return {shapes_, number, {j + first[1], k + first[2], box.first[0] + first[0], box.last[0] + first[0]}};
  }
  /// Calls f(line) for the unknowns of all patches, or for all their values.
  template <class F>
  void sweep(const F& f, bool everywhere = false) const {
    for (std::size_t g = 0; g < space().groups().size(); ++g) {
      const PatchGroup& group = space().groups()[g];
      for_each_patch_line(group, group.layout.box(), [&](int p, int j, int k) {
        const Box box = everywhere ? group.layout.box() : of().places[first_[g] + static_cast<std::size_t>(p)].unknowns;
        if (box.size() == 0 || j < box.first[1] || j >= box.last[1] || k < box.first[2] || k >= box.last[2]) return;
        f(line_of(g, p, box, j, k));
      });
    }
  }
  template <class F>
  void sweep_beside(const Field& u, const F& f, bool everywhere = false) const {
    backend().exchange(u);
    sweep(f, everywhere);
  }
  /// Sums f(line) over the unknowns that the patches count.
  template <class F>
  double sum(const F& f) const {
    return sum_over_patches(space(), counted_unknowns, [&](std::size_t g, int p, const Box& box, int j, int k) {
      return f(line_of(g, p, box, j, k));
    });
  }
  template <class Term>
  double sum_with_diagonal(const Field& x, const Term& term) const {
    return sum([&](const Line& at) {
      T* const d = scratch();
      A_.diagonal(at.segment, d);
      return term_sum(d, at.line<T>(x), at.segment.first, at.segment.last, term);
    });
  }

  void do_apply(const Field& u, Field& Au) const override {
    sweep_beside(u, [&](const Line& at) { A_.times(at.segment, at.view<T>(u), at.line<T>(Au)); });
  }
  void do_apply_everywhere(const Field& u, Field& Au) const override {
    sweep_beside(
        u, [&](const Line& at) { A_.times(at.segment, at.view<T>(u), at.line<T>(Au)); }, true);
  }
  void do_diagonal(Field& d) const override {
    sweep([&](const Line& at) { A_.diagonal(at.segment, at.line<T>(d)); });
  }
  void do_residual(const Field& u, const Field& b, Field& r) const override {
    dispatch(r.precision(), [&]<class R>(R) {
      sweep_beside(u, [&](const Line& at) {
        put<R>(at, r, [&](T* to) { A_.residual(at.segment, at.template view<T>(u), at.template line<T>(b), to); });
      });
    });
  }
  void do_residual(const Field& u, const Field& b, Field& r, const Scalar& scale, Scalar& norm) const override {
    const T factor = static_cast<T>(*scale.address());
    backend().exchange(u);
    dispatch(r.precision(), [&]<class R>(R) {
      *norm.address() = sum([&](const Line& at) {
        double* const terms = line_scratch<double, 1>(A_.layout().n[0]);
        put<R>(at, r, [&](T* to) {
          A_.residual(at.segment, at.template view<T>(u), at.template line<T>(b), factor, to, terms);
        });
        return sum_of_terms(terms, at.segment.first, at.segment.last);
      });
    });
  }
  // Stores what compute(to) computes for a line in the precision of the result.
  template <class R, class Compute>
  void put(const Line& at, Field& r, const Compute& compute) const {
    R* const to = at.line<R>(r);
    if constexpr (std::is_same_v<R, T>) {
      compute(to);
    } else {
      T* const made = scratch();
      compute(made);
      std::transform(made + at.segment.first, made + at.segment.last, to + at.segment.first,
                     [](T value) { return static_cast<R>(value); });
    }
  }
  void do_norm(const Field& r, Scalar& norm) const override {
    *norm.address() = sum_with_diagonal(r, square_over_diagonal<T>);
  }
  void do_rounding(const Field& u, Scalar& norm) const override {
    *norm.address() = sum_with_diagonal(
        u, [](T d, T x) { return static_cast<double>(d) * static_cast<double>(x) * static_cast<double>(x); });
  }
  void do_project_rhs(Field& b, Scalar& amount) const override {
    const double total = sum([&](const Line& at) {
      const T* const from = at.line<T>(b);
      double sum = 0;
      for (int i = at.segment.first; i < at.segment.last; ++i) sum += static_cast<double>(from[i]);
      return sum;
    });
    *amount.address() = total;
    const double share = total / A_.volume_;
    sweep([&](const Line& at) {
      T *const to = at.line<T>(b), *const mass = masses(at);
      for (int i = at.segment.first; i < at.segment.last; ++i)
        to[i] -= static_cast<T>(share * static_cast<double>(mass[i]));
    });
  }
  void do_project_solution(Field& u) const override {
    const double mean = sum([&](const Line& at) {
                          const T *const from = at.line<T>(u), *const mass = masses(at);
                          double sum = 0;
                          for (int i = at.segment.first; i < at.segment.last; ++i)
                            sum += static_cast<double>(mass[i]) * static_cast<double>(from[i]);
                          return sum;
                        }) /
                        A_.volume_;
    sweep([&](const Line& at) {
      T* const to = at.line<T>(u);
      for (int i = at.segment.first; i < at.segment.last; ++i) to[i] -= static_cast<T>(mean);
    });
  }
  T* masses(const Line& at) const {
    T* const mass = scratch();
    A_.masses(at.segment, mass);
    return mass;
  }

  const LineOperator<T>& A_;
  std::tuple<std::vector<Shape<float>>, std::vector<Shape<double>>> shapes_;  // of all patches
  std::vector<std::size_t> first_;                                            // patches before each group
};

std::unique_ptr<Operator> make_stacked_operator(const std::shared_ptr<const Operator>& box,
                                                const std::shared_ptr<const PatchedBox>& of) {
  return dispatch(box->precision(), [&]<class T>(T) -> std::unique_ptr<Operator> {
    if (!dynamic_cast<const LineOperator<T>*>(box.get())) return nullptr;
    return std::make_unique<StackedOperator<T>>(box, of);
  });
}

}  // namespace poisson::cpu
