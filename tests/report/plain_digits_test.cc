#include "report/bar.h"

#include <doctest/doctest.h>

#include "report/counted.h"

namespace orrery::report {

TEST_CASE("numbers in plain digits") {
  CHECK(plain_digits(590.4, 3) == "590");
  CHECK(plain_digits(1064, 3) == "1060");
  CHECK(plain_digits(-1.5e7, 3) == "-15000000");
  CHECK(plain_digits(2.5, 3) == "2.5");
  CHECK(plain_digits(0.00001234, 3) == "0.0000123");
  CHECK(plain_digits(0.0000999999, 3) == "0.0001");
  CHECK(plain_digits(0, 3) == "0");
}

TEST_CASE("a number and its noun") {
  CHECK(counted(1, "rank") == "1 rank");
  CHECK(counted(0, "rank") == "0 ranks");
  CHECK(counted(2000U, "rank") == "2,000 ranks");
  CHECK(counted(-3, "rank") == "-3 ranks");
  CHECK(counted(1, "process", "processes") == "1 process");
  CHECK(counted(2.0, "process", "processes") == "2 processes");
  CHECK(counted(1.5, "device") == "1.5 devices");
}

}  // namespace orrery::report
