// Collects the problems of one reading: located, each once with a count of those alike (a repetition would say
// the same thing of the same place a thousand times), and no more than the limit.
#pragma once

#include <tenon/language.h>
#include <tenon/result.h>
#include <tenon/scene.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <unordered_map>
#include <vector>

namespace tenon::files {

class Report {
 public:
  Report(const std::vector<SourceFile>& files, std::size_t limit) : files_(files), limit_(limit) {}

  void error(const Place& place, std::string what, std::string remedy = {});
  // A remedy that takes a search is looked for only if the error is listed.
  void error(const Place& place, std::string what, const std::function<std::string()>& remedy);
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
  // Whether a problem is to be listed; if it was said already, it is counted there.
  bool isNew(const Place& place, Severity severity, const std::string& what);
  void add(Problem problem);

  const std::vector<SourceFile>& files_;
  std::size_t limit_;
  std::vector<Problem> problems_;
  std::unordered_map<std::uint64_t, std::size_t>
      seen_;                        // looked up, never walked; into `problems_`
  std::vector<std::size_t> alike_;  // by problem: how often it came again
  std::size_t errors_ = 0, warnings_ = 0;
  bool stopped_ = false;
};

// "did you mean 'density'?" or nothing.
[[nodiscard]] std::string didYouMean(std::string_view word,
                                     const std::vector<std::string>& candidates);

}  // namespace tenon::files
