#pragma once

#include <array>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "grids/levels/sharing.hpp"
#include "grids/results/gather.hpp"
#include "grids/results/profile.hpp"
#include "io/config/config.hpp"
#include "io/fields/field_choices.hpp"
#include "io/files/output.hpp"
#include "io/files/summary.hpp"
#include "io/terminal/console.hpp"
#include "solver/plan.hpp"
#include "solver/shared_plan.hpp"
#include "solver/solver.hpp"

namespace poisson {

/// Bytes that a run of a problem by a plan takes of a limit.
using Claim = std::function<double(const Plan& plan, const Problem& problem)>;

/// What a configuration has the program solve, from its data to the fields of its solution. app/run.cpp is the way of
/// all of them; another kind is a file here and a line of make_case.
class Case {
 public:
  virtual ~Case() = default;

  // What can be said before anything is allocated.
  /// Throws ValueErrors where data have values that they must not have.
  virtual void check_values() const = 0;
  /// As far as κ is known.
  virtual Plan plan(bool gpu) const = 0;
  /// How the processes share its levels.
  virtual const Sharing& sharing() const = 0;
  /// Lines of --dry-run: what is solved, other memory that it may take, and how it is assembled.
  virtual std::vector<std::string> statement() const = 0;
  virtual std::vector<std::string> beside_plan(const Plan&, bool) const { return {}; }
  virtual std::vector<std::string> assembly(std::int64_t, bool) const { return {}; }
  /// Whether rows couple more than the nearest neighbours.
  virtual bool on_boxes() const = 0;
  /// Returns advice for a plan that claims more bytes than there is room for; the plan of the advice fits.
  virtual std::string smaller(bool gpu, double room, const Claim& claim) const = 0;

  // A run, in this order.
  /// Throws ValueErrors, and RunError where there is not memory enough.
  virtual Solver& make_solver(Backend& backend, Profile* profile) = 0;
  /// Makes solvers of mixed precision from now on, for data that single precision cannot represent.
  virtual void widen() = 0;
  /// Seconds of that which went into reading data.
  virtual double sampling_seconds() const { return 0; }
  /// b, the first u, and what they are; returns Σ|b|.
  virtual double fill() = 0;
  /// Warnings about the data: from all processes together after fill, from one alone before make_solver.
  virtual std::vector<std::string> doubts() const { return {}; }
  /// What the terminal and the summary say of the problem itself.
  virtual void describe(RunHeader& header, Summary& summary) const = 0;
  /// What the solver cannot do without, for a solve that broke down: "; and …".
  virtual std::string demand() const { return {}; }
  /// Norms, errors, probes, fluxes: everything of the summary but how the iteration went.
  virtual void observe(Summary& summary) = 0;
  virtual OutputGrid output_grid() const = 0;
  /// Of several processes: where along each axis the values of each part begin; of one nothing.
  virtual std::vector<std::vector<int>> cuts() const { return {}; }
  virtual Pieces field(const FieldChoice& choice) = 0;
};

/// For these processes together.
std::unique_ptr<Case> make_case(const Config& config, const std::shared_ptr<const Processes>& processes);
/// Unknowns on a grid, and of a matrix from a file. `config` outlives them.
std::unique_ptr<Case> make_grid_case(const Config& config, const std::shared_ptr<const Processes>& processes);
std::unique_ptr<Case> make_matrix_case(const Config& config, const std::shared_ptr<const Processes>& processes);
/// The parts that backend.blocks asks for. Throws InputError where they do not suit the grid or the processes.
Parts given_parts(const Config& config, const Block& block, int processes);
/// With coarse levels in groups where the processes run on several machines.
Sharing in_groups(const std::shared_ptr<const Processes>& processes, const Parts& parts);

}  // namespace poisson
