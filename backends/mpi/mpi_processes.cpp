#include "backends/mpi/mpi_processes.hpp"

#include <cstdlib>
#include <vector>

#include <boost/mpi/collectives.hpp>
#include <boost/mpi/communicator.hpp>
#include <boost/mpi/environment.hpp>
#include <boost/mpi/nonblocking.hpp>

#include "backends/error.hpp"

namespace poisson {
namespace {

namespace mpi = boost::mpi;

class MpiProcesses final : public Processes {
 public:
  MpiProcesses() : environment_(mpi::threading::multiple, false) {
    if (mpi::environment::thread_level() < mpi::threading::multiple)
      throw RunError("this MPI does not let several threads of a process send (MPI_THREAD_MULTIPLE)");
  }

  int rank() const override { return world_.rank(); }
  int count() const override { return world_.size(); }

  std::unique_ptr<Transit> start(std::span<const Message> sent, std::span<const Message> received) const override {
    auto transit = std::make_unique<Requests>();
    for (const Message& m : received)
      transit->all.push_back(world_.irecv(m.partner, tag(m), static_cast<char*>(m.data), static_cast<int>(m.bytes)));
    for (const Message& m : sent)
      transit->all.push_back(
          world_.isend(m.partner, tag(m), static_cast<const char*>(m.data), static_cast<int>(m.bytes)));
    return transit;
  }
  void gather(const void* own, std::size_t bytes, void* all) const override {
    mpi::all_gather(world_, static_cast<const char*>(own), static_cast<int>(bytes), static_cast<char*>(all));
  }
  void broadcast(void* data, std::size_t bytes, int from) const override {
    mpi::broadcast(world_, static_cast<char*>(data), static_cast<int>(bytes), from);
  }

 private:
  struct Requests final : Transit {
    std::vector<mpi::request> all;
    void finish() override { mpi::wait_all(all.begin(), all.end()); }
  };
  // Tags are not negative.
  static int tag(const Message& m) { return m.tag + 16; }

  mpi::environment environment_;
  mpi::communicator world_;
};

}  // namespace

bool under_launcher() {
  for (const char* name : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "PMI_RANK", "PMIX_RANK", "MV2_COMM_WORLD_SIZE"})
    if (std::getenv(name)) return true;
  return false;
}

std::shared_ptr<const Processes> mpi_processes() {
  static const auto all = std::make_shared<const MpiProcesses>();
  return all;
}

}  // namespace poisson
