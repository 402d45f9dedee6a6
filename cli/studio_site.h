// What `tenon studio` serves, and to whom: the page, and the scenes of a folder under api/files.
// The rules are in docs/studio.md.
#pragma once

#include <array>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "http_server.h"
#include "studio_files.h"

namespace tenon::cli {

// The percent-encoding of addresses. What decodes is checked afterwards as what it has become.
[[nodiscard]] std::string percentEncoded(std::string_view path);  // keeps /
[[nodiscard]] std::optional<std::string> percentDecoded(std::string_view text);

class StudioSite : public HttpSite {
 public:
  // `address`: what it listens at, beside which loopback names are known. No folder: no files.
  StudioSite(std::string address, int port, std::optional<SceneFolder> folder);

  [[nodiscard]] bool hasPage() const { return !assets_.empty(); }
  [[nodiscard]] const std::vector<std::pair<std::string, std::string>>& everywhere()
      const override {
    return everywhere_;
  }
  [[nodiscard]] std::optional<HttpAnswer> refuse(const HttpRequest& head) override;
  [[nodiscard]] HttpAnswer answer(const HttpRequest& request) override;

 private:
  // How a file may also stand beside itself, packed when the page was built: the smallest first.
  struct Coding {
    std::string_view name, ending;
  };
  static constexpr std::array<Coding, 2> kCodings{{{"br", ".br"}, {"gzip", ".gz"}}};
  struct Asset {
    std::string_view bytes;
    std::array<std::string_view, kCodings.size()> packed;  // empty: not packed so
    std::string tag;
  };

  [[nodiscard]] bool isOurHost(const std::string& host) const;
  [[nodiscard]] HttpAnswer page(const HttpRequest& request, const std::string& path) const;
  [[nodiscard]] HttpAnswer files(const HttpRequest& request, const std::string& path) const;
  [[nodiscard]] HttpAnswer listing() const;

  std::string address_;
  int port_;
  std::optional<SceneFolder> folder_;
  std::map<std::string, Asset, std::less<>> assets_;
  std::vector<std::pair<std::string, std::string>> everywhere_;
  std::string policyOfBareView_;  // which other pages may frame
};

}  // namespace tenon::cli
