// These tests record a solve's driver calls with CUPTI callbacks: there must be one launch and then only status
// queries.

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <cuda.h>
#include <cupti.h>
#include <gtest/gtest.h>

#include "tests/problems.hpp"
#include "tests/solve.hpp"

namespace poisson {
namespace {

[[maybe_unused]] const int chosen = setenv("POISSON_TEST_DEVICE", "cuda", 0);  // default device

struct Call {
  std::string name;
  CUresult status;
};

/// Records the driver calls during its lifetime, in order.
class Trace {
 public:
  Trace() {
    EXPECT_EQ(cuptiSubscribe(&subscriber_, reinterpret_cast<CUpti_CallbackFunc>(&hear), this), CUPTI_SUCCESS);
    EXPECT_EQ(cuptiEnableDomain(1, subscriber_, CUPTI_CB_DOMAIN_DRIVER_API), CUPTI_SUCCESS);
  }
  ~Trace() { cuptiUnsubscribe(subscriber_); }
  Trace(const Trace&) = delete;
  Trace& operator=(const Trace&) = delete;

  const std::vector<Call>& calls() const { return calls_; }

 private:
  static void CUPTIAPI hear(void* self, CUpti_CallbackDomain, CUpti_CallbackId, const CUpti_CallbackData* data) {
    if (data->callbackSite == CUPTI_API_EXIT)
      static_cast<Trace*>(self)->calls_.push_back(
          {data->functionName, *static_cast<const CUresult*>(data->functionReturnValue)});
  }

  CUpti_SubscriberHandle subscriber_{};
  std::vector<Call> calls_;
};

bool is(const Call& call, std::string_view prefix) {
  return call.name.compare(0, prefix.size(), prefix) == 0;
}

/// Returns the calls of a solve whose graph an earlier solve recorded, or of the first solve, which was prepared.
std::vector<Call> trace_of_solve(SolvePrecision precision, Krylov krylov, int iterations, bool first = false) {
  Problem p = make_problem(all_faces().front(), all_grids[0], {3, {64, 64, 64}, Kappa::constant, Sigma::zero});
  p.source = 1.0;
  Options o{.method = Method::multigrid};
  o.tolerance = 0;
  o.max_iterations = iterations;
  o.precision = precision;
  o.krylov = krylov;
  Solve s(p, o);
  if (first)
    s.solver().prepare(false);
  else
    s.run();
  s.reset();
  const Trace trace;
  EXPECT_EQ(s.run().iterations, iterations);
  return trace.calls();
}

/// Counts each call except polling; the counts must not depend on the number of iterations.
std::map<std::string, int> count(const std::vector<Call>& calls) {
  std::map<std::string, int> counts;
  for (const Call& call : calls)
    if (!is(call, "cuStreamQuery")) ++counts[call.name];
  return counts;
}

TEST(Trace, ASolveIsOneLaunchAndNoWait) {
  for (const SolvePrecision precision : {SolvePrecision::double_, SolvePrecision::mixed}) {
    const std::vector<Call> calls = trace_of_solve(precision, Krylov::none, 12);
    std::size_t at = 0;
    while (at < calls.size() && !is(calls[at], "cuGraphLaunch")) ++at;
    ASSERT_LT(at, calls.size()) << "no graph was launched";
    // Until the graph has finished, the host only queries its status.
    for (++at; at < calls.size() && is(calls[at], "cuStreamQuery") && calls[at].status == CUDA_ERROR_NOT_READY;) ++at;
    ASSERT_LT(at, calls.size());
    EXPECT_TRUE(is(calls[at], "cuStreamQuery")) << "waits in " << calls[at].name;
    EXPECT_EQ(calls[at].status, CUDA_SUCCESS);
    for (const auto& [name, times] : count(calls)) {
      std::printf("%5d  %s\n", times, name.c_str());
      EXPECT_EQ(name.find("Alloc"), std::string::npos) << "memory is allocated in a solve";
      if (name.rfind("cuGraphLaunch", 0) == 0) {
        EXPECT_EQ(times, 1);
      }
    }
  }
}

TEST(Trace, APreparedSolveRecordsAndLoadsNothing) {
  for (const Krylov krylov : {Krylov::none, Krylov::cg})
    for (const SolvePrecision precision : {SolvePrecision::double_, SolvePrecision::mixed}) {
      const auto later = count(trace_of_solve(precision, krylov, 12));
      EXPECT_FALSE(later.empty());
      auto prepared = count(trace_of_solve(precision, krylov, 12, true));
      ++prepared["cuLaunchKernelEx"];  // the later solve clears the unknowns that the one before it left
      EXPECT_EQ(later, prepared);
    }
}

/// Returns the calls until the graph has finished. Later calls estimate the error, with a step if rounding may hide it.
std::vector<Call> until_the_graph_ends(std::vector<Call> calls) {
  bool launched = false;
  const auto end = std::find_if(calls.begin(), calls.end(), [&](const Call& call) {
    launched = launched || is(call, "cuGraphLaunch");
    return launched && is(call, "cuStreamQuery") && call.status == CUDA_SUCCESS;
  });
  calls.erase(end, calls.end());
  return calls;
}

TEST(Trace, DoesNotGrowWithTheIterations) {
  for (const Krylov krylov : {Krylov::none, Krylov::cg}) {
    const auto few = count(until_the_graph_ends(trace_of_solve(SolvePrecision::mixed, krylov, 2)));
    EXPECT_EQ(few.count("cuGraphLaunch"), 1u);
    EXPECT_EQ(few, count(until_the_graph_ends(trace_of_solve(SolvePrecision::mixed, krylov, 20))));
  }
}

}  // namespace
}  // namespace poisson
