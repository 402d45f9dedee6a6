#include "session/members.h"

#include <utility>

namespace tenon {

void put(Json& object, const char* key, Json&& value) { object[key] = std::move(value); }
void put(Json& object, const char* key, double value) { put(object, key, Json(value)); }
void put(Json& object, const char* key, std::int64_t value) { put(object, key, Json(value)); }
void put(Json& object, const char* key, bool value) { put(object, key, Json(value)); }
void put(Json& object, const char* key, std::string_view value) { put(object, key, Json(value)); }

namespace {

void putNumbers(Json& object, const char* key, const double* numbers, std::size_t count) {
  Json& list = listIn(object, key);
  for (std::size_t i = 0; i < count; ++i) add(list, numbers[i]);
}

}  // namespace

void put(Json& object, const char* key, const Vec3& value) {
  const double numbers[] = {value.x, value.y, value.z};
  putNumbers(object, key, numbers, 3);
}
void put(Json& object, const char* key, const Quat& value) {
  const double numbers[] = {value.x, value.y, value.z, value.w};
  putNumbers(object, key, numbers, 4);
}
void put(Json& object, const char* key, const std::vector<double>& value) {
  putNumbers(object, key, value.data(), value.size());
}
void put(Json& object, const char* key, const std::vector<std::string>& value) {
  Json& list = listIn(object, key);
  for (const std::string& text : value) add(list, text);
}

Json& listIn(Json& object, const char* key) { return object[key] = Json(Json::value_t::array); }

Json& added(Json& list) {
  list.push_back(nullptr);
  return list.back();
}
void add(Json& list, double value) { added(list) = value; }
void add(Json& list, std::string_view value) { added(list) = value; }

}  // namespace tenon
