// Reads bodies of triangles, and reports their faults.

#include <cmath>
#include <string>
#include <utility>

#include "backends/memory/error.hpp"
#include "grids/surfaces/surface_shape.hpp"
#include "io/config/config_shapes.hpp"
#include "io/config/schema.hpp"
#include "io/surfaces/surface_file.hpp"

namespace poisson {
namespace {

// Reads rows of three numbers from a list or an array.
class MeshLists {
 public:
  explicit MeshLists(ConfigParts& parts) : parts_(parts) {}

  bool read(const Value& map, const char* key, const std::string& path, std::vector<Point>& rows) {
    const Value* value = map.find(key);
    if (!value) return false;
    if (value->array) return copy(*value, path + "." + key, rows);
    if (value->kind != Value::Kind::list) {
      parts_.errors.add(value->mark, path + "." + key, "must be a list or an array; write for example [[0, 1, 2]]");
      return false;
    }
    for (const Value& row : value->items)
      rows.push_back({row.items[0].number, row.items[1].number, row.items[2].number});
    return true;
  }

 private:
  bool copy(const Value& value, const std::string& path, std::vector<Point>& rows) {
    const GridArray& array = *value.array;
    if (array.shape[0] != 3 || array.shape[2] != 1 ||
        array.values.size() != 3 * static_cast<std::size_t>(array.shape[1])) {
      parts_.errors.add(value.mark, path, "has not the shape [n][3]; give an array on the host with three columns");
      return false;
    }
    for (std::size_t i = 0; i < array.values.size(); i += 3) {
      rows.push_back({array.values[i], array.values[i + 1], array.values[i + 2]});
      for (const double x : rows.back())
        if (!std::isfinite(x)) {
          parts_.errors.add(value.mark, path,
                            "has " + shortest(x) + " in row " + std::to_string(i / 3) + "; repair the mesh");
          return false;
        }
    }
    return true;
  }

  ConfigParts& parts_;
};

bool read_lists(const Value& map, const std::string& path, ConfigParts& parts, Triangles& triangles) {
  std::vector<Point> rows;
  if (!MeshLists(parts).read(map, "vertices", path, triangles.points) ||
      !MeshLists(parts).read(map, "triangles", path, rows))
    return false;
  const auto count = static_cast<double>(triangles.points.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    for (const double corner : rows[i])
      if (!(corner >= 0 && corner < count && corner == std::floor(corner))) {
        parts.errors.add(map.find("triangles")->mark, path + ".triangles",
                         "triangle " + std::to_string(i) + " has the vertex " + shortest(corner) + ", but there are " +
                             std::to_string(triangles.points.size()) + ", counted from 0; correct it");
        return false;
      }
    triangles.faces.push_back({static_cast<std::uint32_t>(rows[i][0]), static_cast<std::uint32_t>(rows[i][1]),
                               static_cast<std::uint32_t>(rows[i][2])});
  }
  if (!rows.empty() && rows.size() <= most_triangles && triangles.points.size() <= most_triangles) return true;
  parts.errors.add(map.mark, path + ".triangles",
                   rows.empty() ? "is empty; give at least four" : "has more than 2^30 rows");
  return false;
}

std::string counted(std::size_t count, const std::string& noun) {
  return std::to_string(count) + " " + noun + (count == 1 ? "" : "s");
}

// Lists the faults of a mesh and their remedies.
std::string faults_of(const SurfaceReport& report) {
  std::vector<std::string> faults;
  const std::string all = " of " + counted(report.triangles, "triangle");
  if (report.open_edges > 0) {
    std::string text = counted(report.open_edges, "open edge") + " around " +
                       counted(report.flat_holes + report.curved_holes, "hole") + ", closed ";
    if (report.curved_holes == 0)
      text += report.flat_holes == 1 ? "by its plane" : "by their planes";
    else if (report.apart > 0)
      text += "by the winding number, because " + counted(report.apart, "part") + " without common edges enclose" +
              (report.apart == 1 ? "s" : "") + " nothing alone";
    else
      text += "by the winding number" +
              (report.flat_holes > 0 ? ", " + std::to_string(report.flat_holes) + " of them by planes" : "");
    faults.push_back(text);
  }
  if (report.joined > 0)
    faults.push_back(counted(report.joined, "corner") + " on open edges " + (report.joined == 1 ? "was" : "were") +
                     " joined to others that only rounding separates");
  if (report.inward > 0)
    faults.push_back(std::to_string(report.inward) + all + " belonged to bodies inside out and were flipped");
  if (report.flipped > 0)
    faults.push_back(std::to_string(report.flipped) + all + " were flipped to agree with their neighbours");
  if (report.duplicates > 0)
    faults.push_back(std::to_string(report.duplicates) + all + " were duplicates and were left out");
  if (report.degenerate > 0)
    faults.push_back(std::to_string(report.degenerate) + all + " had two equal corners and were left out");
  std::string text;
  for (const std::string& fault : faults) text += (text.empty() ? "" : "; ") + fault;
  return text;
}

}  // namespace

ShapePtr read_mesh(const Value& value, const std::string& path, ConfigParts& parts) {
  Triangles triangles;
  std::string name = "the mesh";
  SurfaceReport report;
  ShapePtr shape;
  try {
    if (value.kind == Value::Kind::map) {
      if (!read_lists(value, path, parts, triangles)) return nullptr;
    } else {
      triangles = read_surface(parts.path(value));
      name = value.text;
    }
    shape = make_surface_shape(close_surface(std::move(triangles), report));
  } catch (const InputError& error) {
    const std::string message = error.what();
    parts.errors.add(value.mark, path,
                     message.starts_with("mesh '") ? message : name + " encloses nothing: " + message + "; repair it");
    return nullptr;
  }
  if (!report.good())
    parts.config.warnings.push_back(value.mark.text() + ": " + path + ": " + name + " has faults: " +
                                    faults_of(report) + "; its volume is " + shortest(report.volume) + " before scale");
  if (!(report.volume > 0)) {
    parts.errors.add(value.mark, path, name + " encloses no volume; give the surface of a solid");
    return nullptr;
  }
  return shape;
}

}  // namespace poisson
