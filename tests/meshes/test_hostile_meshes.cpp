// Random meshes with few points: elements that repeat corners, overlap, coincide and have no volume, at all scales.
// They are refused with the file's name and a reason, or solved for.

#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>

#include <gtest/gtest.h>
#include <unistd.h>

#include "backends/memory/error.hpp"
#include "io/meshes/mesh_file.hpp"
#include "io/meshes/mesh_input.hpp"
#include "tests/meshes.hpp"

namespace poisson::test::hostile_meshes_tests {
namespace {

class HostileMesh {
 public:
  explicit HostileMesh(std::mt19937& random) : random_(random) {}

  // Returns a file of Gmsh, version 2.2.
  std::string text() {
    constexpr std::array counts{1, 4, 8, 27, 100}, elements{0, 1, 5, 30, 300};
    constexpr std::array scales{1.0, 1.0, 1.0, 1e-30, 1e30, 1e100, 1e-150, 1e200};
    const int points = counts[pick(counts.size())];
    const bool plane = pick(2) == 0;
    const double scale = scales[pick(scales.size())];
    std::ostringstream out;
    out.precision(17);
    out << "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n" << points << "\n";
    std::array<double, 3> x{};
    for (int p = 1; p <= points; ++p) {
      if (pick(10) > 0)  // else the point coincides with the last one
        for (double& one : x) one = (pick(2) == 0 ? static_cast<double>(pick(4)) : share_(random_)) * scale;
      out << p << " " << x[0] << " " << x[1] << " " << (plane ? 0 : x[2]) << "\n";
    }
    const int count = elements[pick(elements.size())];
    out << "$EndNodes\n$Elements\n" << count << "\n";
    for (int e = 1; e <= count; ++e) add_element(out, e, points, plane);
    out << "$EndElements\n";
    return out.str();
  }

 private:
  std::size_t pick(std::size_t n) { return std::uniform_int_distribution<std::size_t>(0, n - 1)(random_); }

  void add_element(std::ostringstream& out, int number, int points, bool plane) {
    struct Type {
      int number, nodes;
    };
    constexpr std::array<Type, 11> types{Type{15, 1}, {1, 2}, {2, 3}, {3, 4}, {9, 6},  {8, 3},
                                         {4, 4},      {5, 8}, {6, 6}, {7, 5}, {11, 10}};
    constexpr std::array groups{0, 1, 2, 3, 2'000'000'000};
    const Type type = types[pick(plane ? 6 : types.size())];
    out << number << " " << type.number << " 2 " << groups[pick(groups.size())] << " 0";
    const bool in_order = pick(3) == 0;
    for (int k = 0; k < type.nodes; ++k)
      out << " "
          << (in_order ? (k < points ? k + 1 : 1) : static_cast<int>(pick(static_cast<std::size_t>(points))) + 1);
    out << "\n";
  }

  std::mt19937& random_;
  std::uniform_real_distribution<double> share_{0, 1};
};

// Samples, assembles and evaluates a problem on a mesh that was read.
void use(const std::shared_ptr<Mesh>& mesh, int kind) {
  const MeshFaults faults = check_mesh(*mesh);
  describe_faults(*mesh, faults);
  describe_groups(*mesh, std::vector<bool>(mesh->groups.size(), false));
  MeshProblem problem;
  problem.mesh = mesh;
  problem.source = 1.0;
  if (kind % 2 == 0)
    for (std::size_t g = 0; g < mesh->groups.size(); ++g)
      problem.conditions.push_back({"group", {static_cast<int>(g)}, BoundaryKind::dirichlet, 1.0, 0.0});
  problem.conditions.push_back(
      {"default", {}, kind % 3 == 0 ? BoundaryKind::robin : BoundaryKind::dirichlet, 0.0, 1.0});
  const MeshData data(problem);
  const MeshSystem system = assemble(data);
  const std::vector<double> u(mesh->points.size(), 1);
  EXPECT_EQ(condition_flows(data, u).size(), problem.conditions.size());
  recovered_error(data, u);
  locate(data, {{0.3, 0.3, 0.1}});
  EXPECT_GE(estimate_rows(data).entries, estimate_rows(data).rows);
  EXPECT_EQ(estimate_rows(data).rows, system.rows.A.rows());
}

TEST(HostileMeshes, AreRefusedOrRead) {
  const std::filesystem::path file =
      std::filesystem::temp_directory_path() / ("hostile-" + std::to_string(getpid()) + ".msh");
  std::mt19937 random(3);
  int read = 0, refused = 0;
  for (int k = 0; k < 600; ++k) {
    std::ofstream(file) << HostileMesh(random).text();
    try {
      use(std::make_shared<Mesh>(read_mesh(file)), k);
      ++read;
    } catch (const InputError& error) {
      ++refused;
      EXPECT_TRUE(std::string(error.what()).find("hostile-") != std::string::npos ||
                  std::string(error.what()).find("parts of the mesh") != std::string::npos ||
                  std::string(error.what()).find("nothing is left to solve") != std::string::npos)
          << error.what();
    }
  }
  std::filesystem::remove(file);
  EXPECT_GT(read, 15);
  EXPECT_GT(refused, 300);
}

}  // namespace
}  // namespace poisson::test::hostile_meshes_tests
