// The session for JavaScript: texts go in and come out, poses are read from memory.
#include <emscripten.h>
#include <tenon/session.h>
#include <tenon/version.h>

#include <string>

namespace {

struct Bound {
  tenon::Session session;
  std::string answer;
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

// Seven numbers a solid, good until the next call.
EMSCRIPTEN_KEEPALIVE const float* tenon_poses(Bound* bound) {
  return bound->session.poses().data();
}
EMSCRIPTEN_KEEPALIVE int tenon_pose_numbers(Bound* bound) {
  return static_cast<int>(bound->session.poses().size());
}

EMSCRIPTEN_KEEPALIVE const char* tenon_version() { return tenon::kVersion; }
}
