#include "grids/results/percolation.hpp"

#include <array>
#include <vector>

#include "backends/device/backend.hpp"
#include "backends/memory/places.hpp"
#include "grids/schemes/cells/media_system.hpp"

namespace poisson {
namespace {

using Cell = std::array<int, 3>;

// Marks cells that conductances connect to the lower end of an axis.
class Front {
 public:
  Front(const Discretization& d, std::size_t axis) : d_(d), media_(*d.media()), block_(d.block()), axis_(axis) {
    n_ = block_.layout().n;
    const Space space = block_.space();
    for (std::size_t e = 0; e < 3; ++e) {
      first_[e] = space.part().origin()[e];
      all_[e] =
          e < static_cast<std::size_t>(block_.dimension()) ? static_cast<int>(d.problem().nodes[e].size()) - 1 : 1;
    }
    marks_.resize(static_cast<std::size_t>(block_.layout().box().size()));
  }

  void start() {
    if (first_[axis_] > 0) return;
    Box layer = block_.layout().box();
    layer.last[axis_] = 1;
    for_each_place(layer, [&](int i, int j, int k) { waiting_.push_back({i, j, k}); });
  }

  bool at_end() const {
    if (first_[axis_] + n_[axis_] < all_[axis_]) return false;
    Box layer = block_.layout().box();
    layer.first[axis_] = n_[axis_] - 1;
    bool found = false;
    for_each_place(layer, [&](int i, int j, int k) { found = found || marked({i, j, k}); });
    return found;
  }

  // Marks all cells of this process that are connected to waiting ones. Returns whether any is new.
  bool spread() {
    bool any = false;
    while (!waiting_.empty()) {
      const Cell cell = waiting_.back();
      waiting_.pop_back();
      if (marked(cell) || !media_.solved(cell[0], cell[1], cell[2])) continue;
      marks_[number(cell)] = 1;
      any = true;
      for_each_neighbour(cell, [&](const Cell& next, bool inside) {
        if (inside && !marked(next)) waiting_.push_back(next);
      });
    }
    return any;
  }

  // Adds the cells that marked cells of other processes touch.
  void receive() {
    if (!field_) field_ = Field(d_.backend(), block_.space(), Precision::fp64);
    const std::vector<double> values(marks_.begin(), marks_.end());
    d_.sampler().put(block_.layout().box(), values, SampleStore::set, field_);
    d_.backend().exchange(field_, 1);
    Box box = block_.layout().box();
    for (std::size_t e = 0; e < 3; ++e) {
      const Axis& axis = block_.axes[e];
      if (axis.degenerate() || axis.periodic()) continue;
      if (!axis.open(0)) --box.first[e];
      if (!axis.open(1)) ++box.last[e];
    }
    const std::vector<double> around = d_.functionals().values(field_, box);
    for_each_place(block_.layout().box(), [&](int i, int j, int k) {
      const Cell cell{i, j, k};
      if (marked(cell)) return;
      for_each_neighbour(cell, [&](const Cell& next, bool inside) {
        if (!inside && around[number_in(box, next)] != 0) waiting_.push_back(cell);
      });
    });
  }

 private:
  std::size_t number(const Cell& c) const { return media_.own(c[0], c[1], c[2]); }
  bool marked(const Cell& c) const { return marks_[number(c)] != 0; }

  // Calls f(neighbour, whether this process owns it) for the neighbours that a conductance connects to a cell.
  template <class F>
  void for_each_neighbour(const Cell& cell, const F& f) const {
    for (std::size_t d = 0; d < static_cast<std::size_t>(block_.dimension()); ++d)
      for (const int side : {0, 1}) {
        Cell face = cell, next = cell;
        face[d] += side;
        next[d] += side == 0 ? -1 : 1;
        if (!(media_.face(d, face[0], face[1], face[2]) > 0)) continue;
        const int global = first_[d] + next[d];
        const bool seam = global < 0 || global >= all_[d];
        if (seam && (d == axis_ || !block_.axes[d].closed())) continue;
        if (seam && block_.axes[d].periodic()) next[d] = next[d] < 0 ? n_[d] - 1 : 0;
        f(next, next[d] >= 0 && next[d] < n_[d]);
      }
  }

  const Discretization& d_;
  const MediaSystem& media_;
  const Block& block_;
  std::size_t axis_;
  std::array<int, 3> n_{}, first_{}, all_{};
  std::vector<char> marks_;
  std::vector<Cell> waiting_;
  Field field_;
};

}  // namespace

bool percolates(const Discretization& d, int axis) {
  if (!d.media()->has_gaps()) return true;
  if (const auto& known = d.media()->percolates(static_cast<std::size_t>(axis))) return *known;
  const Processes& processes = d.processes();
  Front front(d, static_cast<std::size_t>(axis));
  front.start();
  bool any = processes.any(front.spread());
  while (any && !processes.alone()) {
    front.receive();
    any = processes.any(front.spread());
  }
  return processes.any(front.at_end());
}

}  // namespace poisson
