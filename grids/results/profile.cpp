#include "grids/results/profile.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace poisson {
namespace {

// Fields of different meaning on a level may have spaces that differ in the unknowns alone.
auto same_as(const Space& level) {
  return [&level](const Space& other) { return level.has_layouts_of(other); };
}

}  // namespace

/// Times the reported verbs. Numbered levels are the first ones.
class Profile::Log final : public VerbLog {
 public:
  explicit Log(Backend& backend) : timer_(backend.make_timer()) {}

  void number(const Space& level) {
    const auto end = levels_.begin() + numbered_;
    if (std::find_if(levels_.begin(), end, same_as(level)) == end) levels_.insert(levels_.begin() + numbered_++, level);
  }
  // Forgets all verbs so far, and the levels without a number.
  void clear() {
    take();
    levels_.erase(levels_.begin() + numbered_, levels_.end());
  }

  void start(std::string_view verb, const Space& level, double bytes) override {
    const std::size_t entry = entry_of(verb, level_of(level));
    entries_[entry].calls += 1;
    entries_[entry].bytes += bytes;
    pending_.push_back(entry);
    timer_->start(verb.data());
  }
  void stop() override {
    timer_->stop();
    if (pending_.size() == most_pending) settle();
  }

  std::vector<Profile::Entry> take() {
    settle();
    std::vector<Profile::Entry> entries = std::exchange(entries_, {});
    std::sort(entries.begin(), entries.end(), [](const auto& a, const auto& b) {
      return a.level != b.level ? a.level < b.level : a.seconds > b.seconds;
    });
    return entries;
  }

 private:
  static constexpr std::size_t most_pending = 1 << 14;  // bounds the number of events, however long the solve is

  int level_of(const Space& level) {
    const auto found = std::find_if(levels_.begin(), levels_.end(), same_as(level));
    if (found == levels_.end()) {
      levels_.push_back(level);
      return static_cast<int>(levels_.size()) - 1;
    }
    return static_cast<int>(found - levels_.begin());
  }
  std::size_t entry_of(std::string_view verb, int level) {
    const auto found = std::find_if(entries_.begin(), entries_.end(),
                                    [&](const auto& e) { return e.verb == verb && e.level == level; });
    if (found != entries_.end()) return static_cast<std::size_t>(found - entries_.begin());
    entries_.push_back({verb, level, levels_[static_cast<std::size_t>(level)].processes().count() > 1});
    return entries_.size() - 1;
  }
  void settle() {
    const std::vector<double> laps = timer_->laps();
    for (std::size_t i = 0; i < laps.size(); ++i) entries_[pending_[i]].seconds += laps[i];
    pending_.clear();
  }

  std::unique_ptr<Timer> timer_;
  std::vector<Space> levels_;
  std::ptrdiff_t numbered_ = 0;
  std::vector<Profile::Entry> entries_;
  std::vector<std::size_t> pending_;  // entries of pending laps
};

class Profile::Recorder {
 public:
  explicit Recorder(Backend& of) : backend(of), log(of) {}
  Backend& backend;
  Processes::Waits before;
  Log log;
};

Profile::Profile(Backend& backend) : recorder_(std::make_unique<Recorder>(backend)) {
  backend.run_immediately();
  backend.report_to(&recorder_->log);
}

Profile::~Profile() {
  recorder_->backend.report_to(nullptr);
}

Hierarchy Profile::wrap(Hierarchy h) {
  for (auto& nested : h.nested)
    if (nested) *nested = wrap(std::move(*nested));
  for (const auto& A : h.operators) recorder_->log.number(A->space());
  return h;
}

std::vector<Profile::Entry> Profile::take() {
  return recorder_->log.take();
}

void Profile::clear() {
  recorder_->log.clear();
  recorder_->before = recorder_->backend.waits();
}

Processes::Waits Profile::waits() const {
  return recorder_->backend.waits() - recorder_->before;
}

}  // namespace poisson
