#include "cli/frame/invocation.h"

#include <algorithm>
#include <stdexcept>

#include "base/io/input.h"
#include "base/io/output_file.h"
#include "base/numbers.h"
#include "cli/frame/flag.h"
#include "cli/frame/global_flags.h"
#include "cli/frame/hosting.h"
#include "report/text_width.h"

// Between the parsed command line and the verb: values of flags by kind, with their defaults; the two forms of the
// command that checkpoints and pages are known by; and where answers and errors go.

namespace orrery::cli {

namespace {

/// Flags that change how an answer is made or shown, but none of its points.
constexpr std::string_view kWithoutInfluence[] = {"checkpoint",    "csv",       "json",    "no-color",
                                                  "only-critical", "all-edges", "output",  "overlay",
                                                  "quiet",         "threads",   "verbose", "moves"};

/// The command as far as points of a sweep depend on it, with flags in one order.
std::string command_of_points(const Invocation& invocation) {
  const CommandLine& line = invocation.command_line();
  std::string command = "orrery " + std::string(line.verb->name);
  for (const std::string& operand : line.operands) command += " " + report::shell_quote(invocation.shown_name(operand));
  for (const auto& [name, values] : line.flags) {
    if (std::find(std::begin(kWithoutInfluence), std::end(kWithoutInfluence), name) != std::end(kWithoutInfluence))
      continue;
    const Flag* const flag = find_flag(line.verb->flags, name);
    for (const std::string& value : values) {
      command += " --" + name;
      if (flag == nullptr || flag->takes_value()) command += " " + report::shell_quote(invocation.shown_name(value));
    }
  }
  return command;
}

/// That do not change a page of the run: where it and other files go, what else is printed.
constexpr std::string_view kNotOfThePage[] = {"report", "output", "csv", "per-node", "timeline", "et", "manifest"};

/// The command as a page shows it, with flags in the order of the verb's.
std::string command_of_page(const Invocation& invocation) {
  std::string command = "orrery " + std::string(invocation.verb().name);
  for (const std::string& operand : invocation.operands()) command += " " + report::shell_quote(operand);
  for (const Flag& flag : invocation.verb().flags) {
    if (!invocation.has(flag.name) ||
        std::find(std::begin(kNotOfThePage), std::end(kNotOfThePage), flag.name) != std::end(kNotOfThePage))
      continue;
    for (const std::string& value : invocation.texts(flag.name)) {
      command += " --" + std::string(flag.name);
      if (flag.takes_value()) command += " " + report::shell_quote(value);
    }
  }
  return command;
}

ask::Setting setting_of(const Invocation& invocation, const CommandLine& line, const Hosting* hosting) {
  using report::Reader;
  return {.reader = line.has("json")  ? Reader::programs
                    : line.has("csv") ? Reader::tables
                                      : Reader::people,
          .columns = line.has("output") ? Console::kDefaultColumns : invocation.console().columns,
          .shows_progress = !line.has("quiet") && hosting == nullptr,
          .verbose = line.has("verbose") && !line.has("quiet"),
          .records_inputs = line.has("json"),
          .command = line.command,
          .log = [&invocation](std::string_view text) { invocation.log(text); },
          .question_of_points = [&invocation] { return command_of_points(invocation); },
          .question_of_page = [&invocation] { return command_of_page(invocation); },
          .opened = hosting == nullptr ? decltype(hosting->opened)() : hosting->opened,
          .ranks = hosting == nullptr ? decltype(hosting->ranks)() : hosting->ranks};
}

}  // namespace

Invocation::Invocation(CommandLine line, const Console& console, std::span<const Verb* const> table, Hosting* hosting)
    : line_(std::move(line)),
      console_(console),
      table_(table),
      hosting_(hosting),
      context_(setting_of(*this, line_, hosting)) {}

bool Invocation::declares(std::string_view flag) const {
  return (line_.verb != nullptr && find_flag(line_.verb->flags, flag) != nullptr) ||
         find_flag(global_flags(), flag) != nullptr;
}

const Flag& Invocation::declared(std::string_view flag) const {
  const Flag* found = line_.verb == nullptr ? nullptr : find_flag(line_.verb->flags, flag);
  if (found == nullptr) found = find_flag(global_flags(), flag);
  if (found == nullptr) throw std::logic_error("the flag --" + std::string(flag) + " is not declared by the verb");
  return *found;
}

bool Invocation::has(std::string_view flag) const { return line_.has(declared(flag).name); }

std::string Invocation::text(std::string_view flag) const {
  const Flag& description = declared(flag);
  const auto given = line_.flags.find(flag);
  return given == line_.flags.end() ? std::string(description.default_text) : given->second.back();
}

std::vector<std::string> Invocation::texts(std::string_view flag) const {
  const Flag& description = declared(flag);
  if (const auto given = line_.flags.find(flag); given != line_.flags.end()) return given->second;
  if (description.default_text.empty()) return {};
  return {std::string(description.default_text)};
}

std::int64_t Invocation::integer(std::string_view flag) const {
  return parse_number<std::int64_t>(text(flag)).value_or(0);
}

std::int64_t Invocation::bytes(std::string_view flag) const { return parse_bytes(text(flag)).value_or(0); }
std::int64_t Invocation::duration(std::string_view flag) const { return parse_duration(text(flag)).value_or(0); }

double Invocation::number(std::string_view flag) const { return parse_finite(text(flag)).value_or(0.0); }

report::Style Invocation::style() const {
  return report::Style(console_.colour_out && !has("no-color") && !has("output"));
}

ExitCode Invocation::deliver(Result<report::Answer> answer) {
  if (!answer) return fail(answer.error());
  answer_ = std::move(*answer);
  return answer_->holds() ? ExitCode::ok : ExitCode::check_failed;
}

void Invocation::tell(const Failure& failure) const {
  if (hosting_ != nullptr) hosting_->failure = failure;
}

bool Invocation::hand_over() {
  if (hosting_ == nullptr || !hosting_->takes_answer || !answer_) return false;
  hosting_->answer = std::move(answer_);
  hosting_->remarks = remarks_of(diagnostics());
  hosting_->provenance = provenance();
  return true;
}

ExitCode Invocation::fail(Error error) {
  if (context_.reads_standard_input() && error.file == context_.setting().standard_input) error.file = "standard input";
  advise(error);
  if (const auto& fault = context_.fault(); fault && error.kind == Error::Kind::misuse)
    return fail_usage({error.message, error.hint, fault->text, fault->at});
  const ExitCode code = error.kind == Error::Kind::misuse ? ExitCode::usage : ExitCode::bad_input;
  error_ = std::move(error);
  return code;
}

ExitCode Invocation::fail_usage(UsageError error) {
  usage_error_ = std::move(error);
  return ExitCode::usage;
}

// A flag of this verb that helps, unless it was given already.
void Invocation::advise(Error& error) const {
  struct Advice {
    Remedy remedy;
    std::string_view flag, text;
    bool when_given;
  };
  static constexpr Advice kAdvice[] = {
      {Remedy::salvage, "salvage", "use --salvage to work with what can be read", false},
      {Remedy::comm_groups, "comm-group", "--comm-group FILE lists the members of groups", false},
      {Remedy::without_compat, "compat", "leave out --compat", true}};
  for (const Advice& advice : kAdvice) {
    if (advice.remedy != error.remedy || find_flag(verb().flags, advice.flag) == nullptr ||
        has(advice.flag) != advice.when_given)
      continue;
    error.hint += error.hint.empty() ? "" : "; ";
    error.hint += advice.text;
  }
}

bool Invocation::writes_data_to_stdout() const {
  const auto goes_there = [&](const Flag& flag) {
    return flag.kind == ValueKind::output && has(flag.name) && is_standard_output(text(flag.name));
  };
  const bool output_goes_there = verb_writes_output() && has("output") && is_standard_output(text("output"));
  return output_goes_there || std::any_of(verb().flags.begin(), verb().flags.end(), goes_there);
}

Status Invocation::take_standard_input() {
  std::vector<std::string*> places;
  const bool takes_files = verb().operands.choices.empty() && !verb().operands.verb_names;
  for (std::string& operand : line_.operands) {
    if (takes_files && is_standard_input(operand)) places.push_back(&operand);
  }
  for (auto& [name, values] : line_.flags) {
    if (declared(name).kind != ValueKind::file) continue;
    for (std::string& value : values) {
      if (is_standard_input(value)) places.push_back(&value);
    }
  }
  if (places.empty()) return {};
  if (places.size() > 1) {
    return Error{"standard input is named twice",
                 {},
                 Error::kNoOffset,
                 "what is read once cannot be two files",
                 Error::Kind::misuse};
  }
  const Result<std::string> file = standard_input_file();
  if (!file) return file.error();
  // Verbs see a file like any other; the name that people gave is put back into what they read.
  *places.front() = *file;
  context_.set_standard_input(*file);
  return {};
}

void Invocation::log(std::string_view line) const {
  if (verbose()) console_.write_err("orrery: " + report::printable(line) + "\n");
}

}  // namespace orrery::cli
