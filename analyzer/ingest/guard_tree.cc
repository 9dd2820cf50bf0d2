#include "ingest/guard_tree.h"

#include <algorithm>
#include <utility>

#include "ingest/messages/wording.h"
#include "llvm/Support/xxhash.h"
#include "model/python_text.h"
#include "support/text_scan.h"

namespace shapewise {
namespace {

// Lists are for people and rules, which need no more.
constexpr size_t kMaxListed = 32;

// Real models have shallower trees; sources below this depth are not distinguished.
constexpr size_t kMaxTreeDepth = 4096;

// Longer sources do not differ in a relevant index.
constexpr size_t kMaxSourceBytes = 4096;

// Distinct names in one tree; a model of a thousand layers has a hundredth of it.
constexpr size_t kMaxKeptBytes = size_t{8} << 20;

// The root manager is at depth 0, so its own guards are at 1; epilogue guards are at 0 or 1.
constexpr size_t kRootDepth = 1;

/// "a == 2  # return x  # f.py:3" without its comment, numbers as "*".
std::string FoldNumbers(std::string_view text) {
  const size_t comment = FindText(text, "  # ");
  text = TrimRight(text.substr(0, comment));
  std::string folded;
  for (size_t i = 0; i < text.size();) {
    const bool starts_number = IsDigit(text[i]) && (i == 0 || !IsWordChar(text[i - 1]));
    if (!starts_number) {
      folded += text[i++];
      continue;
    }
    while (i < text.size() && IsDigit(text[i])) ++i;
    folded += '*';
  }
  return folded;
}

/// The counts as a list: most first, then by name.
std::vector<std::pair<StrId, uint32_t>> Ranked(const llvm::StringMap<uint32_t>& counts,
                                               StringPool& strings, size_t most) {
  std::vector<std::pair<std::string_view, uint32_t>> list;
  for (const auto& entry : counts) {
    list.emplace_back(std::string_view(entry.getKeyData(), entry.getKeyLength()), entry.getValue());
  }
  std::sort(list.begin(), list.end(), [](const auto& a, const auto& b) {
    return a.second != b.second ? a.second > b.second : a.first < b.first;
  });
  if (list.size() > most) list.resize(most);
  std::vector<std::pair<StrId, uint32_t>> ranked;
  ranked.reserve(list.size());
  for (const auto& [name, count] : list) ranked.emplace_back(strings.Intern(name), count);
  return ranked;
}

/// The same in every run and on every machine.
uint64_t HashOf(std::string_view kind, std::string_view text) {
  return llvm::xxHash64(std::string(kind) + ":" + std::string(text));
}

/// The first argument of the list at the start of `text`, without its bracket: "L['x'], 3)".
std::string_view FirstArgumentOf(std::string_view text) {
  size_t after = 0;
  return ReadArgument(text, 0, &after);
}

/// "___check_type_id(L['x'], 94281711380640), type=<class ...>" -> "L['x']"; empty for any other
/// guard.
std::string_view SourceOfTypeGuard(std::string_view text) {
  return ConsumeFront(text, "___check_type_id(") ? FirstArgumentOf(text) : std::string_view();
}

/// Whether the comment behind a relation names an operator of torch as what asks for it: "# return
/// x.view(n, -1)  # mp/app/m.py:5 in f (_refs/__init__.py:3965 in _reshape_view_helper)". Code that
/// is traced asks through Dynamo's own: "(_dynamo/variables/tensor.py:2606 in evaluate_expr)".
bool IsAskedByOperator(std::string_view text) {
  if (!text.ends_with(')')) return false;
  const size_t open = text.rfind(" (");
  if (open == kNotFound) return false;
  const std::string_view place = text.substr(open + 2);
  return HasText(place, ".py:") && HasText(place, " in ") && !place.starts_with("_dynamo/");
}

/// Whether `text`, a guard, is one of a dim that mark_static marked.
bool HasStaticMark(std::string_view text) {
  // Without a mark: "hasattr(L['x'], '_dynamo_static_indices') == False". In 2.1 to 2.4:
  // "L['x']._dynamo_static_indices.issubset({0})".
  constexpr std::string_view kName = "_dynamo_static_indices";
  for (size_t at = FindText(text, kName); at != kNotFound; at = FindText(text, kName, at)) {
    at += kName.size();
    const std::string_view rest = text.substr(at);
    if (rest.starts_with("', set()).issubset(") || rest.starts_with(".issubset(")) return true;
  }
  return false;
}

std::string_view WithoutComment(std::string_view guard) {
  return Trim(guard.substr(0, FindText(guard, "  # ")));
}

/// "L['mode'] == 'sum'", but no attribute of a module, and no size.
bool IsConstantArgument(std::string_view guard) {
  const size_t equals = FindText(guard, " == ");
  return equals != kNotFound && guard.starts_with("L['") && !guard.starts_with("L['self']") &&
         !HasText(guard.substr(0, equals), "(");
}

}  // namespace

std::string FoldIndices(std::string_view text, std::string& indices) {
  std::string folded;
  for (size_t i = 0; i < text.size(); ++i) {
    folded += text[i];
    if (text[i] != '[') continue;
    size_t begin = i + 1;
    const bool is_quoted = begin < text.size() && text[begin] == '\'';
    if (is_quoted) ++begin;
    size_t end = begin;
    while (end < text.size() && IsDigit(text[end])) ++end;
    size_t close = end;
    if (is_quoted && close < text.size() && text[close] == '\'') ++close;
    const bool is_index = end > begin && close < text.size() && text[close] == ']' &&
                          (is_quoted ? close == end + 1 : close == end);
    if (!is_index) continue;
    indices += text.substr(begin, end - begin);
    indices += ',';
    folded += '*';
    i = close - 1;
  }
  return folded;
}

bool GuardTreeCounter::AddLine(std::string_view line) {
  size_t depth = 0;
  while (ConsumeFront(line, "| ")) ++depth;
  if (!ConsumeFront(line, "+- ")) {
    if (!ConsumeFront(line, "Guard latency = ")) return false;
    if (const std::optional<double> micros = ConsumeDecimal(line)) latency_us_ = micros;
    return false;
  }
  depth = std::min(depth, kMaxTreeDepth);
  const size_t colon = line.find(':');
  const std::string_view kind = line.substr(0, colon);
  if (!IsLeafKind(kind)) {
    AddManager(line, depth);
    return true;
  }
  ++leaves_;
  Count(kind, kinds_);
  if (depth <= kRootDepth && kind == "LAMBDA_GUARD" && colon != kNotFound) {
    Count(FoldNumbers(TrimLeft(line.substr(colon + 1))), lambdas_);
  }
  if (depth > 0 && depth <= num_levels_) AddToFamily(depth);
  return true;
}

void GuardTreeCounter::AddManager(std::string_view line, size_t depth) {
  ++managers_;
  num_levels_ = depth + 1;
  if (levels_.size() < num_levels_) levels_.resize(num_levels_);
  Level& level = levels_[depth];
  // "ValueManager: GuardManager: source=L['d']['k'], type=..." of a dict has no accessor.
  std::string_view source = TextBetween(line, "source=", ", accessed_by=");
  source = source.substr(0, FindText(source, ", type=<"));
  level.source = source.substr(0, kMaxSourceBytes);
  level.is_folded = false;
  level.family = kNoFamily;
}

/// Counts a guard at `depth` for the family of the manager above it.
void GuardTreeCounter::AddToFamily(size_t depth) {
  Level& level = levels_[depth - 1];
  if (!level.is_folded) {
    level.is_folded = true;
    FindFamily(level);
  }
  if (level.family != kNoFamily) ++families_[level.family].guards;
}

void GuardTreeCounter::FindFamily(Level& level) {
  std::string indices;
  const std::string source = FoldIndices(level.source, indices);
  if (indices.empty()) return;
  const auto known = family_of_.find(source);
  if (known != family_of_.end()) {
    level.family = known->second;
  } else if (MayKeep(source)) {
    level.family = families_.size();
    family_of_[source] = families_.size();
    families_.emplace_back();
  } else {
    return;
  }
  llvm::StringSet<>& members = families_[level.family].indices;
  if (!members.contains(indices) && MayKeep(indices)) members.insert(indices);
}

void GuardTreeCounter::Count(std::string_view name, llvm::StringMap<uint32_t>& counts) {
  const auto known = counts.find(llvm::StringRef(name));
  if (known != counts.end()) {
    ++known->second;
  } else if (MayKeep(name)) {
    counts[llvm::StringRef(name)] = 1;
  }
}

/// Whether there is room for one more name.
bool GuardTreeCounter::MayKeep(std::string_view name) {
  if (kept_bytes_ + name.size() > kMaxKeptBytes) return false;
  kept_bytes_ += name.size();
  return true;
}

GuardTally GuardTreeCounter::Tally(StringPool& strings) const {
  GuardTally tally;
  tally.kinds = Ranked(kinds_, strings, kinds_.size());
  tally.root_lambdas = Ranked(lambdas_, strings, kMaxListed);
  std::vector<std::pair<std::string_view, const Folded*>> families;
  for (const auto& entry : family_of_) {
    const Folded& family = families_[entry.getValue()];
    if (family.indices.size() < 2) continue;
    families.emplace_back(std::string_view(entry.getKeyData(), entry.getKeyLength()), &family);
  }
  std::sort(families.begin(), families.end(), [](const auto& a, const auto& b) {
    return a.second->guards != b.second->guards ? a.second->guards > b.second->guards
                                                : a.first < b.first;
  });
  if (families.size() > kMaxListed) families.resize(kMaxListed);
  for (const auto& [source, family] : families) {
    tally.families.push_back(
        {strings.Intern(source), family->guards, static_cast<uint32_t>(family->indices.size())});
  }
  tally.leaves = leaves_;
  tally.managers = managers_;
  tally.latency_us = latency_us_;
  return tally;
}

GuardTally CountGuardTree(std::string_view text, StringPool& strings) {
  GuardTreeCounter counter;
  ForEachLine(text, [&counter](std::string_view line) { counter.AddLine(line); });
  return counter.Tally(strings);
}

void GuardTextReader::AddTreeLine(std::string_view line) {
  line = TrimLeft(line);
  while (ConsumeFront(line, "| ")) {
  }
  if (line == "+- RootGuardManager") texts_.is_printed = !only_needed_;
  if (!ConsumeFront(line, "+- ")) return;
  const size_t colon = line.find(':');
  const std::string_view kind = TrimRight(line.substr(0, colon));
  if (!IsLeafKind(kind)) return;
  AddLeaf(kind, colon == kNotFound ? std::string_view() : Trim(line.substr(colon + 1)));
}

void GuardTextReader::AddGuard(std::string_view text) {
  texts_.is_printed = !only_needed_;
  AddLeaf({}, text);
}

void GuardTextReader::AddLeaf(std::string_view kind, std::string_view text) {
  text = Trim(text);
  if (only_needed_) {
    if (HasStaticMark(text)) {
      AddMark(text);
    } else if (IsConstantArgument(text)) {
      AddValue(WithoutComment(text));
    }
    return;
  }
  if (text.starts_with("check_tensor(") && AddTensor(text)) return;
  if (HasText(text, "_dynamo_") && HasText(text, "_indices'") && AddMark(text)) return;
  if (AddPredicate(text)) return;
  AddOther(kind, text);
}

/// "check_tensor(L['x'], Tensor, DispatchKeySet(..), torch.float32, device=None,
/// requires_grad=False, size=[None, 3], stride=[3, 1])"
bool GuardTextReader::AddTensor(std::string_view text) {
  std::string_view rest = text.substr(std::string_view("check_tensor(").size());
  const std::string_view source = FirstArgumentOf(rest);
  const size_t size = FindText(rest, ", size=[");
  const size_t stride = FindText(rest, "], stride=[", size == kNotFound ? 0 : size);
  const size_t end = FindText(rest, "])", stride == kNotFound ? 0 : stride);
  if (source.empty() || size == kNotFound || stride == kNotFound || end == kNotFound) return false;
  const GuardFailure parsed = ParseGuardFailure(text);
  ShapeGuard guard;
  guard.kind = ShapeGuard::Kind::kTensor;
  guard.source = strings_.Intern(source);
  const size_t sizes = size + std::string_view(", size=").size();
  guard.text = strings_.Intern(rest.substr(sizes, stride + 1 - sizes));
  const size_t strides = stride + std::string_view("], stride=").size();
  guard.stride = strings_.Intern(rest.substr(strides, end + 1 - strides));
  const size_t properties = static_cast<size_t>(source.data() - rest.data()) + source.size();
  guard.properties = strings_.Intern(Trim(rest.substr(properties + 1, size - properties - 1)));
  SetUserPlace(parsed, guard);
  Keep(guard);
  return true;
}

/// "hasattr(L['x'], '_dynamo_dynamic_indices') == False", and of an entry that was compiled for a
/// marked tensor "((getattr(L['x'], '_dynamo_dynamic_indices', set()).issubset({0})) if hasattr(...
/// else True)" or, in older releases, "((L['x']._dynamo_dynamic_indices.issubset({0})) if ...".
bool GuardTextReader::AddMark(std::string_view text) {
  const size_t has = FindText(text, "hasattr(");
  if (has == kNotFound) return false;
  const std::string_view arguments = text.substr(has + std::string_view("hasattr(").size());
  const std::string_view source = FirstArgumentOf(arguments);
  const std::string_view attribute = TextBetween(arguments, "'_dynamo_", "'");
  if (source.empty() || attribute.empty()) return false;
  ShapeGuard guard;
  guard.kind = ShapeGuard::Kind::kMark;
  guard.source = strings_.Intern(source);
  guard.properties = strings_.Intern(attribute);
  const std::string_view dims = TextBetween(text, ".issubset(", ")");
  if (dims.empty() && !HasText(text, "== False")) return false;
  guard.text = strings_.Intern(dims);
  Keep(guard);
  return true;
}

bool GuardTextReader::AddPredicate(std::string_view text) {
  const GuardFailure parsed = ParseGuardFailure(text);
  ShapeGuard guard;
  switch (parsed.guard_class) {
    case GuardClass::kSymbolic:
    case GuardClass::kZeroOne:
      guard.kind = ShapeGuard::Kind::kRelation;
      guard.is_zero_one = parsed.guard_class == GuardClass::kZeroOne;
      guard.is_duck = HasText(text, "duck sizing");
      guard.is_operators = IsAskedByOperator(text);
      guard.text = strings_.Intern(parsed.guard);
      break;
    case GuardClass::kInt:
    case GuardClass::kLength:
      if (!IsInteger(parsed.expected) || !HasText(parsed.guard, " == ")) return false;
      guard.kind = parsed.guard_class == GuardClass::kInt ? ShapeGuard::Kind::kValue
                                                          : ShapeGuard::Kind::kLength;
      guard.source = strings_.Intern(parsed.source);
      guard.text = strings_.Intern(parsed.expected);
      if (guard.source == StrId::kNone) return false;
      break;
    default:
      return false;
  }
  SetUserPlace(parsed, guard);
  Keep(guard);
  return true;
}

void GuardTextReader::AddOther(std::string_view kind, std::string_view text) {
  if (text.empty()) return;  // A guard on several values is printed as a whole only once.
  const std::string_view guard = ParseGuardFailure(text).guard;
  AddValue(guard);
  if (const std::string_view source = SourceOfTypeGuard(guard); !source.empty()) {
    if (type_guards_.size() < GuardTexts::kMaxGuards) {
      type_guards_.emplace(source, HashOf(kind, guard));
      return;
    }
  }
  if (others_.size() >= GuardTexts::kMaxGuards) {
    ++texts_.left_out;
    return;
  }
  others_.insert(HashOf(kind, guard));
}

/// "L['mode'] == 'sum'", "L['y'] is None", "list(dict.keys(L['d']))[0] == 'a'",
/// "___check_type_id(L['xs'], 94281711380640), type=<class 'list'>", "not
/// ___dict_contains('forward', L['self'].__dict__)".
void GuardTextReader::AddValue(std::string_view guard) {
  const size_t local = FindText(guard, "L[");
  if (local == kNotFound || (local > 0 && IsWordChar(guard[local - 1]))) return;
  if (texts_.values.size() >= GuardTexts::kMaxGuards) {
    ++texts_.left_out;
    return;
  }
  const size_t begin = guard.starts_with("list(dict.keys(") ? 0 : local;
  const size_t after = AfterSource(guard, begin);
  const size_t end = after == kNotFound ? begin : after;
  ValueGuard value;
  value.source = strings_.Intern(guard.substr(begin, end - begin));
  std::string_view rest = guard.substr(end);
  if (begin == 0 &&
      (ConsumeFront(rest, " == ") || (ConsumeFront(rest, " is ") && rest == "None"))) {
    value.kind = ValueGuard::Kind::kConstant;
    value.text = strings_.Intern(Trim(rest));
  } else if (guard.starts_with("___check_type_id(")) {
    value.kind = ValueGuard::Kind::kType;
    value.text = strings_.Intern(TextBetween(rest, "type=", "\n"));
  }
  texts_.values.push_back(value);
}

void GuardTextReader::SetUserPlace(const GuardFailure& parsed, ShapeGuard& guard) {
  guard.user_file = strings_.Intern(parsed.user_file);
  guard.user_line = parsed.user_line;
  guard.user_function = strings_.Intern(parsed.user_function);
  guard.code = strings_.Intern(parsed.code);
}

void GuardTextReader::Keep(const ShapeGuard& guard) {
  if (texts_.shape.size() >= GuardTexts::kMaxGuards) {
    ++texts_.left_out;
  } else {
    texts_.shape.push_back(guard);
  }
}

GuardTexts GuardTextReader::Take() {
  // The check of a tensor is also one of its type: releases print both for some entries.
  for (const ShapeGuard& guard : texts_.shape) {
    if (guard.kind == ShapeGuard::Kind::kTensor) {
      type_guards_.erase(std::string(strings_.text(guard.source)));
    }
  }
  for (const auto& [source, hash] : type_guards_) others_.insert(hash);
  texts_.others.assign(others_.begin(), others_.end());
  others_.clear();
  type_guards_.clear();
  return std::exchange(texts_, {});
}

bool IsNeeded(std::string_view line) {
  return HasStaticMark(line) || (HasText(line, "L['") && HasText(line, " == "));
}

GuardTexts ReadGuardTree(std::string_view text, StringPool& strings, bool only_needed) {
  GuardTextReader reader(strings, only_needed);
  ForEachLine(text, [&reader](std::string_view line) { reader.AddTreeLine(line); });
  return reader.Take();
}

}  // namespace shapewise
