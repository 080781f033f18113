#include "formats/ampip/report.h"

#include <algorithm>

#include "base/io/file_content.h"
#include "base/json/json_scan.h"
#include "base/numbers.h"
#include "base/suggest.h"
#include "trace/trace.h"

// Read line by line: titles "@--- ..." switch the section, whose rows are taken by the number and kind of their words.
// Sections that other options of mpiP add are passed over; a row that does not fit its section makes the whole report
// unusable.

namespace orrery::ampip {
namespace {

using Words = std::vector<std::string_view>;

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

/// `unit_ps`: of the number as written.
bool to_time(std::string_view word, TimePs unit_ps, TimePs& out) {
  std::string text(word);
  text += ' ';  // parse_decimal wants to see what follows
  Decimal value;
  const char* const after = parse_decimal(text.data(), text.data() + text.size(), value);
  if (after != text.data() + word.size() || !value.in_range || value.whole < 0 ||
      value.whole > trace::kMaxMomentPs / unit_ps)
    return false;
  // The fraction is in 10^-12 of the unit: of a second those are picoseconds, of a smaller unit as much less.
  out = value.whole * unit_ps + value.fraction_e12 / (kPsPerSecond / unit_ps);
  return out >= 0;
}

bool to_rank(std::string_view word, std::int64_t& out) {
  if (word == "*") return out = kAllRanks, true;
  return parse_number(word, out) && out >= 0;
}

enum class Section : std::uint8_t {
  head,
  task_times,
  sites,
  aggregate_times,
  aggregate_sizes,
  site_times,
  site_sizes,
  other,
  end
};

Section section_called(std::string_view title) {
  if (title.starts_with("MPI Time")) return Section::task_times;
  if (title.starts_with("Callsites")) return Section::sites;
  if (title.starts_with("Aggregate Time")) return Section::aggregate_times;
  if (title.starts_with("Aggregate Sent Message Size")) return Section::aggregate_sizes;
  if (title.starts_with("Callsite Time statistics")) return Section::site_times;
  if (title.starts_with("Callsite Message Sent statistics")) return Section::site_sizes;
  if (title.starts_with("End of Report")) return Section::end;
  return Section::other;  // Aggregate Collective Time, I/O statistics: of runs with other options
}

class ReportParser {
 public:
  ReportParser(std::string_view text, const std::string& path) : text_(text), path_(path) {}

  Result<Report> parse() {
    if (!is_report(text_)) return Error{"this is no mpiP report: it does not begin with @ mpiP", path_, 0};
    for (std::size_t at = 0; at < text_.size() && section_ != Section::end;) {
      const std::size_t end = std::min(text_.find('\n', at), text_.size());
      if (!take_line(text_.substr(at, end - at))) return Error{"this line is not as mpiP writes it", path_, at};
      at = end + 1;
    }
    if (section_ != Section::end)
      return Error{"the report ends before its end", path_, text_.size(),
                   "was the run stopped, or the file cut short?"};
    std::stable_sort(report_.sites.begin(), report_.sites.end(),
                     [](const ReportSite& a, const ReportSite& b) { return a.id < b.id; });
    return std::move(report_);
  }

 private:
  bool take_line(std::string_view line) {
    if (line.starts_with("@--- ")) {
      section_ = section_called(line.substr(5));
      needs_header_ = true;
      return true;
    }
    if (line.starts_with("@ ")) return take_property(line.substr(2));
    const Words words = split_words(line);
    // Rules between sections, and empty lines.
    if (words.empty() || line.starts_with("---")) return true;
    if (section_ == Section::head || section_ == Section::other) return true;
    if (needs_header_) {
      needs_header_ = false;
      has_local_ids_ = std::find(words.begin(), words.end(), "TmpID") != words.end();
      return true;
    }
    return take_row(words);
  }

  /// "@ MPI Task Assignment      : 3 vm"
  bool take_property(std::string_view text) {
    const std::size_t colon = text.find(" : ");
    if (colon == std::string_view::npos) return true;  // "@ mpiP"
    const std::string_view key = trimmed(text.substr(0, colon)), value = trimmed(text.substr(colon + 3));
    if (key != "MPI Task Assignment") {
      report_.properties.emplace_back(key, value);
      return true;
    }
    const Words words = split_words(value);
    std::int64_t rank = 0;
    // Ranks are listed from 0 on, so the number says nothing that the place does not.
    if (words.size() != 2 || !parse_number(words[0], rank) || rank != static_cast<std::int64_t>(report_.hosts.size()))
      return false;
    report_.hosts.emplace_back(words[1]);
    return true;
  }

  bool take_row(const Words& words) {
    switch (section_) {
      case Section::task_times: return take_task(words);
      case Section::sites: return take_frame(words);
      case Section::aggregate_times: return take_aggregate_time(words);
      case Section::aggregate_sizes: return take_aggregate_size(words);
      case Section::site_times: return take_site_time(words);
      case Section::site_sizes: return take_site_size(words);
      default: return true;
    }
  }

  bool take_task(const Words& words) {
    TaskTime task;
    const bool fits = words.size() == 4 && to_rank(words[0], task.rank) &&
                      to_time(words[1], kPsPerSecond, task.application_ps) &&
                      to_time(words[2], kPsPerSecond, task.mpi_ps) && parse_number(words[3], task.mpi_percent);
    if (fits) report_.tasks.push_back(task);
    return fits;
  }

