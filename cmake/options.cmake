# What every target of the project shares: flags, and how an AUTO | ON | OFF option finds its package.

# poisson_library(NAME [DEPENDS target...]): the folder's sources as one static library, poisson::NAME.
function(poisson_library name)
  cmake_parse_arguments(arg "" "" "DEPENDS" ${ARGN})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/*.cpp")
  if(POISSON_HAVE_CUDA)
    file(GLOB_RECURSE cuda_sources CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/*.cu")
  endif()
  add_library(poisson_${name} STATIC ${sources} ${cuda_sources})
  add_library(poisson::${name} ALIAS poisson_${name})
  set_target_properties(poisson_${name} PROPERTIES EXPORT_NAME ${name} POSITION_INDEPENDENT_CODE ON)
  target_include_directories(poisson_${name} PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}>
                                                    $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}/poisson>)
  target_compile_features(poisson_${name} PUBLIC cxx_std_20)
  if(POISSON_HAVE_CUDA)
    target_compile_definitions(poisson_${name} PUBLIC POISSON_HAVE_CUDA)
  endif()
  target_link_libraries(poisson_${name} PUBLIC ${arg_DEPENDS} PRIVATE poisson_flags)
endfunction()

add_library(poisson_flags INTERFACE)
target_compile_options(poisson_flags INTERFACE 
  $<$<COMPILE_LANGUAGE:CXX>:-Wall -Wextra -Wpedantic -Wshadow
  -Wno-restrict  # GCC 12 sees overlaps in std::string that are not there (PR 105651)
  # Fused multiply-adds; no errno and no traps in the way of vector loops. Values stay IEEE: no reordering.
  -ffp-contract=fast -fno-math-errno -fno-trapping-math>)
# Point formulas are constexpr functions of the host's headers.
target_compile_options(poisson_flags INTERFACE $<$<COMPILE_LANGUAGE:CUDA>:--expt-relaxed-constexpr -Xcompiler=-Wall>)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64" AND POISSON_CPU)
  target_compile_options(poisson_flags INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-march=${POISSON_CPU}>)
endif()
if(POISSON_STRICT)
  target_compile_definitions(poisson_flags INTERFACE POISSON_STRICT)
  target_compile_options(poisson_flags INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-ffp-contract=off>
                                                 $<$<COMPILE_LANGUAGE:CUDA>:-fmad=false -Xcompiler=-ffp-contract=off>)
endif()
if(POISSON_CHECK_BOUNDS)
  target_compile_definitions(poisson_flags INTERFACE POISSON_CHECK_BOUNDS)
endif()

# Sets POISSON_HAVE_CUDA and, where the toolkit is usable, enables the language.
macro(poisson_find_cuda)
  set(POISSON_HAVE_CUDA FALSE)
  if(NOT POISSON_CUDA STREQUAL "OFF")
    include(CheckLanguage)
    if(NOT CMAKE_CUDA_COMPILER AND NOT DEFINED ENV{CUDACXX} AND EXISTS /usr/local/cuda/bin/nvcc)
      set(CMAKE_CUDA_COMPILER /usr/local/cuda/bin/nvcc CACHE FILEPATH "CUDA compiler")
    endif()
    check_language(CUDA)
    if(CMAKE_CUDA_COMPILER)
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
      if(CMAKE_CUDA_COMPILER_VERSION VERSION_LESS 12.4)
        message(FATAL_ERROR "The CUDA toolkit is ${CMAKE_CUDA_COMPILER_VERSION} (conditional graph nodes came with "
                            "12.4). Install a newer toolkit or configure with -DPOISSON_CUDA=OFF.")
      endif()
      set(POISSON_HAVE_CUDA TRUE)
    elseif(POISSON_CUDA STREQUAL "ON")
      message(FATAL_ERROR "POISSON_CUDA is ON and no CUDA compiler was found. Set CUDACXX to nvcc, or use AUTO or OFF.")
    endif()
  endif()
endmacro()
