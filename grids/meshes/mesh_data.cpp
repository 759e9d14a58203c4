#include "grids/meshes/mesh_data.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <utility>

#include "grids/compact/csr.hpp"
#include "grids/meshes/element_samples.hpp"

namespace poisson {
namespace {

using Place = std::array<double, 3>;

constexpr const char* wanted(Sign sign) {
  return sign == Sign::positive ? "must be greater than 0" : "must not be negative";
}

bool suits(double value, Sign sign) {
  return sign == Sign::any || value > 0 || (sign == Sign::nonnegative && value == 0);
}

// Returns whether an element with this label belongs to one of the groups.
bool in_groups(const Mesh& mesh, int label, const std::vector<int>& groups) {
  return std::ranges::any_of(groups, [&](int g) { return mesh.has(label, g); });
}

// Returns the condition of each facet: the first one that applies to its group and whose `where` is not 0 at its
// centre; -1: none.
template <class Applies>
std::vector<int> conditions_of(const MeshProblem& problem, const std::vector<Facet>& facets, const Applies& applies) {
  std::vector<int> chosen(facets.size(), -1);
  for (std::size_t c = 0; c < problem.conditions.size(); ++c) {
    const MeshCondition& condition = problem.conditions[c];
    std::vector<std::size_t> index;
    for (std::size_t f = 0; f < facets.size(); ++f)
      if (chosen[f] < 0 && applies(f, condition)) index.push_back(f);
    std::vector<Place> places;
    if (condition.where)
      for (const std::size_t f : index) places.push_back(centre_of(*problem.mesh, facets[f].used()));
    const std::vector<double> inside =
        condition.where ? sample_at(*condition.where, "boundary." + condition.name + ".where", Sign::any, places)
                        : std::vector<double>(index.size(), 1);
    for (std::size_t i = 0; i < index.size(); ++i)
      if (inside[i] != 0) chosen[index[i]] = static_cast<int>(c);
  }
  return chosen;
}

// Returns how a tensor is seen to be positive definite: its first entry and its minors are positive.
bool is_definite(const double* k, int dimension) {
  const double minor = k[0] * k[1] - k[3] * k[3];
  const double det =
      k[0] * (k[1] * k[2] - k[5] * k[5]) - k[3] * (k[3] * k[2] - k[5] * k[4]) + k[4] * (k[3] * k[5] - k[1] * k[4]);
  return k[0] > 0 && minor > 0 && (dimension == 2 || det > 0);
}
// Throws ValueError unless a tensor is positive definite.
void check_definite(const std::string& name, const Place& at, const double* k, int dimension) {
  if (!is_definite(k, dimension))
    throw ValueError(name, at, k[0] > 0 ? k[0] * k[1] - k[3] * k[3] : k[0],
                     "must be a positive definite tensor (this is a minor of it)");
}

// Is the range of the diagonal of κ, and the first tensor that is not positive definite; −1: there is none.
struct KappaRange {
  double least = std::numeric_limits<double>::infinity(), most = 0;
  std::int64_t indefinite = -1;
};
template <class Wanted>
KappaRange range_of_kappa(const MeshData& data, const Wanted& wanted, bool tensors) {
  const std::int64_t cells = data.topology.cells();
  const int dimension = data.mesh().dimension;
  const std::size_t diagonal = data.kappa_entries == 1 ? 1 : static_cast<std::size_t>(dimension);
  std::vector<KappaRange> parts(static_cast<std::size_t>((cells + row_chunk - 1) / row_chunk));
  for_row_chunks(cells, [&](std::int64_t first, std::int64_t last) {
    KappaRange& own = parts[static_cast<std::size_t>(first / row_chunk)];
    for (std::int64_t e = first; e < last; ++e) {
      if (!wanted(data.topology.cell(e))) continue;
      const double* const k = data.kappa.data() + static_cast<std::size_t>(e) * data.kappa_entries;
      for (std::size_t d = 0; d < diagonal; ++d) {
        own.least = std::min(own.least, k[d]);
        own.most = std::max(own.most, k[d]);
      }
      if (tensors && own.indefinite < 0 && !is_definite(k, dimension)) own.indefinite = e;
    }
  });
  KappaRange all;
  for (const KappaRange& part : parts) {
    all.least = std::min(all.least, part.least);
    all.most = std::max(all.most, part.most);
    if (all.indefinite < 0) all.indefinite = part.indefinite;
  }
  return all;
}

}  // namespace

std::vector<double> sample_at(const Quantity& quantity, const std::string& name, Sign sign,
                              const std::vector<Place>& places) {
  std::vector<double> values(places.size());
  if (const double* constant = quantity.constant()) {
    if (!places.empty() && (!std::isfinite(*constant) || !suits(*constant, sign)))
      throw ValueError(name, places[0], *constant, std::isfinite(*constant) ? wanted(sign) : "must be finite");
    std::ranges::fill(values, *constant);
    return values;
  }
  const Quantity::Function* const function = quantity.function();
  if (!function) throw InputError(name + " is an array on a box, which has no values on a mesh: write an expression");
  for_row_chunks(static_cast<std::int64_t>(places.size()), [&](std::int64_t first, std::int64_t last) {
    const auto n = static_cast<std::size_t>(last - first), from = static_cast<std::size_t>(first);
    std::vector<double> x(n), y(n), z(n);
    for (std::size_t i = 0; i < n; ++i) {
      x[i] = places[from + i][0];
      y[i] = places[from + i][1];
      z[i] = places[from + i][2];
    }
    (*function)(x, y, z, std::span(values).subspan(from, n));
  });
  for (std::size_t i = 0; i < values.size(); ++i)
    if (!std::isfinite(values[i]) || !suits(values[i], sign))
      throw ValueError(name, places[i], values[i], std::isfinite(values[i]) ? wanted(sign) : "must be finite");
  return values;
}

MeshData::MeshData(const MeshProblem& of) : problem(of), topology(*of.mesh) {
  std::vector<ValueError> errors;
  const auto attempt = [&](const auto& step) {
    try {
      step();
    } catch (const ValueError& error) {
      errors.push_back(error);
    }
  };
  attempt([&] { sample_kappa(); });
  attempt([&] { sample_sources(); });
  attempt([&] { find_facets(); });
  attempt([&] { sample_facets(); });
  attempt([&] { hold_points(); });
  if (!errors.empty()) throw ValueErrors(errors);
}

MeshData::Coordinates MeshData::coordinates(std::span<const int> corners) const {
  Coordinates x;
  for (std::size_t c = 0; c < corners.size(); ++c) x[c] = mesh().points[static_cast<std::size_t>(corners[c])];
  return x;
}

std::array<double, 3> MeshData::flux(std::int64_t cell, const std::array<double, 3>& s) const {
  const double* const k = kappa.data() + static_cast<std::size_t>(cell) * kappa_entries;
  if (kappa_entries == 1) return {k[0] * s[0], k[0] * s[1], k[0] * s[2]};
  return {k[0] * s[0] + k[3] * s[1] + k[4] * s[2], k[3] * s[0] + k[1] * s[1] + k[5] * s[2],
          k[4] * s[0] + k[5] * s[1] + k[2] * s[2]};
}

std::int64_t MeshData::first_source(std::int64_t cell) const {
  std::int64_t first = 0;
  for (std::size_t b = 0; b < topology.blocks().size(); ++b) {
    const std::int64_t points = rule_of(topology.blocks()[b]->shape).points;
    if (cell < topology.first()[b + 1]) return first + points * (cell - topology.first()[b]);
    first += points * (topology.first()[b + 1] - topology.first()[b]);
  }
  return first;
}

double MeshData::source_at(std::int64_t cell, int point) const {
  return (density.empty() ? 0 : density[static_cast<std::size_t>(cell)]) +
         (source.empty() ? 0 : source[static_cast<std::size_t>(first_source(cell) + point)]);
}

void MeshData::sample_kappa() {
  const bool tensors = !problem.isotropic || std::ranges::any_of(problem.materials, [](const MeshMaterial& m) {
    return m.coefficient && !m.coefficient->isotropic;
  });
  kappa_entries = tensors ? 6 : 1;
  kappa.resize(static_cast<std::size_t>(topology.cells()) * kappa_entries);
  const auto of_material = [&](int label) -> const MeshMaterial* {
    for (const MeshMaterial& m : problem.materials)
      if (m.coefficient && mesh().has(label, m.group)) return &m;
    return nullptr;
  };
  double least = std::numeric_limits<double>::infinity(), most = 0;
  std::vector<const MeshMaterial*> of_label;
  for (std::size_t label = 0; label < mesh().labels.size(); ++label)
    of_label.push_back(of_material(static_cast<int>(label)));
  // Sets numbers without listing cells. The first cell of the material stands for all.
  const auto set_constant = [&](const MeshCoefficient& from, const MeshMaterial* material) {
    std::int64_t first = 0;
    const auto belongs = [&](std::int64_t e) {
      return of_label[static_cast<std::size_t>(topology.cell(e).label)] == material;
    };
    while (first < topology.cells() && !belongs(first)) ++first;
    if (first == topology.cells()) return;
    const std::vector<Place> place{centre_of(mesh(), topology.cell(first).corners)};
    std::array<double, 6> k{};
    for (std::size_t entry = 0; entry < (from.isotropic ? 1 : 6); ++entry) {
      constexpr const char* names[] = {".x", ".y", ".z", ".xy", ".xz", ".yz"};
      k[entry] = sample_at(from.entry[entry], from.name + (from.isotropic ? "" : names[entry]),
                           entry < 3 ? Sign::positive : Sign::any, place)[0];
      if (entry >= static_cast<std::size_t>(mesh().dimension)) continue;
      least = std::min(least, k[entry]);
      most = std::max(most, k[entry]);
    }
    if (from.isotropic && tensors) k[1] = k[2] = k[0];
    if (!from.isotropic) check_definite(from.name, place[0], k.data(), mesh().dimension);
    for_rows(topology.cells(), [&](std::int64_t e) {
      if (belongs(e))
        std::copy_n(k.begin(), kappa_entries, kappa.begin() + e * static_cast<std::ptrdiff_t>(kappa_entries));
    });
  };
  const auto set = [&](const MeshCoefficient& from, const MeshMaterial* material) {
    const auto constant = [](const Quantity& entry) { return entry.constant() != nullptr; };
    if (std::all_of(from.entry.begin(), from.entry.begin() + (from.isotropic ? 1 : 6), constant))
      return set_constant(from, material);
    const auto wanted = [&](const Topology::Cell& cell) {
      return of_label[static_cast<std::size_t>(cell.label)] == material;
    };
    for (std::size_t entry = 0; entry < (from.isotropic ? 1 : 6); ++entry) {
      constexpr const char* names[] = {".x", ".y", ".z", ".xy", ".xz", ".yz"};
      sample_elements(topology, from.entry[entry], from.name + (from.isotropic ? "" : names[entry]),
                      entry < 3 ? Sign::positive : Sign::any, wanted, at_centres(mesh()),
                      [&](std::int64_t e, int, double value) {
                        double* const k = kappa.data() + static_cast<std::size_t>(e) * kappa_entries;
                        k[entry] = value;
                        if (from.isotropic && tensors) k[1] = k[2] = value;
                      });
    }
    const KappaRange own = range_of_kappa(*this, wanted, !from.isotropic);
    least = std::min(least, own.least);
    most = std::max(most, own.most);
    if (own.indefinite < 0) return;
    check_definite(from.name, centre_of(mesh(), topology.cell(own.indefinite).corners),
                   kappa.data() + static_cast<std::size_t>(own.indefinite) * 6, mesh().dimension);
  };
  set(coefficient_of(problem), nullptr);
  for (const MeshMaterial& material : problem.materials)
    if (material.coefficient) set(*material.coefficient, &material);
  if (most > 0) range = most / least;
}

void MeshData::sample_sources() {
  const auto cells = static_cast<std::size_t>(topology.cells());
  if (const double* sigma = problem.reaction.constant(); !sigma || *sigma != 0) {
    reaction.resize(cells);
    sample_elements(
        topology, problem.reaction, "reaction", Sign::nonnegative, [](const Topology::Cell&) { return true; },
        at_centres(mesh()),
        [this](std::int64_t e, int, double value) { reaction[static_cast<std::size_t>(e)] = value; });
  }
  const auto add_constant = [&](double value, const MeshMaterial* material) {
    if (value == 0) return;
    density.resize(cells, 0);
    for_rows(topology.cells(), [&](std::int64_t e) {
      if (!material || mesh().has(topology.cell(e).label, material->group))
        density[static_cast<std::size_t>(e)] += value;
    });
  };
  const auto add = [&](const Quantity& f, const std::string& name, const MeshMaterial* material) {
    if (const double* constant = f.constant()) {
      if (!std::isfinite(*constant)) throw ValueError(name, {}, *constant, "must be finite");
      return add_constant(*constant, material);
    }
    if (source.empty()) {
      source.resize(static_cast<std::size_t>(first_source(topology.cells())));
      for_rows(std::ssize(source), [this](std::int64_t i) { source[static_cast<std::size_t>(i)] = 0; });
    }
    sample_elements(
        topology, f, name, Sign::any,
        [&](const Topology::Cell& cell) { return !material || mesh().has(cell.label, material->group); },
        [this](const Topology::Cell& cell, const auto& add_place) {
          const ElementRule& rule = rule_of(cell.shape);
          for (std::size_t p = 0; p < static_cast<std::size_t>(rule.points); ++p) {
            Place at{};
            for (std::size_t c = 0; c < cell.corners.size(); ++c)
              for (std::size_t d = 0; d < 3; ++d)
                at[d] += rule.value[p][c] * mesh().points[static_cast<std::size_t>(cell.corners[c])][d];
            add_place(at);
          }
        },
        [this](std::int64_t e, int point, double value) {
          source[static_cast<std::size_t>(first_source(e) + point)] += value;
        });
  };
  add(problem.source, "source", nullptr);
  const std::vector<GroupMeasure> measures =
      problem.materials.empty() ? std::vector<GroupMeasure>{} : measure_groups(mesh());
  for (const MeshMaterial& material : problem.materials) {
    if (material.source) add(*material.source, material.name + ".source", &material);
    const double volume = measures[static_cast<std::size_t>(material.group)].measure;
    if (material.power && volume > 0) add_constant(*material.power / volume, &material);
  }
}

// Conditions apply to listed elements of lower dimension, and the default to the rest of the boundary.
void MeshData::find_facets() {
  std::vector<Facet> found;
  std::vector<int> label;
  for (const MeshCells& block : mesh().cells) {
    if (facts_of(block.shape).dimension >= mesh().dimension) continue;
    for (std::int64_t e = 0; e < block.count(); ++e) {
      if (!std::ranges::all_of(block.of(e), [&](int p) { return used(p); })) continue;
      found.emplace_back().shape = block.shape;
      std::ranges::copy(block.of(e), found.back().corners.begin());
      label.push_back(block.label[static_cast<std::size_t>(e)]);
    }
  }
  const auto add = [&](const auto& applies) {
    const std::vector<int> chosen = conditions_of(problem, found, applies);
    for (std::size_t f = 0; f < found.size(); ++f)
      if (chosen[f] >= 0) facets.push_back({found[f], chosen[f]});
  };
  add([&](std::size_t f, const MeshCondition& c) { return in_groups(mesh(), label[f], c.groups); });
  const auto rest = [](const MeshCondition& c) {
    const double* const value = c.value.constant();
    return c.groups.empty() && (c.where || !c.list.empty() || c.kind != BoundaryKind::neumann || !value || *value != 0);
  };
  if (std::ranges::none_of(problem.conditions, rest)) return;
  std::vector<std::array<int, 4>> listed;
  for (const ConditionedFacet& f : facets)
    if (facts_of(f.facet.shape).dimension == mesh().dimension - 1) listed.push_back(sorted(f.facet.corners));
  std::ranges::sort(listed);
  found = outer_facets(topology);
  std::erase_if(found, [&](const Facet& facet) { return std::ranges::binary_search(listed, sorted(facet.corners)); });
  add([](std::size_t, const MeshCondition& c) { return c.groups.empty(); });
}

void MeshData::sample_facets() {
  data.resize(facets.size());
  for (std::size_t c = 0; c < problem.conditions.size(); ++c) {
    const MeshCondition& condition = problem.conditions[c];
    if (condition.kind == BoundaryKind::dirichlet) continue;
    std::vector<Place> places;
    for (const ConditionedFacet& f : facets) {
      if (f.condition != static_cast<int>(c)) continue;
      const ElementRule& rule = rule_of(f.facet.shape);
      if (f.facet.shape == CellShape::vertex)
        places.push_back(mesh().points[static_cast<std::size_t>(f.facet.corners[0])]);
      for (std::size_t p = 0; p < static_cast<std::size_t>(rule.points); ++p) {
        Place at{};
        for (std::size_t k = 0; k < f.facet.used().size(); ++k)
          for (std::size_t d = 0; d < 3; ++d)
            at[d] += rule.value[p][k] * mesh().points[static_cast<std::size_t>(f.facet.corners[k])][d];
        places.push_back(at);
      }
    }
    const std::string name = "boundary." + condition.name;
    const std::vector<double> values = sample_at(condition.value, name, Sign::any, places);
    const bool robin = condition.kind == BoundaryKind::robin;
    const std::vector<double> alphas =
        robin ? sample_at(condition.alpha, name + ".alpha", Sign::nonnegative, places) : std::vector<double>{};
    std::size_t next = 0;
    for (std::size_t f = 0; f < facets.size(); ++f) {
      if (facets[f].condition != static_cast<int>(c)) continue;
      const auto points = static_cast<std::size_t>(std::max(1, rule_of(facets[f].facet.shape).points));
      data[f].assign(values.begin() + static_cast<std::ptrdiff_t>(next),
                     values.begin() + static_cast<std::ptrdiff_t>(next + points));
      if (robin)
        data[f].insert(data[f].end(), alphas.begin() + static_cast<std::ptrdiff_t>(next),
                       alphas.begin() + static_cast<std::ptrdiff_t>(next + points));
      next += points;
    }
  }
}

void MeshData::hold_points() {
  const std::size_t points = mesh().points.size();
  holder.assign(points, -1);
  held.assign(points, 0);
  const auto take = [&](int point, int condition) {
    int& now = holder[static_cast<std::size_t>(point)];
    if (now < 0 || condition < now) now = condition;
  };
  for (const ConditionedFacet& f : facets)
    if (condition(f).kind == BoundaryKind::dirichlet)
      for (const int p : f.facet.used()) take(p, f.condition);
  for (std::size_t c = 0; c < problem.conditions.size(); ++c)  // bodies that are held
    if (problem.conditions[c].kind == BoundaryKind::dirichlet && !problem.conditions[c].groups.empty())
      for (const MeshCells* block : topology.blocks())
        for (std::int64_t e = 0; e < block->count(); ++e)
          if (in_groups(mesh(), block->label[static_cast<std::size_t>(e)], problem.conditions[c].groups))
            for (const int p : block->of(e)) take(p, static_cast<int>(c));
  for (std::size_t c = 0; c < problem.conditions.size(); ++c) {
    std::vector<std::size_t> index;
    std::vector<Place> places;
    for (std::size_t p = 0; p < points; ++p)
      if (holder[p] == static_cast<int>(c)) {
        index.push_back(p);
        places.push_back(mesh().points[p]);
      }
    if (index.empty()) continue;
    const std::vector<double> values =
        sample_at(problem.conditions[c].value, "boundary." + problem.conditions[c].name, Sign::any, places);
    for (std::size_t i = 0; i < index.size(); ++i) held[index[i]] = values[i];
  }
}

}  // namespace poisson
