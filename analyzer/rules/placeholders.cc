#include "rules/placeholders.h"

#include <algorithm>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "causes/display_name.h"
#include "causes/relation_value.h"
#include "model/dispatch_keys.h"
#include "model/python_text.h"
#include "model/source_ref.h"
#include "result/number_text.h"
#include "rules/culprit_text.h"
#include "rules/proposal.h"
#include "support/nearest_name.h"
#include "support/text_scan.h"

namespace shapewise {
namespace {

constexpr size_t kMaxShownValues = 6;
constexpr size_t kMaxValueBytes = 60;
constexpr size_t kMaxTextBytes = 200;
constexpr size_t kMaxShownGuards = 3;
constexpr size_t kMaxGuardBytes = 1000;

std::string Clip(std::string text, size_t max_bytes) {
  if (text.size() <= max_bytes) return text;
  size_t end = max_bytes - 3;
  while (end > 0 && (text[end] & 0xC0) == 0x80) --end;  // not within a UTF-8 character
  text.resize(end);
  return text + "...";
}

std::string LineText(uint32_t line) { return line == 0 ? "" : std::to_string(line); }

/// "8, 6, 5, 4, 3, 2, ... (14 in all)". Distinct values in order of first occurrence.
std::string ValuesText(const Cause& cause) {
  std::vector<std::string_view> distinct;
  for (const std::string& value : cause.values) {
    if (std::ranges::find(distinct, value) == distinct.end()) distinct.push_back(value);
  }
  std::string text;
  const size_t num_shown = std::min(distinct.size(), kMaxShownValues);
  for (const std::string_view value : std::span(distinct).first(num_shown)) {
    if (!text.empty()) text += ", ";
    text += value.empty() ? "''" : Clip(std::string(value), kMaxValueBytes);
  }
  const uint64_t num_all = std::max<uint64_t>(distinct.size(), cause.distinct_values);
  if (num_shown > 0 && num_all > num_shown) {
    const std::string_view bound = cause.has_unseen_values ? "at least " : "";
    text.append(", ... (").append(bound).append(std::to_string(num_all)).append(" in all)");
  }
  return text;
}

/// "guard; another guard; and 3 more": distinct texts, unchanged.
std::string GuardsText(const Cause& cause) {
  std::string text;
  const size_t num_shown = std::min(cause.values.size(), kMaxShownGuards);
  for (size_t i = 0; i < num_shown; ++i) {
    text.append(i == 0 ? "" : "; ").append(Clip(cause.values[i], kMaxGuardBytes));
  }
  if (cause.distinct_values > num_shown) {
    text.append("; and ").append(std::to_string(cause.distinct_values - num_shown)).append(" more");
  }
  return text;
}

bool IsAccumulated(const Cause& cause) {
  return cause.limit_name == LimitName::kAccumulatedRecompileLimit;
}

/// "... was inferred to be a constant (16)." -> "16"; empty: names no constant.
std::string_view PinnedSize(std::string_view message) {
  for (const std::string_view before :
       {"constant (", "specialized value of ", "due to hint of ", "a static shape of "}) {
    const size_t at = FindText(message, before);
    if (at == kNotFound) continue;
    const std::string_view size = message.substr(at + before.size());
    size_t end = 0;
    while (end < size.size() && IsDigit(size[end])) ++end;
    return size.substr(0, end);
  }
  return {};
}

/// The error of a C++ compiler at the end of the context, without the place in a generated file:
/// "fatal error: omp.h: No such file or directory".
std::string CompilersError(const Cause& cause) {
  std::string_view line = cause.context;
  line = line.substr(line.rfind('\n') + 1);
  const size_t place = FindText(line, ": ");
  if (!HasText(cause.message, "C++ compile error") &&
      !HasText(cause.context, "C++ compile error")) {
    return {};
  }
  if (place == kNotFound || HasText(line, "C++ compile error")) return {};
  return Clip(std::string(line.substr(place + 2)), kMaxTextBytes);
}

/// The function whose call broke the graph: "...; target: <function device_count at 0x18f5>",
/// "Skip calling function `<function lookup at 0x7f00>` since ...", "<function lookup at 0x7f00>".
std::string CalledFunction(const Cause& cause) {
  constexpr std::string_view kFunction = "<function ";
  for (const std::string_view before : {"target: <function ", "calling function `<function "}) {
    const std::string_view name = TextBetween(cause.context, before, " ");
    if (!name.empty()) return std::string(name);
  }
  if (!cause.context.starts_with(kFunction)) return {};
  return std::string(TextBetween(cause.context, kFunction, " "));
}

/// The message that a logger call in the context passes as its first argument: "args:
/// [ConstantVariable(str: 'use_cache is off')]". Empty: none, or it is computed.
std::string LoggedText(const Cause& cause) {
  constexpr std::string_view kArgument = "args: [ConstantVariable(str: ";
  const size_t at = FindText(cause.context, kArgument);
  if (at == kNotFound || !HasText(std::string_view(cause.context).substr(0, at), "<Logger")) {
    return {};
  }
  const std::string_view argument = std::string_view(cause.context).substr(at + kArgument.size());
  if (argument.empty() || !IsQuote(argument[0])) return {};
  return Clip(std::string(argument.substr(1, argument.find(argument[0], 1) - 1)), kMaxTextBytes);
}

/// The operator without a fake kernel that the context names, as it is registered: "mylib::op" of
/// "<CustomOpDef(mylib::op)>" and of "mylib.op.default". Empty: none, or PyTorch's own.
std::string NamedOperator(const Cause& cause) {
  for (const std::string_view text :
       {std::string_view(cause.context), std::string_view(cause.message)}) {
    const std::string_view custom = TextBetween(text, "CustomOpDef(", ")");
    if (!custom.empty()) return std::string(custom);
    const size_t end = FindText(text, ".default");
    if (end == kNotFound) continue;
    size_t begin = end;
    while (begin > 0 && (IsWordChar(text[begin - 1]) || text[begin - 1] == '.')) --begin;
    const std::string_view name = text.substr(begin, end - begin);
    const size_t dot = name.rfind('.');
    if (dot == kNotFound || IsOneOf(name.substr(0, dot), {"aten", "prims"})) continue;
    return std::string(name.substr(0, dot)) + "::" + std::string(name.substr(dot + 1));
  }
  return {};
}

/// The dim behind the one whose stride varies, where its size must be what varies: the stride of a
/// contiguous tensor is the product of the sizes behind it, and these strides share no factor.
std::string DimBehindStride(const Cause& cause) {
  if (!cause.culprit || cause.culprit->guard_class != GuardClass::kStride ||
      cause.culprit->dim < 0 || cause.distinct_values < 2) {
    return {};
  }
  uint64_t factor = 0;
  for (const std::string& value : cause.values) {
    const std::optional<uint64_t> stride = ParseNumber<uint64_t>(value);
    if (!stride || *stride < 2) return {};
    factor = std::gcd(factor, *stride);
  }
  return factor == 1 ? std::to_string(cause.culprit->dim + 1) : std::string();
}

/// The backend that raised the error: "Inductor", or "backend my_compiler"; empty: not printed.
std::string BackendName(const Cause& cause) {
  constexpr std::string_view kName = "backend='";
  const size_t at = FindText(cause.message, kName);
  const std::string_view rest = at == kNotFound
                                    ? std::string_view()
                                    : std::string_view(cause.message).substr(at + kName.size());
  const std::string name(rest.substr(0, FindText(rest, "'")));
  if (name == "inductor" || HasText(cause.type, "InductorError")) return "Inductor";
  return name.empty() ? name : "backend " + name;
}

constexpr std::string_view kUnknown = "(unknown)";

/// A text of the cause, unchanged or shortened.
template <std::string Cause::* member>
std::string TextIn(const Cause& cause) {
  return cause.*member;
}

template <std::string Cause::* member>
std::string ClippedIn(const Cause& cause) {
  return Clip(cause.*member, kMaxTextBytes);
}

/// A number of the cause; empty for 0.
template <auto member>
std::string NumberIn(const Cause& cause) {
  return cause.*member == 0 ? std::string() : std::to_string(cause.*member);
}

/// Whether only a wrapper calls the culprit so: args[3] is an argument that users write by another
/// name.
bool IsOnlyOfWrapper(const Cause& cause) {
  return IsWrapper(cause.where.function, cause.where.file) &&
         IsOneOf(ParseSource(cause.culprit->source).name, {"args", "kwargs"});
}

struct NamedPlaceholder {
  std::string_view name;
  std::string (*text)(const Cause& cause);  ///< empty: missing in the cause
  std::string_view unknown = kUnknown;      ///< text used if it is missing
};

constexpr NamedPlaceholder kPlaceholders[] = {
    {"function",
     [](const Cause& cause) {
       return cause.display_function.empty() ? cause.where.function : cause.display_function;
     },
     "a function"},
    {"file", [](const Cause& cause) { return cause.where.file; }},
    {"line", [](const Cause& cause) { return LineText(cause.where.line); }},
    {"source",
     [](const Cause& cause) { return cause.culprit ? cause.culprit->source : std::string(); },
     "a value"},
    {"callable",
     [](const Cause& cause) { return SpellSources(CallableText(cause), SourceSpelling::kPython); },
     "a value"},
    {"relation",
     [](const Cause& cause) {
       return IsRelationOfNumber(cause) ? "a condition on " + cause.culprit->source
                                        : std::string("a relation between sizes");
     }},
    {"variable", VariableText, "a value"},
    {"subject", SubjectText, "a value"},
    {"tensor_kind",
     [](const Cause& cause) { return std::string(TensorKindText(DifferingKind(cause.message))); }},
    {"value_type",
     [](const Cause& cause) {
       return std::string(cause.culprit ? PythonTypeName(cause.culprit->value_type) : "");
     }},
    {"library", [](const Cause& cause) { return std::string(OwnerOf(cause).library); }},
    {"source_expr",
     [](const Cause& cause) {
       const bool has_name = cause.culprit && !IsOnlyOfWrapper(cause);
       return has_name ? SpellSources(cause.culprit->source, SourceSpelling::kPython)
                       : std::string();
     }},
    {"owner",
     [](const Cause& cause) {
       const SourceRef source = ParseSource(cause.culprit ? std::string_view(cause.culprit->source)
                                                          : std::string_view());
       const bool is_of_object = source.root == SourceRef::Root::kArgument &&
                                 !source.path.empty() &&
                                 source.path.front().kind == SourceStep::Kind::kAttribute;
       return is_of_object && !source.IsOfModule() ? std::string(source.name) : std::string();
     }},
    {"attribute",
     [](const Cause& cause) {
       if (!cause.culprit) return std::string();
       const SourceRef source = ParseSource(cause.culprit->source);
       return source.IsAttribute() ? std::string(source.LastName()) : std::string();
     }},
    {"key",
     [](const Cause& cause) {
       if (!cause.culprit) return std::string();
       const SourceRef source = ParseSource(cause.culprit->source);
       const bool is_key =
           !source.path.empty() && source.path.back().kind == SourceStep::Kind::kKey;
       return is_key ? std::string(source.LastName()) : std::string();
     }},
    {"dynamic_source",
     [](const Cause& cause) {
       // Compared character by character with Dynamo's name of the source (torch/_dynamo/variables/
       // builder.py, is_dynamic_source, 2.7 to 2.13).
       const bool is_argument =
           cause.culprit && IsCallersArgument(ParseSource(cause.culprit->source));
       return is_argument ? DynamoSource(cause.culprit->source) : std::string();
     }},
    {"dim",
     [](const Cause& cause) {
       const bool has_dim = cause.culprit && cause.culprit->dim >= 0;
       return has_dim ? std::to_string(cause.culprit->dim) : std::string();
     }},
    {"called", CalledFunction},
    {"operator", NamedOperator},
    {"logged_text", LoggedText},
    {"caller", [](const Cause& cause) { return CallingLineText(cause.caller); }},
    {"guard_error",
     [](const Cause& cause) {
       const std::string_view text =
           TextBetween(cause.message, "Error while creating guard: ", "\n");
       return text.empty() || cause.type.empty() ? std::string()
                                                 : cause.type + ": " + std::string(text);
     }},
    {"compilers_error", CompilersError},
    {"proposal", [](const Cause& cause) { return ProposalOf(cause); }},
    {"dim_behind", DimBehindStride},
    {"multiple",
     [](const Cause& cause) {
       const int64_t period = PeriodOfAnswer(cause.message);
       return period > 0 ? std::to_string(period) : std::string();
     }},
    {"values", ValuesText},
    {"several_values",
     [](const Cause& cause) {
       return cause.distinct_values > 1 ? ValuesText(cause) : std::string();
     }},
    {"unknown_guards", GuardsText},
    {"count", [](const Cause& cause) { return std::to_string(cause.count); }},
    {"times",
     [](const Cause& cause) {
       return cause.count == 1 ? "once" : std::to_string(cause.count) + " times";
     }},
    {"distinct", NumberIn<&Cause::distinct_values>},
    {"limit", NumberIn<&Cause::limit>},
    {"raised_limit",
     [](const Cause& cause) {
       constexpr int64_t kDefaultLimit = 8;
       if (cause.limit == 0) return std::string();
       return std::to_string(4 * std::max(kDefaultLimit, cause.limit));
     }},
    {"limit_option",
     [](const Cause& cause) -> std::string {
       return IsAccumulated(cause) ? "accumulated_recompile_limit" : "recompile_limit";
     }},
    {"old_limit_option",
     [](const Cause& cause) -> std::string {
       return IsAccumulated(cause) ? "accumulated_cache_size_limit" : "cache_size_limit";
     }},
    {"then",
     [](const Cause& cause) -> std::string {
       return cause.limit_raised ? "raises an error at every further miss"
                                 : "has run eagerly since";
     }},
    {"limit_name",
     [](const Cause& cause) {
       const bool has_limit = cause.limit_name != LimitName::kNone;
       return has_limit ? std::string(LimitNameText(cause.limit_name)) : std::string();
     },
     "a recompile limit"},
    {"hint", TextIn<&Cause::hint>},
    {"gb", TextIn<&Cause::gb>},
    {"type", ClippedIn<&Cause::type>, "an error"},
    {"context", ClippedIn<&Cause::context>},
    {"message", ClippedIn<&Cause::message>},
    {"error",
     [](const Cause& cause) {
       return Clip(cause.context.empty() ? cause.message : cause.context, kMaxTextBytes);
     }},
    {"backend", BackendName, "the backend"},
    {"pinned_size", [](const Cause& cause) { return std::string(PinnedSize(cause.message)); }},
    {"why", TextIn<&Cause::why>},
    {"action", TextIn<&Cause::action>},
    {"amount",
     [](const Cause& cause) {
       return cause.amount ? std::to_string(*cause.amount) : std::string();
     }},
    {"user_file", [](const Cause& cause) { return cause.user.file; }},
    {"user_line", [](const Cause& cause) { return LineText(cause.user.line); }},
    {"user_function", [](const Cause& cause) { return cause.user.function; }},
    {"ranks", [](const Cause& cause) { return RankRanges(cause.ranks); }},
};

const NamedPlaceholder* FindPlaceholder(std::string_view name) {
  const auto* const found = std::ranges::find(kPlaceholders, name, &NamedPlaceholder::name);
  return found == std::end(kPlaceholders) ? nullptr : found;
}

/// The word of a `{word}` at the start of `text`; empty: none.
std::string_view WordInBraces(std::string_view text) {
  if (!text.starts_with('{')) return {};
  size_t end = 1;
  while (end < text.size() && ((text[end] >= 'a' && text[end] <= 'z') || text[end] == '_')) ++end;
  const bool is_closed = end < text.size() && text[end] == '}';
  return is_closed ? text.substr(1, end - 1) : std::string_view();
}

/// Whether {`word`} is a placeholder.
bool IsPlaceholder(std::string_view word) {
  return FindPlaceholder(word) != nullptr ||
         std::ranges::find(CauseFactNames(), word) != CauseFactNames().end();
}

/// The text for {`word`} if the cause does not have it.
std::string_view UnknownText(std::string_view word) {
  const NamedPlaceholder* placeholder = FindPlaceholder(word);
  return placeholder == nullptr ? kUnknown : placeholder->unknown;
}

/// The value of {`word`} in `cause`; empty: missing.
std::string TextOf(std::string_view word, const Cause& cause) {
  if (const NamedPlaceholder* placeholder = FindPlaceholder(word)) return placeholder->text(cause);
  for (const auto& [name, text] : cause.facts) {
    if (name == word) return Clip(text, kMaxTextBytes);
  }
  return {};
}

/// A parsed "{? in dim {dim}|...}".
struct OptionalPart {
  std::string_view text;         ///< used if all placeholders in it are known
  std::string_view alternative;  ///< used otherwise
  size_t size = 0;               ///< including its braces
};

/// The optional part at the start of `text`; absent: none, or unclosed.
std::optional<OptionalPart> PartAtFront(std::string_view text) {
  if (!text.starts_with("{?")) return std::nullopt;
  size_t bar = 0;
  for (size_t at = 2; at < text.size(); ++at) {
    const std::string_view word = WordInBraces(text.substr(at));
    if (!word.empty()) {
      at += word.size() + 1;
    } else if (text[at] == '|' && bar == 0) {
      bar = at;
    } else if (text[at] == '}') {
      const size_t end = bar == 0 ? at : bar;
      return OptionalPart{text.substr(2, end - 2),
                          bar == 0 ? std::string_view() : text.substr(bar + 1, at - bar - 1),
                          at + 1};
    }
  }
  return std::nullopt;
}

/// Who reads a text: a message, which introduces the function; an action, which refers to it; code.
enum class Reader : uint8_t { kMessage, kAction, kProgram };

/// Whether `value` can replace {`word`} in code. Some sources have names only in Dynamo.
bool CanRun(std::string_view word, std::string_view value) {
  return word == "source_expr" ? IsWritable(ParseSource(value)) : !value.empty();
}

struct Filled {
  std::string text;
  bool is_complete = true;  ///< all placeholders are known, in a form for readers
};

Filled Fill(std::string_view text, const Cause& cause, Reader reader) {
  Filled filled;
  while (!text.empty()) {
    if (const std::optional<OptionalPart> part = PartAtFront(text)) {
      Filled inner = Fill(part->text, cause, reader);
      if (!inner.is_complete) inner = Fill(part->alternative, cause, reader);
      filled.text += inner.text;
      filled.is_complete &= inner.is_complete;
      text.remove_prefix(part->size);
      continue;
    }
    const std::string_view word = WordInBraces(text);
    if (word.empty() || !IsPlaceholder(word)) {
      filled.text.push_back(text.front());
      text.remove_prefix(1);
      continue;
    }
    std::string value = TextOf(word, cause);
    // Actions are about the code, which has no name such as G['steps'].
    if (reader == Reader::kAction && word == "source") {
      value = SpellSources(value, SourceSpelling::kPython);
    }
    for (char& c : value) {
      if (c == '\n' || c == '\r') c = ' ';
    }
    filled.is_complete &= reader == Reader::kProgram ? CanRun(word, value) : !value.empty();
    if (value.empty()) {
      const bool is_introduced = reader == Reader::kAction && word == "function";
      value = is_introduced ? "the function" : UnknownText(word);
    }
    filled.text += value;
    text.remove_prefix(word.size() + 2);
  }
  return filled;
}

}  // namespace

std::string CallingLineText(std::string_view caller) {
  const size_t code = FindText(caller, ": ");
  if (code == kNotFound) return std::string(caller);
  const std::string line = Clip(std::string(caller.substr(code + 2)), kMaxTextBytes);
  return "`" + line + "` (" + std::string(caller.substr(0, code)) + ")";
}

std::string FillPlaceholders(std::string_view text, const Cause& cause) {
  return Fill(text, cause, Reader::kMessage).text;
}

std::string FillActionText(std::string_view text, const Cause& cause) {
  return Fill(text, cause, Reader::kAction).text;
}

std::string FillCode(std::string_view code, const Cause& cause) {
  Filled filled = Fill(code, cause, Reader::kProgram);
  return filled.is_complete ? std::move(filled.text) : std::string();
}

Error CheckPlaceholders(std::string_view text) {
  for (size_t at = text.find('{'); at != std::string_view::npos; at = text.find('{', 1)) {
    text.remove_prefix(at);
    if (text.starts_with("{?")) {
      const std::optional<OptionalPart> part = PartAtFront(text);
      if (!part) return MakeError("'{?' without its '}'");
      if (HasText(part->text, "{?") || HasText(part->alternative, "{?")) {
        return MakeError("'{?' inside of '{?'");
      }
    }
    const std::string_view word = WordInBraces(text);
    if (word.empty() || IsPlaceholder(word)) continue;
    std::vector<std::string_view> names;
    for (const NamedPlaceholder& placeholder : kPlaceholders) names.push_back(placeholder.name);
    names.insert(names.end(), CauseFactNames().begin(), CauseFactNames().end());
    return MakeError("unknown placeholder {" + std::string(word) + "}" + DidYouMean(word, names));
  }
  return Error::success();
}

}  // namespace shapewise
