#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>

#include "grids/problem/mixed_bc.hpp"
#include "grids/sampling/sampling.hpp"
#include "io/config/condition_lists.hpp"
#include "io/config/config_parts.hpp"
#include "io/config/face_choices.hpp"
#include "io/config/given_array.hpp"
#include "io/config/schema.hpp"
#include "io/files/hdf5.hpp"

namespace poisson {

namespace {

using Kind = Value::Kind;
using ArrayShape = std::vector<std::int64_t>;

std::string text(const ArrayShape& shape) {
  return shape.empty() ? "of a single number" : shape_text(shape);
}

// Creates an array without values. They are read later, when the part of this process is known.
std::shared_ptr<GridArray> stated_array(const std::filesystem::path& file, const std::string& name,
                                        const Problem& problem) {
  const ArrayShape shape = dataset_shape(file, name);
  const ArrayShape nodes = grid_shape(problem, Location::node);
  const ArrayShape cells = grid_shape(problem, Location::cell);
  if (shape != nodes && shape != cells)
    throw InputError("dataset " + name + " of " + file.string() + " has the shape " + text(shape) + "; give " +
                     text(nodes) + " (nodes) or " + text(cells) + " (cells)");
  auto array = std::make_shared<GridArray>();
  array->location = shape == nodes ? Location::node : Location::cell;
  std::copy(shape.rbegin(), shape.rend(), array->shape.begin());
  return array;
}

// Throws ValueError where `where` is not finite. A NaN is not zero either, so its condition would apply by accident.
Quantity finite(const Quantity& where, const std::string& name) {
  const Quantity::Function* const inside = where.function();
  if (!inside) return where;
  return Quantity::Function([inside = *inside, name](std::span<const double> x, std::span<const double> y,
                                                     std::span<const double> z, std::span<double> values) {
    inside(x, y, z, values);
    for (std::size_t i = 0; i < values.size(); ++i)
      if (!std::isfinite(values[i]))
        throw ValueError(name, {x[i], y[i], z[i]}, values[i], "must be finite on the whole face");
  });
}

class ProblemReader {
 public:
  ProblemReader(ConfigParts& parts, bool grid_known)
      : parts_(parts), problem_(parts.config.problem), grid_known_(grid_known) {}

  void read_equation() {
    read_coefficient();
    read("equation.reaction", "reaction", problem_.reaction);
    read("equation.source", "source", problem_.source);
    if (Quantity exact; read("equation.exact", "exact", exact)) problem_.exact = exact;
    // The solver starts from zero by default.
    if (Quantity initial;
        read("solver.initial", "initial", initial) && !(initial.constant() && *initial.constant() == 0))
      problem_.initial = initial;
  }

  void read_faces() {
    Value* boundary = parts_.document.find("boundary");
    if (!boundary) return;
    const Value* fallback = boundary->find("default");
    for (std::size_t face = 0; face < face_names.size(); ++face) {
      Value* value = boundary->find(face_names[face]);
      const std::string key = "boundary." + std::string(face_names[face]);
      if (parts_.dimension_known && face >= 2 * static_cast<std::size_t>(problem_.dimension)) {
        if (given(value))
          parts_.errors.add(value->mark, key,
                            "does not exist in two dimensions; remove it, or give domain three numbers");
        std::erase_if(boundary->entries, [&](const Value::Entry& entry) { return entry.key == face_names[face]; });
        continue;
      }
      if (!value) continue;
      const bool by_default = value->kind == Kind::null;
      if (by_default && !fallback) continue;
      if (by_default) *value = *fallback;
      const std::string path = by_default ? "boundary.default" : key;
      Boundary& boundary_here = problem_.boundary[face / 2][face % 2];
      if (value->kind == Kind::list)
        read_parts(*value, key, path, boundary_here);
      else
        read_face(*value, key, path, boundary_here);
    }
    check_pairs(*boundary);
  }

 private:
  /// Reads a quantity. Returns false if it is absent or wrong. `name` is its key in Config::marks.
  bool read(const std::string& path, const std::string& name, Quantity& quantity) {
    const Value* value = parts_.document.at(path);
    return given(value) && read(*value, path, name, quantity);
  }

