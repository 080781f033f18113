#include "analyze/whatif/serving_edits.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "analyze/forecast/serving_settings.h"
#include "analyze/whatif/edit_scanner.h"
#include "base/int128.h"
#include "base/suggest.h"

namespace orrery::analyze {
namespace {

using Quantity = ServingQuantity;

/// Words of the language, and what the configuration calls the same: both are understood.
struct ServingWord {
  std::string_view name, field = {};
};
constexpr std::array kServingWords = {ServingWord{"prompts", "prompt"},
                                      ServingWord{"tokens", "generate"},
                                      ServingWord{"rate", "rate_per_s"},
                                      ServingWord{"concurrency"},
                                      ServingWord{"blocks", "kv_blocks"},
                                      ServingWord{"seats", "max_requests"},
                                      ServingWord{"budget", "max_batch_tokens"},
                                      ServingWord{"replicas"},
                                      ServingWord{"prefill"},
                                      ServingWord{"decode"},
                                      ServingWord{"steps"},
                                      ServingWord{"prefix cache", "prefix_cache"},
                                      ServingWord{"chunked prefill", "chunked_prefill"},
                                      ServingWord{"reserve prompt", "reserve_prompt"},
                                      ServingWord{"replica"}};

std::string_view name_of(Quantity what) { return kServingWords[static_cast<std::size_t>(what)].name; }
bool is_feature(Quantity what) { return what >= Quantity::prefix_cache && what <= Quantity::reserve_prompt; }

constexpr const char* kNumberActions = "* factor, = number, + number, - number";
constexpr const char* kStepActions = "* factor, = duration, + duration, - duration";
constexpr const char* kFailureExample = "like replica 1 fails at 10s";

class ServingEditParser : EditScanner {
 public:
  explicit ServingEditParser(const std::string& text) : EditScanner(text) {}

  std::variant<ServingEdit, EditError> parse() {
    if (!what() || !change() || !at_end()) return error_;
    edit_.text = text_;
    return std::move(edit_);
  }

 private:
  bool change() {
    if (edit_.what == Quantity::failure) return failure();
    return is_feature(edit_.what) ? on_or_off() : action();
  }

  /// Letters and what joins them in the names of fields.
  std::string_view name() {
    skip_blanks();
    const std::size_t start = at_;
    while (at_ < text_.size() && (is_letter(text_[at_]) || text_[at_] == '_')) ++at_;
    return std::string_view(text_).substr(start, at_ - start);
  }

  bool what() {
    skip_blanks();
    const std::size_t start = at_;
    const std::string_view first = name();
    for (std::size_t i = 0; i < kServingWords.size(); ++i) {
      const auto& [known, field] = kServingWords[i];
      edit_.what = static_cast<Quantity>(i);
      if (!first.empty() && (first == known || first == field)) return true;
      const std::size_t blank = known.find(' ');
      if (blank == std::string_view::npos || first != known.substr(0, blank)) continue;
      skip_blanks();
      const std::size_t second = at_;
      return name() == known.substr(blank + 1) ||
             fail(second, fmt::format("expected \"{}\"", known.substr(blank + 1)), fmt::format("{} off", known));
    }
    return unknown(start, first);
  }

  bool unknown(std::size_t start, std::string_view typed) {
    std::vector<std::string_view> all;
    std::string list;
    for (const ServingWord& one : kServingWords) {
      all.push_back(one.name);
      list += fmt::format("{}{}", list.empty() ? "" : ", ", one.name);
    }
    const std::string_view meant = nearest_word(typed, all);
    return fail(start, typed.empty() ? "expected what to change" : fmt::format("unknown word \"{}\"", typed),
                meant.empty() ? "one of: " + list : fmt::format("did you mean \"{}\"? one of: {}", meant, list));
  }

  bool on_or_off() {
    skip_blanks();
    const std::size_t start = at_;
    const std::string_view state = word();
    if (state != "on" && state != "off") return fail(start, "expected on or off");
    edit_.amount = state == "on" ? 1 : 0;
    return true;
  }

