#include "dynamo/body_parts.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "llvm/ADT/STLExtras.h"
#include "model/source_ref.h"
#include "support/text_scan.h"

namespace shapewise {
namespace {

using Compiles = llvm::ArrayRef<const TracedCompile*>;

/// Class, keys, dtype ... and number of dims: what an object keeps under any name.
using TensorKind = std::pair<std::string, size_t>;

/// "L['x']" -> "x"; empty: not a variable.
std::string_view VariableOf(std::string_view source) {
  if (!ConsumeFront(source, "L['") || !source.ends_with("']")) return {};
  source.remove_suffix(2);
  return IsIdentifier(source) ? source : std::string_view();
}

/// Whether the node `name` is named after `variable`: "y", or "y_1" where "y" was taken.
bool IsNamedAfter(std::string_view name, std::string_view variable) {
  if (variable.empty() || !ConsumeFront(name, variable)) return false;
  return name.empty() || (ConsumeFront(name, "_") && IsInteger(name));
}

/// The kinds of each tensor in `compiles`; empty: one of them does not show it.
std::map<std::string, std::set<TensorKind>> KindsIn(Compiles compiles) {
  std::map<std::string, std::set<TensorKind>> kinds;
  std::set<std::string> unknown;
  for (const TracedCompile* compile : compiles) {
    for (const auto& [source, tensor] : compile->tensors) {
      if (tensor.properties.empty()) unknown.insert(source);
      kinds[source].emplace(tensor.properties, tensor.guarded_sizes.size());
    }
  }
  for (const std::string& source : unknown) kinds[source].clear();
  return kinds;
}

class PassedTensorTracer {
 public:
  PassedTensorTracer(const PassedTensors& passed, const std::vector<ResumeInput>& inputs,
                     ExprPool& pool)
      : passed_(passed),
        inputs_(inputs),
        pool_(pool),
        given_(KindsIn(passed.first)),
        own_(KindsIn(passed.frame)) {}

  void Trace(ResumeInput& input) {
    if (input.use != SourceUse::kTensor || !input.same_as.empty()) return;
    input.is_new = IsNew(input);
    if (input.is_new) return;
    const std::set<std::string> others = Others(input);
    input.is_not.assign(others.begin(), others.end());
    if (KeepsArgument(input)) input.same_as = input.source;
  }

 private:
  /// Whether a graph returned it as the value that `variable` was given in the frame's own code
  /// before the break. Nodes of inlined functions have names of those functions' variables.
  bool IsValueOf(const std::pair<const std::string, TracedOutput>& output,
                 std::string_view variable) const {
    return IsNamedAfter(output.first, variable) && output.second.line != 0 &&
           output.second.line <= passed_.break_line;
  }

  /// Whether every compilation before returned it.
  bool IsNew(const ResumeInput& input) const {
    return llvm::all_of(passed_.before, [&](const TracedCompile* compile) {
      return llvm::any_of(compile->outputs, [&](const auto& output) {
        return IsValueOf(output, VariableOf(input.source)) &&
               output.second.sizes.size() == input.sizes.size();
      });
    });
  }

  /// The first frame's tensors that it is not: of another kind, or of another size in a call.
  std::set<std::string> Others(const ResumeInput& input) const {
    std::set<std::string> others;
    const auto own = own_.find(input.source);
    if (own != own_.end() && !own->second.empty()) {
      for (const auto& [source, kinds] : given_) {
        const auto is_own = [&](const TensorKind& kind) { return own->second.contains(kind); };
        if (!kinds.empty() && std::ranges::none_of(kinds, is_own)) others.insert(source);
      }
    }
    for (const TracedCompile* compile : passed_.first) {
      std::vector<std::optional<int64_t>> sizes;
      for (const ExprId size : input.sizes) sizes.push_back(ValueIn(*compile, size));
      for (const auto& [source, tensor] : compile->tensors) {
        if (tensor.sizes.size() != sizes.size()) continue;
        for (size_t dim = 0; dim < sizes.size(); ++dim) {
          if (sizes[dim].value_or(tensor.sizes[dim]) != tensor.sizes[dim]) others.insert(source);
        }
      }
    }
    return others;
  }

  /// The value of an expression over the first frame's sizes in the call of `compile`.
  std::optional<int64_t> ValueIn(const TracedCompile& compile, ExprId expression) const {
    if (expression == ExprId::kNone) return std::nullopt;
    return pool_.Evaluate(expression, [&](ExprId symbol) -> std::optional<int64_t> {
      const SourceRef source = ParseSource(pool_.name(symbol));
      const auto tensor = compile.tensors.find(std::string(source.object));
      if (source.property != SourceRef::Property::kSize || tensor == compile.tensors.end()) {
        return std::nullopt;
      }
      const auto dim = static_cast<size_t>(source.dim);
      const std::vector<int64_t>& sizes = tensor->second.sizes;
      return dim < sizes.size() ? std::optional(sizes[dim]) : std::nullopt;
    });
  }

  /// Whether it is the argument that has its name: no graph returned a tensor that could be it, and
  /// its sizes are those of the argument in every call.
  bool KeepsArgument(const ResumeInput& input) const {
    const bool is_next = passed_.break_line != 0 && passed_.before.data() == passed_.first.data();
    if (!is_next || VariableOf(input.source).empty()) return false;
    if (!given_.contains(input.source) ||
        std::ranges::find(input.is_not, input.source) != input.is_not.end()) {
      return false;
    }
    bool has_symbol = false;
    for (size_t dim = 0; dim < input.sizes.size(); ++dim) {
      const ExprId size = pool_.Symbol(PropertyText(input.source, SourceRef::Property::kSize, dim));
      has_symbol |= input.sizes[dim] == size;
      // A size that is a constant is that of all calls, or `is_not` says otherwise.
      if (input.sizes[dim] == ExprId::kNone ||
          (input.sizes[dim] != size && !pool_.SymbolsOf(input.sizes[dim]).empty())) {
        return false;
      }
    }
    return has_symbol && llvm::none_of(passed_.before, [&](const TracedCompile* compile) {
             return MayReturn(*compile, input);
           });
  }

  /// Whether a graph of `compile` may have returned `input`.
  bool MayReturn(const TracedCompile& compile, const ResumeInput& input) const {
    if (compile.outputs.empty()) return compile.graphs > 0;
    return llvm::any_of(compile.outputs, [&](const auto& output) {
      if (output.second.sizes.size() != input.sizes.size()) return false;
      return llvm::none_of(inputs_, [&](const ResumeInput& other) {
        return other.source != input.source && IsValueOf(output, VariableOf(other.source));
      });
    });
  }

  const PassedTensors& passed_;
  const std::vector<ResumeInput>& inputs_;
  ExprPool& pool_;
  const std::map<std::string, std::set<TensorKind>> given_;  ///< of the first frame's tensors
  const std::map<std::string, std::set<TensorKind>> own_;
};

}  // namespace

void TracePassedTensors(const PassedTensors& passed, std::vector<ResumeInput>& inputs,
                        ExprPool& pool) {
  PassedTensorTracer tracer(passed, inputs, pool);
  for (ResumeInput& input : inputs) tracer.Trace(input);
}

}  // namespace shapewise
