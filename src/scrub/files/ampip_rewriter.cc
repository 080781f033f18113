#include "scrub/files/ampip_rewriter.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "base/json/json_scan.h"
#include "base/suggest.h"
#include "formats/ampip/reader.h"
#include "formats/ampip/record.h"
#include "formats/ampip/report.h"
#include "match/mpi/mpi_function.h"

// Both formats are texts: every line is parsed as its reader would, and written again from what was understood. A line
// that is no record, row or title of theirs was written by the program, and is left out however harmless it looks.

namespace orrery::scrub {
namespace {

constexpr std::size_t kFlushedTextBytes = 1 << 20;
constexpr std::string_view kUnknownFunction = "[unknown]";  // as mpiP says where it could not look one up

/// Calls `f` with every line, without its end, and where it begins.
template <typename F>
Status for_each_line(std::string_view bytes, const F& f) {
  for (std::size_t at = 0; at < bytes.size();) {
    const std::size_t end = std::min(bytes.find('\n', at), bytes.size());
    std::string_view line = bytes.substr(at, end - at);
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (const Status taken = f(line, at); !taken) return taken;
    at = end + 1;
  }
  return {};
}

bool is_csv(std::string_view bytes) { return bytes.starts_with(ampip::kCsvHeader); }

/// "12", "0.5", "1.2e+06", "-nan", and "*" for all ranks. Not whatever the library takes for a number: "nan(secret)" is
/// one, too, and digits alone can spell a text where there are many.
bool is_figure(std::string_view word) {
  for (const std::string_view known : {"*", "nan", "-nan", "inf", "-inf"})
    if (word == known) return true;
  return word.size() < 32 && word.find_first_of("0123456789") != std::string_view::npos &&
         std::all_of(word.begin(), word.end(), is_number_char);
}

bool is_natural(std::string_view word) { return word.find_first_not_of("0123456789") == std::string_view::npos; }

bool is_hexadecimal(std::string_view word) {
  return word.starts_with("0x") && word.substr(2).find_first_not_of("0123456789abcdefABCDEF") == std::string_view::npos;
}

/// What a member of a file has a rule for, counted.
class Counter {
 public:
  Counter(const ObjectRules& rules, JsonRewriter& rewriter) : rules_(rules), rewriter_(rewriter) {}
  void count(std::string_view member) { ++rewriter_.tally().of(rules_, *rules_.find(member)).count; }
  std::string_view renamed(std::string_view member, std::string_view text) {
    count(member);
    return rewriter_.renamer().rename(rules_.find(member)->domain, text);
  }
  /// Functions of MPI are everybody's; whatever else a file calls so is the program's.
  std::string function(std::string_view name) {
    count("function");
    if (match::find_mpi_function(name) != nullptr) return std::string(name);
    return fmt::format("MPI_{}", rewriter_.renamer().rename(Domain::text, name));
  }
  void leave_out(std::string_view what) { rewriter_.tally().add_unknown(rules_.place, what); }

 private:
  const ObjectRules& rules_;
  JsonRewriter& rewriter_;
};

/// The records of one rank.
class TraceWriter {
 public:
  explicit TraceWriter(JsonRewriter& rewriter) : counter_(ampip_record_rules(), rewriter) {}

  void write_text(std::string_view line, std::string& out) {
    // A trace that went to the terminal has the program's own lines between its records.
    if (!line.starts_with(ampip::kTextStart) || ampip::parse_text_record(line, record_) != nullptr)
      return counter_.leave_out("line of the program");
    const std::string_view delta = split_words(line)[4];
    fmt::format_to(std::back_inserter(out), "TRACE {} -> {} {} {}", record_.from, record_.callsite, time(delta),
                   counter_.function(record_.function));
    if (record_.partner == ampip::Partner::communicator) write_communicator(out);
    else if (record_.partner == ampip::Partner::rank)
      fmt::format_to(std::back_inserter(out), " p2p {} to {}:{}", record_.bytes, record_.place, record_.rank);
    else out += ' ';
    out += '\n';
    count_partner();
  }

