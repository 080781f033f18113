// One run of a verb: what it was asked, and where its results go. The only thing a verb sees of the command line.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ask/context.h"
#include "base/diagnostics.h"
#include "base/io/output_set.h"
#include "base/result.h"
#include "cli/frame/command_line.h"
#include "cli/frame/console.h"
#include "cli/frame/message.h"
#include "cli/frame/verb.h"
#include "report/style.h"

namespace orrery::cli {

struct Failure;
struct Hosting;

/// A verb puts what was asked into a request, and delivers the answer. Nothing is printed before it returns, so that a
/// failed run prints no half of a result. Not thread-safe.
class Invocation {
 public:
  /// `console`, `table` and `hosting` must outlive the invocation.
  Invocation(CommandLine line, const Console& console, std::span<const Verb* const> table)
      : Invocation(std::move(line), console, table, nullptr) {}
  /// The same within another program; null: in one of our own.
  Invocation(CommandLine line, const Console& console, std::span<const Verb* const> table, Hosting* hosting);
  Invocation(const Invocation&) = delete;
  Invocation& operator=(const Invocation&) = delete;

  // What was asked. Asking for a flag that the verb did not declare throws std::logic_error.

  [[nodiscard]] bool has(std::string_view flag) const;  ///< given on the command line
  /// Whether the verb or the program has it.
  [[nodiscard]] bool declares(std::string_view flag) const;
  /// Whether it has a value, given or by default.
  [[nodiscard]] bool has_value(std::string_view flag) const {
    return has(flag) || !declared(flag).default_text.empty();
  }
  [[nodiscard]] ValueKind kind(std::string_view flag) const { return declared(flag).kind; }
  /// The value given, else the default, else an empty text.
  [[nodiscard]] std::string text(std::string_view flag) const;
  /// Every value of a repeatable flag in the order given; the default, if there is one, when none was.
  [[nodiscard]] std::vector<std::string> texts(std::string_view flag) const;
  /// The value of an integer or count flag, else its default, else 0.
  [[nodiscard]] std::int64_t integer(std::string_view flag) const;
  /// The value of a bytes flag, else its default, else 0.
  [[nodiscard]] std::int64_t bytes(std::string_view flag) const;
  /// The value of a duration flag in picoseconds, else 0.
  [[nodiscard]] std::int64_t duration(std::string_view flag) const;
  /// The value of a number flag, else its default, else 0.
  [[nodiscard]] double number(std::string_view flag) const;
  [[nodiscard]] const std::vector<std::string>& operands() const { return line_.operands; }
  [[nodiscard]] const Verb& verb() const { return *line_.verb; }
  /// Every verb of the program: for the verbs that describe it.
  [[nodiscard]] std::span<const Verb* const> table() const { return table_; }

  [[nodiscard]] bool json() const { return line_.has("json"); }
  [[nodiscard]] bool csv() const {
    return line_.has("csv");
  }  ///< of verbs that declare it: tables instead of text, never with json()
  [[nodiscard]] bool quiet() const { return line_.has("quiet"); }
  [[nodiscard]] bool verbose() const { return line_.has("verbose") && !quiet(); }
  /// How to dress text: plain unless it goes to a terminal.
  [[nodiscard]] report::Style style() const;
  /// Width of tables: cut to that of a terminal, and whole everywhere else.
  [[nodiscard]] std::size_t table_columns() const { return has("output") ? Console::kUncut : console_.table_columns; }

  // What comes of it.

  /// What questions are answered in.
  ask::Context& context() { return context_; }
  [[nodiscard]] const ask::Context& context() const { return context_; }
  /// Keeps the answer for whoever prints it: after ok and check_failed it is.
  ExitCode deliver(Result<report::Answer> answer);
  [[nodiscard]] const std::optional<report::Answer>& answer() const { return answer_; }

  Diagnostics& diagnostics() { return context_.diagnostics(); }
  /// This time -o is for what the verb writes itself, though otherwise it is for what is printed.
  void take_output() { takes_output_ = true; }

  [[nodiscard]] const Hosting* hosting() const { return hosting_; }  ///< null: the program is our own
  /// Told to the program that runs the verb.
  void tell(const Failure& failure) const;
  /// Hands the answer to the program that runs the verb, if that takes it as it is.
  bool hand_over();

  /// The run ends because an input cannot be used or an output cannot be written: `return
  /// invocation.fail(result.error());`.
  ExitCode fail(Error error);
  /// The run ends because flags or operands contradict each other or do not parse.
  ExitCode fail_usage(UsageError error);

  /// Says something on stderr while working, with --verbose only.
  void log(std::string_view line) const;

  // For the frame around the verb (run.cc).

  /// What the verb has written, to be published when it has succeeded.
  OutputSet& outputs() { return context_.outputs(); }
  /// -o is not for what is printed.
  [[nodiscard]] bool verb_writes_output() const { return takes_output_ || !verb().output_help.empty(); }
  /// A file the verb writes is standard output ("-"): nothing else may go there.
  [[nodiscard]] bool writes_data_to_stdout() const;
  /// "-" among operands and flags that name a file to read becomes a file with what standard input holds. Once, before
  /// the verb runs.
  Status take_standard_input();
  [[nodiscard]] std::string shown_name(const std::string& path) const { return context_.shown_name(path); }

  [[nodiscard]] const CommandLine& command_line() const { return line_; }
  [[nodiscard]] const Console& console() const { return console_; }
  [[nodiscard]] const ask::Provenance& provenance() const { return context_.provenance(); }
  [[nodiscard]] const std::optional<Error>& error() const { return error_; }
  [[nodiscard]] const std::optional<UsageError>& usage_error() const { return usage_error_; }

 private:
  void advise(Error& error) const;
  [[nodiscard]] const Flag& declared(std::string_view flag) const;

  CommandLine line_;
  const Console& console_;
  std::span<const Verb* const> table_;
  Hosting* hosting_;
  ask::Context context_;
  std::optional<report::Answer> answer_;
  bool takes_output_ = false;
  std::optional<Error> error_;
  std::optional<UsageError> usage_error_;
};

}  // namespace orrery::cli
