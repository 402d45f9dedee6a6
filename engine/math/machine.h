// What the machine that runs this has.
#pragma once

namespace tenon {

#if defined(__x86_64__) && defined(__GNUC__)
inline bool hasAvx2() { return __builtin_cpu_supports("avx2") != 0; }
#else
inline bool hasAvx2() { return false; }
#endif

}  // namespace tenon
