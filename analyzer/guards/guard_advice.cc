#include "guards/compare_entries.h"

#include <algorithm>
#include <string>
#include <utility>

#include "model/source_ref.h"
#include "result/advice.h"
#include "support/text_scan.h"

namespace shapewise {
namespace {

constexpr double kSure = 0.9;
constexpr double kLikely = 0.7;
constexpr double kMaybe = 0.5;

Action& AddAction(const GuardedVariable& variable, std::string kind, double confidence,
                  std::string text, std::vector<Action>& advice) {
  Action& action = advice.emplace_back();
  action.kind = std::move(kind);
  action.source = variable.source;
  action.dim = variable.dim;
  action.text = std::move(text);
  action.confidence = confidence;
  action.torch = ">=2.1";
  return action;
}

void AdviseDynamicSources(const GuardedVariable& variable, std::vector<Action>& advice) {
  if (!IsQuotable(variable.source)) return;
  Action& action = AddAction(variable, "dynamic_sources", kMaybe,
                             "set the environment variable to the source, which is a symbol from "
                             "the first compile on then",
                             advice);
  action.code = DynamicSourcesCode(variable.source);
  action.torch = ">=2.7";
}

void AdviseOnStatic(const GuardedVariable& variable, std::vector<Action>& advice) {
  const SourceRef source = ParseSource(variable.name);
  if (variable.kind == GuardedKind::kInt) {
    // The setting is for attributes of modules. A default of a function or a global never is a
    // symbol; an attribute of any other object is one at its second value.
    if (source.IsAttribute() && !source.IsDefault()) {
      AddAction(variable, "config", kLikely,
                "ints on modules are constants; let this one be a symbol, or pass it as argument",
                advice)
          .code = "torch._dynamo.config.allow_unspec_int_on_nn_module = True";
    }
    AdviseDynamicSources(variable, advice);
    return;
  }
  if (variable.kind == GuardedKind::kLength) {
    AddAction(variable, "tensorize", kMaybe,
              "lengths are always guarded: pass one stacked tensor, or pad to one length", advice);
  }
  if (variable.kind != GuardedKind::kSize) return;
  if (!source.path.empty() && source.path.back().kind == SourceStep::Kind::kTensor) {
    AddAction(variable, "config", kLikely,
              "sizes of parameters and buffers are constants unless this is switched off", advice)
        .code = "torch._dynamo.config.force_parameter_static_shapes = False";
    return;
  }
  if (!MarkDynamicCode(variable).empty()) {
    Action& action = AddAction(variable, "mark_dynamic", kLikely,
                               "mark the dim before the call, or drop dynamic=False", advice);
    action.code = MarkDynamicCode(variable);
    action.trap = "it is an error if code that is compiled makes the size a constant";
  }
  AdviseDynamicSources(variable, advice);
}

/// "train.py:12" for a place; empty: unknown.
std::string LineText(const Place& place) {
  if (place.file.empty()) return {};
  return place.file.substr(place.file.rfind('/') + 1) + ":" + std::to_string(place.line);
}

void AdviseOnLines(const GuardedVariable& variable, std::vector<Action>& advice) {
  const EntryVerdict& verdict = variable.verdict;
  if (verdict.is_duck) {
    AddAction(variable, "config", kSure,
              "the sizes were equal when it was compiled, and no code asks for that; let each have "
              "a symbol of its own",
              advice)
        .code = "torch.fx.experimental._config.use_duck_shape = False";
  }
  for (const GuardLine& line : verdict.smallest_change) {
    const std::string where = LineText(line.user);
    if (where.empty()) continue;
    AddAction(variable, "hoist", kLikely,
              "change " + where + ", which asks for " + line.guard +
                  ": decide it outside of the compiled function, or without the size",
              advice)
        .target = line.user;
  }
}

}  // namespace

std::string MarkDynamicCode(const GuardedVariable& size) {
  if (!IsCallersArgument(ParseSource(size.source))) return {};
  return "torch._dynamo.mark_dynamic(" + SpellSources(size.source, SourceSpelling::kPython) + ", " +
         std::to_string(size.dim) + ")";
}

std::vector<Action> AdviseOn(const GuardedVariable& variable) {
  std::vector<Action> advice;
  const EntryVerdict& verdict = variable.verdict;
  if (variable.IsCulprit()) {
    if (verdict.pinned_by == PinnedBy::kStatic) {
      AdviseOnStatic(variable, advice);
    } else {
      AdviseOnLines(variable, advice);
    }
  } else if (verdict.verdict == SizeVerdict::kDivisible && verdict.modulus > 1) {
    const std::string modulus = std::to_string(verdict.modulus);
    AddAction(variable, "pad_alignment", kLikely,
              verdict.remainder == 0 ? "pad it to a multiple of " + modulus +
                                           ": one graph takes all of those, other sizes need more"
                                     : "keep it " + std::to_string(verdict.remainder) + " modulo " +
                                           modulus + ": one graph takes all of those",
              advice);
  } else if (verdict.verdict == SizeVerdict::kFree && variable.kind == GuardedKind::kSize &&
             variable.varies && std::ranges::any_of(variable.values, [](int64_t value) {
               return value == 0 || value == 1;
             })) {
    Action& action = AddAction(
        variable, "mark_unbacked", kMaybe,
        "sizes 0 and 1 have graphs of their own; an unbacked dim has one for all", advice);
    const std::string source(ParseSource(variable.name).object);
    if (IsIdentifier(source)) {
      action.code = "torch._dynamo.decorators.mark_unbacked(" + source + ", " +
                    std::to_string(variable.dim) + ")";
    }
    action.trap = "code that branches on the size breaks the graph then";
    action.torch = ">=2.4";
  }
  return advice;
}

}  // namespace shapewise
