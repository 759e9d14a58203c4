#include "io/files/result_folder.hpp"

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <string_view>

#include <dirent.h>
#include <fcntl.h>
#include <nlohmann/json.hpp>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "backends/memory/error.hpp"
#include "backends/memory/memory.hpp"
#include "io/files/output.hpp"

namespace poisson {
namespace {

using ReadJson = nlohmann::json;

constexpr const char* lock_name = ".poisson.lock";
constexpr std::string_view staging_prefix = ".poisson-";
constexpr std::size_t random_characters = 6;  // appended by mkdtemp
constexpr const char* previous_name = "previous";
constexpr const char* summary_name = "summary.json";
constexpr const char* failed_name = "summary.failed.json";
constexpr std::size_t largest_summary = std::size_t{1} << 28;

/// Returns lstat of a name in a directory; nothing if the name does not exist.
std::optional<struct stat> status_of(int directory, const char* name) {
  struct stat status {};
  if (fstatat(directory, name, &status, AT_SYMLINK_NOFOLLOW) != 0) return {};
  return status;
}

bool exists(int directory, const std::string& name) {
  return status_of(directory, name.c_str()).has_value();
}

/// Returns true if this process may move a file of a directory. With the sticky bit, it may move only its own files.
bool movable(int directory, const struct stat& file) {
  struct stat folder {};
  const uid_t self = geteuid();
  return self == 0 || fstat(directory, &folder) != 0 || !(folder.st_mode & S_ISVTX) || folder.st_uid == self ||
         file.st_uid == self;
}

/// Returns a regular file as text; nothing if it is another kind, is larger than any summary, or cannot be read.
std::optional<std::string> read_file(int directory, const char* name) {
  const Descriptor file(openat(directory, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  struct stat status {};
  if (file < 0 || fstat(file, &status) != 0 || !S_ISREG(status.st_mode)) return {};
  if (static_cast<std::uintmax_t>(status.st_size) > largest_summary) return {};
  std::string text(static_cast<std::size_t>(status.st_size), '\0');
  std::size_t done = 0;
  while (done < text.size()) {
    const ssize_t got = read(file, text.data() + done, text.size() - done);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return {};
    done += static_cast<std::size_t>(got);
  }
  return text;
}

/// Returns the summary of a run; nothing if the file has other content.
std::optional<ReadJson> read_summary(int directory, const char* name) {
  const auto text = read_file(directory, name);
  if (!text) return {};
  ReadJson json = ReadJson::parse(*text, nullptr, /*allow_exceptions=*/false);
  if (!json.is_object() || !json.contains("version") || !json.contains("converged") || !json.contains("config"))
    return {};
  return json;
}

/// Returns the files that a summary lists, restricted to names that a run may write.
std::vector<Summary::File> listed(const ReadJson& summary) {
  std::vector<Summary::File> files;
  if (!summary.contains("files") || !summary["files"].is_array()) return files;
  for (const ReadJson& file : summary["files"]) {
    if (!file.is_object() || !file.contains("name") || !file["name"].is_string() || !file.contains("bytes") ||
        !file["bytes"].is_number_unsigned())
      continue;
    const auto name = file["name"].get<std::string>();
    if (name != summary_name && is_result_name(name)) files.push_back({name, file["bytes"].get<std::uintmax_t>()});
  }
  return files;
}

/// Moves a file, but never over an existing one. Returns 0 or the error.
int move_file(int from, int to, const std::string& name) {
  if (renameat2(from, name.c_str(), to, name.c_str(), RENAME_NOREPLACE) == 0) return 0;
  if (errno != EINVAL && errno != ENOSYS) return errno;
  if (exists(to, name)) return EEXIST;  // the file system has no atomic check and move
  return renameat(from, name.c_str(), to, name.c_str()) == 0 ? 0 : errno;
}

Descriptor open_folder(int directory, const char* name) {
  return Descriptor(openat(directory, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
}

/// Returns the names in a folder that satisfy a predicate, sorted.
template <class Predicate>
std::vector<std::string> names_in(int folder, const Predicate& wanted) {
  std::vector<std::string> names;
  // The stream needs a separate descriptor, because it closes it.
  DIR* const stream = fdopendir(openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!stream) return names;
  while (const dirent* entry = readdir(stream))
    if (wanted(std::string_view(entry->d_name))) names.emplace_back(entry->d_name);
  closedir(stream);
  std::ranges::sort(names);
  return names;
}

/// Removes the files of a run from its private folder, and no others.
void clear(int folder) {
  const auto of_a_run = [](std::string_view name) { return is_result_name(name) || name == failed_name; };
  const auto left = names_in(folder, [&](std::string_view name) {
    constexpr std::string_view end = ".part";
    const bool pending = name.starts_with('.') && name.ends_with(end);
    return of_a_run(pending ? name.substr(1, name.size() - 1 - end.size()) : name);
  });
  for (const std::string& name : left) unlinkat(folder, name.c_str(), 0);
}

/// Undoes an incomplete publication: new files move back, then earlier ones return, their summary last. It may be
/// interrupted at any point and repeated. Returns false if a file could not be moved.
bool restore(int directory, int folder) {
  const Descriptor previous = open_folder(folder, previous_name);
  if (previous < 0) return true;
  bool good = true;
  // The summary moves last. If it has moved, the publication is complete.
  if (exists(folder, summary_name)) {
    const auto summary = read_summary(folder, summary_name);
    if (!summary) return false;
    for (const Summary::File& file : listed(*summary))
      if (!exists(folder, file.name) && exists(directory, file.name))
        good = move_file(directory, folder, file.name) == 0 && good;
    if (exists(previous, failed_name)) good = move_file(previous, directory, failed_name) == 0 && good;
    const auto fields = [](std::string_view name) { return is_result_name(name) && name != summary_name; };
    for (const std::string& name : names_in(previous, fields)) good = move_file(previous, directory, name) == 0 && good;
    if (exists(previous, summary_name)) good = move_file(previous, directory, summary_name) == 0 && good;
  }
  if (!good) return false;
  clear(previous);
  unlinkat(folder, previous_name, AT_REMOVEDIR);
  return true;
}

/// Returns true for the name of a staging folder: the prefix and the characters of mkdtemp.
bool is_staging(std::string_view name) {
  return name.starts_with(staging_prefix) && name.size() == staging_prefix.size() + random_characters &&
         std::ranges::all_of(name.substr(staging_prefix.size()),
                             [](char c) { return std::isalnum(static_cast<unsigned char>(c)); });
}

/// Returns true if an error comes from the disk or the system, not from the requested path.
bool is_failure(int error) {
  return error == ENOSPC || error == EDQUOT || error == EIO || error == EFBIG || error == EMFILE || error == ENFILE ||
         error == ENOMEM;
}

}  // namespace

void ResultFolder::refuse(const std::string& problem, int error) const {
  const std::string text = problem + directory_.string() + " (" + std::strerror(error) + ")";
  if (is_failure(error))
    throw RunError(text + ": check the disk and its free space, or choose another output.directory");
  throw InputError(text + ": choose another output.directory");
}

ResultFolder::ResultFolder(std::filesystem::path directory) : directory_(std::move(directory)) {
  std::error_code error;
  std::filesystem::create_directories(directory_, error);
  if (error) refuse("cannot create the output directory ", error.value());
  directory_fd_ = Descriptor(open(directory_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (directory_fd_ < 0) refuse("cannot open the output directory ", errno);
  lock();
  try {
    if (lock_ >= 0) clear_leftovers();
    make_staging();
  } catch (const Error&) {
    unlock();
    throw;
  }
}

ResultFolder::~ResultFolder() {
  // If earlier results could not be restored, the folder keeps them for the next run.
  if (staging_fd_ >= 0 && restore(directory_fd_, staging_fd_)) {
    clear(staging_fd_);
    unlinkat(directory_fd_, staging_.filename().c_str(), AT_REMOVEDIR);
  }
  unlock();
}

void ResultFolder::unlock() const {
  if (lock_ >= 0) unlinkat(directory_fd_, lock_name, 0);
}

void ResultFolder::lock() {
  const auto in_the_way = [&] {
    throw InputError((directory_ / lock_name).string() +
                     " is not a regular file: remove it, or choose another output.directory");
  };
  for (int attempt = 0; attempt < 1000; ++attempt) {
    constexpr int flags = O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC;
    Descriptor file(openat(directory_fd_, lock_name, O_RDWR | flags));
    if (file < 0 && errno == EACCES) file = Descriptor(openat(directory_fd_, lock_name, O_RDONLY | flags));
    if (file < 0 && errno == ENOENT) {
      file = Descriptor(openat(directory_fd_, lock_name, O_RDWR | O_CREAT | O_EXCL | flags, 0666));
      if (file < 0 && errno == EEXIST) continue;
    }
    if (file < 0 && (errno == ELOOP || errno == EISDIR || errno == ENXIO)) in_the_way();
    if (file < 0) refuse("cannot write to the output directory ", errno);
    struct stat opened {};
    if (fstat(file, &opened) != 0) refuse("cannot write to the output directory ", errno);
    if (!S_ISREG(opened.st_mode)) in_the_way();
    if (flock(file, LOCK_EX | LOCK_NB) != 0) {
      if (errno == EINTR) continue;
      if (errno == EWOULDBLOCK || errno == EAGAIN)
        throw InputError("another run writes to the output directory " + directory_.string() +
                         " (it owns the lock there): wait until it ends, or choose another output.directory");
      note_ = "the output directory " + directory_.string() + " cannot be locked (" + std::strerror(errno) +
              "): make sure that no other run writes to it";
      unlinkat(directory_fd_, lock_name, 0);
      return;
    }
    // A run that has just ended may have removed this file, and another run may have created a new one.
    const auto named = status_of(directory_fd_, lock_name);
    if (named && named->st_ino == opened.st_ino && named->st_dev == opened.st_dev) {
      lock_ = std::move(file);
      return;
    }
  }
  refuse("cannot lock the output directory ", EBUSY);
}

void ResultFolder::make_staging() {
  std::string name = (directory_ / (std::string(staging_prefix) + std::string(random_characters, 'X'))).string();
  if (!mkdtemp(name.data())) refuse("cannot write to the output directory ", errno);  // mkdtemp sets mode 0700
  staging_ = name;
  staging_fd_ = open_folder(directory_fd_, staging_.filename().c_str());
  if (staging_fd_ < 0) refuse("cannot write to the output directory ", errno);
}

void ResultFolder::clear_leftovers() const {
  std::error_code error;
  std::vector<std::string> names;
  for (std::filesystem::directory_iterator entry(directory_, error), end; !error && entry != end;
       entry.increment(error))
    if (std::string name = entry->path().filename().string(); is_staging(name)) names.push_back(std::move(name));
  for (const std::string& name : names) {
    const Descriptor folder = open_folder(directory_fd_, name.c_str());
    struct stat status {};
    if (folder < 0 || fstat(folder, &status) != 0 || status.st_uid != geteuid() || (status.st_mode & 0777) != 0700)
      continue;
    if (!restore(directory_fd_, folder))
      throw RunError("cannot restore the results that a killed run moved to " + (directory_ / name).string() +
                     ": move them yourself, or choose another output.directory");
    clear(folder);
    unlinkat(directory_fd_, name.c_str(), AT_REMOVEDIR);
  }
}

std::vector<std::string> ResultFolder::earlier_results() const {
  std::vector<std::string> names;
  if (const auto summary = read_summary(directory_fd_, summary_name)) {
    names.emplace_back(summary_name);
    for (const Summary::File& file : listed(*summary)) {
      const auto status = status_of(directory_fd_, file.name.c_str());
      if (status && S_ISREG(status->st_mode) && static_cast<std::uintmax_t>(status->st_size) == file.bytes)
        names.push_back(file.name);
    }
    // Before version 0.2, summaries listed no files, and these names belonged to the program.
    if (!summary->contains("files"))
      for (const char* name : {"solution.vti", "solution.vtr", "solution.hdf", "solution.h5", "solution.png"})
        if (const auto status = status_of(directory_fd_, name); status && S_ISREG(status->st_mode))
          names.emplace_back(name);
  }
  if (read_summary(directory_fd_, failed_name)) names.emplace_back(failed_name);
  std::erase_if(names, [&](const std::string& name) {
    const auto status = status_of(directory_fd_, name.c_str());
    return !status || !movable(directory_fd_, *status);
  });
  return names;
}

void ResultFolder::check_names(const std::vector<std::string>& names) const {
  const std::vector<std::string> earlier = earlier_results();
  const auto check = [&](const std::string& name) {
    if (exists(directory_fd_, name) && std::ranges::find(earlier, name) == earlier.end())
      throw InputError((directory_ / name).string() +
                       " exists, but no earlier run has written it: move it, or choose another output.directory");
  };
  std::ranges::for_each(names, check);
  check(summary_name);
}

void ResultFolder::check_space(double bytes) const {
  std::error_code error;
  const auto space = std::filesystem::space(staging_, error);
  if (!error && space.capacity > 0 && static_cast<double>(space.available) < bytes)
    throw RunError("the output directory " + directory_.string() + " has too little free space (the results need " +
                   readable_bytes(bytes) + " in addition to those of an earlier run, but only " +
                   readable_bytes(static_cast<double>(space.available)) +
                   " are free): free some space, or choose another output.directory");
}

void ResultFolder::publish(const Summary& summary) {
  const auto fail_at = [&](const std::string& name, int error) {
    throw RunError((directory_ / name).string() + " cannot be written (" + std::strerror(error) +
                   "). Check the disk and its free space, or choose another output.directory.");
  };
  std::vector<std::string> names;
  for (const Summary::File& file : summary.files) names.push_back(file.name);
  for (const Summary::File& file : summary.files) {
    const auto status = status_of(staging_fd_, file.name.c_str());
    if (!status || !S_ISREG(status->st_mode) || static_cast<std::uintmax_t>(status->st_size) != file.bytes)
      fail_at(file.name, EIO);
  }
  write_summary(staging_, summary);
  try {
    check_names(names);
  } catch (const InputError& error) {
    throw RunError(error.what());
  }
  names.emplace_back(summary_name);

  std::vector<std::string> earlier = earlier_results();
  bool published = false;
  try {
    if (mkdirat(staging_fd_, previous_name, 0700) != 0) fail_at(summary_name, errno);
    {
      const Descriptor previous = open_folder(staging_fd_, previous_name);
      if (previous < 0) fail_at(summary_name, errno);
      for (const std::string& name : earlier)  // starts with the summary
        if (const int error = move_file(directory_fd_, previous, name)) fail_at(name, error);
    }
    for (const std::string& name : names)
      if (const int error = move_file(staging_fd_, directory_fd_, name)) fail_at(name, error);
    published = true;
    if (const int error = flush_to_disk(directory_fd_)) fail_at(summary_name, error);
  } catch (const RunError& error) {
    if (published) move_file(directory_fd_, staging_fd_, summary_name);
    if (restore(directory_fd_, staging_fd_)) throw;
    throw RunError(error.what() + std::string(" Earlier results are in ") + (staging_ / previous_name).string() +
                   "; the next run restores them.");
  }
  restore(directory_fd_, staging_fd_);  // clears the folder, since nothing is left to undo
}

void ResultFolder::fail(const Summary& summary) {
  if (exists(staging_fd_, previous_name)) return;  // the next run restores these first
  clear(staging_fd_);
  if (exists(directory_fd_, failed_name) && !read_summary(directory_fd_, failed_name))
    throw RunError((directory_ / failed_name).string() + " is not the summary of a run: move it");
  write_summary(staging_, summary, failed_name);
  if (renameat(staging_fd_, failed_name, directory_fd_, failed_name) != 0)
    throw RunError((directory_ / failed_name).string() + " cannot be written (" + std::strerror(errno) +
                   "). Check the disk and its free space, or choose another output.directory.");
  flush_to_disk(directory_fd_);
}

void check_shared(const std::filesystem::path& staging, int process) {
  if (access(staging.c_str(), W_OK | X_OK) == 0) return;
  throw InputError("process " + std::to_string(process) + " cannot write to the output directory " +
                   staging.parent_path().string() + " (" + std::strerror(errno) +
                   "): several processes need a directory that all machines share; choose it with output.directory");
}

std::filesystem::path published_place(const std::filesystem::path& place) {
  const std::filesystem::path folder = place.parent_path();
  return is_staging(folder.filename().string()) ? folder.parent_path() / place.filename() : place;
}

}  // namespace poisson
