#pragma once

#include <memory>
#include <span>

#include "grids/kernels/grid_kernels.hpp"

/// These functions implement GridKernels (grids/kernels/grid_kernels.hpp) in CUDA.
namespace poisson::cuda {

const GridKernels& grid_kernels();

/// Returns an operator that computes κ from LevelRows::kappa_source. Throws NoRuntimeCode if it cannot be compiled.
template <class T, class Own>
std::unique_ptr<Operator> make_recompute_operator(Backend&, const Own&);
/// Returns a sampler. `data` lists the quantities with source text that it will evaluate.
std::unique_ptr<Sampler> make_sampler(Backend&, const SampleGrid&, std::span<const Quantity> data, bool constants);
/// The next two functions implement the sampler's functions for elements (grids/sampling/sampler.hpp).
Extremes extremes_of(Backend&, const Field& cells, const Box& box);
void add_product(Backend&, const MassRows& M, const Field& f, const Box& box, double factor, Field& out);
std::unique_ptr<Transfer> make_transfer(Backend&, const Block& fine, const CoarseBlock& coarse, bool constant = false);
void coarsen_faces(Backend&, const FaceRows& fine, const CoarseBlock& coarse, const FieldPerAxis& coarse_ends,
                   Field& gains, const std::array<std::shared_ptr<Field>, 3>& coarse_faces);
void coarsen_cells(Backend&, const Block& fine, const CoarseBlock& coarse, const Field& fine_cells, Field& coarse_cells,
                   CellMean mean, bool with_faces);
void move_walls(Backend&, const FaceRows& fine, const CoarseBlock& coarse, const Field& walls, Field& farther);
void continue_outwards(Backend&, const Box& inside, Field& u);

template <class T>
std::unique_ptr<Operator> make_banded_operator(Backend&, const Bands&);
std::unique_ptr<Transfer> make_weighted_transfer(Backend&, const Block& fine, const CoarseBlock& coarse,
                                                 const Weights& weights);
void paint_colour(Backend&, const StencilProbe& probe, Field& unit);
void gather_couplings(Backend&, const StencilProbe& probe);
void weigh(Backend&, const GalerkinProduct& product);
void galerkin_rows(Backend&, const GalerkinProduct& product);
void fill_line_rows(Backend&, const LinesOfBands& lines, const Box& unknowns);
std::unique_ptr<Functionals> make_functionals(Backend&, const Block& block);

}  // namespace poisson::cuda
