#include "io/config/schema.hpp"

#include "grids/problem/problem.hpp"
#include "grids/operators/row_data.hpp"
#include "grids/axes/stretching.hpp"
#include "solver/options.hpp"

namespace poisson {

namespace {

template <class Enumerator>
Choice choice(std::string_view name, Enumerator value, std::string_view doc, std::vector<Schema> keys = {}) {
  return {.name = name, .value = static_cast<int>(value), .doc = doc, .keys = std::move(keys)};
}

Choice word(std::string_view name, std::string_view doc = {}) {
  return {.name = name, .doc = doc};
}

Choice called(std::vector<std::string_view> elsewhere, Choice choice) {
  choice.elsewhere = std::move(elsewhere);
  return choice;
}

/// A choice whose feature is still to come.
Choice later(std::string_view name, std::string_view doc, std::string_view unavailable) {
  return {.name = name, .doc = doc, .unavailable = unavailable};
}

Schema dataset_form() {
  return {
      .doc =
          "Values at the nodes or cells, by its shape: [nz][ny][nx], in two dimensions [ny][nx], x running fastest, "
          "as numpy's array[k, j, i]. A periodic axis has all its nodes, the last equal to the first.",
      .keys = {{.key = "file",
                .type = Type::path,
                .doc = "HDF5 file, relative to the configuration file's folder.",
                .required = true,
                .example = "fields.h5"},
               {.key = "dataset",
                .type = Type::text,
                .doc = "Path of the dataset in the file.",
                .required = true,
                .example = "/kappa"}}};
}

/// A number, an expression or a dataset.
Schema quantity(std::string_view key, std::string_view doc, std::string_view fallback, Range range = {}) {
  return {.key = key,
          .type = Type::any_of,
          .doc = doc,
          .fallback = fallback,
          .forms = {{.type = Type::expression, .example = "1 + x*y", .range = range}, dataset_form()}};
}

Schema title() {
  return {.key = "title",
          .type = Type::text,
          .doc = "Stands in the output files and over the picture; at most 1000 bytes.",
          .fallback = "\"\"",
          .most = 1000};
}

Schema parameters() {
  return {.key = "parameters",
          .type = Type::dictionary,
          .doc =
              "Numbers by name, such as `h: 25`, for every expression and every number: each a number or arithmetic "
              "on those above it. `--set parameters.h=30` changes one.",
          .fallback = "{}",
          .example = "{h: 25}",
          .items = {{.type = Type::constant, .example = "25"}}};
}

Schema corner(std::string_view key, std::string_view doc, std::string_view example) {
  return {.key = key,
          .type = Type::list,
          .doc = doc,
          .required = true,
          .example = example,
          .items = {{.type = Type::constant, .example = "0.5"}},
          .fewest = 2,
          .most = 3};
}

Schema domain() {
  return {.key = "domain",
          .doc =
              "The box. Two or three numbers set the dimension. May be left out where every axis has explicit nodes; "
              "matrices have none.",
          .required = true,
          .unless = "grid.axes grid.file",
          .example = "{lower: [0, 0, 0], upper: [1, 1, 1]}",
          .keys = {corner("lower", "Lower corner.", "[0, 0, 0]"), corner("upper", "Upper corner.", "[1, 1, 1]")}};
}

std::vector<Choice> ends() {
  return {choice("lower", StretchedEnd::lower, "Small cells at the lower end."),
          choice("upper", StretchedEnd::upper, "Small cells at the upper end."),
          choice("both", StretchedEnd::both, "Small cells at both ends.")};
}

Schema stretching() {
  const Range positive{.lower = 0, .open_lower = true};
  const auto at = [](std::string_view fallback) {
    return Schema{.key = "at",
                  .type = Type::choice,
                  .doc = "The end at which the cells are smallest.",
                  .fallback = fallback,
                  .choices = ends()};
  };
  const Schema first{.key = "first_cell",
                     .type = Type::constant,
                     .doc = "Width of the cell at that end, or at both: another way to say how strong.",
                     .fallback = "null",
                     .example = "1e-3",
                     .range = positive};
  return {.key = "stretching",
          .type = Type::choice,
          .doc = "The rule by which the cells grow.",
          .required = true,
          .choices = {choice("tanh", 0, "Hyperbolic tangent (Vinokur 1983). Takes strength or first_cell.",
                             {{.key = "strength",
                               .type = Type::constant,
                               .doc = "The greater, the more the cells differ; 0 would be uniform.",
                               .fallback = "null",
                               .example = "2.5",
                               .range = positive},
                              first,
                              at("both")}),
                      choice("geometric", 1, "Cells grow by a constant ratio. Takes ratio, expansion or first_cell.",
                             {{.key = "ratio",
                               .type = Type::constant,
                               .doc = "Size of a cell over the one before, away from the small end.",
                               .fallback = "null",
                               .example = "1.05",
                               .range = positive},
                              {.key = "expansion",
                               .type = Type::constant,
                               .doc = "Largest cell over the smallest.",
                               .fallback = "null",
                               .example = "1000",
                               .range = positive},
                              first,
                              at("lower")})}};
}

Schema axis(std::string_view key) {
  const Schema nodes{.key = "nodes",
                     .type = Type::list,
                     .doc = "Coordinates of the nodes, increasing.",
                     .required = true,
                     .example = "[0, 0.1, 0.3, 1]",
                     .items = {{.type = Type::constant, .example = "0.1"}},
                     .fewest = 3};
  Schema file = dataset_form();
  file.doc = "Coordinates of the nodes from a one-dimensional dataset.";
  return {
      .key = key,
      .type = Type::any_of,
      .doc = "Nodes of this axis; uniform where absent.",
      .fallback = "null",
      .forms = {
          {.doc = "A stretching rule.", .keys = {stretching()}}, {.doc = "Explicit nodes.", .keys = {nodes}}, file}};
}

Choice banded() {
  return {
      .name = "banded",
      .doc = "A matrix from a file, on the grid of its indices.",
      .keys = {{.key = "file",
                .type = Type::path,
                .doc = "Matrix Market (coordinate, real or integer, general or symmetric), or HDF5 with the datasets "
                       "`offsets` [bands][x, y, z] and `bands` [bands][nz][ny][nx]: the entry of row i and column "
                       "i + offset, 0 beyond the grid.",
                .required = true,
                .example = "matrix.mtx"},
               {.key = "shape",
                .type = Type::list,
                .doc = "Points along x, y and z; x runs fastest in the matrix. Follows from HDF5 files.",
                .fallback = "null",
                .example = "[64, 64, 64]",
                .items = {{.type = Type::integer, .example = "64", .range = {.lower = 1, .upper = 100'000'000}}},
                .fewest = 1,
                .most = 3},
               {.key = "rhs",
                .type = Type::path,
                .doc = "The right-hand side: a Matrix Market array, or an HDF5 file with the dataset `rhs`; null: the "
                       "matrix file's `rhs` where it has one, else equation.source.",
                .fallback = "null",
                .example = "rhs.mtx"}}};
}

Schema grid() {
  return {.key = "grid",
          .doc = "The cells.",
          .required = true,
          .example = "{cells: [64, 64, 64]}",
          .keys = {{.key = "type",
                    .type = Type::choice,
                    .doc = "The kind of grid; axes make it tensor-product.",
                    .fallback = "equidistant",
                    .choices = {word("equidistant", "Equal cells along each axis; axes may differ."),
                                word("tensor-product", "Every axis as `axes` describes it."), banded()}},
                   {.key = "cells",
                    .type = Type::list,
                    .doc = "Cells along each axis. May be left out where every axis has explicit nodes.",
                    .required = true,
                    .unless = "axes file",
                    .example = "[64, 64, 64]",
                    .items = {{.type = Type::integer, .example = "64", .range = {.lower = 2, .upper = 10'000'000}}},
                    .fewest = 2,
                    .most = 3},
                   {.key = "axes",
                    .doc = "Stretched axes of a tensor-product grid.",
                    .example = "{z: {stretching: tanh, strength: 2.5}}",
                    .keys = {axis("x"), axis("y"), axis("z")}}}};
}

Schema equation() {
  const Range positive{.lower = 0, .open_lower = true};
  const Range not_negative{.lower = 0};
  Schema coefficient = quantity(
      "coefficient", "The coefficient, positive: one value for each cell, of an expression the one in its centre.", "1",
      positive);
  coefficient.forms.push_back(
      {.doc = "A diagonal tensor, or with xy, xz, yz a full one.",
       .keys = {quantity("x", "Along x.", "1", positive), quantity("y", "Along y.", "1", positive),
                quantity("z", "Along z (three dimensions).", "1", positive),
                quantity("xy", "Mixed, of a full tensor (scheme q1), which must be positive definite.", "0"),
                quantity("xz", "Mixed (three dimensions).", "0"), quantity("yz", "Mixed (three dimensions).", "0")}});
  return {.key = "equation",
          .doc = "-div(coefficient grad u) + reaction u = source",
          .keys = {coefficient,
                   quantity("reaction", "The reaction coefficient, not negative.", "0", not_negative),
                   quantity("source", "The right-hand side.", "0"),
                   {.key = "exact",
                    .type = Type::expression,
                    .doc = "The solution where it is known: errors against it are reported.",
                    .fallback = "null",
                    .example = "sin(pi*x)*sin(pi*y)"}}};
}

Schema face(std::string_view key, std::string_view doc, std::string_view fallback) {
  const Schema alpha{.key = "alpha",
                     .type = Type::expression,
                     .doc = "Transfer coefficient a, not negative.",
                     .required = true,
                     .example = "10",
                     .range = {.lower = 0}};
  const auto datum = [](std::string_view name, std::string_view text) {
    return Schema{.key = name, .type = Type::expression, .doc = text, .required = true, .example = "0"};
  };
  return {.key = key,
          .type = Type::any_of,
          .doc = doc,
          .fallback = fallback,
          .forms = {{.type = Type::choice,
                     .choices = {choice("periodic", BoundaryKind::periodic, "Both faces of the axis are one.")}},
                    {.keys = {datum("dirichlet", "u = g")}},
                    {.keys = {datum("neumann", "coefficient du/dn = q, n the outward normal")}},
                    {.keys = {{.key = "robin",
                               .doc = "coefficient du/dn + a u = g",
                               .required = true,
                               .example = "{alpha: 10, value: 0}",
                               .keys = {alpha, datum("value", "The right-hand side g.")}}}}}};
}

Schema boundary() {
  Schema schema{.key = "boundary",
                .doc = "What holds on the faces of the box.",
                .keys = {face("default", "Every face that is not named.", "{dirichlet: 0}")}};
  for (const std::string_view name : face_names) schema.keys.push_back(face(name, "This face.", "null"));
  return schema;
}

Schema discretization() {
  return {.key = "discretization",
          .doc = "How the equation becomes a linear system.",
          .keys = {{.key = "scheme",
                    .type = Type::choice,
                    .doc = "The scheme.",
                    .fallback = "fv",
                    .choices = {choice("fv", Scheme::fv, "Finite volumes: 5 or 7 points."),
                                choice("q1", Scheme::q1, "Bilinear or trilinear elements: 9 or 27 points."),
                                choice("compact4", Scheme::compact4,
                                       "Fourth order on 9 or 27 points: equal cells, constant coefficient and "
                                       "reaction, Dirichlet and periodic faces.")}},
                   {.key = "centering",
                    .type = Type::choice,
                    .doc = "Where the unknowns sit.",
                    .fallback = "node",
                    .choices = {choice("node", Centering::node, "At the nodes."),
                                choice("cell", Centering::cell, "At the cell centres; finite volumes alone.")}},
                   {.key = "assembly",
                    .type = Type::choice,
                    .doc = "What the operator keeps in memory.",
                    .fallback = "auto",
                    .choices = {choice("auto", Assembly::automatic,
                                       "recompute where coefficient, reaction and alpha are constants (trilinear "
                                       "elements on a GPU: partial), else what the counted bytes and operations "
                                       "predict to be faster."),
                                choice("recompute", Assembly::recompute,
                                       "Nothing: entries come from coordinates, and on a GPU from the coefficient's "
                                       "expression, compiled into the stencil of the finest level. Where that cannot "
                                       "be, as partial, with a note."),
                                choice("partial", Assembly::partial, "The coefficient and the axes' arrays."),
                                choice("full", Assembly::full, "Every band of the matrix; half of them.")}}}};
}

Schema smoother() {
  const auto relaxation = [](double upper, bool open, std::string_view doc) {
    return Schema{.key = "relaxation",
                  .type = Type::number,
                  .doc = doc,
                  .fallback = "null",
                  .example = "0.857",
                  .range = {.lower = 0, .upper = upper, .open_lower = true, .open_upper = open}};
  };
  const auto sweeps = [](std::string_view key, std::string_view doc) {
    return Schema{.key = key,
                  .type = Type::integer,
                  .doc = doc,
                  .fallback = "null",
                  .example = "2",
                  .range = {.lower = 0, .upper = 1000}};
  };
  const Schema interval{.key = "interval",
                        .type = Type::number,
                        .doc = "Damps [l/interval, l], l the largest eigenvalue; null: what suits the method.",
                        .fallback = "null",
                        .example = "12",
                        .range = {.lower = 1, .open_lower = true}};
  const Schema kind{.key = "kind",
                    .type = Type::choice,
                    .doc = "The polynomial.",
                    .fallback = "first",
                    .choices = {choice("first", ChebyshevKind::first, "Equal damping on an interval.", {interval}),
                                choice("fourth", ChebyshevKind::fourth, "Needs no interval (Lottes 2023).")}};
  return {
      .key = "smoother",
      .doc = "What multigrid does on each level.",
      .keys = {{.key = "type",
                .type = Type::choice,
                .doc = "The smoother.",
                .fallback = "auto",
                .choices = {choice("auto", SmootherType::automatic, "What suits each level: points, lines or planes."),
                            choice("jacobi", SmootherType::jacobi, "Damped Jacobi.",
                                   {relaxation(1, false, "Damping; null: 6/7 in three dimensions, 4/5 in two.")}),
                            called({"gauss-seidel", "sor"},
                                   choice("red-black", SmootherType::red_black, "Gauss-Seidel in two colours.",
                                          {relaxation(2, true, "Over-relaxation; null: what suits the method.")})),
                            choice("chebyshev", SmootherType::chebyshev, "A polynomial in the operator.", {kind}),
                            choice("line", SmootherType::line,
                                   "A polynomial over lines, along the axis that each level's couplings call for.",
                                   {kind}),
                            choice("plane", SmootherType::plane,
                                   "A polynomial over planes, one two-dimensional cycle in each.", {kind})}},
               sweeps("pre", "Sweeps before the coarse correction; null: what suits the method."),
               sweeps("post", "Sweeps after the coarse correction; null: what suits the method.")},
      .shorthand = "type"};
}

Schema solver() {
  return {
      .key = "solver",
      .doc = "How the linear system is solved.",
      .keys = {
          {.key = "method",
           .type = Type::choice,
           .doc = "The method.",
           .fallback = "multigrid",
           .choices = {choice("auto", Method::automatic,
                              "Multigrid; for a matrix that it cannot take, conjugate gradients or Jacobi's method."),
                       choice("jacobi", Method::jacobi, "Damped Jacobi; for comparison."),
                       called({"pcg", "fcg"}, choice("cg", Method::cg, "Conjugate gradients; for comparison.")),
                       called({"mg"}, choice("multigrid", Method::multigrid, "Geometric multigrid.")),
                       later("direct", "Transforms along the axes.",
                             "is not available yet (the separable direct solver is still to come); use multigrid")}},
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
           .choices = {choice("v", Cycle::v, "Every level once."),
                       choice("w", Cycle::w, "A level twice, where it has at most a third of the unknowns."),
                       choice("f", Cycle::f, "An F-cycle, then a V-cycle.")}},
          {.key = "full_multigrid",
           .type = Type::boolean,
           .doc = "Start from the coarsest level up instead of from the guess.",
           .fallback = "true"},
          {.key = "fallback",
           .type = Type::boolean,
           .doc = "Where multigrid fails, or is predicted to, go on with conjugate gradients around a factorization or "
                  "multigrid by aggregates, on the host.",
           .fallback = "true"},
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
           .choices = {choice("auto", Krylov::automatic,
                              "cg where the coefficient varies by a factor of 10 or more, or of 4 between neighbouring "
                              "cells, where the reaction or alpha varies, and for matrices."),
                       choice("none", Krylov::none, "Multigrid alone."),
                       called({"pcg", "fcg"}, choice("cg", Krylov::cg, "Flexible conjugate gradients around it."))}},
          {.key = "coarse_operator",
           .type = Type::choice,
           .doc = "What coarse levels solve.",
           .fallback = "auto",
           .choices = {choice("auto", CoarseOperator::automatic,
                              "galerkin where the coefficient jumps by a factor of 1000 or more (100 in two "
                              "dimensions), smoothing "
                              "points suffices and unknowns sit at nodes."),
                       choice("rediscretized", CoarseOperator::rediscretized, "The problem discretized again."),
                       called({"rap"},
                              choice("galerkin", CoarseOperator::galerkin,
                                     "P^T A P, with a prolongation P by the couplings of A; unknowns at nodes."))}},
          {.key = "precision",
           .type = Type::choice,
           .doc = "Floating-point numbers.",
           .fallback = "mixed",
           .choices = {called({"fp64", "float64"}, choice("double", SolvePrecision::double_, "64 bits throughout.")),
                       choice("mixed", SolvePrecision::mixed,
                              "Solution and residual in 64 bits, corrections in 32; in 64 in boxes so flat that 32 "
                              "would lose what couples across."),
                       called({"fp32", "float32"}, choice("single", SolvePrecision::single, "32 bits throughout."))}}}};
}

