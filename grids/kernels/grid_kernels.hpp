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
#include "grids/sampling/sampler.hpp"

namespace poisson {

struct GalerkinProduct;  // grids/rows/galerkin_formulas.hpp
struct StencilProbe;
struct LinesOfBands;  // grids/rows/lines_of_bands.hpp

/// Selects the mean of κ over fine cells. `of_roots` is the square of the mean of the square roots. It lies between the
/// arithmetic mean, which is the effective κ along layers, and the harmonic mean, which is the effective κ across them.
enum class CellMean { plain, of_roots };

/// `Weights` stores the columns of a prolongation in one precision (see GalerkinProduct).
using Weights = std::array<std::shared_ptr<const Field>, 27>;

/// Contains an operator and a note for the user. The note states why the operator stores κ although κ was to be
/// recomputed; otherwise it is empty.
struct MadeOperator {
  std::unique_ptr<Operator> A;
  std::string note;
};

/// `GridKernels` contains a backend's operators, transfers, and the loops that set up levels.
class GridKernels {
 public:
  virtual ~GridKernels() = default;

  /// Returns the operator of a level. An operator without stored bands is `equidistant` or `tensor-product` for
  /// constant κ, `recompute` if κ has source text that the backend compiles, and otherwise `partial`. Elements within
  /// planes always store bands.
  MadeOperator make_operator(Backend&, const SchemeRows&, Precision, Assembly = Assembly::partial) const;
  /// Returns the operator with these bands; its `assembly` is "bands". Gauss–Seidel runs over the colours of the
  /// offsets. Gershgorin's circles bound the largest eigenvalue of D⁻¹A. In fp64 the operator shares the fields. All
  /// masses are 1.
  virtual std::unique_ptr<Operator> make_banded_operator(Backend&, const Bands&, Precision) const = 0;
  /// Returns the operator with these bands, which must be symmetric and of reach 1, on the block. Rows have 5 or 7
  /// points if the offsets form a star, otherwise 9 or 27. The operator supports the same verbs as full assembly. Its
  /// `assembly`, eigenvalue bound and field ownership are as for make_banded_operator; masses are those of the block.
  std::unique_ptr<Operator> make_box_operator(Backend&, const Block&, const Bands&, Precision) const;

  /// Returns the transfers between a block and the coarser block made from it. `constant` applies to cell-centred
  /// blocks: their prolongation is then piecewise constant, as jumps of κ require. Otherwise it is multilinear.
  virtual std::unique_ptr<Transfer> make_transfer(Backend&, const Block& fine, const CoarseBlock& coarse,
                                                  bool constant = false) const = 0;
  /// Returns the transfer with these weights; its `interpolate` is the prolongation.
  virtual std::unique_ptr<Transfer> make_weighted_transfer(Backend&, const Block& fine, const CoarseBlock& coarse,
                                                           const Weights& weights) const = 0;

  /// Computes volume means of a cell field over the children of each coarse cell. `with_faces` also averages over faces
  /// the values that are stored in the halo past open ends.
  virtual void coarsen_cells(Backend&, const Block& fine, const CoarseBlock& coarse, const Field& fine_cells,
                             Field& coarse_cells, CellMean mean = CellMean::plain, bool with_faces = false) const = 0;
  /// Computes the coarse faces across every axis that has a field for them, Robin faces from `coarse_ends`. The formula
  /// is that of CoarseFace if coarse cells are unions of fine cells. Otherwise κ is smooth, and a face between two fine
  /// faces gets the mean of their means. Overwrites `gains`, a field like the faces (CoarseFace::gains).
  virtual void coarsen_faces(Backend&, const FaceRows& fine, const CoarseBlock& coarse, const FieldPerAxis& coarse_ends,
                             Field& gains, const std::array<std::shared_ptr<Field>, 3>& coarse_faces) const = 0;
  /// Computes the couplings of cells to fixed bodies that count on the next coarser level, from `walls` (FartherWalls).
  virtual void move_walls(Backend&, const FaceRows& fine, const CoarseBlock& coarse, const Field& walls,
                          Field& farther) const = 0;
  /// Sets each value outside a box to the nearest value inside.
  virtual void continue_outwards(Backend&, const Box& inside, Field& u) const = 0;

  /// Sets `unit` to the unit vector of the probe's colour.
  virtual void paint_colour(Backend&, const StencilProbe&, Field& unit) const = 0;
  virtual void gather_couplings(Backend&, const StencilProbe&) const = 0;
  /// Computes the weights of the fine values that lie between coarse values.
  virtual void weigh(Backend&, const GalerkinProduct&) const = 0;
  virtual void galerkin_rows(Backend&, const GalerkinProduct&) const = 0;
  /// Fills the rows of the lines through these unknowns.
  virtual void fill_line_rows(Backend&, const LinesOfBands&, const Box& unknowns) const = 0;

  /// Returns the functionals of fields over a block, which results need.
  virtual std::unique_ptr<Functionals> make_functionals(Backend&, const Block&) const = 0;
  /// Returns a sampler that evaluates data into the backend's fields. `data` lists the quantities with source text that
  /// a device is to evaluate; `constants` states whether the device also evaluates constants.
  virtual std::unique_ptr<Sampler> make_sampler(Backend&, const SampleGrid&, std::span<const Quantity> data,
                                                bool constants) const = 0;

 protected:
  /// Returns an operator with stored or constant κ.
  virtual std::unique_ptr<Operator> make_stencil_operator(Backend&, const SchemeRows&, Precision) const = 0;
  /// Returns an operator that compiles κ's source text, or null and the reason if the backend cannot compile it.
  virtual std::unique_ptr<Operator> make_recompute_operator(Backend&, const SchemeRows&, Precision,
                                                            std::string& why_not) const;
  /// Returns an operator that stores the bands of the rows, or the given bands.
  virtual std::unique_ptr<Operator> make_assembled_operator(Backend&, const SchemeRows&, Precision) const = 0;
  virtual std::unique_ptr<Operator> make_assembled_operator(Backend&, const LevelRows&, const Bands&,
                                                            Precision) const = 0;
};

/// Returns the kernels of a backend. Throws RunError if this build has none.
const GridKernels& grid_kernels(const Backend&);

/// Returns the sampler of a problem's data.
std::unique_ptr<Sampler> make_sampler(Backend&, const SampleGrid&, const Problem&, Sampling);

}  // namespace poisson