  bool failure() {
    if (is_at(':')) ++at_;
    skip_blanks();
    std::int64_t number = 0;
    if (at_ >= text_.size() || !is_digit(text_[at_]))
      return fail(at_, "expected the number of a replica", kFailureExample);
    const std::size_t start = at_;
    if (!natural(number)) return false;
    if (number > INT32_MAX) return fail(start, "there are not that many replicas");
    edit_.replica = static_cast<std::uint32_t>(number);
    for (const std::string_view expected : {"fails", "at"}) {
      skip_blanks();
      const std::size_t place = at_;
      if (word() != expected) return fail(place, fmt::format("expected \"{}\"", expected), kFailureExample);
    }
    return duration(edit_.at_ps);
  }

  bool amount() {
    if (edit_.what != Quantity::steps) return number(edit_.amount);
    TimePs time = 0;
    if (!duration(time)) return false;
    edit_.amount = static_cast<double>(time);
    return true;
  }

  bool action() {
    const char* actions = edit_.what == Quantity::steps ? kStepActions : kNumberActions;
    skip_blanks();
    if (at_ >= text_.size()) return fail(at_, "expected an action at the end", actions);
    const std::size_t start = at_++;
    switch (text_[start]) {
      case '*': edit_.action = EditRule::Action::scale; return number(edit_.amount);
      case '=': edit_.action = EditRule::Action::set; return amount();
      case '+':
      case '-':
        edit_.action = EditRule::Action::add;
        if (!amount()) return false;
        if (text_[start] == '-') edit_.amount = -edit_.amount;
        return true;
      default: return fail(start, "expected an action", actions);
    }
  }

