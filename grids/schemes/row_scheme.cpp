#include "grids/schemes/row_scheme.hpp"

#include <algorithm>
#include <cmath>

#include "backends/device/backend.hpp"
#include "grids/sampling/problem_data.hpp"
#include "grids/schemes/constrained_nodes.hpp"
#include "grids/schemes/discretization.hpp"

namespace poisson {

const RowScheme& row_scheme(const Problem& problem) {
  if (on_elements(problem.scheme)) return element_scheme();
  return problem.centering == Centering::cell ? cell_scheme() : node_scheme();
}

const MixedBcFace* SchemeContext::mixed_bc_at(int axis, int end) const {
  const auto at =
      std::ranges::find_if(mixed_bc, [&](const MixedBcFace& face) { return face.axis() == axis && face.end() == end; });
  return at == mixed_bc.end() ? nullptr : &*at;
}

double scale_of(const Block& block, const std::array<double, 3>& kappa) {
  double diagonal = 0, volume = 1;
  std::array<double, 3> h{1, 1, 1};
  const auto dimension = static_cast<std::size_t>(block.dimension());
  for (std::size_t d = 0; d < dimension; ++d) {
    const Axis& axis = block.axes[d];
    h[d] = (axis.nodes().back() - axis.nodes().front()) / axis.all_cells();
    volume *= h[d];
  }
  for (std::size_t d = 0; d < dimension; ++d) diagonal += 2 * kappa[d] * (volume / h[d]) / h[d];
  return std::ldexp(1.0, -std::ilogb(diagonal));
}

std::optional<Imbalance> measured_imbalance(const SchemeContext& context, const FieldPerAxis& kappa) {
  if (!kappa[0] || !kappa[1] || (context.problem.dimension == 3 && !kappa[2])) return std::nullopt;
  Imbalance shares{};
  for (std::size_t a = 0; a < 3; ++a)
    for (std::size_t b = 0; b < 3; ++b)
      if (a != b && kappa[a] && kappa[b]) shares[a][b] = context.sampler.share_of_stronger(a, *kappa[a], b, *kappa[b]);
  return shares;
}

void sample_constants(const SchemeContext& context, LevelRows& rows) {
  const Problem& p = context.problem;
  ErrorCollector check;  // checks signs of constants for callers without a checked configuration
  const Box one{{0, 0, 0}, {1, 1, 1}};
  const auto value = [&](const Quantity& q, std::string_view name, Sign sign) {
    check([&] { sample(q, name, sign, {context.block}, Location::node, one, [](int, int, const double*) {}); });
    return *q.constant();
  };
  rows.block = context.block;
  for (std::size_t d = 0; d < 3; ++d) {
    const std::size_t c = p.isotropic ? 0 : std::min(d, coefficient_count(p) - 1);
    rows.kappa[d] = value(p.coefficient[c], coefficient_key(p, c), Sign::positive);
  }
  rows.sigma = value(p.reaction, "reaction", Sign::nonnegative);
  bool regular = rows.sigma > 0;
  for_each_face(p, [&](int d, int end, const Boundary& b) {
    regular = regular || b.kind == BoundaryKind::dirichlet;
    if (b.kind == BoundaryKind::robin) regular |= value(b.alpha, face_key(d, end, true), Sign::nonnegative) > 0;
  });
  check.finish(context.processes());
  rows.singular = !regular;
  rows.scale = scale_of(rows.block, rows.kappa);
}

std::shared_ptr<const Field> coarser_cells(Backend& backend, const Block& fine, const CoarseBlock& coarse,
                                           const Field& cells, CellMean mean, bool with_faces) {
  auto coarser = std::make_shared<Field>(backend, coarse.block.cell_space(), Precision::fp64);
  grid_kernels(backend).coarsen_cells(backend, fine, coarse, cells, *coarser, mean, with_faces);
  reach_over_cuts(*coarser);
  return coarser;
}

void reach_over_cuts(const Field& field) {
  if (!field.space().is_global()) field.backend().exchange(field, cut_halo);
}

std::shared_ptr<const Field> coarser_reaction(Backend& backend, const Block& coarse, const Transfer& transfer,
                                              const std::shared_ptr<const Field>& reaction) {
  if (!reaction) return nullptr;
  auto coarser = std::make_shared<Field>(backend, coarse.space(), Precision::fp64);
  // Restriction by volumes could leave a coarse node free although its interpolation reaches constrained nodes (odd
  // numbers of cells).
  if (coarse.axes[0].centering() == Centering::node)
    transfer.restrict_to(*reaction, *coarser);
  else
    transfer.restrict_data(*reaction, *coarser);
  return coarser;
}

void fill_nodal_solution(const SchemeContext& context, Field& u) {
  const Problem& problem = context.problem;
  context.backend.fill(u, 0);
  ErrorCollector check;
  if (problem.initial)
    check([&] {
      context.sampler.fill({*problem.initial, "initial"}, Location::node, context.values(), {}, SampleStore::set, u);
    });
  clear_dirichlet_nodes(context, u);
  for_each_face(problem, [&](int d, int end, const Boundary& face) {
    if (face.kind != BoundaryKind::dirichlet) return;
    const std::string key = face_key(d, end);
    check([&] {
      context.sampler.fill({face.value, key}, Location::node, face_box(context.block, d, end), {}, SampleStore::share,
                           u);
    });
  });
  check.finish(context.processes());
  ConstrainedNodes(context).fill(u);
}

void clear_dirichlet_nodes(const SchemeContext& context, Field& x) {
  const Quantity zero = 0.0;
  for_each_face(context.problem, [&](int d, int end, const Boundary& face) {
    if (face.kind == BoundaryKind::dirichlet)
      context.sampler.fill({zero, "0"}, Location::node, face_box(context.block, d, end), {}, SampleStore::set, x);
  });
}

RhsSums fill_nodal_rhs(const SchemeContext& context, double scale, Field& b, RhsRows rows,
                       const std::function<void(const Datum&, const Box&, int, int)>& integrate) {
  const auto& [p, block, backend, sampler, functionals, mixed_bc, media] = context;
  const Box all = context.values();
  RhsSums sums;
  ErrorCollector check;
  check([&] {
    const Datum f{p.source, "source"};
    // Also checks f at nodes, because output files show it there.
    if (p.source.function()) sampler.fill(f, Location::node, all, {}, SampleStore::set, b);
    integrate(f, all, -1, 0);
  });
  check.finish(context.processes());
  const bool summed = rows != RhsRows::unsummed;
  if (summed) sums.source = sums_by_pieces(functionals, block, b, all, scale);
  const bool all_rows = rows == RhsRows::all;
  if (!all_rows) clear_dirichlet_nodes(context, b);
  for_each_face(p, [&](int axis, int end, const Boundary& face) {
    const bool nothing = face.value.constant() && *face.value.constant() == 0;
    if (face.kind == BoundaryKind::dirichlet || nothing) return;
    const std::string key = face_key(axis, end);
    const Box box = face_box(block, axis, end);
    const auto in_pieces = [&] { return summed ? sums_by_pieces(functionals, block, b, box, scale) : PieceSums{}; };
    const PieceSums before = in_pieces();
    check([&] { integrate({face.value, key}, box, axis, end); });
    sums.set_face(axis, end, before, in_pieces());
  });
  check.finish(context.processes());
  if (all_rows) return sums;
  clear_dirichlet_nodes(context, b);
  ConstrainedNodes(context).clear(b);
  return sums;
}

void add_scaled(Sampler& sampler, const Box& box, std::vector<double> values, double scale, Field& x) {
  for (double& value : values) value *= scale;
  if (!values.empty()) sampler.put(box, values, SampleStore::add, x);
}

bool has_dirichlet_face(const Problem& problem) {
  bool found = false;
  for_each_face(problem, [&](int, int, const Boundary& b) { found = found || b.kind == BoundaryKind::dirichlet; });
  return found;
}

}  // namespace poisson
