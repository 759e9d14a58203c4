#include <memory>
#include <vector>

#include "backends/cpu/launch.hpp"
#include "grids/kernels/coarsening.hpp"
#include "grids/kernels/cpu/factories.hpp"

namespace poisson::cpu {
namespace {

// Owns copies of the tables.
class SetUpOnHost {
 public:
  template <class T>
  void add(const std::vector<T>& values, const T*& there) {
    const auto copy = std::make_shared<const std::vector<T>>(values);
    there = copy->data();
    tables_.push_back(copy);
  }
  void upload() {}
  template <class F>
  void launch(const Box& box, const F& f) {
    for_each_line(box, [&](int j, int k) {
      for (int i = box.first[0]; i < box.last[0]; ++i) f(i, j, k);
    });
  }

 private:
  std::vector<std::shared_ptr<const void>> tables_;
};

}  // namespace

void coarsen_cells(const Block& fine, const CoarseBlock& coarse, const Field& fine_cells, Field& coarse_cells,
                   CellMean kind, bool with_faces) {
  coarsening::coarsen_cells(SetUpOnHost(), fine, coarse, fine_cells, coarse_cells, kind, with_faces);
}

void coarsen_faces(const FaceRows& fine, const CoarseBlock& coarse, const FieldPerAxis& coarse_ends, Field& gains,
                   const std::array<std::shared_ptr<Field>, 3>& coarse_faces) {
  coarsening::coarsen_faces(SetUpOnHost(), fine, coarse, coarse_ends, gains, coarse_faces);
}

void move_walls(const FaceRows& fine, const CoarseBlock& coarse, const Field& walls, Field& farther) {
  coarsening::move_walls(SetUpOnHost(), fine, coarse, walls, farther);
}

}  // namespace poisson::cpu
