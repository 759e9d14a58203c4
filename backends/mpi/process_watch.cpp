#include "backends/mpi/process_watch.hpp"

#include <cerrno>
#include <fstream>
#include <functional>
#include <string>

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "backends/processes/machine.hpp"

namespace poisson {

ProcessPlace ProcessPlace::own() {
  ProcessPlace place;
  machine_name().copy(place.host.data(), place.host.size() - 1);
  place.number = getpid();
  std::ifstream stream("/proc/sys/kernel/random/boot_id");
  std::string boot;
  struct stat numbers {};
  if (std::getline(stream, boot) && stat("/proc/self/ns/pid", &numbers) == 0)
    place.table = std::hash<std::string>()(boot + std::to_string(numbers.st_ino));
  return place;
}

ProcessWatch::ProcessWatch(const std::vector<ProcessPlace>& places, int own)
    : watched_(places.size()), wake_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  const ProcessPlace& here = places[static_cast<std::size_t>(own)];
  for (std::size_t p = 0; p < places.size(); ++p) {
    Watched& process = watched_[p];
    if (here.table == 0 || places[p].table != here.table) continue;
    process.here = true;
    if (static_cast<int>(p) == own) continue;
    process.descriptor = static_cast<int>(syscall(SYS_pidfd_open, places[p].number, 0));
    if (process.descriptor >= 0) continue;
    // ESRCH: the process has ended already. Other errors mean an old kernel or a sandbox.
    process.ended = errno == ESRCH;
    process.here = process.ended;
  }
}

ProcessWatch::~ProcessWatch() {
  for (const Watched& process : watched_)
    if (process.descriptor >= 0) close(process.descriptor);
  if (wake_ >= 0) close(wake_);
}

void ProcessWatch::wait(std::chrono::milliseconds time) {
  std::vector<pollfd> polled{{wake_, POLLIN, 0}};
  // `poll` ignores negative descriptors.
  for (const Watched& process : watched_) polled.push_back({process.descriptor, POLLIN, 0});
  if (poll(polled.data(), polled.size(), static_cast<int>(time.count())) <= 0) return;
  std::uint64_t count = 0;
  if (polled.front().revents != 0) [[maybe_unused]]
    const auto bytes = read(wake_, &count, sizeof count);
  for (std::size_t p = 0; p < watched_.size(); ++p)
    if (polled[p + 1].revents != 0) {
      watched_[p].ended = true;
      close(watched_[p].descriptor);
      watched_[p].descriptor = -1;
    }
}

void ProcessWatch::wake() const {
  const std::uint64_t one = 1;
  [[maybe_unused]] const auto bytes = write(wake_, &one, sizeof one);
}

}  // namespace poisson
