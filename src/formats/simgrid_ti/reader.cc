#include "formats/simgrid_ti/reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>

#include "base/io/file_content.h"
#include "base/numbers.h"
#include "base/suggest.h"
#include "formats/simgrid_ti/actions.h"

// Two passes: the first counts ranks, since collectives have a count for each of them; the second gives every line to
// the program of its rank. A list of files is followed first. At last every scatterv gets the sizes that its root
// knows.

namespace orrery::simgrid_ti {
namespace {

namespace fs = std::filesystem;

struct Text {
  std::string_view bytes;
  const std::string* path;
};

template <typename F>
Status for_lines(const Text& text, const F& f) {
  std::vector<std::string_view> words;
  for (std::size_t at = 0; at < text.bytes.size();) {
    const std::size_t end = std::min(text.bytes.find('\n', at), text.bytes.size());
    split_words(text.bytes.substr(at, end - at), words);
    if (!words.empty() && !words.front().starts_with('#')) {
      if (Status taken = f(words, at); !taken) return taken;
    }
    at = end + 1;
  }
  return {};
}

bool parse_rank(std::string_view word, std::int64_t& rank) { return parse_number(word, rank) && rank >= 0; }

/// How many ranks there are: the highest number, of as many as there are lines at most.
Result<std::int64_t> count_ranks(const std::vector<Text>& texts) {
  std::int64_t highest = -1, lines = 0;
  for (const Text& text : texts) {
    const Status counted = for_lines(text, [&](const std::vector<std::string_view>& words, std::uint64_t at) -> Status {
      std::int64_t rank = 0;
      if (words.size() < 2 || !parse_rank(words[0], rank))
        return Error{"this is no action of a TI trace", *text.path, at, "expected: rank action arguments"};
      highest = std::max(highest, rank);
      ++lines;
      return {};
    });
    if (!counted) return counted.error();
  }
  if (highest < 0) return Error{"there is no action in this trace", *texts.front().path, 0};
  if (highest >= lines)
    return Error{fmt::format("it names rank {}, but has {} actions: ranks are missing", highest, lines),
                 *texts.front().path};
  return highest + 1;
}

/// SimGrid looks where the command runs; whoever moved the trace expects its files beside the list.
std::string find_listed(const std::string& list, const std::string& name) {
  const fs::path folder = fs::path(list).parent_path();
  std::error_code none;
  for (const fs::path& candidate : {folder / name, fs::path(name), folder / fs::path(name).filename()})
    if (fs::exists(candidate, none)) return candidate.string();
  return name;
}

/// What the root of a scatterv puts in, on every member: only the root's counts mean something.
void spread_scatters(const std::vector<std::vector<ActionProgram::Scatter>>& scatters, workload::Workload& workload) {
  for (std::size_t rank = 0; rank < scatters.size(); ++rank) {
    for (const ActionProgram::Scatter& here : scatters[rank]) {
      const std::vector<ActionProgram::Scatter>& of_root = scatters[here.root];
      const auto root = std::find_if(of_root.begin(), of_root.end(),
                                     [&](const auto& other) { return other.collective == here.collective; });
      // Without a partner the collectives of the ranks do not fit, which is told when they are matched.
      if (here.root == rank || root == of_root.end()) continue;
      workload::Program& program = workload.programs[rank];
      const workload::Program& source = workload.programs[here.root];
      program.bytes[here.activity] = source.bytes[root->activity];
      const auto parts = source.parts_of(root->activity);
      if (parts.empty()) continue;
      program.parts.emplace_back(parts.begin(), parts.end());
      program.part_lists.set(here.activity, static_cast<std::uint32_t>(program.parts.size()));
      program.part_lists.complete(program.size());
    }
  }
}

Result<workload::Workload> make_workload(const std::vector<Text>& texts, Diagnostics* diagnostics) {
  const Result<std::int64_t> ranks = count_ranks(texts);
  if (!ranks) return ranks.error();
  workload::Workload workload;
  std::vector<std::unique_ptr<ActionProgram>> programs(static_cast<std::size_t>(*ranks));
  for (const Text& text : texts) {
    Action action;
    const Status taken = for_lines(text, [&](const std::vector<std::string_view>& words, std::uint64_t at) -> Status {
      std::int64_t rank = 0;
      parse_rank(words[0], rank);
      std::unique_ptr<ActionProgram>& program = programs[static_cast<std::size_t>(rank)];
      if (program == nullptr)
        program = std::make_unique<ActionProgram>(rank, *ranks, *text.path, workload.strings, diagnostics);
      action.name = words[1];
      action.arguments.assign(words.begin() + 2, words.end());
      action.offset = at;
      return program->take(action);
    });
    if (!taken) return taken.error();
  }
  std::vector<std::vector<ActionProgram::Scatter>> scatters;
  for (std::size_t rank = 0; rank < programs.size(); ++rank) {
    if (programs[rank] == nullptr)
      return Error{fmt::format("there are no actions of rank {}, but of rank {}", rank, programs.size() - 1),
                   *texts.front().path, Error::kNoOffset, "are all files of the trace there?"};
    scatters.push_back(programs[rank]->scatters());
    Result<workload::Program> program = std::move(*programs[rank]).build();
    if (!program) return program.error();
    workload.program_of_rank.push_back(static_cast<std::uint32_t>(workload.programs.size()));
    workload.programs.push_back(std::move(*program));
  }
  spread_scatters(scatters, workload);
  return workload;
}

}  // namespace

Result<workload::Workload> parse_actions(std::string_view text, const std::string& path, Diagnostics* diagnostics) {
  return make_workload({{text, &path}}, diagnostics);
}

Result<workload::Workload> read_workload(const std::string& path, Diagnostics* diagnostics) {
  const Result<FileContent> content = FileContent::open(path);
  if (!content) return content.error();
  if (content_of(content->bytes(), true) != Content::list) return parse_actions(content->bytes(), path, diagnostics);
  std::vector<std::string> names;
  const Status listed =
      for_lines({content->bytes(), &path}, [&](const std::vector<std::string_view>& words, std::uint64_t) -> Status {
        names.emplace_back(words.front());
        return {};
      });
  if (!listed) return listed.error();
  std::vector<std::string> paths;
  std::vector<FileContent> files;
  for (const std::string& name : names) {
    paths.push_back(find_listed(path, name));
    Result<FileContent> file = FileContent::open(paths.back());
    if (!file) {
      Error error = file.error();
      error.hint = "it is listed in " + path;
      return error;
    }
    files.push_back(std::move(*file));
  }
  std::vector<Text> texts;
  for (std::size_t i = 0; i < files.size(); ++i) texts.push_back({files[i].bytes(), &paths[i]});
  return make_workload(texts, diagnostics);
}

namespace {

/// Calls f(words, is_cut) for every line with something in it, until it says false.
template <typename F>
bool all_lines(std::string_view text, bool is_all, const F& f) {
  std::vector<std::string_view> words;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = text.find('\n', at);
    split_words(text.substr(at, end - at), words);
    const bool is_cut = end == std::string_view::npos && !is_all;
    at = end == std::string_view::npos ? text.size() : end + 1;
    if (words.empty() || words.front().starts_with('#')) continue;
    if (!f(words, is_cut)) return false;
  }
  return true;
}

/// "traces/p12.ti" -> "traces/p#.ti"
std::string without_numbers(std::string_view name) {
  std::string text;
  for (const char c : name) {
    const bool is_digit = c >= '0' && c <= '9';
    if (!is_digit) text += c;
    else if (text.empty() || text.back() != '#') text += '#';
  }
  return text;
}

/// A name has letters, a number that tells it from the others, and a folder before it or an ending behind it; a version
/// ("v1.2.3") has neither.
bool is_numbered_file(std::string_view name) {
  const auto is_letter = [](char c) { return (c | 0x20) >= 'a' && (c | 0x20) <= 'z'; };
  const bool is_plain = std::all_of(name.begin(), name.end(), [](char c) { return c > ' ' && c <= '~'; });
  const std::size_t dot = name.rfind('.');
  const bool has_ending = dot != std::string_view::npos && dot + 1 < name.size() && is_letter(name[dot + 1]);
  return is_plain && name.find('#') != std::string_view::npos && std::any_of(name.begin(), name.end(), is_letter) &&
         (has_ending || name.find('/') != std::string_view::npos);
}

bool is_file_list(std::string_view text, bool is_all) {
  std::string alike;
  const bool is_list = all_lines(text, is_all, [&](const std::vector<std::string_view>& words, bool is_cut) {
    if (words.size() != 1) return false;
    if (is_cut) return true;
    const std::string name = without_numbers(words[0]);
    if (alike.empty() && is_numbered_file(name)) alike = name;
    return !alike.empty() && name == alike;
  });
  return is_list && !alike.empty();
}

/// What only makes sense among several.
bool needs_others(std::string_view action) {
  return action != "init" && action != "finalize" && action != "location" && action != "compute" && action != "sleep";
}

}  // namespace

Content content_of(std::string_view text, bool is_all) {
  std::int64_t first = -1;
  bool several = false, speaks = false;
  const bool are_actions = all_lines(text, is_all, [&](const std::vector<std::string_view>& words, bool is_cut) {
    if (is_cut) return true;
    std::int64_t rank = 0;
    if (words.size() < 2 || !parse_rank(words[0], rank) || !is_action(words[1])) return false;
    if (first < 0) first = rank;
    several = several || rank != first;
    speaks = speaks || needs_others(words[1]);
    return true;
  });
  if (!are_actions || first < 0) return is_file_list(text, is_all) ? Content::list : Content::other;
  // Of a long file the first rank may be all that is seen of it; a part begins with its own.
  if (several || (first == 0 && !speaks)) return Content::job;
  return Content::one_rank;
}

}  // namespace orrery::simgrid_ti