  /// ID [TmpID HashID] Lev File/Address [Line] Parent_Funct [MPI_Call]: a row per level, of which the first has the
  /// call.
  bool take_frame(const Words& words) {
    ReportSite site;
    std::size_t at = 0;
    std::int64_t level = 0;
    const auto number = [&](std::int64_t& out) { return at < words.size() && parse_number(words[at++], out); };
    if (!number(site.id)) return false;
    if (has_local_ids_) {
      if (!number(site.local_id.emplace()) || !number(site.hash.emplace())) return false;
    }
    if (!number(level) || at >= words.size()) return false;
    StackFrame frame;
    frame.file = words[at++];
    // Of a place that mpiP could not look up it writes the address, and no line.
    if (at < words.size() && parse_number(words[at], frame.line)) ++at;
    std::size_t end = words.size();
    if (level == 0) {
      if (at >= end) return false;
      // The last word of the first level is the call; functions may have blanks in their names.
      site.call = words[--end];
    }
    for (; at < end; ++at) frame.function += (frame.function.empty() ? "" : " ") + std::string(words[at]);
    if (level == 0) report_.sites.push_back(std::move(site));
    // A deeper level belongs to the site above it.
    else if (report_.sites.empty() || report_.sites.back().id != site.id) return false;
    report_.sites.back().stack.push_back(std::move(frame));
    return true;
  }

  bool take_aggregate_time(const Words& words) {
    AggregateTime row;
    // Older reports have no COV.
    const bool fits = (words.size() == 7 || words.size() == 6) && parse_number(words[1], row.site) &&
                      to_time(words[2], kPsPerMs, row.time_ps) && parse_number(words[3], row.application_percent) &&
                      parse_number(words[4], row.mpi_percent) && parse_number(words[5], row.count) &&
                      (words.size() == 6 || parse_number(words[6], row.variation));
    if (!fits) return false;
    row.call = words[0];
    report_.aggregate_times.push_back(std::move(row));
    return true;
  }

  bool take_aggregate_size(const Words& words) {
    AggregateSize row;
    const bool fits = words.size() == 6 && parse_number(words[1], row.site) && parse_number(words[2], row.count) &&
                      parse_number(words[3], row.total_bytes) && parse_number(words[4], row.mean_bytes) &&
                      parse_number(words[5], row.sent_percent);
    if (!fits) return false;
    row.call = words[0];
    report_.aggregate_sizes.push_back(std::move(row));
    return true;
  }

  bool take_site_time(const Words& words) {
    SiteTime row;
    const bool fits = words.size() == 9 && parse_number(words[1], row.site) && to_rank(words[2], row.rank) &&
                      parse_number(words[3], row.count) && row.count > 0 && to_time(words[4], kPsPerMs, row.max_ps) &&
                      to_time(words[5], kPsPerMs, row.mean_ps) && to_time(words[6], kPsPerMs, row.min_ps) &&
                      parse_number(words[7], row.application_percent) && parse_number(words[8], row.mpi_percent);
    if (!fits) return false;
    row.call = words[0];
    report_.site_times.push_back(std::move(row));
    return true;
  }

  bool take_site_size(const Words& words) {
    SiteSize row;
    const bool fits = words.size() == 8 && parse_number(words[1], row.site) && to_rank(words[2], row.rank) &&
                      parse_number(words[3], row.count) && parse_number(words[4], row.max_bytes) &&
                      parse_number(words[5], row.mean_bytes) && parse_number(words[6], row.min_bytes) &&
                      parse_number(words[7], row.sum_bytes);
    if (!fits) return false;
    row.call = words[0];
    report_.site_sizes.push_back(std::move(row));
    return true;
  }

  std::string_view text_;
  const std::string& path_;
  Report report_;
  Section section_ = Section::head;
  bool needs_header_ = false;
  bool has_local_ids_ = false;
};

}  // namespace

const ReportSite* Report::find_site(std::int64_t id) const {
  const auto at = std::lower_bound(sites.begin(), sites.end(), id,
                                   [](const ReportSite& site, std::int64_t wanted) { return site.id < wanted; });
  return at != sites.end() && at->id == id ? &*at : nullptr;
}

Result<Report> parse_report(std::string_view text, const std::string& path) { return ReportParser(text, path).parse(); }

Result<Report> read_report(const std::string& path) {
  const Result<FileContent> content = FileContent::open(path);
  if (!content) return content.error();
  return parse_report(content->bytes(), path);
}

std::string stack_text(const ReportSite& site) {
  // Of a stack whose first frame nobody could look up there is nothing to tell.
  if (site.stack.empty() || !site.stack.front().is_known()) return {};
  std::string text = "MPI_" + site.call;
  for (std::size_t i = 0; i < site.stack.size(); ++i) {
    const StackFrame& frame = site.stack[i];
    text += i == 0 ? " " : " < ";
    text += frame.is_known() ? frame.file + ":" + std::to_string(frame.line) + " " + frame.function : std::string("?");
  }
  return text;
}

}  // namespace orrery::ampip
