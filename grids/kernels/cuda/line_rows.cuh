#pragma once

#include "backends/cuda/cuda_backend.cuh"
#include "grids/kernels/line_rows.hpp"
#include "grids/operators/stencil_base.hpp"

namespace poisson::cuda {

template <class T, class Coefficients>
struct FillPartRows {
  static constexpr int resident_threads = 512;
  Coefficients c;
  int decoupled_axis;
  LineEnds ends;
  View<T> sum, onwards;

  __device__ void operator()(int i, int j, int k0, int k1) const {
    for (int k = k0; k < k1; ++k) {
      const PartRow<T> row =
          part_row(line_row(decoupled(c.line(j, k).row(i), decoupled_axis), ends.axis), ends, i, j, k);
      sum(i, j, k) = row.sum;
      onwards(i, j, k) = row.onwards;
    }
  }
};

}  // namespace poisson::cuda

namespace poisson {

template <>
template <class T, class Own>
void LineRowsOn<OnCuda>::fill(Backend& backend, const Own& rows, const LineEnds& ends, LineRows& lines) {
  with_model<T>(rows, [&]<class Coefficients>(Model<Coefficients>) {
    const typename TablesFor<T, Coefficients>::Type tables(backend, rows);
    const cudaStream_t stream = static_cast<cuda::CudaBackend&>(backend).stream();
    cuda::for_columns(stream, lines.sum.space().part().unknowns(),
                      cuda::FillPartRows<T, Coefficients>{tables.template model<Coefficients>(), rows.decoupled, ends,
                                                          lines.sum.view<T>(), lines.onwards.view<T>()});
    cuda::check(cudaStreamSynchronize(stream));  // before the tables are freed
  });
}

}  // namespace poisson
