#include "cli/invocation.h"

#include <stdexcept>

#include "cli/global_flags.h"
#include "cli/value.h"
#include "report/text_width.h"

namespace orrery::cli {

Invocation::Invocation(CommandLine line, const Console& console, std::span<const Verb* const> table)
    : line_(std::move(line)), console_(console), table_(table) {
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

std::int64_t Invocation::integer(std::string_view flag) const { return parse_integer(text(flag)).value_or(0); }

double Invocation::number(std::string_view flag) const { return parse_number(text(flag)).value_or(0.0); }

report::Style Invocation::style() const { return report::Style(console_.colour_out && !has("no-color") && !has("output")); }

Status Invocation::add_input(const std::string& path) {
  if (!json()) return {};
  auto record = hash_input(path);
  if (!record) return record.error();
  provenance_.inputs.push_back(std::move(*record));
  return {};
}

ExitCode Invocation::fail(Error error) {
  error_ = std::move(error);
  return ExitCode::bad_input;
}

ExitCode Invocation::fail_usage(UsageError error) {
  usage_error_ = std::move(error);
  return ExitCode::usage;
}

void Invocation::log(std::string_view line) const {
  if (verbose()) console_.write_err("orrery: " + report::printable(line) + "\n");
}

}  // namespace orrery::cli
