#include <vector>

#include "backends/cuda/plane_sums.cuh"
#include "backends/cuda/slices.cuh"
#include "grids/kernels/cuda/evaluate_columns.cuh"
#include "grids/kernels/cuda/recompute_models.cuh"
#include "grids/kernels/cuda/runtime_sources.hpp"

namespace poisson::cuda {
namespace {

// Expressions with functions of hundreds of instructions are called: inlined at every use in a kernel, they would take
// minutes to compile.
bool is_long(const std::string& expression) {
  for (const char* name : {"sin(", "cos(", "tan(", "asin(", "acos(", "atan(", "atan2(", "sinh(", "cosh(", "tanh(",
                           "exp(", "ln(", "log2(", "log10(", "pow("})
    if (expression.find(std::string("expression::") + name) != std::string::npos) return true;
  return expression.size() > 1000;
}

// Returns the source of a function of x, y and z, which is called, not inlined, if it is long or if `called` is set.
std::string function(const std::string& name, const std::string& expression, bool called = false) {
  return std::string(called || is_long(expression) ? "__noinline__" : "__forceinline__") + " double " + name +
         "(double x, double y, double z) {\n  return " + expression + ";\n}\n";
}

// The kernels read data in the host's layout, so the sizes must be equal.
std::string size_check(const std::string& type, std::size_t size) {
  return "static_assert(sizeof(" + type + ") == " + std::to_string(size) + ");\n";
}
template <class Column>
std::string size_check(const std::string& type) {
  return size_check(type, sizeof(Column));
}

std::string kernel(const std::string& name, const std::string& parameters, const std::string& body) {
  return "extern \"C\" __global__ void __launch_bounds__(tile_threads) " + name + "(" + parameters + ") {\n" + body +
         "}\n";
}

}  // namespace

std::string evaluation_source(const std::string& expression) {
  std::string text = R"(#include "backends/cuda/slices.cuh"
#include "grids/kernels/cuda/evaluate_columns.cuh"
#include "grids/rows/expression_functions.hpp"
namespace poisson::cuda {
)";
  text += size_check<Range>("Range") + size_check<Tiling>("Tiling") + size_check<Slices>("Slices") +
          size_check<Points>("Points") + size_check<FillTarget>("FillTarget") + size_check<AnyView>("AnyView") +
          size_check<Moments>("Moments");
  text += function("value", expression) + R"(struct Value {
  double operator()(double x, double y, double z) const { return value(x, y, z); }
};
)";
  text += kernel("fill", "Range box, Tiling tiling, Points points, FillTarget target",
                 R"(  const Fill<Value> column{{}, points, target};
  const auto visited = [&](int i, int j, int k0, int k1) { column(i, j, k0, k1); };
  tiling.visit(box, visited);
)");
  text += kernel("measure",
                 "Range box, Slices slices, Points points, AnyView u, const double* wx, const double* wy, "
                 "const double* wz, Moments* partial",
                 "  measure_slice(box, slices, Measure<Value>{{}, points, u, wx, wy, wz}, partial);\n");
  return text + "}  // namespace poisson::cuda\n";
}

namespace {

template <class... Columns>
std::vector<std::size_t> sizes_of(ColumnList<Columns...>) {
  return {sizeof(Columns)...};
}

// Returns one kernel for each column of a list that belongs to a part. `list` is the name of the list in the source;
// `sizes` are the sizes of its columns on the host.
std::string kernels_of(const std::vector<std::size_t>& sizes, const std::string& list, const std::string& name,
                       const std::string& walk, const std::string& parameters, const std::string& body, int part) {
  std::string text;
  for (auto at = static_cast<std::size_t>(part); at < sizes.size(); at += recompute_parts) {
    const std::string number = std::to_string(at), type = "typename ColumnAt<" + number + ", " + list + "<T, C>>::Type";
    text += size_check(type, sizes[at]) +
            kernel(name + number, "Range box, " + walk + ", " + type + " column" + parameters, body);
  }
  return text;
}

}  // namespace

std::string recompute_source(RecomputedRows rows, Precision precision, std::span<const std::string> kappa, int part) {
  std::string text = R"(#include "backends/cuda/plane_sums.cuh"
#include "grids/kernels/cuda/recompute_columns.cuh"
#include "grids/rows/expression_functions.hpp"
namespace poisson::cuda {
)";
  text += size_check<Range>("Range") + size_check<Tiling>("Tiling") + size_check<PlaneSums>("PlaneSums");
  const bool elements = rows.kind == RecomputedRows::elements;
  const bool called = elements && rows.tensor != Tensor::isotropic;  // a row uses every component eight times
  for (std::size_t d = 0; d < kappa.size(); ++d) text += function("kappa_" + std::to_string(d), kappa[d], called);
  text += "struct Kappa {\n  static constexpr int count = " + std::to_string(kappa.size()) +
          ";\n  template <int d>\n  static double at(double x, double y, double z) {\n";
  for (std::size_t d = 0; d < kappa.size(); ++d)
    text += "    if constexpr (d == " + std::to_string(d) + ") return kappa_" + std::to_string(d) + "(x, y, z);\n";
  text += "  }\n};\n";
  text += std::string("using T = ") + (precision == Precision::fp32 ? "float" : "double") + ";\n";
  const auto kernels = [&](const std::vector<std::size_t>& mapping, const std::vector<std::size_t>& summing,
                           const std::string& lists) {
    text += kernels_of(mapping, lists + "MappingColumns", "map_", "Tiling tiling", "", "  tiling.visit(box, column);\n",
                       part);
    text += kernels_of(summing, lists + "SummingColumns", "sum_", "PlaneSums sums", ", double* partial",
                       "  sum_planes<tile_threads>(box, sums, column, partial);\n", part);
  };
  const auto begin = [&]<class C>(Model<C>, const char* name) {
    text += "using C = " + std::string(name) + ";\n" + size_check<C>("C");
  };
  dispatch(precision, [&]<class T>(T) {
    if (elements)
      with_recompute_box_model<T>(rows, [&]<class C>(Model<C> model, const char* name) {
        begin(model, name);
        kernels(sizes_of(BoxMappingColumns<T, C>()), sizes_of(BoxSummingColumns<T, C>()), "Box");
      });
    else
      with_recompute_model<T>(rows, [&]<class C>(Model<C> model, const char* name) {
        begin(model, name);
        kernels(sizes_of(MappingColumns<T, C>()), sizes_of(SummingColumns<T, C>()), "");
      });
  });
  return text + "}  // namespace poisson::cuda\n";
}

}  // namespace poisson::cuda
