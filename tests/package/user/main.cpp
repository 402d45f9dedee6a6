// Somebody else's program: reads a scene, compiles it and counts. Built twice: alone, and together
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
  const auto scene = tenon::loadScene(arguments[1]);
  if (!scene) return 1;
  const auto mechanism = tenon::compile(*scene);
  if (!mechanism) return 1;
  const tenon::State state = tenon::initialState(*mechanism);
  const tenon::Control control = tenon::initialControl(*mechanism);
  const tenon::Counts counts = tenon::count(*mechanism, control, state);
  const tenon::JointError error = tenon::jointError(*mechanism, control, state);
  std::printf("tenon %s: dof %u, error %a, hash %llx\n", tenon::kVersion, counts.dof, error.rms,
              static_cast<unsigned long long>(tenon::stateHash(state).value_or(0)));
}
