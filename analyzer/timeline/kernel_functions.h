// Kernel functions that make other processes wait, and what they are there for.

#ifndef SHAPEWISE_TIMELINE_KERNEL_FUNCTIONS_H_
#define SHAPEWISE_TIMELINE_KERNEL_FUNCTIONS_H_

#include <string_view>

namespace shapewise {

struct KernelFunction {
  std::string_view name;
  bool reads_maps;        ///< it reads the memory maps of a process and holds their lock
  std::string_view what;  ///< "reads /proc/PID/smaps": what whoever calls it does
};

/// Null for a function that is not known, or says nothing. Suffixes as of a compiler's clones
/// (".isra.0", ".constprop.0") and of a kernel module ("[k]") do not matter.
const KernelFunction* FindKernelFunction(std::string_view name);

}  // namespace shapewise

#endif  // SHAPEWISE_TIMELINE_KERNEL_FUNCTIONS_H_