Schema backend() {
  return {
      .key = "backend",
      .doc = "What computes.",
      .keys = {{.key = "device",
                .type = Type::choice,
                .doc = "The device.",
                .fallback = "auto",
                .choices = {word("auto", "The first GPU where there is one, else the host's cores."),
                            word("cpu", "The host's cores."), called({"gpu"}, word("cuda", "The first NVIDIA GPU.")),
                            word("cuda:0", "An NVIDIA GPU by its number."), word("cuda:1"), word("cuda:2"),
                            word("cuda:3"), word("cuda:4"), word("cuda:5"), word("cuda:6"), word("cuda:7")}}}};
}

Schema output() {
  const Schema field{
      .type = Type::choice,
      .choices = {word("u", "The solution."), word("gradient", "Its gradient."), word("residual", "The residual."),
                  word("error", "The error; needs equation.exact."), word("coefficient", "The coefficient, on cells."),
                  word("source", "The right-hand side.")}};
  const Schema format{
      .type = Type::choice,
      .choices = {word("vtk", "VTK XML: .vti, or .vtr on stretched grids."),
                  word("hdf5", "HDF5: .hdf (VTKHDF) on 3-D equidistant grids with fields at nodes, else .h5."),
                  word("png", "A picture of the first field.")}};
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

}  // namespace

const Schema& configuration_schema() {
  static const Schema schema{.doc = "A Poisson problem, how to solve it and what to write.",
                             .required = true,
                             .keys = {title(), parameters(), domain(), grid(), equation(), boundary(), discretization(),
                                      solver(), backend(), output()}};
  return schema;
}

}  // namespace poisson
