#pragma once

#include <memory>
#include <variant>
#include <vector>

#include "backends/cuda/cuda_backend.cuh"
#include "grids/kernels/cuda/banded_columns.cuh"
#include "grids/operators/banded_base.hpp"

namespace poisson::cuda {

/// `BandedOperator` implements the verbs of a banded operator on a CUDA device. Symmetric bands of 7 and of 27 points
/// have specialized kernels; all other bands use a list.
template <class T>
class BandedOperator final : public BandedBase<T, BandedOperator<T>> {
  using Base = BandedBase<T, BandedOperator>;
  using Base::layout_, Base::space_, Base::unknowns_, Base::within_, Base::links_, Base::offsets_, Base::guarded_,
      Base::diagonal_, Base::sum_, Base::entries_, Base::largest_, Base::exchange;

 public:
  BandedOperator(Backend& backend, const Bands& bands)
      : Base(backend, bands),
        device_(static_cast<CudaBackend&>(backend)),
        colours_(layout_, offsets_),
        mean_(backend.scalar()) {
    if (bands.symmetric && !guarded_ && entries_.size() == 13) {
      list_ = fixed<13>();
    } else if (bands.symmetric && !guarded_ && entries_.size() == 3) {
      list_ = fixed<3>();
    } else {
      std::vector<BandLink<T>> links;
      for (const auto& l : links_) links.push_back({l.band, l.at, l.shift, l.dx, l.dy, l.dz});
      table_ = backend.allocate(links.size() * sizeof(BandLink<T>));
      backend.write(links.data(), table_.data(), links.size() * sizeof(BandLink<T>));
      list_ = ListedBands<T>{static_cast<const BandLink<T>*>(table_.data()), static_cast<int>(links.size()),
                             Range(within_), guarded_};
    }
    const Scalar largest = backend.scalar(0);
    with_list([&](const auto& list) {
      using List = std::decay_t<decltype(list)>;
      columns(layout_.box(), BandedDiagonal<T, List>{list, sum(), diagonal_.template view<T>()});
      columns(unknowns_,
              BandedGershgorin<T, List>{list, diagonal(), reinterpret_cast<unsigned long long*>(largest.address())});
    });
    largest_ = space_.processes().largest(backend.value(largest));
  }

  void do_apply(const Field& u, Field& Au) const override { product(unknowns_, u, BandedApply<T>{Au.view<T>()}); }
  void do_apply_everywhere(const Field& u, Field& Au) const override {
    product(layout_.box(), u, BandedApply<T>{Au.view<T>()});
  }
  void do_diagonal(Field& d) const override { columns(unknowns_, CopyDiagonal<T>{diagonal(), d.view<T>()}); }

  void do_residual(const Field& u, const Field& b, Field& r) const override {
    dispatch(r.precision(), [&]<class R>(R) { product(unknowns_, u, BandedResidual<T, R>{b.view<T>(), r.view<R>()}); });
  }
  void do_residual(const Field& u, const Field& b, Field& r, const Scalar& scale, Scalar& norm) const override {
    exchange(u);
    dispatch(r.precision(), [&]<class R>(R) {
      with_list([&](const auto& list) {
        const BandedScaledResidual<T, R> body{b.view<T>(), diagonal(), r.view<R>(), scale.address()};
        add_up(
            BandedProduct<T, std::decay_t<decltype(list)>, BandedScaledResidual<T, R>>{rows(list), u.view<T>(), body},
            norm);
      });
    });
  }
  void do_norm(const Field& r, Scalar& norm) const override { add_up(BandedNorm<T>{diagonal(), r.view<T>()}, norm); }
  void do_rounding(const Field& u, Scalar& norm) const override {
    add_up(BandedRounding<T>{diagonal(), u.view<T>()}, norm);
  }

  void point_start(double alpha, const Field& b, Field& u) const {
    columns(unknowns_, BandedStart<T>{diagonal(), b.view<T>(), u.view<T>(), static_cast<T>(alpha)});
  }
  void point_step(PolynomialStep step, const Field& u, const Field& b, Field& previous) const {
    product(unknowns_, u,
            BandedPolynomial<T>{u.view<T>(), b.view<T>(), diagonal(), previous.view<T>(), static_cast<T>(step.alpha),
                                static_cast<T>(step.beta)});
  }
  void relax_colours(double omega, bool reversed, const Field& b, Field& u) const {
    for (int c = 0; c < colours_.count(); ++c) {
      exchange(u);
      const ColourBox own = colours_.box(reversed ? colours_.count() - 1 - c : c, unknowns_);
      const Box values{{0, 0, 0}, {own.count(0), own.count(1), own.count(2)}};
      with_list([&](const auto& list) {
        device_.for_columns<NoSharedSteps>(
            values, BandedRelax<T, std::decay_t<decltype(list)>>{rows(list), u.view<T>(), b.view<T>(),
                                                                 static_cast<T>(omega), own});
      });
    }
  }

  void do_project_rhs(Field& b, Scalar& amount) const override {
    add_up(SumOf<T>{b.view<T>()}, amount);
    columns(unknowns_, SubtractShare<T>{b.view<T>(), amount.address(), Base::count()});
  }
  void do_project_solution(Field& u) const override {
    add_up(SumOf<T>{u.view<T>()}, mean_);
    columns(unknowns_, SubtractShare<T>{u.view<T>(), mean_.address(), Base::count()});
  }

 private:
  template <int bands>
  FixedBands<T, bands> fixed() const {
    FixedBands<T, bands> list;
    for (int b = 0; b < bands; ++b) {
      list.band[b] = links_[static_cast<std::size_t>(b)].band;
      list.shift[b] = links_[static_cast<std::size_t>(b)].shift;
    }
    return list;
  }
  template <class F>
  void with_list(const F& f) const {
    std::visit(f, list_);
  }
  View<const T> sum() const { return sum_->template view<T>(); }
  View<const T> diagonal() const { return std::as_const(diagonal_).template view<T>(); }
  template <class List>
  BandedRows<T, List> rows(const List& list) const {
    return {list, sum(), diagonal()};
  }
  template <class Column>
  void columns(const Box& box, const Column& column) const {
    device_.for_columns<NoSharedSteps>(box, column);
  }
  template <class Body>
  void product(const Box& box, const Field& u, const Body& body) const {
    exchange(u);
    with_list([&](const auto& list) {
      columns(box, BandedProduct<T, std::decay_t<decltype(list)>, Body>{rows(list), u.view<T>(), body});
    });
  }
  template <class Column>
  void add_up(const Column& column, const Scalar& result) const {
    device_.sum(space_, unknowns_, space_.part().all()[2], column, result);
  }

  CudaBackend& device_;
  BandColours colours_;
  Buffer table_;
  std::variant<FixedBands<T, 13>, FixedBands<T, 3>, ListedBands<T>> list_;
  Scalar mean_;
};

template <class T>
std::unique_ptr<Operator> make_banded_operator(Backend& backend, const Bands& bands) {
  return std::make_unique<BandedOperator<T>>(backend, bands);
}

}  // namespace poisson::cuda
