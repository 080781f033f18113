#include "job/read/rules_input.h"

#include <fmt/format.h>

#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "base/io/file_content.h"
#include "base/limits.h"
#include "base/numbers.h"
#include "job/shipped/shipped_rules.h"
#include "machine/yaml/field_reader.h"

// A file is read as every description is (machine/yaml), then each rule is held against what RE2 and the others of its
// fields say. Users' rules come before the shipped ones, so that the first that fits is theirs.

namespace orrery::job {
namespace {

using trace::CommunicationRole;

constexpr std::size_t kKinds = std::size(trace::kCommunicationKinds);
enum class KindPlace : std::uint8_t {};   // in trace::kCommunicationKinds; kKinds: none
enum class PhasePlace : std::uint8_t {};  // in trace::kStepPhases

/// As a file has it.
struct WrittenRule {
  std::optional<std::string> name = {}, signature = {}, operator_name = {}, library = {}, group_size = {}, bytes = {};
  KindPlace kind{kKinds};
  CommunicationRole role = CommunicationRole::data;
  std::optional<bool> communicates = {};
};
template <typename Visitor, machine::MaybeConst<WrittenRule> Rule>
void describe(Visitor& visit, Rule& rule) {
  visit.expression("name", rule.name);
  visit.expression("signature", rule.signature);
  visit.expression("operator", rule.operator_name);
  visit.text("library", rule.library);
  visit.choice("kind", rule.kind, std::span(trace::kCommunicationKinds), machine::Default{KindPlace{kKinds}});
  visit.choice("role", rule.role, std::span(trace::kCommunicationRoles), machine::Default{CommunicationRole::data});
  visit.text("group_size", rule.group_size);
  visit.text("bytes", rule.bytes);
  visit.flag("communicates", rule.communicates);
}

struct WrittenStep {
  std::string name;
  std::optional<std::string> engine = {};
  PhasePlace phase{};
};
template <typename Visitor, machine::MaybeConst<WrittenStep> Step>
void describe(Visitor& visit, Step& step) {
  visit.expression("name", step.name);
  visit.text("engine", step.engine);
  visit.choice("phase", step.phase, std::span(trace::kStepPhases),
               machine::Default{PhasePlace{std::size(trace::kStepPhases) - 1}});
}

struct WrittenRules {
  std::vector<WrittenRule> communication = {};
  std::vector<WrittenStep> steps = {};
};
template <typename Visitor, machine::MaybeConst<WrittenRules> Rules>
void describe(Visitor& visit, Rules& rules) {
  visit.format("format", "orrery.rules/1");
  visit.list("communication", rules.communication);
  visit.list("steps", rules.steps);
}

/// "input 0"
std::optional<std::uint32_t> input_of(std::string_view text) {
  constexpr std::string_view kWord = "input ";
  std::uint32_t place = 0;
  if (!text.starts_with(kWord) || !parse_number(text.substr(kWord.size()), place)) return std::nullopt;
  return place;
}

/// What all files say, in their order.
struct AllRules {
  std::vector<trace::CommunicationRule> communication;
  std::vector<trace::StepRule> steps;
};

class RulesFile {
 public:
  RulesFile(std::string file, AllRules& out)
      : context_{.file = std::move(file), .whole = "the file of rules", .document = "docs/INFERENCE.md"}, out_(out) {}

  Status read(std::string_view text) {
    auto tree = machine::parse_yaml(text, context_.file);
    if (!tree) return tree.error();
    WrittenRules written;
    machine::FieldReader reader(context_, *tree, {});
    describe(reader, written);
    reader.finish();
    if (context_.error) return *context_.error;
    if (const auto violation = machine::find_field_violation(written))
      return machine::yaml_error(context_.file, context_.line_of(violation->field, tree->line),
                                 violation->field + " " + violation->message, violation->hint);
    for (std::size_t i = 0; i < written.communication.size(); ++i) {
      if (const Status added = add(written.communication[i], fmt::format("communication[{}]", i)); !added) return added;
    }
    for (std::size_t i = 0; i < written.steps.size(); ++i) {
      if (const Status added = add(written.steps[i], fmt::format("steps[{}]", i)); !added) return added;
    }
    return {};
  }

