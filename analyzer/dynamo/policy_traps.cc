#include "dynamo/policy_text.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <set>
#include <utility>

#include "dynamo/simulator_parts.h"
#include "llvm/ADT/STLExtras.h"
#include "model/call_history_builder.h"
#include "model/source_ref.h"
#include "support/text_list.h"

namespace shapewise {
namespace {

/// The sizes of one dim of one source.
struct DimSizes {
  std::optional<int64_t> first;  ///< in the first call that contains it
  std::set<int64_t> sizes;
};

/// Finds the traps of one policy.
class TrapFinder {
 public:
  TrapFinder(const CallHistory& history, const BodyFacts& body, const CompilePolicy& policy)
      : history_(history), body_(body), policy_(policy) {}

  std::vector<std::string> Find() {
    for (const PolicyMark& mark : policy_.marks) LookAtMark(mark);
    for (const PolicyBuckets& buckets : policy_.buckets) LookAtBuckets(buckets);
    if (policy_.shapes) LookAtShapes(*policy_.shapes);
    if (policy_.serving) LookAtServing(*policy_.serving);
    return std::move(traps_);
  }

 private:
  void LookAtMark(const PolicyMark& mark) {
    const std::string name = NameOfSource(mark.source);
    const std::string size = SizeName(mark.source, mark.mark.dim);
    if (mark.mark.dim < 0) {
      traps_.push_back("a mark on the negative dim " + std::to_string(mark.mark.dim) + " of '" +
                       name + "' is ignored without a word: count from 0");
      return;
    }
    const DimSizes sizes = SizesOf(mark.source, mark.mark.dim);
    switch (mark.mark.kind) {
      case MarkKind::kDynamic:
        if (LookAtRange(mark, size)) LookAtSmallSizes(sizes, size);
        if (!IsBodyKnown()) {
          traps_.push_back("what the code asks of " + size +
                           " is not known: if it pins it, or ties it to a size that is not " +
                           "marked, the mark raises an error; maybe_mark_dynamic raises none");
        }
        break;
      case MarkKind::kMaybe:
        LookAtSmallSizes(sizes, size);
        break;
      case MarkKind::kStatic:
        if (!Pads(policy_, mark.source, mark.mark.dim) && IsBeyondLimit(sizes.sizes.size())) {
          traps_.push_back("a static dim compiles once per size: " + size + " took " +
                           Counted(sizes.sizes.size(), "size") + ", and recompile_limit is " +
                           std::to_string(policy_.recompile_limit) + "; later calls run eagerly");
        }
        break;
      case MarkKind::kUnbacked:
        break;
    }
  }

  /// False: the mark raises whatever comes.
  bool LookAtRange(const PolicyMark& mark, const std::string& size) {
    const std::optional<int64_t>& min = mark.mark.min;
    const std::optional<int64_t>& max = mark.mark.max;
    if (min.has_value() != max.has_value()) {
      traps_.push_back("mark_dynamic with " + std::string(min ? "min" : "max") +
                       " alone raises an AssertionError in every compile: give both");
      return false;
    }
    if (!min) return true;
    if (*min < 2) {
      traps_.push_back(
          "a range that holds 0 or 1 is a hard error once the code is traced, since "
          "those sizes are special: begin it at 2");
    }
    if (const std::optional<std::string> asked = QuestionOn(mark)) {
      traps_.push_back("a range on " + size +
                       " and a guard on it are a hard error "
                       "(ConstraintViolationError), and the code asks " +
                       *asked + ": mark it without a range");
    }
    return true;
  }

  /// The question of the body about the marked size alone; absent: none is known.
  std::optional<std::string> QuestionOn(const PolicyMark& mark) const {
    const std::string symbol =
        PropertyText(mark.source, SourceRef::Property::kSize, static_cast<size_t>(mark.mark.dim));
    for (const BodyFrame& frame : body_.frames) {
      for (const BodyQuestion& question : frame.questions) {
        const std::vector<ExprId> symbols = body_.pool->SymbolsOf(question.predicate);
        if (symbols.size() != 1 || body_.pool->name(symbols.front()) != symbol) continue;
        std::string text = body_.pool->ToText(question.predicate);
        if (!question.file.empty()) {
          text += " (" + question.file + ":" + std::to_string(question.line) + ")";
        }
        return text;
      }
    }
    return std::nullopt;
  }

