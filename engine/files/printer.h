// Writes the scene language: words, numbers, statements, blocks, and every thing of a scene in full.
//
// Numbers come in the shortest form that reads back to the same double. What the language cannot say (a name with a
// space in it, a number that is not finite) is written so that no statement can take it, and reading says so.
#pragma once

#include <tenon/scene.h>

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tenon::files {

class Printer {
 public:
  // Appends to `out`, inside of a block that was opened before or not.
  explicit Printer(std::string& out, bool inside = false) : out_(out), inside_(inside) {}

  // -------------------------------------------------------------------------------- blocks, words

  void open(std::string_view keyword, std::initializer_list<std::string_view> names = {});
  void close();

  Printer& begin(std::string_view keyword);
  void end() { out_ += ";\n"; }

  Printer& word(std::string_view w);  // nothing, if it is empty
  Printer& name(std::string_view w);  // where there must be one
  Printer& number(double v);
  Printer& integer(std::uint32_t v);
  Printer& vector(const Vec3& v) { return number(v.x).number(v.y).number(v.z); }
  Printer& quaternion(const Quat& q) { return number(q.x).number(q.y).number(q.z).number(q.w); }
  Printer& string(std::string_view text);

  // ------------------------------------------------------------------------------ whole statements

  void statement(std::string_view keyword, double v) { begin(keyword).number(v).end(); }
  void statement(std::string_view keyword, const Vec3& v) { begin(keyword).vector(v).end(); }
  void statement(std::string_view keyword, const Quat& q) { begin(keyword).quaternion(q).end(); }
  void statement(std::string_view keyword, std::string_view w) { begin(keyword).word(w).end(); }
  void statement(std::string_view keyword, const Colour& c) {
    begin(keyword).number(c.r).number(c.g).number(c.b).end();
  }
  void named(std::string_view keyword, std::string_view n) { begin(keyword).name(n).end(); }
  template <class T>
  void given(std::string_view keyword, const std::optional<T>& v) {
    if (v) statement(keyword, *v);
  }
  void given(std::string_view keyword, const std::string& name) {
    if (!name.empty()) statement(keyword, std::string_view(name));
  }
  void unless(double usual, std::string_view keyword, double v) {
    if (v != usual) statement(keyword, v);
  }
  void unless(const Vec3& usual, std::string_view keyword, const Vec3& v) {
    if (v != usual) statement(keyword, v);
  }
  void flag(std::string_view keyword, bool isSet) {
    if (isSet) begin(keyword).end();
  }
  void active(const std::vector<Interval>& intervals) {
    for (const Interval& i : intervals) begin("active").interval(i).end();
  }
  void inertia(const Mat3& I);
  void groups(const std::vector<std::string>& names);
  void couple(const CoupledCoordinate& term);
  void carrier(const CoupledCoordinate& term);

  // ----------------------------------------------------------------------------------------- things

  void print(const Material& m);
  void print(const Shape& shape);
  void print(const PathKey& key);
  void print(const Solid& s);
  void print(const JointOption& option);
  void print(const CoordinateRule& r);
  void print(const Joint& j);
  void print(const Force& f);
  void print(const Torque& t);
  void print(const Muscle& m);
  void print(const Spring& s);
  void print(const Drag& d);
  void print(const Pin& p);
  void print(const Goal& g);
  void print(const Floor& f);
  void print(const KeyPose::SolidPose& s);
  void print(const KeyPose::CoordinateValue& c);
  void print(const KeyPose& pose);
  void print(const Settings& s);
  void print(const Parameter& p);
  void print(const Event& e);
  void print(const Expectation& e);
  void print(const Scene& scene);

 private:
  Printer& interval(const Interval& i) {
    number(i.begin);
    return i.end == kInfinity ? *this : number(i.end);
  }
  Printer& activeClauses(const std::vector<Interval>& intervals) {
    for (const Interval& i : intervals) word("active").interval(i);
    return *this;
  }
  Printer& clauseUnless(double usual, std::string_view keyword, double v) {
    return v == usual ? *this : word(keyword).number(v);
  }
  Printer& poseClauses(const Pose& X) {
    if (X.p != Vec3{}) word("at").vector(X.p);
    if (X.q != Quat{}) word("orientation").quaternion(X.q);
    return *this;
  }
  Printer& signal(const Signal& s, std::string_view offset);
  void axes(Axes a) {
    if (a == Axes::Body) statement("axes", std::string_view("body"));
  }

  std::string& out_;
  bool inside_;
};

}  // namespace tenon::files
