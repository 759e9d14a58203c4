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
#include "grids/sampling/parted_face.hpp"
#include "grids/sampling/sampler.hpp"
#include "grids/schemes/assembly.hpp"
#include "grids/schemes/rhs_sums.hpp"

namespace poisson {

struct Setting;

/// A problem discretized by finite volumes, node- or cell-centred, or by bilinear or trilinear elements (elements.hpp),
/// on one block. Data are evaluated on the host, those that are constants or known as source text on the backend where
/// it can; operators, levels and fields are the backend's. Equations are in integrated form, scaled by a power of two:
/// Σ_d κ_d K_d ⊗ M + σ M on the left; on the right M f and the data of Neumann and Robin faces times the areas that
/// nodes have on them. Dirichlet data stand in the solution: in its nodes, where unknowns are in cells in its halo,
/// which stands for the faces.
class Discretization {
 public:
  using Assembly = poisson::Assembly;

  /// Samples κ, σ and α. Throws ValueErrors where a datum has a value that it must not have: all of them together.
  /// The problem is the discretization's own from now on. One that could be changed behind its back is refused: move it
  /// in, or pass a constant one.
  /// `sharing`: what of it this process has, where several solve it together; all of them call the same.
  Discretization(Backend& backend, Problem&& problem, Assembly assembly = Assembly::automatic,
                 Sampling sampling = Sampling::automatic, const Sharing& sharing = {});
  Discretization(Backend& backend, const Problem& problem, Assembly assembly = Assembly::automatic,
                 Sampling sampling = Sampling::automatic, const Sharing& sharing = {})
      : Discretization(backend, Problem(problem), assembly, sampling, sharing) {}
  Discretization(Backend& backend, Problem& problem, Assembly assembly = Assembly::automatic,
                 Sampling sampling = Sampling::automatic, const Sharing& sharing = {}) = delete;

  /// Replace data that no operator or level holds; then come assemble_rhs and initialize. What an operator is made of
  /// (nodes, kinds of faces, κ, σ, α) takes another Discretization.
  void set_source(Quantity source) {
    problem_.source = std::move(source);
    rhs_sums_.reset();
  }
  /// g, q or the right-hand side of Robin's condition on a face: axis 0 to 2, end 0 lower, 1 upper. Throws
  /// std::invalid_argument for periodic faces, and where elements would sample κ at other points (they lean towards
  /// faces that something flows through).
  void set_boundary_value(int axis, int end, Quantity value);
  void set_initial(std::optional<Quantity> guess) { problem_.initial = std::move(guess); }
  void set_exact(std::optional<Quantity> exact) { problem_.exact = std::move(exact); }

  const Problem& problem() const { return problem_; }
  /// The block, or the part of it that this process has.
  const Block& block() const { return rows().block; }
  const Processes& processes() const { return block().processes(); }
  const Sharing& sharing() const { return sharing_; }
  SampleGrid sample_grid() const;
  /// What its scheme takes data from.
  Setting setting() const;
  Backend& backend() const { return backend_; }
  /// What the rows of the finest level are made of, whatever the scheme; and all of it.
  const LevelRows& rows() const { return level_rows(rows_); }
  const SchemeRows& scheme_rows() const { return rows_; }
  /// As it was asked for.
  Assembly assembly() const { return assembly_; }
  std::int64_t unknowns() const { return block().space().unknown_count(); }
  /// Largest ratio of κ in neighbouring cells; 1 where κ is constant.
  const Jumps& jumps() const { return jumps_; }
  /// Bytes that the values of κ, σ and α hold on the backend.
  std::size_t bytes() const;
  /// Seconds of the constructor that went into evaluating κ, σ and α and into moving them to the backend.
  double sampling_seconds() const { return sampling_seconds_; }

