#include "scrub/words/renamer.h"

#include <doctest/doctest.h>
#include <rapidcheck.h>

#include "scrub/small_scrub.h"

namespace orrery::scrub {
namespace {

using testing::fixed_key;

TEST_CASE("one text has one new text, in whichever spelling and file") {
  Renamer one(fixed_key()), two(fixed_key()), other(fixed_key(9));
  const std::string name(one.rename(Domain::name, "aten::mm"));
  CHECK(one.rename(Domain::name, "aten::mm") == name);
  CHECK(one.rename(Domain::name, "aten\\u003a:mm", true) == name);
  CHECK(two.rename(Domain::name, "aten::mm") == name);
  CHECK(other.rename(Domain::name, "aten::mm") != name);
  CHECK(one.rename(Domain::group, "tp") == "group." + to_hex(keyed_hash(fixed_key(), "tp")));
  CHECK(one.rename(Domain::name, "") == "");
}

TEST_CASE("words of a vocabulary stay, whatever else the text was used for") {
  Renamer renamer(fixed_key());
  CHECK(renamer.rename(Domain::text, "BFloat16", false, Vocabulary::data_type) == "BFloat16");
  CHECK(renamer.rename(Domain::text, "BFloat16").starts_with("text."));
  CHECK(renamer.rename(Domain::text, "BFloat16", false, Vocabulary::data_type) == "BFloat16");
  CHECK(renamer.rename(Domain::group, "17", false, Vocabulary::group) == "17");
  CHECK(renamer.rename(Domain::group, "mesh_tp", false, Vocabulary::group).starts_with("group."));
}

TEST_CASE("a ledger counts the names of all files once") {
  Renamer one(fixed_key()), two(fixed_key());
  one.rename(Domain::name, "a");
  one.rename(Domain::name, "b");
  two.rename(Domain::name, "b");
  two.rename(Domain::name, "\\u0062", true);
  two.rename(Domain::name, "c");
  RenameLedger ledger;
  REQUIRE(ledger.add(one).ok());
  REQUIRE(ledger.add(two).ok());
  REQUIRE(ledger.renamed(Domain::name).size() == 3);
  CHECK(ledger.renamed(Domain::name)[1].original == "b");
  CHECK(ledger.renamed(Domain::name)[1].uses == 3);
}

TEST_CASE("different texts have different new texts, without characters that JSON escapes") {
  rc::check([](const std::vector<std::string>& texts) {
    Renamer renamer(fixed_key());
    for (const std::string& text : texts) {
      const std::string made(renamer.rename(Domain::name, text));
      RC_ASSERT(made.find_first_of("\"\\\n") == std::string::npos);
      RC_ASSERT(text.empty() || made != text);
    }
    RenameLedger ledger;
    RC_ASSERT(ledger.add(renamer).ok());
  });
}

}  // namespace
}  // namespace orrery::scrub