  void LookAtSmallSizes(const DimSizes& sizes, const std::string& size) {
    if (sizes.first && *sizes.first <= 1) {
      traps_.push_back(size + " is " + std::to_string(*sizes.first) +
                       " in the first call: that graph is for it alone, and another one is "
                       "compiled for the other sizes; call it with a larger one first");
      return;
    }
    for (const int64_t small : {0, 1}) {
      if (!sizes.sizes.contains(small)) continue;
      traps_.push_back(size + " is " + std::to_string(small) +
                       " in some call: 0 and 1 compile a graph of their own even so; "
                       "mark_unbacked takes them into the same one");
    }
  }

  void LookAtBuckets(const PolicyBuckets& buckets) {
    const std::string size = SizeName(buckets.source, buckets.dim);
    const DimSizes sizes = SizesOf(buckets.source, buckets.dim);
    std::set<int64_t> used;
    size_t beyond = 0;
    for (const int64_t one : sizes.sizes) {
      const auto bucket = std::ranges::lower_bound(buckets.sizes, one);
      beyond += bucket == buckets.sizes.end() ? 1 : 0;
      used.insert(bucket == buckets.sizes.end() ? one : *bucket);
    }
    if (beyond > 0) {
      traps_.push_back(Counted(beyond, "size") + " of " + size + " beyond the largest bucket " +
                       std::to_string(buckets.sizes.back()) + (beyond == 1 ? " keeps" : " keep") +
                       " its length: cut or split there");
    }
    if (!IsStatic(buckets.source, buckets.dim)) {
      if (used.size() < 2) return;
      traps_.push_back(
          "under automatic dynamic shapes the second bucket compiles a dynamic graph "
          "that takes all later ones, so the static kernels of " +
          Counted(used.size(), "bucket") + " are lost; add mark_static(" +
          NameOfSource(buckets.source) + ", " + std::to_string(buckets.dim) + ")");
      return;
    }
    if (IsBeyondLimit(used.size())) WarnOfStaticLimit(used.size());
  }

  void LookAtShapes(const PolicyShapes& shapes) {
    std::vector<size_t> sources;
    for (const PolicyDim& dim : shapes.dims)
      sources.push_back(NumberOfSource(history_, dim.source));
    std::set<std::vector<int64_t>> seen;
    for (const CallSignature& signature : history_.signatures) {
      std::vector<int64_t> sizes;
      for (size_t i = 0; i < sources.size(); ++i) {
        if (const auto size = history_.SizeIn(signature, sources[i], shapes.dims[i].dim)) {
          sizes.push_back(*size);
        }
      }
      if (sizes.size() == sources.size()) seen.insert(std::move(sizes));
    }
    std::set<const std::vector<int64_t>*> used;
    size_t beyond = 0;
    for (const std::vector<int64_t>& sizes : seen) {
      const std::vector<int64_t>* shape = FirstThatHolds(shapes, sizes);
      beyond += shape == nullptr ? 1 : 0;
      if (shape != nullptr) used.insert(shape);
    }
    if (beyond > 0) {
      traps_.push_back(Counted(beyond, "set") + " of sizes that no bucket holds " +
                       (beyond == 1 ? "is left as it is" : "are left as they are"));
    }
    const bool is_static = llvm::all_of(
        shapes.dims, [&](const PolicyDim& dim) { return IsStatic(dim.source, dim.dim); });
    if (!is_static && used.size() > 1) {
      traps_.push_back(
          "under automatic dynamic shapes the second bucket compiles a dynamic graph that takes "
          "later ones, so static kernels are lost; add mark_static for each padded dim");
    } else if (is_static && IsBeyondLimit(used.size() + beyond)) {
      WarnOfStaticLimit(used.size() + beyond);
    }
  }

