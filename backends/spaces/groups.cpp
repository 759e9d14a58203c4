#include "backends/spaces/groups.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

namespace poisson {
namespace {

class Some final : public Processes {
 public:
  Some(std::shared_ptr<const Processes> all, std::vector<int> ranks)
      : all_(std::move(all)),
        ranks_(std::move(ranks)),
        rank_(static_cast<int>(std::ranges::find(ranks_, all_->rank()) - ranks_.begin())) {}

  int rank() const override { return rank_; }
  int count() const override { return static_cast<int>(ranks_.size()); }
  std::unique_ptr<Transit> start(std::span<const Message> sent, std::span<const Message> received) const override {
    return all_->start(in_all(sent), in_all(received));
  }
  // Each round doubles the number of gathered parts (Bruck et al., IEEE Trans. Parallel Distrib. Syst. 8, 1997).
  void gather(const void* own, std::size_t bytes, void* all) const override {
    const int n = count();
    const auto parts = [&](int some) { return static_cast<std::size_t>(some) * bytes; };
    std::vector<char> from_here(parts(n));  // parts that begin with this process's
    std::memcpy(from_here.data(), own, bytes);
    for (int have = 1; have < n; have *= 2) {
      const std::size_t more = parts(std::min(have, n - have));
      const Message out{(rank() + n - have) % n, gathering_tag, from_here.data(), more};
      const Message in{(rank() + have) % n, gathering_tag, from_here.data() + parts(have), more};
      start({&out, 1}, {&in, 1})->finish();
    }
    for (int i = 0; i < n; ++i)
      std::memcpy(static_cast<char*>(all) + parts((rank() + i) % n), from_here.data() + parts(i), bytes);
  }
  void broadcast(void* data, std::size_t bytes, int from) const override {
    std::vector<Message> out, in;
    if (rank() != from) in.push_back({from, gathering_tag, data, bytes});
    for (int to = 0; rank() == from && to < count(); ++to)
      if (to != from) out.push_back({to, gathering_tag, data, bytes});
    start(out, in)->finish();
  }
  Waits waits() const override { return all_->waits(); }
  std::string without_device_memory() const override { return all_->without_device_memory(); }
  bool meet(double seconds) const override { return all_->meet(seconds); }
  void abort(int status) const override { all_->abort(status); }

 private:
  std::vector<Message> in_all(std::span<const Message> messages) const {
    std::vector<Message> same(messages.begin(), messages.end());
    for (Message& m : same) m.partner = ranks_[static_cast<std::size_t>(m.partner)];
    return same;
  }

  std::shared_ptr<const Processes> all_;
  std::vector<int> ranks_;
  int rank_;
};

}  // namespace

std::shared_ptr<const Processes> some_of(std::shared_ptr<const Processes> all, std::vector<int> ranks) {
  return std::make_shared<const Some>(std::move(all), std::move(ranks));
}

std::size_t Members::own() const {
  return static_cast<std::size_t>(std::ranges::find(ranks, processes->rank()) - ranks.begin());
}

// Each process begins with the next member, so that they do not all send to the same one first.
void swap_parts_of_others(const Members& members, const void* from, void* to, std::size_t bytes) {
  std::vector<Processes::Message> out, in;
  for (std::size_t i = 1; i < members.count(); ++i) {
    const std::size_t m = (members.own() + i) % members.count();
    out.push_back({members.ranks[m], gathering_tag, static_cast<char*>(const_cast<void*>(from)) + m * bytes, bytes});
    in.push_back({members.ranks[m], gathering_tag, static_cast<char*>(to) + m * bytes, bytes});
  }
  members.processes->start(out, in)->finish();
}

PatchesWithin::PatchesWithin(const Space& part, const Space& larger)
    // The space of `part` must outlive this object.
    : processes(std::shared_ptr<const Processes>(), &part.processes()) {
  const auto within = [&](const Box& box) {
    for (std::size_t d = 0; d < 3; ++d) {
      const int first = larger.part().origin()[d], last = first + larger.part().layout().n[d];
      if (box.first[d] < first || box.last[d] > last) return false;
    }
    return true;
  };
  for (int p = 0; p < part.part().cuts().patches(); ++p)
    if (within(part.part().cuts().patch(p))) patches.push_back(p);
  if (static_cast<int>(patches.size()) < part.part().cuts().patches())
    processes = some_of(std::move(processes), patches);
}

}  // namespace poisson
