// Times a body of many triangles: its file, the repair of its surface, the columns of triangles, the centres of all
// cells, and the lines across the faces of all cells.
//
//     poisson-surfaces 1000000 512 bench/results/h200-surfaces.json

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <numbers>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>
#include <omp.h>

#include "backends/utilities/commit.hpp"
#include "bench/stopwatch.hpp"
#include "grids/problem/bodies.hpp"
#include "grids/surfaces/surface_shape.hpp"
#include "io/surfaces/surface_file.hpp"

namespace poisson::bench {
namespace {

// Writes a torus in [0, 1]³ with at least `triangles` triangles as a binary STL file.
void write_torus(const std::filesystem::path& path, int triangles) {
  const int n = std::max(8, static_cast<int>(std::ceil(std::sqrt(triangles)))), m = (triangles + 2 * n - 1) / (2 * n);
  const auto corner = [&](int i, int j) {
    const double a = 2 * std::numbers::pi * (i % n) / n, b = 2 * std::numbers::pi * (j % m) / m;
    const double r = 0.3 + 0.12 * std::cos(b);
    return std::array{static_cast<float>(0.5 + r * std::cos(a)), static_cast<float>(0.5 + r * std::sin(a)),
                      static_cast<float>(0.5 + 0.12 * std::sin(b))};
  };
  std::string bytes(80, ' ');
  const auto put = [&](const auto& value) { bytes.append(reinterpret_cast<const char*>(&value), sizeof value); };
  put(static_cast<std::uint32_t>(2 * n * m));
  const auto facet = [&](const auto& a, const auto& b, const auto& c) {
    put(std::array<float, 3>{});
    for (const auto& p : {a, b, c}) put(p);
    put(std::uint16_t{0});
  };
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j) {
      facet(corner(i, j), corner(i + 1, j), corner(i + 1, j + 1));
      facet(corner(i, j), corner(i + 1, j + 1), corner(i, j + 1));
    }
  std::ofstream(path, std::ios::binary).write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
}

// Returns the number of centres of n³ cells that lie in a shape.
std::int64_t count_centres(const Shape& shape, int n) {
  std::vector<double> x;
  for (int i = 0; i < n; ++i) x.push_back((i + 0.5) / n);
  std::int64_t inside = 0;
#pragma omp parallel for reduction(+ : inside) schedule(dynamic)
  for (int k = 0; k < n; ++k) {
    std::vector<char> row(x.size());
    for (int j = 0; j < n; ++j) {
      const Ray ray{{0, x[static_cast<std::size_t>(j)], x[static_cast<std::size_t>(k)]}, {1, 0, 0}, 0, 1, 1.0 / n};
      shape.contains_along(ray, x, row);
      inside += std::ranges::count_if(row, [](char c) { return c != 0; });
    }
  }
  return inside;
}

// Returns the number of pieces on 4 × 4 lines across each face of n³ cells along each axis.
std::int64_t count_pieces(const ShapePtr& shape, int n) {
  const Bodies bodies({{shape, 1}}, nullptr);
  const int lines = 4 * n;
  std::int64_t count = 0;
  for (std::size_t d = 0; d < 3; ++d)
#pragma omp parallel for reduction(+ : count) schedule(dynamic)
    for (int k = 0; k < lines; ++k) {
      std::vector<Bodies::Piece> pieces;
      for (int j = 0; j < lines; ++j) {
        Ray ray;
        ray.origin[(d + 1) % 3] = (j + 0.5) / lines;
        ray.origin[(d + 2) % 3] = (k + 0.5) / lines;
        ray.direction[d] = 1;
        ray.step = 0.25 / n;
        bodies.split(ray, pieces);
        count += static_cast<std::int64_t>(pieces.size());
      }
    }
  return count;
}

nlohmann::ordered_json time_once(const std::filesystem::path& path, int n) {
  const Stopwatch all;
  double before = 0;
  nlohmann::ordered_json row;
  const auto lap = [&](const char* part) {
    const double now = all.seconds();
    row[part] = now - std::exchange(before, now);
  };
  Triangles triangles = read_surface(path);
  lap("read_s");
  SurfaceReport report;
  ClosedSurface closed = close_surface(std::move(triangles), report);
  lap("repair_s");
  const ShapePtr shape = make_surface_shape(std::move(closed));
  shape->prepare();
  lap("columns_s");
  const std::int64_t inside = count_centres(*shape, n);
  lap("centres_s");
  row["all_s"] = before;
  count_pieces(shape, n);
  lap("lines_s");
  row["triangles"] = report.triangles;
  row["volume"] = report.volume;
  row["volume_of_cells"] = static_cast<double>(inside) / n / n / n;
  return row;
}

}  // namespace
}  // namespace poisson::bench

int main(int argc, char** argv) {
  using namespace poisson;
  const int triangles = argc > 1 ? std::atoi(argv[1]) : 1'000'000, cells = argc > 2 ? std::atoi(argv[2]) : 512;
  const std::filesystem::path path = std::filesystem::temp_directory_path() / "poisson-surfaces.stl";
  bench::write_torus(path, triangles);
  nlohmann::ordered_json json{{"commit", commit()}, {"threads", omp_get_max_threads()}, {"cells", cells}};
  bool agrees = true;
  for (int repeat = 0; repeat < 3; ++repeat) {
    json["results"].push_back(bench::time_once(path, cells));
    const auto& row = json["results"].back();
    std::printf("%s\n", row.dump().c_str());
    const double volume = row["volume"], found = row["volume_of_cells"];
    agrees = agrees && std::abs(found - volume) < volume * 4 / cells;
  }
  std::filesystem::remove(path);
  if (!agrees) std::fprintf(stderr, "The volume of the cells differs from that of the surface.\n");
  if (argc > 3 && !(std::ofstream(argv[3]) << json.dump(2) << '\n')) return 1;
  return agrees ? 0 : 1;
}
