// These tests compare functionals computed on the device of the fields with loops over all values in long double.

#include <array>
#include <cmath>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "grids/axes/stretching.hpp"
#include "grids/results/integrals.hpp"
#include "grids/schemes/rhs_sums.hpp"
#include "tests/processes.hpp"
#include "tests/solve.hpp"

namespace poisson::functionals_tests {
namespace {

constexpr auto D = BoundaryKind::dirichlet, N = BoundaryKind::neumann, P = BoundaryKind::periodic;

// Returns a box with odd sizes that no tile of threads divides; x is periodic.
Problem box(int dimension, Centering centering) {
  Problem p;
  p.dimension = dimension;
  p.centering = centering;
  p.nodes = {uniform_nodes(0, 1, 67), tanh_nodes(0, 2, 41, 1.5, StretchedEnd::lower), {}};
  if (dimension == 3) p.nodes[2] = geometric_nodes(-1, 1, 37, 1.05, StretchedEnd::both);
  p.boundary[0] = {Boundary{P, 0.0}, Boundary{P, 0.0}};
  p.boundary[1] = {Boundary{D, 0.0}, Boundary{N, 0.0}};
  p.boundary[2] = {Boundary{N, 0.0}, Boundary{D, 0.0}};
  return p;
}

class FunctionalsOfBoxes : public testing::TestWithParam<std::tuple<int, Centering, Precision>> {
 protected:
  const Block& block() const { return d_.block(); }
  const Functionals& functionals() const { return d_.functionals(); }
  Field random(std::uint32_t seed, Precision precision) {
    Field u(*backend_, block().layout(), precision);
    randomize(u, block().layout().box(), seed);
    return u;
  }
  Precision precision() const { return std::get<2>(GetParam()); }

