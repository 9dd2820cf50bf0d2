// Holds the simulator of Dynamo against the plainest one that can be written, on random calls of a
// function of one tensor whose body asks nothing. The law: each call compiles, is served or runs
// uncompiled as the plain one says.

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "dynamo/body.h"
#include "dynamo/simulator.h"
#include "model/call_history_builder.h"

namespace shapewise {
namespace {

using CallSizes = std::vector<int64_t>;

/// Entries that compare size by size: what analyzer/docs/dynamo-rules.md says of one contiguous
/// tensor, with nothing done ahead of time or remembered between calls.
class PlainDynamo {
 public:
  PlainDynamo(DynamicOption dynamic, size_t limit) : dynamic_(dynamic), limit_(limit) {}

  /// 'c': compiled; 'h': served by an entry; 'e': uncompiled.
  char Call(const CallSizes& sizes) {
    for (const Entry& entry : entries_) {
      if (Serves(entry, sizes)) return 'h';
    }
    if (is_run_only_ || entries_.size() >= limit_) {
      is_run_only_ = true;
      return 'e';
    }
    Compile(sizes);
    return 'c';
  }

 private:
  struct Entry {
    CallSizes sizes;
    std::vector<bool> is_symbol;
    std::vector<bool> may_share;  // a symbol that nothing asked for is one with its equals
  };

  static bool Serves(const Entry& entry, const CallSizes& sizes) {
    for (size_t i = 0; i < sizes.size(); ++i) {
      if (!entry.is_symbol[i] && entry.sizes[i] != sizes[i]) return false;
      if (entry.is_symbol[i] && sizes[i] < 2) return false;
      for (size_t j = 0; j < i; ++j) {
        const bool is_shared =
            entry.may_share[i] && entry.may_share[j] && entry.sizes[i] == entry.sizes[j];
        if (is_shared && sizes[i] != sizes[j]) return false;
      }
    }
    return true;
  }

  void Compile(const CallSizes& sizes) {
    if (noted_.empty()) noted_.assign(sizes.begin(), sizes.end());
    Entry entry{.sizes = sizes,
                .is_symbol = std::vector<bool>(sizes.size()),
                .may_share = std::vector<bool>(sizes.size())};
    for (size_t i = 0; i < sizes.size(); ++i) {
      if (noted_[i] && *noted_[i] != sizes[i]) noted_[i].reset();
      const bool is_free =
          dynamic_ == DynamicOption::kTrue || (dynamic_ == DynamicOption::kNone && !noted_[i]);
      entry.is_symbol[i] = is_free && sizes[i] >= 2;
      entry.may_share[i] = entry.is_symbol[i] && noted_[i];
    }
    entries_.push_back(std::move(entry));
  }

  DynamicOption dynamic_;
  size_t limit_;
  bool is_run_only_ = false;
  std::vector<Entry> entries_;
  std::vector<std::optional<int64_t>> noted_;  // absent: dynamic
};

}  // namespace
}  // namespace shapewise

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size < 2) return 0;
  // The first byte is the policy, the second the rank; each of the others is one size.
  shapewise::CompilePolicy policy;
  policy.dynamic = static_cast<shapewise::DynamicOption>(data[0] % 3);
  policy.recompile_limit = 1 + (data[0] >> 2) % 10;
  const size_t rank = 1 + (data[1] % 3);
  shapewise::CallHistory history;
  shapewise::CallHistoryBuilder builder(history);
  const uint32_t source = builder.Source(shapewise::CallHistoryBuilder::kNoParent, "L['x']");
  std::vector<shapewise::CallSizes> calls;
  for (size_t at = 2; at + rank <= std::min(size, size_t{200}); at += rank) {
    shapewise::CallSizes sizes;
    for (size_t dim = 0; dim < rank; ++dim) sizes.push_back(1 + data[at + dim] % 7);
    shapewise::TensorValue tensor;
    tensor.sizes = sizes;
    builder.SetTensor(source, tensor);
    builder.EndCall({}, shapewise::StrId::kNone);
    calls.push_back(std::move(sizes));
  }
  builder.Finish();
  const shapewise::Prediction prediction =
      shapewise::Simulate(history, shapewise::BodyOfCategory("free"), policy, {});
  if (!prediction.is_exact || prediction.calls.size() != calls.size()) std::abort();
  shapewise::PlainDynamo plain(policy.dynamic, static_cast<size_t>(policy.recompile_limit));
  for (size_t i = 0; i < calls.size(); ++i) {
    const shapewise::PredictedCall& reported = prediction.calls[i];
    const char what = !reported.compiled.empty() ? 'c' : reported.eager ? 'e' : 'h';
    if (what != plain.Call(calls[i])) std::abort();
  }
  return 0;
}
