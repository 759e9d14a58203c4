#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "backends/memory/precision.hpp"
#include "grids/operators/level_rows.hpp"
#include "grids/problem/problem.hpp"

namespace poisson {

/// Counts the values that one row of the product A u moves at least, and the operations that it needs in an assembly
/// mode. The row reads u, writes Au, and reads its stored data once. The operations compute the entries from stored
/// data, and apply them.
struct RowCost {
  double values = 0;  ///< read and written, in the operator's precision
  double flops = 0;   ///< counts additions and multiplications as the models of Coefficients write them
  double wide = 0;    ///< operations of κ's expression, which uses 64 bits in every precision
};
/// Returns the cost of a row. `gpu` selects the walks of a GPU, in which neighbouring rows share their common data.
RowCost row_cost(const Problem& problem, Assembly assembly, bool gpu);

/// Returns the number of values that are stored for each row: fields of κ and of the reaction, or bands.
double stored_values(const Problem& problem, Assembly assembly);
/// Returns the number of arrays of full assembly: the sums of the rows and the forward couplings.
std::size_t bands_of_row(const Problem& problem);

/// Contains the rates of a device from which the times of the modes are predicted. One device is an NVIDIA H200, the
/// other a core of a server with its share of the memory bandwidth. Only the ratios of the rates affect the choice.
struct DeviceRate {
  std::string_view name;
  double bytes;     ///< copy rate
  double flops[2];  ///< in 32 and 64 bits; additions and multiplications count separately
};
const DeviceRate& device_rate(bool gpu);

/// Returns the seconds for a row: the maximum of its memory time and its arithmetic time.
double predicted_seconds(const RowCost& cost, Precision precision, const DeviceRate& rate);

/// Predicts the cost of a row in a mode. Predictions include `recompute` if κ, σ and α are constants or the device
/// compiles the expression of κ, and always `partial` and `full`.
struct Prediction {
  Assembly assembly;
  RowCost cost;
  double seconds[2];  ///< are per row, in 32 and in 64 bits
};
std::vector<Prediction> predictions(const Problem& problem, bool gpu);

/// Returns the assembly mode of a problem. For constants `automatic` selects `recompute`, but `partial` for trilinear
/// elements on a GPU, where measurements showed that it is faster. Otherwise `automatic` selects `full` if it is
/// predicted to be more than 5 % faster than `partial` in fp64, and `partial` if not. `recompute` becomes `partial` for
/// varying coefficients if the device does not compile the expression of κ. `automatic` never uses a compiler.
Assembly chosen_assembly(Assembly assembly, const Problem& problem, bool gpu);
/// Returns whether fields of κ, σ and α are stored: if they vary, or if the mode also stores constants.
bool stores_coefficients(const Problem& problem, Assembly chosen);
/// Returns the reason for the mode, in words that follow the mode's name and a comma.
std::string reason(Assembly assembly, const Problem& problem, bool gpu);
std::string_view name_of(Assembly assembly);

}  // namespace poisson
