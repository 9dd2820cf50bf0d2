#include "ingest/formats/chrome_trace/other_samples.h"

#include <algorithm>
#include <tuple>

namespace shapewise {
namespace {

constexpr size_t kMaxFunctions = size_t{1} << 16;
constexpr size_t kMaxOtherStretches = size_t{1} << 18;

}  // namespace

bool OtherSamples::Add(uint32_t process, std::string_view function, double begin_us, double end_us,
                       uint64_t line) {
  const llvm::StringRef key(function.data(), function.size());
  auto known = functions_.find(key);
  if (known == functions_.end()) {
    if (functions_.size() >= kMaxFunctions) return false;
    known = functions_.try_emplace(key, static_cast<uint32_t>(names_.size())).first;
    names_.emplace_back(known->first().data(), known->first().size());
  }
  const auto [open, is_new] =
      open_.try_emplace({process, known->second}, static_cast<uint32_t>(stretches_.size()));
  if (!is_new) {
    Stretch& last = stretches_[open->second];
    // Samples of several threads or processors come out of order now and then.
    if (begin_us <= last.end_us + kMaxPauseUs && end_us >= last.begin_us - kMaxPauseUs) {
      last.begin_us = std::min(last.begin_us, begin_us);
      last.end_us = std::max(last.end_us, end_us);
      return true;
    }
  }
  if (stretches_.size() >= kMaxOtherStretches) {
    if (is_new) open_.erase({process, known->second});
    return false;
  }
  open->second = static_cast<uint32_t>(stretches_.size());
  stretches_.push_back({process, names_[known->second], begin_us, end_us, line});
  return true;
}

std::vector<OtherSamples::Stretch> OtherSamples::Take() {
  std::vector<Stretch> stretches = std::move(stretches_);
  std::sort(stretches.begin(), stretches.end(), [](const Stretch& a, const Stretch& b) {
    return std::tie(a.process, a.function, a.begin_us, a.end_us, a.line) <
           std::tie(b.process, b.function, b.begin_us, b.end_us, b.line);
  });
  return stretches;
}

}  // namespace shapewise
