#include "lab/studies/recompute/kernels.cuh"

namespace poisson::lab::recompute_kernels {

template void apply<float>(RecomputeData&, EntrySource, RecomputeVerb);

}  // namespace poisson::lab::recompute_kernels
