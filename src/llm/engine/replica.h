// One replica of a serving engine: who waits, who runs, and what its next step does. The rules are those of vLLM's
// scheduler (continuous batching, chunked prefill, preemption by recomputation), exactly as docs/SERVING.md has them.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <span>
#include <string_view>
#include <vector>

#include "llm/engine/cache_blocks.h"
#include "llm/engine/requests.h"
#include "llm/engine/step_cost.h"

namespace orrery::llm {

/// What a scheduler may do in one step.
struct EngineLimits {
  std::uint32_t block_tokens = 16;
  std::uint32_t kv_blocks = 0;
  std::uint32_t max_requests = 128;
  std::uint32_t max_batch_tokens = 2048;
  std::uint32_t prefix_tokens = 0;  ///< of one piece of a prompt; 0: pieces are not looked at
  bool chunked_prefill = true;
  bool prefix_cache = true;
  bool reserve_prompt = true;  ///< a request is admitted when its whole prompt finds room
};

/// Why a request that waits is not admitted.
enum class QueueCause : std::uint8_t {
  step,    ///< the step that was in progress when it came
  seats,   ///< as many requests run as may
  blocks,  ///< the cache has no room
  budget,  ///< the step has all the tokens that it may
  lost,    ///< it was in a step that its replica did not end
};
inline constexpr std::size_t kQueueCauses = 5;
inline constexpr std::array<std::string_view, kQueueCauses> kQueueCauseNames = {"step in progress", "seats", "blocks",
                                                                                "budget", "a lost step"};

inline constexpr std::uint32_t kNoReplica = ~std::uint32_t{0};

/// What became of one request.
struct RequestRecord {
  TimePs arrival_ps = 0;
  TimePs admitted_ps = -1, first_ps = -1, last_ps = -1;  ///< admission, first and last token; -1: not yet
  std::uint32_t preemptions = 0;
  std::uint32_t cached_tokens = 0;     ///< of the prompt, found at the first admission
  std::uint32_t replica = kNoReplica;  ///< where it came first; of those that fail the next one
  // From arrival to the first token; all of it together is that time.
  std::array<TimePs, kQueueCauses> queued_ps = {};  ///< waiting, also after a preemption
  TimePs own_ps = 0, prefill_of_others_ps = 0, decode_of_others_ps = 0, step_ps = 0;  ///< in steps

  [[nodiscard]] bool has_ended() const { return last_ps >= 0; }
};

/// A request on its way through a replica.
struct Sequence {
  RequestIndex request = 0;
  std::uint32_t prompt = 0, generate = 0;
  std::uint32_t made = 0;      ///< tokens
  std::uint32_t computed = 0;  ///< tokens in the cache
  std::uint32_t piece = 0;     ///< tokens of the step that is planned
  std::uint32_t slot = 0;      ///< where its blocks are written down; of those that run or did
  bool has_slot = false;
  std::uint32_t room = 0;     ///< tokens that its blocks hold
  std::uint32_t keep_at = 0;  ///< tokens in the cache from which on there are blocks for others to find
  TimePs last_token_ps = 0;

  [[nodiscard]] std::uint32_t total() const { return prompt + made; }
  /// Of the planned step: one token behind the whole prompt.
  [[nodiscard]] bool decodes() const { return piece == 1 && computed >= prompt; }
};

struct WaitingSequence {
  Sequence sequence;
  TimePs since_ps = 0;
  std::array<TimePs, kQueueCauses> causes_before_ps = {};  ///< the replica's sums when the wait began
};

/// How long it was from one token of a request to its next, and for how many requests.
struct TokenGap {
  TimePs gap_ps = 0;
  std::uint64_t count = 0;
};

class Replica {
 public:
  /// Which part of requests it serves.
  enum class Role : std::uint8_t { whole, prefill, decode };

  Replica(const EngineLimits& limits, const BlockIdentities& identities, Role role, std::uint32_t number);

  [[nodiscard]] std::size_t waiting() const { return waiting_.size(); }
  [[nodiscard]] std::size_t running() const { return running_.size(); }
  [[nodiscard]] bool is_idle() const { return waiting_.empty() && running_.empty(); }
  [[nodiscard]] std::uint32_t used_blocks() const { return cache_.count() - cache_.free_blocks(); }
  [[nodiscard]] const std::deque<WaitingSequence>& queue() const { return waiting_; }
  /// Those that take part in the step, each with its piece.
  [[nodiscard]] std::span<const Sequence> batch_members() const { return std::span(running_).first(scheduled_); }

  /// To the end of the queue. `step_ends_ps`: of the step in progress; no later than `now_ps` if there is none.
  void queue_up(const Sequence& sequence, TimePs now_ps, TimePs step_ends_ps, std::vector<RequestRecord>& records);

  /// What the next step does; false: nothing.
  bool plan(TimePs now_ps, std::vector<RequestRecord>& records);
  [[nodiscard]] const Batch& batch() const { return batch_; }
  /// Requests that were preempted for it.
  [[nodiscard]] std::uint32_t preempted() const { return preempted_; }
  /// The step takes this long: its time is divided among those who wait for their first token.
  void account(const StepPrice& price, std::vector<RequestRecord>& records);
  /// The step will never end: the replica fails when it has run this long, and nobody came nearer to a token.
  void account_lost(TimePs run_ps, std::vector<RequestRecord>& records);
  /// Fails. All that run, in order, then all that wait: they keep the tokens that they have, and nothing else.
  std::vector<Sequence> fail(TimePs now_ps, std::vector<RequestRecord>& records);

  /// What was planned is done. Those whose last token was made, or whose first in a replica for prefill, leave, in
  /// the order of the step.
  void finish(TimePs now_ps, std::vector<RequestRecord>& records, std::vector<TokenGap>& gaps,
              std::vector<Sequence>& left);

 private:
  [[nodiscard]] std::uint32_t blocks_for(std::uint32_t tokens) const {
    return (tokens + limits_.block_tokens - 1) / limits_.block_tokens;
  }
  void run_running(std::vector<RequestRecord>& records, TimePs now_ps);
  void admit_waiting(std::vector<RequestRecord>& records, TimePs now_ps);
  bool make_room(std::size_t place, std::uint32_t wanted, std::vector<RequestRecord>& records, TimePs now_ps);
  void preempt_last(std::vector<RequestRecord>& records, TimePs now_ps);
  void schedule(Sequence& sequence, std::uint32_t tokens);
  void take_slot(Sequence& sequence);
  void leave_queue(const WaitingSequence& waits, TimePs now_ps, RequestRecord& record) const;

  const EngineLimits limits_;
  const Role role_;
  const std::uint32_t number_;
  CacheBlocks cache_;
  std::deque<WaitingSequence> waiting_;
  std::vector<Sequence> running_;  // in the order of admission
  std::vector<HeldBlocks> held_;   // by slot
  std::vector<std::uint32_t> free_slots_;
  std::vector<BlockIndex> found_;  // of the request at hand: kept for its memory

  // The planned step.
  Batch batch_;
  std::uint32_t budget_ = 0;
  std::uint32_t preempted_ = 0;
  std::size_t scheduled_ = 0;  // so many of the running, the first ones
  QueueCause stopped_by_ = QueueCause::seats;
  // Of all steps so far, by what stopped admission.
  std::array<TimePs, kQueueCauses> causes_ps_ = {};
  TimePs previous_end_ps_ = -1;
};

}  // namespace orrery::llm
