// The scenes of the benchmarks, by short names: s1-20, s3, link-grid-10, …
#pragma once

#include <tenon/tenon.h>

#include <string>

namespace tenon::bench {

// A scene about to move: joints closed, velocities allowed.
struct Moving {
  Mechanism mechanism;
  Control control;
  State start;
  double solids = 0;  // dynamic ones
  double dt = 0;      // [s] as the scene asks for; 0: it does not, or is measured at a frame's
};

// A name and, after its last dash, a size: "s1-100", "link-grid-30"; without one as it is written. A net
// of links, which would hang still, flutters. "s5+damper-8" has more in it than s5 (cases/variations.h), and
// "own:chair" steps as long as the scene asks for. Ends the program if there is no such scene.
[[nodiscard]] Moving movingScene(const std::string& name);
[[nodiscard]] std::string pathOf(const std::string& name);

// Chains of boxes as texts: every solid and joint written out; by repetition.
[[nodiscard]] std::string writtenChain(int links);
[[nodiscard]] std::string repeatedChain(int links);
// Boxes in a row, or all of them on the world.
[[nodiscard]] std::string writtenFigure(int links, bool bushy);

// From a text; ends the program if there is something wrong with it.
[[nodiscard]] Mechanism mechanismOf(const std::string& text);

}  // namespace tenon::bench
