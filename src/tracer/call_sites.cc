#include "tracer/call_sites.h"

#include <dlfcn.h>
#include <unwind.h>

#include <cstring>
#include <memory>

namespace orrery::tracer {
namespace {

/// A stack and where in memory its return addresses stand.
struct Remembered {
  std::uintptr_t caller = 0;
  std::uintptr_t place =
      0;  // of the tracer's own frame: the same caller at the same place is most often the same stack
  Stack stack;
  const std::uintptr_t* slots[kMaxDepth];

  // What the slots hold now decides. They lie above the running function, in frames that are still there or in the
  // unused parts of such.
  [[nodiscard]] bool still_holds() const {
    for (int i = 0; i < stack.depth; ++i) {
      if (*slots[i] != stack.frames[i]) return false;
    }
    return true;
  }
};

struct Walk {
  std::uintptr_t caller;
  int wanted;
  bool inside;  // of the tracer: `caller` has not been seen yet
  bool slots_known;
  Remembered* into;
  std::uintptr_t inner_frame = 0;  // what the frame pointer was in the function that was visited before
};

// Where the return address into the frame being visited stands, if its callee was compiled as most are; the caller
// looks whether it does.
const std::uintptr_t* return_address_slot(_Unwind_Context* context, [[maybe_unused]] const Walk& walk) {
#if defined(__aarch64__)  // the callee's frame pointer points at the caller's, and the return address stands beside it
  if (walk.inner_frame % alignof(std::uintptr_t) != 0 || walk.inner_frame == 0 ||
      walk.inner_frame >= _Unwind_GetCFA(context))
    return nullptr;
  return reinterpret_cast<const std::uintptr_t*>(walk.inner_frame) + 1;
#else  // x86-64: a call leaves it just below the frame that it returns to
  return reinterpret_cast<const std::uintptr_t*>(_Unwind_GetCFA(context)) - 1;
#endif
}

// The frame pointer in the frame being visited. Asked for where it is used alone: its number is the architecture's.
std::uintptr_t frame_pointer([[maybe_unused]] _Unwind_Context* context) {
#if defined(__aarch64__)
  return _Unwind_GetGR(context, 29);
#else
  return 0;
#endif
}

_Unwind_Reason_Code visit(_Unwind_Context* context, void* data) {
  Walk& walk = *static_cast<Walk*>(data);
  const std::uintptr_t address = _Unwind_GetIP(context);
  const std::uintptr_t* const slot = return_address_slot(context, walk);
  walk.inner_frame = frame_pointer(context);
  if (address == walk.caller) walk.inside = false;
  if (walk.inside) return _URC_NO_REASON;
  if (address == 0) return _URC_END_OF_STACK;
  walk.slots_known = walk.slots_known && slot != nullptr && *slot == address;  // otherwise nothing is remembered
  Stack& stack = walk.into->stack;
  walk.into->slots[stack.depth] = slot;
  stack.frames[stack.depth++] = address;
  return stack.depth < walk.wanted ? _URC_NO_REASON : _URC_END_OF_STACK;
}

constexpr std::size_t kRemembered = 64;
thread_local std::unique_ptr<Remembered[]> remembered;

}  // namespace

void take_stack(const void* caller, int depth, Stack& stack) {
  stack.depth = 1;
  stack.frames[0] = reinterpret_cast<std::uintptr_t>(caller);
  if (depth <= 1) return;
  if (!remembered) remembered = std::make_unique<Remembered[]>(kRemembered);
  const auto place = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
  Remembered& known = remembered[((stack.frames[0] ^ place) * 0x9E3779B97F4A7C15u) >> 58];
  if (known.caller != stack.frames[0] || known.place != place || !known.still_holds()) {
    known.stack.depth = 0;
    Walk walk{stack.frames[0], depth, true, true, &known};
    _Unwind_Backtrace(visit, &walk);
    known.caller = walk.slots_known ? stack.frames[0] : 0;
    known.place = place;
  }
  // Code without tables for unwinding: the one address that is always known.
  if (known.stack.depth == 0) return;
  stack.depth = known.stack.depth;
  std::memcpy(stack.frames, known.stack.frames, static_cast<std::size_t>(stack.depth) * sizeof stack.frames[0]);
}

std::uint32_t Texts::number(std::string_view text, TraceFile& file) {
  const auto [at, is_new] = numbers_.try_emplace(std::string(text), static_cast<std::uint32_t>(numbers_.size() + 1));
  if (is_new) {
    ByteBuffer body;
    body.number(at->second);
    body.raw(text.data(), text.size());
    file.add(RecordKind::text, body);
  }
  return at->second;
}

std::uint32_t CallSites::number(const Stack& stack, Texts& texts, TraceFile& file) {
  const std::uint64_t hash = checksum(stack.frames, static_cast<std::size_t>(stack.depth) * sizeof stack.frames[0], 0);
  if (const std::uint32_t* known = by_hash_.find(hash)) return *known;
  by_hash_.put(hash, ++count_);
  ByteBuffer body;
  body.number(count_);
  body.number(static_cast<std::uint64_t>(stack.depth));
  for (int i = 0; i < stack.depth; ++i) {
    Dl_info place{};
    const std::uintptr_t address = stack.frames[i];
    // The byte before: a call may be the last instruction of its function.
    const bool known = dladdr(reinterpret_cast<const void*>(address - 1), &place) != 0 && place.dli_fname != nullptr;
    body.number(texts.number(known ? place.dli_fname : "?", file));
    body.number(known ? address - reinterpret_cast<std::uintptr_t>(place.dli_fbase) : address);
    body.number(known && place.dli_sname != nullptr ? texts.number(place.dli_sname, file) : 0);
  }
  file.add(RecordKind::site, body);
  return count_;
}

}  // namespace orrery::tracer
