// The text of a GOAL schedule:
//
//     num_ranks 2
//     rank 0 {
//     l1: calc 5000 cpu 1
//     l2: send 1024b to 1 tag 7
//     l2 requires l1
//     }
//     rank 1 {
//     recv 1024b from -1 tag -1
//     }
#include <fmt/format.h>

#include <limits>
#include <utility>

#include "base/limits.h"
#include "base/numbers.h"
#include "formats/goal/rank_program.h"
#include "formats/goal/reader.h"
#include "formats/goal/scanner.h"
#include "report/counted.h"

namespace orrery::goal {
namespace {

using workload::ActivityKind;
using workload::Dependency;

constexpr std::int64_t kMaxRanks = std::numeric_limits<std::int32_t>::max();
constexpr std::size_t kShortestRank = 8;  // "rank 0{}"

bool is_label(std::string_view token) {
  if (token.empty() || token.find('-') != std::string_view::npos) return false;
  return (token[0] >= 'a' && token[0] <= 'z') || (token[0] >= 'A' && token[0] <= 'Z') || token[0] == '_';
}

class TextParser {
 public:
  TextParser(std::string_view text, const std::string& path) : scanner_(text), path_(path), text_bytes_(text.size()) {}

  Result<workload::Workload> parse();

 private:
  // Every step answers whether it went well; the first that does not leaves its reason in error_.
  bool parse_rank_count();
  bool parse_rank();
  bool parse_statement();
  bool parse_operation(StringId label);
  bool parse_message(Operation& operation);
  bool parse_peer(Operation& operation);
  bool parse_options(Operation& operation);
  bool parse_dependency(std::string_view dependent);
  bool finish_rank(std::int64_t rank, std::uint64_t line);

  bool fail(std::string message, std::string hint = {});
  bool fail_here(std::string_view expected);
  bool expect(std::string_view token);
  bool expect_line_end();
  bool take_number(std::string_view what, std::int64_t limit, std::int64_t& value);
  bool find_label(std::string_view label, graph::NodeId& node);

  struct Definition {
    std::uint32_t block = 0;  // counted from 1; labels of earlier blocks are not seen
    graph::NodeId node = 0;
  };

