#pragma once

#include "grids/problem/problem.hpp"

namespace poisson::bench {

/// On the unit cube with u = 0 on its faces and n cells per axis; u = sin πx sin πy sin πz + 1/10 sin 7πx sin 5πy sin
/// 3πz solves the first two.

/// −Δu = f. `exact` is the solution of the difference equations (both waves are eigenvectors), so that the error is the
/// algebraic one.
Problem two_trig(int n);
/// −∇·(κ∇u) = f with κ = 1 + ½ sin 2πx sin 2πy sin 2πz.
Problem smooth_coefficient(int n);
/// −Δu = f on cells that grow by `expansion` from the first to the last along z, or along y and z; u = sin πx sin πy
/// sin πz + 1/10 sin 7πx sin πy sin πz.
Problem stretched(int n, double expansion, int axes);
/// The source of two_trig, κ = 10⁶ in the sphere of radius 0.3 around the centre, else 1. Without an exact solution.
Problem jumping_coefficient(int n);

}  // namespace poisson::bench
