// Records energies while a pendulum swings, and draws them: `example_energy_plot energy.svg`.
#include <tenon/simulation.h>

#include <fstream>

#include "expect.h"

using namespace tenon;

int main(int count, char** arguments) {
  Result<Simulation> pendulum = Simulation::load("examples/pendulum.tenon");
  if (!pendulum) return explained(pendulum.problems());
  pendulum->settings().duration = 3;
  pendulum->settings().record = {"time", "kinetic", "potential"};
  const RunReport report = pendulum->run();
  const RunRecord& record = report.record;

  Expectations expect;
  expect.that(record.rows() > 100, "there is a row for each frame");
  double largest = 0;
  for (std::size_t row = 0; row < record.rows(); ++row) {
    largest = std::max(largest, record.at(row, 1));
    expect.near(record.at(row, 1) + record.at(row, 2), report.startEnergy, 1e-9 * 8,
                "the energy at " + std::to_string(record.at(row, 0)) + " s");
  }
  // All the way down it has the speed of half its length: m g l/2, of 1.6 kg.
  expect.near(largest, 1.6 * 9.81 / 2, 0.02, "the largest kinetic energy");

  std::ofstream file(count > 1 ? arguments[1] : "energy.svg");
  file << "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 300 200'>\n";
  for (std::size_t column = 1; column < 3; ++column) {
    file << "<polyline fill='none' stroke='" << (column == 1 ? "crimson" : "steelblue")
         << "' points='";
    for (std::size_t row = 0; row < record.rows(); ++row)
      file << 100 * record.at(row, 0) << ',' << 100 - 11 * record.at(row, column) << ' ';
    file << "'/>\n";
  }
  file << "</svg>\n";
  expect.that(file.good(), "the plot is written");
  return expect.result();
}
