#define DOCTEST_CONFIG_IMPLEMENT
#include <doctest/doctest.h>

#include <cstdlib>

int main(int argc, char** argv) {
  // Property tests try the same cases at every run, so that a change is judged by itself; `make properties` tries
  // others, and more.
  setenv("RC_PARAMS", "seed=1", 0);
  return doctest::Context(argc, argv).run();
}
