// For the browser small code counts: a function that is called once for a scene, among others that steps call.
#pragma once

#ifdef __EMSCRIPTEN__
#define TENON_COLD __attribute__((minsize))
#else
#define TENON_COLD
#endif
