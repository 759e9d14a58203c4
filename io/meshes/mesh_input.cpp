#include "io/meshes/mesh_input.hpp"

#include <array>

#include <fmt/format.h>

#include "backends/memory/error.hpp"
#include "io/config/spelling.hpp"

namespace poisson {
namespace {

std::string place_text(const Mesh& mesh, const std::array<double, 3>& at) {
  return mesh.dimension == 2 ? fmt::format("({:.6g}, {:.6g})", at[0], at[1])
                             : fmt::format("({:.6g}, {:.6g}, {:.6g})", at[0], at[1], at[2]);
}

}  // namespace

std::vector<std::string> describe_groups(const Mesh& mesh, const std::vector<bool>& used) {
  std::vector<std::string> lines;
  std::string counts;
  for (const MeshCells& block : mesh.cells)
    counts += fmt::format("{}{} {}", counts.empty() ? "" : ", ", block.count(), facts_of(block.shape).name);
  lines.push_back(fmt::format("mesh      {}: {} points, {}", mesh.source, mesh.points.size(), counts));
  if (mesh.groups.empty()) {
    lines.emplace_back("          no groups: boundary.default applies to the whole boundary");
    return lines;
  }
  const std::vector<GroupMeasure> measures = measure_groups(mesh);
  lines.push_back(
      fmt::format("{:<24} {:>3} {:>6} {:>10} {:>12}   {}", "group", "dim", "number", "elements", "measure", "extent"));
  constexpr std::array units{"", "length", "area", "volume"};
  for (std::size_t g = 0; g < mesh.groups.size(); ++g) {
    const MeshGroup& group = mesh.groups[g];
    const GroupMeasure& m = measures[g];
    const std::string extent =
        m.elements == 0 ? "no elements" : place_text(mesh, m.lower) + " to " + place_text(mesh, m.upper);
    lines.push_back(fmt::format("{:<24} {:>3} {:>6} {:>10} {:>12}   {}{}", printable(group.key()), group.dimension,
                                group.number, m.elements, group.dimension == 0 ? "" : fmt::format("{:.6g}", m.measure),
                                extent, used[g] ? "" : "; not named in the configuration"));
  }
  (void)units;
  return lines;
}

std::string describe_empty_groups(const Mesh& mesh, const std::vector<bool>& used) {
  const std::vector<GroupMeasure> measures = measure_groups(mesh);
  std::vector<std::string> names;
  for (std::size_t g = 0; g < used.size(); ++g)
    if (used[g] && measures[g].elements == 0) names.push_back(printable(mesh.groups[g].key()));
  return names.empty()
             ? ""
             : "these groups have no elements, so their conditions and materials apply nowhere: " + join(names) +
                   ". Save all elements of physical groups in the mesh file";
}

std::vector<std::string> describe_faults(const Mesh& mesh, const MeshFaults& faults) {
  std::vector<std::string> warnings;
  const auto first = [&](const MeshFault& fault) { return place_text(mesh, fault.first); };
  if (faults.crossed.count > 0)
    throw InputError(
        fmt::format("{}: {} elements overlap themselves (the first at {}): improve the mesh (in Gmsh: optimize)",
                    mesh.source, faults.crossed.count, first(faults.crossed)));
  const auto warn = [&](const MeshFault& fault, std::string_view what, std::string_view consequence) {
    if (fault.count > 0)
      warnings.push_back(
          fmt::format("{}: {} {} (the first at {}): {}", mesh.source, fault.count, what, first(fault), consequence));
  };
  warn(faults.inverted, "elements are inverted", "they are computed with their corners in the other order");
  if (mesh.count(mesh.dimension) == 0)
    throw InputError(
        fmt::format("{}: all {} elements have no volume (the first at {}): check the coordinates and scale",
                    mesh.source, faults.degenerate.count, first(faults.degenerate)));
  warn(faults.collapsed, "elements repeat corners", "they are computed as the simpler shapes that they are");
  warn(faults.degenerate, "elements have no volume", "they are left out");
  warn(faults.duplicate, "elements have the corners of another one of their group", "they are left out");
  warn(faults.hanging, "points lie inside sides of elements",
       "u jumps there, since the mesh does not conform; join its parts (in Gmsh: Coherence or BooleanFragments)");
  warn(faults.coincident, "pairs of points of the boundary coincide",
       "nothing flows between elements that do not share points; merge them (in Gmsh: Coherence Mesh)");
  if (mesh.second_order > 0)
    warnings.push_back(
        fmt::format("{}: {} elements of second order are read by their corners: linear elements replace them",
                    mesh.source, mesh.second_order));
  return warnings;
}

}  // namespace poisson
