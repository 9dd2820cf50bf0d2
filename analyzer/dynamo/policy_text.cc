#include "dynamo/policy_text.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringRef.h"
#include "model/call_history_builder.h"
#include "model/source_ref.h"
#include "support/nearest_name.h"
#include "support/text_scan.h"

namespace shapewise {
namespace {

constexpr std::string_view kMarkDynamic = "mark_dynamic";
constexpr std::string_view kBuckets = "buckets";
constexpr std::string_view kServe = "serve";
constexpr std::string_view kFill = "fill=";
constexpr std::string_view kLimit = "limit";
constexpr std::string_view kIsolate = "isolate";
constexpr std::string_view kAsIs = "as-is";
constexpr std::string_view kDynamicSources = "dynamic_sources";
constexpr std::string_view kUnbackedSources = "unbacked_sources";

// More functions, or larger dims, do not occur in practice.
constexpr size_t kMostSpans = 4096;
constexpr int64_t kMostSize = int64_t{1} << 48;
constexpr int64_t kMostDims = 64;

struct MarkWord {
  std::string_view word;
  MarkKind kind;
  bool takes_range;
};

constexpr MarkWord kMarkWords[] = {
    {kMarkDynamic, MarkKind::kDynamic, true},
    {"mark_unbacked", MarkKind::kUnbacked, true},
    {"mark_static", MarkKind::kStatic, false},
    {"maybe_mark_dynamic", MarkKind::kMaybe, false},
};

std::vector<std::string_view> KnownWords() {
  std::vector<std::string_view> words = {kAsIs, kBuckets, kServe, kLimit, kIsolate};
  for (const MarkWord& mark : kMarkWords) words.push_back(mark.word);
  for (const std::string_view name : PolicyOptionNames()) words.push_back(name);
  return words;
}

std::optional<int64_t> IntOf(std::string_view text) {
  int64_t number = 0;
  text = Trim(text);
  if (llvm::StringRef(text.data(), text.size()).getAsInteger(10, number)) return std::nullopt;
  return number;
}

/// Length of the part of `text` before the first of `separators` outside of brackets and quotes.
/// Unmatched brackets extend to the end.
size_t PieceLength(std::string_view text, std::string_view separators) {
  size_t depth = 0;
  char quote = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quote != 0) {
      if (c == quote) quote = 0;
    } else if (c == '\'' || c == '"') {
      quote = c;
    } else if (c == '(' || c == '[') {
      ++depth;
    } else if (c == ')' || c == ']') {
      if (depth > 0) --depth;
    } else if (depth == 0 && separators.find(c) != std::string_view::npos) {
      return i;
    }
  }
  return text.size();
}

std::vector<std::string_view> Split(std::string_view text, std::string_view separators) {
  std::vector<std::string_view> pieces;
  while (true) {
    const size_t length = PieceLength(text, separators);
    pieces.push_back(Trim(text.substr(0, length)));
    if (length == text.size()) return pieces;
    text.remove_prefix(length + 1);
  }
}

std::string_view Unquoted(std::string_view text) {
  const bool is_quoted = text.size() >= 2 && (text.front() == '"' || text.front() == '\'') &&
                         text.back() == text.front();
  return is_quoted ? text.substr(1, text.size() - 2) : text;
}

