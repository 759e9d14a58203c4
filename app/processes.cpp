#include "app/processes.hpp"

#include <algorithm>
#include <charconv>
#include <condition_variable>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>
#include <vector>

#include <omp.h>
#include <pthread.h>
#include <sched.h>
#include <unistd.h>

#include "backends/memory/error.hpp"
#include "backends/processes/machine.hpp"
#ifdef POISSON_HAVE_MPI
#include "backends/mpi/mpi_processes.hpp"
#endif

namespace poisson {
namespace {

/// Returns the integer value of an environment variable; -1 if it is unset or not an integer.
long variable(const char* name) {
  const char* text = std::getenv(name);
  long value = -1;
  if (!text) return -1;
  const std::string_view digits(text);
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  return error == std::errc() && end == digits.data() + digits.size() ? value : -1;
}

[[noreturn]] void refuse(const std::string& variable_of_launcher) {
#ifdef POISSON_HAVE_MPI
  const std::string why = "but not by a launcher that MPI knows: start it with mpirun or srun --mpi=pmix";
#else
  const std::string why =
      "but this build has no MPI, so each process would solve the whole problem: start one process, without mpirun or "
      "with srun -n 1, or build with MPI (scripts/setup, -DPOISSON_MPI=ON)";
#endif
  throw InputError("started as one of several processes (" + variable_of_launcher + "), " + why);
}

// Returns the launcher's variable that shows several processes, as "NAME=VALUE"; empty if there is none.
std::string one_of_several() {
  const auto with_value = [](const char* name) { return std::string(name) + "=" + std::getenv(name); };
  for (const char* size : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "MV2_COMM_WORLD_SIZE", "SLURM_STEP_NUM_TASKS"})
    if (variable(size) > 1) return with_value(size);
  for (const char* rank : {"OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK", "SLURM_PROCID"})
    if (variable(rank) > 0) return with_value(rank);
  // The script of a batch job also has the number of tasks, but it is not a step of the job.
  const bool step = variable("SLURM_STEP_ID") >= 0 || variable("SLURM_STEPID") >= 0;
  if (step && variable("SLURM_STEP_NUM_TASKS") < 0)
    for (const char* size : {"SLURM_NTASKS", "SLURM_NPROCS"})
      if (variable(size) > 1) return with_value(size);
  return {};
}

/// Returns the variable that sets the stack size of OpenMP threads, as "NAME=VALUE"; empty if it is unset.
std::string stack_variable() {
  for (const char* name : {"OMP_STACKSIZE", "GOMP_STACKSIZE"})
    if (const char* value = std::getenv(name)) return std::string(name) + "=" + value;
  return {};
}

/// Returns the bytes of a stack variable: a number with B, K, M or G, or in KiB (OpenMP 5.2, 21.2.2); 0 if invalid.
std::size_t stack_bytes(const std::string& variable) {
  const std::size_t digit = variable.find_first_of("0123456789");
  if (digit == std::string::npos) return 0;
  std::size_t number = 0;
  const char* const end = variable.data() + variable.size();
  const auto [unit, error] = std::from_chars(variable.data() + digit, end, number);
  if (error != std::errc()) return 0;
  const std::size_t at = variable.find_first_not_of(" \t", static_cast<std::size_t>(unit - variable.data()));
  const std::size_t power = at == std::string::npos ? 1 : std::string_view("bkmg").find(variable[at] | 0x20);
  if (power > 3 || number > (SIZE_MAX >> (10 * power))) return 0;
  return number << (10 * power);
}

/// Sets the stack size of threads that start in its scope, in bytes; 0 keeps the default.
class StackSize {
 public:
  explicit StackSize(std::size_t bytes) {
    pthread_getattr_default_np(&before_);
    pthread_attr_t changed;
    pthread_getattr_default_np(&changed);
    if (bytes > 0 && pthread_attr_setstacksize(&changed, bytes) == 0) pthread_setattr_default_np(&changed);
    pthread_attr_destroy(&changed);
  }
  ~StackSize() {
    pthread_setattr_default_np(&before_);
    pthread_attr_destroy(&before_);
  }
  StackSize(const StackSize&) = delete;
  StackSize& operator=(const StackSize&) = delete;

