// Four trees of one shape at a time, on any machine: registers of 128 bits.
#include "packed/tree_kernel.h"

namespace tenon::packed {

TreeOutcome stepTreesOver(const TreeFigures<Abreast>& figures, const KernelSettings& settings,
                          const StatePointers& state) {
  return TreeKernel<Abreast, true>(figures, settings, state).run();
}
TreeOutcome stepTreesAtEnd(const TreeFigures<Abreast>& figures, const KernelSettings& settings,
                           const StatePointers& state) {
  return TreeKernel<Abreast, false>(figures, settings, state).run();
}

}  // namespace tenon::packed
