#pragma once

#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include "grids/kernels/cuda/marched_models.hpp"
#include "grids/kernels/cuda/stacked_columns.cuh"
#include "grids/kernels/cuda/stacked_factories.hpp"
#include "grids/operators/stencil_base.hpp"

namespace poisson::cuda {

/// Is the operator of finite volumes on the patches that tile a part of a grid: the kernels of the part's operator, one
/// launch for each group of patches.
template <class T, class Coefficients>
class StackedOperator final : public PatchedOperator {
  static constexpr bool constant =
      std::is_same_v<Coefficients, Equidistant<T>> || std::is_same_v<Coefficients, TensorProduct<T>>;

 public:
  template <class Own>
  StackedOperator(const Own& rows, const std::shared_ptr<const Operator>& part,
                  const std::shared_ptr<const PatchedBox>& patches)
      : PatchedOperator(part, patches),
        device_(static_cast<CudaBackend&>(part->backend())),
        layout_(of().box.part().layout()),
        tables_(device_, rows),
        c_(marched_model(tables_.template model<Coefficients>(), layout_)),
        table_(patch_tables(device_).of(space()).unknowns),
        mean_(device_.scalar()) {
    for (std::size_t g = 0; g < space().groups().size(); ++g) add_group(g);
    if (!rows.singular) return;
    sum([&](std::size_t) { return Integral<T, Coefficients>{c_, {}}; }, mean_);
    volume_ = device_.value(mean_);
    if constexpr (constant) {
      sum([&](std::size_t) { return EachRow<T, Coefficients, SquareOfMass<T, Coefficients>>{c_, {c_}}; }, mean_);
      removed_ = device_.value(mean_) / (volume_ * volume_);
    }
  }

  std::size_t bytes() const override { return PatchedOperator::bytes() + tables_.bytes(); }
  std::unique_ptr<SymmetricSplitting> split(const Relaxation& relaxation) const override {
    if (relaxation.extent != Extent::point) return PatchedOperator::split(relaxation);
    return std::make_unique<PointSplitting<StackedOperator>>(
        *this, EigenvalueBound{box().split(relaxation)->largest_eigenvalue()});
  }
  void point_start(double alpha, const Field& b, Field& u) const {
    rows([&](std::size_t g) { return PolynomialStart<T>{view(b, g), view(u, g), static_cast<T>(alpha)}; });
  }
  void point_step(PolynomialStep step, const Field& u, const Field& b, Field& previous) const {
    march(u, [&](std::size_t g) {
      return Polynomial<T>{view(b, g), view(previous, g), static_cast<T>(step.alpha), static_cast<T>(step.beta)};
    });
  }

  using Operator::project_rhs;
  void project_rhs(Field& b, Scalar& amount, Scalar& before, Scalar& after) const override {
    if constexpr (constant) {
      timed(traffic("project rhs"), {&b}, [&] {
        sum([&](std::size_t g) { return Sum<T>{view(b, g)}; }, amount);
        sum(
            [&](std::size_t g) {
              return ProjectRhs<T, Coefficients>{c_, view(b, g), amount.address(), volume_};
            },
            after);
        on_scalars(device_.stream(), AddRemoved{amount.address(), after.address(), before.address(), removed_});
      });
    } else {
      Operator::project_rhs(b, amount, before, after);
    }
  }

 private:
  // Describes what verbs write in each group.
  struct Written {
    Box box;              // joined, in the indices of kernels
    const Range* within;  // of each patch; null if all have the box
  };

  void do_apply(const Field& u, Field& Au) const override {
    march(u, [&](std::size_t g) { return Apply<T>{view(Au, g)}; });
  }
  void do_apply_everywhere(const Field& u, Field& Au) const override {
    march(
        u, [&](std::size_t g) { return Apply<T>{view(Au, g)}; }, true);
  }
  void do_diagonal(Field& d) const override {
    rows([&](std::size_t g) { return Diagonal<T>{view(d, g)}; });
  }
  void do_residual(const Field& u, const Field& b, Field& r) const override {
    dispatch(r.precision(), [&]<class R>(R) {
      march(u, [&](std::size_t g) { return Residual<T, R>{view(b, g), view<R>(r, g)}; });
    });
  }
  void do_residual(const Field& u, const Field& b, Field& r, const Scalar& scale, Scalar& norm) const override {
    device_.exchange(u);
    dispatch(r.precision(), [&]<class R>(R) {
      const auto body = [&](std::size_t g) { return ScaledResidual<T, R>{view(b, g), view<R>(r, g), scale.address()}; };
      walk([&]<bool flat>() { sum([&](std::size_t g) { return walk_of<flat>(u, g, body(g)); }, norm); });
    });
  }
  void do_norm(const Field& r, Scalar& norm) const override {
    sum([&](std::size_t g) { return EachRow<T, Coefficients, Norm<T>>{c_, {view(r, g)}}; }, norm);
  }
  void do_rounding(const Field& u, Scalar& norm) const override {
    sum([&](std::size_t g) { return EachRow<T, Coefficients, Rounding<T>>{c_, {view(u, g)}}; }, norm);
  }
  void do_project_rhs(Field& b, Scalar& amount) const override {
    sum([&](std::size_t g) { return Sum<T>{view(b, g)}; }, amount);
    columns(unknowns_, [&](std::size_t g) {
      return SubtractMean<T, Coefficients, true>{c_, view(b, g), amount.address(), volume_};
    });
  }
  void do_project_solution(Field& u) const override {
    sum([&](std::size_t g) { return Integral<T, Coefficients>{c_, view(std::as_const(u), g)}; }, mean_);
    columns(unknowns_, [&](std::size_t g) {
      return SubtractMean<T, Coefficients, false>{c_, view(u, g), mean_.address(), volume_};
    });
  }

