// Times solves on blocks to 1e-8: blocks of boxes, skewed hexahedra, and thin cells at a wall, and a box of as many
// cells as the first ones. `mpirun -n 2 poisson-blocks cuda 4 96 skewed` divides the blocks among two GPUs. Arguments:
// device, blocks and cells along each axis, cases, `verbs` or another word, and for experiments the unknowns from which
// rows follow blocks, `cg`, `none` or `auto`, the interval of Chebyshev's polynomial, its degree, and the unknowns from
// which levels are on every process.

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "backends/device/device.hpp"
#include "bench/solve_problems.hpp"
#include "bench/stopwatch.hpp"
#include "grids/axes/stretching.hpp"
#include "solver/blocks_model.hpp"
#include "solver/grid_model.hpp"
#include "solver/smoothers/smoother.hpp"
#ifdef POISSON_HAVE_MPI
#include "backends/mpi/mpi_processes.hpp"
#endif

namespace poisson::bench {
namespace {

struct Arguments {
  std::string device = "cuda";
  int blocks = 4, cells = 32, repeat = 5;
  std::int64_t coarsest = most_in_blocks;  ///< unknowns from which rows follow the levels of blocks
  bool verbs = false;
  Krylov krylov = Krylov::automatic;
  double interval = 0;  ///< of Chebyshev's polynomial; 0: the choice of auto
  int steps = 0;
  std::shared_ptr<const Processes> processes = one_process();