  void write_csv(std::string_view line, std::string& out) {
    if (ampip::parse_csv_record(line, record_) != nullptr) return counter_.leave_out("line of the program");
    // callsite,op,dur_us,sendSize_B,dest_group,dest_global,region: the numbers as they are written
    std::vector<std::string_view> cells;
    for (std::size_t at = 0; cells.size() < 6; ++at) {
      const std::size_t comma = line.find(',', at);
      cells.push_back(line.substr(at, comma - at));
      at = comma;
    }
    std::string region;
    if (!record_.region.empty()) region = counter_.renamed("region", record_.region);
    fmt::format_to(std::back_inserter(out), "{},{},{},{},{},{},{}\n", cells[0], counter_.function(record_.function),
                   time(cells[2]), cells[3], cells[4], cells[5], region);
    count_partner();
  }

 private:
  /// Of the first record it means nothing, and may be the time of day.
  std::string_view time(std::string_view delta) {
    counter_.count("time");
    return std::exchange(is_first_, false) ? "0.0" : delta;
  }

  /// Handles are addresses: what counts is which are the same.
  void write_communicator(std::string& out) {
    const auto [handle, is_new] = handles_.try_emplace(record_.handle, handles_.size() + 1);
    fmt::format_to(std::back_inserter(out), " coll {:#x} {} to ", record_.handle == 0 ? 0 : handle->second,
                   record_.bytes);
    for (std::size_t i = 0; i < record_.members.size(); ++i) {
      fmt::format_to(std::back_inserter(out), "{}", record_.members[i]);
      if (!record_.send_counts.empty()) fmt::format_to(std::back_inserter(out), ">{}", record_.send_counts[i]);
      if (!record_.receive_counts.empty()) fmt::format_to(std::back_inserter(out), "<{}", record_.receive_counts[i]);
      out += ' ';
    }
    counter_.count("handle");
  }

  void count_partner() {
    counter_.count("callsite");
    if (record_.bytes >= 0) counter_.count("bytes");
    if (record_.partner != ampip::Partner::none) counter_.count("ranks");
  }

  Counter counter_;
  ampip::Record record_;
  bool is_first_ = true;
  std::map<std::uint64_t, std::size_t> handles_;
};

/// What a section of a report is called, and how a row of it begins.
struct SectionRule {
  std::string_view title;
  enum class Rows : std::uint8_t { numbers, calls, frames, none } rows;
};

constexpr SectionRule kSections[] = {
    {"MPI Time (seconds)", SectionRule::Rows::numbers},
    {"Callsites", SectionRule::Rows::frames},
    {"Aggregate Time (top twenty, descending, milliseconds)", SectionRule::Rows::calls},
    {"Aggregate Sent Message Size (top twenty, descending, bytes)", SectionRule::Rows::calls},
    {"Callsite Time statistics (all, milliseconds)", SectionRule::Rows::calls},
    {"Callsite Message Sent statistics (all, sent bytes)", SectionRule::Rows::calls},
    {"End of Report", SectionRule::Rows::none},
};

class ReportWriter {
 public:
  explicit ReportWriter(JsonRewriter& rewriter) : counter_(mpip_report_rules(), rewriter) {}

  void write(std::string_view line, std::string& out) {
    // By its beginning the file is known again, whatever else stands in that line.
    if (std::exchange(is_first_, false)) return write_line("@ mpiP", out);
    // What follows the end no reader looks at, so nothing says that it is what it looks like.
    if (section_ != nullptr && section_->rows == SectionRule::Rows::none) return write_behind_end(line, out);
    if (line.starts_with("@--- ")) return write_title(line, out);
    if (line.starts_with("@ ")) return write_property(line, out);
    const std::vector<std::string_view> words = split_words(line);
    if (words.empty() || line.starts_with("---")) return write_line(words.empty() ? "" : "---", out);
    if (section_ == nullptr) return counter_.leave_out("line of another section");
    if (std::exchange(needs_header_, false)) {  // the names of the columns
      has_local_ids_ = std::find(words.begin(), words.end(), "TmpID") != words.end();
      return write_header(words, out);
    }
    switch (section_->rows) {
      case SectionRule::Rows::numbers: write_row(words, 0, out); break;
      case SectionRule::Rows::calls: write_row(words, 1, out); break;
      case SectionRule::Rows::frames: write_frame(words, out); break;
      case SectionRule::Rows::none: break;  // behind the end
    }
  }

