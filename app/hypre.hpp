#pragma once

namespace poisson {

/// Provides hypre for `solver.amg: hypre` if this program was built with it.
void provide_hypre();

}  // namespace poisson
