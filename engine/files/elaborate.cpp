#include "files/elaborate.h"

#include "files/stage.h"

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

}  // namespace files

Result<Scene> parseScene(std::string text, std::string name, const ParseOptions& options) {
  return files::elaborate(std::move(text), name, options);
}

}  // namespace tenon
