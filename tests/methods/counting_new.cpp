// The same counter as of the joints' tests.
#include "joints/counting_new.cpp"
