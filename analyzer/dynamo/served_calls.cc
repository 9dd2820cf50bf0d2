#include "dynamo/served_calls.h"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "dynamo/strides.h"
#include "llvm/ADT/STLExtras.h"

namespace shapewise {
namespace {

// Numbers of compiled functions, one for each way to serve a size.
constexpr size_t kStaticOne = 0;
constexpr size_t kDynamicOne = 1;
constexpr size_t kAlignedOne = 2;
constexpr size_t kFirstRange = 3;

/// How calls of one signature are served.
struct Way {
  size_t function = kDynamicOne;
  bool is_eager = false;
};

/// Everything in `history` except its calls.
void CopyBesidesCalls(const CallHistory& history, CallHistory& copy) {
  copy.strings.CopyFrom(history.strings);
  copy.sources = history.sources;
  copy.tensors = history.tensors;
  copy.signatures = history.signatures;
  copy.is_lower_bound = history.is_lower_bound;
}

/// Sets dim `dim` of `tensor` to `size`, with the same layout order.
void Resize(size_t dim, int64_t size, TensorValue& tensor) {
  std::vector<int64_t> sizes = tensor.sizes;
  sizes[dim] = size;
  if (tensor.has_layout && tensor.strides.size() == sizes.size()) {
    const auto strides = ResizedStrides(tensor.sizes, tensor.strides, sizes);
    tensor.strides.assign(strides.begin(), strides.end());
  }
  tensor.sizes = std::move(sizes);
}

/// Pads several dims together.
class ShapePadder {
 public:
  ShapePadder(const CallHistory& history, const PolicyShapes& shapes, CallHistory& padded)
      : shapes_(shapes), padded_(padded) {
    for (const PolicyDim& dim : shapes.dims)
      sources_.push_back(NumberOfSource(history, dim.source));
    CopyBesidesCalls(history, padded);
    for (CallSignature& signature : padded.signatures) Pad(signature);
    padded.calls = history.calls;
  }

 private:
  void Pad(CallSignature& signature) {
    std::vector<int64_t> sizes;
    for (size_t i = 0; i < sources_.size(); ++i) {
      const auto size = padded_.SizeIn(signature, sources_[i], shapes_.dims[i].dim);
      if (!size) return;
      sizes.push_back(*size);
    }
    const std::vector<int64_t>* shape = FirstThatHolds(shapes_, sizes);
    if (shape == nullptr) return;
    for (size_t i = 0; i < sources_.size(); ++i) {
      if (sizes[i] == (*shape)[i]) continue;
      CallValue& value = signature.values[sources_[i]];
      TensorValue tensor = padded_.tensors[value.tensor];
      Resize(static_cast<size_t>(shapes_.dims[i].dim), (*shape)[i], tensor);
      value.tensor = Keep(value.tensor, i, (*shape)[i], std::move(tensor));
    }
  }

  /// The number of the tensor that `old` becomes with a dim of `size`: always the same one.
  uint32_t Keep(uint32_t old, size_t dim, int64_t size, TensorValue tensor) {
    const auto [entry, is_new] =
        kept_.try_emplace({old, dim, size}, static_cast<uint32_t>(padded_.tensors.size()));
    if (is_new) padded_.tensors.push_back(std::move(tensor));
    return entry->second;
  }

  const PolicyShapes& shapes_;
  CallHistory& padded_;
  std::vector<size_t> sources_;  // by dim
  std::map<std::tuple<uint32_t, size_t, int64_t>, uint32_t> kept_;
};

class Server {
 public:
  Server(const CallHistory& history, const PolicyServing& serving, CallHistory& served)
      : history_(history), serving_(serving), served_(served) {
    for (const PolicyDim& dim : serving.dims)
      sources_.push_back(NumberOfSource(history, dim.source));
    functions_ = kFirstRange;
    for (const SizeSpan& span : serving.spans) {
      function_of_range_.push_back(functions_);
      functions_ += span.way == SizeWay::kRange ? 1 : 0;
    }
  }

  size_t functions() const { return functions_; }

