#include "lab/studies/studies.hpp"

#include <vector>

namespace poisson::lab {

std::span<const Study> studies() {
  // Copied once, at the first call: the studies themselves are constant-initialized.
  static const std::vector<Study> all{
      copy_study,
#ifdef POISSON_HAVE_CUDA
      access_study,      banks_study,
#endif
      transpose_study,   reduce_study,
#ifdef POISSON_HAVE_CUDA
      latency_study,     occupancy_study, arithmetic_study, transfer_study, crossover_study, compute_study,
#endif
      recompute_study,
#ifdef POISSON_HAVE_CUDA
      interpolate_study, vectorize_study, launch_study,
#endif
  };
  return all;
}

}  // namespace poisson::lab
