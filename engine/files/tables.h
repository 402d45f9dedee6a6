// The schema's tables with what the elaborator needs beside: what a statement does to a draft.
#pragma once

#include "files/arguments.h"
#include "files/drafts.h"
#include "files/schema.h"

#include <cstring>
#include <initializer_list>
#include <new>
#include <string>
#include <string_view>
#include <type_traits>
#include <unordered_map>
#include <utility>
#include <vector>

namespace tenon::files {

// What is done to a draft: a function and the few bytes that it knows. There are hundreds; std::function
// would make seven functions of each.
template <class... A>
class Deed {
 public:
  Deed() = default;
  template <class D, class F>
  static Deed on(F what) {
    static_assert(std::is_trivially_copyable_v<F> && sizeof(F) <= sizeof(Deed::known_));
    Deed deed;
    std::memcpy(deed.known_, &what, sizeof(F));
    deed.call_ = [](const unsigned char* known, void* draft, A... a) {
      alignas(F) unsigned char bytes[sizeof(F)];
      std::memcpy(bytes, known, sizeof(F));
      (*std::launder(reinterpret_cast<const F*>(bytes)))(*static_cast<D*>(draft), a...);
    };
    return deed;
  }
  explicit operator bool() const { return call_ != nullptr; }
  void operator()(void* draft, A... a) const { call_(known_, draft, a...); }

 private:
  void (*call_)(const unsigned char*, void*, A...) = nullptr;
  unsigned char known_[16] = {};
};

struct Row {
  StatementForm form;
  std::size_t group = 0;  // bit for the duplicate check
  Deed<Arguments&> set;   // none: the elaborator's own business
};

struct Clearable {
  std::string_view word;
  Deed<> clear;
};

struct Table {
  std::vector<Row> rows;
  std::vector<Clearable> clearables;
  std::vector<BlockKind> blocks;  // that may stand inside
  std::unordered_map<std::string_view, std::size_t> index;

  [[nodiscard]] const Row* find(std::string_view keyword) const;
  [[nodiscard]] std::vector<std::string> keywords() const;
};

inline constexpr std::size_t kGroups = 64;
inline constexpr std::string_view kVersionWord = "version";

[[nodiscard]] const Table& tableOf(BlockKind kind);
// Of `let`, which may stand in any block; null for other words.
[[nodiscard]] const Row* letRow(std::string_view keyword);
// The statement of an override block: `clear shapes;`
[[nodiscard]] const StatementForm& clearForm();
// Options of a joint kind, as statements on a JointDraft; null if it has none of that name.
[[nodiscard]] const Row* findOption(const JointKind& kind, std::string_view keyword);
[[nodiscard]] std::vector<std::string> optionNames(const JointKind& kind);

// ------------------------------------------------------------------------------- making of tables

// Slots by what they hold.
[[nodiscard]] Slot number(const char* label, Dimension dimension = Dimension::None);
[[nodiscard]] Slot positive(const char* label, Dimension dimension = Dimension::None);
[[nodiscard]] Slot notNegative(const char* label, Dimension dimension = Dimension::None);
[[nodiscard]] Slot numbers3(const char* label, Dimension dimension = Dimension::None);
[[nodiscard]] Slot point(const char* label = "X Y Z");  // three lengths
[[nodiscard]] Slot direction(const char* label = "X Y Z");
[[nodiscard]] Slot quaternion();
[[nodiscard]] Slot angle(const char* label = "ANGLE");
[[nodiscard]] Slot coordinateValue(const char* label = "V");
[[nodiscard]] Slot anyNumber(const char* label = "VALUE");
[[nodiscard]] Slot name(const char* label);
[[nodiscard]] Slot reference(const char* label, const char* to);
[[nodiscard]] Slot word(const char* label, const char* words);
[[nodiscard]] Slot text(const char* label);
[[nodiscard]] Slot times(const Slot& slot, int least, int most);  // most < 0: any number

[[nodiscard]] StatementForm statement(const char* keyword, std::vector<Slot> slots,
                                      const char* help, std::vector<Clause> clauses = {});
[[nodiscard]] StatementForm&& many(StatementForm&& form);
[[nodiscard]] StatementForm&& required(StatementForm&& form);
[[nodiscard]] StatementForm&& inGroup(const char* group, StatementForm&& form);
[[nodiscard]] Clause clause(const char* keyword, std::vector<Slot> slots);
[[nodiscard]] Clause&& many(Clause&& c);
[[nodiscard]] Clause&& required(Clause&& c);
[[nodiscard]] Clause turnClause();
[[nodiscard]] Clause orientationClause();
[[nodiscard]] Clause activeClause();
[[nodiscard]] std::vector<Slot> activeSlots();

// For setters.
[[nodiscard]] Reference referenceOf(const Arguments& a, std::size_t name = 0);
[[nodiscard]] Interval intervalOf(const Arguments& a, std::size_t number, std::size_t count);
// From the clauses `at`, `turn`, `orientation`.
[[nodiscard]] Pose poseOf(const Arguments& a);
// `min` and `max` in order; otherwise says so.
[[nodiscard]] bool rangeInOrder(const Arguments& a, double lower, double upper);

class TableMaker {
 public:
  template <class D, class F>
  TableMaker& add(StatementForm&& form, F set) {
    return add(std::move(form), Deed<Arguments&>::on<D>(set));
  }
  TableMaker& add(StatementForm&& form, const Deed<Arguments&>& set = {});
  template <class D, class F>
  TableMaker& clears(const char* word, F clear) {
    table_.clearables.push_back({word, Deed<>::on<D>(clear)});
    return *this;
  }
  TableMaker& blocks(std::initializer_list<BlockKind> kinds);
  [[nodiscard]] Table make();

 private:
  Table table_;
};

[[nodiscard]] Table makeSceneTable();
[[nodiscard]] Table makeFigureTable();
[[nodiscard]] Table makePlaceTable();
[[nodiscard]] Table makeSolidTable();
[[nodiscard]] Table makeMaterialTable();
[[nodiscard]] Table makeJointTable();
[[nodiscard]] Table makeConstraintTable();
[[nodiscard]] Table makeForceTable();
[[nodiscard]] Table makeTorqueTable();
[[nodiscard]] Table makeMuscleTable();
[[nodiscard]] Table makeSpringTable();
[[nodiscard]] Table makeDragTable();
[[nodiscard]] Table makePinTable();
[[nodiscard]] Table makeGoalTable();
[[nodiscard]] Table makeFloorTable();
[[nodiscard]] Table makePoseTable();
[[nodiscard]] Table makeSettingsTable();

}  // namespace tenon::files
