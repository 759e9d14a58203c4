#include "lab/studies/studies.hpp"

#include <vector>

namespace poisson::lab {

std::span<const Study> studies() {
  // The first call copies the studies, which are constant-initialized.
  static const std::vector<Study> all{
#define STUDY(name) name##_study,
#ifdef POISSON_HAVE_CUDA
#define GPU_STUDY(name) STUDY(name)
#else
#define GPU_STUDY(name)
#endif
#include "lab/studies/studies.def"
#undef GPU_STUDY
#undef STUDY
  };
  return all;
}

}  // namespace poisson::lab
