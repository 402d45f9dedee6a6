// Somebody else's program: reads a scene, runs it and says where it got. Built twice: alone, and together
// with a vectorised Eigen of its own (OWN_EIGEN). The engine must give the same bits in both.
#include <tenon/tenon.h>

#include <cstdio>
#ifdef OWN_EIGEN
#include <Eigen/QR>
#endif

int main(int, char** arguments) {
#ifdef OWN_EIGEN
  const Eigen::MatrixXd a = Eigen::MatrixXd::Random(18, 20);
  if (Eigen::ColPivHouseholderQR<Eigen::MatrixXd>(a).rank() != 18) return 1;
#endif
  auto linkage = tenon::Simulation::load(arguments[1]);
  if (!linkage) return 1;
  const tenon::RunReport report = linkage->run(0.5);
  const tenon::Counts counts =
      tenon::count(linkage->mechanism(), linkage->control(), linkage->state());
  std::printf("tenon %s: dof %u, crank %a, drift %a, hash %llx\n", tenon::kVersion, counts.dof,
              linkage->coordinate("O", "angle").value_or(0), report.energyDrift,
              static_cast<unsigned long long>(report.hash.value_or(0)));
  return report.status == tenon::RunStatus::Done ? 0 : 1;
}
