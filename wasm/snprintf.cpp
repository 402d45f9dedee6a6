// snprintf in the module: only the reader and the writer of JSON call it, for the numbers of characters ("\u%04x", "<U+%.4X>").
// The whole of it, with all it can do for numbers, would take 8 KB. The linker puts this in its place (--wrap=snprintf).
#include <cstdarg>
#include <cstddef>

// Knows %04x, %.4X and their like: unsigned numbers in hexadecimal digits, as many as are asked for at least.
extern "C" int __wrap_snprintf(char* text, std::size_t size, const char* format, ...);
extern "C" int __wrap_snprintf(char* text, std::size_t size, const char* format, ...) {
  va_list numbers;
  va_start(numbers, format);
  std::size_t length = 0;
  const auto put = [&](char c) {
    if (length + 1 < size) text[length] = c;
    ++length;
  };
  for (; *format != 0; ++format) {
    if (*format != '%') {
      put(*format);
      continue;
    }
    int digits = 0;
    for (++format; *format == '.' || (*format >= '0' && *format <= '9'); ++format)
      if (*format != '.') digits = 10 * digits + (*format - '0');
    const unsigned number = va_arg(numbers, unsigned);
    int most = 8;
    while (most > 1 && most > digits && number >> (4 * (most - 1)) == 0) --most;
    for (int i = most; i-- > 0;) {
      const unsigned digit = (number >> (4 * i)) & 15;
      put(static_cast<char>(digit < 10 ? '0' + digit
                                       : static_cast<unsigned>(*format - 'x' + 'a') + digit - 10));
    }
  }
  va_end(numbers);
  if (size > 0) text[length < size ? length : size - 1] = 0;
  return static_cast<int>(length);
}
