// Counts what operator new gives out, for tests of steps that promise not to ask.
#include "joints/counting_new.cpp"
