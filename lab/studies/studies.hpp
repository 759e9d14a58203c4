#pragma once

#include "lab/harness/study.hpp"

namespace poisson::lab {

// lab/studies/NAME/study.cpp defines each study, or study.cu if it needs a GPU.
#define STUDY(name) extern const Study name##_study;
#define GPU_STUDY(name) STUDY(name)
#include "lab/studies/studies.def"
#undef GPU_STUDY
#undef STUDY

}  // namespace poisson::lab
