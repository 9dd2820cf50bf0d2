#include "dynamo/served_calls.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "dynamo/strides.h"
#include "llvm/ADT/STLExtras.h"

namespace shapewise {
namespace {

// Numbers of compiled functions, one a way.
constexpr size_t kStaticOne = 0;
constexpr size_t kDynamicOne = 1;
constexpr size_t kAlignedOne = 2;
constexpr size_t kFirstRange = 3;

/// What happens to calls of one signature.
struct Way {
  size_t function = kDynamicOne;
  bool is_eager = false;
};

class Server {
 public:
  Server(const CallHistory& history, const PolicyServing& serving, CallHistory& served)
      : history_(history), serving_(serving), served_(served) {
    const auto at = llvm::find_if(
        history.sources, [&](StrId id) { return history.strings.text(id) == serving.source; });
    source_ = static_cast<size_t>(at - history.sources.begin());
    functions_ = kFirstRange;
    for (const SizeSpan& span : serving.spans) {
      function_of_range_.push_back(functions_);
      functions_ += span.way == SizeWay::kRange ? 1 : 0;
    }
  }

  size_t functions() const { return functions_; }

  std::string Serve() {
    constexpr size_t kMost = std::numeric_limits<uint16_t>::max();
    served_.strings.CopyFrom(history_.strings);
    served_.sources = history_.sources;
    served_.tensors = history_.tensors;
    served_.signatures = history_.signatures;
    served_.is_lower_bound = history_.is_lower_bound;
    std::vector<Way> ways;
    for (CallSignature& signature : served_.signatures) ways.push_back(ServeSignature(signature));
    served_.calls = history_.calls;
    for (RecordedCall& call : served_.calls) {
      const Way& way = ways[call.signature];
      const size_t wrapper = call.wrapper * functions_ + way.function;
      if (wrapper > kMost) return "it makes more compiled functions than are modelled";
      call.wrapper = static_cast<uint16_t>(wrapper);
      if (way.is_eager) call.stance = Stance::kForceEager;
    }
    return "";
  }

 private:
  Way ServeSignature(CallSignature& signature) {
    if (source_ >= signature.values.size()) return {};
    CallValue& value = signature.values[source_];
    if (value.kind != CallValue::Kind::kTensor) return {};
    TensorValue tensor = served_.tensors[value.tensor];
    const auto dim = static_cast<size_t>(serving_.dim);
    if (dim >= tensor.sizes.size()) return {};
    const int64_t size = tensor.sizes[dim];
    const auto span = std::ranges::lower_bound(serving_.spans, size, {}, &SizeSpan::last);
    const bool is_told = span != serving_.spans.end() && span->first <= size;
    DimMark mark{.dim = serving_.dim, .kind = MarkKind::kDynamic, .min = {}, .max = {}};
    Way way;
    int64_t padded = size;
    if (is_told) {
      switch (span->way) {
        case SizeWay::kEager:
          return {.function = kDynamicOne, .is_eager = true};
        case SizeWay::kStatic:
          way.function = kStaticOne;
          mark.kind = MarkKind::kStatic;
          padded = span->size;
          break;
        case SizeWay::kAligned:
          way.function = kAlignedOne;
          padded = (size + span->size - 1) / span->size * span->size;
          break;
        case SizeWay::kRange:
          way.function = function_of_range_[static_cast<size_t>(span - serving_.spans.begin())];
          mark.min = span->first;
          mark.max = span->last;
          break;
        case SizeWay::kDynamic:
          break;
      }
    }
    // Dynamo takes 0 and 1 for constants, whatever is marked.
    const bool is_marked = mark.kind == MarkKind::kStatic || padded > 1;
    if (padded == size && !is_marked) return way;
    Resize(dim, padded, tensor);
    if (is_marked) tensor.marks.push_back(mark);
    value.tensor = Keep(value.tensor, std::move(tensor));
    return way;
  }

  static void Resize(size_t dim, int64_t size, TensorValue& tensor) {
    std::vector<int64_t> sizes = tensor.sizes;
    sizes[dim] = size;
    if (tensor.is_layout_told && tensor.strides.size() == sizes.size()) {
      const auto strides = ResizedStrides(tensor.sizes, tensor.strides, sizes);
      tensor.strides.assign(strides.begin(), strides.end());
    }
    tensor.sizes = std::move(sizes);
  }

  /// The number of what became of tensor `old`: always the same.
  uint32_t Keep(uint32_t old, TensorValue tensor) {
    const auto [entry, is_new] =
        kept_.try_emplace(old, static_cast<uint32_t>(served_.tensors.size()));
    if (is_new) served_.tensors.push_back(std::move(tensor));
    return entry->second;
  }

  const CallHistory& history_;
  const PolicyServing& serving_;
  CallHistory& served_;
  size_t source_ = 0;
  size_t functions_ = 0;
  std::vector<size_t> function_of_range_;  // by span
  std::map<uint32_t, uint32_t> kept_;      // tensors, by what they were
};

}  // namespace

bool ServesCalls(const CompilePolicy& policy) { return policy.serving.has_value(); }

std::string ServeCalls(const CallHistory& history, CompilePolicy& policy, CallHistory& served) {
  const PolicyServing serving = *std::exchange(policy.serving, std::nullopt);
  Server server(history, serving, served);
  if (std::string why = server.Serve(); !why.empty()) return why;
  policy.isolate_recompiles = true;
  std::map<uint16_t, int64_t> limits;
  for (const auto& [wrapper, limit] : std::exchange(policy.isolated_limits, {})) {
    for (size_t i = 0; i < server.functions(); ++i) {
      limits.emplace(static_cast<uint16_t>(wrapper * server.functions() + i), limit);
    }
  }
  policy.isolated_limits = std::move(limits);
  return "";
}

}  // namespace shapewise
