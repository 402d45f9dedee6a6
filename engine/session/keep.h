// What was made of a scene beyond its text, written into the text.
#pragma once

#include <tenon/language.h>

#include "session/running.h"

namespace tenon {

// A scene without what a session holds by itself: pins, frozen and merged joints.
[[nodiscard]] Scene bareOf(const Scene& scene);
// What a text holds, as if it had been done by hand.
[[nodiscard]] Held heldBy(const Scene& scene, const Mechanism& bare);
// A text has changed: what it holds now and did not before is held, and the other way round.
void adopt(const Held& before, const Held& after, Held& held);

struct Kept {
  std::vector<Problem> problems;  // what cannot be written, as warnings
  bool moving = false;            // there are velocities, which a text does not keep
  bool changed = false;
  Held held;  // as it is when the text has it all
  // How many the text has now of what is held.
  std::size_t pins = 0, frozen = 0, merged = 0, limits = 0, forces = 0;
};
// Writes the pose (if it is not the one that the text begins in), pins, frozen and merged joints, limits, forces, gravity and
// damping into the text. `bare` is the mechanism of the scene without what is held, `own` its state.
[[nodiscard]] Kept keep(const Mechanism& bare, const State& own, const Running& running,
                        SceneDocument& text);

// Whether the text has all of it as it stands. Cheap: nothing is written.
[[nodiscard]] bool isKept(const Mechanism& bare, const State& own, const Running& running,
                          const SceneDocument& text);

}  // namespace tenon
