#include <algorithm>
#include <array>
#include <list>
#include <memory>
#include <mutex>
#include <vector>

#include "backends/cuda/cuda_backend.cuh"
#include "backends/cuda/marched.hpp"
#include "grids/axes/axis_transfer.hpp"
#include "grids/kernels/cuda/device_rows.cuh"
#include "grids/kernels/cuda/factories.hpp"
#include "grids/kernels/cuda/model_steps.cuh"
#include "grids/operators/typed_views.hpp"

namespace poisson::cuda {
namespace {

/// `MarchedRows` contains the rows of P for all fine values and for `margin` values past each end, and the tables of a
/// march along the axis. Values past an end are at the other end of a periodic axis, or in the next window of a
/// partitioned axis.
class MarchedRows {
 public:
  MarchedRows(const Axis& fine, const CoarseAxis& coarse, bool constant)
      : n_(fine.size()), N_(coarse.axis.size()), margin(fine.is_global() ? 1 : cut_halo) {
    const Axis all_fine = fine.global(), all_coarse = coarse.axis.global();
    const LinearRows P = linear_rows(all_fine, {all_coarse, coarse.place}, constant);
    const int values = all_fine.size();
    const auto to_global = [&](int i) { return i + fine.origin(); };
    for (int i = -margin; i < n_ + margin; ++i) {
      const int turn = !fine.closed() ? 0 : to_global(i) < 0 ? -1 : to_global(i) / values;
      const auto at = static_cast<std::size_t>(std::clamp(to_global(i) - turn * values, 0, values - 1));
      left.push_back(P.left[at] + turn * all_coarse.size() - coarse.axis.origin());
      weight.push_back(P.weight[at]);
    }
    weight.push_back(1);  // read after the last row, but not used
    // There are no fine values past an open end.
    const int first =
        fine.open(0) || fine.degenerate() ? 0 : std::max(-margin, fine.closed() ? -margin : -to_global(0));
    const int last =
        fine.open(1) || fine.degenerate() ? n_ : n_ + std::min(margin, fine.closed() ? margin : values - to_global(n_));
    const auto left_of = [&](int i) { return left[static_cast<std::size_t>(i + margin)]; };
    for (int I = 0, behind = first; I < N_; ++I) {  // `left` is nondecreasing
      while (behind < last && left_of(behind) < I - 1) ++behind;
      int from = behind, to = behind;
      while (to < last && left_of(to) <= I) ++to;
      while (from < to && share(from, I) == 0) ++from;
      while (to > from && share(to - 1, I) == 0) --to;
      start.push_back(from);
      stop.push_back(to);
      width = std::max(width, to - from);
    }
  }

  /// `Runs` contains rows of `count` consecutive values: where they begin, and four weights for each row. Wherever a
  /// row ends, all its values are within the halo.
  struct Runs {
    std::vector<int> first;
    std::vector<double> weight;
  };
  Runs runs(int count) const {
    Runs all;
    for (int I = 0; I < N_; ++I) {
      const auto at = static_cast<std::size_t>(I);
      all.first.push_back(count == 1 ? start[at] : std::min(start[at], n_ + margin - count));
      for (int s = 0; s < 4; ++s) {
        const int i = all.first.back() + s;
        all.weight.push_back(i >= start[at] && i < stop[at] ? share(i, I) : 0);
      }
    }
    return all;
  }

  std::vector<int> left;
  std::vector<double> weight;
  std::vector<int> start, stop;  ///< range of fine values to which each coarse value contributes
  int width = 1;                 ///< longest range

 private:
  // Returns the weight of coarse value I in fine value i.
  double share(int i, int I) const {
    const auto at = static_cast<std::size_t>(i + margin);
    return left[at] == I ? weight[at] : left[at] == I - 1 ? 1 - weight[at] : 0;
  }
  int n_, N_;

 public:
  int margin;  ///< rows before the first value
};

// Kernels read one weight beyond the last one.
std::vector<double> with_one_more(std::vector<double> weights) {
  weights.push_back(1);
  return weights;
}

/// `Intervals` contains the intervals between coarse values that have fine unknowns, from interval −1, with the
/// beginning and end of each. The last interval of a window may begin with a coarse value of the next window, if the
/// cut leaves a piece of a cell.
struct Intervals {
  int first, last;
  std::vector<int> start, stop;

