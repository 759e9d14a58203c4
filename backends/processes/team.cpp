#include "backends/processes/team.hpp"

#include <algorithm>
#include <condition_variable>
#include <cstring>
#include <exception>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <tuple>
#include <utility>

#include <omp.h>

#include "backends/memory/error.hpp"

namespace poisson {

// Contains what the threads share: messages, a barrier, and the function that they run.
struct Team::Shared {
  std::shared_ptr<const Processes> processes;
  int members = 1, first = 0, size = 1;
  int threads_of_member = 1;

  std::mutex mutex;
  std::condition_variable changed;
  bool failed = false;                                                       // a member has thrown
  std::map<std::tuple<int, int, int>, std::vector<std::vector<char>>> mail;  // from, to, tag
  int arrived = 0, meetings = 0;
  std::vector<const void*> gathered;
  std::vector<char> all;

  const std::function<void(int)>* work = nullptr;
  int rounds = 0, busy = 0;
  bool ends = false;
  std::exception_ptr failure;
  std::vector<std::thread> threads;

  int owner(int member) const { return static_cast<int>(std::int64_t{member} * processes->count() / members); }
  // Waits until a condition holds. The mutex is locked.
  template <class Condition>
  void wait(std::unique_lock<std::mutex>& lock, const Condition& condition) {
    changed.wait(lock, [&] { return failed || condition(); });
    if (failed) throw StoppedElsewhere();
  }
  // Waits for all members here; the last one to come calls f first.
  template <class F>
  void meet(const F& f) {
    std::unique_lock lock(mutex);
    if (failed) throw StoppedElsewhere();
    if (++arrived == size) {
      f();
      arrived = 0;
      ++meetings;
      changed.notify_all();
    } else {
      wait(lock, [this, now = meetings] { return meetings != now; });
    }
  }
  // Runs the work of each round in the thread of a member.
  void serve(int own) {
    omp_set_num_threads(std::max(1, threads_of_member));
    for (int round = 1;; ++round) {
      {
        std::unique_lock lock(mutex);
        changed.wait(lock, [&] { return ends || rounds >= round; });
        if (ends) return;
      }
      std::exception_ptr thrown;
      try {
        (*work)(own);
      } catch (...) {
        thrown = std::current_exception();
      }
      const std::lock_guard lock(mutex);
      if (thrown && !failed) failure = thrown;
      failed = failed || thrown;
      --busy;
      changed.notify_all();
    }
  }
};

/// Is a member as a process.
class Team::Member final : public Processes {
 public:
  Member(std::shared_ptr<Shared> shared, int own) : shared_(std::move(shared)), own_(own) {}
  int rank() const override { return shared_->first + own_; }
  int count() const override { return shared_->members; }

  std::unique_ptr<Transit> start(std::span<const Message> sent, std::span<const Message> received) const override {
    struct InFlight final : Transit {
      const Member& member;
      std::vector<Message> awaited;
      std::unique_ptr<Transit> remote;
      explicit InFlight(const Member& m) : member(m) {}
      void finish() override {
        for (const Message& message : awaited) member.take(message);
        if (remote) remote->finish();
      }
    };
    auto transit = std::make_unique<InFlight>(*this);
    std::vector<Message> out, in;
    for (const Message& message : sent)
      if (is_here(message.partner))
        put(message);
      else
        out.push_back(to_process(message, rank(), message.partner));
    for (const Message& message : received)
      if (is_here(message.partner))
        transit->awaited.push_back(message);
      else
        in.push_back(to_process(message, message.partner, rank()));
    if (!out.empty() || !in.empty()) transit->remote = shared_->processes->start(out, in);
    return transit;
  }

  void gather(const void* own, std::size_t bytes, void* all) const override {
    Shared& s = *shared_;
    {
      const std::lock_guard lock(s.mutex);
      s.gathered[static_cast<std::size_t>(own_)] = own;
    }
    s.meet([&] { gather_all(bytes); });
    std::memcpy(all, s.all.data(), bytes * static_cast<std::size_t>(s.members));
    s.meet([] {});  // before the next values overwrite these
  }

  void broadcast(void* data, std::size_t bytes, int from) const override {
    std::vector<char> all(bytes * static_cast<std::size_t>(count()));
    gather(data, bytes, all.data());
    std::memcpy(data, all.data() + bytes * static_cast<std::size_t>(from), bytes);
  }

