# How our own code is compiled, and where third-party headers are found.
#
#   tenon_warnings      warnings as errors, and the arithmetic rules
#   tenon_third_party   Eigen, nlohmann-json, fast_float, CLI11 as system headers
#   tenon_flags         both, plus what every engine file needs

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Release or Debug" FORCE)
endif()

find_program(TENON_CCACHE ccache)
if(TENON_CCACHE AND NOT DEFINED CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${TENON_CCACHE})
endif()

# Release runs on every machine of its kind: no -march=native, no -ffast-math. Debug keeps assert(); how
# it is optimised is said by each preset.
set(CMAKE_CXX_FLAGS_RELEASE "-O3 -DNDEBUG")

add_library(tenon_warnings INTERFACE)
target_compile_options(tenon_warnings INTERFACE
  -Wall -Wextra -Wpedantic -Wconversion -Werror
  -ffp-contract=off)  # no fused multiply-add: the same bits on every machine
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  target_compile_options(tenon_warnings INTERFACE
    -fno-semantic-interposition  # nobody replaces our functions one by one: they may be inlined within their file
    -Wno-psabi                # a note about how 32-byte vectors are passed; we have no old callers
    $<$<VERSION_LESS:$<CXX_COMPILER_VERSION>,13>:-Wno-restrict>)  # false alarm on std::string, GCC 105651
  # Where the flags of whoever builds us allow it (-march=native), the vectoriser of straight lines makes a fused
  # multiply-add-subtract, contraction off or not.
  include(CheckCXXSourceCompiles)
  check_cxx_source_compiles("#ifndef __FMA__
    #error
    #endif
    int main() {}" TENON_HAS_FMA)
  if(TENON_HAS_FMA)
    target_compile_options(tenon_warnings INTERFACE -fno-tree-slp-vectorize)
  endif()
endif()

add_library(tenon_third_party INTERFACE)
if(EMSCRIPTEN)
  # Only headers are taken from the host, and behind emscripten's own: -idirafter, not -isystem.
  target_compile_options(tenon_third_party INTERFACE "SHELL:-idirafter /usr/include")
  target_include_directories(tenon_third_party SYSTEM INTERFACE /usr/include/eigen3)
  # No vectors of the compiler's own making: it may put a number that it loads into one behind a store to the same
  # place (intoLanes in engine/packed/small.h says how). Those of small.h are guarded.
  add_compile_options(-fwasm-exceptions -msimd128 -fno-vectorize -fno-slp-vectorize)
  add_link_options(-fwasm-exceptions)
else()
  find_package(Eigen3 3.4 REQUIRED NO_MODULE)
  find_package(nlohmann_json REQUIRED)
  find_package(CLI11 REQUIRED)
  find_path(FAST_FLOAT_INCLUDE fast_float/fast_float.h REQUIRED)
  target_include_directories(tenon_third_party SYSTEM INTERFACE ${FAST_FLOAT_INCLUDE})
  target_link_libraries(tenon_third_party INTERFACE
    Eigen3::Eigen nlohmann_json::nlohmann_json CLI11::CLI11)
endif()

# Threads, where oneTBB is installed.
set(TENON_THREADS OFF)
if(NOT EMSCRIPTEN)
  find_package(TBB QUIET)
  if(TBB_FOUND)
    set(TENON_THREADS ON)
  endif()
endif()

# tenon_together(target wanted count): where wanted, its files are compiled by count at a time. Most of
# what a file costs is headers and their templates, above all under the sanitizers. The presets dev and
# clang never do it: there each file stands for itself, so that a missing include is found.
function(tenon_together target wanted count)
  set_target_properties(${target} PROPERTIES
    UNITY_BUILD ${wanted} UNITY_BUILD_MODE BATCH UNITY_BUILD_BATCH_SIZE ${count})
endfunction()

add_library(tenon_flags INTERFACE)
if(TENON_THREADS)
  target_compile_definitions(tenon_flags INTERFACE TENON_TBB)
  target_link_libraries(tenon_flags INTERFACE TBB::tbb)
endif()
target_link_libraries(tenon_flags INTERFACE tenon_warnings tenon_third_party)
target_compile_definitions(tenon_flags INTERFACE
  EIGEN_DONT_VECTORIZE  # the packet size would change the order of sums
  Eigen=TenonEigen)     # our instances must not be merged with a user's own Eigen by the linker
