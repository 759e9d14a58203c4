#pragma once

#include <array>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "app/cases/case.hpp"
#include "backends/transport_choice.hpp"
#include "grids/results/profile.hpp"
#include "io/config/config.hpp"
#include "solver/options.hpp"

/// What the program says of a run, in words.
namespace poisson {

/// multigrid, cg, jacobi: the method with `auto` resolved.
std::string method_name(const Options& options);
/// "multigrid V(0,5), Chebyshev (first kind, interval 12), full multigrid, mixed precision"; `options` resolved.
std::string describe_method(const Options& options);
/// The least and the widest cell along whatever axis.
std::pair<double, double> cell_widths(const Config& config);
/// "4, the grid cut into 1 x 2 x 2 parts"; empty for one.
std::string describe_processes(const Sharing& sharing);
/// "peer, memory of each other's GPUs; 256² values take 14 µs; not staged: 45 µs; not mpi: an MPI that …": the first of
/// the ways, and why not the others; on the host's cores "by messages, since backend.transport: peer is for GPUs" where
/// one of GPUs was asked for. Else empty.
std::string describe_ways(const std::vector<TransportWay>& ways);
/// "h = 25, q = 1000"
std::string describe_parameters(const Parameters& parameters);
/// The lines of --dry-run, of so many processes, `here` of which are on this machine.
std::vector<std::string> describe_plan(const Config& config, const Case& work, int processes, int here);
/// The lines of --profile, of all processes. `entries`: as of_all has them (shared_profile.hpp); `copy`: bytes per
/// second of copies on the finest level, of all at once; `seconds`: of the whole solve.
std::vector<std::string> describe_profile(std::span<const Profile::Entry> entries,
                                          std::span<const Summary::Profile> processes, double copy, double seconds);
/// Warnings about parts of faces that hold on no cell, but for the last ones, which hold where no other does.
std::vector<std::string> describe_empty_parts(const Config& config);
/// Warnings about expressions that name x, y or z in vain: κ and σ that never vary, and f that is 0 everywhere, which
/// is looked at where `source` says so. Of a block that several processes share, all of them call it.
std::vector<std::string> describe_idle_data(const Config& config, const Block& block, bool source);

/// The warning about flows that do not balance though the run converged; empty where they do.
std::string describe_imbalance(const Summary& summary, const Options& options);

/// The warning about data of a singular problem that no solution can meet.
std::string describe_incompatibility(double projected, double b_norm);

}  // namespace poisson
