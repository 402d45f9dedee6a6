#include "files/report.h"

#include "math/order.h"
#include "model/problem.h"

#include <algorithm>
#include <functional>
#include <map>
#include <tuple>

namespace tenon::files {

bool Report::isNew(const Place& place, Severity severity, const std::string& what) {
  if (place.file == Place::kNowhere) return true;
  // The beginning of the message, because its end may name the thing of this turn: 'link-17'.
  const std::uint64_t kind = std::hash<std::string_view>{}(std::string_view(what).substr(0, 12));
  const std::uint64_t key = (std::uint64_t{place.file} << 33) ^ (std::uint64_t{place.offset} << 1) ^
                            (kind * 0x9e3779b97f4a7c15u) ^ (severity == Severity::Error ? 1u : 0u);
  const auto [at, isFirst] = seen_.emplace(key, problems_.size());
  if (isFirst) return true;
  // Whatever was taken for a repetition of it: the first error is never dropped.
  if (severity == Severity::Error && !failed()) return true;
  if (alike_.size() <= at->second) alike_.resize(at->second + 1);
  ++alike_[at->second];
  return false;
}

void Report::add(Problem problem) {
  if (stopped_) return;
  if (problem.severity == Severity::Warning) {
    // Warnings never end the reading: beyond the limit they are only counted.
    if (++warnings_ <= limit_) problems_.push_back(std::move(problem));
    return;
  }
  problems_.push_back(std::move(problem));
  if (++errors_ >= limit_) stopped_ = true;
}

void Report::error(const Place& place, std::string what, std::string remedy) {
  if (stopped_ || !isNew(place, Severity::Error, what)) return;
  add(problemAt(files_, place, Severity::Error, std::move(what), std::move(remedy)));
}

void Report::error(const Place& place, std::string what,
                   const std::function<std::string()>& remedy) {
  if (stopped_ || !isNew(place, Severity::Error, what)) return;
  add(problemAt(files_, place, Severity::Error, std::move(what), remedy()));
}

void Report::warn(const Place& place, std::string what, std::string remedy) {
  if (stopped_ || !isNew(place, Severity::Warning, what)) return;
  add(problemAt(files_, place, Severity::Warning, std::move(what), std::move(remedy)));
}

void Report::stop(const Place& place, std::string what, std::string remedy) {
  if (stopped_) return;
  add(problemAt(files_, place, Severity::Error, std::move(what), std::move(remedy)));
  stopped_ = true;
}

void Report::take(std::vector<Problem>& problems) {
  for (Problem& p : problems) {
    const bool known = std::any_of(problems_.begin(), problems_.end(), [&](const Problem& q) {
      return q.file == p.file && q.line == p.line && q.column == p.column &&
             q.severity == p.severity && p.line > 0;
    });
    if (!known || (p.severity == Severity::Error && !failed())) add(std::move(p));
  }
  problems.clear();
}

std::vector<Problem> Report::finish() {
  for (std::size_t i = 0; i < std::min(alike_.size(), problems_.size()); ++i)
    if (alike_[i] > 0)
      problems_[i].what += " (and " + std::to_string(alike_[i]) + " more like this here)";
  if (warnings_ > limit_) {
    Problem more;
    more.severity = Severity::Warning;
    more.what = std::to_string(warnings_ - limit_) + " more warnings are not listed";
    problems_.push_back(std::move(more));
  }
  if (errors_ >= limit_ && limit_ > 0) {
    Problem more;
    more.what = "there are too many problems to list: the rest is left out";
    problems_.push_back(std::move(more));
  }
  std::map<std::string, std::size_t> order;  // of the files, as they were read
  for (std::size_t i = 0; i < files_.size(); ++i) order.emplace(files_[i].name, i);
  const auto key = [&](const Problem& p) {
    const auto at = order.find(p.file);
    return std::make_tuple(at == order.end() ? order.size() : at->second, p.line, p.column);
  };
  sortStably(problems_, [&](const Problem& a, const Problem& b) { return key(a) < key(b); });
  return std::move(problems_);
}

std::string didYouMean(std::string_view word, const std::vector<std::string>& candidates) {
  const std::string near = nearestWord(std::string(word), candidates);
  return near.empty() ? std::string() : "did you mean " + quoted(near) + "?";
}

}  // namespace tenon::files
