#include <algorithm>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "formats/liballprof/call_line.h"
#include "formats/liballprof/diagnostics.h"
#include "formats/liballprof/reader.h"

// Line by line into calls. Calls before the first clock reading wait for it; ranks within communicators are kept as
// they are, since who their members are is known only when all files are read. Requests are told by the address of
// their variable.

namespace orrery::liballprof {
namespace {

using match::MpiRole;
using trace::Field;

constexpr std::int64_t kMostUs = trace::kMaxMomentPs / kPsPerUs;

std::int64_t product(std::int64_t a, std::int64_t b) {
  std::int64_t out = 0;
  // Sizes that overflow are unknown, not wrong.
  return a < 0 || b < 0 || __builtin_mul_overflow(a, b, &out) ? 0 : out;
}

class RankParser {
 public:
  RankParser(std::string_view text, const std::string& path, RankCalls& out, Diagnostics& diagnostics)
      : text_(text), path_(path), out_(out), rank_(out.read.rank), diagnostics_(diagnostics) {}

  Status parse() {
    for (std::size_t at = 0; at < text_.size();) {
      const std::size_t end = text_.find('\n', at);
      std::string_view line = text_.substr(at, end - at);
      while (!line.empty() && (line.back() == '\r' || line.back() == ' ')) line.remove_suffix(1);
      if (Status taken = take_line(line, at, end != std::string_view::npos); !taken) return taken;
      if (end == std::string_view::npos) break;
      at = end + 1;
    }
    return {};
  }

 private:
  Status take_line(std::string_view line, std::size_t offset, bool has_end) {
    if (line.empty()) return {};
    if (line.starts_with('#')) {
      // "# Init clockdiff: 12.5": kept as it is written.
      if (const std::size_t colon = line.find(": "); colon != std::string_view::npos)
        rank_.trace.source.properties.emplace_back(std::string(line.substr(2, colon - 2)),
                                                   "\"" + printable(line.substr(colon + 2)) + "\"");
      return {};
    }
    const char* const wrong = parse_call_line(line, call_);
    // What is written last of all may lack its line's end.
    if (!has_end && wrong == nullptr && call_.function == "MPI_Finalize") has_end = true;
    if (wrong != nullptr || !has_end) {
      const bool is_cut = !has_end;
      return Error{
          is_cut ? "the trace ends inside a call" : "this is no line of a liballprof trace",
          path_,
          is_cut ? offset : offset + static_cast<std::size_t>(wrong - line.data()),
          is_cut ? "was the run stopped, or the file cut short?" : "expected: MPI_Function:start:arguments:end",
          Error::Kind::unusable,
          Remedy::salvage};
    }
    return take_call(offset);
  }

  /// A call without any clock happens with the next that has one, or, at the end, with the last.
  Status take_call(std::size_t offset) {
    if (!call_.start_us && !call_.end_us && !last_us_) {
      without_clock_.emplace_back(std::move(call_), offset);
      return {};
    }
    const std::int64_t start_us = call_.start_us.value_or(call_.end_us.value_or(last_us_.value_or(0)));
    CallLine timed = std::move(call_);
    for (auto& [call, place] : std::exchange(without_clock_, {})) {
      call_ = std::move(call);
      if (Status added = add_call(start_us, start_us, place); !added) return added;
    }
    call_ = std::move(timed);
    last_us_ = call_.end_us.value_or(start_us);
    return add_call(start_us, *last_us_, offset);
  }

  static std::string printable(std::string_view text) {
    std::string out;
    for (const char c : text) out += c >= ' ' && c <= '~' && c != '"' && c != '\\' ? c : '?';
    return out;
  }

  Status add_call(std::int64_t start_us, std::int64_t end_us, std::size_t offset) {
    if (calls_ == 0) out_.first_us = start_us;
    std::int64_t start = 0, end = 0;
    if (__builtin_sub_overflow(start_us, out_.first_us, &start) ||
        __builtin_sub_overflow(end_us, out_.first_us, &end) || std::max(start, end) > kMostUs ||
        std::min(start, end) < -kMostUs) {
      return Error{"this call is more than 26 days after the first", path_, offset};
    }
    if (end < start) {
      diagnostics_.add(kEndsBeforeStart, [&] { return at_byte(offset); });
      end = start;
    }
    event_ = rank_.add_call(call_.function, start * kPsPerUs, (end - start) * kPsPerUs, 0, {calls_++, offset});
    if (rank_.last_function() == nullptr)
      diagnostics_.add(kUnknownFunction, [&] { return std::string(call_.function) + " (" + at_byte(offset) + ")"; });
    if (!call_.arguments_fit) {
      const MpiRole role = rank_.last_function() == nullptr ? MpiRole::local : rank_.last_function()->role;
      const bool communicates = role == MpiRole::send || role == MpiRole::receive || role == MpiRole::send_receive ||
                                role == MpiRole::collective;
      if (communicates)
        diagnostics_.add(kOddArguments, [&] { return std::string(call_.function) + " (" + at_byte(offset) + ")"; });
      return {};
    }
    set_arguments();
    set_requests();
    return {};
  }

