#include <array>
#include <vector>

#include "backends/cuda/cuda_backend.cuh"
#include "backends/cuda/device_tables.hpp"
#include "grids/cuda/factories.hpp"
#include "grids/cuda/grid_steps.cuh"
#include "grids/transfer_weights.hpp"
#include "grids/typed_views.hpp"

namespace poisson::cuda {
namespace {

template <class T>
std::vector<T> flat(const std::vector<std::array<T, 4>>& rows) {
  std::vector<T> values;
  for (const auto& row : rows) values.insert(values.end(), row.begin(), row.end());
  return values;
}

/// Multilinear and cubic transfers between a block and its coarser one, as products of the axes' weights.
class GridTransfer final : public Transfer {
 public:
  GridTransfer(Backend& backend, const Block& fine, const CoarseBlock& coarse)
      : device_(static_cast<CudaBackend&>(backend)),
        fine_unknowns_(fine.unknowns()),
        coarse_unknowns_(coarse.block.unknowns()) {
    DeviceTables tables;
    for (std::size_t d = 0; d < 3; ++d) {
      const LinearWeights linear = linear_weights(fine.axes[d], coarse.axes[d]);
      Linear& l = linear_.axis[d];
      tables.add(linear.left, l.left);
      tables.add(linear.centre, l.centre);
      tables.add(linear.weight, l.weight);
      tables.add(linear.before, l.before);
      tables.add(linear.after, l.after);
      const CubicWeights cubic = cubic_weights(fine.axes[d], coarse.axes[d]);
      tables.add(flat(cubic.at), cubic_.axis[d].at);
      tables.add(flat(cubic.weight), cubic_.axis[d].weight);
    }
    tables_ = tables.upload(device_);
  }

  void restrict_to(const Field& fine, Field& coarse, const Scalar* scale) const override {
    device_.exchange(fine);
    with_views(fine, coarse, [&]<class F, class C>(View<const F> f, View<C> c) {
      device_.for_columns<GridSteps>(coarse_unknowns_, Restrict<F, C>{f, c, linear_, address(scale)});
    });
  }
  void prolong(const Field& coarse, Field& fine) const override { prolong<false>(coarse, fine); }
  void prolong_add(const Field& coarse, Field& fine) const override { prolong<true>(coarse, fine); }
  void interpolate(const Field& coarse, Field& fine, const Scalar* scale) const override {
    with_views(coarse, fine, [&]<class C, class F>(View<const C> c, View<F> f) {
      device_.for_columns<GridSteps>(columns(c),
                                     Interpolate<C, F>{c, f, cubic_, linear_.axis[2], planes(), address(scale)});
    });
  }
  void inject(const Field& fine, Field& coarse, const Scalar* scale) const override {
    with_views(fine, coarse, [&]<class F, class C>(View<const F> f, View<C> c) {
      device_.for_columns<GridSteps>(coarse.layout().box(), Inject<F, C>{f, c, linear_, address(scale)});
    });
  }

 private:
  template <bool add>
  void prolong(const Field& coarse, Field& fine) const {
    device_.exchange(coarse);
    with_views(coarse, fine, [&]<class C, class F>(View<const C> c, View<F> f) {
      device_.for_columns<GridSteps>(columns(c), Prolong<C, F, add>{c, f, linear_, planes()});
    });
  }
  // The fine unknowns in x and y, and all coarse planes.
  template <class C>
  Box columns(const View<C>& coarse) const {
    Box box = fine_unknowns_;
    box.first[2] = 0;
    box.last[2] = coarse.n[2];
    return box;
  }
  FinePlanes planes() const { return {fine_unknowns_.first[2], fine_unknowns_.last[2]}; }
  static const double* address(const Scalar* scale) { return scale ? scale->address() : nullptr; }
  CudaBackend& device_;
  Box fine_unknowns_, coarse_unknowns_;
  Buffer tables_;
  Axes<Linear> linear_{};
  Axes<Cubic> cubic_{};
};

}  // namespace

std::unique_ptr<Transfer> make_transfer(Backend& backend, const Block& fine, const CoarseBlock& coarse) {
  return std::make_unique<GridTransfer>(backend, fine, coarse);
}

}  // namespace poisson::cuda
