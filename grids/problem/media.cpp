#include "grids/problem/media.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "grids/problem/problem.hpp"
#include "grids/problem/values_in_cells.hpp"

namespace poisson {

bool Media::isotropic() const {
  return std::ranges::all_of(regions, [&](const MediaRegion& r) {
    const Material& m = materials[r.material];
    return m.isotropic || !m.conducts();
  });
}

bool Media::has_gaps() const {
  return std::ranges::any_of(regions, [&](const MediaRegion& r) { return !materials[r.material].conducts(); });
}

void UniformReaction::operator()(std::span<const double>, std::span<const double>, std::span<const double>,
                                 std::span<double> values) const {
  std::ranges::fill(values, sigma);
}

std::optional<double> uniform_value(const Quantity& reaction) {
  if (const double* number = reaction.constant()) return *number;
  const Quantity::Function* function = reaction.function();
  if (const auto* uniform = function ? function->target<UniformReaction>() : nullptr) return uniform->sigma;
  return {};
}

namespace {

// A body with a fixed value conducts without limit.
constexpr double fixed_kappa = 1e30;

// Returns κ along an axis at the centres of cells.
Quantity::Function kappa_at_centres(const std::shared_ptr<const Media>& media,
                                    const std::array<std::vector<double>, 3>& nodes, std::size_t axis) {
  return [media, nodes, axis](std::span<const double> x, std::span<const double> y, std::span<const double> z,
                              std::span<double> values) {
    std::vector<RegionNumber> line;
    Box row;
    double found = 0;
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (line.empty() || y[i] != y[i - 1] || z[i] != z[i - 1]) {
        const int j = cell_of(nodes[1], y[i]), k = cell_of(nodes[2], z[i]);
        row = {{0, j, k}, {static_cast<int>(nodes[0].size()) - 1, j + 1, k + 1}};
        row.first[0] = cell_of(nodes[0], x[i]);
        row.last[0] = std::min(row.last[0], row.first[0] + static_cast<int>(values.size() - i) + 1);
        line.resize(static_cast<std::size_t>(row.last[0] - row.first[0]));
        media->map->fill(nodes, row, line);
      }
      const int cell = cell_of(nodes[0], x[i]);
      RegionNumber region = 0;
      if (cell >= row.first[0] && cell < row.last[0])
        region = line[static_cast<std::size_t>(cell - row.first[0])];
      else
        media->map->fill(nodes, {{cell, row.first[1], row.first[2]}, {cell + 1, row.last[1], row.last[2]}},
                         {&region, 1});
      const Material& material = media->material_of(region);
      found = material.has_value() ? fixed_kappa : 0;
      if (material.conducts()) {
        const Quantity& kappa = media->kappa(region, axis);
        if (const double* number = kappa.constant())
          found = *number;
        else
          (*kappa.function())({&x[i], 1}, {&y[i], 1}, {&z[i], 1}, {&found, 1});
      }
      values[i] = found;
    }
  };
}

// Makes functions of the arrays among the data of materials.
std::shared_ptr<const Media> without_arrays(std::shared_ptr<const Media> media,
                                            const std::array<std::vector<double>, 3>& nodes) {
  const auto is_array = [](const Quantity& q) { return q.array() != nullptr; };
  if (std::ranges::none_of(media->materials, [&](const Material& m) {
        return is_array(m.source) || std::ranges::any_of(m.coefficient, is_array);
      }))
    return media;
  auto changed = std::make_shared<Media>(*media);
  for (Material& m : changed->materials) {
    for (Quantity& kappa : m.coefficient)
      if (is_array(kappa)) kappa = values_in_cells(kappa, nodes);
    if (is_array(m.source)) m.source = values_in_cells(m.source, nodes);
  }
  return changed;
}

}  // namespace

void use_media(Problem& problem, std::shared_ptr<const Media> given) {
  const std::shared_ptr<const Media> media = without_arrays(std::move(given), problem.nodes);
  problem.isotropic = media->isotropic();
  for (std::size_t d = 0; d < 3; ++d)
    problem.coefficient[d] = kappa_at_centres(media, problem.nodes, problem.isotropic ? 0 : d);
  if (media->has_gaps() && problem.reaction.constant())
    problem.reaction = Quantity::Function(UniformReaction{*problem.reaction.constant()});
  problem.media = media;
}

}  // namespace poisson
