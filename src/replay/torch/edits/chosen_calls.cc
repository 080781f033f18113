#include "replay/torch/edits/chosen_calls.h"

#include "base/parallel.h"
#include "match/communication.h"

// Where a profiler trace says which rows launched work, those are called; else those that call no other or made their
// result. Rows are then walked from the outside in, and whatever lies inside of a call that is made is part of it.

namespace orrery::replay::torch {
namespace {

using causal::kNoRow;

constexpr std::size_t kRowsPerTask = 256;

// Communication is not called but communicated; what reaches beyond tensors is none of a replay's business.
bool is_callable_space(std::string_view name) {
  return name.find("::") != std::string_view::npos && !name.starts_with("c10d::") && !name.starts_with("prim::");
}

std::vector<std::uint8_t> launching_rows(const RankSource& source) {
  std::vector<std::uint8_t> launches(source.host->size(), 0);
  for (const LaunchedWork& work : source.works) {
    if (work.launch.row != kNoRow) launches[work.launch.row] = 1;
  }
  return launches;
}

// Operators that called no other, or that made what they return: a product asks for views of its factors, and is done
// by nobody else.
std::vector<std::uint8_t> working_rows(const RankSource& source, const Schemas& schemas,
                                       const trace::HostArguments& arguments, const Lifetimes& lifetimes) {
  std::vector<std::uint8_t> innermost(source.host->size(), 0);
  for (std::uint32_t row = 0; row < innermost.size(); ++row)
    innermost[row] = schemas.by_text()[source.host->op_schema[row]] != nullptr;
  for (std::uint32_t row = 0; row < innermost.size(); ++row) {
    if (schemas.by_text()[source.host->op_schema[row]] == nullptr) continue;
    for (std::uint32_t above = source.order.parent[row]; above != kNoRow && innermost[above] != 0;
         above = source.order.parent[above])
      innermost[above] = 0;
  }
  for (std::size_t use = 0, row = 0; use < arguments.tensors.size(); ++use) {
    while (arguments.first[row + 1] <= use) ++row;
    const std::uint32_t lifetime = lifetimes.of_use[use];
    if (lifetime != kNoLifetime && lifetimes.all[lifetime].maker == row) innermost[row] = 1;
  }
  return innermost;
}

// A number that PyTorch wrapped into a tensor (x % 7) is recorded without its value. The call around, of the same
// operator, was given the number.
bool takes_the_number_of(const pytorch_et::OperatorSchema& outer, const pytorch_et::OperatorSchema& inner) {
  if (outer.name != inner.name) return false;
  for (std::size_t i = 0; i < std::min(outer.arguments.size(), inner.arguments.size()); ++i) {
    if (outer.arguments[i].type.starts_with("Scalar") && inner.arguments[i].type.starts_with("Tensor")) return true;
  }
  return false;
}

void prefer_numbers(const RankSource& source, const Schemas& schemas, std::vector<std::uint8_t>& wanted) {
  const auto schema_of = [&](std::uint32_t row) { return schemas.by_text()[source.host->op_schema[row]]; };
  for (std::uint32_t row = 0; row < wanted.size(); ++row) {
    const std::uint32_t parent = source.order.parent[row];
    if (wanted[row] == 0 || parent == kNoRow || schema_of(row) == nullptr || schema_of(parent) == nullptr) continue;
    if (takes_the_number_of(*schema_of(parent), *schema_of(row)))
      wanted[parent] = 1;  // and what is inside is then not called
  }
}

std::uint32_t inputs_of(const trace::HostArguments& arguments, std::uint32_t row) {
  std::uint32_t count = 0;
  for (const trace::TensorUse& use : arguments.tensors_of(row)) count += use.is_input ? 1 : 0;
  return count;
}

std::optional<CollectiveCall> collective_at(const RankSource& source, const Schemas& schemas,
                                            const trace::HostArguments& arguments, std::uint32_t row) {
  const pytorch_et::OperatorSchema* const schema = schemas.by_text()[source.host->op_schema[row]];
  const std::string_view name = source.strings->text(source.host->name[row]);
  if (!name.starts_with("c10d::")) return std::nullopt;
  auto collective = record_collective(*source.host, row, name, schema);
  // A row whose tensors look like others to others (a damaged one) is nobody's.
  if (collective && collective->uses != inputs_of(arguments, row)) return std::nullopt;
  return collective;
}

}  // namespace

Schemas::Schemas(const trace::HostTrace& host, const Interner& strings)
    : parsed_(strings.size()), by_text_(strings.size(), nullptr) {
  std::vector<std::uint8_t> is_seen(strings.size(), 0);
  is_seen[0] = 1;
  for (const StringId text : host.op_schema) {
    if (is_seen[text] != 0) continue;
    is_seen[text] = 1;
    parsed_[text] = pytorch_et::parse_operator_schema(strings.text(text));
    if (!parsed_[text]) continue;
    by_text_[text] = &*parsed_[text];
    any_ = true;
  }
}

ChosenCalls choose_calls(const RankSource& source, const Schemas& schemas, const trace::HostArguments& arguments,
                         const Lifetimes& lifetimes) {
  const trace::HostTrace& host = *source.host;
  std::vector<std::uint8_t> wanted =
      source.works.empty() ? working_rows(source, schemas, arguments, lifetimes) : launching_rows(source);
  prefer_numbers(source, schemas, wanted);
  std::vector<std::uint32_t> candidates;
  std::vector<std::uint32_t> place(host.size(), kNoNumber32);
  for (std::uint32_t row = 0; row < host.size(); ++row) {
    const pytorch_et::OperatorSchema* const schema = schemas.by_text()[host.op_schema[row]];
    if (wanted[row] == 0 || schema == nullptr || !is_callable_space(schema->name)) continue;
    place[row] = static_cast<std::uint32_t>(candidates.size());
    candidates.push_back(row);
  }
  std::vector<std::optional<RecordedCall>> recorded(candidates.size());
  parallel_for((candidates.size() + kRowsPerTask - 1) / kRowsPerTask, [&](std::size_t task) {
    const std::size_t last = std::min(candidates.size(), (task + 1) * kRowsPerTask);
    for (std::size_t i = task * kRowsPerTask; i < last; ++i) {
      const std::uint32_t row = candidates[i];
      recorded[i] = record_call(host, row, *schemas.by_text()[host.op_schema[row]]);
      const bool is_sound = recorded[i] && recorded[i]->uses == arguments.first[row + 1] - arguments.first[row] &&
                            recorded[i]->input_uses == inputs_of(arguments, row);
      if (!is_sound) recorded[i].reset();
    }
  });
  ChosenCalls chosen;
  chosen.call_of.assign(host.size(), kNoRow);
  chosen.number.assign(host.size(), kNoNumber32);
  chosen.collective.assign(host.size(), kNoNumber32);
  const auto is_communication = [&](std::uint32_t row) {
    return source.strings->text(host.name[row]).starts_with("c10d::");
  };
  for (const Visit visit : source.order.visits) {
    if (visit.is_end) continue;
    const std::uint32_t row = visit.row, parent = source.order.parent[row];
    const std::uint32_t around = parent == kNoRow ? kNoRow : chosen.call_of[parent];
    // Communication is never part of other communication: what looks like it goes on at the same time.
    const bool is_inside = around != kNoRow && (chosen.number[around] != kNoNumber32 || !is_communication(row));
    if (is_inside) {
      chosen.call_of[row] = around;
    } else if (!source.is_aside.empty() &&
               source.is_aside[row] != 0) {  // NOLINT(bugprone-branch-clone): asked for before the others
      chosen.call_of[row] = row;
    } else if (place[row] != kNoNumber32 && recorded[place[row]]) {
      chosen.call_of[row] = row;
      chosen.number[row] = static_cast<std::uint32_t>(chosen.calls.size());
      chosen.rows.push_back(row);
      chosen.calls.push_back(std::move(*recorded[place[row]]));
    } else if (auto collective = collective_at(source, schemas, arguments, row)) {
      chosen.call_of[row] = row;
      chosen.collective[row] = static_cast<std::uint32_t>(chosen.collectives.size());
      chosen.collectives.push_back(std::move(*collective));
    } else if (match::is_host_communication(source.strings->text(host.name[row]))) {
      chosen.call_of[row] = row;
    }
  }
  return chosen;
}

}  // namespace orrery::replay::torch