  std::unique_ptr<Backend> make() const {
    return make_backend(device, nullptr, processes->rank(),
                        processes->alone() ? Transport::automatic : Transport::peer);
  }
};

void report(const std::string& name, const Backend& backend, const Processes& processes, double setup, double seconds,
            std::int64_t unknowns, const Result& result, double bytes) {
  if (!processes.first()) return;
  std::printf(
      "{\"case\": \"%s\", \"device\": \"%s\", \"processes\": %d, \"unknowns\": %lld, \"setup_s\": %.3f, \"solve_ms\": "
      "%.3f, "
      "\"gdof_s\": %.4f, \"iterations\": %d, \"residual\": %.2e, \"bytes_per_unknown\": %.1f}\n",
      name.c_str(), backend.device().c_str(), processes.count(), static_cast<long long>(unknowns), setup, 1e3 * seconds,
      static_cast<double>(unknowns) / seconds / 1e9, result.converged() ? result.iterations : -1, result.relative(),
      bytes / static_cast<double>(unknowns));
  std::fflush(stdout);
}

double seconds_of(Solver& solver, Backend& backend, int repeat, Result& result) {
  double best = 1e30;
  for (int run = 0; run < repeat; ++run) {
    backend.fill(solver.solution(), 0);
    const Scalar done = backend.scalar();
    backend.value(done);
    const Stopwatch watch;
    result = solver.solve(false);
    best = std::min(best, watch.seconds());
  }
  return best;
}

// Returns nodes from 0 to 1 whose first cell is 1e-4 of the largest one; cells grow by at most 1.5.
std::vector<double> wall_nodes(int cells) {
  std::vector<double> widths;
  for (int i = 0; i < cells; ++i) widths.push_back(std::min(1.0, 1e-4 * std::pow(1.5, i)));
  double sum = 0;
  for (const double w : widths) sum += w;
  std::vector<double> nodes{0};
  for (const double w : widths) nodes.push_back(nodes.back() + w / sum);
  nodes.back() = 1;
  return nodes;
}

BlockGeometry cube(const Arguments& of, double skew, bool wall) {
  MacroMesh macro;
  macro.dimension = 3;
  const int m = of.blocks, n = of.cells;
  const std::vector<double> z = wall ? wall_nodes(m * n) : uniform_nodes(0, 1, m * n);
  std::mt19937 random(5);
  std::uniform_real_distribution<double> by(-skew / m, skew / m);
  const auto number = [m](int i, int j, int k) { return i + (m + 1) * (j + (m + 1) * k); };
  for (int k = 0; k <= m; ++k)
    for (int j = 0; j <= m; ++j)
      for (int i = 0; i <= m; ++i) {
        const auto move = [&](int at) { return at > 0 && at < m ? by(random) : 0.0; };
        macro.vertices.push_back({i / static_cast<double>(m) + move(i), j / static_cast<double>(m) + move(j),
                                  z[static_cast<std::size_t>(k * n)] + (wall ? 0 : move(k))});
      }
  for (int k = 0; k < m; ++k)
    for (int j = 0; j < m; ++j)
      for (int i = 0; i < m; ++i) {
        MacroMesh::Block block;
        for (int c = 0; c < 8; ++c)
          block.corners[static_cast<std::size_t>(c)] = number(i + (c & 1), j + (c >> 1 & 1), k + (c >> 2));
        block.name = "block " + std::to_string(macro.blocks.size());
        macro.blocks.push_back(block);
      }
  BlockGeometry geometry;
  geometry.topology = std::make_shared<const MacroTopology>(macro);
  for (const EdgeClass& one : geometry.topology->classes()) {
    geometry.cells.push_back(n);
    const auto& corners = geometry.topology->parts()[static_cast<std::size_t>(one.edge)].corners;
    const int layers = (m + 1) * (m + 1);
    if (corners[1] - corners[0] != layers) {
      geometry.fractions.push_back(uniform_nodes(0, 1, n));
      continue;
    }
    const auto from = z.begin() + corners[0] / layers * n;
    std::vector<double> own(from, from + n + 1);
    const double low = own.front(), high = own.back();
    for (double& x : own) x = (x - low) / (high - low);
    geometry.fractions.push_back(own);
  }
  return geometry;
}

// Times `count` runs of a verb in ms.
template <class F>
double verb_ms(Backend& backend, int count, const F& verb) {
  const Scalar done = backend.scalar();
  verb();
  backend.value(done);
  const Stopwatch watch;
  for (int n = 0; n < count; ++n) verb();
  backend.value(done);
  return 1e3 * watch.seconds() / count;
}

// Times products and steps of the finest level with each model of coefficients.
void measure_verbs(const std::string& name, Backend& backend, const BlocksModel& model, const BlockSystem& system,
                   const Options& options, bool prints) {
  const auto blocks = make_device_blocks(backend);
  for (const BlockModel coefficients : {BlockModel::narrow, BlockModel::stored, BlockModel::computed})
    for (const Precision precision : {Precision::fp32, Precision::fp64}) {
      BlockOperatorData data = model.data_of(0, options);
      data.model = coefficients;
      const auto A = blocks->make_operator(data, precision);
      const auto split = A->split();
      Field u(backend, A->space(), precision), b(backend, A->space(), precision), r(backend, A->space(), precision);
      constexpr int count = 20;
      const double product = verb_ms(backend, count, [&] { A->apply(u, r); }),
                   step = verb_ms(backend, count,
                                  [&] {
                                    split->step({0.5, 0.1}, u, b, r);
                                  }),
                   exchange = verb_ms(backend, count, [&] { backend.exchange(u); });
      if (!prints) continue;
      std::printf(
          "{\"case\": \"%s\", \"entries\": \"%s\", \"bits\": %d, \"product_ms\": %.4f, \"step_ms\": %.4f, "
          "\"exchange_ms\": %.4f, \"bytes_per_unknown\": %.1f}\n",
          name.c_str(),
          coefficients == BlockModel::stored   ? "stored"
          : coefficients == BlockModel::narrow ? "narrow or products of axes"
                                               : "computed",
          precision == Precision::fp32 ? 32 : 64, product, step, exchange,
          static_cast<double>(A->bytes()) / static_cast<double>(system.sizes.front().unknowns));
      std::fflush(stdout);
    }
}

void measure(const std::string& name, const Arguments& of, double skew, bool wall, BlockModel coefficients,
             bool corners = false) {
  const auto backend = of.make();
  const Stopwatch watch;
  const BlockMesh mesh = make_block_mesh(cube(of, skew, wall));
  const double of_mesh = watch.seconds();
  MeshProblem problem;
  problem.mesh = mesh.mesh;
  problem.source = 1.0;
  MeshCondition rest;
  rest.name = "default";
  rest.value = 0.0;
  problem.conditions.push_back(rest);
  const MeshData data(problem);
  const CellStretch stretch = measure_cells(mesh).stretch();
  const double of_data = watch.seconds();
  const BlockSystem system = assemble_blocks(data, mesh, of.processes, of.coarsest, stretch, backend->on_gpu());
  const std::vector<double> held = mesh.on_nodes(data.held), guess;
  const double of_system = watch.seconds();
  BlocksModel model(*backend, system, held, guess);
  model.use(coefficients);
  if (corners) model.compute_residual();
  Options options;
  options.tolerance = 1e-8;
  options.krylov = of.krylov;
  if (of.interval > 0) options.smoother.kind = &smoother_kind("chebyshev");
  if (of.interval > 0) options.smoother.given.insert_or_assign("interval", of.interval);
  if (of.steps > 0) options.smoother.post = of.steps;
  const std::size_t before = backend->available();
  const auto unknowns = static_cast<double>(system.sizes.front().unknowns);
  const std::unique_ptr<Solver> solver = make_solver(model, options);
  solver->prepare(false);
  model.fill(solver->rhs(), solver->solution());
  const double setup = watch.seconds(), bytes = static_cast<double>(before) - static_cast<double>(backend->available());
  const bool prints = of.processes->first();
  if (prints)
    std::printf(
        "{\"case\": \"%s\", \"planned_bytes_per_unknown\": %.1f, \"allocated_bytes_per_unknown\": %.1f, "
        "\"peak_bytes_per_unknown\": %.1f}\n",
        name.c_str(), static_cast<double>(model.plan(options).bytes) / unknowns,
        static_cast<double>(backend->memory().now()) / unknowns,
        static_cast<double>(backend->memory().peak()) / unknowns);
  if (prints)
    std::printf("{\"case\": \"%s\", \"mesh_s\": %.3f, \"data_s\": %.3f, \"matrix_s\": %.3f, \"solver_s\": %.3f}\n",
                name.c_str(), of_mesh, of_data - of_mesh, of_system - of_data, setup - of_system);
  Result result;
  const double seconds = seconds_of(*solver, *backend, of.repeat, result);
  report(name + (coefficients == BlockModel::stored     ? ", entries in fp32"
                 : coefficients == BlockModel::computed ? ", all entries from corners"
                 : corners                              ? ", residual from corners"
                                                        : ""),
         *backend, *of.processes, setup, seconds, system.sizes.front().unknowns, result, bytes);
  if (of.verbs) measure_verbs(name, *backend, model, system, options, prints);
}

void measure_box(const Arguments& of) {
  const auto backend = of.make();
  const Stopwatch watch;
  const Problem problem = [&of] {
    Problem made = two_trig(of.blocks * of.cells);
    made.scheme = Scheme::q1;
    return made;
  }();
  const std::size_t before = backend->available();
  Discretization discretization(*backend, problem);
  Options options{.method = Method::multigrid};
  options.tolerance = 1e-8;
  const std::unique_ptr<Solver> solver = make_solver(discretization, options);
  solver->prepare(false);
  discretization.assemble_rhs(solver->rhs());
  const double setup = watch.seconds(), bytes = static_cast<double>(before) - static_cast<double>(backend->available());
  Result result;
  const double seconds = seconds_of(*solver, *backend, of.repeat, result);
  report("one box", *backend, *of.processes, setup, seconds, solver->solution().space().own_unknowns(), result, bytes);
}

}  // namespace
}  // namespace poisson::bench

