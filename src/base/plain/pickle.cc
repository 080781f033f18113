#include "base/plain/pickle.h"

#include <bit>
#include <cstring>
#include <span>
#include <vector>

#include "base/plain/pickle_memo.h"
#include "base/plain/pickle_opcodes.h"

// A mark is a place on the stack; what was put into the memo is found again by its number, which writers count up from
// 0.

namespace orrery {
namespace {

using Type = PlainValues::Type;

/// Those that would import, call or build something, or ask the program that reads for it.
constexpr std::pair<unsigned char, const char*> kDangerous[] = {
    {'c', "GLOBAL"}, {0x93, "STACK_GLOBAL"}, {'R', "REDUCE"},     {'b', "BUILD"},        {'i', "INST"},
    {'o', "OBJ"},    {0x81, "NEWOBJ"},       {0x92, "NEWOBJ_EX"}, {'P', "PERSID"},       {'Q', "BINPERSID"},
    {0x82, "EXT1"},  {0x83, "EXT2"},         {0x84, "EXT4"},      {0x97, "NEXT_BUFFER"}, {0x98, "READONLY_BUFFER"}};

class Unpickler {
 public:
  Unpickler(std::string_view bytes, const std::string& path, PlainValues room, PickleRecords* records)
      : begin_(bytes.data()),
        p_(begin_),
        end_(begin_ + bytes.size()),
        path_(path),
        values_(std::move(room)),
        records_(records) {
    values_.clear();
    if (records_ != nullptr) fetched_ = fetched_numbers(bytes);
  }

  /// Flat: values are a few instructions each, and a call for each would be as many again.
  [[gnu::flatten]] Result<PlainValues> read() {
    while (p_ < end_) {
      at_ = p_;
      const auto opcode = static_cast<unsigned char>(*p_++);
      if (opcode == kStop) return finish();
      if (!step(opcode)) return fault(problem_);
    }
    at_ = end_;
    return fault("the file ends before the pickle does", "it may have been cut short while it was written or copied");
  }

 private:
  [[nodiscard]] Error fault(std::string message, std::string hint = {}) const {
    return {std::move(message), path_, static_cast<std::uint64_t>(at_ - begin_), std::move(hint)};
  }
  /// Kept out of the way of what happens for every value.
  [[gnu::cold, gnu::noinline]] bool wrong(std::string_view problem) {
    problem_ = problem;
    return false;
  }

  Result<PlainValues> finish() {
    if (stack_.empty()) return fault("the pickle holds no value");
    values_.set_root(stack_.back());
    if (const char* const nested = values_.fault_in_nesting()) return fault(nested);
    return std::move(values_);
  }

  // --- what follows an opcode ---

  /// A little-endian number of kWidth bytes; false: the file ends.
  template <std::size_t kWidth>
  bool take(std::uint64_t& value) {
    if (static_cast<std::size_t>(end_ - p_) < kWidth) return false;
    value = 0;
    for (std::size_t i = 0; i < kWidth; ++i) value |= std::uint64_t{static_cast<unsigned char>(p_[i])} << (8 * i);
    p_ += kWidth;
    return true;
  }
  bool ends() { return wrong("the file ends inside an opcode's argument"); }

  template <std::size_t kWidth>
  bool push_text(Type type) {
    std::uint64_t length = 0;
    if (!take<kWidth>(length)) return ends();
    if (length > static_cast<std::uint64_t>(end_ - p_)) return wrong("a text is longer than the rest of the file");
    if (length > ~std::uint32_t{0}) return wrong("a text of more than 4 GiB");
    push(values_.add_text({p_, static_cast<std::size_t>(length)}, type));
    p_ += length;
    return true;
  }
  template <std::size_t kWidth>
  bool push_long() {
    std::uint64_t length = 0;
    if (!take<kWidth>(length)) return ends();
    if (length > 8) return wrong("an integer of more than 8 bytes");
    if (length > static_cast<std::uint64_t>(end_ - p_)) return ends();
    std::uint64_t value = 0;
    for (std::uint64_t i = 0; i < length; ++i) value |= std::uint64_t{static_cast<unsigned char>(p_[i])} << (8 * i);
    p_ += length;
    const unsigned unused = 64 - 8 * static_cast<unsigned>(length);
    // The highest bit that is there is the sign.
    push(values_.add_integer(length == 0 ? 0 : static_cast<std::int64_t>(value << unused) >> unused));
    return true;
  }
  bool push_float() {
    if (end_ - p_ < 8) return ends();
    std::uint64_t bits = 0;
    for (int i = 0; i < 8; ++i) bits = bits << 8 | static_cast<unsigned char>(p_[i]);
    p_ += 8;
    push(values_.add_real(std::bit_cast<double>(bits)));
    return true;
  }

