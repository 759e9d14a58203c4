#include "io/config/schema_parts.hpp"
#include "solver/options.hpp"
#include "solver/smoothers/smoother.hpp"

namespace poisson::schema {
namespace {

// Returns the schemas of a smoother's parameters.
std::vector<Schema> parameters(const SmootherKind& kind) {
  std::vector<Schema> keys;
  for (const auto& [name, doc, example, above, most, below] : kind.parameters)
    keys.push_back({.key = name,
                    .type = Type::number,
                    .doc = doc,
                    .fallback = "null",
                    .example = example,
                    .range = {.lower = above,
                              .upper = most > 0 ? std::optional(most) : std::nullopt,
                              .open_lower = true,
                              .open_upper = below}});
  return keys;
}

// Returns the keys of a type: the parameters if it has one kind, or else its forms.
std::vector<Schema> keys_of(std::string_view type) {
  Schema forms{.key = "kind", .type = Type::choice, .doc = "The polynomial."};
  for (const SmootherKind* kind : smoother_kinds()) {
    if (kind->type != type) continue;
    if (kind->form.empty()) return parameters(*kind);
    if (forms.choices.empty()) forms.fallback = kind->form;
    forms.choices.push_back({.name = kind->form, .doc = kind->form_doc, .keys = parameters(*kind)});
  }
  return {forms};
}

Schema smoother() {
  const auto sweeps = [](std::string_view key, std::string_view doc) {
    return Schema{.key = key,
                  .type = Type::integer,
                  .doc = doc,
                  .fallback = "null",
                  .example = "2",
                  .range = {.lower = 0, .upper = 1000}};
  };
  std::vector<Choice> types{word("auto", "Points, lines or planes, chosen for each level.")};
  for (const SmootherKind* kind : smoother_kinds())
    if (kind->type != types.back().name)
      types.push_back({.name = kind->type,
                       .doc = kind->doc,
                       .keys = keys_of(kind->type),
                       .elsewhere = {kind->aliases.begin(), kind->aliases.end()}});
  types.push_back({.name = "line",
                   .doc = "A polynomial over lines along the axis of the strongest coupling; along all axes in turn on "
                          "Galerkin levels that need it.",
                   .keys = keys_of("chebyshev")});
  types.push_back({.name = "plane",
                   .doc = "A polynomial over planes, with one two-dimensional cycle per plane.",
                   .keys = keys_of("chebyshev")});
  return {.key = "smoother",
          .doc = "Smoother on each level of multigrid.",
          .keys = {{.key = "type",
                    .type = Type::choice,
                    .doc = "The smoother.",
                    .fallback = "auto",
                    .choices = std::move(types)},
                   sweeps("pre", "Sweeps before the coarse correction; null: chosen by the program."),
                   sweeps("post", "Sweeps after the coarse correction; null: chosen by the program.")},
          .shorthand = "type"};
}

Schema method() {
  return {.key = "method",
          .type = Type::choice,
          .doc = "The method.",
          .fallback = "auto",
          .choices = {
              choice("auto", Method::automatic,
                     "Multigrid, or direct if it is predicted to be faster, including the time to load its libraries. "
                     "For a matrix that multigrid does not support: conjugate gradients or Jacobi's method."),
              choice("jacobi", Method::jacobi, "Damped Jacobi, 24 sweeps per iteration; for comparison."),
              choice("cg", Method::cg, "Conjugate gradients; for comparison."),
              choice("multigrid", Method::multigrid, "Geometric multigrid."),
              choice("direct", Method::direct,
                     "Direct solver that diagonalizes all axes but one. Needs a constant coefficient along each axis "
                     "and constant reaction and alpha; cells may vary. Several processes cut the grid into slabs. "
                     "Iterations reduce rounding errors.")}};
}

Schema cycle() {
  return {
      .key = "cycle",
      .type = Type::choice,
      .doc = "The multigrid cycle.",
      .fallback = "auto",
      .choices = {
          choice("auto", Cycle::automatic,
                 "On Galerkin levels w in the plane if the coefficient has many large jumps and strong clusters are "
                 "found; in space for bodies, if it has many steps but few large jumps, for layers oblique to the axes "
                 "and if "
                 "lines are relaxed, except across many layers; otherwise v."),
          choice("v", Cycle::v, "Visits every level once."),
          choice("w", Cycle::w,
                 "Visits a level twice if it has at most a third of the unknowns of the finer one. Under conjugate "
                 "gradients both visits are steps of a Chebyshev iteration."),
          choice("f", Cycle::f, "An F-cycle, then a V-cycle.")}};
}

Schema fallback() {
  return {.key = "fallback",
          .type = Type::choice,
          .doc =
              "If multigrid fails or is predicted to fail, continue with conjugate gradients preconditioned by a "
              "factorization on the host or by algebraic multigrid.",
          .fallback = "auto",
          .choices = {meant_by(true, choice("auto", Fallback::automatic,
                                            "If the predicted time is at most 60 s; otherwise the run ends with "
                                            "status 3 and reports it. `true` means the same.")),
                      choice("always", Fallback::always, "Regardless of the predicted time."),
                      meant_by(false, choice("never", Fallback::never, "Never. `false` means the same."))}};
}

Schema krylov() {
  return {
      .key = "krylov",
      .type = Type::choice,
      .doc = "Accelerates multigrid.",
      .fallback = "auto",
      .choices = {choice("auto", Krylov::automatic,
                         "cg if the coefficient differs by a factor of 4 or more between neighbouring cells or "
                         "oscillates by a factor of 10 or more; if the reaction or alpha varies; and for matrices."),
                  choice("none", Krylov::none, "Multigrid without acceleration."),
                  choice("cg", Krylov::cg, "Flexible conjugate gradients preconditioned by multigrid.")}};
}

Schema preconditioner() {
  return {.key = "preconditioner",
          .type = Type::choice,
          .doc =
              "Preconditioner of conjugate gradients; any value except auto selects conjugate gradients as the "
              "method.",
          .fallback = "auto",
          .choices = {choice("auto", PreconditionerChoice::automatic,
                             "direct if multigrid would relax planes and the coefficient varies by a factor of at "
                             "most 18, or is smooth; otherwise determined by method and krylov."),
                      choice("diagonal", PreconditionerChoice::diagonal, "The diagonal of the matrix."),
                      choice("multigrid", PreconditionerChoice::multigrid, "A multigrid cycle."),
                      choice("direct", PreconditionerChoice::direct,
                             "The direct solver for mean coefficient, reaction and alpha; several processes cut the "
                             "grid into slabs.")}};
}

Schema coarse_operator() {
  return {
      .key = "coarse_operator",
      .type = Type::choice,
      .doc = "Operator on the coarse levels.",
      .fallback = "auto",
      .choices = {
          choice("auto", CoarseOperator::automatic,
                 "galerkin if the coefficient jumps by a factor of 1000 or more (100 in two dimensions, 300 in "
                 "cells) and point smoothing suffices. In cells only if a line through the box crosses two jumps "
                 "of 100 or more on average, or if the coefficient's range exceeds 10 times its largest jump."),
          choice("rediscretized", CoarseOperator::rediscretized, "The rediscretized problem."),
          choice("galerkin", CoarseOperator::galerkin, "P^T A P, with a prolongation P based on the couplings of A.")}};
}

Schema amg() {
  return {.key = "amg",
          .type = Type::choice,
          .doc = "Algebraic multigrid of meshes and of `type: matrix`.",
          .fallback = "own",
          .choices = {choice("own", Amg::own, "That of this program, by the threads of one process."),
                      choice("hypre", Amg::hypre,
                             "Conjugate gradients with BoomerAMG of hypre, also by several processes; needs a program "
                             "that was built with hypre and METIS.")}};
}

Schema precision() {
  return {.key = "precision",
          .type = Type::choice,
          .doc = "Floating-point precision.",
          .fallback = "mixed",
          .choices = {choice("double", SolvePrecision::double_, "64 bits throughout."),
                      choice("mixed", SolvePrecision::mixed,
                             "Solution and residual in 64 bits, corrections in 32 (64 in very flat boxes, where 32 "
                             "bits would lose the coupling across)."),
                      choice("single", SolvePrecision::single, "32 bits throughout.")}};
}

}  // namespace

Schema solver() {
  return {
      .key = "solver",
      .doc = "How the linear system is solved.",
      .keys = {
          method(),
          quantity("initial", "The starting guess.", "0"),
          {.key = "tolerance",
           .type = Type::number,
           .doc = "Bound on |b - Au| over the larger of |b| and |b - Au0|; 0 runs exactly max_iterations.",
           .fallback = "1e-8",
           .range = {.lower = 0, .upper = 1, .open_upper = true}},
          {.key = "flow_tolerance",
           .type = Type::number,
           .doc = "Ends the solve, before it reaches `tolerance`, when tenfold accuracy changes no flow by more than "
                  "this share of the throughput. Flows are those through faces and out of fixed bodies.",
           .fallback = "null",
           .example = "1e-4",
           .range = {.lower = 0, .upper = 1, .open_lower = true, .open_upper = true}},
          {.key = "max_iterations",
           .type = Type::integer,
           .doc = "Maximum number of iterations.",
           .fallback = "100",
           .range = {.lower = 1, .upper = 1'000'000'000}},
          cycle(),
          {.key = "full_multigrid",
           .type = Type::boolean,
           .doc = "Start with full multigrid, from the coarsest level, instead of the guess.",
           .fallback = "true"},
          fallback(),
          {.key = "extrapolate",
           .type = Type::boolean,
           .doc = "Fourth order by tau-extrapolation: solve, correct the right-hand side with a truncation error "
                  "estimated from every second node, solve again. Requires scheme fv, unknowns at nodes, even numbers "
                  "of equal cells, constant coefficient, Dirichlet and periodic faces.",
           .fallback = "false"},
          smoother(),
          krylov(),
          preconditioner(),
          coarse_operator(),
          amg(),
          precision()}};
}

Schema backend() {
  return {
      .key = "backend",
      .doc = "Device and processes.",
      .keys = {
          {.key = "device",
           .type = Type::choice,
           .doc = "The device.",
           .fallback = "auto",
           .choices = {word("auto", "The first GPU, or the host's cores if there is none."),
                       word("cpu", "The host's cores."), word("cuda", "The first NVIDIA GPU."),
                       word("cuda:0", "The NVIDIA GPU with this number."), word("cuda:1"), word("cuda:2"),
                       word("cuda:3"), word("cuda:4"), word("cuda:5"), word("cuda:6"), word("cuda:7")}},
          {.key = "transport",
           .type = Type::choice,
           .doc = "How processes on GPUs exchange data; processes on the host use messages.",
           .fallback = "auto",
           .choices =
               {choice("auto", Transport::automatic,
                       "The fastest available one, measured at start; the run reports why it rejects the others."),
                choice(
                    "peer", Transport::peer,
                    "Kernels write to each other's GPU memory and wait for each other; only for GPUs of one machine."),
                choice("staged", Transport::staged,
                       "Through host memory shared by the processes of a machine, otherwise by MPI; kernels continue "
                       "meanwhile."),
                choice("mpi", Transport::mpi, "By a GPU-aware MPI; an error if MPI is not GPU-aware.")}},
          {.key = "blocks",
           .type = Type::list,
           .doc = "Number of sub-blocks along each axis; their product is the number of processes. null: slabs, or "
                  "blocks if their surface is smaller.",
           .fallback = "null",
           .example = "[1, 2, 2]",
           .items = {{.type = Type::integer, .range = {.lower = 1}}},
           .fewest = 2,
           .most = 3}}};
}

}  // namespace poisson::schema
