#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/cases/model_case.hpp"
#include "backends/device/arrays.hpp"
#include "backends/device/backend.hpp"
#include "backends/device/device_setup.hpp"
#include "grids/kernels/data_gradients.hpp"
#include "io/config/config.hpp"
#include "solver/grid_model.hpp"

namespace poisson {

/// Describes how a solve ended, and how long it took.
struct Course {
  Result result;
  std::string reason;
  double seconds = 0;       ///< of the iteration
  double data_seconds = 0;  ///< of the right-hand side and the start
};

/// Locates an array of the program. Its layout is that of a session's values.
struct Values {
  Array array;
  bool on_device = false;  ///< in memory of the session's device, not of the host
};

/// Contains the processes of a session, and the number of this one on its machine.
struct SessionProcesses {
  std::shared_ptr<const Processes> all = one_process();
  int place = 0;
};

/// Owns a problem on one backend with its levels, and solves it repeatedly. One thread at a time may use a session.
///
/// Values are arrays in the layout of files: x fastest, all nodes or cells, periodic axes with their last node. Arrays
/// of several processes are those of their blocks; all functions then are collective, except for those that describe
/// the session.
class Session {
 public:
  /// Reads the datasets, samples the data and makes the levels. Throws ConfigError, with the key, for invalid data, and
  /// RunError if memory is too small. `setup` lends a stream or an allocator; the configuration chooses the device.
  /// Several processes must have the same configuration. Where coefficients equal those of `like`, a session on the
  /// same device, the session uses the memory of that one; both are set up by one thread.
  explicit Session(std::shared_ptr<const Config> config, const DeviceSetup& setup = {}, SessionProcesses processes = {},
                   const Session* like = nullptr);

  const Config& config() const { return *config_; }
  Backend& backend() const { return *backend_; }
  Solver& solver() const { return *solver_; }
  const Processes& processes() const { return *processes_.all; }
  /// Returns the shape of the solution of this process, x first.
  const std::array<int, 3>& shape() const { return shape_; }
  /// Returns the global indices of the values or of the cells of this process.
  Box block_of(Location location) const;
  /// Returns the global array of the blocks of all processes, x fastest, on each of them. `own` has the values or the
  /// cells of this block. Along an axis that closes on itself and is cut, the last node is missing.
  std::vector<double> gathered(const double* own, Location location) const;
  /// Returns the warnings about the data.
  std::vector<std::string> doubts() const { return case_->doubts(); }
  const Plan& plan() const;

  /// Replaces data by the names of Config::describe; other components of κ stay. A new κ, σ or α makes the levels again
  /// and returns whether automatic choices differ from the former ones. Throws as the constructor, and InputError for
  /// unknown names and for a matrix from a file. A failed update of κ, σ or α leaves the session unusable until another
  /// one succeeds.
  bool update(std::map<std::string, Quantity> changes);
  /// Reads the source from an array that the caller keeps, in every solve from now on, until another source is set. Its
  /// values are at the unknowns' location. Returns false if this problem needs a source of its own (update): elements,
  /// other devices, and large jumps of κ.
  bool lend_source(const double* values);
  bool lend_source(const float* values);
  /// Returns the quantity for an array that a program gives; `name` is as in Config::describe. The data of a face are
  /// those of the global face. Throws ConfigError.
  Quantity quantity(const std::shared_ptr<GridArray>& array, const std::string& name) const;
  /// Returns the place of an array of the host that is like the solution.
  template <class T>
  Values on_host(T* values) const {
    return {{const_cast<std::remove_const_t<T>*>(values), precision_of<std::remove_const_t<T>>, shape_}, false};
  }

