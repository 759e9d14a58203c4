#pragma once

#include <array>
#include <filesystem>
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
#include "io/files/output_mesh.hpp"
#include "io/files/summary.hpp"
#include "io/terminal/console.hpp"
#include "solver/model.hpp"
#include "solver/plan.hpp"
#include "solver/solver.hpp"

namespace poisson {

/// Returns the bytes of a memory limit that a run of `problem` with `plan` needs.
using Claim = std::function<double(const Plan& plan, const Problem& problem)>;

/// A case is a problem to solve, from its data to the fields of its solution. app/run.cpp drives every kind through
/// this interface. A new kind needs a file in this folder and a line in make_case.
class Case {
 public:
  virtual ~Case() = default;

  // These functions work before anything is allocated.
  /// Throws ValueErrors if data values are out of their valid range.
  virtual void check_values() const = 0;
  /// Returns the plan, as exact as the present knowledge of κ allows. It is made once.
  virtual const Plan& plan(bool gpu) const = 0;
  /// Returns the bytes that the set-up needs on the host besides those of the plan for a GPU.
  virtual double host_bytes() const { return 0; }
  /// Returns how the processes share the levels.
  virtual const Sharing& sharing() const = 0;
  /// These functions return lines for --dry-run: the problem, extra memory that a run may need, and the assembly.
  virtual std::vector<std::string> statement() const = 0;
  virtual std::vector<std::string> beside_plan(const Plan&, bool) const { return {}; }
  virtual std::vector<std::string> assembly(std::int64_t, bool) const { return {}; }
  /// Returns true if a row couples more than its nearest neighbours.
  virtual bool on_boxes() const = 0;
  /// Returns advice for a plan that claims more bytes than `room`. The plan that it advises fits.
  virtual std::string smaller(bool gpu, double room, const Claim& claim) const = 0;

  // A run calls these functions in this order.
  /// Chooses options that need less memory if the plan does not fit into the memory of a device.
  virtual void economize(const Backend&) {}
  /// Builds the levels and the solver. Throws ValueErrors for invalid data and RunError if memory is too small.
  virtual Solver& make_solver(Backend& backend, Profile* profile) = 0;
  /// Selects mixed precision for later solvers, because single precision cannot represent the data.
  virtual void widen() = 0;
  /// Returns the seconds of make_solver that were spent on reading data.
  virtual double sampling_seconds() const { return 0; }
  /// Fills b and the starting guess. Returns Σ|b|.
  virtual double fill() = 0;
  /// Selects the periodic axis across which u rises after the next call of fill (output.effective). The operator and
  /// its levels stay.
  virtual void drive_along(int /*axis*/) {}
  /// Solves with the solver. `data`: none for right-hand sides that are not those of fill.
  virtual Result solve(bool given_guess, const Solver::Listener& listener,
                       Model::Data data = Model::Data::of_problem) const = 0;
  /// Returns warnings about the data. Collective after fill; before make_solver, one process may call it alone.
  virtual std::vector<std::string> doubts() const { return {}; }
  /// Adds the description of the problem to the header and the summary.
  virtual void describe(RunHeader& header, Summary& summary) const = 0;
  /// Returns a requirement of the solver, as "; and …", for the message of a solve that broke down.
  virtual std::string demand() const { return {}; }
  /// Computes norms, errors, probes and fluxes: every entry of the summary except the course of the iteration.
  virtual void observe(Summary& summary) = 0;
  virtual OutputGrid output_grid() const = 0;
  /// Returns the mesh of its files.
  virtual OutputMesh output_mesh() const { return output_grid(); }
  /// Returns, for several processes, the first index of each part along each axis; empty for one process.
  virtual std::vector<std::vector<int>> cuts() const { return {}; }
  virtual Pieces field(const FieldChoice& choice) = 0;
  /// Is a field of `output.fields` for files.
  struct ShownField {
    FieldHead head;
    Pieces values;
  };
  virtual ShownField shown(const std::string& name, Centering centering);

  // A case without a box describes itself; one without a mesh writes its own files.
  /// Returns lines for --validate and --dry-run, such as a table of groups.
  virtual std::vector<std::string> table() const { return {}; }
  /// Returns the names of the files that it writes itself, or nothing if it has a mesh for files.
  virtual std::optional<std::vector<std::string>> own_files() const { return {}; }
  /// Writes these files into a folder and adds them to the summary.
  virtual void write_own(const std::filesystem::path& /*folder*/, Summary& /*summary*/) {}

  /// Fills b, and with `start` the starting guess, for a further solve. Sums of the data are left to observe.
  virtual void refill(bool /*start*/) { fill(); }
};

/// Creates the case that `config` describes. Collective over `processes`.
std::unique_ptr<Case> make_case(const Config& config, const std::shared_ptr<const Processes>& processes);
/// Create a case on a grid, on a mesh, for a matrix of any sparsity, and for one on an index grid. `config` must
/// outlive the case.
std::unique_ptr<Case> make_grid_case(const Config& config, const std::shared_ptr<const Processes>& processes);
std::unique_ptr<Case> make_mesh_case(const Config& config, const std::shared_ptr<const Processes>& processes);
std::unique_ptr<Case> make_rows_case(const Config& config, const std::shared_ptr<const Processes>& processes);
std::unique_ptr<Case> make_matrix_case(const Config& config, const std::shared_ptr<const Processes>& processes);
/// Returns the parts that backend.blocks requests. Throws InputError if they do not suit the grid or the processes.
Parts given_parts(const Config& config, const Block& block, int processes);
/// Returns the sharing of `parts`. If the processes run on several machines, it keeps coarse levels in groups.
Sharing in_groups(const std::shared_ptr<const Processes>& processes, const Parts& parts);

}  // namespace poisson
