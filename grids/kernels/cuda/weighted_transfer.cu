#include <array>
#include <memory>
#include <type_traits>
#include <vector>

#include "backends/cuda/cuda_backend.cuh"
#include "backends/cuda/device_tables.hpp"
#include "grids/axes/axis_transfer.hpp"
#include "grids/axes/coarse_places.hpp"
#include "grids/kernels/cuda/device_rows.cuh"
#include "grids/kernels/cuda/factories.hpp"
#include "grids/kernels/cuda/model_steps.cuh"
#include "grids/kernels/cuda/weighted_cells.cuh"
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
    all_along_ = axes_of_all_weights();
    for (std::size_t d = 0; d < 3; ++d) {
      const CoarsePlaces places(fine.axes[d], coarse.axes[d], GalerkinProduct::none);
      tables.add(std::vector<int>(places.centre.begin() + 1, places.centre.end() - 1), places_.centre[d]);
      tables.add(places.parents, places_.parents[d]);
      add_fine_of_coarse(tables, d, places.parents);
      add_rows(tables, injection_rows(fine.axes[d], coarse.axes[d]), injection_.axis[d]);
    }
    tables_ = tables.upload(backend);
  }

  void do_restrict_to(const Field& fine, Field& coarse, const Scalar* scale) const override {
    device_.exchange(fine);
    with_columns([&]<class W>(const WeightColumns<W>& w) {
      with_views(fine, coarse, [&]<class F, class C>(View<const F> f, View<C> c) {
        device_.for_columns<TransferSteps>(coarse_unknowns_,
                                           WeightedRestrict<W, F, C>{f, c, w, places_, address(scale)});
      });
    });
  }
  void do_inject(const Field& fine, Field& coarse, const Scalar* scale) const override {
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
          if constexpr (std::is_same_v<W, F> && std::is_same_v<F, C>)
            if (all_along_ > 0 && !device_.shares(fine_unknowns_))
              return with_dimension([&]<int dimension>(std::integral_constant<int, dimension>) {
                cuda::for_columns(device_.stream(), numbers(spreading_),
                                  SpreadFromCoarse<W, dimension, adds>{c, f, w, fine_of_coarse_, numbered(spreading_),
                                                                       address(scale)});
              });
          device_.for_columns<TransferSteps>(fine_unknowns_,
                                             WeightedProlong<W, C, F, adds>{c, f, w, places_, address(scale)});
        };
        add ? run(std::true_type()) : run(std::false_type());
      });
    });
  }

  /// Returns 3 or 2 if the weights are exactly those of all neighbours in a box or in a plane across z, otherwise 0.
  int axes_of_all_weights() const {
    int in_plane = 0, all = 0;
    for (int code = 0; code < 27; ++code) {
      if (!weights_[static_cast<std::size_t>(code)]) continue;
      ++all;
      if (offset_of(code, 2) == 0) ++in_plane;
    }
    return all == 26 ? 3 : all == 8 && in_plane == 8 ? 2 : 0;
  }
  template <class F>
  void with_dimension(const F& f) const {
    all_along_ == 3 ? f(std::integral_constant<int, 3>()) : f(std::integral_constant<int, 2>());
  }
  void add_fine_of_coarse(DeviceTables& tables, std::size_t d, const std::vector<int>& parents) {
    const int begin = fine_unknowns_.first[d], end = fine_unknowns_.last[d];
    if (end <= begin) return;
    const auto parent = [&](int i) { return parents[static_cast<std::size_t>(i)] >> 1; };
    const int first = parent(begin), last = parent(end - 1);
    std::vector<int> fine(2 * static_cast<std::size_t>(last - first + 1), -1);
    for (int i = begin; i < end; ++i)
      fine[static_cast<std::size_t>(parents[static_cast<std::size_t>(i)] - 2 * first)] = i;
    spreading_.first[d] = first;
    spreading_.last[d] = last + 1;
    fine_of_coarse_.first[d] = first;
    tables.add(fine, fine_of_coarse_.fine[d]);
  }
  static NumberedColumns numbered(const Box& box) { return {{box.first[0], box.first[1]}, box.last[0] - box.first[0]}; }
  /// Returns a box whose x numbers the columns of `box` along z.
  static Box numbers(const Box& box) {
    const int columns = (box.last[0] - box.first[0]) * (box.last[1] - box.first[1]);
    return {{0, 0, box.first[2]}, {columns, 1, box.last[2]}};
  }

  CudaBackend& device_;
  int all_along_ = 0;
  Buffer tables_;
  WeightPlaces places_{};
  FineOfCoarse fine_of_coarse_{};
  Box spreading_{};  ///< coarse values that have fine unknowns at or after them
  Axes<DeviceRows> injection_{};
};

}  // namespace

std::unique_ptr<Transfer> make_weighted_transfer(Backend& backend, const Block& fine, const CoarseBlock& coarse,
                                                 const Weights& weights) {
  return std::make_unique<WeightedTransfer>(backend, fine, coarse, weights);
}

}  // namespace poisson::cuda
