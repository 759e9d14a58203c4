#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "grids/blocks/block_space.hpp"
#include "grids/operators/operator.hpp"

/// Several processes each have all blocks of small levels. Operators there are those of one process, without messages.
namespace poisson {

/// Levels below the finest one are on every process if they have at most this number of unknowns, on devices and on
/// CPUs. Devices also have levels of up to 2.5 times as many that have at most a 32nd of the unknowns of the finest
/// one. The measurements are in docs/design/blocks.md (Processes). Tests change the numbers.
inline std::int64_t most_replicated = 400'000, most_replicated_on_cpus = 30'000;

/// Returns lists of values of all blocks, by number, from those of the blocks of this process, as in BlockSpace::own.
/// Collective.
std::vector<std::vector<double>> lists_of_all_blocks(const BlockSpace& shares,
                                                     const std::vector<std::vector<double>>& own);

/// Copies the unknowns of a field on the blocks of the processes to a field that has all blocks. Collective.
using Replicate = std::function<void(const Field& shares, Field& all)>;
/// Makes the copy between fields of a CPU.
Replicate make_replication(std::shared_ptr<const BlockSpace> shares, std::shared_ptr<const BlockSpace> all);

/// Makes the transfer from a level whose blocks the processes share to one that every process has. `down` restricts to
/// fields of `shares`, which `replicate` copies; `up` interpolates from all blocks.
std::unique_ptr<Transfer> make_replicating_transfer(Backend& backend, std::unique_ptr<Transfer> down,
                                                    std::unique_ptr<Transfer> up, Replicate replicate,
                                                    const BlockSpace& shares, Precision precision);

}  // namespace poisson