/// Numbers separated by '|', ',' or blanks, with or without brackets around them; empty if one is
/// not a number.
std::vector<int64_t> IntsOf(std::string_view text) {
  text = Trim(text);
  if (text.size() >= 2 && (text.front() == '[' || text.front() == '(')) {
    text = text.substr(1, text.size() - 2);
  }
  std::vector<int64_t> numbers;
  while (!text.empty()) {
    const size_t end = std::min(text.find_first_of("|, "), text.size());
    if (end > 0) {
      const std::optional<int64_t> number = IntOf(text.substr(0, end));
      if (!number) return {};
      numbers.push_back(*number);
    }
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return numbers;
}

/// A finite number.
std::optional<double> FillOf(std::string_view text) {
  double number = 0;
  text = Trim(text);
  if (llvm::StringRef(text.data(), text.size()).getAsDouble(number) || !std::isfinite(number)) {
    return std::nullopt;
  }
  return number;
}

/// Parses one what-if policy.
class PolicyParser {
 public:
  explicit PolicyParser(std::string_view text) : text_(text) {}

  Expected<PolicyChange> Parse() {
    if (Trim(text_).empty()) return MakeError("policy: it is empty");
    for (const std::string_view part : Split(text_, "+,")) {
      if (part.empty()) return Fail(text_.size(), "a part is missing");
      named_.clear();
      if (Error error = ParsePart(part)) return error;
      change_.text += change_.text.empty() ? "" : " + ";
      for (const std::string_view name : named_) {
        const auto begin = static_cast<size_t>(name.data() - part.data());
        change_.named.push_back({change_.text.size() + begin, name.size()});
      }
      change_.text += part;
    }
    return std::move(change_);
  }

 private:
  Error ParsePart(std::string_view part) {
    size_t word_end = 0;
    while (word_end < part.size() &&
           (IsWordChar(part[word_end]) || part[word_end] == '-' || part[word_end] == '.')) {
      ++word_end;
    }
    const std::string_view word = part.substr(0, word_end);
    const std::string_view rest = Trim(part.substr(word_end));
    if (word == kAsIs || word == "as_is" || (word == "as" && rest == "is")) return Error::success();
    if (rest.starts_with("(")) {
      if (!rest.ends_with(")")) return Fail(Place(part), "')' is missing");
      const std::vector<std::string_view> arguments = Split(rest.substr(1, rest.size() - 2), ",");
      if (word == kBuckets) {
        return DimOf(arguments.front()) ? ParseShapes(part, arguments)
                                        : ParseBuckets(part, arguments);
      }
      if (word == kServe) return ParseServing(part, arguments);
      for (const MarkWord& mark : kMarkWords) {
        if (mark.word == word) return ParseMark(part, mark, arguments);
      }
      if (word == kLimit && arguments.size() == 1)
        return SetOption(part, "recompile_limit", arguments[0]);
      return Unknown(part, word);
    }
    const bool has_value = rest.starts_with("=");
    const std::string_view value = has_value ? Unquoted(Trim(rest.substr(1))) : rest;
    if (word == kLimit) return SetOption(part, "recompile_limit", value);
    if (word == kIsolate && !has_value && rest.empty()) {
      return SetOption(part, "isolate_recompiles", "True");
    }
    if (!llvm::is_contained(PolicyOptionNames(), word)) return Unknown(part, word);
    const bool takes_list = word == kDynamicSources || word == kUnbackedSources;
    if (!has_value && (takes_list || !rest.empty())) {
      const size_t place = rest.empty() ? Place(part) + part.size() : Place(rest);
      return Fail(place, "expected '" + std::string(word) + "=VALUE'");
    }
    return SetOption(part, word, has_value ? value : "True");
  }

  Error SetOption(std::string_view part, std::string_view name, std::string_view value) {
    const bool is_list = name == kDynamicSources || name == kUnbackedSources;
    const std::string text = is_list ? SourceList(value) : std::string(value);
    CompilePolicy probe;
    if (text.empty() || !SetPolicyOption(probe, name, text)) {
      return Fail(Place(part), "'" + std::string(value) + "' is no value of " + std::string(name));
    }
    if (is_list) {
      for (auto& [known, sources] : change_.options) {
        if (known != name) continue;
        sources += "," + text;
        return Error::success();
      }
    }
    change_.options.emplace_back(name, text);
    return Error::success();
  }

  /// Entries of a list of sources, with plain names spelled as in guards, because only that
  /// spelling matches.
  std::string SourceList(std::string_view value) {
    std::string list;
    for (const std::string_view entry : Split(value, ",")) {
      named_.push_back(entry);
      list += (list.empty() ? "" : ",") + DynamoSource(entry);
    }
    return list;
  }

  /// Parses the source and dims at the start of `arguments`.
  Error ParseTarget(std::string_view part, const std::vector<std::string_view>& arguments,
                    std::string& source, std::vector<int32_t>& dims) {
    if (arguments.size() < 2 || arguments[0].empty()) {
      return Fail(Place(part), "expected a tensor and a dim, as in (x, 0)");
    }
    source = DynamoSource(arguments[0]);
    named_.push_back(arguments[0]);
    for (const int64_t dim : IntsOf(arguments[1])) {
      constexpr int64_t kMax = std::numeric_limits<int32_t>::max();
      if (dim > kMax || dim < -kMax) return Fail(Place(arguments[1]), "no such dim");
      dims.push_back(static_cast<int32_t>(dim));
    }
    if (dims.empty()) {
      return Fail(Place(arguments[1]), "'" + std::string(arguments[1]) + "' is no dim: a number");
    }
    return Error::success();
  }

  Error ParseMark(std::string_view part, const MarkWord& word,
                  const std::vector<std::string_view>& arguments) {
    std::string source;
    std::vector<int32_t> dims;
    if (Error error = ParseTarget(part, arguments, source, dims)) return error;
    DimMark mark;
    mark.kind = word.kind;
    if (arguments.size() > (word.takes_range ? 4 : 2)) {
      return Fail(Place(arguments.back()),
                  std::string(word.word) + " takes no more than a tensor" +
                      (word.takes_range ? ", a dim, min and max" : " and a dim"));
    }
    for (size_t i = 2; i < arguments.size(); ++i) {
      std::string_view value = arguments[i];
      const bool is_max = value.starts_with("max=") || (i == 3 && !value.starts_with("min="));
      if (value.starts_with("max=") || value.starts_with("min=")) value.remove_prefix(4);
      const std::optional<int64_t> bound = IntOf(value);
      if (!bound && Trim(value) != "None") {
        return Fail(Place(arguments[i]),
                    "'" + std::string(arguments[i]) + "' is no bound: min=N or max=N");
      }
      (is_max ? mark.max : mark.min) = bound;
    }
    for (const int32_t dim : dims) {
      mark.dim = dim;
      change_.marks.push_back({source, mark});
    }
    return Error::success();
  }

  Error ParseBuckets(std::string_view part, const std::vector<std::string_view>& arguments) {
    std::string source;
    std::vector<int32_t> dims;
    if (Error error = ParseTarget(part, arguments, source, dims)) return error;
    PolicyBuckets buckets;
    buckets.source = source;
    for (size_t i = 2; i < arguments.size(); ++i) {
      if (std::string_view fill = arguments[i]; ConsumeFront(fill, kFill)) {
        const std::optional<double> number = FillOf(fill);
        if (!number) return FailFill(arguments[i], fill);
        buckets.fill = *number;
        continue;
      }
      const std::vector<int64_t> sizes = IntsOf(arguments[i]);
      const bool is_bad = sizes.empty() || llvm::any_of(sizes, [](int64_t s) { return s < 1; });
      if (is_bad) {
        return Fail(Place(arguments[i]),
                    "'" + std::string(arguments[i]) + "' are no sizes: 16|32|64");
      }
      buckets.sizes.insert(buckets.sizes.end(), sizes.begin(), sizes.end());
    }
    if (buckets.sizes.empty()) {
      return Fail(Place(part), "expected sizes, as in buckets(x, 0, 16|32|64)");
    }
    std::ranges::sort(buckets.sizes);
    const auto repeated = std::ranges::unique(buckets.sizes);
    buckets.sizes.erase(repeated.begin(), repeated.end());
    for (const int32_t dim : dims) {
      if (dim < 0) return Fail(Place(arguments[1]), "a dim to pad counts from 0");
      buckets.dim = dim;
      change_.buckets.push_back(buckets);
    }
    return Error::success();
  }

  /// "x:1": dim 1 of x; "x:1=-100": its padding value is -100. A text that starts with a digit is a
  /// range of sizes.
  static std::optional<PolicyDim> DimOf(std::string_view text) {
    const size_t colon = text.rfind(':');
    if (colon == 0 || colon == std::string_view::npos || IsDigit(text.front())) return std::nullopt;
    const std::string_view fill_text = text.substr(colon + 1);
    const size_t end = std::min(fill_text.find('='), fill_text.size());
    const std::optional<int64_t> dim = IntOf(fill_text.substr(0, end));
    if (!dim || *dim < 0 || *dim > kMostDims) return std::nullopt;
    const std::optional<double> fill =
        end == fill_text.size() ? 0 : FillOf(fill_text.substr(end + 1));
    if (!fill) return std::nullopt;
    return PolicyDim{.source = DynamoSource(Trim(text.substr(0, colon))),
                     .dim = static_cast<int32_t>(*dim),
                     .fill = *fill};
  }

  /// Parses the dims at the start of `arguments`; `next` becomes the index of the first argument
  /// that is not a dim.
  Expected<std::vector<PolicyDim>> DimsOf(const std::vector<std::string_view>& arguments,
                                          size_t& next) {
    std::vector<PolicyDim> dims;
    for (next = 0; next < arguments.size(); ++next) {
      std::optional<PolicyDim> dim = DimOf(arguments[next]);
      if (!dim) break;
      const bool is_known = llvm::any_of(dims, [&](const PolicyDim& known) {
        return known.source == dim->source && known.dim == dim->dim;
      });
      if (is_known) return Fail(Place(arguments[next]), "this dim is named twice");
      named_.push_back(Trim(arguments[next].substr(0, arguments[next].rfind(':'))));
      dims.push_back(std::move(*dim));
    }
    return dims;
  }

  Error FailFill(std::string_view argument, std::string_view fill) const {
    return Fail(Place(argument), "'" + std::string(fill) + "' is no number to pad with");
  }

  /// "8x64", a size for each of `dims` dims; empty: another format.
  static std::vector<int64_t> ShapeOf(std::string_view text, size_t dims) {
    std::vector<int64_t> shape;
    for (const std::string_view piece : Split(text, "x")) {
      const std::optional<int64_t> size = IntOf(piece);
      if (!size || *size < 1 || *size > kMostSize) return {};
      shape.push_back(*size);
    }
    return shape.size() == dims ? shape : std::vector<int64_t>();
  }

  Error ParseShapes(std::string_view part, const std::vector<std::string_view>& arguments) {
    PolicyShapes shapes;
    size_t next = 0;
    Expected<std::vector<PolicyDim>> named = DimsOf(arguments, next);
    if (!named) return named.takeError();
    shapes.dims = std::move(*named);
    if (change_.shapes || change_.serving) return FailTwice(part);
    for (; next < arguments.size(); ++next) {
      for (const std::string_view piece : Split(arguments[next], "|")) {
        std::vector<int64_t> shape = ShapeOf(piece, shapes.dims.size());
        if (shape.empty()) {
          return Fail(Place(piece), "'" + std::string(piece) +
                                        "' does not have a size for each dim, as 8x64 has for two");
        }
        shapes.shapes.push_back(std::move(shape));
      }
    }
    if (shapes.shapes.empty()) {
      return Fail(Place(part), "expected sizes, as in buckets(x:0, x:1, 8x64|16x128)");
    }
    if (shapes.shapes.size() > kMostSpans) return Fail(Place(part), "there are too many sizes");
    change_.shapes = std::move(shapes);
    return Error::success();
  }

  Error FailTwice(std::string_view part) const {
    return Fail(Place(part), "a policy has one list of shapes, or serves sizes once");
  }

  Error ParseServing(std::string_view part, const std::vector<std::string_view>& arguments) {
    PolicyServing serving;
    size_t next = 0;
    Expected<std::vector<PolicyDim>> named = DimsOf(arguments, next);
    if (!named) return named.takeError();
    serving.dims = std::move(*named);
    if (serving.dims.empty()) {
      PolicyDim& only = serving.dims.emplace_back();
      std::vector<int32_t> dims;
      if (Error error = ParseTarget(part, arguments, only.source, dims)) return error;
      if (dims.size() != 1 || dims.front() < 0) {
        return Fail(Place(arguments[1]),
                    "expected one dim, counted from 0; write several as serve(x:0, y:0, ...)");
      }
      only.dim = dims.front();
      next = 2;
    }
    if (change_.serving || change_.shapes) return FailTwice(part);
    for (; next < arguments.size(); ++next) {
      for (const std::string_view piece : Split(arguments[next], "|")) {
        const std::optional<SizeSpan> span = SpanOf(piece);
        if (!span) {
          return Fail(Place(piece), "'" + std::string(piece) +
                                        "' is no stretch of sizes: 1..64:64, 65..512:dynamic, "
                                        "'aligned 8', range or eager");
        }
        if (!serving.spans.empty() && serving.spans.back().last >= span->first) {
          return Fail(Place(piece), "stretches of sizes ascend and do not overlap");
        }
        serving.spans.push_back(*span);
      }
    }
    if (serving.spans.empty()) {
      return Fail(Place(part), "expected stretches of sizes, as in serve(x, 0, 1..64:64)");
    }
    if (serving.spans.size() > kMostSpans) {
      return Fail(Place(part), "more than " + std::to_string(kMostSpans) + " stretches of sizes");
    }
    change_.serving = std::move(serving);
    return Error::success();
  }

  /// "1..64:64", "65..:dynamic", "65..512:aligned 8".
  static std::optional<SizeSpan> SpanOf(std::string_view text) {
    const size_t dots = text.find("..");
    const size_t colon = text.find(':');
    if (dots == std::string_view::npos || colon == std::string_view::npos || colon < dots + 2) {
      return std::nullopt;
    }
    const std::string_view end = Trim(text.substr(dots + 2, colon - dots - 2));
    const std::optional<int64_t> first = IntOf(text.substr(0, dots));
    const std::optional<int64_t> last = end.empty() ? kNoLast : IntOf(end);
    if (!first || !last || *first < 0 || *last < *first) return std::nullopt;
    SizeSpan span{.first = *first, .last = *last};
    std::string_view way = Trim(text.substr(colon + 1));
    if (way == "dynamic") return span;
    if (way == "eager" || way == "range") {
      span.way = way == "eager" ? SizeWay::kEager : SizeWay::kRange;
      // A range must have both ends, or mark_dynamic raises.
      if (span.way == SizeWay::kRange && span.last == kNoLast) return std::nullopt;
      return span;
    }
    span.way = ConsumeFront(way, "aligned") ? SizeWay::kAligned : SizeWay::kStatic;
    const std::optional<int64_t> size = IntOf(way);
    const int64_t least = span.way == SizeWay::kAligned ? 1 : span.last;
    if (!size || *size < least || *size > kMostSize) return std::nullopt;
    span.size = *size;
    return span;
  }

  Error Unknown(std::string_view part, std::string_view word) {
    const std::vector<std::string_view> words = KnownWords();
    const std::string_view named = word.empty() ? part : word;
    return Fail(Place(part),
                "'" + std::string(named) + "' is not known" + DidYouMean(named, words));
  }

  /// Offset of a part in the text.
  size_t Place(std::string_view piece) const {
    return static_cast<size_t>(piece.data() - text_.data());
  }

  Error Fail(size_t place, const std::string& what) const {
    return MakeError("policy \"" + std::string(text_) + "\", character " +
                     std::to_string(place + 1) + ": " + what);
  }

  std::string_view text_;
  std::vector<std::string_view> named_;  // sources in the part being parsed
  PolicyChange change_;
};

/// The sources of `history` that are a tensor in some call, as printed there.
std::vector<std::string> TensorSources(const CallHistory& history) {
  std::vector<bool> is_tensor(history.sources.size());
  for (const CallSignature& signature : history.signatures) {
    for (size_t i = 0; i < signature.values.size(); ++i) {
      if (signature.values[i].kind == CallValue::Kind::kTensor) is_tensor[i] = true;
    }
  }
  std::vector<std::string> sources;
  for (size_t i = 0; i < is_tensor.size(); ++i) {
    if (is_tensor[i]) sources.emplace_back(history.strings.text(history.sources[i]));
  }
  return sources;
}

}  // namespace

