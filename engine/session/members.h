// Objects and lists of JSON, made member by member:
//
//   Members{answer}("time", 2.5)("name", solid.name);
//
// Braces say the same, but they first make a list of temporary values, and the page would have to load what makes and
// clears away each of them.
#pragma once

#include <tenon/math.h>

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace tenon {

using Json = nlohmann::json;

// What is not a finite number is written as null.
void put(Json& object, const char* key, double value);
void put(Json& object, const char* key, std::int64_t value);
void put(Json& object, const char* key, bool value);
void put(Json& object, const char* key, std::string_view value);
void put(Json& object, const char* key, const Vec3& value);
void put(Json& object, const char* key, const Quat& value);
void put(Json& object, const char* key, const std::vector<std::string>& value);
void put(Json& object, const char* key, const std::vector<double>& value);
void put(Json& object, const char* key, Json&& value);

class Members {
 public:
  explicit Members(Json& object) : object_(object) {}

  template <class T>
  const Members& operator()(const char* key, const T& value) const {
    if constexpr (std::is_convertible_v<const T&, std::string_view>)
      put(object_, key, std::string_view(value));
    else if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>)
      put(object_, key, static_cast<std::int64_t>(value));
    else
      put(object_, key, value);
    return *this;
  }
  const Members& operator()(const char* key, Json&& value) const {
    put(object_, key, std::move(value));
    return *this;
  }

 private:
  Json& object_;
};

// A new list, as a member; a new value at the end of a list.
[[nodiscard]] Json& listIn(Json& object, const char* key);
[[nodiscard]] Json& added(Json& list);
void add(Json& list, double value);
void add(Json& list, std::string_view value);

}  // namespace tenon
