// Outlines, arrows and streamlines must lie where materials and fluxes put them.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <limits>
#include <memory>
#include <numbers>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <unistd.h>
#include <vtkImageData.h>
#include <vtkNew.h>
#include <vtkPNGReader.h>
#include <vtkSmartPointer.h>

#include "grids/problem/bodies.hpp"
#include "io/files/output.hpp"
#include "io/pictures/streamlines.hpp"

namespace poisson::picture_marks_tests {
namespace {

namespace fs = std::filesystem;

constexpr int grid_cells = 16;

using Pixel = std::array<int, 2>;

/// Draws pictures of the unit square or cube with 16 cells along each axis and a constant field.
class PictureMarksTest : public testing::Test {
 protected:
  PictureMarksTest() : directory_(fs::temp_directory_path() / ("poisson-marks-" + std::to_string(getpid()))) {
    fs::remove_all(directory_);
  }
  ~PictureMarksTest() override { fs::remove_all(directory_); }

  static constexpr int side = 900;  // pixels of the square's panel

  static OutputGrid grid(int dimension) {
    OutputGrid grid;
    grid.dimension = dimension;
    grid.nodes[2] = {0.0};
    for (int d = 0; d < dimension; ++d) {
      grid.nodes[d].clear();
      for (int i = 0; i <= grid_cells; ++i) grid.nodes[d].push_back(static_cast<double>(i) / grid_cells);
    }
    return grid;
  }

  vtkSmartPointer<vtkImageData> picture(const PictureMarks& marks, const MarkSource& source, int dimension = 2) {
    const OutputGrid box = grid(dimension);
    OutputField field{{"u", Location::cell, 1}, {}};
    field.values.assign(static_cast<std::size_t>(count(box, field)), 1.0);
    OutputNote note;
    note.marks = marks;
    note.mark_source = source;
    fs::create_directories(directory_);
    const auto file = write_whole(*open_picture(directory_, box, {field}, note, one_process()), box, {field});
    vtkNew<vtkPNGReader> reader;
    reader->SetFileName(file.c_str());
    reader->Update();
    return reader->GetOutput();
  }

  /// Returns the pixels above the legend, from below, that marks change by more than a shade.
  static std::vector<Pixel> changed(vtkImageData& plain, vtkImageData& marked) {
    const int* size = plain.GetDimensions();
    const int lower = marked.GetDimensions()[1] - size[1];
    std::vector<Pixel> list;
    for (int y = 0; y < size[1]; ++y)
      for (int x = 0; x < size[0]; ++x) {
        const auto* p = static_cast<const unsigned char*>(plain.GetScalarPointer(x, y, 0));
        const auto* q = static_cast<const unsigned char*>(marked.GetScalarPointer(x, y + lower, 0));
        if (std::abs(p[0] - q[0]) + std::abs(p[1] - q[1]) + std::abs(p[2] - q[2]) > 60) list.push_back({x, y});
      }
    return list;
  }

  std::vector<Pixel> pixels_of(const PictureMarks& marks, const MarkSource& source, int dimension = 2) {
    const auto plain = picture({Outlines::hidden, 0, 0}, {}, dimension);
    return changed(*plain, *picture(marks, source, dimension));
  }

