#include "plot.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <string_view>

#include "report.h"

namespace tenon::cli {
namespace {

constexpr double kLeft = 64, kTop = 52, kBottom = 40;  // [px] around the frame
constexpr double kLabelGap = 14;                       // [px] from name to name
constexpr double kDecadesOfRunaways = 3;  // that what blows up may take from the others
constexpr double kFinest = 1e-9;          // of the largest value, where Signed becomes linear

struct Colour {
  const char *light, *dark;
};
constexpr std::array kColours{Colour{"#2563eb", "#6ea8fe"}, Colour{"#d9480f", "#ff922b"},
                              Colour{"#0c8b51", "#4ade80"}, Colour{"#c2255c", "#f783ac"},
                              Colour{"#7048e8", "#b197fc"}, Colour{"#0b8494", "#3bc9db"},
                              Colour{"#a17300", "#ffd43b"}, Colour{"#495057", "#ced4da"},
                              Colour{"#862e9c", "#da77f2"}, Colour{"#5c940d", "#a9e34b"}};

std::string px(double value) {
  char buffer[32];
  std::snprintf(buffer, sizeof buffer, "%.1f", value);
  std::string text = buffer;
  if (text.size() > 2 && text.compare(text.size() - 2, 2, ".0") == 0) text.resize(text.size() - 2);
  return text == "-0" ? "0" : text;
}

std::string superscript(int value) {
  static constexpr std::array<const char*, 10> digits{"⁰", "¹", "²", "³", "⁴",
                                                      "⁵", "⁶", "⁷", "⁸", "⁹"};
  std::string text = value < 0 ? "⁻" : "";
  for (const char c : std::to_string(std::abs(value)))
    text += digits[static_cast<std::size_t>(c - '0')];
  return text;
}

std::string powerOfTen(int exponent) {
  static constexpr std::array<const char*, 6> plain{"0.01", "0.1", "1", "10", "100", "1000"};
  if (exponent >= -2 && exponent <= 3) return plain.at(static_cast<unsigned>(exponent + 2));
  return "10" + superscript(exponent);
}

int decadeBelow(double value) { return static_cast<int>(std::floor(std::log10(value) + 1e-9)); }
int decadeAbove(double value) { return static_cast<int>(std::ceil(std::log10(value) - 1e-9)); }

// ------------------------------------------------------------------------------------------ axes

struct Tick {
  double value = 0;
  std::string label;
};

struct Axis {
  Scale scale = Scale::Linear;
  double lo = 0, hi = 1;
  double threshold = 1;  // of Signed: where it becomes linear

