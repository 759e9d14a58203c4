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
/// z[i] = f(x[i], y[i]), i < count.
void evaluate(Backend&, const Operation&, const std::uint32_t* x, const std::uint32_t* y, std::uint32_t* z,
              std::int64_t count);
/// chain_steps steps of all chains of `blocks` blocks, from words `start` to words `result`.
void run_chain(Backend&, const Operation&, int blocks, const std::uint32_t* start, std::uint32_t operand,
               std::uint32_t* result, BlockTime* times);

/// A loop of one fused multiply-add x ← x/2 + y per chain, `unroll` of them between two tests of its end. Threads start
/// from their numbers and end at 2y.
struct UnrolledLoop {
  int chains, unroll;
  void (*kernel)(int steps, float y, float* result, BlockTime* times);
};
std::span<const UnrolledLoop> unrolled_loops();
void run_loop(Backend&, const UnrolledLoop&, int blocks, int steps, float y, float* result, BlockTime* times);
inline constexpr int loop_threads = 512, loop_steps = 8192;

/// A table of `table_entries` values, entry i being i mod 16, read by each thread as gathered() says; `rounds` rounds.
struct GatheringMemory {
  std::string_view name;
  void (*kernel)(int distinct, int rounds, const float* table, float* result, BlockTime* times);
};
std::span<const GatheringMemory> gathering_memories();
void gather(Backend&, const GatheringMemory&, int blocks, int distinct, int rounds, const float* table, float* result,
            BlockTime* times);
inline constexpr int gather_threads = 512;
/// Fills the constant memory that the first of them reads.
void set_constant_table(Backend&, const float* host_table);

/// Additions and multiply-adds with operands in registers, in any order of a tuple, in the instruction itself, in
/// constant and in shared memory; the same in double precision; and a barrier: panels "operands", "doubles" and
/// "barrier". Throws WrongResult.
Panels run_operands(Session& session);

/// C = A B, n × n, row-major, any n ≥ 1.
struct MatrixProduct {
  std::string_view name;
  void (*launch)(Backend&, int n, const float* a, const float* b, float* c);
};
std::span<const MatrixProduct> matrix_products();

}  // namespace poisson::lab
