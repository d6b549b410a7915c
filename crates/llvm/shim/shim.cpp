// The whole shim as one unit: most of the time of compiling goes into LLVM's headers.
#include "edit.cpp"
#include "facts.cpp"
#include "host.cpp"
#include "recurrences.cpp"
