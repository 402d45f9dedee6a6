// What real scenes have, put into the scenes of the benchmarks: "s5+damper" is S5 with a damper on every coordinate of
// every joint. The numbers suit the figures: each is a multiple of the inertia that a joint carries.
#pragma once

#include <string>
#include <string_view>

namespace tenon::bench {

struct Variation;
[[nodiscard]] const Variation* findVariation(std::string_view name);  // nullptr: there is none
// Nothing of the scene is left in it.
[[nodiscard]] bool isAlone(const Variation& variation);
// The scene's text with what the variation changes and adds.
[[nodiscard]] std::string varied(const Variation& variation, std::string text);

}  // namespace tenon::bench
