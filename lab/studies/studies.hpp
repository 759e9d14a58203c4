#pragma once

#include "lab/harness/study.hpp"

namespace poisson::lab {

// Each is defined in lab/studies/NAME/study.cpp, or in study.cu where it needs a GPU.
#define STUDY(name) extern const Study name##_study;
#define GPU_STUDY(name) STUDY(name)
#include "lab/studies/studies.def"
#undef GPU_STUDY
#undef STUDY

}  // namespace poisson::lab
