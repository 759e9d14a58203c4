#include "backends/mpi/mpi_processes.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <map>
#include <mutex>
#include <optional>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include <boost/mpi/collectives.hpp>
#include <boost/mpi/communicator.hpp>
#include <boost/mpi/environment.hpp>
#include <boost/mpi/nonblocking.hpp>
#include <unistd.h>
#if __has_include(<mpi-ext.h>)
#include <mpi-ext.h>  // extensions of Open MPI and its derivatives
#endif

#include "backends/error.hpp"
#include "backends/groups.hpp"
#include "backends/machine.hpp"
#include "backends/mpi/process_watch.hpp"
#include "backends/mpi/signs_of_life.hpp"

namespace poisson {
namespace {

namespace mpi = boost::mpi;
using Clock = std::chrono::steady_clock;

// The process that reports why a run ends has this time before the others end.
constexpr std::chrono::milliseconds speaking{300};

/// Returns whether all processes of a group arrive here before `until`.
bool all_come(const mpi::communicator& group, Clock::time_point until) {
  MPI_Request all = MPI_REQUEST_NULL;
  MPI_Ibarrier(group, &all);
  for (int here = 0; Clock::now() < until; std::this_thread::sleep_for(std::chrono::milliseconds(1))) {
    MPI_Test(&all, &here, MPI_STATUS_IGNORE);
    if (here) return true;
  }
  return false;
}

/// Sends signs of life to the next process and receives those of the previous one. Also watches the processes of this
/// machine: a launcher ends the others soon after one is killed, before its silence is noticed.
class Heartbeat {
 public:
  Heartbeat(const mpi::communicator& world, const Lost& lost)
      : ring_(world, mpi::comm_duplicate),
        lost_(lost),
        places_(gathered_places(ring_)),
        watch_(places_, ring_.rank()),
        part_(static_cast<std::size_t>(ring_.size()), Part::takes),
        thread_([this] { beat(); }) {}
  ~Heartbeat() {
    done_ = true;
    watch_.wake();
    thread_.join();
    take_the_last();
  }
  Heartbeat(const Heartbeat&) = delete;

  /// Called before this process ends the run and after it has reported why: the others then report nothing.
  void announce_end() const { tell(ending); }
  /// Called when the work of this process is done. Returns when all others are done as well. A process that does not
  /// arrive is lost.
  void await_end_of_work() {
    over_ = true;
    all_come(ring_, Clock::time_point::max());
  }
  /// Returns the other processes of this machine.
  std::vector<LostProcess> neighbours() const {
    std::vector<LostProcess> all;
    for (int p = 0; p < ring_.size(); ++p)
      if (p != ring_.rank() && watch_.sees(p)) all.push_back(lost(p, false));
    return all;
  }

 private:
  static constexpr std::chrono::milliseconds interval{250};
  static constexpr std::chrono::seconds patience{6}, patience_for_unseen{60};
  // Processes that are killed together all end within this time.
  static constexpr std::chrono::milliseconds settling{100};
  enum Tag { alive, goodbye, ending };
  enum class Part { takes, has_left, ends_the_run };

  static std::vector<ProcessPlace> gathered_places(const mpi::communicator& all) {
    const ProcessPlace own = ProcessPlace::own();
    std::vector<ProcessPlace> places(static_cast<std::size_t>(all.size()));
    MPI_Allgather(&own, sizeof own, MPI_BYTE, places.data(), sizeof own, MPI_BYTE, all);
    return places;
  }
  /// Some MPIs complain about messages that were not received before MPI ends. A goodbye is the last message of a
  /// process; it has been sent by now.
  void take_the_last() {
    const Clock::time_point until = Clock::now() + speaking;
    for (; one_is_to_leave() && Clock::now() < until; std::this_thread::yield()) listen();
  }
  int next() const { return (ring_.rank() + 1) % ring_.size(); }
  int before() const { return (ring_.rank() + ring_.size() - 1) % ring_.size(); }

  /// The send is not awaited: a stopped process does not receive it.
  void tell(int process, Tag tag) const {
    MPI_Request sign = MPI_REQUEST_NULL;
    MPI_Isend(nullptr, 0, MPI_PACKED, process, tag, ring_, &sign);
    MPI_Request_free(&sign);
  }
  /// Sends to the next process, and to all processes of this machine.
  void tell(Tag tag) const {
    for (int p = 0; p < ring_.size(); ++p)
      if (p != ring_.rank() && (p == next() || watch_.sees(p))) tell(p, tag);
  }
  /// Returns whether the previous process has sent a sign of life.
  bool listen() {
    bool heard = false;
    for (auto sign = ring_.iprobe(mpi::any_source, mpi::any_tag); sign;
         sign = ring_.iprobe(mpi::any_source, mpi::any_tag)) {
      ring_.recv(sign->source(), sign->tag());
      heard = heard || sign->source() == before();
      Part& part = part_[static_cast<std::size_t>(sign->source())];
      if (sign->tag() == goodbye) part = Part::has_left;
      if (sign->tag() == ending) part = Part::ends_the_run;
    }
    return heard;
  }

