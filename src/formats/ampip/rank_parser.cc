#include <algorithm>

#include "formats/ampip/diagnostics.h"
#include "formats/ampip/reader.h"
#include "formats/ampip/record.h"
#include "trace/names/rank_numbers.h"

// Line by line, in either spelling. A line that is no record is what the program printed between them. Times are since
// the call before, so that moments are sums; the first record has none. The last record of a file without a final line
// end is not trusted, since it may be cut in the middle of a number.

namespace orrery::ampip {
namespace {

using trace::Field;

/// Turns records into calls of one rank.
class RankParser {
 public:
  RankParser(std::string_view text, const std::string& path, std::int64_t number, match::MpiRank& rank,
             Diagnostics& diagnostics)
      : text_(text), path_(path), number_(number), rank_(rank), diagnostics_(diagnostics) {}

  Status parse() {
    const bool is_csv = text_.starts_with(kCsvHeader.substr(0, kCsvHeader.find(',')));
    std::size_t at = 0;
    if (is_csv) {
      const std::size_t end = std::min(text_.find('\n'), text_.size());
      if (!text_.substr(0, end).starts_with(kCsvHeader))
        return Error{"these are not the columns of an A-mpiP trace", path_, 0, "expected: " + std::string(kCsvHeader)};
      diagnostics_.add(kWithoutCollectives, [&] { return path_; });
      at = end + 1;
    }
    while (at < text_.size()) {
      const std::size_t end = text_.find('\n', at);
      if (Status taken = take_line(text_.substr(at, end - at), at, is_csv, end != std::string_view::npos); !taken)
        return taken;
      if (end == std::string_view::npos) break;
      at = end + 1;
    }
    return {};
  }

 private:
  Status take_line(std::string_view line, std::size_t offset, bool is_csv, bool has_end) {
    while (!line.empty() && (line.back() == '\r' || line.back() == ' ')) line.remove_suffix(1);
    if (line.empty()) return {};
    if (!is_csv && !line.starts_with(kTextStart)) {
      // A stump of a record at the end is none; anything else is what the program printed.
      if (!has_end && kTextStart.starts_with(line)) return cut_short(offset);
      diagnostics_.add(kForeignLine, [&] { return at_byte(offset); });
      return {};
    }
    const char* const wrong = is_csv ? parse_csv_record(line, record_) : parse_text_record(line, record_);
    // The last record of a file that was cut may look whole: 12.5 of 12.53, or a communicator with fewer members.
    if (!has_end) return cut_short(offset);
    if (wrong != nullptr) {
      return Error{"this is no record of an A-mpiP trace",
                   path_,
                   offset + static_cast<std::size_t>(wrong - line.data()),
                   "expected: TRACE from -> to microseconds MPI_Function [coll ... | p2p ...]",
                   Error::Kind::unusable,
                   Remedy::salvage};
    }
    return add_call(offset);
  }

  [[nodiscard]] Error cut_short(std::size_t offset) const {
    return {"the trace ends inside a record",
            path_,
            offset,
            "was the run stopped, or the file cut short?",
            Error::Kind::unusable,
            Remedy::salvage};
  }

  [[nodiscard]] std::string at_byte(std::size_t offset) const { return path_ + ": byte " + std::to_string(offset); }

  Status add_call(std::size_t offset) {
    const bool is_first = calls_ == 0;
    if (!is_first && !record_.delta_is_usable)
      return Error{"this record is more than 26 days after the one before", path_, offset};
    // Every record names the site of the call before it: where that does not fit, records are missing.
    if (!is_first && record_.from >= 0 && record_.from != last_site_)
      diagnostics_.add(kBrokenChain, [&] { return at_byte(offset); });
    last_site_ = record_.callsite;
    rank_.add_call(record_.function, 0, 0, 0, {calls_++, offset});
    if (rank_.last_function() == nullptr)
      diagnostics_.add(kUnknownFunction, [&] { return std::string(record_.function) + " (" + at_byte(offset) + ")"; });
    rank_.set(Field::callsite, record_.callsite);
    if (!is_first) {
      if (record_.delta_ps < 0) diagnostics_.add(kNegativeDelta, [&] { return at_byte(offset); });
      rank_.set(Field::recorded_delta, std::max<TimePs>(0, record_.delta_ps));
      total_ps_ += std::max<TimePs>(0, record_.delta_ps);
      if (total_ps_ > trace::kMaxMomentPs) return Error{"the records add up to more than 26 days", path_, offset};
    }
    if (record_.bytes >= 0) rank_.set(Field::bytes, record_.bytes);
    if (!record_.region.empty()) regions().push(calls_ - 1, region_id());
    if (record_.partner == Partner::communicator) set_communicator(offset);
    if (record_.partner == Partner::rank) {
      rank_.set(Field::destination_rank, record_.rank);
      rank_.set(Field::group_rank, record_.place);
    }
    return {};
  }

  void set_communicator(std::size_t offset) {
    const auto own = std::find(record_.members.begin(), record_.members.end(), number_);
    if (own == record_.members.end()) {
      diagnostics_.add(kNotAMember, [&] { return at_byte(offset); });
      return;
    }
    rank_.set_communicator(record_.handle, record_.members);
    if (!record_.send_counts.empty()) rank_.set_text(Field::send_counts_text, match::list_text(record_.send_counts));
    if (record_.receive_counts.empty()) return;
    rank_.set_text(Field::receive_counts_text, match::list_text(record_.receive_counts));
    // What this rank sends everybody, it gets from itself too: its bytes by its own count are the size of an element.
    const std::int64_t count = record_.receive_counts[static_cast<std::size_t>(own - record_.members.begin())];
    if (record_.send_counts.empty() && count > 0 && record_.bytes > 0 && record_.bytes % count == 0)
      rank_.set(Field::element_bytes, record_.bytes / count);
  }

  trace::SparseColumn& regions() { return rank_.trace.arguments.named("region", trace::ValueType::text); }
  std::int64_t region_id() { return rank_.intern(record_.region); }

  std::string_view text_;
  const std::string& path_;
  std::int64_t number_;
  match::MpiRank& rank_;
  Diagnostics& diagnostics_;
  Record record_;
  std::uint32_t calls_ = 0;
  std::int64_t last_site_ = 0;
  TimePs total_ps_ = 0;
};

}  // namespace

Status parse_rank(std::string_view text, const std::string& path, std::int64_t number, match::MpiRank& rank,
                  Diagnostics& diagnostics) {
  return RankParser(text, path, number, rank, diagnostics).parse();
}

std::optional<std::int64_t> rank_in_name(std::string_view name) {
  for (;;) {
    if (const auto rank = trace::rank_at_end(name)) return rank;
    const std::size_t dot = name.rfind('.');
    if (dot == std::string_view::npos || dot == 0) return std::nullopt;
    name = name.substr(0, dot);  // trace_3.txt
  }
}

bool is_trace(std::string_view text) {
  if (text.starts_with(kCsvHeader)) return true;
  // "TRACE 0 -> 1 9207.8 MPI_Comm_split": the first line may be the program's own, where the trace went to the
  // terminal.
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string_view line = text.substr(at, end - at);
    if (line.starts_with(kTextStart)) {
      return line.find(" -> ") != std::string_view::npos && line.find(" MPI_") != std::string_view::npos;
    }
    if (line.find('\0') != std::string_view::npos) return false;
    at = end + 1;
  }
  return false;
}

}  // namespace orrery::ampip
