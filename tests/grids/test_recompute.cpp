// These tests cover expressions compiled at run time. Data evaluated on a device must equal the host's up to rounding.
// On the host, where the expression is a function, the model of `recompute` must have the rows of `partial` up to
// rounding, entry by entry. On a device, complete operators and solves must agree.

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "grids/operators/axis_tables.hpp"
#include "grids/operators/box_tables.hpp"
#include "grids/results/integrals.hpp"
#include "grids/rows/recompute_elements.hpp"
#include "grids/rows/recompute_faces.hpp"
#include "grids/schemes/discretization.hpp"
#include "io/expressions/expression.hpp"
#include "tests/expressions.hpp"
#include "tests/problems.hpp"
#include "tests/smoothing.hpp"
#include "tests/solve.hpp"

namespace poisson::recompute_tests {
namespace {

double kappa_at(int d, double x, double y, double z) {
  return d == 0   ? 1 + 0.5 * std::sin(3 * x + y) * std::cos(2 * z)
         : d == 1 ? (x * x + y < 0.4 ? 50 : 1) + z * z
                  : std::exp(x - y) + z * z;
}

double offdiagonal_at(int m, double x, double y, double z) {
  return 0.3 * std::sin(2 * x + m) * std::cos(y - z);
}

struct Isotropic {
  static constexpr int count = 1;
  template <int d>
  static double at(double x, double y, double z) {
    return kappa_at(0, x, y, z);
  }
};
struct Anisotropic {
  static constexpr int count = 3;
  template <int d>
  static double at(double x, double y, double z) {
    return kappa_at(d, x, y, z);
  }
};

/// Evaluates the components of a tensor in the order of BoxPartial: first the diagonal, then the off-diagonal entries.
template <int dimension>
struct Components {
  template <int c>
  static double at(double x, double y, double z) {
    return c < dimension ? kappa_at(c, x, y, z) : offdiagonal_at(c - dimension, x, y, z);
  }
};

/// Returns a problem with nodes of unequal cells in 3-D, or equal ones in 2-D.
Problem problem(const BoxFaces& faces, int dimension, bool isotropic) {
  Problem p;
  p.dimension = dimension;
  for (int d = 0; d < dimension; ++d)
    for (int i = 0; i <= 7 + d; ++i)
      p.nodes[static_cast<std::size_t>(d)].push_back(dimension == 2 ? i / (7.0 + d) : std::pow(i / (7.0 + d), 1.3));
  p.boundary = faces;
  p.isotropic = isotropic;
  for (int d = 0; d < 3; ++d)
    p.coefficient[static_cast<std::size_t>(d)] =
        Quantity([d](double x, double y, double z) { return kappa_at(d, x, y, z); });
  return p;
}

/// Adds the source of κ that makes rows recomputable.
template <class Own>
Own with_source(const Discretization& d, Own rows) {
  rows.kappa_source = std::make_shared<const KappaSource>(std::vector<std::string>{}, d.sample_grid().cells);
  return rows;
}

/// Compares rows computed by lines and by walks along z.
template <class Held, class Computed>
void expect_equal_stars(const Box& box, const Held& partial, const Computed& recompute) {
  const auto expect_equal = [](const Row<double>& a, const Row<double>& b) {
    const double size = a.diagonal() * 8 * std::numeric_limits<double>::epsilon();
    for (const auto part : {&Row<double>::west, &Row<double>::east, &Row<double>::south, &Row<double>::north,
                            &Row<double>::bottom, &Row<double>::top, &Row<double>::reaction})
      ASSERT_NEAR(a.*part, b.*part, size);
  };
  for_each(box, [&](int i, int j, int k) {
    SCOPED_TRACE(testing::Message() << i << " " << j << " " << k);
    const Row<double> a = partial.line(j, k).row(i);
    expect_equal(a, recompute.line(j, k).row(i));
    const auto column = recompute.column(i, j);
    expect_equal(a, column.row(column.layer(column.read(k - 1)), column.layer(column.read(k)), k));
    ASSERT_NEAR(partial.line(j, k).mass(i), recompute.line(j, k).mass(i), 1e-14);
  });
}

template <class Kappa, bool isotropic>
void expect_equal_rows(const Problem& p) {
  const auto host = make_cpu_backend();
  const Discretization d(*host, p);
  const Box box = d.block().layout().box();
  if (const auto* faces = std::get_if<FaceRows>(&d.scheme_rows())) {
    const CoefficientTables<double> stored(*host, *faces), tables(*host, with_source(d, *faces));
    RecomputeFaces<double, Kappa> recompute{};
    static_cast<RecomputeFaceTables<double>&>(recompute) =
        tables.template model<RecomputeFaces<double, KappaAtRunTime>>();
    expect_equal_stars(box, stored.template model<Faces<double>>(), recompute);
  } else {
    const auto& nodes = std::get<NodeRows>(d.scheme_rows());
    const CoefficientTables<double> stored(*host, nodes), tables(*host, with_source(d, nodes));
    Recompute<double, Kappa> recompute{};
    static_cast<RecomputeTables<double>&>(recompute) = tables.template model<Recompute<double, KappaAtRunTime>>();
    expect_equal_stars(box, stored.template model<Partial<double, isotropic>>(), recompute);
  }
}

Problem by_elements(Problem p) {
  p.scheme = Scheme::q1;
  return p;
}

template <int dimension, Tensor kind>
void expect_equal_boxes(Problem p) {
  p.scheme = Scheme::q1;
  p.isotropic = kind == Tensor::isotropic;
  p.full_tensor = kind == Tensor::full;
  for (int m = 0; m < 3 && p.full_tensor; ++m)
    p.offdiagonal[static_cast<std::size_t>(m)] =
        Quantity([m](double x, double y, double z) { return offdiagonal_at(m, x, y, z); });
  const auto host = make_cpu_backend();
  const Discretization d(*host, std::as_const(p));
  const auto& rows = std::get<ElementRows>(d.scheme_rows());
  const BoxTables<double> stored(*host, rows), tables(*host, with_source(d, rows));
  const auto partial = stored.template model<BoxPartial<double, dimension, kind>>();
  const auto at_run_time = tables.template model<RecomputeElements<double, dimension, kind, KappaAtRunTime>>();
  RecomputeElements<double, dimension, kind, Components<dimension>> recompute{};
  static_cast<CellPlaces&>(recompute) = at_run_time;
  recompute.x = at_run_time.x;
  recompute.y = at_run_time.y;
  recompute.z = at_run_time.z;
  recompute.sigma_cells = at_run_time.sigma_cells;
  recompute.sigma = at_run_time.sigma;
  std::copy_n(at_run_time.offdiagonal, 3, recompute.offdiagonal);
  for_each(d.block().layout().box(), [&](int i, int j, int k) {
    const auto a = partial.line(j, k).row(i), b = recompute.line(j, k).row(i);
    for (int n = 0; n < box_points<dimension>; ++n)
      ASSERT_NEAR(a.at[n], b.at[n], a.diagonal() * 8 * std::numeric_limits<double>::epsilon())
          << i << " " << j << " " << k << ", neighbour " << n;
    ASSERT_NEAR(partial.line(j, k).mass(i), recompute.line(j, k).mass(i), 1e-14);
  });
}

Problem in_cells(Problem p) {
  p.centering = Centering::cell;
  return p;
}

class RecomputeRows : public testing::TestWithParam<NamedFaces> {};

TEST_P(RecomputeRows, AreThoseOfPartial) {
  for (const int dimension : {2, 3}) {
    expect_equal_rows<Isotropic, true>(problem(GetParam().faces, dimension, true));
    expect_equal_rows<Anisotropic, false>(problem(GetParam().faces, dimension, false));
  }
}

TEST_P(RecomputeRows, OfCellsAreThoseOfPartial) {
  for (const int dimension : {2, 3})
    for (const bool reacts : {false, true}) {
      Problem isotropic = in_cells(problem(GetParam().faces, dimension, true));
      if (reacts) isotropic.reaction = [](double x, double y, double) { return 1 + x * y; };
      expect_equal_rows<Isotropic, true>(isotropic);
      expect_equal_rows<Anisotropic, false>(in_cells(problem(GetParam().faces, dimension, false)));
    }
}

TEST_P(RecomputeRows, OfElementsAreThoseOfPartial) {
  for (const bool reacts : {false, true}) {
    const auto with = [&](int dimension) {
      Problem p = problem(GetParam().faces, dimension, false);
      if (reacts) p.reaction = [](double x, double y, double) { return 1 + x * y; };
      return p;
    };
    expect_equal_boxes<2, Tensor::isotropic>(with(2));
    expect_equal_boxes<2, Tensor::diagonal>(with(2));
    expect_equal_boxes<2, Tensor::full>(with(2));
    expect_equal_boxes<3, Tensor::isotropic>(with(3));
    expect_equal_boxes<3, Tensor::diagonal>(with(3));
    expect_equal_boxes<3, Tensor::full>(with(3));
  }
}

INSTANTIATE_TEST_SUITE_P(, RecomputeRows, testing::ValuesIn(all_faces()),
                         [](const auto& p) { return std::string(p.param.name); });

Problem with_expressions(const BoxFaces& faces) {
  Problem p = problem(faces, 3, true);
  p.coefficient[0] = parse_expression("1 + 0.5*sin(3*x + y)*cos(2*z)");
  p.source = parse_expression("x < 0.3 ? exp(y) : z - x^3");
  p.reaction = parse_expression("x*x + 0.5");
  p.exact = parse_expression("sin(x) + y*z");
  for (std::size_t d = 0; d < 3; ++d)
    for (std::size_t end = 0; end < 2; ++end) {
      Boundary& face = p.boundary[d][end];
      face.value = parse_expression(end == 0 ? "sin(2*x) + y - z" : "x*y + cos(z)");
      if (!face.alpha.constant()) face.alpha = parse_expression("1 + sin(3*x)*cos(5*y)*cos(z)");
    }
  return p;
}

/// Returns the largest difference in units of the largest value.
double distance(const Field& a, const Field& b) {
  const std::vector<double> u = values(a), v = values(b);
  double largest = 0, size = 1e-300;
  for (std::size_t i = 0; i < u.size(); ++i) {
    largest = std::max(largest, std::abs(u[i] - v[i]));
    size = std::max(size, std::abs(v[i]));
  }
  return largest / size;
}

/// Compiles expressions even for small grids.
Discretization evaluated_there(Backend& device, const Problem& p) {
  return Discretization(device, p, Assembly::automatic, Sampling::device);
}

class Expressions : public testing::TestWithParam<NamedFaces> {};

void expect_fields_of_the_host(const Problem& p) {
  const auto host = make_cpu_backend(), device = test_backend();
  const Discretization a(*host, p), b = evaluated_there(*device, p);
  EXPECT_EQ(b.evaluated_on_host(), "");
  for (const Precision precision : {Precision::fp32, Precision::fp64}) {
    const double bound = precision == Precision::fp32 ? 1e-6 : 1e-14;
    Field ba(*host, a.block().layout(), precision), bb(*device, b.block().layout(), precision);
    const double sum = a.assemble_rhs(ba);
    EXPECT_NEAR(b.assemble_rhs(bb), sum, bound * sum);
    EXPECT_LE(distance(bb, ba), bound);
    Field ua(*host, a.block().layout(), precision), ub(*device, b.block().layout(), precision);
    a.initialize(ua);
    b.initialize(ub);
    EXPECT_LE(distance(ub, ua), bound);
    const ErrorNorms ea = error_norms(a, ua), eb = error_norms(b, ub);
    EXPECT_NEAR(eb.max, ea.max, 10 * bound * ea.max);
    EXPECT_NEAR(eb.l2, ea.l2, 10 * bound * ea.l2);
  }
  EXPECT_NEAR(b.jumps().largest, a.jumps().largest, 1e-13);
  EXPECT_EQ(b.rows().singular, a.rows().singular);
  for (std::size_t d = 0; d < 3; ++d)
    EXPECT_NEAR(b.rows().kappa[d], a.rows().kappa[d], 1e-14 * (10 + a.rows().kappa[d]));
  const auto expect_equal = [](const FieldPerAxis& is, const FieldPerAxis& wanted) {
    for (std::size_t d = 0; d < 3; ++d) {
      ASSERT_EQ(is[d] != nullptr, wanted[d] != nullptr);
      if (wanted[d]) {
        EXPECT_LE(distance(*is[d], *wanted[d]), 1e-14);
      }
    }
  };
  if (const auto* elements = std::get_if<ElementRows>(&a.scheme_rows())) {
    const auto& on_device = std::get<ElementRows>(b.scheme_rows());
    expect_equal(on_device.cells, elements->cells);
    expect_equal(on_device.offdiagonal, elements->offdiagonal);
    EXPECT_NEAR(on_device.sigma_ratio, elements->sigma_ratio, 1e-13);
    EXPECT_NEAR(on_device.alpha_ratio, elements->alpha_ratio, 1e-13);
    EXPECT_LE(distance(*on_device.sigma_cells, *elements->sigma_cells), 1e-14);
  } else if (const auto* nodes = std::get_if<NodeRows>(&a.scheme_rows())) {
    expect_equal(std::get<NodeRows>(b.scheme_rows()).cells, nodes->cells);
    EXPECT_LE(distance(*std::get<NodeRows>(b.scheme_rows()).reaction, *nodes->reaction), 1e-14);
  } else {
    const auto &faces = std::get<FaceRows>(a.scheme_rows()), &on_device = std::get<FaceRows>(b.scheme_rows());
    expect_equal(on_device.faces, faces.faces);
    EXPECT_LE(distance(*on_device.reaction, *faces.reaction), 1e-14);
  }

  // The halos of κ and u affect this operator.
  const auto A = a.make_operator(Precision::fp64), B = b.make_operator(Precision::fp64);
  Field u(*host, A->space().part().layout(), Precision::fp64), Au(*host, A->space().part().layout(), Precision::fp64);
  Field v(*device, A->space().part().layout(), Precision::fp64),
      Bv(*device, A->space().part().layout(), Precision::fp64);
  a.initialize(u), b.initialize(v);
  A->apply_everywhere(u, Au), B->apply_everywhere(v, Bv);
  EXPECT_LE(distance(Bv, Au), 1e-13);

  Field f(*host, A->space().part().layout(), Precision::fp64), g(*device, A->space().part().layout(), Precision::fp64);
  a.assemble_rhs(f), b.assemble_rhs(g);
  EXPECT_NEAR(balance(b, *B, v, g, Bv).source, balance(a, *A, u, f, Au).source, 1e-13);
}

TEST_P(Expressions, FillNodesAsTheHostDoes) {
  expect_fields_of_the_host(with_expressions(GetParam().faces));
}

TEST_P(Expressions, FillCellsAsTheHostDoes) {
  expect_fields_of_the_host(in_cells(with_expressions(GetParam().faces)));
}

/// Returns problems of linear elements with κ of each kind.
std::vector<Problem> element_problems(const BoxFaces& faces) {
  Problem p = by_elements(with_expressions(faces)), diagonal = p;
  diagonal.isotropic = false;
  diagonal.coefficient[1] = parse_expression("x*x + y < 0.4 ? 50 : 1 + z*z");
  diagonal.coefficient[2] = 2.0;
  Problem full = diagonal, flat = p;
  full.full_tensor = true;
  full.offdiagonal = {parse_expression("0.3*sin(2*x)"), 0.25, parse_expression("0.2*cos(y - z)")};
  flat.dimension = 2;
  flat.nodes[2].clear();
  Problem flat_full = full;
  flat_full.dimension = 2;
  flat_full.nodes[2].clear();
  return {p, diagonal, full, flat, flat_full};
}

TEST_P(Expressions, FillElementsAsTheHostDoes) {
  for (const Problem& p : element_problems(GetParam().faces)) expect_fields_of_the_host(p);
}

void expect_the_partial_operator(const Problem& p) {
  const auto backend = test_backend();
  const Discretization stored(*backend, p, Assembly::partial);
  const Discretization fused(*backend, p, Assembly::recompute);
  for (const Precision precision : {Precision::fp32, Precision::fp64}) {
    const double bound = precision == Precision::fp32 ? 3e-6 : 1e-14;
    const auto A = stored.make_operator(precision), B = fused.make_operator(precision);
    EXPECT_EQ(B->assembly(), on_cpu() ? "partial" : "recompute") << fused.stored_kappa();
    EXPECT_EQ(fused.stored_kappa().empty(), !on_cpu());
    const Layout layout = A->space().part().layout();
    Field u(*backend, layout, precision), b(*backend, layout, precision), x(*backend, layout, precision),
        y(*backend, layout, precision);
    randomize(u, A->space().part().unknowns(), 1);
    randomize(b, A->space().part().unknowns(), 2);
    Scalar scale = backend->scalar(0.5), one = backend->scalar(), two = backend->scalar();
    const auto same_scalars = [&] {
      const double expected = backend->value(one);
      EXPECT_NEAR(backend->value(two), expected, 10 * bound * std::abs(expected));
    };
    A->diagonal(x), B->diagonal(y);
    EXPECT_LE(distance(y, x), bound);
    A->apply(u, x), B->apply(u, y);
    EXPECT_LE(distance(y, x), bound);
    A->apply_everywhere(u, x), B->apply_everywhere(u, y);
    EXPECT_LE(distance(y, x), bound);
    A->residual(u, b, x), B->residual(u, b, y);
    EXPECT_LE(distance(y, x), bound);
    A->residual(u, b, x, scale, one), B->residual(u, b, y, scale, two);
    EXPECT_LE(distance(y, x), bound);
    same_scalars();
    A->norm(b, one), B->norm(b, two);
    same_scalars();
    A->rounding(u, one), B->rounding(u, two);
    same_scalars();
    A->split()->start(0.8, b, x), B->split()->start(0.8, b, y);
    EXPECT_LE(distance(y, x), bound);
    A->split()->step({0.7, 0.2}, u, b, x), B->split()->step({0.7, 0.2}, u, b, y);
    EXPECT_LE(distance(y, x), bound);
    for (const bool reversed : {false, true}) {
      relax_colours(*A, 1.1, reversed, b, x), relax_colours(*B, 1.1, reversed, b, y);
      EXPECT_LE(distance(y, x), 3 * bound);
    }
  }
}

TEST_P(Expressions, FusedWithTheStencilAreThePartialOperator) {
  expect_the_partial_operator(with_expressions(GetParam().faces));
}

TEST_P(Expressions, FusedWithTheFacesOfCellsAreThePartialOperator) {
  expect_the_partial_operator(in_cells(with_expressions(GetParam().faces)));
}

TEST_P(Expressions, FusedWithElementsAreThePartialOperator) {
  for (const Problem& p : element_problems(GetParam().faces)) expect_the_partial_operator(p);
}

INSTANTIATE_TEST_SUITE_P(, Expressions, testing::ValuesIn(all_faces()),
                         [](const auto& p) { return std::string(p.param.name); });

TEST(Expression, HasTheSameValuesOnDeviceAndHost) {
  // Each expression is the starting guess on a grid. Expressions that are not finite somewhere must be refused with the
  // host's message.
  const auto host = make_cpu_backend(), device = test_backend();
  for (const std::string_view text : expressions) {
    SCOPED_TRACE(text);
    Problem p = problem(all_faces()[1].faces, 3, true);
    p.initial = parse_expression(std::string(text));
    if (p.initial->constant()) continue;
    p.coefficient[0] = 1.0;
    const Discretization a(*host, std::as_const(p)), b = evaluated_there(*device, p);
    Field ua(*host, a.block().layout(), Precision::fp64), ub(*device, b.block().layout(), Precision::fp64);
    std::string refused, refused_there;
    try {
      a.initialize(ua);
    } catch (const ValueErrors& error) {
      refused = error.what();
    }
    try {
      b.initialize(ub);
    } catch (const ValueErrors& error) {
      refused_there = error.what();
    }
    EXPECT_EQ(refused_there, refused);
    if (refused.empty()) {
      EXPECT_LE(distance(ub, ua), 4e-15);
    }
  }
}

/// Returns the message for refused data, or an empty string if they are accepted.
std::string refusal(Backend& backend, const Problem& p) {
  try {
    const Discretization d = evaluated_there(backend, p);
  } catch (const ValueErrors& error) {
    return error.what();
  }
  return "";
}

TEST(Expression, ThatIsNotPositiveIsRefusedWithItsFirstPoint) {
  const auto host = make_cpu_backend(), device = test_backend();
  const Problem nodes = with_expressions(all_faces()[0].faces);
  for (Problem p : {nodes, in_cells(nodes), by_elements(nodes)}) {
    p.coefficient[0] = parse_expression("y - 0.3");
    p.reaction = parse_expression("0.4 - z");
    EXPECT_NE(refusal(*host, p), "");
    EXPECT_EQ(refusal(*device, p), refusal(*host, p));
  }
}

TEST(Expression, ThatIsNotDefiniteIsRefusedAsTheHostRefuses) {
  const auto host = make_cpu_backend(), device = test_backend();
  Problem p = element_problems(all_faces()[0].faces)[2];
  p.offdiagonal[0] = parse_expression("3*x");
  EXPECT_NE(refusal(*host, p).find("coefficient.xy"), std::string::npos);
  EXPECT_EQ(refusal(*device, p), refusal(*host, p));
}

TEST(Recompute, StoresOtherCoefficientsAndReportsIt) {
  const auto backend = test_backend();
  Problem from_values = with_expressions(all_faces()[0].faces), lines = from_values;
  from_values.coefficient[0] = Quantity([](double x, double, double) { return 1 + x; });
  for (const Problem& p : {from_values, in_cells(from_values), by_elements(from_values)}) {
    const Discretization d(*backend, std::as_const(p), Assembly::recompute);
    EXPECT_EQ(d.make_operator(Precision::fp64)->assembly(), "partial");
    EXPECT_NE(d.stored_kappa(), "");
  }
  for (std::size_t d = 0; d < 3; ++d) {  // flat cells
    lines.nodes[d].clear();
    for (int i = 0; i <= 16; ++i) lines.nodes[d].push_back((d == 2 ? 0.01 : 1) * i / 16.0);
  }
  Options o{.method = Method::multigrid};
  o.smoother.extent = RelaxationChoice::lines;
  Solve s(lines, o, Assembly::recompute);
  EXPECT_TRUE(s.run().converged());
  EXPECT_NE(s.discretization().stored_kappa(), "");

  Problem constant = lines;  // stores no κ in any mode
  constant.coefficient[0] = 2.0;
  constant.reaction = 0.0;
  const Discretization d(*backend, std::as_const(constant), Assembly::recompute);
  EXPECT_EQ(d.make_operator(Precision::fp64)->assembly(), "equidistant");
  EXPECT_EQ(d.stored_kappa(), "");
}

void expect_as_many_cycles(Problem p) {
  for (auto& nodes : p.nodes) {
    nodes.clear();
    for (int i = 0; i <= 32; ++i) nodes.push_back(i / 32.0);
  }
  Solve stored(p, Options{.method = Method::multigrid}, Assembly::partial),
      fused(p, Options{.method = Method::multigrid}, Assembly::recompute);
  const Result a = stored.run(), b = fused.run();
  ASSERT_TRUE(a.converged());
  ASSERT_TRUE(b.converged());
  EXPECT_EQ(a.iterations, b.iterations);
  EXPECT_LE(distance(fused.solution(), stored.solution()), 1e-8);
}

TEST(Recompute, SolvesInAsManyCyclesAsPartial) {
  const Problem p = with_expressions(all_faces()[0].faces);
  expect_as_many_cycles(p);
  expect_as_many_cycles(in_cells(p));
  expect_as_many_cycles(by_elements(p));
}

}  // namespace
}  // namespace poisson::recompute_tests
