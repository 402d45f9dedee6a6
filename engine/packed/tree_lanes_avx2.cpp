// Four trees of one shape at a time, on a machine with AVX2. The build compiles this file for it where there
// is such a thing; elsewhere it is never called.
#include "packed/tree_kernel.h"

namespace tenon::packed {

TreeOutcome stepTreesOverAvx2(const TreeFigures<Abreast>& figures, const KernelSettings& settings,
                              const StatePointers& state) {
  return TreeKernel<Abreast, true>(figures, settings, state).run();
}
TreeOutcome stepTreesAtEndAvx2(const TreeFigures<Abreast>& figures, const KernelSettings& settings,
                               const StatePointers& state) {
  return TreeKernel<Abreast, false>(figures, settings, state).run();
}

}  // namespace tenon::packed
