// What is known of a row whatever its numbers are: what Newton's matrix may leave out.
#pragma once

#include <cstdint>

namespace tenon {

enum RowShape : std::uint8_t {
  kRowTies = 1,        // its joint has slopes between its solids
  kRowTiesByTurn = 2,  // … but only by and on the turn of its first solid
  kRowTurns = 4,       // it pushes with torques alone
  kRowTiesTurns = 8,   // its joint has slopes, but only by and on turns
};

}  // namespace tenon
