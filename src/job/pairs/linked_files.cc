#include "job/pairs/linked_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <utility>

#include "base/io/output_file.h"
#include "base/io/output_set.h"
#include "base/radix_sort.h"
#include "causal/chakra/link.h"
#include "causal/program/linked_rows.h"
#include "formats/chakra/converter.h"
#include "formats/chakra/python_text.h"
#include "formats/chakra/writer.h"
#include "formats/kineto/format.h"
#include "formats/pytorch_et/arguments.h"
#include "formats/pytorch_et/linked_writer.h"

// What the name of the target says decides about the form, and whether there is one file per rank. Chakra files get,
// beside the graph, what the host trace knows about each row, in the spelling of Chakra's converter.

namespace orrery::job {
namespace {

// Buffers are used again from row to row.
void spell(const pytorch_et::ArgumentLists& lists, chakra::NodeDetails::Tensors& tensors) {
  const auto append = [](std::string_view json, std::string& text) {
    text.clear();
    if (!json.empty()) chakra::append_python_str(text, json);
  };
  append(lists.values, tensors.values);
  append(lists.shapes, tensors.shapes);
  append(lists.types, tensors.types);
}

}  // namespace

std::vector<std::int64_t> calling_functions(const trace::HostTrace& host) {
  Column<KeyedIndex> by_id;
  for (std::uint32_t row = 0; row < host.size(); ++row) by_id.push_back({host.id[row], row});
  radix_sort(by_id);
  std::vector<std::int64_t> callers(host.size(), trace::kNoNumber);
  for (std::uint32_t row = 0; row < host.size(); ++row) {
    const auto* const at = std::lower_bound(by_id.begin(), by_id.end(), host.parent[row],
                                            [](const KeyedIndex& item, std::uint64_t id) { return item.key < id; });
    // A row that is its own parent has no caller.
    if (at != by_id.end() && at->key == host.parent[row] && at->index != row)
      callers[row] = host.record_function[at->index];
  }
  return callers;
}

void add_row_details(const trace::HostTrace& host, std::uint32_t row, const std::vector<std::int64_t>& callers,
                     const Interner& strings, chakra::NodeDetails& details) {
  details.has_tensors = true;
  const pytorch_et::ArgumentLists inputs = pytorch_et::input_lists(host, row),
                                  outputs = pytorch_et::output_lists(host, row);
  spell(inputs, details.inputs);
  spell(outputs, details.outputs);
  const std::pair<std::string_view, std::int64_t> integers[] = {
      {"rf_id", host.record_function[row]},  {"fw_parent", host.forward_parent[row]},
      {"seq_id", host.sequence_number[row]}, {"scope", host.scope[row]},
      {"fw_tid", host.forward_thread[row]},  {"caller_rf_id", callers[row]}};
  for (const auto& [name, value] : integers) {
    if (value != trace::kNoNumber) details.integers.emplace_back(name, value);
  }
  if (!inputs.strides.empty()) details.texts.emplace_back("input_strides", inputs.strides);
  if (!outputs.strides.empty()) details.texts.emplace_back("output_strides", outputs.strides);
  if (host.op_schema[row] != 0) details.texts.emplace_back("op_schema", strings.text(host.op_schema[row]));
}

namespace {

Status write_json(const LinkTarget& target, const LinkedJob& job) {
  for (std::size_t r = 0; r < job.ranks.size(); ++r) {
    if (job.hosts[r].size() == 0) {
      return Error{"a linked host trace needs a host trace", job.trace.ranks[r].source.path, Error::kNoOffset,
                   "give that too, or write a Chakra execution trace (a name that ends in .et)"};
    }
    const trace::HostTrace linked = causal::make_linked_rows(job.hosts[r], job.trace, job.trace.ranks[r]);
    const trace::SourceInfo& device = job.trace.ranks[r].source;
    // Only a Kineto trace is copied into the linked file; others have no members that fit there.
    // Nor does it belong beside rows at other times than its own.
    const bool belongs = device.format == kineto::kFormat.name && !job.is_retimed;
    const pytorch_et::LinkedWriteOptions options{.profiler = belongs ? device.path : std::string(),
                                                 .without_profiler = job.is_retimed};
    const Status written =
        pytorch_et::write_linked_trace(linked, job.trace.strings, target_file(target, job.ranks[r].rank), options);
    if (!written) return written;
  }
  return {};
}

Status write_chakra(const LinkTarget& target, const LinkedJob& job) {
  chakra::WriteOptions options;
  // Ranks of which no trace was given count as well, if the recording knows of them.
  options.metadata.push_back(chakra::world_size_metadata(std::max(job.ranks.size(), job.workload.recorded_ranks)));
  if (job.is_retimed) options.metadata.push_back(chakra::without_profiler_metadata());
  std::vector<std::vector<std::int64_t>> callers;
  for (const trace::HostTrace& host : job.hosts) callers.push_back(calling_functions(host));
  options.details = [&](std::size_t rank, std::size_t activity, chakra::NodeDetails& details) {
    const std::uint32_t row = job.ranks[rank].host_row[activity];
    if (row != causal::kNoRow) add_row_details(job.hosts[rank], row, callers[rank], job.trace.strings, details);
  };
  for (std::size_t r = 0; r < job.ranks.size(); ++r) {
    const Result<std::string> bytes = chakra::to_protobuf(job.workload, r, options);
    if (!bytes) return bytes.error();
    if (const Status written = write_whole_file(target_file(target, job.ranks[r].rank), *bytes); !written)
      return written;
  }
  // The groups are a file beside the others, and standard output has no beside.
  if (job.workload.groups.empty() || is_standard_output(target.path)) return {};
  const std::string prefix = target.file_per_rank ? target.path : target.path.substr(0, target.path.size() - 3);
  return write_whole_file(prefix + ".groups.json", chakra::groups_json(job.workload));
}

/// The files of several ranks go into a folder that may be new, as those of generate and simulate do; a single file
/// goes where its folder is.
Status make_folder_of(const LinkTarget& target) {
  const std::filesystem::path folder = std::filesystem::path(target.path).parent_path();
  if (!target.file_per_rank || folder.empty()) return {};
  return OutputSet::make_folder(folder.string());
}

}  // namespace

LinkTarget link_target(std::string path, bool as_chakra_trace_link, std::size_t ranks) {
  LinkTarget target;
  target.path = std::move(path);
  if (target.path.empty()) return target;
  if (is_standard_output(target.path)) {
    target.form = as_chakra_trace_link ? LinkTarget::Form::linked_json : LinkTarget::Form::chakra;
    return target;
  }
  const bool is_json = target.path.ends_with(".json") || target.path.ends_with(".json.gz");
  const bool is_et = target.path.ends_with(".et");
  target.form = is_json || (!is_et && as_chakra_trace_link) ? LinkTarget::Form::linked_json : LinkTarget::Form::chakra;
  // A name without an ending stands for the files of a job, also of a job of one rank.
  target.file_per_rank = ranks > 1 || (!is_json && !is_et && !as_chakra_trace_link);
  if (!target.file_per_rank) return target;
  std::error_code ignored;
  if (std::filesystem::is_directory(target.path, ignored) || target.path.ends_with('/')) {
    target.path = (std::filesystem::path(target.path) / "linked").string();
  }
  for (const std::string_view ending : {".gz", ".json", ".et"}) {
    if (target.path.ends_with(ending)) target.path.resize(target.path.size() - ending.size());
  }
  return target;
}

std::string target_file(const LinkTarget& target, std::int64_t rank) {
  if (!target.file_per_rank) return target.path;
  return fmt::format("{}.{}.{}", target.path, rank, target.form == LinkTarget::Form::chakra ? "et" : "json");
}

Status write_linked(const LinkTarget& target, const LinkedJob& job) {
  OutputSet files;
  for (std::size_t r = 1; r < job.ranks.size() && target.form != LinkTarget::Form::none; ++r) {
    // Ranks are in order, so equal ones stand side by side; their files would have one name.
    if (job.ranks[r].rank != job.ranks[r - 1].rank) continue;
    return Error{fmt::format("this is rank {}, and so is {}", job.ranks[r].rank, job.trace.ranks[r - 1].source.path),
                 job.trace.ranks[r].source.path, Error::kNoOffset,
                 "link the ranks of one job at a time: both would be written to one file"};
  }
  if (target.form == LinkTarget::Form::none) return {};
  if (Status made = make_folder_of(target); !made) return made;
  if (Status written = target.form == LinkTarget::Form::chakra ? write_chakra(target, job) : write_json(target, job);
      !written)
    return written;
  // All files appear at once, or none.
  return files.publish();
}

Status write_linked_as_chakra(const LinkTarget& target, LinkedJob& job, Diagnostics& diagnostics) {
  OutputSet files;
  if (Status made = make_folder_of(target); !made) return made;
  for (std::size_t r = 0; r < job.hosts.size(); ++r) {
    const Result<trace::HostTrace> linked =
        causal::chakra::link(std::move(job.hosts[r]), job.trace, job.trace.ranks[r], diagnostics);
    if (!linked) return linked.error();
    const std::string file = target_file(target, job.trace.ranks[r].rank);
    if (target.form == LinkTarget::Form::linked_json) {
      const pytorch_et::LinkedWriteOptions options{.as_chakra = true,
                                                   .whole_times = !job.trace.ranks[r].source.fractional_timestamps};
      if (const Status written = pytorch_et::write_linked_trace(*linked, job.trace.strings, file, options); !written)
        return written;
      continue;
    }
    const Result<std::string> bytes = chakra::convert_linked_trace(*linked, job.trace.strings);
    if (!bytes) return bytes.error();
    if (const Status written = write_whole_file(file, *bytes); !written) return written;
  }
  return files.publish();
}

}  // namespace orrery::job
