#pragma once

#include <span>
#include <string_view>

#include "lab/harness/session.hpp"
#include "lab/studies/arithmetic/study.hpp"

namespace poisson::lab {

// Only in builds with CUDA.

inline constexpr const char* per_clock = "results per clock per multiprocessor";

/// All operations, panel by panel.
std::span<const Operation> operations();

/// A loop of one fused multiply-add x ← x/2 + y per chain, `unroll` of them between two tests of its end. Threads start
/// from their numbers and end at 2y.
struct UnrolledLoop {
  int chains, unroll;
  void (*launch)(Backend&, int blocks, int steps, float y, float* result, BlockTime* times);
};
std::span<const UnrolledLoop> unrolled_loops();
inline constexpr int loop_threads = 512, loop_steps = 8192;

/// A table of `table_entries` values, entry i being i mod 16, read by each thread as gathered() says; `rounds` rounds.
struct GatheringMemory {
  std::string_view name;
  void (*launch)(Backend&, int blocks, int distinct, int rounds, const float* table, float* result, BlockTime* times);
};
std::span<const GatheringMemory> gathering_memories();
inline constexpr int gather_threads = 512;
/// Fills the constant memory that the first of them reads.
void set_constant_table(Backend&, const float* host_table);

/// Additions and multiply-adds with operands in registers, in any order of a tuple, in the instruction itself and in
/// shared memory; the same in double precision; and a barrier: panels "operands", "doubles" and "barrier". Throws
/// WrongResult.
Panels run_operands(Session& session);

/// C = A B, n × n, row-major, any n ≥ 1.
struct MatrixProduct {
  std::string_view name;
  void (*launch)(Backend&, int n, const float* a, const float* b, float* c);
};
std::span<const MatrixProduct> matrix_products();

}  // namespace poisson::lab
