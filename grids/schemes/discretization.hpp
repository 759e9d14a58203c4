#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "grids/levels/levels.hpp"
#include "grids/levels/sharing.hpp"
#include "grids/operators/level_rows.hpp"
#include "grids/operators/operator.hpp"
#include "grids/problem/problem.hpp"
#include "grids/sampling/jumps.hpp"
#include "grids/sampling/mixed_bc_face.hpp"
#include "grids/sampling/sampler.hpp"
#include "grids/schemes/assembly.hpp"
#include "grids/schemes/rhs_sums.hpp"

namespace poisson {

class MediaSystem;
struct SchemeContext;
class WallLevels;

/// Is a problem on one block, discretized by node- or cell-centred finite volumes, or by bilinear or trilinear elements
/// (elements.hpp). The backend evaluates constants, and expressions with source text if it can; the host evaluates all
/// other data. Operators, levels and fields belong to the backend.
///
/// Equations are in integrated form, scaled by a power of two. The left-hand side is Σ_d κ_d K_d ⊗ M + σ M. The
/// right-hand side is M f plus the data of Neumann and Robin faces times the areas of nodes on these faces. The
/// solution contains the Dirichlet data: at nodes in their nodes, in cells in its halo, which represents the faces.
class Discretization {
 public:
  using Assembly = poisson::Assembly;

  /// Samples κ, σ and α. Throws ValueErrors with all invalid values together.
  ///
  /// The discretization owns its problem. A problem that the caller could change later is rejected: move it in, or pass
  /// a constant one. `sharing` describes the part of this process if several processes solve the problem together; then
  /// all processes call the same functions.
  Discretization(Backend& backend, Problem&& problem, Assembly assembly = Assembly::automatic,
                 Sampling sampling = Sampling::automatic, const Sharing& sharing = {});
  Discretization(Backend& backend, const Problem& problem, Assembly assembly = Assembly::automatic,
                 Sampling sampling = Sampling::automatic, const Sharing& sharing = {})
      : Discretization(backend, Problem(problem), assembly, sampling, sharing) {}
  Discretization(Backend& backend, Problem& problem, Assembly assembly = Assembly::automatic,
                 Sampling sampling = Sampling::automatic, const Sharing& sharing = {}) = delete;

  /// Replace data that no operator or level stores. Call assemble_rhs and initialize afterwards. Data that define an
  /// operator (nodes, kinds of faces, κ, σ, α) need another Discretization.
  void set_source(Quantity source) {
    problem_.source = std::move(source);
    rhs_sums_.reset();
  }
  /// Replaces g, q or the right-hand side of Robin's condition on a face: axis 0 to 2, end 0 lower, 1 upper. Throws
  /// std::invalid_argument for periodic faces. It also throws if elements would then sample κ at other points, because
  /// these lean towards faces with a flux.
  void set_boundary_value(int axis, int end, Quantity value);
  void set_initial(std::optional<Quantity> guess) { problem_.initial = std::move(guess); }
  void set_exact(std::optional<Quantity> exact) { problem_.exact = std::move(exact); }

  /// Replaces fixed values, powers and sources of materials. `media` has the regions of the problem's media and the
  /// same kinds of materials. Throws std::invalid_argument if it has not, or if the problem has no media.
  void set_media(std::shared_ptr<const Media> media);
  /// Sets the values of the floating bodies, in the order of FloatingBodies::all.
  void set_floating(const std::vector<double>& values);
  /// Returns the system of the materials, or null if the problem has none.
  const MediaSystem* media() const { return media_.get(); }

  const Problem& problem() const { return problem_; }
  /// Returns the block, or the part of it that this process owns.
  const Block& block() const { return rows().block; }
  const Processes& processes() const { return block().processes(); }
  const Sharing& sharing() const { return sharing_; }
  SampleGrid sample_grid() const;
  /// Returns the context from which its scheme reads data.
  SchemeContext context() const;
  Backend& backend() const { return backend_; }
  /// Return the data of the finest level's rows: the common part of all schemes, and all data.
  const LevelRows& rows() const { return level_rows(rows_); }
  const SchemeRows& scheme_rows() const { return rows_; }
  /// Returns the requested assembly mode.
  Assembly assembly() const { return assembly_; }
  std::int64_t unknowns() const { return block().space().unknown_count(); }
  /// Returns the jumps of κ between neighbouring cells; the largest ratio is 1 if κ is constant.
  const Jumps& jumps() const { return jumps_; }
  /// Returns the bytes of κ, σ and α on the backend.
  std::size_t bytes() const;
  /// Returns the seconds that the constructor needed to evaluate κ, σ and α and to move them to the backend.
  double sampling_seconds() const { return sampling_seconds_; }

