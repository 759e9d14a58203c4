// This library is preloaded into the program. It makes the n-th call of a kind fail, as a disk would, or ends the
// process there:
//     POISSON_FAULT=write:4:ENOSPC      the 4th write to a regular file
//     POISSON_FAULT=write:4+:ENOSPC     also all later writes
//     POISSON_FAULT=write:4:ENOSPC:.hdf the 4th write to a file whose path contains .hdf
//     POISSON_FAULT=rename:2:KILL       SIGKILL instead of the 2nd rename
//     POISSON_FAULT=finalize:1:STOP     SIGSTOP before MPI ends
//     POISSON_FAULT=finalize:1:SLOW     9 s of work before MPI ends, as on a busy machine
// The kinds are write, rename, close (of files that were written), sync, and lock; `any` matches all of them. The kinds
// for MPI are barrier (nonblocking) and finalize.

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <string>

#include <dlfcn.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

namespace {

struct Fault {
  std::string kind;
  long number = 0;
  bool lasting = false;
  int error = 0;  // 0: signal
  int signal = 0;
  bool slow = false;
  std::string part;  // part of the path

  Fault() {
    const char* text = std::getenv("POISSON_FAULT");
    if (!text) return;
    const std::string words = text;
    const auto first = words.find(':'), second = words.find(':', first + 1);
    kind = words.substr(0, first);
    number = std::atol(words.c_str() + first + 1);
    lasting = words[second - 1] == '+';
    const auto third = std::min(words.find(':', second + 1), words.size());
    const std::string name = words.substr(second + 1, third - second - 1);
    part = words.substr(std::min(third + 1, words.size()));
    slow = name == "SLOW";
    signal = name == "STOP" ? SIGSTOP : SIGKILL;
    error = name == "ENOSPC" ? ENOSPC : name == "EIO" ? EIO : name == "ENOLCK" ? ENOLCK : 0;
  }
};

bool has_in_path(int descriptor, const std::string& part) {
  std::array<char, 4096> path{};
  const int kept = errno;
  const ssize_t length =
      readlink(("/proc/self/fd/" + std::to_string(descriptor)).c_str(), path.data(), path.size() - 1);
  errno = kept;
  return length > 0 && std::strstr(path.data(), part.c_str());
}

void work_for_long() {
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(9);
  while (std::chrono::steady_clock::now() < end) {
  }
}

/// Returns whether this call of a kind must fail.
bool fails(const char* kind, int descriptor = -1) {
  static const Fault fault;
  static std::atomic<long> calls{0};
  if (fault.kind != kind && fault.kind != "any") return false;
  if (descriptor >= 0 && !fault.part.empty() && !has_in_path(descriptor, fault.part)) return false;
  const long number = ++calls;
  if (number != fault.number && !(fault.lasting && number > fault.number)) return false;
  if (fault.slow) return work_for_long(), false;
  if (fault.error == 0) return raise(fault.signal), false;
  errno = fault.error;
  return true;
}

bool is_file(int descriptor) {
  struct stat status {};
  const int kept = errno;
  const bool regular = fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode);
  errno = kept;
  return regular;
}

bool is_written(int descriptor) {
  const int kept = errno, flags = fcntl(descriptor, F_GETFL);
  errno = kept;
  return flags >= 0 && (flags & O_ACCMODE) != O_RDONLY && is_file(descriptor);
}

template <class Function>
Function* next(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

}  // namespace

extern "C" {

ssize_t write(int file, const void* bytes, size_t count) {
  if (is_file(file) && fails("write", file)) return -1;
  return next<decltype(write)>("write")(file, bytes, count);
}
ssize_t writev(int file, const iovec* parts, int count) {
  if (is_file(file) && fails("write", file)) return -1;
  return next<decltype(writev)>("writev")(file, parts, count);
}
ssize_t pwrite(int file, const void* bytes, size_t count, off_t at) {
  if (is_file(file) && fails("write", file)) return -1;
  return next<decltype(pwrite)>("pwrite")(file, bytes, count, at);
}
ssize_t pwrite64(int file, const void* bytes, size_t count, off64_t at) {
  if (is_file(file) && fails("write", file)) return -1;
  return next<decltype(pwrite64)>("pwrite64")(file, bytes, count, at);
}
ssize_t pwritev(int file, const iovec* parts, int count, off_t at) {
  if (is_file(file) && fails("write", file)) return -1;
  return next<decltype(pwritev)>("pwritev")(file, parts, count, at);
}
ssize_t pwritev64(int file, const iovec* parts, int count, off64_t at) {
  if (is_file(file) && fails("write", file)) return -1;
  return next<decltype(pwritev64)>("pwritev64")(file, parts, count, at);
}
int rename(const char* from, const char* to) noexcept {
  if (fails("rename")) return -1;
  return next<decltype(rename)>("rename")(from, to);
}
int renameat(int folder, const char* from, int other, const char* to) noexcept {
  if (fails("rename")) return -1;
  return next<decltype(renameat)>("renameat")(folder, from, other, to);
}
int renameat2(int folder, const char* from, int other, const char* to, unsigned flags) noexcept {
  if (fails("rename")) return -1;
  return next<decltype(renameat2)>("renameat2")(folder, from, other, to, flags);
}
int close(int file) {
  const bool failing = is_written(file) && fails("close", file);
  const int kept = errno, result = next<decltype(close)>("close")(file);
  if (!failing) return result;
  errno = kept;
  return -1;
}
int fsync(int file) {
  if (fails("sync")) return -1;
  return next<decltype(fsync)>("fsync")(file);
}
// The function needs another name here, because flock is also a struct.
int lock_file(int file, int operation) noexcept asm("flock");
int lock_file(int file, int operation) noexcept {
  if (fails("lock")) return -1;
  return next<int(int, int)>("flock")(file, operation);
}
// The arguments are passed on unchanged, because their types depend on the MPI.
int MPI_Ibarrier(void* group, void* request) {
  fails("barrier");
  return next<decltype(MPI_Ibarrier)>("MPI_Ibarrier")(group, request);
}
int MPI_Finalize() {
  fails("finalize");
  return next<decltype(MPI_Finalize)>("MPI_Finalize")();
}
}
