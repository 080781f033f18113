#include "job/read/inputs.h"

#include <glob.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <string_view>
#include <system_error>

#include "job/read/registry.h"
#include "job/write/aligned_files.h"
#include "trace/job_files.h"

// An operand is a folder, a file or a pattern, in this order. In a folder names decide first; files whose names tell
// nothing are looked into. In the end all files are sorted as people would sort them, and each is taken once.

namespace orrery::job {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Takes the run of digits at the front of `text`, without leading zeros.
std::string_view take_digits(std::string_view& text) {
  std::size_t end = 0;
  while (end < text.size() && is_digit(text[end])) ++end;
  std::string_view digits = text.substr(0, end);
  text.remove_prefix(end);
  // Without leading zeros the longer number is the larger one, however many digits there are.
  digits.remove_prefix(std::min(digits.find_first_not_of('0'), digits.size()));
  return digits;
}

}  // namespace

bool natural_less(std::string_view a, std::string_view b) {
  std::string_view x = a, y = b;
  while (!x.empty() && !y.empty()) {
    if (is_digit(x[0]) && is_digit(y[0])) {
      const std::string_view m = take_digits(x);
      const std::string_view n = take_digits(y);
      if (m.size() != n.size()) return m.size() < n.size();
      if (m != n) return m < n;
    } else {
      if (x[0] != y[0]) return static_cast<unsigned char>(x[0]) < static_cast<unsigned char>(y[0]);
      x.remove_prefix(1);
      y.remove_prefix(1);
    }
  }
  // The shorter name comes first; names that differ only by leading zeros are still told apart.
  if (x.empty() != y.empty()) return x.empty();
  return a < b;
}

