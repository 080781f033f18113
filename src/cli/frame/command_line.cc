#include "cli/frame/command_line.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/suggest.h"
#include "cli/frame/flag.h"
#include "cli/frame/global_flags.h"
#include "cli/frame/verbs.h"
#include "report/answer.h"

// One pass over the arguments, each by what it looks like. The first error stops it, but --json and --help are still
// looked for behind it, since they decide how the error is told. Errors know what was written and where in it, so that
// a caret can point there.

namespace orrery::cli {
namespace {

class Parser {
 public:
  Parser(std::span<const std::string> arguments, std::span<const Verb* const> table)
      : arguments_(arguments), table_(table) {}

  CommandLine parse() {
    line_.command = "orrery";
    for (const std::string& argument : arguments_) line_.command += " " + report::shell_quote(argument);
    for (at_ = 0; at_ < arguments_.size() && !line_.error; ++at_) take(arguments_[at_]);
    if (!line_.error && line_.verb != nullptr) check_operands();
    if (line_.error) look_ahead();
    // Who asks for help may not know yet how to write the rest.
    if (line_.has("help") && !unknown_verb_) line_.error.reset();
    return std::move(line_);
  }

  CommandLine fill(const std::string& verb, const std::map<std::string, std::vector<std::string>>& flags,
                   std::vector<std::string> operands) {
    line_.command = "orrery " + verb;
    take_verb(verb);
    // The word that chooses a sub-verb, so that its flags are known.
    if (line_.verb != nullptr && !operands.empty() && find_sub_verb(operands.front()) != nullptr) {
      line_.command += " " + operands.front();
      take_operand(operands.front());
      operands.erase(operands.begin());
    }
    for (const auto& [name, values] : flags) {
      for (const std::string& value : values) {
        if (line_.error) return std::move(line_);
        const std::string flag = "--" + name, with_value = fmt::format("{}={}", flag, value);
        take_long(value.empty() && known_switch(name) ? flag : with_value);
        line_.command += " " + report::shell_quote(value.empty() ? flag : with_value);
      }
    }
    line_.operands = std::move(operands);
    if (!line_.operands.empty()) line_.command += " --";
    for (const std::string& operand : line_.operands) line_.command += " " + report::shell_quote(operand);
    if (!line_.error) check_operands();
    return std::move(line_);
  }

 private:
  bool known_switch(std::string_view name) const {
    const Flag* const flag = known_flag(name);
    return flag != nullptr && !flag->takes_value();
  }

  void take(const std::string& argument) {
    if (!flags_ended_ && argument == "--") flags_ended_ = true;
    else if (!flags_ended_ && argument.starts_with("--")) take_long(argument);
    else if (!flags_ended_ && argument.size() > 1 && argument[0] == '-') take_short(argument);
    else if (line_.verb == nullptr) take_verb(argument);
    else take_operand(argument);
  }

  void take_operand(const std::string& argument) {
    const Verb* const chosen = line_.operands.empty() ? find_sub_verb(argument) : nullptr;
    if (chosen != nullptr) line_.verb = chosen;
    else line_.operands.push_back(argument);
  }

  const Verb* find_sub_verb(std::string_view word) const {
    for (const Verb* const sub : line_.verb->sub_verbs) {
      if (sub->word() == word) return sub;
    }
    return nullptr;
  }

  void take_verb(const std::string& name) {
    // Not "motif run" as one word.
    line_.verb = name.find(' ') == std::string::npos ? find_verb(table_, name) : nullptr;
    if (line_.verb != nullptr) return;
    unknown_verb_ = true;
    // A verb that is close in spelling is most likely the one that was meant.
    const std::string_view near = nearest_word(name, verb_names());
    fail({.message = fmt::format("there is no verb '{}'", name),
          .hint = near.empty() ? "`orrery --help` lists the verbs" : fmt::format("did you mean `orrery {}`?", near)});
  }

  void take_long(const std::string& argument) {
    const std::size_t equals = argument.find('=');
    const std::string name = argument.substr(2, equals == std::string::npos ? equals : equals - 2);
    const Flag* flag = known_flag(name);
    if (flag == nullptr) return fail(unknown_flag(name));
    if (flag->name != name) line_.renamed.push_back(fmt::format("--{} is now --{}", name, flag->name));
    if (equals == std::string::npos)
      return flag->takes_value() ? take_next_value(*flag, argument) : store(*flag, "", argument);
    if (!flag->takes_value())
      return fail({.message = fmt::format("--{} takes no value", name), .shown = argument, .caret = equals});
    store(*flag, with_second(*flag, argument.substr(equals + 1)), argument.substr(0, equals + 1));
  }

