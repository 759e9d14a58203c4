// Writes an artificial image of a porous medium as a .npy file of bytes: blurred noise below a threshold is a pore, 0,
// and the rest is a grain, 255. The image depends only on the arguments.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

namespace {

using Values = std::vector<float>;

// Returns a number between 0 and 1 for each pair of a cell and a seed (the finalizer of SplitMix64).
float noise(std::uint64_t cell, std::uint64_t seed) {
  std::uint64_t z = (cell + 1) * 0x9E3779B97F4A7C15ULL + seed * 0xD1B54A32D192ED03ULL;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
  return static_cast<float>((z ^ (z >> 31)) >> 40) / 16777216.0F;
}

// Replaces the values of a periodic line by their means over 2 radius + 1 values.
void blur_line(float* line, std::size_t stride, std::size_t n, std::size_t radius, Values& copy) {
  for (std::size_t i = 0; i < n; ++i) copy[i] = line[i * stride];
  double sum = 0;
  for (std::size_t i = 0; i <= 2 * radius; ++i) sum += copy[(i + n - radius) % n];
  for (std::size_t i = 0; i < n; ++i) {
    line[i * stride] = static_cast<float>(sum / static_cast<double>(2 * radius + 1));
    sum += copy[(i + radius + 1) % n] - copy[(i + n - radius) % n];
  }
}

// Blurs a cube along an axis. Lines across the fastest axis are taken in groups of neighbours.
void blur(Values& values, std::size_t n, std::size_t axis, std::size_t radius) {
  const std::array<std::size_t, 3> stride{1, n, n * n};
  const std::size_t outer = axis == 2 ? 1 : 2;
#pragma omp parallel
  {
    Values copy(n);
#pragma omp for schedule(static)
    for (std::size_t q = 0; q < n; ++q)
      for (std::size_t p = 0; p < n; ++p)
        blur_line(values.data() + q * stride[outer] + p * stride[axis == 0 ? 1 : 0], stride[axis], n, radius, copy);
  }
}

// Returns the value below which a share of the values lies, within 2⁻¹⁶ of their range.
float quantile(const Values& values, double share) {
  const auto [least, most] = std::ranges::minmax(values);
  constexpr std::size_t bins = 65'536;
  const float scale = static_cast<float>(bins - 1) / (most - least);
  std::vector<std::size_t> counts(bins);
  for (const float v : values) ++counts[static_cast<std::size_t>((v - least) * scale)];
  std::size_t bin = 0;
  for (double below = share * static_cast<double>(values.size()); bin < bins && below > 0; ++bin)
    below -= static_cast<double>(counts[bin]);
  return least + static_cast<float>(bin) / scale;
}

bool write(const std::string& path, std::size_t n, const std::vector<std::uint8_t>& image) {
  const std::string size = std::to_string(n);
  std::string header =
      "{'descr': '|u1', 'fortran_order': False, 'shape': (" + size + ", " + size + ", " + size + "), }";
  header.resize((10 + header.size() + 64) / 64 * 64 - 11, ' ');
  header += '\n';
  std::FILE* const file = std::fopen(path.c_str(), "wb");
  if (!file) return false;
  const std::array<unsigned char, 10> start{0x93,
                                            'N',
                                            'U',
                                            'M',
                                            'P',
                                            'Y',
                                            1,
                                            0,
                                            static_cast<unsigned char>(header.size() % 256),
                                            static_cast<unsigned char>(header.size() / 256)};
  bool good = std::fwrite(start.data(), 1, start.size(), file) == start.size();
  good = std::fwrite(header.data(), 1, header.size(), file) == header.size() && good;
  good = std::fwrite(image.data(), 1, image.size(), file) == image.size() && good;
  return std::fclose(file) == 0 && good;
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 6) {
    std::fputs("usage: poisson-image VOXELS_ALONG_AN_AXIS BLUR_RADIUS SHARE_OF_PORES SEED FILE.npy\n", stderr);
    return 2;
  }
  const auto n = static_cast<std::size_t>(std::atoll(arguments[1])),
             radius = static_cast<std::size_t>(std::atoll(arguments[2]));
  const double share = std::atof(arguments[3]);
  const auto seed = static_cast<std::uint64_t>(std::atoll(arguments[4]));
  if (n < 4 || 2 * radius >= n || !(share > 0 && share < 1)) {
    std::fputs("poisson-image: needs at least 4 voxels, a radius below half of them and a share between 0 and 1\n",
               stderr);
    return 2;
  }
  Values values(n * n * n);
#pragma omp parallel for schedule(static)
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = noise(i, seed);
  for (int pass = 0; pass < 3; ++pass)
    for (std::size_t axis = 0; axis < 3; ++axis) blur(values, n, axis, radius);
  const float limit = quantile(values, share);
  std::vector<std::uint8_t> image(values.size());
#pragma omp parallel for schedule(static)
  for (std::size_t i = 0; i < values.size(); ++i) image[i] = values[i] < limit ? 0 : 255;
  if (write(arguments[5], n, image)) return 0;
  std::fprintf(stderr, "poisson-image: cannot write %s\n", arguments[5]);
  return 1;
}