  fs::path directory_;
};

MarkSource disk(double x, double y, double radius) {
  MarkSource source;
  std::vector<Body> bodies{{make_ellipsoid({x, y, 0}, {radius, radius, radius}), 1}};
  source.regions = std::make_shared<const Bodies>(std::move(bodies), nullptr);
  return source;
}

MarkSource uniform_flux(std::vector<double> flux, double empty_below = 0) {
  MarkSource source;
  source.flux = [flux = std::move(flux), empty_below](int, int, std::span<double> values) {
    const std::size_t n = flux.size();
    for (std::size_t i = 0; i < values.size(); ++i) {
      const double x = (static_cast<double>(i / n % grid_cells) + 0.5) / grid_cells;
      values[i] = x < empty_below ? std::numeric_limits<double>::quiet_NaN() : flux[i % n];
    }
  };
  return source;
}

/// Returns groups of pixels that touch each other.
std::vector<std::vector<Pixel>> groups_of(std::vector<Pixel> pixels) {
  std::ranges::sort(pixels);
  std::vector<char> seen(pixels.size());
  std::vector<std::vector<Pixel>> groups;
  for (std::size_t start = 0; start < pixels.size(); ++start) {
    if (seen[start]) continue;
    std::vector<std::size_t> open{start};
    seen[start] = 1;
    for (std::size_t next = 0; next < open.size(); ++next) {
      const Pixel p = pixels[open[next]];
      for (int dx = -1; dx <= 1; ++dx)
        for (int dy = -1; dy <= 1; ++dy) {
          const Pixel q{p[0] + dx, p[1] + dy};
          const auto found = std::ranges::lower_bound(pixels, q);
          const auto at = static_cast<std::size_t>(found - pixels.begin());
          if (found == pixels.end() || *found != q || seen[at]) continue;
          seen[at] = 1;
          open.push_back(at);
        }
    }
    groups.emplace_back();
    for (const std::size_t i : open) groups.back().push_back(pixels[i]);
  }
  return groups;
}

TEST_F(PictureMarksTest, OutlinesLieOnTheSurfaceOfADisk) {
  constexpr double radius = 0.31;  // the surface crosses cells
  const auto pixels = pixels_of({Outlines::automatic, 0, 0}, disk(0.52, 0.45, radius));
  ASSERT_FALSE(pixels.empty());
  std::array<int, 2> least = pixels.front(), most = least;
  for (const Pixel& p : pixels)
    for (std::size_t d = 0; d < 2; ++d) {
      least[d] = std::min(least[d], p[d]);
      most[d] = std::max(most[d], p[d]);
    }
  std::array<bool, 72> met{};
  for (const Pixel& p : pixels) {
    const double x = p[0] - 0.5 * (least[0] + most[0]), y = p[1] - 0.5 * (least[1] + most[1]);
    EXPECT_NEAR(std::hypot(x, y), radius * side, 4) << p[0] << " " << p[1];
    met[static_cast<std::size_t>((std::atan2(y, x) / std::numbers::pi + 1) * 35.99)] = true;
  }
  EXPECT_TRUE(std::ranges::all_of(met, std::identity()));
}

/// Is a region map whose squares alternate.
class Squares final : public RegionMap {
 public:
  explicit Squares(int count) : count_(count) {}
  void fill(const std::array<std::vector<double>, 3>& nodes, const Box& box,
            std::span<RegionNumber> numbers) const override {
    std::size_t at = 0;
    for (int j = box.first[1]; j < box.last[1]; ++j)
      for (int i = box.first[0]; i < box.last[0]; ++i) {
        const auto square = [&](std::size_t d, int n) {
          return static_cast<int>(
              0.5 * (nodes[d][static_cast<std::size_t>(n)] + nodes[d][static_cast<std::size_t>(n) + 1]) * count_);
        };
        numbers[at++] = static_cast<RegionNumber>((square(0, i) + square(1, j)) % 2);
      }
  }

