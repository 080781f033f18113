#include "trace/names/category_names.h"

namespace orrery::trace {
namespace {

struct CategoryName {
  std::string_view text;
  Activity activity;
};

constexpr CategoryName kCategories[] = {
    {"cpu_op", Activity::cpu_operator},
    {"Operator", Activity::cpu_operator},
    {"user_annotation", Activity::annotation},
    {"cpu_instant_event", Activity::other},
    {"mpi", Activity::cpu_operator},  // a timeline of an MPI job: several ranks in one file, each a thread
    {"python_function", Activity::python},
    {"PythonFunction", Activity::python},
    {"cuda_runtime", Activity::runtime_call},
    {"cuda_driver", Activity::runtime_call},
    {"hip_runtime", Activity::runtime_call},
    {"xpu_runtime", Activity::runtime_call},
    {"privateuse1_runtime", Activity::runtime_call},
    {"Runtime", Activity::runtime_call},
    {"mtia_runtime", Activity::runtime_call},
    {"kernel", Activity::kernel},
    {"Kernel", Activity::kernel},
    {"mtia_ccp_events", Activity::kernel},
    {"collective_comm", Activity::kernel},
    {"gpu_memcpy", Activity::memory_copy},
    {"Memcpy", Activity::memory_copy},
    {"gpu_memset", Activity::memory_set},
    {"Memset", Activity::memory_set},
    {"gpu_user_annotation", Activity::device_annotation},
    {"cuda_sync", Activity::synchronization},
    {"overhead", Activity::overhead},
    {"Trace", Activity::profiler_span},
};

}  // namespace

Activity activity_of_category(std::string_view category) {
  for (const CategoryName& known : kCategories) {
    if (known.text == category) return known.activity;
  }
  return Activity::other;
}

}  // namespace orrery::trace
