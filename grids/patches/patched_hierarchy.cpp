#include "grids/patches/patched_hierarchy.hpp"

#include <array>
#include <string>
#include <utility>

#include "backends/memory/error.hpp"

namespace poisson {
namespace {

/// Is a transfer between patches and a coarser level of the part that they tile. Without a transfer of the part, the
/// coarser level is the part itself.
class PatchedTransfer final : public Transfer {
 public:
  PatchedTransfer(std::unique_ptr<Transfer> own, Backend& backend, std::shared_ptr<const PatchedBox> of)
      : own_(std::move(own)), backend_(backend), of_(std::move(of)) {
    for (const Precision precision : {Precision::fp32, Precision::fp64})
      fields_[static_cast<std::size_t>(precision)] = Field(backend, of_->box, precision);
  }

 private:
  Field& part(const Field& fine) const { return fields_[static_cast<std::size_t>(fine.precision())]; }
  const Field& gathered(const Field& fine) const {
    backend_.run_exchange(of_->to_box, fine, part(fine));
    return part(fine);
  }
  // Copies or scales values of the part.
  void copy(const Field& from, Field& to, const Scalar* scale = nullptr) const {
    if (scale)
      backend_.scale(*scale, from, to);
    else
      backend_.convert(from, to);
  }
  void do_restrict_to(const Field& fine, Field& coarse, const Scalar* scale) const override {
    own_ ? own_->restrict_to(gathered(fine), coarse, scale) : copy(gathered(fine), coarse, scale);
  }
  void do_restrict_data(const Field& fine, Field& coarse, const Scalar* scale) const override {
    own_ ? own_->restrict_data(gathered(fine), coarse, scale) : copy(gathered(fine), coarse, scale);
  }
  void do_inject(const Field& fine, Field& coarse, const Scalar* scale) const override {
    own_ ? own_->inject(gathered(fine), coarse, scale) : copy(gathered(fine), coarse, scale);
  }
  void do_prolong(const Field& coarse, Field& fine) const override { prolong(coarse, fine, of_->unknowns_to_patches); }
  void do_prolong_add(const Field& coarse, Field& fine) const override { prolong(coarse, fine, of_->unknowns_added); }
  void do_interpolate(const Field& coarse, Field& fine, const Scalar* scale) const override {
    own_ ? own_->interpolate(coarse, part(fine), scale) : copy(coarse, part(fine), scale);
    backend_.run_exchange(of_->unknowns_to_patches, part(fine), fine);
  }
  void prolong(const Field& coarse, Field& fine, const Exchange& back) const {
    own_ ? own_->prolong(coarse, part(fine)) : copy(coarse, part(fine));
    backend_.run_exchange(back, part(fine), fine);
  }

  std::unique_ptr<Transfer> own_;
  Backend& backend_;
  std::shared_ptr<const PatchedBox> of_;
  mutable std::array<Field, 2> fields_;  // on the part, by precision
};

void refuse(const std::string& what, const std::string& remedy) {
  throw InputError("several patches support no " + what + ": use one patch, or " + remedy);
}

}  // namespace

Hierarchy make_patched_hierarchy(Hierarchy levels, std::unique_ptr<Operator> finest,
                                 const std::shared_ptr<const PatchedBox>& of) {
  if (!levels.nested.empty() && levels.nested.front()) refuse("relaxation of planes", "solver.smoother.type: line");
  if (!levels.strong_clusters.empty() && levels.strong_clusters.front())
    refuse("strong clusters of cells", "solver.coarse_operator: rediscretized");
  Backend& backend = finest->backend();
  const auto transfer = [&](std::unique_ptr<Transfer> own) {
    return std::make_unique<PatchedTransfer>(std::move(own), backend, of);
  };
  for (Semicoarsened& side : levels.semicoarsened) side.transfer = transfer(std::move(side.transfer));
  if (levels.transfers.empty()) {  // the part is solved directly
    levels.operators.push_back(levels.operators.front());
    levels.relaxations.push_back({});
    levels.nested.resize(2);
    levels.transfers.push_back(transfer(nullptr));
  } else {
    levels.transfers.front() = transfer(std::move(levels.transfers.front()));
  }
  levels.operators.front() = std::move(finest);
  return levels;
}

}  // namespace poisson
