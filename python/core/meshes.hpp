#pragma once

#include <nanobind/nanobind.h>

namespace poisson::python {

/// Defines the classes Rows, Mesh and MeshSession.
void define_meshes(nanobind::module_& m);

}  // namespace poisson::python
