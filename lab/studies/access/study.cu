#include <array>
#include <utility>

#include "lab/studies/access/kernels.hpp"
#include "lab/studies/access/study.hpp"
#include "lab/studies/studies.hpp"

namespace poisson::lab {
namespace {

constexpr const char* of_the_day = "GeForce 8800 GTX";
constexpr std::array history{
    Historical{of_the_day, "texture reads, float, rows", 42.26, "GB/s"},
    Historical{of_the_day, "texture reads, float, columns", 46.12, "GB/s"},
    Historical{of_the_day, "texture reads, float4, rows", 70.98, "GB/s"},
    Historical{of_the_day, "texture reads, float4, columns", 64.47, "GB/s"},
    Historical{of_the_day, "best grid, float, rows (with 64 threads each)", 4096, "blocks"},
    Historical{of_the_day, "best grid, float, columns (with 32 threads each)", 2048, "blocks"},
    Historical{of_the_day, "best grid, float4, rows (with 64 threads each)", 4096, "blocks"},
    Historical{of_the_day, "best grid, float4, columns (with 64 threads each)", 1024, "blocks"},
};

Findings run(Session& session) {
  verify_patterns(session);
  verify_traversals(session);
  Findings findings;
  for (const auto measure : {measure_patterns, measure_traversals})
    for (Panel& panel : measure(session)) findings.panels.push_back(std::move(panel));
  findings.conclusions = conclude_access(findings.panels, 1e-9 * session.copy_bandwidth());
  return findings;
}

}  // namespace

const Study access_study{"access", "What does the order in which threads touch memory cost?", true, run, history};

}  // namespace poisson::lab
