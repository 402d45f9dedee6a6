// Four trees of one shape at a time, on any machine: registers of 128 bits. In WebAssembly two.
#include "packed/tree_kernel.h"

namespace tenon::packed {

namespace {

// Out of line, so that there is but one where it is for both.
template <bool Over>
TENON_OUT_OF_LINE TreeOutcome stepTrees(const TreeFigures<Abreast>& figures,
                                        const KernelSettings& settings, const StatePointers& state,
                                        bool over) {
  return TreeKernel<Abreast, Over>(figures, settings, state, over).run();
}

}  // namespace

TreeOutcome stepTreesOver(const TreeFigures<Abreast>& figures, const KernelSettings& settings,
                          const StatePointers& state) {
  return stepTrees<true>(figures, settings, state, true);
}
TreeOutcome stepTreesAtEnd(const TreeFigures<Abreast>& figures, const KernelSettings& settings,
                           const StatePointers& state) {
  return stepTrees<kOneForBoth>(figures, settings, state, false);
}

}  // namespace tenon::packed
