#include "backends/cuda/transform_lines.hpp"
#include "backends/cuda/trig_kernel.cuh"

namespace poisson::cuda {
namespace {

/// Three blocks share a multiprocessor, or one block of long lines occupies it.
using Shared = TrigBlock<threads_of_shared, 3, 4, true>;
using Whole = TrigBlock<threads_of_whole, 1, 4, true>;

}  // namespace

template <class T>
void transform_lines(cudaStream_t stream, const TrigView<T>& trig, int axis, TrigPath path, const View<const T>& from,
                     const View<T>& to, const Scalar* a, const Box& box, const std::array<const T*, 3>& eigenvalues) {
  const auto d = static_cast<std::size_t>(axis);
  const std::size_t fast = d == 0 ? 1 : 0, slow = d == 2 ? 1 : 2;
  const std::array<std::int64_t, 3> stride{1, to.sy, to.sz};
  const auto extent = [&](std::size_t e) { return box.last[e] - box.first[e]; };
  const auto origin = [&](const auto& v) { return &v(box.first[0], box.first[1], box.first[2]); };
  const TileShape shape = tile_shape(trig.rows(), sizeof(Complex<T>), d == 0, extent(fast));
  const LinesOf<T> lines{origin(from), origin(to),   static_cast<std::uint32_t>(stride[d]),
                         stride[fast], stride[slow], d == 0 ? 0 : box.first[0] % (2 * shape.pairs()),
                         extent(fast)};
  const Ending<T> ending{a ? a->address() : nullptr, eigenvalues[d], eigenvalues[fast], eigenvalues[slow]};
  const bool small = static_cast<std::size_t>(shape.numbers(trig.rows())) * sizeof(Complex<T>) <= shared_tile;
  const auto launch = [&]<bool along_x, TrigEnd end>() {
    const bool forward = path != TrigPath::backward;
    if (small)
      launch_trig<T, along_x, end, Shared>(stream, trig, lines, ending, shape, forward, extent(slow));
    else
      launch_trig<T, along_x, end, Whole>(stream, trig, lines, ending, shape, forward, extent(slow));
  };
  if (path == TrigPath::round_trip)
    launch.template operator()<false, TrigEnd::field_and_back>();
  else if (d == 0 && a)
    launch.template operator()<true, TrigEnd::sum>();
  else if (d == 0)
    launch.template operator()<true, TrigEnd::field>();
  else if (a)
    launch.template operator()<false, TrigEnd::sum>();
  else
    launch.template operator()<false, TrigEnd::field>();
}

template void transform_lines(cudaStream_t, const TrigView<float>&, int, TrigPath, const View<const float>&,
                              const View<float>&, const Scalar*, const Box&, const std::array<const float*, 3>&);
template void transform_lines(cudaStream_t, const TrigView<double>&, int, TrigPath, const View<const double>&,
                              const View<double>&, const Scalar*, const Box&, const std::array<const double*, 3>&);

}  // namespace poisson::cuda
