#include "io/config/config_shapes.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <optional>
#include <utility>
#include <vector>

#include "io/config/config_parts.hpp"
#include "io/config/schema.hpp"
#include "io/config/schema_media.hpp"

namespace poisson {
namespace {

constexpr int deepest = 32;  // shapes within shapes
constexpr std::array kinds{"box",     "sphere", "cylinder", "ellipsoid", "cone",  "torus",        "revolve",
                           "polygon", "layer",  "mesh",     "where",     "union", "intersection", "difference"};

class ShapeReader {
 public:
  explicit ShapeReader(ConfigParts& parts)
      : dimension_(static_cast<std::size_t>(parts.config.problem.dimension)),
        parts_(parts),
        parameters_(parts.config.parameters),
        errors_(parts.errors) {}

  ShapePtr read(const Value& map, const std::string& path, int depth) {
    const char* kind = nullptr;
    for (const char* name : kinds) {
      const Value* value = map.find(name);
      if (!given(value)) continue;
      if (kind)
        return fail(value->mark, path,
                    std::string("has two shapes, ") + kind + " and " + name +
                        "; keep one, or join them with union, intersection or difference");
      kind = name;
    }
    if (!kind) {
      // A wrong shape has been reported and is absent.
      for (const char* name : kinds)
        if (!map.find(name)) return nullptr;
      return fail(map.mark, path, "has no shape; add for example box: {lower: [0, 0, 0], upper: [1, 1, 1]}");
    }
    ShapePtr shape = make(kind, *map.find(kind), path + "." + kind, depth);
    return shape ? moved(map, path, std::move(shape)) : nullptr;
  }

 private:
  std::nullptr_t fail(const Mark& mark, const std::string& path, const std::string& message) {
    errors_.add(mark, path, message);
    return nullptr;
  }

  // Reads one number for each axis; in the plane the third one is `flat`.
  bool point(const Value& map, const char* key, const std::string& path, double flat, Point& p) {
    const Value* list = map.find(key);
    if (!list) return false;
    if (!given(list)) return true;
    if (list->items.size() != dimension_) {
      fail(list->mark, path + "." + key,
           "has " + std::to_string(list->items.size()) + " numbers in " + std::to_string(dimension_) +
               " dimensions; give " + std::to_string(dimension_));
      return false;
    }
    p[2] = flat;
    for (std::size_t d = 0; d < dimension_; ++d) p[d] = list->items[d].number;
    return true;
  }

  ShapePtr make(const std::string& kind, const Value& value, const std::string& path, int depth) {
    if (kind == "box") return box(value, path);
    if (kind == "sphere" || kind == "ellipsoid") return ellipsoid(value, path, kind == "sphere");
    if (kind == "cylinder" || kind == "cone") return cylinder(value, path, kind == "cone");
    if (kind == "torus") return torus(value, path);
    if (kind == "revolve") return revolve(value, path);
    if (kind == "mesh") return mesh(value, path);
    if (kind == "polygon") return polygon(value, path);
    if (kind == "layer") return layer(value, path);
    if (kind == "where") return where(value, path);
    return group(kind, value, path, depth);
  }

  ShapePtr box(const Value& value, const std::string& path) {
    Point lower{}, upper{};
    if (!point(value, "lower", path, -Bounds::far, lower) || !point(value, "upper", path, Bounds::far, upper))
      return nullptr;
    for (std::size_t d = 0; d < dimension_; ++d)
      if (!(lower[d] < upper[d]))
        return fail(value.find("upper")->mark, path + ".upper",
                    "is not above lower along " + std::string(axis_names[d]) + "; exchange the two, or move one");
    return make_box(lower, upper);
  }

  ShapePtr ellipsoid(const Value& value, const std::string& path, bool sphere) {
    Point centre{}, radii{};
    if (!point(value, "center", path, 0, centre)) return nullptr;
    if (sphere) {
      radii.fill(value.find("radius")->number);
      if (dimension_ == 2) radii[2] = Bounds::far;
    } else if (!point(value, "radii", path, Bounds::far, radii)) {
      return nullptr;
    }
    return make_ellipsoid(centre, radii);
  }

  ShapePtr cylinder(const Value& value, const std::string& path, bool cone) {
    Point from{}, to{};
    if (!point(value, "from", path, 0, from) || !point(value, "to", path, 0, to)) return nullptr;
    if (from == to)
      return fail(value.find("to")->mark, path + ".to", "equals from (the axis has no length); move one of the two");
    if (!cone) return make_cylinder(from, to, value.find("radius")->number);
    const Value* radii = value.find("radii");
    const double first = radii->items[0].number, last = radii->items.size() > 1 ? radii->items[1].number : 0;
    if (first == 0 && last == 0)
      return fail(radii->mark, path + ".radii", "are 0 (the cone is empty); give a positive one");
    return make_cone(from, to, first, last);
  }