  Intervals(const LinearRows& P, const Axis& fine, const Axis& coarse)
      : first(P.left[static_cast<std::size_t>(fine.first())]),
        last(P.left[static_cast<std::size_t>(fine.last()) - 1] + 1),
        start(static_cast<std::size_t>(coarse.size()) + 2, fine.last()),
        stop(start) {
    for (int i = fine.last(); i-- > fine.first();) {
      const auto K = static_cast<std::size_t>(P.left[static_cast<std::size_t>(i)] + 1);
      if (start[K] == fine.last()) stop[K] = i + 1;
      start[K] = i;
    }
  }
};

bool same_axis(const Axis& a, const Axis& b) {
  for (const int end : {0, 1})
    if (a.kind(end) != b.kind(end) || a.alpha(end) != b.alpha(end)) return false;
  return a.centering() == b.centering() && a.closed() == b.closed() && a.is_global() == b.is_global() &&
         a.origin() == b.origin() && a.size() == b.size() && a.nodes() == b.nodes();
}

/// `AxisTables` contains the rows of the transfers along an axis. The last ones of the process are kept, because the
/// levels of a new coefficient have the axes of the former ones.
struct AxisTables {
  LinearRows linear;
  MarchedRows rows;
  Intervals between;
  AxisRows sums, cubic, injection;

  AxisTables(const Axis& axis, const CoarseAxis& coarser, bool constant)
      : linear(linear_rows(axis, coarser, constant)),
        rows(axis, coarser, constant),
        between(linear, axis, coarser.axis),
        sums(sum_rows(axis, coarser)),
        cubic(cubic_rows(axis, coarser)),
        injection(injection_rows(axis, coarser)) {}

  static std::shared_ptr<const AxisTables> of(const Axis& axis, const CoarseAxis& coarser, bool constant) {
    struct Kept {
      Axis axis;
      CoarseAxis coarser;
      bool constant;
      std::shared_ptr<const AxisTables> tables;
    };
    constexpr std::size_t most_kept = 64;
    constexpr int longest_kept = 1 << 14;  // a value has about 200 bytes
    static std::mutex mutex;
    static std::list<Kept> all;
    const std::lock_guard lock(mutex);
    const auto found = std::ranges::find_if(all, [&](const Kept& kept) {
      return kept.constant == constant && same_axis(kept.axis, axis) && same_axis(kept.coarser.axis, coarser.axis) &&
             kept.coarser.place == coarser.place;
    });
    if (found != all.end()) {
      all.splice(all.begin(), all, found);
      return all.front().tables;
    }
    auto tables = std::make_shared<const AxisTables>(axis, coarser, constant);
    if (axis.size() > longest_kept) return tables;
    all.push_front({axis, coarser, constant, tables});
    if (all.size() > most_kept) all.pop_back();
    return tables;
  }
};

/// `TensorTransfer` implements the transfers between a block and its coarser one as tensor products of the axes' rows.
class TensorTransfer final : public Transfer {
 public:
  TensorTransfer(Backend& backend, const Block& fine, const CoarseBlock& coarse, bool constant)
      : device_(static_cast<CudaBackend&>(backend)),
        fine_(marched(fine.unknowns(), fine.layout())),
        coarse_(marched(coarse.block.unknowns(), coarse.block.layout())),
        intervals_(fine_),
        cells_(fine.centering() == Centering::cell),
        sums_by_volume_(cells_ ||
                        !std::ranges::all_of(coarse.axes, [](const CoarseAxis& axis) { return axis.nested(); })) {
    Box injected = coarse.block.layout().box();
    DeviceTables tables;
    const bool plane = is_plane(fine.layout());
    std::array<std::shared_ptr<const AxisTables>, 3> along;
    for (std::size_t d = 0; d < 3; ++d) {
      const Axis& axis = fine.axes[d];
      const CoarseAxis& coarser = coarse.axes[d];
      const std::size_t to = plane && d > 0 ? 3 - d : d;  // y is marched
      const AxisTables& own = *(along[to] = AxisTables::of(axis, coarser, constant));
      tables.add(own.linear.left, linear_.axis[to].left);
      tables.add(with_one_more(own.linear.weight), linear_.axis[to].weight);
      if (to == 2) {
        const MarchedRows& rows = own.rows;
        before_march_ = rows.margin;
        tables.add(rows.left, march_.left);
        tables.add(rows.weight, march_.weight);
        tables.add(rows.start, spans_.start);
        tables.add(rows.stop, spans_.stop);
        tables.add(own.between.start, between_.start);
        tables.add(own.between.stop, between_.stop);
        intervals_.first[2] = own.between.first;
        intervals_.last[2] = own.between.last;
      }
      add_rows(tables, own.sums, sums_.axis[to]);
      add_rows(tables, own.cubic, cubic_.axis[to]);
      add_rows(tables, own.injection, injection_.axis[to]);
      if (axis.degenerate() || !cells_) continue;
      if (has_halo_data(axis, 0)) --injected.first[d];
      if (has_halo_data(axis, 1)) ++injected.last[d];
    }
    // Restrict is compiled for these widths of rows.
    const int x_width = along[0]->rows.width, y_width = along[1]->rows.width;
    width_[1] = y_width == 1 ? 1 : std::max({3, x_width, y_width});
    width_[0] = std::max({3, x_width, width_[1]});
    for (std::size_t d = 0; d < 2; ++d) {
      const MarchedRows::Runs runs = along[d]->rows.runs(width_[d]);
      tables.add(runs.first, runs_.axis[d].first);
      tables.add(runs.weight, runs_.axis[d].weight);
    }
    injected_ = marched(injected, coarse.block.layout());
    tables_ = tables.upload(device_);
    // These tables begin before index 0.
    march_.left += before_march_;
    march_.weight += before_march_;
    ++between_.start;
    ++between_.stop;
  }

