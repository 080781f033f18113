// Flags are data: parsing, checks, help, man page and completions all read the same description.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace orrery::cli {

/// What a flag's value must look like. Files and directories are not looked up here (an output need not exist yet); the
/// kind tells the completions what to offer.
enum class ValueKind : std::uint8_t {
  text,       ///< anything, the empty text included
  integer,    ///< a signed 64-bit integer
  count,      ///< an integer that is not negative
  number,     ///< a finite decimal number
  bytes,      ///< a size in bytes, not negative, also with a unit: 4096, 64kB, 1.5GB, 2GiB
  duration,   ///< a time with its unit, more than nothing: 300ns, 19.6ms, 2s
  file,       ///< a path that is read, not empty; "-" is standard input
  output,     ///< a path that is written, not empty; "-" is standard output where one file is meant
  directory,  ///< a path, not empty
};

/// One flag. Written with designated initialisers, in this order:
///     Flag{.name = "compat", .value_name = "TOOL", .help = "reproduce TOOL exactly", .choices = "hta"}
struct Flag {
  std::string_view name;   ///< without the dashes: "output" is given as --output
  char short_name = '\0';  ///< 'o' is given as -o; none by default
  std::string_view value_name =
      {};  ///< what help calls the value, as in "--output FILE"; empty: a switch without a value
  ValueKind kind = ValueKind::text;  ///< meaningless for a switch
  std::string_view help = {};        ///< one phrase without a full stop
  bool is_pair = false;  ///< its value is two words, as in "--scale batch 2", which are kept with a blank between them
  bool repeatable = false;             ///< may be given more than once; otherwise a second one is a usage error
  std::string_view default_text = {};  ///< the value when the flag is not given; empty: none
  std::string_view choices =
      {};  ///< the only values allowed, separated by blanks: "bash zsh fish"; empty: any value of the kind
  std::string_view group = {};        ///< heading in the help; empty: "Flags"
  std::string_view former_name = {};  ///< understood for one release after a renaming, with a remark (Z101); in no help

  [[nodiscard]] bool takes_value() const { return !value_name.empty(); }
};

/// The flag called `name` (long name) in `flags`, or null.
const Flag* find_flag(std::span<const Flag> flags, std::string_view name);

/// The flag that was once called `name`, or null.
const Flag* find_former_flag(std::span<const Flag> flags, std::string_view name);

/// The flag with this short name in `flags`, or null.
const Flag* find_short_flag(std::span<const Flag> flags, char short_name);

// Values of flags: from text to numbers, with the position of the first character that does not belong.

struct ValueProblem {
  std::string message;     ///< "is not an integer"
  std::size_t offset = 0;  ///< byte in the value
};

/// What is wrong with `value` as a value of `flag`; nothing when it is fine.
std::optional<ValueProblem> check_value(const Flag& flag, std::string_view value);

/// The same for a value that must be one of `choices`.
std::optional<ValueProblem> check_choice(std::span<const std::string_view> choices, std::string_view value);

/// "4096", "64kB" (1000), "1.5GB", "2GiB" (1024).
std::optional<std::int64_t> parse_bytes(std::string_view text);
/// "300ns", "19.6ms", "2s", in picoseconds.
std::optional<std::int64_t> parse_duration(std::string_view text);

}  // namespace orrery::cli
