#include <array>
#include <vector>

#include "backends/cuda/cuda_backend.cuh"
#include "backends/cuda/device_tables.hpp"
#include "grids/cell_weights.hpp"
#include "grids/cuda/cell_columns.cuh"
#include "grids/cuda/factories.hpp"
#include "grids/cuda/grid_steps.cuh"
#include "grids/typed_views.hpp"

namespace poisson::cuda {
namespace {

template <class T>
std::vector<T> flat(const std::vector<std::array<T, 4>>& rows) {
  std::vector<T> values;
  for (const auto& row : rows) values.insert(values.end(), row.begin(), row.end());
  return values;
}

/// Transfers between a cell-centred block and its coarser one, as products of the axes' weights.
class CellTransfer final : public Transfer {
 public:
  CellTransfer(Backend& backend, const Block& fine, const CoarseBlock& coarse, bool constant)
      : device_(static_cast<CudaBackend&>(backend)),
        fine_(fine.layout().box()),
        coarse_(coarse.block.layout().box()),
        with_faces_(coarse_) {
    DeviceTables tables;
    for (std::size_t d = 0; d < 3; ++d) {
      const Axis& axis = fine.axes[d];
      const CellWeights weights = cell_weights(axis, coarse.axes[d], constant);
      CellAxis& c = cells_.axis[d];
      tables.add(weights.left, c.left);
      tables.add(weights.first, c.first);
      tables.add(weights.count, c.count);
      tables.add(weights.weight, c.weight);
      tables.add(flat(weights.restriction), c.restriction);
      tables.add(weights.share, c.share);
      const CubicWeights cubic = cubic_cell_weights(axis, coarse.axes[d]);
      tables.add(flat(cubic.at), cubic_.axis[d].at);
      tables.add(flat(cubic.weight), cubic_.axis[d].weight);
      if (axis.degenerate()) continue;
      if (has_halo_data(axis, 0)) --with_faces_.first[d];
      if (has_halo_data(axis, 1)) ++with_faces_.last[d];
    }
    tables_ = tables.upload(device_);
  }

  void restrict_to(const Field& fine, Field& coarse, const Scalar* scale) const override {
    device_.exchange(fine);
    with_views(fine, coarse, [&]<class F, class C>(View<const F> f, View<C> c) {
      device_.for_columns<GridSteps>(coarse_, RestrictCells<F, C>{f, c, cells_, address(scale)});
    });
  }
  void restrict_data(const Field& fine, Field& coarse, const Scalar* scale) const override {
    with_views(fine, coarse, [&]<class F, class C>(View<const F> f, View<C> c) {
      device_.for_columns<GridSteps>(coarse_, SumCells<F, C>{f, c, cells_, address(scale)});
    });
  }
  void prolong(const Field& coarse, Field& fine) const override { prolong<false>(coarse, fine); }
  void prolong_add(const Field& coarse, Field& fine) const override { prolong<true>(coarse, fine); }
  void interpolate(const Field& coarse, Field& fine, const Scalar* scale) const override {
    with_views(coarse, fine, [&]<class C, class F>(View<const C> c, View<F> f) {
      device_.for_columns<GridSteps>(fine_, InterpolateCells<C, F>{c, f, cubic_, address(scale)});
    });
  }
  void inject(const Field& fine, Field& coarse, const Scalar* scale) const override {
    with_views(fine, coarse, [&]<class F, class C>(View<const F> f, View<C> c) {
      device_.for_columns<GridSteps>(with_faces_, InjectCells<F, C>{f, c, cells_, address(scale)});
    });
  }

 private:
  template <bool add>
  void prolong(const Field& coarse, Field& fine) const {
    device_.exchange(coarse);
    with_views(coarse, fine, [&]<class C, class F>(View<const C> c, View<F> f) {
      device_.for_columns<GridSteps>(fine_, ProlongCells<C, F, add>{c, f, cells_});
    });
  }
  static const double* address(const Scalar* scale) { return scale ? scale->address() : nullptr; }

  CudaBackend& device_;
  Box fine_, coarse_, with_faces_;
  Buffer tables_;
  Axes<CellAxis> cells_{};
  Axes<Cubic> cubic_{};
};

}  // namespace

std::unique_ptr<Transfer> make_cell_transfer(Backend& backend, const Block& fine, const CoarseBlock& coarse,
                                             bool constant) {
  return std::make_unique<CellTransfer>(backend, fine, coarse, constant);
}

}  // namespace poisson::cuda
