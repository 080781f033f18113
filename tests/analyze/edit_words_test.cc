// Words for kinds of time, and patterns that match one name only.
#include "analyze/whatif/edit_language.h"

#include <doctest/doctest.h>

using namespace orrery;
using namespace orrery::analyze;
using causal::EdgeKind;

TEST_CASE("every kind of work has a word of its own, every delay is a gap") {
  CHECK(word_of(EdgeKind::cpu_operator) == "op");
  CHECK(word_of(EdgeKind::kernel) == "kernel");
  CHECK(word_of(EdgeKind::communication) == "comm");
  CHECK(word_of(EdgeKind::launch_delay) == "");
  CHECK(word_of(EdgeKind::order) == "");
  CHECK(gap_word_of(EdgeKind::launch_delay) == "launch");
  CHECK(gap_word_of(EdgeKind::idle_thread) == "idle");
  CHECK(gap_word_of(EdgeKind::idle_device) == "idle");
  CHECK(gap_word_of(EdgeKind::kernel) == "");
  for (std::size_t k = 0; k < causal::kEdgeKinds; ++k) {
    const auto kind = static_cast<EdgeKind>(k);
    CHECK((word_of(kind).empty() && gap_word_of(kind).empty()) == (kind == EdgeKind::order));
  }
}

TEST_CASE("the pattern of a name matches it, and nothing that merely looks like it") {
  for (const std::string name : {"aten::mm", "Memcpy HtoD (Pinned -> Device)", "void f<int>(float*, char?)",
                                 "a \"quoted\" one", "a/b*c\\d", "x.*y", "two\nlines*", "\u00fcber*"}) {
    CAPTURE(name);
    const auto parsed = parse_edit("kernel:" + exact_pattern(name) + " * 2");
    REQUIRE(std::holds_alternative<EditRule>(parsed));
    const NamePattern& pattern = std::get<EditRule>(parsed).name;
    CHECK(pattern.matches(name));
    CHECK_FALSE(pattern.matches(name + "x"));
    CHECK_FALSE(pattern.matches("x" + name));
    std::string other = name;
    for (char& c : other) c = c == '*' || c == '?' ? 'z' : c;
    if (other != name) CHECK_FALSE(pattern.matches(other));
  }
}
