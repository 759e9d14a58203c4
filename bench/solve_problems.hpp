#pragma once

#include "grids/problem/problem.hpp"

namespace poisson::bench {

/// These problems are on the unit cube with u = 0 on its faces and n cells per axis. u = sin πx sin πy sin πz + 1/10
/// sin 7πx sin 5πy sin 3πz solves the first two.

/// Returns −Δu = f. `exact` is the solution of the difference equations (both waves are eigenvectors), so that the
/// error is the algebraic one.
Problem two_trig(int n);
/// Returns −∇·(κ∇u) = f with κ = 1 + ½ sin 2πx sin 2πy sin 2πz.
Problem smooth_coefficient(int n);
/// Returns −Δu = f on cells that grow by `expansion` from the first to the last along z, or along y and z. The solution
/// is u = sin πx sin πy sin πz + 1/10 sin 7πx sin πy sin πz.
Problem stretched(int n, double expansion, int axes);
/// Returns a problem with the source of two_trig. κ is 10⁶ in the sphere of radius 0.3 around the centre, and 1
/// elsewhere. There is no exact solution.
Problem jumping_coefficient(int n);

}  // namespace poisson::bench
