#include "io/pictures/outlines.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <map>
#include <utility>

namespace poisson {
namespace {

constexpr int window_reach = 4;  // pixels of the window that smooths steps of pixels

/// Returns the edges of pixels along an axis.
std::vector<double> pixel_edges(const std::vector<double>& nodes, int count) {
  std::vector<double> edges;
  for (int i = 0; i <= count; ++i)
    edges.push_back(nodes.front() + (nodes.back() - nodes.front()) * (static_cast<double>(i) / count));
  return edges;
}

/// Provides regions of pixels by place.
class Raster {
 public:
  Raster(std::span<const RegionNumber> regions, int width, int height)
      : regions_(regions), width_(width), height_(height) {}

  RegionNumber at(int x, int y) const {
    return regions_[static_cast<std::size_t>(y) * static_cast<std::size_t>(width_) + static_cast<std::size_t>(x)];
  }
  bool contains(int x, int y) const { return x >= 0 && y >= 0 && x < width_ && y < height_; }
  /// Calls f(x, y) for pixels whose right or lower neighbour has another region, and for that neighbour.
  template <class F>
  void for_each_boundary(const F& f) const {
    for (int y = 0; y < height_; ++y)
      for (int x = 0; x < width_; ++x)
        for (const auto& [right, down] : {std::pair{1, 0}, std::pair{0, 1}})
          if (contains(x + right, y + down) && at(x + right, y + down) != at(x, y)) {
            f(x, y);
            f(x + right, y + down);
          }
  }

 private:
  std::span<const RegionNumber> regions_;
  int width_, height_;
};

/// Returns the distance of a pixel from the boundary of its region. A Gaussian of width σ around the pixel covers its
/// region with weight Φ(distance / σ) if the boundary is straight.
double distance_to_boundary(const Raster& raster, int x, int y) {
  constexpr double sigma = 1.3;
  double own = 0, all = 0;
  for (int dy = -window_reach; dy <= window_reach; ++dy)
    for (int dx = -window_reach; dx <= window_reach; ++dx) {
      if (!raster.contains(x + dx, y + dy)) continue;
      const double weight = std::exp(-(dx * dx + dy * dy) / (2 * sigma * sigma));
      all += weight;
      if (raster.at(x + dx, y + dy) == raster.at(x, y)) own += weight;
    }
  const double share = std::clamp(own / all, 0.5, 1 - 1e-6);
  // The logistic function with this factor is Φ to 0.01.
  return sigma / 1.702 * std::log(share / (1 - share));
}

/// Returns a number for each pair of regions.
std::vector<RegionNumber> joined(const std::vector<RegionNumber>& lower, std::vector<RegionNumber> upper) {
  if (lower == upper) return upper;
  std::map<std::pair<RegionNumber, RegionNumber>, RegionNumber> numbers;
  for (std::size_t i = 0; i < upper.size(); ++i)
    upper[i] =
        numbers.try_emplace(std::pair(lower[i], upper[i]), static_cast<RegionNumber>(numbers.size())).first->second;
  return upper;
}

}  // namespace

std::vector<RegionNumber> regions_of_pixels(const OutputGrid& grid, const Section& section, const RegionMap& map) {
  const auto a = static_cast<std::size_t>(section.across), u = static_cast<std::size_t>(section.up),
             n = static_cast<std::size_t>(section.normal);
  std::array<std::vector<double>, 3> edges;
  Box box{{0, 0, 0}, {1, 1, 1}};
  edges[a] = pixel_edges(grid.nodes[a], box.last[a] = section.width);
  edges[u] = pixel_edges(grid.nodes[u], box.last[u] = section.height);
  const auto fill = [&](double lower, double upper) {
    if (grid.dimension == 3) edges[n] = {lower, upper};
    std::vector<RegionNumber> found(static_cast<std::size_t>(section.width) * static_cast<std::size_t>(section.height));
    map.fill(edges, box, found);
    return found;
  };
  std::vector<RegionNumber> upwards;
  if (grid.dimension == 2) {
    upwards = fill(0, 0);
  } else {
    // A plane on a face of cells shows the boundaries on both sides of the face.
    const double inside = 1e-9 * (grid.nodes[n].back() - grid.nodes[n].front());
    const double position =
        std::clamp(section.position, grid.nodes[n].front() + 2 * inside, grid.nodes[n].back() - 2 * inside);
    upwards = joined(fill(position - 1.5 * inside, position - 0.5 * inside),
                     fill(position + 0.5 * inside, position + 1.5 * inside));
  }
  std::vector<RegionNumber> regions;
  regions.reserve(upwards.size());
  const auto row = static_cast<std::ptrdiff_t>(section.width);
  for (auto end = upwards.end(); end != upwards.begin(); end -= row) regions.insert(regions.end(), end - row, end);
  return regions;
}

double boundary_share(std::span<const RegionNumber> regions, int width, int height) {
  std::vector<char> marked(regions.size());
  Raster(regions, width, height).for_each_boundary([&](int x, int y) {
    marked[static_cast<std::size_t>(y) * static_cast<std::size_t>(width) + static_cast<std::size_t>(x)] = 1;
  });
  return static_cast<double>(std::ranges::count(marked, 1)) /
         static_cast<double>(std::max<std::size_t>(1, marked.size()));
}

void trace_outlines(std::span<const RegionNumber> regions, double thickness, Strokes& strokes) {
  const int width = strokes.width(), height = strokes.height();
  const Raster raster(regions, width, height);
  std::vector<char> near(regions.size());
  constexpr int beside = 2;
  raster.for_each_boundary([&](int x, int y) {
    for (int dy = -beside; dy <= beside; ++dy)
      for (int dx = -beside; dx <= beside; ++dx)
        if (raster.contains(x + dx, y + dy))
          near[static_cast<std::size_t>(y + dy) * static_cast<std::size_t>(width) + static_cast<std::size_t>(x + dx)] =
              1;
  });
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x)
      if (near[static_cast<std::size_t>(y) * static_cast<std::size_t>(width) + static_cast<std::size_t>(x)])
        strokes.add(x, y, distance_to_boundary(raster, x, y) - thickness / 2);
}

}  // namespace poisson