  // Reads x, y, z or a direction; z if it is absent.
  bool direction(const Value& map, const std::string& path, Point& axis) {
    const Value* value = map.find("axis");
    if (!value) return false;
    axis = {0, 0, 1};
    if (!given(value)) return true;
    if (dimension_ == 2) {
      fail(value->mark, path + ".axis", "does not exist in two dimensions (it is z); remove it");
      return false;
    }
    if (value->kind == Value::Kind::string) {
      axis = {};
      axis[static_cast<std::size_t>(value->choice)] = 1;
      return true;
    }
    for (std::size_t d = 0; d < 3; ++d) axis[d] = value->items[d].number;
    if (axis != Point{}) return true;
    fail(value->mark, path + ".axis", "has no direction; write x, y, z or for example [0, 0, 1]");
    return false;
  }

  ShapePtr torus(const Value& value, const std::string& path) {
    Point centre{}, axis{};
    if (!point(value, "center", path, 0, centre) || !direction(value, path, axis)) return nullptr;
    const Value* radii = value.find("radii");
    const double ring = radii->items[0].number, tube = radii->items[1].number;
    if (tube > ring)
      return fail(radii->mark, path + ".radii",
                  "have a tube larger than the ring; give the radius to the middle of the tube first");
    return make_torus(centre, axis, ring, tube);
  }

  ShapePtr revolve(const Value& value, const std::string& path) {
    if (dimension_ == 2)
      return fail(value.mark, path, "does not exist in two dimensions; draw the section as a polygon");
    Point axis{};
    if (!direction(value, path, axis)) return nullptr;
    std::vector<std::array<double, 2>> points;
    for (const Value& corner : value.find("points")->items) {
      if (corner.items[0].number < 0)
        return fail(corner.mark, path + ".points",
                    "have a negative distance from the axis; give [distance, coordinate along the axis]");
      points.push_back({corner.items[0].number, corner.items[1].number});
    }
    if (twice_area(points) == 0)
      return fail(value.mark, path + ".points", "enclose no area; give at least three corners that are not on a line");
    return make_revolved(std::move(points), axis);
  }

  ShapePtr mesh(const Value& value, const std::string& path) {
    if (dimension_ == 2)
      return fail(value.mark, path, "does not exist in two dimensions; draw the section as a polygon");
    return read_mesh(value, path, parts_);
  }

  static double twice_area(const std::vector<std::array<double, 2>>& points) {
    double twice = 0;
    for (std::size_t i = 0; i < points.size(); ++i) {
      const auto &a = points[i], &b = points[(i + 1) % points.size()];
      twice += a[0] * b[1] - a[1] * b[0];
    }
    return twice;
  }

  ShapePtr polygon(const Value& value, const std::string& path) {
    std::vector<std::array<double, 2>> points;
    for (const Value& corner : value.find("points")->items)
      points.push_back({corner.items[0].number, corner.items[1].number});
    if (twice_area(points) == 0)
      return fail(value.mark, path + ".points", "enclose no area; give at least three corners that are not on a line");
    double lower = -Bounds::far, upper = Bounds::far;
    if (const Value* extrude = value.find("extrude"); given(extrude)) {
      if (dimension_ == 2) return fail(extrude->mark, path + ".extrude", "does not exist in two dimensions; remove it");
      lower = extrude->items[0].number;
      upper = extrude->items[1].number;
      if (!(lower < upper)) return fail(extrude->mark, path + ".extrude", "is not increasing; give the lower z first");
    }
    return make_prism(std::move(points), lower, upper);
  }

  ShapePtr layer(const Value& value, const std::string& path) {
    const Value *axis = value.find("axis"), *from = value.find("from"), *to = value.find("to");
    if (!axis || !from || !to) return nullptr;
    const auto d = static_cast<std::size_t>(axis->choice);
    if (d >= dimension_) return fail(axis->mark, path + ".axis", "does not exist in two dimensions; write x or y");
    Point lower{-Bounds::far, -Bounds::far, -Bounds::far}, upper{Bounds::far, Bounds::far, Bounds::far};
    if (given(from)) lower[d] = from->number;
    if (given(to)) upper[d] = to->number;
    if (!(lower[d] < upper[d])) return fail(to->mark, path + ".to", "is not above from; exchange the two");
    return make_box(lower, upper);
  }

