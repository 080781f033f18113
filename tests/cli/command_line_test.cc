#include "cli/frame/command_line.h"

#include <doctest/doctest.h>

#include "cli/sample_verb.h"

namespace orrery::cli {
namespace {

using Words = std::vector<std::string>;

CommandLine parse(const Words& arguments) { return parse_command_line(arguments, sample_table()); }

std::string error_of(const Words& arguments) {
  const CommandLine line = parse(arguments);
  return line.error ? line.error->message + " | " + line.error->hint : "";
}

}  // namespace

TEST_CASE("flags and operands in every spelling") {
  for (const Words& arguments :
       {Words{"sample", "--annotation", "x", "f.json", "--strict"},
        Words{"sample", "--annotation=x", "--strict", "f.json"}, Words{"sample", "-a", "x", "-s", "f.json"},
        Words{"sample", "-sax", "f.json"}, Words{"sample", "-sa", "x", "--", "f.json"}}) {
    const CommandLine line = parse(arguments);
    REQUIRE_FALSE(line.error);
    CHECK(line.verb == &sample_verb());
    CHECK(line.flags.at("annotation") == Words{"x"});
    CHECK(line.has("strict"));
    CHECK(line.operands == Words{"f.json"});
  }
}

TEST_CASE("global flags stand before the verb or after it") {
  for (const Words& arguments : {Words{"--json", "--threads", "3", "sample"}, Words{"sample", "--json", "--threads=3"},
                                 Words{"--json", "sample", "--threads", "3"}}) {
    const CommandLine line = parse(arguments);
    REQUIRE_FALSE(line.error);
    CHECK(line.has("json"));
    CHECK(line.flags.at("threads") == Words{"3"});
  }
}

TEST_CASE("an empty value is a value") {
  CHECK(parse({"sample", "--annotation", ""}).flags.at("annotation") == Words{""});
  CHECK(parse({"sample", "--annotation="}).flags.at("annotation") == Words{""});
  CHECK(parse({"sample", "-a", ""}).flags.at("annotation") == Words{""});
}

TEST_CASE("after -- everything is an operand, and a single dash is one anyway") {
  CHECK(parse({"sample", "--", "--strict", "--"}).operands == Words{"--strict", "--"});
  CHECK(parse({"sample", "-"}).operands == Words{"-"});
}

TEST_CASE("a value with '=' or dashes in it") {
  CHECK(parse({"sample", "--edit=gap:launch = 0"}).flags.at("edit") == Words{"gap:launch = 0"});
  CHECK(parse({"sample", "--edit", "-5"}).flags.at("edit") == Words{"-5"});
  CHECK(parse({"sample", "--edit=--strict"}).flags.at("edit") == Words{"--strict"});
  CHECK(error_of({"sample", "--edit", "--strict"}).find("the flag --strict follows") != std::string::npos);
}

TEST_CASE("repeatable flags keep their order, others are refused the second time") {
  CHECK(parse({"sample", "--edit", "a", "-e", "b", "--edit=c"}).flags.at("edit") == Words{"a", "b", "c"});
  CHECK(error_of({"sample", "--strict", "--strict"}) == "--strict is given twice | ");
  CHECK(error_of({"--json", "sample", "--json"}) == "--json is given twice | ");
  CHECK(error_of({"sample", "-aone", "--annotation", "two"}) == "--annotation is given twice | ");
}

TEST_CASE("a former name of a flag is its name, and is remarked on") {
  const CommandLine line = parse({"sample", "--times", "2"});
  REQUIRE_FALSE(line.error);
  CHECK(line.flags.at("factor") == Words{"2"});
  CHECK_FALSE(line.has("times"));
  CHECK(line.renamed == Words{"--times is now --factor"});
  CHECK(parse({"sample", "--factor", "2"}).renamed.empty());
  CHECK(parse({"sample", "--factor", "2", "--times", "3"}).error.has_value());  // given twice
}

TEST_CASE("what is not known is refused with a suggestion") {
  CHECK(error_of({"smaple"}) == "there is no verb 'smaple' | did you mean `orrery sample`?");
  CHECK(error_of({"xyzzy"}) == "there is no verb 'xyzzy' | `orrery --help` lists the verbs");
  CHECK(error_of({"sample", "--anotation=x"}) == "sample has no flag --anotation | did you mean --annotation?");
  CHECK(error_of({"sample", "--jsno"}) == "sample has no flag --jsno | did you mean --json?");
  CHECK(error_of({"--overlay", "x", "sample"}) ==
        "there is no flag --overlay | --overlay is a flag of `sample`: write it after the verb");
  CHECK(error_of({"man", "--overlay", "x"}) == "man has no flag --overlay | --overlay is a flag of `sample`");
  CHECK(error_of({"sample", "-x"}).starts_with("there is no flag -x | "));
  CHECK(error_of({"sample", "--outcome", "chek"}).find("did you mean check?") != std::string::npos);
}

TEST_CASE("values are checked, and the message points at the character") {
  const CommandLine line = parse({"sample", "--instance", "7x"});
  REQUIRE(line.error);
  CHECK(line.error->message == "--instance: '7x' is not an integer");
  CHECK(line.error->excerpt() == "  --instance 7x\n              ^\n");
  CHECK(parse({"sample", "--limit=-1"}).error->excerpt() == "  --limit=-1\n          ^\n");
  CHECK(error_of({"sample", "--limit", "99999999999999999999"}) == "--limit: '99999999999999999999' is too large | ");
  CHECK(error_of({"sample", "--factor", "nan"}) == "--factor: 'nan' must be finite | ");
  CHECK(error_of({"sample", "--factor", "1.5e"}) == "--factor: '1.5e' is not a number | ");
  CHECK(error_of({"sample", "--overlay", ""}) == "--overlay: '' is not a path | ");
  CHECK(error_of({"sample", "--strict=yes"}) == "--strict takes no value | ");
  CHECK(error_of({"sample", "--annotation"}).starts_with("--annotation needs a value: TEXT"));
}

TEST_CASE("operands are counted and checked") {
  CHECK(error_of({"sample", "a", "b", "c"}) ==
        "sample takes at most 2: 'c' is one too many | `orrery sample --help` says what it takes");
  CHECK(error_of({"man", "x"}).starts_with("man takes no operands, but 'x' was given"));
  CHECK(error_of({"completion"}).starts_with("completion needs SHELL"));
  CHECK(error_of({"completion", "bsh"}) == "'bsh' is not one of: bash, zsh, fish (did you mean bash?) | ");
  CHECK(error_of({"help", "smple"})
            .starts_with("'smple' is not one of: sample, help, completion, man (did you mean sample?)"));
}

TEST_CASE("--help forgives everything but an unknown verb; --json is seen in spite of an error") {
  CHECK_FALSE(parse({"completion", "--help"}).error);
  CHECK_FALSE(parse({"sample", "--nonsense", "--help"}).error);
  CHECK(parse({"nonsense", "--help"}).error);
  CHECK(parse({"sample", "--nonsense", "--json"}).has("json"));
  CHECK_FALSE(parse({"sample", "--nonsense", "--", "--json"}).has("json"));
}

TEST_CASE("the command can be typed again") {
  CHECK(parse({"sample", "--edit", "it's * 2", "a.json", ""}).command ==
        "orrery sample --edit 'it'\\''s * 2' a.json ''");
}

namespace {

const Verb& first_sub_verb() {
  static const Verb verb = {.name = "family first",
                            .summary = "one",
                            .operands = {.name = "FILE", .min = 0, .max = 1},
                            .flags = {{.name = "both"}, {.name = "own", .value_name = "N", .kind = ValueKind::count}},
                            .run = run_sample};
  return verb;
}
const Verb& second_sub_verb() {
  static const Verb verb = {
      .name = "family second", .summary = "two", .flags = {{.name = "both"}, {.name = "other"}}, .run = run_sample};
  return verb;
}
CommandLine parse_family(const Words& arguments) {
  static const Verb family = {.name = "family",
                              .summary = "both",
                              .operands = {.name = "WHAT", .min = 1, .max = 2},
                              .sub_verbs = {&first_sub_verb(), &second_sub_verb()}};
  static const Verb* const table[] = {&family, &sample_verb()};
  return parse_command_line(arguments, table);
}
std::string family_error(const Words& arguments) {
  const CommandLine line = parse_family(arguments);
  return line.error ? line.error->message + " | " + line.error->hint : "";
}

}  // namespace

TEST_CASE("the first operand chooses a sub-verb, and flags may stand before it") {
  for (const Words& arguments :
       {Words{"family", "first", "--own", "3", "x"}, Words{"family", "--own", "3", "first", "x"},
        Words{"family", "--own=3", "--", "first", "x"}}) {
    const CommandLine line = parse_family(arguments);
    REQUIRE_FALSE(line.error);
    CHECK(line.verb == &first_sub_verb());
    CHECK(line.flags.at("own") == Words{"3"});
    CHECK(line.operands == Words{"x"});
  }
  CHECK(parse_family({"family", "second", "--both"}).verb == &second_sub_verb());
  // Only the first does.
  CHECK(parse_family({"family", "first", "second"}).operands == Words{"second"});
}

TEST_CASE("a flag of another sub-verb is refused, with a hint whose it is") {
  CHECK(family_error({"family", "second", "--own", "3"}) ==
        "family second has no flag --own | --own is a flag of `family first`");
  CHECK(family_error({"family", "--own", "3", "second"}) ==
        "family second has no flag --own | --own is a flag of `family first`");
  CHECK(family_error({"family", "third"}) == "family knows no 'third' | first, second");
  CHECK(family_error({"family second"}).find("there is no verb 'family second'") == 0);
}

}  // namespace orrery::cli
