#include "backends/cuda/cuda_backend.cuh"
#include "grids/kernels/cuda/factories.hpp"
#include "grids/kernels/grid_kernels.hpp"
#include "grids/rows/lines_of_bands.hpp"
#include "grids/rows/regular_product.hpp"
#include "grids/rows/stencil_probe.hpp"

namespace poisson::cuda {
namespace {

struct Paint {
  StencilProbe probe;
  View<double> unit;
  __device__ void operator()(int i, int j, int k0, int k1) const {
    for (int k = k0; k < k1; ++k) unit(i, j, k) = probe.unit(i, j, k);
  }
};

struct Gather {
  StencilProbe probe;
  __device__ void operator()(int i, int j, int k0, int k1) const {
    for (int k = k0; k < k1; ++k) probe.gather(i, j, k);
  }
};

// Formulas that are unrolled over 27 couplings spill kilobytes of registers.
template <class Regular>
struct OnDeviceOf {
  using Type = Regular;
};
template <>
struct OnDeviceOf<RegularProduct<3, false>> {
  using Type = NoRegularProduct;
};
template <class Regular>
using OnDevice = typename OnDeviceOf<Regular>::Type;

template <class Regular>
struct Weigh {
  static constexpr int resident_threads = 256;  // keeps 27 weights in registers
  GalerkinProduct product;
  __device__ void operator()(int I, int J, int K0, int K1) const {
    for (int K = K0; K < K1; ++K) weigh_any<Regular>(product, I, J, K);
  }
};

template <class Regular>
struct Rows {
  static constexpr int resident_threads = 256;  // sums over 27 rows need registers
  GalerkinProduct product;
  __device__ void operator()(int I, int J, int K0, int K1) const {
    for (int K = K0; K < K1; ++K) multiply_any<Regular>(product, I, J, K);
  }
};

struct LineRowsOfBands {
  LinesOfBands lines;
  __device__ void operator()(int i, int j, int k0, int k1) const {
    for (int k = k0; k < k1; ++k) lines(i, j, k);
  }
};

Box box_of(const int (&n)[3]) {
  return {{0, 0, 0}, {n[0], n[1], n[2]}};
}

// Set-up has no other kernel that could share the launch.
template <class Column>
void launch(Backend& backend, const Box& box, const Column& column) {
  static_assert(sizeof(Column) < 4000, "kernels take 4 KiB of arguments");
  for_columns(static_cast<CudaBackend&>(backend).stream(), box, column);
}

}  // namespace

void paint_colour(Backend& backend, const StencilProbe& probe, Field& unit) {
  launch(backend, unit.layout().box(), Paint{probe, unit.view<double>()});
}

void gather_couplings(Backend& backend, const StencilProbe& probe) {
  launch(backend, box_of(probe.product.n), Gather{probe});
}

void weigh(Backend& backend, const GalerkinProduct& product) {
  with_regular_product(product, [&]<class Regular>(Regular) {
    launch(backend, box_of(product.coarse_n), Weigh<OnDevice<Regular>>{product});
  });
}

void galerkin_rows(Backend& backend, const GalerkinProduct& product) {
  with_regular_product(product, [&]<class Regular>(Regular) {
    launch(backend, box_of(product.coarse_n), Rows<OnDevice<Regular>>{product});
  });
}

void fill_line_rows(Backend& backend, const LinesOfBands& lines, const Box& unknowns) {
  launch(backend, unknowns, LineRowsOfBands{lines});
}

}  // namespace poisson::cuda