  void LookAtServing(const PolicyServing& serving) {
    const PolicyDim& first = serving.dims.front();
    const std::string size = SizeName(first.source, first.dim);
    const DimSizes sizes = SizesOf(first.source, first.dim);
    std::set<int64_t> padded;
    std::set<int64_t> ranges;  // by first size: each is checked once
    DimSizes dynamic{.first = {}, .sizes = {}};
    size_t uncovered = 0;
    for (const int64_t one : sizes.sizes) {
      const SizeSpan* span = SpanOf(serving, one);
      uncovered += span == nullptr ? 1 : 0;
      const SizeWay way = span == nullptr ? SizeWay::kDynamic : span->way;
      if (way == SizeWay::kStatic) padded.insert(span->size);
      if (way == SizeWay::kDynamic) dynamic.sizes.insert(one);
      if (way == SizeWay::kRange && ranges.insert(span->first).second) {
        for (const PolicyDim& dim : serving.dims) {
          LookAtRange({dim.source, {dim.dim, MarkKind::kDynamic, span->first, span->last}},
                      SizeName(dim.source, dim.dim));
        }
      }
    }
    LookAtSmallSizes(dynamic, size);
    if (uncovered > 0) {
      traps_.push_back(Counted(uncovered, "size") + " of " + size +
                       " in no stretch of serve(...): " + (uncovered == 1 ? "it goes" : "they go") +
                       " to the dynamic graph");
    }
    if (IsBeyondLimit(padded.size())) WarnOfStaticLimit(padded.size());
  }

  static std::string SizeName(const std::string& source, int32_t dim) {
    return NameOfSource(source) + ".size(" + std::to_string(dim) + ")";
  }

  void WarnOfStaticLimit(size_t buckets) {
    traps_.push_back(Counted(buckets, "static bucket") + " in use, and recompile_limit is " +
                     std::to_string(policy_.recompile_limit) +
                     ": later calls run eagerly; add limit " + std::to_string(buckets));
  }

  bool IsBeyondLimit(size_t graphs) const {
    return static_cast<int64_t>(graphs) > policy_.recompile_limit;
  }

  /// Whether sizes of that dim become constants, one graph each.
  bool IsStatic(const std::string& source, int32_t dim) const {
    bool is_static = policy_.dynamic == DynamicOption::kFalse ||
                     (policy_.dynamic == DynamicOption::kNone && !policy_.automatic_dynamic_shapes);
    for (const PolicyMark& mark : policy_.marks) {
      if (mark.source != source || mark.mark.dim != dim) continue;
      if (mark.mark.kind == MarkKind::kDynamic || mark.mark.kind == MarkKind::kUnbacked)
        return false;
      if (mark.mark.kind == MarkKind::kStatic) is_static = true;
    }
    return is_static;
  }

  /// Whether all questions of the code about sizes are known.
  bool IsBodyKnown() const {
    return !body_.frames.empty() && llvm::all_of(body_.frames, [](const BodyFrame& frame) {
      return frame.knowledge == BodyKnowledge::kNoQuestion ||
             frame.knowledge == BodyKnowledge::kObserved;
    });
  }

  DimSizes SizesOf(const std::string& source, int32_t dim) const {
    DimSizes found;
    const size_t index = NumberOfSource(history_, source);
    const auto size_in = [&](const CallSignature& signature) {
      return history_.SizeIn(signature, index, dim);
    };
    for (const CallSignature& signature : history_.signatures) {
      if (const std::optional<int64_t> size = size_in(signature)) found.sizes.insert(*size);
    }
    for (const RecordedCall& call : history_.calls) {
      found.first = size_in(history_.signatures[call.signature]);
      if (found.first) break;
    }
    return found;
  }

  const CallHistory& history_;
  const BodyFacts& body_;
  const CompilePolicy& policy_;
  std::vector<std::string> traps_;
};

}  // namespace

std::vector<std::string> PolicyTraps(const CallHistory& history, const BodyFacts& body,
                                     const CompilePolicy& policy) {
  return TrapFinder(history, body, policy).Find();
}

}  // namespace shapewise
