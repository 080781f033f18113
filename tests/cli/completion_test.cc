#include "cli/frame/completion.h"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "cli/sample_verb.h"
#include "cli/shell.h"
#include "support/temp_dir.h"

namespace orrery::cli {
namespace {

// What bash would offer for the last of `words`.
std::string offers(const testing::TempDir& folder, const std::vector<std::string>& words) {
  std::string list;
  for (const std::string& word : words) list += " '" + word + "'";
  const std::string script = folder.write(
      "ask.sh",
      fmt::format("cd {}\nsource ./orrery.bash\nCOMP_WORDS=({})\nCOMP_CWORD={}\n_orrery\necho \"${{COMPREPLY[*]}}\"\n",
                  folder.path(), list, words.size() - 1));
  const ShellResult result = shell("bash " + script + " 2>&1");
  CHECK(result.exit_code == 0);
  return result.output.substr(0, result.output.find('\n'));
}

}  // namespace

TEST_CASE("the scripts are accepted by their shells") {
  const testing::TempDir folder;
  const std::string bash = folder.write("orrery.bash", bash_completion(sample_table()));
  const std::string zsh = folder.write("_orrery", zsh_completion(sample_table()));
  const std::string fish = folder.write("orrery.fish", fish_completion(sample_table()));
  CHECK(shell("bash -n " + bash + " 2>&1").output == "");
  if (has_program("zsh")) CHECK(shell("zsh -n " + zsh + " 2>&1").output == "");
  if (has_program("fish")) CHECK(shell("fish -n " + fish + " 2>&1").output == "");
}

TEST_CASE("bash offers verbs, flags, choices, files and folders where each belongs") {
  const testing::TempDir folder;
  folder.write("orrery.bash", bash_completion(sample_table()));
  folder.write("trace one.json");
  folder.write("dir/x");
  CHECK(offers(folder, {"orrery", ""}) == "sample help completion man");
  CHECK(offers(folder, {"orrery", "--json", "sa"}) == "sample");
  CHECK(offers(folder, {"orrery", "-o", "man", "sa"}) == "sample");  // "man" is a file here
  CHECK(offers(folder, {"orrery", "--thr"}) == "--threads");
  CHECK(offers(folder, {"orrery", "sample", "--ann"}) == "--annotation");
  CHECK(offers(folder, {"orrery", "help", "--ann"}) == "");
  CHECK(offers(folder, {"orrery", "sample", "--outcome", "m"}) == "mute memory");
  CHECK(offers(folder, {"orrery", "sample", "--outcome", "=", "m"}) == "mute memory");
  CHECK(offers(folder, {"orrery", "sample", "--outcome", "="}) ==
        "ok listed check input usage mute memory throw undeclared");
  CHECK(offers(folder, {"orrery", "sample", "--overlay", "tr"}) == "trace one.json");
  CHECK(offers(folder, {"orrery", "sample", "--folder", ""}) == "dir");
  CHECK(offers(folder, {"orrery", "sample", "tr"}) == "trace one.json");
  CHECK(offers(folder, {"orrery", "completion", ""}) == "bash zsh fish");
  CHECK(offers(folder, {"orrery", "help", "s"}) == "sample");
}

}  // namespace orrery::cli
