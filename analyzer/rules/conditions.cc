// All conditions. A new one is a row of kConditions.

#include "rules/conditions.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <string_view>

#include "causes/xla_trouble.h"
#include "model/source_ref.h"
#include "result/rank_divergence.h"
#include "support/text_scan.h"

namespace shapewise {
namespace {

/// Names of what a program keeps and appends to.
constexpr std::string_view kKept[] = {"cache",  "past",   "kv",     "state", "history",
                                      "memory", "buffer", "tokens", "ids"};

bool IsBatchSize(const Subject& subject) {
  const Cause& cause = subject.cause;
  if (!cause.culprit || cause.culprit->guard_class != GuardClass::kSize) return false;
  if (cause.culprit->dim != 0) return false;
  const SourceRef source = ParseSource(cause.culprit->source);
  const std::string_view name = source.LastName();
  return !source.IsOfModule() &&
         std::ranges::none_of(kKept, [name](std::string_view word) { return HasText(name, word); });
}

/// Channels and numbers of heads, both in dim 1, are mostly multiples of this, and so are lengths
/// that are padded already. Both of two lengths of text are in one case of 64.
constexpr int kStep = 8;

/// More sizes than this, even multiples, are worth padding to fewer.
constexpr size_t kMaxSizes = 4;

bool IsMultipleOfStep(const std::string& text) {
  int64_t size = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), size);
  return error == std::errc() && end == text.data() + text.size() && size > 0 && size % kStep == 0;
}

bool IsParameter(const SourceRef& source) {
  constexpr std::array<std::string_view, 4> kNames = {"_parameters", "_buffers", "weight", "bias"};
  return std::ranges::any_of(kNames, [&](std::string_view name) {
    return source.name == name ||
           std::ranges::any_of(source.path, [&](SourceStep step) { return step.name == name; });
  });
}

/// Names of lists that the functional forms of optimizers take (torch/optim), and of their items.
constexpr std::string_view kOptimizerLists[] = {"p",           "param",
                                                "params",      "parameters",
                                                "weights",     "g",
                                                "grad",        "grads",
                                                "gradients",   "update",
                                                "updates",     "momentum",
                                                "momentums",   "exp_avg",
                                                "exp_avgs",    "exp_avg_sq",
                                                "exp_avg_sqs", "max_exp_avg_sqs",
                                                "square_avgs", "state_sums",
                                                "acc_deltas",  "momentum_buffer_list"};

/// Whether it is an item of such a list: it has the shape of a parameter, and cannot be padded.
bool IsOptimizerState(const SourceRef& source) {
  const bool is_item = std::ranges::any_of(
      source.path, [](SourceStep step) { return step.kind == SourceStep::Kind::kIndex; });
  return is_item && source.root == SourceRef::Root::kArgument &&
         std::ranges::find(kOptimizerLists, source.name) != std::end(kOptimizerLists);
}

/// torch's flex_attention takes (batch, heads, length, width).
bool IsHeadsOrWidth(const Cause& cause) {
  const bool is_flex_attention =
      cause.where.function == "flex_attention" || HasText(cause.where.file, "flex_attention.py");
  return is_flex_attention && (cause.culprit->dim == 1 || cause.culprit->dim == 3);
}

bool IsModelSize(const Subject& subject) {
  const Cause& cause = subject.cause;
  if (!cause.culprit || cause.culprit->guard_class != GuardClass::kSize) return false;
  const SourceRef source = ParseSource(cause.culprit->source);
  if (IsParameter(source) || IsOptimizerState(source) || IsHeadsOrWidth(cause)) return true;
  const size_t num_sizes = cause.values.size();
  return cause.culprit->dim == 1 && num_sizes >= 2 && num_sizes <= kMaxSizes &&
         std::ranges::all_of(cause.values, IsMultipleOfStep);
}

SourceRef SourceOf(const Subject& subject) {
  return subject.cause.culprit ? ParseSource(subject.cause.culprit->source) : SourceRef();
}

bool IsOfModule(const Subject& subject) {
  return SourceOf(subject).IsOfModule() || subject.cause.hint == "allow_unspec_int_on_nn_module";
}