  // Return the first patch of a group, in the form through which kernels march.
  template <class X = T>
  static View<X> view(Field& field, std::size_t g) {
    return marched(field.patches<X>(g)).first;
  }
  template <class X = T>
  static View<const X> view(const Field& field, std::size_t g) {
    return marched(field.patches<X>(g)).first;
  }

  // Uploads the places of a group's patches.
  void add_group(std::size_t g) {
    const PatchGroup& group = space().groups()[g];
    std::vector<PlaceOfPatch> places;
    for (int p = 0; p < static_cast<int>(group.patches.size()); ++p) {
      const std::array<int, 3>& corner = of().place(g, p).first;
      const auto [x, y, z] = marched(Box{corner, corner}, layout_).first;
      places.push_back({x, y, z});
    }
    first_.push_back(places.front());
    places_.push_back(device_.allocate(places.size() * sizeof(PlaceOfPatch)));
    device_.write(places.data(), places_.back().data(), places_.back().bytes());
    unknowns_.push_back({table_.groups[g].box, table_.groups[g].within});
    everything_.push_back({marched(group.layout.box(), layout_), nullptr});
  }

  template <class Column>
  OfPatches<Column> of_patches(std::size_t g, const Column& column) const {
    const Layout& layout = space().groups()[g].layout;
    return {column,
            static_cast<const PlaceOfPatch*>(places_[g].data()),
            first_[g],
            {layout.stride(Precision::fp32), layout.stride(Precision::fp64)}};
  }
  template <class ColumnOf>
  void columns(const std::vector<Written>& written, const ColumnOf& column_of) const {
    for (std::size_t g = 0; g < written.size(); ++g) {
      const auto& [box, within] = written[g];
      with_stack(space().groups()[g], box, within, of_patches(g, column_of(g)),
                 [&](const Box& stack, const auto& column) { for_columns(device_.stream(), stack, column); });
    }
  }
  template <class ColumnOf>
  void sum(const ColumnOf& column_of, const Scalar& result) const {
    sum_groups(
        device_, space(), table_, [&](std::size_t g) { return of_patches(g, column_of(g)); }, result);
  }
  template <class BodyOf>
  void rows(const BodyOf& body_of) const {
    columns(unknowns_, [&](std::size_t g) {
      const auto body = body_of(g);
      return EachRow<T, Coefficients, std::remove_const_t<decltype(body)>>{c_, body};
    });
  }
  // Calls launch<flat>() for the walk on the part.
  template <class Launch>
  void walk(const Launch& launch) const {
    if constexpr (Layered<Coefficients>)
      if (is_plane(layout_)) return launch.template operator()<true>();
    launch.template operator()<false>();
  }
  template <bool flat, class Body>
  auto walk_of(const Field& u, std::size_t g, const Body& body) const {
    return March<T, Coefficients, Body, flat>{c_, view(u, g), body};
  }
  template <class BodyOf>
  void march(const Field& u, const BodyOf& body_of, bool everywhere = false) const {
    device_.exchange(u);
    walk([&]<bool flat>() {
      columns(everywhere ? everything_ : unknowns_, [&](std::size_t g) { return walk_of<flat>(u, g, body_of(g)); });
    });
  }

  CudaBackend& device_;
  Layout layout_;  // of the part
  CoefficientTables<T> tables_;
  Coefficients c_;
  const SumTable& table_;
  std::vector<Written> unknowns_, everything_;
  std::vector<PlaceOfPatch> first_;
  std::vector<Buffer> places_;
  Scalar mean_;
  double volume_ = 1, removed_ = 0;
};

template <class T, class Own>
std::unique_ptr<Operator> make_stacked_operator(const Own& rows, const std::shared_ptr<const Operator>& box,
                                                const std::shared_ptr<const PatchedBox>& of) {
  return with_model<T>(rows, [&]<class Coefficients>(Model<Coefficients>) -> std::unique_ptr<Operator> {
    return std::make_unique<StackedOperator<T, Coefficients>>(rows, box, of);
  });
}

}  // namespace poisson::cuda
