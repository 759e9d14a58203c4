#include "backends/mpi/mpi_processes.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
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
#if __has_include(<mpi-ext.h>)
#include <mpi-ext.h>  // of Open MPI and its kin: what they offer beside the standard
#endif

#include "backends/error.hpp"
#include "backends/groups.hpp"
#include "backends/mpi/process_watch.hpp"

namespace poisson {
namespace {

namespace mpi = boost::mpi;
using Clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds speaking{300};  // for the one that says why a run ends, before the others end

/// Whether all of a group come here before a moment.
bool all_come(const mpi::communicator& group, Clock::time_point until) {
  MPI_Request all = MPI_REQUEST_NULL;
  MPI_Ibarrier(group, &all);
  for (int here = 0; Clock::now() < until; std::this_thread::sleep_for(std::chrono::milliseconds(1))) {
    MPI_Test(&all, &here, MPI_STATUS_IGNORE);
    if (here) return true;
  }
  return false;
}

/// Tells the next process that this one lives, and listens for the one before. Beyond that watches those of this
/// machine: a launcher ends the others soon after one is killed, before silence says anything.
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

  /// Before this process ends the run, and has said why: the others have nothing to say.
  void announce_end() const { tell(ending); }
  /// The work of this process is over. Returns when that of all others is; one that does not come here is lost.
  void await_end_of_work() {
    over_ = true;
    all_come(ring_, Clock::time_point::max());
  }
  /// The others of this machine.
  std::vector<LostProcess> neighbours() const {
    std::vector<LostProcess> all;
    for (int p = 0; p < ring_.size(); ++p)
      if (p != ring_.rank() && watch_.sees(p)) all.push_back(lost(p, false));
    return all;
  }

 private:
  static constexpr std::chrono::milliseconds interval{250};
  static constexpr std::chrono::seconds patience{6};
  static constexpr std::chrono::milliseconds settling{100};  // until all that are killed together are gone
  enum Tag { alive, goodbye, ending };
  enum class Part { takes, has_left, ends_the_run };

  static std::vector<ProcessPlace> gathered_places(const mpi::communicator& all) {
    const ProcessPlace own = ProcessPlace::own();
    std::vector<ProcessPlace> places(static_cast<std::size_t>(all.size()));
    MPI_Allgather(&own, sizeof own, MPI_BYTE, places.data(), sizeof own, MPI_BYTE, all);
    return places;
  }
  /// What has not been taken when MPI ends, some MPIs complain of. A goodbye is the last sign of a process; it is on
  /// its way by now.
  void take_the_last() {
    const Clock::time_point until = Clock::now() + speaking;
    for (; one_is_to_leave() && Clock::now() < until; std::this_thread::yield()) listen();
  }
  int next() const { return (ring_.rank() + 1) % ring_.size(); }
  int before() const { return (ring_.rank() + ring_.size() - 1) % ring_.size(); }

  /// Not waited for: one that is stopped does not take it.
  void tell(int process, Tag tag) const {
    MPI_Request sign = MPI_REQUEST_NULL;
    MPI_Isend(nullptr, 0, MPI_PACKED, process, tag, ring_, &sign);
    MPI_Request_free(&sign);
  }
  /// The next one, and all of this machine.
  void tell(Tag tag) const {
    for (int p = 0; p < ring_.size(); ++p)
      if (p != ring_.rank() && (p == next() || watch_.sees(p))) tell(p, tag);
  }
  /// Whether there was a sign of the process before.
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
      // One that was stopped itself has not listened.
      const Clock::time_point now = Clock::now();
      if (now - std::exchange(last_beat, now) > patience / 2) heard = now;
      if (listen()) heard = Clock::now();
      if (one_is_gone()) end_without_it();
      if (part_[static_cast<std::size_t>(before())] == Part::takes && now - heard > patience) {
        lost_(moment(), std::array{lost(before(), watch_.ended(before()))});
        end_run();
      }
    }
  }

  /// Ended before it has left.
  bool gone(int process) const {
    return watch_.ended(process) && part_[static_cast<std::size_t>(process)] == Part::takes;
  }
  bool one_is_gone() const {
    for (int p = 0; p < ring_.size(); ++p)
      if (gone(p)) return true;
    return false;
  }
  /// Of those that tell this one.
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
  /// The first of this machine's that is left names those that are not, unless somebody has said why the run ends.
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
  std::vector<Part> part_;  ///< of each process in the run, as far as it has told this one
  std::atomic<bool> over_ = false, done_ = false;
  std::thread thread_;
};

