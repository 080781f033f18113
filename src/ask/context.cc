#include "ask/context.h"

#include <algorithm>

namespace orrery::ask {

Status Context::add_input(const std::string& path) {
  const std::optional<FileIdentity> identity = outputs_.protect(path);
  if (!setting_.records_inputs) return {};
  // Ranks that do the same are often links to one file.
  const auto known = identity ? hashed_.find(*identity) : hashed_.end();
  const Result<InputRecord> record = known != hashed_.end() ? Result<InputRecord>(known->second) : hash_input(path);
  if (!record) return record.error();
  if (identity) hashed_.emplace(*identity, *record);
  provenance_.inputs.push_back({shown_name(path), record->bytes, record->xxh3});
  return {};
}

void Context::add_inputs(const OpenedTrace& opened) {
  for (const InputRecord& input : opened.inputs) {
    outputs_.protect(input.path);
    if (setting_.records_inputs) provenance_.inputs.push_back(input);
  }
}

std::shared_ptr<const OpenedTrace> Context::find_opened(const std::vector<std::string>& named) const {
  const auto at = std::find_if(setting_.opened.begin(), setting_.opened.end(),
                               [&](const auto& trace) { return trace->named == named; });
  return at == setting_.opened.end() ? nullptr : *at;
}

std::vector<std::string> Context::named_by(const std::string& operand) const {
  for (const auto& opened : setting_.opened) {
    if (opened->operand == operand) return opened->named;
  }
  return {operand};
}

std::vector<Remark> remarks_of(const Diagnostics& diagnostics) {
  std::vector<Remark> remarks;
  for (const Diagnostic& entry : diagnostics.sorted()) {
    std::string message = entry.kind->summary;
    if (!entry.example.empty()) message += (entry.count > 1 ? "; the first: " : ": ") + entry.example;
    remarks.push_back({entry.kind->code, entry.kind->severity, entry.count, std::move(message), entry.kind->hint});
  }
  return remarks;
}

}  // namespace orrery::ask
