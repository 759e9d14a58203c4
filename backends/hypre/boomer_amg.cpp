// MPI's C++ bindings are not used.
#define OMPI_SKIP_MPICXX
#define MPICH_SKIP_MPICXX
#include "backends/hypre/boomer_amg.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <limits>
#include <numeric>
#include <string>
#include <utility>

#include <HYPRE.h>
#include <HYPRE_IJ_mv.h>
#include <HYPRE_krylov.h>
#include <HYPRE_parcsr_ls.h>
#include <metis.h>
#include <mpi.h>

#include "backends/memory/error.hpp"

namespace poisson {
namespace {

void start_mpi() {
  int started = 0;
  MPI_Initialized(&started);
  if (started) return;
  MPI_Init(nullptr, nullptr);
  std::atexit([] {
    int ended = 0;
    MPI_Finalized(&ended);
    if (!ended) MPI_Finalize();
  });
}

void check(int error, const char* step) {
  if (error == 0) return;
  HYPRE_ClearAllErrors();
  throw RunError("hypre failed to " + std::string(step) + " (error " + std::to_string(error) +
                 "); use solver.amg: own");
}

template <class Index>
void check_indices(std::int64_t count, const char* what, const char* library) {
  if (count > std::numeric_limits<Index>::max())
    throw InputError("the matrix has " + std::to_string(count) + " " + what + ", more than the indices of this " +
                     library + " hold; use solver.amg: own with one process, or a library with 64-bit indices");
}

// Returns the owner of each row.
std::vector<int> metis_parts(const RowsView& A, int parts) {
  check_indices<idx_t>(static_cast<std::int64_t>(A.column.size()), "entries", "METIS");
  idx_t n = static_cast<idx_t>(A.rows()), constraints = 1, count = parts, cut = 0;
  std::vector<idx_t> first(static_cast<std::size_t>(n) + 1, 0), beside, part(static_cast<std::size_t>(n));
  beside.reserve(A.column.size());
  for (std::int64_t i = 0; i < A.rows(); ++i) {
    for (std::int64_t k = A.start[static_cast<std::size_t>(i)]; k < A.start[static_cast<std::size_t>(i) + 1]; ++k)
      if (A.column[static_cast<std::size_t>(k)] != i)
        beside.push_back(static_cast<idx_t>(A.column[static_cast<std::size_t>(k)]));
    first[static_cast<std::size_t>(i) + 1] = static_cast<idx_t>(beside.size());
  }
  std::array<idx_t, METIS_NOPTIONS> options{};
  METIS_SetDefaultOptions(options.data());
  options[METIS_OPTION_SEED] = 1;
  if (METIS_PartGraphKway(&n, &constraints, first.data(), beside.data(), nullptr, nullptr, nullptr, &count, nullptr,
                          nullptr, options.data(), &cut, part.data()) != METIS_OK)
    throw RunError("METIS could not partition the mesh; use one process");
  return {part.begin(), part.end()};
}

}  // namespace

std::vector<int> partition_rows(const Processes& processes, const RowsView& A) {
  std::vector<int> part(static_cast<std::size_t>(A.rows()), 0);
  const int count = processes.count();
  if (A.rows() < count)
    throw InputError("the mesh has " + std::to_string(A.rows()) + " unknowns for " + std::to_string(count) +
                     " processes; use fewer processes");
  if (count == 1) return part;
  together(processes, [&] {
    if (!processes.first()) return;
    part = metis_parts(A, count);
    // Small graphs may leave a part empty.
    std::vector<std::int64_t> sizes(static_cast<std::size_t>(count), 0);
    for (const int p : part) ++sizes[static_cast<std::size_t>(p)];
    if (std::ranges::min(sizes) == 0)
      for (std::size_t i = 0; i < part.size(); ++i)
        part[i] = static_cast<int>(i * static_cast<std::size_t>(count) / part.size());
  });
  processes.broadcast(part.data(), part.size() * sizeof(int), 0);
  return part;
}

struct BoomerAmg::State {
  const Processes& processes;
  Settings settings;
  std::vector<std::int64_t> first;  // first number of each process; numbers follow the parts
  std::vector<int> row;             // of each number
  HYPRE_IJMatrix matrix = nullptr;
  HYPRE_IJVector b = nullptr, x = nullptr;
  HYPRE_Solver amg = nullptr, pcg = nullptr;
  std::vector<HYPRE_BigInt> own;  // numbers of this process
  std::size_t bytes = 0;

