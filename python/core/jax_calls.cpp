// Calls of JAX through the foreign function interface of XLA: its buffers in host memory are passed on without copies.

#include "python/core/jax_calls.hpp"

#ifdef POISSON_HAVE_XLA_FFI

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>
#include <xla/ffi/api/ffi.h>

namespace nb = nanobind;
namespace ffi = xla::ffi;

namespace poisson::python {
namespace {

// Is the function of Python that solves. It is never destroyed, because XLA may call until the process ends.
nb::object& solving() {
  static auto* const function = new nb::object;
  return *function;
}

template <class T>
nb::object view(const ffi::AnyBuffer& buffer) {
  std::vector<std::size_t> sizes(buffer.dimensions().begin(), buffer.dimensions().end());
  nb::ndarray<nb::numpy, T> array(buffer.untyped_data(), sizes.size(), sizes.data(), nb::handle());
  return nb::cast(array, nb::rv_policy::reference);
}

nb::object view_of(const ffi::AnyBuffer& buffer) {
  return buffer.element_type() == ffi::DataType::F64 ? view<double>(buffer) : view<float>(buffer);
}

bool is_real(const ffi::AnyBuffer& buffer) {
  return buffer.element_type() == ffi::DataType::F64 || buffer.element_type() == ffi::DataType::F32;
}

ffi::Error solve(ffi::RemainingArgs given, ffi::Result<ffi::AnyBuffer> result, std::int64_t number,
                 std::string_view kind, std::string_view names) {
  const auto refuse = [](const std::string& reason) { return ffi::Error(ffi::ErrorCode::kInternal, reason); };
  if (!nb::is_alive()) return refuse("the interpreter has ended");
  const nb::gil_scoped_acquire lock;
  try {
    nb::list arguments;
    for (std::size_t i = 0; i < given.size(); ++i) {
      const auto buffer = given.get<ffi::AnyBuffer>(i);
      if (!buffer || !is_real(*buffer)) return refuse("poisson.jax: an argument is not an array of float64 or float32");
      arguments.append(view_of(*buffer));
    }
    if (!is_real(*result)) return refuse("poisson.jax: the result is not an array of float64 or float32");
    solving()(number, std::string(kind), std::string(names), arguments, view_of(*result));
  } catch (const nb::python_error& error) {
    return refuse(nb::cast<std::string>(nb::str(error.type().attr("__name__"))) + ": " +
                  nb::cast<std::string>(nb::str(error.value())));
  } catch (const std::exception& error) {
    return refuse(error.what());
  }
  return ffi::Error::Success();
}

XLA_FFI_DEFINE_HANDLER(handler, solve,
                       ffi::Ffi::Bind()
                           .RemainingArgs()
                           .Ret<ffi::AnyBuffer>()
                           .Attr<std::int64_t>("number")
                           .Attr<std::string_view>("kind")
                           .Attr<std::string_view>("names"));

}  // namespace

void define_jax_calls(nb::module_& m) {
  m.def("jax_handler", [](nb::object function) -> nb::object {
    solving() = std::move(function);
    return nb::capsule(reinterpret_cast<void*>(handler));
  });
}

}  // namespace poisson::python

#else

namespace poisson::python {

void define_jax_calls(nanobind::module_& m) {
  m.def("jax_handler", [](const nanobind::object&) { return nanobind::none(); });
}

}  // namespace poisson::python

#endif
