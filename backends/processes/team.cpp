#include "backends/processes/team.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <exception>
#include <map>
#include <stdexcept>
#include <string>
#include <tuple>
#include <utility>

#include <ucontext.h>
#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/common_interface_defs.h>
#endif

#include "backends/memory/error.hpp"

namespace poisson {

namespace {

/// Is a function with a stack of its own. It runs until it waits or ends; then `resume` returns.
class Fiber {
 public:
  Fiber() : stack_(std::make_unique_for_overwrite<char[]>(stack_bytes)) {}

  // Prepares f to run at the next call of `resume`.
  void prepare(std::function<void()> f) {
    work_ = std::move(f);
    ended_ = false;
    getcontext(&own_);
    own_.uc_stack.ss_sp = stack_.get();
    own_.uc_stack.ss_size = stack_bytes;
    own_.uc_link = &caller_;
    const auto address = reinterpret_cast<std::uintptr_t>(this);
    makecontext(&own_, reinterpret_cast<void (*)()>(&Fiber::begin), 2, static_cast<unsigned>(address >> 32U),
                static_cast<unsigned>(address & 0xffffffffU));
  }
  void resume() {
    void* kept = nullptr;
    leave(&kept, stack_.get(), stack_bytes);
    swapcontext(&caller_, &own_);
    enter(kept, nullptr, nullptr);
  }
  // Returns to the caller of `resume`; the fiber calls it.
  void wait() {
    void* kept = nullptr;
    leave(&kept, caller_stack_, caller_bytes_);
    swapcontext(&own_, &caller_);
    enter(kept, &caller_stack_, &caller_bytes_);
  }
  bool ended() const { return ended_; }

 private:
  static constexpr std::size_t stack_bytes = std::size_t{4} << 20;  // the system provides what is used

  static void begin(unsigned high, unsigned low) {
    Fiber& fiber = *reinterpret_cast<Fiber*>((std::uintptr_t{high} << 32U) | low);
    enter(nullptr, &fiber.caller_stack_, &fiber.caller_bytes_);
    fiber.work_();
    fiber.ended_ = true;
    leave(nullptr, fiber.caller_stack_, fiber.caller_bytes_);
  }
  // Tell the address sanitizer which stack is used before and after a switch.
#ifdef __SANITIZE_ADDRESS__
  static void leave(void** kept, const void* to, std::size_t bytes) {
    __sanitizer_start_switch_fiber(kept, to, bytes);
  }
  static void enter(void* kept, const void** from, std::size_t* bytes) {
    __sanitizer_finish_switch_fiber(kept, from, bytes);
  }
#else
  static void leave(void**, const void*, std::size_t) {}
  static void enter(void*, const void**, std::size_t*) {}
#endif

  std::unique_ptr<char[]> stack_;
  std::function<void()> work_;
  ucontext_t own_{}, caller_{};
  const void* caller_stack_ = nullptr;
  std::size_t caller_bytes_ = 0;
  bool ended_ = true;
};

}  // namespace

// Contains what the members share: messages, a barrier, and their fibers.
struct Team::Shared {
  std::shared_ptr<const Processes> processes;
  int members = 1, first = 0, size = 1;

  bool failed = false;  // a member has thrown
  std::exception_ptr failure;
  std::map<std::tuple<int, int, int>, std::vector<std::vector<char>>> mail;  // from, to, tag
  int arrived = 0, meetings = 0;
  std::vector<const void*> gathered;
  std::vector<char> all;

  std::vector<std::unique_ptr<Fiber>> fibers;
  std::vector<std::int64_t> started;  // exchanges that each member here has started
  std::vector<std::int64_t> remote;   // the one whose messages of other processes a member awaits; −1: none
  int running = 0, granted = -1;      // granted: may wait for other processes
  std::int64_t steps = 0;             // counts what members have done while others waited

  int owner(int member) const { return static_cast<int>(std::int64_t{member} * processes->count() / members); }
  // Lets other members run until a condition holds.
  template <class Condition>
  void wait(const Condition& condition) {
    while (!failed && !condition()) fibers[static_cast<std::size_t>(running)]->wait();
    if (failed) throw StoppedElsewhere();
    ++steps;
  }
  // Waits for all members here; the last one to come calls f first.
  template <class F>
  void meet(const F& f) {
    if (failed) throw StoppedElsewhere();
    ++steps;
    if (++arrived == size) {
      f();
      arrived = 0;
      ++meetings;
    } else {
      wait([this, now = meetings] { return meetings != now; });
    }
  }
  // Waits for messages of other processes when no member here can go on. Of several members, the one that started its
  // exchange first waits first: its partners have sent their messages, because they start exchanges before they wait.
  void wait_for_processes(Processes::Transit& transit, std::int64_t number) {
    const int own = running;
    remote[static_cast<std::size_t>(own)] = number;
    wait([this, own] { return granted == own; });
    remote[static_cast<std::size_t>(own)] = granted = -1;
    transit.finish();
  }
  // Returns the member that may wait for other processes; −1 if no member waits for any.
  int next_remote() const {
    int next = -1;
    for (int m = 0; m < size; ++m) {
      const std::int64_t number = remote[static_cast<std::size_t>(m)];
      if (number >= 0 && (next < 0 || number < remote[static_cast<std::size_t>(next)])) next = m;
    }
    return next;
  }
  void run(const std::function<void(int)>& f) {
    for (int m = 0; m < size; ++m)
      fibers[static_cast<std::size_t>(m)]->prepare([this, &f, m] {
        try {
          f(m);
        } catch (...) {
          if (!failed) failure = std::current_exception();
          failed = true;
        }
        ++steps;
      });
    for (bool some = true; some;) {
      some = false;
      const std::int64_t before = steps;
      for (running = 0; running < size; ++running) {
        Fiber& fiber = *fibers[static_cast<std::size_t>(running)];
        if (fiber.ended()) continue;
        fiber.resume();
        some = some || !fiber.ended();
      }
      if (!some || steps != before || failed) continue;
      granted = next_remote();
      failed = granted < 0;
      if (failed)
        failure = std::make_exception_ptr(std::logic_error("members of a team wait for messages that nobody sends"));
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
      std::int64_t number = 0;
      explicit InFlight(const Member& m) : member(m) {}
      void finish() override {
        for (const Message& message : awaited) member.take(message);
        if (remote) member.shared_->wait_for_processes(*remote, number);
      }
    };
    auto transit = std::make_unique<InFlight>(*this);
    transit->number = shared_->started[static_cast<std::size_t>(own_)]++;
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
    s.gathered[static_cast<std::size_t>(own_)] = own;
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
    const char* const data = static_cast<const char*>(message.data);
    shared_->mail[{rank(), message.partner, message.tag}].emplace_back(data, data + message.bytes);
    ++shared_->steps;
  }
  void take(const Message& message) const {
    auto& box = shared_->mail[{message.partner, rank(), message.tag}];
    shared_->wait([&] { return !box.empty(); });
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
  s.started.resize(static_cast<std::size_t>(s.size));
  s.remote.assign(static_cast<std::size_t>(s.size), -1);
  for (int own = 0; own < s.size; ++own) {
    members_.push_back(std::make_shared<Member>(shared_, own));
    s.fibers.push_back(std::make_unique<Fiber>());
  }
}

Team::~Team() = default;

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
  s.run(f);
  if (!s.failed) return;
  s.failed = false;
  s.arrived = 0;
  s.granted = -1;
  s.remote.assign(s.remote.size(), -1);
  s.mail.clear();
  std::rethrow_exception(std::exchange(s.failure, nullptr));
}

}  // namespace poisson
