// Requests the data with which the finest operator computes κ wherever a row needs it.

#include <algorithm>
#include <array>
#include <cstdio>

#include "grids/sampling/problem_data.hpp"
#include "grids/schemes/discretization.hpp"
#include "grids/schemes/row_scheme.hpp"

namespace poisson {
namespace {

std::string literal(double value) {
  std::array<char, 40> text{};
  std::snprintf(text.data(), text.size(), "%.17e", value);
  return text.data();
}

}  // namespace

bool recomputable(const Problem& p) {
  return std::ranges::all_of(kappa_components(p), [](const Quantity& q) { return q.constant() || q.source(); });
}

// Stores the source text of κ for the finest level if every component has one.
void Discretization::request_recompute() {
  if (is_separable(problem_)) return;  // constants are not stored
  if (!recomputable(problem_)) {
    operator_note_ = "it is not an expression that can be compiled";
    return;
  }
  std::vector<std::string> sources;
  for (const Quantity& kappa : kappa_components(problem_))
    sources.push_back(kappa.constant() ? literal(*kappa.constant()) : *kappa.source());
  if (sources.size() == 2 && !on_elements(problem_.scheme))
    sources.push_back(sources.front());  // has weight 0, because z is degenerate
  level_rows(rows_).kappa_source =
      std::make_shared<const KappaSource>(std::move(sources), row_scheme(problem_).cell_points(problem_));
}

}  // namespace poisson
