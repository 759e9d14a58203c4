#include "io/config/schema_parts.hpp"
#include "io/fields/field_choices.hpp"
#include "io/files/formats.hpp"
#include "solver/options.hpp"
#include "solver/smoothers/smoother.hpp"

namespace poisson::schema {
namespace {

// The parameters of a kind of smoother.
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

// What a type takes: the parameters of its one kind, or the forms that it has.
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
  std::vector<Choice> types{word("auto", "What suits each level: points, lines or planes.")};
  for (const SmootherKind* kind : smoother_kinds())
    if (kind->type != types.back().name)
      types.push_back({.name = kind->type,
                       .doc = kind->doc,
                       .keys = keys_of(kind->type),
                       .elsewhere = {kind->aliases.begin(), kind->aliases.end()}});
  types.push_back({.name = "line",
                   .doc =
                       "A polynomial over lines, along the axis that couplings call for; on Galerkin levels of grids "
                       "that need it, along all axes in turn.",
                   .keys = keys_of("chebyshev")});
  types.push_back({.name = "plane",
                   .doc = "A polynomial over planes, one two-dimensional cycle in each.",
                   .keys = keys_of("chebyshev")});
  return {.key = "smoother",
          .doc = "What multigrid does on each level.",
          .keys = {{.key = "type",
                    .type = Type::choice,
                    .doc = "The smoother.",
                    .fallback = "auto",
                    .choices = std::move(types)},
                   sweeps("pre", "Sweeps before the coarse correction; null: what suits the method."),
                   sweeps("post", "Sweeps after the coarse correction; null: what suits the method.")},
          .shorthand = "type"};
}

}  // namespace

