#include <cstdio>

#include "bench/row_cases.hpp"
#include "bench/stopwatch.hpp"
#include "grids/compact/block_steps.hpp"
#include "grids/compact/cuda/device_operators.hpp"
#include "grids/compact/cuda/sliced_rows.cuh"
#include "grids/compact/row_builder.hpp"

namespace poisson::bench {
namespace {

using cuda::DeviceRows;

// Runs a stage twice and prints the second time in milliseconds.
template <class F>
void print_stage(DeviceRows& rows, const char* name, const F& run) {
  double seconds = 0;
  for (int round = 0; round < 2; ++round) {
    cuda::check(cudaStreamSynchronize(rows.stream()));
    const Stopwatch watch;
    run();
    cuda::check(cudaStreamSynchronize(rows.stream()));
    seconds = watch.seconds();
  }
  std::printf("  stage %-22s %.2f ms\n", name, 1e3 * seconds);
}

}  // namespace

void print_stages(Backend& backend, const DeviceMatrix& A) {
  DeviceRows rows(static_cast<cuda::CudaBackend&>(backend));
  const CsrView view = A.view();
  Buffer largest;
  print_stage(rows, "largest couplings", [&] { largest = largest_couplings(rows, view); });
  const CouplingTest test{rows.at(largest)};
  print_stage(rows, "need of blocks", [&] { (void)needs_blocks(rows, view, test); });
  AggregatesOn<DeviceRows> aggregates;
  print_stage(rows, "aggregates", [&] { aggregates = aggregate(rows, view, test); });
  DeviceMatrix P, R, coarse;
  Buffer places;
  cuda::LooseRows AP;
  print_stage(rows, "prolongation", [&] { P = make_prolongation(rows, view, test, aggregates); });
  print_stage(rows, "transpose", [&] { R = cuda::transpose(rows, P, &places); });
  const std::int64_t likely = std::min(A.entries + 3 * A.rows, 20 * A.rows);
  print_stage(rows, "A P", [&] { AP = cuda::loose_product(rows, A, P, likely); });
  print_stage(rows, "P'(A P)", [&] {
    coarse = cuda::sorted(rows, cuda::loose_product(rows, R, AP, std::min(A.entries * 5 / 8, 100 * R.rows)));
  });
  print_stage(rows, "new prolongation", [&] { update_prolongation(rows, view, rows.at(aggregates.of), P); });
  print_stage(rows, "new transpose", [&] { cuda::update_transpose(rows, P, places, R); });
  print_stage(rows, "new P'(A P)", [&] { cuda::update_product(rows, R, AP, coarse); });
  auto pattern = std::make_shared<cuda::DevicePattern>();
  print_stage(rows, "slices", [&] { pattern->rows = std::make_shared<const cuda::SlicedRows>(make_sliced(rows, A)); });
  std::unique_ptr<Operator> own, precise;
  print_stage(rows, "values, fp32", [&] { own = cuda::make_row_operator(rows, pattern, A, Precision::fp32); });
  print_stage(rows, "values, fp64", [&] { precise = cuda::make_row_operator(rows, pattern, A, Precision::fp64); });
  print_stage(rows, "largest eigenvalue", [&] { (void)cuda::largest_scaled_eigenvalue(rows, *own); });
  print_stage(rows, "blocks",
              [&] { (void)cuda::make_blocks(rows, A, rows.at(aggregates.of), aggregates.count, *own); });
}

}  // namespace poisson::bench
