#pragma once

#include <cstdint>
#include <cstdlib>
#include <type_traits>

#include "grids/kernels/cuda/stencil_columns.cuh"
#include "grids/operators/splitting.hpp"
#include "grids/rows/coefficients.hpp"
#include "grids/rows/face_coefficients.hpp"

/// These sweeps in three dimensions process two columns a thread, for κ per cell (isotropic) and κ on faces. Their
/// kernels are compiled in separate translation units.
namespace poisson::cuda {

template <class T, class Coefficients>
inline constexpr bool paired = std::is_same_v<Coefficients, Partial<T, true>> || std::is_same_v<Coefficients, Faces<T>>;
template <class T>
inline constexpr bool relaxed_by_columns<Partial<T, true>> = true;
template <class T>
inline constexpr bool relaxed_by_columns<Faces<T>> = true;

/// Returns whether such sweeps exist on a space.
inline bool has_paired_sweeps(const Space& space, Precision precision) {
  const Layout& layout = space.part().layout();
  return layout.n[1] > 1 && layout.n[2] > 1 && layout.allocated(precision) < std::int64_t{1} << 32;
}

/// Returns the least number of unknowns for which one pass over both colours is faster than one pass over each. Tests
/// set the environment variable POISSON_PASS_FROM to change it.
inline std::int64_t least_in_one_pass() {
  const char* const text = std::getenv("POISSON_PASS_FROM");
  return text ? std::atoll(text) : std::int64_t{1} << 20;
}

/// Runs a step of a polynomial smoother at the values of a box.
template <class T, class Coefficients>
void take_paired_step(cudaStream_t, const Coefficients&, const Box&, PolynomialStep, const Field& u, const Field& b,
                      Field& previous);

/// Runs a red-black sweep over a box of the unknowns of a space in one pass, from u to `next`. The first colour has an
/// even i + j + k + parity. With `from_zero`, u is treated as zero and not read. The halo of u must be exchanged.
template <class T, class Coefficients>
void relax_both_colours(cudaStream_t, const Coefficients&, const Space&, const Box&, double omega, int parity,
                        bool from_zero, const Field& u, const Field& b, Field& next);
/// Relaxes only the first colour and copies the second one.
template <class T, class Coefficients>
void relax_first_colour(cudaStream_t, const Coefficients&, const Box&, double omega, int parity, const Field& u,
                        const Field& b, Field& next);

}  // namespace poisson::cuda
