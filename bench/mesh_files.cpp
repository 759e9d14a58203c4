// Times the reading of binary MSH files with tetrahedra, and the search for faults that follows in a run:
//
//     poisson-mesh-files [CELLS [RESULT.json]]
//
// The mesh has 6 CELLS³ tetrahedra, 5 million by default. Files are written to the folder for temporary files.

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>

#include <nlohmann/json.hpp>
#include <unistd.h>

#include "backends/utilities/commit.hpp"
#include "bench/stopwatch.hpp"
#include "grids/meshes/topology.hpp"
#include "io/meshes/mesh_file.hpp"

namespace poisson::bench {
namespace {

constexpr int triangle = 2, tetrahedron = 4;

/// Writes a cube of cells, each of six tetrahedra, as Gmsh does. The side x = 0 is a group, too.
class CubeFile {
 public:
  CubeFile(int cells, bool modern) : n_(cells), modern_(modern) {}

  std::string bytes() {
    out_ = std::string("$MeshFormat\n") + (modern_ ? "4.1" : "2.2") + " 1 8\n";
    add(1);
    out_ += "\n$EndMeshFormat\n$PhysicalNames\n2\n2 1 \"left\"\n3 2 \"inside\"\n$EndPhysicalNames\n";
    if (modern_) entities();
    out_ += "$Nodes\n";
    nodes();
    out_ += "\n$EndNodes\n$Elements\n";
    elements();
    out_ += "\n$EndElements\n";
    return std::move(out_);
  }

 private:
  template <class T>
  void add(T value) {
    out_.append(reinterpret_cast<const char*>(&value), sizeof value);
  }
  int node(std::array<int, 3> at) const { return (at[2] * (n_ + 1) + at[1]) * (n_ + 1) + at[0] + 1; }
  std::size_t node_count() const {
    const auto side = static_cast<std::size_t>(n_) + 1;
    return side * side * side;
  }

  void entities() {
    out_ += "$Entities\n";
    for (const std::size_t count : {0, 0, 1, 1}) add(count);
    for (const int group : {1, 2}) {
      add(group);
      for (const double x : {0.0, 0.0, 0.0, group == 1 ? 0.0 : 1.0, 1.0, 1.0}) add(x);
      add(std::size_t{1});
      add(group);
      add(std::size_t{0});
    }
    out_ += "\n$EndEntities\n";
  }
  void nodes() {
    const std::size_t count = node_count();
    if (modern_) {
      for (const std::size_t value : {std::size_t{1}, count, std::size_t{1}, count}) add(value);
      for (const int value : {3, 2, 0}) add(value);
      add(count);
      for (std::size_t p = 1; p <= count; ++p) add(p);
    } else {
      out_ += std::to_string(count) + "\n";
    }
    int number = 0;
    for (int k = 0; k <= n_; ++k)
      for (int j = 0; j <= n_; ++j)
        for (int i = 0; i <= n_; ++i) {
          if (!modern_) add(++number);
          for (const int c : {i, j, k}) add(static_cast<double>(c) / n_);
        }
  }
  template <std::size_t corners>
  void add_element(int group, const std::array<int, corners>& at) {
    ++element_;
    if (modern_) {
      add(element_);
      for (const int p : at) add(static_cast<std::size_t>(p));
    } else {
      for (const int value : {static_cast<int>(element_), group, group}) add(value);
      for (const int p : at) add(p);
    }
  }
  void begin_elements(int dimension, int group, int type, std::size_t count) {
    if (modern_) {
      for (const int value : {dimension, group, type}) add(value);
      add(count);
    } else {
      for (const int value : {type, static_cast<int>(count), 2}) add(value);
    }
  }
  void elements() {
    const auto side = 2 * static_cast<std::size_t>(n_) * static_cast<std::size_t>(n_),
               inside = 3 * side * static_cast<std::size_t>(n_), all = side + inside;
    if (modern_)
      for (const std::size_t value : {std::size_t{2}, all, std::size_t{1}, all}) add(value);
    else
      out_ += std::to_string(all) + "\n";
    begin_elements(2, 1, triangle, side);
    for (int k = 0; k < n_; ++k)
      for (int j = 0; j < n_; ++j) {
        add_element(1, std::array{node({0, j, k}), node({0, j + 1, k}), node({0, j + 1, k + 1})});
        add_element(1, std::array{node({0, j, k}), node({0, j + 1, k + 1}), node({0, j, k + 1})});
      }
    begin_elements(3, 2, tetrahedron, inside);
    for (int k = 0; k < n_; ++k)
      for (int j = 0; j < n_; ++j)
        for (int i = 0; i < n_; ++i) add_cell({i, j, k});
  }
  // The tetrahedra of a cell follow the paths along the axes from its first to its last corner.
  void add_cell(std::array<int, 3> cell) {
    std::array<std::size_t, 3> axes{0, 1, 2};
    do {
      std::array<int, 3> at = cell;
      std::array<int, 4> corners{node(at)};
      for (std::size_t c = 0; c < 3; ++c) {
        ++at[axes[c]];
        corners[c + 1] = node(at);
      }
      const bool odd = (axes[0] > axes[1]) != (axes[0] > axes[2]) != (axes[1] > axes[2]);
      if (odd) std::swap(corners[2], corners[3]);
      add_element(2, corners);
    } while (std::ranges::next_permutation(axes).found);
  }

  int n_;
  bool modern_;
  std::size_t element_ = 0;
  std::string out_;
};

nlohmann::json measure(int cells, bool modern) {
  const std::filesystem::path file =
      std::filesystem::temp_directory_path() / ("poisson-mesh-" + std::to_string(getpid()) + ".msh");
  std::ofstream(file, std::ios::binary) << CubeFile(cells, modern).bytes();
  double reading = 1e9, checking = 1e9;
  std::int64_t elements = 0, faults = 0;
  for (int round = 0; round < 3; ++round) {
    const Stopwatch read;
    Mesh mesh = read_mesh(file);
    reading = std::min(reading, read.seconds());
    const Stopwatch check;
    const MeshFaults found = check_mesh(mesh);
    checking = std::min(checking, check.seconds());
    elements = mesh.count(3);
    faults = found.inverted.count + found.duplicate.count + found.hanging.count + found.coincident.count;
  }
  nlohmann::json result{{"format", modern ? "MSH 4.1, binary" : "MSH 2.2, binary"},
                        {"tetrahedra", elements},
                        {"bytes", std::filesystem::file_size(file)},
                        {"read_seconds", reading},
                        {"check_seconds", checking},
                        {"faults", faults}};
  std::filesystem::remove(file);
  std::printf("%s\n", result.dump().c_str());
  std::fflush(stdout);
  return result;
}

}  // namespace
}  // namespace poisson::bench

int main(int argc, char** argv) {
  const int cells = argc > 1 ? std::atoi(argv[1]) : 94;
  nlohmann::json found{
      {"benchmark", "mesh_files"}, {"commit", poisson::commit()}, {"threads", std::thread::hardware_concurrency()}};
  for (const bool modern : {true, false}) found["files"].push_back(poisson::bench::measure(cells, modern));
  if (argc > 2) std::ofstream(argv[2]) << found.dump(1) << '\n';
}
