// The named things that a scene is made of. Whoever goes over all of them goes over this list.
#pragma once

#include <tenon/scene.h>

namespace tenon {

// Calls f(list) for each list of things: members of Scene, in the order of a printed text.
template <class F>
void forEachList(F f) {
  f(&Scene::materials);
  f(&Scene::solids);
  f(&Scene::joints);
  f(&Scene::forces);
  f(&Scene::torques);
  f(&Scene::muscles);
  f(&Scene::springs);
  f(&Scene::drags);
  f(&Scene::pins);
  f(&Scene::goals);
  f(&Scene::floors);
  f(&Scene::keyPoses);
}

// Calls f(thing) for everything that has a name.
template <class F>
void forEachThing(const Scene& scene, F f) {
  forEachList([&](auto list) {
    for (const auto& thing : scene.*list) f(thing);
  });
}

}  // namespace tenon
