#include <array>
#include <utility>

#include "backends/utilities/transpose.hpp"
#include "bench/kernels.hpp"

namespace poisson::bench {
namespace {

constexpr Precision fp32 = Precision::fp32, fp64 = Precision::fp64;
constexpr double omega = 1.15;

const KernelCase copy{.traffic = traffic("copy"),
                      .operands = {{fp64}, {fp64}},
                      .run = [](const Kit& k, Fields& f) { k.backend.copy(f[0], f[1]); },
                      .unknowns = false};
const KernelCase product{.traffic = traffic("apply"), .operands = {{fp64}, {fp64}}, .run = [](const Kit& k, Fields& f) {
                           k.A64().apply(f[0], f[1]);
                         }};
const KernelCase product_fp32{.traffic = traffic("apply"),
                              .operands = {{fp32}, {fp32}},
                              .run = [](const Kit& k, Fields& f) { k.A32().apply(f[0], f[1]); },
                              .matrix = fp32};
const KernelCase residual{.traffic = traffic("residual + norm"),
                          .operands = {{fp64}, {fp64}, {fp32}},
                          .run = [](const Kit& k, Fields& f) { k.A64().residual(f[0], f[1], f[2], k.one, k.result); },
                          .reduces = true};
const KernelCase residual_fp64{.traffic = traffic("residual"),
                               .operands = {{fp64}, {fp64}, {fp64}},
                               .run = [](const Kit& k, Fields& f) { k.A64().residual(f[0], f[1], f[2]); }};
const KernelCase sweep{.traffic = traffic("polynomial step"),
                       .operands = {{fp32}, {fp32}, {fp32}},
                       .run = [](const Kit& k, Fields& f) { k.points(fp32).step(step, f[0], f[1], f[2]); },
                       .matrix = fp32};
template <int axis>
const KernelCase lines{.traffic = traffic("line step"),
                       .operands = {{fp32}, {fp32}, {fp32}},
                       .run = [](const Kit& k, Fields& f) { k.lines(axis).step(step, f[0], f[1], f[2]); },
                       .matrix = fp32,
                       .needs_z = axis == 2};
// Transposes every plane: lines along x become lines along y, and back.
void turn_lines(const Kit& kit, Fields& f) {
  dispatch(f[0].precision(), [&]<class T>(T) {
    const View<T> lines = f[0].view<T>();
    T* const turned = f[1].view<T>().data;
    const std::int64_t pitch = (lines.n[1] + 31) / 32 * 32;
    const Transposition there{.rows = lines.n[1],
                              .columns = lines.n[0],
                              .element = sizeof(T),
                              .from_pitch = lines.sy,
                              .to_pitch = pitch,
                              .batch = lines.n[2],
                              .from_stride = lines.sz,
                              .to_stride = pitch * lines.n[0]};
    const Transposition back{.rows = there.columns,
                             .columns = there.rows,
                             .element = sizeof(T),
                             .from_pitch = there.to_pitch,
                             .to_pitch = there.from_pitch,
                             .batch = there.batch,
                             .from_stride = there.to_stride,
                             .to_stride = there.from_stride};
    transpose(kit.backend, there, lines.data, turned);
    transpose(kit.backend, back, turned, lines.data);
  });
}
const KernelCase turned_lines{
    .traffic = {"transpose", {2, 2}}, .operands = {{fp32}, {fp32, false, true}}, .run = turn_lines, .unknowns = false};
// The second operand gets the result, whichever field the sweep writes.
void relax_colours(const Kit& kit, Fields& f) {
  const PolynomialStep one_sweep{omega, 0};
  Iterate u{&f[1], &f[2], false};
  kit.colours().take({&one_sweep, 1}, false, f[0], u);
  if (u.now == &f[2]) std::swap(f[1], f[2]);
}
const KernelCase gauss_seidel{.traffic = traffic("gauss-seidel"),
                              .operands = {{fp32}, {fp32}, {.precision = fp32, .scratch = true, .as = 1}},
                              .run = [](const Kit& k, Fields& f) { relax_colours(k, f); },
                              .matrix = fp32};
const KernelCase restriction{.traffic = traffic("restrict"),
                             .operands = {{fp32}, {fp32, true}},
                             .run = [](const Kit& k, Fields& f) { k.transfer().restrict_to(f[0], f[1]); }};
const KernelCase prolongation{.traffic = traffic("prolong"),
                              .operands = {{fp32, true}, {fp32}},
                              .run = [](const Kit& k, Fields& f) { k.transfer().prolong(f[0], f[1]); }};
const KernelCase interpolation{.traffic = traffic("interpolate"),
                               .operands = {{fp32, true}, {fp64}},
                               .run = [](const Kit& k, Fields& f) { k.transfer().interpolate(f[0], f[1], &k.one); }};
const KernelCase prolongation_added{.traffic = traffic("prolong + add"),
                                    .operands = {{fp32, true}, {fp32}},
                                    .run = [](const Kit& k, Fields& f) { k.transfer().prolong_add(f[0], f[1]); }};
const KernelCase axpy{.traffic = traffic("axpy"),
                      .operands = {{fp32}, {fp64}},
                      .run = [](const Kit& k, Fields& f) { k.backend.axpy(k.one, f[0], f[1]); },
                      .unknowns = false};
const KernelCase dot{.traffic = traffic("dot"),
                     .operands = {{fp64}, {fp64}},
                     .run = [](const Kit& k, Fields& f) { k.backend.dot(f[0], f[1], k.result); },
                     .reduces = true,
                     .unknowns = false};

/// Returns the same kernel for another operator.
KernelCase with(const Model& model, KernelCase c) {
  c.model = model;
  return c;
}
constexpr Model partial{varying_coefficient, Assembly::partial}, full{varying_coefficient, Assembly::full},
    faces{varying_coefficient, Assembly::partial, Scheme::fv, Centering::cell},
    q1{constant_coefficient, Assembly::recompute, Scheme::q1},
    q1_partial{varying_coefficient, Assembly::partial, Scheme::q1},
    q1_full{varying_coefficient, Assembly::full, Scheme::q1};
const KernelCase product_partial = with(partial, product);
const KernelCase product_partial_fp32 = with(partial, product_fp32);
const KernelCase residual_partial = with(partial, residual);
const KernelCase sweep_partial = with(partial, sweep);
const KernelCase lines_partial = with(partial, lines<2>);
const KernelCase gauss_seidel_partial = with(partial, gauss_seidel);
const KernelCase sweep_faces = with(faces, sweep);
const KernelCase gauss_seidel_faces = with(faces, gauss_seidel);
const KernelCase product_full = with(full, product);
const KernelCase product_full_fp32 = with(full, product_fp32);
const KernelCase sweep_full = with(full, sweep);
const KernelCase product_q1 = with(q1, product);
const KernelCase sweep_q1 = with(q1, sweep);
const KernelCase product_q1_partial = with(q1_partial, product);
const KernelCase product_q1_partial_fp32 = with(q1_partial, product_fp32);
const KernelCase sweep_q1_partial = with(q1_partial, sweep);
const KernelCase residual_q1_partial = with(q1_partial, residual);
const KernelCase product_q1_full = with(q1_full, product);
const KernelCase product_q1_full_fp32 = with(q1_full, product_fp32);
const KernelCase sweep_q1_full = with(q1_full, sweep);

const std::array table{
    Case{"copy", "y = x in fp64: the measure of the others", &copy},
    Case{"product", "Au in fp64", &product},
    Case{"product-fp32", "Au in fp32", &product_fp32},
    Case{"residual", "r = b - Au in fp64, written in fp32, with its norm", &residual},
    Case{"residual-fp64", "r = b - Au in fp64", &residual_fp64},
    Case{"sweep", "one Chebyshev step in fp32", &sweep},
    Case{"line-x", "one Chebyshev step in fp32 that solves for the lines along x", &lines<0>},
    Case{"turned-x", "lines along x turned into lines along y and back: what a transposition would add", &turned_lines},
    Case{"line-y", "the Chebyshev step for the lines along y", &lines<1>},
    Case{"line-z", "the same along z", &lines<2>},
    Case{"gauss-seidel", "one red-black sweep in fp32", &gauss_seidel},
    Case{"restrict", "full weighting in fp32", &restriction},
    Case{"prolong", "trilinear prolongation in fp32", &prolongation},
    Case{"prolong-add", "the same added to what is there", &prolongation_added},
    Case{"axpy", "y += a x of fp32 to fp64", &axpy},
    Case{"interpolate", "cubic interpolation from fp32 to fp64", &interpolation},
    Case{"dot", "inner product in fp64", &dot},
    Case{"partial-product", "Au in fp64 with a coefficient per cell", &product_partial},
    Case{"partial-product-fp32", "Au in fp32 with a coefficient per cell", &product_partial_fp32},
    Case{"partial-residual", "the residual with a coefficient per cell", &residual_partial},
    Case{"partial-sweep", "the Chebyshev step with a coefficient per cell", &sweep_partial},
    Case{"partial-gauss-seidel", "the red-black sweep with a coefficient per cell", &gauss_seidel_partial},
    Case{"partial-line-z", "the lines along z with a coefficient per cell", &lines_partial},
    Case{"faces-sweep", "the Chebyshev step in cells, with a coefficient in each", &sweep_faces},
    Case{"faces-gauss-seidel", "the red-black sweep in cells, with a coefficient in each", &gauss_seidel_faces},
    Case{"full-product", "Au in fp64 from 4 bands", &product_full},
    Case{"full-product-fp32", "Au in fp32 from 4 bands", &product_full_fp32},
    Case{"full-sweep", "the Chebyshev step from 4 bands", &sweep_full},
    Case{"q1-product", "Au of elements in fp64", &product_q1},
    Case{"q1-sweep", "the Chebyshev step of these elements", &sweep_q1},
    Case{"q1-partial-product", "Au of elements in fp64 with a coefficient per cell", &product_q1_partial},
    Case{"q1-partial-product-fp32", "the same in fp32", &product_q1_partial_fp32},
    Case{"q1-partial-sweep", "the Chebyshev step of these elements", &sweep_q1_partial},
    Case{"q1-partial-residual", "b − Au of these elements and its norm", &residual_q1_partial},
    Case{"q1-full-product", "Au of elements in fp64 from 14 bands", &product_q1_full},
    Case{"q1-full-product-fp32", "the same in fp32", &product_q1_full_fp32},
    Case{"q1-full-sweep", "the Chebyshev step from 14 bands", &sweep_q1_full},
};

}  // namespace

std::span<const Case> kernel_cases() {
  return table;
}

}  // namespace poisson::bench
