#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "grids/axes/stretching.hpp"
#include "grids/problem/bodies.hpp"
#include "grids/problem/media.hpp"
#include "grids/problem/problem.hpp"
#include "solver/options.hpp"

namespace poisson {

inline Problem cube_in_cells(int cells, double length = 1) {
  Problem p;
  p.centering = Centering::cell;
  for (auto& nodes : p.nodes) nodes = uniform_nodes(0, length, cells);
  return p;
}

inline Problem square_in_cells(int cells, double length = 1) {
  Problem p = cube_in_cells(cells, length);
  p.dimension = 2;
  p.nodes[2].clear();
  return p;
}

/// Returns the unit square or cube with these numbers of cells along each axis.
inline Problem box_in_cells(const std::vector<int>& cells) {
  Problem p = cells.size() == 2 ? square_in_cells(1) : cube_in_cells(1);
  for (std::size_t d = 0; d < cells.size(); ++d) p.nodes[d] = uniform_nodes(0, 1, cells[d]);
  return p;
}

/// Returns the options of multigrid to a tolerance.
inline Options to_tolerance(double tolerance, SolvePrecision precision = SolvePrecision::double_) {
  Options o{.method = Method::multigrid};
  o.tolerance = tolerance;
  o.precision = precision;
  return o;
}

/// Collects materials and bodies. The first material is the background.
class MediaBuilder {
 public:
  void add(const std::string& name, double kappa) {
    Material m;
    m.name = name;
    m.coefficient.fill(kappa);
    materials_.push_back(m);
  }
  void add(const std::string& name, const std::array<double, 3>& kappa) {
    add(name, kappa[0]);
    back().isotropic = false;
    std::ranges::copy(kappa, back().coefficient.begin());
  }
  void add_fixed(const std::string& name, double value = 0) {
    add(name, 1);
    back().fixed = value;
  }
  void add_floating(const std::string& name, double charge = 0) {
    add(name, 1);
    back().floating = charge;
  }
  void add_insulator(const std::string& name) {
    add(name, 1);
    back().insulator = true;
  }
  Material& back() { return materials_.back(); }
  void body(const std::string& material, ShapePtr shape) {
    bodies_.push_back({std::move(shape), static_cast<RegionNumber>(bodies_.size() + 1)});
    of_.push_back(number(material));
  }
  void contact(const std::string& a, const std::string& b, double resistance) {
    contacts_.push_back({{number(a), number(b)}, resistance});
  }
  void sheet(const std::string& on, double thickness, double kappa) {
    sheets_.push_back({number(on), thickness, kappa});
  }
  void use(Problem& p, Surfaces surfaces) const {
    Media media;
    media.materials = materials_;
    media.regions.push_back({"background", 0, MediaRegion::Origin::background});
    for (const std::size_t m : of_) media.regions.push_back({materials_[m].name, m, MediaRegion::Origin::body});
    media.bodies = std::make_shared<const Bodies>(bodies_, nullptr);
    media.map = media.bodies;
    media.surfaces = surfaces;
    media.contacts = contacts_;
    media.sheets = sheets_;
    use_media(p, std::make_shared<const Media>(std::move(media)));
  }

 private:
  std::size_t number(const std::string& name) const {
    const auto found = std::ranges::find(materials_, name, &Material::name);
    return static_cast<std::size_t>(found - materials_.begin());
  }
  std::vector<Material> materials_;
  std::vector<Body> bodies_;
  std::vector<std::size_t> of_;
  std::vector<Contact> contacts_;
  std::vector<Sheet> sheets_;
};

}  // namespace poisson
