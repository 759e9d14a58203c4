#pragma once

namespace poisson {

/// Selects the trigonometric modes of an axis of N equal cells by its end conditions. Sines vanish at Dirichlet ends;
/// cosines are even at Neumann ends. Values lie at nodes or in cells.
enum class TrigKind {
  none,
  periodic,     ///< N values: cos and sin(2πkj/N)
  sines,        ///< N − 1 values between Dirichlet nodes: sin(πki/N)
  cosines,      ///< N + 1 values; both ends are Neumann nodes: cos(πki/N)
  cells,        ///< N values: cos(πk(2j+1)/2N); sines if both ends are Dirichlet
  mixed_nodes,  ///< N values: cos(π(2k+1)i/2N); a Dirichlet node follows the last value or precedes the first
  mixed_cells,  ///< N values: cos(π(2k+1)(2j+1)/4N), or sin
};

/// Describes the modes of an axis: the kind and the lower end. A Dirichlet lower end turns the cosines of `cells` into
/// sines. It reverses the mixed kinds: sin is cos counted from the other end, up to its sign.
struct TrigAxis {
  TrigKind kind = TrigKind::none;
  bool lower_dirichlet = false;
  int cells = 0;  ///< N, the length of the Fourier transform

  explicit operator bool() const { return kind != TrigKind::none; }
  int values() const { return kind == TrigKind::sines ? cells - 1 : kind == TrigKind::cosines ? cells + 1 : cells; }
  bool operator==(const TrigAxis&) const = default;
};

}  // namespace poisson