  // -q, -qv, -o FILE, -oFILE
  void take_short(const std::string& argument) {
    for (std::size_t i = 1; i < argument.size() && !line_.error; ++i) {
      const Flag* flag = known_short_flag(argument[i]);
      if (flag == nullptr) {
        return fail({.message = fmt::format("there is no flag -{}", argument[i]),
                     .hint = help_hint() + "; an operand that begins with '-' goes after `--`",
                     .shown = argument,
                     .caret = i});
      }
      if (!flag->takes_value()) {
        store(*flag, "", argument);
        continue;
      }
      if (i + 1 < argument.size()) return store(*flag, argument.substr(i + 1), argument.substr(0, i + 1));
      return take_next_value(*flag, argument);
    }
  }

  void take_next_value(const Flag& flag, const std::string& argument) {
    const std::string needs = fmt::format("{} needs a value: {}", argument, flag.value_name);
    if (at_ + 1 == arguments_.size())
      return fail({.message = needs, .hint = fmt::format("an empty value is written {} ''", argument)});
    const std::string& value = arguments_[at_ + 1];
    // --overlay --json: nobody calls a file so, and the flag would be lost without a word.
    if (value.starts_with("--") && known_flag(std::string_view(value).substr(2)) != nullptr) {
      return fail({.message = fmt::format("{}, but the flag {} follows", needs, value),
                   .hint = fmt::format("write --{}={} if that is the value", flag.name, value)});
    }
    ++at_;
    store(flag, with_second(flag, value), argument + " ");
  }

  // What belongs to the value of a pair and stands behind it; it may be written as one word, too.
  std::string with_second(const Flag& flag, const std::string& first) {
    if (!flag.is_pair || first.find(' ') != std::string::npos) return first;
    if (at_ + 1 == arguments_.size() || arguments_[at_ + 1].starts_with("--")) {
      fail({.message = fmt::format("--{} needs two values: {}", flag.name, flag.value_name)});
      return first;
    }
    return first + " " + arguments_[++at_];
  }

  // `written`: what stands before the value on the command line.
  void store(const Flag& flag, std::string value, const std::string& written) {
    if (flag.takes_value()) {
      if (const auto problem = check_value(flag, value)) {
        return fail({.message = fmt::format("--{}: '{}' {}", flag.name, value, problem->message),
                     .shown = written + value,
                     .caret = written.size() + problem->offset});
      }
    }
    std::vector<std::string>& values = line_.flags[std::string(flag.name)];
    // The last one could win, as elsewhere; but which was meant is not known, and an analysis of the wrong rank looks
    // like any other.
    if (!values.empty() && !flag.repeatable) return fail({.message = fmt::format("--{} is given twice", flag.name)});
    values.push_back(std::move(value));
  }

  // A flag may stand before the word that chooses the sub-verb: whose it is, is known only now.
  void check_flags() {
    for (const auto& [name, values] : line_.flags) {
      if (find_flag(line_.verb->flags, name) == nullptr && find_flag(global_flags(), name) == nullptr)
        return fail(unknown_flag(name));
    }
  }

  void check_operands() {
    const Verb& verb = *line_.verb;
    if (check_flags(); line_.error) return;
    if (verb.run == nullptr && !line_.operands.empty()) {
      std::string words;
      for (const Verb* const sub : verb.sub_verbs) words += (words.empty() ? "" : ", ") + std::string(sub->word());
      return fail({.message = fmt::format("{} knows no '{}'", verb.name, line_.operands.front()), .hint = words});
    }
    const Operands& operands = verb.operands;
    const std::size_t count = line_.operands.size();
    if (count > operands.max) {
      const std::string& extra = line_.operands[operands.max];
      return fail(
          {.message = operands.max == 0
                          ? fmt::format("{} takes no operands, but '{}' was given", verb.name, extra)
                          : fmt::format("{} takes at most {}: '{}' is one too many", verb.name, operands.max, extra),
           .hint = help_hint()});
    }
    if (count < operands.min) {
      return fail({.message = count == 0 ? fmt::format("{} needs {}", verb.name, operands.name)
                                         : fmt::format("{} needs {}: at least {}, not {}", verb.name, operands.name,
                                                       operands.min, count),
                   .hint = help_hint()});
    }
    const std::vector<std::string_view> choices = operands.verb_names ? verb_names() : split_words(operands.choices);
    if (choices.empty()) return;
    for (const std::string& operand : line_.operands) {
      // What stands behind the name of a verb is a sub-verb of it, which the help looks for.
      if (operands.verb_names && &operand != &line_.operands.front()) break;
      const auto problem = check_choice(choices, operand);
      if (problem) return fail({.message = fmt::format("'{}' {}", operand, problem->message)});
    }
  }