 private:
  bool is_here(int member) const { return member >= shared_->first && member < shared_->first + shared_->size; }
  // Returns a message between members of two processes as a message between these.
  Message to_process(Message message, int from, int to) const {
    message.tag = (message.tag * count() + from) * count() + to;
    message.partner = shared_->owner(message.partner);
    return message;
  }
  void put(const Message& message) const {
    const std::lock_guard lock(shared_->mutex);
    const char* const data = static_cast<const char*>(message.data);
    shared_->mail[{rank(), message.partner, message.tag}].emplace_back(data, data + message.bytes);
    shared_->changed.notify_all();
  }
  void take(const Message& message) const {
    std::unique_lock lock(shared_->mutex);
    auto& box = shared_->mail[{message.partner, rank(), message.tag}];
    shared_->wait(lock, [&] { return !box.empty(); });
    if (message.bytes > 0) std::memcpy(message.data, box.front().data(), message.bytes);
    box.erase(box.begin());
  }
  // Gathers the values of all members of all processes.
  void gather_all(std::size_t bytes) const {
    Shared& s = *shared_;
    s.all.resize(bytes * static_cast<std::size_t>(s.members));
    const int processes = s.processes->count(), most = (s.members + processes - 1) / processes;
    std::vector<char> own(bytes * static_cast<std::size_t>(most));
    for (std::size_t m = 0; m < s.gathered.size() && bytes > 0; ++m)
      std::memcpy(own.data() + m * bytes, s.gathered[m], bytes);
    if (s.processes->alone()) {
      std::ranges::copy(own, s.all.begin());
      return;
    }
    std::vector<char> received(own.size() * static_cast<std::size_t>(processes));
    s.processes->gather(own.data(), own.size(), received.data());
    std::vector<std::size_t> members_of(static_cast<std::size_t>(processes));
    for (int m = 0; m < s.members && bytes > 0; ++m) {
      const auto p = static_cast<std::size_t>(s.owner(m));
      std::memcpy(s.all.data() + static_cast<std::size_t>(m) * bytes,
                  received.data() + p * own.size() + members_of[p]++ * bytes, bytes);
    }
  }

  std::shared_ptr<Shared> shared_;
  int own_;
};

Team::Team(std::shared_ptr<const Processes> processes, int members) : shared_(std::make_shared<Shared>()) {
  Shared& s = *shared_;
  if (members < processes->count())
    throw InputError(std::to_string(members) + " patches are too few for " + std::to_string(processes->count()) +
                     " processes: each needs at least one");
  s.processes = std::move(processes);
  s.members = members;
  while (s.owner(s.first) < s.processes->rank()) ++s.first;
  while (s.first + s.size < members && s.owner(s.first + s.size) == s.processes->rank()) ++s.size;
  s.gathered.resize(static_cast<std::size_t>(s.size));
  s.threads_of_member = omp_get_max_threads() / s.size;
  for (int own = 0; own < s.size; ++own) members_.push_back(std::make_shared<Member>(shared_, own));
  for (int own = 0; own < s.size; ++own) s.threads.emplace_back([&s, own] { s.serve(own); });
}

Team::~Team() {
  {
    const std::lock_guard lock(shared_->mutex);
    shared_->ends = true;
    shared_->changed.notify_all();
  }
  for (std::thread& thread : shared_->threads) thread.join();
}

int Team::count() const {
  return shared_->members;
}
int Team::size() const {
  return shared_->size;
}
int Team::first() const {
  return shared_->first;
}
std::shared_ptr<const Processes> Team::processes(int own) const {
  return members_[static_cast<std::size_t>(own)];
}

void Team::run(const std::function<void(int)>& f) const {
  Shared& s = *shared_;
  std::unique_lock lock(s.mutex);
  s.work = &f;
  s.busy = s.size;
  ++s.rounds;
  s.changed.notify_all();
  s.changed.wait(lock, [&] { return s.busy == 0; });
  if (!s.failed) return;
  s.failed = false;
  s.arrived = 0;
  s.mail.clear();
  std::rethrow_exception(std::exchange(s.failure, nullptr));
}

}  // namespace poisson