Schema solver() {
  return {
      .key = "solver",
      .doc = "How the linear system is solved.",
      .keys = {
          {.key = "method",
           .type = Type::choice,
           .doc = "The method.",
           .fallback = "auto",
           .choices = {choice("auto", Method::automatic,
                              "Multigrid, or direct where that is predicted to be faster, the loading of its libraries "
                              "included; for a matrix that multigrid cannot take, conjugate gradients or Jacobi's "
                              "method."),
                       choice("jacobi", Method::jacobi, "Damped Jacobi, 24 sweeps an iteration; for comparison."),
                       choice("cg", Method::cg, "Conjugate gradients; for comparison."),
                       choice("multigrid", Method::multigrid, "Geometric multigrid."),
                       choice(
                           "direct", Method::direct,
                           "At once, by the modes of all axes but one: a constant coefficient of each axis, constant "
                           "reaction and alpha, any cells; several processes cut the grid into slabs. "
                           "Iterations refine what rounding leaves.")}},
          quantity("initial", "The starting guess.", "0"),
          {.key = "tolerance",
           .type = Type::number,
           .doc = "Bound on |b - Au| over the larger of |b| and |b - Au0|; 0 runs exactly max_iterations.",
           .fallback = "1e-8",
           .range = {.lower = 0, .upper = 1, .open_upper = true}},
          {.key = "max_iterations",
           .type = Type::integer,
           .doc = "Bound on the iterations.",
           .fallback = "100",
           .range = {.lower = 1, .upper = 1'000'000'000}},
          {.key = "cycle",
           .type = Type::choice,
           .doc = "The multigrid cycle.",
           .fallback = "v",
           .choices = {choice("v", Cycle::v,
                              "Every level once; in a plane with many large jumps of the coefficient as w."),
                       choice("w", Cycle::w, "A level twice, where it has at most a third of the unknowns."),
                       choice("f", Cycle::f, "An F-cycle, then a V-cycle.")}},
          {.key = "full_multigrid",
           .type = Type::boolean,
           .doc = "Start from the coarsest level up instead of from the guess.",
           .fallback = "true"},
          {.key = "fallback",
           .type = Type::choice,
           .doc = "Where multigrid fails, or is predicted to, go on with conjugate gradients around a factorization or "
                  "multigrid by aggregates, on the host.",
           .fallback = "auto",
           .choices = {meant_by(true, choice("auto", Fallback::automatic,
                                             "If the predicted time is at most 60 s, else the run ends with status 3 "
                                             "and says so. `true` means the same.")),
                       choice("always", Fallback::always, "However long it takes."),
                       meant_by(false, choice("never", Fallback::never, "Not at all. `false` means the same."))}},
          {.key = "extrapolate",
           .type = Type::boolean,
           .doc = "Fourth order by tau-extrapolation: solve, correct the right-hand side by what every second node "
                  "shows of the truncation error, solve again. Scheme fv, unknowns at nodes, even numbers of equal "
                  "cells, constant coefficient, Dirichlet and periodic faces.",
           .fallback = "false"},
          smoother(),
          {.key = "krylov",
           .type = Type::choice,
           .doc = "Accelerates multigrid.",
           .fallback = "auto",
           .choices = {choice(
                           "auto", Krylov::automatic,
                           "cg where the coefficient differs by a factor of 4 or more between neighbouring cells, or "
                           "varies by a factor of 10 or more in many waves; where the reaction or alpha varies; and "
                           "for matrices."),
                       choice("none", Krylov::none, "Multigrid alone."),
                       choice("cg", Krylov::cg, "Flexible conjugate gradients around it.")}},
          {.key = "preconditioner",
           .type = Type::choice,
           .doc = "What conjugate gradients precondition with; one that is named makes them the method.",
           .fallback = "auto",
           .choices = {choice("auto", PreconditionerChoice::automatic,
                              "direct where multigrid would relax planes and the coefficient varies by a factor of at "
                              "most 10, else what method and krylov say."),
                       choice("diagonal", PreconditionerChoice::diagonal, "The diagonal of the matrix."),
                       choice("multigrid", PreconditionerChoice::multigrid, "A multigrid cycle."),
                       choice("direct", PreconditionerChoice::direct,
                              "The direct solution for the means of the coefficient, reaction and alpha; several "
                              "processes cut the grid into slabs.")}},
          {.key = "coarse_operator",
           .type = Type::choice,
           .doc = "What coarse levels solve.",
           .fallback = "auto",
           .choices = {choice("auto", CoarseOperator::automatic,
                              "galerkin where the coefficient jumps by a factor of 1000 or more (100 in two "
                              "dimensions, 300 in cells) and smoothing points suffices; in cells only where a line "
                              "through the box crosses two jumps of 100 or more on average, or where the coefficient "
                              "has a range of more than 10 times its largest jump."),
                       choice("rediscretized", CoarseOperator::rediscretized, "The problem discretized again."),
                       choice("galerkin", CoarseOperator::galerkin,
                              "P^T A P, with a prolongation P by the couplings of A.")}},
          {.key = "precision",
           .type = Type::choice,
           .doc = "Floating-point numbers.",
           .fallback = "mixed",
           .choices = {choice("double", SolvePrecision::double_, "64 bits throughout."),
                       choice("mixed", SolvePrecision::mixed,
                              "Solution and residual in 64 bits, corrections in 32; in 64 in boxes so flat that 32 "
                              "would lose what couples across."),
                       choice("single", SolvePrecision::single, "32 bits throughout.")}}}};
}

Schema backend() {
  return {
      .key = "backend",
      .doc = "What computes.",
      .keys = {
          {.key = "device",
           .type = Type::choice,
           .doc = "The device.",
           .fallback = "auto",
           .choices = {word("auto", "The first GPU where there is one, else the host's cores."),
                       word("cpu", "The host's cores."), word("cuda", "The first NVIDIA GPU."),
                       word("cuda:0", "An NVIDIA GPU by its number."), word("cuda:1"), word("cuda:2"), word("cuda:3"),
                       word("cuda:4"), word("cuda:5"), word("cuda:6"), word("cuda:7")}},
          {.key = "transport",
           .type = Type::choice,
           .doc = "How processes on GPUs reach each other; those on the host's cores send messages.",
           .fallback = "auto",
           .choices = {choice("auto", Transport::automatic,
                              "The fastest of those that can be had, as measured at start; the run says why not the "
                              "others."),
                       choice("peer", Transport::peer,
                              "Kernels store into the memory of each other's GPUs and wait for each other: GPUs of "
                              "one machine alone."),
                       choice("staged", Transport::staged,
                              "Through memory of the host that the processes of a machine share, else by MPI; kernels "
                              "go on meanwhile."),
                       choice("mpi", Transport::mpi,
                              "By an MPI that reads and writes the memory of GPUs itself; refused where it cannot.")}},
          {.key = "blocks",
           .type = Type::list,
           .doc = "Into how many parts each axis is cut, as many in all as there are processes; null: slabs, or "
                  "blocks where their surface is less.",
           .fallback = "null",
           .example = "[1, 2, 2]",
           .items = {{.type = Type::integer, .range = {.lower = 1}}},
           .fewest = 2,
           .most = 3}}};
}

Schema output() {
  Schema field{.type = Type::choice};
  for (const FieldChoice& choice : field_choices()) field.choices.push_back(word(choice.name, choice.doc));
  Schema format{.type = Type::choice};
  for (const FileFormat& choice : file_formats()) format.choices.push_back(word(choice.name, choice.doc));
  const Schema point{.type = Type::list,
                     .example = "[0.5, 0.5, 0.5]",
                     .items = {{.type = Type::constant, .example = "0.5"}},
                     .fewest = 2,
                     .most = 3};
  return {.key = "output",
          .doc = "What the run leaves.",
          .keys = {{.key = "directory",
                    .type = Type::path,
                    .doc = "Where it goes, relative to the configuration file's folder; null: results/NAME where the "
                           "program is started, NAME the configuration file's.",
                    .fallback = "null",
                    .example = "results/cavity"},
                   {.key = "fields",
                    .type = Type::list,
                    .doc = "The fields to write.",
                    .fallback = "[u]",
                    .items = {field},
                    .fewest = 1,
                    .distinct = true},
                   {.key = "formats",
                    .type = Type::list,
                    .doc = "The kinds of files; null: all that were built; [] writes only the summary.",
                    .fallback = "null",
                    .example = "[vtk]",
                    .items = {format},
                    .distinct = true},
                   {.key = "probes",
                    .type = Type::list,
                    .doc = "Points at which the summary and the terminal give u.",
                    .fallback = "[]",
                    .items = {point}}}};
}

}  // namespace poisson::schema
