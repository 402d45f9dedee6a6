// From text to scene:
//
//   parseSyntax   text -> tree                                     syntax.cpp
//   checkWords    every keyword against the tables of schema.h     check.cpp
//   expand        parameters, repetitions, figures -> drafts       expand.cpp
//   finish        names, placements, constraints -> Scene          finish.cpp
#pragma once

#include <tenon/language.h>

#include <string>

namespace tenon::files {

[[nodiscard]] Result<Scene> elaborate(std::string text, const std::string& name,
                                      const ParseOptions& options);

}  // namespace tenon::files
