#include "session/recording.h"

#include <cstring>

#include "session/members.h"
#include "session/read_json.h"

namespace tenon {
namespace {

enum : unsigned { kMove = 0, kPose = 1, kStep = 2, kFirstFlag = 4, kSecondFlag = 8 };
constexpr std::size_t kLongestTrail = 1u
                                      << 16;  // [byte] half a minute and more: a command is to end

std::uint64_t bitsOf(double x) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, &x, sizeof bits);
  return bits;
}
double numberOf(std::uint64_t bits) {
  double x = 0;
  std::memcpy(&x, &bits, sizeof x);
  return x;
}

// Small above and below zero, to small: 0, -1, 1, -2 … to 0, 1, 2, 3 …
std::uint64_t folded(std::uint64_t difference) {
  return difference << 1u ^ (difference >> 63u != 0 ? ~std::uint64_t{0} : 0);
}
std::uint64_t unfolded(std::uint64_t code) {
  return code >> 1u ^ ((code & 1u) != 0 ? ~std::uint64_t{0} : 0);
}

void writeWhole(std::string& bytes, std::uint64_t n) {
  for (; n >= 128; n >>= 7u) bytes += static_cast<char>((n & 127u) | 128u);
  bytes += static_cast<char>(n);
}
void writeBytes(std::string& bytes, std::uint64_t n, unsigned count) {
  for (unsigned i = 0; i < count; ++i) bytes += static_cast<char>((n >> 8 * i) & 255u);
}
unsigned bytesIn(std::uint64_t n) {
  unsigned count = 0;
  for (; n != 0; n >>= 8u) ++count;
  return count;
}

constexpr std::string_view kDigits =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

std::string toBase64(std::string_view bytes) {
  std::string text;
  unsigned bits = 0;
  int count = 0;
  for (const char c : bytes) {
    bits = (bits << 8u | static_cast<unsigned char>(c)) & 0xffffu;
    for (count += 8; count >= 6; count -= 6) text += kDigits[bits >> (count - 6) & 63u];
  }
  if (count > 0) text += kDigits[bits << (6 - count) & 63u];
  return text;
}
bool fromBase64(std::string_view text, std::string& bytes) {
  unsigned bits = 0;
  int count = 0;
  for (const char c : text) {
    const std::size_t digit = kDigits.find(c);
    if (digit == std::string_view::npos) return false;
    bits = (bits << 6u | static_cast<unsigned>(digit)) & 0xffffu;
    count += 6;
    if (count < 8) continue;
    count -= 8;
    bytes += static_cast<char>(bits >> count & 255u);
  }
  return true;
}

Json stepping(int count, double dt) {
  Json command;
  Members{command}("do", "step")("dt", dt)("count", count);
  return command;
}

}  // namespace

void Trail::move(int hand, const std::vector<double>& numbers) {
  const bool other = hand != memory_.hand;
  bytes_ += static_cast<char>(kMove | (numbers.size() > 3 ? kFirstFlag : 0u) |
                              (other ? kSecondFlag : 0u));
  if (other) writeWhole(bytes_, static_cast<std::uint64_t>(hand));
  memory_.hand = hand;
  Track& track = memory_.tracks[hand];
  std::string sizes((numbers.size() + 1) / 2, '\0'), rest;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const std::uint64_t bits = bitsOf(numbers[i]);
    const std::uint64_t code = folded(bits - track.guess(static_cast<int>(i)));
    track.take(static_cast<int>(i), bits);
    const unsigned size = bytesIn(code);
    sizes[i / 2] =
        static_cast<char>(static_cast<unsigned char>(sizes[i / 2]) | size << 4 * (i % 2));
    writeBytes(rest, code, size);
  }
  bytes_ += sizes;
  bytes_ += rest;
}

void Trail::pose(int iterations) {
  const bool same = iterations == memory_.iterations;
  bytes_ += static_cast<char>(kPose | (same ? kFirstFlag : 0u));
  if (!same) writeWhole(bytes_, static_cast<std::uint64_t>(iterations));
  memory_.iterations = iterations;
}

void Trail::step(int count, double dt) {
  const bool same = dt == memory_.dt;
  bytes_ += static_cast<char>(kStep | (same ? kFirstFlag : 0u));
  if (!same) writeBytes(bytes_, bitsOf(dt), 8);
  writeWhole(bytes_, static_cast<std::uint64_t>(count));
  memory_.dt = dt;
}

std::string Trail::inBase64() const { return toBase64(bytes_); }

// Where bytes end too early, or say what cannot be, it is no longer good.
class Trail::Reader {
 public:
  explicit Reader(std::string_view bytes) : bytes_(bytes) {}

  bool readAll(std::vector<Command>& commands) {
    while (good_ && at_ < bytes_.size()) commands.push_back(next());
    return good_;
  }

