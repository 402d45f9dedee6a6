// The page of `tenon compare`: a summary, curves, pictures.
#include <tenon/draw.h>

#include <algorithm>

#include "comparison.h"
#include "page.h"
#include "report.h"

namespace tenon::cli {
namespace {

std::string pictureOf(const Scene& scene, const Mechanism& mechanism, const State& state,
                      const std::string& what) {
  DrawSettings settings;
  settings.width = 480;
  settings.height = 360;
  return imageOf(drawScene(scene, mechanism, state, settings).svg, what);
}

std::string keyOf(std::size_t colour) {
  return "<span class=\"key " + colourClass(colour) + "\"></span>";
}

std::string summaryOf(const Comparison& comparison) {
  const std::vector<Column> columns = columnsOf(comparison);
  std::string out =
      "<div class=\"card scroll\"><table><thead><tr><th class=\"text\"></th><th></th>";
  for (std::size_t c = 0; c < columns.size();) {
    std::size_t end = c + 1;
    while (end < columns.size() && columns[end].group == columns[c].group) ++end;
    out += "<th colspan=\"" + std::to_string(end - c) + "\">" + escaped(columns[c].group) + "</th>";
    c = end;
  }
  out += "</tr><tr><th class=\"text\">method</th><th class=\"text\">status</th>";
  for (const Column& column : columns) out += "<th>" + escaped(column.name) + "</th>";
  out += "</tr></thead><tbody>\n";
  for (std::size_t i = 0; i < comparison.runs.size(); ++i) {
    const MethodRun& run = comparison.runs[i];
    out += "<tr data-name=\"" + escaped(run.method) + "\"><td class=\"text\">" + keyOf(i) +
           escaped(run.method) + "</td><td class=\"text" + (run.done() ? "" : " bad") + "\">" +
           escaped(run.status()) + "</td>";
    for (const Column& column : columns)
      out += std::string(bestOf(comparison, column) == i ? "<td class=\"best\">" : "<td>") +
             (run.refused() ? "–" : prettyNumber(column.value(run.result), column.digits)) +
             "</td>";
    out += "</tr>\n";
  }
  return out + "</tbody></table></div>\n";
}

struct Quantity {
  std::string title, unit;
  Scale scale;
  Series MethodRun::*series;
  std::size_t groups = Series::kMost;
  double (*unitOf)(const RunReport&) = [](const RunReport&) { return 1.0; };
};

std::string plotOf(const Comparison& comparison, const Quantity& quantity) {
  Plot plot;
  plot.title = quantity.title;
  plot.xLabel = "time (s)";
  plot.yLabel = quantity.unit;
  plot.yScale = quantity.scale;
  for (std::size_t i = 0; i < comparison.runs.size(); ++i) {
    const MethodRun& run = comparison.runs[i];
    if (run.refused()) continue;
    Curve curve;
    curve.name = run.method;
    curve.colour = i;
    curve.brokenOff =
        run.result.status == RunStatus::BlownUp || run.result.status == RunStatus::Stuck;
    const double unit = quantity.unitOf(run.result);
    for (const Series::Group& group : (run.*quantity.series).groups(quantity.groups))
      curve.points.push_back(
          {group.time, group.typical / unit, group.least / unit, group.largest / unit});
    plot.curves.push_back(std::move(curve));
  }
  return cardOf(plot);
}

std::string plotsOf(const Comparison& comparison) {
  constexpr std::size_t kCalm = 100;  // groups, of what trembles: clocks
  bool linear = false, angular = false;
  for (const MethodRun& run : comparison.runs) {
    linear = linear || run.result.momentumAtStart > 0;
    angular = angular || run.result.angularMomentumAtStart > 0;
  }
  const std::string change = "change since the start, ";
  std::string out = "<div class=\"plots\">\n";
  for (const Quantity& quantity :
       {Quantity{"Joint error", "largest of all joints (m or rad)", Scale::Log, &MethodRun::error},
        Quantity{"Energy", "gain since the start, relative as in the table", Scale::Signed,
                 &MethodRun::energy, Series::kMost,
                 [](const RunReport& result) { return result.energyScale; }},
        Quantity{"Linear momentum",
                 change + (linear ? "relative as in the table" : "from rest (kg m/s)"), Scale::Log,
                 &MethodRun::momentum},
        Quantity{"Angular momentum",
                 change + (angular ? "relative as in the table" : "from rest (kg m²/s)"),
                 Scale::Log, &MethodRun::angularMomentum},
        Quantity{"Time per step", "of the whole scene (µs)", Scale::Log, &MethodRun::microseconds,
                 kCalm},
        Quantity{"Iterations per step", "of corrections (0: the method makes none)", Scale::Signed,
                 &MethodRun::iterations, kCalm}})
    out += plotOf(comparison, quantity);
  return out + "</div>\n";
}

std::string posesOf(const Comparison& comparison, const Scene& scene, const Mechanism& mechanism) {
  std::string out = "<div class=\"poses\">\n";
  for (std::size_t i = 0; i < comparison.runs.size(); ++i) {
    const MethodRun& run = comparison.runs[i];
    if (run.refused()) continue;
    out +=
        "<figure class=\"card\">" +
        pictureOf(scene, mechanism, run.result.state, "The last pose by " + run.method) +
        "<figcaption>" + keyOf(i) + escaped(run.method) + " <span class=\"quiet\">" +
        (run.done() ? "at " + shortNumber(run.result.state.time) + " s" : escaped(run.status())) +
        "</span></figcaption></figure>\n";
  }
  return out + "</div>\n";
}

}  // namespace

std::string pageOf(const Comparison& comparison, const Scene& scene, const Mechanism& mechanism) {
  const std::string name = comparison.title.empty() ? comparison.file : comparison.title;
  const auto dynamic = static_cast<std::size_t>(
      std::count_if(mechanism.solids.begin(), mechanism.solids.end(),
                    [](const auto& solid) { return solid.kind == SolidKind::Dynamic; }));
  std::string out =
      "<header>" + pictureOf(scene, mechanism, initialState(mechanism), "The scene as written") +
      "<div><h1>" + escaped(name) + "</h1><p class=\"quiet\"><code>" + escaped(comparison.file) +
      "</code></p><p>" + counted(dynamic, "moving solid") + ", " +
      counted(mechanism.joints.size(), "joint") + "; " + prettyNumber(comparison.duration, 6) +
      " s in steps of " + prettyNumber(comparison.dt, 4) + " s, by " +
      counted(comparison.runs.size(), "method") +
      ".</p><p class=\"quiet\">Point at a curve to read its values. Point at a row to see "
      "only its curves.</p></div></header>\n";
  if (comparison.stopped())
    out +=
        "<div class=\"banner\">The comparison was stopped before the end. This page shows what "
        "was measured until then.</div>\n";
  out += summaryOf(comparison);
  for (const std::string& remark : remarksOn(comparison))
    out += "<p class=\"remark\">" + escaped(remark) + "</p>\n";
  out += "<h2>Over time</h2>\n" + plotsOf(comparison);
  out +=
      "<p class=\"remark\">Lines show typical values of neighbouring steps, and shades show their "
      "extremes. A curve that ends in a cross blew up there.</p>\n";
  out += "<h2>The last pose</h2>\n" + posesOf(comparison, scene, mechanism);
  return pageOf(name + " by every method", out);
}

}  // namespace tenon::cli