/// Whether Dynamo can run the call after the graph, by the classes of its arguments in the context:
/// "builtin print [<class '...constant.ConstantVariable'>, <class '...lists.SizeVariable'>] False"
/// (torch/_dynamo/variables/misc.py, can_reorder_logs).
bool IsReorderable(const Subject& subject) {
  constexpr std::string_view kBegin = "<class '";
  std::string_view context = subject.cause.context;
  for (size_t at = FindText(context, kBegin); at != kNotFound; at = FindText(context, kBegin)) {
    context.remove_prefix(at + kBegin.size());
    const std::string_view name = context.substr(0, context.find('\''));
    if (!IsOneOf(name.substr(name.rfind('.') + 1),
                 {"TensorVariable", "ConstantVariable", "StringFormatVariable"})) {
      return false;
    }
  }
  return true;
}

/// Reasons for slow steps; StepCauses in analyzer/timeline assigns them.
constexpr std::string_view kStepWords[] = {
    "compile",       "cudagraph", "garbage-collection", "memory-maps", "not-compared",
    "other-process", "period",    "recompile",          "steps",       "unexplained",
};

/// Whether the guard asks whether a size can be divided: "x.size()[0] % 8 == 0", or a quotient next
/// to the size itself, "8*(x.size()[0] // 8) == x.size()[0]". A quotient alone asks how large it
/// is.
bool AsksDivisibility(const Subject& subject) {
  const std::string_view guard = subject.cause.message;
  if (HasText(guard, "%") || HasText(guard, "Mod(")) return true;
  if (!HasText(guard, "//")) return false;
  constexpr std::string_view kSize = ".size()[";
  std::vector<std::string_view> sizes;
  for (size_t at = FindText(guard, kSize); at != kNotFound; at = FindText(guard, kSize, at + 1)) {
    size_t begin = at;
    const auto is_of_source = [](char c) { return IsWordChar(c) || HasText(".[]'", {&c, 1}); };
    while (begin > 0 && is_of_source(guard[begin - 1])) --begin;
    const std::string_view size = guard.substr(begin, guard.find(']', at + kSize.size()) - begin);
    if (std::ranges::find(sizes, size) != sizes.end()) return true;
    sizes.push_back(size);
  }
  return false;
}

std::vector<std::string_view> KnownWhys() {
  std::vector<std::string_view> words = NamesUpTo(Why::kOther, &WhyName);
  for (const std::string_view word : NamesUpTo(XlaTrouble::kReport, &XlaTroubleName)) {
    words.push_back(word);
  }
  words.insert(words.end(), std::begin(kStepWords), std::end(kStepWords));
  words.insert(words.end(), ServerWhyNames().begin(), ServerWhyNames().end());
  return words;
}

