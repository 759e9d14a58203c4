#include <vector>

#include "backends/cuda/cuda_backend.cuh"
#include "backends/cuda/device_tables.hpp"
#include "backends/cuda/each_point.cuh"
#include "grids/kernels/coarsening.hpp"
#include "grids/kernels/cuda/factories.hpp"

namespace poisson::cuda {
namespace {

class SetUpOnDevice {
 public:
  explicit SetUpOnDevice(Backend& backend) : device_(static_cast<CudaBackend&>(backend)) {}
  template <class T>
  void add(const std::vector<T>& values, const T*& there) {
    tables_.add(values, there);
  }
  void upload() { memory_ = tables_.upload(device_); }
  template <class F>
  void launch(const Box& box, const F& f) {
    cuda::for_columns(device_.stream(), box, EachPoint<F>{f});
  }

 private:
  CudaBackend& device_;
  DeviceTables tables_;
  Buffer memory_;
};

}  // namespace

void coarsen_cells(Backend& backend, const Block& fine, const CoarseBlock& coarse, const Field& fine_cells,
                   Field& coarse_cells, CellMean kind, bool with_faces) {
  coarsening::coarsen_cells(SetUpOnDevice(backend), fine, coarse, fine_cells, coarse_cells, kind, with_faces);
}

void coarsen_faces(Backend& backend, const FaceRows& fine, const CoarseBlock& coarse, const FieldPerAxis& coarse_ends,
                   Field& gains, const std::array<std::shared_ptr<Field>, 3>& coarse_faces) {
  coarsening::coarsen_faces(SetUpOnDevice(backend), fine, coarse, coarse_ends, gains, coarse_faces);
}

void move_walls(Backend& backend, const FaceRows& fine, const CoarseBlock& coarse, const Field& walls, Field& farther) {
  coarsening::move_walls(SetUpOnDevice(backend), fine, coarse, walls, farther);
}

}  // namespace poisson::cuda