  ServingEdit edit_;
};

Error nothing_to_change(const ServingEdit& edit, std::string_view why, std::string hint = {}) {
  return {.message = fmt::format("'{}': {}", edit.text, why), .hint = std::move(hint), .kind = Error::Kind::misuse};
}

/// Whole and within what configurations may say.
template <typename Number>
Status change_count(const ServingEdit& edit, double most, Number& count) {
  const double changed = std::nearbyint(edit.changed(static_cast<double>(count)));
  if (!(changed >= 1 && changed <= most))
    return nothing_to_change(
        edit, fmt::format("{} would be {}, and must be at least 1 and at most {}", name_of(edit.what), changed, most));
  count = static_cast<Number>(changed);
  return {};
}

Status change_lengths(const ServingEdit& edit, const llm::Requests& requests, std::vector<std::uint32_t>& lengths) {
  constexpr double kMost = 1 << 24;  // of tokens, in a table of requests
  for (llm::RequestIndex request = 0; request < lengths.size(); ++request) {
    const double changed = std::max(1.0, std::nearbyint(edit.changed(lengths[request])));
    if (changed > kMost)
      return nothing_to_change(edit, fmt::format("request '{}' would have {} tokens, and may have at most {}",
                                                 requests.name(request), changed, kMost));
    lengths[request] = static_cast<std::uint32_t>(changed);
  }
  return {};
}

Status change_rate(const ServingEdit& edit, EditedServing& serving) {
  if (serving.engine.closed)
    return nothing_to_change(edit, "a closed loop has no rate, as each request that ends brings the next",
                             "concurrency says how many there are at a time");
  const double rate = edit.changed(serving.requests.natural_rate().value_or(1));
  if (!(rate > 0)) return nothing_to_change(edit, fmt::format("{} requests per second would never arrive", rate));
  return stretch_arrivals(serving.requests, rate);
}

Status change_prefix_cache(const ServingEdit& edit, EditedServing& serving) {
  const bool is_on = edit.amount != 0;
  if (is_on && serving.engine.limits.prefix_tokens == 0 && !serving.requests.pieces.empty())
    return nothing_to_change(edit, "nobody says of how many tokens the pieces in the column 'prefix' are",
                             "serving: {prefix_tokens: N}");
  serving.engine.limits.prefix_cache = is_on;
  return {};
}

Status change_replicas(const ServingEdit& edit, llm::EnginePlan& engine) {
  constexpr double kMost = 4096;
  if ((edit.what == Quantity::replicas) == engine.disaggregation.has_value())
    return engine.disaggregation
               ? nothing_to_change(edit, "prompts and tokens have replicas of their own", "prefill or decode")
               : nothing_to_change(edit, "replicas do both, prompts and tokens", "replicas");
  if (edit.what == Quantity::replicas) return change_count(edit, kMost, engine.replicas);
  return change_count(edit, kMost,
                      edit.what == Quantity::prefill ? engine.disaggregation->prefill : engine.disaggregation->decode);
}

Status add_failure(const ServingEdit& edit, EditedServing& serving) {
  if (serving.engine.failure) return nothing_to_change(edit, "one replica fails already, and more are not simulated");
  const bool has_arrivals = !serving.engine.closed && serving.requests.size() > 0;
  serving.engine.failure = {.replica = edit.replica,
                            .at_ps = edit.at_ps + (has_arrivals ? serving.requests.arrival_ps.front() : 0)};
  return {};
}

/// As long as a configuration may make a step.
constexpr double kLongestStepPs = 1e15;

TimePs changed_step(TimePs step_ps, const ServingEdit& edit) {
  return static_cast<TimePs>(std::llround(std::clamp(edit.changed(static_cast<double>(step_ps)), 0.0, kLongestStepPs)));
}

}  // namespace

double ServingEdit::changed(double value) const {
  switch (action) {
    case EditRule::Action::scale: return value * amount;
    case EditRule::Action::add: return value + amount;
    default: return amount;
  }
}

std::variant<ServingEdit, EditError> parse_serving_edit(const std::string& text) {
  return ServingEditParser(text).parse();
}

Status apply(const ServingEdit& edit, EditedServing& serving) {
  llm::EngineLimits& limits = serving.engine.limits;
  switch (edit.what) {
    case Quantity::prompts: return change_lengths(edit, serving.requests, serving.requests.prompt);
    case Quantity::tokens: return change_lengths(edit, serving.requests, serving.requests.generate);
    case Quantity::rate: return change_rate(edit, serving);
    case Quantity::concurrency:
      if (!serving.engine.closed)
        return nothing_to_change(edit, "requests arrive by themselves, whatever ends", "rate");
      return change_count(edit, 1 << 20, serving.engine.closed->concurrency);
    case Quantity::blocks: return change_count(edit, INT32_MAX, limits.kv_blocks);
    case Quantity::seats: return change_count(edit, 1 << 20, limits.max_requests);
    case Quantity::budget: return change_count(edit, 1 << 24, limits.max_batch_tokens);
    case Quantity::replicas:
    case Quantity::prefill:
    case Quantity::decode: return change_replicas(edit, serving.engine);
    case Quantity::steps: serving.steps.push_back(edit); return {};
    case Quantity::prefix_cache: return change_prefix_cache(edit, serving);
    case Quantity::chunked_prefill: limits.chunked_prefill = edit.amount != 0; return {};
    case Quantity::reserve_prompt: limits.reserve_prompt = edit.amount != 0; return {};
    case Quantity::failure: return add_failure(edit, serving);
  }
  return {};
}

llm::StepPrice EditedCost::price(const llm::Batch& batch) const {
  llm::StepPrice price = cost_.price(batch);
  for (const ServingEdit& edit : edits_) {
    // What a step takes besides its tokens changes with it; time that is set has nothing to do with tokens.
    price.fixed_ps = changed_step(price.fixed_ps, edit);
    price.step_ps = changed_step(price.step_ps, edit);
  }
  return price;
}

void EditedCost::price_stages(const llm::Batch& batch, llm::StagedStep& step) const {
  cost_.price_stages(batch, step);
  TimePs before = step.send_ps * static_cast<TimePs>(step.stages_ps.size() - 1);
  for (const TimePs stage : step.stages_ps) before += stage;
  TimePs after = before;
  for (const ServingEdit& edit : edits_) {
    step.fixed_ps = changed_step(step.fixed_ps, edit);
    after = changed_step(after, edit);
  }
  const auto changed = [&](TimePs time) {
    return static_cast<TimePs>(Int128{time} * after / std::max<TimePs>(1, before));
  };
  step.send_ps = changed(step.send_ps);
  for (TimePs& stage : step.stages_ps) stage = changed(stage);
}

TimePs EditedCost::shared_experts_ps(std::uint64_t tokens, std::uint32_t most) const {
  TimePs time = cost_.shared_experts_ps(tokens, most);
  for (const ServingEdit& edit : edits_) {
    if (edit.action == EditRule::Action::scale) time = changed_step(time, edit);
    // The whole step is what it was set to.
    if (edit.action == EditRule::Action::set) time = 0;
  }
  return time;
}

}  // namespace orrery::analyze
