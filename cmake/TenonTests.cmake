# Tests: every folder tests/<name>/ with *.cpp is one GoogleTest program test_<name> and one ctest,
# so that a run starts quickly and programs run side by side. The cases inside are counted from the
# XML that each program writes (tools/count_tests.py).

# The rooms (and crowds of random mechanisms) whose tests also run under the sanitizers and in WebAssembly on every `./dev test`.
set(TENON_CORE math model joints loads solve compile measure packed methods posing files draw session
  random)

# Long programs run in parts side by side, and start first: no core waits for another at the end.
set(TENON_SHARDS_methods 4)
set(TENON_SHARDS_files 2)
set(TENON_SHARDS_packed 2)
set(TENON_SHARDS_gallery 2)
set(TENON_SHARDS_random 4)
set(TENON_COST_methods 40)
set(TENON_COST_files 20)
set(TENON_COST_gallery 30)
set(TENON_COST_packed 15)
set(TENON_COST_random 15)
set(TENON_COST_posing 10)
set(TENON_COST_math 10)

# tenon_use_googletest(): GTest::gtest_main, from the system or, for WebAssembly, from its source.
# Without it only the scripts are tests: `./dev build` does not ask for GoogleTest.
macro(tenon_use_googletest)
  if(EMSCRIPTEN)
    set(BUILD_GMOCK OFF)
    set(INSTALL_GTEST OFF)
    set(gtest_disable_pthreads ON)
    add_subdirectory(/usr/src/googletest googletest EXCLUDE_FROM_ALL)
  else()
    find_package(GTest QUIET)
  endif()
endmacro()

# tenon_run_by_node(program): nothing to do unless it is for WebAssembly.
function(tenon_run_by_node program)
  if(EMSCRIPTEN)
    # NODERAWFS: it reads the scenes of the source tree as a native program would.
    target_link_options(${program} PRIVATE
      -O1 -sNODERAWFS=1 -sALLOW_MEMORY_GROWTH=1 -sEXIT_RUNTIME=1)
  endif()
endfunction()

# tenon_test(name links...): the program of tests/<name>/*.cpp, if there are any.
function(tenon_test name)
  file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/${name}/*.cpp)
  if(NOT sources OR NOT TARGET GTest::gtest_main)
    return()
  endif()
  add_executable(test_${name} ${sources})
  target_include_directories(test_${name} PRIVATE ${PROJECT_SOURCE_DIR}/tests)
  target_compile_definitions(test_${name} PRIVATE TENON_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
  target_link_libraries(test_${name} PRIVATE ${ARGN} GTest::gtest_main)
  # The rooms are compiled as they ship. The tests' own files are most of the compile time: -O1.
  target_compile_options(test_${name} PRIVATE $<$<CONFIG:Release>:-O1>)
  tenon_together(test_${name} ${TENON_UNITY} 6)
  # Operators new and delete of the whole program: not to be inlined into one batch of its files.
  set_source_files_properties(${PROJECT_SOURCE_DIR}/tests/${name}/counting_new.cpp
    PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
  tenon_run_by_node(test_${name})
  if(name IN_LIST TENON_CORE)
    add_dependencies(core_tests test_${name})
  endif()
  set(shards 1)
  if(TENON_SHARDS_${name} AND NOT EMSCRIPTEN)  # a program in Node does not see the environment
    set(shards ${TENON_SHARDS_${name}})
  endif()
  foreach(shard RANGE 1 ${shards})
    set(test ${name})
    if(shards GREATER 1)
      set(test ${name}_${shard})
    endif()
    add_test(NAME ${test}
      COMMAND test_${name} --gtest_brief=1 --gtest_output=xml:${CMAKE_BINARY_DIR}/results/${test}.xml)
    math(EXPR index "${shard} - 1")
    set_tests_properties(${test} PROPERTIES TIMEOUT 600
      ENVIRONMENT "GTEST_TOTAL_SHARDS=${shards};GTEST_SHARD_INDEX=${index}")
    if(TENON_COST_${name})
      set_tests_properties(${test} PROPERTIES COST ${TENON_COST_${name}})
    endif()
    if(name IN_LIST TENON_CORE)
      set_tests_properties(${test} PROPERTIES LABELS core)
    endif()
  endforeach()
endfunction()
