// Kernel functions that block other processes, and their purpose.

#ifndef SHAPEWISE_TIMELINE_KERNEL_FUNCTIONS_H_
#define SHAPEWISE_TIMELINE_KERNEL_FUNCTIONS_H_

#include <string_view>

namespace shapewise {

struct KernelFunction {
  std::string_view name;
  bool reads_maps;        ///< it reads the memory maps of a process while holding their lock
  std::string_view what;  ///< what its caller does: "reads /proc/PID/smaps"
};

/// Null: unknown, or not informative. Ignores suffixes of compiler clones (".isra.0",
/// ".constprop.0") and kernel modules ("[k]").
const KernelFunction* FindKernelFunction(std::string_view name);

}  // namespace shapewise

#endif  // SHAPEWISE_TIMELINE_KERNEL_FUNCTIONS_H_
