// One tree at a time.
#include "packed/tree_kernel.h"

namespace tenon::packed {

TreeOutcome stepTreeOver(const TreeFigures<double>& figures, const KernelSettings& settings,
                         const StatePointers& state) {
  return TreeKernel<double, true>(figures, settings, state).run();
}
TreeOutcome stepTreeAtEnd(const TreeFigures<double>& figures, const KernelSettings& settings,
                          const StatePointers& state) {
  return TreeKernel<double, false>(figures, settings, state).run();
}

}  // namespace tenon::packed
