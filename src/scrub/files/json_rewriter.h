// Writes one JSON object again by rules (rules.h): the core of scrubbing for Kineto, host, linked and feeder files.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json/json_members.h"
#include "scrub/job_facts.h"
#include "scrub/rules.h"
#include "scrub/tally.h"
#include "scrub/time_shift.h"
#include "scrub/words/renamer.h"

namespace orrery::scrub {

/// One per file; not thread-safe. Texts given to it must be followed by at least 64 readable bytes, and nested at most
/// kMaxDepth deep.
class JsonRewriter {
 public:
  /// Both must outlive the rewriter.
  JsonRewriter(const Settings& settings, const JobFacts& facts);

  /// Appends a record (an event, a node). False, with nothing appended, if it is no object.
  bool rewrite_record(const ObjectRules& rules, std::string_view text, std::string& out);
  /// Appends "key":value. False, with nothing appended, if the member is left out.
  bool rewrite_member(const ObjectRules& rules, const JsonMember& member, std::string& out);

  /// Appends a list of objects, each by `rules`. False if it is none; what was appended is then without meaning.
  bool rewrite_list(const ObjectRules& rules, std::string_view text, std::string& out) {
    return write_objects(rules, text, out);
  }

  /// What follows are operands and the schema of the operator `name`: for formats that are not JSON throughout.
  void begin_operator(std::string_view name);
  /// Appends the values, shapes, types or the schema of an operator (`treatment` says which) again. False if they are
  /// none; what was appended is then without meaning.
  bool rewrite_operands(Treatment treatment, std::string_view json, std::string& out);

  Renamer& renamer() { return renamer_; }
  Tally& tally() { return tally_; }

 private:
  /// What the values of an operator mean depends on the operator.
  enum class Operator : std::uint8_t { ordinary, communication, process_groups };

  /// What the name of an event says of its lists of arguments: they are of a call that asks for communication
  /// (c10d::send), of the work that hosts do for it (gloo:send), or of anything else and none of our business.
  enum class EventCall : std::uint8_t { other, call, work };

  /// Where an event happened, as its file says.
  struct Lane {
    std::int64_t process = -1, thread = -1;
    bool is_device = false;
  };

  struct Jittered {
    bool is_set = false;
    std::string start, duration;
    double duration_ratio = 1;
    std::uint64_t record_id = 0;
  };

  bool rewrite_object(const ObjectRules& rules, std::string_view text, std::string& out);
  void write_members(const ObjectRules& rules, std::size_t first, std::string& out);
  void note_record(const ObjectRules& rules);
  void note_operator();
  void note_event();
  void note_jitter();
  [[nodiscard]] std::optional<std::int64_t> new_thread(std::int64_t thread) const;

  // Each appends the value and returns true, or returns false: the value does not fit the rule.
  bool write_value(const MemberRule& rule, std::string_view value, std::string& out);
  bool write_time(const MemberRule& rule, std::string_view value, std::string& out);
  bool write_duration(std::string_view key, std::string_view value, std::string& out);
  bool write_number(std::string_view value, std::string& out);
  bool write_numbers(std::string_view value, std::string& out);
  bool write_ranks(std::string_view value, std::string& out);
  bool write_size(std::string_view value, std::string& out);
  bool write_id(const MemberRule& rule, std::string_view value, std::string& out);
  bool write_sort_index(std::string_view value, std::string& out);
  bool write_label(std::string_view value, std::string& out);
  bool write_renamed(Domain domain, Vocabulary words, std::string_view value, std::string& out);
  bool write_container(Treatment treatment, const ObjectRules& inner, std::string_view value, std::string& out);
  bool write_objects(const ObjectRules& rules, std::string_view value, std::string& out);
  bool write_attributes(const ObjectRules& rules, std::string_view value, std::string& out);
  bool write_operand(std::string_view value, std::string& out);
  bool write_kept_text(std::string_view value, std::string& out);
  bool write_operand_list(std::string_view value, std::string& out);
  bool write_tensor(std::string_view value, std::string& out);
  bool write_hollow(std::string_view value, std::string& out);
  bool write_schema(std::string_view value, std::string& out);
  bool write_types(std::string_view value, std::string& out);
  bool write_process_groups(std::string_view value, std::string& out);
  bool write_call_inputs(std::string_view value, std::string& out);
  bool write_call_sizes(std::string_view value, std::string& out);
  bool write_call_types(std::string_view value, std::string& out);
  [[nodiscard]] std::int64_t new_elements(std::int64_t elements) const;

  const Settings& settings_;
  const JobFacts& facts_;
  Renamer renamer_;
  Tally tally_;
  TimeWarp warp_;
  std::vector<JsonMember> members_;  // a stack: those of an object lie above those of the object it is in
  Operator operator_ = Operator::ordinary;
  bool keeps_operands_ = false;  // of the operator at hand: what it was called with stays
  EventCall event_call_ = EventCall::other;
  Lane lane_;
  Jittered jittered_;
};

/// The list of process groups that a host trace or a Chakra node holds as a text, `json` unescaped, scrubbed; empty if
/// it is none.
std::string scrub_process_groups(JsonRewriter& rewriter, std::string_view json);

/// `value` with `bits` leading bits, to the nearest; all of them if `bits` is 0.
std::uint64_t round_size(std::uint64_t value, int bits);

}  // namespace orrery::scrub
