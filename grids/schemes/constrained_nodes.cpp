#include "grids/schemes/constrained_nodes.hpp"

#include <algorithm>

#include "backends/device/backend.hpp"
#include "backends/memory/places.hpp"

namespace poisson {
namespace {

// Returns the number of Dirichlet faces that contain a node.
int dirichlet_faces(const Block& block, const std::array<int, 3>& at) {
  int faces = 0;
  for (std::size_t d = 0; d < 3; ++d)
    for (const int end : {0, 1})
      faces += !block.axes[d].degenerate() && block.axes[d].kind(end) == BoundaryKind::dirichlet &&
               at[d] == (end == 0 ? 0 : block.axes[d].size() - 1);
  return faces;
}

// Replaces the value at each place of a box by f(value, number of the place, place).
template <class F>
void change(const SchemeContext& context, Field& x, const Box& box, const F& f) {
  if (box.size() == 0) return;
  std::vector<double> values = context.functionals.values(x, box);
  std::size_t number = 0;
  for_each_place(box, [&](int i, int j, int k) {
    values[number] = f(values[number], number, std::array{i, j, k});
    ++number;
  });
  context.sampler.put(box, values, SampleStore::set, x);
}

}  // namespace

ConstrainedNodes::ConstrainedNodes(const SchemeContext& context) : setting_(context), faces_(context.mixed_bc) {
  const Box unknowns = context.block.unknowns();
  bool some = false;
  for (const MixedBcFace& face : faces_) {
    std::vector<bool>& constrained = held_.emplace_back();
    for_each_place(face.nodes(), [&](int i, int j, int k) {
      constrained.push_back(contains(unknowns, {i, j, k}) &&
                            std::ranges::any_of(faces_, [&](const MixedBcFace& any) { return any.holds(i, j, k); }));
      some = some || constrained.back();
    });
  }
  some_ = !faces_.empty() && context.processes().any(some);
}

void ConstrainedNodes::add(double value, Field& x) const {
  std::vector<Box> done;  // a node of two faces counts once
  for (std::size_t f = 0; f < faces_.size(); ++f) {
    change(setting_, x, faces_[f].nodes(), [&](double before, std::size_t n, const std::array<int, 3>& at) {
      const bool again = std::ranges::any_of(done, [&](const Box& box) { return contains(box, at); });
      return held_[f][n] && !again ? before + value : before;
    });
    done.push_back(faces_[f].nodes());
  }
}

void ConstrainedNodes::fill(Field& u) const {
  ErrorCollector check;
  for (std::size_t f = 0; f < faces_.size(); ++f)
    check([&] {
      const std::vector<double> given = faces_[f].given();
      change(setting_, u, faces_[f].nodes(), [&](double before, std::size_t n, const std::array<int, 3>& at) {
        if (!faces_[f].holds(at[0], at[1], at[2])) return before;
        int others = dirichlet_faces(setting_.block, at);
        for (std::size_t e = 0; e < f; ++e) others += faces_[e].holds(at[0], at[1], at[2]) ? 1 : 0;
        return others == 0 ? given[n] : before + (given[n] - before) / (others + 1);
      });
    });
  check.finish(setting_.processes());
}

void ConstrainedNodes::clear(Field& x) const {
  for (std::size_t f = 0; f < faces_.size(); ++f)
    change(setting_, x, faces_[f].nodes(),
           [&](double before, std::size_t n, const std::array<int, 3>&) { return held_[f][n] ? 0 : before; });
}

Box ConstrainedNodes::layers_at(const MixedBcFace& face) const {
  Box box = setting_.values();
  const auto d = static_cast<std::size_t>(face.axis());
  const Axis& axis = setting_.block.axes[d];
  const int first = face.end() == 0 ? 0 : axis.global().size() - 2;
  box.first[d] = std::max(0, first - axis.origin());
  box.last[d] = std::min(axis.size(), first + 2 - axis.origin());
  return box.first[d] < box.last[d] ? box : Box{};
}

void ConstrainedNodes::take_out(const Operator& A, Field& u, Field& b, Field& work) {
  values_.assign(faces_.size(), {});
  data_.assign(faces_.size(), {});
  for (std::size_t f = 0; f < faces_.size(); ++f) {
    if (faces_[f].nodes().size() > 0) values_[f] = setting_.functionals.values(u, faces_[f].nodes());
    if (layers_at(faces_[f]).size() > 0) data_[f] = setting_.functionals.values(b, layers_at(faces_[f]));
  }
  setting_.backend.fill(work, 0);
  for (std::size_t f = 0; f < faces_.size(); ++f)
    change(setting_, work, faces_[f].nodes(), [&](double before, std::size_t n, const std::array<int, 3>&) {
      return held_[f][n] ? values_[f][n] : before;
    });
  A.residual(work, b, b);
  clear(b);
  clear(u);
}

void ConstrainedNodes::put_back(Field& u, Field& b) const {
  for (std::size_t f = 0; f < faces_.size(); ++f) {
    change(setting_, u, faces_[f].nodes(), [&](double before, std::size_t n, const std::array<int, 3>&) {
      return held_[f][n] ? values_[f][n] : before;
    });
    change(setting_, b, layers_at(faces_[f]),
           [&](double, std::size_t n, const std::array<int, 3>&) { return data_[f][n]; });
  }
}

std::shared_ptr<const Field> penalty_field(const SchemeContext& context) {
  if (!on_elements(context.problem.scheme)) return nullptr;
  const ConstrainedNodes constrained(context);
  if (!constrained.some()) return nullptr;
  auto field = context.field(context.block.space());
  constrained.add(penalty_reaction, *field);
  return field;
}

}  // namespace poisson
