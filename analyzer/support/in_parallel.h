// Runs independent pieces of work in parallel.

#ifndef SHAPEWISE_SUPPORT_IN_PARALLEL_H_
#define SHAPEWISE_SUPPORT_IN_PARALLEL_H_

#include <cstddef>
#include <functional>

namespace shapewise {

/// The number of processors that this process may use, at least 1; taskset and containers may limit
/// it.
size_t NumProcessors();

/// Calls work(0), work(1) ... work(count - 1), each once and in any order, on at most `num_threads`
/// threads including the caller's, and returns when all are done. `work` must not throw. If the
/// system cannot create more threads, fewer are used.
void InParallel(size_t count, size_t num_threads, const std::function<void(size_t)>& work);

}  // namespace shapewise

#endif  // SHAPEWISE_SUPPORT_IN_PARALLEL_H_