namespace {

namespace fs = std::filesystem;

constexpr std::string_view kFolderHint =
    "a folder is searched for *.xplane.pb, *.json, *.et, *.goal, also compressed, and *.pt.trace.json*, and if it has "
    "none for files that "
    "begin as a known format does; not its subfolders";

bool is_xspace_name(std::string_view name) { return name.ends_with(".xplane.pb") || name.ends_with(".xplane.pb.gz"); }

/// The files of a folder that have traces' names. Where there are XSpaces, all else is mostly made out of them: trace
/// viewer exports, statistics.
Status list_traces(const fs::path& folder, std::vector<std::string>& files) {
  std::error_code problem;
  fs::directory_iterator entries(folder, problem);
  for (; !problem && entries != fs::directory_iterator(); entries.increment(problem)) {
    std::error_code unreadable;
    if (is_trace_name(entries->path().filename().string()) && entries->is_regular_file(unreadable))
      files.push_back(entries->path().string());
  }
  if (problem) return Error{"cannot read the folder: " + problem.message(), folder.string()};
  if (std::any_of(files.begin(), files.end(), is_xspace_name))
    std::erase_if(files, [](const std::string& file) { return !is_xspace_name(file); });
  return {};
}

/// The newest run of a folder that a profiler keeps its runs in: <run>/ or plugins/profile/<run>/, which are named by
/// their time.
std::vector<std::string> newest_run(const fs::path& folder) {
  std::vector<std::string> runs;
  for (const fs::path& place : {folder / "plugins/profile", folder}) {
    std::error_code problem;
    for (fs::directory_iterator entries(place, problem); !problem && entries != fs::directory_iterator();
         entries.increment(problem)) {
      std::error_code unreadable;
      if (entries->is_directory(unreadable)) runs.push_back(entries->path().string());
    }
    std::sort(runs.begin(), runs.end(), natural_less);
    // From the newest on: a run that was given up may have left an empty folder.
    for (auto run = runs.rbegin(); run != runs.rend(); ++run) {
      std::vector<std::string> files;
      if (list_traces(*run, files).ok() && !files.empty() && is_xspace_name(files.front())) return files;
    }
    runs.clear();
  }
  return {};
}

/// Traces whose names tell nothing, as those of MPI tools (trace_0, trace_1, ...), told by how they begin; without
/// those of `taken`, ascending.
std::vector<std::string> recognised(const fs::path& folder, const std::vector<std::string>& taken = {}) {
  std::vector<std::string> files;
  std::error_code problem;
  for (fs::directory_iterator entries(folder, problem); !problem && entries != fs::directory_iterator();
       entries.increment(problem)) {
    std::error_code unreadable;
    const std::string path = entries->path().string();
    const bool is_known = std::binary_search(taken.begin(), taken.end(), path);
    if (is_known || entries->path().filename().string().starts_with('.') || !entries->is_regular_file(unreadable))
      continue;
    const Result<const formats::Format*> format = detect(path);
    if (format && (*format)->content != formats::Content::companion) files.push_back(path);
  }
  return files;
}

/// Dumps are called as their users like, and of one rank there may be several: where one is, all that are of its kind
/// belong to the job, and so do empty files whose names say a rank.
void add_loose_files(const fs::path& folder, std::vector<std::string>& found) {
  const auto loose_format = [](const std::string& path) {
    const Result<const formats::Format*> format = detect(path);
    return format && has_loose_files(**format) ? *format : nullptr;
  };
  const formats::Format* format = nullptr;
  for (const std::string& file : found) {
    // What leads a job leads its folder, too: of a folder of traces no file is a dump.
    if (const Result<const formats::Format*> known = detect(file); known) format = *known;
    if (format != nullptr) break;
  }
  if (format == nullptr || !has_loose_files(*format)) return;
  std::error_code problem;
  for (fs::directory_iterator entries(folder, problem); !problem && entries != fs::directory_iterator();
       entries.increment(problem)) {
    std::error_code unreadable;
    const std::string path = entries->path().string();
    if (!entries->is_regular_file(unreadable) || entries->path().filename().string().starts_with('.')) continue;
    const bool is_empty_rank = entries->file_size(unreadable) == 0 && !unreadable && trace::rank_before_ending(path);
    if (is_empty_rank || loose_format(path) == format) found.push_back(path);
  }
  std::sort(found.begin(), found.end());
  found.erase(std::unique(found.begin(), found.end()), found.end());
}

/// Whether a file can be what a job is read from. One that cannot be read, or is empty, was to be something: its reader
/// says what is wrong.
bool may_be_job(const std::string& path) {
  const Result<FileHead> head = read_head(path);
  if (!head || head->bytes.empty()) return true;
  const Result<const formats::Format*> format = detect(*head, path);
  return format && (*format)->content != formats::Content::companion && (*format)->content != formats::Content::groups;
}

/// What else a job could be read from in the folder of files that were taken.
std::vector<std::string> others_beside(std::vector<std::string> taken) {
  std::sort(taken.begin(), taken.end());
  std::vector<std::string> others = recognised(fs::path(taken.front()).parent_path(), taken);
  std::erase_if(others, [](const std::string& file) {
    return is_alignment_report(fs::path(file).filename().string()) || !may_be_job(file);
  });
  return others;
}

Status add_folder(const std::string& folder, ExpandedInputs& inputs) {
  std::vector<std::string> found;
  if (const Status listed = list_traces(folder, found); !listed) return listed;
  // Names that traces have may be those of other things beside traces without such names: settings and results beside
  // trace_0, trace_1, ...
  if (!found.empty() && std::none_of(found.begin(), found.end(), may_be_job)) {
    const std::vector<std::string> others = recognised(folder);
    if (std::any_of(others.begin(), others.end(), may_be_job)) {
      found.insert(found.end(), others.begin(), others.end());
      std::sort(found.begin(), found.end());
      found.erase(std::unique(found.begin(), found.end()), found.end());
    }
  }
  if (found.empty()) found = newest_run(folder);
  if (found.empty()) found = recognised(folder);
  if (found.empty())
    return Error{.message = "the folder holds no trace files", .file = folder, .hint = std::string(kFolderHint)};
  add_loose_files(folder, found);
  // Of the folder that they were found in, which may be that of a run below it.
  const std::vector<std::string> others = others_beside(found);
  inputs.files.insert(inputs.files.end(), found.begin(), found.end());
  inputs.left_out.insert(inputs.left_out.end(), others.begin(), others.end());
  return {};
}

Status add_glob(const std::string& pattern, std::vector<std::string>& files) {
  glob_t matches{};
  const int outcome = ::glob(pattern.c_str(), 0, nullptr, &matches);
  const std::size_t before = files.size();
  for (std::size_t i = 0; outcome == 0 && i < matches.gl_pathc; ++i) {
    std::error_code unreadable;
    if (fs::is_regular_file(matches.gl_pathv[i], unreadable)) files.emplace_back(matches.gl_pathv[i]);
  }
  ::globfree(&matches);
  if (files.size() == before)
    return Error{.message = "no file matches this pattern",
                 .file = pattern,
                 .hint = "put it in quotes to see that the shell did not change it"};
  return {};
}

Status add_operand(const std::string& operand, ExpandedInputs& inputs) {
  if (operand.empty())
    return Error{.message = "an empty text is not a file name", .hint = "is a variable of your script unset?"};
  std::error_code problem;
  const fs::file_status status = fs::status(operand, problem);
  if (fs::is_directory(status)) return add_folder(operand, inputs);
  // A file whose name has such characters in it is meant itself, and no pattern.
  if (fs::exists(status)) {
    inputs.files.push_back(operand);
    return {};
  }
  if (operand.find_first_of("*?[") != std::string::npos) return add_glob(operand, inputs.files);
  if (status.type() == fs::file_type::not_found)
    return Error{
        .message = "no such file or folder", .file = operand, .hint = "give trace files, folders or glob patterns"};
  return Error{"cannot open: " + problem.message(), operand};
}

}  // namespace

