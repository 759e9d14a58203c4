#pragma once

#include <span>
#include <string_view>

#include "lab/harness/session.hpp"
#include "lab/studies/arithmetic/study.hpp"

namespace poisson::lab {

// All of this exists in builds with CUDA only.

inline constexpr const char* per_clock = "results per clock per multiprocessor";

/// Returns all operations, panel by panel.
std::span<const Operation> operations();
/// Computes z[i] = f(x[i], y[i]) for i < count.
void evaluate(Backend&, const Operation&, const std::uint32_t* x, const std::uint32_t* y, std::uint32_t* z,
              std::int64_t count);
/// Runs chain_steps steps of all chains of `blocks` blocks, from words `start` to words `result`.
void run_chain(Backend&, const Operation&, int blocks, const std::uint32_t* start, std::uint32_t operand,
               std::uint32_t* result, BlockTime* times);

/// Describes a loop of one fused multiply-add x ← x/2 + y per chain, with `unroll` of them between two tests of the
/// loop condition. Threads start from their indices and converge to 2y.
struct UnrolledLoop {
  int chains, unroll;
  void (*kernel)(int steps, float y, float* result, BlockTime* times);
};
std::span<const UnrolledLoop> unrolled_loops();
void run_loop(Backend&, const UnrolledLoop&, int blocks, int steps, float y, float* result, BlockTime* times);
inline constexpr int loop_threads = 512, loop_steps = 8192;

/// Describes a table of `table_entries` values, with entry i equal to i mod 16. Each thread reads it as gathered()
/// does, in `rounds` rounds.
struct GatheringMemory {
  std::string_view name;
  void (*kernel)(int distinct, int rounds, const float* table, float* result, BlockTime* times);
};
std::span<const GatheringMemory> gathering_memories();
void gather(Backend&, const GatheringMemory&, int blocks, int distinct, int rounds, const float* table, float* result,
            BlockTime* times);
inline constexpr int gather_threads = 512;
/// Fills the constant memory that the first of gathering_memories() reads.
void set_constant_table(Backend&, const float* host_table);

/// Measures additions and multiply-adds with operands in registers (in any order of a tuple), in the instruction, in
/// constant and in shared memory. It also measures double precision and a barrier. Returns the panels "operands",
/// "doubles" and "barrier". Throws WrongResult.
Panels run_operands(Session& session);

/// Computes C = A B for row-major n × n matrices and any n ≥ 1.
struct MatrixProduct {
  std::string_view name;
  void (*launch)(Backend&, int n, const float* a, const float* b, float* c);
};
std::span<const MatrixProduct> matrix_products();

}  // namespace poisson::lab