Expected<PolicyChange> ParsePolicy(std::string_view text) { return PolicyParser(text).Parse(); }

AppliedPolicy ApplyPolicy(const PolicyChange& change, const CompilePolicy& own,
                          const CallHistory& history) {
  AppliedPolicy applied;
  applied.policy = own;
  size_t fitting = change.options.size();
  const std::vector<std::string> tensors = TensorSources(history);
  for (const auto& [name, value] : change.options) SetPolicyOption(applied.policy, name, value);
  const auto find = [&](const std::string& source) {
    std::string name = NameOfSource(source);
    auto found = llvm::find_if(tensors, [&](const std::string& tensor) {
      return tensor == source || NameOfSource(tensor) == name;
    });
    // Libraries wrap a model's forward(ids) in a function of (*args, **kwargs).
    if (found == tensors.end() && IsIdentifier(name)) {
      found =
          llvm::find_if(tensors, [passed = "kwargs['" + name + "']"](const std::string& tensor) {
            return NameOfSource(tensor) == passed;
          });
    }
    if (found != tensors.end()) {
      ++fitting;
      return std::optional<std::string>(*found);
    }
    if (!llvm::is_contained(applied.unmatched, name)) applied.unmatched.push_back(std::move(name));
    return std::optional<std::string>();
  };
  // Dims that belong together: if one is missing, the whole part is dropped.
  const auto find_all = [&](std::vector<PolicyDim>& dims) {
    return llvm::all_of(dims, [&](PolicyDim& dim) {
      const std::optional<std::string> source = find(dim.source);
      if (source) dim.source = *source;
      return source.has_value();
    });
  };
  for (PolicyMark mark : change.marks) {
    const std::optional<std::string> source = find(mark.source);
    if (!source) continue;
    mark.source = *source;
    applied.policy.marks.push_back(std::move(mark));
  }
  for (PolicyBuckets buckets : change.buckets) {
    const std::optional<std::string> source = find(buckets.source);
    if (!source) continue;
    buckets.source = *source;
    applied.policy.buckets.push_back(std::move(buckets));
  }
  if (change.shapes) {
    applied.policy.shapes = change.shapes;
    if (!find_all(applied.policy.shapes->dims)) applied.policy.shapes.reset();
  }
  if (change.serving) {
    applied.policy.serving = change.serving;
    if (!find_all(applied.policy.serving->dims)) applied.policy.serving.reset();
  }
  applied.is_applicable = fitting > 0 || applied.unmatched.empty();
  return applied;
}

std::vector<std::string> TensorNames(const CallHistory& history) {
  std::vector<std::string> names;
  for (const std::string& source : TensorSources(history)) names.push_back(NameOfSource(source));
  return names;
}

}  // namespace shapewise
