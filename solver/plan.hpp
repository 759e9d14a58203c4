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

/// What a solve will hold, known before anything is allocated.
struct Plan {
  struct Level {
    std::array<int, 3> cells{};
    std::int64_t unknowns = 0;
    std::string_view assembly;
    Relaxation relaxation;
    std::size_t bytes = 0;                ///< fields and coefficients
    std::size_t whole_in_planes = 0;      ///< of these of levels within planes that every process has
    double row_bytes = 0, row_flops = 0;  ///< of the product A u, in the precision of the level (assembly.hpp)
    double seconds = 0;                   ///< what they predict for one product, on one core or one GPU
  };
  bool gpu = false;                  ///< what computes
  Options options;                   ///< with every automatic choice made
  std::string choice;                ///< what an automatic method was chosen by, in words; else empty
  std::vector<LevelPlan> hierarchy;  ///< what make_solver builds
  std::vector<Level> levels;         ///< what that holds, finest first, with the outer iteration's fields on the finest
  std::size_t bytes = 0;
  std::size_t setup = 0;  ///< so many bytes more while Galerkin operators are computed, or b of elements is assembled
  /// At most so many bytes more for the tables of axes and transfers, and for scalars.
  std::size_t tables = 0;
  /// What a process on a GPU sends another one at a time beside halos and small levels, at most: of a direct solution's
  /// lines, and of strong_clusters where κ may jump.
  std::size_t message = 0;
  std::size_t addresses = 0;  ///< what libraries take of the host's addresses beside, mostly without touching it

  /// What there must be room for.
  std::size_t most() const { return bytes + setup + tables; }
  double bytes_per_unknown() const {
    return static_cast<double>(bytes) / static_cast<double>(std::max<std::int64_t>(1, levels.front().unknowns));
  }
};

/// What choices go by of κ.
struct KappaSummary {
  std::array<double, 3> mean{1, 1, 1};
  Jumps jumps;
};

/// What is known of κ before it is sampled: means of constants, 1 elsewhere, and no jumps.
KappaSummary known_kappa(const Problem& problem);

/// The options that a problem takes, with every automatic choice made; corrections in double precision where single
/// would lose lines of a flat box. `kappa`: what is known of it where none is given. `parts`: into how many several
/// processes cut each axis. Throws InputError as Options::choose.
Options resolve_options(const Options& options, const Problem& problem, std::optional<KappaSummary> kappa = {},
                        const Parts& parts = uncut_axes);

/// The plan of make_solver for a problem, its bytes those of all processes. `gpu`: the kind of device that computes.
/// `kappa` as of `resolve_options`; `sharing`: how processes share the levels.
Plan make_plan(const Problem& problem, const Options& options, Assembly assembly, bool gpu,
               std::optional<KappaSummary> kappa = {}, const Sharing& sharing = {});

}  // namespace poisson
