#pragma once

// These are the signatures of HDF5 1.10, which later releases keep under this name.
#define H5_USE_110_API
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <hdf5.h>

namespace poisson::hdf5 {

/// Returns HDF5's description of its last failure: the innermost entry of its error stack, or the operating system's
/// message if the entry contains one.
std::string last_error();

/// Reports a failed call of HDF5; the message is HDF5's own.
struct Failure : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Returns a result of HDF5. Throws Failure if it is negative.
template <class Result>
Result check(Result result) {
  if (result < 0) throw Failure(last_error());
  return result;
}

/// Owns an open object of HDF5 and closes it at the end of its scope.
class Handle {
 public:
  using Close = herr_t (*)(hid_t);
  Handle(hid_t id, Close closer) : id_(check(id)), close_(closer) {}
  Handle(Handle&& other) noexcept : id_(std::exchange(other.id_, -1)), close_(other.close_) {}
  Handle& operator=(Handle&&) = delete;
  ~Handle() {
    if (id_ >= 0) close_(id_);
  }
  operator hid_t() const { return id_; }
  /// Closes the object now, while a failure can still be reported: HDF5 writes the rest of a file when it closes it.
  void close() { check(close_(std::exchange(id_, -1))); }
  /// Gives up the object without closing it.
  void release() { id_ = -1; }

 private:
  hid_t id_;
  Close close_;
};

/// Call it before any other function of HDF5. It disables HDF5's error output, because errors become exceptions. It
/// also disables the clean-up at exit: release 1.10 crashes there if a full disk has prevented it from closing a file.
void silence();

/// Returns file access properties for file systems without locks.
Handle without_locks();

using Shape = std::vector<hsize_t>;

}  // namespace poisson::hdf5
