// Materials, bodies, images and their answers in the words of the C++ library.

#include <array>
#include <cmath>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <vector>

#include <gtest/gtest.h>

#include "grids/axes/stretching.hpp"
#include "grids/problem/media_description.hpp"
#include "grids/results/region_results.hpp"
#include "solver/capacitance.hpp"
#include "solver/effective.hpp"
#include "solver/grid_model.hpp"
#include "tests/device.hpp"

namespace poisson::media_words_tests {
namespace {

Problem cube(int cells, double length = 1) {
  Problem p;
  p.centering = Centering::cell;
  for (auto& nodes : p.nodes) nodes = uniform_nodes(0, length, cells);
  for (auto& axis : p.boundary)
    for (Boundary& face : axis) face.kind = BoundaryKind::neumann;
  return p;
}

/// Layers across z conduct in series along z and in parallel along x.
TEST(MediaWords, LayersOfAnImage) {
  const std::array<std::int64_t, 3> counts{12, 9, 10};
  std::vector<std::uint8_t> labels;
  for (std::int64_t z = 0; z < counts[2]; ++z) labels.insert(labels.end(), 108, z < 4 ? 7 : z < 9 ? 200 : 0);
  const ByteImage image{labels, counts, {}, {2e-6, 1e-6, 3e-6}};
  const auto backend = test_backend();
  for (const bool periodic : {false, true}) {
    const Effective found = effective(*backend, image, {{7, 2.0}, {200, 5.0}, {0, 1.0}}, {.periodic = periodic});
    EXPECT_TRUE(found.failed.empty());
    EXPECT_NEAR(found.tensor[0][0], (4 * 2 + 5 * 5 + 1) / 10.0, 1e-7);
    EXPECT_NEAR(found.tensor[1][1], (4 * 2 + 5 * 5 + 1) / 10.0, 1e-7);
    EXPECT_NEAR(found.tensor[2][2], 10 / (4 / 2.0 + 5 / 5.0 + 1), 1e-7);
    EXPECT_EQ(found.porosity, 1);
  }
  const Effective open = effective(*backend, image, {{7, 2.0}, {200, 5.0}, {0, 0.0}}, {.axes = {0, 2}});
  EXPECT_NEAR(open.tensor[0][0], (4 * 2 + 5 * 5) / 10.0, 1e-7);
  EXPECT_NEAR(open.tortuosity[0], 1, 1e-7);
  EXPECT_EQ(open.tensor[2][2], 0);
  EXPECT_FALSE(open.percolates[2]);
  EXPECT_NEAR(open.porosity, 0.9, 1e-12);
  EXPECT_TRUE(std::isnan(open.tensor[1][1]));
}

/// A flow that has settled ends a solve earlier, with nearly the same coefficient.
TEST(MediaWords, FlowsSettle) {
  std::vector<std::uint8_t> labels(24 * 24 * 24);
  std::uint32_t random = 1;
  for (std::uint8_t& label : labels) label = (random = random * 1664525 + 1013904223) >> 30 == 0 ? 255 : 0;
  const ByteImage image{labels, {24, 24, 24}, {}, {1, 1, 1}};
  const auto backend = test_backend();
  const Effective all = effective(*backend, image, {{0, 1.0}, {255, 0.0}}, {.axes = {1}});
  const Effective settled = effective(*backend, image, {{0, 1.0}, {255, 0.0}}, {.axes = {1}, .flow_tolerance = 1e-3});
  EXPECT_NEAR(settled.tensor[1][1], all.tensor[1][1], 1e-3 * all.tensor[1][1]);
  EXPECT_LT(settled.iterations, all.iterations);
}

/// Plates with two layers between them: the capacitances in series, and the rows of a closed box sum to 0.
TEST(MediaWords, CapacitanceOfPlates) {
  Problem p = cube(20);
  MediaDescription media;
  media.material("air", 1.0).material("glass", 4.0).fixed("metal", 3);
  media.background("air")
      .body("glass", make_layer(2, 0.1, 0.5))
      .body("metal", make_layer(2, -1, 0.1), "low")
      .body("metal", make_layer(2, 0.9, 2), "high");
  media.use(p);
  const auto matrix = capacitance(*test_backend(), p, {"low", "high"});
  const double exact = 1 / (0.4 / 4 + 0.4);
  EXPECT_NEAR(matrix[0][0], exact, 1e-8);
  EXPECT_NEAR(matrix[1][1], exact, 1e-8);
  EXPECT_NEAR(matrix[0][1], -exact, 1e-8);
  EXPECT_NEAR(matrix[1][0], -exact, 1e-8);
}

/// A power, a contact and a sheet act as in configurations: the heat of a body leaves through one face.
TEST(MediaWords, PowerThroughAContact) {
  Problem p = cube(20);
  p.boundary[2][0] = {BoundaryKind::dirichlet, 0.0};
  MediaDescription media;
  media.material("air", 2.0).heated("die", 50.0, 12.5);
  media.background("air").body("die", make_layer(2, 0.5, 2)).contact("air", "die", 0.25);
  media.use(p);
  const auto backend = test_backend();
  GridModel model(*backend, p);
  const auto solver = make_solver(model, Options());
  model.fill(solver->rhs(), solver->solution());
  solver->solve(false);
  const MediaResults found = media_results(model.discretization(), solver->solution());
  ASSERT_EQ(found.regions.size(), 2);
  EXPECT_EQ(found.regions[1].name, "die");
  EXPECT_NEAR(found.regions[1].power, 12.5, 1e-11);
  EXPECT_NEAR(found.regions[1].flow, 12.5, 1e-6);
  // 0.5/2 of air, the contact, and half a cell of the die, with the sources of that half.
  EXPECT_NEAR(found.regions[1].min, 12.5 * (0.25 + 0.25 + 0.025 / 50), 12.5 * 1e-3);
}

/// Bodies cover an image, labels without a material are background, and names of regions are unique.
TEST(MediaWords, BodiesCoverAnImage) {
  std::vector<std::uint8_t> labels(16 * 16);
  for (std::size_t i = 0; i < labels.size(); ++i) labels[i] = i % 16 < 8 ? 1 : 9;
  const ByteImage image{labels, {16, 16, 1}, {}, {1, 1, 1}};
  Problem p = problem_of(image);
  EXPECT_EQ(p.dimension, 2);
  for (auto& axis : p.boundary)
    for (Boundary& face : axis) face.kind = BoundaryKind::neumann;
  p.boundary[0][0] = {BoundaryKind::dirichlet, 1.0};
  p.boundary[0][1] = {BoundaryKind::dirichlet, 0.0};
  MediaDescription media;
  media.material("a", 1.0).material("b", 3.0);
  media.background("b")
      .image(image, {{1, "a"}})
      .body("a", make_sphere({8, 8, 0}, 3))
      .body("a", make_box({0, 0, 0}, {1, 1, 1}));
  media.use(p);
  const auto backend = test_backend();
  GridModel model(*backend, p);
  const auto solver = make_solver(model, Options());
  model.fill(solver->rhs(), solver->solution());
  EXPECT_TRUE(solver->solve(false).converged());
  const MediaResults found = media_results(model.discretization(), solver->solution());
  ASSERT_EQ(found.regions.size(), 4);
  EXPECT_EQ(found.regions[1].name, "a");
  EXPECT_EQ(found.regions[2].name, "a 2");
  EXPECT_EQ(found.regions[3].name, "a 3");
  EXPECT_EQ(found.regions[0].cells + found.regions[1].cells + found.regions[2].cells + found.regions[3].cells, 256);
  EXPECT_EQ(found.regions[3].cells, 1);
}

TEST(MediaWords, WrongWordsAreErrors) {
  MediaDescription media;
  media.material("air", 1.0);
  EXPECT_THROW(media.material("air", 2.0), std::invalid_argument);
  EXPECT_THROW(media.background("iron"), std::invalid_argument);
  EXPECT_THROW(media.body("air", nullptr), std::invalid_argument);
  EXPECT_THROW(media.contact("air", "air", 1), std::invalid_argument);
  EXPECT_THROW(media.sheet("air", 0, 1), std::invalid_argument);
  const std::vector<std::uint8_t> labels(5);
  const ByteImage image{labels, {2, 2, 2}, {}, {1, 1, 1}};
  EXPECT_THROW(problem_of(image), std::invalid_argument);
  Problem nodes = cube(4);
  nodes.centering = Centering::node;
  EXPECT_THROW(media.use(nodes), std::invalid_argument);
  EXPECT_THROW(effective(*test_backend(), cube(4)), std::invalid_argument);
  Problem p = cube(4);
  media.background("air").use(p);
  EXPECT_THROW(effective(*test_backend(), p, {.axes = {3}}), std::invalid_argument);
  EXPECT_THROW(capacitance(*test_backend(), p, {"air"}), std::invalid_argument);
  EXPECT_THROW(capacitance(*test_backend(), p, {"iron"}), std::invalid_argument);
}

}  // namespace
}  // namespace poisson::media_words_tests
