// What the machine that runs this has.
#pragma once

namespace tenon {

#if defined(__x86_64__) && defined(__GNUC__)
inline bool hasAvx2() { return __builtin_cpu_supports("avx2") != 0; }
#else
// Seen by every compiler, however little it inlines: what is for AVX2 only is then left out.
[[gnu::always_inline]] inline bool hasAvx2() { return false; }
#endif

// A function that is compiled twice, and goes by the wide registers where the machine has them: with the same bits, as nothing is
// contracted or reordered. Not under the sanitizers, which are not there yet when the choice is made.
#if defined(__x86_64__) && defined(__linux__) && !defined(__SANITIZE_ADDRESS__) && \
    !defined(__SANITIZE_THREAD__)
#define TENON_WIDE __attribute__((target_clones("avx2", "default")))
#else
#define TENON_WIDE
#endif

}  // namespace tenon
