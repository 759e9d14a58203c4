#include "backends/cuda/runtime_compiler.hpp"
#include "grids/kernels/cuda/factories.hpp"
#include "grids/kernels/kernels_with_operators.hpp"

namespace poisson::cuda {
namespace {

class CudaKernels final : public KernelsWithOperators<OnCuda> {
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
  void coarsen_faces(Backend& backend, const FaceRows& fine, const CoarseBlock& coarse, const FieldPerAxis& coarse_ends,
                     Field& gains, const std::array<std::shared_ptr<Field>, 3>& coarse_faces) const override {
    cuda::coarsen_faces(backend, fine, coarse, coarse_ends, gains, coarse_faces);
  }
  void move_walls(Backend& backend, const FaceRows& fine, const CoarseBlock& coarse, const Field& walls,
                  Field& farther) const override {
    cuda::move_walls(backend, fine, coarse, walls, farther);
  }
  void continue_outwards(Backend& backend, const Box& inside, Field& u) const override {
    cuda::continue_outwards(backend, inside, u);
  }
  void paint_colour(Backend& backend, const StencilProbe& probe, Field& unit) const override {
    cuda::paint_colour(backend, probe, unit);
  }
  void gather_couplings(Backend& backend, const StencilProbe& probe) const override {
    cuda::gather_couplings(backend, probe);
  }
  void weigh(Backend& backend, const GalerkinProduct& product) const override { cuda::weigh(backend, product); }
  void galerkin_rows(Backend& backend, const GalerkinProduct& product) const override {
    cuda::galerkin_rows(backend, product);
  }
  void fill_line_rows(Backend& backend, const LinesOfBands& lines, const Box& unknowns) const override {
    cuda::fill_line_rows(backend, lines, unknowns);
  }
  std::unique_ptr<Functionals> make_functionals(Backend& backend, const Block& block) const override {
    return cuda::make_functionals(backend, block);
  }
  std::unique_ptr<Sampler> make_sampler(Backend& backend, const SampleGrid& grid, std::span<const Quantity> data,
                                        bool constants) const override {
    return cuda::make_sampler(backend, grid, data, constants);
  }

 protected:
  std::unique_ptr<Operator> make_recompute_operator(Backend& backend, const SchemeRows& rows, Precision precision,
                                                    std::string& why_not) const override try {
    return dispatch(precision, [&]<class T>(T) {
      return std::visit([&](const auto& own) { return cuda::make_recompute_operator<T>(backend, own); }, rows);
    });
  } catch (const NoRuntimeCode& reason) {
    why_not = reason.what();
    return nullptr;
  }
};

}  // namespace

const GridKernels& grid_kernels() {
  static const CudaKernels kernels;
  return kernels;
}

}  // namespace poisson::cuda
