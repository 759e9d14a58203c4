#pragma once

namespace poisson {

/// Modes of N equal cells that are waves, by what they are at the ends: sines vanish at Dirichlet ends, cosines are
/// even at Neumann ends. Values lie at nodes or in cells.
enum class WaveKind {
  none,
  periodic,     ///< N values: cos and sin(2πkj/N)
  sines,        ///< N − 1 values between Dirichlet nodes: sin(πki/N)
  cosines,      ///< N + 1 values, Neumann nodes at both ends: cos(πki/N)
  cells,        ///< N values: cos(πk(2j+1)/2N), and between Dirichlet ends sin
  mixed_nodes,  ///< N values, the last one beside a Dirichlet node: cos(π(2k+1)i/2N); or the first one
  mixed_cells,  ///< N values: cos(π(2k+1)(2j+1)/4N), or sin
};

/// The kind, and what is different at the lower end. A Dirichlet one makes sines of cells', and turns mixed ones round:
/// sin is cos counted from the other end, but for a sign.
struct AxisWaves {
  WaveKind kind = WaveKind::none;
  bool lower_dirichlet = false;
  int cells = 0;  ///< N, the length of the Fourier transform

  explicit operator bool() const { return kind != WaveKind::none; }
  int values() const { return kind == WaveKind::sines ? cells - 1 : kind == WaveKind::cosines ? cells + 1 : cells; }
  bool operator==(const AxisWaves&) const = default;
};

}  // namespace poisson
