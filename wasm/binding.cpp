// The session for JavaScript: texts go in and come out, poses are read from memory.
#include <emscripten.h>
#include <tenon/session.h>
#include <tenon/version.h>

#include <string>
#include <vector>

namespace {

struct Bound {
  tenon::Session session;
  std::string answer;
  int poseNumbers = 0;
};

}  // namespace

extern "C" {

EMSCRIPTEN_KEEPALIVE Bound* tenon_create() { return new Bound; }
EMSCRIPTEN_KEEPALIVE void tenon_destroy(Bound* bound) { delete bound; }

// The answer is good until the next call.
EMSCRIPTEN_KEEPALIVE const char* tenon_run(Bound* bound, const char* request) {
  bound->answer = bound->session.run(request);
  return bound->answer.c_str();
}

// Seven numbers a solid, good until the next call; how many, says the next function.
EMSCRIPTEN_KEEPALIVE const float* tenon_poses(Bound* bound) {
  const std::vector<float>& poses = bound->session.poses();
  bound->poseNumbers = static_cast<int>(poses.size());
  return poses.data();
}
EMSCRIPTEN_KEEPALIVE int tenon_pose_numbers(const Bound* bound) { return bound->poseNumbers; }

EMSCRIPTEN_KEEPALIVE const char* tenon_version() { return tenon::kVersion; }
}
