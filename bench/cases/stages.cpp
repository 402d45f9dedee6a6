// What a step is made of, one by one, on a scene that has moved a little: rows, loads, measures.
#include <tenon/joint.h>
#include <tenon/loads.h>
#include <tenon/measure.h>

#include <memory>

#include "cases/cases.h"
#include "cases/scenes.h"

namespace tenon::bench {
namespace {

struct Scratchpad {
  Moving scene;
  Rows rows;
  std::vector<Wrench> wrenches;
};
using Doing = void (*)(Scratchpad&);

// Buffers are kept: after the first time nothing is allocated.
void emitAll(Scratchpad& pad) {
  pad.rows.clear();
  emitRows(pad.scene.mechanism, pad.scene.control, pad.scene.start, pad.rows);
  use(pad.rows);
}
void gatherAll(Scratchpad& pad) {
  gatherLoads(pad.scene.mechanism, pad.scene.control, pad.scene.start, pad.wrenches);
  use(pad.wrenches);
}
void measureErrors(Scratchpad& pad) {
  use(jointError(pad.scene.mechanism, pad.scene.control, pad.scene.start));
}
void measureEnergies(Scratchpad& pad) {
  use(kineticEnergy(pad.scene.mechanism, pad.scene.start));
  use(potentialEnergy(pad.scene.mechanism, pad.scene.control, pad.scene.start));
}
void measureMomenta(Scratchpad& pad) { use(momentum(pad.scene.mechanism, pad.scene.start)); }
void measureHash(Scratchpad& pad) { use(stateHash(pad.scene.start)); }

Prepared prepare(const std::string& scene, Doing doing) {
  const auto pad = std::make_shared<Scratchpad>();
  pad->scene = movingScene(scene);
  StepScratch scratch;
  StepSettings settings;
  settings.method = Method::Interactive;
  for (int i = 0; i < 10; ++i)
    static_cast<void>(step(pad->scene.mechanism, pad->scene.control, settings, 1.0 / 60,
                           pad->scene.start, scratch));
  Prepared prepared;
  prepared.solids = pad->scene.solids;
  prepared.once = [pad, doing] { doing(*pad); };
  return prepared;
}

}  // namespace

void addStageCases(Cases& cases) {
  constexpr std::pair<const char*, Doing> kStages[] = {{"rows", &emitAll},
                                                       {"loads", &gatherAll},
                                                       {"measure-error", &measureErrors},
                                                       {"measure-energy", &measureEnergies},
                                                       {"measure-momentum", &measureMomenta},
                                                       {"measure-hash", &measureHash}};
  for (const auto& [name, doing] : kStages)
    for (const char* scene : {"s1-100", "s1-10000", "s2-100", "s3", "s5", "link-grid-10", "crowd",
                              "marionette", "strandbeest"})
      cases.push_back({std::string(name) + "/" + scene,
                       [scene, doing = doing] { return prepare(scene, doing); },
                       std::string_view(scene) == "s1-100"});
}

}  // namespace tenon::bench