  ShapePtr where(const Value& value, const std::string& path) {
    if (value.array || (value.quantity && value.quantity->array()))
      return fail(value.mark, path, "must be an expression; give arrays as an image");
    if (value.kind == Value::Kind::number || value.quantity->constant()) {
      const double number = value.kind == Value::Kind::number ? value.number : *value.quantity->constant();
      if (number == 0) return fail(value.mark, path, "is 0 everywhere (the body is empty); use x, y or z in it");
      return make_box({-Bounds::far, -Bounds::far, -Bounds::far}, {Bounds::far, Bounds::far, Bounds::far});
    }
    return make_where(*value.quantity->function());
  }

  ShapePtr group(const std::string& kind, const Value& list, const std::string& path, int depth) {
    if (depth >= deepest) return fail(list.mark, path, "is nested too deeply; use at most 32 levels");
    std::vector<ShapePtr> shapes;
    for (std::size_t i = 0; i < list.items.size(); ++i) {
      const std::string here = path + "[" + std::to_string(i) + "]";
      const std::optional<Value> item = validate_part(list.items[i], schema::shape(), here, parameters_, errors_);
      ShapePtr shape = item ? read(*item, here, depth + 1) : nullptr;
      if (shape) shapes.push_back(std::move(shape));
    }
    if (shapes.size() != list.items.size()) return nullptr;
    if (kind == "union") return make_union(std::move(shapes));
    if (shapes.size() < 2) return fail(list.mark, path, "has one shape; give at least two, or write the shape alone");
    return kind == "difference" ? make_difference(std::move(shapes)) : make_intersection(std::move(shapes));
  }

  ShapePtr moved(const Value& map, const std::string& path, ShapePtr shape) {
    if (const Value* scale = map.find("scale"); given(scale)) {
      Point factors{1, 1, 1};
      if (scale->kind == Value::Kind::number)
        std::fill_n(factors.begin(), dimension_, scale->number);
      else if (!point(map, "scale", path, 1, factors))
        return nullptr;
      shape = make_moved(std::move(shape), Motion::scaling(factors, {}));
    }
    if (const Value* rotate = map.find("rotate"); given(rotate)) {
      Point axis{0, 0, 1}, about{};
      const Value* along = rotate->find("axis");
      if (dimension_ == 2 && given(along))
        return fail(along->mark, path + ".rotate.axis", "does not exist in two dimensions (it is z); remove it");
      if (!point(*rotate, "axis", path + ".rotate", 1, axis) || !point(*rotate, "about", path + ".rotate", 0, about))
        return nullptr;
      if (axis == Point{})
        return fail(along->mark, path + ".rotate.axis", "has no direction; write for example [0, 0, 1]");
      const double angle = rotate->find("angle")->number;
      shape = make_moved(std::move(shape), Motion::rotation(axis, angle * std::numbers::pi / 180, about));
    }
    if (const Value* move = map.find("move"); given(move)) {
      Point by{};
      if (!point(map, "move", path, 0, by)) return nullptr;
      shape = make_moved(std::move(shape), Motion::translation(by));
    }
    if (const Value* repeat = map.find("repeat"); given(repeat)) {
      Point count{1, 1, 1}, step{};
      if (!point(*repeat, "count", path + ".repeat", 1, count) || !point(*repeat, "step", path + ".repeat", 0, step))
        return nullptr;
      if (count[0] * count[1] * count[2] > most_copies)
        return fail(repeat->mark, path + ".repeat.count", "makes more than 10 million copies; give smaller numbers");
      // Every line through the cells meets the copies that lie there one after another.
      double together = 1;
      const Bounds extent = shape->bounds();
      for (std::size_t d = 0; d < dimension_; ++d)
        together *= std::min(count[d], 1 + (extent.upper[d] - extent.lower[d]) / std::abs(step[d]));
      if (together > most_together)
        return fail(repeat->mark, path + ".repeat.step",
                    "makes more than 10000 copies cover one another; give larger steps or smaller numbers");
      shape = make_repeated(std::move(shape),
                            {static_cast<int>(count[0]), static_cast<int>(count[1]), static_cast<int>(count[2])}, step);
    }
    return shape;
  }

  static constexpr double most_copies = 1e7, most_together = 1e4;
  std::size_t dimension_;
  ConfigParts& parts_;
  const Parameters& parameters_;
  Diagnostics& errors_;
};

}  // namespace

ShapePtr read_shape(const Value& map, const std::string& path, ConfigParts& parts) {
  return ShapeReader(parts).read(map, path, 0);
}

}  // namespace poisson
