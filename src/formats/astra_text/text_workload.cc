#include "formats/astra_text/text_workload.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>

#include "base/io/file_content.h"
#include "base/limits.h"
#include "base/numbers.h"
#include "graph/graph.h"

// The grammar is that of ASTRA-sim's own converter, which is Python: blanks split words, numbers may have underscores.
// The first line is the mode with its settings, the second the number of layers, and every further line a layer of
// twelve columns.

namespace orrery::astra_text {
namespace {

constexpr std::size_t kColumns = 12;
constexpr std::string_view kBlanks = " \t\r\f\v";

constexpr std::array<std::string_view, 11> kModes = {"MICRO",
                                                     "DATA",
                                                     "MODEL",
                                                     "HYBRID_DATA_MODEL",
                                                     "HYBRID_MODEL_DATA",
                                                     "HYBRID_DLRM",
                                                     "HYBRID_DLRM_ENHANCED",
                                                     "HYBRID_CUSTOMIZED",
                                                     "HYBRID_TRANSFORMER",
                                                     "HYBRID_TRANSFORMER_FWD_IN_BCKWD",
                                                     "DISTRIBUTED_INFERENCE"};

std::vector<std::string_view> split(std::string_view line) {
  std::vector<std::string_view> words;
  for (std::size_t at = line.find_first_not_of(kBlanks); at != std::string_view::npos;
       at = line.find_first_not_of(kBlanks, at)) {
    const std::size_t end = std::min(line.find_first_of(kBlanks, at), line.size());
    words.push_back(line.substr(at, end - at));
    at = end;
  }
  return words;
}

/// A whole number as Python reads it: a sign, digits, single underscores between them.
std::optional<std::int64_t> integer(std::string_view word) {
  // Behind a plus a minus would still be read, which Python does not do.
  if (word.starts_with("+-")) return std::nullopt;
  if (word.starts_with('+')) word.remove_prefix(1);
  std::string digits(word);
  for (std::size_t i = 1; i + 1 < digits.size(); ++i) {
    // Python allows single underscores between digits only: others stay, and make the number unreadable.
    if (digits[i] == '_' && digits[i - 1] != '_' && digits[i - 1] != '-' && digits[i + 1] != '_') digits.erase(i, 1);
  }
  return parse_number<std::int64_t>(digits);
}

/// Lines ending in \r\n or \r end in \n, as Python's text files have it.
std::string with_plain_line_ends(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\r') out += text[i];
    else if (i + 1 == text.size() || text[i + 1] != '\n') out += '\n';
  }
  return out;
}

class Parser {
 public:
  Parser(std::string_view text, const std::string& path) {
    out_.path = path;
    out_.text = with_plain_line_ends(text);
    rest_ = out_.text;
  }

  Result<TextWorkload> parse();

 private:
  bool next_line() {
    if (rest_.empty()) return false;
    const std::size_t end = std::min(rest_.find('\n'), rest_.size());
    words_ = split(rest_.substr(0, end));
    line_begin_ = static_cast<std::size_t>(rest_.data() - out_.text.data());
    rest_.remove_prefix(std::min(end + 1, rest_.size()));
    ++line_;
    return true;
  }
  [[nodiscard]] Error error(std::string what, std::string hint = {}) const {
    return {fmt::format("line {}: {}", line_, what), out_.path, line_begin_, std::move(hint)};
  }
  Status take_mode();
  Status take_transformer();
  Status take_numbers(std::size_t& at, std::string_view what, std::vector<std::int64_t>& out);
  Status take_layer();
  Status take_work(std::size_t column, Work& work);

