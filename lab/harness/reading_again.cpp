#include "lab/harness/reading_again.hpp"

#include <numeric>
#include <string>

#include "lab/harness/noise.hpp"

namespace poisson::lab {
namespace {

std::uint64_t sum_of(std::span<const std::uint64_t> words) {
  return std::accumulate(words.begin(), words.end(), std::uint64_t{0});
}

}  // namespace

std::vector<std::uint64_t> words_to_read(std::int64_t number) {
  std::vector<std::uint64_t> words(static_cast<std::size_t>(number));
#pragma omp parallel for schedule(static)
  for (std::int64_t i = 0; i < number; ++i) words[static_cast<std::size_t>(i)] = noise(static_cast<std::uint64_t>(i));
  return words;
}

void verify(Session& session, std::string_view study, const ReadingWay& way, const Array<std::uint64_t>& set,
            std::span<const std::uint64_t> words, double bytes, const Array<std::uint64_t>& sums) {
  const std::vector<std::uint64_t> zeros(static_cast<std::size_t>(sums.size()));
  session.backend().write(zeros.data(), sums.data(), sums.bytes());
  const std::int64_t read =
      way.read(session.backend(), set.data(), static_cast<std::int64_t>(words.size()), bytes, sums.data());
  const std::uint64_t expected = static_cast<std::uint64_t>(read) / words.size() * sum_of(words);
  session.check(sum_of(sums.host()) == expected, study, way.name,
                "the sum of " + std::to_string(words.size()) + " words is wrong");
}

}  // namespace poisson::lab
