// Voxels take a path of their own, which must give the system that integrals along lines give.

#include <algorithm>
#include <cmath>
#include <memory>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "backends/memory/places.hpp"
#include "grids/kernels/cell_codes.hpp"
#include "grids/results/face_flows.hpp"
#include "grids/results/mean_flux.hpp"
#include "grids/results/percolation.hpp"
#include "grids/results/region_results.hpp"
#include "grids/schemes/cells/media_system.hpp"
#include "solver/grid_model.hpp"
#include "tests/fields.hpp"
#include "tests/media/media_problems.hpp"
#include "tests/solve.hpp"

namespace poisson::voxels_tests {
namespace {

constexpr auto D = BoundaryKind::dirichlet, N = BoundaryKind::neumann, P = BoundaryKind::periodic,
               R = BoundaryKind::robin;
using Cell = CellCodes::Cell;

std::vector<CellCodes::Code> random_codes(std::size_t count, std::uint32_t seed, double share) {
  std::mt19937 engine(seed);
  std::vector<CellCodes::Code> codes(count);
  for (auto& code : codes) code = std::ldexp(engine(), -32) < share ? 1 : 0;
  return codes;
}

// Finds the first cell of each part by a search from cell to cell.
std::vector<Cell> searched_parts(const std::array<int, 3>& n, const std::vector<CellCodes::Code>& codes,
                                 const std::array<bool, 3>& closed) {
  std::vector<Cell> parts(codes.size(), CellCodes::nowhere);
  std::vector<std::array<int, 3>> waiting;
  const auto number = [&](const std::array<int, 3>& c) {
    return (static_cast<std::size_t>(c[2]) * static_cast<std::size_t>(n[1]) + static_cast<std::size_t>(c[1])) *
               static_cast<std::size_t>(n[0]) +
           static_cast<std::size_t>(c[0]);
  };
  for_each_place({{0, 0, 0}, n}, [&](int i, int j, int k) {
    const auto first = static_cast<Cell>(number({i, j, k}));
    waiting.push_back({i, j, k});
    while (!waiting.empty()) {
      const std::array cell = waiting.back();
      waiting.pop_back();
      if (codes[number(cell)] == 0 || parts[number(cell)] != CellCodes::nowhere) continue;
      parts[number(cell)] = first;
      for (std::size_t d = 0; d < 3; ++d)
        for (const int step : {-1, 1}) {
          std::array next = cell;
          next[d] += step;
          if (closed[d]) next[d] = (next[d] + n[d]) % n[d];
          if (next[d] >= 0 && next[d] < n[d]) waiting.push_back(next);
        }
    }
  });
  return parts;
}

std::unique_ptr<CellCodes> codes_of(Backend& backend, const std::array<int, 3>& n,
                                    const std::vector<CellCodes::Code>& codes, std::size_t used) {
  return make_cell_codes(backend, n, used, [&](int j, int k, std::span<CellCodes::Code> line) {
    std::ranges::copy_n(codes.begin() + (std::int64_t{k} * n[1] + j) * n[0], n[0], line.begin());
  });
}

TEST(CellCodes, PartsAreThoseOfASearch) {
  struct Case {
    std::array<int, 3> n;
    std::array<bool, 3> closed;
  };
  const auto backend = test_backend();
  for (const auto& [n, closed] :
       {Case{{67, 31, 43}, {}}, Case{{40, 33, 35}, {true, false, true}}, Case{{129, 70, 1}, {false, true, false}},
        Case{{1, 1, 50}, {}}, Case{{33, 32, 31}, {true, true, true}}, Case{{300, 3, 40}, {true, false, false}}})
    for (const double share : {0.2, 0.32, 0.6, 0.97, 1.0}) {
      const auto count = static_cast<std::size_t>(n[0] * n[1] * n[2]);
      const auto codes = random_codes(count, 7, share);
      const auto stored = codes_of(*backend, n, codes, 2);
      stored->find_parts(std::vector<char>{0, 1}, closed);
      std::vector<Cell> all(count);
      for (std::size_t c = 0; c < count; ++c) all[c] = static_cast<Cell>(c);
      const std::vector<Cell> expected = searched_parts(n, codes, closed);
      ASSERT_EQ(stored->parts_of(all), expected) << n[0] << " " << share;
      EXPECT_EQ(stored->largest_part(), largest_part_of(expected));
    }
}

TEST(CellCodes, OthersGetTheirCode) {
  const std::array n{20, 19, 18};
  const auto count = static_cast<std::size_t>(n[0] * n[1] * n[2]);
  for (const std::size_t used : {std::size_t{8}, std::size_t{400}}) {
    const auto backend = test_backend();
    const auto codes = random_codes(count, 3, 0.3);
    const auto stored = codes_of(*backend, n, codes, used);
    std::vector<char> connects(used);
    connects[1] = 1;
    stored->find_parts(connects, {});
    const std::vector<Cell> parts = searched_parts(n, codes, {});
    const std::vector<Cell> kept{5, 17, 4000};
    const auto code = static_cast<CellCodes::Code>(used - 1);
    stored->set_others(kept, code);
    std::vector<CellCodes::Code> found(count);
    for (CellCodes::Code each = 0; each < used; ++each) {
      const std::vector<std::uint32_t> cells = stored->cells_with(each);
      for (std::size_t c = 0; c < count; ++c)
        if ((cells[c / 32] >> c % 32 & 1U) != 0) found[c] = each;
    }
    for (std::size_t c = 0; c < count; ++c) {
      const bool stays = codes[c] == 0 || std::ranges::any_of(kept, [&](Cell k) { return parts[k] == parts[c]; });
      ASSERT_EQ(found[c], stays ? codes[c] : code) << c;
    }
  }
}

TEST(CellCodes, EntriesThatAreNoNumberLeaveValues) {
  const auto backend = test_backend();
  Layout layout;
  layout.n = {9, 8, 7};
  const auto codes = random_codes(9 * 8 * 7, 2, 0.5);
  const auto stored = codes_of(*backend, layout.n, codes, 2);
  for (const Precision precision : {Precision::fp32, Precision::fp64}) {
    Field u(*backend, layout, precision);
    backend->fill(u, 3);
    stored->look_up(std::vector<double>{std::nan(""), 0.5}, u);
    const auto found = values(u);
    for (std::size_t c = 0; c < codes.size(); ++c) ASSERT_EQ(found[c], codes[c] == 1 ? 0.5 : 3.0);
  }
}

// Adds random boxes of all kinds of materials to a problem. With a contact between materials that never meet, the
// conductances are integrated along lines.
void add_random_boxes(Problem& p, bool lines, bool fixed, std::uint32_t seed, bool per_axis, double power) {
  std::mt19937 engine(seed);
  const auto random = [&] { return std::ldexp(engine(), -32); };
  MediaBuilder media;
  media.add("background", 1);
  media.add("metal", 40);
  if (per_axis) media.add("board", std::array{18.0, 20.0, 0.4});
  media.add_insulator("hole");
  media.add("heater", 3);
  media.back().power = power;
  if (fixed) {
    media.add_fixed("lead", 2);
  }
  media.add("unused", 1);
  media.add("unused too", 1);
  if (lines) media.contact("unused", "unused too", 1);
  const std::vector<std::string> names{"metal", per_axis ? "board" : "metal", "hole", "metal", fixed ? "lead" : "hole"};
  const bool plane = p.dimension == 2;
  for (int b = 0; b < (plane ? 12 : 60); ++b) {
    std::array<double, 3> low{}, high{};
    for (std::size_t d = 0; d < 3; ++d) {
      low[d] = 1.1 * random() - 0.1;
      high[d] = low[d] + 0.05 + 0.25 * random();
    }
    if (plane) low[2] = -1;
    media.body(names[static_cast<std::size_t>(b) % names.size()], make_box(low, high));
  }
  media.body("heater", make_box({0.4, 0.35, plane ? -1 : 0.4}, {0.6, 0.6, plane ? 1 : 0.6}));
  media.use(p, Surfaces::staircase);
}

struct VoxelCase {
  const char* name;
  std::array<std::array<Boundary, 2>, 3> faces;
  bool fixed = true, per_axis = false;
  double sigma = 0;
};

TEST(Voxels, GiveTheSystemOfLines) {
  const std::vector<VoxelCase> cases{
      {"fixed faces", {{{Boundary{D, 1.0}, Boundary{D, 0.0}}, {Boundary{N}, Boundary{N}}, {Boundary{N}, Boundary{N}}}}},
      {"robin",
       {{{Boundary{N}, Boundary{R, 1.0, 2.0}}, {Boundary{N}, Boundary{N}}, {Boundary{N}, Boundary{D, 0.0}}}},
       false},
      {"periodic", {{{Boundary{P}, Boundary{P}}, {Boundary{N}, Boundary{N}}, {Boundary{P}, Boundary{P}}}}, true},
      {"per axis",
       {{{Boundary{D, 1.0}, Boundary{N}}, {Boundary{N}, Boundary{N}}, {Boundary{P}, Boundary{P}}}},
       true,
       true},
      {"sigma",
       {{{Boundary{N}, Boundary{N}}, {Boundary{N}, Boundary{N}}, {Boundary{N}, Boundary{N}}}},
       false,
       false,
       0.5}};
  for (const VoxelCase& c : cases)
    for (const std::uint32_t seed : {1u, 2u}) {
      std::array<std::unique_ptr<Solve>, 2> solves;
      std::array<MediaResults, 2> results;
      for (const std::size_t lines : {0u, 1u}) {
        Problem p = cube_in_cells(23);
        p.nodes[0] = uniform_nodes(0, 1, 27);
        p.nodes[2][5] += 0.01;
        p.boundary = c.faces;
        p.reaction = c.sigma;
        add_random_boxes(p, lines == 1, c.fixed, seed, c.per_axis, 2);
        Options o{.method = Method::multigrid};
        o.tolerance = 1e-11;
        o.precision = SolvePrecision::double_;
        solves[lines] = std::make_unique<Solve>(p, o);
        ASSERT_EQ(solves[lines]->discretization().media()->codes() == nullptr, lines == 1);
        ASSERT_TRUE(solves[lines]->run().converged()) << c.name;
        results[lines] = media_results(solves[lines]->discretization(), solves[lines]->solution());
      }
      const MediaSystem &voxels = *solves[0]->discretization().media(), &lines = *solves[1]->discretization().media();
      const Box box = solves[0]->block().layout().box();
      double most = 0, largest = 0;
      for (std::size_t d = 0; d < 3; ++d) {
        Box faces = box;
        if (solves[0]->block().axes[d].open(1)) ++faces.last[d];
        for_each_place(faces, [&](int i, int j, int k) {
          ASSERT_NEAR(voxels.face(d, i, j, k), lines.face(d, i, j, k), 1e-13 * 40) << c.name;
        });
      }
      const auto u = values(solves[0]->solution()), v = values(solves[1]->solution());
      for_each_place(box, [&](int i, int j, int k) {
        ASSERT_EQ(voxels.state(i, j, k), lines.state(i, j, k)) << c.name;
        if (!voxels.solved(i, j, k)) return;
        most = std::max(most, std::abs(u[voxels.own(i, j, k)] - v[voxels.own(i, j, k)]));
        largest = std::max(largest, std::abs(u[voxels.own(i, j, k)]));
      });
      EXPECT_LT(most, 1e-8 * largest) << c.name;
      for (int axis = 0; axis < 3; ++axis)
        EXPECT_EQ(percolates(solves[0]->discretization(), axis), percolates(solves[1]->discretization(), axis))
            << c.name << axis;
      for (std::size_t r = 0; r < results[0].regions.size(); ++r) {
        EXPECT_EQ(results[0].regions[r].cells, results[1].regions[r].cells);
        EXPECT_NEAR(results[0].regions[r].flow, results[1].regions[r].flow, 1e-7);
        EXPECT_NEAR(results[0].regions[r].power, results[1].regions[r].power, 1e-12);
      }
    }
}

TEST(Voxels, HaveTheMeanFluxOfTheirFaces) {
  for (const bool periodic : {false, true})
    for (const bool plane : {false, true}) {
      Problem p = plane ? square_in_cells(24) : cube_in_cells(15);
      p.nodes[0][3] += 0.01;
      for (auto& faces : p.boundary) faces = {Boundary{periodic ? P : N}, Boundary{periodic ? P : N}};
      if (!periodic) p.boundary[0] = {Boundary{D, 1.0}, Boundary{R, 1.0, 3.0}};
      add_random_boxes(p, false, false, 5, false, periodic ? 0 : 2);
      Options o{.method = Method::multigrid};
      Solve solve(p, o);
      if (!periodic) {
        ASSERT_TRUE(solve.run().converged());
      }
      if (periodic) randomize(solve.solution(), solve.solution().layout().box());
      const std::array<double, 3> rise{periodic ? -1.0 : 0.0, periodic ? 0.5 : 0.0, 0};
      const auto of_faces = FaceFlows(solve.discretization(), solve.solution(), rise).mean();
      const auto found = mean_flux(solve.discretization(), solve.solution(), rise);
      for (std::size_t d = 0; d < 3; ++d) EXPECT_NEAR(found[d], of_faces[d], 1e-11 * (1 + std::abs(of_faces[d])));
    }
}

Problem porous(int cells, double width) {
  Problem p = cube_in_cells(cells);
  for (auto& nodes : p.nodes)
    for (double& x : nodes) x *= width * cells;
  p.boundary = {{{Boundary{D, 1.0}, Boundary{D, 0.0}}, {Boundary{N}, Boundary{N}}, {Boundary{N}, Boundary{N}}}};
  add_random_boxes(p, false, false, 7, false, 0);
  return p;
}

// The diagonal of cells that left lets fp32 correct beside them. Pores of one cell between coarse values have no other
// diagonal on coarse levels.
TEST(Voxels, AreCorrectedInSinglePrecision) {
  for (const double width : {1.0, 1.7e-6, 3.3e4}) {
    std::array<Result, 2> results;
    std::array<double, 2> flux{};
    for (const std::size_t s : {0u, 1u}) {
      const SolvePrecision precision = s == 0 ? SolvePrecision::double_ : SolvePrecision::mixed;
      Solve solve(porous(37, width),
                  {.method = Method::multigrid, .coarse_operator = CoarseOperator::galerkin, .precision = precision});
      EXPECT_EQ(solve.solver().options().precision, precision);
      results[s] = solve.run();
      EXPECT_TRUE(results[s].converged()) << width;
      flux[s] = mean_flux(solve.discretization(), solve.solution(), {})[0];
    }
    EXPECT_LE(results[1].iterations, results[0].iterations + 2) << width;
    EXPECT_NEAR(flux[1], flux[0], 1e-7 * std::abs(flux[0])) << width;
  }
}

// In single precision the rows of rediscretized levels are stored in fp32, and all answers read them.
TEST(Voxels, HaveRowsInSinglePrecision) {
  std::array<double, 2> flux{};
  std::array<MediaResults, 2> answers;
  std::array<std::size_t, 2> bytes{};
  for (const std::size_t s : {0u, 1u}) {
    const auto backend = test_backend();
    GridModel model(*backend, porous(33, 1), Assembly::automatic);
    const Options options{.method = Method::multigrid,
                          .tolerance = 1e-5,
                          .coarse_operator = CoarseOperator::rediscretized,
                          .precision = s == 0 ? SolvePrecision::double_ : SolvePrecision::single};
    const auto solver = make_solver(model, options);
    for (const bool again : {false, true}) {
      if (again) solver->update();
      model.fill(solver->rhs(), solver->solution());
      solver->solve(false);
    }
    const Discretization& d = model.discretization();
    flux[s] = mean_flux(d, solver->solution(), {})[0];
    answers[s] = media_results(d, solver->solution());
    bytes[s] = d.bytes();
  }
  EXPECT_LT(bytes[1], 7 * bytes[0] / 10);
  EXPECT_NEAR(flux[1], flux[0], 1e-4 * std::abs(flux[0]));
  for (std::size_t r = 0; r < answers[0].regions.size(); ++r)
    EXPECT_NEAR(answers[1].regions[r].flow, answers[0].regions[r].flow, 1e-3 * std::abs(flux[0]) * 33);
}

}  // namespace
}  // namespace poisson::voxels_tests
