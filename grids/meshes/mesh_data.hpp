#pragma once

#include <array>
#include <span>
#include <string>
#include <vector>

#include "backends/memory/unset_vector.hpp"
#include "grids/meshes/element_rules.hpp"
#include "grids/meshes/mesh_problem.hpp"
#include "grids/sampling/sampling.hpp"

namespace poisson {

/// Is a side, line or vertex with a condition: an index of MeshProblem::conditions.
struct ConditionedFacet {
  Facet facet;
  int condition = 0;
};

/// Contains the data of a problem on the elements of its mesh. Values are sampled when it is made: throws ValueErrors
/// for values that are not finite or have the wrong sign. The problem must outlive it.
struct MeshData {
  explicit MeshData(const MeshProblem& problem);

  using Coordinates = std::array<std::array<double, 3>, most_corners>;

  const MeshProblem& problem;
  Topology topology;
  std::size_t kappa_entries = 1;          ///< 1, or 6 for tensors
  std::vector<double> kappa;              ///< by element
  std::vector<double> reaction;           ///< by element; empty if σ = 0
  std::vector<double> density;            ///< constant part of f, by element; empty if f = 0
  UnsetVector<double> source;             ///< the rest of f, by element and point of its rule; may be empty
  std::vector<ConditionedFacet> facets;   ///< sides and lower elements with a condition, in a fixed order
  std::vector<std::vector<double>> data;  ///< of each facet: values and, of Robin conditions, alphas at its points
  std::vector<double> held;               ///< u at each point with a Dirichlet condition
  std::vector<int> holder;                ///< condition that holds a point; −1: none
  double range = 1;                       ///< largest κ over the smallest

  const Mesh& mesh() const { return topology.mesh(); }
  bool used(std::int64_t point) const { return !topology.at(point).empty(); }
  bool free(std::int64_t point) const { return used(point) && holder[static_cast<std::size_t>(point)] < 0; }
  const MeshCondition& condition(const ConditionedFacet& facet) const {
    return problem.conditions[static_cast<std::size_t>(facet.condition)];
  }
  Coordinates coordinates(std::span<const int> corners) const;
  /// Returns κ times a vector in an element.
  std::array<double, 3> flux(std::int64_t cell, const std::array<double, 3>& slope) const;
  /// Returns f at a point of an element's rule.
  double source_at(std::int64_t cell, int point) const;
  /// Returns the index of the first source value of an element.
  std::int64_t first_source(std::int64_t cell) const;

 private:
  void sample_kappa();
  void sample_sources();
  void find_facets();
  void sample_facets();
  void hold_points();
};

/// Evaluates a quantity at places, on all threads. Throws ValueError like sample().
std::vector<double> sample_at(const Quantity& quantity, const std::string& name, Sign sign,
                              const std::vector<std::array<double, 3>>& places);

}  // namespace poisson
