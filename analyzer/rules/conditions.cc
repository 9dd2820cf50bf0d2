// All conditions. A new one is a row of kConditions.

#include "rules/conditions.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "causes/culprit_key.h"
#include "causes/logged_number.h"
#include "causes/relation_value.h"
#include "causes/xla_trouble.h"
#include "model/dispatch_keys.h"
#include "model/resume_name.h"
#include "model/source_ref.h"
#include "result/rank_divergence.h"
#include "rules/proposal.h"
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

/// Names of what has an item for each token of a text, or for each pixel.
constexpr std::string_view kPerToken[] = {"ids", "tokens", "mask", "position", "label"};

/// Channels and numbers of heads, both in dim 1, are mostly multiples of this, and so are lengths
/// that are padded already. Both of two lengths of text are in one case of 64.
constexpr int kStep = 8;

/// More sizes than this, even multiples, are worth padding to fewer.
constexpr size_t kMaxSizes = 4;

bool IsMultipleOfStep(const std::string& text) {
  const std::optional<int64_t> size = ParseNumber(text);
  return size && *size > 0 && *size % kStep == 0;
}

bool HasAttribute(const SourceRef& source) {
  return std::ranges::any_of(
      source.path, [](SourceStep step) { return step.kind == SourceStep::Kind::kAttribute; });
}

/// Whether a variable, an attribute or a key in `source` has this name. Where the function is kept
/// whose closure contains the object, or the object whose method it is, is no part of that.
bool HasName(const SourceRef& source, std::string_view name) {
  for (const SourceStep& step : std::views::reverse(source.path)) {
    if (step.name == name) return true;
    if (step.name == "cell_contents" || step.name == "__self__") return false;
  }
  return source.name == name;
}

/// Whether the culprit is a parameter: Dynamo says so, or its name does. An argument that is named
/// "weight" may be any tensor.
bool IsParameter(const Subject& subject) {
  const Cause& cause = subject.cause;
  if (!cause.culprit) return false;
  if (cause.hint == "force_parameter_static_shapes") return true;
  const std::string_view text = cause.culprit->source;
  if (HasText(text, "_parameters['")) return true;
  // Records that people shortened name it "...proj.weight".
  return text.ends_with(".weight") || text.ends_with(".bias");
}

/// Names of lists that the functional forms of optimizers take (torch/optim), and of their items.
constexpr std::string_view kOptimizerLists =
    "p param params parameters weights g grad grads gradients update updates momentum momentums "
    "exp_avg exp_avgs exp_avg_sq exp_avg_sqs max_exp_avg_sqs square_avgs state_sums acc_deltas "
    "momentum_buffer_list";

/// Whether it is an item of such a list: it has the shape of a parameter, and cannot be padded.
bool IsOptimizerState(const SourceRef& source) {
  const bool is_item = std::ranges::any_of(
      source.path, [](SourceStep step) { return step.kind == SourceStep::Kind::kIndex; });
  return is_item && source.root == SourceRef::Root::kArgument && !source.name.empty() &&
         ContainsWord(kOptimizerLists, source.name);
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
  if (IsParameter(subject) || HasName(source, "weight") || HasName(source, "bias") ||
      IsOptimizerState(source) || IsHeadsOrWidth(cause)) {
    return true;
  }
  const std::string_view name = source.LastName();
  const bool is_length =
      std::ranges::any_of(kPerToken, [name](std::string_view word) { return HasText(name, word); });
  const size_t num_sizes = cause.values.size();
  return cause.culprit->dim == 1 && !is_length && num_sizes >= 2 && num_sizes <= kMaxSizes &&
         std::ranges::all_of(cause.values, IsMultipleOfStep);
}

/// Whether a name in `source` contains `text`: "past" of "past_key_value[0]".
bool NamesContain(const SourceRef& source, std::string_view text) {
  return HasText(source.name, text) || std::ranges::any_of(source.path, [&](SourceStep step) {
           return HasText(step.name, text);
         });
}

/// Whether a path in the finding is one of Windows: "C:\\app\\train.py".
bool IsOnWindows(const Subject& subject) {
  const Cause& cause = subject.cause;
  return HasText(cause.where.file, "\\") || HasText(cause.user.file, "\\");
}

