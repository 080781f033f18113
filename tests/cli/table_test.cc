// Promises of the table of verbs itself, and of what is generated from it: every verb and flag appears everywhere.
#include <doctest/doctest.h>
#include <simdjson.h>

#include <set>

#include "cli/captured_run.h"
#include "cli/frame/completion.h"
#include "cli/frame/flag.h"
#include "cli/frame/global_flags.h"
#include "cli/frame/help.h"
#include "cli/sample_verb.h"
#include "cli/shell.h"
#include "support/temp_dir.h"

namespace orrery::cli {
namespace {

std::vector<const Verb*> all_verbs() {
  std::vector<const Verb*> table = verbs();
  table.push_back(&sample_verb());
  return table;
}

bool contains(const std::string& text, const std::string& piece) { return text.find(piece) != std::string::npos; }

void check_flags(const std::vector<Flag>& flags, std::set<std::string_view> names, std::set<char> short_names) {
  for (const Flag& flag : flags) {
    CAPTURE(flag.name);
    CHECK(names.insert(flag.name).second);
    if (flag.short_name != '\0') CHECK(short_names.insert(flag.short_name).second);
    CHECK_FALSE(flag.help.empty());
    CHECK_FALSE(flag.help.ends_with('.'));
    const bool is_another_tools = flag.group.starts_with("Flags of ");  // these are called as they are called there
    const std::string_view allowed =
        is_another_tools ? "abcdefghijklmnopqrstuvwxyz0123456789-_" : "abcdefghijklmnopqrstuvwxyz0123456789-";
    CHECK(flag.name.find_first_not_of(allowed) == std::string_view::npos);
    if (!flag.takes_value()) CHECK((flag.default_text.empty() && flag.choices.empty() && !flag.repeatable));
    if (!flag.default_text.empty()) CHECK_FALSE(check_value(flag, flag.default_text));
  }
}

}  // namespace

TEST_CASE("the table is well-formed") {
  std::set<std::string_view> names;
  std::set<std::string_view> global_names;
  std::set<char> global_short_names;
  for (const Flag& flag : global_flags()) {
    global_names.insert(flag.name);
    if (flag.short_name != '\0') global_short_names.insert(flag.short_name);
  }
  check_flags(global_flags(), {}, {});
  for (const Verb* verb : with_sub_verbs(all_verbs())) {
    CAPTURE(verb->name);
    CHECK(names.insert(verb->name).second);
    CHECK_FALSE(verb->summary.empty());
    CHECK_FALSE(verb->summary.ends_with('.'));
    CHECK_FALSE(verb->description.empty());
    CHECK((!verb->examples.empty() || !verb->sub_verbs.empty()));
    CHECK((verb->run != nullptr || !verb->sub_verbs.empty()));
    for (const Verb* sub : verb->sub_verbs) CHECK(sub->family() == verb->name);
    CHECK(verb->operands.min <= verb->operands.max);
    CHECK((verb->operands.max == 0) == verb->operands.name.empty());
    check_flags(verb->flags, global_names, global_short_names);  // no verb redefines a global flag
  }
}

TEST_CASE("every verb and flag appears in help, man page and completions") {
  const std::vector<const Verb*> table = all_verbs();
  const std::string man = man_page(table), bash = bash_completion(table), zsh = zsh_completion(table),
                    fish = fish_completion(table);
  const std::string overview = program_help(table, 100, {});
  for (const Verb* verb : with_sub_verbs(table)) {
    const std::string name(verb->name);
    CAPTURE(name);
    if (verb->word() == verb->name) CHECK(contains(overview, "\n  " + name));
    else CHECK(contains(fish, "__fish_seen_subcommand_from " + std::string(verb->word()) + "'"));
    for (const std::string* text : {&man, &bash, &zsh}) CHECK(contains(*text, name));
    CHECK(contains(fish, std::string(verb->word())));
    const std::string help = verb_help(*verb, 100, {});
    std::vector<Flag> flags = verb->flags;
    flags.insert(flags.end(), global_flags().begin(), global_flags().end());
    for (const Flag& flag : flags) {
      CAPTURE(flag.name);
      CHECK(contains(help, flag_signature(flag)));
      CHECK(contains(man, "\\fB\\-\\-" + roff_escape(flag.name) + "\\fR"));
      CHECK(contains(bash, "--" + std::string(flag.name) + " "));
      CHECK(contains(zsh, "--" + std::string(flag.name)));
      CHECK(contains(fish, " -l " + std::string(flag.name) + " "));
    }
  }
}

TEST_CASE("help is also data") {
  simdjson::dom::parser parser;
  const std::string out = run_captured({"help", "--json"}, sample_table()).out;
  const auto data = parser.parse(out)["data"].value();
  CHECK(data["verbs"].get_array().value().size() == sample_table().size());
  CHECK(data["verbs"].at(0)["flags"].at(8)["choices"].get_array().value().size() == 9);
  CHECK(std::string_view(data["verbs"].at(0)["flags"].at(7)["kind"]) == "switch");
}

TEST_CASE("no line of the help is wider than asked, but for long words") {
  for (const std::size_t columns : {60u, 80u, 100u}) {
    const std::string help = program_help(sample_table(), columns, {});
    for (std::size_t start = 0; start < help.size();) {
      const std::size_t end = help.find('\n', start);
      CHECK(end - start <= columns);
      start = end + 1;
    }
  }
}

TEST_CASE("the man page renders without warnings") {
  if (!has_program("groff")) return;
  const testing::TempDir folder;
  const std::string page = folder.write("orrery.1", man_page(all_verbs()));
  const ShellResult result =
      shell("groff -man -ww -Tutf8 -P-c -P-b -P-o -P-u " + page + " 2>&1 >" + folder.path("rendered"));
  CHECK(result.output == "");
  CHECK(result.exit_code == 0);
  const std::string rendered = testing::read_file(folder.path("rendered"));
  CHECK(contains(rendered, "First paragraph with a 'quote' and a back\\slash."));
  CHECK(contains(rendered, ".Second paragraph: 57 % of µs."));
}

}  // namespace orrery::cli
