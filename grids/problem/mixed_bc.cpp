#include "grids/problem/mixed_bc.hpp"

#include <algorithm>
#include <memory>
#include <span>
#include <stdexcept>
#include <utility>

namespace poisson {
namespace {

using Points = std::span<const double>;

// Selects a datum of the Robin condition that all parts of a face form together.
enum class Datum { alpha, value };

// Evaluates the datum of the first part at each point.
struct OfFirst {
  std::shared_ptr<const std::vector<FacePart>> parts;
  Datum datum;

  void operator()(Points x, Points y, Points z, std::span<double> values) const {
    std::vector<double> own(values.size());
    const std::vector<int> first = first_part(*parts, x, y, z);
    std::ranges::fill(values, 0.0);
    for (std::size_t p = 0; p < parts->size(); ++p) {
      of((*parts)[p].boundary, x, y, z, own);
      for (std::size_t i = 0; i < values.size(); ++i)
        if (first[i] == static_cast<int>(p)) values[i] = own[i];
    }
  }

 private:
  void of(const Boundary& part, Points x, Points y, Points z, std::span<double> values) const {
    const bool constrained = part.kind == BoundaryKind::dirichlet;
    if (datum == Datum::alpha && part.kind != BoundaryKind::robin) {
      std::ranges::fill(values, constrained ? penalty_alpha : 0.0);
      return;
    }
    evaluate_at(x, y, z, datum == Datum::alpha ? part.alpha : part.value, values);
    if (datum == Datum::value && constrained)
      for (double& value : values) value *= penalty_alpha;
  }
};

}  // namespace

void evaluate_at(Points x, Points y, Points z, const Quantity& quantity, std::span<double> values) {
  if (const double* constant = quantity.constant())
    std::ranges::fill(values, *constant);
  else if (const Quantity::Function* function = quantity.function())
    (*function)(x, y, z, values);
  else
    throw std::invalid_argument("parts of faces accept only numbers and functions");
}

std::vector<int> first_part(const std::vector<FacePart>& parts, Points x, Points y, Points z) {
  std::vector<int> first(x.size(), -1);
  std::vector<double> inside(x.size());
  for (std::size_t p = parts.size(); p-- > 0;) {
    evaluate_at(x, y, z, parts[p].where, inside);
    for (std::size_t i = 0; i < first.size(); ++i)
      if (inside[i] != 0) first[i] = static_cast<int>(p);
  }
  return first;
}

std::vector<std::size_t> parts_without_points(const Boundary& face, const std::array<std::vector<double>, 3>& at) {
  const std::vector<FacePart>& parts = parts_of(face);
  std::vector<bool> found(parts.size());
  // The points are evaluated in lines along the axis with the most points.
  std::size_t along = 0;
  for (const std::size_t d : {1U, 2U})
    if (at[d].size() > at[along].size()) along = d;
  const std::size_t a = along == 0 ? 1 : 0, b = along == 2 ? 1 : 2;
  std::array<std::vector<double>, 3> line;
  line[along] = at[along];
  for (const double at_b : at[b])
    for (const double at_a : at[a]) {
      if (std::ranges::count(found, false) == 0) return {};
      line[a].assign(at[along].size(), at_a);
      line[b].assign(at[along].size(), at_b);
      for (const int part : first_part(parts, line[0], line[1], line[2]))
        if (part >= 0) found[static_cast<std::size_t>(part)] = true;
    }
  std::vector<std::size_t> without;
  for (std::size_t p = 0; p < found.size(); ++p)
    if (!found[p]) without.push_back(p);
  return without;
}

const std::vector<FacePart>& parts_of(const Boundary& face) {
  const Quantity::Function* value = face.value.function();
  const OfFirst* parts = face.mixed_bc && value ? value->target<OfFirst>() : nullptr;
  if (!parts) throw std::logic_error("a face that mixed_bc did not make has no parts");
  return *parts->parts;
}

Quantity passing_alpha(const Boundary& face) {
  return Quantity::Function([face](Points x, Points y, Points z, std::span<double> values) {
    (*face.alpha.function())(x, y, z, values);
    for (double& alpha : values)
      if (alpha == penalty_alpha) alpha = 0;
  });
}

Boundary mixed_bc(std::vector<FacePart> parts) {
  for (const FacePart& part : parts)
    if (part.boundary.kind == BoundaryKind::periodic || part.boundary.mixed_bc)
      throw std::invalid_argument("a part of a face must be a Dirichlet, Neumann or Robin face");
  const auto shared = std::make_shared<const std::vector<FacePart>>(std::move(parts));
  Boundary face;
  face.kind = BoundaryKind::robin;
  face.mixed_bc = true;
  face.value = Quantity::Function(OfFirst{shared, Datum::value});
  face.alpha = Quantity::Function(OfFirst{shared, Datum::alpha});
  return face;
}

}  // namespace poisson
