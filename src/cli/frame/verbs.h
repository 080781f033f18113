// The table of verbs: the one list from which dispatch, help, man page and completions are made.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "cli/frame/verb.h"

namespace orrery::cli {

// One function per file verb_<name>.cc, in the order of the help.
const Verb& link_verb();
const Verb& convert_verb();
const Verb& path_verb();
const Verb& report_verb();
const Verb& breakdown_verb();
const Verb& kernels_verb();
const Verb& graphs_verb();
const Verb& roofline_verb();
const Verb& launches_verb();
const Verb& memory_verb();
const Verb& steps_verb();
const Verb& blame_verb();
const Verb& breakdown_verb();
const Verb& kernels_verb();
const Verb& launches_verb();
const Verb& memory_verb();
const Verb& top_verb();
const Verb& whatif_verb();
const Verb& diff_verb();
const Verb& query_verb();
const Verb& align_verb();
const Verb& simulate_verb();
const Verb& replay_verb();
const Verb& scrub_verb();
const Verb& generate_verb();
const Verb& llm_verb();
const Verb& motif_verb();
const Verb& info_verb();
const Verb& check_verb();
const Verb& hang_verb();
const Verb& help_verb();
const Verb& completion_verb();
const Verb& man_verb();

/// Every verb of this program, in the order in which the help lists them.
const std::vector<const Verb*>& verbs();

/// All of `table`, each followed by its sub-verbs.
std::vector<const Verb*> with_sub_verbs(std::span<const Verb* const> table);

/// The verb with this name ("motif run" is one), or null.
const Verb* find_verb(std::span<const Verb* const> table, std::string_view name);

}  // namespace orrery::cli