  std::vector<std::string_view> verb_names() const {
    std::vector<std::string_view> names;
    for (const Verb* verb : table_) names.push_back(verb->name);
    return names;
  }

  const Flag* known_flag(std::string_view name) const {
    const Flag* flag = line_.verb == nullptr ? nullptr : find_flag(line_.verb->flags, name);
    if (flag == nullptr) flag = find_flag(global_flags(), name);
    if (flag != nullptr || line_.verb == nullptr) return flag;
    flag = find_former_flag(line_.verb->flags, name);
    // Of a sub-verb that is not chosen yet.
    for (const Verb* const sub : line_.verb->sub_verbs) {
      if (flag == nullptr) flag = find_flag(sub->flags, name);
      if (flag == nullptr) flag = find_former_flag(sub->flags, name);
    }
    return flag;
  }

  /// The other verb that has this flag: of the same family, if there is one.
  const Verb* owner_of(std::string_view name) const {
    const Verb* owner = nullptr;
    for (const Verb* const verb : with_sub_verbs(table_)) {
      if (verb == line_.verb || find_flag(verb->flags, name) == nullptr) continue;
      if (line_.verb != nullptr && verb->family() == line_.verb->family()) return verb;
      if (owner == nullptr) owner = verb;
    }
    return owner;
  }

  const Flag* known_short_flag(char name) const {
    const Flag* flag = line_.verb == nullptr ? nullptr : find_short_flag(line_.verb->flags, name);
    return flag != nullptr ? flag : find_short_flag(global_flags(), name);
  }

  UsageError unknown_flag(std::string_view name) const {
    UsageError error{.message = fmt::format("there is no flag --{}", name)};
    if (line_.verb != nullptr) error.message = fmt::format("{} has no flag --{}", line_.verb->name, name);
    const Verb* const owner = owner_of(name);
    const bool is_of_family = owner != nullptr && line_.verb != nullptr && owner->family() == line_.verb->family();
    if (is_of_family) {
      error.hint = fmt::format("--{} is a flag of `{}`", name, owner->name);
      return error;
    }
    std::vector<std::string_view> known;
    for (const Flag& flag : global_flags()) known.push_back(flag.name);
    if (line_.verb != nullptr) {
      for (const Flag& flag : line_.verb->flags) known.push_back(flag.name);
    }
    if (const std::string_view near = nearest_word(name, known); !near.empty()) {
      error.hint = fmt::format("did you mean --{}?", near);
      return error;
    }
    error.hint = help_hint();
    // A flag of another verb is a flag at the wrong place, not a typing error.
    if (owner != nullptr)
      error.hint = fmt::format("--{} is a flag of `{}`{}", name, owner->name,
                               line_.verb == nullptr ? ": write it after the verb" : "");
    return error;
  }

  std::string help_hint() const {
    if (line_.verb == nullptr) return "`orrery --help` lists the flags";
    return fmt::format("`orrery {} --help` says what it takes", line_.verb->name);
  }

  // Parsing ended early; these two still decide how that is told.
  void look_ahead() {
    for (const std::string& argument : arguments_) {
      if (argument == "--") return;
      if (argument == "--json") line_.flags["json"] = {""};
      if (argument == "--help" || argument == "-h") line_.flags["help"] = {""};
    }
  }

  void fail(UsageError error) { line_.error = std::move(error); }

  std::span<const std::string> arguments_;
  std::span<const Verb* const> table_;
  std::size_t at_ = 0;
  bool flags_ended_ = false;
  bool unknown_verb_ = false;
  CommandLine line_;
};

}  // namespace

CommandLine parse_command_line(std::span<const std::string> arguments, std::span<const Verb* const> table) {
  return Parser(arguments, table).parse();
}

CommandLine make_command_line(std::string_view verb, const std::map<std::string, std::vector<std::string>>& flags,
                              std::vector<std::string> operands, std::span<const Verb* const> table) {
  return Parser({}, table).fill(std::string(verb), flags, std::move(operands));
}

}  // namespace orrery::cli
