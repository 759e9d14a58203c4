#include "grids/blocks/element_assembler.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace poisson {
namespace {

constexpr std::size_t of_pinned = std::numeric_limits<std::size_t>::max();

// Lists the facets with Neumann and Robin conditions by the cell that they bound, and the cells at pinned points.
std::vector<std::pair<std::int64_t, std::size_t>> loaded_facets(const MeshData& data, const std::vector<bool>& pinned) {
  std::vector<std::pair<std::int64_t, std::size_t>> found;
  for (std::size_t f = 0; f < data.facets.size(); ++f) {
    const BoundaryKind kind = data.condition(data.facets[f]).kind;
    if (kind == BoundaryKind::dirichlet) continue;
    const Facet& facet = data.facets[f].facet;
    for (const int cell : data.topology.at(facet.corners[0])) {
      const auto corners = data.topology.cell(cell).corners;
      if (!std::ranges::all_of(facet.used(), [&](int p) { return std::ranges::find(corners, p) != corners.end(); }))
        continue;
      found.emplace_back(cell, f);
      break;
    }
  }
  for (std::size_t p = 0; p < pinned.size(); ++p)
    if (pinned[p])
      for (const int cell : data.topology.at(static_cast<std::int64_t>(p))) found.emplace_back(cell, of_pinned);
  std::ranges::sort(found);
  found.erase(std::ranges::unique(found).begin(), found.end());
  return found;
}

// Turns an element from the order of VTK. Entries above the diagonal are given.
void in_tensor_order(std::size_t n, const ElementMatrix& own, const std::array<double, 8>& load,
                     const std::array<double, 8>& volume, LoadedElement& found) {
  for (std::size_t a = 0; a < n; ++a) {
    const std::size_t from = tensor_order[a];
    found.load[a] = load[from];
    found.volume[a] = volume[from];
    found.matrix.sum[a] = own.sum[from];
    for (std::size_t b = 0; b < n; ++b)
      if (a != b) found.matrix.a[a][b] = own.a[std::min(from, tensor_order[b])][std::max(from, tensor_order[b])];
  }
  close_rows(found.matrix, n);
}

}  // namespace

ElementAssembler::ElementAssembler(const MeshData& data, std::vector<bool> pinned)
    : data_(data),
      rule_(rule_of(data.mesh().dimension == 2 ? CellShape::quadrilateral : CellShape::hexahedron)),
      pinned_(std::move(pinned)),
      facets_(loaded_facets(data, pinned_)) {}

LoadedElement ElementAssembler::operator()(std::int64_t number) const {
  const std::span<const int> corners = data_.topology.cell(number).corners;
  LoadedElement found;
  ElementMatrix own;  // in the order of VTK
  std::array<double, 8> load{}, volume{};
  integrate(number, own, load, volume);
  add_facets(number, corners, own, load);
  hold_pinned(corners, own, load);
  in_tensor_order(corners.size(), own, load, volume, found);
  return found;
}

LoadedElement ElementAssembler::of_facets(std::int64_t number) const {
  const std::span<const int> corners = data_.topology.cell(number).corners;
  LoadedElement found;
  ElementMatrix own;
  std::array<double, 8> load{}, volume{};
  if (!has_pinned(corners)) {
    add_facets(number, corners, own, load);
    in_tensor_order(corners.size(), own, load, {}, found);
    return found;
  }
  integrate(number, own, load, volume);
  const ElementMatrix plain = own;
  const std::array<double, 8> plain_load = load;
  add_facets(number, corners, own, load);
  hold_pinned(corners, own, load);
  for (std::size_t a = 0; a < corners.size(); ++a) {
    load[a] -= plain_load[a];
    own.sum[a] -= plain.sum[a];
    for (std::size_t b = a + 1; b < corners.size(); ++b) own.a[a][b] -= plain.a[a][b];
  }
  in_tensor_order(corners.size(), own, load, {}, found);
  return found;
}

bool ElementAssembler::changes_matrix(std::size_t facet) const {
  return facet == of_pinned || data_.condition(data_.facets[facet]).kind == BoundaryKind::robin;
}