  std::string Serve() {
    constexpr size_t kMost = std::numeric_limits<uint16_t>::max();
    CopyBesidesCalls(history_, served_);
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
    const std::optional<int64_t> first = SizeIn(signature, 0);
    if (!first) return {};
    const int64_t size = *first;
    const SizeSpan* span = SpanOf(serving_, size);
    DimMark mark{.dim = 0, .kind = MarkKind::kDynamic, .min = {}, .max = {}};
    Way way;
    int64_t padded = 0;  // unpadded size
    if (span != nullptr) {
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
          way.function = function_of_range_[static_cast<size_t>(span - serving_.spans.data())];
          mark.min = span->first;
          mark.max = span->last;
          break;
        case SizeWay::kDynamic:
          break;
      }
    }
    for (size_t i = 0; i < sources_.size(); ++i) PadAndMark(i, padded, way, mark, signature);
    return way;
  }

  /// The size of dim `index` of the served dims; absent: the call does not have it.
  std::optional<int64_t> SizeIn(const CallSignature& signature, size_t index) const {
    return served_.SizeIn(signature, sources_[index], serving_.dims[index].dim);
  }

  void PadAndMark(size_t index, int64_t padded, const Way& way, DimMark mark,
                  CallSignature& signature) {
    const std::optional<int64_t> size = SizeIn(signature, index);
    if (!size) return;
    // Nothing is truncated: longer sizes stay as they are.
    padded = std::max(padded, *size);
    // Dynamo treats 0 and 1 as constants, even if marked.
    const bool is_marked = mark.kind == MarkKind::kStatic || padded > 1;
    if (padded == *size && !is_marked) return;
    CallValue& value = signature.values[sources_[index]];
    TensorValue tensor = served_.tensors[value.tensor];
    mark.dim = serving_.dims[index].dim;
    Resize(static_cast<size_t>(mark.dim), padded, tensor);
    if (is_marked) tensor.marks.push_back(mark);
    value.tensor = Keep({value.tensor, index, padded, way.function}, std::move(tensor));
  }

  /// The number of the tensor for a dim, a size and a function: always the same one.
  uint32_t Keep(const std::tuple<uint32_t, size_t, int64_t, size_t>& key, TensorValue tensor) {
    const auto [entry, is_new] =
        kept_.try_emplace(key, static_cast<uint32_t>(served_.tensors.size()));
    if (is_new) served_.tensors.push_back(std::move(tensor));
    return entry->second;
  }

  const CallHistory& history_;
  const PolicyServing& serving_;
  CallHistory& served_;
  std::vector<size_t> sources_;  // by dim
  size_t functions_ = 0;
  std::vector<size_t> function_of_range_;  // by span
  std::map<std::tuple<uint32_t, size_t, int64_t, size_t>, uint32_t> kept_;
};

}  // namespace

size_t NumberOfSource(const CallHistory& history, std::string_view source) {
  const auto at =
      llvm::find_if(history.sources, [&](StrId id) { return history.strings.text(id) == source; });
  return static_cast<size_t>(at - history.sources.begin());
}

const SizeSpan* SpanOf(const PolicyServing& serving, int64_t size) {
  const auto span = std::ranges::lower_bound(serving.spans, size, {}, &SizeSpan::last);
  return span != serving.spans.end() && span->first <= size ? &*span : nullptr;
}

const std::vector<int64_t>* FirstThatHolds(const PolicyShapes& shapes,
                                           const std::vector<int64_t>& sizes) {
  const auto found = llvm::find_if(shapes.shapes, [&](const std::vector<int64_t>& shape) {
    return std::ranges::equal(shape, sizes, std::ranges::greater_equal());
  });
  return found == shapes.shapes.end() ? nullptr : &*found;
}

bool ServesCalls(const CompilePolicy& policy) {
  return policy.serving.has_value() || policy.shapes.has_value();
}

std::string ServeCalls(const CallHistory& history, CompilePolicy& policy, CallHistory& served) {
  if (policy.shapes) {
    const PolicyShapes shapes = *std::exchange(policy.shapes, std::nullopt);
    const ShapePadder padder(history, shapes, served);
    return "";
  }
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
