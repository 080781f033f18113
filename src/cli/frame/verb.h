// A verb of the command line: its description, from which everything a user reads is generated, and the function that
// does the work.
#pragma once

#include <cstddef>
#include <memory>
#include <string_view>
#include <vector>

#include "base/team/sweep.h"
#include "cli/frame/flag.h"

namespace orrery::cli {

// What the process ends with. Scripts rely on these numbers: they do not change.

enum class ExitCode : int {
  ok = 0,
  check_failed = 1,  ///< the verb did its work, and a check or a threshold of the user's did not hold
  usage = 2,         ///< the command line makes no sense
  bad_input = 3,     ///< an input cannot be used, or an output cannot be written
  internal = 4,      ///< our own fault, or no memory left
};

class Invocation;

/// The arguments that are not flags.
struct Operands {
  static constexpr std::size_t kUnlimited = ~std::size_t{0};

  std::string_view name = {};  ///< as in the usage line: "FILE..."; empty: the verb takes none
  std::string_view help = {};
  std::size_t min = 0;
  std::size_t max = 0;
  std::string_view choices = {};  ///< the only values allowed, separated by blanks; empty: anything, completed as files
  bool verb_names = false;        ///< the choices are the names of the verbs
};

struct Example {
  std::string_view command;  ///< a whole command line: "orrery path trace.json.gz"
  std::string_view shows;    ///< what one sees by running it
};

/// Lives for the whole run of the program; the views in it point to literals.
struct Verb {
  std::string_view name;
  std::string_view summary;           ///< one line without a full stop: the question the verb answers
  std::string_view description = {};  ///< paragraphs, separated by an empty line
  Operands operands = {};
  std::vector<Flag> flags = {};
  std::vector<Example> examples = {};
  /// What -o FILE is for, if not for what would be printed: the verb then writes FILE itself.
  std::string_view output_help = {};
  ExitCode (*run)(Invocation&) = nullptr;
  /// Of verbs that sweep: the points that `run` would solve, with all that they need, for a process that helps the one
  /// that runs it. Null: the inputs do not give it here.
  std::unique_ptr<Sweep> (*open_sweep)(Invocation&) = nullptr;
  /// Verbs of their own, with names of two words ("motif run"): the first operand chooses one. What chooses none is for
  /// the verb itself, if it runs.
  std::vector<const Verb*> sub_verbs = {};

  /// "motif" of "motif run".
  [[nodiscard]] std::string_view family() const { return name.substr(0, name.find(' ')); }
  /// "run" of "motif run".
  [[nodiscard]] std::string_view word() const {
    const std::size_t blank = name.find(' ');
    return blank == std::string_view::npos ? name : name.substr(blank + 1);
  }
};

}  // namespace orrery::cli
