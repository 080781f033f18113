#include "causal/step_name.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <iterator>
#include <utility>

#include "base/numbers.h"
#include "trace/names/rules.h"

// Each engine has a parser that reads the name from left to right and gives up at the first byte that does not fit.
// What follows from the rest, totals and phase, is worked out once, at the end.

namespace orrery::causal {
namespace {

/// More than any batch has; sums of a few still fit.
constexpr std::int64_t kMostTokens = 1'000'000'000'000'000;

class Scanner {
 public:
  explicit Scanner(std::string_view text) : rest_(text) {}

  bool skip(std::string_view literal) {
    if (!rest_.starts_with(literal)) return false;
    rest_.remove_prefix(literal.size());
    return true;
  }
  /// Digits alone: no sign.
  std::optional<std::int64_t> number() {
    if (rest_.empty() || rest_.front() < '0' || rest_.front() > '9') return std::nullopt;
    const NumberScan<std::int64_t> scan = scan_number<std::int64_t>(rest_);
    if (!scan.is_number() || scan.value > kMostTokens) return std::nullopt;
    rest_.remove_prefix(scan.used);
    return scan.value;
  }
  bool number(std::optional<std::int64_t>& into) {
    into = number();
    return into.has_value();
  }
  [[nodiscard]] bool is_done() const { return rest_.empty(); }

 private:
  std::string_view rest_;
};

StepPhase phase_of(std::int64_t context, std::int64_t generation) {
  if (context > 0) return generation > 0 ? StepPhase::mixed : StepPhase::prefill;
  return generation > 0 ? StepPhase::decode : StepPhase::idle;
}

/// Fills in what follows from what is said.
StepName completed(StepName step) {
  // No requests of a kind have no tokens, whether the name says so or not.
  if (step.context_requests == 0) step.context_tokens = 0;
  if (step.generation_requests == 0) step.generation_tokens = 0;
  if (step.context_requests && step.generation_requests) {
    step.phase = phase_of(*step.context_requests, *step.generation_requests);
    if (!step.requests) step.requests = *step.context_requests + *step.generation_requests;
  }
  if (!step.tokens && step.context_tokens && step.generation_tokens)
    step.tokens = *step.context_tokens + *step.generation_tokens;
  return step;
}

// --- vLLM ---

/// "(sq8155sk8430sqsq7475785sqsk7671310)": tokens, what attention looks back at, and sums of products of the two.
struct Detail {
  std::optional<std::int64_t>&tokens, &kv_tokens, &query_squares, &query_keys;
};
bool take_detail(Scanner& scan, Detail into) {
  return scan.skip("(sq") && scan.number(into.tokens) && scan.skip("sk") && scan.number(into.kv_tokens) &&
         scan.skip("sqsq") && scan.number(into.query_squares) && scan.skip("sqsk") && scan.number(into.query_keys) &&
         scan.skip(")");
}

/// "(888_788544)", "(888)": tokens, and the sum of products of tokens and what they look back at.
bool take_plain(Scanner& scan, std::optional<std::int64_t>& tokens) {
  return scan.skip("(") && scan.number(tokens) && (!scan.skip("_") || scan.number()) && scan.skip(")");
}

std::optional<StepName> parse_vllm(std::string_view name) {
  Scanner scan(name);
  StepName step{.engine = "vllm"};
  std::optional<std::int64_t> generation_squares;  // tokens of requests that decode are one each: nobody asks
  if (!scan.skip("execute_")) return std::nullopt;
  const bool is_detailed = scan.number(step.tokens);
  if (is_detailed && !scan.skip("_")) return std::nullopt;
  if (!scan.skip("context_") || !scan.number(step.context_requests)) return std::nullopt;
  if (!(is_detailed ? take_detail(scan, {step.context_tokens, step.context_kv_tokens, step.context_query_squares,
                                         step.context_query_keys})
                    : take_plain(scan, step.context_tokens)))
    return std::nullopt;
  if (!scan.skip("_generation_") || !scan.number(step.generation_requests)) return std::nullopt;
  if (!(is_detailed ? take_detail(scan, {step.generation_tokens, step.generation_kv_tokens, generation_squares,
                                         step.generation_query_keys})
                    : take_plain(scan, step.generation_tokens)))
    return std::nullopt;
  if (!scan.is_done()) return std::nullopt;
  return completed(std::move(step));
}

std::optional<StepName> parse_diffusion(std::string_view name) {
  Scanner scan(name);
  StepName step{.engine = "diffusion", .phase = StepPhase::diffusion};
  if (!scan.skip("execute_diffusion_") || !scan.number(step.requests) || !scan.skip("_") || !scan.number() ||
      !scan.skip("x") || !scan.number() || !scan.is_done())
    return std::nullopt;
  return step;
}

// --- key=value, as SGLang and ATOM have it ---

/// "bs=2 tok=14721 ctx=[7803, 6918]": values may be lists, in which a blank is no end.
class KeyValues {
 public:
  /// None unless all of `text` is pairs.
  static std::optional<KeyValues> parse(std::string_view text) {
    KeyValues values;
    while (true) {
      while (text.starts_with(' ')) text.remove_prefix(1);
      if (text.empty()) return values;
      const std::size_t equals = text.find('=');
      if (equals == std::string_view::npos || !is_key(text.substr(0, equals)) || values.count_ == kMost)
        return std::nullopt;
      const std::optional<std::size_t> end = end_of_value(text, equals + 1);
      if (!end || *end == equals + 1) return std::nullopt;
      values.pairs_[values.count_++] = {text.substr(0, equals), text.substr(equals + 1, *end - equals - 1)};
      text.remove_prefix(*end);
    }
  }

