// The scene language: text -> Scene, Scene -> text, and edits of the text that change no more than
// they must. Grammar: docs/scene-language.md.
#pragma once

#include <tenon/result.h>
#include <tenon/scene.h>

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tenon {

// `version N;` in a text: the version of the language that it is written in. Texts of later versions are refused. A version
// goes up where a text that was read before would mean something else.
inline constexpr int kLanguageVersion = 1;

// What a scene may cost before it is refused. Far above what anybody writes by hand.
struct LanguageLimits {
  std::size_t fileBytes = 64u << 20;    // one text
  std::size_t totalBytes = 256u << 20;  // with its includes
  std::size_t depth = 64;               // nested blocks, figures, includes, parentheses
  std::size_t things = 2'000'000;       // solids, joints, loads … after repetition
  std::size_t expanded = 20'000'000;    // statements interpreted; long ones count by their values
  std::size_t problems = 100;           // listed before giving up
};

// Gives the text of an included file. `name` is as written; the host confines it.
using IncludeReader = std::function<Result<std::string>(const std::string& name)>;

struct ParseOptions {
  std::vector<std::pair<std::string, std::string>> set;  // parameters: name, expression
  IncludeReader include;                                 // none: includes are refused
  LanguageLimits limits;
};

// All problems that can be found in one go; a value as soon as there is no error.
[[nodiscard]] Result<Scene> parseScene(std::string text, std::string name,
                                       const ParseOptions& options = {});

// From disk. Includes are read from the scene's folder and below, nowhere else (links followed).
[[nodiscard]] Result<Scene> loadScene(const std::string& path, const ParseOptions& options = {});

// Flat text (no parameters, figures, repetitions) that parses to an equal scene.
[[nodiscard]] std::string printScene(const Scene& scene);

// Layout made canonical; comments kept; idempotent. Fails on texts with syntax errors.
[[nodiscard]] Result<std::string> formatText(const std::string& text, const std::string& name);

// Equal in everything but the places in the text.
[[nodiscard]] bool sameScene(const Scene& a, const Scene& b);

// ----------------------------------------------------------------------------------------- edits

// Replace `length` bytes at `offset` of the scene's own text by `text`.
struct TextEdit {
  std::size_t offset = 0;
  std::size_t length = 0;
  std::string text;
};

// One of several changes that are made together: a call of SceneDocument, and what it is given.
struct SceneChange {
  enum class Kind : std::uint8_t { Set, Unset, Add, Remove };
  Kind kind = Kind::Set;
  std::string path, property, values;  // Add: `values` is the block's text
};

// The document is the text. Each call makes the smallest change, and returns it for an editor that
// shows the same text. An edit is refused, with the reason and without effect, if the changed text
// would not parse.
class SceneDocument {
 public:
  [[nodiscard]] static Result<SceneDocument> open(std::string text, std::string name,
                                                  ParseOptions options = {});

  [[nodiscard]] const std::string& text() const { return text_; }
  [[nodiscard]] const Scene& scene() const { return scene_; }

  // `path` names a solid, joint, load, placed figure …; `property` is the statement's first word
  // ("density"), `values` the rest as written in the text ("900"). Of several statements with that
  // word, say which: "limit angle" (with its first values) or "box[2]" (counted from 1). Things made
  // by a repetition, a figure or an included file are changed by an `override` block naming them.
  // "" as path: a statement of the scene itself; "settings": of that block.
  Result<TextEdit> set(const std::string& path, const std::string& property,
                       const std::string& values);
  Result<TextEdit> unset(const std::string& path, const std::string& property);
  Result<TextEdit> add(const std::string& blockText);  // e.g. "solid ball\n  sphere 0.1;\nend"
  Result<TextEdit> remove(const std::string& path);
  // As if each were made after the one before, but the text is read once for many of them. Of each, what is wrong with
  // it; where nothing is, it was made.
  std::vector<std::vector<Problem>> change(const std::vector<SceneChange>& changes);
  // Also every mention of it; offsets are those of the text before, in its order. Not for things
  // made by a repetition, a figure or an included file.
  Result<std::vector<TextEdit>> rename(const std::string& path, const std::string& newName);

 private:
  SceneDocument() = default;
  Result<TextEdit> apply(TextEdit edit);  // parses the changed text; keeps the old one on failure
  void changeTogether(const std::vector<SceneChange>& changes, std::size_t begin, std::size_t end,
                      std::vector<std::vector<Problem>>& wrong);

  std::string text_, name_;
  ParseOptions options_;
  Scene scene_;
};

}  // namespace tenon