  [[nodiscard]] double bent(double v) const {
    switch (scale) {
      case Scale::Linear:
        return v;
      case Scale::Log:
        return std::log10(std::max(v, lo));
      case Scale::Signed:
        return std::copysign(std::log10(1 + std::abs(v) / threshold), v);
    }
    return v;
  }
  // 0 at the lower end, 1 at the upper one.
  [[nodiscard]] double at(double v) const { return (bent(v) - bent(lo)) / (bent(hi) - bent(lo)); }
  [[nodiscard]] std::vector<Tick> ticks(int most) const;
};

// 1, 2 or 5 times a power of ten, so that about `most` fit into `length`.
double niceStep(double length, int most) {
  const double raw = length / std::max(most, 1);
  const double power = std::pow(10, std::floor(std::log10(raw)));
  for (const double factor : {1.0, 2.0, 5.0})
    if (factor * power >= raw * (1 - 1e-9)) return factor * power;
  return 10 * power;
}

std::vector<Tick> evenTicks(double lo, double hi, int most) {
  std::vector<Tick> ticks;
  const double step = niceStep(hi - lo, most);
  for (double i = std::ceil(lo / step - 1e-9); i * step <= hi + 1e-9 * step; ++i) {
    const double value = i == 0 ? 0 : i * step;
    const bool plain = std::abs(value) < 1e4 && (value == 0 || step > 1e-4);
    ticks.push_back({value, plain ? shortNumber(value, 5) : prettyNumber(value)});
  }
  return ticks;
}

std::vector<Tick> Axis::ticks(int most) const {
  if (scale == Scale::Linear) return evenTicks(lo, hi, most);
  std::vector<Tick> ticks;
  if (scale == Scale::Log) {
    const int first = decadeAbove(lo), last = decadeBelow(hi);
    if (last - first < 2) {  // hardly a decade: 1, 2, 5
      for (int e = first - 1; e <= last; ++e)
        for (const double factor : {1.0, 2.0, 5.0}) {
          const double value = factor * std::pow(10, e);
          if (value > lo * (1 - 1e-9) && value < hi * (1 + 1e-9))
            ticks.push_back({value, prettyNumber(value)});
        }
      return ticks;
    }
    const int step = std::max(1, (last - first + most - 1) / most);
    for (int e = last - (last - first) / step * step; e <= last; e += step)
      ticks.push_back({std::pow(10, e), powerOfTen(e)});
    return ticks;
  }
  const int top = decadeBelow(std::max(std::abs(lo), hi) * (1 + 1e-9));
  const int bottom = decadeBelow(threshold);
  const int sides = (lo < 0 ? 1 : 0) + (hi > 0 ? 1 : 0);
  const int step = std::max(1, (sides * (top - bottom) + most - 1) / most);
  ticks.push_back({0, "0"});
  for (int e = top; e > bottom; e -= step) {
    const double value = std::pow(10, e);
    if (value <= hi * (1 + 1e-9)) ticks.push_back({value, powerOfTen(e)});
    if (-value >= lo * (1 + 1e-9)) ticks.push_back({-value, "−" + powerOfTen(e)});
  }
  return ticks;
}

// The extent of what is to be seen: of curves that end where they should, and a little of the others.
struct Extent {
  double lo = std::numeric_limits<double>::infinity();
  double hi = -std::numeric_limits<double>::infinity();
  double leastPositive = std::numeric_limits<double>::infinity();
  double finest = std::numeric_limits<double>::infinity();  // of the curves' largest |values|

  void add(double v) {
    if (!std::isfinite(v)) return;
    lo = std::min(lo, v);
    hi = std::max(hi, v);
    if (v > 0) leastPositive = std::min(leastPositive, v);
  }
  [[nodiscard]] bool any() const { return lo <= hi; }
  [[nodiscard]] double largest() const { return std::max(std::abs(lo), std::abs(hi)); }
};

Extent extentOf(const std::vector<Curve>& curves, bool ofX, bool brokenOff) {
  Extent all;
  for (const Curve& curve : curves) {
    if (curve.brokenOff != brokenOff) continue;
    Extent one;
    for (const Curve::Point& point : curve.points) {
      one.add(ofX ? point.x : point.y);
      if (!ofX) one.add(point.low), one.add(point.high);
    }
    if (!one.any()) continue;
    all.add(one.lo), all.add(one.hi);
    all.leastPositive = std::min(all.leastPositive, one.leastPositive);
    if (one.largest() > 0) all.finest = std::min(all.finest, one.largest());
  }
  return all;
}

Extent extentOf(const Plot& plot, bool ofX) {
  Extent good = extentOf(plot.curves, ofX, false);
  const Extent runaways = extentOf(plot.curves, ofX, true);
  if (!runaways.any()) return good;
  const double room = std::pow(10, kDecadesOfRunaways);
  const bool bounded = !ofX && good.any() && good.largest() > 0;
  const double most = bounded ? room * good.largest() : std::numeric_limits<double>::infinity();
  good.add(std::clamp(runaways.lo, -most, most));
  good.add(std::clamp(runaways.hi, -most, most));
  good.leastPositive = std::min(good.leastPositive, runaways.leastPositive);
  return good;
}

Axis axisOf(Scale scale, const Extent& extent, bool exactly) {
  Axis axis;
  axis.scale = scale;
  if (!extent.any()) return axis;
  if (scale == Scale::Log) {
    if (!(extent.hi > 0)) return {Scale::Linear, 0, 1, 1};
    axis.lo = std::max(extent.leastPositive, 1e-24 * extent.hi);
    axis.hi = extent.hi;
    if (exactly && axis.hi > axis.lo) return axis;
    const bool wide = axis.hi / axis.lo > 20;
    axis.lo = wide ? std::pow(10, decadeBelow(axis.lo)) : axis.lo / 1.3;
    axis.hi = wide ? std::pow(10, decadeAbove(axis.hi)) : axis.hi * 1.3;
    return axis;
  }
  if (scale == Scale::Signed && extent.largest() > 30 * extent.finest) {
    axis.threshold = std::pow(10, decadeBelow(std::max(extent.finest, kFinest * extent.largest())));
    axis.lo = extent.lo < 0 ? std::min(1.6 * extent.lo, -axis.threshold) : 0;
    axis.hi = extent.hi > 0 ? std::max(1.6 * extent.hi, axis.threshold) : 0;
    return axis;
  }
  axis.scale = Scale::Linear;
  axis.lo = extent.lo, axis.hi = extent.hi;
  if (exactly && axis.hi > axis.lo) return axis;
  const double margin =
      axis.hi > axis.lo ? 0.06 * (axis.hi - axis.lo) : std::max(0.5 * std::abs(axis.hi), 1e-12);
  if (axis.lo != 0) axis.lo -= margin;
  axis.hi += margin;
  return axis;
}

// ------------------------------------------------------------------------------------- the picture

// [px] at the right of the frame, by the longest name.
double roomForNames(const Plot& plot) {
  constexpr double kLetter = 6.4, kBefore = 34;
  std::size_t longest = 0;
  for (const Curve& curve : plot.curves)
    longest = std::max(longest, static_cast<std::size_t>(
                                    std::count_if(curve.name.begin(), curve.name.end(),
                                                  [](char c) { return (c & 0xC0) != 0x80; })));
  return kBefore + kLetter * static_cast<double>(longest);
}

class Drawing {
 public:
  explicit Drawing(const Plot& plot)
      : plot_(plot), w_(plot.width - kLeft - roomForNames(plot)), h_(plot.height - kTop - kBottom) {
    Extent y = extentOf(plot, false);
    if (plot.ySpan) y.lo = plot.ySpan->first, y.hi = plot.ySpan->second;
    x_ = axisOf(plot.xScale, extentOf(plot, true), !plot.sameUnits);
    y_ = axisOf(plot.yScale, y, false);
    if (plot.sameUnits) makeRound();
  }

