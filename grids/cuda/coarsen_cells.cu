#include <algorithm>
#include <vector>

#include "backends/cuda/cuda_backend.cuh"
#include "backends/cuda/device_tables.hpp"
#include "grids/cuda/factories.hpp"

namespace poisson::cuda {
namespace {

// The children of coarse cell I along an axis are the fine cells from begin[I] to end[I].
struct Children {
  const int *begin, *end;
  const double* width;  // of the fine cells
};

// Coarse cells as the means of their children.
struct Mean {
  View<const double> fine;
  View<double> coarse;
  Children x, y, z;
  bool of_roots;

  __device__ void operator()(int I, int J, int K0, int K1) const {
    for (int K = K0; K < K1; ++K) {
      double sum = 0, volume = 0;
      for (int k = z.begin[K]; k < z.end[K]; ++k)
        for (int j = y.begin[J]; j < y.end[J]; ++j)
          for (int i = x.begin[I]; i < x.end[I]; ++i) {
            const double v = x.width[i] * y.width[j] * z.width[k];
            sum += v * (of_roots ? sqrt(fine(i, j, k)) : fine(i, j, k));
            volume += v;
          }
      coarse(I, J, K) = of_roots ? (sum / volume) * (sum / volume) : sum / volume;
    }
  }
};

struct NoSteps {  // set-up: nothing to share a launch with
  template <class T>
  using Columns = ColumnList<>;
};

}  // namespace

void coarsen_cells(Backend& backend, const Block& fine, const CoarseBlock& coarse, const Field& fine_cells,
                   Field& coarse_cells, CellMean kind, bool with_faces) {
  auto& device = static_cast<CudaBackend&>(backend);
  Mean mean{fine_cells.view<double>(), coarse_cells.view<double>(), {}, {}, {}, kind == CellMean::of_roots};
  DeviceTables tables;
  Box box = coarse_cells.layout().box();
  for (std::size_t d = 0; d < 3; ++d) {
    const Axis& axis = fine.axes[d];
    const int cells = coarse_cells.layout().n[d], fine_size = fine_cells.layout().n[d];
    // One layer beyond open ends stands on both levels, beyond the ends of a periodic axis the cells of its other end;
    // the tables begin at index −1.
    std::vector<int> begin{-1}, end{0};
    for (int I = 0; I < cells; ++I) {
      begin.push_back(coarse.axes[d].fine[static_cast<std::size_t>(I)]);
      end.push_back(I + 1 < cells ? coarse.axes[d].fine[static_cast<std::size_t>(I) + 1] : fine_size);
    }
    begin.push_back(fine_size);
    end.push_back(fine_size + 1);
    if (axis.periodic()) {
      begin.front() = begin[static_cast<std::size_t>(cells)];
      end.front() = end[static_cast<std::size_t>(cells)];
      begin.back() = begin[1];
      end.back() = end[1];
    }
    std::vector<double> width{1};
    for (int i = 0; i < fine_size; ++i) width.push_back(axis.degenerate() ? 1.0 : axis.width(i));
    width.push_back(1);
    Children& children = d == 0 ? mean.x : d == 1 ? mean.y : mean.z;
    tables.add(begin, children.begin);
    tables.add(end, children.end);
    tables.add(width, children.width);
  }
  if (with_faces) box = with_halo(fine, box);
  const Buffer memory = tables.upload(backend);
  for (Children* children : {&mean.x, &mean.y, &mean.z}) {
    ++children->begin;
    ++children->end;
    ++children->width;
  }
  device.for_columns<NoSteps>(box, mean);
}

}  // namespace poisson::cuda