  bool read(const Value& value, const std::string& path, const std::string& name, Quantity& quantity) {
    parts_.config.marks[name] = value.mark.text() + ": " + path;
    try {
      if (value.kind == Kind::number) {
        quantity = value.number;
      } else if (value.array) {
        quantity = given_array(value.array, name, problem_);
      } else if (value.kind == Kind::string) {
        quantity = *value.quantity;
      } else if (grid_known_) {
        const Value& file = *value.find("file");
        const std::string& dataset = value.find("dataset")->text;
        const auto array = stated_array(parts_.path(file), dataset, problem_);
        parts_.config.datasets.push_back({array, parts_.path(file), dataset, file.mark.text() + ": " + path});
        quantity = std::shared_ptr<const GridArray>(array);
      }
      return true;
    } catch (const InputError& error) {
      parts_.errors.add(value.kind == Kind::map ? value.find("file")->mark : value.mark, path, error.what());
      return false;
    }
  }

  void read_coefficient() {
    const Value* value = parts_.document.at("equation.coefficient");
    if (!value) return;
    if (value->kind != Kind::map || value->find("file")) {
      read(*value, "equation.coefficient", "coefficient", problem_.coefficient[0]);
      problem_.coefficient[1] = problem_.coefficient[2] = problem_.coefficient[0];
      return;
    }
    problem_.isotropic = false;
    for (std::size_t d = 0; d < 3; ++d) {
      const std::string name = "coefficient." + std::string(axis_names[d]);
      const Value* component = value->find(axis_names[d]);
      if (!component) continue;
      if (d < static_cast<std::size_t>(problem_.dimension))
        read(*component, "equation." + name, name, problem_.coefficient[d]);
      else if (component->given && parts_.dimension_known)
        parts_.errors.add(component->mark, "equation." + name,
                          "does not exist in two dimensions; remove it, or give domain three numbers");
    }
    read_offdiagonal(*value);
    // The effective configuration must not contain entries that do not exist in this dimension, or unused
    // off-diagonals.
    std::erase_if(parts_.document.find("equation")->find("coefficient")->entries, [&](const Value::Entry& entry) {
      const bool flat = problem_.dimension == 2, offdiagonal = entry.key.size() == 2;
      return (flat && (entry.key == "z" || entry.key == "xz" || entry.key == "yz")) ||
             (offdiagonal && !problem_.full_tensor);
    });
  }

  void read_offdiagonal(const Value& value) {
    constexpr std::array<std::string_view, 3> entries{"xy", "xz", "yz"};
    for (std::size_t m = 0; m < entries.size(); ++m) {
      const std::string name = "coefficient." + std::string(entries[m]);
      const Value* component = value.find(entries[m]);
      if (!component || !component->given) continue;
      if (m > 0 && problem_.dimension == 2 && parts_.dimension_known) {
        parts_.errors.add(component->mark, "equation." + name,
                          "does not exist in two dimensions; remove it, or give domain three numbers");
      } else if (problem_.scheme != Scheme::q1) {
        parts_.errors.add(component->mark, "equation." + name,
                          "needs elements (finite volumes accept only a diagonal tensor); write discretization: "
                          "{scheme: q1}, or remove it");
      } else {
        problem_.full_tensor = true;
        read(*component, "equation." + name, name, problem_.offdiagonal[m]);
      }
    }
  }

  void read_face(const Value& value, const std::string& key, const std::string& path, Boundary& face) {
    for (const FaceChoice& kind : face_choices()) {
      const bool word = value.kind == Kind::string;
      const Value* const given = word ? nullptr : value.find(kind.name);
      if (word ? value.text != kind.name : !given) continue;
      face.kind = kind.kind;
      for (const FaceChoice::Datum& datum : kind.data) read_datum(kind, datum, *given, key, path, face);
    }
  }

