#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "grids/compact/general_rows.hpp"
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

/// Owns a sparse system and its levels on the CPU, and solves it with new right-hand sides. One thread at a time may
/// use it.
class RowsSession {
 public:
  using Stop = std::function<bool()>;  ///< returns false to stop a solve

  /// Throws InputError as examine_rows does.
  RowsSession(CsrMatrix A, const Options& options);

  const GeneralRows& rows() const { return rows_; }
  /// Solves A u = b, from `guess` if it is not empty. Throws InputError for vectors of another length.
  RowsCourse solve(std::vector<double> b, std::vector<double> guess, const Stop& stop);

 private:
  GeneralRows rows_;
  std::unique_ptr<Backend> backend_;
  std::unique_ptr<GeneralRowsModel> model_;
  std::unique_ptr<Solver> solver_;
};

/// Owns a problem on a mesh with data in arrays, its levels on the CPU, and solves it and its adjoint. New values of
/// κ, σ and α keep the aggregates of the levels. One thread at a time may use it.
class MeshSession {
 public:
  /// `problem` needs a mesh and conditions; its numbers are the first data.
  MeshSession(MeshProblem problem, const Options& options);

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
  /// Returns the rows of the points without a Dirichlet condition, and the point of each row.
  const MeshSystem& system();

  /// Solves with the present data. Returns u at all points.
  RowsCourse solve(const RowsSession::Stop& stop);
  /// Solves A λ = g on the points without a Dirichlet condition. λ is 0 at the others.
  RowsCourse solve_adjoint(const std::vector<double>& g, const RowsSession::Stop& stop);

 private:
  void assemble_again();
  RowsCourse run(const RowsSession::Stop& stop);

  MeshProblem problem_;
  Options options_;
  MeshData data_;
  std::unique_ptr<Backend> backend_;
  std::optional<MeshSystem> system_;
  std::unique_ptr<RowsModel> model_;
  std::unique_ptr<Solver> solver_;
  bool changed_ = false, changed_matrix_ = false;
};

}  // namespace poisson