void ElementAssembler::integrate(std::int64_t number, ElementMatrix& own, std::array<double, 8>& load,
                                 std::array<double, 8>& volume) const {
  const std::span<const int> corners = data_.topology.cell(number).corners;
  const MeshData::Coordinates x = data_.coordinates(corners);
  const std::size_t n = corners.size();
  const double sigma = data_.reaction.empty() ? 0 : data_.reaction[static_cast<std::size_t>(number)];
  ElementPoint at;
  for (std::size_t q = 0; q < static_cast<std::size_t>(rule_.points); ++q) {
    map_point(rule_, static_cast<int>(q), x, at);
    const double w = std::abs(at.measure),
                 f = data_.density.empty() && data_.source.empty() ? 0 : data_.source_at(number, static_cast<int>(q));
    for (std::size_t a = 0; a < n; ++a) {
      const auto flux = data_.flux(number, at.slope[a]);
      const double value = w * rule_.value[q][a];
      volume[a] += value;
      load[a] += f * value;
      own.sum[a] += sigma * value;
      for (std::size_t b = a + 1; b < n; ++b)
        own.a[a][b] += w * (flux[0] * at.slope[b][0] + flux[1] * at.slope[b][1] + flux[2] * at.slope[b][2]) +
                       sigma * value * rule_.value[q][b];
    }
  }
}

bool ElementAssembler::has_pinned(std::span<const int> corners) const {
  return !pinned_.empty() && std::ranges::any_of(corners, [&](int p) { return pinned_[static_cast<std::size_t>(p)]; });
}

// The diagonal is the row sum minus the couplings, so couplings that are removed are subtracted from the sums.
void ElementAssembler::hold_pinned(std::span<const int> corners, ElementMatrix& own,
                                   std::array<double, 8>& load) const {
  if (!has_pinned(corners)) return;
  const auto pinned = [&](std::size_t c) { return pinned_[static_cast<std::size_t>(corners[c])]; };
  const auto value = [&](std::size_t c) { return data_.held[static_cast<std::size_t>(corners[c])]; };
  for (std::size_t a = 0; a < corners.size(); ++a)
    for (std::size_t b = a + 1; b < corners.size(); ++b) {
      if (!pinned(a) && !pinned(b)) continue;
      const double coupling = std::exchange(own.a[a][b], 0.0);
      own.sum[a] -= coupling;
      own.sum[b] -= coupling;
      if (pinned(a)) load[b] -= coupling * value(a);
      if (pinned(b)) load[a] -= coupling * value(b);
    }
  for (std::size_t a = 0; a < corners.size(); ++a)
    if (pinned(a)) load[a] = own.sum[a] * value(a);
}

void ElementAssembler::add_facets(std::int64_t number, std::span<const int> corners, ElementMatrix& own,
                                  std::array<double, 8>& load) const {
  auto next = std::ranges::lower_bound(facets_, number, {}, &std::pair<std::int64_t, std::size_t>::first);
  for (; next != facets_.end() && next->first == number; ++next) {
    if (next->second == of_pinned) continue;
    const Facet& facet = data_.facets[next->second].facet;
    const std::vector<double>& values = data_.data[next->second];
    const ElementRule& rule = rule_of(facet.shape);
    const MeshData::Coordinates x = data_.coordinates(facet.used());
    const auto corner = [&](std::size_t c) {
      return static_cast<std::size_t>(std::ranges::find(corners, facet.corners[c]) - corners.begin());
    };
    const bool robin = data_.condition(data_.facets[next->second]).kind == BoundaryKind::robin;
    for (std::size_t q = 0; q < static_cast<std::size_t>(rule.points); ++q) {
      const double w = facet_measure(rule, static_cast<int>(q), x),
                   alpha = robin ? values[static_cast<std::size_t>(rule.points) + q] : 0;
      for (std::size_t a = 0; a < facet.used().size(); ++a) {
        const double value = w * rule.value[q][a];
        load[corner(a)] += value * values[q];
        own.sum[corner(a)] += alpha * value;
        for (std::size_t b = 0; b < facet.used().size(); ++b)
          if (corner(a) < corner(b)) own.a[corner(a)][corner(b)] += alpha * value * rule.value[q][b];
      }
    }
  }
}

}  // namespace poisson
