# tenon_embed_scenes(target folder...): the texts of scenes/<folder>/*.tenon inside a program, so that
# it has them wherever it is run. cli/paper_scenes.h finds them by name.
function(tenon_embed_scenes target)
  set(entries "")
  foreach(folder IN LISTS ARGN)
    file(GLOB scenes CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/scenes/${folder}/*.tenon)
    foreach(scene IN LISTS scenes)
      file(READ "${scene}" text)
      cmake_path(GET scene STEM name)
      string(APPEND entries "    {\"${folder}/${name}\", R\"tenon(${text})tenon\"},\n")
      set_property(DIRECTORY ${PROJECT_SOURCE_DIR} APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${scene}")
    endforeach()
  endforeach()
  set(generated ${CMAKE_CURRENT_BINARY_DIR}/paper_scenes.cpp)
  # Written only where it differs.
  file(CONFIGURE OUTPUT ${generated} @ONLY CONTENT
"// Written by cmake/TenonScenes.cmake from scenes/.
#include \"paper_scenes.h\"

namespace tenon::cli {

std::optional<std::string_view> paperScene(std::string_view name) {
  struct Entry {
    std::string_view name, text;
  };
  static constexpr Entry entries[] = {
@entries@  };
  for (const Entry& entry : entries)
    if (entry.name == name) return entry.text;
  return std::nullopt;
}

}  // namespace tenon::cli
")
  target_sources(${target} PRIVATE ${generated})
  target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR}/cli)
endfunction()