 private:
  unsigned byte() {
    good_ = good_ && at_ < bytes_.size();
    return good_ ? static_cast<unsigned char>(bytes_[at_++]) : 0u;
  }
  int whole() {
    std::uint64_t n = 0;
    unsigned shift = 0, next = 0;
    do {
      next = byte();
      n |= std::uint64_t{next & 127u} << shift;
      shift += 7;
    } while (next >= 128 && shift < 35);
    good_ = good_ && next < 128 && n <= 0x7fffffffu;
    return good_ ? static_cast<int>(n) : 0;
  }
  std::uint64_t several(unsigned count) {
    std::uint64_t n = 0;
    for (unsigned i = 0; i < count; ++i) n |= std::uint64_t{byte()} << 8 * i;
    return n;
  }

  Command next() {
    const unsigned head = byte();
    const bool first = (head & kFirstFlag) != 0, second = (head & kSecondFlag) != 0;
    switch (head & ~(kFirstFlag | kSecondFlag)) {
      case kMove:
        return move(first ? 7 : 3, second);
      case kPose:
        if (!first) memory_.iterations = whole();
        good_ = good_ && memory_.iterations >= 0;
        return commands::Pose{{}, memory_.iterations};
      case kStep: {
        if (!first) memory_.dt = numberOf(several(8));
        commands::Step step;
        step.count = whole();
        step.dt = memory_.dt;
        return step;
      }
      default:
        good_ = false;
        return commands::Pose{};
    }
  }

  commands::Move move(int count, bool other) {
    if (other) memory_.hand = whole();
    Track& track = memory_.tracks[memory_.hand];
    unsigned sizes[8] = {};
    for (int i = 0; i < count; i += 2) {
      const unsigned two = byte();
      sizes[i] = two & 15u;
      sizes[i + 1] = two >> 4u;
    }
    double numbers[7] = {};
    for (int i = 0; i < count; ++i) {
      good_ = good_ && sizes[i] <= 8;
      if (!good_) return {};
      const std::uint64_t bits = track.guess(i) + unfolded(several(sizes[i]));
      track.take(i, bits);
      numbers[i] = numberOf(bits);
    }
    commands::Move command;
    command.id = memory_.hand;
    command.target = {numbers[0], numbers[1], numbers[2]};
    if (count > 3) command.orientation = Quat{numbers[3], numbers[4], numbers[5], numbers[6]};
    return command;
  }

  std::string_view bytes_;
  std::size_t at_ = 0;
  bool good_ = true;
  Memory memory_;
};

bool Trail::read(std::string_view base64, std::vector<Command>& commands) {
  std::string bytes;
  return fromBase64(base64, bytes) && Reader(bytes).readAll(commands);
}

void Recording::begin(const Json& command) {
  *this = {};
  add(command);
}

void Recording::add(const commands::Step& command) {
  const double dt = command.dt.value_or(0);
  if (steps_ && (dt != steps_->dt || steps_->count > kMostSteps - command.count)) closeSteps();
  steps_ = Steps{(steps_ ? steps_->count : 0) + command.count, dt};
  if (stepsEnd_) closeSteps();
  stepsEnd_ = false;
}

void Recording::add(const commands::Pose& command) {
  closeSteps();
  if (trail_.bytes().size() > kLongestTrail) closeTrail();
  trail_.pose(command.iterations.value_or(0));
}

void Recording::add(const commands::Move& command) {
  closeSteps();
  if (trail_.bytes().size() > kLongestTrail) closeTrail();
  std::vector<double> numbers{command.target.x, command.target.y, command.target.z};
  if (const auto& q = command.orientation) numbers.insert(numbers.end(), {q->x, q->y, q->z, q->w});
  trail_.move(command.id, numbers);
}

void Recording::add(const Json& command) {
  closeSteps();
  closeTrail();
  last_ = lines_.size();
  lines_ += command.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

void Recording::replaceLast(const Json& command) {
  lines_.resize(last_);
  add(command);
}

// Steps are a command that people can read, unless they belong to a pull.
void Recording::closeSteps() {
  if (!steps_) return;
  if (trail_.bytes().empty())
    lines_ += stepping(steps_->count, steps_->dt).dump() + "\n";
  else
    trail_.step(steps_->count, steps_->dt);
  steps_.reset();
}

void Recording::closeTrail() {
  if (trail_.bytes().empty()) return;
  Json command;
  Members{command}("do", "follow")("trail", trail_.inBase64());
  lines_ += command.dump() + "\n";
  trail_ = {};
}

Json Recording::commands() const {
  Recording closed = *this;
  closed.closeSteps();
  closed.closeTrail();
  Json list = Json::array();
  const std::string& lines = closed.lines_;
  for (std::size_t begin = 0; begin < lines.size();) {
    const std::size_t end = lines.find('\n', begin);
    list.push_back(readJson({lines.data() + begin, end - begin}));
    begin = end + 1;
  }
  return list;
}

}  // namespace tenon