bool is_trace_name(std::string_view name) {
  if (name.starts_with('.') || is_alignment_report(name)) return false;
  for (const std::string_view ending : {".json", ".et", ".goal"}) {
    for (const std::string_view packed : {"", ".gz", ".zst"}) {
      if (name.ends_with(std::string(ending) + std::string(packed))) return true;
    }
  }
  if (is_xspace_name(name)) return true;
  const bool unfinished = name.find(".part-") != std::string_view::npos;  // see base/io/output_file.h
  return name.find(".pt.trace.json") != std::string_view::npos && !unfinished;
}

Result<std::vector<std::string>> expand_inputs(std::span<const std::string> operands) {
  Result<ExpandedInputs> inputs = expand_all_inputs(operands);
  if (!inputs) return inputs.error();
  return std::move(inputs->files);
}

Result<ExpandedInputs> expand_all_inputs(std::span<const std::string> operands) {
  ExpandedInputs inputs;
  for (const std::string& operand : operands) {
    if (const Status status = add_operand(operand, inputs); !status.ok()) return status.error();
  }
  std::vector<std::string>& files = inputs.files;
  // aligned/*.json: the shell does not know which are traces.
  const auto is_report = [](const std::string& file) {
    return is_alignment_report(fs::path(file).filename().string());
  };
  if (!std::all_of(files.begin(), files.end(), is_report)) std::erase_if(files, is_report);
  std::set<fs::path> seen;
  const auto was_seen = [&](const std::string& file) {
    std::error_code unreadable;
    // By what a path leads to: a link and its file are one.
    const fs::path real = fs::canonical(file, unreadable);
    return !seen.insert(unreadable ? fs::path(file) : real).second;
  };
  std::sort(files.begin(), files.end(), natural_less);
  std::erase_if(files, was_seen);
  // A file that another operand names is not left out.
  std::sort(inputs.left_out.begin(), inputs.left_out.end(), natural_less);
  std::erase_if(inputs.left_out, was_seen);
  return inputs;
}

}  // namespace orrery::job
