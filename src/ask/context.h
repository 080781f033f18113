// Context: what a question is answered in. The front end (the command line, Python, the library) says who reads the
// answer and what was opened before; the answer leaves its remarks, its inputs and the files it writes here.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ask/opened_trace.h"
#include "ask/provenance.h"
#include "base/diagnostics.h"
#include "base/io/output_set.h"
#include "base/progress.h"
#include "base/result.h"
#include "report/answer.h"

namespace orrery::ask {

/// How a front end wants to be served.
struct Setting {
  report::Reader reader = report::Reader::programs;
  std::size_t columns = 100;        ///< the width that text should keep to
  bool shows_progress = false;      ///< on stderr, if that is a terminal
  bool verbose = false;             ///< people want every row and remark, not only the largest
  bool records_inputs = true;       ///< hashes of all that is read, for the provenance
  std::string command = {};         ///< what was asked, for the provenance
  std::string standard_input = {};  ///< the file that stands for it; users call it "-"
  /// Says something while working; none: nobody listens.
  std::function<void(std::string_view)> log = {};
  /// The question as far as points of a sweep depend on it, with its parts in one order.
  std::function<std::string()> question_of_points = {};
  /// The question as a page about the answer repeats it: without where that is written. None: the command.
  std::function<std::string()> question_of_page = {};
  std::vector<std::shared_ptr<const OpenedTrace>> opened = {};
  /// Ranks that the caller gives to files, by path, instead of what HTA finds in them.
  std::map<std::string, std::int64_t> ranks = {};
};

/// The part of a question that is at fault, and the byte of it to point at.
struct Fault {
  std::string text;
  std::size_t at = 0;
};

/// Of one question. Not thread-safe.
class Context {
 public:
  explicit Context(Setting setting) : setting_(std::move(setting)) { provenance_.command = setting_.command; }
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;

  /// An Answer for the reader, still empty.
  [[nodiscard]] report::Answer answer() const { return report::Answer(setting_.reader, setting_.columns); }
  /// One that says that what was checked does not hold; the remarks say why.
  [[nodiscard]] report::Answer failed() const {
    report::Answer none = answer();
    none.set_failed();
    return none;
  }
  [[nodiscard]] const Setting& setting() const { return setting_; }
  [[nodiscard]] bool verbose() const { return setting_.verbose; }

  /// A misuse that front ends can point at.
  Error misuse_at(Fault fault, std::string message, std::string hint = {});
  [[nodiscard]] const std::optional<Fault>& fault() const { return fault_; }

  Diagnostics& diagnostics() { return diagnostics_; }
  [[nodiscard]] const Diagnostics& diagnostics() const { return diagnostics_; }

  /// Every file that is read must be told here before anything is written: no output may replace it. Its hash is
  /// recorded if it is wanted; otherwise the file is not touched.
  Status add_input(const std::string& path);
  /// The files of a job that was read before.
  void add_inputs(const OpenedTrace& opened);
  /// The answer names its inputs itself: their hashes are wanted in any case. Before the first input.
  void keep_hashes() { setting_.records_inputs = true; }
  void set_seed(std::uint64_t seed) { provenance_.seed = seed; }
  [[nodiscard]] const Provenance& provenance() const { return provenance_; }

  /// What was written, to be published when the question is answered.
  OutputSet& outputs() { return outputs_; }

  /// What was opened from exactly these; null: nothing.
  [[nodiscard]] std::shared_ptr<const OpenedTrace> find_opened(const std::vector<std::string>& named) const;
  /// What one word names: a job that was opened before, as it was named then; any other word itself.
  [[nodiscard]] std::vector<std::string> named_by(const std::string& operand) const;
  /// What the user calls a file: "-" for the one that stands for standard input.
  [[nodiscard]] std::string shown_name(const std::string& path) const {
    return reads_standard_input() && path == setting_.standard_input ? "-" : path;
  }
  [[nodiscard]] bool reads_standard_input() const { return !setting_.standard_input.empty(); }

  /// A progress line on stderr, where it is wanted.
  [[nodiscard]] Progress progress(std::string label, std::uint64_t total_bytes) const {
    return {std::move(label), total_bytes, setting_.shows_progress};
  }
  void log(std::string_view line) const {
    if (setting_.log) setting_.log(line);
  }

  /// For front ends that learn of it late.
  void set_standard_input(std::string file) { setting_.standard_input = std::move(file); }

 private:
  Setting setting_;
  std::optional<Fault> fault_;
  Diagnostics diagnostics_;
  OutputSet outputs_;
  std::map<FileIdentity, InputRecord> hashed_;  // inputs so far
  Provenance provenance_;
};

/// A counted remark as users read it.
struct Remark {
  std::string code;
  Severity severity = Severity::note;
  std::uint64_t count = 1;
  std::string message;
  std::string hint;
};

/// The counted remarks of a question, ordered by code; the message includes the first occurrence.
std::vector<Remark> remarks_of(const Diagnostics& diagnostics);

/// What was asked makes no sense, whatever the inputs: exit status 2.
inline Error misuse(std::string message, std::string hint = {}) {
  return {.message = std::move(message), .hint = std::move(hint), .kind = Error::Kind::misuse};
}

inline Error Context::misuse_at(Fault fault, std::string message, std::string hint) {
  fault_ = std::move(fault);
  return misuse(std::move(message), std::move(hint));
}

}  // namespace orrery::ask
