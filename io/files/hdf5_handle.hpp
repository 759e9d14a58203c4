#pragma once

// HDF5 1.10's signatures, which later releases keep under this name.
#define H5_USE_110_API
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <hdf5.h>

namespace poisson::hdf5 {

/// What HDF5 itself said about its last failure: the innermost entry of its error stack, or the operating system's
/// words where those are part of it.
std::string last_error();

/// A call of HDF5 that failed; the message is HDF5's own.
struct Failure : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Passes a result of HDF5 on. Throws Failure where it is negative.
template <class Result>
Result check(Result result) {
  if (result < 0) throw Failure(last_error());
  return result;
}

/// An open object of HDF5, closed at the end of its scope.
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
  /// Closes now, where a failure can still be reported: HDF5 writes the rest of a file when it closes it.
  void close() { check(close_(std::exchange(id_, -1))); }
  /// Leaves the object open.
  void release() { id_ = -1; }

 private:
  hid_t id_;
  Close close_;
};

/// To be called before anything else of HDF5. Errors become exceptions, so HDF5 shall not print them too; and it shall
/// not clean up at exit, where release 1.10 crashes over a file that a full disk kept it from closing.
void silence();

/// How files are opened where the file system has no locks.
Handle without_locks();

using Shape = std::vector<hsize_t>;

}  // namespace poisson::hdf5