  void do_restrict_to(const Field& fine, Field& coarse, const Scalar* scale) const override {
    device_.exchange(fine, fine.space().is_global() ? 1 : cut_halo);
    with_marched(fine, coarse, [&]<class F, class C>(View<const F> f, View<C> c) {
      device_.for_columns<TransferSteps>(coarse_, Restrict<F, C>{f, c, runs_.axis[0], runs_.axis[1], width_[0],
                                                                 width_[1], march_, spans_, address(scale)});
    });
  }
  void do_restrict_data(const Field& fine, Field& coarse, const Scalar* scale) const override {
    if (!sums_by_volume_) return restrict_to(fine, coarse, scale);
    gather(coarse_, fine, coarse, sums_, 0, scale);
  }
  void do_prolong(const Field& coarse, Field& fine) const override { prolong<false>(coarse, fine); }
  void do_prolong_add(const Field& coarse, Field& fine) const override { prolong<true>(coarse, fine); }
  void do_interpolate(const Field& coarse, Field& fine, const Scalar* scale) const override {
    reach_over_cuts(coarse);
    with_marched(coarse, fine, [&]<class C, class F>(View<const C> c, View<F> f) {
      device_.for_columns<TransferSteps>(fine_, Interpolate<C, F>{c, f, cubic_, address(scale)});
    });
  }
  void do_inject(const Field& fine, Field& coarse, const Scalar* scale) const override {
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
      device_.for_columns<TransferSteps>(intervals_, Prolong<C, F, add>{c, f, linear_, between_});
    });
  }
  void gather(const Box& box, const Field& fine, Field& coarse, const Axes<DeviceRows>& rows, int shift,
              const Scalar* scale) const {
    reach_over_cuts(fine);
    with_marched(fine, coarse, [&]<class F, class C>(View<const F> f, View<C> c) {
      device_.for_columns<TransferSteps>(box, Gather<F, C>{f, c, rows, shift, address(scale)});
    });
  }
  // Exchanges the halo across cuts. Unpartitioned periodic axes need no halo, because their indices wrap around.
  void reach_over_cuts(const Field& x) const {
    if (!x.space().is_global()) device_.exchange(x, cut_halo);
  }
  static const double* address(const Scalar* scale) { return scale ? scale->address() : nullptr; }

  CudaBackend& device_;
  Box fine_, coarse_;
  Box intervals_;  ///< fine unknowns in x and y, coarse intervals in z
  Box injected_;   ///< the coarse values that injection writes, including faces
  bool cells_, sums_by_volume_;
  Buffer tables_;
  int width_[2] = {};     ///< row widths
  int before_march_ = 1;  ///< rows before value 0
  Axes<DeviceLinear> linear_{};
  Axes<DeviceRuns> runs_{};
  DeviceLinear march_{};
  DeviceSpans spans_{}, between_{};
  Axes<DeviceRows> sums_{}, cubic_{}, injection_{};
};

}  // namespace

std::unique_ptr<Transfer> make_transfer(Backend& backend, const Block& fine, const CoarseBlock& coarse, bool constant) {
  return std::make_unique<TensorTransfer>(backend, fine, coarse, constant);
}

}  // namespace poisson::cuda
