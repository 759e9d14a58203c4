# Embeds headers in a C++ source, so that code compiled at run time can include them:
#   cmake -DOUTPUT=FILE -DROOT=FOLDER -DHEADERS=a.hpp,b.hpp -DFREESTANDING=FOLDER -P embed.cmake
# HEADERS are paths below ROOT, as in include lines. All files of FREESTANDING are included by their bare names.
string(REPLACE "," ";" headers "${HEADERS}")
file(GLOB freestanding "${FREESTANDING}/*")
list(FILTER freestanding EXCLUDE REGEX "\\.md$")
set(rows "")
function(add name path)
  file(READ "${path}" text)
  string(APPEND rows "    {\"${name}\", R\"poisson(${text})poisson\"},\n")
  set(rows "${rows}" PARENT_SCOPE)
endfunction()
foreach(path IN LISTS freestanding)
  cmake_path(GET path FILENAME name)
  add("${name}" "${path}")
endforeach()
foreach(name IN LISTS headers)
  add("${name}" "${ROOT}/${name}")
endforeach()
file(WRITE "${OUTPUT}" "#include \"grids/kernels/cuda/runtime_headers.hpp\"

namespace poisson::cuda {
namespace {

constexpr RuntimeHeader table[]{
${rows}};

}  // namespace

std::span<const RuntimeHeader> runtime_headers() {
  return table;
}

}  // namespace poisson::cuda
")