  // --- the stack ---

  void push(PlainId id) { stack_.push_back(id); }
  /// How many values lie above the last mark, which none of these reaches below.
  [[nodiscard]] std::size_t above_mark() const { return stack_.size() - (marks_.empty() ? 0 : marks_.back()); }
  bool needs(std::size_t count) { return above_mark() >= count || wrong("there are too few values on the stack"); }
  bool needs_mark() { return !marks_.empty() || wrong("there is no mark on the stack"); }
  [[nodiscard]] std::span<const PlainId> marked() const { return std::span(stack_).subspan(marks_.back()); }
  void drop_mark() {
    if (is_above_records()) records_mark_ = 0;
    marks_.pop_back();
  }
  void drop_marked() {
    stack_.resize(marks_.back());
    drop_mark();
  }

  bool close_marked(Type type) {
    if (!needs_mark()) return false;
    if (type == Type::dict && marked().size() % 2 != 0) return wrong("a key without a value");
    const PlainId made = values_.add_container(type, marked());
    drop_marked();
    push(made);
    return true;
  }
  bool close_last(std::size_t count) {
    if (!needs(count)) return false;
    const PlainId made = values_.add_container(Type::tuple, std::span(stack_).last(count));
    stack_.resize(stack_.size() - count);
    push(made);
    return true;
  }
  /// What lies above the mark goes into the container below it.
  bool extend_marked(Type type) {
    if (!needs_mark()) return false;
    const std::size_t mark = marks_.back();
    if (mark == (marks_.size() > 1 ? marks_[marks_.size() - 2] : 0))
      return wrong("there are too few values on the stack");
    const PlainId container = stack_[mark - 1];
    if (!values_.is(container, type)) return wrong("items for a value that holds none of that kind");
    if (type == Type::dict && marked().size() % 2 != 0) return wrong("a key without a value");
    if (type == Type::list && is_above_records()) take_records();
    append(container, marked());
    drop_marked();
    return true;
  }
  bool extend_last(Type type, std::size_t count) {
    if (!needs(count + 1)) return false;
    const PlainId container = stack_[stack_.size() - count - 1];
    if (!values_.is(container, type)) return wrong("an item for a value that holds none of that kind");
    const std::span<const PlainId> items = std::span(stack_).last(count);
    // What is left of a long list when it was written in batches. It may be what others hold, too: it stays.
    if (type == Type::list && holds_records(stack_.size() - 2))
      records_->take(values_, container, items.front(), static_cast<PlainId>(values_.size()));
    else append(container, items);
    stack_.resize(stack_.size() - count);
    return true;
  }
  void append(PlainId container, std::span<const PlainId> items) {
    // What holds new values stays, and they with it.
    is_kept_ = is_kept_ || container < until_records_.values;
    values_.append(container, items);
  }

  // --- records that are taken ---

