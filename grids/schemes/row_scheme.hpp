#pragma once

#include <array>
#include <functional>
#include <optional>
#include <vector>

#include "grids/kernels/grid_kernels.hpp"
#include "grids/operators/level_rows.hpp"
#include "grids/operators/operator.hpp"
#include "grids/sampling/jumps.hpp"
#include "grids/sampling/parted_face.hpp"
#include "grids/sampling/problem_data.hpp"
#include "grids/sampling/sampler.hpp"
#include "grids/schemes/rhs_sums.hpp"
#include "grids/schemes/row_counts.hpp"

namespace poisson {

/// What a scheme takes its rows from, and where it puts them.
struct Setting {
  const Problem& problem;
  const Block& block;
  Backend& backend;
  Sampler& sampler;
  const Functionals& functionals;
  const std::vector<PartedFace>& parted;  ///< faces of several kinds, of unknowns at nodes

  Box values() const { return block.layout().box(); }
  /// A field of the backend in fp64.
  std::shared_ptr<Field> field(const Space& space) const {
    return std::make_shared<Field>(backend, space, Precision::fp64);
  }
  /// The processes that share the block.
  const Processes& processes() const { return block.processes(); }
  /// That face among them; null where it is of one kind, or no face (axis −1).
  const PartedFace* parted_at(int axis, int end) const;
};

/// How unlike couplings are (Jumps::imbalance), from fields of κ in cells: measured where κ has a field for each axis,
/// else nothing.
std::optional<Imbalance> measured_imbalance(const Setting& setting, const FieldPerAxis& kappa);

struct Closing;
/// By faces.
using Fluxes = std::array<double, 6>;
constexpr std::size_t face_number(int axis, int end) {
  return static_cast<std::size_t>(2 * axis + end);
}

/// Which rows of b a scheme fills: the unknowns', and zero in Dirichlet and in held nodes; or in all nodes what natural
/// boundaries would have there.
enum class RhsRows { unknowns, all };

/// What a scheme makes of the data of a problem: rows of the finest level and of coarser ones, the right-hand side,
/// the first solution and what is conserved. Where data are bad, all of them are told at once, by ValueErrors.
class RowScheme {
 public:
  virtual ~RowScheme() = default;

  virtual CellPoints cell_points(const Problem&) const { return CellPoints::centres; }
  /// `gpu`: in the walks of a GPU, where neighbouring rows share what they have in common.
  virtual RowCounts counts(const Problem&, bool gpu) const = 0;
  /// Whether constants were measured to be faster from cells that hold them.
  virtual bool walks_faster(const Problem&, bool) const { return false; }
  /// The finest rows of κ, σ and α that are not all constants, or are held all the same; and the jumps of κ.
  virtual std::pair<SchemeRows, Jumps> sample(const Setting&) const = 0;
  /// The finest rows of constants.
  virtual SchemeRows constants(const Setting&) const = 0;
  /// The rows of a coarser level.
  virtual SchemeRows coarsen(Backend&, const SchemeRows& fine, const CoarseBlock& coarse,
                             const Transfer& transfer) const = 0;
  /// The finest rows of nodes without what holds those of faces of several kinds: others have none.
  virtual SchemeRows unheld(const Setting&, const SchemeRows& rows) const { return rows; }
  /// b, and what the data add up to.
  virtual RhsSums fill_rhs(const Setting&, double scale, Field& b, RhsRows rows) const = 0;
  /// The Dirichlet data in their nodes or in the halo, the initial guess, else zero, in the unknowns.
  virtual void fill_solution(const Setting&, Field& u) const = 0;

  /// ∫σu of a solution, and ∫ κ ∂u/∂n over each face as Balance has it (grids/results/integrals.hpp).
  virtual double reaction(const Closing&) const = 0;
  virtual Fluxes fluxes(const Closing&) const = 0;
};

/// Node-centred finite volumes, cell-centred ones and elements: each in a folder of its own.
const RowScheme& node_scheme();
const RowScheme& cell_scheme();
const RowScheme& element_scheme();
/// That of a problem.
const RowScheme& row_scheme(const Problem& problem);

/// Block, κ, σ, scale and whether there is a solution for every constant: of constants alone. Throws ValueErrors.
void sample_constants(const Setting& setting, LevelRows& rows);
/// The power of two that brings the diagonal of a typical row near 1.
double scale_of(const Block& block, const std::array<double, 3>& kappa);
/// A copy on a coarser block, for a scheme to put its coarser fields into; coarse κ are means and have no source text.
template <class Own>
Own coarser_rows(const SchemeRows& fine, const CoarseBlock& coarse) {
  Own rows = std::get<Own>(fine);
  rows.block = coarse.block;
  rows.kappa_source = nullptr;
  return rows;
}
/// What a field of coefficients has beyond the cuts of its grid, as far as coarser levels ask for it.
void reach_over_cuts(const Field& field);
std::shared_ptr<const Field> coarser_cells(Backend& backend, const Block& fine, const CoarseBlock& coarse,
                                           const Field& cells, CellMean mean, bool with_faces = false);
/// scale·(σ·volume + α·area), summed.
std::shared_ptr<const Field> coarser_reaction(Backend& backend, const Block& coarse, const Transfer& transfer,
                                              const std::shared_ptr<const Field>& reaction);

/// The solution of unknowns at nodes, of volumes and elements alike.
void fill_nodal_solution(const Setting& setting, Field& u);
/// Zeros in the Dirichlet nodes of a node-centred block.
void clear_dirichlet_nodes(const Setting& setting, Field& x);
/// b of unknowns at nodes, and its sums: integrate(datum, box, face_axis, end) sets it to the integrals of f (face_axis
/// −1), or adds those of a face's data.
RhsSums fill_nodal_rhs(const Setting& setting, double scale, Field& b, RhsRows rows,
                       const std::function<void(const Datum&, const Box&, int face_axis, int end)>& integrate);

/// Adds values of the host, times a scale, on a box of nodes.
void add_scaled(Sampler& sampler, const Box& box, std::vector<double> values, double scale, Field& x);

/// Whether u is held somewhere by a Dirichlet face.
bool has_dirichlet_face(const Problem& problem);

}  // namespace poisson