 private:
  Status add(const WrittenRule& written, const std::string& place) {
    trace::CommunicationRule rule{.name = written.name.value_or(""),
                                  .signature = written.signature.value_or(""),
                                  .operator_name = written.operator_name.value_or(""),
                                  .library = written.library.value_or(""),
                                  .role = written.role,
                                  .group_size = written.group_size.value_or(""),
                                  .communicates = written.communicates.value_or(true),
                                  .file = context_.file,
                                  .line = context_.line_of(place, 1)};
    if (const auto kind = static_cast<std::size_t>(written.kind); kind < kKinds)
      rule.kind = trace::kCommunicationKinds[kind];
    if (written.bytes) {
      rule.bytes_input = input_of(*written.bytes);
      if (!rule.bytes_input) return refuse(place, {"bytes", "must be an input of the operator, as in 'input 0'"});
    }
    if (const auto fault = trace::fault_of(rule)) return refuse(place, *fault);
    out_.communication.push_back(std::move(rule));
    return {};
  }

  Status add(const WrittenStep& written, const std::string& place) {
    trace::StepRule rule{.pattern = written.name,
                         .engine = written.engine.value_or(""),
                         .phase = std::string(trace::kStepPhases[static_cast<std::size_t>(written.phase)]),
                         .file = context_.file,
                         .line = context_.line_of(place, 1)};
    if (const auto fault = trace::fault_of(rule)) return refuse(place, *fault);
    out_.steps.push_back(std::move(rule));
    return {};
  }

  [[nodiscard]] Status refuse(const std::string& place, const trace::RuleFault& fault) const {
    const std::string field = fault.field.empty() ? place : place + "." + fault.field;
    return machine::yaml_error(context_.file, context_.line_of(field, 1), field + " " + fault.message);
  }

  machine::FieldContext context_;
  AllRules& out_;
};

/// Users' files first.
Result<std::shared_ptr<const trace::Rules>> read_all(std::span<const std::string> files) {
  AllRules all;
  for (const std::string& file : files) {
    const auto text = read_whole_file(file, kMaxYamlBytes);
    if (!text) return text.error();
    if (const Status read = RulesFile(file, all).read(*text); !read) return read.error();
  }
  if (const Status read = RulesFile("communication.yaml", all).read(shipped_rules_text()); !read) return read.error();
  return std::make_shared<const trace::Rules>(std::move(all.communication), std::move(all.steps),
                                              std::vector<std::string>(files.begin(), files.end()));
}

}  // namespace

Result<std::shared_ptr<const trace::Rules>> read_rules(std::span<const std::string> files) {
  // Once per process: a program that asks many questions reads many recordings.
  static const Result<std::shared_ptr<const trace::Rules>> shipped = read_all({});
  return files.empty() ? shipped : read_all(files);
}

Result<std::shared_ptr<const trace::Rules>> parse_rules(std::string_view text, const std::string& file) {
  AllRules all;
  if (const Status read = RulesFile(file, all).read(text); !read) return read.error();
  return std::make_shared<const trace::Rules>(std::move(all.communication), std::move(all.steps));
}

Result<std::shared_ptr<const trace::Rules>> rules_of(const Reading& reading) {
  for (const std::string& file : reading.rules) {
    if (const Status told = reading.tell(file); !told) return told.error();
  }
  return read_rules(reading.rules);
}

void pack_rules(PackedWriter& writer, const trace::Rules& rules) {
  writer.number(rules.files().size());
  for (const std::string& file : rules.files()) writer.text(file);
}

std::shared_ptr<const trace::Rules> unpack_rules(PackedReader& reader) {
  std::vector<std::string> files;
  for (std::uint64_t left = reader.number(); left > 0 && reader.ok(); --left) files.emplace_back(reader.text());
  if (!reader.ok()) return nullptr;
  auto rules = read_rules(files);
  return rules ? std::move(*rules) : nullptr;
}

}  // namespace orrery::job
