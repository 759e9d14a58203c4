// The compiled part of the Python module. Policy (kinds of arrays, results, gradients) is in Python.

#include <array>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <nanobind/nanobind.h>
#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "app/reasons.hpp"
#include "backends/memory/error.hpp"
#include "io/config/config.hpp"
#include "python/core/arrays.hpp"
#include "python/core/jax_calls.hpp"
#include "python/core/meshes.hpp"
#include "python/core/tree.hpp"

namespace nb = nanobind;

namespace poisson::python {
namespace {

nb::dict geometry(const Config& config) {
  const Problem& p = config.problem;
  constexpr std::array kinds{"dirichlet", "neumann", "robin", "periodic"};
  nb::dict d, faces;
  nb::list nodes, mixed;
  for (int axis = 0; axis < p.dimension; ++axis) {
    const auto a = static_cast<std::size_t>(axis);
    nodes.append(nb::cast(p.nodes[a]));
    for (std::size_t end = 0; end < 2; ++end) {
      const Boundary& face = p.boundary[a][end];
      const std::size_t kind = face.kind == BoundaryKind::dirichlet ? 0
                               : face.kind == BoundaryKind::neumann ? 1
                               : face.kind == BoundaryKind::robin   ? 2
                                                                    : 3;
      const nb::str name(std::string(face_names[2 * a + end]).c_str());
      faces[name] = kinds[kind];
      if (face.mixed_bc) mixed.append(name);
    }
  }
  d["nodes"] = nodes;
  d["faces"] = faces;
  d["mixed"] = mixed;
  d["dimension"] = p.dimension;
  d["centering"] = p.centering == Centering::node ? "node" : "cell";
  d["scheme"] = p.scheme == Scheme::fv ? "fv" : p.scheme == Scheme::q1 ? "q1" : "compact4";
  d["isotropic"] = p.isotropic;
  d["full_tensor"] = p.full_tensor;
  d["matrix"] = config.matrix != nullptr;
  d["max_iterations"] = config.options.max_iterations;
  d["tolerance"] = config.options.tolerance;
  return d;
}

// Makes the exceptions of the module. Errors of the library end as one of the two, with their remedies.
void define_errors(nb::module_& m) {
  static PyObject* configuration = PyErr_NewExceptionWithDoc(
      "poisson.ConfigurationError",
      "Reports a mistake in the data or keys of a problem: one line for each, which names the key and the remedy.",
      PyExc_ValueError, nullptr);
  static PyObject* run = PyErr_NewExceptionWithDoc("poisson.SolverError",
                                                   "Reports that a solve could not run: memory, a device, or a file.",
                                                   PyExc_RuntimeError, nullptr);
  m.attr("ConfigurationError") = nb::borrow(configuration);
  m.attr("SolverError") = nb::borrow(run);
  nb::register_exception_translator([](const std::exception_ptr& thrown, void*) {
    try {
      std::rethrow_exception(thrown);
    } catch (const InputError& error) {
      PyErr_SetString(configuration, describe_error(error).c_str());
    } catch (const RunError& error) {
      PyErr_SetString(run, describe_error(error).c_str());
    }
  });
}

// Defines the classes and functions.
void define(nb::module_& m) {
  nb::class_<Config>(m, "Config")
      .def_prop_ro("effective", [](const Config& c) { return c.effective; })
      .def_prop_ro("title", [](const Config& c) { return c.title; })
      .def_prop_ro(
          "parameters",
          [](const Config& c) { return std::map<std::string, double>(c.parameters.begin(), c.parameters.end()); })
      .def_prop_ro("directory", [](const Config& c) { return c.output.directory; })
      .def_prop_ro("geometry", [](const Config& c) { return geometry(c); });
  m.def("configure", [](const nb::dict& tree, const std::string& name) {
    std::shared_ptr<const ImageSource> image;
    Value value = to_value(tree, name, image);
    return std::make_shared<Config>(state_config(std::move(value), name, std::move(image)));
  });
  m.def("load", [](const std::filesystem::path& file, const std::vector<std::string>& overrides) {
    return std::make_shared<Config>(state_config(file, overrides));
  });
}

}  // namespace
}  // namespace poisson::python

NB_MODULE(_core, m) {
  m.attr("version") = POISSON_VERSION;
#ifdef POISSON_HAVE_CUDA
  m.attr("cuda") = true;
#else
  m.attr("cuda") = false;
#endif
#ifdef POISSON_HAVE_MPI
  m.attr("mpi") = true;
#else
  m.attr("mpi") = false;
#endif
  poisson::python::define_errors(m);
  poisson::python::define(m);
  poisson::python::define_session(m);
  poisson::python::define_jax_calls(m);
  poisson::python::define_meshes(m);
  nb::set_leak_warnings(false);  // objects of modules live until the process ends
}