  [[nodiscard]] bool is_above_records() const { return records_mark_ != 0 && marks_.size() == records_mark_; }
  [[nodiscard]] bool is_key_of_records(std::size_t place) const {
    return values_.text(stack_[place]) == records_->key();
  }
  /// Whether the value at this place of the stack is a list in the list that lies behind the key of the records.
  [[nodiscard]] bool holds_records(std::size_t place) const {
    if (records_ == nullptr || !values_.is(stack_[place], Type::list)) return false;
    if (place >= 2 && values_.is(stack_[place - 1], Type::list) && is_key_of_records(place - 2)) return true;
    // Of several lists, the outer one lies below the mark and those before this one above it.
    const std::size_t mark = marks_.empty() ? 0 : marks_.back();
    return mark >= 2 && values_.is(stack_[mark - 1], Type::list) && is_key_of_records(mark - 2);
  }
  void push_mark() {
    if (!stack_.empty() && records_mark_ == 0 && holds_records(stack_.size() - 1)) {
      records_mark_ = marks_.size() + 1;
      until_records_ = values_.extent();
      is_kept_ = false;
    }
    marks_.push_back(stack_.size());
  }
  /// Hands over all that lies above the mark, and forgets what was made for it unless the memo has some of it to give.
  void take_records() {
    const PlainId list = stack_[marks_.back() - 1];
    for (const PlainId record : marked())
      records_->take(values_, list, record, static_cast<PlainId>(until_records_.values));
    stack_.resize(marks_.back());
    if (is_kept_) until_records_ = values_.extent();
    else values_.forget_behind(until_records_);
    is_kept_ = false;
  }
  void push_dict() {
    // A record that another one follows is complete.
    if (is_above_records() && above_mark() > 0 && values_.is(stack_.back(), Type::dict)) take_records();
    push(values_.add_container(Type::dict));
  }

  // --- the memo ---

