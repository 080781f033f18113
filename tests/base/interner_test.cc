#include "base/interner.h"

#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <string>
#include <unordered_map>
#include <vector>

namespace orrery {

TEST_CASE("number 0 is the empty text") {
  Interner names;
  CHECK(names.size() == 1);
  CHECK(names.text(0).empty());
  CHECK(names.intern("") == 0);
  CHECK(names.find("") == 0);
}

TEST_CASE("the same text has the same number, other texts have others, in order of appearance") {
  CHECK(rc::check([](const std::vector<std::string>& texts) {
    Interner names;
    std::unordered_map<std::string, StringId> expected = {{"", 0}};
    for (const std::string& text : texts) {
      const StringId id = names.intern(text);
      RC_ASSERT(expected.try_emplace(text, static_cast<StringId>(expected.size())).first->second == id);
      RC_ASSERT(names.text(id) == text);
    }
    RC_ASSERT(names.size() == expected.size());
    for (const auto& [text, id] : expected) RC_ASSERT(names.find(text) == id);
    RC_ASSERT(expected.contains("no such text") || names.find("no such text") == Interner::kMissing);
  }));
}

TEST_CASE("views stay valid while it grows and when it is moved") {
  Interner names;
  std::vector<std::string_view> views;
  for (int i = 0; i < 100'000; ++i)
    views.push_back(names.text(names.intern("kernel_" + std::to_string(i) + std::string(i % 37, 'x'))));
  const char* first = views.front().data();
  const Interner moved = std::move(names);
  CHECK(moved.text(1).data() == first);
  bool same = true;
  for (std::size_t i = 0; i < views.size(); ++i)
    same = same && views[i] == "kernel_" + std::to_string(i) + std::string(i % 37, 'x');
  CHECK(same);
  CHECK(moved.size() == views.size() + 1);
  CHECK(moved.memory_bytes() > 0);
}

TEST_CASE("texts larger than a block, and texts with zero bytes") {
  Interner names;
  const std::string large(3'000'000, 'y');
  const StringId id = names.intern(large);
  const StringId zero = names.intern(std::string_view("a\0b", 3));
  CHECK(names.text(id) == large);
  CHECK(names.text(zero).size() == 3);
  CHECK(names.intern("a") != zero);
}

}  // namespace orrery
