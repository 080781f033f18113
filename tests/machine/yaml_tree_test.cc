#include "machine/yaml/yaml_tree.h"

#include <doctest/doctest.h>
#include <rapidcheck.h>

using orrery::machine::parse_yaml;
using orrery::machine::YamlNode;

namespace {

std::string tree_error_of(const std::string& text) {
  const auto tree = parse_yaml(text, "m.yaml");
  return tree.ok() ? std::string() : tree.error().to_string();
}

std::string repeated(std::string_view part, int times) {
  std::string text;
  for (int i = 0; i < times; ++i) text += part;
  return text;
}

}  // namespace

TEST_CASE("values, keys and their lines") {
  const auto tree = parse_yaml("# comment\nname: 'x: y'\nlist:\n  - 1\n  - {a: b}\nempty:\n", "m.yaml");
  REQUIRE(tree.ok());
  CHECK(tree->kind == YamlNode::Kind::mapping);
  REQUIRE(tree->children.size() == 3);
  CHECK(tree->find("name")->text == "x: y");
  CHECK(tree->find("name")->quoted);
  CHECK(tree->find("name")->key_line == 2);
  const YamlNode& list = *tree->find("list");
  REQUIRE(list.children.size() == 2);
  CHECK(list.children[0].text == "1");
  CHECK_FALSE(list.children[0].quoted);
  CHECK(list.children[1].line == 5);
  CHECK(list.children[1].find("a")->text == "b");
  CHECK(tree->find("empty")->kind == YamlNode::Kind::null);
  CHECK(tree->find("absent") == nullptr);
}

TEST_CASE("what is refused, and where") {
  CHECK(tree_error_of("") == "m.yaml: is empty");
  CHECK(tree_error_of("# only a comment\n") == "m.yaml: is empty");
  CHECK(tree_error_of("a: 1\nb: 2\na: 3\n") == "m.yaml: line 3: the key 'a' is given twice (first on line 1)");
  CHECK(tree_error_of("a: 1\n---\nb: 2\n").starts_with("m.yaml: line 2: a second document starts here"));
  CHECK(tree_error_of("a: !!python/object x\n").starts_with("m.yaml: line 1: the tag"));
  CHECK(tree_error_of("a: &x 1\nb: *x\n").starts_with("m.yaml: line 1: anchors (&) and aliases (*) are not supported"));
  CHECK(tree_error_of("a: *x\n").starts_with("m.yaml: line 1: "));
  CHECK(tree_error_of("? [a, b]\n: 1\n").starts_with("m.yaml: line 1: a key must be plain text"));
  CHECK(tree_error_of("a: 1\nb: [1, 2\n").find("not valid YAML") != std::string::npos);
  CHECK(tree_error_of("a: 1\n\tb: 2\n").starts_with("m.yaml: line "));
  CHECK(tree_error_of("a: \"\\q\"\n").starts_with("m.yaml: line 1: not valid YAML"));
  CHECK(tree_error_of("a: 1\nb: \x04\nc: 2\n").starts_with("m.yaml: line 2: holds a control character"));
  CHECK(tree_error_of(std::string("a: \0b\n", 6)).starts_with("m.yaml: line 1: holds a control character"));
  CHECK(tree_error_of("a: \xff\xfe\n").starts_with("m.yaml: is not UTF-8"));
}

TEST_CASE("bombs are refused quickly") {
  CHECK(tree_error_of(repeated("[", 500'000)).find("nested more than 16 deep") != std::string::npos);
  CHECK(tree_error_of(repeated("{a: ", 200'000)).find("nested more than 16 deep") != std::string::npos);
  CHECK(tree_error_of(repeated("- ", 400'000)).find("nested more than 16 deep") != std::string::npos);
  CHECK(tree_error_of(repeated("? ", 400'000)).starts_with("m.yaml: line 1: "));
  CHECK(tree_error_of(repeated("- 1\n", 200'000)).find("more than 20000 entries") != std::string::npos);
  CHECK(tree_error_of("[" + repeated("1,", 400'000)).find("more than 20000 entries") != std::string::npos);
  std::string keys;
  for (int i = 0; i < 50'000; ++i) keys += "k" + std::to_string(i) + ": 1\n";
  CHECK(tree_error_of(keys).find("more than 1000 entries") != std::string::npos);
  CHECK(tree_error_of(std::string((1 << 20) + 1, 'x')).find("is larger than 1048576 bytes") != std::string::npos);
  CHECK(tree_error_of("a: " + std::string(1'000'000, 'x') + "\n").empty());
  CHECK(tree_error_of("a: &a [x, x]\nb: &b [*a, *a]\nc: &c [*b, *b]\n").find("aliases (*) are not supported") !=
        std::string::npos);
}

TEST_CASE("property: whatever the text, the parser returns") {
  CHECK(rc::check("YAML-like noise", [] {
    const auto piece =
        rc::gen::element<std::string>(": ", "- ", "\n", "\n  ", "a", "b1", "[", "]", "{", "}", ",", "'", "\"", "\\",
                                      "&a ", "*a", "!t ", "? ", "|\n", ">", "#", "%YAML 1.2\n", "---\n", "...\n", "\t",
                                      "<<: ", "@", "`", "~", "\xc3\xa9", "\xef\xbb\xbf", "0x1F", "-.inf", "=");
    std::string text;
    for (const std::string& part : *rc::gen::container<std::vector<std::string>>(piece)) text += part;
    const auto tree = parse_yaml(text, "m.yaml");
    if (!tree.ok()) RC_ASSERT(tree.error().file == "m.yaml");
  }));
}
