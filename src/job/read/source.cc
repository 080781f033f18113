#include "job/read/source.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>

#include "formats/chakra/rank_files.h"
#include "job/read/inputs.h"
#include "job/read/registry.h"
#include "trace/job_files.h"
#include "trace/names/rank_numbers.h"

// A name that is no file may be the prefix of a job. Everything else is expanded to files, each is recognised by its
// first bytes, the kind that says most about a job leads, and the others are host traces to be paired, companions, or
// strangers.

namespace orrery::job {
namespace {

namespace fs = std::filesystem;
using formats::Content;
using formats::Format;

using trace::kPassedOver;

struct KnownFile {
  std::string path;
  const Format* format;    // null: of no known format
  bool is_linked = false;  // a host trace that has times: what `link` writes
  bool is_empty = false;   // of length 0: only those who know the other files know what it is
};

// The keys that linking adds to the rows of a host trace; every row has them.
bool begins_as_linked(const formats::Head& head) {
  return head.bytes.find("\"inclusive_dur\"") != std::string_view::npos ||
         head.bytes.find("\"exclusive_dur\"") != std::string_view::npos;
}

// Which of several kinds of files are the job: what says most of it.
int weight(Content content) {
  switch (content) {
    case Content::trace: return 5;
    case Content::host_trace: return 4;
    case Content::rank_program: return 3;
    case Content::workload: return 2;
    case Content::log: return 1;
    case Content::groups:
    case Content::companion: return 0;
  }
  return 0;
}

bool is_one_file_for_all(const Format& format) {
  return format.content == Content::workload || format.content == Content::log;
}

Result<std::vector<KnownFile>> recognise(const std::vector<std::string>& files, const SourceOptions& options,
                                         bool is_folder) {
  std::vector<KnownFile> known;
  for (const std::string& file : files) {
    if (options.format != nullptr) {
      known.push_back({file, options.format});
      continue;
    }
    const Result<FileHead> head = read_head(file);
    if (!head) return head.error();
    if (head->bytes.empty()) {
      known.push_back({.path = file, .format = nullptr, .is_empty = true});
      continue;
    }
    const Result<const Format*> format = detect(*head, file);
    // A folder may hold anything.
    if (!format && !is_folder) return format.error();
    const bool is_linked = format && (*format)->content == Content::host_trace && begins_as_linked(head->view());
    known.push_back({file, format ? *format : nullptr, is_linked});
  }
  return known;
}

/// The kind of files that the job is made of; of two traces' formats the first.
const Format* leading_format(const std::vector<KnownFile>& files) {
  const Format* leading = nullptr;
  for (const KnownFile& file : files) {
    if (file.format == nullptr || weight(file.format->content) == 0) continue;
    if (leading == nullptr || weight(file.format->content) > weight(leading->content)) leading = file.format;
  }
  return leading;
}

/// An empty file was to be something; only beside dumps of a job in trouble it is what a rank left.
Status check_empty(const std::vector<KnownFile>& files, const Format* leading) {
  if (leading != nullptr && has_loose_files(*leading)) return {};
  for (const KnownFile& file : files) {
    if (file.is_empty) return Error{"the file is empty", file.path, 0};
  }
  return {};
}

/// Chakra's two spellings may stand side by side in one job.
bool belongs(const Format& format, const Format& leading) {
  return &format == &leading || (format.content == Content::rank_program && leading.content == Content::rank_program);
}

Error stranger(const KnownFile& file, const Format& leading, const std::string& first) {
  const std::string_view title = file.format == nullptr ? "of no known format" : file.format->title;
  return {fmt::format("this is {}, but {} is {}", title, first, leading.title), file.path, Error::kNoOffset,
          "a job is read from files of one format"};
}

Status number_ranks(Source& source, const SourceOptions& options) {
  Result<std::vector<chakra::RankFile>> ranks = chakra::number_files(source.files);
  if (!ranks) return ranks.error();
  if (ranks->size() > 1 && !options.may_miss_ranks) {
    if (Status complete = chakra::check_complete(*ranks, 0); !complete) return complete;
  }
  for (std::size_t i = 0; i < ranks->size(); ++i) source.files[i] = (*ranks)[i].path;
  const auto prefix_of = [](const std::string& file) {
    return trace::program_name(file).value_or(trace::ProgramName{}).prefix;
  };
  source.prefix = prefix_of(source.files.front());
  const bool is_common = std::all_of(source.files.begin(), source.files.end(),
                                     [&](const std::string& file) { return prefix_of(file) == source.prefix; });
  if (!is_common) source.prefix.clear();
  return {};
}

Result<Source> source_of_prefix(const std::string& prefix, const std::vector<chakra::RankFile>& ranks,
                                const SourceOptions& options) {
  Source source;
  if (Status complete = options.may_miss_ranks ? Status() : chakra::check_complete(ranks, 0); !complete)
    return complete.error();
  for (const chakra::RankFile& rank : ranks) source.files.push_back(rank.path);
  source.format = options.format != nullptr ? options.format : format_called("chakra");
  source.prefix = prefix;
  source.is_prefix = true;
  return source;
}

/// Sorts files into those of the job and its host traces; the rest is an Error, or a note if it was found in a folder.
Status take_files(const std::vector<KnownFile>& files, const Format& leading, Source& source,
                  Diagnostics& diagnostics) {
  std::vector<std::string> hosts;
  for (const KnownFile& file : files) {
    const bool is_host = file.format != nullptr && file.format->content == Content::host_trace;
    if (file.is_empty || (file.format != nullptr && belongs(*file.format, leading))) source.files.push_back(file.path);
    // A linked file in a folder says again what the traces beside it say, and what they say is asked.
    else if (is_host && leading.content == Content::trace && !(file.is_linked && source.is_folder))
      hosts.push_back(file.path);
    // The reader of what it belongs to looks for it itself.
    else if (file.format != nullptr && file.format->content == Content::companion) continue;
    else if (source.is_folder) diagnostics.add(kPassedOver, [&] { return file.path; });
    else return stranger(file, leading, source.files.empty() ? files.front().path : source.files.front());
  }
  source.format = &leading;
  if (leading.content != Content::trace) return {};
  Result<std::vector<TracePair>> pairs = pair_traces(hosts, source.files);
  if (!pairs) return pairs.error();
  source.pairs = std::move(*pairs);
  return {};
}

}  // namespace

std::vector<std::string> Source::all_files() const {
  std::vector<std::string> all = files;
  for (const TracePair& pair : pairs) {
    if (!pair.host.empty()) all.push_back(pair.host);
  }
  return all;
}

Status keep_rank(std::size_t rank, Source& source) {
  if (is_one_file_for_all(*source.format)) return {};
  std::vector<chakra::RankFile> ranks;
  for (std::size_t i = 0; i < source.files.size(); ++i) {
    const Result<FileHead> head =
        source.format->peek_rank == nullptr ? Result<FileHead>(FileHead{}) : read_head(source.files[i]);
    if (!head) return head.error();
    std::size_t number = i;
    const auto name = trace::program_name(source.files[i]);
    if (source.format->content == Content::rank_program && name) number = name->rank;
    if (source.format->peek_rank != nullptr)
      number =
          static_cast<std::size_t>(source.format->peek_rank(head->view()).value_or(static_cast<std::int64_t>(number)));
    ranks.push_back({number, source.files[i]});
  }
  const auto found =
      std::find_if(ranks.begin(), ranks.end(), [&](const chakra::RankFile& file) { return file.rank == rank; });
  if (found == ranks.end()) {
    std::vector<std::size_t> known;
    known.reserve(ranks.size());
    for (const chakra::RankFile& file : ranks) known.push_back(file.rank);
    std::sort(known.begin(), known.end());
    return Error{fmt::format("there is no rank {} among {} file{}", rank, ranks.size(), ranks.size() == 1 ? "" : "s"),
                 {},
                 Error::kNoOffset,
                 fmt::format("ranks in these files: {}", chakra::list_ranks(known))};
  }
  const auto place = static_cast<std::size_t>(found - ranks.begin());
  source.files = {source.files[place]};
  source.is_prefix = false;  // it is no job any more
  if (!source.pairs.empty()) source.pairs = {source.pairs[place]};
  return {};
}

Result<Source> find_source(const std::vector<std::string>& named, const SourceOptions& options,
                           Diagnostics& diagnostics) {
  std::error_code none;
  if (named.size() == 1 && !fs::exists(named[0], none)) {
    if (const std::vector<chakra::RankFile> ranks = chakra::find_rank_files(named[0]); !ranks.empty())
      return source_of_prefix(named[0], ranks, options);
    if (named[0].find_first_of("*?[") == std::string::npos && !named[0].empty()) {
      return Error{"there is no such file or folder, and no first rank of that name", named[0], Error::kNoOffset,
                   "give files, folders, glob patterns, or the PREFIX of PREFIX.0.et, PREFIX.1.et, ... (also .et.gz, "
                   ".et.zst or .json)"};
    }
  }
  Source source;
  source.is_folder =
      std::all_of(named.begin(), named.end(), [&](const std::string& name) { return fs::is_directory(name, none); });
  const Result<ExpandedInputs> inputs = expand_all_inputs(named);
  if (!inputs) return inputs.error();
  const std::vector<std::string>* const files = &inputs->files;
  const Result<std::vector<KnownFile>> known = recognise(*files, options, source.is_folder);
  if (!known) return known.error();
  const Format* const leading = leading_format(*known);
  if (const Status empty = check_empty(*known, leading); !empty) return empty.error();
  if (leading == nullptr) {
    if (source.is_folder) return Error{"the folder holds no traces and no workload", named.front()};
    return Error{fmt::format("this is no trace and no workload, but {}", known->front().format->title), files->front()};
  }
  if (Status taken = take_files(*known, *leading, source, diagnostics); !taken) return taken.error();
  for (const std::string& file : inputs->left_out) diagnostics.add(kPassedOver, [&] { return file; });
  if (is_one_file_for_all(*leading) && source.files.size() > 1)
    return Error{fmt::format("{} is one file for all ranks", leading->title), source.files[1], Error::kNoOffset,
                 "name one of them"};
  if (leading->content == Content::rank_program) {
    if (Status numbered = number_ranks(source, options); !numbered) return numbered.error();
  }
  return source;
}

}  // namespace orrery::job
