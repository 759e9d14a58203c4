#pragma once

#include <array>
#include <ostream>
#include <set>
#include <string>
#include <vector>

#include "grids/schemes/assembly.hpp"
#include "tests/cases/covering.hpp"
#include "tests/problems.hpp"

/// This table lists the operators on which verbs are tested. The kernel depends on the assembly, the dimension, the
/// precision, the kinds of κ and σ, and whether cells are equal: all their combinations occur. Faces, grids and sizes
/// occur in every pair with each other and with these.
namespace poisson {

struct OperatorChoice {
  std::string name;
  NamedFaces faces;
  NamedGrid grid;
  ProblemChoice problem;
  Precision precision = Precision::fp64;
  Assembly assembly = Assembly::automatic;

  Problem make() const { return make_problem(faces, grid, problem); }
  friend std::ostream& operator<<(std::ostream& stream, const OperatorChoice& c) { return stream << c.name; }
};

/// Describes how an operator is stored and computed.
struct Form {
  int dimension;
  Precision precision;
  Assembly assembly;
};
inline std::vector<Named<Form>> all_forms(const std::vector<Assembly>& assemblies) {
  std::vector<Named<Form>> all;
  for (const Assembly assembly : assemblies)
    for (const int dimension : {2, 3})
      for (const Precision precision : {Precision::fp32, Precision::fp64})
        all.push_back(
            {std::string(std::array{"auto", "recompute", "partial", "full"}[static_cast<std::size_t>(assembly)]) + "_" +
                 std::to_string(dimension) + "d_fp" + std::to_string(8 * bytes_of(precision)),
             {dimension, precision, assembly}});
  return all;
}

/// Describes the coefficients in the entries of rows.
struct Entries {
  Kappa kappa;
  Sigma sigma;
};
inline std::vector<Named<Entries>> all_entries(const std::vector<Named<Kappa>>& kappas) {
  const std::vector<Named<Sigma>> sigmas{
      {"none", Sigma::zero}, {"constant", Sigma::constant}, {"varying", Sigma::varying}};
  std::vector<Named<Entries>> all;
  for (const auto& kappa : kappas)
    for (const auto& sigma : sigmas) all.push_back({kappa.name + "_" + sigma.name, {kappa.value, sigma.value}});
  return all;
}
inline const std::vector<Named<Kappa>> diagonal_kappas{{"constant", Kappa::constant},
                                                       {"constantTensor", Kappa::constant_tensor},
                                                       {"random", Kappa::random},
                                                       {"randomTensor", Kappa::random_tensor}};

inline const std::vector<Named<std::array<int, 3>>> awkward_sizes{
    {"5x4x3", {5, 4, 3}},   {"2x3x5", {2, 3, 5}},   {"31x5x2", {31, 5, 2}}, {"3x33x2", {3, 33, 2}},
    {"33x2x4", {33, 2, 4}}, {"4x3x31", {4, 3, 31}}, {"2x2x2", {2, 2, 2}}};

inline bool has_equal_cells(const NamedGrid& grid) {
  return grid.name == "equidistant" || grid.name == "giant";
}

inline std::vector<OperatorChoice> operator_choices(Scheme scheme, Centering centering,
                                                    const std::vector<Named<Kappa>>& kappas,
                                                    const std::vector<Assembly>& assemblies) {
  const std::vector<NamedFaces> faces = all_faces();
  const std::vector<Named<Entries>> entries = all_entries(kappas);
  const std::vector<Named<Form>> forms = all_forms(assemblies);
  std::vector<OperatorChoice> all;
  std::set<std::string> kernels;
  const auto add = [&](const NamedFaces& f, const NamedGrid& grid, const auto& e, const auto& form, const auto& cells) {
    kernels.insert(e.name + form.name + (has_equal_cells(grid) ? "equal" : ""));
    all.push_back({f.name + "_" + grid.name + "_" + e.name + "_" + form.name + "_" + cells.name,
                   f,
                   grid,
                   {form.value.dimension, cells.value, e.value.kappa, e.value.sigma, centering, scheme},
                   form.value.precision,
                   form.value.assembly});
  };
  for (const auto& [f, grid, e, form, cells] : every_pair(faces, all_grids, entries, forms, awkward_sizes))
    add(f, grid, e, form, cells);
  std::size_t turn = 0;
  for (const auto& e : entries)
    for (const auto& form : forms)
      for (const bool equal : {true, false}) {
        if (kernels.contains(e.name + form.name + (equal ? "equal" : ""))) continue;
        ++turn;
        while (has_equal_cells(all_grids[turn % all_grids.size()]) != equal) ++turn;
        add(faces[turn % faces.size()], all_grids[turn % all_grids.size()], e, form,
            awkward_sizes[turn % awkward_sizes.size()]);
      }
  return all;
}

inline std::vector<OperatorChoice> volumes_around_nodes() {
  return operator_choices(Scheme::fv, Centering::node, diagonal_kappas, {Assembly::automatic, Assembly::full});
}
inline std::vector<OperatorChoice> volumes_of_cells() {
  return operator_choices(Scheme::fv, Centering::cell, diagonal_kappas, {Assembly::automatic, Assembly::full});
}
inline std::vector<OperatorChoice> elements() {
  std::vector<Named<Kappa>> kappas = diagonal_kappas;
  kappas.push_back({"randomFull", Kappa::random_full});
  return operator_choices(Scheme::q1, Centering::node, kappas,
                          {Assembly::automatic, Assembly::full, Assembly::partial});
}

}  // namespace poisson
