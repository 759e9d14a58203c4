#pragma once

#include <memory>

#include "grids/kernels/grid_kernels.hpp"

/// These functions implement GridKernels (grids/kernels/grid_kernels.hpp) on the CPU.
namespace poisson::cpu {

const GridKernels& grid_kernels();

std::unique_ptr<Transfer> make_transfer(Backend&, const Block& fine, const CoarseBlock& coarse, bool constant = false);
void coarsen_faces(const FaceRows& fine, const CoarseBlock& coarse, const FieldPerAxis& coarse_ends, Field& gains,
                   const std::array<std::shared_ptr<Field>, 3>& coarse_faces);
void coarsen_cells(const Block& fine, const CoarseBlock& coarse, const Field& fine_cells, Field& coarse_cells,
                   CellMean mean, bool with_faces);
void move_walls(const FaceRows& fine, const CoarseBlock& coarse, const Field& walls, Field& farther);
void continue_outwards(const Box& inside, Field& u);

std::unique_ptr<Operator> make_banded_operator(Backend&, const Bands&, Precision);
std::unique_ptr<Transfer> make_weighted_transfer(Backend&, const Block& fine, const CoarseBlock& coarse,
                                                 const Weights& weights);
void paint_colour(const StencilProbe& probe, Field& unit);
void gather_couplings(const StencilProbe& probe);
void weigh(const GalerkinProduct& product);
void galerkin_rows(const GalerkinProduct& product);
void fill_line_rows(const LinesOfBands& lines, const Box& unknowns);
std::unique_ptr<Functionals> make_functionals(Backend&, const Block& block);
std::unique_ptr<Sampler> make_sampler(const SampleGrid& grid);

}  // namespace poisson::cpu