  TextWorkload out_;
  std::string_view rest_;
  std::vector<std::string_view> words_;
  std::size_t line_ = 0;
  std::size_t line_begin_ = 0;
};

Status Parser::take_mode() {
  if (!next_line() || words_.empty())
    return error("there is no mode", "a text workload begins with DATA, MODEL, HYBRID_DLRM, ...");
  const std::optional<Mode> mode = mode_called(words_[0]);
  if (!mode)
    return error(fmt::format("{} is no mode that ASTRA-sim knows", words_[0]),
                 fmt::format("{}", fmt::join(kModes, ", ")));
  out_.mode = *mode;
  // Only these modes have settings behind their names.
  if (*mode == Mode::transformer || *mode == Mode::transformer_checkpointed) return take_transformer();
  if (*mode != Mode::hybrid_dlrm && *mode != Mode::hybrid_dlrm_enhanced) return {};
  const std::optional<std::int64_t> last = words_.size() > 1 ? integer(words_[1]) : std::nullopt;
  if (!last) return error(fmt::format("{} needs the number of its last bottom layer", words_[0]));
  out_.last_bottom_layer = *last;
  return {};
}

// HYBRID_TRANSFORMER_FWD_IN_BCKWD model_parallel_NPU_group: 8 checkpoints: 2 0 4 checkpoint_initiates: 1 3
// Newer files have further pairs between these (ep: 1 pp: 1 ...).
Status Parser::take_transformer() {
  for (std::size_t i = 1; i + 1 < words_.size();) {
    const std::string_view what = words_[i++];
    Status taken;
    if (what == "checkpoints:") taken = take_numbers(i, what, out_.checkpoints);
    else if (what == "checkpoint_initiates:") taken = take_numbers(i, what, out_.recomputing);
    // The first pair is the group of ranks, whatever it is called.
    else if (i == 2 || what == "model_parallel_NPU_group:") {
      const std::optional<std::int64_t> ranks = integer(words_[i++]);
      if (!ranks || *ranks < 1) return error("model_parallel_NPU_group is not a number of ranks");
      out_.model_ranks = *ranks;
    }
    if (!taken) return taken;
  }
  if (out_.model_ranks == 0) return error(fmt::format("{} needs model_parallel_NPU_group: N", words_[0]));
  return {};
}

Status Parser::take_numbers(std::size_t& at, std::string_view what, std::vector<std::int64_t>& out) {
  const std::optional<std::int64_t> count = integer(words_[at++]);
  // Compared with the words that are left before anything is read.
  if (!count || *count < 0 || static_cast<std::uint64_t>(*count) > words_.size() - at)
    return error(fmt::format("{} is not followed by a count and as many layers", what));
  for (std::int64_t i = 0; i < *count; ++i) {
    const std::optional<std::int64_t> layer = integer(words_[at++]);
    if (!layer || *layer < 0) return error(fmt::format("{} names something that is no layer", what));
    out.push_back(*layer);
  }
  return {};
}

Status Parser::take_work(std::size_t column, Work& work) {
  const std::optional<std::int64_t> time = integer(words_[column]), bytes = integer(words_[column + 2]);
  if (!time || !bytes) return error(fmt::format("\"{}\" is not a whole number", words_[time ? column + 2 : column]));
  // Times are whole microseconds, and have to fit as picoseconds.
  if (*time < 0 || *time > graph::kMaxWeightPs / kPsPerUs)
    return error(fmt::format("a compute time of {} is out of range", *time));
  work = {*time, std::string(words_[column + 1]), *bytes};
  return {};
}

Status Parser::take_layer() {
  if (words_.size() < kColumns)
    return error(fmt::format("a layer has {} columns, this line {}", kColumns, words_.size()));
  Layer layer;
  layer.name = words_[0];
  if (Status taken = take_work(2, layer.forward); !taken) return taken;
  if (Status taken = take_work(5, layer.input_gradient); !taken) return taken;
  if (Status taken = take_work(8, layer.weight_gradient); !taken) return taken;
  if (out_.mode == Mode::hybrid_customized) {
    if (words_.size() > kColumns) layer.own_mode = mode_called(words_[kColumns]);
    if (!layer.own_mode)
      return error("a layer of HYBRID_CUSTOMIZED ends with its own mode", "DATA, MODEL, HYBRID_DATA_MODEL, ...");
  }
  out_.layers.push_back(std::move(layer));
  return {};
}

Result<TextWorkload> Parser::parse() {
  if (const Status taken = take_mode(); !taken) return taken.error();
  const std::optional<std::int64_t> count = next_line() && words_.size() == 1 ? integer(words_[0]) : std::nullopt;
  if (!count) return error("the second line is the number of layers");
  out_.stated_layers = *count;
  while (next_line()) {
    if (const Status taken = take_layer(); !taken) return taken.error();
  }
  return std::move(out_);
}

}  // namespace

std::string_view to_string(Mode mode) { return kModes[static_cast<std::size_t>(mode)]; }

std::optional<Mode> mode_called(std::string_view word) {
  const auto* const found = std::find(kModes.begin(), kModes.end(), word);
  if (found == kModes.end()) return std::nullopt;
  return static_cast<Mode>(found - kModes.begin());
}

Result<TextWorkload> parse(std::string_view text, const std::string& path) { return Parser(text, path).parse(); }

Result<TextWorkload> read(const std::string& path) {
  const Result<std::string> text = read_whole_file(path, kMaxRecordingBytes);
  if (!text) return text.error();
  return parse(*text, path);
}

bool looks_like_text_workload(std::string_view first_bytes) {
  const std::vector<std::string_view> words = split(first_bytes.substr(0, first_bytes.find('\n')));
  return !words.empty() && mode_called(words[0]).has_value();
}

}  // namespace orrery::astra_text
