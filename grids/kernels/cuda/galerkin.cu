#include "backends/cuda/cuda_backend.cuh"
#include "grids/kernels/cuda/factories.hpp"
#include "grids/kernels/grid_kernels.hpp"
#include "grids/rows/galerkin_formulas.hpp"
#include "grids/rows/lines_of_bands.hpp"

namespace poisson::cuda {
namespace {

struct Paint {
  Probe probe;
  View<double> unit;
  __device__ void operator()(int i, int j, int k0, int k1) const {
    for (int k = k0; k < k1; ++k) unit(i, j, k) = probe.unit(i, j, k);
  }
};

struct Gather {
  Probe probe;
  __device__ void operator()(int i, int j, int k0, int k1) const {
    for (int k = k0; k < k1; ++k) probe.gather(i, j, k);
  }
};

struct Weigh {
  Collapse collapse;
  int stage;
  __device__ void operator()(int I, int J, int K0, int K1) const {
    for (int K = K0; K < K1; ++K) collapse.weigh(stage, I, J, K);
  }
};

struct Rows {
  Collapse collapse;
  __device__ void operator()(int I, int J, int K0, int K1) const {
    for (int K = K0; K < K1; ++K) collapse.collapse(I, J, K);
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

// Set-up: nothing to share a launch with.
template <class Column>
void launch(Backend& backend, const Box& box, const Column& column) {
  static_assert(sizeof(Column) < 4000, "kernels take 4 KiB of arguments");
  for_columns(static_cast<CudaBackend&>(backend).stream(), box, column);
}

}  // namespace

void paint_colour(Backend& backend, const Probe& probe, Field& unit) {
  launch(backend, unit.layout().box(), Paint{probe, unit.view<double>()});
}

void gather_couplings(Backend& backend, const Probe& probe) {
  launch(backend, box_of(probe.product.n), Gather{probe});
}

void weigh(Backend& backend, const Collapse& collapse, int stage) {
  launch(backend, box_of(collapse.coarse_n), Weigh{collapse, stage});
}

void collapse_rows(Backend& backend, const Collapse& collapse) {
  launch(backend, box_of(collapse.coarse_n), Rows{collapse});
}

void fill_line_rows(Backend& backend, const LinesOfBands& lines, const Box& unknowns) {
  launch(backend, unknowns, LineRowsOfBands{lines});
}

}  // namespace poisson::cuda
