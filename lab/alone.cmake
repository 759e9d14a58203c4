# Prepares a build of this folder against an installed poisson, which provides compiled libraries and headers.
include(GNUInstallDirs)
find_package(poisson REQUIRED)
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release)
endif()
set(POISSON_HAVE_CUDA ${poisson_HAVE_CUDA})
if(POISSON_HAVE_CUDA)
  if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES)
    set(CMAKE_CUDA_ARCHITECTURES 90)
  endif()
  enable_language(CUDA)
  if(NOT DEFINED CMAKE_CUDA20_STANDARD_COMPILE_OPTION)  # CMake 3.25.1 of Debian 12 does not know it
    set(CMAKE_CUDA20_STANDARD_COMPILE_OPTION -std=c++20)
  endif()
  set(CMAKE_CUDA_STANDARD 20)
  set(CMAKE_CUDA_STANDARD_REQUIRED ON)
  set(CMAKE_CUDA_RUNTIME_LIBRARY Static)
endif()
get_target_property(poisson_sources poisson::utilities INTERFACE_INCLUDE_DIRECTORIES)
list(GET poisson_sources 0 poisson_sources)
include_directories(${CMAKE_CURRENT_SOURCE_DIR}/..)
add_library(poisson_flags INTERFACE)  # as in cmake/options.cmake
target_compile_options(poisson_flags INTERFACE
  $<$<COMPILE_LANGUAGE:CXX>:-Wall -ffp-contract=fast -fno-math-errno -fno-trapping-math>
  $<$<COMPILE_LANGUAGE:CUDA>:--expt-relaxed-constexpr -Xcompiler=-Wall>)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  target_compile_options(poisson_flags INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-march=x86-64-v3>)
endif()

# The folder may be under version control of its own: it has no commit of poisson.
function(poisson_commit target)
  file(CONFIGURE OUTPUT commit.cpp @ONLY CONTENT
       "#include \"backends/utilities/commit.hpp\"\nconst char* poisson::commit() { return \"\"; }\n")
  target_sources(${target} PRIVATE ${CMAKE_CURRENT_BINARY_DIR}/commit.cpp)
endfunction()
function(poisson_precompile)
endfunction()
