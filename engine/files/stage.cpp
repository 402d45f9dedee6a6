#include "files/stage.h"

#include "model/problem.h"

namespace tenon::files {

std::uint32_t Stage::resolve(std::string_view name, std::uint32_t scope) const {
  for (std::uint32_t s = scope;; s = scopes[s].parent) {
    std::string_view full = name;
    if (!scopes[s].prefix.empty()) {
      key_.assign(scopes[s].prefix).append(name);
      full = key_;
    }
    const auto at = names.find(full);
    if (at != names.end() && !isRemoved(entries[at->second])) return at->second;
    if (scopes[s].parent == kNone) return kNone;
  }
}

bool Stage::isRemoved(const Entry& entry) const {
  if (entry.removed) return true;
  for (std::uint32_t s = entry.scope; s != kNone; s = scopes[s].parent)
    if (scopes[s].removed) return true;
  return false;
}

std::uint32_t Stage::commonScope(std::uint32_t a, std::uint32_t b) const {
  while (a != b) {
    if (scopes[a].depth >= scopes[b].depth)
      a = scopes[a].parent;
    else
      b = scopes[b].parent;
  }
  return a;
}

std::string Stage::lineOf(const Place& place) const {
  if (place.file >= files.size()) return "?";
  const SourceFile& file = files[place.file];
  return file.name + ":" + std::to_string(lineAt(file.text, place.offset).line);
}

}  // namespace tenon::files
