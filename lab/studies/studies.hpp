#pragma once

#include "lab/harness/study.hpp"

namespace poisson::lab {

// In the order of studies(); each is defined in lab/studies/NAME/study.cpp, or in study.cu where it needs a GPU.

extern const Study copy_study;
extern const Study access_study;
extern const Study banks_study;
extern const Study transpose_study;
extern const Study reduce_study;
extern const Study latency_study;
extern const Study occupancy_study;
extern const Study arithmetic_study;
extern const Study transfer_study;
extern const Study crossover_study;
extern const Study compute_study;
extern const Study recompute_study;
extern const Study interpolate_study;
extern const Study vectorize_study;
extern const Study launch_study;

}  // namespace poisson::lab
