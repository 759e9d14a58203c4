#include "grids/levels/gathering.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "backends/device/rehearsal.hpp"
#include "backends/memory/places.hpp"
#include "grids/operators/faces.hpp"

namespace poisson {
namespace {

// Returns the space in which the members of a group stack the ends of their lines.
Space stacked_ends(const Space& parts, const Block& group, const Block& part, std::size_t axis) {
  if (!group.share) {
    Layout layout = group.layout();
    layout.n[axis] = parts.part().all()[axis];
    layout.periodic[axis] = false;
    return layout;
  }
  Share share = *group.share;
  share.cuts.n[axis] = parts.part().cuts().n[axis];
  share.cuts.periodic[axis] = false;
  const auto &of_parts = part.share->cuts.first[axis], &of_groups = group.share->cuts.first[axis];
  for (std::size_t g = 0; g < of_groups.size(); ++g)
    share.cuts.first[axis][g] = parts.part().cuts().first[axis][static_cast<std::size_t>(
        std::ranges::find(of_parts, of_groups[g]) - of_parts.begin())];
  return {share, {{}, share.cuts.n}};
}

// Gathers fields of rows for the global level or for a group. A field that the rows name twice is gathered once.
class Gathered {
 public:
  Gathered(Backend& backend, const Block& part, const Block& larger)
      : backend_(backend), part_(part), larger_(larger) {}

  void operator()(std::shared_ptr<const Field>& field, const Space& space) {
    if (!field) return;
    auto& all = all_[field.get()];
    if (!all) {
      auto made = std::make_shared<Field>(backend_, space, field->precision());
      backend_.gather(*field, *made);
      fill_halo(*made);
      all = std::move(made);
    }
    field = all;
  }
  // Gathers the ends of an axis. If the axis is cut, only the ends of the first and the last part are used.
  void ends(std::shared_ptr<const Field>& field, std::size_t axis) {
    if (!field) return;
    const Space space = ends_space(larger_, axis);
    const Space stacked = stacked_ends(field->space(), larger_, part_, axis);
    const int skipped = stacked.part().layout().n[axis] - 4;
    if (skipped == 0) return (*this)(field, space);
    (*this)(field, stacked);
    auto made = std::make_shared<Field>(backend_, space, Precision::fp64);
    if (rehearses(backend_)) {
      field = std::move(made);
      return;
    }
    const HostRead read(*field);
    const auto host = make_cpu_backend();
    Field picked(*host, space, Precision::fp64);
    const auto from = (*read).view<double>();
    const auto to = picked.view<double>();
    for_each_place(space.part().layout().box(), [&](int i, int j, int k) {
      std::array at{i, j, k};
      if (at[axis] >= 2) at[axis] += skipped;
      to(i, j, k) = from(at[0], at[1], at[2]);
    });
    transfer(picked, *made);
    fill_halo(*made);
    field = std::move(made);
  }

 private:
  // Receives values from other groups.
  void fill_halo(const Field& field) {
    if (larger_.share) backend_.exchange(field, cut_halo);
  }

  Backend& backend_;
  const Block &part_, &larger_;
  std::map<const Field*, std::shared_ptr<const Field>> all_;
};

}  // namespace

GatheringTransfer::GatheringTransfer(std::unique_ptr<Transfer> parts, Backend& backend, const Block& coarse,
                                     Precision precision)
    : parts_(std::move(parts)), backend_(backend), part_(backend, coarse.space().without_exchange(), precision) {
  backend.reserve_gather_buffers(part_.space());
}

void GatheringTransfer::take(const Field& coarse) const {
  if (coarse.space().halo().with_others()) backend_.exchange(coarse, cut_halo);
  backend_.extract_part(coarse, part_);
}

void GatheringTransfer::do_restrict_to(const Field& fine, Field& coarse, const Scalar* scale) const {
  parts_->restrict_to(fine, part_, scale);
  backend_.gather(part_, coarse);
}

void GatheringTransfer::do_restrict_data(const Field& fine, Field& coarse, const Scalar* scale) const {
  parts_->restrict_data(fine, part_, scale);
  backend_.gather(part_, coarse);
}

void GatheringTransfer::do_prolong(const Field& coarse, Field& fine) const {
  take(coarse);
  parts_->prolong(part_, fine);
}

void GatheringTransfer::do_prolong_add(const Field& coarse, Field& fine) const {
  take(coarse);
  parts_->prolong_add(part_, fine);
}

void GatheringTransfer::do_interpolate(const Field& coarse, Field& fine, const Scalar* scale) const {
  take(coarse);
  parts_->interpolate(part_, fine, scale);
}

void GatheringTransfer::do_inject(const Field& fine, Field& coarse, const Scalar* scale) const {
  parts_->inject(fine, part_, scale);
  backend_.gather(part_, coarse);
}

SchemeRows gathered(Backend& backend, const SchemeRows& part, const Block& larger) {
  SchemeRows rows = part;
  LevelRows& level = level_rows(rows);
  const Block before = std::exchange(level.block, larger);
  const Block& block = level.block;
  Gathered all(backend, before, block);
  if (auto* nodes = std::get_if<NodeRows>(&rows)) {
    for (auto& cells : nodes->cells) all(cells, block.cell_space());
    all(nodes->reaction, block.space());
  } else if (auto* faces = std::get_if<FaceRows>(&rows)) {
    for (std::size_t d = 0; d < 3; ++d) {
      all(faces->faces[d], block.space());
      all.ends(faces->ends[d], d);
    }
    all(faces->reaction, block.space());
  } else if (auto* elements = std::get_if<ElementRows>(&rows)) {
    for (auto& cells : elements->cells) all(cells, block.cell_space());
    for (auto& cells : elements->offdiagonal) all(cells, block.cell_space());
    all(elements->sigma_cells, block.cell_space());
  }
  return rows;
}

std::shared_ptr<const Field> gathered(Backend& backend, std::shared_ptr<const Field> values, const Block& part,
                                      const Block& larger) {
  Gathered(backend, part, larger)(values, larger.space());
  return values;
}

}  // namespace poisson