 private:
  /// mpiP closes with a rule.
  void write_behind_end(std::string_view line, std::string& out) {
    if (line.find_first_not_of("- \t\r") == std::string_view::npos)
      return write_line(line.starts_with("---") ? "---" : "", out);
    counter_.leave_out("line behind the end");
  }

  static void write_line(std::string_view line, std::string& out) {
    out += line;
    out += '\n';
  }

  /// Those that mpiP has: a line of another program in their place would be one more secret.
  void write_header(const std::vector<std::string_view>& words, std::string& out) {
    constexpr std::string_view kColumns[] = {
        "Task",  "AppTime", "MPITime", "MPI%", "ID",   "TmpID", "HashID", "Lev",      "File/Address",
        "Line",  "Call",    "Site",    "Time", "App%", "Count", "COV",    "Total",    "Avrg",
        "Sent%", "Name",    "Rank",    "Max",  "Mean", "Min",   "Sum",    "MPI_Call", "Parent_Funct"};
    bool any = false;
    for (const std::string_view word : words) {
      if (std::find(std::begin(kColumns), std::end(kColumns), word) == std::end(kColumns)) continue;
      (out += any ? " " : "") += word;
      any = true;
    }
    out += any ? "\n" : "Column\n";
  }

  /// "@--- Callsites: 10 ---": the title as mpiP has it, and the number.
  void write_title(std::string_view line, std::string& out) {
    section_ = nullptr;
    for (const SectionRule& section : kSections) {
      const std::string_view word = section.title.substr(0, section.title.find(" ("));
      if (line.substr(5).starts_with(word)) section_ = &section;
    }
    if (section_ == nullptr) return counter_.leave_out("section");
    needs_header_ = true;
    const std::size_t colon = line.rfind(": ");
    const std::vector<std::string_view> words =
        split_words(colon == std::string_view::npos ? std::string_view() : line.substr(colon + 2));
    const bool has_count = !words.empty() && is_natural(words.front());
    fmt::format_to(std::back_inserter(out), "@--- {}{} ---\n", section_->title,
                   has_count ? fmt::format(": {}", words.front()) : "");
  }

  /// "@ MPI Task Assignment      : 3 vm". Of the others the version and the way it was made stay; the command, the date
  /// and folders do not.
  void write_property(std::string_view line, std::string& out) {
    const std::size_t colon = line.find(" : ");
    if (colon == std::string_view::npos) return write_line("@ mpiP", out);
    std::string_view key = line.substr(2, colon - 2);
    key = key.substr(0, key.find_last_not_of(' ') + 1);
    const std::vector<std::string_view> words = split_words(line.substr(colon + 3));
    if (key == "MPI Task Assignment" && words.size() == 2) {
      fmt::format_to(std::back_inserter(out), "@ MPI Task Assignment : {} {}\n", words[0],
                     counter_.renamed("host", words[1]));
    } else if (key == "Version" && words.size() == 1 &&
               words[0].find_first_not_of("0123456789.") == std::string_view::npos) {
      counter_.count("version");
      fmt::format_to(std::back_inserter(out), "@ Version : {}\n", words[0]);
    } else {
      counter_.count("property");
    }
  }

  /// Numbers stay as they are written, behind the functions that a row begins with.
  void write_row(const std::vector<std::string_view>& words, std::size_t functions, std::string& out) {
    if (!std::all_of(words.begin() + static_cast<std::ptrdiff_t>(std::min(functions, words.size())), words.end(),
                     is_figure))
      return counter_.leave_out("row");
    for (std::size_t i = 0; i < words.size(); ++i) {
      out += i == 0 ? "" : " ";
      if (i < functions) out += counter_.function("MPI_" + std::string(words[i])).substr(4);
      else out += words[i];
    }
    counter_.count("numbers");
    out += '\n';
  }