  void beat() {
    Clock::time_point heard = Clock::now(), last_beat = heard;
    while (true) {
      watch_.wait(interval);
      if (done_) return tell(goodbye);
      tell(next(), alive);
      // A process that was stopped itself has not listened.
      const Clock::time_point now = Clock::now();
      if (now - std::exchange(last_beat, now) > patience / 2) heard = now;
      if (listen()) heard = Clock::now();
      if (one_is_gone()) end_without_it();
      if (part_[static_cast<std::size_t>(before())] == Part::takes && is_lost(now - heard)) {
        lost_(moment(), std::array{lost(before(), watch_.ended(before()))});
        end_run();
      }
    }
  }

  /// Returns whether the previous process is lost after this silence. A running process may be silent on a busy
  /// machine.
  bool is_lost(Clock::duration silence) const {
    if (!watch_.sees(before())) return silence > patience_for_unseen;
    return silence > patience && state_of(places_[static_cast<std::size_t>(before())].number).stopped;
  }
  /// Returns whether a process has ended without a goodbye.
  bool gone(int process) const {
    return watch_.ended(process) && part_[static_cast<std::size_t>(process)] == Part::takes;
  }
  bool one_is_gone() const {
    for (int p = 0; p < ring_.size(); ++p)
      if (gone(p)) return true;
    return false;
  }
  /// Returns whether a process that sends to this one has not said goodbye.
  bool one_is_to_leave() const {
    for (int p = 0; p < ring_.size(); ++p)
      if (p != ring_.rank() && (p == before() || watch_.sees(p)) &&
          part_[static_cast<std::size_t>(p)] != Part::has_left)
        return true;
    return false;
  }
  Moment moment() const { return over_ ? Moment::end : Moment::work; }
  LostProcess lost(int process, bool ended) const {
    const ProcessPlace& place = places_[static_cast<std::size_t>(process)];
    return {process, place.host.data(), place.number, ended};
  }
  /// The lowest rank of this machine that is still alive reports the lost processes, unless a process has announced the
  /// end.
  void end_without_it() {
    const Clock::time_point settled = Clock::now() + settling;
    while (Clock::now() < settled) {
      watch_.wait(std::chrono::milliseconds(10));
      listen();
    }
    std::vector<LostProcess> all;
    int speaker = ring_.rank();
    for (int p = 0; p < ring_.size(); ++p) {
      if (gone(p)) all.push_back(lost(p, true));
      if (watch_.sees(p) && !watch_.ended(p)) speaker = std::min(speaker, p);
    }
    if (all.empty()) return;
    if (speaker == ring_.rank() && std::ranges::find(part_, Part::ends_the_run) == part_.end()) lost_(moment(), all);
    std::this_thread::sleep_for(speaking);
    end_run();
  }
  [[noreturn]] void end_run() const {
    announce_end();
    mpi::environment::abort(1);
    std::_Exit(1);
  }

  mpi::communicator ring_;
  Lost lost_;
  std::vector<ProcessPlace> places_;
  ProcessWatch watch_;
  std::vector<Part> part_;  ///< role of each process in the run, as far as this process knows
  std::atomic<bool> over_ = false, done_ = false;
  std::thread thread_;
};

/// Lists processes that MPI waits for while it starts or ends.
struct Awaited {
  std::vector<LostProcess> here;  ///< known ones on this machine
  bool all = false;               ///< there are no others
};

/// Limits the start and the end of MPI, where MPI waits forever for processes that never arrive; this class ends the
/// run instead. A process that this one can see is awaited as long as it lives. Others are awaited as long as a process
/// may be silent.
class Limit {
 public:
  /// `awaited` is called every second, `lost` at most once, with the processes that are stopped or silent. `lost`
  /// gets an empty list if they are not known.
  Limit(int rank, std::function<Awaited()> awaited, std::function<void(std::span<const LostProcess>)> lost)
      : rank_(rank), awaited_(std::move(awaited)), lost_(std::move(lost)), thread_([this] { watch(); }) {}
  ~Limit() {
    {
      const std::lock_guard lock(mutex_);
      passed_ = true;
    }
    passes_.notify_all();
    thread_.join();
  }
  Limit(const Limit&) = delete;

 private:
  static constexpr std::chrono::milliseconds tick{100}, look{1000}, longest = std::chrono::minutes(30);

  // Counts ticks, so that the time during which this process itself is stopped does not count.
  void watch() {
    std::unique_lock lock(mutex_);
    for (std::chrono::milliseconds now = tick; now < longest; now += tick) {
      if (passes_.wait_for(lock, tick, [&] { return passed_; })) return;
      if (now % look == std::chrono::milliseconds(0) && ends(now)) end();
    }
    lost_({});
    end();
  }

