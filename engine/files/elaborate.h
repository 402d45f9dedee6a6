// From text to scene:
//
//   parseSyntax   text -> tree                                     syntax.cpp
//   checkWords    every keyword against the tables of schema.h     check.cpp
//   expand        parameters, repetitions, figures -> drafts       expand.cpp
//   finish        names, placements, constraints -> Scene          finish.cpp
#pragma once

#include <tenon/language.h>

#include <string>
#include <vector>

namespace tenon::files {

[[nodiscard]] Result<Scene> elaborate(std::string text, const std::string& name,
                                      const ParseOptions& options);
// The problem of a scene that ran out of memory.
[[nodiscard]] std::vector<Problem> outOfMemory(const std::string& name);

}  // namespace tenon::files
