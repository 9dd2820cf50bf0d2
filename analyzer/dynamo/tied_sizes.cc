#include "dynamo/simulator_parts.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "llvm/ADT/STLExtras.h"
#include "model/call_history_builder.h"
#include "model/source_ref.h"

namespace shapewise {
namespace {

/// A dim of an input.
struct TiedDim {
  size_t source = 0;  ///< into CallHistory::sources
  size_t dim = 0;

  friend bool operator==(const TiedDim&, const TiedDim&) = default;
};

class TieFinder {
 public:
  TieFinder(const CallHistory& history, const BodyFacts& body, const CompilePolicy& policy)
      : history_(history), body_(body), policy_(policy) {}

  std::string Find() {
    for (size_t source = 0; source < history_.sources.size(); ++source) {
      const std::string_view name = history_.strings.text(history_.sources[source]);
      for (size_t dim = 0; dim < TensorValue::kMaxDims; ++dim) {
        if (Pads(policy_, name, static_cast<int32_t>(dim))) padded_.push_back({source, dim});
      }
    }
    for (const TiedDim& padded : padded_) {
      for (const TiedDim& other : AllDims()) {
        if (!IsSplit(padded, other) || AreIndependent(padded, other)) continue;
        return NameOf(other) + " equals " + NameOf(padded) +
               " in all calls, and the two are not padded alike: code that combines them raises";
      }
    }
    return {};
  }

 private:
  std::vector<TiedDim> AllDims() const {
    std::vector<size_t> ndims(history_.sources.size());
    for (const CallSignature& signature : history_.signatures) {
      for (size_t source = 0; source < signature.values.size(); ++source) {
        if (const TensorValue* tensor = history_.TensorIn(signature, source)) {
          ndims[source] = std::max(ndims[source], tensor->sizes.size());
        }
      }
    }
    std::vector<TiedDim> dims;
    for (size_t source = 0; source < ndims.size(); ++source) {
      for (size_t dim = 0; dim < ndims[source]; ++dim) dims.push_back({source, dim});
    }
    return dims;
  }

  /// Whether the sizes vary, are equal in all calls that have both, and differ once padded.
  bool IsSplit(const TiedDim& padded, const TiedDim& other) const {
    if (padded == other) return false;
    const bool is_other_padded = llvm::is_contained(padded_, other);
    std::optional<int64_t> first;
    bool varies = false;
    bool differs = false;
    for (const CallSignature& signature : history_.signatures) {
      const std::optional<int64_t> size = SizeOf(signature, padded);
      if (!size) continue;
      const std::optional<int64_t> same = SizeOf(signature, other);
      if (!same) continue;
      if (*same != *size) return false;
      varies |= size != first.value_or(*size);
      first = first.value_or(*size);
      const std::optional<int64_t> bucket = BucketOf(padded, *size);
      // Dims of shapes and of serving are padded together.
      differs |= bucket ? bucket != BucketOf(other, *size).value_or(*size) : !is_other_padded;
    }
    return varies && differs;
  }

  /// The size that policy_.buckets pads `size` to; absent: they do not pad this dim.
  std::optional<int64_t> BucketOf(const TiedDim& dim, int64_t size) const {
    const std::string_view name = history_.strings.text(history_.sources[dim.source]);
    for (const PolicyBuckets& buckets : policy_.buckets) {
      if (buckets.source != name || buckets.dim != static_cast<int32_t>(dim.dim)) continue;
      const auto bucket = std::ranges::lower_bound(buckets.sizes, size);
      return bucket == buckets.sizes.end() ? size : *bucket;
    }
    return std::nullopt;
  }

  /// Whether the code was traced with a symbol for each size, and compared them with nothing.
  bool AreIndependent(const TiedDim& a, const TiedDim& b) const {
    const BodyFrame& frame = body_.frames.front();
    const std::string name_a = PropertyOf(a);
    const std::string name_b = PropertyOf(b);
    const bool are_symbols = llvm::any_of(frame.paths, [&](const BodyPath& path) {
      return llvm::is_contained(path.symbols, name_a) && llvm::is_contained(path.symbols, name_b);
    });
    return are_symbols && llvm::none_of(frame.questions, [&](const BodyQuestion& question) {
             const std::vector<ExprId> symbols = body_.pool->SymbolsOf(question.predicate);
             return llvm::is_contained(symbols, body_.pool->Symbol(name_a)) &&
                    llvm::is_contained(symbols, body_.pool->Symbol(name_b));
           });
  }

  std::optional<int64_t> SizeOf(const CallSignature& signature, const TiedDim& dim) const {
    return history_.SizeIn(signature, dim.source, static_cast<int64_t>(dim.dim));
  }

  std::string PropertyOf(const TiedDim& dim) const {
    return PropertyText(std::string(history_.strings.text(history_.sources[dim.source])),
                        SourceRef::Property::kSize, dim.dim);
  }

  std::string NameOf(const TiedDim& dim) const {
    return NameOfSource(std::string(history_.strings.text(history_.sources[dim.source]))) +
           ".size(" + std::to_string(dim.dim) + ")";
  }

  const CallHistory& history_;
  const BodyFacts& body_;
  const CompilePolicy& policy_;
  std::vector<TiedDim> padded_;
};

}  // namespace

std::string WhyTieIsSplit(const CallHistory& history, const BodyFacts& body,
                          const CompilePolicy& policy) {
  const bool is_traced =
      !body.frames.empty() && body.frames.front().knowledge == BodyKnowledge::kObserved;
  const bool pads = !policy.buckets.empty() || policy.shapes || policy.serving;
  return is_traced && pads ? TieFinder(history, body, policy).Find() : std::string();
}

}  // namespace shapewise
