// Every setting of motion and of posing, by name: what it is, and where its value is. The list is tenon/setting_list.h.
#pragma once

#include <tenon/posing.h>
#include <tenon/scene.h>
#include <tenon/setting_list.h>
#include <tenon/step.h>

#include <cstdint>
#include <span>
#include <string_view>

namespace tenon {

// All that a scene's `settings`, a session or the command line may choose.
struct AllSettings {
  StepSettings step;
  PoseSettings pose;
  // How a pose follows a hand (the session's `pose`).
  struct Pull {
    AssemblyMethod method = AssemblyMethod::Newton;
    int iterations = 0;     // each time; 0: as many as `budget` allows
    LinearSettings linear;  // of Displacement
  } pull;
  double dt = 1.0 / 240;  // [s]
  double duration = 5;    // [s]
  double budget = 4;      // [ms] for one update of a pose that follows a hand
};

struct Setting {
  // A value in a AllSettings, and how to read it.
  struct Field {
    enum class Type : std::uint8_t { None, Double, Int, Seed, Bool, Enum };
    Type type = Type::None;
    void* (*place)(AllSettings&) = nullptr;
    std::span<const std::string_view> words;  // of an enumeration, in its order

    explicit operator bool() const { return type != Type::None; }
    // Of a number as it is, of a switch 0 or 1, of an enumeration the place of its word.
    [[nodiscard]] double value(const AllSettings& run) const;
    void set(AllSettings& run, double value) const;
  };

  std::string_view name;  // `linear-iterations`
  SettingKind kind = SettingKind::Switch;
  std::string_view unit;      // of numbers; empty: none
  double most = 0;            // of numbers, inclusive
  Field moving, posing;       // moving: of AllSettings::step, pull or its own; posing: of pose
  std::uint16_t methods = 0;  // of motion that take it: bits by Method
  std::uint8_t assembly = 0;  // of assembly: bits by AssemblyMethod
  std::string_view help;      // a sentence

  [[nodiscard]] bool isFor(Method method) const {
    return (methods >> static_cast<int>(method) & 1) != 0;
  }
  [[nodiscard]] bool isFor(AssemblyMethod method) const {
    return (assembly >> static_cast<int>(method) & 1) != 0;
  }
  [[nodiscard]] bool isNumber() const { return kind < SettingKind::Switch; }
  // Whether a number is one that it may have.
  [[nodiscard]] bool allows(double value) const;
};

// In the order of the list.
[[nodiscard]] std::span<const Setting> settingCatalogue();
[[nodiscard]] const Setting* findSetting(std::string_view name);  // null: there is none

// What a scene's `settings` say; the rest are the defaults. A method that only moves things (`energy`) says nothing about
// posing them, and one that only poses (`newton`) nothing about moving.
[[nodiscard]] AllSettings allSettingsOf(const Settings& settings);

}  // namespace tenon
