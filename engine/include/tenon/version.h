// The version of Tenon. CMake reads these three numbers; they are written nowhere else.
#pragma once

#define TENON_VERSION_MAJOR 0
#define TENON_VERSION_MINOR 1
#define TENON_VERSION_PATCH 0

#define TENON_VERSION_QUOTE_(x) #x
#define TENON_VERSION_TEXT_(a, b, c) \
  TENON_VERSION_QUOTE_(a) "." TENON_VERSION_QUOTE_(b) "." TENON_VERSION_QUOTE_(c)

namespace tenon {

// "major.minor.patch"
inline constexpr const char* kVersion =
    TENON_VERSION_TEXT_(TENON_VERSION_MAJOR, TENON_VERSION_MINOR, TENON_VERSION_PATCH);

}  // namespace tenon
