// Scenes from text or file, compiled, for tests of posing.
#pragma once

#include <gtest/gtest.h>
#include <tenon/compile.h>
#include <tenon/joint.h>
#include <tenon/language.h>
#include <tenon/measure.h>
#include <tenon/posing.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

namespace tenon::test {

struct Posed {
  Mechanism m;
  Control control;
  State state;
  PoseScratch scratch;

  explicit Posed(Mechanism mechanism)
      : m(std::move(mechanism)), control(initialControl(m)), state(initialState(m)) {}

  PoseReport assemble(const PoseSettings& settings = {}, const std::vector<Want>& wants = {}) {
    return tenon::assemble(m, control, wants, settings, state, scratch);
  }
  [[nodiscard]] double error() const { return jointError(m, control, state).max; }
  [[nodiscard]] Index solid(const std::string& name) const {
    for (Index i = 0; i < m.solidNames.size(); ++i)
      if (m.solidNames[i] == name) return i;
    ADD_FAILURE() << "no solid " << name;
    return 0;
  }
  [[nodiscard]] std::vector<std::string> names(const std::vector<Index>& joints) const {
    std::vector<std::string> list;
    for (const Index j : joints) list.push_back(m.jointNames[j]);
    return list;
  }
};

inline Posed fromText(const std::string& text) {
  const auto scene = parseScene(text, "test");
  if (!scene.ok()) {
    ADD_FAILURE() << describe(scene.problems().front());
    return Posed(Mechanism{});
  }
  auto mechanism = compile(*scene);
  if (!mechanism.ok()) {
    ADD_FAILURE() << describe(mechanism.problems().front());
    return Posed(Mechanism{});
  }
  return Posed(std::move(*mechanism));
}

inline Posed fromFile(const std::string& name,
                      const std::vector<std::pair<std::string, std::string>>& set = {}) {
  ParseOptions options;
  options.set = set;
  const auto scene =
      loadScene(std::string(TENON_SOURCE_DIR) + "/scenes/" + name + ".tenon", options);
  if (!scene.ok()) {
    ADD_FAILURE() << describe(scene.problems().front());
    return Posed(Mechanism{});
  }
  auto mechanism = compile(*scene);
  EXPECT_TRUE(mechanism.ok()) << name;
  return Posed(std::move(*mechanism));
}

// ½ Σ w Φ² over what yields, from the rows; `weights` by joint, 0: none was named.
inline double storedIn(const Posed& p, const State& state,
                       const std::vector<double>& weights = {}) {
  Rows rows;
  emitRows(p.m, p.control, state, rows);
  double sum = 0;
  for (const Row& row : rows.rows) {
    if (row.velocity || !(row.equality || row.lower == 0)) continue;
    double w = row.stiffness;
    if (std::isinf(w)) w = weights.empty() ? 0 : weights[row.asker.number];
    const double off = row.equality ? row.error : std::min(row.error, 0.0);
    sum += 0.5 * w * off * off;
  }
  return sum;
}

}  // namespace tenon::test
