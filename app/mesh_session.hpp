#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "backends/device/arrays.hpp"
#include "grids/compact/general_rows.hpp"
#include "grids/meshes/device_assembly.hpp"
#include "grids/meshes/mesh_arrays.hpp"
#include "grids/meshes/mesh_results.hpp"
#include "grids/meshes/mesh_system.hpp"
#include "solver/general_rows_model.hpp"
#include "solver/solver.hpp"

namespace poisson {

/// Describes how a solve with compact rows ended.
struct RowsCourse {
  Result result;
  std::string reason;
  std::vector<double> u;
};

/// Returns the options of a session: conjugate gradients or BiCGStab with multigrid, or with the diagonal.
Options row_session_options(double tolerance, int max_iterations, bool diagonal, bool double_precision);

/// Owns a sparse system and its levels on a device, and solves it with new right-hand sides. One thread at a time may
/// use it.
class RowsSession {
 public:
  using Stop = std::function<bool()>;  ///< returns false to stop a solve

  /// `device` is the name of a device (make_backend). Throws InputError as examine_rows and make_backend do.
  RowsSession(CsrMatrix A, const Options& options, const std::string& device = "cpu");

  const GeneralRows& rows() const { return rows_; }
  const Backend& backend() const { return *backend_; }
  /// Solves A u = b, from `guess` if it is not empty. Throws InputError for vectors of another length.
  RowsCourse solve(std::vector<double> b, std::vector<double> guess, const Stop& stop);

 private:
  GeneralRows rows_;
  std::unique_ptr<Backend> backend_;
  std::unique_ptr<GeneralRowsModel> model_;
  std::unique_ptr<Solver> solver_;
};

/// Owns a problem on a mesh with data in arrays, its levels on a device, and solves it and its adjoint. New values of
/// κ, σ and α keep the aggregates of the levels. A GPU also assembles the rows, and keeps their pattern. One thread at
/// a time may use it.
class MeshSession {
 public:
  /// `problem` needs a mesh and conditions; its numbers are the first data. `device` is the name of a device
  /// (make_backend).
  MeshSession(MeshProblem problem, const Options& options, const std::string& device = "cpu");

  const Backend& backend() const { return *backend_; }
  const MeshProblem& problem() const { return problem_; }
  const MeshData& data() const { return data_; }
  /// Return the data to change with the functions of mesh_arrays.hpp. Values of the matrix need new levels.
  MeshData& change_matrix() {
    changed_matrix_ = changed_ = true;
    return data_;
  }
  MeshData& change_load() {
    changed_ = true;
    return data_;
  }
  /// Returns the rows of the points without a Dirichlet condition on the host, and the point of each row.
  const MeshSystem& system();

  /// Solves with the present data. Returns u at all points.
  RowsCourse solve(const RowsSession::Stop& stop);
  /// Solves A λ = g on the points without a Dirichlet condition. λ is 0 at the others.
  RowsCourse solve_adjoint(const std::vector<double>& g, const RowsSession::Stop& stop);

 private:
  void assemble_changes();
  void assemble_rows();
  void prepare_solver();
  RowsCourse run(const RowsSession::Stop& stop);

  MeshProblem problem_;
  Options options_;
  MeshData data_;
  std::unique_ptr<Backend> backend_;
  std::shared_ptr<void> kept_memory_ = keep_released_memory(*backend_);
  std::unique_ptr<DeviceAssembly> assembly_;  ///< on a GPU, else null
  std::optional<MeshSystem> system_, on_host_;
  std::unique_ptr<RowsModel> model_;
  std::unique_ptr<Solver> solver_;
  bool changed_ = false, changed_matrix_ = false;
};

}  // namespace poisson
