// Reads Python's pickles without Python: a stack machine over the opcodes that make plain values. Those that could
// import, call or build anything are refused by name, whatever they would do.
#pragma once

#include <string>
#include <string_view>

#include "base/plain/plain_values.h"
#include "base/result.h"

namespace orrery {

/// It begins as a pickle of protocol 2 to 5 does. (Protocols 0 and 1 have no beginning of their own.)
bool begins_as_pickle(std::string_view bytes);

/// It is a dict of protocol 0 or 1, as far as its beginning tells. These are not read.
bool begins_as_old_pickle(std::string_view bytes);

/// Takes the records of long lists while a pickle is read, so that they never lie in memory together.
class PickleRecords {
 public:
  virtual ~PickleRecords() = default;
  /// Of the top level: what lies behind it is a list of lists of records.
  [[nodiscard]] virtual std::string_view key() const = 0;
  /// A record of `list`, in the order of the pickle; the list does not hold it. Values from `first_new` on may be
  /// forgotten afterwards: their numbers are those of others then.
  virtual void take(const PlainValues& values, PlainId list, PlainId record, PlainId first_new) = 0;
};

/// One pickle; what follows it is not looked at. The values refer to `bytes`. An Error names the opcode and its byte:
/// one that could execute code, a length beyond the file, a memo entry that was never put, an item for what holds none,
/// values that hold themselves or nest deeper than PlainValues::kMaxNesting.
/// `room`: what an earlier reading left, to be used again. `records`: who takes records; what they hold is not looked
/// at here, however it nests.
Result<PlainValues> read_pickle(std::string_view bytes, const std::string& path, PlainValues room = {},
                                PickleRecords* records = nullptr);

}  // namespace orrery