  std::string svg(const std::string& style) {
    out_ = "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"plot\" viewBox=\"0 0 " +
           px(plot_.width) + " " + px(plot_.height) + "\" role=\"img\" aria-label=\"" +
           escaped(plot_.title) + "\" data-axes=\"" + escaped(axes()) + "\">\n";
    if (!style.empty())
      out_ +=
          "<style>" + style + "</style>\n<rect class=\"paper\" width=\"100%\" height=\"100%\"/>\n";
    text(kLeft - 52, 20, "title", "start", plot_.title);
    text(kLeft - 52, 38, "unit", "start", plot_.yLabel);
    text(kLeft + w_, plot_.height - 6, "unit", "end", plot_.xLabel);
    grid();
    out_ += "<svg class=\"inside\" x=\"" + px(kLeft) + "\" y=\"" + px(kTop) + "\" width=\"" +
            px(w_) + "\" height=\"" + px(h_) + "\" overflow=\"hidden\">\n";
    for (const Curve& curve : plot_.curves) band(curve);
    for (const Curve& curve : plot_.curves) line(curve);
    out_ += "</svg>\n";
    names();
    return out_ + "</svg>\n";
  }

 private:
  void makeRound() {
    const double perPixel = std::max((x_.hi - x_.lo) / w_, (y_.hi - y_.lo) / h_);
    const auto widen = [perPixel](Axis& axis, double length) {
      const double middle = (axis.lo + axis.hi) / 2, half = perPixel * length / 2;
      axis.lo = middle - half, axis.hi = middle + half;
    };
    widen(x_, w_), widen(y_, h_);
  }

  [[nodiscard]] double left(double x) const { return w_ * x_.at(x); }
  // Far outside is outside enough: browsers dislike large coordinates.
  [[nodiscard]] double down(double y) const {
    return std::clamp(h_ * (1 - y_.at(y)), -2 * h_, 3 * h_);
  }
  [[nodiscard]] static bool finite(const Curve::Point& point) {
    return std::isfinite(point.x) && std::isfinite(point.y);
  }