// In the order of analyzer/docs/adding-a-rule.md.
constexpr ConditionKind kConditions[] = {
    // The guard class of the culprit. Never holds without a culprit.
    {.name = "class",
     .known_words = [] { return NamesUpTo(GuardClass::kOther, &GuardClassName); },
     .fits =
         [](const Subject& subject, std::string_view word) {
           const std::optional<Culprit>& culprit = subject.cause.culprit;
           return culprit && GuardClassName(culprit->guard_class) == word;
         }},
    // The culprit's source has one of these Python types. Never holds where the log does not
    // show the type.
    {.name = "value_type",
     .known_words = [] { return NamesUpTo(PythonType::kObject, &PythonTypeName); },
     .fits =
         [](const Subject& subject, std::string_view word) {
           const std::optional<Culprit>& culprit = subject.cause.culprit;
           return culprit && PythonTypeName(culprit->value_type) == word;
         }},
    // How the values of the culprit change.
    {.name = "pattern",
     .known_words = [] { return NamesUpTo(ValuePattern::kVarying, &ValuePatternName); },
     .fits = [](const Subject& subject,
                std::string_view word) { return ValuePatternName(subject.cause.pattern) == word; }},
    // How the line of user code uses the value.
    {.name = "use",
     .known_words = [] { return NamesUpTo(ValueUse::kRange, &ValueUseName); },
     .fits = [](const Subject& subject,
                std::string_view word) { return ValueUseName(subject.cause.use) == word; }},
    // The function hit a recompile limit and has run eagerly since.
    {.name = "limit", .is_true = [](const Subject& subject) { return subject.cause.limit_hit; }},
    // The guard asks something of a number that is no size.
    {.name = "number",
     .is_true = [](const Subject& subject) { return IsRelationOfNumber(subject.cause); }},
    // The function is the rest of one that a graph break split.
    {.name = "resumed",
     .is_true =
         [](const Subject& subject) {
           return subject.cause.where.function.starts_with("torch_dynamo_resume_in_");
         }},
    // What made a size a constant although it had changed.
    {.name = "constant_by",
     .known_words = [] { return NamesUpTo(ConstantBy::kSetting, &ConstantByName); },
     .fits =
         [](const Subject& subject, std::string_view word) {
           return ConstantByName(subject.cause.constant_by) == word;
         }},
    // The first of its recompiles made a size dynamic, which a mark would have saved.
    {.name = "first_change",
     .is_true = [](const Subject& subject) { return subject.cause.is_after_first_change; }},
    // The values include 0 or 1, for which Dynamo makes separate graphs.
    {.name = "zero_or_one",
     .is_true =
         [](const Subject& subject) {
           return std::ranges::any_of(subject.cause.values, [](const std::string& value) {
             return value == "0" || value == "1";
           });
         }},
    // The model or the code probably fixes the size, as it fixes a width or a number of heads;
    // data cannot be padded there.
    {.name = "model_size", .is_true = IsModelSize},
    // An item of a list of parameters, gradients or states, as optimizers take them.
    {.name = "optimizer_state",
     .is_true = [](const Subject& subject) { return IsOptimizerState(SourceOf(subject)); }},
    // The size is probably a number of samples, as dim 0 of what a caller passes is, if its name
    // does not say that the program keeps it.
    {.name = "batch_size", .is_true = IsBatchSize},
    // It occurred more than once.
    {.name = "repeated", .is_true = [](const Subject& subject) { return subject.cause.count > 1; }},
    // What the log proposes ("mark_unbacked"), or the slug of a performance hint ("tf32").
    {.name = "hint",
     .fits = [](const Subject& subject,
                std::string_view word) { return subject.cause.hint == word; }},
    // The registry id of the break: the one in the log, the one that the registry assigns to its
    // type, or the replacement of a removed id.
    {.name = "gb",
     .fits =
         [](const Subject& subject, std::string_view word) {
           if (subject.cause.gb == word) return true;
           return subject.entry != nullptr &&
                  (subject.entry->id == word || subject.entry->alias == word);
         }},
    // The registry's category of the break, by its id or, if the log prints none, by its type.
    // Never holds for a break that the registry does not contain. The words are those of
    // registry.json, which RuleSet::FromFiles compares.
    {.name = "category",
     .fits =
         [](const Subject& subject, std::string_view word) {
           return subject.entry != nullptr && subject.entry->category == word;
         }},
    // PyTorch gives this kind of advice for the break; the letters of registry.json. Never holds
    // for a break that the registry does not contain.
    {.name = "break_hint",
     .fits =
         [](const Subject& subject, std::string_view word) {
           return subject.entry != nullptr && HasText(subject.entry->hint, word);
         }},
    // The type of a break, or the class of an exception, contains one of them. The id of a break
    // gives its type where the first line is missing.
    {.name = "type_has",
     .fits =
         [](const Subject& subject, std::string_view word) {
           const bool is_by_id = subject.cause.type.empty() && subject.entry != nullptr;
           return HasText(is_by_id ? subject.entry->type : subject.cause.type, word);
         }},
    // The developer debug context contains one of them.
    {.name = "context_has",
     .fits = [](const Subject& subject,
                std::string_view word) { return HasText(subject.cause.context, word); }},
    // All arguments of the call that the context shows are tensors, constants or string formats.
    {.name = "reorderable", .is_true = IsReorderable},
    {.name = "asks_divisibility", .is_true = AsksDivisibility},
    // The message contains one of them.
    {.name = "message_has",
     .fits = [](const Subject& subject,
                std::string_view word) { return HasText(subject.cause.message, word); }},
    // The class, the message, or what a backend raised, contains one of them.
    {.name = "error_has",
     .fits =
         [](const Subject& subject, std::string_view word) {
           return HasText(subject.cause.message, word) || HasText(subject.cause.context, word) ||
                  HasText(subject.cause.type, word);
         }},
    // The contract's word for why a frame or a CUDA graph was skipped, or a mode ignored; for
    // PyTorch/XLA, the trouble; for slow steps and stalls, what they coincide with; for an
    // inference server, the problem.
    {.name = "why",
     .known_words = KnownWhys,
     .fits = [](const Subject& subject,
                std::string_view word) { return subject.cause.why == word; }},
    // The contract's word for what happened to a CUDA graph or in TorchScript.
    {.name = "action",
     .known_words =
         [] {
           std::vector<std::string_view> words =
               NamesUpTo(CudagraphAction::kPartition, &CudagraphActionName);
           for (const std::string_view word :
                NamesUpTo(TorchscriptAction::kTracerWarning, &TorchscriptActionName)) {
             words.push_back(word);
           }
           return words;
         },
     .fits = [](const Subject& subject,
                std::string_view word) { return subject.cause.action == word; }},
    // The break ended the program, as with fullgraph=True.
    {.name = "fatal", .is_true = [](const Subject& subject) { return subject.cause.fatal; }},
    // A record of the cause is truncated.
    {.name = "cut", .is_true = [](const Subject& subject) { return subject.cause.is_cut; }},
    // The kind of the variable at the start of the source.
    {.name = "source_root",
     .known_words = [] { return NamesUpTo(SourceRef::Root::kCall, &SourceRootName); },
     .fits = [](const Subject& subject,
                std::string_view word) { return SourceRootName(SourceOf(subject).root) == word; }},
    // The name of a variable, attribute or key in the source.
    {.name = "source_names",
     .fits =
         [](const Subject& subject, std::string_view word) {
           const SourceRef source = SourceOf(subject);
           return source.name == word || std::ranges::any_of(source.path, [&](SourceStep step) {
                    return step.name == word;
                  });
         }},
    // The culprit is an attribute of a module, or of anything called `self`. The name of the module
    // may be any; then only the log's hint shows what it is.
    {.name = "module_attribute", .is_true = IsOfModule},
    // The caller passes the culprit itself, as an argument or an item of one.
    {.name = "passed",
     .is_true =
         [](const Subject& subject) {
           const SourceRef source = SourceOf(subject);
           return source.root == SourceRef::Root::kArgument && !IsOfModule(subject) &&
                  std::ranges::none_of(source.path, [](SourceStep step) {
                    return step.kind == SourceStep::Kind::kAttribute;
                  });
         }},
    // The culprit is the default value of a parameter.
    {.name = "default_value",
     .is_true = [](const Subject& subject) { return SourceOf(subject).IsDefault(); }},
    // The file of the line that asked contains one of them; for a question of the compiler's
    // own, the compiler's file.
    {.name = "user_file_has",
     .fits = [](const Subject& subject,
                std::string_view word) { return HasText(subject.cause.user.file, word); }},
    // The compiled function's file contains one of them.
    {.name = "file_has",
     .fits = [](const Subject& subject,
                std::string_view word) { return HasText(subject.cause.where.file, word); }},
    // The code to change is not the user's: the line that triggers the cause or, if unknown, the
    // function is in PyTorch, Python or an installed package.
    {.name = "library",
     .is_true = [](const Subject& subject) { return !OwnerOf(subject.cause).IsUser(); }},
    // Its cost is above the engine's threshold.
    {.name = "costly", .is_true = [](const Subject& subject) { return subject.cause.is_costly; }},
    // How ranks differ.
    {.name = "divergence",
     .known_words = [] { return NamesUpTo(DivergenceKind::kLogBegins, &DivergenceKindName); },
     .fits =
         [](const Subject& subject, std::string_view word) {
           return subject.cause.kind == CauseKind::kRankDivergence && subject.cause.why == word;
         }},
    // (over: log): this data-quality counter is not zero.
    {.name = "stat",
     .known_words =
         [] {
           std::vector<std::string_view> names;
           for (const StatInfo& info : kStatInfos) names.push_back(info.name);
           return names;
         },
     .fits =
         [](const Subject& subject, std::string_view word) {
           return subject.stat && kStatInfos[static_cast<size_t>(*subject.stat)].name == word;
         }},
};

}  // namespace

std::span<const ConditionKind> BuiltinConditions() { return kConditions; }

std::string_view ConditionName(const RuleCondition& condition) {
  return BuiltinConditions()[condition.kind].name;
}

bool Holds(const RuleCondition& condition, const Subject& subject) {
  const ConditionKind& kind = BuiltinConditions()[condition.kind];
  if (!kind.takes_list()) return kind.is_true(subject) == condition.flag;
  return std::ranges::any_of(condition.words,
                             [&](std::string_view word) { return kind.fits(subject, word); });
}

}  // namespace shapewise