  // MPI cannot be called here; the launcher ends the other processes.
  [[noreturn]] static void end() { std::_Exit(1); }

  // Returns whether the run ends now; if so, the reason has been reported. Lower ranks come first, so that only one
  // process reports.
  bool ends(std::chrono::milliseconds now) {
    const Awaited awaited = awaited_();
    std::vector<LostProcess> gone;
    int first = rank_, speaker = rank_;
    for (const LostProcess& process : awaited.here) {
      first = std::min(first, process.rank);
      if (signs_[process.rank].judge(state_of(process.number), now) != Fate::alive)
        gone.push_back(process);
      else
        speaker = std::min(speaker, process.rank);
    }
    if (!gone.empty()) {
      // The machine of rank 0 reports first.
      if (first > 0 && waited_ < std::chrono::seconds(2)) return waited_ += look, false;
      if (speaker == rank_)
        speak(gone);
      else
        std::this_thread::sleep_for(speaking);
      return true;
    }
    // A launcher that waits for a core may not have started all processes yet, or may not have noticed that one has
    // ended.
    if ((awaited.all && !awaited.here.empty()) || state_of(getppid()).active) return false;
    unseen_ += look;
    if (unseen_ < SignsOfLife::most_silent + std::chrono::seconds(std::min(rank_, 3))) return false;
    return lost_({}), true;
  }

  // Calls `lost`, then waits until the other live processes have ended. Otherwise a process that judges later would
  // find that this one has ended, and would call `lost` again.
  void speak(std::span<const LostProcess> gone) const {
    lost_(gone);
    const auto others_live = [&] {
      for (const LostProcess& process : awaited_().here)
        if (std::ranges::find(gone, process.rank, &LostProcess::rank) == gone.end() && state_of(process.number).exists)
          return true;
      return false;
    };
    for (auto waited = tick; waited < SignsOfLife::most_stopped && others_live(); waited += tick)
      std::this_thread::sleep_for(tick);
  }

  int rank_;
  std::function<Awaited()> awaited_;
  std::function<void(std::span<const LostProcess>)> lost_;
  std::map<int, SignsOfLife> signs_;
  std::chrono::milliseconds unseen_{0}, waited_{0};
  std::mutex mutex_;
  std::condition_variable passes_;
  bool passed_ = false;
  std::thread thread_;
};

/// Returns the processes that the launcher started on this machine. It searches until all are found.
std::function<Awaited()> awaited_at_start() {
  return [count = launched_count(), found = Awaited()]() mutable {
    if (found.all) return found;
    found.here.clear();
    for (const LaunchedProcess& process : launched_here())
      found.here.push_back({process.rank, machine_name(), process.number, false});
    found.all = static_cast<int>(found.here.size()) + 1 == count;
    return found;
  };
}
/// `neighbours`: other processes of this machine, which may end before this one; `count`: number of all processes.
std::function<Awaited()> awaited_at_end(const std::vector<LostProcess>& neighbours, int count) {
  return [=] {
    Awaited awaited{{}, static_cast<int>(neighbours.size()) + 1 == count};
    for (const LostProcess& process : neighbours)
      if (state_of(process.number).exists) awaited.here.push_back(process);
    return awaited;
  };
}

bool is_initialized() {
  int yes = 0;
  MPI_Initialized(&yes);
  return yes != 0;
}

/// Implements Processes by MPI. Either the program initializes and finalizes MPI, or this class does.
class MpiProcesses final : public Processes {
 public:
  explicit MpiProcesses(const Lost& lost)
      : lost_(lost),
        borrowed_(is_initialized()),
        limit_(std::in_place, launched_rank(), awaited_at_start(),
               [lost](std::span<const LostProcess> gone) { lost(Moment::start, gone); }),
        environment_(mpi::threading::multiple, false) {
    if (mpi::environment::thread_level() < mpi::threading::multiple)
      throw RunError(borrowed_ ? "MPI was initialized without threads that send: call MPI_Init_thread with "
                                 "MPI_THREAD_MULTIPLE"
                               : "this MPI does not let several threads of a process send (MPI_THREAD_MULTIPLE)");
    world_.emplace(mpi::communicator(), mpi::comm_duplicate);
    if (world_->size() > 1) heartbeat_.emplace(*world_, lost);
    limit_.reset();
    if (borrowed_) leave_when_finalized();
  }
  // Other processes may work for a long time. When all are done, only MPI's own end remains to be awaited.
  ~MpiProcesses() override {
    if (!heartbeat_) return;
    heartbeat_->await_end_of_work();
    if (borrowed_) return;  // the program has not finalized MPI
    limit_.emplace(world_->rank(), awaited_at_end(heartbeat_->neighbours(), world_->size()),
                   [lost = lost_](std::span<const LostProcess> gone) { lost(Moment::end, gone); });
  }
  MpiProcesses(const MpiProcesses&) = delete;

