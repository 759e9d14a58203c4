#include "solver/rehearsal.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <utility>
#include <vector>

#include "backends/spaces/mailbox_layout.hpp"
#include "grids/kernels/cell_codes.hpp"
#include "grids/kernels/rehearsal/rehearsal.hpp"
#include "grids/problem/media.hpp"
#include "grids/problem/mixed_bc.hpp"
#include "grids/results/integrals.hpp"
#include "grids/sampling/mixed_bc_face.hpp"
#include "grids/sampling/strong_bodies.hpp"
#include "solver/floating_modes.hpp"
#include "solver/grid_model.hpp"
#include "solver/matrix_model.hpp"

namespace poisson {
namespace {

// Answers for the other processes: each of them has what this one has, and no message is sent.
class RehearsedProcesses final : public Processes {
 public:
  RehearsedProcesses(int rank, int count) : rank_(rank), count_(count) {}
  int rank() const override { return rank_; }
  int count() const override { return count_; }
  std::unique_ptr<Transit> start(std::span<const Message>, std::span<const Message>) const override {
    struct Done final : Transit {
      void finish() override {}
    };
    return std::make_unique<Done>();
  }
  void gather(const void* own, std::size_t bytes, void* all) const override {
    for (int p = 0; p < count_; ++p)
      std::memcpy(static_cast<char*>(all) + static_cast<std::size_t>(p) * bytes, own, bytes);
  }
  void broadcast(void*, std::size_t, int) const override {}