  [[nodiscard]] std::string_view text(std::string_view key) const {
    for (std::size_t i = 0; i < count_; ++i) {
      if (pairs_[i].first == key) return pairs_[i].second;
    }
    return {};
  }
  [[nodiscard]] std::optional<std::int64_t> number(std::string_view key) const {
    Scanner scan(text(key));
    const std::optional<std::int64_t> value = scan.number();
    return scan.is_done() ? value : std::nullopt;
  }

 private:
  static constexpr std::size_t kMost = 24;

  static bool is_key(std::string_view text) {
    if (text.empty() || std::isalpha(static_cast<unsigned char>(text.front())) == 0) return false;
    for (const char c : text) {
      if (std::isalnum(static_cast<unsigned char>(c)) == 0 && c != '_') return false;
    }
    return true;
  }
  static std::optional<std::size_t> end_of_value(std::string_view text, std::size_t at) {
    int depth = 0;
    for (; at < text.size() && (depth > 0 || text[at] != ' '); ++at) {
      if (text[at] == '[') ++depth;
      if (text[at] == ']' && --depth < 0) return std::nullopt;
    }
    return depth == 0 ? std::optional(at) : std::nullopt;
  }

  std::array<std::pair<std::string_view, std::string_view>, kMost> pairs_ = {};
  std::size_t count_ = 0;
};

/// What stands between `front` and a "]" at the end.
std::optional<std::string_view> inside(std::string_view name, std::string_view front) {
  if (!name.starts_with(front) || !name.ends_with(']') || name.size() <= front.size()) return std::nullopt;
  return name.substr(front.size(), name.size() - front.size() - 1);
}

// --- SGLang ---

enum class SglangMode : std::uint8_t { decode, verify, extend, mixed, idle, other };

std::optional<SglangMode> sglang_mode(std::string_view word) {
  if (word.empty() || std::isalpha(static_cast<unsigned char>(word.front())) == 0) return std::nullopt;
  std::string upper;
  for (const char c : word) {
    if (std::isalnum(static_cast<unsigned char>(c)) == 0 && c != '_') return std::nullopt;
    upper += static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  }
  if (upper == "DECODE") return SglangMode::decode;
  if (upper == "TARGET_VERIFY") return SglangMode::verify;
  if (upper == "EXTEND" || upper == "PREFILL" || upper == "DRAFT_EXTEND") return SglangMode::extend;
  if (upper == "MIXED") return SglangMode::mixed;
  if (upper == "IDLE") return SglangMode::idle;
  return SglangMode::other;
}

std::optional<std::int64_t> first_of(std::optional<std::int64_t> a, std::optional<std::int64_t> b) { return a ? a : b; }

void tell_sglang(SglangMode mode, const KeyValues& values, StepName& step) {
  step.requests = values.number("bs");
  step.tokens = values.number("toks");
  step.context_tokens = values.number("c_sq");
  step.generation_tokens = values.number("g_sq");
  step.context_kv_tokens = values.number("c_sk");
  step.generation_kv_tokens = values.number("g_sk");
  step.context_query_squares = values.number("c_sqsq");
  step.context_query_keys = values.number("c_sqsk");
  step.generation_query_keys = values.number("g_sqsk");
  switch (mode) {
    case SglangMode::decode:
    case SglangMode::verify:
      step.phase = StepPhase::decode;
      step.context_requests = 0;
      step.generation_requests = first_of(values.number("g"), step.requests);
      if (!step.generation_tokens) step.generation_tokens = step.tokens;
      // A request that decodes adds one token; how many a draft has that is verified, only the name can say.
      if (!step.generation_tokens && mode == SglangMode::decode) step.generation_tokens = step.requests;
      return;
    case SglangMode::extend:
      step.phase = StepPhase::prefill;
      step.generation_requests = 0;
      step.context_requests = first_of(values.number("c"), step.requests);
      if (!step.context_tokens) step.context_tokens = step.tokens;
      return;
    case SglangMode::mixed:
      step.phase = StepPhase::mixed;
      step.context_requests = first_of(values.number("c"), values.number("ext"));
      step.generation_requests = first_of(values.number("g"), values.number("dec"));
      return;
    case SglangMode::idle:
      step.phase = StepPhase::idle;
      step.context_requests = step.generation_requests = 0;
      return;
    case SglangMode::other: step.phase = StepPhase::other; return;
  }
}

std::optional<StepName> parse_sglang(std::string_view name) {
  const std::optional<std::string_view> body = inside(name, "step[");
  if (!body) return std::nullopt;
  const std::size_t blank = body->find(' ');
  const std::optional<SglangMode> mode = sglang_mode(body->substr(0, blank));
  if (!mode) return std::nullopt;
  const auto values = KeyValues::parse(blank == std::string_view::npos ? std::string_view() : body->substr(blank));
  if (!values) return std::nullopt;
  StepName step{.engine = "sglang"};
  tell_sglang(*mode, *values, step);
  return completed(std::move(step));
}

// --- ATOM ---

std::optional<StepName> parse_atom(std::string_view name) {
  const bool is_prefill = name.starts_with("prefill[");
  const std::optional<std::string_view> body = inside(name, is_prefill ? "prefill[" : "decode[");
  if (!body) return std::nullopt;
  const std::optional<KeyValues> values = KeyValues::parse(*body);
  if (!values) return std::nullopt;
  StepName step{.engine = "atom"};
  // "bs=117/128": a graph of 128 runs, 11 of them for nobody.
  Scanner batch(values->text("bs"));
  if (!batch.number(step.requests) || (batch.skip("/") && !batch.number()) || !batch.is_done()) return std::nullopt;
  step.tokens = values->number("tok");
  if (is_prefill) {
    step.context_requests = step.requests;
    step.generation_requests = 0;
    step.context_tokens = step.tokens;
    step.context_kv_tokens = values->number("sk");
    return completed(std::move(step));
  }
  step.context_requests = values->number("p").value_or(0);
  if (step.context_requests == 0) {
    step.generation_requests = step.requests;
    step.generation_tokens = step.tokens;
    step.generation_kv_tokens = values->number("sk");
    return completed(std::move(step));
  }
  // Prompts among the others: tokens are of both together.
  step.phase = StepPhase::mixed;
  step.generation_requests = values->number("d");
  if (!step.generation_requests && *step.requests >= *step.context_requests)
    step.generation_requests = *step.requests - *step.context_requests;
  return completed(std::move(step));
}

// --- TensorRT-LLM ---

std::optional<StepName> parse_trtllm(std::string_view name) {
  Scanner scan(name);
  StepName step{.engine = "trtllm"};
  scan.skip("[Executor] ");
  if (!scan.skip("_forward_step") && !scan.skip("executeStep")) return std::nullopt;
  if (scan.skip(" ") && !scan.number()) return std::nullopt;
  if (!scan.skip(": ") || !scan.number(step.context_requests) || !scan.skip(" ctx reqs, ")) return std::nullopt;
  if (!scan.number(step.generation_requests)) return std::nullopt;
  if (scan.skip(" ctx tokens, ")) {
    step.context_tokens = step.generation_requests;
    if (!scan.number(step.generation_requests)) return std::nullopt;
  }
  if (!scan.skip(" gen reqs") || !scan.is_done()) return std::nullopt;
  return completed(std::move(step));
}

}  // namespace

const char* identifier(StepPhase phase) {
  static constexpr const char* kNames[] = {"prefill", "decode", "mixed", "idle", "diffusion", "other"};
  return kNames[static_cast<std::size_t>(phase)];
}

std::optional<StepName> parse_step_name(std::string_view name) {
  if (name.empty()) return std::nullopt;
  // Traces have thousands of distinct names, nearly all of which are none: the first byte tells most of them.
  switch (name.front()) {
    case 's': return parse_sglang(name);
    case 'p':
    case 'd': return parse_atom(name);
    case '[':
    case '_': return parse_trtllm(name);
    case 'e': break;
    default: return std::nullopt;
  }
  if (name.starts_with("executeStep")) return parse_trtllm(name);
  if (name.starts_with("execute_diffusion_")) return parse_diffusion(name);
  return parse_vllm(name);
}

std::optional<StepName> step_name_in(const trace::Trace& trace, std::string_view name) {
  if (trace.rules == nullptr || trace.rules->steps().empty()) return parse_step_name(name);
  const std::optional<trace::StepReading> read = trace.rules->read_step(name);
  if (!read) return parse_step_name(name);
  const trace::StepRule& rule = trace.rules->steps()[read->rule];
  StepName step{.engine = rule.engine};
  const auto phase = std::find(std::begin(trace::kStepPhases), std::end(trace::kStepPhases), rule.phase);
  // kStepPhases are the names of StepPhase in its order.
  if (phase != std::end(trace::kStepPhases))
    step.phase = static_cast<StepPhase>(phase - std::begin(trace::kStepPhases));
  std::optional<std::int64_t>* const into[] = {&step.requests,          &step.tokens,
                                               &step.context_requests,  &step.generation_requests,
                                               &step.context_tokens,    &step.generation_tokens,
                                               &step.context_kv_tokens, &step.generation_kv_tokens};
  for (std::size_t i = 0; i < std::size(into); ++i) *into[i] = read->numbers[i];
  const StepPhase said = step.phase;
  step = completed(std::move(step));
  // What the rule says goes before what follows from the numbers.
  if (!rule.phase.empty()) step.phase = said;
  return step;
}

std::optional<StepName> parse_numbered_step(std::string_view name) {
  static constexpr std::pair<std::string_view, StepPhase> kWords[] = {{"prefill", StepPhase::prefill},
                                                                      {"extend", StepPhase::prefill},
                                                                      {"decode", StepPhase::decode},
                                                                      {"generate", StepPhase::decode}};
  std::string word;
  for (std::size_t i = 0; i <= name.size(); ++i) {
    const auto c = static_cast<unsigned char>(i < name.size() ? name[i] : ' ');
    if (std::isalpha(c) != 0) {
      word += static_cast<char>(std::tolower(c));
      continue;
    }
    for (const auto& [known, phase] : kWords) {
      if (word == known) return StepName{.engine = "jax", .phase = phase};
    }
    word.clear();
  }
  return std::nullopt;
}

}  // namespace orrery::causal
