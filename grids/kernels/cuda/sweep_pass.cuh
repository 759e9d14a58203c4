#pragma once

#include <memory>

#include "backends/cuda/cuda_backend.cuh"
#include "grids/kernels/cuda/marched_models.hpp"
#include "grids/kernels/cuda/sweep_march.cuh"
#include "grids/kernels/sweep_passes.hpp"
#include "grids/operators/stencil_base.hpp"
#include "grids/rows/sweep_slabs.hpp"

namespace poisson::cuda {

/// The tile of a pass. Rows that have to be worked out leave registers for fewer sweeps.
template <class T, class Coefficients, bool flat>
struct PassTile {
  static constexpr bool held = Layered<Coefficients>;  // κ
  using Type = std::conditional_t<flat, SweepTile<held ? 2 : 4, 256, sizeof(T) == 4 ? 4 : 2, 0, 3>,
                                  SweepTile<held ? 2 : 3, 512, sizeof(T) == 4 ? 8 : 4, 64>>;
};
template <class T>
struct PassTile<T, Equidistant<T>, false> {
  using Type = SweepTile<4, 512, sizeof(T) == 4 ? 8 : 4, 64>;
};

/// Jacobi's method by SweepMarch.
template <class T, class Coefficients, template <class, class, bool> class Tiles = PassTile>
class MarchedSweeps final : public SweepPass {
  using Tables = typename TablesFor<T, Coefficients>::Type;

 public:
  template <class Own>
  MarchedSweeps(Backend& backend, const Own& rows)
      : backend_(static_cast<CudaBackend&>(backend)),
        space_(rows.block.space()),
        tables_(backend, rows),
        rows_(rows_of(marched_model(tables_.template model<Coefficients>(), space_.layout()))) {
    with_tile([&]<class Tile>(Tile) {
      const int resident = std::min(allow<Tile, false>(), allow<Tile, true>());
      int device = 0, multiprocessors = 0;
      check(cudaGetDevice(&device));
      check(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device));
      const SweptAxis x = swept(0), y = swept(1), z = swept(2);
      const auto pieces = [](const SweptAxis& axis, int size) { return (axis.last - axis.first + size - 1) / size; };
      cut_ = {pieces(x, Tile::written_width), pieces(y, Tile::written_height), 1, 0};
      const int planes = z.last - z.first;
      cut_.slabs = slabs_of(static_cast<long>(cut_.across_x) * cut_.across_y, planes, 2 * Tile::sweeps,
                            multiprocessors * resident);
      cut_.planes = (planes + cut_.slabs - 1) / cut_.slabs;
      cut_.slabs = (planes + cut_.planes - 1) / cut_.planes;
    });
    squares_ = backend.allocate(cut_.blocks() * sizeof(double));
  }

  int sweeps() const override {
    return with_tile([]<class Tile>(Tile) { return Tile::sweeps; });
  }

  void take(double omega, const Field& u, const Field& b, Field& next, Scalar* norm) const override {
    with_tile([&]<class Tile>(Tile) {
      auto* const squares = static_cast<double*>(squares_.data());
      PassRows<T, Coefficients> rows = rows_;
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
      add_squares_kernel<1024><<<1, 1024, 0, stream>>>(squares, static_cast<int>(cut_.blocks()), norm->address());
      launched(stream);
    });
  }

 private:
  // As kernels march.
  SweptAxis swept(std::size_t axis) const {
    const Layout layout = marched(space_.layout());
    const Box box = marched(space_.unknowns(), space_.layout());
    return {box.first[axis], box.last[axis], layout.n[axis], layout.periodic[axis] && layout.n[axis] > 1};
  }
  PassRows<T, Coefficients> rows_of(const Coefficients& c) {
    if constexpr (std::is_same_v<Coefficients, Equidistant<T>>) {
      using Rows = PassRows<T, Coefficients>;
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
  // Lets a kernel have its shared memory; returns the blocks of it that a multiprocessor holds.
  template <class Tile, bool adds>
  static int allow() {
    const auto kernel = sweep_kernel<T, Coefficients, Tile, adds>;
    constexpr unsigned bytes = Tile::template shared_bytes<T>;
    check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
    int resident = 0;
    check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, kernel, Tile::threads, bytes));
    return std::max(resident, 1);
  }
  template <class F>
  auto with_tile(const F& f) const {
    return is_plane(space_.layout()) ? f(typename Tiles<T, Coefficients, true>::Type())
                                     : f(typename Tiles<T, Coefficients, false>::Type());
  }

  CudaBackend& backend_;
  Space space_;
  Tables tables_;
  Buffer equal_rows_;
  PassRows<T, Coefficients> rows_;  // refers to the tables, or to the rows
  SweptTiles cut_{};
  Buffer squares_;
};

/// Whether passes are for a grid: not where verbs share launches, nor where an axis within a plane has but one value.
inline bool suits_passes(const Space& space) {
  const Layout layout = marched(space.layout());
  return space.unknowns().size() > CudaBackend::small_box && layout.n[2] > 1 &&
         (is_plane(space.layout()) || layout.n[1] > 1);
}

}  // namespace poisson::cuda

namespace poisson {

template <>
template <class T, class Own>
std::unique_ptr<SweepPass> SweepPassesOn<OnCuda>::make(Backend& backend, const Own& rows) {
  if (!cuda::suits_passes(rows.block.space())) return nullptr;
  return with_model<T>(rows, [&]<class Coefficients>(Model<Coefficients>) -> std::unique_ptr<SweepPass> {
    return std::make_unique<cuda::MarchedSweeps<T, Coefficients>>(backend, rows);
  });
}

}  // namespace poisson
