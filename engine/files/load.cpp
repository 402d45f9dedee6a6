// Scenes from disk. The only file of the language that touches it.
//
// Includes are confined: both the scene's folder and the included file are resolved to where they
// really are, links followed, and the file must lie in the folder or below it.
#include <tenon/language.h>

#include "files/elaborate.h"
#include "model/problem.h"

#include <cstdio>
#include <filesystem>
#include <memory>
#include <new>
#include <stdexcept>
#include <string>
#include <system_error>

namespace tenon {
namespace {

namespace fs = std::filesystem;

Problem trouble(std::string what, std::string remedy = {}) {
  Problem p;
  p.what = std::move(what);
  p.remedy = std::move(remedy);
  return p;
}

Result<std::string> failure(std::string what, std::string remedy = {}) {
  return std::vector<Problem>{trouble(std::move(what), std::move(remedy))};
}

// `shown` is the name in messages.
Result<std::string> readFile(const fs::path& path, const std::string& shown, std::size_t most) {
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (status.type() == fs::file_type::not_found)
    return failure("there is no file " + tenon::quoted(shown));
  if (error) return failure("cannot read " + tenon::quoted(shown) + ": " + error.message());
  if (status.type() == fs::file_type::directory)
    return failure(tenon::quoted(shown) + " is a folder, not a file");
  // Pipes and devices may never end.
  if (status.type() != fs::file_type::regular)
    return failure(tenon::quoted(shown) + " is not an ordinary file");

  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(
      std::fopen(path.string().c_str(), "rb"), std::fclose);
  if (file == nullptr)
    return failure("cannot open " + tenon::quoted(shown), "check that you may read it");
  std::string text;
  char buffer[1 << 16];
  for (std::size_t n = 0; (n = std::fread(buffer, 1, sizeof buffer, file.get())) > 0;) {
    text.append(buffer, n);
    if (text.size() > most)
      return failure(tenon::quoted(shown) + " is larger than the " + std::to_string(most) +
                     " bytes that are allowed");
  }
  if (std::ferror(file.get()) != 0) return failure("cannot read " + tenon::quoted(shown));
  return text;
}

bool isInside(const fs::path& folder, const fs::path& file) {
  auto at = file.begin();
  for (const fs::path& part : folder) {
    if (part.empty()) continue;  // a trailing slash
    if (at == file.end() || *at != part) return false;
    ++at;
  }
  return at != file.end();
}

Result<std::string> readIncluded(const fs::path& folder, const std::string& name,
                                 std::size_t most) {
  const std::string remedy = "a scene includes files only from its own folder and below";
  const fs::path relative(name);
  if (name.empty() || name.find('\0') != std::string::npos)
    return failure("an include needs the name of a file");
  if (relative.is_absolute() || relative.has_root_name() || relative.has_root_directory())
    return failure(tenon::quoted(name) + " is not below the scene's folder", remedy);
  // Before the disk is asked: a message must not tell what exists outside.
  if (!isInside(folder, (folder / relative).lexically_normal()))
    return failure(tenon::quoted(name) + " is not below the scene's folder", remedy);
  std::error_code error;
  const fs::path real = fs::canonical(folder / relative, error);
  if (error) {
    if (error == std::errc::no_such_file_or_directory || error == std::errc::not_a_directory)
      return failure("there is no file " + tenon::quoted(name) + " in the scene's folder");
    return failure("cannot read " + tenon::quoted(name) + ": " + error.message());
  }
  if (!isInside(folder, real))
    return failure(tenon::quoted(name) + " leads out of the scene's folder", remedy);
  return readFile(real, name, most);
}

Result<Scene> loadFrom(const std::string& path, const ParseOptions& options) {
  Result<std::string> text = readFile(fs::path(path), path, options.limits.fileBytes);
  if (!text) return text.problems();
  ParseOptions local = options;
  if (!local.include) {
    std::error_code error;
    fs::path folder = fs::path(path).parent_path();
    folder = fs::canonical(folder.empty() ? fs::path(".") : folder, error);
    if (error)
      return std::vector<Problem>{
          trouble("cannot find the folder of " + tenon::quoted(path) + ": " + error.message())};
    local.include = [folder, most = options.limits.fileBytes](const std::string& name) {
      return readIncluded(folder, name, most);
    };
  }
  return parseScene(std::move(*text), path, local);
}

}  // namespace

Result<Scene> loadScene(const std::string& path, const ParseOptions& options) {
  try {
    return loadFrom(path, options);
  } catch (const std::bad_alloc&) {
  } catch (const std::length_error&) {
  }
  return files::outOfMemory(path);
}

}  // namespace tenon
