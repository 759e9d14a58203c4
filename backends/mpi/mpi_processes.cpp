#include "backends/mpi/mpi_processes.hpp"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <mutex>
#include <optional>
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

namespace poisson {
namespace {

namespace mpi = boost::mpi;
using Clock = std::chrono::steady_clock;

/// Tells the next process that this one lives, and listens for the one before.
class Heartbeat {
 public:
  Heartbeat(const mpi::communicator& world, const Lost& lost)
      : ring_(world, mpi::comm_duplicate), lost_(lost), thread_([this] { beat(); }) {}
  /// All others have to come here, too.
  ~Heartbeat() {
    {
      const std::lock_guard lock(mutex_);
      done_ = true;
    }
    ended_.notify_all();
    thread_.join();
  }
  Heartbeat(const Heartbeat&) = delete;

 private:
  static constexpr std::chrono::milliseconds interval{250};
  static constexpr std::chrono::seconds patience{6};
  enum Tag { alive, goodbye };

  void beat() {
    const int next = (ring_.rank() + 1) % ring_.size(), before = (ring_.rank() + ring_.size() - 1) % ring_.size();
    bool expected = true;
    Clock::time_point heard = Clock::now(), last_beat = heard;
    std::unique_lock lock(mutex_);
    while (true) {
      const bool last = ended_.wait_for(lock, interval, [&] { return done_; });
      ring_.isend(next, last ? goodbye : alive);
      // One that was stopped itself has not listened.
      const Clock::time_point now = Clock::now();
      if (now - std::exchange(last_beat, now) > patience / 2) heard = now;
      for (auto sign = ring_.iprobe(before, mpi::any_tag); sign; sign = ring_.iprobe(before, mpi::any_tag)) {
        ring_.recv(before, sign->tag());
        expected = expected && sign->tag() == alive;
        heard = Clock::now();
      }
      if (last) return;
      if (expected && now - heard > patience) {
        lost_(before);
        mpi::environment::abort(1);
      }
    }
  }

  mpi::communicator ring_;
  Lost lost_;
  std::mutex mutex_;
  std::condition_variable ended_;
  bool done_ = false;
  std::thread thread_;
};

/// MPI waits without limit for a process that never comes; this ends the run instead.
class StartLimit {
 public:
  explicit StartLimit(const Lost& lost) : lost_(lost), thread_([this] { watch(); }) {}
  ~StartLimit() {
    {
      const std::lock_guard lock(mutex_);
      started_ = true;
    }
    ended_.notify_all();
    thread_.join();
  }
  StartLimit(const StartLimit&) = delete;

 private:
  void watch() {
    std::unique_lock lock(mutex_);
    if (ended_.wait_for(lock, limit(), [&] { return started_; })) return;
    lost_(std::nullopt);
    std::_Exit(1);  // nothing of MPI can be asked yet; the launcher ends the others
  }
  /// Loading programs from a shared disk of a cluster takes longer than on one machine. Lower ranks go first, so that
  /// one of them speaks.
  static std::chrono::milliseconds limit() {
    const auto number = [](const char* name) {
      const char* text = std::getenv(name);
      return text ? std::atoi(text) : -1;
    };
    const int count = number("OMPI_COMM_WORLD_SIZE");
    const bool one_machine = count > 0 && number("OMPI_COMM_WORLD_LOCAL_SIZE") == count;
    return std::chrono::seconds(one_machine ? 6 : 60) +
           std::chrono::seconds(1) * std::clamp(number("OMPI_COMM_WORLD_RANK"), 0, 3);
  }

  Lost lost_;
  std::mutex mutex_;
  std::condition_variable ended_;
  bool started_ = false;
  std::thread thread_;
};

class MpiProcesses final : public Processes {
 public:
  explicit MpiProcesses(const Lost& lost) : limit_(std::in_place, lost), environment_(mpi::threading::multiple, false) {
    if (mpi::environment::thread_level() < mpi::threading::multiple)
      throw RunError("this MPI does not let several threads of a process send (MPI_THREAD_MULTIPLE)");
    world_.emplace();
    if (world_->size() > 1) heartbeat_.emplace(*world_, lost);
    limit_.reset();
  }

  int rank() const override { return world_->rank(); }
  int count() const override { return world_->size(); }

  std::unique_ptr<Transit> start(std::span<const Message> sent, std::span<const Message> received) const override {
    const Lap lap(waits_.exchanges);
    auto transit = std::make_unique<Requests>(waits_.exchanges);
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
  std::string without_device_memory() const override {
#ifdef MPIX_CUDA_AWARE_SUPPORT
    return MPIX_Query_cuda_support() == 1 ? "" : "an MPI built, or started, without CUDA";
#else
    return "an MPI that does not say whether it knows CUDA";
#endif
  }
  bool meet(double seconds) const override {
    MPI_Request all = MPI_REQUEST_NULL;
    MPI_Ibarrier(*world_, &all);
    const auto until = Clock::now() + std::chrono::duration<double>(seconds);
    for (int here = 0; Clock::now() < until; std::this_thread::sleep_for(std::chrono::milliseconds(1))) {
      MPI_Test(&all, &here, MPI_STATUS_IGNORE);
      if (here) return true;
    }
    return false;
  }
  void abort(int status) const override {
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
  // Tags are not negative.
  static int tag(const Message& m) {
    return m.tag + 16;
  }

  std::optional<StartLimit> limit_;
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

std::shared_ptr<const Processes> mpi_processes(const Lost& lost) {
  static const auto all = std::make_shared<const MpiProcesses>(lost);
  return all;
}

}  // namespace poisson
