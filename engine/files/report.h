// Collects the problems of one reading: located, each once (a repetition would say the same thing of
// the same place a thousand times), and no more than the limit.
#pragma once

#include <tenon/language.h>
#include <tenon/result.h>
#include <tenon/scene.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <unordered_set>
#include <vector>

namespace tenon::files {

class Report {
 public:
  Report(const std::vector<SourceFile>& files, std::size_t limit) : files_(files), limit_(limit) {}

  void error(const Place& place, std::string what, std::string remedy = {});
  void warn(const Place& place, std::string what, std::string remedy = {});
  // An error after which nothing more is looked at.
  void stop(const Place& place, std::string what, std::string remedy = {});
  // Problems found by the syntax layer; emptied.
  void take(std::vector<Problem>& problems);

  [[nodiscard]] bool stopped() const { return stopped_; }
  [[nodiscard]] bool failed() const { return errors_ > 0; }
  // In the order of the text.
  [[nodiscard]] std::vector<Problem> finish();

 private:
  bool isNew(const Place& place, Severity severity, const std::string& what);
  void add(Problem problem);

  const std::vector<SourceFile>& files_;
  std::size_t limit_;
  std::vector<Problem> problems_;
  std::unordered_set<std::uint64_t> seen_;
  std::size_t errors_ = 0, warnings_ = 0;
  bool stopped_ = false;
};

// "did you mean 'density'?" or nothing.
[[nodiscard]] std::string didYouMean(std::string_view word,
                                     const std::vector<std::string>& candidates);

}  // namespace tenon::files
