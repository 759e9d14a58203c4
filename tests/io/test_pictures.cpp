// Pictures must show u in cells as smoothly as at nodes, and labels must not overlap other panels.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <unistd.h>
#include <vtkImageData.h>
#include <vtkNew.h>
#include <vtkPNGReader.h>
#include <vtkSmartPointer.h>

#include "io/files/output.hpp"

namespace poisson::pictures_tests {
namespace {

namespace fs = std::filesystem;

/// Provides a directory for one test.
class Pictures : public testing::Test {
 protected:
  Pictures() : directory(fs::temp_directory_path() / ("poisson-pictures-" + std::to_string(getpid()))) {
    fs::remove_all(directory);
  }
  ~Pictures() override { fs::remove_all(directory); }

  fs::path written(const std::string& name, const OutputGrid& grid, const OutputField& field) {
    const fs::path place = directory / name;
    fs::create_directories(place);
    return write_whole(*open_picture(place, grid, {field}, {}, one_process()), grid, {field});
  }

  fs::path directory;
};

/// Returns a grid of 7 × 5 or 7 × 5 × 3 cells that widen along each axis or are equal.
OutputGrid box(int dimension, bool equidistant) {
  OutputGrid grid;
  grid.dimension = dimension;
  grid.equidistant = equidistant;
  grid.nodes[2] = {0.0};
  for (int axis = 0; axis < dimension; ++axis) {
    const int cells = 7 - 2 * axis;
    grid.nodes[axis].clear();
    for (int i = 0; i <= cells; ++i) {
      const double t = static_cast<double>(i) / cells;
      grid.nodes[axis].push_back(-1.0 / 3 + (1 + axis / 7.0) * (equidistant ? t : t * t));
    }
  }
  return grid;
}

/// Returns a picture's pixels, from below.
vtkSmartPointer<vtkImageData> pixels_of(const fs::path& file) {
  vtkNew<vtkPNGReader> reader;
  reader->SetFileName(file.c_str());
  reader->Update();
  return reader->GetOutput();
}

/// Returns the share of colour by which two pictures of one size differ.
double difference(const fs::path& one, const fs::path& other) {
  const auto a = pixels_of(one), b = pixels_of(other);
  const int* size = a->GetDimensions();
  if (size[0] != b->GetDimensions()[0] || size[1] != b->GetDimensions()[1]) return 1;
  const std::int64_t all = std::int64_t{3} * size[0] * size[1];
  const auto* p = static_cast<const unsigned char*>(a->GetScalarPointer());
  const auto* q = static_cast<const unsigned char*>(b->GetScalarPointer());
  std::int64_t count = 0;
  for (std::int64_t i = 0; i < all; ++i) count += std::abs(p[i] - q[i]) > 3 ? 1 : 0;
  return static_cast<double>(count) / static_cast<double>(all);
}

/// If u in cells is also known between them, it must look as at nodes: shades and isolines cross the cells. Otherwise
/// the picture shows one colour per cell.
class SmoothPictures : public Pictures, public testing::WithParamInterface<std::tuple<int, bool>> {};
INSTANTIATE_TEST_SUITE_P(, SmoothPictures, testing::Combine(testing::Values(2, 3), testing::Bool()));

TEST_P(SmoothPictures, OfCellsAreThoseOfNodes) {
  const OutputGrid grid = box(std::get<0>(GetParam()), std::get<1>(GetParam()));
  // Mid-planes contain the ends of the range.
  const auto linear = [&](double x, double y, double) { return 3 * x - (grid.dimension == 2 ? 2 * y : 0); };
  const auto lines = [&](int axis, bool fine) {
    std::vector<double> x;
    for (const double node : grid.nodes[axis]) {
      if (fine && !x.empty()) x.push_back(x.back() / 2 + node / 2);
      x.push_back(node);
    }
    return x;
  };
  OutputField nodes{{"u", Location::node, 1}, {}}, cells{{"u", Location::cell, 1}, {}};
  for (const double z : grid.nodes[2])
    for (const double y : grid.nodes[1])
      for (const double x : grid.nodes[0]) nodes.values.push_back(linear(x, y, z));
  const auto n = grid.shape(Location::cell);
  const auto middle = [&](int axis, std::int64_t i) {
    const auto& x = grid.nodes[axis];
    return x.size() == 1 ? x[0] : x[static_cast<std::size_t>(i)] / 2 + x[static_cast<std::size_t>(i) + 1] / 2;
  };
  for (std::int64_t k = 0; k < n[2]; ++k)
    for (std::int64_t j = 0; j < n[1]; ++j)
      for (std::int64_t i = 0; i < n[0]; ++i) cells.values.push_back(linear(middle(0, i), middle(1, j), middle(2, k)));
  OutputField known = cells;
  known.on_plane = [&](int normal, double position) {
    const int across = normal == 0 ? 1 : 0, up = normal == 2 ? 1 : 2;
    std::vector<double> values;
    for (const double v : lines(up, true))
      for (const double h : lines(across, true)) {
        std::array<double, 3> at{};
        at[normal] = position;
        at[across] = h;
        at[up] = v;
        values.push_back(linear(at[0], at[1], at[2]));
      }
    return values;
  };
  const auto differing = [&](const OutputField& field) {
    return difference(written("nodes", grid, nodes), written("cells", grid, field));
  };
  EXPECT_LE(differing(known), 1e-4);
  EXPECT_GE(differing(cells), 0.05);
}

/// Cells as small as pixels must also be joined, without values between them.
TEST_F(Pictures, OfManyCellsHaveLinesToo) {
  OutputGrid grid = box(2, true);
  for (int axis = 0; axis < 2; ++axis) {
    grid.nodes[axis].clear();
    for (int i = 0; i <= (axis == 0 ? 2500 : 200); ++i) grid.nodes[axis].push_back(i);
  }
  const auto value = [](double x, double y) { return std::sin(x / 800) * std::cos(y / 60); };
  OutputField nodes{{"u", Location::node, 1}, {}}, cells{{"u", Location::cell, 1}, {}};
  for (int j = 0; j <= 200; ++j)
    for (int i = 0; i <= 2500; ++i) {
      nodes.values.push_back(value(i, j));
      if (i < 2500 && j < 200) cells.values.push_back(value(i + 0.5, j + 0.5));
    }
  cells.on_plane = [](int, double) -> std::vector<double> { throw std::logic_error("too many values"); };
  EXPECT_LE(difference(written("nodes", grid, nodes), written("cells", grid, cells)), 0.02);
}

/// Counts groups of columns with ink below the heading, separated by at least `gap` blank columns.
int groups(vtkImageData& image, int gap) {
  constexpr int heading = 200;
  const int* size = image.GetDimensions();
  int count = 0, blank = gap;
  for (int x = 0; x < size[0]; ++x) {
    bool ink = false;
    for (int y = 0; y < size[1] - heading && !ink; ++y) {
      const auto* p = static_cast<const unsigned char*>(image.GetScalarPointer(x, y, 0));
      ink = p[0] < 250 || p[1] < 250 || p[2] < 250;
    }
    if (ink && blank >= gap) ++count;
    blank = ink ? 0 : blank + 1;
  }
  return count;
}

/// Labels must not overlap neighbouring panels, for any shape of the box and any length of numbers.
TEST_F(Pictures, HavePanelsThatStandApart) {
  struct Shape {
    std::array<double, 3> length;
    double unit, shift;  // nodes start at unit·length·shift
  };
  for (const auto& [length, unit, shift] : {Shape{{42, 40, 24}, 1e-3, -0.5},
                                            {{1, 1, 1}, 1234.5, 1e6},
                                            {{1, 1, 40}, 1e-3, -0.5},
                                            {{1, 40, 1}, 1e-7, 0},
                                            {{40, 1, 1}, 1234.5, -0.5},
                                            {{40, 40, 1}, 1, 1e6}}) {
    OutputGrid grid = box(3, true);
    for (int axis = 0; axis < 3; ++axis) {
      auto& nodes = grid.nodes[axis];
      for (std::size_t i = 0; i < nodes.size(); ++i)
        nodes[i] = unit * length[axis] * (shift + static_cast<double>(i) / static_cast<double>(nodes.size() - 1));
    }
    OutputField field{{"u", Location::node, 1}, {}};
    for (std::int64_t i = 0; i < count(grid, field); ++i) field.values.push_back(std::sin(static_cast<double>(i)));
    const auto file = written("panels", grid, field);
    EXPECT_EQ(groups(*pixels_of(file), 20), 4) << length[0] << " " << length[1] << " " << length[2];
  }
}

}  // namespace
}  // namespace poisson::pictures_tests
