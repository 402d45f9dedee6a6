// From where the turns of a joint are counted.
#pragma once

#include <tenon/mechanism.h>

namespace tenon {

// Turns are counted from the value nearest to what the author has in mind, so that a hinge allowed 170° to 190° (or driven to
// 185°) and standing at 185° is not read as standing at -175°: the middle of its limits or of its preferred range, else where
// it is prescribed, else driven, else pulled to at the state's time. Puts that into the state's memory; rememberTurns makes
// turns of it. Kinds that read their turns off the pose know better, and are left alone.
void expectTurns(const Mechanism& mechanism, Index joint, State& state);

}  // namespace tenon
