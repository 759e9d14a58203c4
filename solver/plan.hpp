#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "grids/levels/levels.hpp"
#include "grids/levels/sharing.hpp"
#include "grids/sampling/kappa_summary.hpp"
#include "grids/schemes/discretization.hpp"
#include "solver/options.hpp"

namespace poisson {

/// Lists the levels, options and memory of a solve before anything is allocated.
struct Plan {
  struct Level {
    std::array<int, 3> cells{};
    std::int64_t unknowns = 0;
    std::string_view assembly;
    Relaxation relaxation;
    std::size_t bytes = 0;                ///< fields and coefficients on a process
    double row_bytes = 0, row_flops = 0;  ///< one A u (assembly.hpp)
    double seconds = 0;                   ///< one A u on one core or GPU, as predicted
  };
  bool gpu = false;                  ///< solves on a GPU
  Options options;                   ///< all choices made
  std::string choice;                ///< explains an automatic method; else empty
  std::vector<LevelPlan> hierarchy;  ///< built by make_solver
  std::vector<Level> levels;         ///< finest first; the finest includes the outer iteration's fields
  // The bytes of the process that stores most, from a rehearsal of its set-up (rehearsal.hpp). choose_plan leaves them
  // 0.
  std::size_t bytes = 0;  ///< stored during a solve
  std::size_t setup = 0;  ///< extra bytes at the peak of set-up
  /// Floating bodies, each of which needs a solution: regions before the cells are known, bodies without a given value
  /// afterwards.
  std::size_t floating_bodies = 0;
  std::size_t floating = 0;  ///< bytes of these solutions, after set-up
  std::size_t whole = 0;     ///< share of `bytes` in levels that are replicated on every process
  /// Extra bytes for the exchange buffers that other GPUs write on this one (mailbox_layout.hpp): the maximum over all
  /// transports.
  std::size_t mailbox = 0;
  int in_parts = 0, in_groups = 0;  ///< levels shared by all processes, then by groups
  std::size_t addresses = 0;        ///< host address space that libraries reserve, mostly without touching it

  /// Takes the bytes of a plan with the same set-up (same_set_up).
  void take_bytes(const Plan& counted);
  /// Returns the bytes that must be available to a process. On a GPU this includes an allowance for the tables of
  /// recorded launches and for partial sums, whose number depends on the recording.
  std::size_t most() const { return bytes + std::max(setup, floating) + mailbox + (gpu ? allowance : 0); }
  static constexpr std::size_t allowance = std::size_t{1} << 20;
  double bytes_per_unknown() const {
    return static_cast<double>(bytes) / static_cast<double>(std::max<std::int64_t>(1, levels.front().unknowns));
  }
};

/// Returns the properties of κ that are known before sampling: means of constants, 1 elsewhere, and no jumps.
KappaSummary known_kappa(const Problem& problem);

/// Returns the options for a problem with every automatic choice made. Corrections become fp64 if fp32 would lose lines
/// of a flat box. `kappa` defaults to known_kappa(problem). `parts` is the number of pieces into which several
/// processes cut each axis. Throws InputError as Options::choose.
Options resolve_options(const Options& options, const Problem& problem, std::optional<KappaSummary> kappa = {},
                        const Parts& parts = uncut_axes);

/// Returns whether all choices agree that `auto` makes by the data.
bool same_choices(const Options& a, const Options& b);
/// Returns whether the bytes of a counted plan, made before κ was known, are also those of `sampled`, which was chosen
/// for a κ with these jumps.
bool same_set_up(const Plan& counted, const Plan& sampled, const Jumps& jumps, const Problem& problem,
                 const Block& block);

/// Returns the plan of make_solver for a problem, without bytes. `gpu` states whether a GPU solves. `kappa` is as in
/// `resolve_options`; `sharing` describes how processes share the levels.
Plan choose_plan(const Problem& problem, const Options& options, Assembly assembly, bool gpu,
                 const std::optional<KappaSummary>& kappa = {}, const Sharing& sharing = {});

/// Returns the same plan with its bytes, which a rehearsal of set-up counts.
Plan make_plan(const Problem& problem, const Options& options, Assembly assembly, bool gpu,
               std::optional<KappaSummary> kappa = {}, const Sharing& sharing = {});

}  // namespace poisson
