// Pieces of work that do not depend on each other.

#ifndef SHAPEWISE_SUPPORT_IN_PARALLEL_H_
#define SHAPEWISE_SUPPORT_IN_PARALLEL_H_

#include <cstddef>
#include <functional>

namespace shapewise {

/// Processors that this process may run on, at least 1: fewer than the machine has under taskset and
/// in containers that are given some.
size_t NumProcessors();

/// Calls work(0), work(1) ... work(count - 1), each once and in any order, by at most `num_threads`
/// threads, the calling one among them, and comes back when all are done. `work` must not throw.
/// Where the system gives no more threads, those that there are do it.
void InParallel(size_t count, size_t num_threads, const std::function<void(size_t)>& work);

}  // namespace shapewise

#endif  // SHAPEWISE_SUPPORT_IN_PARALLEL_H_
