#include "formats/isb_bfs/model_file.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "base/io/file_content.h"
#include "base/io/output_file.h"
#include "base/limits.h"
#include "base/numbers.h"

// Line by line: the name of a file says whether it holds polynomials, which have a line of exponents first, and every
// other line is a model with as many numbers as its type needs.

namespace orrery::isb_bfs {
namespace {

constexpr std::array<std::string_view, 4> kTypeNames = {"CONSTANT", "BILINEAR", "EXPONENTIAL", "TRACE"};
constexpr std::string_view kExecHeader = "callsite_source callsite_destination threads_per_rank";
constexpr std::string_view kMsgHeader = "callsite threads_per_rank";
constexpr double kNanosecondsPerMicrosecond = 1000;
// A limit against damaged files.
constexpr int kHighestPower = 16;

// The name of the file is all that tells: nothing inside says so.
bool says_polynomial(std::string_view path) {
  return path.substr(path.find_last_of('/') + 1).find("poly") != std::string_view::npos;
}

/// The words of a line, one after the other.
class Words {
 public:
  explicit Words(std::string_view line) : rest_(line) {}
  std::string_view next() {
    const std::size_t begin = std::min(rest_.find_first_not_of(" \t\r"), rest_.size());
    rest_.remove_prefix(begin);
    const std::size_t end = std::min(rest_.find_first_of(" \t\r"), rest_.size());
    const std::string_view word = rest_.substr(0, end);
    rest_.remove_prefix(end);
    return word;
  }

 private:
  std::string_view rest_;
};

class ModelFileParser {
 public:
  ModelFileParser(std::string_view text, const std::string& path, Content content) : text_(text), path_(path) {
    file_.content = content;
    file_.is_polynomial = says_polynomial(path);
  }

  Result<ModelFile> parse() {
    // Only files of polynomials have a line of exponents first.
    bool header_seen = !file_.is_polynomial;
    for (std::size_t begin = 0; begin < text_.size(); ++line_) {
      const std::size_t end = std::min(text_.find('\n', begin), text_.size());
      const std::string_view line = text_.substr(begin, end - begin);
      begin = end + 1;
      if (line.find_first_not_of(" \t\r") == std::string_view::npos) continue;
      const Status status = header_seen ? take_model(line) : take_header(line);
      if (!status) return status.error();
      header_seen = true;
    }
    if (file_.models.empty()) return Error{.message = "holds no model", .file = path_};
    return std::move(file_);
  }

 private:
  [[nodiscard]] Error error(std::string_view message, std::string hint = {}) const {
    return {.message = fmt::format("line {}: {}", line_, message), .file = path_, .hint = std::move(hint)};
  }

  Status take_header(std::string_view line) {
    Words words(line);
    for (std::string_view word = words.next(); !word.empty(); word = words.next()) {
      // Words without a comma are the headings of columns.
      const std::size_t comma = word.find(',');
      if (comma == std::string_view::npos) continue;
      std::pair<int, int> power;
      const bool good =
          parse_number(word.substr(0, comma), power.first) && parse_number(word.substr(comma + 1), power.second) &&
          std::min(power.first, power.second) >= 0 && std::max(power.first, power.second) <= kHighestPower;
      if (!good) return error(fmt::format("'{}' is no pair of exponents", word));
      file_.powers.push_back(power);
    }
    if (file_.powers.empty())
      return error("a file of polynomials begins with its exponents: 0,0 1,0 0,1 ...",
                   "\"poly\" in the name of a file says that it holds polynomials");
    return {};
  }

  Status take_model(std::string_view line) {
    Words words(line);
    Model model;
    if (!parse_number(words.next(), model.source)) return error("begins with no call site");
    if (file_.content == Content::exec && !parse_number(words.next(), model.destination))
      return error("the second word is no call site", "models of messages have one call site per line, of compute two");
    if (!parse_number(words.next(), model.threads)) return error("has no number of threads");
    if (file_.is_polynomial) model.type = ModelType::polynomial;
    else if (Status status = take_type(words.next(), model); !status) return status;
    for (std::string_view word = words.next(); !word.empty(); word = words.next()) {
      double value = 0;
      if (!parse_number(word, value) || !std::isfinite(value)) return error(fmt::format("'{}' is no number", word));
      model.parameters.push_back(value);
    }
    if (Status status = check_count(model); !status) return status;
    file_.models.push_back(std::move(model));
    return {};
  }