  int rank() const override { return world_->rank(); }
  int count() const override { return world_->size(); }

  std::unique_ptr<Transit> start(std::span<const Message> sent, std::span<const Message> received) const override {
    double& waited = waited_for(sent.empty() ? received : sent);
    const Lap lap(waited);
    auto transit = std::make_unique<Requests>(waited);
    for (const Message& m : received)
      transit->all.push_back(world_->irecv(m.partner, tag(m), static_cast<char*>(m.data), static_cast<int>(m.bytes)));
    for (const Message& m : sent)
      transit->all.push_back(
          world_->isend(m.partner, tag(m), static_cast<const char*>(m.data), static_cast<int>(m.bytes)));
    return transit;
  }
  Waits waits() const override { return waits_; }
  void gather(const void* own, std::size_t bytes, void* all) const override {
    const Lap lap(waits_.gathers);
    mpi::all_gather(*world_, static_cast<const char*>(own), static_cast<int>(bytes), static_cast<char*>(all));
  }
  void broadcast(void* data, std::size_t bytes, int from) const override {
    mpi::broadcast(*world_, static_cast<char*>(data), static_cast<int>(bytes), from);
  }
  std::string without_device_memory() const override { return device_memory_obstacle(); }
  bool meet(double seconds) const override {
    return all_come(*world_,
                    Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds)));
  }
  void abort(int status) const override {
    if (heartbeat_) heartbeat_->announce_end();
    mpi::environment::abort(status);
  }

 private:
  /// MPI_Finalize deletes the attributes of MPI_COMM_SELF first (MPI 3.1, section 8.7.1), while MPI still works.
  void leave_when_finalized() {
    const auto leave = [](MPI_Comm, int, void* self, void*) -> int {
      auto& processes = *static_cast<MpiProcesses*>(self);
      if (processes.heartbeat_) processes.heartbeat_->await_end_of_work();
      processes.heartbeat_.reset();
      processes.world_.reset();
      return MPI_SUCCESS;
    };
    int key = MPI_KEYVAL_INVALID;
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, leave, &key, nullptr);
    MPI_Comm_set_attr(MPI_COMM_SELF, key, this);
  }

  /// Adds the seconds of its lifetime to a sum.
  class Lap {
   public:
    explicit Lap(double& sum) : sum_(sum) {}
    ~Lap() { sum_ += std::chrono::duration<double>(Clock::now() - begin_).count(); }
    Lap(const Lap&) = delete;

   private:
    double& sum_;
    Clock::time_point begin_ = Clock::now();
  };
  struct Requests final : Transit {
    explicit Requests(double& sum) : waited(sum) {}
    double& waited;
    std::vector<mpi::request> all;
    void finish() override {
      const Lap lap(waited);
      mpi::wait_all(all.begin(), all.end());
    }
  };
  // Gathers of groups are messages as well.
  double& waited_for(std::span<const Message> messages) const {
    const bool gathers = !messages.empty() && messages.front().tag == gathering_tag;
    return gathers ? waits_.gathers : waits_.exchanges;
  }
  // MPI tags must not be negative.
  static int tag(const Message& m) { return m.tag + 16; }

  Lost lost_;
  bool borrowed_;               // the program had initialized MPI before
  std::optional<Limit> limit_;  // destroyed last; limits MPI's start, then its end
  mpi::environment environment_;
  std::optional<mpi::communicator> world_;
  std::optional<Heartbeat> heartbeat_;
  mutable Waits waits_;
};

}  // namespace

bool under_launcher() {
  for (const char* name : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "PMI_RANK", "PMIX_RANK", "MV2_COMM_WORLD_SIZE"})
    if (std::getenv(name)) return true;
  return false;
}

std::string device_memory_obstacle() {
  const char* const vouched = std::getenv("POISSON_MPI_DEVICE_MEMORY");
  if (vouched && std::string_view(vouched) == "1") return "";
#if defined(MPIX_CUDA_AWARE_SUPPORT)
  const bool takes = MPIX_Query_cuda_support() == 1;
#elif defined(MPIX_GPU_SUPPORT_CUDA)  // MPICH and derivatives
  int known = 0;
  const bool takes = MPIX_GPU_query_support(MPIX_GPU_SUPPORT_CUDA, &known) == MPI_SUCCESS && known != 0;
#else
  const bool takes = false;
#endif
  return takes ? "" : "MPI does not report CUDA support";
}

std::shared_ptr<const Processes> mpi_processes(const Lost& lost) {
  static const auto all = std::make_shared<const MpiProcesses>(lost);
  return all;
}

}  // namespace poisson