 private:
  pthread_attr_t before_;
};

/// Returns how many threads can run at the same time, at most `count`.
int startable(int count, std::string& why) {
  std::mutex mutex;
  std::condition_variable all;
  bool done = false;
  std::vector<std::thread> threads;
  try {
    while (static_cast<int>(threads.size()) < count)
      threads.emplace_back([&] {
        std::unique_lock lock(mutex);
        all.wait(lock, [&] { return done; });
      });
  } catch (const std::system_error& error) {
    why = error.code().message();
  }
  {
    const std::lock_guard lock(mutex);
    done = true;
  }
  all.notify_all();
  for (std::thread& thread : threads) thread.join();
  return static_cast<int>(threads.size());
}

#ifdef POISSON_HAVE_MPI
// Returns one line about lost processes.
std::string describe(Moment moment, std::span<const LostProcess> lost) {
  const std::string end = moment == Moment::end ? ": the run is aborted; the files that it has written are complete\n"
                                                : ": the run stops; files that it has not completed are not results\n";
  if (lost.empty())
    return std::string("poisson: some processes have not ") + (moment == Moment::start ? "started" : "ended") +
           " within a few seconds (killed, stopped, or their machine is lost)" + end;
  std::string text = "poisson: ";
  for (const LostProcess& process : lost)
    text += (&process == lost.data() ? "process " : ", process ") + std::to_string(process.rank) + " (number " +
            std::to_string(process.number) + " on " + process.host + ")";
  if (lost.front().ended) return text + (lost.size() == 1 ? " was" : " were") + " killed, or crashed" + end;
  return text + (lost.size() == 1 ? " has" : " have") +
         " not responded for several seconds (killed, stopped, or its machine is lost)" + end;
}
#endif

}  // namespace

std::shared_ptr<const Processes> start_processes() {
  const std::string several = one_of_several();  // before MPI sets its own variables
#ifdef POISSON_HAVE_MPI
  if (under_launcher()) {
    const auto all = mpi_processes(
        [](Moment moment, std::span<const LostProcess> lost) { std::fputs(describe(moment, lost).c_str(), stderr); });
    if (!all->alone()) return all;
  }
#endif
  if (!several.empty()) refuse(several);
  return one_process();
}

std::vector<std::size_t> machines_of(const Processes& processes) {
  std::vector<std::size_t> all = processes.gather(machine_number());
  if (const long count = variable("POISSON_MACHINES"); count > 0)
    for (std::size_t p = 0; p < all.size(); ++p) all[p] = p * static_cast<std::size_t>(count) / all.size();
  return all;
}

int count_machines(const Processes& processes) {
  const std::vector<std::size_t> all = machines_of(processes);
  return static_cast<int>(std::set(all.begin(), all.end()).size());
}

int place_on_machine(const Processes& processes) {
  const std::vector<std::size_t> all = processes.gather(machine_number());
  const auto own = all.begin() + processes.rank();
  return static_cast<int>(std::count(all.begin(), own, *own));
}

std::string describe_binding() {
  const long cores = sysconf(_SC_NPROCESSORS_ONLN);
  cpu_set_t own;
  if (sched_getaffinity(0, sizeof own, &own) != 0 || CPU_COUNT(&own) >= cores) return {};
  return "bound to " + std::to_string(CPU_COUNT(&own)) + " of " + std::to_string(cores) + " cores each";
}

void set_threads(int threads) {
  const int count = threads > 0 ? threads : omp_get_max_threads();
  if (count > most_threads)
    throw InputError(std::to_string(count) +
                     " threads are requested (OMP_NUM_THREADS, or the number of cores): use at most " +
                     std::to_string(most_threads) + ", for example --threads " + std::to_string(most_threads));
  if (threads > 0) omp_set_num_threads(threads);
  // The OpenMP runtime aborts the program if a thread does not start. wait_passively needs two threads more.
  const int beside = count == 1 ? 0 : count + 1;
  const std::string stacks = stack_variable();
  const StackSize size(stack_bytes(stacks));
  std::string why;
  if (const int started = startable(beside, why); started < beside && stack_bytes(stacks) > 0)
    throw RunError("the system cannot start " + std::to_string(count) + " threads (" + why + ") with the stacks of " +
                   stacks + ": unset that variable, or set a smaller value");
  else if (started < beside)
    throw RunError("the system cannot start " + std::to_string(count) + " threads (" + why + "): use --threads " +
                   std::to_string(std::max(1, started / 2)) + ", or raise the limits (ulimit -u, -v)");
}

}  // namespace poisson
