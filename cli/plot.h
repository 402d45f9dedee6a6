// Curves in a frame with axes, as SVG: light or dark as the reader's system is, nothing from outside.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tenon::cli {

// Signed: logarithmic away from 0 in both directions, linear close to it.
enum class Scale { Linear, Log, Signed };

struct Curve {
  struct Point {
    double x = 0, y = 0;
    double low = 0, high = 0;  // of what the point stands for
  };
  std::string name;
  std::size_t colour = 0;
  std::vector<Point> points;
  bool brokenOff = false;  // ends in a cross: there is no more
  bool dashed = false;     // a reference
  bool dots = false;       // points that were measured one by one
};

struct Plot {
  std::string title;
  std::string xLabel, yLabel;  // with units
  Scale xScale = Scale::Linear, yScale = Scale::Linear;
  std::vector<Curve> curves;
  double width = 640, height = 330;  // [px]
  bool sameUnits = false;            // a circle is round
  // The frame reaches from one to the other, whatever the curves do.
  std::optional<std::pair<double, double>> ySpan;
};

// For a page that has plotStyle() in its head; and a file of its own.
[[nodiscard]] std::string svgOf(const Plot& plot);
[[nodiscard]] std::string standaloneSvgOf(const Plot& plot);
[[nodiscard]] std::string plotStyle();
[[nodiscard]] std::string colourClass(std::size_t colour);  // has --c, a curve's colour

[[nodiscard]] std::string escaped(const std::string& text);  // for HTML and SVG
// "1.2×10⁻¹³", "0.15": for people.
[[nodiscard]] std::string prettyNumber(double value, int digits = 3);

}  // namespace tenon::cli