  /// Is called after every iteration; a solve stops if it returns false.
  using Listener = std::function<bool()>;
  /// Receives lines about fallbacks.
  using Lines = std::function<void(const std::string&)>;
  /// Solves with the present data. `guess`: the values of a starting guess, or null. Throws ConfigError if it has
  /// values that are not finite.
  Course solve(const Values* guess, const Listener& listener, const Lines& lines);
  /// Solves A u = b with zero data on the faces. `b` contains integrals over the control volumes, as A u does; the
  /// values of constrained nodes are ignored.
  Course solve_rhs(const Values& b, const Listener& listener);
  /// Computes A u in the units of the equation, for zero data on the faces.
  void apply(const Values& u, const Values& product);

  /// Computes b in the units of the equation, with the data of the faces moved to this side: the right-hand side of the
  /// unknowns alone.
  void rhs(const Values& b);
  /// Writes the solution, times a factor.
  void solution(const Values& u, double factor = 1);
  /// Computes a derivative of λᵀ(b − A u). All arrays are in the memory of `to`, and of its precision.
  void gradient(DataGradient kind, const GradientArrays& arrays, const Values& to);

  /// Writes the values of a field of the schema's output.fields. Throws std::out_of_range for other names.
  void field(std::string_view name, double* values);
  void field(std::string_view name, float* values);
  /// Returns the shape, x first, and the components of a field.
  std::array<int, 4> field_shape(std::string_view name);
  /// Returns norms, fluxes and the balance of the last solve.
  Summary observe();
  /// Return the answers to output.effective and output.capacitance. The effective coefficient needs a solve, which was
  /// along the first axis; the other axes and the conductors are solved here. They throw InputError without the key or
  /// after an update of the data, and RunError if a solve for a conductor does not converge.
  Summary::Effective effective(const Listener& listener);
  Summary::Capacitance capacitance(const Listener& listener);
  /// Writes the files of the program into a folder. Throws InputError or RunError as the program does.
  Summary save(const std::filesystem::path& folder, const std::string& version);
  /// Returns the values of a face's datum at its nodes or cells (value, or alpha of Robin faces), x fastest.
  std::vector<double> face_values(int axis, int end, bool alpha) const;

 private:
  const Discretization& discretization() const;
  GridModel& grid_model() const;
  GridData data_of(std::map<std::string, Quantity> changes) const;
  bool update(GridData data);
  bool can_lend() const;
  bool checks_flows() const;
  bool fixes_values() const;
  void fill();
  template <class T>
  double fill_lent(const T* values);
  void fill_with_lent();
  void own_source();
  void take_values(const Field& field, double factor, const Values& values) const;
  void put_unknowns(const Values& values, double factor, Field& field) const;
  Course run(bool given_guess, const Listener& listener, Model::Data data = Model::Data::of_problem);
  bool has_no_face_data() const;
  void require_levels() const;
  void make_case_together();
  std::shared_ptr<GridArray> distributed(const GridArray& own, const std::string& name) const;
  void record_run(Summary& summary);
  void require_first_data(const char* what) const;
  void set_gaps(double otherwise, Field& u, bool fixed_values = true) const;

  std::shared_ptr<const Config> config_;
  SessionProcesses processes_;
  std::shared_ptr<Backend> backend_;  ///< lives on as long as other sessions use its coefficients
  std::unique_ptr<Case> case_;
  Solver* solver_ = nullptr;
  std::array<int, 3> shape_{};
  mutable std::optional<Plan> plan_;
  Field image_;                   ///< A u, made when needed
  const double* lent_ = nullptr;  ///< the source, or null
  const float* narrow_lent_ = nullptr;
  bool lent_filled_ = false;  ///< base_ and the data in u are valid
  bool has_base_ = false;     ///< base_ is not zero
  Field base_;                ///< b without the source
  bool zero_halo_ = false;    ///< of the solution
  bool broken_ = false;       ///< an update of κ or σ has failed
  bool updated_ = false;      ///< data of further solves differ from those of the configuration
  std::optional<Summary::Effective> effective_;
  std::optional<Summary::Capacitance> capacitance_;
  double setup_seconds_ = 0, solve_seconds_ = 0;
  Result last_;
};

}  // namespace poisson
