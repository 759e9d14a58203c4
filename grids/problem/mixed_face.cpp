#include "grids/problem/mixed_face.hpp"

#include <algorithm>
#include <memory>
#include <span>
#include <stdexcept>
#include <utility>

namespace poisson {
namespace {

using Points = std::span<const double>;

void evaluate(const Quantity& quantity, Points x, Points y, Points z, std::span<double> values) {
  if (const double* constant = quantity.constant())
    std::ranges::fill(values, *constant);
  else if (const Quantity::Function* function = quantity.function())
    (*function)(x, y, z, values);
  else
    throw std::invalid_argument("parts of faces take numbers and functions");
}

// What a part brings into the Robin condition of the whole: α, or g.
void robin_alpha(const Boundary& part, Points x, Points y, Points z, std::span<double> values) {
  if (part.kind == BoundaryKind::robin)
    evaluate(part.alpha, x, y, z, values);
  else
    std::ranges::fill(values, part.kind == BoundaryKind::dirichlet ? holding_alpha : 0.0);
}
void robin_value(const Boundary& part, Points x, Points y, Points z, std::span<double> values) {
  evaluate(part.value, x, y, z, values);
  if (part.kind == BoundaryKind::dirichlet)
    for (double& value : values) value *= holding_alpha;
}

// The datum of the first part at each point.
template <class Datum>
Quantity of_first(const std::shared_ptr<const std::vector<FacePart>>& parts, const Datum& datum) {
  return Quantity::Function([parts, datum](Points x, Points y, Points z, std::span<double> values) {
    std::vector<double> inside(values.size()), own(values.size());
    std::ranges::fill(values, 0.0);
    for (auto part = parts->rbegin(); part != parts->rend(); ++part) {
      evaluate(part->where, x, y, z, inside);
      datum(part->boundary, x, y, z, own);
      for (std::size_t i = 0; i < values.size(); ++i)
        if (inside[i] != 0) values[i] = own[i];
    }
  });
}

}  // namespace

Boundary mixed_face(std::vector<FacePart> parts) {
  for (const FacePart& part : parts)
    if (part.boundary.kind == BoundaryKind::periodic || part.boundary.mixed)
      throw std::invalid_argument("a part of a face is a Dirichlet, Neumann or Robin face");
  const auto shared = std::make_shared<const std::vector<FacePart>>(std::move(parts));
  Boundary face;
  face.kind = BoundaryKind::robin;
  face.mixed = true;
  face.value = of_first(shared, robin_value);
  face.alpha = of_first(shared, robin_alpha);
  return face;
}

}  // namespace poisson
