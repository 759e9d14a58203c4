#include "python/core/answers.hpp"

#include <cstddef>
#include <vector>

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "app/answers/capacitance.hpp"
#include "grids/problem/problem.hpp"

namespace nb = nanobind;

namespace poisson::python {
namespace {

template <class Answer>
void add_values(const Answer& answer, nb::dict& d) {
  d["flow"] = answer.flow;
  d["mean"] = answer.mean;
  d["min"] = answer.min;
  d["max"] = answer.max;
  d["min_at"] = answer.min_at;
  d["max_at"] = answer.max_at;
}

nb::list to_list(const std::vector<Summary::Body>& bodies) {
  nb::list all;
  for (const Summary::Body& body : bodies) {
    nb::dict d;
    d["name"] = body.name;
    d["material"] = body.material;
    d["cells"] = body.cells;
    d["volume"] = body.volume;
    d["power"] = body.power;
    d["through_faces"] = body.through_faces;
    add_values(body, d);
    all.append(d);
  }
  return all;
}

nb::list to_list(const std::vector<Summary::Face>& faces) {
  nb::list all;
  for (const Summary::Face& face : faces) {
    nb::dict d;
    d["name"] = face.name;
    d["condition"] = face.condition;
    d["cells"] = face.cells;
    d["area"] = face.area;
    add_values(face, d);
    all.append(d);
  }
  return all;
}

}  // namespace

nb::dict to_dict(const Summary& s) {
  nb::dict d, flows, floating;
  for (std::size_t face = 0; face < s.flux.size(); ++face) flows[nb::str(s.flux.name(face).c_str())] = s.flux[face];
  d["flows"] = flows;
  d["source"] = s.balance.source;
  d["reaction"] = s.balance.reaction;
  d["residual"] = s.balance.residual;
  d["projected"] = s.balance.projected;
  d["relative"] = s.balance.relative();
  d["min"] = s.solution.min;
  d["max"] = s.solution.max;
  d["integral"] = s.solution.integral;
  if (s.error) d["error"] = nb::make_tuple(s.error->max, s.error->l2);
  nb::list probes;
  for (const auto& probe : s.probes) probes.append(nb::make_tuple(probe.point, probe.u));
  d["probes"] = probes;
  d["bodies"] = to_list(s.bodies);
  d["materials"] = to_list(s.materials);
  d["faces"] = to_list(s.faces);
  floating["cells"] = s.floating.cells;
  floating["volume"] = s.floating.volume;
  d["floating"] = floating;
  return d;
}

nb::dict to_dict(const Summary::Effective& effective, int dimension) {
  const auto axes = static_cast<std::size_t>(dimension);
  std::vector<std::vector<double>> tensor;
  nb::list percolates;
  for (std::size_t j = 0; j < axes; ++j) {
    tensor.emplace_back(effective.tensor[j].begin(), effective.tensor[j].begin() + dimension);
    percolates.append(bool(effective.percolates[j]));
  }
  nb::dict d;
  d["axes"] = effective.axes;
  d["failed"] = effective.failed;
  d["periodic"] = effective.periodic;
  d["iterations"] = effective.iterations;
  d["tensor"] = tensor;
  d["tortuosity"] = std::vector<double>(effective.tortuosity.begin(), effective.tortuosity.begin() + dimension);
  d["percolates"] = percolates;
  d["porosity"] = effective.porosity;
  return d;
}

nb::dict to_dict(const Summary::Capacitance& matrix, const std::string& title) {
  nb::dict d;
  d["names"] = matrix.names;
  d["matrix"] = matrix.entries;
  d["spice"] = capacitance_netlist(matrix, title);
  d["csv"] = capacitance_table(matrix);
  return d;
}

}  // namespace poisson::python
