#pragma once

#include <array>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "app/cases/case.hpp"
#include "backends/device/transport_choice.hpp"
#include "grids/results/profile.hpp"
#include "io/config/config.hpp"
#include "solver/options.hpp"

/// These functions describe a run in words.
namespace poisson {

/// Returns "multigrid", "cg", "jacobi" or "direct", with `auto` resolved.
std::string method_name(const Options& options);
/// Returns text such as "multigrid V(0,5), Chebyshev (first kind, interval 12), full multigrid, mixed precision".
/// `options` must be resolved.
std::string describe_method(const Options& options);
/// Returns the smallest and the largest cell width over all axes.
std::pair<double, double> cell_widths(const Config& config);
/// Returns text such as "4, the grid cut into 1 x 2 x 2 parts"; empty for one process.
std::string describe_processes(const Sharing& sharing);
/// Describes the chosen transport, which is the first way, and gives the reason against the others.
/// An example is "peer, memory of each other's GPUs; 256² values take 14 µs; not staged: 45 µs; not mpi: an MPI that
/// …".
/// On CPUs the text is "by messages, because backend.transport: peer requires GPUs" if a GPU transport was requested,
/// and empty otherwise.
std::string describe_ways(const std::vector<TransportWay>& ways);
/// Returns text such as "h = 25, q = 1000".
std::string describe_parameters(const Parameters& parameters);
/// Returns the lines of --dry-run for a number of processes, `here` of which run on this machine.
std::vector<std::string> describe_plan(const Config& config, const Case& work, const Backend& backend, int processes,
                                       int here);
/// Returns the lines of --profile for all processes. `entries` come from of_all (shared_profile.hpp). `copy` is the
/// total copy bandwidth of all processes on the finest level in bytes per second. `seconds` is the time of the solve.
std::vector<std::string> describe_profile(std::span<const Profile::Entry> entries,
                                          std::span<const Summary::Profile> processes, double copy, double seconds);
/// Returns warnings about conditions of a face that cover no cell. The last condition, which is the default, is exempt.
std::vector<std::string> describe_empty_parts(const Config& config);
/// Returns warnings about expressions that use x, y or z but never vary. They concern κ, σ and, if `source` is true, an
/// f that is 0 everywhere. Collective if several processes share the block.
std::vector<std::string> describe_idle_data(const Config& config, const Block& block, bool source);

/// Returns a warning if the flows do not balance although the run converged; empty if they balance.
std::string describe_imbalance(const Summary& summary, const Options& options);

/// Returns the warning that the data of a singular problem are incompatible, so that no solution exists.
std::string describe_incompatibility(double projected, double b_norm);

}  // namespace poisson