  [[nodiscard]] std::string at_byte(std::size_t offset) const { return path_ + ": byte " + std::to_string(offset); }

  void set_arguments() {
    const MpiRole role = rank_.last_function()->role;
    const std::int64_t type_bytes = call_.type_bytes.value_or(0);
    if (!call_.send_counts.empty()) rank_.set(Field::bytes, product(sum(call_.send_counts), type_bytes));
    else if (call_.count) rank_.set(Field::bytes, product(*call_.count, type_bytes));
    else if (!call_.receive_counts.empty() && call_.type_bytes)
      rank_.set(Field::bytes, product(sum(call_.receive_counts), type_bytes));
    if (call_.receive_count)
      rank_.set(Field::receive_bytes, product(*call_.receive_count, call_.receive_type_bytes.value_or(type_bytes)));
    if (call_.tag) rank_.set(Field::tag, *call_.tag);
    if (call_.receive_tag) rank_.set(Field::receive_tag, *call_.receive_tag);
    if (call_.root) rank_.set(Field::group_rank, *call_.root);
    if (!call_.send_counts.empty()) rank_.set_text(Field::send_counts_text, match::list_text(call_.send_counts));
    if (!call_.receive_counts.empty())
      rank_.set_text(Field::receive_counts_text, match::list_text(call_.receive_counts));
    if (!call_.send_counts.empty() || !call_.receive_counts.empty())
      rank_.set(Field::element_bytes, call_.type_bytes.value_or(call_.receive_type_bytes.value_or(0)));
    if (call_.destination) out_.peers.push_back({event_, *call_.destination, true});
    if (call_.source) out_.peers.push_back({event_, *call_.source, false});
    if (call_.communicator)
      out_.communicators.push_back(
          {event_, call_.communicator->handle, call_.communicator->rank, call_.communicator->size});
    else if (role == MpiRole::receive) diagnostics_.add(kUnknownMembers, [&] { return path_; });
  }

  static std::int64_t sum(const std::vector<std::int64_t>& numbers) {
    std::int64_t total = 0;
    for (const std::int64_t number : numbers) {
      if (number < 0 || __builtin_add_overflow(total, number, &total)) return 0;
    }
    return total;
  }

  /// A request is known by the address of its variable, which is used again and again: it gets a number of its own each
  /// time.
  void set_requests() {
    if (!call_.request) return;
    if (!rank_.last_function()->is_blocking) {
      open_[*call_.request] = ++requests_;
      rank_.set(Field::request, requests_);
      return;
    }
    const std::int64_t count = call_.requests.value_or(1);
    // Which of the two sizes a request has is seen from how many open ones lie at such distances.
    std::vector<std::int64_t> completed = in_array(*call_.request, count, 8);
    // Requests of MPICH, and of Fortran, are half as long as pointers.
    if (const std::vector<std::int64_t> shorter = in_array(*call_.request, count, 4); shorter.size() > completed.size())
      completed = shorter;
    for (const std::int64_t request : completed)
      std::erase_if(open_, [&](const auto& entry) { return entry.second == request; });
    rank_.set_text(Field::requests_text, match::list_text(completed));
  }

  [[nodiscard]] std::vector<std::int64_t> in_array(std::uint64_t first, std::int64_t count, std::uint64_t size) const {
    std::vector<std::int64_t> found;
    if (count <= 0) return found;
    const std::uint64_t length = static_cast<std::uint64_t>(count) * size;
    for (auto at = open_.lower_bound(first); at != open_.end() && at->first - first < length; ++at) {
      if ((at->first - first) % size == 0) found.push_back(at->second);
    }
    return found;
  }

  std::string_view text_;
  const std::string& path_;
  RankCalls& out_;
  match::MpiRank& rank_;
  Diagnostics& diagnostics_;
  CallLine call_;
  std::optional<std::int64_t> last_us_;                          // of the last call that had a clock
  std::vector<std::pair<CallLine, std::size_t>> without_clock_;  // calls before it, with their places
  trace::EventIndex event_ = 0;
  std::uint32_t calls_ = 0;
  std::map<std::uint64_t, std::int64_t> open_;  // by address
  std::int64_t requests_ = 0;
};

}  // namespace

Status parse_rank(std::string_view text, const std::string& path, RankCalls& out, Diagnostics& diagnostics) {
  return RankParser(text, path, out, diagnostics).parse();
}

bool is_trace(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string_view line = text.substr(at, end - at);
    at = end + 1;
    if (line.empty() || line.starts_with('#')) continue;
    CallLine call;
    // The last line of what was looked at may be cut.
    return line.starts_with("MPI_") && line.find(':') != std::string_view::npos &&
           (end == text.size() || parse_call_line(line, call) == nullptr);
  }
  return false;
}

}  // namespace orrery::liballprof
