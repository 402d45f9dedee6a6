#include "session/read_json.h"

#include <string>
#include <utility>
#include <vector>

namespace tenon {

namespace {

using Json = nlohmann::json;

// Puts together what the parser reports. Of two values with one key the last stays.
class Maker {
 public:
  Json made;

  bool null() { return put(nullptr) != nullptr; }
  bool boolean(bool value) { return put(value) != nullptr; }
  bool number_integer(Json::number_integer_t value) { return put(value) != nullptr; }
  bool number_unsigned(Json::number_unsigned_t value) { return put(value) != nullptr; }
  bool number_float(double value, const std::string&) { return put(value) != nullptr; }
  bool string(std::string& value) { return put(std::move(value)) != nullptr; }
  bool binary(Json::binary_t&) { return false; }  // not in a text
  bool start_object(std::size_t) { return open(Json::value_t::object); }
  bool start_array(std::size_t) { return open(Json::value_t::array); }
  bool key(std::string& key) {
    value_ = &(*inside_.back())[key];
    return true;
  }
  bool end_object() { return close(); }
  bool end_array() { return close(); }
  bool parse_error(std::size_t, const std::string&, const Json::exception&) { return false; }

 private:
  Json* put(Json value) {
    if (inside_.empty()) return &(made = std::move(value));
    if (!inside_.back()->is_array()) return &(*value_ = std::move(value));
    inside_.back()->push_back(std::move(value));
    return &inside_.back()->back();
  }
  bool open(Json::value_t kind) {
    inside_.push_back(put(kind));
    return true;
  }
  bool close() {
    inside_.pop_back();
    return true;
  }

  std::vector<Json*> inside_;  // objects and arrays that are not complete
  Json* value_ = nullptr;      // of the last key
};

}  // namespace

Json readJson(std::string_view text) {
  Maker maker;
  auto characters = nlohmann::detail::input_adapter(text.data(), text.data() + text.size());
  nlohmann::detail::parser<Json, decltype(characters)> parser(std::move(characters), nullptr,
                                                              false);
  if (!parser.sax_parse(&maker)) return Json::value_t::discarded;
  return std::move(maker.made);
}

}  // namespace tenon
