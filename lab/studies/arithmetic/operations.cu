#include <array>
#include <numbers>
#include <type_traits>

#include <cuda_fp16.h>

#include "lab/harness/block_clock.cuh"
#include "lab/harness/verify.cuh"
#include "lab/studies/arithmetic/kernels.hpp"

namespace poisson::lab {
namespace {

using Word = std::uint32_t;

template <class T>
__device__ T from_word(Word word) {
  if constexpr (std::is_same_v<T, float>)
    return __uint_as_float(word);
  else
    return word;
}
__device__ Word to_word(float value) {
  return __float_as_uint(value);
}
__device__ Word to_word(Word value) {
  return value;
}

template <class F>
__global__ void evaluate_kernel(const Word* x, const Word* y, Word* z, std::int64_t count) {
  using T = typename F::Type;
  const std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < count) z[i] = to_word(F{}(from_word<T>(x[i]), from_word<T>(y[i])));
}

// Runs independent chains or, if coupled, chains that depend on their neighbour. The compiler would merge integer steps
// with a constant, x + c + c = x + 2c; neighbours need every step.
template <class F, bool coupled, int unroll>
__global__ void __launch_bounds__(chain_threads, 2)
    chain_kernel(const Word* start, Word operand, int rounds, Word* result, BlockTime* times) {
  static_assert(chain_steps % unroll == 0);
  using T = typename F::Type;
  const unsigned first = (blockIdx.x * chain_threads + threadIdx.x) * chains;
  T x[chains];
#pragma unroll
  for (int c = 0; c < chains; ++c) x[c] = from_word<T>(start[first + c]);
  const T y = from_word<T>(operand);
  const BlockClock clock;
#pragma unroll 1
  for (int round = 0; round < rounds; ++round) {
#pragma unroll
    for (int u = 0; u < unroll; ++u) {
#pragma unroll
      for (int c = 0; c < chains; ++c) x[c] = F{}(x[c], coupled ? x[(c + 1) % chains] : y);
    }
  }
#pragma unroll
  for (int c = 0; c < chains; ++c) result[first + c] = to_word(x[c]);
  clock.stop(times);
}

struct OnReals {
  using Type = float;
};
struct OnIntegers {
  using Type = Word;
};

struct Add : OnReals {
  __device__ float operator()(float x, float y) const { return x + y; }
};
struct Multiply : OnReals {
  __device__ float operator()(float x, float y) const { return x * y; }
};
struct MultiplyAdd : OnReals {
  __device__ float operator()(float x, float y) const { return fmaf(x, y, y); }
};
// As written, a multiplication and an addition may become one instruction with one rounding; these must not.
struct Contracted : OnReals {
  __device__ float operator()(float x, float y) const { return x * y + y; }
};
struct RoundedTwice : OnReals {
  __device__ float operator()(float x, float y) const { return __fadd_rn(__fmul_rn(x, y), y); }
};
struct FastSine : OnReals {
  __device__ float operator()(float x, float) const { return __sinf(x); }
};
struct Sine : OnReals {
  __device__ float operator()(float x, float) const { return sinf(x); }
};
struct FastCosine : OnReals {
  __device__ float operator()(float x, float) const { return __cosf(x); }
};
struct Cosine : OnReals {
  __device__ float operator()(float x, float) const { return cosf(x); }
};
struct FastDecay : OnReals {
  __device__ float operator()(float x, float) const { return __expf(-x); }
};
struct Decay : OnReals {
  __device__ float operator()(float x, float) const { return expf(-x); }
};
struct FastDivide : OnReals {
  __device__ float operator()(float x, float y) const { return __fdividef(y, x); }
};
struct Divide : OnReals {
  __device__ float operator()(float x, float y) const { return y / x; }
};
struct ApproximateReciprocal : OnReals {
  __device__ float operator()(float x, float) const { return __fdividef(1.0f, x); }
};
struct Reciprocal : OnReals {
  __device__ float operator()(float x, float) const { return __frcp_rn(x); }
};
struct OneOver : OnReals {
  __device__ float operator()(float x, float) const { return 1.0f / x; }
};
struct ReciprocalRoot : OnReals {
  __device__ float operator()(float x, float) const { return rsqrtf(x); }
};
struct OneOverRoot : OnReals {
  __device__ float operator()(float x, float) const { return __fdiv_rn(1.0f, __fsqrt_rn(x)); }
};
struct Root : OnReals {
  __device__ float operator()(float x, float) const { return sqrtf(x); }
};

struct IntegerAdd : OnIntegers {
  __device__ Word operator()(Word x, Word y) const { return x + y; }
};
struct IntegerMultiply : OnIntegers {
  __device__ Word operator()(Word x, Word y) const { return x * y; }
};
struct ShortMultiply : OnIntegers {
  __device__ Word operator()(Word x, Word y) const { return __umul24(x, y); }
};
struct Smaller : OnIntegers {
  __device__ Word operator()(Word x, Word y) const { return min(x + 1, y); }
};
// One operation each. Chains of neighbours use every intermediate result twice, so no two operations merge. The
// compiler would still simplify many steps of exclusive-ors, which are linear, but for the assembly.
struct Larger : OnIntegers {
  __device__ Word operator()(Word x, Word y) const { return max(x, y); }
};
struct PureExclusiveOr : OnIntegers {
  __device__ Word operator()(Word x, Word y) const {
    Word z = 0;
    asm volatile("xor.b32 %0, %1, %2;" : "=r"(z) : "r"(x), "r"(y));
    return z;
  }
};
struct FunnelShift : OnIntegers {
  __device__ Word operator()(Word x, Word y) const { return __funnelshift_l(x, y, 7); }
};
struct ExclusiveOr : OnIntegers {
  __device__ Word operator()(Word x, Word y) const { return (x ^ y) + y; }
};
struct Shift : OnIntegers {
  __device__ Word operator()(Word x, Word y) const { return (x >> 3) + y; }
};
struct Mask : OnIntegers {
  __device__ Word operator()(Word x, Word y) const { return (x & 7) + y; }
};
struct IntegerDivide : OnIntegers {
  __device__ Word operator()(Word x, Word y) const { return y / x; }
};
struct Modulo : OnIntegers {
  __device__ Word operator()(Word x, Word y) const { return y % x + 1; }
};
template <Word divisor>
struct DivideBy : OnIntegers {
  __device__ Word operator()(Word x, Word y) const { return x / divisor + y; }
};
template <Word divisor>
struct ModuloBy : OnIntegers {
  __device__ Word operator()(Word x, Word y) const { return x % divisor + y; }
};
struct SignedDivideBy8 : OnIntegers {
  __device__ Word operator()(Word x, Word y) const { return static_cast<Word>(static_cast<int>(x) / 8) + y; }
};

struct ToDouble : OnReals {
  __device__ float operator()(float x, float) const { return __int_as_float(__double2hiint(static_cast<double>(x))); }
};
struct ToFloat : OnReals {
  __device__ float operator()(float x, float y) const {
    return static_cast<float>(__hiloint2double(__float_as_int(y), __float_as_int(x)));
  }
};
struct ThroughHalf : OnReals {
  __device__ float operator()(float x, float) const { return __half2float(__float2half_rn(x)); }
};
struct ThroughInteger : OnReals {
  __device__ float operator()(float x, float) const { return __int2float_rn(__float2int_rn(x)); }
};

// Cheap steps are unrolled until the loop overhead is negligible. Expensive steps hide it anyway.
constexpr int far = 32, little = 2;

struct Range {
  double lower, upper;
};
struct Bound {
  double ulps, absolute = 0;
};

template <class F, int unroll>
constexpr Operation function(std::string_view name, double (*exact)(double, double), Range range, Bound bound,
                             double operand = 0) {
  return {name,       "functions",    Words::real, 1,     exact,  range.lower,        range.upper,
          bound.ulps, bound.absolute, operand,     false, unroll, evaluate_kernel<F>, chain_kernel<F, false, unroll>};
}
template <class F, bool coupled, int unroll>
constexpr Operation integer_operation(std::string_view name, double (*exact)(double, double), double operand = 0) {
  return {name,
          "integers",
          Words::integer,
          1,
          exact,
          0,
          0,
          0,
          0,
          operand,
          coupled,
          unroll,
          evaluate_kernel<F>,
          chain_kernel<F, coupled, unroll>};
}
template <class F>
constexpr Operation conversion(std::string_view name, int results, double (*exact)(double, double), Range range,
                               double operand = 0) {
  return {name,
          "conversions",
          Words::real,
          results,
          exact,
          range.lower,
          range.upper,
          0.5,
          0,
          operand,
          false,
          16,
          evaluate_kernel<F>,
          chain_kernel<F, false, 16>};
}

constexpr Range angle{-std::numbers::pi, std::numbers::pi}, exponent{-10, 10}, decades{1e-3, 1e3}, unit{0.5, 1.5};

// The error bounds are those of the CUDA C++ programming guide, "Mathematical Functions": absolute 2^-21.41 and
// 2^-21.19 for __sinf and __cosf in [−π, π], 2 + ⌊|1.173 x|⌋ ulp for __expf.
constexpr std::array table{
    function<Add, far>("+", exact::add, unit, {0.5}, 1e-3),
    function<Multiply, far>("*", exact::multiply, unit, {0.5}, 1.0001),
    function<MultiplyAdd, far>("fmaf", exact::multiply_add, unit, {0.5}, 0.5),
    function<Contracted, far>("x * y + y", exact::multiply_add, unit, {1.5}, 0.5),
    function<RoundedTwice, far>("__fadd_rn(__fmul_rn(x, y), y)", exact::multiply_add, unit, {1.5}, 0.5),
    function<FastSine, little>("__sinf", exact::sine, angle, {0.5, 3.59e-7}),
    function<Sine, little>("sinf", exact::sine, angle, {2}),
    function<FastCosine, little>("__cosf", exact::cosine, angle, {0.5, 4.18e-7}),
    function<Cosine, little>("cosf", exact::cosine, angle, {2}),
    function<FastDecay, little>("__expf", exact::decay, exponent, {13}),
    function<Decay, little>("expf", exact::decay, exponent, {2}),
    function<FastDivide, little>("__fdividef", exact::divide, decades, {2}, 1.5),
    function<Divide, little>("/", exact::divide, decades, {0.5}, 1.5),
    function<ApproximateReciprocal, little>("__fdividef(1, x)", exact::reciprocal, decades, {2}),
    function<Reciprocal, little>("__frcp_rn", exact::reciprocal, decades, {0.5}),
    function<OneOver, little>("1 / x", exact::reciprocal, decades, {0.5}),
    function<ReciprocalRoot, little>("rsqrtf", exact::reciprocal_root, decades, {2}),
    function<OneOverRoot, little>("1 / sqrtf", exact::reciprocal_root, decades, {1.5}),
    function<Root, little>("sqrtf", exact::root, decades, {0.5}),

    integer_operation<IntegerAdd, true, far>("x + y", exact::integer_add),
    integer_operation<IntegerMultiply, true, far>("x * y", exact::integer_multiply),
    integer_operation<ShortMultiply, true, far>("__umul24", exact::multiply_24),
    integer_operation<Larger, true, far>("max(x, y)", exact::larger),
    integer_operation<PureExclusiveOr, true, far>("x ^ y", exact::pure_exclusive_or),
    integer_operation<FunnelShift, true, far>("__funnelshift_l(x, y, 7)", exact::funnel_shift),
    integer_operation<Smaller, true, far>("min(x + 1, y)", exact::smaller),
    integer_operation<ExclusiveOr, true, 8>("(x ^ y) + y", exact::exclusive_or),
    integer_operation<Shift, true, 8>("(x >> 3) + y", exact::divide_by_8),
    integer_operation<Mask, true, 8>("(x & 7) + y", exact::modulo_8),
    integer_operation<IntegerDivide, false, little>("y / x", exact::integer_divide, 4294967281.0),
    integer_operation<DivideBy<10>, true, 8>("x / 10 + y", exact::divide_by_10),
    integer_operation<DivideBy<8>, true, 8>("x / 8 + y", exact::divide_by_8),
    integer_operation<SignedDivideBy8, true, 8>("signed x / 8 + y", exact::signed_divide_by_8),
    integer_operation<Modulo, false, little>("y % x + 1", exact::modulo, 4294967281.0),
    integer_operation<ModuloBy<10>, true, 8>("x % 10 + y", exact::modulo_10),
    integer_operation<ModuloBy<8>, true, 8>("x % 8 + y", exact::modulo_8),

    conversion<ToDouble>("float to double", 1, exact::high_word, unit),
    conversion<ToFloat>("double to float", 1, exact::from_words, unit, 1.5),
    conversion<ThroughHalf>("float to half and back", 2, exact::through_half, decades),
    conversion<ThroughInteger>("float to int and back", 2, exact::through_integer, decades),
};

}  // namespace

std::span<const Operation> operations() {
  return table;
}

void evaluate(Backend& backend, const Operation& operation, const Word* x, const Word* y, Word* z, std::int64_t count) {
  constexpr int threads = 256;
  const cudaStream_t stream = stream_of(backend);
  operation.evaluate<<<static_cast<unsigned>((count + threads - 1) / threads), threads, 0, stream>>>(x, y, z, count);
  cuda::launched(stream);
}

void run_chain(Backend& backend, const Operation& operation, int blocks, const Word* start, Word operand, Word* result,
               BlockTime* times) {
  const cudaStream_t stream = stream_of(backend);
  operation.chain<<<static_cast<unsigned>(blocks), chain_threads, 0, stream>>>(
      start, operand, chain_steps / operation.unroll, result, times);
  cuda::launched(stream);
}

}  // namespace poisson::lab
