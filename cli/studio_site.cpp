#include "studio_site.h"

#include <arpa/inet.h>

#include <algorithm>

#include "report.h"
#include "sha256.h"
#include "studio_assets.h"

namespace tenon::cli {
namespace {

constexpr std::string_view kApi = "/api/", kFiles = "/api/files";
constexpr const char* kPolicy = "Content-Security-Policy";
constexpr const char* kNotBuilt =
    "this program has no page in it: run ./dev studio, or ./dev build after it";

// Scripts that stand in a page, by their hashes: " 'sha256-…'" each.
std::string scriptsWithin(std::string_view page) {
  constexpr std::string_view kBegin = "<script>", kEnd = "</script>";
  std::string sources;
  for (std::size_t at = page.find(kBegin); at != std::string_view::npos;
       at = page.find(kBegin, at + 1)) {
    const std::string_view script = page.substr(at + kBegin.size());
    sources += " 'sha256-" + sha256InBase64(script.substr(0, script.find(kEnd))) + "'";
  }
  return sources;
}

// Scripts, workers and WebAssembly of the page's own only. Styles may be in the page: the text
// editor makes its own.
std::string contentPolicy(std::string_view page) {
  return "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'" + scriptsWithin(page) +
         "; worker-src 'self'; connect-src 'self'; style-src 'self' 'unsafe-inline'; "
         "img-src 'self' data: blob:; font-src 'self' data:; manifest-src 'self'; "
         "base-uri 'none'; form-action 'none'; frame-ancestors ";
}

// The bare view is made to stand in other pages: `?embed`, as the page itself reads it
// (URLSearchParams.has). What is not this very word is no bare view here, so that nothing else can
// be framed.
bool isBareView(std::string_view target) {
  const std::size_t mark = target.find('?');
  if (mark == std::string_view::npos) return false;
  std::string_view query = target.substr(mark + 1);
  while (true) {
    const std::size_t end = query.find('&');
    const std::string_view part = query.substr(0, end);
    if (part.substr(0, part.find('=')) == "embed") return true;
    if (end == std::string_view::npos) return false;
    query.remove_prefix(end + 1);
  }
}

std::string_view typeOf(std::string_view path) {
  static constexpr std::pair<std::string_view, std::string_view> kTypes[] = {
      {".html", "text/html; charset=utf-8"},
      {".js", "text/javascript; charset=utf-8"},
      {".mjs", "text/javascript; charset=utf-8"},
      {".css", "text/css; charset=utf-8"},
      {".wasm", "application/wasm"},
      {".json", "application/json"},
      {".map", "application/json"},
      {".webmanifest", "application/manifest+json"},
      {".svg", "image/svg+xml"},
      {".png", "image/png"},
      {".jpg", "image/jpeg"},
      {".webp", "image/webp"},
      {".ico", "image/x-icon"},
      {".woff2", "font/woff2"},
      {".txt", "text/plain; charset=utf-8"},
      {".tenon", "text/plain; charset=utf-8"},
  };
  for (const auto& [ending, type] : kTypes)
    if (path.size() > ending.size() && path.substr(path.size() - ending.size()) == ending)
      return type;
  return "application/octet-stream";
}

HttpAnswer said(int status, const std::string& what) {
  HttpAnswer answer;
  answer.status = status;
  answer.headers = {{"Content-Type", "text/plain; charset=utf-8"}, {"Cache-Control", "no-store"}};
  answer.body = what + "\n";
  return answer;
}

HttpAnswer saidInJson(int status, const Json& json) {
  HttpAnswer answer;
  answer.status = status;
  answer.headers = {{"Content-Type", "application/json"}, {"Cache-Control", "no-store"}};
  answer.body = textOfJson(json);
  return answer;
}

int statusOf(FileOutcome outcome) {
  switch (outcome) {
    case FileOutcome::Done:
      return 200;
    case FileOutcome::Created:
      return 201;
    case FileOutcome::NotAllowed:
      return 403;
    case FileOutcome::NotThere:
      return 404;
    case FileOutcome::NoFolder:
      return 409;
    case FileOutcome::TooLarge:
      return 413;
    case FileOutcome::Changed:
      return 412;
    case FileOutcome::NotSaidWhat:
      return 428;
    case FileOutcome::Failed:
      return 500;
  }
  return 500;
}

// Does `header` (Accept-Encoding) take this coding?
bool accepts(std::string_view header, std::string_view coding) {
  while (!header.empty()) {
    const std::size_t comma = header.find(',');
    std::string item(header.substr(0, comma));
    header.remove_prefix(comma == std::string_view::npos ? header.size() : comma + 1);
    item.erase(std::remove(item.begin(), item.end(), ' '), item.end());
    const std::string name = item.substr(0, item.find(';'));
    const bool never = item.find(";q=0") != std::string::npos &&
                       item.find_first_of("123456789", item.find(";q=0")) == std::string::npos;
    if (name == coding && !never) return true;
  }
  return false;
}

// An address in numbers: nobody can make a name of theirs lead to it.
bool isNumeric(const std::string& host) {
  in_addr four = {};
  in6_addr six = {};
  if (host.size() > 2 && host.front() == '[' && host.back() == ']')
    return inet_pton(AF_INET6, host.substr(1, host.size() - 2).c_str(), &six) == 1;
  return inet_pton(AF_INET, host.c_str(), &four) == 1;
}

int digitOf(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

}  // namespace

std::string percentEncoded(std::string_view path) {
  constexpr std::string_view kDigits = "0123456789ABCDEF", kPlain = "-._~/";
  std::string text;
  for (const char c : path) {
    const auto byte = static_cast<unsigned char>(c);
    if ((c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
        kPlain.find(c) != std::string_view::npos)
      text += c;
    else
      text += {'%', kDigits[byte / 16], kDigits[byte % 16]};
  }
  return text;
}

std::optional<std::string> percentDecoded(std::string_view text) {
  std::string plain;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      plain += text[i];
      continue;
    }
    if (i + 2 >= text.size()) return std::nullopt;
    const int high = digitOf(text[i + 1]), low = digitOf(text[i + 2]);
    if (high < 0 || low < 0) return std::nullopt;
    plain += static_cast<char>(high * 16 + low);
    i += 2;
  }
  return plain;
}

StudioSite::StudioSite(std::string address, int port, std::optional<SceneFolder> folder)
    : address_(std::move(address)), port_(port), folder_(std::move(folder)) {
  const std::vector<StudioAsset> all = studioAssets();
  for (const StudioAsset& asset : all)
    assets_["/" + std::string(asset.path)] = {asset.bytes, {}, tagOf(asset.bytes)};
  for (auto& [path, asset] : assets_)
    for (std::size_t c = 0; c < kCodings.size(); ++c)
      if (const auto packed = assets_.find(path + std::string(kCodings[c].ending));
          packed != assets_.end())
        asset.packed[c] = packed->second.bytes;
  const auto start = assets_.find("/index.html");
  const std::string_view page = start == assets_.end() ? "" : start->second.bytes;
  const std::string policy = contentPolicy(page);
  policyOfBareView_ = policy + "*";
  everywhere_ = {{"Cross-Origin-Opener-Policy", "same-origin"},
                 {"Cross-Origin-Embedder-Policy", "require-corp"},
                 {"Cross-Origin-Resource-Policy", "same-origin"},
                 {kPolicy, policy + "'self'"},
                 {"X-Content-Type-Options", "nosniff"},
                 {"Referrer-Policy", "same-origin"}};
}

// Names that lead here and nowhere else. A page from elsewhere whose name was made to lead here
// (DNS rebinding) comes with that name.
bool StudioSite::isOurHost(const std::string& host) const {
  const std::string suffix = ":" + std::to_string(port_);
  std::string name = host;
  if (name.size() > suffix.size() &&
      name.compare(name.size() - suffix.size(), suffix.size(), suffix) == 0)
    name.resize(name.size() - suffix.size());
  else if (port_ != 80)
    return false;
  if (name == "localhost" || name == "127.0.0.1" || name == "[::1]") return true;
  const bool everyAddress = address_ == "0.0.0.0" || address_ == "::";
  return everyAddress ? isNumeric(name) : name == address_ || name == "[" + address_ + "]";
}

std::optional<HttpAnswer> StudioSite::refuse(const HttpRequest& head) {
  const std::string host = head.header("host");
  if (!isOurHost(host)) return said(421, "this server does not answer for that host name");
  const std::string_view target = head.target;
  const bool api = target.substr(0, kApi.size()) == kApi;
  if (head.method != "GET" && head.method != "HEAD" && !(head.method == "PUT" && api)) {
    HttpAnswer answer = said(405, "this server takes only GET, HEAD and, for scenes, PUT");
    answer.headers.emplace_back("Allow", api ? "GET, HEAD, PUT" : "GET, HEAD");
    return answer;
  }
  if (api) {
    const std::string origin = head.header("origin"), site = head.header("sec-fetch-site");
    if ((head.has("origin") && origin != "http://" + host) ||
        (!site.empty() && site != "same-origin" && site != "none"))
      return said(403, "pages of other origins may not use this server");
  }
  if (head.has("content-encoding")) return said(415, "send the text without a content encoding");
  return std::nullopt;
}

HttpAnswer StudioSite::answer(const HttpRequest& request) {
  const std::string_view target = std::string_view(request.target);
  const auto path = percentDecoded(target.substr(0, target.find('?')));
  if (!path || path->find('\0') != std::string::npos)
    return said(400, "this is not a valid address");
  // Decided by the address as it was sent, as in refuse(); what is within it, by what it says.
  if (target.substr(0, kApi.size()) == kApi) return files(request, *path);
  if (path->compare(0, kApi.size(), kApi) == 0) return said(400, "this is not a valid address");
  return page(request, *path);
}

HttpAnswer StudioSite::page(const HttpRequest& request, const std::string& path) const {
  const bool start = path == "/";
  const auto found = assets_.find(start ? "/index.html" : path);
  if (found == assets_.end()) {
    if (start && !hasPage()) return said(503, kNotBuilt);
    return said(404, "nothing here has this name");
  }
  const Asset& asset = found->second;
  // The build puts a hash of what is in them into the names of assets/.
  const bool lasting = path.compare(0, 8, "/assets/") == 0;
  const std::string accepted = request.header("accept-encoding");
  std::size_t coding = 0;
  while (coding < kCodings.size() &&
         (asset.packed[coding].empty() || !accepts(accepted, kCodings[coding].name)))
    ++coding;
  const bool packed = coding < kCodings.size();
  HttpAnswer answer;
  std::string tag = asset.tag;
  if (packed) tag.insert(tag.size() - 1, "-" + std::string(kCodings[coding].name));
  answer.headers = {
      {"Content-Type", std::string(typeOf(found->first))},
      {"ETag", tag},
      {"Cache-Control", lasting ? "public, max-age=31536000, immutable" : "no-cache"}};
  if (found->first == "/index.html" && isBareView(request.target))
    answer.headers.emplace_back(kPolicy, policyOfBareView_);
  if (std::any_of(asset.packed.begin(), asset.packed.end(),
                  [](std::string_view bytes) { return !bytes.empty(); }))
    answer.headers.emplace_back("Vary", "Accept-Encoding");
  if (namesTag(request.header("if-none-match"), tag, true)) {
    answer.status = 304;
    return answer;
  }
  if (packed) answer.headers.emplace_back("Content-Encoding", std::string(kCodings[coding].name));
  answer.lasting = packed ? asset.packed[coding] : asset.bytes;
  return answer;
}

HttpAnswer StudioSite::listing() const {
  Json files = Json::array();
  if (!folder_) return saidInJson(200, {{"folder", nullptr}, {"files", files}, {"complete", true}});
  const Listing listing = folder_->list();
  for (const ListedFile& file : listing.files)
    files.push_back({{"path", file.path}, {"size", file.size}, {"modified", file.modified}});
  return saidInJson(200, {{"folder", folder_->path().filename().string()},
                          {"files", std::move(files)},
                          {"complete", listing.complete}});
}

HttpAnswer StudioSite::files(const HttpRequest& request, const std::string& path) const {
  const bool put = request.method == "PUT";
  if (path == kFiles || path == std::string(kFiles) + "/") {
    if (!put) return listing();
    HttpAnswer answer = said(405, "give the name of a file");
    answer.headers.emplace_back("Allow", "GET, HEAD");
    return answer;
  }
  if (path.compare(0, kFiles.size() + 1, std::string(kFiles) + "/") != 0)
    return saidInJson(404, {{"error", "nothing here has this name"}});
  if (!folder_)
    return saidInJson(404, {{"error", "no folder is open: start tenon studio with one"}});
  const std::string name = path.substr(kFiles.size() + 1);
  FileAnswer file =
      put ? folder_->save(name, request.body,
                          {request.header("if-match"), request.header("if-none-match")})
          : folder_->read(name);
  const int status = statusOf(file.outcome);
  HttpAnswer answer;
  if (status >= 400) {
    Json json{{"error", file.text}};
    if (!file.tag.empty()) json["etag"] = file.tag;
    answer = saidInJson(status, json);
  } else if (put) {
    answer = saidInJson(status, {{"path", name}, {"etag", file.tag}});
  } else {
    answer.headers = {{"Content-Type", "text/plain; charset=utf-8"}, {"Cache-Control", "no-cache"}};
    if (namesTag(request.header("if-none-match"), file.tag, true))
      answer.status = 304;
    else
      answer.body = std::move(file.text);
  }
  if (!file.tag.empty()) answer.headers.emplace_back("ETag", file.tag);
  return answer;
}

}  // namespace tenon::cli
