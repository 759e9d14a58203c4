#include <vector>

#include "backends/cuda/cuda_backend.cuh"
#include "backends/cuda/device_tables.hpp"
#include "grids/coarse_face.hpp"
#include "grids/cuda/factories.hpp"
#include "grids/faces.hpp"

namespace poisson::cuda {
namespace {

struct Coarsened {
  CoarseFace face;
  View<double> coarse;
  View<const double> ends;
  bool robin[2];
  double width[2];  // of the coarse cells at the ends

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
        coarse(I, J, K) = face(I, J, K);
      }
    }
  }
};

struct NoSteps {  // set-up: nothing to share a launch with
  template <class T>
  using Columns = ColumnList<>;
};

}  // namespace

void coarsen_faces(Backend& backend, const Block& fine, const CoarseBlock& coarse, std::size_t axis,
                   const FaceFields& fine_faces, const Field* coarse_ends, Field& coarse_faces) {
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
  DeviceTables tables;
  for (std::size_t d = 0; d < 3; ++d) {
    const Axis& finer = fine.axes[d];
    const int fine_size = fine_faces[d]->layout().n[d];
    std::vector<int> begin = coarse.axes[d].fine;
    begin.push_back(fine_size);
    std::vector<double> width;
    for (int i = 0; i < fine_size; ++i) width.push_back(finer.width(i));
    coarsened.face.fine[d] = fine_faces[d]->view<double>();
    CoarseFace::Along& along = coarsened.face.along[d];
    along = {nullptr, nullptr, fine_size, coarsened.coarse.n[d], finer.periodic()};
    tables.add(begin, along.begin);
    tables.add(width, along.width);
  }
  const Buffer memory = tables.upload(backend);
  Box box = coarse_faces.layout().box();
  if (!across.periodic()) ++box.last[axis];
  device.for_columns<NoSteps>(box, coarsened);
}

}  // namespace poisson::cuda
