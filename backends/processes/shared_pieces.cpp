#include "backends/processes/shared_pieces.hpp"

#include <cerrno>
#include <cstring>
#include <string>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "backends/memory/error.hpp"

namespace poisson {
namespace {

[[noreturn]] void refuse(const std::string& what, int error) {
  throw RunError("processes of one machine cannot share memory (" + what + ": " + std::strerror(error) + ")");
}

// Closes an open file on destruction; mappings of the file remain.
class Descriptor {
 public:
  Descriptor(int number, const char* what) : number_(number) {
    if (number < 0) refuse(what, errno);
  }
  ~Descriptor() { close(number_); }
  Descriptor(const Descriptor&) = delete;
  int number() const { return number_; }

 private:
  int number_;
};

char* mapped(const Descriptor& file, std::size_t bytes) {
  void* const there = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file.number(), 0);
  if (there == MAP_FAILED) refuse("mmap", errno);
  return static_cast<char*>(there);
}

// Identifies a process's piece by its open descriptor and file. The file is checked because processes of different
// containers may have the same process ids.
struct Place {
  pid_t process;
  int descriptor;
  dev_t device;
  ino_t file;
};

struct stat status_of(const Descriptor& file) {
  struct stat status {};
  if (fstat(file.number(), &status) != 0) refuse("fstat", errno);
  return status;
}

}  // namespace

SharedPieces::SharedPieces(const Processes& processes, std::size_t bytes)
    : bytes_(bytes), pieces_(static_cast<std::size_t>(processes.count()), nullptr) {
  try {
    std::unique_ptr<Descriptor> own;
    Place place{};
    together(processes, [&] {
      own = std::make_unique<Descriptor>(memfd_create("poisson", MFD_CLOEXEC), "memfd_create");
      // The pages are allocated now. If there were too few later, the process that first touches one would be killed.
      if (const int error = posix_fallocate(own->number(), 0, static_cast<off_t>(bytes)); error != 0)
        refuse("posix_fallocate", error);
      pieces_[static_cast<std::size_t>(processes.rank())] = mapped(*own, bytes);
      const struct stat status = status_of(*own);
      place = {getpid(), own->number(), status.st_dev, status.st_ino};
    });
    const std::vector<Place> places = processes.gather(place);
    together(processes, [&] {
      for (std::size_t p = 0; p < places.size(); ++p) {
        if (pieces_[p]) continue;
        const std::string path =
            "/proc/" + std::to_string(places[p].process) + "/fd/" + std::to_string(places[p].descriptor);
        const Descriptor piece(open(path.c_str(), O_RDWR | O_CLOEXEC), path.c_str());
        const struct stat status = status_of(piece);
        if (status.st_dev != places[p].device || status.st_ino != places[p].file) refuse(path, ESTALE);
        pieces_[p] = mapped(piece, bytes);
      }
    });  // all have opened it before any closes it
  } catch (...) {
    forget();
    throw;
  }
}

SharedPieces::~SharedPieces() {
  forget();
}

void SharedPieces::forget() {
  for (char* piece : pieces_)
    if (piece) munmap(piece, bytes_);
}

}  // namespace poisson