 private:
  int count_;
};

TEST_F(PictureMarksTest, OutlinesThatWouldFillThePictureAreLeftOut) {
  MarkSource fine, coarse;
  fine.regions = std::make_shared<const Squares>(100);
  coarse.regions = std::make_shared<const Squares>(10);
  EXPECT_TRUE(pixels_of({Outlines::automatic, 0, 0}, fine).empty());
  EXPECT_FALSE(pixels_of({Outlines::drawn, 0, 0}, fine).empty());
  EXPECT_FALSE(pixels_of({Outlines::automatic, 0, 0}, coarse).empty());
  EXPECT_TRUE(pixels_of({Outlines::hidden, 0, 0}, coarse).empty());
}

TEST_F(PictureMarksTest, ArrowsPointAlongTheFlux) {
  for (const auto& [x, y] : {std::pair{3.0, 4.0}, {-1.0, 0.0}, {2.0, -1.0}}) {
    const auto arrows = groups_of(pixels_of({Outlines::hidden, 8, 0}, uniform_flux({x, y})));
    EXPECT_EQ(arrows.size(), 64u);
    const double length = std::hypot(x, y), dx = x / length, dy = y / length;
    for (const auto& arrow : arrows) {
      double cx = 0, cy = 0, least = 1e9, most = -1e9;
      for (const Pixel& p : arrow) {
        cx += p[0] / static_cast<double>(arrow.size());
        cy += p[1] / static_cast<double>(arrow.size());
        least = std::min(least, p[0] * dx + p[1] * dy);
        most = std::max(most, p[0] * dx + p[1] * dy);
      }
      double xx = 0, xy = 0, yy = 0;
      for (const Pixel& p : arrow) {
        xx += (p[0] - cx) * (p[0] - cx);
        xy += (p[0] - cx) * (p[1] - cy);
        yy += (p[1] - cy) * (p[1] - cy);
      }
      // The principal axis is that of the flux, and the head is heavier than the tail.
      const double angle = 0.5 * std::atan2(2 * xy, xx - yy);
      EXPECT_LT(std::abs(std::cos(angle) * dy - std::sin(angle) * dx), 0.02);
      EXPECT_GT(cx * dx + cy * dy, 0.5 * (least + most) + 3);
      EXPECT_NEAR(most - least, 0.85 * side / 8, 5);
    }
  }
}

TEST_F(PictureMarksTest, CellsWithoutFluxHaveNoMarks) {
  // The left half has no flux. Arrows of the right half begin at most half of their length before it.
  const PictureMarks both{Outlines::hidden, 16, 16};
  const auto everywhere = pixels_of(both, uniform_flux({0, 1})), half = pixels_of(both, uniform_flux({0, 1}, 0.5));
  const auto column = [](const Pixel& a, const Pixel& b) { return a[0] < b[0]; };
  const int left = std::ranges::min_element(everywhere, column)->at(0);
  EXPECT_GT(std::ranges::min_element(half, column)->at(0), left + side / 2 - 30);
  EXPECT_GT(half.size(), everywhere.size() / 3);
  EXPECT_TRUE(pixels_of(both, uniform_flux({0, 0})).empty());
}

TEST_F(PictureMarksTest, PlanesShowTheFluxWithinThem) {
  // The flux along z lies in the planes x and y, and crosses the plane z, which is the third panel.
  const auto pixels = pixels_of({Outlines::hidden, 8, 0}, uniform_flux({0, 0, 2}), 3);
  EXPECT_EQ(groups_of(pixels).size(), 128u);
}

TEST_F(PictureMarksTest, TheSameFluxGivesTheSamePicture) {
  const auto one = picture({Outlines::hidden, 12, 12}, uniform_flux({1, 2}));
  EXPECT_TRUE(changed(*one, *picture({Outlines::hidden, 12, 12}, uniform_flux({1, 2}))).empty());
}

TEST(Streamlines, OfAUniformFluxAreStraightAndEvenlySpaced) {
  constexpr double width = 700, height = 400, separation = 40;
  const double dx = 0.8, dy = 0.6;
  const auto lines = streamlines(width, height, separation, [&](PicturePoint) { return PicturePoint{dx, dy}; });
  std::vector<double> offsets;
  for (const Streamline& line : lines) {
    const double offset = line.front().x * dy - line.front().y * dx;
    offsets.push_back(offset);
    for (const PicturePoint& p : line) EXPECT_NEAR(p.x * dy - p.y * dx, offset, 1e-9);
    // Each line crosses the whole panel.
    for (const PicturePoint& end : {line.front(), line.back()})
      EXPECT_NEAR(std::min({end.x, end.y, width - end.x, height - end.y}), 0, 1e-9);
  }
  std::ranges::sort(offsets);
  ASSERT_GE(offsets.size(), 15u);
  for (std::size_t i = 1; i < offsets.size(); ++i) EXPECT_NEAR(offsets[i] - offsets[i - 1], separation, 1e-3);
}

TEST(Streamlines, OfACircularFluxAreCirclesWithinTheirDistance) {
  constexpr double size = 600, separation = 30;
  const auto lines = streamlines(size, size, separation, [](PicturePoint p) -> std::optional<PicturePoint> {
    const double x = p.x - size / 2, y = p.y - size / 2, r = std::hypot(x, y);
    if (r < 1) return {};
    return PicturePoint{-y / r, x / r};
  });
  ASSERT_GE(lines.size(), 8u);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const auto radius = [](PicturePoint p) { return std::hypot(p.x - size / 2, p.y - size / 2); };
    for (const PicturePoint& p : lines[i]) EXPECT_NEAR(radius(p), radius(lines[i].front()), 2);
    for (std::size_t j = 0; j < i; ++j)
      for (const PicturePoint& p : lines[i])
        for (const PicturePoint& q : lines[j]) ASSERT_GE(std::hypot(p.x - q.x, p.y - q.y), 0.5 * separation - 1e-9);
  }
}

}  // namespace
}  // namespace poisson::picture_marks_tests
