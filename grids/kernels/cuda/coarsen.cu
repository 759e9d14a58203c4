#include <algorithm>
#include <array>
#include <vector>

#include "backends/cuda/cuda_backend.cuh"
#include "backends/cuda/device_tables.hpp"
#include "grids/axes/axis_transfer.hpp"
#include "grids/kernels/cuda/device_rows.cuh"
#include "grids/kernels/cuda/factories.hpp"
#include "grids/operators/coarse_face_tables.hpp"
#include "grids/operators/faces.hpp"

namespace poisson::cuda {
namespace {

// `TensorMean` sums f(value) with the weights of rows I, J, K of the axes, which have the indices I + 1, J + 1, K + 1.
struct TensorMean {
  View<const double> fine;
  DeviceRows rows[3];

  template <class F>
  __device__ double operator()(int I, int J, int K, const F& f) const {
    const DeviceRows &x = rows[0], &y = rows[1], &z = rows[2];
    double sum = 0;
    for (int c = 4 * (K + 1); c < 4 * (K + 2) && z.weight[c] != 0; ++c)
      for (int b = 4 * (J + 1); b < 4 * (J + 2) && y.weight[b] != 0; ++b)
        for (int a = 4 * (I + 1); a < 4 * (I + 2) && x.weight[a] != 0; ++a)
          sum += x.weight[a] * y.weight[b] * z.weight[c] * f(fine(x.at[a], y.at[b], z.at[c]));
    return sum;
  }
};

void add_rows(DeviceTables& tables, const std::array<AxisRows, 3>& rows, TensorMean& mean) {
  for (std::size_t d = 0; d < 3; ++d) add_rows(tables, rows[d], mean.rows[d]);
}

struct Cells {
  TensorMean mean;
  View<double> coarse;
  bool of_roots;

  __device__ void operator()(int I, int J, int K0, int K1) const {
    for (int K = K0; K < K1; ++K) {
      const double value = mean(I, J, K, [roots = of_roots](double kappa) { return roots ? sqrt(kappa) : kappa; });
      coarse(I, J, K) = of_roots ? value * value : value;
    }
  }
};

struct SharedGains {
  CoarseFace face;
  View<double> gains;

  __device__ void operator()(int I, int J, int K0, int K1) const {
    for (int K = K0; K < K1; ++K) gains(I, J, K) = face.shared_gain(I, J, K);
  }
};

struct Coarsened {
  CoarseFace face;
  View<double> coarse;
  View<const double> ends;
  TensorMean blended;  // replaces `face` if coarse cells are not unions
  bool nested;
  bool robin[2];
  double width[2];  // end cell widths

  __device__ void operator()(int I, int J, int K0, int K1) const {
    const int axis = face.axis;
    for (int K = K0; K < K1; ++K) {
      int at[3] = {I, J, K};
      const int end = at[axis] == 0 ? 0 : at[axis] == coarse.n[axis] ? 1 : -1;
      if (end >= 0 && robin[end]) {
        at[axis] = 2 * end;
        const double kappa = ends(at[0], at[1], at[2]);
        ++at[axis];
        coarse(I, J, K) = robin_face(kappa, ends(at[0], at[1], at[2]), width[end]);
      } else {
        coarse(I, J, K) = nested ? face(I, J, K) : blended(I, J, K, [](double value) { return value; });
      }
    }
  }
};

struct NoSteps {  // set-up shares no launches
  template <class T>
  using Columns = ColumnList<>;
};

}  // namespace

void coarsen_cells(Backend& backend, const Block& fine, const CoarseBlock& coarse, const Field& fine_cells,
                   Field& coarse_cells, CellMean kind, bool with_faces) {
  auto& device = static_cast<CudaBackend&>(backend);
  Cells cells{{fine_cells.view<double>(), {}}, coarse_cells.view<double>(), kind == CellMean::of_roots};
  std::array<AxisRows, 3> rows;
  for (std::size_t d = 0; d < 3; ++d) rows[d] = cell_means(fine.axes[d], coarse.axes[d]);
  DeviceTables tables;
  add_rows(tables, rows, cells.mean);
  const Buffer memory = tables.upload(backend);
  Box box = coarse_cells.layout().box();
  if (with_faces) box = with_halo(fine, box);
  device.for_columns<NoSteps>(box, cells);
}

void coarsen_faces(Backend& backend, const FaceRows& fine, const CoarseBlock& coarse, std::size_t axis,
                   const Field* coarse_ends, Field& gains, Field& coarse_faces) {
  auto& device = static_cast<CudaBackend&>(backend);
  const Axis& across = coarse.block.axes[axis];
  Coarsened coarsened{};
  coarsened.coarse = coarse_faces.view<double>();
  coarsened.face.axis = static_cast<int>(axis);
  if (coarse_ends) {
    coarsened.ends = coarse_ends->view<double>();
    for (int end = 0; end < 2; ++end) {
      coarsened.robin[end] = across.kind(end) == BoundaryKind::robin;
      coarsened.width[end] = across.width(end == 0 ? 0 : across.cells() - 1);
    }
  }
  coarsened.nested = std::ranges::all_of(coarse.axes, [](const CoarseAxis& a) { return a.nested(); });
  coarsened.blended.fine = fine.across(axis).view<double>();
  DeviceTables tables;
  add_rows(tables, blended_faces(fine.block, coarse, axis), coarsened.blended);
  std::array<CoarseFaceTables, 3> along;
  for (std::size_t d = 0; d < 3; ++d) {
    coarsened.face.fine[d] = fine.across(d).view<double>();
    if (!coarsened.nested) continue;
    along[d] = {fine.block.axes[d], coarse.axes[d]};
    tables.add(along[d].begin, coarsened.face.along[d].begin);
    tables.add(along[d].width, coarsened.face.along[d].width);
  }
  const Buffer memory = tables.upload(backend);
  for (std::size_t d = 0; d < 3 && coarsened.nested; ++d)
    coarsened.face.along[d] = along[d].with(coarsened.face.along[d].begin, coarsened.face.along[d].width);
  Box box = coarse_faces.layout().box();
  if (across.open(1)) ++box.last[axis];
  if (coarsened.nested) {
    device.for_columns<NoSteps>(box_of_gains(coarse, axis, box), SharedGains{coarsened.face, gains.view<double>()});
    coarsened.face.gains = gains.view<double>();
  }
  device.for_columns<NoSteps>(box, coarsened);
}

}  // namespace poisson::cuda
