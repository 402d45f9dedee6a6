// Reading what is asked, writing what is answered.
#include <tenon/session.h>

#include <cmath>

#include "session/session_impl.h"

namespace tenon {

void refuse(std::string what, std::string remedy) {
  Problem problem;
  problem.what = std::move(what);
  problem.remedy = std::move(remedy);
  throw Refusal{{std::move(problem)}};
}

std::string didYouMean(const std::string& near) {
  return near.empty() ? std::string() : "did you mean '" + near + "'?";
}

bool nestsTooDeep(std::string_view json) {
  constexpr int kDeepest = 64;
  int depth = 0;
  bool quoted = false;
  for (std::size_t i = 0; i < json.size(); ++i) {
    const char c = json[i];
    if (c == '"') quoted = !quoted;
    if (quoted && c == '\\') ++i;  // the character behind it ends no text
    if (quoted) continue;
    if (c == '[' || c == '{') ++depth;
    if (c == ']' || c == '}') --depth;
    if (depth > kDeepest) return true;
  }
  return false;
}

bool has(const Json& request, const char* key) {
  const auto at = request.find(key);
  return at != request.end() && !at->is_null();
}

const Json& member(const Json& request, const char* key) {
  const auto at = request.find(key);
  if (at == request.end()) refuse(std::string("'") + key + "' is missing");
  return *at;
}

std::string textOf(const Json& request, const char* key) {
  const Json& value = member(request, key);
  if (!value.is_string()) refuse(std::string("'") + key + "' must be a text");
  return value.get<std::string>();
}

namespace {

double finite(const Json& value, const char* key) {
  if (!value.is_number()) refuse(std::string("'") + key + "' must be a number");
  const double x = value.get<double>();
  if (!std::isfinite(x) || std::abs(x) > 1e12) refuse(std::string("'") + key + "' is too large");
  return x;
}

}  // namespace

double numberOf(const Json& request, const char* key) { return finite(member(request, key), key); }
double numberOf(const Json& request, const char* key, double fallback) {
  return has(request, key) ? numberOf(request, key) : fallback;
}
int countOf(const Json& request, const char* key, int fallback, int most) {
  const double x = numberOf(request, key, fallback);
  if (!(x >= 0) || x != std::floor(x)) refuse(std::string("'") + key + "' must be a whole number");
  if (x > most) refuse(std::string("'") + key + "' is more than " + std::to_string(most));
  return static_cast<int>(x);
}
Vec3 vectorOf(const Json& request, const char* key) {
  const Json& value = member(request, key);
  if (!value.is_array() || value.size() != 3)
    refuse(std::string("'") + key + "' must be three numbers");
  return {finite(value[0], key), finite(value[1], key), finite(value[2], key)};
}
Quat exactTurnOf(const Json& request, const char* key) {
  const Json& value = member(request, key);
  if (!value.is_array() || value.size() != 4)
    refuse(std::string("'") + key + "' must be four numbers");
  const Quat q{finite(value[0], key), finite(value[1], key), finite(value[2], key),
               finite(value[3], key)};
  const double square = q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w;
  if (!(square > 1e-6)) refuse(std::string("'") + key + "' is not a rotation");
  return q;
}
Quat turnOf(const Json& request, const char* key) { return normalized(exactTurnOf(request, key)); }
std::vector<std::string> namesOf(const Json& request, const char* key) {
  const Json& value = member(request, key);
  if (value.is_string()) return {value.get<std::string>()};
  if (!value.is_array()) refuse(std::string("'") + key + "' must be a list of names");
  std::vector<std::string> names;
  for (const Json& name : value) {
    if (!name.is_string()) refuse(std::string("'") + key + "' must be a list of names");
    names.push_back(name.get<std::string>());
  }
  return names;
}

Json jsonOf(const std::vector<Problem>& problems) {
  Json list = Json::array();
  for (const Problem& problem : problems)
    Members{added(list)}("severity", nameOf(problem.severity))("file", problem.file)(
        "line", problem.line)("column", problem.column)("width", problem.width)(
        "what", problem.what)("remedy", problem.remedy);
  return list;
}

namespace {

Index named(const std::vector<std::string>& names, const std::string& name, const char* noun) {
  for (Index i = 0; i < names.size(); ++i)
    if (names[i] == name) return i;
  refuse(std::string("there is no ") + noun + " '" + name + "'",
         didYouMean(nearestWord(name, names)));
}

}  // namespace

Index solidNamed(const Mechanism& mechanism, const std::string& name) {
  return named(mechanism.solidNames, name, "solid");
}
Index jointNamed(const Mechanism& mechanism, const std::string& name) {
  return named(mechanism.jointNames, name, "joint");
}

}  // namespace tenon
