#include "backends/cuda/runtime_compiler.hpp"
#include "grids/kernels/cuda/factories.hpp"

namespace poisson::cuda {
namespace {

class Kernels final : public GridKernels {
 public:
  std::unique_ptr<Operator> make_banded_operator(Backend& backend, const Bands& bands,
                                                 Precision precision) const override {
    return dispatch(precision, [&]<class T>(T) { return cuda::make_banded_operator<T>(backend, bands); });
  }
  std::unique_ptr<Transfer> make_transfer(Backend& backend, const Block& fine, const CoarseBlock& coarse,
                                          bool constant) const override {
    return cuda::make_transfer(backend, fine, coarse, constant);
  }
  std::unique_ptr<Transfer> make_weighted_transfer(Backend& backend, const Block& fine, const CoarseBlock& coarse,
                                                   const Weights& weights) const override {
    return cuda::make_weighted_transfer(backend, fine, coarse, weights);
  }
  void coarsen_cells(Backend& backend, const Block& fine, const CoarseBlock& coarse, const Field& fine_cells,
                     Field& coarse_cells, CellMean mean, bool with_faces) const override {
    cuda::coarsen_cells(backend, fine, coarse, fine_cells, coarse_cells, mean, with_faces);
  }
  void coarsen_faces(Backend& backend, const Block& fine, const CoarseBlock& coarse, std::size_t axis,
                     const FaceFields& fine_faces, const Field* coarse_ends, Field& coarse_faces) const override {
    cuda::coarsen_faces(backend, fine, coarse, axis, fine_faces, coarse_ends, coarse_faces);
  }
  void continue_outwards(Backend& backend, const Box& inside, Field& u) const override {
    cuda::continue_outwards(backend, inside, u);
  }
  void paint_colour(Backend& backend, const Probe& probe, Field& unit) const override {
    cuda::paint_colour(backend, probe, unit);
  }
  void gather_couplings(Backend& backend, const Probe& probe) const override { cuda::gather_couplings(backend, probe); }
  void weigh(Backend& backend, const Collapse& collapse, int stage) const override {
    cuda::weigh(backend, collapse, stage);
  }
  void collapse_rows(Backend& backend, const Collapse& collapse) const override {
    cuda::collapse_rows(backend, collapse);
  }
  void correct_islands(Backend& backend, const IslandViews& islands, const Field& b, Field& u) const override {
    cuda::correct_islands(backend, islands, b, u);
  }
  std::unique_ptr<Functionals> make_functionals(Backend& backend, const Block& block) const override {
    return cuda::make_functionals(backend, block);
  }
  std::unique_ptr<Sampler> make_sampler(Backend& backend, const Block& block, std::span<const Quantity> data,
                                        bool constants) const override {
    return cuda::make_sampler(backend, block, data, constants);
  }

 protected:
  std::unique_ptr<Operator> make_held_operator(Backend& backend, const RowData& data,
                                               Precision precision) const override {
    return dispatch(precision, [&]<class T>(T) {
      if (data.held_as_bands()) return make_assembled_operator<T>(backend, data);
      if (data.on_faces()) return make_face_operator<T>(backend, data);
      if (data.scheme == Scheme::fv) return make_star_operator<T>(backend, data);
      return data.block.dimension() == 2 ? cuda::make_box_operator<T, 2>(backend, data)
                                         : cuda::make_box_operator<T, 3>(backend, data);
    });
  }
  std::unique_ptr<Operator> make_recompute_operator(Backend& backend, const RowData& data, Precision precision,
                                                    std::string& why_not) const override try {
    return dispatch(precision, [&]<class T>(T) {
      return on_elements(data.scheme) ? make_recompute_box_operator<T>(backend, data)
                                      : make_recompute_star_operator<T>(backend, data);
    });
  } catch (const NoRuntimeCode& reason) {
    why_not = reason.what();
    return nullptr;
  }
  std::unique_ptr<Operator> make_operator_of(Backend& backend, const RowData& rows, const Bands& bands,
                                             Precision precision) const override {
    return dispatch(precision, [&]<class T>(T) { return make_assembled_operator<T>(backend, rows, bands); });
  }
};

}  // namespace

const GridKernels& grid_kernels() {
  static const Kernels kernels;
  return kernels;
}

}  // namespace poisson::cuda