  State(const Processes& all, const Settings& given) : processes(all), settings(given) {}
  ~State() {
    if (pcg) HYPRE_ParCSRPCGDestroy(pcg);
    if (amg) HYPRE_BoomerAMGDestroy(amg);
    if (x) HYPRE_IJVectorDestroy(x);
    if (b) HYPRE_IJVectorDestroy(b);
    if (matrix) HYPRE_IJMatrixDestroy(matrix);
  }
  std::int64_t here() const { return first[static_cast<std::size_t>(processes.rank())]; }
  std::int64_t end() const { return first[static_cast<std::size_t>(processes.rank()) + 1]; }

  void number(const std::vector<int>& part);
  void fill(const RowsView& A);
  void make_solver();
};

void BoomerAmg::State::number(const std::vector<int>& part) {
  first.assign(static_cast<std::size_t>(processes.count()) + 1, 0);
  for (const int p : part) ++first[static_cast<std::size_t>(p) + 1];
  std::partial_sum(first.begin(), first.end(), first.begin());
  row.resize(part.size());
  std::vector<std::int64_t> next(first.begin(), first.end() - 1);
  for (std::size_t i = 0; i < part.size(); ++i)
    row[static_cast<std::size_t>(next[static_cast<std::size_t>(part[i])]++)] = static_cast<int>(i);
  own.resize(static_cast<std::size_t>(end() - here()));
  std::iota(own.begin(), own.end(), static_cast<HYPRE_BigInt>(here()));
}

void BoomerAmg::State::fill(const RowsView& A) {
  std::vector<HYPRE_BigInt> number_of(row.size());
  for (std::size_t k = 0; k < row.size(); ++k)
    number_of[static_cast<std::size_t>(row[k])] = static_cast<HYPRE_BigInt>(k);
  const HYPRE_BigInt lower = static_cast<HYPRE_BigInt>(here()), upper = static_cast<HYPRE_BigInt>(end() - 1);
  std::vector<HYPRE_Int> counts;
  std::vector<HYPRE_BigInt> columns;
  std::vector<double> values;
  for (std::int64_t k = here(); k < end(); ++k) {
    const auto i = static_cast<std::size_t>(row[static_cast<std::size_t>(k)]);
    counts.push_back(static_cast<HYPRE_Int>(A.start[i + 1] - A.start[i]));
    for (std::int64_t e = A.start[i]; e < A.start[i + 1]; ++e) {
      columns.push_back(number_of[static_cast<std::size_t>(A.column[static_cast<std::size_t>(e)])]);
      values.push_back(A.value[static_cast<std::size_t>(e)]);
    }
  }
  check_indices<HYPRE_Int>(static_cast<std::int64_t>(values.size()), "entries on a process", "hypre");
  bytes = values.size() * (sizeof(double) + sizeof(HYPRE_Int));
  check(HYPRE_IJMatrixCreate(MPI_COMM_WORLD, lower, upper, lower, upper, &matrix), "create the matrix");
  HYPRE_IJMatrixSetObjectType(matrix, HYPRE_PARCSR);
  HYPRE_IJMatrixSetRowSizes(matrix, counts.data());
  HYPRE_IJMatrixInitialize(matrix);
  check(HYPRE_IJMatrixSetValues(matrix, static_cast<HYPRE_Int>(counts.size()), counts.data(), own.data(),
                                columns.data(), values.data()),
        "store the matrix");
  check(HYPRE_IJMatrixAssemble(matrix), "store the matrix");
  for (HYPRE_IJVector* vector : {&b, &x}) {
    HYPRE_IJVectorCreate(MPI_COMM_WORLD, lower, upper, vector);
    HYPRE_IJVectorSetObjectType(*vector, HYPRE_PARCSR);
    HYPRE_IJVectorInitialize(*vector);
    check(HYPRE_IJVectorAssemble(*vector), "create a vector");
  }
}

void BoomerAmg::State::make_solver() {
  constexpr int hmis = 10, extended = 6, most_entries = 4, jacobi = 18, coarsest = 3;
  HYPRE_BoomerAMGCreate(&amg);
  HYPRE_BoomerAMGSetCoarsenType(amg, hmis);
  HYPRE_BoomerAMGSetInterpType(amg, extended);
  HYPRE_BoomerAMGSetAggNumLevels(amg, 1);
  HYPRE_BoomerAMGSetPMaxElmts(amg, most_entries);
  HYPRE_BoomerAMGSetStrongThreshold(amg, settings.strong);
  if (settings.singular) HYPRE_BoomerAMGSetCycleRelaxType(amg, jacobi, coarsest);  // elimination would divide by zero
  HYPRE_BoomerAMGSetTol(amg, 0);
  HYPRE_BoomerAMGSetMaxIter(amg, 1);
  HYPRE_BoomerAMGSetPrintLevel(amg, 0);
  HYPRE_ParCSRPCGCreate(MPI_COMM_WORLD, &pcg);
  HYPRE_PCGSetTol(pcg, settings.tolerance);
  HYPRE_PCGSetMaxIter(pcg, settings.max_iterations);
  HYPRE_PCGSetTwoNorm(pcg, 1);
  HYPRE_PCGSetPrecond(pcg, reinterpret_cast<HYPRE_PtrToSolverFcn>(HYPRE_BoomerAMGSolve),
                      reinterpret_cast<HYPRE_PtrToSolverFcn>(HYPRE_BoomerAMGSetup), amg);
  void* A = nullptr;
  void* of_b = nullptr;
  void* of_x = nullptr;
  HYPRE_IJMatrixGetObject(matrix, &A);
  HYPRE_IJVectorGetObject(b, &of_b);
  HYPRE_IJVectorGetObject(x, &of_x);
  check(HYPRE_ParCSRPCGSetup(pcg, static_cast<HYPRE_ParCSRMatrix>(A), static_cast<HYPRE_ParVector>(of_b),
                             static_cast<HYPRE_ParVector>(of_x)),
        "make the levels");
}

BoomerAmg::BoomerAmg(const Processes& processes, const RowsView& A, const std::vector<int>& part,
                     const Settings& settings)
    : state_(std::make_unique<State>(processes, settings)) {
  check_indices<HYPRE_BigInt>(A.rows(), "rows", "hypre");
  start_mpi();
  static const int initialized = HYPRE_Init();
  (void)initialized;
  state_->number(part);
  together(processes, [&] { state_->fill(A); });
  together(processes, [&] { state_->make_solver(); });
}

BoomerAmg::~BoomerAmg() = default;

std::size_t BoomerAmg::bytes() const {
  return state_->bytes;
}

int BoomerAmg::solve(const std::vector<double>& b, std::vector<double>& x) {
  State& s = *state_;
  const auto count = static_cast<HYPRE_Int>(s.own.size());
  std::vector<double> own(s.own.size());
  for (std::size_t k = 0; k < own.size(); ++k)
    own[k] = b[static_cast<std::size_t>(s.row[static_cast<std::size_t>(s.here()) + k])];
  HYPRE_IJVectorSetValues(s.b, count, s.own.data(), own.data());
  HYPRE_IJVectorAssemble(s.b);
  std::ranges::fill(own, 0.0);
  HYPRE_IJVectorSetValues(s.x, count, s.own.data(), own.data());
  HYPRE_IJVectorAssemble(s.x);
  void* A = nullptr;
  void* of_b = nullptr;
  void* of_x = nullptr;
  HYPRE_IJMatrixGetObject(s.matrix, &A);
  HYPRE_IJVectorGetObject(s.b, &of_b);
  HYPRE_IJVectorGetObject(s.x, &of_x);
  // An iteration that does not converge is no failure: the caller measures the residual.
  HYPRE_ParCSRPCGSolve(s.pcg, static_cast<HYPRE_ParCSRMatrix>(A), static_cast<HYPRE_ParVector>(of_b),
                       static_cast<HYPRE_ParVector>(of_x));
  HYPRE_ClearAllErrors();
  HYPRE_Int iterations = 0;
  HYPRE_PCGGetNumIterations(s.pcg, &iterations);
  HYPRE_IJVectorGetValues(s.x, count, s.own.data(), own.data());
  // Parts of unequal size are gathered in messages of the largest one.
  std::int64_t most = 0;
  const int processes = s.processes.count();
  for (int p = 0; p < processes; ++p)
    most = std::max(most, s.first[static_cast<std::size_t>(p) + 1] - s.first[static_cast<std::size_t>(p)]);
  own.resize(static_cast<std::size_t>(most), 0);
  std::vector<double> all(own.size() * static_cast<std::size_t>(processes));
  if (processes == 1)
    all = own;
  else
    s.processes.gather(own.data(), own.size() * sizeof(double), all.data());
  x.resize(s.row.size());
  for (int p = 0; p < processes; ++p) {
    const std::int64_t begin = s.first[static_cast<std::size_t>(p)], end = s.first[static_cast<std::size_t>(p) + 1];
    for (std::int64_t k = begin; k < end; ++k)
      x[static_cast<std::size_t>(s.row[static_cast<std::size_t>(k)])] =
          all[static_cast<std::size_t>(p) * static_cast<std::size_t>(most) + static_cast<std::size_t>(k - begin)];
  }
  return iterations;
}

}  // namespace poisson
