#include "io/images/label_image.hpp"

#include <algorithm>
#include <cstring>
#include <exception>
#include <mutex>
#include <numeric>
#include <unordered_map>
#include <utility>

#include "backends/memory/host_memory.hpp"
#include "backends/memory/memory.hpp"
#include "io/images/loaded_file.hpp"

namespace poisson {

// Finds the code of a value. Values below 65536 have a table.
class LabelImage::Coder {
 public:
  explicit Coder(const std::vector<std::int64_t>& values) : unlisted_(static_cast<std::uint16_t>(values.size())) {
    for (std::size_t c = 0; c < values.size(); ++c) {
      const auto code = static_cast<std::uint16_t>(c);
      if (values[c] < 0 || values[c] >= small) {
        others_.emplace(values[c], code);
      } else {
        if (table_.empty()) table_.assign(small, unlisted_);
        table_[static_cast<std::size_t>(values[c])] = code;
      }
    }
  }

  std::uint16_t unlisted() const { return unlisted_; }
  std::uint16_t operator()(std::int64_t value) const {
    if (value >= 0 && value < small) return table_.empty() ? unlisted_ : table_[static_cast<std::size_t>(value)];
    const auto found = others_.find(value);
    return found == others_.end() ? unlisted_ : found->second;
  }

 private:
  static constexpr std::int64_t small = 1 << 16;
  std::uint16_t unlisted_;
  std::vector<std::uint16_t> table_;
  std::unordered_map<std::int64_t, std::uint16_t> others_;
};

// Counts voxels by value on one thread.
struct LabelImage::Tally {
  // Four tables of bytes: neighbouring voxels are often equal, and one table would wait for its own increments.
  std::array<std::array<std::int64_t, 256>, 4> bytes{};
  std::vector<std::int64_t> listed;
  std::unordered_map<std::int64_t, std::int64_t> others;  ///< unlisted values, as long as they are few
  std::int64_t unlisted = 0;
  VoxelCounts broken{-1, -1, -1};  ///< a voxel whose number is not whole

  void add_bytes(const std::uint8_t* row, std::int64_t count) {
    std::int64_t i = 0;
    for (; i + 4 <= count; i += 4)
      for (std::size_t lane = 0; lane < 4; ++lane) ++bytes[lane][row[i + static_cast<std::int64_t>(lane)]];
    for (; i < count; ++i) ++bytes[0][row[i]];
  }

  void add_unlisted(std::int64_t value) {
    constexpr std::size_t most = 1000;
    ++unlisted;
    if (const auto found = others.find(value); found != others.end())
      ++found->second;
    else if (others.size() < most)
      others.emplace(value, 1);
  }