  /// What evaluates data into the backend's fields.
  Sampler& sampler() const { return *sampler_; }
  /// What results ask of fields on the backend.
  const Functionals& functionals() const { return *functionals_; }
  /// Why expressions are evaluated on the host after all, and why κ is held that was to be computed anew; else empty.
  const std::string& evaluated_on_host() const { return sampler_->note(); }
  const std::string& kappa_held() const { return operator_note_; }

  /// How the finest operator is to hold its rows.
  Assembly held() const {
    return full_ ? Assembly::full : rows().kappa_source ? Assembly::recompute : Assembly::partial;
  }
  /// The finest operator.
  std::unique_ptr<Operator> make_operator(Precision precision) const;
  /// Operators and transfers of all levels as they are planned; the planes within a level as well.
  Hierarchy make_hierarchy(const std::vector<LevelPlan>& levels) const;
  /// The same on levels that smooth what `allowed` says, in one precision.
  Hierarchy make_hierarchy(Precision precision, RelaxationChoice allowed = RelaxationChoice::points) const;

  /// The rows of the next coarser level.
  SchemeRows coarsen_rows(const SchemeRows& fine, const CoarseBlock& coarse, const Transfer& transfer) const;

  /// b in fp64 or fp32: the right-hand side in the unknowns, zero in Dirichlet nodes. Returns Σ|b|, unscaled: what
  /// incompatible data of a singular problem are measured against.
  double assemble_rhs(Field& b) const;
  /// What the data add up to, as the last assemble_rhs has it; assembled for this alone where there was none since the
  /// data changed.
  const RhsSums& rhs_sums() const;
  /// The Dirichlet data in their nodes or in the halo, the initial guess (else zero) in the unknowns.
  void initialize(Field& u) const;

 private:
  void request_recompute();
  /// Elements have what holds nodes of faces of several kinds, `holding`, in bands that are read off their rows.
  std::unique_ptr<Operator> make_level(const SchemeRows& rows, const Field* holding, Precision precision) const;
  bool variable() const;  ///< whether κ is held, or computed anew
  /// Keeps the note.
  std::unique_ptr<Operator> make_noted(const SchemeRows& rows, Precision precision, Assembly assembly) const;
  Hierarchy make_levels(SchemeRows rows, std::shared_ptr<const Field> holding,
                        const std::vector<LevelPlan>& levels) const;
  Hierarchy make_galerkin_levels(const std::vector<LevelPlan>& levels) const;

  Backend& backend_;
  Problem problem_;
  Assembly assembly_;
  Sharing sharing_;
  bool full_ = false;  ///< full assembly: the bands of the rows are held
  SchemeRows rows_;
  std::unique_ptr<Sampler> sampler_;
  Jumps jumps_;
  double sampling_seconds_ = 0;
  std::unique_ptr<const Functionals> functionals_;
  std::vector<PartedFace> parted_;  ///< faces of several kinds at nodes: which part has what of them
  mutable std::optional<RhsSums> rhs_sums_;
  mutable std::string operator_note_;
};

/// What the levels of a problem are chosen by, beside what options say: κ's mean and jumps, and what its operators hold
/// in an assembly mode that is resolved.
LevelRules level_rules(const Problem& problem, Assembly resolved_assembly, bool held,
                       const std::array<double, 3>& kappa, const Jumps& jumps);

/// Whether the finest level may compute κ from expressions: κ of constants and expressions.
bool recomputable(const Problem& problem);

/// Evaluates every datum of a problem on its grid without keeping the values: throws ValueErrors as solving would.
void check_values(const Problem& problem);

/// The block of a problem: its axes with their boundary kinds and, where the problem is separable, their Robin alphas.
Block make_block(const Problem& problem);

/// Whether κ, σ and α are constants: every factor of the operator then lives on an axis.
bool is_separable(const Problem& problem);
/// Whether σ varies or a face is a Robin face: what a problem that is not separable keeps in a field.
bool needs_reaction_field(const Problem& problem);

/// The key by which messages name a face's datum: boundary.x-, boundary.x-.alpha.
std::string face_key(int axis, int end, bool alpha = false);

}  // namespace poisson
