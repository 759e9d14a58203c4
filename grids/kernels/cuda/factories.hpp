#pragma once

#include <memory>
#include <span>

#include "grids/kernels/grid_kernels.hpp"

/// What CUDA brings to GridKernels (grids/kernels/grid_kernels.hpp).
namespace poisson::cuda {

const GridKernels& grid_kernels();

/// Templates are instantiated in translation units of their own (grids/CMakeLists.txt).
template <class T>
std::unique_ptr<Operator> make_star_operator(Backend&, const RowData&);
/// An operator that computes κ from RowData::kappa_source. Throws NoRuntimeCode where it cannot be compiled.
template <class T>
std::unique_ptr<Operator> make_recompute_star_operator(Backend&, const RowData&);
template <class T>
std::unique_ptr<Operator> make_recompute_box_operator(Backend&, const RowData&);
/// `data`: the quantities with source text that will be asked for.
std::unique_ptr<Sampler> make_sampler(Backend&, const Block&, std::span<const Quantity> data, bool constants);
/// What samplers do for elements (grids/sampling/sampler.hpp).
Extremes extremes_of(Backend&, const Field& cells, const Box& box);
bool positive_definite(Backend&, const CellTensors& kappa);
void add_product(Backend&, const MassRows& M, const Field& f, const Box& box, double factor, Field& out);
/// For data.on_faces(): units of their own too.
template <class T>
std::unique_ptr<Operator> make_face_operator(Backend&, const RowData&);
std::unique_ptr<Transfer> make_transfer(Backend&, const Block& fine, const CoarseBlock& coarse, bool constant = false);
void coarsen_faces(Backend&, const Block& fine, const CoarseBlock& coarse, std::size_t axis,
                   const FaceFields& fine_faces, const Field* coarse_ends, Field& coarse_faces);
void coarsen_cells(Backend&, const Block& fine, const CoarseBlock& coarse, const Field& fine_cells, Field& coarse_cells,
                   CellMean mean, bool with_faces);
void continue_outwards(Backend&, const Box& inside, Field& u);

/// Operators of elements, and those that hold bands.
template <class T, int Dimension>
std::unique_ptr<Operator> make_box_operator(Backend&, const RowData&);
template <class T>
std::unique_ptr<Operator> make_assembled_operator(Backend&, const RowData&);
/// The same of bands that there are already (make_box_operator).
template <class T>
std::unique_ptr<Operator> make_assembled_operator(Backend&, const RowData&, const Bands&);

template <class T>
std::unique_ptr<Operator> make_banded_operator(Backend&, const Bands&);
std::unique_ptr<Transfer> make_weighted_transfer(Backend&, const Block& fine, const CoarseBlock& coarse,
                                                 const Weights& weights);
void paint_colour(Backend&, const Probe& probe, Field& unit);
void gather_couplings(Backend&, const Probe& probe);
void weigh(Backend&, const Collapse& collapse, int stage);
void collapse_rows(Backend&, const Collapse& collapse);
void correct_islands(Backend&, const IslandViews& islands, const Field& b, Field& u);
std::unique_ptr<Functionals> make_functionals(Backend&, const Block& block);

}  // namespace poisson::cuda
