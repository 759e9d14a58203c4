#include "grids/patches/patched_hierarchy.hpp"

#include <utility>
#include <vector>

namespace poisson {
namespace {

/// Is the transfer between patches and the part that they tile: values change their places alone. Both fields of a verb
/// have one precision.
class PatchedTransfer final : public Transfer {
 public:
  PatchedTransfer(Backend& backend, std::shared_ptr<const PatchedBox> of) : backend_(backend), of_(std::move(of)) {}

 private:
  void run(const Exchange& exchange, const Field& from, Field& to, const Scalar* scale) const {
    backend_.run_exchange(exchange, from, to);
    if (scale) backend_.scale(*scale, to, to);
  }
  void do_restrict_to(const Field& fine, Field& coarse, const Scalar* scale) const override {
    run(of_->to_box, fine, coarse, scale);
  }
  void do_restrict_data(const Field& fine, Field& coarse, const Scalar* scale) const override {
    run(of_->to_box, fine, coarse, scale);
  }
  void do_inject(const Field& fine, Field& coarse, const Scalar* scale) const override {
    run(of_->to_box, fine, coarse, scale);
  }
  void do_prolong(const Field& coarse, Field& fine) const override {
    run(of_->unknowns_to_patches, coarse, fine, nullptr);
  }
  void do_prolong_add(const Field& coarse, Field& fine) const override {
    run(of_->unknowns_added, coarse, fine, nullptr);
  }
  void do_interpolate(const Field& coarse, Field& fine, const Scalar* scale) const override {
    run(of_->unknowns_to_patches, coarse, fine, scale);
  }

  Backend& backend_;
  std::shared_ptr<const PatchedBox> of_;
};

template <class T>
void put_first(std::vector<T>& list, T value) {
  list.insert(list.begin(), std::move(value));
}

}  // namespace

Hierarchy make_patched_hierarchy(Hierarchy levels, std::unique_ptr<Operator> finest,
                                 const std::shared_ptr<const PatchedBox>& of) {
  put_first<std::unique_ptr<Transfer>>(levels.transfers, std::make_unique<PatchedTransfer>(finest->backend(), of));
  put_first<std::shared_ptr<const Operator>>(levels.operators, std::move(finest));
  put_first(levels.relaxations, Relaxation{});
  put_first<std::unique_ptr<Hierarchy>>(levels.nested, nullptr);
  if (!levels.strong_clusters.empty())
    put_first<std::shared_ptr<const StrongClusters>>(levels.strong_clusters, nullptr);
  return levels;
}

bool moves_alone(const Transfer& transfer) {
  return dynamic_cast<const PatchedTransfer*>(&transfer) != nullptr;
}

}  // namespace poisson
