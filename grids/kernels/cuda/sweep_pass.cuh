#pragma once

#include <algorithm>
#include <memory>

#include "backends/cuda/cuda_backend.cuh"
#include "backends/memory/round_up.hpp"
#include "grids/kernels/cuda/marched_models.hpp"
#include "grids/kernels/cuda/sweep_march.cuh"
#include "grids/kernels/sweep_passes.hpp"
#include "grids/operators/stencil_base.hpp"
#include "grids/rows/sweep_slabs.hpp"

namespace poisson::cuda {

/// `PassTile` chooses the tile of a pass.
template <class T, class Coefficients, bool flat>
struct PassTile {
  using Type = std::conditional_t<flat, SweepTile<4, 256, sizeof(T) == 4 ? 4 : 2, 0, 3>, SweepTile<3, 512, 4, 64>>;
};
template <class T>
struct PassTile<T, Equidistant<T>, true> {
  using Type = SweepTile<6, 256, sizeof(T) == 4 ? 2 : 1, 0, 4, true>;
};
template <>
struct PassTile<float, Equidistant<float>, false> {
  using Type = SweepTile<3, 512, 8, 64>;
};
/// With stored κ, passes run only in planes: in three dimensions no pass is faster than its sweeps.
template <class T, Layered Coefficients>
struct PassTile<T, Coefficients, true> {
  using Type = SweepTile<4, 256, sizeof(T) == 4 ? 2 : 1, 0, 2>;
};

/// `PartTile` chooses the tile of a pass on a sub-block, whose halo is wide enough for `cut_halo` sweeps.
template <class T, class Coefficients, bool flat>
struct PartTile {
  using Type =
      std::conditional_t<flat, SweepTile<cut_halo, 256, sizeof(T) == 4 ? 4 : 2, 0, 3>, SweepTile<cut_halo, 512, 4, 64>>;
};
template <>
struct PartTile<float, Equidistant<float>, false> {
  using Type = SweepTile<cut_halo, 512, 8, 64>;
};

/// `MarchedSweeps` runs Jacobi's method with SweepMarch. `flat` means that the grid is a plane.
template <class T, class Coefficients, bool flat, template <class, class, bool> class Tiles>
class MarchedSweeps final : public SweepPass {
  using Tables = typename TablesFor<T, Coefficients>::Type;
  using Tile = typename Tiles<T, Coefficients, flat>::Type;
  using Rows = PassRows<T, Coefficients, flat>;

 public:
  template <class Own>
  MarchedSweeps(Backend& backend, const Own& rows)
      : backend_(static_cast<CudaBackend&>(backend)),
        space_(rows.block.space()),
        tables_(backend, rows),
        rows_(rows_of(marched_model(tables_.template model<Coefficients>(), space_.part().layout()))) {
    const int resident = std::min(allow<false>(), allow<true>());
    int device = 0, multiprocessors = 0;
    check(cudaGetDevice(&device));
    check(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device));
    const SweptAxis x = swept(0), y = swept(1), z = swept(2);
    const auto pieces = [](const SweptAxis& axis, int size) { return divide_up(axis.last - axis.first, size); };
    cut_ = {pieces(x, Tile::written_width), pieces(y, Tile::written_height), 1, 0};
    const int planes = z.last - z.first;
    cut_.slabs = slabs_of(static_cast<long>(cut_.across_x) * cut_.across_y, planes, 2 * Tile::sweeps,
                          multiprocessors * resident);
    cut_.planes = divide_up(planes, cut_.slabs);
    cut_.slabs = divide_up(planes, cut_.planes);
    squares_ = backend.allocate(cut_.blocks() * sizeof(double));
  }

  int sweeps() const override { return Tile::sweeps; }

