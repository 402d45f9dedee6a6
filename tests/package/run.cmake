# The package test: installs the built library to a fresh prefix, then configures, builds and runs
# tests/package/user, a stranger's project that knows only find_package(tenon).
#   cmake -DTENON_BUILD_DIR=... -DCXX=... -DVERSION=... -P run.cmake
set(work ${TENON_BUILD_DIR}/package-test)
set(ENV{DESTDIR} "")
file(REMOVE_RECURSE ${work})

function(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE code OUTPUT_VARIABLE text ERROR_VARIABLE text)
  if(NOT code EQUAL 0)
    message(FATAL_ERROR "${ARGN}\n${text}")
  endif()
  set(output "${text}" PARENT_SCOPE)
endfunction()

run(${CMAKE_COMMAND} --install ${TENON_BUILD_DIR} --prefix ${work}/prefix)

# Nothing of ours may leak: not the renamed Eigen, not the build tree.
file(GLOB_RECURSE package_files ${work}/prefix/lib/*.cmake)
foreach(file IN LISTS package_files)
  file(READ ${file} text)
  foreach(leak IN ITEMS TenonEigen EIGEN_DONT_VECTORIZE Werror ${TENON_BUILD_DIR})
    string(FIND "${text}" "${leak}" at)
    if(NOT at EQUAL -1)
      message(FATAL_ERROR "${file} exports ${leak}")
    endif()
  endforeach()
endforeach()

run(${CMAKE_COMMAND} -G Ninja -S ${CMAKE_CURRENT_LIST_DIR}/user -B ${work}/build
    -DCMAKE_PREFIX_PATH=${work}/prefix -DCMAKE_CXX_COMPILER=${CXX} -DCMAKE_BUILD_TYPE=Release
    -DTENON_WANTED=${VERSION})
run(${CMAKE_COMMAND} --build ${work}/build)
set(scene ${CMAKE_CURRENT_LIST_DIR}/../../scenes/linkages/four-bar.tenon)
run(${work}/build/alone ${scene})
set(alone "${output}")
run(${work}/build/own_eigen ${scene})
if(NOT alone STREQUAL output OR NOT alone MATCHES "^tenon ${VERSION}: dof 1,")
  message(FATAL_ERROR "alone, the user's program says:  ${alone}with its own Eigen:            ${output}")
endif()
message("${alone}")
