#include "io/files/hdf5_handle.hpp"

#include <cstdlib>
#include <string_view>

#include "io/files/hdf5.hpp"

namespace poisson {
namespace hdf5 {

std::string last_error() {
  std::string text;
  const auto keep_first = [](unsigned, const H5E_error2_t* entry, void* out) -> herr_t {
    auto& kept = *static_cast<std::string*>(out);
    if (kept.empty() && entry->desc) kept = entry->desc;
    return 0;
  };
  H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, keep_first, &text);
  const std::string_view mark = "error message = '";
  if (const auto start = text.find(mark); start != std::string::npos) {
    text = text.substr(start + mark.size());
    text = text.substr(0, text.find('\''));
  }
  return text.empty() ? "HDF5 gives no reason" : text;
}

void silence() {
  [[maybe_unused]] static const herr_t once = H5dont_atexit();
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
}

Handle without_locks() {
  Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
#if H5_VERSION_GE(1, 12, 1) || (H5_VERS_MINOR == 10 && H5_VERS_RELEASE >= 7)
  check(H5Pset_file_locking(access, false, true));
#endif
  return access;
}

}  // namespace hdf5

// HDF5 must be initialized before MPI. Otherwise HDF5 closes open objects within MPI_Finalize, which is collective and
// waits forever for a process that cannot write.
// Open MPI's OMPIO maintains a pointer into each shared file, which nothing here uses. OMPIO needs either additional
// files next to ours or a named semaphore. If a process is killed while it owns the semaphore, all later runs wait for
// it. Open MPI's ROMIO needs neither.
void prepare_parallel_files() {
#ifdef H5_HAVE_PARALLEL
  hdf5::silence();
  H5open();
  setenv("OMPI_MCA_io", "^ompio", /*overwrite=*/0);
#endif
}

}  // namespace poisson
