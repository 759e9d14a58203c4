#include <array>
#include <memory>
#include <vector>

#include "backends/cuda/cuda_backend.cuh"
#include "backends/cuda/device_tables.hpp"
#include "grids/axes/axis_transfer.hpp"
#include "grids/axes/coarse_places.hpp"
#include "grids/kernels/cuda/device_rows.cuh"
#include "grids/kernels/cuda/factories.hpp"
#include "grids/kernels/cuda/model_steps.cuh"
#include "grids/kernels/weighted_transfer.hpp"
#include "grids/operators/typed_views.hpp"
#include "grids/rows/galerkin_formulas.hpp"

namespace poisson::cuda {
namespace {

class WeightedTransfer final : public WeightedTransferBase {
 public:
  WeightedTransfer(Backend& backend, const Block& fine, const CoarseBlock& coarse, const Weights& weights)
      : WeightedTransferBase(fine, coarse, weights), device_(static_cast<CudaBackend&>(backend)) {
    DeviceTables tables;
    for (std::size_t d = 0; d < 3; ++d) {
      const CoarsePlaces places(fine.axes[d], coarse.axes[d], Collapse::none);
      tables.add(std::vector<int>(places.centre.begin() + 1, places.centre.end() - 1), places_.centre[d]);
      tables.add(places.parents, places_.parents[d]);
      add_rows(tables, injection_rows(fine.axes[d], coarse.axes[d]), injection_.axis[d]);
    }
    tables_ = tables.upload(backend);
  }

  void restrict_to(const Field& fine, Field& coarse, const Scalar* scale) const override {
    device_.exchange(fine);
    with_columns([&]<class W>(const WeightColumns<W>& w) {
      with_views(fine, coarse, [&]<class F, class C>(View<const F> f, View<C> c) {
        device_.for_columns<TransferSteps>(coarse_unknowns_,
                                           WeightedRestrict<W, F, C>{f, c, w, places_, address(scale)});
      });
    });
  }
  void inject(const Field& fine, Field& coarse, const Scalar* scale) const override {
    with_views(fine, coarse, [&]<class F, class C>(View<const F> f, View<C> c) {
      device_.for_columns<TransferSteps>(coarse.layout().box(), Gather<F, C>{f, c, injection_, 1, address(scale)});
    });
  }

 private:
  static const double* address(const Scalar* scale) { return scale ? scale->address() : nullptr; }

  template <class F>
  void with_columns(const F& f) const {
    dispatch(precision_, [&]<class W>(W) {
      WeightColumns<W> columns{};
      for (std::size_t code = 0; code < 27; ++code) {
        if (!weights_[code]) continue;
        const auto view = weights_[code]->view<W>();
        columns.weight[code] = view.data;
        columns.sy = view.sy;
        columns.sz = view.sz;
      }
      f(columns);
    });
  }

  void spread(const Field& coarse, Field& fine, bool add, const Scalar* scale) const override {
    device_.exchange(coarse);
    with_columns([&]<class W>(const WeightColumns<W>& w) {
      with_views(coarse, fine, [&]<class C, class F>(View<const C> c, View<F> f) {
        const auto run = [&]<bool adds>(std::bool_constant<adds>) {
          device_.for_columns<TransferSteps>(fine_unknowns_,
                                             WeightedProlong<W, C, F, adds>{c, f, w, places_, address(scale)});
        };
        add ? run(std::true_type()) : run(std::false_type());
      });
    });
  }

  CudaBackend& device_;
  Buffer tables_;
  WeightPlaces places_{};
  Axes<DeviceRows> injection_{};
};

}  // namespace

std::unique_ptr<Transfer> make_weighted_transfer(Backend& backend, const Block& fine, const CoarseBlock& coarse,
                                                 const Weights& weights) {
  return std::make_unique<WeightedTransfer>(backend, fine, coarse, weights);
}

}  // namespace poisson::cuda
