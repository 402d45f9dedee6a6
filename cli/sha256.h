// SHA-256 [FIPS 180-4], in base64: how a Content-Security-Policy names a script that is in a page.
#pragma once

#include <string>
#include <string_view>

namespace tenon::cli {

[[nodiscard]] std::string sha256InBase64(std::string_view bytes);

}  // namespace tenon::cli
