// The class Session of the Python module.

#include "app/session.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <tuple>
#include <utility>

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/array.h>
#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include "app/describe.hpp"
#include "app/processes.hpp"
#include "backends/memory/error.hpp"
#include "io/expressions/expression.hpp"
#include "python/core/answers.hpp"
#include "python/core/arrays.hpp"
#include "python/core/interrupt.hpp"
#include "python/core/output.hpp"
#include "python/core/tree.hpp"

namespace nb = nanobind;

namespace poisson::python {
namespace {

using ConfigPointer = std::shared_ptr<Config>;

// Makes an array of numpy and fills it without the lock.
template <class T, class Fill>
nb::object new_array(const std::vector<std::size_t>& sizes, const Session& session, const Fill& fill) {
  std::size_t count = 1;
  for (const std::size_t n : sizes) count *= n;
  T* values = new T[count];
  const nb::capsule owner(values, [](void* data) noexcept { delete[] static_cast<T*>(data); });
  {
    const Unlocked unlocked(session);
    fill(values);
  }
  return nb::cast(nb::ndarray<nb::numpy, T>(values, sizes.size(), sizes.data(), owner));
}

// Returns whether a process has found something. Collective.
bool any(const Session& session, bool own) {
  const Unlocked unlocked(session);
  return session.processes().any(own);
}

// Returns the global array of the blocks of all processes, in double. Collective.
nb::object gathered(const Session& session, nb::handle own, bool cells) {
  const Location location = cells ? Location::cell : Location::node;
  const nb::ndarray<const double, nb::c_contig, nb::device::cpu> block = to_block(session, own, location);
  std::vector<double> values;
  {
    const Unlocked unlocked(session);
    values = session.gathered(block.data(), location);
  }
  return new_array<double>({values.size()}, session, [&](double* to) { std::ranges::copy(values, to); });
}

std::vector<std::size_t> solution_sizes(const Session& session) {
  std::vector<std::size_t> sizes;
  for (int d = session.config().problem.dimension - 1; d >= 0; --d)
    sizes.push_back(static_cast<std::size_t>(session.shape()[static_cast<std::size_t>(d)]));
  return sizes;
}

nb::object values(Session& session, const std::string& name, bool narrow) {
  const std::array<int, 4> shape = session.field_shape(name);
  std::vector<std::size_t> sizes;
  for (int d = session.config().problem.dimension - 1; d >= 0; --d)
    sizes.push_back(static_cast<std::size_t>(shape[static_cast<std::size_t>(d)]));
  if (shape[3] > 1) sizes.push_back(static_cast<std::size_t>(shape[3]));
  const auto fill = [&](auto* to) { session.field(name, to); };
  return narrow ? new_array<float>(sizes, session, fill) : new_array<double>(sizes, session, fill);
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

nb::dict solve(Session& session, nb::handle guess, nb::object log, nb::handle to, const Stream& stream) {
  Interrupt interrupt;
  Course course;
  std::vector<std::string> lines;
  Values start;
  if (!guess.is_none()) start = to_solution_values(session, guess, "guess");
  const Output output(session, to, stream);
  {
    const Unlocked unlocked(session);
    output.begin();
    course = session.solve(
        guess.is_none() ? nullptr : &start, [&] { return interrupt(); },
        [&](const std::string& line) { lines.push_back(line); });
    output.end();
  }
  interrupt.raise();
  for (const std::string& line : lines) log(line);
  return describe(course);
}

nb::dict solve_rhs(Session& session, nb::handle b, nb::handle to, const Stream& stream, double factor) {
  Interrupt interrupt;
  Course course;
  const Values values = to_values(session, b, "b");
  const Output output(session, to, stream);
  {
    const Unlocked unlocked(session);
    output.begin();
    course = session.solve_rhs(values, [&] { return interrupt(); });
    output.end(factor);
  }
  interrupt.raise();
  return describe(course);
}

nb::object apply(Session& session, nb::handle u) {
  const Values values = to_solution_values(session, u, "u");
  return new_array<double>(solution_sizes(session), session,
                           [&](double* product) { session.apply(values, session.on_host(product)); });
}

nb::object rhs(Session& session) {
  return new_array<double>(solution_sizes(session), session, [&](double* b) { session.rhs(session.on_host(b)); });
}

// Writes the solution into an array of the caller.
void write_solution(Session& session, nb::handle u) {
  const Values values = to_values(session, u, "u", true);
  const Unlocked unlocked(session);
  session.solution(values);
}

constexpr std::array gradient_names{"source_at_values",  "source_in_cells", "reaction_at_values", "reaction_in_cells",
                                    "reaction_elements", "kappa_at_nodes",  "kappa_in_cells",     "kappa_elements"};

// Lists the axis, the end, the value and α of faces; Dirichlet faces have no α.
using Faces = std::vector<std::tuple<int, int, double, std::optional<double>>>;

// Computes a derivative of λᵀ(b − A u) into an array of the caller. `kappa` lists κ along each axis, or is empty.
void gradient(Session& session, const std::string& name, nb::handle u, nb::handle lambda, const nb::list& kappa,
              int first_axis, int last_axis, nb::handle to, const Stream& stream, const Faces& faces) {
  const auto found = std::ranges::find(gradient_names, name);
  if (found == gradient_names.end()) throw std::invalid_argument("there is no derivative '" + name + "'");
  std::array<int, 3> cells{1, 1, 1};
  for (std::size_t d = 0; d < static_cast<std::size_t>(session.config().problem.dimension); ++d)
    cells[d] = static_cast<int>(session.config().problem.nodes[d].size()) - 1;
  GradientArrays arrays;
  const Values out = to_values(session, to, "gradient", true);
  const auto take = [&](nb::handle object, const char* what, const std::array<int, 3>& shape) -> const void* {
    if (object.is_none()) return nullptr;
    const Values values = to_values(session, object, what);
    if (values.array.precision != out.array.precision || values.on_device != out.on_device)
      throw std::invalid_argument("the arrays of a derivative have one precision, and are in one memory");
    if (values.array.shape != shape) throw std::invalid_argument(std::string(what) + ": the array has another shape");
    return values.array.data;
  };
  if (out.array.shape != (name.ends_with("_at_values") ? session.shape() : cells))
    throw std::invalid_argument("gradient: the array does not have the shape of the datum");
  arrays.u = take(u, "u", session.shape());
  arrays.lambda = take(lambda, "adjoint", session.shape());
  const int dimension = session.config().problem.dimension;
  if ((!arrays.u && !name.starts_with("source")) || !arrays.lambda)
    throw std::invalid_argument("a derivative needs u and the adjoint");
  if (kappa.size() != (name == "kappa_in_cells" ? static_cast<std::size_t>(dimension) : 0))
    throw std::invalid_argument("a derivative with respect to the coefficient in cells needs one for each axis");
  if (first_axis < 0 || first_axis > last_axis || last_axis > dimension)
    throw std::invalid_argument("the axes of a derivative are those of the problem");
  for (std::size_t d = 0; d < kappa.size(); ++d) arrays.kappa.at(d) = take(kappa[d], "coefficient", cells);
  for (const auto& [axis, end, value, alpha] : faces)
    arrays.faces.at(static_cast<std::size_t>(axis)).at(static_cast<std::size_t>(end)) = {
        alpha ? GradientFace::Kind::robin : GradientFace::Kind::dirichlet, value, alpha.value_or(0)};
  arrays.first_axis = first_axis;
  arrays.last_axis = last_axis;
  const Unlocked unlocked(session);
  const Output output(session, nb::none(), stream);
  output.begin();
  session.gradient(static_cast<DataGradient>(found - gradient_names.begin()), arrays, out);
  output.end();
}

Quantity to_quantity(const Session& session, const std::string& name, nb::handle object) {
  if (nb::isinstance<DeviceArray>(object))
    return session.quantity(to_grid_array(nb::cast<const DeviceArray&>(object)), name);
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
    if (!nb::isinstance<nb::str>(key)) throw std::invalid_argument("names of data are strings");
    const auto name = nb::cast<std::string>(key);
    data[name] = to_quantity(session, name, object);
  }
  const Unlocked unlocked(session);
  return session.update(std::move(data));
}

nb::dict observe(Session& session) {
  Summary s;
  {
    const Unlocked unlocked(session);
    s = session.observe();
  }
  return to_dict(s);
}

template <class Ask>
auto ask(Session& session, const Ask& answer) {
  Interrupt interrupt;
  decltype(answer(session, Session::Listener())) found;
  try {
    const Unlocked unlocked(session);
    found = answer(session, [&] { return interrupt(); });
  } catch (const RunError&) {
    interrupt.raise();
    throw;
  }
  interrupt.raise();
  return found;
}

nb::dict effective(Session& session) {
  const auto answer = [](Session& s, const Session::Listener& listener) { return s.effective(listener); };
  return to_dict(ask(session, answer), session.config().problem.dimension);
}

nb::dict capacitance(Session& session) {
  const auto answer = [](Session& s, const Session::Listener& listener) { return s.capacitance(listener); };
  return to_dict(ask(session, answer), session.config().title);
}

std::string save(Session& session, const std::filesystem::path& folder) {
  const Unlocked unlocked(session);
  return to_json(session.save(folder, POISSON_VERSION));
}

nb::dict info(const Session& session) {
  nb::dict d;
  std::string choice;
  {
    const Unlocked unlocked(session);
    choice = session.plan().choice;
  }
  const Options& options = session.solver().options();
  d["method"] = method_name(options);
  d["description"] = describe_method(options);
  d["choice"] = choice;
  d["unknowns"] = session.solver().A().space().unknown_count();
  d["levels"] = session.solver().levels();
  d["bytes"] = session.backend().memory().now();
  d["device"] = session.backend().device();
  d["device_number"] = device_number(session.backend());
  d["assembly"] = std::string(session.solver().A().assembly());
  d["singular"] = session.solver().A().singular();
  d["processes"] = session.processes().count();
  d["rank"] = session.processes().rank();
  return d;
}

}  // namespace

void define_session(nb::module_& m) {
  m.def("end_solves", [] { Interrupt::end_all(); });
  nb::class_<DeviceArray>(m, "DeviceArray")
      .def(
          "__init__",
          [](DeviceArray* array, std::uintptr_t pointer, std::vector<std::int64_t> shape, bool narrow, int device,
             nb::object owner, nb::object read) {
            new (array) DeviceArray{pointer, std::move(shape), narrow, device, std::move(owner), std::move(read)};
          },
          nb::arg("pointer"), nb::arg("shape"), nb::arg("narrow"), nb::arg("device"), nb::arg("owner"), nb::arg("read"))
      .def_ro("pointer", &DeviceArray::pointer)
      .def_ro("device", &DeviceArray::device)
      .def_ro("narrow", &DeviceArray::narrow)
      .def_ro("owner", &DeviceArray::owner);
  nb::class_<OwnedSession>(m, "Session")
      .def(
          "__init__",
          [](OwnedSession* s, const ConfigPointer& config, const nb::object& allocator, const OwnedSession* like) {
            const DeviceSetup setup = borrowed(allocator);
            const nb::gil_scoped_release unlocked;
            static const std::shared_ptr<const Processes> all = start_processes();
            new (s) OwnedSession(config, setup, SessionProcesses{all, place_on_machine(*all)}, like);
          },
          nb::arg("config"), nb::arg("allocator") = nb::none(), nb::arg("like").none() = nb::none())
      .def_prop_ro("device_number", [](const OwnedSession& s) { return device_number(s.backend()); })
      .def("wait_for", [](OwnedSession& s,
                          std::uintptr_t stream) { wait_for_stream(s.backend(), reinterpret_cast<void*>(stream)); })
      .def("hold", [](OwnedSession& s,
                      std::uintptr_t stream) { make_stream_wait(reinterpret_cast<void*>(stream), s.backend()); })
      .def("block_of",
           [](const OwnedSession& s, bool cells) {
             const Box box = s.block_of(cells ? Location::cell : Location::node);
             return std::pair(box.first, box.last);
           })
      .def_prop_ro("processes", [](const OwnedSession& s) { return s.processes().count(); })
      .def("any", [](const OwnedSession& s, bool own) { return any(s, own); })
      .def("gathered", [](const OwnedSession& s, nb::handle own, bool cells) { return gathered(s, own, cells); })
      .def_prop_ro("shape", [](const OwnedSession& s) { return s.shape(); })
      .def_prop_ro("doubts", [](const OwnedSession& s) { return s.doubts(); })
      .def_prop_ro("singular", [](const OwnedSession& s) { return s.solver().A().singular(); })
      .def_prop_ro("info", [](const OwnedSession& s) { return info(s); })
      .def("update", [](OwnedSession& s, const nb::dict& changes) { return update(s, changes); })
      .def("lend_source", &lend_source)
      .def(
          "solve",
          [](OwnedSession& s, nb::object guess, nb::object log, nb::object to, const Stream& stream) {
            return solve(s, guess, log, to, stream);
          },
          nb::arg("guess").none(), nb::arg("log"), nb::arg("to") = nb::none(), nb::arg("stream") = nb::none())
      .def(
          "solve_rhs",
          [](OwnedSession& s, nb::handle b, nb::object to, const Stream& stream, double factor) {
            return solve_rhs(s, b, to, stream, factor);
          },
          nb::arg("b"), nb::arg("to") = nb::none(), nb::arg("stream") = nb::none(), nb::arg("factor") = 1.0)
      .def("apply", [](OwnedSession& s, nb::handle u) { return apply(s, u); })
      .def("rhs", [](OwnedSession& s) { return rhs(s); })
      .def("write_solution", [](OwnedSession& s, nb::handle u) { write_solution(s, u); })
      .def(
          "gradient",
          [](OwnedSession& s, const std::string& name, nb::object u, nb::object lambda, const nb::list& kappa,
             int first_axis, int last_axis, nb::handle to, const Stream& stream,
             const Faces& faces) { gradient(s, name, u, lambda, kappa, first_axis, last_axis, to, stream, faces); },
          nb::arg("name"), nb::arg("u").none(), nb::arg("adjoint"), nb::arg("kappa"), nb::arg("first_axis"),
          nb::arg("last_axis"), nb::arg("to"), nb::arg("stream") = nb::none(), nb::arg("faces") = nb::list())
      .def(
          "values", [](OwnedSession& s, const std::string& name, bool narrow) { return values(s, name, narrow); },
          nb::arg("name"), nb::arg("narrow") = false)
      .def("face_values",
           [](const OwnedSession& s, int axis, int end, bool alpha) {
             const std::vector<double> values = s.face_values(axis, end, alpha);
             return new_array<double>({values.size()}, s, [&](double* to) { std::ranges::copy(values, to); });
           })
      .def("observe", [](OwnedSession& s) { return observe(s); })
      .def("effective", [](OwnedSession& s) { return effective(s); })
      .def("capacitance", [](OwnedSession& s) { return capacitance(s); })
      .def("save", [](OwnedSession& s, const std::filesystem::path& folder) { return save(s, folder); });
}

}  // namespace poisson::python
