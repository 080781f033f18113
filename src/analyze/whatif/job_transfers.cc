#include "analyze/whatif/job_transfers.h"

#include <algorithm>
#include <optional>
#include <span>

#include "workload/workload.h"

namespace orrery::analyze {
namespace {

using causal::CausalGraph;
using causal::JobOperation;
using causal::JobPart;
using simulate::CommOp;
using simulate::GraphTransfer;
using simulate::TransferEnd;

std::span<const JobPart> parts_of(const CausalGraph& job, const JobOperation& operation) {
  return std::span(job.parts).subspan(operation.first, operation.count);
}

/// None: nothing says what it moves, or it is of a kind that the models do not know.
std::optional<CommOp> comm_op(const CausalGraph& job, const JobOperation& operation) {
  CommOp op;
  // A communicator takes one of several equal ways, whatever it does.
  op.flow = operation.group;
  if (operation.count < 2) return std::nullopt;
  if (operation.ordering == match::Ordering::message) {
    if (operation.bytes < 0 || operation.count != 2) return std::nullopt;
    op.bytes = operation.bytes;
    return op;
  }
  const auto collective = collective_called(job.strings.text(operation.what));
  if (!collective) return std::nullopt;
  op.kind = CommOp::Kind::collective;
  op.collective = *collective;
  if (op.collective == workload::Collective::barrier) return op;
  if (operation.bytes < 0) return std::nullopt;
  op.bytes = workload::whole_bytes(op.collective, operation.bytes, operation.members);
  if (operation.root != causal::kNoPart) op.root = operation.root - operation.first;
  return op;
}

TimePs transfer_time(const CausalGraph& job, const JobPart& part) { return job.graph.weight(part.transfer); }

/// Whether the first of a message's two sides, the sender, is done without the other.
bool is_kept_for_receiver(const CausalGraph& job, const JobOperation& operation) {
  return operation.ordering == match::Ordering::message && job.graph.incoming(job.ready(operation.first)).size() < 2;
}

/// Fills `measured` and the transfers of one operation; their `operation` is left to the caller.
void measure_message(const CausalGraph& job, const JobOperation& operation, MeasuredTransfer& measured,
                     std::vector<GraphTransfer>& out) {
  const JobPart& sender = job.parts[operation.first];
  const JobPart& receiver = job.parts[operation.first + 1];
  measured.transfer = transfer_time(job, receiver);
  measured.comparable = job.time[receiver.arrival] <= job.time[sender.arrival];
  out.push_back({.slot = sender.transfer, .ends = TransferEnd::on_its_own, .lag = transfer_time(job, sender)});
  // Who came late had less of it left: that much it takes at least, if only to copy what is there.
  const TimePs least = measured.comparable ? 0 : measured.transfer;
  out.push_back({.slot = receiver.transfer, .ends = TransferEnd::when_arrived, .lag = least});
}

void measure_together(const CausalGraph& job, const JobOperation& operation, MeasuredTransfer& measured,
                      std::vector<GraphTransfer>& out) {
  measured.transfer = graph::kMaxWeightPs;
  for (const JobPart& part : parts_of(job, operation))
    measured.transfer = std::min(measured.transfer, transfer_time(job, part));
  for (const JobPart& part : parts_of(job, operation))
    out.push_back({.slot = part.transfer, .lag = transfer_time(job, part) - measured.transfer});
}

}  // namespace

std::optional<workload::Collective> collective_called(std::string_view what) {
  for (std::size_t i = 0; i < workload::kCollectives; ++i) {
    const auto collective = static_cast<workload::Collective>(i);
    if (workload::to_string(collective) == what) return collective;
  }
  return std::nullopt;
}

JobTransfers job_transfers(const CausalGraph& job) {
  JobTransfers result;
  for (std::uint32_t i = 0; i < job.operations.size(); ++i) {
    const JobOperation& operation = job.operations[i];
    std::optional<CommOp> op = comm_op(job, operation);
    std::vector<std::uint32_t> ranks;
    MeasuredTransfer measured{.operation = i, .begin = graph::kMaxWeightPs};
    for (std::uint32_t p = operation.first; p < operation.first + operation.count; ++p) {
      const JobPart& part = job.parts[p];
      ranks.push_back(static_cast<std::uint32_t>(job.ranks[part.rank].rank));
      measured.begin = std::min(measured.begin, job.time[job.ready(p)]);
      measured.end = std::max(measured.end, job.time[part.end]);
    }
    // Two events of one rank in one operation: not a group that a network could be asked about.
    const bool twice =
        op && op->kind == CommOp::Kind::collective && std::adjacent_find(ranks.begin(), ranks.end()) != ranks.end();
    if (!op || twice) {
      ++result.left;
      continue;
    }
    const std::size_t first = result.transfers.size();
    if (is_kept_for_receiver(job, operation)) measure_message(job, operation, measured, result.transfers);
    else measure_together(job, operation, measured, result.transfers);
    for (std::size_t t = first; t < result.transfers.size(); ++t)
      result.transfers[t].operation = static_cast<std::uint32_t>(result.operations.size());
    result.ranks.push_back(std::move(ranks));
    op->ranks = result.ranks.back();  // the numbers themselves do not move when the list of lists grows
    result.operations.push_back(*op);
    result.measured.push_back(measured);
  }
  return result;
}

}  // namespace orrery::analyze
