#include "cli/convert_source.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "analyze/host_workload.h"
#include "cli/inputs.h"
#include "cli/link_inputs.h"
#include "formats/astra/config.h"
#include "formats/astra_text/text_workload.h"
#include "formats/chakra/dialect.h"
#include "formats/chakra/rank_files.h"
#include "formats/chakra/reader.h"
#include "formats/goal/reader.h"
#include "formats/pytorch_et/reader.h"

namespace orrery::cli {
namespace {

constexpr std::string_view kChakraFlags = "Flags of Chakra's tools, so that scripts keep working";

/// What was named, whether as an operand or as Chakra's tools have it. The names of Chakra's converters may stand in front.
std::vector<std::string> named_inputs(const Invocation& invocation) {
  std::vector<std::string> names = invocation.operands();
  const std::string given = first_given(invocation, {"input", "input_filename"});
  if (given.empty()) return names;
  std::erase_if(names, [](const std::string& name) { return name == "PyTorch" || name == "Text"; });
  names.push_back(given);
  return names;
}

bool is_missing(const std::string& path) {
  std::error_code ignored;
  return !std::filesystem::exists(path, ignored);
}

Result<std::vector<std::string>> prefixed_files(const std::string& prefix) {
  const std::vector<chakra::RankFile> ranks = chakra::find_rank_files(prefix);
  if (const Status complete = chakra::check_complete(ranks, 0); !complete) return complete.error();
  std::vector<std::string> files;
  for (const chakra::RankFile& rank : ranks) files.push_back(rank.path);
  return files;
}

Result<SourceFormat> format_of(const Invocation& invocation, const std::string& file) {
  if (invocation.has("from")) return *source_format_called(invocation.text("from"));
  return detect_source_format(file);
}

/// Host traces beside profiler traces belong to these; alone they are the source.
Status sort_traces(const Invocation& invocation, ConvertSource& source) {
  std::vector<std::string> hosts, devices;
  for (const std::string& file : source.files) {
    const Result<SourceFormat> format = format_of(invocation, file);
    if (!format) return format.error();
    const bool is_trace = *format == SourceFormat::host || *format == SourceFormat::kineto;
    if (!is_trace && *format != source.format) {
      return Error{fmt::format("this is {}, but {} is {}", to_string(*format), source.files[0], to_string(source.format)), file};
    }
    (*format == SourceFormat::kineto ? devices : hosts).push_back(file);
  }
  if (devices.empty()) return {};
  Result<std::vector<analyze::TracePair>> pairs = pair_traces(hosts, devices);
  if (!pairs) return pairs.error();
  source.format = SourceFormat::kineto;
  source.pairs = std::move(*pairs);
  return {};
}

Result<ConvertInput> read_hosts(Invocation& invocation, const ConvertSource& source) {
  ConvertInput input;
  Interner strings;
  for (const std::string& file : source.files) {
    Result<trace::HostTrace> host = pytorch_et::read_host_trace(file, strings, invocation.diagnostics());
    if (!host) return host.error();
    input.hosts.push_back(std::move(*host));
  }
  Result<workload::Workload> workload = analyze::host_workload(input.hosts, std::move(strings), invocation.diagnostics());
  if (!workload) return workload.error();
  input.workload = std::move(*workload);
  return input;
}

Result<ConvertInput> read_pairs(Invocation& invocation, const ConvertSource& source, bool whole_microseconds) {
  analyze::LinkJobOptions options;
  options.salvage = invocation.has("salvage");
  options.link.whole_microseconds = whole_microseconds;
  Result<analyze::LinkedJob> job = analyze::link_job(source.pairs, options, invocation.diagnostics());
  if (!job) return job.error();
  ConvertInput input;
  input.job = std::move(*job);
  input.workload = std::move(input.job.workload);
  return input;
}

Result<workload::Workload> read_text(const Invocation& invocation, const std::string& file) {
  const Result<astra_text::TextWorkload> text = astra_text::read(file);
  if (!text) return text.error();
  astra_text::Options options;
  const std::string ranks = first_given(invocation, {"num-npus", "num_npus", "ranks"});
  if (!ranks.empty()) options.ranks = static_cast<std::size_t>(std::stoull(ranks));
  options.passes = static_cast<std::size_t>(invocation.integer(invocation.has("num-passes") ? "num-passes" : "passes"));
  return invocation.has("compat") ? astra_text::to_chakra_workload(*text, options) : astra_text::to_workload(*text, options);
}

Result<workload::Workload> read_workload(Invocation& invocation, const ConvertSource& source) {
  if (source.format == SourceFormat::text) return read_text(invocation, source.files[0]);
  if (source.format == SourceFormat::goal) return goal::read_workload(source.files[0]);
  Result<workload::Workload> workload =
      chakra::read_workload(source.files, {.schema = invocation.text("schema"), .diagnostics = &invocation.diagnostics()});
  if (!workload) return workload;
  if (const Status complete = chakra::check_recorded_ranks(*workload, source.files[0]); !complete && source.is_prefix)
    return complete.error();
  if (invocation.has("comm-group")) {
    const std::string groups = invocation.text("comm-group");
    if (const Status read = astra::read_groups(groups, *workload); !read) return read.error();
    if (const Status added = invocation.add_input(groups); !added) return added.error();
  }
  return workload;
}

}  // namespace

std::vector<Flag> convert_source_flags() {
  return {
      Flag{.name = "from", .value_name = "FORMAT", .help = "what the input is; by default its content tells", .choices = kSourceFormats},
      Flag{.name = "schema",
           .value_name = "VERSION",
           .help = "of a Chakra file that does not say it: what its enumerators mean",
           .choices = chakra::kSchemaNames},
      Flag{.name = "ranks", .value_name = "N", .kind = ValueKind::count, .help = "of a text workload or log: how many ranks"},
      Flag{
          .name = "passes", .value_name = "N", .kind = ValueKind::count, .help = "of a text workload: how many times", .default_text = "1"},
      Flag{.name = "comm-group",
           .value_name = "FILE",
           .kind = ValueKind::file,
           .help = "of Chakra files: the groups, as ASTRA-sim has them"},
      Flag{.name = "frequency",
           .value_name = "MHZ",
           .kind = ValueKind::count,
           .help = "of a log: cycles per microsecond",
           .default_text = "1000"},
      Flag{.name = "input", .value_name = "FILE", .kind = ValueKind::file, .help = "the same as FILE", .group = kChakraFlags},
      Flag{.name = "input_filename", .value_name = "FILE", .kind = ValueKind::file, .help = "the same as FILE", .group = kChakraFlags},
      Flag{.name = "output_filename",
           .value_name = "FILE",
           .kind = ValueKind::output,
           .help = "the same as --output",
           .group = kChakraFlags},
      Flag{.name = "num-npus", .value_name = "N", .kind = ValueKind::count, .help = "the same as --ranks", .group = kChakraFlags},
      Flag{.name = "num_npus", .value_name = "N", .kind = ValueKind::count, .help = "the same as --ranks", .group = kChakraFlags},
      Flag{.name = "num-passes", .value_name = "N", .kind = ValueKind::count, .help = "the same as --passes", .group = kChakraFlags},
      Flag{
          .name = "npu_frequency", .value_name = "MHZ", .kind = ValueKind::count, .help = "the same as --frequency", .group = kChakraFlags},
      Flag{.name = "log-filename", .value_name = "FILE", .kind = ValueKind::file, .help = "not written", .group = kChakraFlags},
      Flag{.name = "log_filename", .value_name = "FILE", .kind = ValueKind::file, .help = "not written", .group = kChakraFlags},
      Flag{.name = "simulate", .help = "of no effect: orrery replay does it", .group = kChakraFlags},
  };
}

std::string first_given(const Invocation& invocation, std::initializer_list<std::string_view> names) {
  for (const std::string_view name : names) {
    if (invocation.has(name)) return invocation.text(name);
  }
  return {};
}

Result<ConvertSource> find_source(Invocation& invocation) {
  const std::vector<std::string> names = named_inputs(invocation);
  ConvertSource source;
  source.is_prefix = names.size() == 1 && is_missing(names[0]) && !chakra::find_rank_files(names[0]).empty();
  Result<std::vector<std::string>> files = source.is_prefix ? prefixed_files(names[0]) : expand_inputs(names);
  if (!files) return files.error();
  source.files = std::move(*files);
  const Result<SourceFormat> format = format_of(invocation, source.files[0]);
  if (!format) return format.error();
  source.format = *format;
  const bool is_for_all = source.format == SourceFormat::text || source.format == SourceFormat::goal || source.format == SourceFormat::log;
  if (is_for_all && source.files.size() > 1)
    return Error{fmt::format("{} is one file for all ranks", to_string(source.format)), source.files[1]};
  if (source.is_prefix) {
    // Each rank may be in either spelling.
    source.format = SourceFormat::chakra;
  } else if (const Status sorted = sort_traces(invocation, source); !sorted) {
    return sorted.error();
  }
  if (source.format == SourceFormat::chakra && source.files.size() > 1 && !source.is_prefix) {
    const Result<std::vector<chakra::RankFile>> ranks = chakra::number_files(source.files);
    if (!ranks) return ranks.error();
    if (const Status complete = chakra::check_complete(*ranks, 0); !complete) return complete.error();
  }
  for (const std::string& file : source.files) {
    if (const Status added = invocation.add_input(file); !added) return added.error();
  }
  return source;
}

Result<ConvertInput> read_source(Invocation& invocation, const ConvertSource& source, bool whole_microseconds) {
  if (source.format == SourceFormat::host) return read_hosts(invocation, source);
  if (source.format == SourceFormat::kineto) return read_pairs(invocation, source, whole_microseconds);
  Result<workload::Workload> workload = read_workload(invocation, source);
  if (!workload) return workload.error();
  ConvertInput input;
  input.workload = std::move(*workload);
  return input;
}

}  // namespace orrery::cli
