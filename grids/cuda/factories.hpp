#pragma once

#include <memory>
#include <span>

#include "grids/device_sampling.hpp"
#include "grids/discrete.hpp"

/// What CUDA brings to the factories of grids/discrete.hpp.
namespace poisson::cuda {

/// Each precision is a translation unit of its own.
template <class T>
std::unique_ptr<Operator> make_operator(Backend&, const RowData&);
template <>
std::unique_ptr<Operator> make_operator<float>(Backend&, const RowData&);
template <>
std::unique_ptr<Operator> make_operator<double>(Backend&, const RowData&);
/// An operator that computes κ from RowData::kappa_source. Throws NoRuntimeCode where it cannot be compiled.
template <class T>
std::unique_ptr<Operator> make_recompute_operator(Backend&, const RowData&);
template <>
std::unique_ptr<Operator> make_recompute_operator<float>(Backend&, const RowData&);
template <>
std::unique_ptr<Operator> make_recompute_operator<double>(Backend&, const RowData&);
/// `data`: the quantities with source text that will be asked for.
std::unique_ptr<DeviceSampler> make_sampler(Backend&, const Block&, std::span<const Quantity> data);
/// For data.on_faces(): units of their own too.
template <class T>
std::unique_ptr<Operator> make_face_operator(Backend&, const RowData&);
template <>
std::unique_ptr<Operator> make_face_operator<float>(Backend&, const RowData&);
template <>
std::unique_ptr<Operator> make_face_operator<double>(Backend&, const RowData&);
std::unique_ptr<Transfer> make_transfer(Backend&, const Block& fine, const CoarseBlock& coarse);
std::unique_ptr<Transfer> make_cell_transfer(Backend&, const Block& fine, const CoarseBlock& coarse, bool constant);
void coarsen_cells(Backend&, const Block& fine, const CoarseBlock& coarse, const Field& fine_cells,
                   Field& coarse_cells);
void coarsen_faces(Backend&, const Block& fine, const CoarseBlock& coarse, std::size_t axis, const Field& fine_faces,
                   const Field* coarse_ends, Field& coarse_faces);

}  // namespace poisson::cuda
