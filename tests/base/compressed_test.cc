#include "base/io/gzip.h"

#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <string>

namespace orrery {

TEST_CASE("what was compressed comes back") {
  CHECK(rc::check([](const std::string& bytes) { RC_ASSERT(Compressed(bytes).bytes() == bytes); }));
  CHECK(Compressed().empty());
  CHECK(Compressed("").bytes().empty());
}

TEST_CASE("what repeats itself takes less room") {
  std::string bytes;
  for (int i = 0; i < 100'000; ++i) bytes += std::to_string(i % 7);
  const Compressed compressed(bytes);
  CHECK(compressed.bytes() == bytes);
  CHECK(compressed.memory_bytes() < bytes.size() / 100);
}

}  // namespace orrery