  bool put(std::uint64_t number) {
    // Writers count; a number far beyond the last would only make the table large.
    if (number > memo_.size() + 65'536) return wrong("a memo entry far beyond those before it");
    if (!needs(1)) return false;
    if (number >= memo_.size()) memo_.resize(static_cast<std::size_t>(number) + 1, PlainValues::kMissing);
    // While records are taken, what nobody asks for again can be forgotten.
    if (records_ != nullptr && (number >= fetched_.size() || !fetched_[static_cast<std::size_t>(number)])) return true;
    memo_[static_cast<std::size_t>(number)] = stack_.back();
    is_kept_ = true;
    return true;
  }
  [[gnu::cold, gnu::noinline]] bool never_put(std::uint64_t number) {
    return wrong("memo entry " + std::to_string(number) + " was never put");
  }
  bool get(std::uint64_t number) {
    if (number >= memo_.size() || memo_[static_cast<std::size_t>(number)] == PlainValues::kMissing)
      return never_put(number);
    push(memo_[static_cast<std::size_t>(number)]);
    return true;
  }
  template <std::size_t kWidth>
  bool put_numbered() {
    std::uint64_t number = 0;
    return take<kWidth>(number) ? put(number) : ends();
  }
  template <std::size_t kWidth>
  bool get_numbered() {
    std::uint64_t number = 0;
    return take<kWidth>(number) ? get(number) : ends();
  }

  template <std::size_t kWidth>
  bool push_integer() {
    std::uint64_t value = 0;
    if (!take<kWidth>(value)) return ends();
    // Only the long one has a sign.
    push(values_.add_integer(kWidth == 4 ? static_cast<std::int32_t>(value) : static_cast<std::int64_t>(value)));
    return true;
  }
  bool take_protocol() {
    std::uint64_t protocol = 0;
    if (!take<1>(protocol)) return ends();
    return (protocol >= 2 && protocol <= 5) || wrong("a pickle of protocol " + std::to_string(protocol));
  }
  bool pass_frame() {
    std::uint64_t length = 0;
    return take<8>(length) || ends();
  }

  bool step(unsigned char opcode) {
    switch (opcode) {
      case kProto: return take_protocol();
      case kFrame: return pass_frame();
      case kMark: return push_mark(), true;
      case kPop:
        // Of a mark, too.
        if (above_mark() > 0) return stack_.pop_back(), true;
        return needs_mark() && (drop_mark(), true);
      case kPopMark: return needs_mark() && (drop_marked(), true);
      case kDup: return needs(1) && (push(PlainId{stack_.back()}), true);
      case kNoneValue: return push(values_.add_none()), true;
      case kNewTrue: return push(values_.add_boolean(true)), true;
      case kNewFalse: return push(values_.add_boolean(false)), true;
      case kBinInt: return push_integer<4>();
      case kBinInt1: return push_integer<1>();
      case kBinInt2: return push_integer<2>();
      case kLong1: return push_long<1>();
      case kLong4: return push_long<4>();
      case kBinFloat: return push_float();
      case kShortBinUnicode: return push_text<1>(Type::text);
      case kBinUnicode: return push_text<4>(Type::text);
      case kBinUnicode8: return push_text<8>(Type::text);
      case kShortBinBytes: return push_text<1>(Type::bytes);
      case kBinBytes: return push_text<4>(Type::bytes);
      case kEmptyDict: return push_dict(), true;
      case kEmptyList: return push(values_.add_container(Type::list)), true;
      case kEmptyTuple: return push(values_.add_container(Type::tuple)), true;
      case kEmptySet: return push(values_.add_container(Type::set)), true;
      case kSetItem: return extend_last(Type::dict, 2);
      case kSetItems: return extend_marked(Type::dict);
      case kAppend: return extend_last(Type::list, 1);
      case kAppends: return extend_marked(Type::list);
      case kAddItems: return extend_marked(Type::set);
      case kDict: return close_marked(Type::dict);
      case kList: return close_marked(Type::list);
      case kTuple: return close_marked(Type::tuple);
      case kFrozenSet: return close_marked(Type::set);
      case kTuple1: return close_last(1);
      case kTuple2: return close_last(2);
      case kTuple3: return close_last(3);
      case kBinPut: return put_numbered<1>();
      case kLongBinPut: return put_numbered<4>();
      case kMemoize: return put(memo_.size());
      case kBinGet: return get_numbered<1>();
      case kLongBinGet: return get_numbered<4>();
      default: return refuse(opcode);
    }
  }

  [[gnu::cold, gnu::noinline]] bool refuse(unsigned char opcode) {
    const std::string place = " at byte " + std::to_string(at_ - begin_);
    for (const auto& [dangerous, name] : kDangerous) {
      if (opcode == dangerous) return wrong("opcode " + std::string(name) + place + ": it could execute code");
    }
    return wrong("opcode " + std::to_string(opcode) + place + ": it makes none of the values that are read here");
  }

  const char* begin_;
  const char* p_;
  const char* end_;
  const char* at_ = nullptr;  // the opcode at work
  const std::string& path_;
  PlainValues values_;
  std::vector<PlainId> stack_;
  std::vector<std::size_t> marks_;
  Column<PlainId> memo_;
  std::string problem_;

  PickleRecords* records_;
  std::vector<bool> fetched_;               // by number of the memo: somebody asks for it
  std::size_t records_mark_ = 0;            // how many marks there are where records lie; 0: none are being read
  PlainValues::Extent until_records_ = {};  // what was there before the record that is being read
  bool is_kept_ = false;                    // some of what was made since is asked for again, or held by what was there
};

}  // namespace

bool begins_as_pickle(std::string_view bytes) {
  return bytes.size() > 2 && static_cast<unsigned char>(bytes[0]) == kProto && bytes[1] >= 2 && bytes[1] <= 5;
}

bool begins_as_old_pickle(std::string_view bytes) { return bytes.starts_with("(dp") || bytes.starts_with("}q"); }

Result<PlainValues> read_pickle(std::string_view bytes, const std::string& path, PlainValues room,
                                PickleRecords* records) {
  if (begins_as_old_pickle(bytes))
    return Error{"a pickle of protocol 0 or 1, whose opcodes are not read", path, 0, "write it with protocol 2 to 5"};
  if (!begins_as_pickle(bytes)) return Error{"this is no pickle of protocol 2 to 5", path, 0};
  return Unpickler(bytes, path, std::move(room), records).read();
}

}  // namespace orrery