  void read_datum(const FaceChoice& kind, const FaceChoice::Datum& datum, const Value& all, const std::string& key,
                  const std::string& path, Boundary& face) {
    const Value* value = datum.key.empty() ? &all : all.find(datum.key);
    if (!given(value)) return;  // another datum replaces it, or it was wrong and has been reported
    const std::string here =
        path + "." + std::string(kind.name) + (datum.key.empty() ? "" : ".") + std::string(datum.key);
    const std::string name = key + std::string(datum.mark);
    if (datum.factor.empty()) {
      read(*value, here, name, face.*datum.member);
      return;
    }
    const auto same = std::ranges::find_if(kind.data, [&](const FaceChoice::Datum& other) {
      return other.member == datum.member && other.key != datum.key && given(all.find(other.key));
    });
    if (same != kind.data.end()) {
      parts_.errors.add(value->mark, here,
                        "conflicts with " + std::string(same->key) + ", because " + std::string(datum.factor) + " * " +
                            std::string(datum.key) + " replaces it; keep one of the two");
      return;
    }
    if (const Value* factor = all.find(datum.factor); given(factor)) {
      parts_.config.marks[name] = value->mark.text() + ": " + here;
      read_product(parts_, *factor, *value, here, face.*datum.member);
    }
  }

  void read_parts(const Value& list, const std::string& key, const std::string& path, Boundary& face) {
    std::vector<FacePart> parts(list.items.size());
    for (std::size_t p = 0; p < parts.size(); ++p) {
      const Value& item = list.items[p];
      const std::string here = path + "[" + std::to_string(p) + "]";
      if (!check_where(parts_, list, p, path)) return;
      if (const Value* where = item.find("where"); given(where) && read(*where, here + ".where", here, parts[p].where))
        parts[p].where = finite(parts[p].where, here);
      read_face(item, key, here, parts[p].boundary);
    }
    for (const char* datum : {"", ".alpha"}) parts_.config.marks[key + datum] = list.mark.text() + ": " + path;
    face = mixed_bc(std::move(parts));
  }

  void check_pairs(const Value& boundary) {
    for (std::size_t axis = 0; axis < static_cast<std::size_t>(problem_.dimension); ++axis) {
      const auto& faces = problem_.boundary[axis];
      if ((faces[0].kind == BoundaryKind::periodic) == (faces[1].kind == BoundaryKind::periodic)) continue;
      const std::size_t side = faces[0].kind == BoundaryKind::periodic ? 0 : 1;
      const std::string periodic(face_names[2 * axis + side]);
      const std::string other(face_names[2 * axis + 1 - side]);
      const Value* value = boundary.find(periodic);
      if (!value || !boundary.find(other) || !boundary.find("default")) continue;  // it was wrong and has been reported
      parts_.errors.add(value->mark, "boundary." + periodic,
                        "is periodic, but " + other +
                            " is not (the two faces of the axis are identified); make both periodic or neither");
    }
  }

  ConfigParts& parts_;
  Problem& problem_;
  bool grid_known_;
};

}  // namespace

namespace {

// Materials are conductances between cells. Cells are the default then.
void require_cells(ConfigParts& parts) {
  Value& centering = *parts.document.find("discretization")->find("centering");
  const Value* scheme = parts.document.at("discretization.scheme");
  if (scheme && scheme->text != "fv")
    parts.errors.add(scheme->mark, "discretization.scheme",
                     scheme->text +
                         " has its unknowns at nodes, and materials need conductances between cells; write scheme: fv, "
                         "or describe materials by equation.coefficient");
  else if (centering.given && centering.text == "node")
    parts.errors.add(centering.mark, "discretization.centering",
                     "node does not support materials (they need conductances between cells); write centering: cell, "
                     "or describe materials by equation.coefficient");
  centering.text = "cell";
  centering.choice = static_cast<int>(Centering::cell);
}

}  // namespace

void read_centering(ConfigParts& parts) {
  const Value* centering = parts.document.at("discretization.centering");
  if (!centering) return;
  if (uses_media(parts.document)) require_cells(parts);
  parts.config.problem.centering = static_cast<Centering>(centering->choice);
  const Value* scheme = parts.document.at("discretization.scheme");
  if (parts.config.problem.centering == Centering::cell && scheme && scheme->text != "fv")
    parts.errors.add(centering->mark, "discretization.centering",
                     "cell requires scheme: fv (" + scheme->text +
                         " has its unknowns at nodes); write centering: node, or scheme: fv");
}

void read_boundary(ConfigParts& parts) {
  ProblemReader(parts, false).read_faces();
}

void read_equation(ConfigParts& parts, bool grid_known) {
  ProblemReader(parts, grid_known).read_equation();
}

}  // namespace poisson