  /// ID [TmpID HashID] Lev File/Address [Line] Parent_Funct [MPI_Call]
  void write_frame(const std::vector<std::string_view>& words, std::string& out) {
    const std::size_t numbers = has_local_ids_ ? 4 : 2;
    // The first pass saw none of these.
    if (words.size() <= numbers ||
        !std::all_of(words.begin(), words.begin() + static_cast<std::ptrdiff_t>(numbers), is_figure))
      return counter_.leave_out("callsite");
    for (std::size_t i = 0; i < numbers; ++i) (out += words[i]) += ' ';
    const bool is_call = words[numbers - 1] == "0";
    std::size_t at = numbers;
    // Where a program lay in memory says nothing; which file it was does.
    const bool is_address = is_hexadecimal(words[at]);
    out += is_address ? words[at] : counter_.renamed("file", words[at]);
    ++at;
    if (at < words.size() && is_natural(words[at])) (out += ' ') += words[at++];
    const std::size_t end = words.size() - (is_call ? 1 : 0);
    std::string function;
    for (; at < end; ++at) (function += function.empty() ? "" : " ") += words[at];
    if (!function.empty())
      (out += ' ') += function == kUnknownFunction ? kUnknownFunction : counter_.renamed("frame", function);
    if (is_call) (out += ' ') += counter_.function("MPI_" + std::string(words.back())).substr(4);
    out += '\n';
  }

  Counter counter_;
  const SectionRule* section_ = nullptr;
  bool is_first_ = true;
  bool needs_header_ = false;
  bool has_local_ids_ = false;
};

}  // namespace

Status survey_ampip(std::string_view bytes, FileFacts& facts) {
  facts.text_bytes = bytes.size();
  if (facts.kind == FileKind::mpip) {
    const Result<ampip::Report> report = ampip::parse_report(bytes, facts.path);
    if (!report) return report.error();
    facts.records = report->sites.size();
    return {};
  }
  ampip::Record record;
  const bool csv = is_csv(bytes);
  const Status known = for_each_line(bytes, [&](std::string_view line, std::size_t at) -> Status {
    if (csv ? at == 0 || line.empty() : !line.starts_with(ampip::kTextStart)) return {};
    const char* const wrong = csv ? ampip::parse_csv_record(line, record) : ampip::parse_text_record(line, record);
    if (wrong != nullptr)
      return Error{"this line is no record of A-mpiP", facts.path, static_cast<std::uint64_t>(wrong - bytes.data()),
                   "scrub takes whole files only: what it does not understand it could not clean"};
    ++facts.records;
    return {};
  });
  if (!known) return known;
  // What the records mean together: times that no run has, for one.
  Interner strings;
  match::MpiRank rank(strings);
  Diagnostics odd;
  return ampip::parse_rank(bytes, facts.path, 0, rank, odd);
}

Status rewrite_ampip(std::string_view bytes, const FileFacts& facts, JsonRewriter& rewriter,
                     const std::function<void(std::string_view)>& write) {
  TraceWriter trace(rewriter);
  ReportWriter report(rewriter);
  std::string out;
  const bool csv = facts.kind == FileKind::ampip && is_csv(bytes);
  if (csv) out = std::string(ampip::kCsvHeader) + "\n";
  const Status done = for_each_line(bytes, [&](std::string_view line, std::size_t at) -> Status {
    if (facts.kind == FileKind::mpip) report.write(line, out);
    else if (!csv) trace.write_text(line, out);
    else if (at != 0 && !line.empty()) trace.write_csv(line, out);
    if (out.size() >= kFlushedTextBytes) write(out), out.clear();
    return {};
  });
  write(out);
  return done;
}

}  // namespace orrery::scrub