  Status take_type(std::string_view word, Model& model) const {
    const auto found = std::find(kTypeNames.begin(), kTypeNames.end(), word);
    if (found == kTypeNames.end())
      return error(fmt::format("unknown type '{}'", word), "CONSTANT, BILINEAR, EXPONENTIAL or TRACE");
    model.type = static_cast<ModelType>(found - kTypeNames.begin());
    if (model.type == ModelType::bilinear && file_.content == Content::msg)
      return error("BILINEAR is not for messages");
    return {};
  }

  [[nodiscard]] Status check_count(const Model& model) const {
    std::size_t wanted = 0;
    switch (model.type) {
      case ModelType::constant: wanted = 1; break;
      case ModelType::bilinear:
      case ModelType::exponential: wanted = 4; break;
      case ModelType::polynomial: wanted = file_.powers.size(); break;
      // A trace has as many values as it likes, but one at least.
      case ModelType::trace: wanted = std::max<std::size_t>(model.parameters.size(), 1); break;
    }
    if (model.parameters.size() == wanted) return {};
    return error(fmt::format("has {} numbers where {} belong", model.parameters.size(), wanted));
  }

  std::string_view text_;
  const std::string& path_;
  ModelFile file_;
  std::size_t line_ = 1;
};

}  // namespace

Result<ModelFile> parse_model_file(std::string_view text, const std::string& path, Content content) {
  return ModelFileParser(text, path, content).parse();
}

Result<ModelFile> read_model_file(const std::string& path, Content content) {
  const auto file = FileContent::open(path);
  if (!file) return file.error();
  return parse_model_file(file->bytes(), path, content);
}

std::string to_text(const ModelFile& file) {
  std::string out;
  if (file.is_polynomial) {
    out += file.content == Content::exec ? kExecHeader : kMsgHeader;
    for (const auto& [size, nodes] : file.powers) out += fmt::format(" {},{}", size, nodes);
    out += '\n';
  }
  for (const Model& model : file.models) {
    out += fmt::format("{} ", model.source);
    if (file.content == Content::exec) out += fmt::format("{} ", model.destination);
    out += fmt::format("{}", model.threads);
    if (model.type != ModelType::polynomial)
      out += fmt::format(" {}", kTypeNames[static_cast<std::size_t>(model.type)]);
    for (const double value : model.parameters) out += fmt::format(" {}", value);
    out += '\n';
  }
  return out;
}

Status write_model_file(const ModelFile& file, const std::string& path) {
  // Whoever reads it goes by the name again.
  if (file.is_polynomial != says_polynomial(path)) {
    return Error{.message = file.is_polynomial ? "the name of a file of polynomials must have \"poly\" in it"
                                               : "the name must not have \"poly\" in it: its models are no polynomials",
                 .file = path,
                 .kind = Error::Kind::misuse};
  }
  return write_whole_file(path, to_text(file));
}

double evaluate(const ModelFile& file, const Model& model, double nodes, double size, std::uint64_t call) {
  const std::vector<double>& v = model.parameters;
  switch (model.type) {
    case ModelType::constant: return v[0];
    // Recorded values in their order, and from the start again when they are used up.
    case ModelType::trace: return v[call % v.size()];
    case ModelType::bilinear: return v[0] * nodes * size + v[1] * nodes + v[2] * size + v[3];
    case ModelType::exponential: return std::exp(v[0] * nodes * size + v[1] * nodes + v[2] * size + v[3]);
    case ModelType::polynomial: break;
  }
  double sum = 0;
  for (std::size_t i = 0; i < v.size(); ++i)
    sum += v[i] * std::pow(size, file.powers[i].first) * std::pow(nodes, file.powers[i].second);
  // Polynomials fall below zero outside of where they were fitted, and times cannot.
  return std::max(0.0, sum);
}

double evaluate_scaled(const ModelFile& file, const Model& model, double nodes, double size, std::uint64_t call) {
  const double value = evaluate(file, model, nodes, size, call);
  // Models of times are in microseconds, messages in bytes.
  const double scaled = file.content == Content::exec ? value * kNanosecondsPerMicrosecond : value;
  // The motif rounds what it computes, not what it reads.
  const bool as_it_is = model.type == ModelType::constant || model.type == ModelType::trace;
  return as_it_is ? scaled : std::nearbyint(scaled);
}

}  // namespace orrery::isb_bfs
