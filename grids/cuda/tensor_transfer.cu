#include <algorithm>
#include <array>
#include <vector>

#include "backends/cuda/cuda_backend.cuh"
#include "backends/cuda/marched.hpp"
#include "grids/axis_transfer.hpp"
#include "grids/cuda/device_rows.cuh"
#include "grids/cuda/factories.hpp"
#include "grids/cuda/model_steps.cuh"
#include "grids/typed_views.hpp"

namespace poisson::cuda {
namespace {

int width_of(const AxisRows& rows) {
  int width = 1;
  for (const auto& weights : rows.weight)
    for (int s = 0; s < 4; ++s)
      if (weights[static_cast<std::size_t>(s)] != 0) width = std::max(width, s + 1);
  return width;
}

/// The rows of P for a march along z: from one before the first to one past the last fine value, which on a periodic
/// axis lie at its other end; with the fine values that each coarse one takes part in.
struct MarchedRows {
  std::vector<int> left, start, stop;
  std::vector<double> weight;

  MarchedRows(const LinearRows& P, const Axis& fine, const Axis& coarse) {
    const int n = static_cast<int>(P.left.size()), N = coarse.size();
    for (int i = -1; i <= n; ++i) {
      const int turn = !fine.periodic() ? 0 : i < 0 ? -1 : i / n;
      const auto at = static_cast<std::size_t>(std::clamp(i - turn * n, 0, n - 1));
      left.push_back(P.left[at] + turn * N);
      weight.push_back(P.weight[at]);
    }
    const int first = fine.periodic() ? -1 : 0, last = fine.periodic() ? n + 1 : n;
    for (int I = 0; I < N; ++I) {
      const auto takes = [&](int i) {
        const auto at = static_cast<std::size_t>(i + 1);
        return (left[at] == I && weight[at] != 0) || (left[at] == I - 1 && weight[at] != 1);
      };
      int from = first, to = last;
      while (from < to && !takes(from)) ++from;
      while (to > from && !takes(to - 1)) --to;
      start.push_back(from);
      stop.push_back(to);
    }
  }
};

/// Transfers between a block and its coarser one, as tensor products of the axes' rows.
class TensorTransfer final : public Transfer {
 public:
  TensorTransfer(Backend& backend, const Block& fine, const CoarseBlock& coarse, bool constant)
      : device_(static_cast<CudaBackend&>(backend)),
        fine_(marched(fine.unknowns(), fine.layout())),
        coarse_(marched(coarse.block.unknowns(), coarse.block.layout())),
        cells_(fine.centering() == Centering::cell),
        sums_by_volume_(cells_ ||
                        !std::ranges::all_of(coarse.axes, [](const CoarseAxis& axis) { return axis.nested(); })) {
    Box injected = coarse.block.layout().box();
    DeviceTables tables;
    const bool plane = is_plane(fine.layout());
    for (std::size_t d = 0; d < 3; ++d) {
      const Axis& axis = fine.axes[d];
      const CoarseAxis& coarser = coarse.axes[d];
      const std::size_t to = plane && d > 0 ? 3 - d : d;  // y is marched along
      const LinearRows P = linear_rows(axis, coarser, constant);
      const AxisRows restriction = transposed(P, axis, coarser);
      tables.add(P.left, linear_.axis[to].left);
      tables.add(P.weight, linear_.axis[to].weight);
      add_rows(tables, restriction, restriction_.axis[to]);
      width_[to] = width_of(restriction);
      add_rows(tables, sum_rows(axis, coarser), sums_.axis[to]);
      add_rows(tables, cubic_rows(axis, coarser), cubic_.axis[to]);
      add_rows(tables, injection_rows(axis, coarser), injection_.axis[to]);
      if (to == 2) {
        const MarchedRows rows(P, axis, coarser.axis);
        tables.add(rows.left, march_.left);
        tables.add(rows.weight, march_.weight);
        tables.add(rows.start, spans_.start);
        tables.add(rows.stop, spans_.stop);
      }
      if (axis.degenerate() || !cells_) continue;
      if (has_halo_data(axis, 0)) --injected.first[d];
      if (has_halo_data(axis, 1)) ++injected.last[d];
    }
    injected_ = marched(injected, coarse.block.layout());
    tables_ = tables.upload(device_);
    ++march_.left;
    ++march_.weight;
  }

  void restrict_to(const Field& fine, Field& coarse, const Scalar* scale) const override {
    with_marched(fine, coarse, [&]<class F, class C>(View<const F> f, View<C> c) {
      device_.for_columns<TransferSteps>(coarse_, Restrict<F, C>{f, c, restriction_.axis[0], restriction_.axis[1],
                                                                 width_[0], width_[1], march_, spans_, address(scale)});
    });
  }
  void restrict_data(const Field& fine, Field& coarse, const Scalar* scale) const override {
    if (!sums_by_volume_) return restrict_to(fine, coarse, scale);
    gather(coarse_, fine, coarse, sums_, 0, scale);
  }
  void prolong(const Field& coarse, Field& fine) const override { prolong<false>(coarse, fine); }
  void prolong_add(const Field& coarse, Field& fine) const override { prolong<true>(coarse, fine); }
  void interpolate(const Field& coarse, Field& fine, const Scalar* scale) const override {
    with_marched(coarse, fine, [&]<class C, class F>(View<const C> c, View<F> f) {
      device_.for_columns<TransferSteps>(fine_, Interpolate<C, F>{c, f, cubic_, address(scale)});
    });
  }
  void inject(const Field& fine, Field& coarse, const Scalar* scale) const override {
    gather(injected_, fine, coarse, injection_, 1, scale);
  }

 private:
  template <class Body>
  static void with_marched(const Field& from, Field& to, const Body& body) {
    with_views(from, to, [&]<class From, class To>(View<const From> f, View<To> t) {
      body.template operator()<From, To>(marched(f), marched(t));
    });
  }
  template <bool add>
  void prolong(const Field& coarse, Field& fine) const {
    device_.exchange(coarse);
    with_marched(coarse, fine, [&]<class C, class F>(View<const C> c, View<F> f) {
      device_.for_columns<TransferSteps>(fine_, Prolong<C, F, add>{c, f, linear_});
    });
  }
  void gather(const Box& box, const Field& fine, Field& coarse, const Axes<DeviceRows>& rows, int shift,
              const Scalar* scale) const {
    with_marched(fine, coarse, [&]<class F, class C>(View<const F> f, View<C> c) {
      device_.for_columns<TransferSteps>(box, Gather<F, C>{f, c, rows, shift, address(scale)});
    });
  }
  static const double* address(const Scalar* scale) { return scale ? scale->address() : nullptr; }

  CudaBackend& device_;
  Box fine_, coarse_;
  Box injected_;  ///< the coarse values that injection writes, those on faces included
  bool cells_, sums_by_volume_;
  Buffer tables_;
  int width_[3] = {};
  Axes<DeviceLinear> linear_{};
  DeviceLinear march_{};
  DeviceSpans spans_{};
  Axes<DeviceRows> restriction_{}, sums_{}, cubic_{}, injection_{};
};

}  // namespace

std::unique_ptr<Transfer> make_transfer(Backend& backend, const Block& fine, const CoarseBlock& coarse, bool constant) {
  return std::make_unique<TensorTransfer>(backend, fine, coarse, constant);
}

}  // namespace poisson::cuda
