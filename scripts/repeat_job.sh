#!/usr/bin/env bash
# repeat_job.sh TRACE RANKS EVERY FOLDER: a large job out of one large trace (what repeat_trace wrote). Every EVERY-th kernel becomes an all-reduce of all
# ranks; rank r is the same trace, r microseconds later. The files share their content but for the first lines, so they are packed or large: plain here.
set -euo pipefail
trace=$1 ranks=$2 every=$3 folder=$4
mkdir -p "$folder"
body=$folder/body.tmp
awk -v every="$every" -v ranks="$ranks" '
  /"traceEvents": \[/ { in_events = 1 }
  !in_events { next }
  /"cat": "kernel"/ && ++kernels % every == 0 { sub(/"name": ".*", "pid"/, "\"name\": \"ncclDevKernel_AllReduce_Sum_f32_RING_LL\", \"pid\""); is_collective = 1 }
  /"args": \{/ && is_collective {
    sub(/"args": \{/, "\"args\": { \"Collective name\": \"allreduce\", \"Process Group Name\": \"0\", \"Group size\": " ranks ", \"In msg nelems\": 1024, \"dtype\": \"Float\", \"Seq\": " ++sequence ",")
    is_collective = 0
  }
  { print }' "$trace" > "$body"
for ((r = 0; r < ranks; ++r)); do
  {
    printf '{\n  "schemaVersion": 1,\n  "distributedInfo": {"backend": "nccl", "rank": %d, "world_size": %d},\n' "$r" "$ranks"
    printf '  "displayTimeUnit": "ms",\n  "baseTimeNanoseconds": %d,\n' $((1790857026000000000 + 1000 * r))
    cat "$body"
  } > "$folder/rank$r.json"
done
rm "$body"
