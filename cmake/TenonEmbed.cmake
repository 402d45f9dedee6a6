# tenon_embed(target function folder): every file of a folder inside a program, as its bytes, listed by
# a function of cli/studio_assets.h. The assembler reads the files (.incbin), so that megabytes cost no
# compile time. A folder that does not exist gives an empty list.
function(tenon_embed target function folder)
  file(GLOB_RECURSE files CONFIGURE_DEPENDS ${folder}/*)
  set(data "")
  set(names "")
  set(entries "")
  set(number 0)
  foreach(file IN LISTS files)
    file(RELATIVE_PATH name ${folder} ${file})
    set(symbol ${function}${number})
    string(APPEND data "asm(\".section .rodata\\n.balign 16\\n.hidden ${symbol}\\n.global ${symbol}\\n${symbol}:\\n\"\n"
      "    \".incbin \\\"${file}\\\"\\n.hidden ${symbol}End\\n.global ${symbol}End\\n${symbol}End:\\n\"\n"
      "    \".byte 0\\n.text\\n\");\n")
    string(APPEND names "extern \"C\" const char ${symbol}[], ${symbol}End[];\n")
    string(APPEND entries "      entry(\"${name}\", ${symbol}, ${symbol}End),\n")
    math(EXPR number "${number} + 1")
  endforeach()
  set(generated ${CMAKE_CURRENT_BINARY_DIR}/${function}.cpp)
  # Written only where it differs.
  file(CONFIGURE OUTPUT ${generated} @ONLY CONTENT
"// Written by cmake/TenonEmbed.cmake.
#include \"studio_assets.h\"

#include <cstddef>

@data@@names@
namespace tenon::cli {
namespace {

[[maybe_unused]] StudioAsset entry(std::string_view path, const char* begin, const char* end) {
  return {path, {begin, static_cast<std::size_t>(end - begin)}};
}

}  // namespace

std::vector<StudioAsset> ${function}() {
  return {
@entries@  };
}

}  // namespace tenon::cli
")
  # Not with others in one unit, and again whenever one of the files is another.
  set_source_files_properties(${generated} PROPERTIES
    SKIP_UNITY_BUILD_INCLUSION ON OBJECT_DEPENDS "${files}")
  target_sources(${target} PRIVATE ${generated})
  target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR}/cli)
endfunction()