  Scanner scanner_;
  const std::string& path_;
  std::size_t text_bytes_;
  workload::Workload workload_;
  std::int64_t rank_count_ = 0;
  RankProgram rank_;
  std::uint32_t block_ = 0;
  Column<Definition> definitions_;  // by StringId of the label
  Error error_;
};

bool TextParser::fail(std::string message, std::string hint) {
  const bool comment = scanner_.token().empty() && scanner_.open_comment() != std::string_view::npos;
  if (comment) message += "; a comment is never closed";
  error_ = {fmt::format("line {}: {}", scanner_.line(), message), path_, scanner_.offset(), std::move(hint)};
  if (comment) error_.offset = scanner_.open_comment();
  return false;
}

bool TextParser::fail_here(std::string_view expected) {
  if (scanner_.token().empty()) return fail(fmt::format("expected {}, but the file ends", expected));
  return fail(fmt::format("expected {}, found '{}'", expected, scanner_.token().substr(0, 40)));
}

bool TextParser::expect(std::string_view token) {
  if (scanner_.token() != token) return fail_here(fmt::format("'{}'", token));
  scanner_.take();
  return true;
}

bool TextParser::expect_line_end() {
  return scanner_.on_new_line() || scanner_.token() == "}" || fail_here("the end of the line");
}

bool TextParser::take_number(std::string_view what, std::int64_t limit, std::int64_t& value) {
  const std::string_view token = scanner_.token();
  const NumberScan<std::int64_t> found = scan_number<std::int64_t>(token);
  if (found.used == 0 || found.used != token.size() || token[0] == '-') return fail_here(what);
  if (!found.in_range || found.value > limit)
    return fail(fmt::format("{} is {}, more than {}", what, token.substr(0, 40), limit));
  value = found.value;
  scanner_.take();
  return true;
}

bool TextParser::parse_rank_count() {
  if (!expect("num_ranks") || !take_number("the number of ranks", kMaxRanks, rank_count_)) return false;
  if (rank_count_ == 0) return fail("a schedule of no ranks");
  // Checked before anything is sized by it: every rank takes some text.
  if (static_cast<std::uint64_t>(rank_count_) > most_in(text_bytes_, kShortestRank))
    return fail(fmt::format("{} cannot be in a file of {} bytes", report::counted(rank_count_, "rank"), text_bytes_));
  workload_.program_of_rank.assign(static_cast<std::size_t>(rank_count_), ~std::uint32_t{0});
  return true;
}

bool TextParser::find_label(std::string_view label, graph::NodeId& node) {
  const StringId id = workload_.strings.find(label);
  const bool known = id != Interner::kMissing && id < definitions_.size() && definitions_[id].block == block_;
  if (!known)
    return fail(fmt::format("no operation of this rank before this line is called '{}'", label.substr(0, 40)),
                "a label holds within its rank, from the line that defines it on");
  node = definitions_[id].node;
  return true;
}

bool TextParser::parse_peer(Operation& operation) {
  if (operation.kind == ActivityKind::recv && scanner_.token() == "-1") {
    operation.peer = -1;
    scanner_.take();
    return true;
  }
  std::int64_t peer = 0;
  if (!take_number("the rank", rank_count_ - 1, peer)) return false;
  operation.peer = static_cast<std::int32_t>(peer);
  return true;
}

bool TextParser::parse_message(Operation& operation) {
  // "1024b" is one word, "1024 b" are two; both are written.
  const std::string_view size = scanner_.token();
  const bool glued = size.size() > 1 && size.back() == 'b';
  if (!parse_number(size.substr(0, size.size() - (glued ? 1 : 0)), operation.size) || operation.size < 0)
    return fail_here("a size such as '1024b'");
  scanner_.take();
  if (!glued && !expect("b")) return false;
  return expect(operation.kind == ActivityKind::send ? "to" : "from") && parse_peer(operation);
}

bool TextParser::parse_options(Operation& operation) {
  const auto option = [&](std::string_view name) {
    if (scanner_.on_new_line() || scanner_.token() != name) return false;
    scanner_.take();
    return true;
  };
  const bool is_message = operation.kind != ActivityKind::compute;
  if (is_message && option("tag")) {
    if (scanner_.token() == "-1") {
      operation.tag = -1;
      scanner_.take();
    } else if (!take_number("the tag", kMaxTag, operation.tag)) {
      return false;
    }
  }
  std::int64_t number = 0;
  if (option("cpu")) {
    if (!take_number("the cpu number", 255, number)) return false;
    operation.cpu = static_cast<std::uint8_t>(number);
  }
  if (is_message && option("nic")) {
    if (!take_number("the nic number", 255, number)) return false;
    operation.nic = static_cast<std::uint8_t>(number);
  }
  return expect_line_end();
}

bool TextParser::parse_operation(StringId label) {
  Operation operation{.label = label};
  const std::string_view verb = scanner_.take();
  if (verb == "calc") {
    if (!take_number("the time in ns", kMaxCalcNs, operation.size)) return false;
  } else {
    operation.kind = verb == "send" ? ActivityKind::send : ActivityKind::recv;
    if (!parse_message(operation)) return false;
  }
  if (!parse_options(operation)) return false;
  const graph::NodeId node = rank_.add(operation);
  if (label != 0) definitions_[label] = {block_, node};
  return true;
}

bool TextParser::parse_dependency(std::string_view dependent) {
  const std::string_view verb = scanner_.token();
  if (verb != "requires" && verb != "irequires") return fail_here("':', 'requires' or 'irequires'");
  graph::NodeId waiting = 0, on = 0;
  if (!find_label(dependent, waiting)) return false;
  scanner_.take();
  if (!is_label(scanner_.token())) return fail_here("a label");
  if (!find_label(scanner_.token(), on)) return false;
  if (waiting == on) return fail("an operation waits for itself");
  scanner_.take();
  rank_.require(waiting, on, verb == "requires" ? Dependency::data : Dependency::start);
  return expect_line_end();
}

bool TextParser::parse_statement() {
  const std::string_view word = scanner_.token();
  const auto is_verb = [](std::string_view token) { return token == "send" || token == "recv" || token == "calc"; };
  if (is_verb(word)) return parse_operation(0);
  if (!is_label(word)) return fail_here("an operation, a dependency or '}'");
  scanner_.take();
  if (scanner_.token() != ":") return parse_dependency(word);
  scanner_.take();
  if (!is_verb(scanner_.token())) return fail_here("'send', 'recv' or 'calc'");
  const StringId label = workload_.strings.intern(word);
  if (label >= definitions_.size()) definitions_.resize(label + 1);
  if (definitions_[label].block == block_)
    return fail(fmt::format("another operation of this rank is called '{}'", word.substr(0, 40)));
  return parse_operation(label);
}

bool TextParser::finish_rank(std::int64_t rank, std::uint64_t line) {
  Result<workload::Program> program = std::exchange(rank_, RankProgram()).build();
  if (!program) return fail(fmt::format("rank {} from line {} on: {}", rank, line, program.error().message));
  workload_.program_of_rank[static_cast<std::size_t>(rank)] = static_cast<std::uint32_t>(workload_.programs.size());
  workload_.programs.push_back(std::move(*program));
  return true;
}

bool TextParser::parse_rank() {
  const std::uint64_t line = scanner_.line();
  std::int64_t rank = 0;
  if (!expect("rank") || !take_number("the rank", rank_count_ - 1, rank)) return false;
  if (workload_.program_of_rank[static_cast<std::size_t>(rank)] != ~std::uint32_t{0})
    return fail(fmt::format("rank {} again", rank));
  if (!expect("{")) return false;
  ++block_;
  while (scanner_.token() != "}") {
    if (!parse_statement()) return false;
  }
  if (!finish_rank(rank, line)) return false;
  scanner_.take();
  return true;
}

Result<workload::Workload> TextParser::parse() {
  if (!parse_rank_count()) return error_;
  while (!scanner_.token().empty()) {
    if (!parse_rank()) return error_;
  }
  for (std::size_t rank = 0; rank < workload_.rank_count(); ++rank) {
    if (workload_.program_of_rank[rank] != ~std::uint32_t{0}) continue;
    fail(fmt::format("the file ends without rank {} of {}", rank, rank_count_));
    return error_;
  }
  return std::move(workload_);
}

}  // namespace

Result<workload::Workload> parse_text(std::string_view text, const std::string& path) {
  return TextParser(text, path).parse();
}

}  // namespace orrery::goal