  /// Returns the sampler that evaluates data into fields of the backend.
  Sampler& sampler() const { return *sampler_; }
  /// Returns the functionals that results evaluate on fields of the backend.
  const Functionals& functionals() const { return *functionals_; }
  /// Return the reasons why expressions are evaluated on the host, and why κ is stored although recomputation was
  /// requested. Each is empty if it does not apply.
  const std::string& evaluated_on_host() const { return sampler_->note(); }
  const std::string& stored_kappa() const { return operator_note_; }

  /// Returns the assembly mode of the finest operator.
  Assembly stored_assembly() const {
    return full_ ? Assembly::full : rows().kappa_source ? Assembly::recompute : Assembly::partial;
  }
  /// Returns the finest operator.
  std::unique_ptr<Operator> make_operator(Precision precision) const;
  /// Returns the operators and transfers of all planned levels, including the planes within a level.
  Hierarchy make_hierarchy(const std::vector<LevelPlan>& levels) const;
  /// Does the same for levels in fp32. Rows of cells on rediscretized levels are then stored in fp32, and the finest
  /// operator shares them.
  Hierarchy make_narrow_hierarchy(const std::vector<LevelPlan>& levels);
  /// Returns the hierarchy of levels whose smoothers `allowed` permits, in one precision.
  Hierarchy make_hierarchy(Precision precision, RelaxationChoice allowed = RelaxationChoice::points) const;

  /// Returns the rows of the next coarser level.
  SchemeRows coarsen_rows(const SchemeRows& fine, const CoarseBlock& coarse, const Transfer& transfer) const;

  /// Computes the right-hand side b of the unknowns in fp64 or fp32; it is zero in Dirichlet nodes. Returns Σ|b|,
  /// unscaled, against which incompatible data of a singular problem are measured.
  double assemble_rhs(Field& b) const;
  /// Returns the sums of the data from the last assemble_rhs. If the data have changed since, this function assembles
  /// them again.
  const RhsSums& rhs_sums() const;
  /// Sets the Dirichlet data in their nodes or in the halo, and the initial guess (or zero) in the unknowns.
  void initialize(Field& u) const;

 private:
  void request_recompute();
  /// Makes the operator of a level. For elements, `penalty` contains the penalties of constrained nodes; they are
  /// stored in bands, which are read from the rows.
  std::unique_ptr<Operator> make_level(const SchemeRows& rows, const Field* penalty, Precision precision) const;
  bool variable() const;  ///< κ is stored or recomputed
  /// Makes an operator and stores its note.
  std::unique_ptr<Operator> make_noted(const SchemeRows& rows, Precision precision, Assembly assembly) const;
  /// `finest`: the rows of the finest operator if these are other fields than `rows`.
  Hierarchy make_levels(SchemeRows rows, std::shared_ptr<const Field> penalty, const std::vector<LevelPlan>& levels,
                        WallLevels walls, const SchemeRows* finest = nullptr) const;
  Hierarchy make_galerkin_levels(const std::vector<LevelPlan>& levels) const;

  Backend& backend_;
  Problem problem_;
  Assembly assembly_;
  Sharing sharing_;
  bool full_ = false;  ///< full assembly: the bands are stored
  SchemeRows rows_;
  std::unique_ptr<Sampler> sampler_;
  Jumps jumps_;
  double sampling_seconds_ = 0;
  std::unique_ptr<const Functionals> functionals_;
  std::shared_ptr<MediaSystem> media_;
  std::vector<MixedBcFace> mixed_bc_;  ///< assigns nodes of faces with several conditions to parts
  mutable std::optional<RhsSums> rhs_sums_;
  mutable std::string operator_note_;
};

/// Returns the rules by which levels of a problem are chosen, apart from options: the mean and the jumps of κ, and the
/// data that operators store in a resolved assembly mode.
LevelRules level_rules(const Problem& problem, Assembly resolved_assembly, bool stored,
                       const std::array<double, 3>& kappa, const Jumps& jumps);

/// Returns whether the finest level may compute κ from expressions: κ consists of constants and expressions.
bool recomputable(const Problem& problem);

/// Evaluates every datum of a problem on its grid without storing the values. Throws the same ValueErrors as a solve.
void check_values(const Problem& problem);

/// Returns the block of a problem: its axes with their boundary kinds. For separable problems the axes include the
/// Robin α.
Block make_block(const Problem& problem);

/// Returns whether κ, σ and α are constants. Every factor of the operator then belongs to an axis.
bool is_separable(const Problem& problem);
/// Returns whether σ varies or a face is a Robin face. A problem that is not separable then stores the reaction in a
/// field.
bool needs_reaction_field(const Problem& problem);

/// Returns the configuration key of a face's datum for messages: boundary.x-, boundary.x-.alpha.
std::string face_key(int axis, int end, bool alpha = false);

}  // namespace poisson
