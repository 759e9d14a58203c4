#pragma once

#include "lab/study.hpp"

namespace poisson::lab {

// In the order of studies(); each is defined in lab/NAME.cpp, or in lab/cuda/NAME.cu where it needs a GPU.

extern const Study copy_study;
extern const Study transpose_study;
extern const Study reduce_study;
#ifdef POISSON_HAVE_CUDA
extern const Study transfer_study;
#endif

}  // namespace poisson::lab
