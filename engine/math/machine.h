// What the machine that runs this has.
#pragma once

namespace tenon {

#if defined(__x86_64__) && defined(__GNUC__)
inline bool hasAvx2() { return __builtin_cpu_supports("avx2") != 0; }
#else
// Seen by every compiler, however little it inlines: what is for AVX2 only is then left out.
[[gnu::always_inline]] inline bool hasAvx2() { return false; }
#endif

}  // namespace tenon
