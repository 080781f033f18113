#include "cli/frame/verbs.h"

namespace orrery::cli {

const std::vector<const Verb*>& verbs() {
  static const std::vector<const Verb*> table = {
      &info_verb(),      &check_verb(),   &align_verb(),    &link_verb(),       &convert_verb(),  &path_verb(),
      &breakdown_verb(), &kernels_verb(), &graphs_verb(),   &roofline_verb(),   &launches_verb(), &memory_verb(),
      &steps_verb(),     &blame_verb(),   &hang_verb(),     &top_verb(),        &whatif_verb(),   &diff_verb(),
      &report_verb(),    &query_verb(),   &simulate_verb(), &replay_verb(),     &scrub_verb(),    &generate_verb(),
      &llm_verb(),       &motif_verb(),   &help_verb(),     &completion_verb(), &man_verb(),
  };
  return table;
}

const Verb* find_verb(std::span<const Verb* const> table, std::string_view name) {
  for (const Verb* verb : with_sub_verbs(table)) {
    if (verb->name == name) return verb;
  }
  return nullptr;
}

std::vector<const Verb*> with_sub_verbs(std::span<const Verb* const> table) {
  std::vector<const Verb*> all;
  for (const Verb* verb : table) {
    all.push_back(verb);
    all.insert(all.end(), verb->sub_verbs.begin(), verb->sub_verbs.end());
  }
  return all;
}

}  // namespace orrery::cli
