#pragma once

#include <nanobind/nanobind.h>

namespace poisson::python {

/// Defines jax_handler(function): a capsule with the handler that XLA calls on the host, or None if the module was
/// compiled without the headers of jaxlib. The handler calls function(number, kind, names, arguments, result) with
/// views of XLA's buffers, which are valid during the call.
void define_jax_calls(nanobind::module_& m);

}  // namespace poisson::python
