#include "dynamo/simulator_parts.h"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "dynamo/run_parts.h"
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

/// Changes dims of the tensors in a copy of a history.
class CallChanger {
 public:
  CallChanger(const CallHistory& history, const std::vector<PolicyDim>& dims, CallHistory& changed)
      : dims_(dims), changed_(changed) {
    for (const PolicyDim& dim : dims) sources_.push_back(NumberOfSource(history, dim.source));
    CopyHistory(history, changed);
  }

  /// The size of dim `index` of the dims; absent: the call does not have it.
  std::optional<int64_t> SizeIn(const CallSignature& signature, size_t index) const {
    return changed_.SizeIn(signature, sources_[index], dims_[index].dim);
  }

  /// Sets the size of a dim that the call has, and marks it for the compiled function `function`.
  /// The same change always gives the same tensor.
  void Change(size_t index, int64_t size, size_t function, const std::optional<DimMark>& mark,
              CallSignature& signature) {
    uint32_t& number = signature.values[sources_[index]].tensor;
    const auto [entry, is_new] = kept_.try_emplace({number, index, size, function},
                                                   static_cast<uint32_t>(changed_.tensors.size()));
    if (is_new) {
      TensorValue tensor = changed_.tensors[number];
      Resize(static_cast<size_t>(dims_[index].dim), size, tensor);
      if (mark) tensor.marks.push_back(*mark);
      changed_.tensors.push_back(std::move(tensor));
    }
    number = entry->second;
  }

 private:
  const std::vector<PolicyDim>& dims_;
  CallHistory& changed_;
  std::vector<size_t> sources_;  // by dim
  std::map<std::tuple<uint32_t, size_t, int64_t, size_t>, uint32_t> kept_;
};

/// Pads several dims together.
void PadShapes(const CallHistory& history, const PolicyShapes& shapes, CallHistory& padded) {
  CallChanger changer(history, shapes.dims, padded);
  for (CallSignature& signature : padded.signatures) {
    std::vector<int64_t> sizes;
    for (size_t i = 0; i < shapes.dims.size(); ++i) {
      if (const auto size = changer.SizeIn(signature, i)) sizes.push_back(*size);
    }
    if (sizes.size() < shapes.dims.size()) continue;
    const std::vector<int64_t>* shape = FirstThatHolds(shapes, sizes);
    if (shape == nullptr) continue;
    for (size_t i = 0; i < sizes.size(); ++i) {
      if (sizes[i] != (*shape)[i]) changer.Change(i, (*shape)[i], 0, {}, signature);
    }
  }
}

class Server {
 public:
  Server(const CallHistory& history, const PolicyServing& serving, CallHistory& served)
      : serving_(serving), served_(served), changer_(history, serving.dims, served) {
    for (const SizeSpan& span : serving.spans) {
      function_of_range_.push_back(functions_);
      functions_ += span.way == SizeWay::kRange ? 1 : 0;
    }
  }

  size_t functions() const { return functions_; }

  std::string Serve() {
    constexpr size_t kMost = std::numeric_limits<uint16_t>::max();
    std::vector<Way> ways;
    for (CallSignature& signature : served_.signatures) ways.push_back(ServeSignature(signature));
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
    const std::optional<int64_t> first = changer_.SizeIn(signature, 0);
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
    for (size_t i = 0; i < serving_.dims.size(); ++i) PadAndMark(i, padded, way, mark, signature);
    return way;
  }

  void PadAndMark(size_t index, int64_t padded, const Way& way, DimMark mark,
                  CallSignature& signature) {
    const std::optional<int64_t> size = changer_.SizeIn(signature, index);
    if (!size) return;
    // Nothing is truncated: longer sizes stay as they are.
    padded = std::max(padded, *size);
    // Dynamo treats 0 and 1 as constants, even if marked.
    const bool is_marked = mark.kind == MarkKind::kStatic || padded > 1;
    if (padded == *size && !is_marked) return;
    mark.dim = serving_.dims[index].dim;
    changer_.Change(index, padded, way.function, is_marked ? std::optional(mark) : std::nullopt,
                    signature);
  }

  const PolicyServing& serving_;
  CallHistory& served_;
  CallChanger changer_;
  size_t functions_ = kFirstRange;
  std::vector<size_t> function_of_range_;  // by span
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
    PadShapes(history, shapes, served);
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
