// A file of its own, so that the compiler does not pair an inlined delete with a new that it cannot see.
#include "support/failing_new.inc"