  std::unique_ptr<Backend> backend_ = test_backend();
  const Discretization d_{*backend_, box(std::get<0>(GetParam()), std::get<1>(GetParam()))};
};

TEST_P(FunctionalsOfBoxes, MomentsAreSumsOverAllValues) {
  const Field u = random(3, precision());
  const std::vector<double> all = values(u);
  const Functionals::Moments found = functionals().moments(u);
  long double first = 0, second = 0, size = 0;
  Functionals::Extremum low{2}, high{-2};
  std::size_t at = 0;
  for_each(block().layout().box(), [&](int i, int j, int k) {
    const double value = all[at++];
    const long double m = block().mass(i, j, k);
    first += m * value;
    second += m * value * value;
    size += m * std::abs(value);
    if (value < low.value) low = {value, {i, j, k}};
    if (value > high.value) high = {value, {i, j, k}};
  });
  EXPECT_NEAR(found.first, static_cast<double>(first), 1e-14 * static_cast<double>(size));
  EXPECT_NEAR(found.second, static_cast<double>(second), 1e-14 * static_cast<double>(second));
  EXPECT_EQ(found.low.value, low.value);
  EXPECT_EQ(found.low.at, low.at);
  EXPECT_EQ(found.high.value, high.value);
  EXPECT_EQ(found.high.at, high.at);
}

TEST_P(FunctionalsOfBoxes, TheFirstOfEqualExtremaCounts) {
  Field u(*backend_, block().layout(), precision());
  const auto at = [&] {
    const auto found = functionals().moments(u);
    return std::pair(found.low.at, found.high.at);
  };
  EXPECT_EQ(at(), (std::pair{std::array{0, 0, 0}, std::array{0, 0, 0}}));
  const int top = block().layout().n[2] - 1;
  edit(u, [&](Field& host) {
    dispatch(precision(), [&]<class T>(T) {
      const auto view = host.view<T>();
      for (const auto& [i, j, k] : {std::array{66, 30, top}, {3, 40, top / 2}, {60, 5, top / 2}, {65, 5, top / 2}})
        view(i, j, k) = 1;
      view(1, 1, top) = view(0, 2, 0) = view(5, 1, 0) = -1;
    });
  });
  // In two dimensions all three values are in one plane.
  const std::array lowest = top == 0 ? std::array{1, 1, 0} : std::array{5, 1, 0};
  EXPECT_EQ(at(), std::pair(lowest, std::array{60, 5, top / 2}));
}

TEST_P(FunctionalsOfBoxes, SumsAndProductsAreThoseOfTheirBoxes) {
  const Field u = random(5, precision()), x = random(7, Precision::fp64);
  const std::vector<double> of_u = values(u), of_x = values(x);
  const std::array<int, 3> n = block().layout().n;
  const auto at = [&](int i, int j, int k) { return static_cast<std::size_t>((k * n[1] + j) * n[0] + i); };
  std::vector<Region> regions{{block().layout().box(), {}}, {block().layout().box(), {true, true, true}}};
  for (int d = 0; d < block().dimension(); ++d) {
    Region face{block().layout().box(), {true, true, true}};
    const auto across = static_cast<std::size_t>(d);
    face.box.first[across] = n[across] - 1;
    face.weighted[across] = false;
    regions.push_back(face);
  }
  regions.push_back({{{5, 3, 0}, {5, 4, 1}}, {}});                                   // empty
  for (int i = 0; i < 40; ++i) regions.push_back({{{i, 1, 0}, {i + 2, 7, 1}}, {}});  // exceeds one batch
  const std::vector<double> sums = functionals().sums(u, regions);
  ASSERT_EQ(sums.size(), regions.size());
  for (std::size_t r = 0; r < regions.size(); ++r) {
    long double sum = 0, size = 0;
    for_each(regions[r].box, [&](int i, int j, int k) {
      const std::array index{i, j, k};
      long double weight = 1;
      for (std::size_t d = 0; d < 3; ++d)
        if (regions[r].weighted[d]) weight *= block().axes[d].mass(index[d]);
      sum += weight * of_u[at(i, j, k)];
      size += weight * std::abs(of_u[at(i, j, k)]);
    });
    EXPECT_NEAR(sums[r], static_cast<double>(sum), 1e-14 * static_cast<double>(size)) << r;
  }
  const Box inside{{1, 2, 0}, {n[0] - 1, n[1] - 3, n[2]}};
  long double product = 0;
  for_each(inside, [&](int i, int j, int k) { product += of_x[at(i, j, k)] * of_u[at(i, j, k)]; });
  EXPECT_NEAR(functionals().product(x, u, inside), static_cast<double>(product),
              1e-14 * static_cast<double>(inside.size()));
  const std::vector<double> some = functionals().values(u, inside);
  ASSERT_EQ(some.size(), static_cast<std::size_t>(inside.size()));
  std::size_t number = 0;
  for_each(inside, [&](int i, int j, int k) { ASSERT_EQ(some[number++], of_u[at(i, j, k)]); });
}

TEST_P(FunctionalsOfBoxes, CellProductsTakeTheMeanOfTheCorners) {
  if (block().centering() == Centering::cell) return;  // cells have no corners
  const Field u = random(11, precision());
  Field x(*backend_, block().cell_layout(), Precision::fp64);
  const Box cells = block().cell_layout().box();
  randomize(x, cells, 13);
  const std::vector<double> of_u = values(u), of_x = values(x);
  const std::array<int, 3> n = block().layout().n;
  long double sum = 0, size = 0;
  std::size_t number = 0;
  for_each(cells, [&](int i, int j, int k) {
    long double corners = 0;
    for (int corner = 0; corner < 8; ++corner)
      corners += of_u[static_cast<std::size_t>(
          ((k + (n[2] > 1 ? corner >> 2 : 0)) * n[1] + j + (corner >> 1 & 1)) * n[0] + (i + (corner & 1)) % n[0])];
    const long double part = block().cell_volume(i, j, k) * of_x[number++] * corners / 8;
    sum += part;
    size += std::abs(part);
  });
  EXPECT_NEAR(functionals().cell_product(x, u), static_cast<double>(sum), 1e-14 * static_cast<double>(size));
}

INSTANTIATE_TEST_SUITE_P(, FunctionalsOfBoxes,
                         testing::Combine(testing::Values(2, 3), testing::Values(Centering::node, Centering::cell),
                                          testing::Values(Precision::fp64, Precision::fp32)),
                         [](const auto& p) {
                           return "In" + std::to_string(std::get<0>(p.param)) + "D" +
                                  (std::get<1>(p.param) == Centering::cell ? "OfCells" : "") +
                                  (std::get<2>(p.param) == Precision::fp32 ? "Single" : "");
                         });

// Returns all results that are computed from a field, in one row.
std::vector<double> results_of(const Problem& problem, const Sharing& sharing) {
  const auto backend = test_backend();
  const Discretization d(*backend, problem, Assembly::automatic, Sampling::automatic, sharing);
  const Block& block = d.block();
  Field u(*backend, block.space(), Precision::fp64), x(*backend, block.space(), Precision::fp64);
  for (Field* field : {&u, &x})
    edit(*field, [&](Field& host) {
      const auto view = host.view<double>();
      const auto& o = block.space().part().origin();
      for_each(block.layout().box(), [&](int i, int j, int k) {
        view(i, j, k) = std::sin((field == &u ? 1.7 : 2.9) * (i + o[0]) + 0.31 * (j + o[1]) + 7.3 * (k + o[2]));
      });
    });
  const Functionals& functionals = d.functionals();
  const auto m = functionals.moments(u);
  std::vector<double> all{m.first, m.second, m.low.value, m.high.value};
  for (const auto& at : {m.low.at, m.high.at}) all.insert(all.end(), at.begin(), at.end());
  const Box box = block.layout().box();
  std::vector<Region> regions{{box, {}}, {box, {true, true, true}}};
  for (const Box& piece : pieces(block)) regions.push_back({piece, {true, false, true}});
  const std::vector<double> sums = functionals.sums(u, regions);
  all.insert(all.end(), sums.begin(), sums.end());
  all.push_back(functionals.product(x, u, box));
  if (block.centering() == Centering::node) {
    Field cells(*backend, block.cell_space(), Precision::fp64);
    edit(cells, [&](Field& host) {
      const auto view = host.view<double>();
      const auto& o = block.space().part().origin();
      for_each(block.cell_layout().box(), [&](int i, int j, int k) {
        view(i, j, k) = std::cos(0.7 * (i + o[0]) + 3.1 * (j + o[1]) + 1.3 * (k + o[2]));
      });
    });
    all.push_back(functionals.cell_product(cells, u));
  }
  const ErrorNorms error = error_norms(d, u);
  all.insert(all.end(), {error.max, error.l2});
  return all;
}

// The cuts may lie between any planes.
TEST(Results, HaveTheSameBitsInAnyNumberOfSlabs) {
  for (const int dimension : {3, 2})
    for (const Centering centering : {Centering::node, Centering::cell}) {
      Problem p = box(dimension, centering);
      p.nodes[0] = uniform_nodes(0, 1, 151);
      p.nodes[1] = tanh_nodes(0, 2, 141, 1.5, StretchedEnd::lower);  // planes that are no longer small
      p.exact = 0.25;
      const std::vector<double> wanted = results_of(p, {});
      for (const int count : {2, 3, 4}) {
        SCOPED_TRACE(testing::Message() << dimension << "-D, " << count << " slabs");
        std::array parts{1, 1, count};
        if (dimension == 2) std::swap(parts[1], parts[2]);
        as_processes(count, [&](const std::shared_ptr<const Processes>& processes) {
          const std::vector<double> found = results_of(p, {processes, parts, 300});
          ASSERT_EQ(found.size(), wanted.size());
          for (std::size_t i = 0; i < found.size(); ++i) EXPECT_EQ(found[i], wanted[i]) << "number " << i;
        });
      }
    }
}

TEST(RhsSums, AreTheDataOnEachPiece) {
  const auto backend = test_backend();
  for (const Scheme scheme : {Scheme::fv, Scheme::q1}) {
    SCOPED_TRACE(scheme == Scheme::fv ? "volumes" : "elements");
    Problem p = box(3, Centering::node);
    p.scheme = scheme;
    p.source = 3.0;
    p.boundary[1][1].value = 0.5;
    p.boundary[2][0].value = -2.0;
    const Discretization d(*backend, std::as_const(p));
    const Block& block = d.block();
    Field b(*backend, block.layout(), Precision::fp64);
    d.assemble_rhs(b);
    const auto all = pieces(block);
    for (std::size_t piece = 0; piece < all.size(); ++piece) {
      long double source = 0, upper_y = 0, lower_z = 0;
      for_each(all[piece], [&](int i, int j, int k) {
        source += 3.0L * block.mass(i, j, k);
        if (j == block.layout().n[1] - 1) upper_y += 0.5 * block.face_area(1, i, j, k);
        if (k == 0) lower_z -= 2.0L * block.face_area(2, i, j, k);
      });
      EXPECT_NEAR(d.rhs_sums().source[piece], static_cast<double>(source), 1e-13);
      EXPECT_NEAR(d.rhs_sums().faces[3][piece], static_cast<double>(upper_y), 1e-13);
      EXPECT_NEAR(d.rhs_sums().faces[4][piece], static_cast<double>(lower_z), 1e-13);
    }
    EXPECT_NEAR(d.rhs_sums().total_source(), 12, 1e-12);
    // Dirichlet nodes must contain no remainder.
    const Box unknowns = block.unknowns();
    const std::vector<double> found = values(b);
    std::size_t at = 0;
    for_each(block.layout().box(), [&](int, int j, int k) {
      const double value = found[at++];
      if (j < unknowns.first[1] || k >= unknowns.last[2]) {
        ASSERT_EQ(value, 0);
      }
    });
  }
}

TEST(RhsSums, OfNewDataAreComputedAgain) {
  const auto backend = test_backend();
  Discretization d(*backend, box(2, Centering::node));
  Field b(*backend, d.block().layout(), Precision::fp64);
  d.assemble_rhs(b);
  EXPECT_EQ(d.rhs_sums().total_source(), 0);
  d.set_source(2.0);
  EXPECT_NEAR(d.rhs_sums().total_source(), 4, 1e-13);
  d.set_boundary_value(1, 1, 5.0);
  EXPECT_NEAR(d.rhs_sums().faces[3][4 + 9 + 3], 5, 1e-13);
}

}  // namespace
}  // namespace poisson::functionals_tests
