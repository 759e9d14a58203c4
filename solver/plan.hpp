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
    std::size_t bytes = 0;                ///< fields and coefficients
    std::size_t whole_in_planes = 0;      ///< share of `bytes` in levels of plane solvers that are replicated on every
                                          ///< process
    double row_bytes = 0, row_flops = 0;  ///< one A u (assembly.hpp)
    double seconds = 0;                   ///< one A u on one core or GPU, as predicted
  };
  bool gpu = false;                  ///< solves on a GPU
  Options options;                   ///< all choices made
  std::string choice;                ///< explains an automatic method; else empty
  std::vector<LevelPlan> hierarchy;  ///< built by make_solver
  std::vector<Level> levels;         ///< finest first; the finest includes the outer iteration's fields
  std::size_t bytes = 0;
  std::size_t setup = 0;  ///< extra bytes while Galerkin operators or b of elements are computed
  /// Upper bound of the extra bytes for scalars and for the tables of axes and transfers.
  std::size_t tables = 0;
  /// Upper bound of the bytes that a process on a GPU sends in one message, without halos and small levels. It covers
  /// the lines of a direct solution, and strong clusters if κ may jump.
  std::size_t message = 0;
  std::size_t addresses = 0;  ///< host address space that libraries reserve, mostly without touching it

  /// Returns the bytes that must be available.
  std::size_t most() const { return bytes + setup + tables; }
  double bytes_per_unknown() const {
    return static_cast<double>(bytes) / static_cast<double>(std::max<std::int64_t>(1, levels.front().unknowns));
  }
};

/// Contains the properties of κ that automatic choices depend on.
struct KappaSummary {
  std::array<double, 3> mean{1, 1, 1};
  Jumps jumps;
};

/// Returns the properties of κ that are known before sampling: means of constants, 1 elsewhere, and no jumps.
KappaSummary known_kappa(const Problem& problem);

/// Returns the options for a problem with every automatic choice made. Corrections become fp64 if fp32 would lose lines
/// of a flat box. `kappa` defaults to known_kappa(problem). `parts` is the number of pieces into which several
/// processes cut each axis. Throws InputError as Options::choose.
Options resolve_options(const Options& options, const Problem& problem, std::optional<KappaSummary> kappa = {},
                        const Parts& parts = uncut_axes);

/// Returns the plan of make_solver for a problem; its bytes are totals over all processes. `gpu` states whether a GPU
/// solves. `kappa` is as in `resolve_options`; `sharing` describes how processes share the levels.
Plan make_plan(const Problem& problem, const Options& options, Assembly assembly, bool gpu,
               std::optional<KappaSummary> kappa = {}, const Sharing& sharing = {});

}  // namespace poisson
