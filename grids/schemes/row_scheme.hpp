#pragma once

#include <array>
#include <functional>
#include <optional>
#include <vector>

#include "grids/kernels/grid_kernels.hpp"
#include "grids/operators/level_rows.hpp"
#include "grids/operators/operator.hpp"
#include "grids/sampling/jumps.hpp"
#include "grids/sampling/mixed_bc_face.hpp"
#include "grids/sampling/problem_data.hpp"
#include "grids/sampling/sampler.hpp"
#include "grids/schemes/rhs_sums.hpp"
#include "grids/schemes/row_counts.hpp"

namespace poisson {

class MediaSystem;

/// Contains the context of a scheme: the data from which it computes rows, and the backend that stores them.
struct SchemeContext {
  const Problem& problem;
  const Block& block;
  Backend& backend;
  Sampler& sampler;
  const Functionals& functionals;
  const std::vector<MixedBcFace>& mixed_bc;  ///< faces with several conditions; only for unknowns at nodes
  const MediaSystem* media = nullptr;        ///< the system of a problem with materials, else null

  Box values() const { return block.layout().box(); }
  /// Allocates a field of the backend in fp64.
  std::shared_ptr<Field> field(const Space& space) const {
    return std::make_shared<Field>(backend, space, Precision::fp64);
  }
  /// Returns the processes that share the block.
  const Processes& processes() const { return block.processes(); }
  /// Returns the face with several conditions at this axis and end, or null if there is none or if `axis` is −1.
  const MixedBcFace* mixed_bc_at(int axis, int end) const;
};

/// Measures how the couplings of the axes differ (Jumps::imbalance) from fields of κ in cells. Returns nothing unless κ
/// has a field for each axis.
std::optional<Imbalance> measured_imbalance(const SchemeContext& context, const FieldPerAxis& kappa);

struct BalanceInput;
/// Contains one flux for each face.
using Fluxes = std::array<double, 6>;
constexpr std::size_t face_number(int axis, int end) {
  return static_cast<std::size_t>(2 * axis + end);
}

/// Selects the rows of b that a scheme fills. `unknowns` fills the rows of unknowns and leaves zero in Dirichlet and
/// constrained nodes; `unsummed` does the same, but computes no sums of the data. `all` fills the rows of all nodes as
/// if all boundaries were natural.
enum class RhsRows { unknowns, unsummed, all };

/// Converts the data of a problem into the rows of all levels, the right-hand side, the initial solution and the
/// balance. If data are invalid, ValueErrors lists all errors together.
class RowScheme {
 public:
  virtual ~RowScheme() = default;

  virtual CellPoints cell_points(const Problem&) const { return CellPoints::centres; }
  /// Returns the operation counts of a row. `gpu` selects the walks of a GPU, in which neighbouring rows share their
  /// common data.
  virtual RowCounts counts(const Problem&, bool gpu) const = 0;
  /// Returns whether measurements showed that constants are faster when they are stored on cells.
  virtual bool walks_faster(const Problem&, bool) const { return false; }
  /// Returns the finest rows if κ, σ and α are not all constants, or if constants are stored anyway. Also returns the
  /// jumps of κ.
  virtual std::pair<SchemeRows, Jumps> sample(const SchemeContext&) const = 0;
  /// Returns the finest rows of constants.
  virtual SchemeRows constants(const SchemeContext&) const = 0;
  /// Returns the rows of a coarser level.
  virtual SchemeRows coarsen(Backend&, const SchemeRows& fine, const CoarseBlock& coarse,
                             const Transfer& transfer) const = 0;
  /// Returns the finest rows of nodes without the penalties of constrained nodes. Schemes without such rows return them
  /// unchanged.
  virtual SchemeRows unconstrained(const SchemeContext&, const SchemeRows& rows) const { return rows; }
  /// Fills b and returns the sums of the data, which are zero for RhsRows::unsummed.
  virtual RhsSums fill_rhs(const SchemeContext&, double scale, Field& b, RhsRows rows) const = 0;
  /// Sets the Dirichlet data in their nodes or in the halo, and the initial guess (or zero) in the unknowns.
  virtual void fill_solution(const SchemeContext&, Field& u) const = 0;

  /// Return ∫σu of a solution, and ∫ κ ∂u/∂n over each face, as Balance defines them (grids/results/integrals.hpp).
  virtual double reaction(const BalanceInput&) const = 0;
  virtual Fluxes fluxes(const BalanceInput&) const = 0;
};

/// Return the schemes of node-centred finite volumes, cell-centred finite volumes and elements. Each scheme has a
/// separate folder.
const RowScheme& node_scheme();
const RowScheme& cell_scheme();
const RowScheme& element_scheme();
/// Returns the scheme of a problem.
const RowScheme& row_scheme(const Problem& problem);

class Discretization;
/// Fills b as Discretization::assemble_rhs does, without the sums of the data, for which a device waits. The problem
/// has no materials.
void fill_rhs(const Discretization& discretization, Field& b);

/// Sets block, κ, σ, scale and `singular` from a problem of constants. Throws ValueErrors.
void sample_constants(const SchemeContext& context, LevelRows& rows);
/// Returns the power of two that scales the diagonal of a typical row to about 1.
double scale_of(const Block& block, const std::array<double, 3>& kappa);
/// Returns a copy on a coarser block, into which a scheme puts its coarser fields. Coarse κ are means and have no
/// source text.
template <class Own>
Own coarser_rows(const SchemeRows& fine, const CoarseBlock& coarse) {
  Own rows = std::get<Own>(fine);
  rows.block = coarse.block;
  rows.kappa_source = nullptr;
  return rows;
}
/// Fills the halo of a coefficient field beyond the cuts of its grid, as far as coarser levels read it.
void reach_over_cuts(const Field& field);
std::shared_ptr<const Field> coarser_cells(Backend& backend, const Block& fine, const CoarseBlock& coarse,
                                           const Field& cells, CellMean mean, bool with_faces = false);
/// Sums scale·(σ·volume + α·area) into a coarser field.
std::shared_ptr<const Field> coarser_reaction(Backend& backend, const Block& coarse, const Transfer& transfer,
                                              const std::shared_ptr<const Field>& reaction);

/// Sets the solution of unknowns at nodes, for finite volumes and elements.
void fill_nodal_solution(const SchemeContext& context, Field& u);
/// Sets zeros in the Dirichlet nodes of a node-centred block.
void clear_dirichlet_nodes(const SchemeContext& context, Field& x);
/// Fills b of unknowns at nodes, and returns its sums. integrate(datum, box, face_axis, end) sets b to the integrals of
/// f (face_axis −1), or adds the integrals of a face's data.
RhsSums fill_nodal_rhs(const SchemeContext& context, double scale, Field& b, RhsRows rows,
                       const std::function<void(const Datum&, const Box&, int face_axis, int end)>& integrate);

/// Adds values of the host, times a scale, on a box of nodes.
void add_scaled(Sampler& sampler, const Box& box, std::vector<double> values, double scale, Field& x);

/// Returns whether a Dirichlet face determines u.
bool has_dirichlet_face(const Problem& problem);

}  // namespace poisson
