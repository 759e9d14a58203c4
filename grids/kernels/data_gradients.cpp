#include "grids/kernels/data_gradients.hpp"

#include <algorithm>
#include <vector>

#include "backends/cpu/launch.hpp"
#include "backends/device/backend.hpp"
#include "grids/kernels/data_gradient_columns.hpp"
#include "grids/sampling/sampling.hpp"

namespace poisson {
namespace {

// Runs a formula that the compiler sees for one kind alone, so that its choice does not cost in every cell.
template <DataGradient kind, class T>
void on_host(const GradientData<T>& data, const Array& to) {
  auto* const out = static_cast<T*>(to.data);
  cpu::for_each_line(Box{{0, 0, 0}, to.shape}, [&](int j, int k) {
    T* const line = out + (static_cast<std::int64_t>(k) * to.shape[1] + j) * to.shape[0];
    for (int i = 0; i < to.shape[0]; ++i) line[i] = static_cast<T>(gradient_of(kind, data, i, j, k));
  });
}

}  // namespace

void compute_gradient(Backend* backend, const Block& block, DataGradient kind, const GradientArrays& arrays,
                      const Array& to) {
  std::vector<double> widths;
  std::array<std::size_t, 3> start{};
  for (std::size_t d = 0; d < 3; ++d) {
    const Axis& axis = block.axes[d];
    start[d] = widths.size();
    const auto cells = static_cast<std::size_t>(std::max(1, axis.cells()));
    widths.resize(start[d] + cells, axis.width(0));
    if (!axis.equidistant())
      for (std::size_t i = 0; i < cells; ++i) widths[start[d] + i] = axis.width(static_cast<int>(i));
  }
  Buffer there;
  const double* table = widths.data();
  const bool on_gpu = backend && backend->on_gpu();
  if (on_gpu) {
    there = backend->allocate(widths.size() * sizeof(double));
    backend->write(widths.data(), there.data(), there.bytes());
    table = static_cast<const double*>(there.data());
  }
  dispatch(to.precision, [&]<class T>(T) {
    GradientData<T> data;
    data.u = static_cast<const T*>(arrays.u);
    data.lambda = static_cast<const T*>(arrays.lambda);
    data.first_axis = arrays.first_axis;
    data.last_axis = std::min(arrays.last_axis, block.dimension());
    data.at_nodes = block.centering() == Centering::node;
    for (std::size_t d = 0; d < 3; ++d) {
      const Axis& axis = block.axes[d];
      data.kappa[d] = static_cast<const T*>(arrays.kappa[d]);
      std::ranges::copy(arrays.faces[d], data.face[d]);
      data.cells[d] = std::max(1, axis.cells());
      data.flat[d] = axis.degenerate();
      data.values[d] = data.cells[d] + (data.at_nodes && !axis.degenerate() ? 1 : 0);
      data.width[d] = table + start[d];
      data.periodic[d] = axis.closed();
    }
#ifdef POISSON_HAVE_CUDA
    if (on_gpu) return cuda::compute_gradient(*backend, kind, data, to);
#endif
    for_kind(kind, [&]<DataGradient of>(KindOf<of>) { on_host<of>(data, to); });
  });
}

}  // namespace poisson
