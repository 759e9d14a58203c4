#include "io/files/vector_output.hpp"

#include <cerrno>
#include <cstring>
#include <span>

#include <fcntl.h>
#include <fmt/format.h>

#include "io/files/descriptor.hpp"
#include "io/files/pending_file.hpp"

namespace poisson {
namespace {

// Returns the header of version 1.0 of NumPy's format, whose length is a multiple of 64.
std::string npy_header(std::size_t count) {
  std::string text = fmt::format("{{'descr': '<f8', 'fortran_order': False, 'shape': ({},), }}", count);
  text.append(63 - (text.size() + 10) % 64, ' ');
  text += '\n';
  const auto size = static_cast<unsigned>(text.size());
  return std::string("\x93NUMPY\x01\x00", 8) + static_cast<char>(size & 255U) + static_cast<char>(size >> 8U) + text;
}

}  // namespace

std::string vector_file(std::string_view name, std::string_view format) {
  return fmt::format("{}.{}", name, format);
}

std::filesystem::path write_vector(const std::filesystem::path& folder, std::string_view name, std::string_view format,
                                   const std::vector<double>& values) {
  PendingFile pending(folder / vector_file(name, format));
  Descriptor file(open(pending.path().c_str(), O_WRONLY | O_TRUNC | O_NOFOLLOW | O_CLOEXEC));
  if (file < 0) pending.fail(std::strerror(errno));
  const auto append = [&](std::string_view bytes) {
    if (const int error = write_all(file, bytes)) pending.fail(std::strerror(error));
  };
  if (format == "npy") {
    append(npy_header(values.size()));
    append({reinterpret_cast<const char*>(values.data()), values.size() * sizeof(double)});
  } else {
    append(fmt::format("%%MatrixMarket matrix array real general\n{} 1\n", values.size()));
    constexpr std::size_t piece = 1 << 16;
    for (std::size_t first = 0; first < values.size(); first += piece) {
      std::string text;
      for (const double value : std::span(values).subspan(first, std::min(piece, values.size() - first)))
        text += fmt::format("{:.17g}\n", value);
      append(text);
    }
  }
  if (file.close() != 0) pending.fail(std::strerror(errno));
  return pending.commit();
}

}  // namespace poisson
