#include "grids/discrete.hpp"

#include <string>

#include "backends/error.hpp"
#include "grids/cpu/factories.hpp"
#include "grids/faces.hpp"
#ifdef POISSON_HAVE_CUDA
#include "backends/cuda/runtime_compiler.hpp"
#include "grids/cuda/factories.hpp"
#endif

namespace poisson {
namespace {

[[noreturn]] void no_kernels(const Backend& backend) {
  throw RunError("there are no grid kernels for the backend " + std::string(backend.name()) +
                 " (this build lacks them): use the backend cpu");
}

}  // namespace

std::unique_ptr<Operator> make_operator(Backend& backend, const RowData& data, Precision precision) {
  if (data.kappa_source) {
    RowData stored = data;
    stored.kappa_source = nullptr;
#ifdef POISSON_HAVE_CUDA
    if (backend.name() == "cuda") {
      try {
        return dispatch(precision, [&]<class T>(T) { return cuda::make_recompute_operator<T>(backend, data); });
      } catch (const cuda::NoRuntimeCode& reason) {
        *data.note = std::string("the coefficient is held in memory, assembly partial: ") + reason.what();
      }
      return make_operator(backend, stored, precision);
    }
#endif
    *data.note = "the coefficient is held in memory, assembly partial: the backend compiles no expressions";
    return make_operator(backend, stored, precision);
  }
  if (backend.name() == "cpu") return cpu::make_operator(backend, data, precision);
#ifdef POISSON_HAVE_CUDA
  if (backend.name() == "cuda")
    return dispatch(precision, [&]<class T>(T) {
      return data.on_faces() ? cuda::make_face_operator<T>(backend, data) : cuda::make_operator<T>(backend, data);
    });
#endif
  no_kernels(backend);
}

std::unique_ptr<Transfer> make_transfer(Backend& backend, const Block& fine, const CoarseBlock& coarse, bool constant) {
  const bool cells = fine.centering() == Centering::cell;
  if (backend.name() == "cpu")
    return cells ? cpu::make_cell_transfer(backend, fine, coarse, constant) : cpu::make_transfer(backend, fine, coarse);
#ifdef POISSON_HAVE_CUDA
  if (backend.name() == "cuda")
    return cells ? cuda::make_cell_transfer(backend, fine, coarse, constant)
                 : cuda::make_transfer(backend, fine, coarse);
#endif
  no_kernels(backend);
}

void coarsen_faces(Backend& backend, const Block& fine, const CoarseBlock& coarse, std::size_t axis,
                   const Field& fine_faces, const Field* coarse_ends, Field& coarse_faces) {
  if (backend.name() == "cpu") return cpu::coarsen_faces(fine, coarse, axis, fine_faces, coarse_ends, coarse_faces);
#ifdef POISSON_HAVE_CUDA
  if (backend.name() == "cuda")
    return cuda::coarsen_faces(backend, fine, coarse, axis, fine_faces, coarse_ends, coarse_faces);
#endif
  no_kernels(backend);
}

void coarsen_cells(Backend& backend, const Block& fine, const CoarseBlock& coarse, const Field& fine_cells,
                   Field& coarse_cells) {
  if (backend.name() == "cpu") return cpu::coarsen_cells(fine, coarse, fine_cells, coarse_cells);
#ifdef POISSON_HAVE_CUDA
  if (backend.name() == "cuda") return cuda::coarsen_cells(backend, fine, coarse, fine_cells, coarse_cells);
#endif
  no_kernels(backend);
}

}  // namespace poisson
