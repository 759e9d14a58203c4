#include <vector>

#include "backends/cuda/cuda_backend.cuh"
#include "backends/cuda/device_tables.hpp"
#include "grids/cuda/factories.hpp"
#include "grids/faces.hpp"

namespace poisson::cuda {
namespace {

// The fine values that belong to coarse value I along an axis: from begin[I] on, along the faces' own axis that one
// alone, across it the cells up to begin[I + 1].
struct FineValues {
  const int* begin;
  const double* width;  // of the fine cells
};

// Coarse faces as the means of the fine faces on them; behind Robin faces from the coarse ends.
struct MeanOfFaces {
  View<const double> fine;
  View<double> coarse;
  FineValues along[3];
  int axis;
  View<const double> ends;
  bool robin[2];
  double width[2];  // of the coarse cells at the ends

  __device__ void operator()(int I, int J, int K0, int K1) const {
    for (int K = K0; K < K1; ++K) {
      int at[3] = {I, J, K};
      const int end = at[axis] == 0 ? 0 : at[axis] == coarse.n[axis] ? 1 : -1;
      double value = 0;
      if (end >= 0 && robin[end]) {
        at[axis] = 2 * end;
        const double kappa = ends(at[0], at[1], at[2]);
        ++at[axis];
        value = robin_face(kappa, ends(at[0], at[1], at[2]), width[end]);
      } else {
        int last[3];
        for (int d = 0; d < 3; ++d) last[d] = d == axis ? along[d].begin[at[d]] + 1 : along[d].begin[at[d] + 1];
        double sum = 0, area = 0;
        for (int k = along[2].begin[K]; k < last[2]; ++k)
          for (int j = along[1].begin[J]; j < last[1]; ++j)
            for (int i = along[0].begin[I]; i < last[0]; ++i) {
              const double a = (axis == 0 ? 1 : along[0].width[i]) * (axis == 1 ? 1 : along[1].width[j]) *
                               (axis == 2 ? 1 : along[2].width[k]);
              sum += a * fine(i, j, k);
              area += a;
            }
        value = sum / area;
      }
      coarse(I, J, K) = value;
    }
  }
};

struct NoSteps {  // set-up: nothing to share a launch with
  template <class T>
  using Columns = ColumnList<>;
};

}  // namespace

void coarsen_faces(Backend& backend, const Block& fine, const CoarseBlock& coarse, std::size_t axis,
                   const Field& fine_faces, const Field* coarse_ends, Field& coarse_faces) {
  auto& device = static_cast<CudaBackend&>(backend);
  const Axis& across = coarse.block.axes[axis];
  MeanOfFaces mean{};
  mean.fine = fine_faces.view<double>();
  mean.coarse = coarse_faces.view<double>();
  mean.axis = static_cast<int>(axis);
  if (coarse_ends) {
    mean.ends = coarse_ends->view<double>();
    for (int end = 0; end < 2; ++end) {
      mean.robin[end] = across.kind(end) == BoundaryKind::robin;
      mean.width[end] = across.width(end == 0 ? 0 : across.cells() - 1);
    }
  }
  DeviceTables tables;
  for (std::size_t d = 0; d < 3; ++d) {
    const int fine_size = fine_faces.layout().n[d];
    std::vector<int> begin = coarse.axes[d].fine;
    begin.push_back(fine_size);
    std::vector<double> width;
    for (int i = 0; i < fine_size; ++i) width.push_back(fine.axes[d].width(i));
    tables.add(begin, mean.along[d].begin);
    tables.add(width, mean.along[d].width);
  }
  const Buffer memory = tables.upload(backend);
  Box box = coarse_faces.layout().box();
  if (!across.periodic()) ++box.last[axis];
  device.for_columns<NoSteps>(box, mean);
}

}  // namespace poisson::cuda