  void merge(const Tally& other) {
    for (std::size_t lane = 0; lane < 4; ++lane)
      for (std::size_t b = 0; b < 256; ++b) bytes[lane][b] += other.bytes[lane][b];
    for (std::size_t c = 0; c < listed.size(); ++c) listed[c] += other.listed[c];
    for (const auto& [value, count] : other.others) others[value] += count;
    unlisted += other.unlisted;
    if (broken[0] < 0) broken = other.broken;
  }
};

LabelImage::LabelImage(std::shared_ptr<const ImageSource> source, const Crop& crop, std::vector<std::int64_t> values,
                       const std::filesystem::path& path)
    : source_(std::move(source)), crop_(crop), values_(std::move(values)), counts_(values_.size(), 0) {
  reserve(path);
  read(path);
}

// Chooses where codes are stored.
void LabelImage::reserve(const std::filesystem::path& path) {
  const VoxelType& type = source_->type();
  const VoxelCounts& all = source_->counts();
  const Coder coder(values_);
  for (std::size_t b = 0; b < 256; ++b) {
    const auto stored = static_cast<std::uint8_t>(b);
    const auto value =
        type.kind == VoxelType::Kind::signed_integer ? static_cast<std::int8_t>(stored) : std::int64_t{stored};
    table_[b] = type.bytes == 1 ? coder(value) : static_cast<std::uint16_t>(b);
  }
  row_ = crop_.count(0);
  slice_ = crop_.count(0) * crop_.count(1);
  if (type.bytes == 1 && source_->all()) {
    row_ = all[0];
    slice_ = all[0] * all[1];
    start_ = reinterpret_cast<const std::uint8_t*>(source_->all()) + crop_.first[2] * slice_ + crop_.first[1] * row_ +
             crop_.first[0];
    return;
  }
  const bool narrow = type.bytes == 1 || values_.size() < 256;
  const auto voxels = static_cast<std::size_t>(slice_ * crop_.count(2));
  bytes_ = voxels * (narrow ? 1 : 2);
  if (const MemoryLimit free = available_memory(); bytes_ > free.bytes)
    refuse_image(path,
                 "its voxels need " + readable_bytes(static_cast<double>(bytes_)) + ", but only " +
                     readable_bytes(static_cast<double>(free.bytes)) + " of memory are free",
                 "Crop it.");
  if (narrow) {
    narrow_ = std::make_unique_for_overwrite<std::uint8_t[]>(voxels);
    start_ = narrow_.get();
  } else {
    wide_ = std::make_unique_for_overwrite<std::uint16_t[]>(voxels);
  }
}

void LabelImage::read_slices(std::int64_t first, std::int64_t last, const Coder& coder, Tally& tally) const {
  thread_local std::vector<std::byte> spare;
  const VoxelType& type = source_->type();
  const std::int64_t width = source_->counts()[0], columns = crop_.count(0);
  const bool mapped = start_ && !narrow_;
  const std::byte* const voxels = mapped ? nullptr : source_->slices(crop_.first[2] + first, last - first, spare);
  std::vector<std::int64_t> labels(type.bytes == 1 ? 0 : static_cast<std::size_t>(columns));
  for (std::int64_t z = first; z < last; ++z)
    for (std::int64_t y = 0; y < crop_.count(1); ++y) {
      const std::int64_t at = z * slice_ + y * row_;
      if (mapped) {
        tally.add_bytes(start_ + at, columns);
        continue;
      }
      const std::int64_t place =
          (z - first) * width * source_->counts()[1] + (crop_.first[1] + y) * width + crop_.first[0];
      const std::byte* const from = voxels + place * type.bytes;
      if (type.bytes == 1) {
        std::memcpy(narrow_.get() + at, from, static_cast<std::size_t>(columns));
        tally.add_bytes(narrow_.get() + at, columns);
        continue;
      }
      read_labels(type, from, labels);
      for (std::int64_t x = 0; x < columns; ++x) {
        const std::int64_t value = labels[static_cast<std::size_t>(x)];
        const std::uint16_t code = coder(value);
        if (narrow_)
          narrow_[static_cast<std::size_t>(at + x)] = static_cast<std::uint8_t>(code);
        else
          wide_[static_cast<std::size_t>(at + x)] = code;
        if (code != coder.unlisted()) {
          ++tally.listed[code];
        } else if (value != no_label) {
          tally.add_unlisted(value);
        } else if (tally.broken[0] < 0) {
          tally.broken = {crop_.first[0] + x, crop_.first[1] + y, crop_.first[2] + z};
        }
      }
    }
}

void LabelImage::read(const std::filesystem::path& path) {
  const Coder coder(values_);
  const std::int64_t slices = crop_.count(2), step = source_->together();
  Tally total;
  total.listed = counts_;
  std::exception_ptr failure;
  std::mutex mutex;
#pragma omp parallel
  {
    Tally tally;
    tally.listed.assign(values_.size(), 0);
#pragma omp for schedule(dynamic)
    for (std::int64_t z = 0; z < slices; z += step) {
      try {
        read_slices(z, std::min(z + step, slices), coder, tally);
      } catch (...) {
        const std::scoped_lock lock(mutex);
        if (!failure) failure = std::current_exception();
      }
    }
    const std::scoped_lock lock(mutex);
    total.merge(tally);
  }
  if (failure) std::rethrow_exception(failure);
  if (total.broken[0] >= 0) {
    const auto& [x, y, z] = total.broken;
    refuse_image(
        path,
        "voxel (" + std::to_string(x) + ", " + std::to_string(y) + ", " + std::to_string(z) + ") has no whole number",
        "Segment the image first: each voxel needs the number of a material.");
  }
  note(total);
}

void LabelImage::note(const Tally& total) {
  counts_ = total.listed;
  unlisted_count_ = total.unlisted;
  for (const auto& [value, count] : total.others) unlisted_.push_back({value, count});
  const bool is_signed = source_->type().kind == VoxelType::Kind::signed_integer;
  for (std::size_t b = 0; b < 256; ++b) {
    std::int64_t count = 0;
    for (const auto& lane : total.bytes) count += lane[b];
    if (count == 0) continue;
    if (table_[b] < counts_.size()) {
      counts_[table_[b]] += count;
    } else {
      const auto stored = static_cast<std::uint8_t>(b);
      unlisted_.push_back({is_signed ? static_cast<std::int8_t>(stored) : std::int64_t{stored}, count});
      unlisted_count_ += count;
    }
  }
  std::ranges::sort(unlisted_, [](const Unlisted& a, const Unlisted& b) {
    return a.count != b.count ? a.count > b.count : a.value < b.value;
  });
  unlisted_.resize(std::min<std::size_t>(unlisted_.size(), 1000));
}

void LabelImage::codes(std::int64_t y, std::int64_t z, std::span<const std::int64_t> voxels,
                       std::span<std::uint16_t> codes) const {
  const std::int64_t at = z * slice_ + y * row_;
  if (start_) {
    const std::uint8_t* const row = start_ + at;
    for (std::size_t i = 0; i < voxels.size(); ++i) codes[i] = table_[row[voxels[i]]];
  } else {
    const std::uint16_t* const row = wide_.get() + at;
    for (std::size_t i = 0; i < voxels.size(); ++i) codes[i] = row[voxels[i]];
  }
}

}  // namespace poisson