  void do_take(double omega, const Field& u, const Field& b, Field& next, Scalar* norm) const override {
    if (!space_.is_global()) backend_.exchange(u, Tile::sweeps);
    auto* const squares = static_cast<double*>(squares_.data());
    Rows rows = rows_;
    rows.set(static_cast<T>(omega));
    const cudaStream_t stream = backend_.stream();
    const auto march = [&]<bool adds>(std::bool_constant<adds>) {
      sweep_kernel<T, Coefficients, Tile, adds>
          <<<cut_.blocks(), Tile::threads, Tile::template shared_bytes<T>, stream>>>(
              {rows, marched(u.view<T>()), marched(b.view<T>()), marched(next.view<T>()), static_cast<T>(omega),
               swept(0), swept(1), swept(2), cut_, squares});
      launched(stream);
    };
    if (!norm) return march(std::false_type());
    march(std::true_type());
    double* const sum = space_.is_global() ? norm->address() : backend_.partials();
    add_squares_kernel<1024><<<1, 1024, 0, stream>>>(squares, static_cast<int>(cut_.blocks()), sum);
    launched(stream);
    if (space_.is_global()) return;
    PlaneSums one(Box(), Tiling(Box()), 1);  // the sum of this process counts as one plane
    one.groups = 1;
    backend_.add_up(space_, one, 1, *norm);
  }

 private:
  // Returns an axis of the space, with y and z exchanged if kernels exchange them.
  SweptAxis swept(int axis) const {
    const int own = is_plane(space_.part().layout()) ? exchanged_axis(axis) : axis;
    return swept_axis(space_, static_cast<std::size_t>(own), Tile::sweeps);
  }
  Rows rows_of(const Coefficients& c) {
    if constexpr (std::is_same_v<Coefficients, Equidistant<T>>) {
      std::array<RelaxedRow<T>, Rows::count> host{};
      equal_rows_ = backend_.allocate(sizeof host);
      auto* const all = static_cast<RelaxedRow<T>*>(equal_rows_.data());
      equal_rows_kernel<<<1, Rows::count, 0, backend_.stream()>>>(c, all);
      launched(backend_.stream());
      backend_.read(all, host.data(), sizeof host);
      const auto kind = [](int last) { return last == 0 ? 0 : 1; };
      return {
          all, {c.x.last, c.y.last, c.z.last}, host[kind(c.x.last) + 3 * kind(c.y.last) + 9 * kind(c.z.last)], T(0)};
    } else {
      return {c};
    }
  }
  // Raises the limit of the kernel's shared memory, and returns the number of its blocks that fit a multiprocessor.
  template <bool adds>
  static int allow() {
    const auto kernel = sweep_kernel<T, Coefficients, Tile, adds>;
    constexpr unsigned bytes = Tile::template shared_bytes<T>;
    check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
    int resident = 0;
    check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, kernel, Tile::threads, bytes));
    return std::max(resident, 1);
  }
  CudaBackend& backend_;
  Space space_;
  Tables tables_;
  Buffer equal_rows_;
  Rows rows_;  // refers to tables_ or equal_rows_
  SweptTiles cut_{};
  Buffer squares_;
};

template <class T, class Coefficients, template <class, class, bool> class Tiles = PassTile, class Own>
std::unique_ptr<SweepPass> make_marched_sweeps(Backend& backend, const Own& rows) {
  if (is_plane(rows.block.space().part().layout()))
    return std::make_unique<MarchedSweeps<T, Coefficients, true, Tiles>>(backend, rows);
  return std::make_unique<MarchedSweeps<T, Coefficients, false, Tiles>>(backend, rows);
}

/// Creates the pass of a sub-block. It is compiled separately (sweep_pass_of_part.cuh).
template <class T>
std::unique_ptr<SweepPass> make_sweep_pass_of_part(Backend&, const LevelRows&);

}  // namespace poisson::cuda

namespace poisson {

template <>
template <class T, class Own>
std::unique_ptr<SweepPass> SweepPassesOn<OnCuda>::make(Backend& backend, const Own& rows) {
  constexpr bool stored = !std::is_same_v<Own, LevelRows>;
  if constexpr (!stored)
    if (!rows.block.space().is_global()) return cuda::make_sweep_pass_of_part<T>(backend, rows);
  return with_model<T>(rows, [&]<class Coefficients>(Model<Coefficients>) -> std::unique_ptr<SweepPass> {
    if constexpr (stored)
      return std::make_unique<cuda::MarchedSweeps<T, Coefficients, true, cuda::PassTile>>(backend, rows);
    else
      return cuda::make_marched_sweeps<T, Coefficients>(backend, rows);
  });
}

}  // namespace poisson
