#include "grids/discrete.hpp"

#include <string>
#include <vector>

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
    if (data.relaxation.extent != Extent::point) {
      *data.note = "the coefficient is held in memory, assembly partial: lines and planes are solved from it";
      return make_operator(backend, stored, precision);
    }
#ifdef POISSON_HAVE_CUDA
    if (backend.name() == "cuda") {
      try {
        return dispatch(precision, [&]<class T>(T) {
          return on_elements(data.scheme) ? cuda::make_recompute_box_operator<T>(backend, data)
                                          : cuda::make_recompute_operator<T>(backend, data);
        });
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
      if (data.held_as_bands()) return cuda::make_assembled_operator<T>(backend, data);
      if (data.on_faces()) return cuda::make_face_operator<T>(backend, data);
      if (data.scheme == Scheme::fv) return cuda::make_operator<T>(backend, data);
      return data.block.dimension() == 2 ? cuda::make_box_operator<T, 2>(backend, data)
                                         : cuda::make_box_operator<T, 3>(backend, data);
    });
#endif
  no_kernels(backend);
}

std::unique_ptr<Transfer> make_transfer(Backend& backend, const Block& fine, const CoarseBlock& coarse, bool constant) {
  if (backend.name() == "cpu") return cpu::make_transfer(backend, fine, coarse, constant);
#ifdef POISSON_HAVE_CUDA
  if (backend.name() == "cuda") return cuda::make_transfer(backend, fine, coarse, constant);
#endif
  no_kernels(backend);
}

void coarsen_faces(Backend& backend, const Block& fine, const CoarseBlock& coarse, std::size_t axis,
                   const FaceFields& fine_faces, const Field* coarse_ends, Field& coarse_faces) {
  if (backend.name() == "cpu") return cpu::coarsen_faces(fine, coarse, axis, fine_faces, coarse_ends, coarse_faces);
#ifdef POISSON_HAVE_CUDA
  if (backend.name() == "cuda")
    return cuda::coarsen_faces(backend, fine, coarse, axis, fine_faces, coarse_ends, coarse_faces);
#endif
  no_kernels(backend);
}

void coarsen_cells(Backend& backend, const Block& fine, const CoarseBlock& coarse, const Field& fine_cells,
                   Field& coarse_cells, CellMean mean, bool with_faces) {
  if (backend.name() == "cpu") return cpu::coarsen_cells(fine, coarse, fine_cells, coarse_cells, mean, with_faces);
#ifdef POISSON_HAVE_CUDA
  if (backend.name() == "cuda")
    return cuda::coarsen_cells(backend, fine, coarse, fine_cells, coarse_cells, mean, with_faces);
#endif
  no_kernels(backend);
}

void continue_outwards(Backend& backend, const Box& inside, Field& u) {
  if (backend.name() == "cpu") return cpu::continue_outwards(inside, u);
#ifdef POISSON_HAVE_CUDA
  if (backend.name() == "cuda") return cuda::continue_outwards(backend, inside, u);
#endif
  no_kernels(backend);
}

std::unique_ptr<Operator> make_banded_operator(Backend& backend, const Bands& bands, Precision precision) {
  if (backend.name() == "cpu") return cpu::make_banded_operator(backend, bands, precision);
#ifdef POISSON_HAVE_CUDA
  if (backend.name() == "cuda")
    return dispatch(precision, [&]<class T>(T) { return cuda::make_banded_operator<T>(backend, bands); });
#endif
  no_kernels(backend);
}

std::unique_ptr<Operator> make_box_operator(Backend& backend, const Block& block, const Bands& bands,
                                            Precision precision, Relaxation relaxation) {
  RowData data;
  data.block = block;
  data.scale = bands.scale;
  data.singular = bands.singular;
  data.relaxation = relaxation;
  return dispatch(precision, [&]<class T>(T) {
    if (backend.name() == "cpu") return cpu::make_assembled_operator<T>(backend, data, bands);
#ifdef POISSON_HAVE_CUDA
    if (backend.name() == "cuda") return cuda::make_assembled_operator<T>(backend, data, bands);
#endif
    no_kernels(backend);
  });
}

std::unique_ptr<Transfer> make_weighted_transfer(Backend& backend, const Block& fine, const CoarseBlock& coarse,
                                                 const Weights& weights) {
  if (backend.name() == "cpu") return cpu::make_weighted_transfer(backend, fine, coarse, weights);
#ifdef POISSON_HAVE_CUDA
  if (backend.name() == "cuda") return cuda::make_weighted_transfer(backend, fine, coarse, weights);
#endif
  no_kernels(backend);
}

void paint_colour(Backend& backend, const Probe& probe, Field& unit) {
  if (backend.name() == "cpu") return cpu::paint_colour(probe, unit);
#ifdef POISSON_HAVE_CUDA
  if (backend.name() == "cuda") return cuda::paint_colour(backend, probe, unit);
#endif
  no_kernels(backend);
}

void gather_couplings(Backend& backend, const Probe& probe) {
  if (backend.name() == "cpu") return cpu::gather_couplings(probe);
#ifdef POISSON_HAVE_CUDA
  if (backend.name() == "cuda") return cuda::gather_couplings(backend, probe);
#endif
  no_kernels(backend);
}

void weigh(Backend& backend, const Collapse& collapse, int stage) {
  if (backend.name() == "cpu") return cpu::weigh(collapse, stage);
#ifdef POISSON_HAVE_CUDA
  if (backend.name() == "cuda") return cuda::weigh(backend, collapse, stage);
#endif
  no_kernels(backend);
}

void collapse_rows(Backend& backend, const Collapse& collapse) {
  if (backend.name() == "cpu") return cpu::collapse_rows(collapse);
#ifdef POISSON_HAVE_CUDA
  if (backend.name() == "cuda") return cuda::collapse_rows(backend, collapse);
#endif
  no_kernels(backend);
}

void correct_islands(Backend& backend, const IslandViews& islands, const Field& b, Field& u) {
  if (backend.name() == "cpu") return cpu::correct_islands(islands, b, u);
#ifdef POISSON_HAVE_CUDA
  if (backend.name() == "cuda") return cuda::correct_islands(backend, islands, b, u);
#endif
  no_kernels(backend);
}

Centres make_centres(Backend& backend, const CoarseBlock& coarse) {
  std::vector<int> all;
  std::array<std::size_t, 3> begin{};
  for (std::size_t d = 0; d < 3; ++d) {
    begin[d] = all.size();
    for (int I = 0; I < coarse.block.axes[d].size(); ++I) all.push_back(coarse.axes[d].node(I));
  }
  Centres centres{backend.allocate(all.size() * sizeof(int)), {}};
  backend.write(all.data(), centres.memory.data(), all.size() * sizeof(int));
  for (std::size_t d = 0; d < 3; ++d) centres.centre[d] = static_cast<const int*>(centres.memory.data()) + begin[d];
  return centres;
}

}  // namespace poisson
