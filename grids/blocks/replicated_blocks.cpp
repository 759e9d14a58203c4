#include "grids/blocks/replicated_blocks.hpp"

#include <algorithm>
#include <utility>

namespace poisson {
namespace {

class ReplicatingTransfer final : public Transfer {
 public:
  ReplicatingTransfer(Backend& backend, std::unique_ptr<Transfer> down, std::unique_ptr<Transfer> up,
                      Replicate replicate, const Space& shares, Precision precision)
      : down_(std::move(down)),
        up_(std::move(up)),
        replicate_(std::move(replicate)),
        part_(backend, shares, precision) {}

 private:
  void do_restrict_to(const Field& fine, Field& coarse, const Scalar* scale) const override {
    down_->restrict_to(fine, part_, scale);
    replicate_(part_, coarse);
  }
  void do_inject(const Field& fine, Field& coarse, const Scalar* scale) const override {
    down_->inject(fine, part_, scale);
    replicate_(part_, coarse);
  }
  void do_prolong(const Field& coarse, Field& fine) const override { up_->prolong(coarse, fine); }
  void do_prolong_add(const Field& coarse, Field& fine) const override { up_->prolong_add(coarse, fine); }
  void do_interpolate(const Field& coarse, Field& fine, const Scalar* scale) const override {
    up_->interpolate(coarse, fine, scale);
  }

  std::unique_ptr<Transfer> down_, up_;
  Replicate replicate_;
  mutable Field part_;  // of this process
};

}  // namespace

std::vector<std::vector<double>> lists_of_all_blocks(const BlockSpace& shares,
                                                     const std::vector<std::vector<double>>& own) {
  const Processes& processes = shares.space.processes();
  const std::size_t blocks = shares.process.size(), count = static_cast<std::size_t>(processes.count());
  std::vector<std::int64_t> size(blocks, 0), sizes(blocks * count);
  std::vector<double> sent, all;
  for (std::size_t b = 0; b < own.size(); ++b) {
    size[static_cast<std::size_t>(shares.own[b].block)] = std::ssize(own[b]);
    sent.insert(sent.end(), own[b].begin(), own[b].end());
  }
  processes.gather(size.data(), blocks * sizeof(std::int64_t), sizes.data());
  const auto most = static_cast<std::size_t>(processes.largest(static_cast<double>(sent.size())));
  sent.resize(most);
  all.resize(most * count);
  processes.gather(sent.data(), most * sizeof(double), all.data());
  std::vector<std::vector<double>> lists(blocks);
  std::vector<std::size_t> at(count);
  for (std::size_t p = 0; p < count; ++p) at[p] = p * most;
  for (std::size_t b = 0; b < blocks; ++b) {  // each process has sent its blocks in the order of their numbers
    const auto owner = static_cast<std::size_t>(shares.process[b]);
    const auto from = all.begin() + static_cast<std::ptrdiff_t>(at[owner]);
    lists[b].assign(from, from + sizes[owner * blocks + b]);
    at[owner] += lists[b].size();
  }
  return lists;
}

Replicate make_replication(std::shared_ptr<const BlockSpace> shares, std::shared_ptr<const BlockSpace> all) {
  return [shares = std::move(shares), all = std::move(all)](const Field& from, Field& to) {
    put_nodes(get_nodes(from, *shares), *all, to);
  };
}

std::unique_ptr<Transfer> make_replicating_transfer(Backend& backend, std::unique_ptr<Transfer> down,
                                                    std::unique_ptr<Transfer> up, Replicate replicate,
                                                    const BlockSpace& shares, Precision precision) {
  return std::make_unique<ReplicatingTransfer>(backend, std::move(down), std::move(up), std::move(replicate),
                                               shares.space, precision);
}

}  // namespace poisson