  // For the reader's pointer: how to get from pixels back to values.
  [[nodiscard]] std::string axes() const {
    const auto one = [](const Axis& axis) {
      return Json{{"scale", static_cast<int>(axis.scale)},
                  {"lo", axis.bent(axis.lo)},
                  {"hi", axis.bent(axis.hi)},
                  {"threshold", axis.threshold}};
    };
    return Json{{"x", one(x_)},
                {"y", one(y_)},
                {"frame", {kLeft, kTop, w_, h_}},
                {"label", plot_.xLabel},
                {"path", plot_.sameUnits}}
        .dump(-1, ' ', true);
  }

  void text(double x, double y, const char* kind, const char* anchor, const std::string& what) {
    out_ += "<text class=\"" + std::string(kind) + "\" x=\"" + px(x) + "\" y=\"" + px(y) +
            "\" text-anchor=\"" + anchor + "\">" + escaped(what) + "</text>\n";
  }

  void grid() {
    std::string lines;
    for (const Tick& tick : y_.ticks(6)) {
      const double y = kTop + down(tick.value);
      lines += "M" + px(kLeft) + " " + px(y) + "h" + px(w_);
      text(kLeft - 7, y + 4, "tick", "end", tick.label);
    }
    for (const Tick& tick : x_.ticks(7)) {
      const double x = kLeft + left(tick.value);
      lines += "M" + px(x) + " " + px(kTop) + "v" + px(h_);
      text(x, kTop + h_ + 16, "tick", "middle", tick.label);
    }
    out_ += "<path class=\"grid\" d=\"" + lines + "\"/>\n";
    if (y_.lo < 0 && y_.hi > 0)
      out_ += "<path class=\"zero\" d=\"M" + px(kLeft) + " " + px(kTop + down(0)) + "h" + px(w_) +
              "\"/>\n";
  }

  [[nodiscard]] static std::string kind(const Curve& curve, const char* what) {
    return "class=\"" + std::string(what) + " " + colourClass(curve.colour) + "\" data-name=\"" +
           escaped(curve.name) + "\"";
  }

  // What points stand for, where that can be seen.
  void band(const Curve& curve) {
    bool seen = false;
    std::string above, below;
    for (const Curve::Point& point : curve.points) {
      if (!finite(point)) continue;
      const double top = down(point.high), bottom = down(point.low);
      seen = seen || bottom - top > 1;
      const std::string x = px(left(point.x)) + " ";
      above += x + px(top) + " ";
      below.insert(0, x + px(bottom) + " ");
    }
    if (seen) out_ += "<polygon " + kind(curve, "band") + " points=\"" + above + below + "\"/>\n";
  }

  void line(const Curve& curve) {
    std::string points;
    double x = 0, y = 0;
    for (const Curve::Point& point : curve.points) {
      if (!finite(point)) continue;
      x = left(point.x), y = down(point.y);
      points += px(x) + " " + px(y) + " ";
      if (curve.dots)
        out_ += "<circle " + kind(curve, "dot") + " cx=\"" + px(x) + "\" cy=\"" + px(y) +
                "\" r=\"3\"/>\n";
    }
    if (points.empty()) return;
    out_ += "<polyline " + kind(curve, curve.dashed ? "line dashed" : "line") + " points=\"" +
            points + "\"/>\n";
    if (!curve.brokenOff) return;
    const double cx = std::clamp(x, 6.0, w_ - 6), cy = std::clamp(y, 6.0, h_ - 6);
    out_ += "<path " + kind(curve, "cross") + " d=\"M" + px(cx - 5) + " " + px(cy - 5) +
            "l10 10m0-10l-10 10\"/>\n";
  }

