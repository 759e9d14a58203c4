#pragma once

#include <array>
#include <memory>
#include <span>
#include <string>

#include "grids/kernels/functionals.hpp"
#include "grids/operators/bands.hpp"
#include "grids/operators/faces.hpp"
#include "grids/operators/level_rows.hpp"
#include "grids/operators/operator.hpp"
#include "grids/rows/strong_cluster_views.hpp"
#include "grids/sampling/sampler.hpp"

namespace poisson {

struct GalerkinProduct;  // grids/rows/galerkin_formulas.hpp
struct StencilProbe;
struct LinesOfBands;  // grids/rows/lines_of_bands.hpp

/// `of_roots`: the square of the mean of the square roots. It lies between what currents meet along layers, the mean of
/// κ, and across them, the harmonic one.
enum class CellMean { plain, of_roots };

/// Prolongation by columns, in one precision (see GalerkinProduct).
using Weights = std::array<std::shared_ptr<const Field>, 27>;

/// An operator, and what a user should know of it: why it holds κ although it was to compute it anew; else empty.
struct MadeOperator {
  std::unique_ptr<Operator> A;
  std::string note;
};

/// What a backend brings to grids: operators, transfers, and the loops that set levels up.
class GridKernels {
 public:
  virtual ~GridKernels() = default;

  /// The operator of a level. What holds no bands is `equidistant` or `tensor-product` for constant κ, `recompute`
  /// where κ has source text and the backend compiles it, else `partial`. Elements within planes are always bands.
  MadeOperator make_operator(Backend&, const SchemeRows&, Precision, Assembly = Assembly::partial) const;
  /// The operator with these bands, `assembly` "bands". Gauss–Seidel runs over the colours of the offsets; the largest
  /// eigenvalue of D⁻¹A is bounded by Gershgorin's circles. Where precision is fp64, the operator shares the fields.
  /// All masses are 1.
  virtual std::unique_ptr<Operator> make_banded_operator(Backend&, const Bands&, Precision) const = 0;
  /// The operator with these bands, symmetric and of reach 1, on the block: rows of 5 or 7 points where the offsets are
  /// a star, else of 9 or 27, with all that operators in full assembly do. `assembly`, the bound of the largest
  /// eigenvalue and whose fields they are is as above; masses are those of the block.
  std::unique_ptr<Operator> make_box_operator(Backend&, const Block&, const Bands&, Precision) const;

  /// The transfers between a block and the coarser one made from it. Cell-centred with `constant`: prolongation is
  /// piecewise constant, as jumps of κ need it, else multilinear.
  virtual std::unique_ptr<Transfer> make_transfer(Backend&, const Block& fine, const CoarseBlock& coarse,
                                                  bool constant = false) const = 0;
  /// The transfer that the weights describe; `interpolate` is the prolongation itself.
  virtual std::unique_ptr<Transfer> make_weighted_transfer(Backend&, const Block& fine, const CoarseBlock& coarse,
                                                           const Weights& weights) const = 0;

  /// Means by volume of a field of cells over the children of each coarse cell. `with_faces`: and the means over faces
  /// of what stands in its halo beyond open ends.
  virtual void coarsen_cells(Backend&, const Block& fine, const CoarseBlock& coarse, const Field& fine_cells,
                             Field& coarse_cells, CellMean mean = CellMean::plain, bool with_faces = false) const = 0;
  /// The coarse faces across an axis, Robin faces from the coarse `ends`: as CoarseFace says where coarse cells are
  /// unions of fine ones. Where they are not, κ is smooth, and a face between two fine ones takes the mean of their
  /// means.
  virtual void coarsen_faces(Backend&, const FaceRows& fine, const CoarseBlock& coarse, std::size_t axis,
                             const Field* coarse_ends, Field& coarse_faces) const = 0;
  /// Values outside a box take that of the nearest within.
  virtual void continue_outwards(Backend&, const Box& inside, Field& u) const = 0;

  /// unit = the unit vector of the probe's colour.
  virtual void paint_colour(Backend&, const StencilProbe&, Field& unit) const = 0;
  virtual void gather_couplings(Backend&, const StencilProbe&) const = 0;
  /// The weights of fine values between coarse ones.
  virtual void weigh(Backend&, const GalerkinProduct&) const = 0;
  virtual void galerkin_rows(Backend&, const GalerkinProduct&) const = 0;
  /// The rows of lines of these unknowns.
  virtual void fill_line_rows(Backend&, const LinesOfBands&, const Box& unknowns) const = 0;
  /// One step of Jacobi's method for the constants on strong_clusters.
  virtual void correct_strong_clusters(Backend&, const StrongClusterViews&, const Field& b, Field& u) const = 0;

  /// What results ask of fields over a block.
  virtual std::unique_ptr<Functionals> make_functionals(Backend&, const Block&) const = 0;
  /// Evaluates data into the backend's fields. `data`: the quantities with source text that a device is to evaluate,
  /// and whether it does so with constants.
  virtual std::unique_ptr<Sampler> make_sampler(Backend&, const SampleGrid&, std::span<const Quantity> data,
                                                bool constants) const = 0;

 protected:
  /// From κ in memory, or constant.
  virtual std::unique_ptr<Operator> make_stencil_operator(Backend&, const SchemeRows&, Precision) const = 0;
  /// From κ's source text; null where the backend cannot, and why not.
  virtual std::unique_ptr<Operator> make_recompute_operator(Backend&, const SchemeRows&, Precision,
                                                            std::string& why_not) const;
  /// That holds the bands of the rows, or these bands.
  virtual std::unique_ptr<Operator> make_assembled_operator(Backend&, const SchemeRows&, Precision) const = 0;
  virtual std::unique_ptr<Operator> make_assembled_operator(Backend&, const LevelRows&, const Bands&,
                                                            Precision) const = 0;
};

/// Those of a backend. Throws RunError where this build has none.
const GridKernels& grid_kernels(const Backend&);

/// The sampler of a problem's data.
std::unique_ptr<Sampler> make_sampler(Backend&, const SampleGrid&, const Problem&, Sampling);

}  // namespace poisson
