#include "lab/studies.hpp"

#include <array>

namespace poisson::lab {

std::span<const Study> studies() {
  // Copied once, at the first call: the studies themselves are constant-initialized.
  static const std::array all{
      copy_study,
      transpose_study,
      reduce_study,
#ifdef POISSON_HAVE_CUDA
      transfer_study,
#endif
  };
  return all;
}

}  // namespace poisson::lab
