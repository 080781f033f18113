#include "llm/engine/replica.h"

#include <algorithm>
#include <cmath>

#include "base/int128.h"

namespace orrery::llm {

StepPrice LinearCost::price(const Batch& batch) const {
  double squares = 0;
  for (const PromptPiece& piece : batch.pieces)
    squares +=
        static_cast<double>(piece.tokens) * (static_cast<double>(piece.before) + static_cast<double>(piece.tokens) / 2);
  const double us = step_.step_us + step_.token_us * batch.tokens +
                    step_.context_us * static_cast<double>(batch.context_sum) + step_.square_us * squares +
                    step_.sequence_us * std::max(1U, batch.sampled);
  const auto in_ps = [](double value) { return static_cast<TimePs>(std::llround(value * kPsPerUs)); };
  return {in_ps(us), in_ps(step_.step_us)};
}

Replica::Replica(const EngineLimits& limits, const BlockIdentities& identities, Role role, std::uint32_t number)
    : limits_(limits), role_(role), number_(number), cache_(limits.kv_blocks, identities, limits.prefix_cache) {}

void Replica::queue_up(const Sequence& sequence, TimePs now_ps, TimePs step_ends_ps,
                       std::vector<RequestRecord>& records) {
  RequestRecord& record = records[sequence.request];
  if (record.replica == kNoReplica) record.replica = number_;
  WaitingSequence& waits = waiting_.emplace_back(WaitingSequence{sequence, now_ps, causes_ps_});
  // The step in progress is in the sums already: what is left of it is a cause of its own.
  waits.causes_before_ps[static_cast<std::size_t>(QueueCause::step)] -= std::max<TimePs>(0, step_ends_ps - now_ps);
}

void Replica::leave_queue(const WaitingSequence& waits, TimePs now_ps, RequestRecord& record) const {
  // Nobody asks what a request waited for after its first token.
  if (record.first_ps >= 0) return;
  TimePs known = 0;
  for (std::size_t cause = 0; cause < kQueueCauses; ++cause) {
    const TimePs waited = causes_ps_[cause] - waits.causes_before_ps[cause];
    record.queued_ps[cause] += waited;
    known += waited;
  }
  // A replica that had nothing it could do stood still.
  record.queued_ps[static_cast<std::size_t>(QueueCause::blocks)] += now_ps - waits.since_ps - known;
}

void Replica::take_slot(Sequence& sequence) {
  if (sequence.has_slot) return;
  sequence.has_slot = true;
  if (free_slots_.empty()) {
    sequence.slot = static_cast<std::uint32_t>(held_.size());
    held_.emplace_back();
    return;
  }
  sequence.slot = free_slots_.back();
  free_slots_.pop_back();
}

void Replica::schedule(Sequence& sequence, std::uint32_t tokens) {
  sequence.piece = tokens;
  budget_ -= tokens;
  batch_.tokens += tokens;
  if (sequence.computed + tokens == sequence.total()) ++batch_.sampled;
  if (tokens == 1 && sequence.computed >= sequence.prompt) {
    const std::uint32_t context = sequence.computed + 1;
    ++batch_.decodes;
    batch_.context_sum += context;
    batch_.longest_context = std::max(batch_.longest_context, context);
  } else {
    batch_.pieces.push_back({tokens, sequence.computed});
  }
}

void Replica::preempt_last(std::vector<RequestRecord>& records, TimePs now_ps) {
  Sequence sequence = running_.back();
  running_.pop_back();
  cache_.give_back(held_[sequence.slot]);
  sequence.computed = sequence.piece = sequence.room = sequence.keep_at = 0;
  ++records[sequence.request].preemptions;
  ++preempted_;
  waiting_.push_front({sequence, now_ps, causes_ps_});
}

/// Preempts from the end until `wanted` blocks are free; false: the request at `place` was among them.
bool Replica::make_room(std::size_t place, std::uint32_t wanted, std::vector<RequestRecord>& records, TimePs now_ps) {
  while (wanted > cache_.free_blocks()) {
    const bool is_last = place + 1 == running_.size();
    preempt_last(records, now_ps);
    if (is_last) return false;
  }
  return true;
}

void Replica::run_running(std::vector<RequestRecord>& records, TimePs now_ps) {
  for (scheduled_ = 0; scheduled_ < running_.size() && budget_ > 0; ++scheduled_) {
    const Sequence& next = running_[scheduled_];
    const std::uint32_t tokens = std::min(next.total() - next.computed, budget_);
    if (next.computed + tokens > next.room) {
      const std::uint32_t wanted = blocks_for(next.computed + tokens - next.room);
      if (!make_room(scheduled_, wanted, records, now_ps)) return;
      cache_.take(wanted, held_[next.slot]);
      running_[scheduled_].room += wanted * limits_.block_tokens;
    }
    schedule(running_[scheduled_], tokens);
  }
}

void Replica::admit_waiting(std::vector<RequestRecord>& records, TimePs now_ps) {
  while (!waiting_.empty()) {
    stopped_by_ = QueueCause::budget;
    if (budget_ == 0) return;
    stopped_by_ = QueueCause::seats;
    if (running_.size() >= limits_.max_requests) return;
    Sequence& next = waiting_.front().sequence;
    take_slot(next);
    HeldBlocks& held = held_[next.slot];
    found_.clear();
    if (next.computed == 0) cache_.find(next.request, held, (next.total() - 1) / limits_.block_tokens, found_);
    const auto shared = static_cast<std::uint32_t>(found_.size());
    const std::uint32_t begin = next.computed > 0 ? next.computed : shared * limits_.block_tokens;
    const std::uint32_t tokens = std::min(next.total() - begin, budget_);
    stopped_by_ = QueueCause::budget;
    if (!limits_.chunked_prefill && tokens < next.total() - begin) return;
    const auto has = static_cast<std::uint32_t>(held.blocks.size());
    const std::uint32_t needed = blocks_for(limits_.reserve_prompt ? next.total() : begin + tokens);
    const auto unused = static_cast<std::uint32_t>(
        std::count_if(found_.begin(), found_.end(), [&](BlockIndex block) { return cache_.is_free(block); }));
    stopped_by_ = QueueCause::blocks;
    if (needed - std::min(needed, shared + has) + unused > cache_.free_blocks()) return;
    for (const BlockIndex block : found_) cache_.share(block, held);
    const std::uint32_t after = blocks_for(begin + tokens);
    cache_.take(after - std::min(after, static_cast<std::uint32_t>(held.blocks.size())), held);
    next.computed = begin;
    next.room = static_cast<std::uint32_t>(held.blocks.size()) * limits_.block_tokens;
    RequestRecord& record = records[next.request];
    leave_queue(waiting_.front(), now_ps, record);
    if (record.admitted_ps < 0) {
      record.admitted_ps = now_ps;
      record.cached_tokens = shared * limits_.block_tokens;
    }
    running_.push_back(next);
    waiting_.pop_front();
    schedule(running_.back(), tokens);
    ++scheduled_;
  }
}

bool Replica::plan(TimePs now_ps, std::vector<RequestRecord>& records) {
  batch_.clear();
  budget_ = limits_.max_batch_tokens;
  preempted_ = 0;
  run_running(records, now_ps);
  stopped_by_ = QueueCause::blocks;
  // Where somebody had to make room nobody new comes in.
  if (preempted_ == 0) admit_waiting(records, now_ps);
  return scheduled_ > 0;
}

void Replica::account(const StepPrice& price, std::vector<RequestRecord>& records) {
  causes_ps_[static_cast<std::size_t>(stopped_by_)] += price.step_ps;
  if (batch_.pieces.empty() && scheduled_ == running_.size()) return;
  const TimePs fixed = std::min(price.fixed_ps, price.step_ps), rest = price.step_ps - fixed;
  const auto part = [&](std::uint32_t tokens) { return static_cast<TimePs>(Int128{rest} * tokens / batch_.tokens); };
  for (const Sequence& sequence : running_) {
    if (sequence.made > 0) continue;
    RequestRecord& record = records[sequence.request];
    const TimePs own = part(sequence.piece), others = part(batch_.prompt_tokens() - sequence.piece);
    record.step_ps += fixed;
    record.own_ps += own;
    record.prefill_of_others_ps += others;
    // The rest, so that the parts add up.
    record.decode_of_others_ps += rest - own - others;
  }
}

void Replica::account_lost(TimePs run_ps, std::vector<RequestRecord>& records) {
  causes_ps_[static_cast<std::size_t>(stopped_by_)] += run_ps;
  for (const Sequence& sequence : running_) {
    if (sequence.made == 0) records[sequence.request].queued_ps[static_cast<std::size_t>(QueueCause::lost)] += run_ps;
  }
}

std::vector<Sequence> Replica::fail(TimePs now_ps, std::vector<RequestRecord>& records) {
  std::vector<Sequence> orphans = std::move(running_);
  for (const WaitingSequence& waits : waiting_) {
    leave_queue(waits, now_ps, records[waits.sequence.request]);
    orphans.push_back(waits.sequence);
  }
  running_.clear();
  waiting_.clear();
  for (Sequence& sequence : orphans) {
    sequence.computed = sequence.piece = sequence.room = sequence.keep_at = 0;
    sequence.has_slot = false;
    records[sequence.request].replica = kNoReplica;
  }
  return orphans;
}

void Replica::finish(TimePs now_ps, std::vector<RequestRecord>& records, std::vector<TokenGap>& gaps,
                     std::vector<Sequence>& left) {
  std::uint64_t in_stride = 0;  // requests that had a token of the step before, too
  bool someone_left = false;
  for (std::size_t place = 0; place < scheduled_; ++place) {
    Sequence& sequence = running_[place];
    sequence.computed += sequence.piece;
    sequence.piece = 0;
    if (limits_.prefix_cache && sequence.computed >= sequence.keep_at) {
      HeldBlocks& held = held_[sequence.slot];
      const std::uint32_t full = sequence.computed / limits_.block_tokens;
      cache_.keep(sequence.request, full, held);
      // A block that stood out may come in whenever another one is forgotten.
      sequence.keep_at = held.stood_out.empty() ? (full + 1) * limits_.block_tokens : 0;
    }
    if (sequence.computed < sequence.total()) continue;
    ++sequence.made;
    RequestRecord& record = records[sequence.request];
    if (sequence.made == 1) record.first_ps = now_ps;
    else if (sequence.last_token_ps == previous_end_ps_) ++in_stride;
    else gaps.push_back({now_ps - sequence.last_token_ps, 1});
    sequence.last_token_ps = now_ps;
    const bool has_ended = sequence.made == sequence.generate;
    if (has_ended) record.last_ps = now_ps;
    if (!has_ended && role_ != Role::prefill) continue;
    cache_.give_back(held_[sequence.slot]);
    held_[sequence.slot].before.clear();
    free_slots_.push_back(sequence.slot);
    sequence.has_slot = false;
    sequence.room = sequence.keep_at = 0;
    left.push_back(sequence);
    someone_left = true;
  }
  if (in_stride > 0) gaps.push_back({now_ps - previous_end_ps_, in_stride});
  previous_end_ps_ = now_ps;
  if (someone_left) std::erase_if(running_, [](const Sequence& sequence) { return !sequence.has_slot; });
}

}  // namespace orrery::llm