  // Names stand at the right, where the curves end, moved apart where they would meet.
  void names() {
    struct Name {
      const Curve* curve;
      double end, at;  // [px] from the top of the frame
    };
    std::vector<Name> names;
    for (const Curve& curve : plot_.curves) {
      const auto last = std::find_if(curve.points.rbegin(), curve.points.rend(), finite);
      if (last == curve.points.rend()) continue;
      const double end = std::clamp(down(last->y), 0.0, h_);
      names.push_back({&curve, end, end});
    }
    std::stable_sort(names.begin(), names.end(),
                     [](const Name& a, const Name& b) { return a.end < b.end; });
    double free = -4;
    for (Name& name : names) {
      name.at = std::max(name.at, free);
      free = name.at + kLabelGap;
    }
    double room = h_ + 6;
    for (auto name = names.rbegin(); name != names.rend(); ++name) {
      name->at = std::min(name->at, room);
      room = name->at - kLabelGap;
    }
    for (const Name& name : names) {
      const double x = kLeft + w_;
      if (!name.curve->brokenOff)
        out_ += "<path " + kind(*name.curve, "leader") + " d=\"M" + px(x) + " " +
                px(kTop + name.end) + "L" + px(x + 12) + " " + px(kTop + name.at) + "\"/>\n";
      out_ += "<text " + kind(*name.curve, "name") + " x=\"" + px(x + 15) + "\" y=\"" +
              px(kTop + name.at + 4) + "\">" + (name.curve->brokenOff ? "✕ " : "") +
              escaped(name.curve->name) + "</text>\n";
    }
  }

  const Plot& plot_;
  double w_, h_;  // [px] of the frame
  Axis x_, y_;
  std::string out_;
};

}  // namespace

std::string svgOf(const Plot& plot) { return Drawing(plot).svg(""); }
std::string standaloneSvgOf(const Plot& plot) { return Drawing(plot).svg(plotStyle()); }

std::string plotStyle() {
  std::string light, dark, colours;
  for (std::size_t i = 0; i < kColours.size(); ++i) {
    const std::string n = std::to_string(i);
    light += "--c" + n + ":" + kColours[i].light + ";";
    dark += "--c" + n + ":" + kColours[i].dark + ";";
    colours += ".c" + n + "{--c:var(--c" + n + ")}";
  }
  return ":root{color-scheme:light dark;--paper:#fff;--ink:#1c2430;--quiet:#5b6675;--rule:#e3e7ec;"
         "--zero:#aab3bf;" +
         light + "}@media(prefers-color-scheme:dark){:root{--paper:#171b21;--ink:#e8ecf1;" +
         "--quiet:#9aa6b4;--rule:#2b323b;--zero:#5b6675;" + dark + "}}" + colours +
         ".plot{font:11px system-ui,-apple-system,'Segoe UI',Roboto,'DejaVu Sans',sans-serif}"
         ".plot .paper{fill:var(--paper)}"
         ".plot text{fill:var(--quiet)}.plot .title{font-size:14px;font-weight:600;fill:var(--ink)}"
         ".plot .grid{stroke:var(--rule);fill:none}.plot .zero{stroke:var(--zero);fill:none}"
         ".plot .line{fill:none;stroke:var(--c);stroke-width:1.7;stroke-linejoin:round}"
         ".plot .dashed{stroke-dasharray:5 4}"
         ".plot .band{fill:var(--c);fill-opacity:.16;stroke:var(--c);stroke-opacity:.3;"
         "stroke-width:.5}"
         ".plot .dot{fill:var(--c)}.plot .cross{stroke:var(--c);stroke-width:2.4;fill:none}"
         ".plot .leader{stroke:var(--c);fill:none;stroke-opacity:.6}"
         ".plot text.name{fill:var(--c);font-weight:500}";
}

std::string colourClass(std::size_t colour) {
  return "c" + std::to_string(colour % kColours.size());
}

std::string escaped(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '&')
      out += "&amp;";
    else if (c == '<')
      out += "&lt;";
    else if (c == '>')
      out += "&gt;";
    else if (c == '"')
      out += "&quot;";
    else if (c == '\'')
      out += "&#39;";
    else
      out += c;
  }
  return out;
}

std::string prettyNumber(double value, int digits) {
  std::string text = tableNumber(value, digits);
  const std::size_t e = text.find('e');
  if (e != std::string::npos) {
    const std::string mantissa = text.substr(0, e);
    const std::string power = "10" + superscript(std::stoi(text.substr(e + 1)));
    text = mantissa == "1" ? power : mantissa == "-1" ? "-" + power : mantissa + "×" + power;
  }
  return text[0] == '-' ? "−" + text.substr(1) : text;
}

}  // namespace tenon::cli