int main(int argc, char** argv) {
  using namespace poisson::bench;
  Arguments of;
#ifdef POISSON_HAVE_MPI
  if (poisson::under_launcher())
    of.processes = poisson::mpi_processes([](poisson::Moment, std::span<const poisson::LostProcess>) {});
#endif
  if (argc > 1) of.device = argv[1];
  if (argc > 2) of.blocks = std::atoi(argv[2]);
  if (argc > 3) of.cells = std::atoi(argv[3]);
  const std::string which = argc > 4 ? argv[4] : "all";
  const auto wants = [&](const std::string& name) { return which == "all" || which.find(name) != std::string::npos; };
  of.verbs = argc > 5 && std::string(argv[5]) == "verbs";
  if (argc > 6) of.coarsest = std::atoll(argv[6]);
  if (argc > 7 && std::string(argv[7]) != "auto")
    of.krylov = std::string(argv[7]) == "cg" ? poisson::Krylov::cg : poisson::Krylov::none;
  if (argc > 8) of.interval = std::atof(argv[8]);
  if (argc > 9) of.steps = std::atoi(argv[9]);
  if (argc > 10) poisson::most_replicated = std::atoll(argv[10]);
  const auto automatic = poisson::BlockModel::automatic;
  if (wants("box") && of.processes->alone()) measure_box(of);
  if (wants("rectilinear")) measure("rectilinear blocks", of, 0, false, automatic);
  if (wants("skewed")) measure("skewed blocks", of, 0.15, false, automatic);
  if (wants("stored")) measure("skewed blocks", of, 0.15, false, poisson::BlockModel::stored);
  if (wants("residual")) measure("skewed blocks", of, 0.15, false, automatic, true);
  if (wants("corners")) measure("skewed blocks", of, 0.15, false, poisson::BlockModel::computed);
  if (wants("wall")) measure("wall of 1e4", of, 0.15, true, automatic);
}
