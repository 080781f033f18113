#include "cli/frame/invocation.h"

#include <algorithm>
#include <stdexcept>

#include "base/io/output_file.h"
#include "base/io/standard_input.h"
#include "base/numbers.h"
#include "cli/frame/global_flags.h"
#include "cli/frame/hosting.h"
#include "cli/frame/value.h"
#include "report/text_width.h"

namespace orrery::cli {

Invocation::Invocation(CommandLine line, const Console& console, std::span<const Verb* const> table, Hosting* hosting)
    : line_(std::move(line)), console_(console), table_(table), hosting_(hosting) {
  provenance_.command = line_.command;
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

Status Invocation::add_input(const std::string& path) {
  const std::optional<FileIdentity> identity = outputs_.protect(path);
  // A checkpoint is of these very inputs.
  if (!json() && !keeps_hashes_ && !line_.has("checkpoint")) return {};
  // Ranks that do the same are often links to one file.
  const auto known = identity ? hashed_.find(*identity) : hashed_.end();
  const Result<InputRecord> record = known != hashed_.end() ? Result<InputRecord>(known->second) : hash_input(path);
  if (!record) return record.error();
  if (identity) hashed_.emplace(*identity, *record);
  add_input(shown_name(path), record->bytes, record->xxh3);
  return {};
}

void Invocation::add_inputs(const OpenedTrace& opened) {
  for (const InputRecord& input : opened.inputs) {
    outputs_.protect(input.path);
    if (json()) provenance_.inputs.push_back(input);
  }
}

std::vector<std::string> Invocation::named_by(const std::string& operand) const {
  if (hosting_ != nullptr) {
    for (const auto& opened : hosting_->opened) {
      if (opened->operand == operand) return opened->named;
    }
  }
  return {operand};
}

void Invocation::tell(const Failure& failure) const {
  if (hosting_ != nullptr) hosting_->failure = failure;
}

ExitCode Invocation::fail(Error error) {
  if (!standard_input_.empty() && error.file == standard_input_) error.file = "standard input";
  advise(error);
  error_ = std::move(error);
  return ExitCode::bad_input;
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
  standard_input_ = *places.front() = *file;
  return {};
}

void Invocation::log(std::string_view line) const {
  if (verbose()) console_.write_err("orrery: " + report::printable(line) + "\n");
}

}  // namespace orrery::cli
