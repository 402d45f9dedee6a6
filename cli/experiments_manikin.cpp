// Forsey & Wilhelms: what a step of Manikin costs.
#include <algorithm>
#include <cmath>
#include <iterator>

#include "experiment.h"

namespace tenon::cli {
namespace {

// Goals as in their §4.6.1: heavy pseudo-segments without weight, one at each link's middle, drawn
// towards a point to the side and braked.
constexpr const char* kGoals = R"(
repeat i 0 (links - 1)
  solid pseudo-(i)
    at ((i + 0.5) * length) 0 0;
    sphere 0.01;
    mass 1000;
  end
  joint ball hold-(i)
    object1 link-(i);
    object2 pseudo-(i);
    at ((i + 0.5) * length) 0 0;
  end
  force lift-(i)
    object pseudo-(i);
    vector 0 (1000 * 9.81) 0;
  end
  spring goal-(i)
    object2 pseudo-(i);
    point1 ((i + 0.5) * length) 0 0.3;
    stiffness 4000;
    damping 4000;
    rest 0;
  end
end
)";

struct TimedRow {
  const char* links;
  double stepsPerSecond, secondsPerLinkStep;  // as printed
  const char* scene;                          // nullptr: another machine's
  int count, forces;
  bool goals;
};

Reproduction table2(Lab& lab) {
  static constexpr TimedRow rows[] = {
      {"One", 103.09, 0.0097, "manikin/chain", 1, 0, false},
      {"Two", 40.32, 0.0124, "manikin/chain", 2, 0, false},
      {"Five", 14.45, 0.0138, "manikin/chain", 5, 0, false},
      {"Five (VAX 8600)", 53.76, 0.00137, nullptr, 5, 0, false},
      {"Ten", 6.86, 0.0146, "manikin/chain", 10, 0, false},
      {"Ten bushy", 6.92, 0.0145, "manikin/bushy", 10, 0, false},
      {"Twenty", 3.33, 0.0150, "manikin/chain", 20, 0, false},
      {"Twenty bushy", 3.36, 0.0149, "manikin/bushy", 20, 0, false},
      {"Five, 1 force", 14.16, 0.0141, "manikin/chain", 5, 1, false},
      {"Five, 3 forces", 14.01, 0.0143, "manikin/chain", 5, 3, false},
      {"Five, 5 forces", 13.69, 0.0146, "manikin/chain", 5, 5, false},
      {"Five, 5 goals", 12.53, 0.0159, "manikin/chain", 5, 0, true}};
  Reproduction out;
  RunSettings settings;
  // Theirs is the recursive method in joint coordinates.
  settings.step.method = Method::Recursive;
  settings.dt = 0.01;
  settings.duration = 2;
  out.setup =
      "Chains and bushy figures of ball joints make steps of 0.01 s with Runge-Kutta of fourth "
      "order, by the method `" +
      std::string(nameOf(settings.step.method)) +
      "`. The table has the fastest of several rounds of 200 steps for each figure. The paper's "
      "columns are from an MC68020 at 8 MHz with an MC68881.";
  out.remarks.push_back(
      "Goals are heavy pseudo-segments without weight. Ball joints hold them, and a damped spring "
      "pulls them. Here they are solids of their own.");
  ResultTable table{"Table 2",
                    {"links", "steps/s then", "s/link/step then", "steps/s here",
                     "s/link/step here", "times faster"},
                    {}};
  // Rounds over all figures, and of each its fastest: others may be using the machine.
  std::vector<double> fastest(std::size(rows), 0);  // [s] a step; 0: another machine's
  for (int round = 0; round < (lab.quick() ? 3 : 20); ++round) {
    for (std::size_t i = 0; i < std::size(rows); ++i) {
      const TimedRow& row = rows[i];
      if (row.scene == nullptr) continue;
      Lab::Values set{{"links", std::to_string(row.count)}};
      if (row.forces > 0) set.emplace_back("forces", std::to_string(row.forces));
      const RunReport result =
          lab.simulate(lab.scene(row.scene, set, row.goals ? kGoals : ""), settings);
      const double seconds = result.milliseconds / 1000 /
                             static_cast<double>(std::max<std::uint64_t>(result.steps, 1));
      if (round == 0 || seconds < fastest[i]) fastest[i] = seconds;
    }
  }
  std::vector<double> perLink;  // [s]
  for (std::size_t i = 0; i < std::size(rows); ++i) {
    const TimedRow& row = rows[i];
    perLink.push_back(fastest[i] / row.count);
    std::vector<Json> cells{row.links, row.stepsPerSecond, row.secondsPerLinkStep, nullptr, nullptr,
                            nullptr};
    if (row.scene != nullptr) {
      cells[3] = std::round(1 / fastest[i]);
      cells[4] = perLink[i];
      cells[5] = std::round(1 / fastest[i] / row.stepsPerSecond);
    }
    table.rows.push_back(std::move(cells));
  }
  const auto percent = [](double ratio) {
    const double more = 100 * (ratio - 1);
    return tableNumber(std::abs(more), 2) + (more < 0 ? " % less" : " % more");
  };
  const double growth = perLink[6] / perLink[2];  // twenty links to five
  out.findings.push_back(
      {"The cost of a step is nearly proportional to the number of links (9 % more per link from "
       "five "
       "to twenty).",
       growth < 1.25  ? Verdict::Holds
       : growth < 2.0 ? Verdict::Partly
                      : Verdict::Fails,
       "From five to twenty links, a link costs " + percent(growth) + "."});
  const double ten = perLink[5] / perLink[4], twenty = perLink[7] / perLink[6];
  out.findings.push_back(
      {"Bushy figures cost as much as chains (1 % less).",
       std::max(ten, twenty) < 1.25  ? Verdict::Holds
       : std::max(ten, twenty) < 2.0 ? Verdict::Partly
                                     : Verdict::Fails,
       "Ten links cost " + percent(ten) + ", and twenty cost " + percent(twenty) + "."});
  const double forces = perLink[10] / perLink[2];
  out.findings.push_back({"Five forces cost little (6 % more).",
                          forces < 1.1 ? Verdict::Holds : Verdict::Fails,
                          "They cost " + percent(forces) + "."});
  const double goals = perLink[11] / perLink[2];
  out.findings.push_back({"Five goals cost little (15 % more).",
                          goals < 1.25  ? Verdict::Holds
                          : goals < 2.5 ? Verdict::Partly
                                        : Verdict::Fails,
                          "They cost " + percent(goals) + ", with five more solids to move."});
  out.tables.push_back(std::move(table));
  return out;
}

}  // namespace

std::vector<Experiment> experimentsOfForseyAndWilhelms() {
  return {{"forsey-wilhelms", "table2", "What a step costs", table2}};
}

}  // namespace tenon::cli
