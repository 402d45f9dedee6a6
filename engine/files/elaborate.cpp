#include "files/elaborate.h"

#include "files/stage.h"

#include <new>
#include <stdexcept>

namespace tenon {

namespace files {

Result<Scene> elaborate(std::string text, const std::string& name, const ParseOptions& options) {
  Stage stage(options.limits.problems);
  expand(stage, std::move(text), name, options);
  if (stage.report.stopped()) return stage.report.finish();
  Scene scene = finish(stage);
  const bool failed = stage.report.failed();
  std::vector<Problem> problems = stage.report.finish();
  if (failed) return problems;
  return Result<Scene>(std::move(scene), std::move(problems));
}

std::vector<Problem> outOfMemory(const std::string& name) {
  Problem p;
  p.file = name;
  p.what = "this scene needs more memory than this machine has free";
  return {p};
}

}  // namespace files

Result<Scene> parseScene(std::string text, std::string name, const ParseOptions& options) {
  try {
    return files::elaborate(std::move(text), name, options);
  } catch (const std::bad_alloc&) {
  } catch (const std::length_error&) {
  }
  return files::outOfMemory(name);
}

}  // namespace tenon
