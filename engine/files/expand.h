// Runs a scene's text. Private to expand*.cpp.
#pragma once

#include "files/check.h"
#include "files/stage.h"
#include "files/tables.h"

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace tenon::files {

class Expander {
 public:
  Expander(Stage& stage, const ParseOptions& options);
  void run(std::string text, const std::string& name);

 private:
  // What encloses the statement being run.
  struct Frame {
    Variables* variables = nullptr;
    std::uint32_t scope = 0;
    bool shared = false;    // the text makes other things too
    bool repeated = false;  // in a repetition of this level
    BlockKind level = BlockKind::Scene;
  };
  // A block being run: which statements it had so far.
  struct Run {
    struct First {
      const StatementForm* form = nullptr;
      Place place;
    };
    const Table* table = nullptr;
    void* draft = nullptr;
    const JointKind* joint = nullptr;
    BlockKind kind = BlockKind::Scene;  // of what is overridden
    bool overriding = false;
    std::uint64_t seen = 0;  // a bit per group
    std::array<First, kGroups> first;
  };

  // ---- expand.cpp: texts, levels, statements
  const Tree* readText(std::string text, const std::string& name, BlockKind outer,
                       const Place& from);
  void noteConstraintNames(const SyntaxTree& tree);
  void include(const Tree& tree, const Item& item, Frame& frame);
  bool counted(const Tree& tree, const Item& item);
  bool spend(std::size_t cost, const Place& place);
  bool deeper(const Place& place, const char* what);
  void items(const Tree& tree, std::uint32_t first, Frame& frame);
  void levelStatement(const Tree& tree, std::uint32_t i, Frame& frame);
  void thing(const Tree& tree, const Item& item, BlockKind kind, void* draft, Frame& frame,
             const JointKind* jointKind = nullptr);
  void statements(const Tree& tree, std::uint32_t first, Run& run, Frame& frame);
  void statement(const Tree& tree, const Item& item, const Row& row, Run& run, Frame& frame);
  bool condition(const Tree& tree, const Item& item, bool& holds);
  void repeat(const Tree& tree, const Item& item, Frame& frame,
              const std::function<void(Frame&)>& body);

  // ---- expand_variables.cpp: parameters
  void number(const Tree& tree, const Item& item, const Row& row, Frame& frame);
  void brokenVariable(const Tree& tree, const Item& item, Frame& frame);
  void variable(const Tree& tree, const Item& item, bool isParameter, Frame& frame);
  bool fromOutside(Parameter& p, Frame& frame, std::string& source);
  bool commandLineNumber(const std::string& name, const std::string& written, double& result);
  void checkSettings(const Variables& variables);

  // ---- expand_things.cpp: names, things, figures, overrides
  void block(const Tree& tree, std::uint32_t i, Frame& frame);
  std::string fullName(const Tree& tree, const Item& item, std::uint32_t n, const Frame& frame);
  Entry* enter(std::string name, BlockKind kind, std::uint32_t index, const Place& where,
               const Place& place, const Frame& frame);
  template <class D>
  D* declare(const Tree& tree, const Item& item, std::uint32_t n, BlockKind kind,
             std::deque<D>& drafts, const Frame& frame);
  template <class D>
  D* declareAs(std::string name, const Place& where, const Place& place, BlockKind kind,
               std::deque<D>& drafts, const Frame& frame);
  template <class D>
  void load(const Tree& tree, const Item& item, BlockKind kind, std::deque<D>& drafts,
            Frame& frame);
  void joint(const Tree& tree, const Item& item, Frame& frame);
  void constraint(const Tree& tree, const Item& item, Frame& frame);
  void* draftOf(const Entry& e);
  void unknownPath(const std::string& path, const Place& place, std::uint32_t scope);
  void overrideThing(const Tree& tree, const Item& item, Frame& frame);
  const Row* overrideRow(const Tree& tree, const Item& item, Run& run, Frame& frame);
  void clear(const NameArgument& what, Run& run);
  void remove(const Frame& frame);
  void defineFigure(const Tree& tree, std::uint32_t i, Frame& frame);
  void placeFigure(const Tree& tree, const Item& item, Frame& frame);
  void body(const Variables::Figure& figure, const PlaceDraft& draft, Variables* level,
            std::uint32_t scope);

  Stage& stage_;
  Report& report_;
  const ParseOptions& options_;
  Evaluator evaluator_;
  Arguments arguments_;  // of the statement being run; its memory is reused
  Run sceneRun_;
  std::vector<std::unique_ptr<Tree>> trees_;
  std::unordered_map<std::string, const Tree*> included_;
  std::string folder_;                  // of the scene, for the names of included files in messages
  std::vector<std::string> including_;  // from the scene to the text being run
  std::vector<Variables::Figure> placing_;
  std::unordered_set<std::string_view> taken_;  // views of the trees' texts
  std::vector<bool> outside_;                   // which of --set were used
  std::size_t bytes_ = 0, expanded_ = 0, depth_ = 0;
};

}  // namespace tenon::files