/// Whether the place of an error is the code of an installed package that raised it, which the
/// compiler called: the log shows no line of the compiled program.
bool IsRaisedByLibrary(const Subject& subject) {
  const Cause& cause = subject.cause;
  // Without the line of the compiled function, its place is that of the exception.
  const bool is_alone = cause.where.file == cause.user.file && cause.where.line == cause.user.line;
  return is_alone && cause.caller.empty() && IsOtherPackage(cause.user.file);
}

SourceRef SourceOf(const Subject& subject) {
  return subject.cause.culprit ? ParseSource(subject.cause.culprit->source) : SourceRef();
}

bool IsOfModule(const Subject& subject) {
  return SourceOf(subject).IsOfModule() || subject.cause.hint == "allow_unspec_int_on_nn_module";
}

/// Whether the length is that of a dict in which a module has its submodules, parameters or
/// buffers.
bool IsNumberOfMembers(const Subject& subject) {
  const SourceRef source = SourceOf(subject);
  return !source.path.empty() &&
         IsOneOf(source.path.back().name, {"_modules", "_parameters", "_buffers"});
}

/// Whether PyTorch's own containers of modules look something up by the value.
bool PicksModule(const Subject& subject) {
  return subject.cause.user.file.ends_with("nn/modules/container.py") &&
         subject.cause.user.function == "__getitem__";
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
/// to the size itself, "8*(x.size()[0] // 8) == x.size()[0]". A quotient alone, and an inequality,
/// ask how large it is.
bool AsksDivisibility(const Subject& subject) {
  const std::string_view guard = subject.cause.message;
  if (HasText(guard, " <") || HasText(guard, " >")) return false;
  if (HasText(guard, "%") || HasText(guard, "Mod(") || PeriodOfAnswer(guard) > 0) return true;
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

using Words = std::vector<std::string_view>;

/// The words of the enumerators up to `last`.
template <auto last, auto name>
Words Names() {
  return NamesUpTo(last, static_cast<std::string_view (*)(decltype(last))>(name));
}

/// Whether a member of the cause has this word as its name.
template <auto member, auto name>
bool IsNamed(const Subject& subject, std::string_view word) {
  return name(subject.cause.*member) == word;
}

/// The same for a member of the culprit; false without a culprit.
template <auto member, auto name>
bool IsCulpritNamed(const Subject& subject, std::string_view word) {
  return subject.cause.culprit && name((*subject.cause.culprit).*member) == word;
}

template <std::string Cause::* text>
bool IsText(const Subject& subject, std::string_view word) {
  return subject.cause.*text == word;
}

template <std::string Cause::* text>
bool Contains(const Subject& subject, std::string_view word) {
  return HasText(subject.cause.*text, word);
}

template <Place Cause::* place>
bool IsInFile(const Subject& subject, std::string_view word) {
  return HasText((subject.cause.*place).file, word);
}

template <bool Cause::* flag>
bool IsSet(const Subject& subject) {
  return subject.cause.*flag;
}

/// Several settings of the process may change together, or in turn.
bool HasMessage(const Subject& subject, std::string_view word) {
  const Cause& cause = subject.cause;
  const bool is_state = cause.culprit && cause.culprit->guard_class == GuardClass::kGlobalState;
  return HasText(cause.message, word) ||
         (is_state && std::ranges::any_of(cause.values, [word](const std::string& value) {
            return HasText(value, word);
          }));
}

bool HasFact(const Subject& subject, std::string_view name) {
  return !FactOf(subject.cause, name).empty();
}

bool HasZeroOrOne(const Subject& subject) {
  return std::ranges::any_of(subject.cause.values,
                             [](const std::string& value) { return value == "0" || value == "1"; });
}

/// The id in the log, the one that the registry assigns to the type, or the replacement of a
/// removed id.
bool HasBreakId(const Subject& subject, std::string_view word) {
  return subject.cause.gb == word ||
         (subject.entry != nullptr && (subject.entry->id == word || subject.entry->alias == word));
}

/// Whether the release that printed the break has the registry, and prints advice with a break: the
/// wording is not one of earlier releases, which trace less code that is right.
bool IsOfRegistry(const Subject& subject) {
  const Cause& cause = subject.cause;
  return subject.entry != nullptr && (!cause.gb.empty() || cause.type == subject.entry->type);
}

/// The id of a break gives its type where the first line is missing.
bool HasType(const Subject& subject, std::string_view word) {
  const bool is_by_id = subject.cause.type.empty() && subject.entry != nullptr;
  return HasText(is_by_id ? subject.entry->type : subject.cause.type, word);
}

bool HasError(const Subject& subject, std::string_view word) {
  const Cause& cause = subject.cause;
  return HasText(cause.message, word) || HasText(cause.context, word) || HasText(cause.type, word);
}

/// The kind of a dtype as guards print it, "Long" or "torch.int64".
std::string_view KindOfDtype(std::string_view dtype) {
  ConsumeFront(dtype, "torch.");
  const auto begins = [dtype](std::initializer_list<std::string_view> words) {
    return std::ranges::any_of(words,
                               [dtype](std::string_view word) { return dtype.starts_with(word); });
  };
  if (begins({"Float", "Half", "Double", "BFloat", "float", "bfloat"})) return "float";
  if (begins({"Long", "Int", "Short", "Char", "Byte", "UInt", "uint", "int"})) return "integer";
  return begins({"Bool", "bool", "Complex", "complex"}) ? "other" : "unknown";
}

constexpr std::string_view kNumberKinds[] = {"unknown", "float", "integer", "mixed"};

/// What the dtypes of a tensor have in common, one of kNumberKinds. A cast from one kind to another
/// changes what the numbers are: class numbers are no quantities.
std::string_view KindOfNumbers(const Cause& cause) {
  std::set<std::string_view> kinds;
  for (const std::string& value : cause.values) kinds.insert(KindOfDtype(value));
  if (kinds.empty() || kinds.contains("unknown")) return "unknown";
  if (kinds.size() > 1) return "mixed";
  return *kinds.begin() == "other" ? "unknown" : *kinds.begin();
}

/// Whether an error says nothing but the symbol of a size: "KeyError: s0", "name 's27' is not
/// defined".
bool NamesOnlySymbol(const Subject& subject) {
  const Cause& cause = subject.cause;
  std::string_view text = Trim(cause.context.empty() ? cause.message : cause.context);
  if (const size_t colon = text.rfind(": "); colon != kNotFound) text.remove_prefix(colon + 2);
  constexpr std::string_view kUndefined = "' is not defined";
  if (ConsumeFront(text, "name '")) text = text.substr(0, FindText(text, kUndefined));
  const size_t digits = text.find_first_of("0123456789");
  if (digits == kNotFound || !std::ranges::all_of(text.substr(digits), IsDigit)) return false;
  constexpr std::string_view kPrefixes[] = {"s", "u", "zf", "zuf", "ks"};
  return std::ranges::find(kPrefixes, text.substr(0, digits)) != std::end(kPrefixes);
}

/// Whether an error or a break names the symbol of a size: "torch.Size([s72, 10])".
bool NamesSymbol(const Subject& subject) {
  for (const std::string_view text :
       {std::string_view(subject.cause.message), std::string_view(subject.cause.context)}) {
    for (size_t i = 0; i < text.size(); ++i) {
      if ((text[i] != 's' && text[i] != 'u') || (i > 0 && IsWordChar(text[i - 1]))) continue;
      size_t end = i + 1;
      while (end < text.size() && IsDigit(text[end])) ++end;
      if (end > i + 1 && (end == text.size() || !IsWordChar(text[end]))) return true;
    }
  }
  return false;
}

/// "if" of "if x.any():".
std::string_view FirstWord(std::string_view code) {
  size_t end = 0;
  while (end < code.size() && IsWordChar(code[end])) ++end;
  return code.substr(0, end);
}

bool IsOfArgument(const Subject& subject) {
  return SourceOf(subject).root == SourceRef::Root::kArgument && !IsOfModule(subject);
}

bool IsPassed(const Subject& subject) {
  return IsOfArgument(subject) && !HasAttribute(SourceOf(subject));
}

Words KnownActions() {
  Words words = NamesUpTo(CudagraphAction::kPartition, &CudagraphActionName);
  for (const std::string_view word :
       NamesUpTo(TorchscriptAction::kTracerWarning, &TorchscriptActionName)) {
    words.push_back(word);
  }
  return words;
}

Words KnownStats() {
  Words names;
  for (const StatInfo& info : kStatInfos) names.push_back(info.name);
  return names;
}

Words KnownFacts() {
  const std::span<const std::string_view> names = CauseFactNames();
  return {names.begin(), names.end()};
}

// In the order of analyzer/docs/adding-a-rule.md, which defines them.
constexpr ConditionKind kConditions[] = {
    {.name = "class",
     .known_words = &Names<GuardClass::kOther, &GuardClassName>,
     .fits = &IsCulpritNamed<&Culprit::guard_class, &GuardClassName>},
    {.name = "value_type",
     .known_words = &Names<PythonType::kObject, &PythonTypeName>,
     .fits = &IsCulpritNamed<&Culprit::value_type, &PythonTypeName>},
    {.name = "pattern",
     .known_words = &Names<ValuePattern::kVarying, &ValuePatternName>,
     .fits = &IsNamed<&Cause::pattern, &ValuePatternName>},
    {.name = "use",
     .known_words = &Names<ValueUse::kRange, &ValueUseName>,
     .fits = &IsNamed<&Cause::use, &ValueUseName>},
    {.name = "tensor_kind",
     .known_words = &Names<TensorKind::kInference, &TensorKindName>,
     .fits =
         [](const Subject& subject, std::string_view word) {
           return TensorKindName(DifferingKind(subject.cause.message)) == word;
         }},
    {.name = "limit", .is_true = &IsSet<&Cause::limit_hit>},
    {.name = "number",
     .is_true = [](const Subject& subject) { return IsRelationOfNumber(subject.cause); }},
    {.name = "resumed",
     .is_true =
         [](const Subject& subject) {
           return ParseResumeName(subject.cause.where.function).has_value();
         }},
    {.name = "constant_by",
     .known_words = &Names<ConstantBy::kMark, &ConstantByName>,
     .fits = &IsNamed<&Cause::constant_by, &ConstantByName>},
    {.name = "has", .known_words = &KnownFacts, .fits = &HasFact},
    {.name = "first_change", .is_true = &IsSet<&Cause::is_after_first_change>},
    {.name = "numbers",
     .known_words = [] { return Words(std::begin(kNumberKinds), std::end(kNumberKinds)); },
     .fits = [](const Subject& subject,
                std::string_view word) { return KindOfNumbers(subject.cause) == word; }},
    {.name = "loop_iterator",
     .is_true = [](const Subject& subject) { return IsLoopIterator(subject.cause); }},
    {.name = "submodules", .is_true = &IsNumberOfMembers},
    {.name = "picks_module", .is_true = &PicksModule},
    {.name = "mapping", .is_true = &IsSet<&Cause::is_mapping>},
    {.name = "uneven_items", .is_true = &IsSet<&Cause::has_uneven_items>},
    {.name = "parameter", .is_true = &IsParameter},
    {.name = "lone_tensor", .is_true = &IsSet<&Cause::is_lone_tensor>},
    {.name = "settled", .is_true = &IsSet<&Cause::is_settled>},
    {.name = "zero_or_one", .is_true = &HasZeroOrOne},
    {.name = "model_size", .is_true = &IsModelSize},
    {.name = "optimizer_state",
     .is_true = [](const Subject& subject) { return IsOptimizerState(SourceOf(subject)); }},
    {.name = "batch_size", .is_true = &IsBatchSize},
    {.name = "repeated", .is_true = [](const Subject& subject) { return subject.cause.count > 1; }},
    {.name = "hint", .fits = &IsText<&Cause::hint>},
    {.name = "has_hint",
     .is_true = [](const Subject& subject) { return !subject.cause.hint.empty(); }},
    {.name = "gb", .fits = &HasBreakId},
    // The words are those of registry.json, which RuleSet::FromFiles compares.
    {.name = "category",
     .fits =
         [](const Subject& subject, std::string_view word) {
           return subject.entry != nullptr && subject.entry->category == word;
         }},
    {.name = "break_hint",
     .fits =
         [](const Subject& subject, std::string_view word) {
           return IsOfRegistry(subject) && HasText(subject.entry->hint, word);
         }},
    {.name = "type_has", .fits = &HasType},
    {.name = "context_has", .fits = &Contains<&Cause::context>},
    {.name = "code_has", .fits = &Contains<&Cause::code>},
    {.name = "statement",
     .fits = [](const Subject& subject,
                std::string_view word) { return FirstWord(subject.cause.code) == word; }},
    {.name = "decides",
     .is_true = [](const Subject& subject) { return IsDecision(subject.cause.code); }},
    {.name = "logged",
     .is_true =
         [](const Subject& subject) {
           return IsLoggedNumber(subject.cause.code, subject.cause.user.function) ||
                  AddsToAttribute(subject.cause.code);
         }},
    {.name = "checks",
     .is_true = [](const Subject& subject) { return IsCheck(subject.cause.user.function); }},
    {.name = "in_subscripts", .is_true = &IsSet<&Cause::is_in_subscripts>},
    {.name = "below_loop", .is_true = &IsSet<&Cause::is_below_loop>},
    {.name = "has_caller",
     .is_true = [](const Subject& subject) { return !subject.cause.caller.empty(); }},
    {.name = "raised_by_library", .is_true = &IsRaisedByLibrary},
    {.name = "windows", .is_true = &IsOnWindows},
    {.name = "takes_constants",
     .is_true =
         [](const Subject& subject) {
           const std::string_view context = subject.cause.context;
           return HasText(context, "[") && !HasText(context, "Tensor");
         }},
    {.name = "reorderable", .is_true = &IsReorderable},
    {.name = "asks_divisibility", .is_true = &AsksDivisibility},
    {.name = "fixes_quotient",
     .is_true = [](const Subject& subject) { return FixesQuotient(subject.cause.message); }},
    {.name = "message_has", .fits = &HasMessage},
    {.name = "error_has", .fits = &HasError},
    {.name = "symbol_only", .is_true = &NamesOnlySymbol},
    {.name = "names_symbol", .is_true = &NamesSymbol},
    {.name = "proposes",
     .is_true = [](const Subject& subject) { return !ProposalOf(subject.cause).empty(); }},
    {.name = "why", .known_words = &KnownWhys, .fits = &IsText<&Cause::why>},
    {.name = "action", .known_words = &KnownActions, .fits = &IsText<&Cause::action>},
    {.name = "fatal", .is_true = &IsSet<&Cause::fatal>},
    {.name = "cut", .is_true = &IsSet<&Cause::is_cut>},
    {.name = "source_root",
     .known_words = &Names<SourceRef::Root::kCall, &SourceRootName>,
     .fits = [](const Subject& subject,
                std::string_view word) { return SourceRootName(SourceOf(subject).root) == word; }},
    {.name = "source_names",
     .fits = [](const Subject& subject,
                std::string_view word) { return HasName(SourceOf(subject), word); }},
    {.name = "source_has",
     .fits = [](const Subject& subject,
                std::string_view text) { return NamesContain(SourceOf(subject), text); }},
    {.name = "module_attribute", .is_true = &IsOfModule},
    {.name = "passed", .is_true = &IsPassed},
    {.name = "of_argument", .is_true = &IsOfArgument},
    {.name = "closure",
     .is_true =
         [](const Subject& subject) {
           return subject.cause.culprit && HasText(subject.cause.culprit->source, ".cell_contents");
         }},
    {.name = "default_value",
     .is_true = [](const Subject& subject) { return SourceOf(subject).IsDefault(); }},
    {.name = "user_file_has", .fits = &IsInFile<&Cause::user>},
    {.name = "file_has", .fits = &IsInFile<&Cause::where>},
    {.name = "library",
     .is_true = [](const Subject& subject) { return !OwnerOf(subject.cause).IsUser(); }},
    {.name = "costly", .is_true = &IsSet<&Cause::is_costly>},
    {.name = "divergence",
     .known_words = &Names<DivergenceKind::kLogBegins, &DivergenceKindName>,
     .fits =
         [](const Subject& subject, std::string_view word) {
           return subject.cause.kind == CauseKind::kRankDivergence && subject.cause.why == word;
         }},
    {.name = "stat",
     .known_words = &KnownStats,
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
  const bool fits = std::ranges::any_of(
      condition.words, [&](std::string_view word) { return kind.fits(subject, word); });
  return fits != condition.flag;
}

}  // namespace shapewise
