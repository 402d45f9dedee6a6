// Our reader of JSON against that of the library.
#include "session/read_json.h"

#include <gtest/gtest.h>

namespace tenon {
namespace {

using Json = nlohmann::json;

TEST(ReadJson, IsWhatTheLibraryReads) {
  for (const char* text :
       {"null", "true", "-12", "18446744073709551615", "0.1", "-1.5e-300", "\"a \\u00e9 \\n\"",
        "[]", "{}", "[1, [2, {\"a\": []}], {}, \"x\"]", "{\"a\": {\"b\": [1, 2]}, \"c\": null}",
        "{\"a\": 1, \"a\": [2]}", "{\"a\": {\"b\": 1}, \"a\": {\"c\": 2}}", " [0 ] "}) {
    const Json read = readJson(text);
    EXPECT_EQ(read, Json::parse(text)) << text;
    EXPECT_EQ(read.dump(), Json::parse(text).dump()) << text;
  }
}

TEST(ReadJson, WhatIsNoJsonIsDiscarded) {
  for (const char* text : {"", "[", "[1,]", "{\"a\"}", "{\"a\": 1", "nul", "1 2", "{} x", "1e999",
                           "\"\\x\"", "\"\xff\"", "[1}"}) {
    EXPECT_TRUE(Json::parse(text, nullptr, false).is_discarded()) << text;
    EXPECT_TRUE(readJson(text).is_discarded()) << text;
  }
}

}  // namespace
}  // namespace tenon
