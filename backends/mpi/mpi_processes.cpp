#include "backends/mpi/mpi_processes.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <limits>
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

#include "backends/memory/error.hpp"
#include "backends/mpi/heartbeat.hpp"
#include "backends/mpi/signs_of_life.hpp"
#include "backends/mpi/wait_limit.hpp"
#include "backends/processes/machine.hpp"
#include "backends/spaces/groups.hpp"

namespace poisson {
namespace {

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
    if (bytes > static_cast<std::size_t>(std::numeric_limits<int>::max()))
      throw RunError("a process has more than 2 GiB for the others: use fewer processes, or fewer cells");
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
  bool borrowed_;                   // the program had initialized MPI before
  std::optional<WaitLimit> limit_;  // destroyed last; limits MPI's start, then its end
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