/// MPI starts and ends by waiting without limit for processes that never come; this ends the run instead.
class Limit {
 public:
  Limit(std::chrono::milliseconds limit, std::function<void()> say)
      : ticks_(limit / tick), say_(std::move(say)), thread_([this] { watch(); }) {}
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
  static constexpr std::chrono::milliseconds tick{100};

  // In ticks, so that the time does not count for which this process is stopped itself.
  void watch() {
    std::unique_lock lock(mutex_);
    for (std::int64_t n = 0; n < ticks_; ++n)
      if (passes_.wait_for(lock, tick, [&] { return passed_; })) return;
    say_();
    std::_Exit(1);  // nothing of MPI can be asked; the launcher ends the others
  }

  std::int64_t ticks_;
  std::function<void()> say_;
  std::mutex mutex_;
  std::condition_variable passes_;
  bool passed_ = false;
  std::thread thread_;
};

/// Loading programs from a shared disk of a cluster takes longer than on one machine. Lower ranks go first, so that one
/// of them speaks.
std::chrono::seconds time_to_start() {
  const auto number = [](const char* name) {
    const char* text = std::getenv(name);
    return text ? std::atoi(text) : -1;
  };
  const int count = number("OMPI_COMM_WORLD_SIZE");
  const bool one_machine = count > 0 && number("OMPI_COMM_WORLD_LOCAL_SIZE") == count;
  return std::chrono::seconds((one_machine ? 6 : 60) + std::clamp(number("OMPI_COMM_WORLD_RANK"), 0, 3));
}

/// What ends the run where MPI's end is waited for in vain: `others` of this machine are known by then. The first of
/// those that run names those that are stopped, machines without the first process after the one that has it.
void limit_end(std::optional<Limit>& limit, const Lost& lost, int rank, const std::vector<LostProcess>& others) {
  const bool first = rank == 0 || std::ranges::any_of(others, [](const LostProcess& other) { return other.rank == 0; });
  limit.emplace(std::chrono::seconds(first ? 6 : 8), [=] {
    std::vector<LostProcess> stopped;
    int speaker = rank;
    for (const LostProcess& other : others)
      if (is_stopped(other.number))
        stopped.push_back(other);
      else
        speaker = std::min(speaker, other.rank);
    if (speaker == rank) return lost(Moment::end, stopped);
    std::this_thread::sleep_for(speaking);
  });
}

class MpiProcesses final : public Processes {
 public:
  explicit MpiProcesses(const Lost& lost)
      : lost_(lost),
        limit_(std::in_place, time_to_start(), [lost] { lost(Moment::start, {}); }),
        environment_(mpi::threading::multiple, false) {
    if (mpi::environment::thread_level() < mpi::threading::multiple)
      throw RunError("this MPI does not let several threads of a process send (MPI_THREAD_MULTIPLE)");
    world_.emplace();
    if (world_->size() > 1) heartbeat_.emplace(*world_, lost);
    limit_.reset();
  }
  // Others may be at work for long. When all are done, nothing but MPI's own end is waited for.
  ~MpiProcesses() override {
    if (!heartbeat_) return;
    heartbeat_->await_end_of_work();
    limit_end(limit_, lost_, world_->rank(), heartbeat_->neighbours());
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
  /// Adds the seconds of its life to a sum.
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
  // What groups gather are messages, too.
  double& waited_for(std::span<const Message> messages) const {
    const bool gathers = !messages.empty() && messages.front().tag == gathering_tag;
    return gathers ? waits_.gathers : waits_.exchanges;
  }
  // Tags are not negative.
  static int tag(const Message& m) { return m.tag + 16; }

  Lost lost_;
  std::optional<Limit> limit_;  // goes last: of MPI's start, then of its end
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
#elif defined(MPIX_GPU_SUPPORT_CUDA)  // MPICH and its kin
  int known = 0;
  const bool takes = MPIX_GPU_query_support(MPIX_GPU_SUPPORT_CUDA, &known) == MPI_SUCCESS && known != 0;
#else
  const bool takes = false;
#endif
  return takes ? "" : "an MPI that does not say that it was built, and started, with CUDA";
}

std::shared_ptr<const Processes> mpi_processes(const Lost& lost) {
  static const auto all = std::make_shared<const MpiProcesses>(lost);
  return all;
}

}  // namespace poisson
