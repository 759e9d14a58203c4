#pragma once

/// Injects faults to test how a run ends with them. The environment variable POISSON_INJECT selects the fault:
///   allocation:N  the N-th allocation on the device fails as if its memory were full,
///   kernel:N      a kernel that traps follows the N-th kernel; after that the device only returns errors.
/// Without the variable nothing is injected.
namespace poisson::cuda::injection {

/// Reads the variable and starts counting. Throws InputError if the variable has another form.
void arm();
/// Counts an allocation. Returns whether it must fail.
bool allocation_fails();
/// Counts a launch. Returns whether it must fail.
bool kernel_fails();

}  // namespace poisson::cuda::injection
