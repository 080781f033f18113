#include "scrub/key.h"

#include <doctest/doctest.h>
#include <sys/stat.h>

#include "scrub/small_scrub.h"

namespace orrery::scrub {
namespace {

using testing::fixed_key;

TEST_CASE("the hash is HMAC-SHA-256, cut to 64 bits") {
  CHECK(to_hex(keyed_hash(fixed_key(), "aten::mm")) == "fcf7b755457097c5");
  CHECK(keyed_hash(fixed_key(1), "aten::mm") != keyed_hash(fixed_key(), "aten::mm"));
  CHECK(to_hex(0) == "0000000000000000");
}

TEST_CASE("a key file is made once, for its owner alone, and used again") {
  const orrery::testing::TempDir folder;
  const std::string path = folder.path("key");
  const auto made = load_or_create_key(path);
  REQUIRE(made.ok());
  struct stat info {};
  REQUIRE(::stat(path.c_str(), &info) == 0);
  CHECK((info.st_mode & 0777) == 0600);
  const auto again = load_or_create_key(path);
  REQUIRE(again.ok());
  CHECK(*again == *made);
  const auto other = random_key();
  REQUIRE(other.ok());
  CHECK(*other != *made);
}

TEST_CASE("what is no key is refused, and not replaced by one") {
  const orrery::testing::TempDir folder;
  const std::vector<std::string> texts{"", "secret", "zz", std::string(64, 'g'), std::string(66, '0')};
  for (const std::string& text : texts) {
    const std::string path = folder.write("key", text);
    CHECK_FALSE(load_or_create_key(path).ok());
    CHECK(orrery::testing::read_file(path) == text);
  }
  CHECK_FALSE(load_or_create_key(folder.path("missing/key")).ok());
}

}  // namespace
}  // namespace orrery::scrub
