# Rooms (folders of engine/) and the library that they make together.

set(TENON_ENGINE_DIR ${CMAKE_CURRENT_SOURCE_DIR}/engine)
set(TENON_ROOMS "" CACHE INTERNAL "")

# The rooms that TENON_UNITY_ENGINE compiles several files at a time: those of many files. Not joints,
# where every file has its own evaluate().
set(TENON_ROOMS_TOGETHER math methods posing files draw)

# tenon_room(name uses...): the library tenon_<name> of all engine/<name>/*.cpp.
# A room with headers only, or still empty, becomes an INTERFACE library.
function(tenon_room name)
  file(GLOB sources CONFIGURE_DEPENDS ${TENON_ENGINE_DIR}/${name}/*.cpp)
  if(sources)
    set(visibility PUBLIC)
    add_library(tenon_${name} STATIC ${sources})
    if(NOT EMSCRIPTEN)  # a module is linked at fixed addresses
      set_target_properties(tenon_${name} PROPERTIES POSITION_INDEPENDENT_CODE ON)
    endif()
    if(name IN_LIST TENON_ROOMS_TOGETHER)
      tenon_together(tenon_${name} ${TENON_UNITY_ENGINE} 8)
    endif()
  else()
    set(visibility INTERFACE)
    add_library(tenon_${name} INTERFACE)
  endif()
  target_include_directories(tenon_${name} ${visibility} ${TENON_ENGINE_DIR}/include ${TENON_ENGINE_DIR})
  target_link_libraries(tenon_${name} ${visibility} tenon_flags)
  foreach(used IN LISTS ARGN)
    target_link_libraries(tenon_${name} ${visibility} tenon_${used})
  endforeach()
  set(TENON_ROOMS ${TENON_ROOMS} ${name} CACHE INTERNAL "")
endfunction()

# tenon_library(): all rooms in one archive, libtenon.a.
#   tenon::tenon   what users link: the public headers, none of our flags
#   tenon_inside   the same for our own tests and benchmarks: with the private headers and flags
function(tenon_library)
  add_library(tenon_engine STATIC)
  add_library(tenon::tenon ALIAS tenon_engine)
  add_library(tenon_inside INTERFACE)
  set(has_source FALSE)
  foreach(room IN LISTS TENON_ROOMS)
    get_target_property(type tenon_${room} TYPE)
    if(type STREQUAL "STATIC_LIBRARY")
      target_sources(tenon_engine PRIVATE $<TARGET_OBJECTS:tenon_${room}>)
      set(has_source TRUE)
    endif()
  endforeach()
  if(NOT has_source)  # CMake wants at least one file
    file(CONFIGURE OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/empty.cpp CONTENT "")
    target_sources(tenon_engine PRIVATE ${CMAKE_CURRENT_BINARY_DIR}/empty.cpp)
  endif()
  set_target_properties(tenon_engine PROPERTIES
    OUTPUT_NAME tenon EXPORT_NAME tenon LINKER_LANGUAGE CXX)
  target_compile_features(tenon_engine INTERFACE cxx_std_20)
  target_include_directories(tenon_engine INTERFACE
    $<BUILD_INTERFACE:${TENON_ENGINE_DIR}/include> $<INSTALL_INTERFACE:include>)
  if(TENON_THREADS)
    target_link_libraries(tenon_engine PUBLIC TBB::tbb)
  endif()
  target_link_libraries(tenon_inside INTERFACE tenon_engine tenon_flags)
  target_include_directories(tenon_inside INTERFACE ${TENON_ENGINE_DIR})

  include(GNUInstallDirs)
  include(CMakePackageConfigHelpers)
  set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/tenon)
  install(TARGETS tenon_engine EXPORT tenonTargets)
  install(DIRECTORY ${TENON_ENGINE_DIR}/include/tenon DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
    FILES_MATCHING PATTERN "*.h")
  install(EXPORT tenonTargets NAMESPACE tenon:: DESTINATION ${package_dir} FILE tenonTargets.cmake)
  configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/tenonConfig.cmake.in
    ${CMAKE_CURRENT_BINARY_DIR}/tenonConfig.cmake INSTALL_DESTINATION ${package_dir})
  write_basic_package_version_file(${CMAKE_CURRENT_BINARY_DIR}/tenonConfigVersion.cmake
    COMPATIBILITY SameMinorVersion)
  install(FILES ${CMAKE_CURRENT_BINARY_DIR}/tenonConfig.cmake
    ${CMAKE_CURRENT_BINARY_DIR}/tenonConfigVersion.cmake DESTINATION ${package_dir})
endfunction()
