// What a session has done, as commands that end in the same bits when they are run again.
#pragma once

#include <tenon/commands.h>

#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace tenon {

inline constexpr int kMostSteps = 1'000'000;  // of one command

// A pull is a move, and a pose or some steps, sixty times a second: as objects of JSON 700 bytes of memory, as text 130.
// A trail has the same commands, to the bit, in about 25:
//
//   a byte: what it is (0 move, 1 pose, 2 step), and flags (4, 8)
//   move    4: has an orientation; 8: of another hand than the move before, whose number follows.
//           Of each of its 3 or 7 numbers half a byte says how many bytes it has, and then they come: the bits of the
//           number, as an integer, less the guess 2 a - b from the two before of this hand; 2 n or, if it is below
//           zero, -2 n - 1.
//   pose    4: as many iterations as the pose before, else their number follows
//   step    4: as long as the step before, else the 8 bytes of dt follow; then how many
//
// Whole numbers have seven bits a byte, the lowest first; 128 is added where more follow.
class Trail {
 public:
  void move(int hand, const std::vector<double>& numbers);  // target; target and orientation
  void pose(int iterations);
  void step(int count, double dt);
  [[nodiscard]] const std::string& bytes() const { return bytes_; }
  [[nodiscard]] std::string inBase64() const;

  // False: that is no trail.
  using Command = std::variant<commands::Move, commands::Pose, commands::Step>;
  [[nodiscard]] static bool read(std::string_view base64, std::vector<Command>& commands);

 private:
  struct Track {
    std::uint64_t last[7] = {}, before[7] = {};
    [[nodiscard]] std::uint64_t guess(int i) const { return 2 * last[i] - before[i]; }
    void take(int i, std::uint64_t bits) {
      before[i] = last[i];
      last[i] = bits;
    }
  };
  struct Memory {
    std::map<int, Track> tracks;  // by hand
    int hand = 0, iterations = -1;
    double dt = 0;  // [s]
  };
  class Reader;

  std::string bytes_;
  Memory memory_;
};

class Recording {
 public:
  // Commands as they were carried out: without the clock. The first forgets what was before.
  void begin(const nlohmann::json& command);
  void add(const nlohmann::json& command);
  void replaceLast(const nlohmann::json& command);  // instead of the last one that was added so
  void add(const commands::Move& command);
  void add(const commands::Pose& command);
  void add(const commands::Step& command);
  void endSteps() { stepsEnd_ = true; }  // with those that are added next
  [[nodiscard]] nlohmann::json commands() const;
  [[nodiscard]] std::size_t bytes() const { return lines_.capacity() + trail_.bytes().capacity(); }

 private:
  void closeSteps();
  void closeTrail();

  struct Steps {
    int count;
    double dt;  // [s]
  };
  std::string lines_;     // a command each,
  std::size_t last_ = 0;  // where the last begins,
  bool stepsEnd_ = false;
  Trail trail_;                 // then these,
  std::optional<Steps> steps_;  // and then so many steps
};

}  // namespace tenon
