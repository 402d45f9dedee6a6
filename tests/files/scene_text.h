// Shared by the tests of the language: a text read, or the reasons why not.
#pragma once

#include <tenon/language.h>

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

namespace tenon::test {

inline std::string all(const std::vector<Problem>& problems) {
  std::string text;
  for (const Problem& p : problems) text += describe(p);
  return text;
}

// The scene of a text that must be right; warnings only where asked for.
inline Scene read(const std::string& text, const ParseOptions& options = {},
                  std::vector<Problem>* warnings = nullptr) {
  Result<Scene> r = parseScene(text, "test.tenon", options);
  if (!r) {
    ADD_FAILURE() << all(r.problems()) << text;
    return {};
  }
  if (warnings != nullptr)
    *warnings = r.problems();
  else
    EXPECT_TRUE(r.problems().empty()) << all(r.problems());
  return std::move(*r);
}

// The problems of a text that must be wrong.
inline std::vector<Problem> problemsOf(const std::string& text, const ParseOptions& options = {}) {
  Result<Scene> r = parseScene(text, "test.tenon", options);
  EXPECT_FALSE(r) << "read, but should not have been:\n" << text;
  EXPECT_TRUE(r || hasErrors(r.problems()));
  return r.problems();
}

// `line:column: what; remedy` of the only error.
inline std::string problemOf(const std::string& text, const ParseOptions& options = {}) {
  std::vector<Problem> problems = problemsOf(text, options);
  std::erase_if(problems, [](const Problem& p) { return p.severity == Severity::Warning; });
  EXPECT_EQ(problems.size(), 1u) << all(problems);
  if (problems.empty()) return {};
  const Problem& p = problems[0];
  std::string out;
  if (p.line > 0) out = std::to_string(p.line) + ":" + std::to_string(p.column) + ": ";
  out += p.what;
  if (!p.remedy.empty()) out += "; " + p.remedy;
  return out;
}

template <class T>
const T& named(const std::vector<T>& things, const std::string& name) {
  for (const T& t : things)
    if (t.name == name) return t;
  ADD_FAILURE() << "no thing of the name " << name;
  static const T none{};
  return none;
}

inline void expectNear(const Vec3& a, const Vec3& b, double tolerance = 1e-12) {
  EXPECT_NEAR(a.x, b.x, tolerance);
  EXPECT_NEAR(a.y, b.y, tolerance);
  EXPECT_NEAR(a.z, b.z, tolerance);
}

// As rotations: q and -q are the same.
inline void expectNear(const Quat& a, const Quat& b, double tolerance = 1e-12) {
  EXPECT_NEAR(std::abs(a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w), 1, tolerance)
      << a.x << " " << a.y << " " << a.z << " " << a.w << " against " << b.x << " " << b.y << " "
      << b.z << " " << b.w;
}

inline void expectNear(const Pose& a, const Pose& b, double tolerance = 1e-12) {
  expectNear(a.p, b.p, tolerance);
  expectNear(a.q, b.q, tolerance);
}

}  // namespace tenon::test
