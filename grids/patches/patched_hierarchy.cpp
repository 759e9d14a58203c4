#include <algorithm>
#include <string>
#include <utility>

#include "backends/memory/error.hpp"
#include "backends/spaces/halo_moves.hpp"
#include "grids/patches/patched.hpp"
#include "grids/patches/patched_fields.hpp"

namespace poisson {
namespace {

/// Is the transfer between a level of patches and a coarser one. If every member has the coarser level entirely, the
/// first member works on the field itself, and the others on copies.
class PatchedTransfer final : public Transfer {
 public:
  PatchedTransfer(std::shared_ptr<const PatchTeam> team, std::vector<std::unique_ptr<Transfer>> parts,
                  std::vector<Space> fine, std::vector<Space> coarse, Precision precision)
      : team_(std::move(team)), parts_(std::move(parts)), fine_(std::move(fine)), coarse_(std::move(coarse)) {
    for (int m = 1; m < team_->size() && coarse_.front().is_global(); ++m)
      copies_.emplace_back(team_->backend(m), coarse_.front(), precision);
  }

 private:
  // Calls f(transfer, fine field, coarse field) for all patches. Only the first may write a coarse field of all.
  template <class F>
  void each(const Field& fine, const Field& coarse, bool writes_coarse, const F& f) const {
    team_->run([&](int member) {
      const auto m = static_cast<std::size_t>(member);
      FieldsOfPatch of_fine(*team_, fine_[m], member), of_coarse(*team_, coarse_[m], member);
      const bool whole = coarse_[m].is_global(), copies = whole && writes_coarse && m > 0;
      Field& there = copies ? copies_[m - 1] : whole ? const_cast<Field&>(coarse) : of_coarse[coarse];
      f(*parts_[m], of_fine[fine], there);
    });
  }
  void do_restrict_to(const Field& fine, Field& coarse, const Scalar* scale) const override {
    each(fine, coarse, true, [&](const Transfer& t, Field& u, Field& v) { t.restrict_to(u, v, scale); });
  }
  void do_restrict_data(const Field& fine, Field& coarse, const Scalar* scale) const override {
    each(fine, coarse, true, [&](const Transfer& t, Field& u, Field& v) { t.restrict_data(u, v, scale); });
  }
  void do_prolong(const Field& coarse, Field& fine) const override {
    each(fine, coarse, false, [&](const Transfer& t, Field& u, Field& v) { t.prolong(v, u); });
  }
  void do_prolong_add(const Field& coarse, Field& fine) const override {
    each(fine, coarse, false, [&](const Transfer& t, Field& u, Field& v) { t.prolong_add(v, u); });
  }
  void do_interpolate(const Field& coarse, Field& fine, const Scalar* scale) const override {
    each(fine, coarse, false, [&](const Transfer& t, Field& u, Field& v) { t.interpolate(v, u, scale); });
  }
  void do_inject(const Field& fine, Field& coarse, const Scalar* scale) const override {
    each(fine, coarse, true, [&](const Transfer& t, Field& u, Field& v) { t.inject(u, v, scale); });
  }

  std::shared_ptr<const PatchTeam> team_;
  std::vector<std::unique_ptr<Transfer>> parts_;
  std::vector<Space> fine_, coarse_;
  mutable std::vector<Field> copies_;  // of the members after the first
};

bool is_of_patches(const Operator& A) {
  return !A.space().is_global();
}

// Throws InputError if a level of patches has parts beside its operator and transfer. Levels of one box may have any.
void require_plain(const Hierarchy& levels) {
  const auto refuse = [](const char* what, const char* remedy) {
    throw InputError(std::string("several patches support no ") + what + ": use one patch, or " + remedy);
  };
  for (std::size_t l = 0; l < levels.operators.size(); ++l) {
    if (!is_of_patches(*levels.operators[l])) continue;
    if (l < levels.planes.size() && levels.planes[l]) refuse("relaxation of planes", "solver.smoother.type: line");
    if (l < levels.strong_clusters.size() && levels.strong_clusters[l])
      refuse("strong clusters of cells", "solver.coarse_operator: rediscretized");
  }
  if (!levels.semicoarsened.empty()) refuse("semicoarsened levels", "solver.smoother.type: line");
}

}  // namespace

Space space_of_patches(const Space& part, const std::shared_ptr<const Processes>& processes) {
  const Cuts& cuts = part.part().cuts();
  std::vector<PatchOfAll> all;
  for (int p = 0; p < cuts.patches(); ++p) {
    const Layout layout = cuts.layout(p);
    const Box own = cuts.patch(p);
    Box unknowns = intersection(own, part.part().all_unknowns());
    for (std::size_t d = 0; d < 3; ++d) {
      unknowns.first[d] -= own.first[d];
      unknowns.last[d] -= own.first[d];
    }
    const int first = own.first[cuts.n[2] == 1 ? 1 : 2];
    const auto process = static_cast<int>(std::int64_t{p} * processes->count() / cuts.patches());
    all.push_back({process, layout, {unknowns, layout.box(), first}});
  }
  return {all, {halo_moves(cuts)}, processes};
}

Hierarchy make_patched_hierarchy(const std::shared_ptr<const PatchTeam>& team, std::vector<Hierarchy> parts) {
  Hierarchy& one = parts.front();
  require_plain(one);
  Hierarchy all;
  const auto of_patches = [&](std::size_t l) { return is_of_patches(*one.operators[l]); };
  const auto spaces = [&](std::size_t l) {
    std::vector<Space> found;
    for (const Hierarchy& part : parts) found.push_back(part.operators[l]->space());
    return found;
  };
  for (std::size_t l = 0; l < one.transfers.size(); ++l) {
    if (!of_patches(l)) {
      all.transfers.push_back(std::move(one.transfers[l]));
      continue;
    }
    std::vector<std::unique_ptr<Transfer>> own;
    for (Hierarchy& part : parts) own.push_back(std::move(part.transfers[l]));
    all.transfers.push_back(std::make_unique<PatchedTransfer>(team, std::move(own), spaces(l), spaces(l + 1),
                                                              one.operators[l + 1]->precision()));
  }
  for (std::size_t l = 0; l < one.operators.size(); ++l) {
    std::vector<std::shared_ptr<const Operator>> own;
    for (const Hierarchy& part : parts) own.push_back(part.operators[l]);
    all.operators.push_back(of_patches(l) ? make_patched_operator(team, std::move(own)) : own.front());
  }
  all.coarsest = std::move(one.coarsest);
  all.relaxations = std::move(one.relaxations);
  all.planes = std::move(one.planes);
  all.strong_clusters = std::move(one.strong_clusters);
  all.decoupled = one.decoupled;
  return all;
}

}  // namespace poisson
