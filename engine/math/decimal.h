// Numbers as texts, rounded to the nearest (ties to even): short code without tables. Natively numbers are read by
// fast_float, which is faster and gives the same bits, but brings 11 KB that do not compress; the page's module uses this.
#pragma once

#include <string>

namespace tenon {

// Reads an optional minus, digits with or without a point, and an exponent if it is whole ("1e" is 1). Returns behind the
// number, or `begin` if there is none. `inf…` and `nan…`, in whatever case, are read as infinite, as is what is too large.
[[nodiscard]] const char* readDecimal(const char* begin, const char* end, double& value);

// As "%.*g" of the C library does it, which is longer: at most so many digits that count (up to 17), rounded to the nearest.
[[nodiscard]] std::string shortDecimal(double value, int digits);

}  // namespace tenon
