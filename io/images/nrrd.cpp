// Reads images in the NRRD format, versions 1 to 5 (teem.sourceforge.net/nrrd/format.html): a header in text, then
// voxels in the same or another file, raw, compressed by gzip, or in text.

#include <algorithm>
#include <array>
#include <bit>
#include <cctype>
#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <zlib.h>

#include "io/images/image_source.hpp"
#include "io/images/loaded_file.hpp"

namespace poisson {
namespace {

constexpr std::string_view nrrd_remedy = "Correct the header, or write the file again.";

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.front())) != 0) text.remove_prefix(1);
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.back())) != 0) text.remove_suffix(1);
  return text;
}

std::vector<std::string_view> words_of(std::string_view text) {
  std::vector<std::string_view> words;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t begin = text.find_first_not_of(" \t\r\n", at);
    if (begin == std::string_view::npos) break;
    at = std::min(text.find_first_of(" \t\r\n", begin), text.size());
    words.push_back(text.substr(begin, at - begin));
  }
  return words;
}

std::string lower_case(std::string_view text) {
  std::string lower(text);
  std::ranges::transform(lower, lower.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return lower;
}

template <class T>
std::optional<T> number_in(std::string_view word) {
  if (word.starts_with('+')) word.remove_prefix(1);
  T value{};
  const auto [next, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  return error == std::errc() && next == word.data() + word.size() ? std::optional(value) : std::nullopt;
}

std::optional<VoxelType> nrrd_type(std::string_view name) {
  using Kind = VoxelType::Kind;
  struct Row {
    std::string_view names;
    Kind kind;
    int bytes;
  };
  constexpr std::array<Row, 10> rows{
      {{"|signed char|int8|int8_t|", Kind::signed_integer, 1},
       {"|uchar|unsigned char|uint8|uint8_t|", Kind::unsigned_integer, 1},
       {"|short|short int|signed short|signed short int|int16|int16_t|", Kind::signed_integer, 2},
       {"|ushort|unsigned short|unsigned short int|uint16|uint16_t|", Kind::unsigned_integer, 2},
       {"|int|signed int|int32|int32_t|", Kind::signed_integer, 4},
       {"|uint|unsigned int|uint32|uint32_t|", Kind::unsigned_integer, 4},
       {"|longlong|long long|long long int|signed long long|signed long long int|int64|int64_t|", Kind::signed_integer,
        8},
       {"|ulonglong|unsigned long long|unsigned long long int|uint64|uint64_t|", Kind::unsigned_integer, 8},
       {"|float|", Kind::floating, 4},
       {"|double|", Kind::floating, 8}}};
  const std::string wanted = "|" + lower_case(name) + "|";
  for (const Row& row : rows)
    if (row.names.find(wanted) != std::string_view::npos) return VoxelType{row.kind, row.bytes};
  return {};
}

// Contains the fields of a header.
class NrrdHeader {
 public:
  NrrdHeader(const std::filesystem::path& path, std::string_view text) : path_(path) {
    for (std::size_t at = 0, line = 1;; ++line) {
      const std::size_t end = text.find('\n', at);
      const std::string_view row = trimmed(text.substr(at, end == std::string_view::npos ? end : end - at));
      const bool last = end == std::string_view::npos;
      at = last ? text.size() : end + 1;
      end_ = at;
      if (row.empty()) break;
      if (line > 1) add(row, line);
      if (last) break;
      if (line > most_lines) refuse("its header has more than 10000 lines", std::string(nrrd_remedy));
    }
  }

  std::size_t end() const { return end_; }
  const std::string* find(std::string_view name) const {
    const auto found = fields_.find(std::string(name));
    return found == fields_.end() ? nullptr : &found->second;
  }
  const std::string& get(std::string_view name, std::string_view example) const {
    if (const std::string* value = find(name)) return *value;
    refuse("its header has no field '" + std::string(name) + "'", "Add for example '" + std::string(example) + "'.");
  }
  [[noreturn]] void refuse(const std::string& why, const std::string& remedy) const {
    refuse_image(path_, why, remedy);
  }
  [[noreturn]] void refuse_field(std::string_view name, const std::string& remedy) const {
    refuse("its " + std::string(name) + " is '" + get(name, "").substr(0, 60) + "'", remedy);
  }

 private:
  static constexpr std::size_t most_lines = 10'000;

  void add(std::string_view row, std::size_t line) {
    if (row[0] == '#' || row.find(":=") != std::string_view::npos) return;  // comments and key/value pairs
    const std::size_t colon = row.find(':');
    if (colon == std::string_view::npos)
      refuse("line " + std::to_string(line) + " of its header is no field", std::string(nrrd_remedy));
    std::string name = lower_case(trimmed(row.substr(0, colon)));
    std::erase(name, ' ');
    if (!fields_.emplace(name, trimmed(row.substr(colon + 1))).second)
      refuse("its header has two fields '" + name + "'", std::string(nrrd_remedy));
  }

  const std::filesystem::path& path_;
  std::map<std::string, std::string> fields_;
  std::size_t end_ = 0;
};

class NrrdImage final : public ImageSource {
 public:
  explicit NrrdImage(const std::filesystem::path& path) : path_(path), file_(path) {
    const std::span<const std::byte> bytes = file_->bytes();
    const NrrdHeader header(path_, {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
    read_shape(header);
    read_type(header);
    read_spacing(header);
    check_counts(path_, counts_, type_);
    std::span<const std::byte> data = bytes.subspan(header.end());
    const std::string* other = header.find("datafile");
    if (other) data = load_other(header, *other);
    read_voxels(header, skip_lines(header, data));
  }

  const std::byte* all() const override { return voxels_.data(); }
  const std::byte* slices(std::int64_t z, std::int64_t, std::vector<std::byte>&) const override {
    return voxels_.data() + z * slice_bytes();
  }

 private:
  void read_shape(const NrrdHeader& header) {
    const auto dimension = number_in<int>(header.get("dimension", "dimension: 3"));
    if (!dimension || (*dimension != 2 && *dimension != 3))
      header.refuse_field("dimension", "Give an image with 2 or 3 axes and one value for each voxel.");
    dimension_ = *dimension;
    const auto sizes = words_of(header.get("sizes", "sizes: 100 100 100"));
    if (std::ssize(sizes) != dimension_) header.refuse_field("sizes", "Give one number for each axis.");
    for (std::size_t d = 0; d < sizes.size(); ++d) {
      const auto n = number_in<std::int64_t>(sizes[d]);
      if (!n || *n < 1) header.refuse_field("sizes", std::string(nrrd_remedy));
      counts_[d] = *n;
    }
  }

  void read_type(const NrrdHeader& header) {
    const auto type = nrrd_type(header.get("type", "type: uint8"));
    if (!type)
      header.refuse_field("type", "Use uint8, int8, uint16, int16, uint32, int32, uint64, int64, float or double.");
    type_ = *type;
    const std::string* encoding = header.find("encoding");
    const bool text = encoding && is_text(*encoding);
    if (type_.bytes == 1 || text) return;
    const std::string order = lower_case(header.get("endian", "endian: little"));
    if (order != "little" && order != "big") header.refuse_field("endian", "Write little or big.");
    type_.swapped = (order == "little") != (std::endian::native == std::endian::little);
  }

  // Spacings, or the lengths of the directions of the axes. Axes without a known width keep 0.
  void read_spacing(const NrrdHeader& header) {
    if (const std::string* spacings = header.find("spacings")) {
      const auto words = words_of(*spacings);
      if (std::ssize(words) != dimension_) header.refuse_field("spacings", "Give one number for each axis.");
      for (std::size_t d = 0; d < words.size(); ++d) {
        if (lower_case(words[d]) == "nan") continue;
        const auto width = number_in<double>(words[d]);
        if (!width || !std::isfinite(*width) || *width == 0) header.refuse_field("spacings", std::string(nrrd_remedy));
        spacing_[d] = std::abs(*width);
      }
    } else if (const std::string* directions = header.find("spacedirections")) {
      std::size_t at = 0;
      for (std::size_t d = 0; d < static_cast<std::size_t>(dimension_); ++d) {
        const std::size_t open = directions->find('(', at), close = directions->find(')', at);
        if (open == std::string::npos || close == std::string::npos || close < open)
          header.refuse_field("spacedirections", std::string(nrrd_remedy));
        spacing_[d] = length_of(header, std::string_view(*directions).substr(open + 1, close - open - 1));
        at = close + 1;
      }
    }
  }

  static double length_of(const NrrdHeader& header, std::string_view vector) {
    std::string numbers(vector);
    std::ranges::replace(numbers, ',', ' ');
    double sum = 0;
    for (const std::string_view word : words_of(numbers)) {
      const auto x = number_in<double>(word);
      if (!x || !std::isfinite(*x)) header.refuse_field("spacedirections", std::string(nrrd_remedy));
      sum += *x * *x;
    }
    if (!(sum > 0 && std::isfinite(sum))) header.refuse_field("spacedirections", std::string(nrrd_remedy));
    return std::sqrt(sum);
  }

  std::span<const std::byte> load_other(const NrrdHeader& header, const std::string& name) {
    if (name.starts_with("LIST") || name.find('%') != std::string::npos)
      header.refuse("its voxels are in several files", "Join them to one file, or give the slices by files.");
    if (name.empty()) header.refuse("its data file has no name", std::string(nrrd_remedy));
    other_.emplace(path_.parent_path() / name);
    return other_->bytes();
  }

  std::span<const std::byte> skip_lines(const NrrdHeader& header, std::span<const std::byte> data) const {
    const std::string* lines = header.find("lineskip");
    const auto count = lines ? number_in<std::int64_t>(*lines) : 0;
    if (!count || *count < 0) header.refuse_field("lineskip", std::string(nrrd_remedy));
    for (std::int64_t i = 0; i < *count; ++i) {
      const auto end = std::ranges::find(data, std::byte{'\n'});
      if (end == data.end()) header.refuse_field("lineskip", "The file has fewer lines; correct the header.");
      data = data.subspan(static_cast<std::size_t>(end - data.begin()) + 1);
    }
    return data;
  }

  static bool is_text(const std::string& encoding) {
    const std::string name = lower_case(encoding);
    return name == "ascii" || name == "text" || name == "txt";
  }

  void read_voxels(const NrrdHeader& header, std::span<const std::byte> data) {
    const std::string encoding = lower_case(header.get("encoding", "encoding: raw"));
    const std::string* skip = header.find("byteskip");
    const auto bytes = skip ? number_in<std::int64_t>(*skip) : 0;
    if (!bytes || *bytes < -1) header.refuse_field("byteskip", std::string(nrrd_remedy));
    const auto wanted = static_cast<std::size_t>(slice_bytes() * counts_[2]);
    if (encoding == "raw") {
      if (*bytes == -1 && data.size() >= wanted) data = data.last(wanted);
      drop(header, data, std::max<std::int64_t>(*bytes, 0));
      if (data.size() != wanted)
        header.refuse("sizes and type need " + std::to_string(wanted) + " bytes, but the file has " +
                          std::to_string(data.size()) + " bytes of voxels",
                      "Check sizes and type, or write the file again.");
      voxels_ = data;
    } else if (encoding == "gzip" || encoding == "gz") {
      inflate_voxels(header, data, static_cast<std::size_t>(std::max<std::int64_t>(*bytes, 0)), wanted);
    } else if (is_text(encoding)) {
      drop(header, data, std::max<std::int64_t>(*bytes, 0));
      read_text(header, data);
    } else {
      header.refuse_field("encoding", "Use raw, gzip or ascii.");
    }
  }

  static void drop(const NrrdHeader& header, std::span<const std::byte>& data, std::int64_t bytes) {
    if (static_cast<std::size_t>(bytes) > data.size())
      header.refuse_field("byteskip", "The file has fewer bytes; correct the header.");
    data = data.subspan(static_cast<std::size_t>(bytes));
  }

  // Deflate shrinks at most to 1/1032, so a short file cannot ask for much memory. `skip` counts decompressed bytes.
  void inflate_voxels(const NrrdHeader& header, std::span<const std::byte> data, std::size_t skip, std::size_t wanted) {
    constexpr std::size_t most_ratio = 1100;
    const auto damaged = [&](const std::string& why) { header.refuse(why, "Write the file again."); };
    if (skip > data.size() * most_ratio || wanted > data.size() * most_ratio)
      damaged("sizes and type need " + std::to_string(wanted) + " bytes, but " + std::to_string(data.size()) +
              " compressed bytes cannot contain them");
    store_.resize(skip + wanted);
    z_stream stream{};
    if (::inflateInit2(&stream, 15 + 32) != Z_OK) damaged("zlib cannot start");  // gzip or zlib headers
    constexpr std::size_t most = std::size_t{1} << 30;
    std::size_t read = 0, written = 0;
    int status = Z_OK;
    while (status == Z_OK && written < store_.size()) {
      const auto in = std::min(most, data.size() - read), out = std::min(most, store_.size() - written);
      stream.next_in = reinterpret_cast<Bytef*>(const_cast<std::byte*>(data.data() + read));
      stream.avail_in = static_cast<uInt>(in);
      stream.next_out = reinterpret_cast<Bytef*>(store_.data() + written);
      stream.avail_out = static_cast<uInt>(out);
      status = ::inflate(&stream, Z_NO_FLUSH);
      read += in - stream.avail_in;
      written += out - stream.avail_out;
    }
    std::byte beyond{};
    if (status == Z_OK) {
      stream.next_in = reinterpret_cast<Bytef*>(const_cast<std::byte*>(data.data() + read));
      stream.avail_in = static_cast<uInt>(std::min(most, data.size() - read));
      stream.next_out = reinterpret_cast<Bytef*>(&beyond);
      stream.avail_out = 1;
      status = ::inflate(&stream, Z_NO_FLUSH);
      if (stream.avail_out == 0) written = store_.size() + 1;
    }
    ::inflateEnd(&stream);
    if (written != store_.size() || status != Z_STREAM_END)
      damaged(written > store_.size()  ? "its voxels are more than sizes and type say"
              : status == Z_STREAM_END ? "sizes and type need " + std::to_string(wanted) + " bytes, but it has " +
                                             std::to_string(written - std::min(written, skip))
                                       : "its compressed data are damaged or truncated");
    voxels_ = std::span<const std::byte>(store_).subspan(skip);
  }

  // Numbers in text become voxels of 64 bits: whole numbers, or floating-point numbers.
  void read_text(const NrrdHeader& header, std::span<const std::byte> data) {
    const bool whole = type_.kind != VoxelType::Kind::floating;
    type_ = {whole ? VoxelType::Kind::signed_integer : VoxelType::Kind::floating, 8};
    const auto wanted = static_cast<std::size_t>(counts_[0] * counts_[1] * counts_[2]);
    if (wanted > (data.size() + 1) / 2)
      header.refuse("sizes need " + std::to_string(wanted) + " numbers, but the file has only " +
                        std::to_string(data.size()) + " bytes of them",
                    "Check sizes, or write the file again.");
    store_.resize(8 * wanted);
    std::string_view text(reinterpret_cast<const char*>(data.data()), data.size());
    constexpr std::string_view blanks = " \t\r\n,";
    for (std::size_t i = 0; i <= wanted; ++i) {
      text.remove_prefix(std::min(text.find_first_not_of(blanks), text.size()));
      const std::string_view word = text.substr(0, text.find_first_of(blanks));
      text.remove_prefix(word.size());
      if (i == wanted && word.empty()) break;
      const auto integer = number_in<std::int64_t>(word);
      const auto real = number_in<double>(word);
      if (i == wanted || word.empty() || (whole ? !integer : !real))
        header.refuse(i == wanted ? "it has more numbers than sizes say"
                      : word.empty()
                          ? "it has " + std::to_string(i) + " numbers instead of " + std::to_string(wanted)
                          : "its number " + std::to_string(i + 1) + " is '" + std::string(word.substr(0, 20)) + "'",
                      "Check sizes and type, or write the file again.");
      if (whole)
        std::memcpy(store_.data() + 8 * i, &*integer, 8);
      else
        std::memcpy(store_.data() + 8 * i, &*real, 8);
    }
    voxels_ = store_;
  }

  std::filesystem::path path_;
  std::optional<LoadedFile> file_, other_;
  std::vector<std::byte> store_;
  std::span<const std::byte> voxels_;
};

}  // namespace

std::shared_ptr<const ImageSource> open_nrrd(const std::filesystem::path& path) {
  return std::make_shared<const NrrdImage>(path);
}

}  // namespace poisson
