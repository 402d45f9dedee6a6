// A step that is too much for the kernels is split: into so many equal pieces that no solid turns too far in one,
// else in halves.
#pragma once

#include <cmath>

namespace tenon::packed {

class Pieces {
 public:
  explicit Pieces(double dt = 0) : piece_(dt), shortest_(dt / 256) {}

  [[nodiscard]] double next() const { return piece_; }
  [[nodiscard]] bool done() const { return left_ == 0; }
  [[nodiscard]] double left() const { return left_ * piece_; }  // [s]
  void finishNext() { --left_; }
  // `tooFar`: what solids would turn by in the next piece, over what they may, squared. Returns how many more
  // pieces that makes; 0: they would be too short.
  int split(double tooFar) {
    constexpr double kMargin = 1.05;  // it may turn faster in a later piece
    const double by = tooFar > 1 ? std::ceil(kMargin * std::sqrt(tooFar)) : 2;
    if (!(piece_ >= by * shortest_)) return 0;
    const int before = left_;
    piece_ /= by;
    left_ *= static_cast<int>(by);
    return left_ - before;
  }

 private:
  double piece_, shortest_;  // [s]
  int left_ = 1;             // pieces, equal ones
};

}  // namespace tenon::packed
