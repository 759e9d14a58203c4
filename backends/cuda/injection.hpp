#pragma once

/// Faults on request, to see how a run ends with them: an aid for tests. The environment variable POISSON_INJECT is
///   allocation:N  the N-th allocation on the device fails as if its memory were full,
///   kernel:N      the N-th kernel is followed by one that traps, after which the device answers nothing but errors.
/// Without it nothing of the kind happens.
namespace poisson::cuda::injection {

/// Reads the variable and counts from here. Throws InputError where it is none of the above.
void arm();
/// Counts an allocation; whether it is the one to fail.
bool allocation_fails();
/// Counts a launch; whether it is the one to fail.
bool kernel_fails();

}  // namespace poisson::cuda::injection
