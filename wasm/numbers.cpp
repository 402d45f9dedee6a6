// Numbers of a text in the module. strtod of the C library computes in numbers of 128 bits, by functions that nothing
// else would need; the linker puts this in its place (--wrap=strtod). Both round to the nearest number: the same bits.
#include <fast_float/fast_float.h>

#include <cstring>

// Who calls (the reader of JSON) has looked at the text before: it begins with a number.
extern "C" double __wrap_strtod(const char* text, char** end) {
  double value = 0;
  const auto read = fast_float::from_chars(text, text + std::strlen(text), value);
  if (end != nullptr) *end = const_cast<char*>(read.ptr);
  return value;
}
