#include "support/in_parallel.h"

#include <algorithm>
#include <atomic>
#include <system_error>
#include <thread>
#include <vector>

#include "llvm/Support/Threading.h"

namespace shapewise {

size_t NumProcessors() { return std::max(llvm::hardware_concurrency().compute_thread_count(), 1U); }

void InParallel(size_t count, size_t num_threads, const std::function<void(size_t)>& work) {
  std::atomic<size_t> next = 0;
  const auto take_work = [&] {
    for (size_t i = next++; i < count; i = next++) work(i);
  };
  std::vector<std::thread> threads;
  try {
    for (size_t i = 1; i < std::min(num_threads, count); ++i) threads.emplace_back(take_work);
  } catch (const std::system_error&) {
    // Out of threads: continue with fewer.
  }
  take_work();
  for (std::thread& thread : threads) thread.join();
}

}  // namespace shapewise
