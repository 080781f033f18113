#include "base/suggest.h"

#include <doctest/doctest.h>

namespace orrery {
namespace {

using Words = std::vector<std::string_view>;

TEST_CASE("words are what stands between blanks, tabs and returns") {
  CHECK(split_words("one  two\tthree\r") == Words{"one", "two", "three"});
  CHECK(split_words("  @---") == Words{"@---"});
  CHECK(split_words("").empty());
  CHECK(split_words(" \t\r").empty());
  CHECK(split_words("a\nb") == Words{"a\nb"});  // lines are the caller's
}

TEST_CASE("the words of the line before are gone") {
  Words words = {"old"};
  split_words("new", words);
  CHECK(words == Words{"new"});
  split_words("", words);
  CHECK(words.empty());
}

}  // namespace
}  // namespace orrery
