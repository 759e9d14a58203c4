#include "grids/kernels/cpu/factories.hpp"
#include "grids/kernels/kernels_with_operators.hpp"

namespace poisson::cpu {
namespace {

class HostKernels final : public KernelsWithOperators<OnHost> {
 public:
  std::unique_ptr<Operator> make_banded_operator(Backend& backend, const Bands& bands,
                                                 Precision precision) const override {
    return cpu::make_banded_operator(backend, bands, precision);
  }
  std::unique_ptr<Transfer> make_transfer(Backend& backend, const Block& fine, const CoarseBlock& coarse,
                                          bool constant) const override {
    return cpu::make_transfer(backend, fine, coarse, constant);
  }
  std::unique_ptr<Transfer> make_weighted_transfer(Backend& backend, const Block& fine, const CoarseBlock& coarse,
                                                   const Weights& weights) const override {
    return cpu::make_weighted_transfer(backend, fine, coarse, weights);
  }
  void coarsen_cells(Backend&, const Block& fine, const CoarseBlock& coarse, const Field& fine_cells,
                     Field& coarse_cells, CellMean mean, bool with_faces) const override {
    cpu::coarsen_cells(fine, coarse, fine_cells, coarse_cells, mean, with_faces);
  }
  void coarsen_faces(Backend&, const FaceRows& fine, const CoarseBlock& coarse, const FieldPerAxis& coarse_ends,
                     Field& gains, const std::array<std::shared_ptr<Field>, 3>& coarse_faces) const override {
    cpu::coarsen_faces(fine, coarse, coarse_ends, gains, coarse_faces);
  }
  void move_walls(Backend&, const FaceRows& fine, const CoarseBlock& coarse, const Field& walls,
                  Field& farther) const override {
    cpu::move_walls(fine, coarse, walls, farther);
  }
  void continue_outwards(Backend&, const Box& inside, Field& u) const override { cpu::continue_outwards(inside, u); }
  void paint_colour(Backend&, const StencilProbe& probe, Field& unit) const override { cpu::paint_colour(probe, unit); }
  void gather_couplings(Backend&, const StencilProbe& probe) const override { cpu::gather_couplings(probe); }
  void weigh(Backend&, const GalerkinProduct& product) const override { cpu::weigh(product); }
  void galerkin_rows(Backend&, const GalerkinProduct& product) const override { cpu::galerkin_rows(product); }
  void fill_line_rows(Backend&, const LinesOfBands& lines, const Box& unknowns) const override {
    cpu::fill_line_rows(lines, unknowns);
  }
  std::unique_ptr<Functionals> make_functionals(Backend& backend, const Block& block) const override {
    return cpu::make_functionals(backend, block);
  }
  std::unique_ptr<Sampler> make_sampler(Backend&, const SampleGrid& grid, std::span<const Quantity>,
                                        bool) const override {
    return cpu::make_sampler(grid);
  }
};

}  // namespace

const GridKernels& grid_kernels() {
  static const HostKernels kernels;
  return kernels;
}

}  // namespace poisson::cpu
