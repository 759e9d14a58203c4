// Runs hypre's PFMG-preconditioned conjugate gradients on the problem of bench/sine.yaml, for bench/compare_cpu. The
// problem is −Δu = 3π² sin πx sin πy sin πz + 8.3π² sin 7πx sin 5πy sin 3πz on the unit cube with u = 0 on its faces.
// There are n cells per axis and (n − 1)³ interior nodes as unknowns; the initial guess is zero, and the relative
// residual 1e-8.
//
//     mpirun -n 2 hypre_pfmg --cells 128 [--repeats 5] [--rows | --tune]
//
// Prints one JSON object. --tune first tries every usual combination of settings and uses the fastest. The default
// settings are the result of --tune at 128³ on two cores. --rows stores a stencil in every row, as a variable
// coefficient requires. By default hypre stores the constant stencil once, which is twice as fast.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <iostream>
#include <numbers>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <HYPRE_struct_ls.h>
#include <mpi.h>

namespace {

constexpr double tolerance = 1e-8;
constexpr int max_iterations = 200;

struct Settings {
  int rap = 1;       // 0: Galerkin, 1: seven-point coarse operators
  int relax = 2;     // 0: Jacobi, 1: weighted Jacobi, 2: symmetric red-black Gauss–Seidel
  int sweeps = 2;    // before and after the correction
  int skip = 1;      // 1 omits the sweeps of levels that only semi-coarsening makes
  int constant = 1;  // 1 stores one stencil for the grid, 0 one per row
};

struct Measurement {
  int iterations = 0;
  double setup = 0;  // seconds
  double solve = 0;  // median seconds
  double error = 0;  // max |u − exact| over the nodes
};

struct Split {
  int ranks = 1;
  int rank = 0;
};

double source(double x, double y, double z) {
  constexpr double pi = std::numbers::pi;
  return 3 * pi * pi * std::sin(pi * x) * std::sin(pi * y) * std::sin(pi * z) +
         8.3 * pi * pi * std::sin(7 * pi * x) * std::sin(5 * pi * y) * std::sin(3 * pi * z);
}

double exact(double x, double y, double z) {
  constexpr double pi = std::numbers::pi;
  return std::sin(pi * x) * std::sin(pi * y) * std::sin(pi * z) +
         0.1 * std::sin(7 * pi * x) * std::sin(5 * pi * y) * std::sin(3 * pi * z);
}

double slowest(double seconds) {
  double all = 0;
  MPI_Allreduce(&seconds, &all, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return all;
}

// Owns the system on this rank's slab of planes: grid, matrix and vectors, with the equations scaled by h².
class System {
 public:
  System(int cells, bool constant, Split split) : cells_(cells) {
    const int planes = cells - 1;
    lower_ = {1, 1, 1 + planes * split.rank / split.ranks};
    upper_ = {planes, planes, planes * (split.rank + 1) / split.ranks};
    HYPRE_StructGridCreate(MPI_COMM_WORLD, 3, &grid_);
    HYPRE_StructGridSetExtents(grid_, lower_.data(), upper_.data());
    HYPRE_StructGridAssemble(grid_);
    // A symmetric matrix needs only half of its stencil.
    HYPRE_StructStencilCreate(3, 4, &stencil_);
    std::array<std::array<int, 3>, 4> offsets{{{0, 0, 0}, {-1, 0, 0}, {0, -1, 0}, {0, 0, -1}}};
    for (int entry = 0; entry < 4; ++entry) {
      HYPRE_StructStencilSetElement(stencil_, entry, offsets[static_cast<std::size_t>(entry)].data());
    }
    HYPRE_StructMatrixCreate(MPI_COMM_WORLD, grid_, stencil_, &matrix_);
    HYPRE_StructMatrixSetSymmetric(matrix_, 1);
    set_matrix(constant);
    set_vectors();
  }
  System(const System&) = delete;
  System& operator=(const System&) = delete;
  ~System() {
    HYPRE_StructVectorDestroy(solution_);
    HYPRE_StructVectorDestroy(right_hand_side_);
    HYPRE_StructMatrixDestroy(matrix_);
    HYPRE_StructStencilDestroy(stencil_);
    HYPRE_StructGridDestroy(grid_);
  }

  HYPRE_StructMatrix matrix() const { return matrix_; }
  HYPRE_StructVector right_hand_side() const { return right_hand_side_; }
  HYPRE_StructVector solution() const { return solution_; }

  double error() {
    std::vector<double> u(rows());
    HYPRE_StructVectorGetBoxValues(solution_, lower_.data(), upper_.data(), u.data());
    double largest = 0;
    std::size_t row = 0;
    for_each_node(
        [&](double x, double y, double z) { largest = std::max(largest, std::abs(u[row++] - exact(x, y, z))); });
    return slowest(largest);
  }

 private:
  std::size_t rows() const {
    std::size_t count = 1;
    for (std::size_t axis = 0; axis < 3; ++axis) count *= static_cast<std::size_t>(upper_[axis] - lower_[axis] + 1);
    return count;
  }

  template <class Visit>
  void for_each_node(Visit visit) const {
    const double h = 1.0 / cells_;
    for (int k = lower_[2]; k <= upper_[2]; ++k) {
      for (int j = lower_[1]; j <= upper_[1]; ++j) {
        for (int i = lower_[0]; i <= upper_[0]; ++i) visit(i * h, j * h, k * h);
      }
    }
  }

  void set_matrix(bool constant) {
    std::array<int, 4> entries{0, 1, 2, 3};
    std::array<double, 4> stencil{6, -1, -1, -1};
    if (constant) HYPRE_StructMatrixSetConstantEntries(matrix_, 4, entries.data());
    HYPRE_StructMatrixInitialize(matrix_);
    if (constant) {
      HYPRE_StructMatrixSetConstantValues(matrix_, 4, entries.data(), stencil.data());
    } else {
      std::vector<double> values(4 * rows());
      std::size_t row = 0;
      const double h = 1.0 / cells_;
      for_each_node([&](double x, double y, double z) {
        // Couplings to the faces are omitted, because u = 0 there.
        const std::array<double, 4> entry{6, x < 1.5 * h ? 0.0 : -1.0, y < 1.5 * h ? 0.0 : -1.0,
                                          z < 1.5 * h ? 0.0 : -1.0};
        std::copy(entry.begin(), entry.end(), values.begin() + static_cast<std::ptrdiff_t>(4 * row++));
      });
      HYPRE_StructMatrixSetBoxValues(matrix_, lower_.data(), upper_.data(), 4, entries.data(), values.data());
    }
    HYPRE_StructMatrixAssemble(matrix_);
  }

  void set_vectors() {
    std::vector<double> values;
    values.reserve(rows());
    const double h = 1.0 / cells_;
    for_each_node([&](double x, double y, double z) { values.push_back(h * h * source(x, y, z)); });
    HYPRE_StructVectorCreate(MPI_COMM_WORLD, grid_, &right_hand_side_);
    HYPRE_StructVectorInitialize(right_hand_side_);
    HYPRE_StructVectorSetBoxValues(right_hand_side_, lower_.data(), upper_.data(), values.data());
    HYPRE_StructVectorAssemble(right_hand_side_);
    HYPRE_StructVectorCreate(MPI_COMM_WORLD, grid_, &solution_);
    HYPRE_StructVectorInitialize(solution_);
    HYPRE_StructVectorAssemble(solution_);
  }

  int cells_;
  std::array<int, 3> lower_{};
  std::array<int, 3> upper_{};
  HYPRE_StructGrid grid_ = nullptr;
  HYPRE_StructStencil stencil_ = nullptr;
  HYPRE_StructMatrix matrix_ = nullptr;
  HYPRE_StructVector right_hand_side_ = nullptr;
  HYPRE_StructVector solution_ = nullptr;
};

// Solves once to warm up and `repeats` times for the median.
Measurement measure(System& system, const Settings& settings, int repeats) {
  HYPRE_StructSolver preconditioner = nullptr;
  HYPRE_StructPFMGCreate(MPI_COMM_WORLD, &preconditioner);
  HYPRE_StructPFMGSetMaxIter(preconditioner, 1);
  HYPRE_StructPFMGSetTol(preconditioner, 0);
  HYPRE_StructPFMGSetZeroGuess(preconditioner);
  HYPRE_StructPFMGSetRAPType(preconditioner, settings.rap);
  HYPRE_StructPFMGSetRelaxType(preconditioner, settings.relax);
  HYPRE_StructPFMGSetNumPreRelax(preconditioner, settings.sweeps);
  HYPRE_StructPFMGSetNumPostRelax(preconditioner, settings.sweeps);
  HYPRE_StructPFMGSetSkipRelax(preconditioner, settings.skip);

  HYPRE_StructSolver solver = nullptr;
  HYPRE_StructPCGCreate(MPI_COMM_WORLD, &solver);
  HYPRE_StructPCGSetTol(solver, tolerance);
  HYPRE_StructPCGSetMaxIter(solver, max_iterations);
  HYPRE_StructPCGSetTwoNorm(solver, 1);
  HYPRE_StructPCGSetPrecond(solver, HYPRE_StructPFMGSolve, HYPRE_StructPFMGSetup, preconditioner);

  Measurement result;
  const auto timed = [](auto&& work) {
    MPI_Barrier(MPI_COMM_WORLD);
    const double start = MPI_Wtime();
    work();
    return slowest(MPI_Wtime() - start);
  };
  HYPRE_StructVectorSetConstantValues(system.solution(), 0);
  result.setup =
      timed([&] { HYPRE_StructPCGSetup(solver, system.matrix(), system.right_hand_side(), system.solution()); });
  std::vector<double> seconds;
  for (int run = 0; run <= repeats; ++run) {
    HYPRE_StructVectorSetConstantValues(system.solution(), 0);
    const double elapsed =
        timed([&] { HYPRE_StructPCGSolve(solver, system.matrix(), system.right_hand_side(), system.solution()); });
    if (run > 0) seconds.push_back(elapsed);
  }
  std::sort(seconds.begin(), seconds.end());
  result.solve = seconds[seconds.size() / 2];
  HYPRE_StructPCGGetNumIterations(solver, &result.iterations);
  result.error = system.error();
  HYPRE_StructPCGDestroy(solver);
  HYPRE_StructPFMGDestroy(preconditioner);
  HYPRE_ClearAllErrors();
  return result;
}

// Returns the fastest of the usual settings and prints all of them to standard error.
Settings tune(int cells, Split split) {
  Settings best;
  double best_seconds = 1e300;
  for (int constant = 0; constant < 2; ++constant) {
    System system(cells, constant == 1, split);
    for (int rap = 0; rap < 2; ++rap) {
      for (int relax = 0; relax < 3; ++relax) {
        for (int sweeps = 1; sweeps < 4; ++sweeps) {
          for (int skip = 0; skip < 2; ++skip) {
            const Settings settings{rap, relax, sweeps, skip, constant};
            const Measurement result = measure(system, settings, 1);
            if (split.rank == 0) {
              std::cerr << "constant " << constant << "  rap " << rap << "  relax " << relax << "  sweeps " << sweeps
                        << "  skip " << skip << "  iterations " << result.iterations << "  setup " << result.setup
                        << " s  solve " << result.solve << " s  error " << result.error << '\n';
            }
            if (result.iterations < max_iterations && result.solve < best_seconds) {
              best = settings;
              best_seconds = result.solve;
            }
          }
        }
      }
    }
  }
  return best;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  HYPRE_Init();
  Split split;
  MPI_Comm_size(MPI_COMM_WORLD, &split.ranks);
  MPI_Comm_rank(MPI_COMM_WORLD, &split.rank);

  int cells = 128;
  int repeats = 5;
  bool tuning = false;
  bool rows = false;
  bool understood = true;
  const std::span<char*> arguments(argv, static_cast<std::size_t>(argc));
  for (std::size_t i = 1; i < arguments.size(); ++i) {
    const std::string_view key = arguments[i];
    if (key == "--tune") {
      tuning = true;
    } else if (key == "--rows") {
      rows = true;
    } else if ((key == "--cells" || key == "--repeats") && i + 1 < arguments.size()) {
      (key == "--cells" ? cells : repeats) = std::atoi(arguments[++i]);
    } else {
      understood = false;
    }
  }
  int status = 0;
  if (!understood || cells < 4 || repeats < 1) {
    if (split.rank == 0) std::cerr << "usage: hypre_pfmg [--cells N ≥ 4] [--repeats N ≥ 1] [--rows | --tune]\n";
    status = 2;
  } else {
    Settings settings = tuning ? tune(cells, split) : Settings{};
    if (rows) settings.constant = 0;
    System system(cells, settings.constant == 1, split);
    const Measurement result = measure(system, settings, repeats);
    if (split.rank == 0) {
      std::cout << "{\"solver\": \"hypre " << HYPRE_RELEASE_VERSION << " PFMG-PCG\", \"ranks\": " << split.ranks
                << ", \"cells\": " << cells << ", \"iterations\": " << result.iterations
                << ", \"setup\": " << result.setup << ", \"solve\": " << result.solve << ", \"error\": " << result.error
                << ", \"settings\": {\"rap\": " << settings.rap << ", \"relax\": " << settings.relax
                << ", \"sweeps\": " << settings.sweeps << ", \"skip\": " << settings.skip
                << ", \"constant\": " << settings.constant << "}}\n";
    }
    if (result.iterations >= max_iterations) status = 1;
  }
  HYPRE_Finalize();
  MPI_Finalize();
  return status;
}