 private:
  int rank_, count_;
};

// Returns the process with the largest part of a block.
int largest_part(const Block& part) {
  const Cuts& cuts = part.share->cuts;
  int largest = 0;
  std::int64_t most = 0;
  for (int p = 0; p < cuts.patches(); ++p)
    if (const std::int64_t values = cuts.layout(p).allocated(Precision::fp64); values > most) {
      most = values;
      largest = p;
    }
  return largest;
}

// Returns the sharing as this process sees it.
Sharing rehearsed(const Sharing& sharing, int rank) {
  Sharing alone = sharing;
  const auto [x, y, z] = sharing.parts;
  alone.processes = std::make_shared<const RehearsedProcesses>(rank, x * y * z);
  if (sharing.groups) {
    const std::array<int, 3> at{rank % x, rank / x % y, rank / (x * y)}, of = sharing.groups->parts;
    std::array<int, 3> group{};
    for (std::size_t d = 0; d < 3; ++d) group[d] = at[d] / (sharing.parts[d] / of[d]);
    alone.groups->processes = std::make_shared<const RehearsedProcesses>(
        group[0] + of[0] * (group[1] + of[1] * group[2]), sharing.groups->count());
  }
  return alone;
}

// Calls count(sharing) for the process that stores most. An error there is reported as one of the first process, which
// throws it itself.
template <class Count>
void on_largest_part(const Sharing& sharing, const Block& whole, const Count& count) {
  if (sharing.parts == uncut_axes) return count(Sharing());
  const Sharing first = rehearsed(sharing, 0);
  const int largest = largest_part(first.part_of(whole));
  try {
    count(rehearsed(sharing, largest));
  } catch (const StoppedElsewhere&) {
    count(first);
  }
}

void make_cheap(Quantity& quantity) {
  if (quantity.constant()) return;
  const Quantity::Function one = [](std::span<const double>, std::span<const double>, std::span<const double>,
                                    std::span<double> values) { std::ranges::fill(values, 1.0); };
  quantity = quantity.source() ? Quantity(one, *quantity.source()) : Quantity(one);
}

// Returns a face with one of its conditions everywhere: that of a Dirichlet part, if there is one.
Boundary cheap_face(const Boundary& face) {
  const std::vector<FacePart>& parts = parts_of(face);
  const auto is_dirichlet = [](const FacePart& part) { return part.boundary.kind == BoundaryKind::dirichlet; };
  const auto found = std::ranges::find_if(parts, is_dirichlet);
  FacePart all{found == parts.end() ? parts.front().boundary : found->boundary};
  make_cheap(all.boundary.value);
  make_cheap(all.boundary.alpha);
  return mixed_bc({all});
}

// Returns the problem with data that cost nothing to evaluate. Varying data remain varying, and κ keeps its source
// text.
Problem with_cheap_data(Problem problem) {
  for (Quantity& kappa : problem.coefficient) make_cheap(kappa);
  for (Quantity& kappa : problem.offdiagonal) make_cheap(kappa);
  make_cheap(problem.reaction);
  make_cheap(problem.source);
  if (problem.initial) make_cheap(*problem.initial);
  problem.exact.reset();
  problem.media.reset();
  for (auto& axis : problem.boundary)
    for (Boundary& face : axis) {
      if (face.mixed_bc) {
        face = cheap_face(face);
        continue;
      }
      make_cheap(face.value);
      make_cheap(face.alpha);
    }
  return problem;
}

// Attributes the bytes of fields to the finest level with their values, up to one for cells between nodes. Fields of
// other grids, as in plane solvers, and tables belong to the finest level.
void attribute(Plan& plan, const RehearsalBackend& backend) {
  std::size_t rest = plan.bytes;
  for (const auto& [grid, bytes] : backend.fields()) {
    std::size_t at = 0;
    for (std::size_t l = plan.levels.size(); l-- > 0;) {
      const std::array<int, 3>& n = plan.hierarchy[l].block.layout().n;
      bool fits = true;
      for (std::size_t d = 0; d < 3; ++d) fits = fits && std::abs(n[d] - grid.values[d]) <= 1;
      if (fits) at = l;
    }
    if (at > 0) {
      plan.levels[at].bytes += bytes;
      rest -= bytes;
    }
    if (grid.whole) plan.whole += bytes;
  }
  plan.levels.front().bytes = rest;
}

// Counts the levels that all processes share, and those that groups share.
void count_shared_levels(Plan& plan, const Sharing& sharing) {
  Block block = sharing.part_of(plan.hierarchy.front().block);
  for (std::size_t l = 0; l < plan.hierarchy.size() && block.share; ++l) {
    ++(block.share->processes == sharing.processes ? plan.in_parts : plan.in_groups);
    const auto& coarser = plan.hierarchy[l].coarser;
    if (!coarser) break;
    block = sharing.below(part_of(*coarser, block).block, !plan.hierarchy[l + 1].coarser);
  }
}

// Sets the bytes after set-up and returns the solver's memory.
void count(Plan& plan, const RehearsalBackend& backend, const Sharing& sharing) {
  plan.bytes = backend.memory().now();
  plan.setup = backend.memory().peak() - plan.bytes;
  plan.whole = 0;
  plan.in_parts = plan.in_groups = 0;
  const auto [x, y, z] = sharing.parts;
  plan.mailbox = plan.gpu && sharing.parts != uncut_axes && !sharing.groups
                     ? MailboxLayout(backend.mail(), x * y * z, MailPlace::devices).bytes
                     : 0;
  attribute(plan, backend);
  count_shared_levels(plan, sharing);
}

// Returns the numbers of regions that a GPU stores for the cells of voxels (CellCodes).
Buffer codes_of_voxels(Backend& backend, const Problem& problem, const Block& own) {
  if (!problem.media || !backend.on_gpu()) return {};
  const Media& media = *problem.media;
  const bool crossed = media.bodies && media.surfaces != Surfaces::staircase;
  if (crossed || !media.contacts.empty() || !media.sheets.empty()) return {};
  const std::size_t bytes = media.regions.size() < 256 ? 1 : sizeof(CellCodes::Code);
  return backend.allocate(static_cast<std::size_t>(own.layout().size()) * bytes);
}

BackendKind kind_of(const Plan& plan) {
  return plan.gpu ? BackendKind::cuda : BackendKind::cpu;
}

// Returns the properties of κ that a rehearsal gets.
KappaSummary rehearsed(const KappaSummary& known, const Plan& plan, const Problem& problem, const Sharing& sharing) {
  KappaSummary kappa = known;  // the rehearsed problem has no materials, which exclude strong clusters
  if (sharing.parts == uncut_axes && !may_have_clusters(problem, kappa.jumps, plan.hierarchy.front().block))
    kappa.jumps.share = 0;
  if (has_thin_layers(problem)) kappa.jumps.share = 1;  // cells on sheets and behind contacts are such clusters
  return kappa;
}

}  // namespace

void rehearse(Plan& plan, const Problem& problem, Assembly assembly, const KappaSummary& known,
              const Sharing& sharing) {
  const KappaSummary kappa = rehearsed(known, plan, problem, sharing);
  on_largest_part(sharing, plan.hierarchy.front().block, [&](const Sharing& own) {
    GridRehearsal backend(kind_of(plan), kappa);
    const Buffer codes = codes_of_voxels(backend, problem, own.part_of(plan.hierarchy.front().block));
    GridModel model(backend, with_cheap_data(problem), assembly, Sampling::automatic, own);
    if (problem.media) model.count_as_media();
    const auto solver = make_solver(model, plan.options, nullptr, &plan);
    model.fill(solver->rhs(), solver->solution());
    solver->prepare(false);
    // The balance of constrained nodes needs another operator.
    if (has_mixed_bc(problem))
      balance(model.discretization(), solver->A(), solver->solution(), solver->rhs(), solver->spare());
    count(plan, backend, own);
    plan.floating = FloatingModes::bytes(plan.floating_bodies, solver->solution());
  });
}

void rehearse(Plan& plan, const Problem& problem, const KappaSummary& known, const Sharing& sharing,
              const MakeModel& make) {
  const KappaSummary kappa = rehearsed(known, plan, problem, sharing);
  on_largest_part(sharing, plan.hierarchy.front().block, [&](const Sharing& own) {
    GridRehearsal backend(kind_of(plan), kappa);
    const std::unique_ptr<Model> model = make(backend, with_cheap_data(problem), own.processes);
    const auto solver = make_solver(*model, plan.options, nullptr, &plan);
    model->fill(solver->rhs(), solver->solution());
    solver->prepare(false);
    count(plan, backend, own);
  });
}

void rehearse(Plan& plan, const BandedMatrix& matrix, const Sharing& sharing) {
  on_largest_part(sharing, plan.hierarchy.front().block, [&](const Sharing& own) {
    RehearsalBackend backend(kind_of(plan));
    const MatrixModel model(backend, matrix, own);
    const auto solver = make_solver(model, plan.options, nullptr, &plan);
    solver->prepare(false);
    count(plan, backend, own);
  });
}

}  // namespace poisson
