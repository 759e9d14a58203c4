// Meshes and sparse matrices of the Python module. Policy (names, expressions, kinds of arrays) is in Python.

#include "python/core/meshes.hpp"

#include <array>
#include <cmath>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include "app/mesh_session.hpp"
#include "backends/memory/error.hpp"
#include "io/meshes/mesh_file.hpp"
#include "io/meshes/mesh_input.hpp"
#include "io/meshes/vtu_output.hpp"
#include "python/core/interrupt.hpp"

namespace nb = nanobind;

namespace poisson::python {
namespace {

using Doubles = nb::ndarray<const double, nb::c_contig, nb::device::cpu>;
using Longs = nb::ndarray<const std::int64_t, nb::c_contig, nb::device::cpu>;

std::vector<double> values_of(const Doubles& array) {
  return {array.data(), array.data() + array.size()};
}

template <class T, class From>
nb::object new_array(const From& from, std::vector<std::size_t> shape) {
  T* const values = new T[from.size()];
  std::copy(from.begin(), from.end(), values);
  const nb::capsule owner(values, [](void* data) noexcept { delete[] static_cast<T*>(data); });
  return nb::cast(nb::ndarray<nb::numpy, T>(values, shape.size(), shape.data(), owner));
}
nb::object vector(const std::vector<double>& values) {
  return new_array<double>(values, {values.size()});
}

// Returns values at the points of a session's mesh. Throws InputError for another number of them.
std::vector<double> values_at_points(const MeshSession& s, const Doubles& array) {
  const std::size_t points = s.data().mesh().points.size();
  if (array.size() != points)
    throw InputError("the array has " + std::to_string(array.size()) + " values; give one for each of " +
                     std::to_string(points) + " points");
  return values_of(array);
}

bool no_signal() {
  if (Interrupt::all_ended()) return false;
  const nb::gil_scoped_acquire lock;
  return PyErr_CheckSignals() == 0;
}

nb::dict described(const RowsCourse& course) {
  if (PyErr_Occurred()) throw nb::python_error();
  nb::dict d;
  d["u"] = vector(course.u);
  d["converged"] = course.result.converged();
  d["reason"] = course.reason;
  d["iterations"] = course.result.iterations;
  d["residual"] = course.result.relative();
  d["estimated_error"] = course.result.estimated_error;
  d["history"] = vector(course.result.history);
  d["steps"] = nb::cast(course.result.steps);
  return d;
}

CsrMatrix matrix_of(const Longs& start, const Longs& column, const Doubles& value) {
  if (column.size() != value.size()) throw InputError("indices and data have different lengths");
  if (start.size() < 2) throw InputError("the matrix has no rows");
  RowEntries entries;
  const auto rows = static_cast<std::int64_t>(start.size()) - 1;
  if (start.data()[0] != 0 || start.data()[rows] != static_cast<std::int64_t>(column.size()))
    throw InputError("indptr must begin with 0 and end with the number of entries");
  for (std::int64_t i = 0; i < rows; ++i) {
    if (start.data()[i + 1] < start.data()[i] || start.data()[i + 1] > start.data()[rows])
      throw InputError("indptr falls after row " + std::to_string(i));
    for (std::int64_t k = start.data()[i]; k < start.data()[i + 1]; ++k) {
      if (column.data()[k] < 0 || column.data()[k] >= rows)
        throw InputError("row " + std::to_string(i) + " has the column " + std::to_string(column.data()[k]) +
                         " of a matrix with " + std::to_string(rows) + " columns");
      entries.row.push_back(static_cast<int>(i));
      entries.column.push_back(static_cast<int>(column.data()[k]));
      entries.value.push_back(value.data()[k]);
    }
  }
  return compress(entries, rows);
}

nb::tuple arrays_of(const CsrMatrix& A) {
  return nb::make_tuple(new_array<double>(A.value, {A.value.size()}),
                        new_array<std::int64_t>(A.column, {A.column.size()}),
                        new_array<std::int64_t>(A.start, {A.start.size()}));
}

void define_rows(nb::module_& m) {
  nb::class_<RowsSession>(m, "Rows")
      .def_prop_ro("symmetric", [](const RowsSession& s) { return s.rows().is_symmetric(); })
      .def_prop_ro("singular", [](const RowsSession& s) { return s.rows().system.singular; })
      .def_prop_ro("device_number", [](const RowsSession& s) { return device_number(s.backend()); })
      .def(
          "solve",
          [](RowsSession& s, const Doubles& b, const std::optional<Doubles>& guess) {
            RowsCourse course;
            std::vector<double> right = values_of(b), first = guess ? values_of(*guess) : std::vector<double>{};
            {
              const nb::gil_scoped_release unlocked;
              course = s.solve(std::move(right), std::move(first), no_signal);
            }
            return described(course);
          },
          nb::arg("b"), nb::arg("guess").none());
  m.def("rows", [](const Longs& start, const Longs& column, const Doubles& value, double tolerance, int most,
                   bool diagonal, bool precise, const std::string& device) {
    CsrMatrix A = matrix_of(start, column, value);
    const nb::gil_scoped_release unlocked;
    return std::make_shared<RowsSession>(std::move(A), row_session_options(tolerance, most, diagonal, precise), device);
  });
}

CellShape shape_named(const std::string& name) {
  for (std::size_t s = 0; s < shape_count; ++s)
    if (facts_of(static_cast<CellShape>(s)).name == name) return static_cast<CellShape>(s);
  throw InputError("there are no elements called '" + name + "'");
}

// Makes a mesh of arrays. `groups` contains for each group its dimension, number and name; labels of elements are
// lists of groups: labels[k] of label k.
std::shared_ptr<Mesh> make_mesh(const Doubles& points, const std::vector<std::tuple<std::string, Longs, Longs>>& cells,
                                const std::vector<std::tuple<int, int, std::string>>& groups,
                                const std::vector<std::vector<int>>& labels) {
  auto mesh = std::make_shared<Mesh>();
  mesh->source = "the mesh";
  if (points.ndim() != 2 || points.shape(1) < 2 || points.shape(1) > 3)
    throw InputError("points must have the shape [n, 2] or [n, 3]");
  const std::size_t count = points.shape(0), axes = points.shape(1);
  for (std::size_t p = 0; p < count; ++p) {
    std::array<double, 3> x{};
    for (std::size_t d = 0; d < axes; ++d) {
      x[d] = points.data()[p * axes + d];
      if (!std::isfinite(x[d])) throw InputError("point " + std::to_string(p) + " is not finite");
    }
    mesh->points.push_back(x);
  }
  for (const auto& [dimension, number, name] : groups) mesh->groups.push_back({dimension, number, name});
  mesh->labels = labels;
  for (const auto& [name, corners, label] : cells) {
    MeshCells& block = mesh->of_shape(shape_named(name));
    const auto per_cell = static_cast<std::size_t>(facts_of(block.shape).corners);
    if (corners.ndim() != 2 || corners.shape(1) != per_cell || label.size() != corners.shape(0))
      throw InputError(name + " need an array of the shape [n, " + std::to_string(per_cell) + "]");
    for (std::size_t k = 0; k < corners.size(); ++k) {
      const std::int64_t p = corners.data()[k];
      if (p < 0 || p >= static_cast<std::int64_t>(count))
        throw InputError("element " + std::to_string(k / per_cell) + " of the " + name + " has the corner " +
                         std::to_string(p) + ", but there are " + std::to_string(count) + " points, from 0");
      block.corners.push_back(static_cast<int>(p));
    }
    for (std::size_t e = 0; e < label.size(); ++e) block.label.push_back(static_cast<int>(label.data()[e]));
  }
  finish_mesh(*mesh, 1);
  return mesh;
}

std::vector<std::string> checked(Mesh& mesh) {
  return describe_faults(mesh, check_mesh(mesh));
}

nb::dict parts_of(const Mesh& mesh) {
  nb::dict d;
  std::vector<double> points;
  points.reserve(mesh.points.size() * 3);
  for (const auto& x : mesh.points) points.insert(points.end(), x.begin(), x.end());
  d["points"] = new_array<double>(points, {mesh.points.size(), 3});
  nb::list cells, groups;
  for (const MeshCells& block : mesh.cells)
    cells.append(nb::make_tuple(
        std::string(facts_of(block.shape).name), facts_of(block.shape).dimension,
        new_array<std::int64_t>(block.corners,
                                {block.label.size(), static_cast<std::size_t>(facts_of(block.shape).corners)}),
        new_array<std::int64_t>(block.label, {block.label.size()})));
  for (const MeshGroup& group : mesh.groups) groups.append(nb::make_tuple(group.dimension, group.number, group.name));
  d["cells"] = cells;
  d["groups"] = groups;
  d["labels"] = nb::cast(mesh.labels);
  d["dimension"] = mesh.dimension;
  return d;
}

void define_mesh(nb::module_& m) {
  nb::class_<Mesh>(m, "Mesh").def_prop_ro("parts", [](const Mesh& mesh) { return parts_of(mesh); });
  m.def("read_mesh", [](const std::filesystem::path& file, double scale, const std::string& groups) {
    auto mesh = std::make_shared<Mesh>(read_mesh(file, scale, groups));
    auto warnings = checked(*mesh);
    return std::pair{mesh, warnings};
  });
  m.def("make_mesh",
        [](const Doubles& points, const std::vector<std::tuple<std::string, Longs, Longs>>& cells,
           const std::vector<std::tuple<int, int, std::string>>& groups, const std::vector<std::vector<int>>& labels) {
          auto mesh = make_mesh(points, cells, groups, labels);
          auto warnings = checked(*mesh);
          return std::pair{mesh, warnings};
        });
  m.def("describe_mesh",
        [](const Mesh& mesh) { return describe_groups(mesh, std::vector<bool>(mesh.groups.size(), true)); });
}

// The values of a condition that is not zero list its sides, so that arrays may replace them.
std::shared_ptr<MeshSession> make_session(
    const std::shared_ptr<Mesh>& mesh, bool tensor,
    const std::vector<std::tuple<std::string, std::vector<int>, std::string>>& conditions, double tolerance, int most,
    bool precise, const std::string& device) {
  MeshProblem problem;
  problem.mesh = mesh;
  problem.isotropic = !tensor;
  for (const auto& [name, groups, kind] : conditions) {
    MeshCondition condition;
    condition.name = name;
    condition.groups = groups;
    condition.kind = kind == "dirichlet" ? BoundaryKind::dirichlet
                     : kind == "robin"   ? BoundaryKind::robin
                                         : BoundaryKind::neumann;
    condition.value = condition.alpha = 1.0;
    problem.conditions.push_back(std::move(condition));
  }
  return std::make_shared<MeshSession>(std::move(problem), row_session_options(tolerance, most, false, precise),
                                       device);
}

nb::dict solved(MeshSession& s) {
  RowsCourse course;
  {
    const nb::gil_scoped_release unlocked;
    course = s.solve(no_signal);
  }
  return described(course);
}

nb::list flows_of(const MeshSession& s, const Doubles& u) {
  nb::list all;
  const std::vector<ConditionFlow> flows = condition_flows(s.data(), values_at_points(s, u));
  for (std::size_t c = 0; c < flows.size(); ++c) {
    nb::dict d;
    d["name"] = s.problem().conditions[c].name;
    d["flow"] = flows[c].flow;
    d["area"] = flows[c].measure;
    d["mean"] = flows[c].mean;
    d["min"] = flows[c].least;
    d["max"] = flows[c].largest;
    all.append(d);
  }
  return all;
}

nb::dict derivatives(const MeshSession& s, const Doubles& u, const Doubles& lambda) {
  const MeshGradients g = gradients_of(s.data(), values_at_points(s, u), values_at_points(s, lambda));
  nb::dict d;
  d["coefficient"] = vector(g.kappa);
  d["reaction"] = vector(g.reaction);
  d["source"] = vector(g.density);
  nb::list values, alphas;
  for (const auto& of : g.values) values.append(vector(of));
  for (const auto& of : g.alphas) alphas.append(vector(of));
  d["values"] = values;
  d["alphas"] = alphas;
  return d;
}

void define_mesh_session(nb::module_& m) {
  nb::class_<MeshSession>(m, "MeshSession")
      .def("set_kappa", [](MeshSession& s, const Doubles& v) { set_kappa(s.change_matrix(), values_of(v)); })
      .def("set_reaction", [](MeshSession& s, const Doubles& v) { set_reaction(s.change_matrix(), values_of(v)); })
      .def("set_density", [](MeshSession& s, const Doubles& v) { set_density(s.change_load(), values_of(v)); })
      .def("set_condition",
           [](MeshSession& s, int c, const Doubles& v) { set_condition(s.change_load(), c, values_of(v)); })
      .def("set_alpha", [](MeshSession& s, int c, const Doubles& v) { set_alpha(s.change_matrix(), c, values_of(v)); })
      .def_prop_ro("device_number", [](const MeshSession& s) { return device_number(s.backend()); })
      .def("solve", &solved)
      .def("adjoint",
           [](MeshSession& s, const Doubles& g) {
             RowsCourse course;
             const std::vector<double> given = values_at_points(s, g);
             {
               const nb::gil_scoped_release unlocked;
               course = s.solve_adjoint(given, no_signal);
             }
             return described(course);
           })
      .def("derivatives", &derivatives)
      .def("flows", &flows_of)
      .def("flux",
           [](const MeshSession& s, const Doubles& u) {
             const std::vector<double> flux = element_flux(s.data(), values_at_points(s, u));
             return new_array<double>(flux, {flux.size() / 3, 3});
           })
      .def("value_at",
           [](const MeshSession& s, const Doubles& u, double x, double y, double z) {
             return value_at(s.data(), values_at_points(s, u), {{x, y, z}});
           })
      .def("flux_error",
           [](const MeshSession& s, const Doubles& u) { return recovered_error(s.data(), values_at_points(s, u)); })
      .def("integral",
           [](const MeshSession& s, const Doubles& u) { return integrate(s.data(), values_at_points(s, u)).integral; })
      .def("held",
           [](const MeshSession& s) {
             std::vector<std::int64_t> holder(s.data().holder.begin(), s.data().holder.end());
             return new_array<std::int64_t>(holder, {holder.size()});
           })
      .def("save",
           [](const MeshSession& s, const std::filesystem::path& folder, const Doubles& u) {
             const std::vector<double> values = values_at_points(s, u);
             return write_vtu(folder, s.data().mesh(),
                              {{"u", false, 1, values}, {"flux", true, 3, element_flux(s.data(), values)}}, true);
           })
      .def("system", [](MeshSession& s) {
        const MeshSystem& system = s.system();
        return nb::make_tuple(arrays_of(system.rows.A), vector(system.rows.b),
                              new_array<std::int64_t>(system.point, {system.point.size()}));
      });
  m.def("mesh_session", &make_session);
}

}  // namespace

void define_meshes(nb::module_& m) {
  define_rows(m);
  define_mesh(m);
  define_mesh_session(m);
}

}  // namespace poisson::python
