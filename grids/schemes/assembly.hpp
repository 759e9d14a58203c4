#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "backends/precision.hpp"
#include "grids/operators/level_rows.hpp"
#include "grids/problem/problem.hpp"

namespace poisson {

/// What one row of the product A u moves and computes at the least in an assembly mode: u and Au once, what the
/// operator holds once, and the operations from what it holds to the entries and with them.
struct RowCost {
  double values = 0;  ///< numbers read and written, in the operator's precision
  double flops = 0;   ///< additions and multiplications, as the models of Coefficients write them
  double wide = 0;    ///< those of κ's expression, in 64 bits whatever the precision
};
/// `gpu`: by the walks of a GPU, where neighbouring rows share what they have in common.
RowCost row_cost(const Problem& problem, Assembly assembly, bool gpu);

/// Numbers that a row holds: fields of κ and of the reaction, bands.
double values_held(const Problem& problem, Assembly assembly);
/// Arrays that full assembly holds: the sums of the rows and the couplings that point forward.
std::size_t bands_of_row(const Problem& problem);

/// What a kind of device does in a second, by which modes are predicted: of an NVIDIA H200, and of a core of a server
/// with its share of the memory's bandwidth. Only their ratios matter to the choice.
struct DeviceRate {
  std::string_view name;
  double bytes;     ///< copy
  double flops[2];  ///< in 32 and in 64 bits, additions and multiplications apart
};
const DeviceRate& device_rate(bool gpu);

/// Seconds of a row: its memory traffic or its arithmetic, whichever takes longer.
double predicted_seconds(const RowCost& cost, Precision precision, const DeviceRate& rate);

/// The modes that a problem can be held in, with what a row of each costs: recompute where κ, σ and α are constants or
/// the device compiles κ's expression, partial and full always.
struct Prediction {
  Assembly assembly;
  RowCost cost;
  double seconds[2];  ///< of a row, in 32 and in 64 bits
};
std::vector<Prediction> predictions(const Problem& problem, bool gpu);

/// The mode that a problem gets. `automatic`: recompute where κ, σ and α are constants, but partial for trilinear
/// elements on a GPU, where that was measured to be faster; else the one of partial and full that is predicted to be
/// faster in fp64, partial where they are within 5 %. `recompute` of what varies is partial where the device does not
/// compile κ's expression; `automatic` does not ask a compiler.
Assembly chosen_assembly(Assembly assembly, const Problem& problem, bool gpu);
/// Whether fields of κ, σ and α are made: where they vary, and where a mode holds constants, too.
bool holds_coefficients(const Problem& problem, Assembly chosen);
/// Why, in words that follow the mode's name and a comma.
std::string reason(Assembly assembly, const Problem& problem, bool gpu);
std::string_view name_of(Assembly assembly);

}  // namespace poisson
