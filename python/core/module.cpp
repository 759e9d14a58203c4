// The compiled part of the Python module. Policy (kinds of arrays, results, gradients) is in Python.

#include <chrono>
#include <optional>
#include <utility>

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/array.h>
#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "app/describe.hpp"
#include "app/reasons.hpp"
#include "app/session.hpp"
#include "backends/memory/error.hpp"
#include "io/expressions/expression.hpp"
#include "io/files/summary.hpp"
#include "python/core/tree.hpp"

namespace nb = nanobind;

namespace poisson::python {
namespace {

using HostValues = nb::ndarray<const double, nb::c_contig, nb::device::cpu>;
using ConfigPointer = std::shared_ptr<Config>;

// Stops a solve when the interpreter has a pending signal, such as Ctrl-C.
class Interrupt {
 public:
  bool operator()() {
    const auto now = std::chrono::steady_clock::now();
    if (now - last_ < interval) return !error_;
    last_ = now;
    const nb::gil_scoped_acquire lock;
    if (!error_ && PyErr_CheckSignals() != 0) error_.emplace();
    return !error_;
  }
  // Raises the exception of the signal's handler, if there was one.
  void raise() {
    if (error_) throw nb::python_error(std::move(*error_));
  }

 private:
  static constexpr std::chrono::milliseconds interval{20};
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
  std::optional<nb::python_error> error_;
};

template <class T>
nb::object make_array(Session& session, const std::string& name) {
  const std::array<int, 4> shape = session.field_shape(name);
  const bool flat = session.config().problem.dimension == 2;
  std::vector<std::size_t> sizes;
  for (int d = flat ? 1 : 2; d >= 0; --d) sizes.push_back(static_cast<std::size_t>(shape[static_cast<std::size_t>(d)]));
  if (shape[3] > 1) sizes.push_back(static_cast<std::size_t>(shape[3]));
  std::size_t count = 1;
  for (const std::size_t n : sizes) count *= n;
  T* values = new T[count];
  const nb::capsule owner(values, [](void* data) noexcept { delete[] static_cast<T*>(data); });
  {
    const nb::gil_scoped_release unlocked;
    session.field(name, values);
  }
  return nb::cast(nb::ndarray<nb::numpy, T>(values, sizes.size(), sizes.data(), owner));
}

nb::object values(Session& session, const std::string& name, bool narrow) {
  return narrow ? make_array<float>(session, name) : make_array<double>(session, name);
}

const double* checked(const Session& session, const HostValues& values, const char* what) {
  const auto& shape = session.shape();
  if (values.size() != static_cast<std::size_t>(shape[0]) * shape[1] * shape[2])
    throw std::invalid_argument(std::string(what) + " has " + std::to_string(values.size()) +
                                " values; give one for each value of the solution");
  return values.data();
}

nb::dict describe(const Course& course) {
  nb::dict d;
  const Result& r = course.result;
  d["converged"] = r.converged();
  d["iterations"] = r.iterations;
  d["reason"] = course.reason;
  d["seconds"] = course.seconds;
  d["data_seconds"] = course.data_seconds;
  d["residual"] = r.relative();
  d["estimated_error"] = r.estimated_error;
  d["history"] = r.history;
  d["steps"] = r.steps;
  d["stopped"] = r.verdict == Verdict::stopped;
  d["complete"] = r.converged() || r.verdict == Verdict::running;
  return d;
}

nb::dict solve(Session& session, std::optional<HostValues> guess, nb::object log) {
  Interrupt interrupt;
  Course course;
  std::vector<std::string> lines;
  const double* start = guess ? checked(session, *guess, "guess") : nullptr;
  {
    const nb::gil_scoped_release unlocked;
    course = session.solve(
        start, [&] { return interrupt(); }, [&](const std::string& line) { lines.push_back(line); });
  }
  interrupt.raise();
  for (const std::string& line : lines) log(line);
  return describe(course);
}

nb::dict solve_rhs(Session& session, const HostValues& b) {
  Interrupt interrupt;
  Course course;
  const double* values = checked(session, b, "b");
  {
    const nb::gil_scoped_release unlocked;
    course = session.solve_rhs(values, [&] { return interrupt(); });
  }
  interrupt.raise();
  return describe(course);
}

// Makes an array like the solution, which `fill` fills without the lock of the interpreter.
template <class Fill>
nb::object solution_array(const Session& session, const Fill& fill) {
  const auto& shape = session.shape();
  std::vector<std::size_t> sizes;
  std::size_t count = 1;
  for (int d = session.config().problem.dimension - 1; d >= 0; --d) {
    sizes.push_back(static_cast<std::size_t>(shape[static_cast<std::size_t>(d)]));
    count *= sizes.back();
  }
  double* values = new double[count];
  const nb::capsule owner(values, [](void* data) noexcept { delete[] static_cast<double*>(data); });
  {
    const nb::gil_scoped_release unlocked;
    fill(values);
  }
  return nb::cast(nb::ndarray<nb::numpy, double>(values, sizes.size(), sizes.data(), owner));
}

nb::object apply(Session& session, const HostValues& u) {
  const double* values = checked(session, u, "u");
  return solution_array(session, [&](double* product) { session.apply(values, product); });
}

nb::object rhs(Session& session) {
  return solution_array(session, [&](double* b) { session.rhs(b); });
}

Quantity to_quantity(const Session& session, const std::string& name, nb::handle object) {
  if (nb::ndarray_check(object)) return session.quantity(to_grid_array(object, session.config().describe(name)), name);
  if (!nb::isinstance<nb::str>(object)) return nb::cast<double>(nb::float_(object));
  try {
    return parse_expression(nb::cast<std::string>(object), session.config().parameters);
  } catch (const InputError& error) {
    throw ConfigError({session.config().describe(name) + ": " + error.what()});
  }
}

// Is a session with a reference to the array of its source.
struct OwnedSession : Session {
  using Session::Session;
  nb::object source;
};

template <class T>
bool lend(OwnedSession& session, nb::handle object) {
  nb::ndarray<const T, nb::c_contig, nb::device::cpu> values;
  if (!nb::try_cast(object, values, false)) return false;
  const auto& shape = session.shape();
  const auto axes = static_cast<std::size_t>(session.config().problem.dimension);
  if (values.ndim() != axes) return false;
  for (std::size_t d = 0; d < axes; ++d)
    if (static_cast<int>(values.shape(axes - 1 - d)) != shape[d]) return false;
  if (!session.lend_source(values.data())) return false;
  session.source = nb::borrow(object);
  return true;
}

// Reads the source from an array of the shape of u without a copy. Returns false if the problem or the array does not
// allow it.
bool lend_source(OwnedSession& session, nb::handle array) {
  return lend<double>(session, array) || lend<float>(session, array);
}

// Replaces the data that a dictionary names as Config::describe does.
bool update(Session& session, const nb::dict& changes) {
  std::map<std::string, Quantity> data;
  for (const auto& [key, object] : changes) {
    const auto name = nb::cast<std::string>(key);
    data[name] = to_quantity(session, name, object);
  }
  const nb::gil_scoped_release unlocked;
  return session.update(std::move(data));
}

nb::dict observe(Session& session) {
  Summary s;
  {
    const nb::gil_scoped_release unlocked;
    s = session.observe();
  }
  nb::dict d, flows;
  for (std::size_t face = 0; face < 2 * static_cast<std::size_t>(s.dimension); ++face)
    flows[nb::str(std::string(face_names[face]).c_str())] = s.flux[face];
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
  return d;
}

std::string save(Session& session, const std::filesystem::path& folder) {
  const nb::gil_scoped_release unlocked;
  return to_json(session.save(folder, POISSON_VERSION));
}

nb::dict info(const Session& session) {
  nb::dict d;
  Plan plan;
  {
    const nb::gil_scoped_release unlocked;
    plan = session.plan();
  }
  const Options& options = session.solver().options();
  d["method"] = method_name(options);
  d["description"] = describe_method(options);
  d["choice"] = plan.choice;
  d["unknowns"] = session.solver().A().space().unknown_count();
  d["levels"] = session.solver().levels();
  d["bytes"] = session.backend().memory().now();
  d["device"] = session.backend().device();
  d["assembly"] = std::string(session.solver().A().assembly());
  d["singular"] = session.solver().A().singular();
  return d;
}

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
    return std::make_shared<Config>(state_config(to_value(tree, name), name));
  });
  m.def("load", [](const std::filesystem::path& file, const std::vector<std::string>& overrides) {
    return std::make_shared<Config>(state_config(file, overrides));
  });

  nb::class_<OwnedSession>(m, "Session")
      .def("__init__",
           [](OwnedSession* session, const ConfigPointer& config) {
             const nb::gil_scoped_release unlocked;
             new (session) OwnedSession(config);
           })
      .def_prop_ro("shape", [](const OwnedSession& s) { return s.shape(); })
      .def_prop_ro("doubts", [](const OwnedSession& s) { return s.doubts(); })
      .def_prop_ro("singular", [](const OwnedSession& s) { return s.solver().A().singular(); })
      .def_prop_ro("info", [](const OwnedSession& s) { return info(s); })
      .def("update", [](OwnedSession& s, const nb::dict& changes) { return update(s, changes); })
      .def("lend_source", &lend_source)
      .def(
          "solve",
          [](OwnedSession& s, std::optional<HostValues> guess, nb::object log) { return solve(s, guess, log); },
          nb::arg("guess").none(), nb::arg("log"))
      .def("solve_rhs", [](OwnedSession& s, const HostValues& v) { return solve_rhs(s, v); })
      .def("apply", [](OwnedSession& s, const HostValues& v) { return apply(s, v); })
      .def("rhs", [](OwnedSession& s) { return rhs(s); })
      .def(
          "values", [](OwnedSession& s, const std::string& name, bool narrow) { return values(s, name, narrow); },
          nb::arg("name"), nb::arg("narrow") = false)
      .def("face_values",
           [](const OwnedSession& s, int axis, int end, bool alpha) { return s.face_values(axis, end, alpha); })
      .def("observe", [](OwnedSession& s) { return observe(s); })
      .def("save", [](OwnedSession& s, const std::filesystem::path& folder) { return save(s, folder); });
}

}  // namespace
}  // namespace poisson::python

NB_MODULE(_core, m) {
  m.attr("version") = POISSON_VERSION;
  poisson::python::define_errors(m);
  poisson::python::define(m);
}
