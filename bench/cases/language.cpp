// From text to mechanism: parsing, compiling and counting, by the number of solids. The time per solid
// must not grow with their number.
#include <memory>

#include "cases/cases.h"
#include "cases/scenes.h"

namespace tenon::bench {
namespace {

constexpr int kSizes[] = {100, 1000, 10'000, 100'000};

std::shared_ptr<Scene> parsed(const std::string& text) {
  auto scene = parseScene(text, "chain");
  return scene ? std::make_shared<Scene>(std::move(*scene)) : std::make_shared<Scene>();
}

Prepared parsing(const std::string& text, int links) {
  const auto failed = std::make_shared<bool>(false);
  Prepared prepared;
  prepared.solids = links;
  prepared.once = [text, failed] {
    const auto scene = parseScene(text, "chain");
    if (!scene) *failed = true;
    use(scene);
  };
  prepared.counters = [failed] {
    Counters counters;
    if (*failed) counters.failed = "does not parse";
    return counters;
  };
  return prepared;
}

Prepared compiling(int links) {
  const std::shared_ptr<Scene> scene = parsed(repeatedChain(links));
  Prepared prepared;
  prepared.solids = links;
  prepared.once = [scene] { use(compile(*scene)); };
  return prepared;
}

Prepared counting(int links) {
  const auto mechanism = std::make_shared<Mechanism>(mechanismOf(repeatedChain(links)));
  Prepared prepared;
  prepared.solids = links;
  prepared.once = [mechanism, control = initialControl(*mechanism),
                   state = initialState(*mechanism)] { use(count(*mechanism, control, state)); };
  return prepared;
}

}  // namespace

void addLanguageCases(Cases& cases) {
  for (const int links : kSizes) {
    const std::string size = std::to_string(links);
    const bool both = links == 1000;
    cases.push_back(
        {"parse/written/" + size, [links] { return parsing(writtenChain(links), links); }, both});
    cases.push_back(
        {"parse/repeated/" + size, [links] { return parsing(repeatedChain(links), links); }, both});
    cases.push_back({"compile/chain/" + size, [links] { return compiling(links); }, both});
    cases.push_back({"count/chain/" + size, [links] { return counting(links); }, both});
  }
}

}  // namespace tenon::bench
